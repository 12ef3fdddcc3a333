"""Makes events of YAML: with libyaml, or where PyYAML was installed without it, in Python with the same results.

PyYAML's own scanner differs from libyaml in what it accepts (tabs between words, a ``?`` in a list) and in its
messages. Here it does what libyaml does, so that a post means the same on each machine. Only messages about directives
and some tags differ, neither of which is allowed in front matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import yaml
from yaml.scanner import ScannerError

_SURROGATES = ("\ud800", "\udfff")

_PROBLEMS = (
    # What PyYAML's message begins with, libyaml's message, and where libyaml sees it: columns to the right.
    ("expected <block end>", "did not find expected key", 0),
    ("expected the node content", "did not find expected node content", 0),
    ("sequence entries are not allowed", "block sequence entries are not allowed in this context", 0),
    ("mapping keys are not allowed", "mapping keys are not allowed in this context", 0),
    ("mapping values are not allowed", "mapping values are not allowed in this context", 0),
    ("expected chomping or indentation", "did not find expected comment or line break", 0),
    ("expected a comment or a line break", "did not find expected comment or line break", 0),
    ("expected indentation indicator", "found an indentation indicator equal to 0", 0),
    ("expected escape sequence", "did not find expected hexdecimal number", 0),
    ("found unknown escape character", "found unknown escape character", -1),
    ("found unexpected document separator", "found unexpected document indicator", 0),
    ("found undefined tag handle", "found undefined tag handle", 0),
    ("expected alphabetic or numeric", "did not find expected alphabetic or numeric character", 0),
    ("expected ',' or ", "did not find expected ',' or ", 0),
    ("expected URI, ", "did not find expected tag URI", 0),
    ("expected '>'", "did not find the expected '>'", 0),
    ("expected URI escape sequence", "did not find URI escaped octet", -1),
    ("expected ' '", "did not find expected whitespace or line break", 0),
)


def parse_yaml(text: str) -> Iterator[yaml.Event]:
    """The events of a text whose line breaks are all ``\\n``. Raises `yaml.YAMLError` where it is wrong."""
    fast = getattr(yaml, "CSafeLoader", None)
    return yaml.parse(text, Loader=fast) if fast else _parse_slowly(text)


def _parse_slowly(text: str) -> Iterator[yaml.Event]:
    loader = _Loader(text)  # refuses control characters
    try:
        while loader.check_event():
            yield loader.get_event()  # type: ignore[no-untyped-call]
    except yaml.MarkedYAMLError as error:
        raise _as_libyaml(error) from None
    except (ValueError, OverflowError):  # numbers that are too large, such as of a version
        raise yaml.MarkedYAMLError(problem="it cannot be read", problem_mark=loader.get_mark()) from None


def _as_libyaml(error: yaml.MarkedYAMLError) -> yaml.MarkedYAMLError:
    """The error as libyaml reports it."""
    problem, mark = error.problem or "", error.problem_mark
    for sign, message, shift in _PROBLEMS:
        if problem.startswith(sign):
            if message == "did not find expected key" and error.context == "while parsing a block collection":
                message = "did not find expected '-' indicator"  # noqa: PLW2901
            if mark and shift:
                mark = yaml.Mark(mark.name, mark.index + shift, mark.line, mark.column + shift, None, 0)
            return yaml.MarkedYAMLError(error.context, error.context_mark, message, mark)
    return error


class _Loader(yaml.SafeLoader):
    """PyYAML's parser with the rules of libyaml."""

    def scan_to_next_token(self) -> None:
        """Skip spaces and comments, and tabs where no key can begin."""
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
            self.forward()
            super().scan_to_next_token()

    def fetch_stream_end(self) -> None:
        """The end is on a line of its own, so that no key can continue there."""
        if self.column:
            self.line, self.column = self.line + 1, 0
            self.stale_possible_simple_keys()
        super().fetch_stream_end()

    def scan_plain(self) -> Any:
        """A value without quotes, which may contain a ``?`` in a list."""
        if not self.flow_level:
            return super().scan_plain()
        peek = self.peek

        def seen(index: int = 0) -> str:
            char: str = peek(index)
            if char != "?":
                return char
            return " " if index and peek(index - 1) == ":" else "x"  # it ends the value there, which is wrong

        token = self._seeing(seen, super().scan_plain)
        if token.value and self.peek() == ":" and self.peek(1) in (*",?[]{}",):
            problem = "found unexpected ':'"
            raise ScannerError("while scanning a plain scalar", token.start_mark, problem, self.get_mark())
        return token

    def scan_plain_spaces(self, indent: int, start_mark: Any) -> list[str] | None:
        """What is between two words of a value: spaces and tabs, or line breaks, of which the first is a space."""
        blanks, breaks = "", 0
        while (char := self.peek()) in (" ", "\t", "\n"):
            if char == "\n":
                self.scan_line_break()  # type: ignore[no-untyped-call]
                self.allow_simple_key = True
                breaks += 1
                if self.prefix(3) in ("---", "...") and self.peek(3) in (*"\0 \t\n",):
                    return None
                continue
            if breaks and char == "\t" and self.column < indent:
                problem = "found a tab character that violates indentation"
                raise ScannerError("while scanning a plain scalar", start_mark, problem, self.get_mark())
            blanks += char
            self.forward()
        if breaks:
            return ["\n"] * (breaks - 1) or [" "]
        return [blanks] if blanks else []

    def process_empty_scalar(self, mark: Any) -> Any:
        """A value that is left out in braces or brackets is before what follows it, and not behind its colon."""
        if self.state in (self.parse_flow_mapping_key, self.parse_flow_sequence_entry_mapping_end):
            mark = self.peek_token().start_mark  # type: ignore[no-untyped-call]
        return super().process_empty_scalar(mark)

    def scan_block_scalar_indicators(self, start_mark: Any) -> Any:
        """The characters after ``|`` or ``>``, which a tab or a comment may follow."""
        peek = self.peek

        def seen(index: int = 0) -> str:
            char: str = peek(index)
            return " " if char in ("\t", "#") else char

        return self._seeing(seen, lambda: super(_Loader, self).scan_block_scalar_indicators(start_mark))

    def scan_block_scalar_indentation(self) -> Any:
        """The empty lines and spaces that tell the indentation of a text; a tab cannot."""
        found = super().scan_block_scalar_indentation()
        self._refuse_tab()
        return found

    def scan_block_scalar_breaks(self, indent: int) -> Any:
        """The empty lines and spaces before a line of a text; a tab is a part of the line if it is indented."""
        found = super().scan_block_scalar_breaks(indent)
        if self.column < indent:
            self._refuse_tab()
        return found

    def _refuse_tab(self) -> None:
        if self.peek() == "\t":
            problem = "found a tab character where an indentation space is expected"
            raise ScannerError("while scanning a block scalar", None, problem, self.get_mark())

    def scan_block_scalar_ignored_line(self, start_mark: Any) -> None:
        """The rest of that line."""
        while self.peek() in (" ", "\t"):
            self.forward()
        super().scan_block_scalar_ignored_line(start_mark)

    def scan_flow_scalar_non_spaces(self, double: bool, start_mark: Any) -> Any:
        """Characters in quotes; escapes name valid ones."""
        wrong = False
        chunks: list[str] = []
        try:
            chunks = super().scan_flow_scalar_non_spaces(double, start_mark)
        except (ValueError, OverflowError):  # beyond the last character
            wrong = True
        if wrong or any(_SURROGATES[0] <= char <= _SURROGATES[1] for chunk in chunks for char in chunk):
            problem = "found invalid Unicode character escape code"
            raise ScannerError("while parsing a quoted scalar", start_mark, problem, self.get_mark())
        return chunks

    def _seeing(self, seen: Callable[[int], str], scan: Callable[[], Any]) -> Any:
        """The result of a method that looks at characters by a function, but takes the text itself."""
        self.__dict__["peek"] = seen
        try:
            return scan()
        finally:
            del self.__dict__["peek"]
