"""Facts about a source file that parsing records for the rules of `devlog check`; pages do not need them."""

from __future__ import annotations

import msgspec

from devlog.model.diagnostic import Span
from devlog.model.document import RefKind


class Key(msgspec.Struct, frozen=True, array_like=True):
    """A front matter key.

    Attributes:
        name: the name as written.
        span: the span of the key.
        value: its value if that is a single string, else empty.
        value_span: the span of the value; its length is that of `value` if the file has exactly the same characters.
    """

    name: str
    span: Span
    value: str
    value_span: Span


class Block(msgspec.Struct, frozen=True, array_like=True):
    """The front matter of a file.

    Attributes:
        language: ``yaml``, ``toml``, or ``json``, also for YAML in the style of JSON.
        first: the number of its first line.
        last: the number of its last line.
        keys: the keys in order.
        indent: the indentation of its keys.
    """

    language: str
    first: int
    last: int
    keys: tuple[Key, ...]
    indent: int = 0


class Outside(msgspec.Struct, frozen=True, array_like=True):
    """An external link or image."""

    kind: RefKind
    url: str
    span: Span


class Match(msgspec.Struct, frozen=True, array_like=True):
    """A match of a pattern in the text: the name of the pattern, the matched text, and its span."""

    name: str
    text: str
    span: Span


class Waiver(msgspec.Struct, frozen=True, array_like=True):
    """A comment that allows the problems with a code in its file; without a code or a reason it allows nothing."""

    code: str
    reason: str
    span: Span


class Doubt(msgspec.Struct, frozen=True, array_like=True):
    """Something valid that is probably a mistake.

    Attributes:
        code: the code of the rule that reports it.
        text: the text in question, or what is known about it.
        span: its span.
        meant: what was probably meant; empty if that is unknown.
    """

    code: str
    text: str
    span: Span
    meant: str = ""


class RepeatedTitle(msgspec.Struct, frozen=True, array_like=True):
    """A first heading that repeats the title.

    Attributes:
        span: its position.
        lines: the number of its lines, including a blank one after it.
        anchor: the fragment of its URL, to which links may lead.
        is_plain: whether it is only text, so that nothing else is lost with it.
    """

    span: Span
    lines: int
    anchor: str
    is_plain: bool


class CheckFacts(msgspec.Struct, frozen=True):
    """The facts about one source file.

    Attributes:
        block: its front matter; `None` if it has none.
        outside: external links and images.
        without_alt: images without alt text.
        repeated_title: a first heading that repeats the title.
        placeholders: words in the prose, such as TODO, that mark unfinished text.
        matches: matches of the configured patterns and of devlog's own, anywhere in the text.
        waivers: comments that allow problems, see `Waiver`.
        doubts: probable mistakes in the Markdown, see `Doubt`.
    """

    block: Block | None = None
    outside: tuple[Outside, ...] = ()
    without_alt: tuple[Span, ...] = ()
    repeated_title: RepeatedTitle | None = None
    placeholders: tuple[Match, ...] = ()
    matches: tuple[Match, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    doubts: tuple[Doubt, ...] = ()
