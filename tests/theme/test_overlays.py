"""What a post contains lies over nothing of the page around it."""

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


@pytest.mark.parametrize("width", [1400, 390])
def test_no_link_of_a_post_lies_over_what_is_beside_it(browser: Browser, tmp_path: Path, width: int) -> None:
    front = "---\ntitle: {}\nauthor: Ada Quill (@adaquill)\ndate: 2026-01-0{}\ntags: [wal]\n---\n"
    link = '<a class="anchor" href="https://canary.example/"><div style="height:{}px;width:3000px">x</div></a>'
    beside = f'<div dir="rtl" style="width:9000px;max-width:none">{link.format(600)}</div>\n\n'
    over = f'{beside}<div style="height:0;max-height:0">{link.format(3000)}</div>\n'
    rows = "".join(f'<tr><th><a href="https://canary.example/">{"Wide " * 200}</a></th></tr>' for _ in range(9))
    beside += f'<div dir="rtl"><table width="4000"><thead>{rows}</thead></table></div>\n\n'
    table = f"<table><thead>{rows}</thead></table>"
    beside += f'<div dir="rtl"><div style="margin-right:500px;width:100%">{table}</div></div>\n\n'
    heads = "".join(f"## Head {number}\n\nText.\n\n" for number in range(12))
    shift = "float:right;width:3000px !important;max-width:none !important;height:1500px"
    note = f'Text.[^1]\n\n[^1]: <a href="https://canary.example/"><img src="/a.svg" alt="x" style="{shift}"></a>\n\n'
    letters = "\u2003" * 70
    raised = [f"[${step}\\raisebox{{15.6em}}{{{letters}}}$](https://canary.example/)\n\n" for step in ("", "\\!" * 80)]
    body = "".join((*raised, note, heads, over))
    posts = {f"content/a{number}.md": front.format(number, number) + body for number in (1, 2, 3)}
    image = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"/>'
    root = write_site(tmp_path, {"devlog.toml": 'title = "Lumen"\n', "static/a.svg": image, **posts})
    build_site(root)
    with serving(root / "public") as url, tab(browser, url, width=width) as opened:
        opened.open("a2/")
        covered = opened.page.evaluate(
            """() => [...document.querySelectorAll("a, button")].filter((one) => {
                one.scrollIntoView({ block: "center" });
                const box = one.getBoundingClientRect();
                const found = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
                const isBeside = !one.closest(".prose") && one.checkVisibility({ contentVisibilityAuto: true });
                return isBeside && found?.closest("a")?.href.includes("canary");
            }).map((one) => one.textContent)"""
        )
        assert covered == []
