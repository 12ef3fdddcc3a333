"""The result of an import: settings for ``devlog.toml``, and what happened to each key of the old configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping as Table

import msgspec

from devlog.adopt.foreign import Found, Path, get, leaves, spans_in
from devlog.model.diagnostic import Span
from devlog.model.language import language_tag, likely_tag
from devlog.parse.front_matter.tree import Mapping, Scalar

REFUSED = re.compile("[\x00\ud800-\udfff]")
"""Unpaired surrogates, which UTF-8 cannot encode, and the null character, which a configuration must not contain."""

Value = str | int | bool | tuple[str, ...]

_NO_EFFECT = "its value changes nothing in devlog.toml"


class Setting(msgspec.Struct, frozen=True):
    """A setting: the path of its key in ``devlog.toml``, its value, and a comment on its origin.

    Paths of keys in a list of tables contain the index of the table: ``("menu", 0, "name")``.
    """

    path: tuple[str | int, ...]
    value: Value
    comment: str

    @property
    def key(self) -> str:
        """The dotted path, without indices."""
        return ".".join(part for part in self.path if isinstance(part, str))


class Note(msgspec.Struct, frozen=True):
    """A remark about a key of the old configuration, or about the site."""

    span: Span
    key: str
    text: str


class Adoption(msgspec.Struct, frozen=True):
    """The converted configuration of a site.

    Attributes:
        generator: the name of the old generator.
        files: the configuration files that were read.
        settings: the settings for ``devlog.toml``.
        mapped: the keys that became settings.
        unmapped: the keys that did not, with the reason.
        advice: remarks for the site's owner.
    """

    generator: str
    files: tuple[str, ...]
    settings: tuple[Setting, ...]
    mapped: tuple[Note, ...] = ()
    unmapped: tuple[Note, ...] = ()
    advice: tuple[Note, ...] = ()


class Draft:
    """A builder of an `Adoption`, which takes keys from the old configuration one after the other."""

    def __init__(self, generator: str, files: tuple[str, ...], tree: Mapping) -> None:
        """
        Args:
            generator: the name of the old generator.
            files: the configuration files that were read.
            tree: the keys in these files.
        """
        self._generator = generator
        self._files = files
        self._tree = tree
        self._settings: dict[tuple[str | int, ...], Setting] = {}
        self._tables: set[tuple[str | int, ...]] = set()
        self._mapped: list[Note] = []
        self._unmapped: list[Note] = []
        self._advice: list[Note] = []
        self._taken: list[Path] = []

    def take(self, *path: str) -> Found | None:
        """The value of a key, for which the caller has a use; `None` if it is not set.

        If nothing is noted about it, as about a value of an unexpected kind, the report says that it changes nothing.
        """
        found = get(self._tree, path)
        if found is not None:
            self._taken.append(tuple(part.lower() for part in path))
        return found

    def put(
        self, path: tuple[str | int, ...] | str, value: Value, found: Found | None = None, comment: str = ""
    ) -> None:
        """Set a key of ``devlog.toml``, unless it, its table or a key in it is already set.

        Args:
            path: the path of the key.
            value: its value.
            found: the old key from which the value comes.
            comment: another reason for the value.
        """
        path = (path,) if isinstance(path, str) else path
        if isinstance(value, tuple) and any(map(REFUSED.search, value)):  # without it, a pattern could match anything
            value = tuple(item for item in value if not REFUSED.search(item))
            if found:
                self.leave(found, "it has a character that a configuration must not contain")
        tables = [path[:end] for end in range(1, len(path))]
        if path in self._settings or path in self._tables or not self._settings.keys().isdisjoint(tables):
            return
        self._tables.update(tables)
        origin = f"{found.key}, {found.span.path}:{found.span.line}" if found else ""
        setting = Setting(path, value, "; ".join(part for part in (origin, comment) if part))
        self._settings[path] = setting
        if found:
            self._mapped.append(Note(found.span, found.key, f"{setting.key} = {shown(value)}"))

    def text(self, key: str, *paths: Path) -> None:
        """Set `key` to the value of the first of several old keys that is a non-empty string."""
        for path in paths:
            found = self.take(*path)
            if found and found.text:
                self.put(key, found.text, found)

    def language(self, *paths: Path) -> None:
        """Set the language to the value of the first of several old keys that has, or means, a language tag.

        Of a list, the first item is the language of the site, and the others are reported.
        """
        for path in paths:
            found = self.take(*path)
            first = next(iter(found.texts), "") if found else ""
            if found and first:
                tag = language_tag(first) or likely_tag(first)
                for other in found.texts[1:]:
                    self.note(found.span, f"{found.key}: {other}", "a site has one language")
                if tag:
                    self.put("language", tag, found)
                else:
                    self.leave(found, "it is not a language tag, such as “en”")

    def setting(self, path: tuple[str | int, ...] | str) -> Value | None:
        """The current value of a key of ``devlog.toml``; `None` if it is not set."""
        setting = self._settings.get((path,) if isinstance(path, str) else path)
        return setting.value if setting else None

    def peek(self, *path: str) -> Found | None:
        """The value of a key, without marking it as handled."""
        return get(self._tree, path)

    def paths(self) -> tuple[tuple[str | int, ...], ...]:
        """The keys of ``devlog.toml`` that are set so far."""
        return tuple(self._settings)

    def mapped(self) -> tuple[Note, ...]:
        """The keys of the old configuration that have a counterpart, so far."""
        return tuple(self._mapped)

    def replace(self, path: str, value: Value) -> None:
        """Set a key, replacing its previous value, and keep the comment."""
        before = self._settings.get((path,))
        self._settings[(path,)] = Setting((path,), value, before.comment if before else "")

    def note(self, span: Span, key: str, reason: str) -> None:
        """Note that something other than a key has no counterpart in devlog, and the reason."""
        self._unmapped.append(Note(span, key, reason))

    def done(self, found: Found, text: str) -> None:
        """Note that a key needs no setting, because devlog does the same by default."""
        self._mapped.append(Note(found.span, found.key, text))

    def entry(self, span: Span, key: str, text: str) -> None:
        """Note what something other than a key was converted to."""
        self._mapped.append(Note(span, key, text))

    def leave(self, found: Found, reason: str) -> None:
        """Note that a key has no counterpart in devlog, and the reason."""
        self._unmapped.append(Note(found.span, found.key, reason))

    def advise(self, text: str, span: Span | None = None) -> None:
        """Add a remark for the site's owner."""
        self._advice.append(Note(span or Span(""), "", text))

    def finish(self, reasons: Table[str, str]) -> Adoption:
        """Build the adoption, with notes on all keys that were not handled.

        Args:
            reasons: the reasons why keys of the old generator have no counterpart; a key includes all keys below it.
        """
        for note in self._rest(reasons):
            self._unmapped.append(note)
        order = {file: number for number, file in enumerate(self._files)}

        def position(note: Note) -> tuple[int, int]:
            return order.get(note.span.path, len(order)), note.span.line

        return Adoption(
            self._generator,
            self._files,
            tuple(self._settings.values()),
            tuple(sorted(self._mapped, key=position)),
            tuple(sorted(self._unmapped, key=position)),
            tuple(self._advice),
        )

    def _rest(self, reasons: Table[str, str]) -> list[Note]:
        """A note for each key with a value about which there is none; keys with a common reason share a note."""
        known = {tuple(key.split(".")): reason for key, reason in reasons.items()}
        taken = frozenset(self._taken)
        noted = {note.span for note in (*self._mapped, *self._unmapped)}  # unlike names, which may be abbreviated
        notes: list[Note] = []
        groups: dict[Path, list[Found]] = {}
        for path, found in leaves(self._tree):
            if isinstance(found.node, Scalar) and found.node.is_null:
                continue
            above = [path[:end] for end in range(1, len(path) + 1)]
            if taken.isdisjoint(above):
                group = next((part for part in reversed(above) if part in known), path[:1])
                groups.setdefault(group, []).append(found)
            elif noted.isdisjoint(key.span for part in above if (key := get(self._tree, part))) and noted.isdisjoint(
                spans_in(found.node)
            ):
                notes.append(Note(found.span, found.key, _NO_EFFECT))
        for group, members in groups.items():
            first = members[0]
            name = ".".join(first.key.split(".")[: len(group)])
            several = f" ({len(members)} keys)" if len(members) > 1 else ""
            reason = known.get(group, "it has no counterpart in devlog")
            notes.append(Note(first.span, (name if several else first.key) + several, reason))
        return notes


def shown(value: Value) -> str:
    """A value as shown in a report."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(shown(item) for item in value) + "]"
    return f"“{value}”" if isinstance(value, str) else str(value)
