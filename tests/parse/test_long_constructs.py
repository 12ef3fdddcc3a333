"""Long styles, unfinished tags and labels: parsing takes time that grows with them, and not faster."""

from __future__ import annotations

import pytest

from devlog.model.source import Source
from devlog.parse.html.raw_html import show_as_text
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize(
    "html",
    [
        f'<p style="width:{"a" * 300_000}">Words.</p>',
        f"<p>Words.</p><title>{'<' * 300_000}",
        f"<p>Words.</p><title>{'<a' * 150_000}",
    ],
)
def test_it_is_read_soon(html: str) -> None:
    """Each would take minutes, if every letter of it began another search to its end."""
    text = f"---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n\n{html}\n"
    parsed, *_ = parse(Source("log/2026-05-01-a.md", "content/log/2026-05-01-a.md", text), ParseOptions())
    assert not [problem for problem in parsed.diagnostics if problem.severity == "error"]


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize(
    "text", ["[^" * 150_000, f"{'[^a' * 150_000}\n\n[^a]: A note.", f"{'^[' * 150_000}x{']' * 150_000}"]
)
def test_labels_of_footnotes_that_never_end(text: str) -> None:
    source = Source("log/2026-05-01-a.md", "content/log/2026-05-01-a.md", f"---\ntitle: A\n---\n\n{text}\n")
    parsed, body, _ = parse(source, ParseOptions(markdown_versions=True))
    assert body.length
    assert not [problem for problem in parsed.diagnostics if problem.severity == "error"]


def test_tags_become_the_text_that_they_look_like() -> None:
    html = 'a <undef x> </undef> <Undef/> <<undef > <other <undef y> <p title="<undef z>"> </p <undef'
    assert show_as_text(html, ["undef"]) == (
        'a &lt;undef x> &lt;/undef> &lt;Undef/> <&lt;undef > <other &lt;undef y> <p title="&lt;undef z>"> </p <undef'
    )
