"""What a text is and where it belongs, by the folder it lies in: each generator has its own layout."""

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
"""The folders in which Jekyll looks for posts, at the top or in any other folder."""


class Seat(msgspec.Struct, frozen=True):
    """Where a text belongs.

    Attributes:
        kind: a post, a plain page, or what its date makes of it.
        topic: the path of its topic; of a plain page, its folder.
        categories: in order.
        draft: whether it lies among drafts.
        reason: why it is left out, in words for the writer; empty when it is not.
        spelling: of the topic, where a category names it and no folder.
        collection: the folder of Jekyll's collection that it lies in.
    """

    kind: Kind
    topic: str
    categories: tuple[str, ...] = ()
    draft: bool = False
    reason: str = ""
    spelling: str = ""
    collection: str = ""


def seat(parsed: Parsed, bundles: set[str], dialect: Dialect, collections: Iterable[str] = ()) -> Seat:
    """Where a text belongs.

    Args:
        parsed: the text.
        bundles: the folders that are posts with files beside them.
        dialect: of the site.
        collections: the folders of Jekyll's collections.
    """
    named = tuple(category.name for category in parsed.front_matter.categories)
    folder = posixpath.dirname(parsed.path)
    if dialect.underscored:
        own = next((name for name in collections if f"{folder}/".startswith(f"{name}/")), "")
        if own:
            return Seat("page", folder[len(own) + 1 :], named, collection=own)
        return _in_jekyll(parsed, folder, named)
    return Seat("text", posixpath.dirname(folder) if folder in bundles else folder, named)


def _in_jekyll(parsed: Parsed, folder: str, named: tuple[str, ...]) -> Seat:
    parts = folder.split("/")
    at = next((place for place, part in enumerate(parts) if part in (POSTS, DRAFTS)), -1)
    if at < 0:
        return Seat("page", folder, named)
    above = parts[:at]
    spelt: dict[str, str] = {}
    for name in (*above, *named):
        spelt.setdefault(name.lower(), name)
    categories = tuple(spelt.values())
    topic = "/".join(above) or (slug(categories[0]) if categories else "")
    spelling = "" if above or not topic else categories[0]
    draft = parts[at] == DRAFTS
    undated = not draft and parsed.name_date is None
    reason = "its name does not begin with a date, and so Jekyll leaves it out" if undated else ""
    return Seat("post", topic, categories, draft, reason, spelling)


def bundles_of(paths: list[str], dialect: Dialect) -> set[str]:
    """The folders that are posts with files beside them: those with an ``index`` of their own."""
    if not dialect.bundles:
        return set()
    return {
        posixpath.dirname(path)
        for path in paths
        if "/index." in path and posixpath.basename(path).rpartition(".")[0] == "index"
    }


def name_of(parsed: Parsed, dialect: Dialect) -> tuple[str, str]:
    """The name of a text with its date and without."""
    if dialect.at_in_names:
        name = parsed.name.partition("@")[0]
        return name, parsed.name_slug.partition("@")[0] if _ZOLA_DATE.match(name) else name
    return parsed.name, parsed.name_slug


_ZOLA_DATE = re.compile(r"\d{4}-\d\d-\d\d\s?[_-]")


def is_index_page(parsed: Parsed, dialect: Dialect) -> bool:
    """Whether a text is the page of its folder, as Jekyll has them."""
    return not dialect.bundles and posixpath.basename(parsed.path).rpartition(".")[0] == "index"


_STYLES = {
    "date": "/:categories/:year/:month/:day/:slug.html",
    "pretty": "/:categories/:year/:month/:day/:slug/",
    "none": "/:categories/:slug.html",
}
_TOKENS = {":title": ":slug", ":output_ext": ".html", ":slugified_categories": ":categories", ":basename": ":name"}


def own_pattern(front_matter: FrontMatter) -> str:
    """The pattern of URLs that a text of Jekyll has for itself, in devlog's placeholders; empty when it has none."""
    if '"permalink":' not in front_matter.params:
        return ""
    written = msgspec.json.decode(front_matter.params)["permalink"]
    if not isinstance(written, str) or ":" not in _STYLES.get(written, written):
        return ""
    pattern = re.sub(r":[a-z_]+", lambda found: _TOKENS.get(found[0], found[0]), _STYLES.get(written, written))
    good = all(token in PLACEHOLDERS for token in re.findall(r":[a-z_]+", pattern))
    return "/" + pattern.lstrip("/") if good else ""


def collections_of(config: Config) -> tuple[str, ...]:
    """The folders of Jekyll's collections: those whose names begin with ``_`` and that have a pattern of URLs."""
    if not config.conventions.underscored:
        return ()
    folders = sorted(topic.strip("/") for topic in config.permalinks.topics)
    return tuple(
        path for path in folders if path.rpartition("/")[2].startswith("_") and not in_jekyll_folder(f"{path}/")
    )


def in_jekyll_folder(path: str) -> bool:
    """Whether a text lies where Jekyll looks for posts."""
    return not {POSTS, DRAFTS}.isdisjoint(path.split("/")[:-1])


def file_in_collection(path: str, patterns: Mapping[str, str]) -> str:
    """Where Jekyll publishes a file that is no text and lies in a collection; empty for any other.

    Args:
        path: of the file.
        patterns: of the URLs of collections, by folder.
    """
    own = next((folder for folder in patterns if path.startswith(f"{folder}/")), "")
    if not own:
        return ""
    stem, ending = posixpath.splitext(path[len(own) + 1 :])
    if ":topic/:name" in patterns[own]:
        return patterns[own].replace(":topic/:name", stem).removesuffix(".html").rstrip("/") + ending
    return f"/{own.rpartition('/')[2].lstrip('_')}/{stem}{ending}"


def without_special_folders(path: str) -> str:
    """A path without the folders that Jekyll's URLs do not show."""
    folder, _, name = path.rpartition("/")
    return "/".join([*(part for part in folder.split("/") if part not in (POSTS, DRAFTS, "")), name])
