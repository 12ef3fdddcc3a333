"""Notebooks: whatever is edited in one, the site follows; no command writes into one."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from check_cases import check_site, fix_site
from notebook_files import EDITS, FILE, HEAD, IMAGE, SITE, code, encoded, notebook, plotted, printed, result, text
from outcomes import outcome
from panics import panic
from sites import NOW, build_site, write_site
from writers import png

from devlog.features.notebooks.parse import outputs
from devlog.features.notebooks.parse.convert import convert_notebook
from devlog.features.notebooks.parse.outputs import MAX_LINES, MAX_TEXT
from devlog.model.converted import Converted, ToConvert
from devlog.model.source import Source
from devlog.native import call
from devlog.parse import convert
from devlog.parse.convert import LIMIT
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.scaffold.complete import complete
from devlog.search.lookup import Lookup


def converted(*cells: dict[str, object], html: str = "safe") -> Converted:
    return convert_notebook(ToConvert(notebook(*cells), FILE, html=html))


@pytest.mark.slow
def test_builds_follow_every_edit(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {**SITE, FILE: plotted(png(4, 3))})
    build_site(root)
    assert (root / "public" / IMAGE).read_bytes() == png(4, 3)
    for number, edited in enumerate(EDITS.values()):
        write_site(root, {FILE: edited})
        clean = write_site(tmp_path / str(number), {**SITE, FILE: edited})
        expected = outcome(clean, build_site(clean))
        assert outcome(root, build_site(root)) == expected
        assert outcome(root, build_site(root)) == expected
        assert (IMAGE in expected.files) == ("image/png" in edited and "draft" not in edited)


def test_files_that_a_notebook_includes_are_followed(tmp_path: Path) -> None:
    included = text('{{< code file="a b.py" >}}')
    root = write_site(
        tmp_path, {**SITE, FILE: notebook(text(HEAD, "raw"), included), "content/log/a b.py": "first = 1\n"}
    )
    for name in ("first", "second"):
        write_site(root, {"content/log/a b.py": f"{name} = 1\n"})
        assert not build_site(root).diagnostics
        assert f">{name}</span>" in (root / "public/log/2026-05-04-faster/index.html").read_text("utf-8")


@pytest.mark.feature("images")
def test_all_images_of_a_notebook_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever their sizes are, and in whatever order a post shows those of several notebooks."""
    names = ("a", "b", "c")
    books = {}
    for place, name in enumerate(names):
        plots = [code("", result(image_png=encoded(png(160 + place + 3 * number, 100)))) for number in range(3)]
        books[f"content/log/2026-05-04-{name}.ipynb"] = notebook(text(HEAD, "raw"), *plots)
    shown = "".join(f"![{name}](2026-05-04-{name}/cell-{cell}.png)\n" for cell in (2, 3, 4) for name in names)
    post = f"---\ntitle: All\ndate: 2026-05-09\nauthor: Ada Quill (@adaquill)\n---\n{shown}"
    read: list[str] = []
    contained_files = convert.contained_files

    def counted(source: Source, options: ParseOptions) -> dict[str, bytes]:
        read.append(source.file)
        return contained_files(source, options)

    monkeypatch.setattr(convert, "contained_files", counted)
    for look in (check_site, build_site):
        root = write_site(tmp_path / look.__name__, {**SITE, **books, "content/log/2026-05-09-all.md": post})
        read.clear()
        assert not [item for item in look(root).diagnostics if item.severity == "error"]
        assert sorted(read) == sorted(books), "once, for other sizes and as they are"


def test_no_fix_is_written_into_a_notebook(tmp_path: Path) -> None:
    words = "# A faster log\n\nSee [x](2026-05-1-other.md), ![](2026-05-04-faster/cell-3.png), Lumen TODO.\n\n#Heading"
    written = plotted(png(4, 3), words).replace("title: A faster log\\n", "titel: a\\n")
    other = "---\ntitle: Other\ndate: 2026-05-01\nauthor: Ada Quill (@adaquill)\n---\nText.\n"
    root = write_site(tmp_path, {**SITE, FILE: written, "content/log/2026-05-01-other.md": other})
    told = [item for item in check_site(root).diagnostics if item.span.path == FILE]
    assert len({item.code for item in told}) > 3
    assert not [item for item in told if item.fix]
    lines = written.split("\n")
    assert all(item.span.line and item.line_text == lines[item.span.line - 1] for item in told)
    assert all(item.span.column == 0 for item in told)
    fix_site(root)
    assert (root / FILE).read_text("utf-8") == written


