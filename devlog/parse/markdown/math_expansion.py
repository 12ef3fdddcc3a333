r"""Expands the commands that a post defines, to know how long its formulas become before they are converted.

The converter limits how often commands are used, but not how long that makes a formula: with ``\def\a#1{#1#1}``, each
use doubles what is there, and a line of text takes all memory. Formulas are expanded here as there (in
``token_queue.rs`` and ``parser.rs`` of math-core 0.9), but only as far as a limit. The result may be too long, but not
too short: where it is not certain which definition applies, a command must not repeat its arguments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from devlog.parse.markdown.math_brackets import DEFINES

MAX_EXPANDED = 1 << 15
"""The maximum length of an expanded formula, in characters and commands: each may be a level of nesting, which takes up
to two kilobytes of the stack."""
_MOST_READ = 1 << 22
"""How many characters and commands are read for a post."""

_TOKEN = re.compile(r"%[^\n]*|\\[A-Za-z]+\*?|\\.|.", re.DOTALL)
"""A comment, a command or a character. White space counts: it may be an argument, and text in a formula keeps it."""


@dataclass(frozen=True)
class _Command:
    """A command that a post defines.

    Attributes:
        arguments: the number of its arguments.
        body: what it stands for; the numbers are those of arguments.
    """

    arguments: int
    body: tuple[str | int, ...]

    @property
    def repeats(self) -> bool:
        """Whether it shows an argument more than once."""
        numbers = [part for part in self.body if isinstance(part, int)]
        return len(numbers) > len(set(numbers))

    def expanded(self, arguments: list[list[str]]) -> list[str]:
        """What it stands for, with arguments. Those that it does not show follow: elsewhere they may be shown."""
        found: list[str] = []
        for part in self.body:
            found += [part] if isinstance(part, str) else arguments[part - 1]
        for number, argument in enumerate(arguments, start=1):
            found += [] if number in self.body else argument
        return found

    def length(self, arguments: list[list[str]]) -> int:
        """The length of `expanded`."""
        shown = sum(len(arguments[part - 1]) for part in self.body if isinstance(part, int))
        return len(self.body) + shown + sum(map(len, arguments))


class Expansion:
    """Expands the formulas of one post.

    Args:
        uses: how many uses of commands of a post the converter allows in one formula.
    """

    def __init__(self, uses: int) -> None:
        self._uses = uses
        self._commands: dict[str, _Command] = {}
        self._longest = 0
        self._needs_care = False  # whether a command repeats an argument, or defines others
        self._is_certain = True
        self._has_news = False
        self._read = 0

    def is_too_long(self, tex: str) -> bool:
        """Whether a formula would be longer than `MAX_EXPANDED`, or use more commands of the post than it may.

        Args:
            tex: the formula. The commands that it defines count for it and for all formulas after it.
        """
        self._has_news = False
        if not DEFINES.search(tex) and not self._may_be_long(len(tex)):
            return False
        stream = [token for token in _TOKEN.findall(tex) if token[0] != "%"]
        if not DEFINES.search(tex) and self._commands.keys().isdisjoint(stream):
            return False
        stream.reverse()
        return self._is_long(stream)

    def doubt(self) -> None:
        """Note that the last formula was not converted: perhaps its definitions do not apply."""
        self._is_certain = self._is_certain and not self._has_news

    def _is_long(self, stream: list[str]) -> bool:
        """Whether a formula is too long, given its tokens from the last to the first, which are consumed."""
        whole, length, uses = len(stream), 0, 0
        while stream:
            token = stream.pop()
            length += 1
            if DEFINES.match(token):
                self._define(stream, is_alias=token.rstrip("*").endswith("let"))
            elif command := self._commands.get(token):
                uses += 1
                arguments = [_argument(stream) for _ in range(command.arguments)]
                self._read += command.length(arguments)
                length_now = length + len(stream) + command.length(arguments)
                if uses > self._uses or length_now > MAX_EXPANDED or self._read > _MOST_READ:
                    return True
                stream += reversed(command.expanded(arguments))
        return not self._is_certain and self._may_be_long(whole)

    def _may_be_long(self, length: int) -> bool:
        """Whether a formula of a length may be too long, whichever definitions apply."""
        return self._needs_care or length + self._uses * self._longest > MAX_EXPANDED

    def _define(self, stream: list[str], *, is_alias: bool) -> None:
        """Read a definition, whose command has been read."""
        name = "".join(_argument(stream)).strip()
        if is_alias:
            _skip_blanks(stream)
            if stream and stream[-1] == "=":
                stream.pop()
                _skip_blanks(stream)
            target = stream.pop() if stream else ""
            command = self._commands.get(target) or _Command(0, (target,))
        else:
            count = _count_of_arguments(stream)
            command = _Command(count, tuple(_body(_argument(stream), count)))
        known = self._commands.get(name)
        if known == command:
            return
        self._is_certain = self._is_certain and known is None
        self._has_news = True
        self._commands[name] = command
        self._needs_care = self._needs_care or command.repeats or any(map(DEFINES.match, map(str, command.body)))
        self._longest = max(self._longest, len(command.body))


def _argument(stream: list[str]) -> list[str]:
    """Take an argument from a stream: a group, without its braces, or one part; nothing at the end of a group."""
    _skip_blanks(stream)
    if not stream or stream[-1] == "}":
        return []
    if (part := stream.pop()) != "{":
        return [part]
    depth, found = 1, []
    while stream:
        part = stream.pop()
        depth += (part == "{") - (part == "}")
        if not depth:
            break
        found.append(part)
    return found


def _skip_blanks(stream: list[str]) -> None:
    while stream and stream[-1].isspace():
        stream.pop()


def _count_of_arguments(stream: list[str]) -> int:
    """Take from a stream how many arguments a new command has: ``[2]``, or ``#1#2``."""
    count = 0
    while stream and stream[-1] != "{":
        part = stream.pop()
        if part.isdecimal() and part.isascii():
            count = max(count, int(part))
        elif not part.isspace() and part not in "#[]":
            stream.append(part)
            break
    return count


def _body(tokens: list[str], count: int) -> list[str | int]:
    body: list[str | int] = []
    for part in tokens:
        if body and body[-1] == "#" and part in "123456789"[:count]:
            body[-1] = int(part)
        else:
            body.append(part)
    return body
