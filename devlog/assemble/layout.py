"""Decides what a source is and which topic it belongs to, by its folder. Each generator has its own layout."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from devlog.config import PLACEHOLDERS, Config
from devlog.model.dialect import Dialect
from devlog.model.document import FrontMatter, Parsed
from devlog.model.slug import slug

Kind = Literal["post", "page", "text"]

POSTS, DRAFTS = "_posts", "_drafts"
"""The folders in which Jekyll looks for posts, at the root or in any other folder."""


class Placement(msgspec.Struct, frozen=True):
    """The place of a source in the site.

    Attributes:
        kind: ``post``, ``page`` for a plain page, or ``text`` if its date decides between the two.
        topic: the path of its topic; for a plain page, its folder.
        categories: its categories, in order.
        draft: whether it is in a folder of drafts.
        reason: why it is left out, in words for its author; empty if it is not.
        spelling: the name of the topic as written, if a category names the topic and no folder does.
        collection: the folder of the Jekyll collection that contains it.
    """

    kind: Kind
    topic: str
    categories: tuple[str, ...] = ()
    draft: bool = False
    reason: str = ""
    spelling: str = ""
    collection: str = ""


def seat(parsed: Parsed, bundles: set[str], dialect: Dialect, collections: Iterable[str] = ()) -> Placement:
    """Find the place of a source in the site.

    Args:
        parsed: the source.
        bundles: the folders that are one post with files beside it.
        dialect: the dialect of the site.
        collections: the folders of Jekyll collections.
    """
    named = tuple(category.name for category in parsed.front_matter.categories)
    folder = posixpath.dirname(parsed.path)
    if dialect.underscored:
        own = next((name for name in collections if f"{folder}/".startswith(f"{name}/")), "")
        if own:
            return Placement("page", folder[len(own) + 1 :], named, in_drafts(parsed.path), collection=own)
        return _in_jekyll(parsed, folder, named)
    return Placement("text", posixpath.dirname(folder) if folder in bundles else folder, named)


def _in_jekyll(parsed: Parsed, folder: str, named: tuple[str, ...]) -> Placement:
    parts = folder.split("/")
    at = next((place for place, part in enumerate(parts) if part in (POSTS, DRAFTS)), -1)
    if at < 0:
        return Placement("page", folder, named)
    above = parts[:at]
    spelt: dict[str, str] = {}
    for name in (*above, *named):
        spelt.setdefault(name.lower(), name)
    categories = tuple(spelt.values())
    topic = "/".join(above) or (slug(categories[0]) if categories else "")
    spelling = "" if above or not topic else categories[0]
    draft = DRAFTS in parts
    undated = not draft and parsed.name_date is None
    reason = "its name does not begin with a date, and so Jekyll leaves it out" if undated else ""
    return Placement("post", topic, categories, draft, reason, spelling)


def bundles_of(paths: list[str], dialect: Dialect) -> set[str]:
    """The folders that are one post with files beside it: those with an ``index`` file."""
    if not dialect.bundles:
        return set()
    return {
        posixpath.dirname(path)
        for path in paths
        if "/index." in path and posixpath.basename(path).rpartition(".")[0] == "index"
    }


_PREFERRED = (".md", ".markdown", ".html", ".htm")


def homes_of(sources: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The permalink of the ``index`` of each folder, given the paths and permalinks of sources."""
    found: dict[str, tuple[int, str]] = {}
    for path, link in sources:
        folder, _, name = path.rpartition("/")
        stem, ending = posixpath.splitext(name)
        if stem == "index":
            rank = _PREFERRED.index(ending) if ending in _PREFERRED else len(_PREFERRED)
            found[folder] = min(found.get(folder, (rank, link)), (rank, link))
    return {folder: link for folder, (_, link) in found.items()}


def name_of(parsed: Parsed, dialect: Dialect) -> tuple[str, str]:
    """The name of a source, with its date and without."""
    if dialect.at_in_names:
        name = parsed.name.partition("@")[0]
        return name, parsed.name_slug.partition("@")[0] if _ZOLA_DATE.match(name) else name
    return parsed.name, parsed.name_slug


_ZOLA_DATE = re.compile(r"\d{4}-\d\d-\d\d\s?[_-]")


def is_index_page(parsed: Parsed, dialect: Dialect) -> bool:
    """Whether a source is the index page of its folder, as in Jekyll."""
    return not dialect.bundles and posixpath.basename(parsed.path).rpartition(".")[0] == "index"


_STYLES = {
    "date": "/:categories/:year/:month/:day/:slug.html",
    "pretty": "/:categories/:year/:month/:day/:slug/",
    "none": "/:categories/:slug.html",
}
_TOKENS = {":title": ":slug", ":output_ext": ".html", ":slugified_categories": ":categories", ":basename": ":name"}


def own_pattern(front_matter: FrontMatter) -> str:
    """The URL pattern in the front matter of a Jekyll source, with devlog's placeholders; empty if there is none."""
    if '"permalink":' not in front_matter.params:
        return ""
    written = msgspec.json.decode(front_matter.params).get("permalink")
    if not isinstance(written, str) or ":" not in _STYLES.get(written, written):
        return ""
    pattern = re.sub(r":[a-z_]+", lambda found: _TOKENS.get(found[0], found[0]), _STYLES.get(written, written))
    good = all(token in PLACEHOLDERS for token in re.findall(r":[a-z_]+", pattern))
    return "/" + pattern.lstrip("/") if good else ""


def collections_of(config: Config) -> tuple[str, ...]:
    """The folders of Jekyll collections: those whose names begin with ``_`` and that have a URL pattern."""
    if not config.conventions.underscored:
        return ()
    folders = sorted(topic.strip("/") for topic in config.permalinks.topics)
    return tuple(
        path for path in folders if path.rpartition("/")[2].startswith("_") and not in_jekyll_folder(f"{path}/")
    )


def in_jekyll_folder(path: str) -> bool:
    """Whether a source is in a folder where Jekyll looks for posts."""
    return not {POSTS, DRAFTS}.isdisjoint(path.split("/")[:-1])


def in_drafts(path: str) -> bool:
    """Whether a file is in one of Jekyll's folders of drafts, wherever that is: also among posts, or in a collection.

    Jekyll itself publishes no file there but posts, and these only in builds with drafts.
    """
    return DRAFTS in path.split("/")[:-1]


def file_in_collection(path: str, patterns: Mapping[str, str]) -> str:
    """Where Jekyll publishes a file of a collection that is not a source of a page; empty for other files.

    Args:
        path: the path of the file.
        patterns: the URL patterns of collections, by folder.
    """
    own = next((folder for folder in patterns if path.startswith(f"{folder}/")), "")
    if not own:
        return ""
    stem, ending = posixpath.splitext(path[len(own) + 1 :])
    if ":topic/:name" in patterns[own]:
        return patterns[own].replace(":topic/:name", stem).removesuffix(".html").rstrip("/") + ending
    return f"/{own.rpartition('/')[2].lstrip('_')}/{stem}{ending}"


def without_special_folders(path: str) -> str:
    """A path without the folders that do not appear in Jekyll's URLs."""
    folder, _, name = path.rpartition("/")
    return "/".join([*(part for part in folder.split("/") if part not in (POSTS, DRAFTS, "")), name])
