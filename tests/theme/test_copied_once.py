"""What the theme's scripts copy of a post is copied once, whatever its HTML is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from quality.browsing import tab
from quality.server import serving
from sites import build_site, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

MARK = '<sup class="footnote-ref"><a href="{}">1</a></sup> '
NOTES = f"""---
title: Notes
date: 2026-05-01
---
<p>Text {"".join(map(MARK.format, ("#n", "an", "bn", "#n")))}.</p>

{"Words of a post. " * 200}

<div class="footnotes"><ol><li id="n">The note.</li></ol></div>
"""
INNER = '<div class="tabs">{}{}</div>'.format(*('<div class="tab"><p class="tab-title">inner</p>x</div>',) * 2)
TABS = f"""---
title: Tabs
date: 2026-05-01
---
<div class="tabs"><div class="tab">{INNER}<p class="tab-title">outer</p></div>
<div class="tab"><p class="tab-title">other</p>x</div></div>
"""

MANY = f"""---
title: Many
date: 2026-05-01
---
{"".join(f"<p>{MARK.format(f'#n{number}') * 8}</p>{'<p>Words of a post.</p>' * 20}" for number in range(5))}
<div class="footnotes"><ol>{"".join(f'<li id="n{number}">{"<b>x</b>" * 40}</li>' for number in range(5))}</ol></div>
"""
"""Five notes of forty elements, with eight marks each."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    files = {
        "devlog.toml": 'title = "Lumen"\n',
        "content/notes.md": NOTES,
        "content/tabs.md": TABS,
        "content/many.md": MANY,
    }
    root = write_site(tmp_path_factory.mktemp("copied"), files)
    build_site(root)
    with serving(root / "public") as url:
        yield url


def test_a_note_is_in_the_margin_once_however_marks_spell_it(browser: Browser, site: str) -> None:
    with tab(browser, site, width=1500) as opened:
        opened.open("notes/")
        opened.page.locator(".margin-note").first.wait_for()
        assert opened.page.locator(".footnote-ref").count() == 4
        assert opened.page.locator(".margin-note").count() == 1
        opened.page.locator(".footnote-ref a").nth(1).focus()
        assert not opened.page.evaluate("document.activeElement.hasAttribute('aria-describedby')")  # another page


def test_a_tab_has_its_own_name_not_that_of_a_tab_in_it(browser: Browser, site: str) -> None:
    with tab(browser, site) as opened:
        opened.open("tabs/")
        names = opened.page.locator(".prose > .tabs > .tab-list > [role=tab]").all_inner_texts()
        assert names == ["outer", "other"]


def test_many_notes_of_many_elements_are_copied_once_in_all(browser: Browser, site: str) -> None:
    with tab(browser, site, width=1500) as opened:
        opened.open("many/")
        opened.page.locator(".margin-note").first.wait_for()
        assert opened.page.locator(".footnotes b").count() == 200
        assert 200 < opened.page.locator("b").count() <= 400
