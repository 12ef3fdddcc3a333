"""Code blocks: whatever stands in them is shown as it is, and only what a terminal would not show is left out."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from devlog.parse.code.ansi import ESCAPE, paint, spans, with_marks
from devlog.parse.code.highlight import LANGUAGES, Fence, highlight, read_info, render_code
from devlog.parse.markdown.tables import _NUMBER

_TAG = re.compile(r"<[^>]*>")


def shown(html: str) -> str:
    """The text that a reader sees."""
    return unescape(_TAG.sub("", html))


LINES = st.lists(
    st.sampled_from(["+", "-", " ", "", "@@ ", "--- ", "+++ ", "diff --git "]).flatmap(
        lambda sign: st.sampled_from(
            ['"""', "x = 1", "<b>&amp;", "", "'''", "# c", "\\", "\t", "def f():", "---", "+"]
        ).map(lambda code: sign + code)
    ),
    max_size=12,
)


@pytest.mark.slow
@given(LINES, st.sampled_from(["diff", "python", "c", "html", "console", "text"]), st.booleans())
@example(["+a", ""], "python", False)
@example(["-", "+"], "python", False)
@example(["+one\u2028two", " three", " four"], "robotframework", False)
def test_a_patch_is_shown_as_it_is(lines: list[str], language: str, numbers: bool) -> None:
    code = "\n".join(lines) + "\n"
    html = render_code(code, Fence(language, is_diff=True, numbers=numbers))
    html = re.sub(r'<span class="line-number" aria-hidden="true">\d+</span>', "", html)
    assert shown(html) == code + "\n"


@pytest.mark.slow
@given(LINES)
def test_every_line_of_a_patch_is_what_its_sign_says(lines: list[str]) -> None:
    html = render_code("\n".join([*lines, "end"]) + "\n", Fence("python", is_diff=True))
    for line in re.findall(r'<span class="(line[a-z ]*)">(?:<span class="sign">(.)</span>)?', html):
        assert line in {("line", " "), ("line", ""), ("line inserted", "+"), ("line deleted", "-"), ("line meta", "")}


PIECES = st.sampled_from(
    [
        *(f"{escape}{rest}" for escape in (ESCAPE, r"\e", r"\x1b", r"\033") for rest in ("", "[", "[31m", "[0m")),
        *("[38;5;200m", "[48;2;1;2;3m", "[38;2;", "]0;title", r"\a", r"\\", "[2K", ";", "m", "0", "[99999999999999m"),
        *("$ ", "ada@lumen:~$ ", "text", "<b>", "&amp;", "\n", "\n", " ", '"', "\\"),
    ]
)


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.lists(PIECES, max_size=30).map(lambda parts: "".join(parts) + "\n"),
    st.sampled_from(["ansi", "console", "shell-session", "pycon"]),
)
def test_colors_change_no_text(code: str, language: str) -> None:
    text, changes = paint(code, written=language != "pycon", typed=language != "ansi")
    assert shown(highlight(code, language)) == text
    assert "".join(part for part, _ in spans(text, 0, changes)) == text
    assert ESCAPE not in text
    assert [place for place, _ in changes] == sorted(place for place, _ in changes)
    assert re.fullmatch(r"(?:[a-z -]*)", " ".join(classes for _, classes in changes))


@pytest.mark.parametrize(
    ("sequence", "classes"),
    [
        ("[31m", "ansi-red"),
        ("[91m", "ansi-red"),
        ("[30m", ""),
        ("[37m", ""),
        ("[90m", "ansi-grey"),
        ("[40m", "ansi-on-grey"),
        ("[1;2;3;4;9m", "ansi-bold ansi-dim ansi-italic ansi-underline ansi-strike"),
        ("[1;22m", ""),
        ("[7m", "ansi-on-grey"),
        ("[32;7m", "ansi-on-green"),
        ("[31;44;7m", "ansi-blue ansi-on-red"),
        ("[38;5;9m", "ansi-red"),
        ("[38;5;21m", "ansi-blue"),
        ("[38;5;46m", "ansi-green"),
        ("[38;5;244m", "ansi-grey"),
        ("[38;5;255m", ""),
        ("[38;2;255;255;0m", "ansi-yellow"),
        ("[38:2::0:255:255m", "ansi-cyan"),
        ("[48;2;255;0;255m", "ansi-on-magenta"),
        ("[31;39m", ""),
        ("[41;49m", ""),
        ("[31m␛[m", ""),
        ("[38;5m", ""),
        ("[58;2;1;2;3m", ""),
    ],
)
def test_sequences_that_set_a_look(sequence: str, classes: str) -> None:
    text, changes = paint(f"{ESCAPE}{sequence}x")
    assert text == "x"
    assert changes[-1] == (0, classes)


