"""What parsing notes about a text besides what its pages need: facts, of which `devlog check` makes problems."""

from __future__ import annotations

import msgspec

from devlog.model.diagnostic import Span
from devlog.model.document import RefKind


class Key(msgspec.Struct, frozen=True, array_like=True):
    """A key of front matter as written.

    Attributes:
        name: as written.
        span: where it stands.
        value: its value if that is a single text, else empty.
        value_span: where the value stands; its length is that of `value` where both match letter for letter.
    """

    name: str
    span: Span
    value: str
    value_span: Span


class Block(msgspec.Struct, frozen=True, array_like=True):
    """The front matter of a file.

    Attributes:
        language: ``yaml``, ``toml`` or ``json``, also for YAML in the manner of JSON.
        first: its first line.
        last: its last line.
        keys: in order.
        indent: how far its keys stand from the left.
    """

    language: str
    first: int
    last: int
    keys: tuple[Key, ...]
    indent: int = 0


class Outside(msgspec.Struct, frozen=True, array_like=True):
    """A reference that leaves the site."""

    kind: RefKind
    url: str
    span: Span


class Match(msgspec.Struct, frozen=True, array_like=True):
    """Something in the text that was looked for: under which name, what was found, and where."""

    name: str
    text: str
    span: Span


class Waiver(msgspec.Struct, frozen=True, array_like=True):
    """A comment that allows in its file what a code names; without a reason it allows nothing."""

    code: str
    reason: str
    span: Span


class Notes(msgspec.Struct, frozen=True):
    """Facts about one text.

    Attributes:
        block: its front matter, if it has one.
        outside: links and images that leave the site.
        without_alt: images without a text for those who cannot see them.
        repeated_title: a first heading that says the title once more: its place, and its lines with a blank one.
        placeholders: words in the prose that say that it is not finished.
        matches: what the patterns of the site's owner and devlog's own found anywhere in the text.
        waivers: see `Waiver`.
    """

    block: Block | None = None
    outside: tuple[Outside, ...] = ()
    without_alt: tuple[Span, ...] = ()
    repeated_title: tuple[Span, int] | None = None
    placeholders: tuple[Match, ...] = ()
    matches: tuple[Match, ...] = ()
    waivers: tuple[Waiver, ...] = ()
