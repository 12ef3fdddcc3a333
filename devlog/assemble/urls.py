"""From posts to permalinks, and from permalinks to URLs and output paths."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from urllib.parse import quote, unquote

from devlog.config import Config
from devlog.model.document import Parsed
from devlog.model.slug import slug

_PLAIN = re.compile(r"[A-Za-z0-9/_.~-]*")
_PART = re.compile(r":[a-z]+")
_SLASHES = re.compile(r"/{2,}")


@lru_cache(maxsize=1024)  # few topics, of many posts
def topic_permalink(path: str) -> str:
    """The permalink of a topic or a folder: its path in lower case, underscores kept."""
    return "/" + "".join(f"{slug(part) or part}/" for part in path.split("/") if part)


def permalink(parsed: Parsed, title: str, topic: str, date: datetime | None, pattern: str) -> str:
    """Where a post is published.

    ``url`` in the front matter (or a ``slug`` with a leading slash) decides all of it, ``slug`` its last
    segment, `pattern` the rest.

    Returns:
        A path inside the site that starts with ``/``; it ends in ``/`` unless it names a file. It may still
        be unfit for the output folder: the plan checks that.
    """
    front_matter = parsed.front_matter
    if front_matter.url or front_matter.slug.startswith("/"):
        return _directory(unquote(front_matter.url or front_matter.slug))
    parts: dict[str, Callable[[], str]] = {  # most patterns name two of them
        ":topic": lambda: topic_permalink(topic).strip("/"),
        ":name": lambda: slug(parsed.name),
        ":slug": lambda: slug(parsed.name_slug) or slug(parsed.name),
        ":title": lambda: slug(title),
        ":year": lambda: f"{date.year:04d}" if date else "",
        ":month": lambda: f"{date.month:02d}" if date else "",
        ":day": lambda: f"{date.day:02d}" if date else "",
    }
    filled = _PART.sub(lambda found: parts[found[0]](), pattern)
    if front_matter.slug:
        head, _, last = filled.rstrip("/").rpartition("/")
        ending = "/" if filled.endswith("/") or "." not in last else "." + last.rpartition(".")[2]
        filled = f"{head}/{slug(front_matter.slug)}{ending}"
    return _directory(filled)


def _directory(path: str) -> str:
    """A permalink from a path as written: one leading slash, and a final one unless it names a file."""
    path = _SLASHES.sub("/", "/" + unicodedata.normalize("NFC", path.strip()))
    last = path.rpartition("/")[2]
    if last and not re.search(r"\.(?:html?|xml|json|txt)$", last, re.IGNORECASE):
        path += "/"
    return path.removesuffix("index.html") if path.endswith("/index.html") else path


def alias_permalink(alias: str, own: str, base_path: str) -> str:
    """The permalink of an alias: from the site's root when it starts with ``/``, else beside the page itself."""
    path = unquote(alias.partition("#")[0].partition("?")[0])
    if path.startswith(base_path):
        path = path[len(base_path) - 1 :]
    if not path.startswith("/"):
        parent = own.rstrip("/").rpartition("/")[0]
        path = posixpath.normpath(f"/{parent}/{path}")
    return _directory(path)


def output_path(link: str) -> str:
    """The file, relative to the output folder, that answers for a permalink."""
    return link[1:] + ("index.html" if link.endswith("/") else "")


def url(config: Config, link: str) -> str:
    """A permalink as pages link to it: percent-encoded, under the site's base path."""
    rest = link[1:]
    return config.base_path + (rest if _PLAIN.fullmatch(rest) else quote(rest, safe="/~!$&'()*,;=:@+"))