@pytest.mark.parametrize(
    "sequence",
    [
        "[2K",
        "[?25l",
        "[1;1H",
        "]0;a title\\a",
        "]8;;https://x.example␛\\",
        "[>4;1m",
        "",
        "]0;a title␇",
        "(B",
        "=",
        "8",
        "]8;;https://x.example␇␛]8;;␇",
        "Pdata␛\\",
        "ktitle␛\\",
    ],
)
def test_sequences_that_do_something_else_go(sequence: str) -> None:
    assert paint(f"a{ESCAPE}{sequence}b")[0] == "ab"


def test_a_bell_ends_the_sequence_before_it() -> None:
    text = "a\x07 \x1b]8;;http://e.org\x07LINK\x1b]8;;\x07 \x1b[1mb\x1b]0;\n\x07"
    marked = with_marks(text)
    assert marked == "a\x07 ␛]8;;http://e.org␇LINK␛]8;;␇ ␛[1mb␛]0;\n\x07"
    assert paint(marked)[0] == "a\x07 LINK b]0;\n\x07"
    assert with_marks(text, text.index("\x1b]8;;\x07").__eq__) == text.replace("\x1b]8;;\x07", "␛]8;;␇")
    assert paint(r"C:\e8 \e(B")[0] == r"C:\e8 \e(B"


def test_what_is_typed_may_hold_the_text_of_sequences() -> None:
    for prompt in ("$", "%", "#", ">", "ada@lumen:~$", "(env) $", "[ada@lumen log]$"):
        line = f'{prompt} printf "\\e[31mred"\n'
        assert paint(line, typed=True) == (line, ())
        assert paint(f"\\e[1m{line}", typed=True)[0] == line
    assert paint("100% \\e[31mred", typed=True)[0] == "100% red"
    assert paint(f"$ cat {ESCAPE}[31mx", typed=True)[0] == "$ cat x"


@pytest.mark.parametrize(
    "text",
    ["1", "1,200", "-3.2%", "+10", "12.5 ms", "$5", "1e9", "≈ 3 GB/s", "2x", "1_000_000", "1.5×", "~7 days", "5 µs"],
)
def test_numbers(text: str) -> None:
    assert _NUMBER.fullmatch(text)


@pytest.mark.parametrize(
    "text", ["2026-05-01", "1.2.3", "10.0.0.1", "v1", "0x1f", "a 1", "1 of 2", "12:30", "#12", "1,2"]
)
def test_texts_that_only_look_like_numbers(text: str) -> None:
    assert not _NUMBER.fullmatch(text)


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("diff", Fence("diff", is_diff=True)),
        ("patch", Fence("patch", is_diff=True)),
        ("diff-python", Fence("python", is_diff=True)),
        ("python {diff}", Fence("python", is_diff=True)),
        ('diff lang="js"', Fence("js", is_diff=True)),
        ("diff-nothing", Fence("diff-nothing")),
        ("nothing {diff}", Fence("nothing")),
        ('sh tab="A b"', Fence("sh", tab="A b")),
        ("sh {tab}", Fence("sh", tab="sh")),
        ('sh {tab} title="a.sh"', Fence("sh", tab="a.sh")),
        ("js wrap", Fence("js", wrapped=True)),
        ("js {wrap=true,tab=x}", Fence("js", wrapped=True, tab="x")),
        ("js wrap=false", Fence("js")),
        ("text output", Fence("text", is_output=True)),
    ],
)
def test_options_of_a_fence(info: str, expected: Fence) -> None:
    assert read_info(info) == expected


def test_the_last_line_need_not_end() -> None:
    codes = ("$ ls", "$ ls\na b", ">>> 1\n1", "1> f(x).", "sqlite> select 1;", "x")
    assert [
        (code, language) for language in LANGUAGES for code in codes if shown(highlight(code, language)) != code
    ] == []


@pytest.mark.parametrize("info", ["console", "pycon", "sql", "md", "ruby", "text", "py", "diff", "sql diff"])
@pytest.mark.parametrize("code", ["$ x\nout\n", ">>> x\nout\n", "-- a\n", "```\na\n```\n", "a\n\n", "x <<A\nb\nA\n"])
def test_numbered_code_has_as_many_lines_as_it_is_long(info: str, code: str) -> None:
    html = render_code(code, read_info(f"{info} linenos"))
    assert html.count('<span class="line') == 2 * code.count("\n")  # each line, and its number