@pytest.mark.feature("episodes")
def test_no_audio_is_named_in_a_notebook(tmp_path: Path) -> None:
    from devlog.features.episodes.speak.run import Options, run

    root = write_site(tmp_path, {**SITE, FILE: plotted(png(4, 3))})
    (refused,) = run(Options(root, root / FILE)).diagnostics
    assert (refused.severity, refused.span.path) == ("error", FILE)
    assert any("It is fast." in passage.text for passage in run(Options(root, root / FILE, dry_run=True)).passages)


def test_secrets_in_output_are_found_and_not_shown(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    root = write_site(tmp_path, {**SITE, FILE: notebook(text(HEAD, "raw"), code("token", printed(f"{secret}\n")))})
    (told,) = [item for item in check_site(root).diagnostics if item.code == "leaks.token"]
    assert told.span.path == FILE
    assert secret not in told.line_text + told.message


def test_search_finds_the_line_of_the_file(tmp_path: Path) -> None:
    written = plotted(png(4, 3), "First.\n\n## Results\n\nThe zebra is fast.", "A last giraffe.")
    root = write_site(tmp_path, {**SITE, FILE: written})
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
        for word in ("zebra", "giraffe"):
            (hit,) = lookup.search(word)
            assert word in written.split("\n")[hit.line - 1]
            assert hit.section == "Results"


@pytest.mark.slow
def test_a_site_without_notebooks_loads_nothing_of_them(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, "content/log/2026-05-01-a.md": "---\ntitle: A\n---\nText.\n"})
    command = (
        "import sys; from datetime import UTC, datetime; from pathlib import Path\n"
        "from devlog.build import Options, build\n"
        "build(Options(root=Path(sys.argv[1]), now=datetime(2026, 6, 15, tzinfo=UTC), jobs=1))\n"
        "print([name for name in sys.modules if name.startswith('devlog.features.notebooks.parse')])"
    )
    done = subprocess.run([sys.executable, "-c", command, root], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_html_is_not_used_where_it_is_shown_as_text() -> None:
    cell = code("x", result(text_html="<table><tr><td>1</td></tr></table>", text_plain="one"), tags=("hide-input",))
    assert "<" not in converted(cell, html="escape").text
    assert "<table>" in converted(cell).text


@pytest.mark.parametrize("no", ["false", "False", "FALSE"])
def test_what_an_author_hides_is_hidden_however_yaml_spells_it(no: str) -> None:
    cells = [code(f"#| {option}: {no}\nx = 7", printed("eight\n")) for option in ("include", "echo", "output")]
    shown = [cell for cell in converted(*cells).text.split("\n") if "x = 7" in cell or "eight" in cell]
    assert ["x = 7" in cell for cell in shown] == [False, True]  # the output of one, the code of the other


def test_the_text_of_an_option_may_be_below_it() -> None:
    source = "#| fig-alt: >-\n#|   Time by step,\n#|   in ms - it falls\n#| echo: false\nplot()"
    assert "![Time by step, in ms - it falls](" in converted(code(source, result(image_png=encoded(png(4, 3))))).text


@pytest.mark.parametrize(
    ("name", "link"), [("Plot (3).png", "attachment:Plot%20(3).png"), ("q r.png", "<attachment:q r.png>")]
)
def test_the_name_of_an_attached_image(name: str, link: str) -> None:
    attached = {**text(f"![x]({link})"), "attachments": {name: {"image/png": encoded(png(4, 3))}}}
    found = converted(text(HEAD, "raw"), attached)
    assert not found.problems
    assert f"({'<' * link.startswith('<')}{found.files[0].name}" in found.text


def test_the_corner_of_a_data_frame_is_no_heading() -> None:
    frame = '<table border="1"><thead><tr><th></th><th>ms</th></tr></thead></table>'
    text = converted(code("x", result(text_html=frame, text_plain="ms"))).text
    assert "<tr><td></td><th>ms</th></tr>" in "".join(text.split())


@pytest.mark.parametrize(
    ("left", "end"),
    [
        ("```py\nx = 1", "```"),
        ("~~~~ py\nx = 1", "~~~~"),
        ("```py\nx = 1\n```", ""),
        ("- item\n\n  ```py\n  x = 1", ""),
        ("<!-- later\n\nmore", "-->"),
        ("<!-- later -->", ""),
        ("<?php echo 1", "?>"),
        ("<pre>\nx", "</pre>"),
        ("<PRE>\n\nx</PRE>", ""),
        ("<div>\nx", ""),
    ],
)
def test_no_cell_swallows_the_next_ones(left: str, end: str) -> None:
    written = f"{left}\n{end}\n" if end else f"{left}\n"
    following = code("run()", result(text_markdown=f"It said:\n\n{left}"))
    expected = f"{written}\n```python\nrun()\n```\n\nIt said:\n\n{written}\nThe end.\n"
    assert converted(text(left), following, text("The end.")).text == expected


def test_what_html_cannot_leave_open_is_not_ended() -> None:
    assert converted(text("<!-- shown"), text("The end."), html="escape").text == "<!-- shown\n\nThe end.\n"


def test_blank_lines_of_console_output_stay() -> None:
    lines = "first <b>x</b>\n\n   second\n  \n\nthird {{< note >}}\n"
    rich = f'<p>a</p>\n\n<pre style="margin:0">{lines}</pre>\n\n<p>b</p>'
    made = converted(code("print(x)", result(text_html=rich)), text("The end."))
    parsed, body, _ = parse(Source("log/x.md", "content/log/x.md", made.text), ParseOptions(html="safe"))[:3]
    html = "".join(piece for piece in body.pieces if isinstance(piece, str))
    assert html.count("<pre") == 2, "the code and its output"
    shown = html.rpartition("<pre")[2].partition(">")[2].partition("</pre>")[0]
    assert shown == lines.replace("<", "&lt;").replace(">", "&gt;").replace("&lt;b&gt;x&lt;/b&gt;", "<b>x</b>")
    assert not parsed.diagnostics


def test_long_output_is_cut() -> None:
    made = converted(code("x", printed("x\n" * (MAX_LINES + 1))))
    assert made.text.count("\nx\n") + made.text.count("x\nx") >= MAX_LINES // 2
    assert made.text.endswith("x\n…\n```\n")
    assert [item.code for item in made.problems] == ["notebook-output"]
    assert converted(code("x", printed("x\n" * MAX_LINES))).problems == ()


def test_a_long_markdown_output_is_cut() -> None:
    made = converted(code("x", result(text_markdown="*a* " * (MAX_TEXT // 4 + 1))))
    assert [item.message for item in made.problems] == [f"cell 1: output cut after {MAX_TEXT:,} characters"]
    assert converted(code("x", result(text_markdown="*a* " * (MAX_TEXT // 4)))).problems == ()


WIDGET = "application/vnd.lumen+json"


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({WIDGET: {"id": "a"}}, WIDGET),
        ({"text/html": "<script>draw()</script>"}, "text/html"),
        ({WIDGET: "null"}, WIDGET),
        ({WIDGET: ["{}\n"]}, WIDGET),
        (
            {WIDGET: 1, "text/html": "<style>a {}</style>", "text/plain+x": "a", "a/b": "c"},
            "text/html, text/plain+x, …",
        ),
    ],
)
def test_an_output_without_a_form_for_a_page_is_named(data: dict[str, Any], named: str) -> None:
    made = converted(text("Text."), code("draw()", {**result(), "data": data}))
    (problem,) = made.problems
    assert (problem.code, problem.severity) == ("notebook-output", "warning")
    assert problem.message.startswith("cell 2: left out an output that has no form for a page: ")
    assert problem.message.endswith(named)
    assert problem.span.line > 1
    assert converted(code("draw()", {**result(), "data": data}, tags=("remove-output",))).problems == ()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"text/html": ""},
        {"text/html": ["", " \n"]},
        {"text/html": [], WIDGET: {}},
        {WIDGET: 1, "text/plain": "A widget"},
    ],
)
def test_nothing_is_said_of_an_output_that_is_empty_or_has_text(data: dict[str, Any]) -> None:
    assert converted(code("draw()", {**result(), "data": data})).problems == ()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("application/json", "cell 1: left out an output that has no form for a page: application/json"),
        ("text/html", "cell 1: left out what is not text"),
        ("image/png", "cell 1: left out what is not text"),
    ],
)
@pytest.mark.parametrize("number", ["1e999", "-1e999", "[1e999]", '{"a": 1e999}'])
def test_a_number_that_no_float_holds_is_a_problem_of_its_cell(kind: str, message: str, number: str) -> None:
    written = notebook(code("draw()", {**result(), "data": {kind: "HERE"}})).replace('"HERE"', number)
    (problem,) = convert_notebook(ToConvert(written, "content/x.ipynb")).problems
    assert problem.message == message
    assert problem.span.line > 1


def test_what_cannot_be_shown_is_told_once() -> None:
    made = converted(code("draw()", {**result(), "data": {"image/png": "?", WIDGET: 1}}))
    assert len(made.problems) == 1


def test_nothing_is_read_beyond_what_a_text_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is refused in the end takes no longer than what is not."""
    seen: list[str] = []

    def sanitize(html: str) -> str:
        seen.append(html)
        return html

    monkeypatch.setattr(outputs, "sanitize", sanitize)
    table = f"<table><tr><td>{'x' * 50_000}</td></tr></table>"
    results = [result(text_html=table) for _ in range(60)]
    assert len(converted(code("x", *results[:10])).text) < LIMIT
    seen.clear()
    assert len(converted(*(code("x", *results[:30]), code("y", *results[30:]))).text) > LIMIT
    assert len(seen) <= LIMIT // len(table) + 1


def test_pieces_of_a_stream_are_one_text() -> None:
    pieces = [printed(f"{number}\n") for number in range(500)]
    assert "".join(f"{number}\n" for number in range(500)) in converted(code("x", *pieces)).text


def test_lines_are_those_of_the_file_however_it_is_written() -> None:
    cells = [text("One\ntwo"), code("a\n\nb", printed("c\nd\n")), text("")]
    pretty = notebook(*cells)
    made = convert_notebook(ToConvert(pretty, FILE))
    lines = pretty.split("\n")
    for word, at in zip(made.text.split("\n"), made.lines, strict=False):
        if word in ("One", "two", "a", "b"):
            assert json.dumps(word)[1:-1] in lines[at - 1]
    for source in ("One\ntwo", ["One\ntw", "o"], ["One\r\n", "two"]):
        whole = convert_notebook(
            ToConvert(json.dumps({"nbformat": 4, "cells": [{**text(""), "source": source}]}), FILE)
        )
        assert whole.text == "One\ntwo\n"
        assert whole.lines == (1, 1)


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ({"text_markdown": "a\rb\r\nc\n\rd"}, ["a", "b", "c", "", "d"]),
        ({"text_latex": "$$a\r\rb$$"}, ["$$", "a", "b", "$$"]),
        ({"text_html": "<pre>a&#13;&#13;    b</pre>"}, ["<div><pre>a", "    b</pre>", "</div>"]),
    ],
)
def test_carriage_returns_end_lines_and_shift_none(form: dict[str, str], written: list[str]) -> None:
    cells = [code("1", result(**form), tags=("remove-input",)), text("The end.")]
    made = convert_notebook(ToConvert(notebook(*cells), FILE, math=True))
    assert made.text.splitlines() == made.text.split("\n")[:-1] == [*written, "", "The end."]
    assert len(made.lines) == len(written) + 2
    assert "The end." in notebook(*cells).split("\n")[made.lines[-1] - 1]


@pytest.mark.feature("diagrams")
def test_a_diagram_that_fails_is_told_at_its_line_of_the_file(tmp_path: Path) -> None:
    words = "Text.\n\n```box\nfirst\nsecond\nthird\n```\n"
    command = json.dumps([sys.executable, "-c", "import sys; sys.exit('error in line 2')"])
    config = f"{SITE['devlog.toml']}[diagrams.box]\ncommand = {command}\n"
    for cell in ({**text(""), "source": words}, text(words)):
        written = notebook(text(HEAD, "raw"), cell, text("The end."))
        root = write_site(tmp_path, {**SITE, "devlog.toml": config, FILE: written})
        (problem,) = [item for item in build_site(root).diagnostics if item.code == "diagram-failed"]
        assert "second" in written.split("\n")[problem.span.line - 1]


def test_a_fault_of_the_sanitizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "sanitize", partial(call, panic))
    shown = converted(code("1", result(text_html="<b>a</b>", text_plain="b")))
    assert "<b>" not in shown.text
    assert "b" in shown.text
    assert "HTML on which the sanitizer failed" in shown.problems[0].message


def test_a_shell_completes_the_tags_of_notebooks_that_no_build_has_read(tmp_path: Path) -> None:
    written = notebook(text("---\ntitle: Faster\ntags: [wal]\n---", "raw"), text("The end."))
    assert complete("tags", write_site(tmp_path, {**SITE, FILE: written}), "wa") == ["wal"]


def test_an_alternative_text_shows_its_characters() -> None:
    alt = "www.lumen.example/__init__.py *of* a__b@lumen.example"
    document = Source("a.md", FILE, f"![{outputs.escaped(alt)}](https://lumen.example/a.png)\n")
    _, body, _ = parse(document, ParseOptions())
    assert f'alt="{alt}"' in "".join(map(str, body.pieces))
