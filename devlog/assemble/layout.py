"""What a text is and where it belongs, by the folder it lies in: each generator has its own layout."""

from __future__ import annotations

import posixpath
import re
from typing import Literal

import msgspec

from devlog.config import PLACEHOLDERS
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
    """

    kind: Kind
    topic: str
    categories: tuple[str, ...] = ()
    draft: bool = False
    reason: str = ""
    spelling: str = ""


def seat(parsed: Parsed, bundles: set[str], dialect: str) -> Seat:
    """Where a text belongs.

    Args:
        parsed: the text.
        bundles: the folders that are posts with files beside them.
        dialect: of the site.
    """
    named = tuple(category.name for category in parsed.front_matter.categories)
    folder = posixpath.dirname(parsed.path)
    if dialect == "jekyll":
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


def bundles_of(paths: list[str], dialect: str) -> set[str]:
    """The folders that are posts with files beside them: those with an ``index`` of their own."""
    if dialect == "jekyll":  # there it is the page of its folder
        return set()
    return {
        posixpath.dirname(path)
        for path in paths
        if "/index." in path and posixpath.basename(path).rpartition(".")[0] == "index"
    }


def name_of(parsed: Parsed, dialect: str) -> tuple[str, str]:
    """The name of a text with its date and without; what stands behind an ``@`` is no part of it in Zola."""
    if dialect == "zola":
        return parsed.name.partition("@")[0], parsed.name_slug.partition("@")[0]
    return parsed.name, parsed.name_slug


def is_index_page(parsed: Parsed, dialect: str) -> bool:
    """Whether a text is the page of its folder, as Jekyll has them."""
    return dialect == "jekyll" and posixpath.basename(parsed.path).rpartition(".")[0] == "index"


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


def in_jekyll_folder(path: str) -> bool:
    """Whether a text lies where Jekyll looks for posts."""
    return not {POSTS, DRAFTS}.isdisjoint(path.split("/")[:-1])


def without_special_folders(path: str) -> str:
    """A path without the folders that Jekyll's URLs do not show."""
    folder, _, name = path.rpartition("/")
    return "/".join([*(part for part in folder.split("/") if part not in (POSTS, DRAFTS, "")), name])
