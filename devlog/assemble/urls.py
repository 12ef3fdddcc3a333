"""Turns posts into permalinks, and permalinks into URLs and output paths."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from datetime import datetime
from urllib.parse import quote, unquote

import msgspec

from devlog.config import Config
from devlog.model.composed import composed
from devlog.model.diagnostic import Span
from devlog.model.document import FrontMatter
from devlog.model.short_texts import cache_of_short
from devlog.model.site import Post
from devlog.model.slug import slug, slug_in_ascii, slug_of_file, slug_of_key, slug_of_title
from devlog.model.urls import decoded

_PLAIN = re.compile(r"[A-Za-z0-9/_.~-]*")
_PART = re.compile(r":[a-z_]+")
_SLASHES = re.compile(r"/{2,}")
_FILE = re.compile(r"\.(?:html?|xml|json|txt)$", re.IGNORECASE)


@cache_of_short(1024)  # many posts share few topics
def topic_permalink(path: str) -> str:
    """The permalink of a topic or a folder: its path in lower case, underscores kept."""
    return "/" + "".join(f"{slug(part) or part}/" for part in path.split("/") if part)


class Naming(msgspec.Struct, frozen=True):
    """How names become segments of URLs, which differs between generators.

    Attributes:
        file: converts names of files.
        key: converts values of the key ``slug``.
        title: converts titles.
        category: converts categories.
        tag: converts tags.
    """

    file: Callable[[str], str] = slug
    key: Callable[[str], str] = slug_of_key
    title: Callable[[str], str] = slug_of_title
    category: Callable[[str], str] = slug
    tag: Callable[[str], str] = slug


NAMINGS = {
    "devlog": Naming(),
    "jekyll": Naming(slug_of_file, slug_of_file, slug_of_title, str.lower),
    "zola": Naming(slug_in_ascii, slug_in_ascii, slug_in_ascii, slug_in_ascii, slug_in_ascii),
}
"""The naming of each dialect."""

VERBATIM = Naming(str, str, slug_of_title, str.lower)
"""The naming of plain pages in Jekyll."""


class Address(msgspec.Struct, frozen=True):
    """The parts from which the URL of a source is built.

    Attributes:
        pattern: the URL pattern with placeholders.
        topic: the permalink of the topic or the folder.
        name: the name of the file, without its extension.
        name_slug: the same without its date.
        title: the title of the source.
        date: the date of the source.
        categories: the categories of the source.
        naming: how names become segments.
        ending: appended to a path that does not name a file.
    """

    pattern: str
    topic: str
    name: str
    name_slug: str
    title: str
    date: datetime | None
    categories: tuple[str, ...] = ()
    naming: Naming = NAMINGS["devlog"]
    ending: str = "/"


def _dated(form: str) -> Callable[[Address], str]:
    return lambda address: form.format(address.date) if address.date else ""


_PARTS: dict[str, Callable[[Address], str]] = {
    ":topic": lambda address: address.topic.strip("/"),
    ":section": lambda address: address.topic.strip("/").partition("/")[0],
    ":categories": lambda address: "/".join(filter(None, map(address.naming.category, address.categories))),
    ":name": lambda address: address.naming.file(address.name),
    ":slug": lambda address: address.naming.file(address.name_slug) or address.naming.file(address.name),
    ":title": lambda address: address.naming.title(address.title),
    ":year": _dated("{0.year:04d}"),
    ":month": _dated("{0.month:02d}"),
    ":day": _dated("{0.day:02d}"),
    ":i_month": _dated("{0.month}"),
    ":i_day": _dated("{0.day}"),
}
"""The values of the placeholders of patterns."""


def permalink(front_matter: FrontMatter, address: Address) -> str:
    """The permalink of a post.

    ``url`` in the front matter (or a ``slug`` with a leading slash) sets the whole permalink; ``slug`` sets its last
    segment, and the pattern the rest.

    Returns:
        A path inside the site that starts with ``/``; it ends in ``/`` unless it names a file. It may still
        be invalid as a path in the output folder; the plan checks that.
    """
    if front_matter.url or front_matter.slug.startswith("/"):
        return _directory(unquote(front_matter.url or front_matter.slug), address.ending)
    filled = _PART.sub(lambda found: _PARTS[found[0]](address), address.pattern)
    own = address.naming.key(front_matter.slug) if front_matter.slug else ""
    if own:
        head, _, last = filled.rstrip("/").rpartition("/")
        ending = "/" if filled.endswith("/") or "." not in last else "." + last.rpartition(".")[2]
        filled = f"{head}/{own}{ending}"
    return _directory(filled, address.ending)


def _directory(path: str, ending: str = "/") -> str:
    """A permalink from a path as written, with one leading slash; `ending` is appended unless the path names a file."""
    path = _SLASHES.sub("/", "/" + composed(path.strip()))
    last = path.rpartition("/")[2]
    if last and not _FILE.search(last):
        path += ending
    return path.removesuffix("index.html") if path.endswith("/index.html") else path


def alias_permalink(alias: str, own: str, base_path: str, *, from_root: bool = False, ending: str = "/") -> str:
    """The permalink of an alias.

    Args:
        alias: as written.
        own: the permalink of the page; an alias without a leading slash is relative to it.
        base_path: the base path of the site.
        from_root: whether such an alias is relative to the site's root instead.
        ending: appended to a path that does not name a file.
    """
    path, base = decoded(alias.partition("#")[0].partition("?")[0]), decoded(base_path)
    if path.startswith(base):
        path = path[len(base) - 1 :]
    if not path.startswith("/"):
        parent = "" if from_root else own.rstrip("/").rpartition("/")[0]
        path = posixpath.normpath(f"/{parent}/{path}") + ("/" if path.endswith("/") else "")
    return _directory(path, ending)


def output_path(link: str) -> str:
    """The file for a permalink, relative to the output folder."""
    return link[1:] + ("index.html" if link.endswith("/") else "")


def url(config: Config, link: str) -> str:
    """The URL of a permalink as pages link to it: percent-encoded, under the site's base path."""
    rest = link[1:]
    return config.base_path + (rest if _PLAIN.fullmatch(rest) else quote(rest, safe="/~!$&'()*,;=:@+"))


def span_of(post: Post) -> Span:
    """The position of what sets a post's URL, for messages about it."""
    front_matter = post.parsed.front_matter
    spans = dict(front_matter.spans) if front_matter.url or front_matter.slug else {}
    return spans.get("url") or spans.get("slug") or Span(post.parsed.file)
