"""Parses the authors file, ``content/authors.yml``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from devlog.config import AuthorEntry, is_address, shown_address
from devlog.config_file import problems as config_problems
from devlog.model.closest import is_slip
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.secrets import shortened
from devlog.parse.front_matter import problems
from devlog.parse.front_matter.invisible import without_invisible
from devlog.parse.front_matter.tree import Entry, Mapping, Node, Scalar, Sequence
from devlog.parse.front_matter.values import LONGEST, LONGEST_TEXT, boolean_of, too_long
from devlog.parse.front_matter.yaml_events import read_yaml

_KNOWN = AuthorEntry.__struct_fields__
# Keys in authors files of other generators; devlog's own names take precedence.
SPELLINGS = {
    "display_name": "name",
    "web": "url",
    "website": "url",
    "homepage": "url",
    "uri": "url",
    "link": "url",
    "picture": "avatar",
    "photo": "avatar",
    "image": "avatar",
    "org": "affiliation",
    "company": "affiliation",
}
_LIMITS = {
    "name": LONGEST,
    "affiliation": LONGEST,
    "title": LONGEST,
    "bio": LONGEST_TEXT,
    "url": LONGEST,
    "avatar": LONGEST,
    "image_url": LONGEST,
}
"""The maximum lengths of values that other pages repeat, including avatars, which bylines show."""
_ACCOUNT = re.compile(r"[A-Za-z0-9_-]{1,39}")
_PROFILES = {"github": "https://github.com/", "twitter": "https://twitter.com/"}
_FOREIGN = frozenset({*SPELLINGS, *_PROFILES})


class AuthorsFile(msgspec.Struct, frozen=True):
    """The contents of an authors file.

    Attributes:
        authors: the entries by handle.
        pictures: the spans of the avatars by handle.
        diagnostics: the problems found.
    """

    authors: dict[str, AuthorEntry]
    pictures: dict[str, Span]
    diagnostics: tuple[Diagnostic, ...]


def read_authors_file(text: str, file: str) -> AuthorsFile:
    """Parse an authors file: a mapping of handles to the data of each author.

    Args:
        text: the text of the file.
        file: the file's name in messages.

    Returns:
        Its contents. Unknown keys are ignored, since authors files of other generators have many, but misspelled ones
        are reported.
    """
    tree, diagnostics = read_yaml(text, file, 1)
    found: dict[str, AuthorEntry] = {}
    pictures: dict[str, Span] = {}
    wrong = list(diagnostics)
    if not isinstance(tree, Mapping):
        if tree is not None:
            wrong.append(problems.bad_authors_file(Span(file, 1)))
        return AuthorsFile(found, pictures, tuple(wrong))
    cleaned, invisible = without_invisible(tree, "the authors file")
    wrong += invisible
    for entry in cleaned.entries if isinstance(cleaned, Mapping) else ():
        if isinstance(entry.value, Mapping):
            found[entry.key.text] = author = _author(entry.value, wrong)
            for key, limit in _LIMITS.items():
                wrong += too_long(key, len(getattr(author, key)), entry.key.span, limit)
            picture = _picture(entry.value, author)
            if picture:
                pictures[entry.key.text] = picture
        else:
            wrong.append(problems.bad_authors_file(entry.key.span))
    return AuthorsFile(found, pictures, tuple(wrong))


def _picture(mapping: Mapping, author: AuthorEntry) -> Span | None:
    """The span of the avatar of an author that is used; `None` if there is none."""
    for entry in mapping.entries:
        value = entry.value
        names = {entry.key.text, SPELLINGS.get(entry.key.text, "")} & {"avatar", "image_url"}
        if names and isinstance(value, Scalar) and value.text == (author.avatar or author.image_url):
            return value.span
    return None


def _author(mapping: Mapping, wrong: list[Diagnostic]) -> AuthorEntry:
    values: dict[str, Any] = {}
    for entry in mapping.entries:
        key = entry.key.text
        if key == "links":
            values["links"] = dict(_links(entry, wrong))
        elif key in _KNOWN:
            values.update(_value(entry, wrong))
        elif key not in _FOREIGN and (meant := next((name for name in _KNOWN if is_slip(key, name)), "")):
            wrong.append(problems.unknown_key(entry.key.span, key, meant, where="the authors file"))
    for entry in mapping.entries:
        key, value = entry.key.text, entry.value
        if not isinstance(value, Scalar) or value.is_null:
            continue
        if key in SPELLINGS and (SPELLINGS[key] != "url" or _is_url(value, wrong)):
            values.setdefault(SPELLINGS[key], value.text)
        elif key in _PROFILES and _ACCOUNT.fullmatch(value.text.removeprefix("@")):
            values.setdefault("url", _PROFILES[key] + value.text.removeprefix("@"))
    return msgspec.convert(values, AuthorEntry, strict=False)


def _value(entry: Entry, wrong: list[Diagnostic]) -> dict[str, Any]:
    """The value of a key that devlog knows; nothing if it is of the wrong kind, which is reported."""
    key, value = entry.key.text, entry.value
    if key == "aliases":
        items = value.items if isinstance(value, Sequence) else (value,)
        wrong += [
            problems.bad_value(item.span, key, "a list of strings") for item in items if not isinstance(item, Scalar)
        ]
        return {key: tuple(item.text for item in items if isinstance(item, Scalar) and not item.is_null)}
    if isinstance(value, Scalar) and (value.is_null or not value.text):
        return {}
    if key == "team":
        is_team = boolean_of(entry)
        if isinstance(is_team, bool):
            return {key: is_team}
        wrong.append(is_team)
        return {}
    if not isinstance(value, Scalar):
        wrong.append(problems.bad_value(_place(entry), key, "a string"))
        return {}
    return {} if key == "url" and not _is_url(value, wrong) else {key: value.text}


def _place(entry: Entry) -> Span:
    return entry.value.span if entry.value.span.length else entry.key.span


def _is_url(value: Scalar, wrong: list[Diagnostic]) -> bool:
    """Whether a value can be linked; if it cannot, it is reported."""
    if is_address(value.text) or len(value.text) > LONGEST:  # its length is reported
        return True
    shown = shortened(" ".join(value.text.split()), 60)
    wrong.append(config_problems.bad_author_link(value.span, shown, titled=False))
    return False


_TITLE_KEYS = ("title", "name", "label", "text")
_ADDRESS_KEYS = ("url", "href", "link")


def _links(entry: Entry, wrong: list[Diagnostic]) -> Iterator[tuple[str, str]]:
    """The titles and URLs of an author's links, from a mapping, or a list of URLs or mappings."""
    value = entry.value
    if isinstance(value, Mapping):
        found: list[tuple[str, Node | None, Span]] = [
            (item.key.text, item.value, item.key.span) for item in value.entries
        ]
    elif isinstance(value, Sequence):
        found = [_listed(item) for item in value.items]
    else:
        found = [] if value.is_null else [("", value, value.span)]
    for title, address, span in found:
        if isinstance(address, Scalar) and is_address(address.text):
            yield title.strip() or shown_address(address.text), address.text
        else:
            shown = address.text if isinstance(address, Scalar) else ""
            place = address.span if address and address.span.length else span
            wrong.append(config_problems.bad_author_link(place, shortened(" ".join(shown.split()), 60)))


def _listed(item: Node) -> tuple[str, Node | None, Span]:
    """The title, the URL and the span of one link in a list."""
    if not isinstance(item, Mapping):
        return "", item, item.span
    if len(item.entries) == 1 and item.entries[0].key.text not in _ADDRESS_KEYS:
        only = item.entries[0]
        return only.key.text, only.value, only.key.span
    title = next((value for key in _TITLE_KEYS if isinstance(value := item.get(key), Scalar)), None)
    address = next((value for key in _ADDRESS_KEYS if (value := item.get(key))), None)
    return title.text if title else "", address, item.entries[0].key.span if item.entries else item.span
