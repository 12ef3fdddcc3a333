"""What adopting found out: settings for ``devlog.toml``, and what became of each key of the old configuration."""

from __future__ import annotations

from collections.abc import Mapping as Table

import msgspec

from devlog.adopt.foreign import Found, Path, get, leaves
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.tree import Mapping, Scalar

Value = str | int | bool | tuple[str, ...]


class Setting(msgspec.Struct, frozen=True):
    """A setting: the path of its key in ``devlog.toml``, its value, and where it comes from.

    Keys of the same list of tables have a number in their paths: ``("menu", 0, "name")``.
    """

    path: tuple[str | int, ...]
    value: Value
    comment: str

    @property
    def key(self) -> str:
        """The path as people write it."""
        return ".".join(part for part in self.path if isinstance(part, str))


class Note(msgspec.Struct, frozen=True):
    """A key of the old configuration, or a fact about the site, with what there is to say about it."""

    span: Span
    key: str
    text: str


class Adoption(msgspec.Struct, frozen=True):
    """Everything about a site that is to be adopted.

    Attributes:
        generator: the name of the old generator.
        files: the configuration files that were read.
        settings: for ``devlog.toml``.
        mapped: keys that became settings.
        unmapped: keys that did not, with the reason.
        advice: what the owner should know.
    """

    generator: str
    files: tuple[str, ...]
    settings: tuple[Setting, ...]
    mapped: tuple[Note, ...] = ()
    unmapped: tuple[Note, ...] = ()
    advice: tuple[Note, ...] = ()


class Draft:
    """An adoption in the making: keys are taken out of the old configuration one after the other."""

    def __init__(self, generator: str, files: tuple[str, ...], tree: Mapping) -> None:
        """
        Args:
            generator: the name of the old generator.
            files: the configuration files that were read.
            tree: what they hold.
        """
        self._generator = generator
        self._files = files
        self._tree = tree
        self._settings: dict[tuple[str | int, ...], Setting] = {}
        self._mapped: list[Note] = []
        self._unmapped: list[Note] = []
        self._advice: list[Note] = []
        self._taken: list[Path] = []

    def take(self, *path: str) -> Found | None:
        """The value of a key, for which the caller answers from here on; `None` when it is not set."""
        found = get(self._tree, path)
        if found is not None:
            self._taken.append(tuple(part.lower() for part in path))
        return found

    def put(
        self, path: tuple[str | int, ...] | str, value: Value, found: Found | None = None, comment: str = ""
    ) -> None:
        """Set a key of ``devlog.toml``; the first to set it counts.

        Args:
            path: of the key.
            value: for it.
            found: the old key that says so.
            comment: why, when it is not only that.
        """
        path = (path,) if isinstance(path, str) else path
        if path in self._settings:
            return
        origin = f"{found.key}, {found.span.path}:{found.span.line}" if found else ""
        setting = Setting(path, value, "; ".join(part for part in (origin, comment) if part))
        self._settings[path] = setting
        if found:
            self._mapped.append(Note(found.span, found.key, f"{setting.key} = {shown(value)}"))

    def text(self, key: str, *paths: Path) -> None:
        """Let the first of some old keys that holds a text become the setting `key`."""
        for path in paths:
            found = self.take(*path)
            if found and found.text:
                self.put(key, found.text, found)

    def setting(self, path: tuple[str | int, ...] | str) -> Value | None:
        """What a key of ``devlog.toml`` is set to so far."""
        setting = self._settings.get((path,) if isinstance(path, str) else path)
        return setting.value if setting else None

    def peek(self, *path: str) -> Found | None:
        """The value of a key, which stays for others to answer for."""
        return get(self._tree, path)

    def paths(self) -> tuple[tuple[str | int, ...], ...]:
        """The keys of ``devlog.toml`` that are set so far."""
        return tuple(self._settings)

    def mapped(self) -> tuple[Note, ...]:
        """The keys of the old configuration that have a counterpart, so far."""
        return tuple(self._mapped)

    def replace(self, path: str, value: Value) -> None:
        """Set a key, whatever it was before, and keep the comment."""
        before = self._settings.get((path,))
        self._settings[(path,)] = Setting((path,), value, before.comment if before else "")

    def note(self, span: Span, key: str, reason: str) -> None:
        """Note that something that is no key by itself has no counterpart, and why."""
        self._unmapped.append(Note(span, key, reason))

    def done(self, found: Found, text: str) -> None:
        """Note that a key needs no setting, because devlog does what it asks for anyway."""
        self._mapped.append(Note(found.span, found.key, text))

    def entry(self, span: Span, key: str, text: str) -> None:
        """Note what became of something that is no key by itself."""
        self._mapped.append(Note(span, key, text))

    def leave(self, found: Found, reason: str) -> None:
        """Note that a key has no counterpart, and why."""
        self._unmapped.append(Note(found.span, found.key, reason))

    def advise(self, text: str, span: Span | None = None) -> None:
        """Note what the owner should know."""
        self._advice.append(Note(span or Span(""), "", text))

    def finish(self, reasons: Table[str, str]) -> Adoption:
        """Everything found out.

        Args:
            reasons: why keys of the old generator have no counterpart; keys stand for all below them too.
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
        """A note for each key with a value that nobody took; keys with a common reason are told once."""
        known = {tuple(key.split(".")): reason for key, reason in reasons.items()}
        groups: dict[Path, list[Found]] = {}
        for path, found in leaves(self._tree):
            is_set = not (isinstance(found.node, Scalar) and found.node.is_null)
            if is_set and not any(path[: len(taken)] == taken for taken in self._taken):
                group = next((path[:end] for end in range(len(path), 0, -1) if path[:end] in known), path[:1])
                groups.setdefault(group, []).append(found)
        notes = []
        for group, members in groups.items():
            first = members[0]
            name = ".".join(first.key.split(".")[: len(group)])
            several = f" ({len(members)} keys)" if len(members) > 1 else ""
            reason = known.get(group, "it has no counterpart in devlog")
            notes.append(Note(first.span, (name if several else first.key) + several, reason))
        return notes


def shown(value: Value) -> str:
    """A value as a report shows it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(shown(item) for item in value) + "]"
    return f"“{value}”" if isinstance(value, str) else str(value)
