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


_COVER = f'<a href="https://canary.example/">{"Cover&nbsp;" * 40}{"<br>Cover" * 60}</a>'
_TABLE = "<table{}><thead>" + f"<tr><th{{}}>{_COVER}</th></tr>" * 2 + "</thead></table>"
_FLOAT = ' style="float:left;height:1px;width:100vw"'
_FILM = '<a href="https://canary.example/"><video poster="/tall.svg"></video></a>'
_HIDDEN_NOTE = '<li id="n"><a href="https://canary.example/"><img src="/late.svg" alt="" loading="lazy"></a></li>'
_HIDDEN = f"""\
<table><tbody><tr><td>Text.</td></tr></tbody></table>

Text.<sup class="footnote-ref"><a href="#n">1</a></sup>

<details><summary>More</summary><div class="footnotes"><ol>{_HIDDEN_NOTE}</ol></div></details>
"""
_TALL = '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="6000"/>'
_COVERS = {
    "note": f"<table><tbody><tr><td>Text.</td></tr></tbody></table>\n\nText.[^1]\n\n[^1]: {_FILM}\n",
    "hidden": _HIDDEN,
    "width": '<div style="float:left;width:0">' + _TABLE.format(' width="700"', "", "") + "</div>",
    "max-width": '<div style="float:left;max-width:1px">' + _TABLE.format("", "", "") + "</div>",
    "height": "<div>" + _TABLE.format("", _FLOAT, _FLOAT) + "</div>",
    "left": '<div style="width:0">' + _TABLE.format(' width="700" align="left"', "", "") + "</div>",
    "right": '<div style="width:0">' + _TABLE.format(' width="700" align="right"', "", "") + "</div>",
}


@pytest.mark.parametrize("theme", ["default", "paper"])
@pytest.mark.parametrize("width", [1300, 400])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_links_around_a_post_are_what_is_clicked(
    browser: Browser, tmp_path: Path, language: str, width: int, theme: str
) -> None:
    front = "---\ntitle: Log\nauthor: Ada Quill (@adaquill)\ndate: 2026-01-0{}\ntags: [wal]\n---\n"
    heads = "".join(f"## Head {number}\n\nText.\n\n" for number in range(5))
    posts = {
        f"content/{name}.md": f"{front.format(number)}{heads}{cover}"
        for number, (name, cover) in enumerate(_COVERS.items(), 1)
    }
    config = f'title = "Lumen"\nlanguage = "{language}"\ntheme = "{theme}"\n'
    root = write_site(tmp_path, {"devlog.toml": config, "static/tall.svg": _TALL, "static/late.svg": _TALL, **posts})
    build_site(root)
    with serving(root / "public") as url, tab(browser, url, width=width) as opened:
        missed = {}
        for name in _COVERS:
            opened.open(f"{name}/")
            opened.page.wait_for_load_state("networkidle")  # the picture of a film comes when all is laid out
            # Contents beside the text stay in view as the page is scrolled to the table.
            missed[name] = opened.page.evaluate(
                """() => {
                    const links = (where) => [...document.querySelectorAll(where)].filter(
                        (one) => one.checkVisibility({ contentVisibilityAuto: true }));
                    const isMissed = (one) => {
                        const [box] = one.getClientRects();
                        const found = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
                        return found && !one.contains(found);
                    };
                    document.querySelector("table").scrollIntoView();
                    const beside = links(".toc a").filter(isMissed);
                    const around = links("nav a, footer :is(a, button)").filter((one) => {
                        one.scrollIntoView({ block: "center" });
                        return isMissed(one);
                    });
                    scrollTo(0, document.body.scrollHeight);
                    const from = document.querySelector(".e-content").getBoundingClientRect().bottom + 10;
                    const below = [];
                    for (let y = Math.max(0, from); y < innerHeight; y += 10) {
                        below.push(...[16, 6, 3, 1.2].map((part) => document.elementFromPoint(innerWidth / part, y)));
                    }
                    const over = below.filter((one) => one?.closest("a")?.href.includes("canary"));
                    return [...beside, ...around, ...over].map((one) => one.textContent.slice(0, 20));
                }"""
            )
        assert missed == {name: [] for name in _COVERS}
