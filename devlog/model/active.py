"""Detects active files by their names: those that browsers or web servers run, and those that control web servers.

A file beside a post is published unchanged, in the site's origin. For markup, only its content tells whether it is
active, at which `devlog.model.active_content` looks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from devlog.model.active_names import (
    COMPRESSED,
    ENCODED,
    FUNCTION_FOLDERS,
    FUNCTIONS,
    ICONS,
    KNOWN_TO_ALL,
    KNOWN_TO_APACHE,
    KNOWN_TO_WEBRICK,
    MARKUP,
    OBEYED_ANYWHERE,
    OBEYED_AT_ROOT,
    PAGES,
    RUN_AT_ROOT,
    RUN_BY_SERVERS,
    SCRIPTS,
    SHOWN_FOR_FOLDER,
    SHOWN_FOR_MISSING,
    SPEAK_FOR_SITE,
    WELL_KNOWN,
)
from devlog.model.outpath import collision_key

SCRIPT = "it is a script"
PAGE = "it is a page of its own"
NAMED = "some servers send it as a page, because its name contains"
HOLDS_PAGE = "servers may send it as the page or script that it holds"
SNIFFED = "it begins as HTML does, and its name does not say that it is something else"
ACTING = "some servers take it for a page, because it has HTML near its beginning, and its HTML would run or act"
SERVER = "web servers run such files"
OBEYED = "web servers obey such files"
FUNCTION = "hosts run programs in this folder of a site"
BUILT = "hosts and CI services build, run or obey such files of a branch"
ICON = "browsers show it as the icon of the whole site"
SPEAKS_FOR_SITE = "crawlers and other services read it as a statement of the site's owner"


def active_by_name(path: str) -> str:
    """Why the name of a file makes it active; empty if it does not.

    Args:
        path: the path of the file, with ``/`` between segments.
    """
    if _obeyed_name(path):
        return OBEYED
    return SERVER if _run_name(path) else _active_by_ending(_endings(path.lower().rpartition("/")[2]))


def _endings(name: str) -> list[str]:
    """All suffixes of a file by which some server may go, from its name in lower case."""
    name = name.rstrip(". ")  # Windows drops trailing dots and spaces
    # Some servers also obey the first suffix of “run.php.txt”, and the middle of “a.asp;.png” or “a.asp:x”.
    return [re.split("[:;]", ending)[0].rstrip() for ending in name.split(".")[1:]]


def _run_name(path: str) -> str:
    """The suffix or the folder because of which web servers run a file; empty if there is none."""
    *folders, name = collision_key(path).split("/")
    if "cgi-bin" in folders:
        return "cgi-bin"
    return next((f".{ending}" for ending in _endings(name) if RUN_BY_SERVERS.fullmatch(ending)), "")


def _obeyed_name(path: str) -> str:
    """The name of a file or folder in a path that web servers obey; empty if there is none."""
    names = (name.rstrip(". ") for name in collision_key(path).split("/"))
    return next((name for name in names if name in OBEYED_ANYWHERE), "")


def obeyed(path: str) -> str:
    """Why no page may have a path: web servers would obey a file or folder of that name. Empty if it is allowed."""
    name = _obeyed_name(path)
    return f"web servers obey what is named “{name}”" if name else obeyed_at_root(path)


def run_by_servers(path: str) -> str:
    """Why no page of a post may have a path: web servers would run it, or its Markdown version, which has the text of
    the post as it is. Empty if they would not.
    """
    name = _run_name(path)
    if not name.startswith("."):
        return f"web servers run what is in “{name}”" if name else ""
    return f"web servers run files with “{name}” in their names"


def shown_for_missing(path: str) -> bool:
    """Whether some hosts show a file in the place of others that are missing, in its folder or in all of the site."""
    return collision_key(path).rpartition("/")[2] in SHOWN_FOR_MISSING


def shown_for_folder(path: str) -> bool:
    """Whether some web servers show a file in the place of its folder, before ``index.html``."""
    return collision_key(path).rpartition("/")[2] in SHOWN_FOR_FOLDER


def obeyed_at_root(path: str) -> str:
    """Why no file of a post may have a path: hosts and other services would apply it to the whole site.

    Empty if it may have the path. If the content folder is the site's own folder, as in the Jekyll dialect, such a file
    belongs to the site's owner.
    """
    name = collision_key(without_compression(path))
    if name in OBEYED_AT_ROOT:
        return OBEYED
    if name in RUN_AT_ROOT:
        return BUILT
    if name.startswith(FUNCTION_FOLDERS) and name.rpartition(".")[2] in FUNCTIONS:
        return FUNCTION
    if ICONS.fullmatch(name):
        return ICON
    return SPEAKS_FOR_SITE if name in SPEAK_FOR_SITE or name.startswith(f"{WELL_KNOWN}/") else ""


def without_compression(path: str) -> str:
    """The path of a file in whose place some servers send this one: without suffixes of compressed files.

    Args:
        path: the path of a file, which need not have such a suffix.
    """
    stem, _, ending = path.rpartition(".")
    while stem and ending.lower() in COMPRESSED:
        path = stem
        stem, _, ending = path.rpartition(".")
    return path


def deciding(endings: Sequence[str]) -> list[str]:
    """The suffixes by which some server may choose the type of a file, the last one first.

    Apache looks behind each suffix that it does not know, and so sends “a.html.cast” as HTML. WEBrick looks behind the
    last one if it does not know that, and so sends “a.html.csv” as HTML.

    Args:
        endings: all suffixes, in lower case.
    """
    found: list[str] = []
    for ending in reversed(endings):
        known = KNOWN_TO_APACHE if found else KNOWN_TO_WEBRICK
        found.append(ending)
        if ending in known and ending not in COMPRESSED:
            break
    return found


def may_be_encoded(endings: Sequence[str]) -> bool:
    """Whether a server may declare, by one of its suffixes, that markup is compressed or in an unusual encoding.

    Apache looks at all suffixes: also at that of “a.sjis.svg”. Behind the suffix of markup, any may be such a one.

    Args:
        endings: all suffixes, in lower case.
    """
    kind = next((ending for ending in deciding(endings) if MARKUP.fullmatch(ending)), "")
    is_last = not kind or endings[-1] == kind
    return not is_last or any(ENCODED.fullmatch(ending) or ending in COMPRESSED for ending in endings)


def _active_by_ending(endings: Sequence[str]) -> str:
    """Why browsers run a file with these suffixes; empty if they do not."""
    if endings[-1:] == ["br"] and not KNOWN_TO_ALL.intersection(endings[-2:-1]):
        return HOLDS_PAGE  # unlike “gz”, nothing here unpacks it to see what it holds
    is_compressed = is_behind = False
    for ending in deciding(endings):
        # Some servers send “d3.js.py” as a script, too. That is harmless: browsers that open it show it as text, and no
        # page of the site asks for it. A page that did could ask for “d3.py”, too: browsers run what is sent as text.
        if ending in PAGES or (ending in SCRIPTS and not is_behind) or (is_compressed and MARKUP.fullmatch(ending)):
            if is_compressed:
                return HOLDS_PAGE
            return f"{NAMED} “.{ending}”" if is_behind else SCRIPT if ending in SCRIPTS else PAGE
        is_compressed = is_compressed or ending in COMPRESSED
        is_behind = is_behind or ending not in COMPRESSED
    return ""
