"""What a search of the published site finds, counts and shows, also where Pagefind alone would find something else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from quality.browsing import chromium
from search_browsing import BASE, PATIENCE, asked_for, opened, served
from search_sites import write
from sites import build_site

from devlog.features.site_search.derive import bundles

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

POST = "---\ntitle: {title}\ndate: 2026-03-{day:02}\nauthor: Ada Quill (@adaquill)\n---\n\n{text}\n"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def posts(*texts: str) -> dict[str, str]:
    """A post for each text, named after its number."""
    return {
        f"content/kernels/p{day}.md": POST.format(title=f"Entry {day}", day=day, text=text)
        for day, text in enumerate(texts, 1)
    }


@contextmanager
def searching(browser: Browser, root: Path, *, in_bundles: bool = False) -> Iterator[Page]:
    """The open search of a site, with one bundle or with one for each post."""
    with pytest.MonkeyPatch.context() as patch:
        if in_bundles:
            patch.setattr(bundles, "SMALLEST", 1)
            patch.setattr(bundles, "LARGEST", 1)
        assert not build_site(root, search=True).failed
    with served(root / "public") as (address, _):
        page = browser.new_page(base_url=address)
        page.set_default_timeout(PATIENCE)
        page.goto(f"{BASE}archive/")
        yield opened(page)
        page.close()


def found(page: Page, query: str) -> list[str]:
    """The names of the posts that a query finds; the line above them has the same number."""
    names = [path.partition("#")[0].strip("/").rpartition("/")[2] for path in asked_for(page, query)]
    number = f"{len(names)} post{'' if len(names) == 1 else 's'} found" if names else "No results"
    assert page.inner_text("dialog .search-status").removeprefix("No post contains all words, ") == number
    return sorted(names)


BLOCKS = """\
<table><tr><th>zebra</th><th>giraffe</th></tr></table>

<dl><dt>marten</dt><dd>stoat</dd></dl>

<details><summary>ibex</summary>chamois</details>

```csv plot=bar title="bongo"
kudu,oryx
sable,1
```
"""


def test_words_of_adjacent_elements_are_found(browser: Browser, tmp_path: Path) -> None:
    with searching(browser, write(tmp_path, **posts(BLOCKS))) as page:
        for word in ("zebra", "giraffe", "marten", "stoat", "ibex", "chamois", "bongo", "oryx"):
            assert found(page, word) == ["p1"], word
            assert page.locator("dialog mark").all_inner_texts() == [word]
