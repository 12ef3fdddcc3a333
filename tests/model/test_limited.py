"""How many problems of one file are reported: it may have a hundred thousand."""

from __future__ import annotations

from pathlib import Path

from check_cases import check_site
from sites import write_site

from devlog.model.diagnostic import MOST_OF_A_KIND, Diagnostic, Span, limited

POST = "content/log/2026-05-01-a.md"


def test_the_first_of_each_kind_are_kept_and_the_last_says_how_many_more_there_are() -> None:
    def problem(code: str, line: int) -> Diagnostic:
        return Diagnostic(code, "warning", f"{code} of line {line}", Span("a.md", line))

    few = [problem("broken-link", line) for line in range(MOST_OF_A_KIND)]
    assert limited(few) == tuple(few)
    many = [problem(code, line) for line in range(MOST_OF_A_KIND + 1_500) for code in ("broken-link", "broken-image")]
    other = Diagnostic("broken-link", "warning", "broken-link of line 1", Span("b.md", 1))
    found = limited([*many, other])
    assert len(found) == 2 * MOST_OF_A_KIND + 1
    assert found[: 2 * MOST_OF_A_KIND - 2] == tuple(many[: 2 * MOST_OF_A_KIND - 2])
    assert [item.message for item in found[2 * MOST_OF_A_KIND - 2 :]] == [
        f"{code} of line {MOST_OF_A_KIND - 1}, and 1,500 more problems of this kind in this file"
        for code in ("broken-link", "broken-image")
    ] + [other.message]


def test_one_more_problem() -> None:
    found = limited(Diagnostic("broken-link", "warning", "broken", Span("a.md", n)) for n in range(MOST_OF_A_KIND + 1))
    assert found[-1].message == "broken, and one more problem of this kind in this file"


def test_problems_of_a_site_are_limited_for_each_file(tmp_path: Path) -> None:
    lines = MOST_OF_A_KIND + 5
    text = "---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n" + "![](b)\n" * lines + "\n```nolang\nx\n```\n" * lines
    files = {POST: text, POST.replace("-a", "-b"): text.replace("title: A", "title: B")}
    checked = check_site(write_site(tmp_path, files))
    for code in ("broken-image", "unknown-language", "missing-alt"):
        for file in files:
            found = [item for item in checked.diagnostics if (item.code, item.span.path) == (code, file)]
            assert len(found) == MOST_OF_A_KIND
            assert [item.span.line for item in found if "and 5 more problems of this kind" in item.message] == [
                max(item.span.line for item in found)
            ]
