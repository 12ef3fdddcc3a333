"""Where the texts of charts are, on pages of both directions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from quality.browsing import tab
from quality.server import serving
from sites import build_site, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

CHARTS = """---
title: Charts
date: 2026-05-01
---
```csv plot=bar title="Upright" y="ms"
name,قراءة 12,writes
one,1,2
two,3,4
```

```csv plot=bar title="From left to right" y="زمن (ms)"
name,reads,كتابة
قراءة الملفات الكبيرة (1),1,2
writing the large files,3,4
```

```csv plot=line title="Lines" y="ms"
n,reads,writes
1,1,2
2,3,4
```
"""

LETTERS = """() => [...document.querySelectorAll(".plot text")].map(
  (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""

# No text meets a line of the axes, a bar, a point or another text, or is outside of the chart.
MEETING = """() => [...document.querySelectorAll(".plot")].flatMap((plot) => {
  const box = (one) => one.getBoundingClientRect();
  const crosses = (a, b, start, end) => a[start] < b[end] - 0.5 && b[start] < a[end] - 0.5;
  const meets = (a, b) => crosses(a, b, "left", "right") && crosses(a, b, "top", "bottom");
  const texts = [...plot.querySelectorAll("text")];
  const marks = [...plot.querySelectorAll("rect, line, circle")];
  const line = (rect) => ({ left: rect.left, right: rect.right, top: rect.top - 1, bottom: rect.bottom + 1 });
  const out = texts.filter((one) => box(one).left < box(plot).left - 1 || box(one).right > box(plot).right + 1);
  return texts.flatMap((text, index) => [...marks, ...texts.slice(index + 1)]
    .filter((mark) => meets(box(text), mark.matches("line") ? line(box(mark)) : box(mark)))
    .map((mark) => [text.textContent, mark.outerHTML]))
    .concat(out.map((one) => [one.textContent, "outside"]));
})"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["default", "paper"])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_no_text_of_a_chart_meets_another_mark(
    browser: Browser, tmp_path: Path, language: str, theme: str, width: int
) -> None:
    config = f'title = "Lumen"\nlanguage = "{language}"\ntheme = "{theme}"\n'
    files = {"devlog.toml": config, "content/charts.md": CHARTS}
    root = write_site(tmp_path, files)
    build_site(root)
    with serving(root / "public") as url, tab(browser, url, width=width) as opened:
        opened.open("charts/")
        assert opened.page.locator(".plot").count() == 3
        assert opened.page.evaluate(MEETING) == []


@pytest.mark.parametrize("theme", ["default", "paper"])
def test_letters_of_a_chart_are_as_large_on_the_smallest_phone(browser: Browser, tmp_path: Path, theme: str) -> None:
    root = write_site(tmp_path, {"devlog.toml": f'theme = "{theme}"\n', "content/charts.md": CHARTS})
    build_site(root)
    with serving(root / "public") as url, tab(browser, url, width=320) as opened:
        opened.open("charts/")
        sizes = opened.page.evaluate(LETTERS)
        assert len(sizes) > 10
        assert min(sizes) > 9
        assert opened.page.evaluate("() => document.documentElement.scrollWidth") == 320
