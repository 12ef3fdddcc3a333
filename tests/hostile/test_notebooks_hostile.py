"""Notebooks by anyone: payloads in every field, and files that are made to exhaust what reads them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harm import harm_in
from hostile_site import PIXEL, in_front_matter
from notebook_files import HEAD, SITE, code, encoded, notebook, printed, result, text
from payloads import CANARY, PAYLOADS
from sites import build_site, read_tree, write_site

from devlog.features.notebooks.parse.convert import convert_notebook
from devlog.features.notebooks.parse.outputs import MAX_FILES, MAX_PROBLEMS
from devlog.model.converted import ToConvert

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>{}</text></svg>'


def hostile(payload: str) -> list[dict[str, Any]]:
    """Cells with a payload in each field."""
    name = payload.replace("\n", " ")[:40]
    return [
        text(
            f"![{name}](attachment:{name}) <img src='attachment:{name}'>",
            attachments={name: {"image/png": encoded(PIXEL)}},
        ),
        text(payload, "raw", metadata={"raw_mimetype": "text/html"}),
        code(payload, printed(payload), printed(payload, payload)),
        code(
            f"#| fig-alt: {name}\nx",
            result(text_html=payload, text_plain=payload),
            result(text_markdown=payload),
            result(text_latex=f"${payload}$", text_plain=payload),
            result(image_svg_xml=SVG.format(payload), text_plain="x"),
            result(image_svg_xml=payload, text_plain="x"),
            result(image_png=payload, text_plain="x"),
            {**result(image_png=encoded(PIXEL)), "metadata": {"image/png": {"width": payload, "height": payload}}},
            {"output_type": "error", "ename": payload, "evalue": payload, "traceback": []},
            {"output_type": payload, "data": {payload: payload, "text/plain": payload}},
            tags=("hide-input", "hide-output", payload),
        ),
    ]


@pytest.mark.slow
def test_payloads_in_every_field_come_to_no_harm(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {**SITE}
    for number, payload in enumerate(PAYLOADS[::3]):
        said = in_front_matter(payload)
        own = {
            "devlog": {"title": said, "date": "2026-05-04", "author": said},
            "title": said,
            "authors": [{"name": said}],
        }
        language = {"language_info": {"name": payload}, "kernelspec": {"language": payload}}
        files[f"content/log/2026-05-04-n{number}.ipynb"] = notebook(*hostile(payload), **own, **language)
    report = build_site(write_site(tmp_path, files), cache=False)
    assert "internal-error" not in {item.code for item in report.diagnostics}
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    wrong = {}
    tree = read_tree(tmp_path / "public")
    pages = [path for path in tree if re.match("log/.*n[0-9]", path) and path.endswith(".html")]
    assert len(pages) == len(PAYLOADS[::3])
    scripts = ("/theme/",)
    for path in pages:
        page = tree[path].decode()
        begin, end = page.index('<div class="e-content prose">'), page.index('<footer class="post-footer">')
        if found := harm_in(page[begin:end], scripts):
            wrong[path] = found
    for item in ET.fromstring(tree["log/index.xml"]).iter("{http://purl.org/rss/1.0/modules/content/}encoded"):
        if found := harm_in(item.text or "", ()):
            wrong["feed"] = found
    assert wrong == {}
    for path, data in tree.items():
        if path.endswith(".svg") and "/cell-" in path:
            assert b"<script" not in data.lower()
            assert CANARY.encode() not in data or b"<text>" in data


def test_scripts_of_notebooks_do_not_run_where_posts_are_trusted(tmp_path: Path) -> None:
    script = "<script>alert({})</script>"
    cells = [
        text(HEAD, "raw"),
        text(f"Cell. {script.format(1)}\n\n{script.format(2)}"),
        text(script.format(3), "raw", metadata={"raw_mimetype": "text/html"}),
        code("x", result(text_markdown=f"Said. <b onclick='alert(4)'>x</b>\n\n{script.format(4)}")),
        code("x", result(text_html=f"<p>Shown.</p>{script.format(5)}")),
    ]
    files = {
        "devlog.toml": f'html = "trusted"\n{SITE["devlog.toml"]}',
        "content/log/2026-05-04-n.ipynb": notebook(*cells),
        "content/log/2026-05-05-p.md": f"{HEAD}\n\n{script.format(6)}\n",
    }
    report = build_site(write_site(tmp_path, {**SITE, **files}))
    page, post = ((tmp_path / f"public/log/2026-05-0{name}/index.html").read_text() for name in ("4-n", "5-p"))
    assert "alert(6)" in post
    assert "alert(" not in page
    assert all(words in page for words in ("Cell.", "Said.", "Shown."))
    # No hint to trust what is trusted already.
    assert {(item.code, item.hint) for item in report.diagnostics} == {("unsafe-html", "")}


def whole(cells: str) -> str:
    return f'{{"nbformat": 4, "cells": [{cells}]}}'


BOMBS: dict[str, Callable[[], str]] = {
    "open lists": lambda: '{"nbformat": 4, "cells": ' + "[" * 500_000,
    "nested metadata": lambda: whole(
        json.dumps(text("x"))[:-1] + ', "x": ' + '{"a":' * 200_000 + "1" + "}" * 200_000 + "}"
    ),
    "long numbers": lambda: f'{{"nbformat": {"9" * 100_000}, "cells": []}}',
    "long numbers in metadata": lambda: notebook(code("x", {**result(text_plain="x"), "metadata": {"a": 1}})).replace(
        '"a": 1', f'"a": {"9" * 100_000}'
    ),
    "surrogates": lambda: whole('{"cell_type": "markdown", "source": "\\ud800 x \\udfff"}'),
    "many cells": lambda: whole(",".join(["{}"] * 200_000)),
    "many small cells": lambda: whole(",".join(['{"cell_type":"markdown","source":[]}'] * 5_000)),
    "many outputs": lambda: whole('{"cell_type": "code", "outputs": [' + ",".join(["{}"] * 100_000) + "]}"),
    "many lines": lambda: whole('{"cell_type": "markdown", "source": [' + ",".join(['""'] * 100_000) + "]}"),
    "many images": lambda: notebook(*[code("x", *[result(image_png=encoded(PIXEL))] * (MAX_FILES // 2))] * 4),
    "a large image": lambda: notebook(code("x", result(image_png="A" * (24 << 20)))),
    "carriage returns": lambda: notebook(code("x", printed("x\r" * 200_000))),
    "escapes": lambda: notebook(code("x", printed("\x1b[" * 300_000))),
    "backticks": lambda: notebook(code("`" * 300_000), code("x", printed("`" * 90_000))),
    "attachments": lambda: notebook(text("](attachment:" * 50_000, attachments={"x": {}})),
    "dollars": lambda: notebook(code("x", result(text_latex="$" * 300_000), result(text_latex="$" + "a" * 300_000))),
    "brackets": lambda: notebook(code("x", result(text_html="<" * 50_000), result(text_html="<div>" * 10_000))),
    "braces": lambda: notebook(code("x", result(text_html="<p>" + "{{<" * 60_000))),
    "options": lambda: notebook(code("#| a: b\n" * 30_000)),
    "too much text": lambda: notebook(*[text("word " * 100_000)] * 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_read_or_refused(name: str) -> None:
    made = convert_notebook(ToConvert(BOMBS[name](), "content/x.ipynb"))
    assert len(made.text) < 4 << 20
    assert len(made.files) <= MAX_FILES
    assert len(made.problems) <= MAX_PROBLEMS


LARGE: dict[str, Callable[[], str]] = {
    "deep front matter": lambda: (
        '{"nbformat": 4, "metadata": {"devlog": {"x": ' + "[" * 90 + "0," * 4_500_000 + "0" + "]" * 90 + "}}}"
    ),
    "flat front matter": lambda: '{"nbformat": 4, "metadata": {"devlog": {"x": [' + "0," * 15_000_000 + "0]}}}",
    "names": lambda: '{"nbformat": 4, "metadata": {"authors": [' + '{"name":"a"},' * 2_300_000 + "0]}}",
    "strings": lambda: whole('{"cell_type": "raw", "source": [' + '"",' * 10_000_000 + '""]}'),
    "lines": lambda: whole('{"cell_type": "raw", "source": "' + "\\n" * 15_000_000 + '"}'),
    "blanks": lambda: notebook(code("x", result(image_png=" " * 30_000_000))),
}
CONVERT = """
import resource, sys
from pathlib import Path
from devlog.features.notebooks.parse.convert import convert_notebook
from devlog.model.converted import ToConvert
text = Path(sys.argv[1]).read_text()
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
print(len(convert_notebook(ToConvert(text, "content/x.ipynb")).text))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_memory_grows_with_the_file(name: str, tmp_path: Path) -> None:
    """A notebook has at most 32 MB, but each value in it can take a hundred bytes, and each line more."""
    file = tmp_path / "x.ipynb"
    file.write_text(LARGE[name]())
    done = subprocess.run([sys.executable, "-c", CONVERT, file], capture_output=True, text=True, check=False)
    assert done.stdout.strip().isdigit(), done.stderr[-1000:]


@pytest.mark.slow
def test_bombs_end_no_build(tmp_path: Path) -> None:
    names = ("open lists", "long numbers in metadata", "surrogates", "too much text", "brackets", "many lines")
    files = {f"content/log/2026-05-04-n{number}.ipynb": BOMBS[name]() for number, name in enumerate(names)}
    files["content/log/2026-05-04-n9.ipynb"] = notebook(text(HEAD, "raw"))
    report = build_site(write_site(tmp_path, {**SITE, **files}))
    assert {item.code for item in report.diagnostics if item.severity == "error"} <= {
        "bad-notebook",
        "expands-too-much",
    }
    assert {item.span.path for item in report.diagnostics if item.code == "expands-too-much"} == {
        "content/log/2026-05-04-n3.ipynb"
    }
