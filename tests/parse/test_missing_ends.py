"""Rules of lexers that do not look again for an end that is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.parse.code import fast_pygments, missing_ends
from devlog.parse.code.fast_pygments import accelerated
from devlog.parse.code.highlight import new_lexer
from devlog.parse.code.missing_ends import Match, frugal

Noted = list[tuple[re.Pattern[str], int]]


def _noting(match: Callable[..., re.Match[str] | None], noted: Noted) -> Callable[..., re.Match[str] | None]:
    def note(text: str, position: int, end: int) -> re.Match[str] | None:
        noted.append((match.__self__, position))  # type: ignore[attr-defined]
        return match(text, position, end)

    note.__self__ = match.__self__  # type: ignore[attr-defined]
    return note


@pytest.mark.parametrize(
    ("language", "line"),
    [
        *((name, "/*\n") for name in ("antlr", "css", "gas", "go", "java", "js", "kotlin", "objective-j", "sas")),
        *((name, "/*\n") for name in ("stan", "systemverilog", "verilog")),
        *((name, "//\\\n") for name in ("objective-j", "protobuf", "solidity", "vala", "verilog")),
        ("html", "<!--\n"),
        ("jinja", "{% raw %}\n"),
        ("mathematica", "(*\n"),
    ],
)
def test_the_rules_of_a_lexer_look_once_for_a_missing_end(language: str, line: str) -> None:
    far = (pattern for pattern, position, code in _lexed(language, line) if code.startswith(line[:2], position))
    assert 1 <= max(Counter(filter(_looks_far, far)).values()) <= 8


_QUOTED = "actionscript applescript awk css fortran go groovy javascript less lighttpd perl prolog"


@pytest.mark.parametrize(
    ("language", "line", "opening", "end"),
    [
        *((name, '\\"\n', '"', '"') for name in _QUOTED.split()),
        *((name, "\\'\n", "'", "'") for name in ("css", "javascript")),
        ("cpp", 'R"(\n', 'R"(', ')"'),
        ("groovy", "$/\n", "$/", "/$"),
        ("markdown", "[[\n", "[", "](a)"),
        ("r", '\\"' * 300 + "\n", "", '"'),
        ("sed", '\\"\n', '\\"', '"'),
        ("typst", "/ a\n", "/ a", ":"),
    ],
)
def test_the_rules_of_a_lexer_look_once_for_the_missing_end_of_a_string(
    language: str, line: str, opening: str, end: str
) -> None:
    ended = f"{opening}{line * 9}{end}"
    missing = (pattern for pattern, position, code in _lexed(language, line) if not pattern.match(code, position))
    far = (pattern for pattern in missing if (found := pattern.match(ended)) and found.end() > len(line * 9))
    assert 1 <= max(Counter(far).values()) <= 20


def _lexed(language: str, line: str) -> list[tuple[re.Pattern[str], int, str]]:
    """The expressions that a lexer matches with a block of many equal lines, each with the position and the block."""
    lexer = new_lexer(language)
    noted: Noted = []
    for one in (lexer, *(getattr(lexer, name, None) for name in ("root_lexer", "language_lexer"))):
        if table := getattr(one, "_tokens", None):
            one._tokens = {  # type: ignore[union-attr]
                state: [(_noting(match, noted), action, new) for match, action, new in rules]
                for state, rules in table.items()
            }
    code = line * (4 * fast_pygments.LOOK // len(line))
    assert "".join(value for _, _, value in accelerated(lexer)(code)) == code
    return [(pattern, position, code) for pattern, position in noted]


@pytest.mark.parametrize("line", ["{ a\n", "(* a\n"])
def test_a_scanner_looks_once_for_a_missing_end(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[int] = []
    monkeypatch.setattr(missing_ends._Search, "__init__", _counting(missing_ends._Search.__init__, searches))
    frugal.cache_clear()
    fast_pygments._match.cache_clear()
    code = line * 1000
    assert "".join(value for _, _, value in accelerated(new_lexer("pascal"))(code)) == code
    frugal.cache_clear()
    fast_pygments._match.cache_clear()
    assert 1 <= len(searches) <= 20


def _counting(
    create: Callable[..., None], searches: list[int]
) -> Callable[[missing_ends._Search, Match, missing_ends._Parts], None]:
    """Creates searches that note where they look through what follows."""

    def noting(search: missing_ends._Search, match: Match, parts: missing_ends._Parts) -> None:
        def note(text: str, position: int, end: int) -> re.Match[str] | None:
            if parts.opening.match(text, position, end):
                searches.append(position)
            return match(text, position, end)

        create(search, note, parts)

    return noting


def _looks_far(pattern: re.Pattern[str]) -> bool:
    """Whether an expression looks for an end beyond the line."""
    anything = (r"[\s\S]*?", r"[\w\W]*?", *([".*?"] if pattern.flags & re.DOTALL else []))
    of_line = (r".*?\n", r".*?$", r".*?)(\n)")
    return any(part in pattern.pattern for part in anything) and not pattern.pattern.endswith(of_line)


_EXPRESSIONS = (
    r"/[*][\s\S]*?[*]/",
    r"/(\\\n)?[*][\w\W]*?[*](\\\n)?/",
    r"(?s)(a)(b?)(.*?)(\))",
    r"(?s)^\s*a.+?(?<!a)\n",
    r"(?s)((a)(a.*?a)b)",
    r"(?s)a*.*?b$",
    r"(?s)a(?=.).*?(?:\n|b\))",
    r"(?s)(a).*?\1b",
    r"(?s)a.*?b|b.*?a",
    r"(?s)(?:a.*?b)+",
    r"[(.*?)]a",
    r"/([^/*]|[*].)*b",
    r"(a|/a)[(](\\.|[^a\\])*?a",
    r"(a?)/((?:\\\\|\\[^\\]|[^/\\])*)/\1",
    r"/(a*)\(\n?(?:.*\n)*?(\1)",
    r"(a+)((?:.|\n)+)\1[*]",
    r"(?=b?)/(?<!b/)([^b*])*(?![*])b",
    r"[(]([^()]+)[)](\()([^)]+)(\))",
    r"a+b?[(][^)]*[*]|/",
    r"\(.*?b",
    r"(?m)^(a*)(/)(b+)([^*]+)([*])",
    r"/([ab]*)[^*]*[*]b",
    r"(?s)\(.*?\)|(/)[*].*?[*]/|a",
    r"(a)(?:[^b\\]|\\.)*b|/[^)]*(\))",
    r"([^*\\]|\\.)*[*]",
)


@given(
    st.sampled_from(_EXPRESSIONS),
    st.text("/*ab)(\\\n", max_size=20),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=20),
)
def test_results_are_the_same(expression: str, text: str, calls: list[tuple[int, int]]) -> None:
    match = re.compile(expression, re.MULTILINE).match
    same = frugal(match)
    for position, seen in [*((position, len(text)) for position in range(len(text) + 1)), *calls]:
        plain, found = match(text, position, seen), same(text, position, seen)
        assert (found and (found.span(), found.groups())) == (plain and (plain.span(), plain.groups()))


def test_an_end_in_another_text_is_found() -> None:
    match = frugal(re.compile(r"(?s)/[*].*?[*]/").match)
    assert match("/* /*", 0, 5) is None
    assert match("/* /*", 3, 5) is None
    assert match("/* */", 0, 5)
    assert match("/* /* */", 0, 5) is None
    assert match("/* /* */", 3, 8)
