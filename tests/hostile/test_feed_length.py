"""Feeds of sites that trust their posts: elements that are never closed take work by their number."""

from __future__ import annotations

import pytest

from devlog import sanitize
from devlog.render import feed

LENGTH = 4_000_000


@pytest.fixture(autouse=True)
def _without_sanitizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitize, "sanitize_for_feed", lambda html: html)


@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize(
    "piece",
    [
        '<pre tabindex="0"><code',
        '<pre tabindex="0"><code>',
        '</code></pre><pre tabindex="0"><code>',
        '<math alttext="',
        '<math alttext=""',
        '<math alttext="">',
        '<input class="task-list-item-checkbox"',
        '<span class="line-number" aria-hidden="true">1',
        '<span class="',
    ],
)
def test_elements_that_are_never_closed(piece: str) -> None:
    html = piece * (LENGTH // len(piece))
    assert feed._sanitized(html) == html


def test_elements_that_are_closed() -> None:
    code = '<pre tabindex="0"><code class="x"><span class="k">if</span> x</code></pre>'
    math = '<math alttext="a &lt; b" display="block"><mi>a</mi></math>'
    html = f'<pre tabindex="0"><code{math}<b>{code}</math></code></pre>{code}<span class="k">x</span>'
    assert feed._sanitized(html) == (
        '<pre tabindex="0"><code<code>a &lt; b</code><b><pre tabindex="0"><code class="x">if x</code></pre></math>'
        '</code></pre><pre tabindex="0"><code class="x">if x</code></pre><span class="k">x</span>'
    )
