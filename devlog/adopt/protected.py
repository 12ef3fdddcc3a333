"""Finds posts that themes and plugins of the old generator encrypt: in devlog, all could read them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from devlog.adopt.adoption import Draft
from devlog.adopt.common import as_patterns
from devlog.adopt.foreign import EMPTY, Found, get, read_head
from devlog.adopt.ignoring import WITH_NOTEBOOKS, content_of, ignore, is_off
from devlog.adopt.metadata import described, metadata
from devlog.adopt.mkdocs import named
from devlog.adopt.survey import NOTEBOOK, Survey
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.tree import Mapping

_PASSWORD = "password"  # noqa: S105 - the name of a key
_PATHS = ((_PASSWORD,), ("params", _PASSWORD), ("extra", _PASSWORD))
_KEYS = {"MkDocs": ("use_secret", "level"), "VuePress": ("keys", "passwords")}
"""Other keys of front matter with which a post is encrypted, by generator."""
_ENCRYPTED = re.compile(r"\{\{[<%][ \t]*[\w/-]*encrypt")
"""The beginning of a shortcode of Hugo that encrypts what is inside."""
_PLUGIN = "encryptcontent"
_WITH_FOLDERS = frozenset({"Hugo", "Zola"})
"""The generators where a folder with an ``index`` is one post."""
_WITH_METADATA = frozenset({"Nikola or Sphinx", "Pelican"})
"""The generators whose posts may have metadata that are not front matter."""


def by_password(draft: Draft, survey: Survey, generator: str) -> None:
    """Ignore the posts with a password, and report each.

    Args:
        draft: receives the setting and the notes.
        survey: the files of the site.
        generator: the name of the generator.
    """
    content = content_of(draft)
    everywhere = _everywhere(draft) if generator == "MkDocs" else None
    found: list[tuple[Found, Iterable[str]]] = []
    for file in survey.below(content, WITH_NOTEBOOKS):
        head = read_head(survey, file)
        key = _key(head, generator)
        if not key and generator == "Hugo" and (shortcode := _ENCRYPTED.search(text := survey.head(file))):
            key = Found(shortcode[0], Span(file, text.count("\n", 0, shortcode.start()) + 1), EMPTY)
        if not key and not get(head, (_PASSWORD,)):
            key = everywhere
        if key:
            folder, name = posixpath.split(file)
            is_whole = generator in _WITH_FOLDERS and folder != content and name.startswith("index.")
            found.append((key, as_patterns((folder if is_whole else file,), content)))
    if generator in _WITH_METADATA:
        found.extend(_in_metadata(survey, content))
    ignore(draft, _merged(found))


def _in_metadata(survey: Survey, content: str) -> Iterator[tuple[Found, Iterable[str]]]:
    """The passwords that are not in front matter, but in lines above a text, beside it, or in elements."""
    for file, sources in described(survey, content):
        items = metadata(survey, file) if not file.endswith(NOTEBOOK) else ()
        keys = (item for item in items if item.name == _PASSWORD and item.value and not item.is_read)
        if item := next(keys, None):
            # What opens a post is nothing to show in a report.
            yield item.found._replace(key=_PASSWORD), as_patterns(sources, content)


def _key(head: Mapping, generator: str) -> Found | None:
    """The key because of which a post is encrypted, or has no page."""
    paths = (*_PATHS, *((name,) for name in _KEYS.get(generator, ())))
    keys = (get(head, path) for path in paths)
    if generator == "VuePress" and (key := get(head, ("publish",))) and is_off(key):
        return key
    return next((key for key in keys if key and (key.text or key.texts)), None)


def _everywhere(draft: Draft) -> Found | None:
    """The option with which a plugin of MkDocs encrypts all pages that do not say otherwise."""
    for name, options in named(draft.peek("plugins")):
        key = get(options.node, ("global_password",)) if name == _PLUGIN else None
        if key:
            return key._replace(key=f"{options.key}: {key.key}")
    return None


def _merged(found: list[tuple[Found, Iterable[str]]]) -> list[tuple[Found, Iterable[str]]]:
    """The keys, each once, with all that is ignored because of it."""
    patterns: dict[int, tuple[Found, list[str]]] = {}
    for key, own in found:
        patterns.setdefault(id(key), (key, []))[1].extend(own)
    return list(patterns.values())
