"""Decides which paths may be published: those that work on every system, stay in the output folder, and are not control
files.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

from devlog.model.composed import LONGEST, composed

DOT_NAMES = frozenset({".well-known", ".nojekyll", ".htaccess"})
"""The names with a leading dot that a site may publish. Others, above all ``.git``, would control tools."""

PREVIEW = "__devlog__"
"""The folder of the preview's own scripts, which no site may publish."""

_PLAIN = re.compile(r"[a-z0-9_-]{4,80}(?:\.[a-z0-9_-]{1,40})?")  # four letters or more: few device names, see below
# Eight segments of 121 bytes are shorter than the maximum length of a path.
_PLAIN_PATH = re.compile(rf"(?:{_PLAIN.pattern}/){{0,7}}{_PLAIN.pattern}")
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)")
"""The beginning of a name, in lower case, that Windows takes for the device in its group."""
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})  # controls, lone surrogates, line and paragraph separators
# Unicode's Default_Ignorable_Code_Point: HFS+, and ext4 in case-insensitive folders, ignore these in names.
IGNORED = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Ranges of characters that are not shown, such as those that choose a form of the letter before them."""
UNSEEN = re.compile(f"[{IGNORED}]")
_SEGMENT_BYTES = 200  # file systems allow 255, which leaves room for suffixes
_SEGMENTS = 32
_PATH_BYTES = 1000


def check_out_path(path: str) -> str:
    """Explain why a path cannot be published.

    Args:
        path: the path relative to the output folder, with ``/`` between segments.

    Returns:
        The reason, as the end of a sentence that begins with the path; empty if the path is valid.
    """
    if _is_plain_path(path):
        return ""
    if path.startswith("/"):
        return "is absolute"
    if composed(path) != path:
        return "is not in Unicode's composed form (NFC)"
    segments = path.split("/")
    for segment in segments:
        if not _is_plain(segment) and (reason := _check_segment(segment)):
            return reason
    if len(segments) > _SEGMENTS:
        return f"is more than {_SEGMENTS} folders deep"
    return f"is longer than {_PATH_BYTES} bytes" if len(path.encode()) > _PATH_BYTES else ""


def collision_key(path: str) -> str:
    """A key that is equal for two paths that some system treats as the same: it ignores letter case, Unicode
    normalization and invisible characters.
    """
    if _PLAIN_PATH.fullmatch(path) or len(path) > LONGEST:  # no system has paths that long
        return path
    # Case folding happens on the decomposed form: in “ᾶι”, it turns the iota below the letter into a letter, which
    # changes the order of the marks.
    return normalize("NFC", normalize("NFD", UNSEEN.sub("", path)).casefold())


_CONTROL = frozenset({".git", ".hg", ".svn", ".devlog"})
_SHORTENED = re.compile(r"(?:git|hg|svn|devlog)~[0-9]{1,6}")
"""What Windows calls such folders where it also keeps names of eight letters."""


def control_folder(path: str) -> str:
    """The first segment of a path that is a folder of version control or devlog's own one; empty if none is.

    These are no folders of a site: they have passwords and private files, and programs run what is in them. A segment
    is one if any system takes it for one: as in git itself, letter case and invisible characters do not count, nor do
    dots, spaces and the name of a stream at its end, and Windows also has short names.

    Args:
        path: a path in the form of any system.
    """
    return next((segment for segment in re.split(r"[\\/]", path) if _is_control(segment)), "")


def _is_control(segment: str) -> bool:
    name = collision_key(segment).partition(":")[0].rstrip(". ")
    return name in _CONTROL or _SHORTENED.fullmatch(name) is not None


def _is_plain_path(path: str) -> bool:
    """Whether all segments of a path have the common form that needs no further checks."""
    devices = path.startswith(("com", "lpt")) or "/com" in path or "/lpt" in path
    return bool(_PLAIN_PATH.fullmatch(path)) and not devices


def _is_plain(segment: str) -> bool:
    """Whether a segment has the common form that needs no further checks."""
    return bool(_PLAIN.fullmatch(segment)) and not segment.startswith(("com", "lpt"))


def _check_segment(segment: str) -> str:
    if any(category(character) in _UNPRINTABLE for character in segment):
        return "contains a control character"
    seen = UNSEEN.sub("", segment)
    checks = (
        (not segment, "has an empty segment"),
        (bool(segment) and not seen, "has a segment that cannot be seen"),
        (not seen.strip("."), "has a segment of dots only"),
        ("\\" in segment or ":" in segment, "contains “\\” or “:”"),
        (seen.endswith((".", " ")), "has a segment that ends in a dot or a space"),
        (seen.startswith(".") and segment not in DOT_NAMES, "has a segment that begins with a dot"),
        (bool(DEVICE.match(seen.casefold())), "has a segment that is a device name on Windows"),
        (seen.casefold() == "git~1", "has a segment that means “.git” on Windows"),
        (
            len(segment.encode(errors="replace")) > _SEGMENT_BYTES,
            f"has a segment over {_SEGMENT_BYTES} bytes",
        ),
    )
    return next((reason for wrong, reason in checks if wrong), "")


def markdown_path_of(place: str) -> str:
    """The location of the Markdown version of a page.

    Args:
        place: the permalink of a page, its URL, or its path below the output folder.

    Returns:
        A location of the same kind; empty if `place` is not that of an HTML page.
    """
    if place.endswith("/"):
        return f"{place}index.md"
    if place.endswith(".html"):
        return f"{place[:-5]}.md"
    return ""
