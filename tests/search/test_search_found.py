"""What a search of the published site finds, counts and shows, also where Pagefind alone would find something else."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from quality.browsing import chromium
from search_browsing import BASE, PATIENCE, asked_for, opened, served
from search_sites import write
from sites import build_site

from devlog.features.site_search.derive import bundles

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

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


WORDS = posts(
    "A unique wombat.",
    "The uniquelastword of a wombat, and of p1999.",
    "Rows of p199 that are unique.",
    "Call `oceanTideOf` first.",
    "An emptier queue.",
    "No cat sleeps here.",
)


@pytest.mark.parametrize("in_bundles", [False, True], ids=["one bundle", "a bundle for each post"])
def test_a_word_is_not_found_by_its_own_beginning(browser: Browser, tmp_path: Path, in_bundles: bool) -> None:
    with searching(browser, write(tmp_path, **WORDS), in_bundles=in_bundles) as page:
        assert found(page, "uniquelastword") == ["p2"]
        assert found(page, "uniquelast") == ["p2"]
        assert found(page, "unique") == ["p1", "p2", "p3"]
        assert found(page, "p1999") == ["p2"]
        assert found(page, "p199") == ["p2", "p3"]
        assert found(page, "oceanTi") == ["p4"]
        assert found(page, "oceantideof") == ["p4"]
        assert found(page, "emptiness") == ["p5"]  # by its stem, which no word of the post has as its own
        assert found(page, "uniquelastword wombat") == ["p2"]
        assert found(page, "uniquelastword & wombat") == ["p2"]
        assert found(page, "uniquelastword unique wombat") == ["p2"]
        assert found(page, "catacomb") == []


def test_what_only_the_list_of_words_has_finds_nothing_else(browser: Browser, tmp_path: Path) -> None:
    root = write(tmp_path, **posts("A gull<b>stoat</b>.", "Exhibit s, by itself."))
    with searching(browser, root) as page:
        assert found(page, "stoat") == []


def test_posts_in_other_languages_than_the_site_are_found(browser: Browser, tmp_path: Path) -> None:
    texts = posts("A wombat.", "Ein Nasenbär.", "حيوان الومبت.")
    german, arabic = (f"content/kernels/p{day}.md" for day in (2, 3))
    texts[german] = texts[german].replace("---\n", "---\nlang: de\n", 1)
    texts[arabic] = texts[arabic].replace("---\n", "---\nlang: ar\n", 1)
    with searching(browser, write(tmp_path, **texts)) as page:
        assert found(page, "wombat") == ["p1"]
        assert found(page, "Nasenbär") == ["p2"]
        assert found(page, "الومبت") == ["p3"]


def test_results_in_other_languages_say_so(browser: Browser, tmp_path: Path) -> None:
    texts = posts("A wombat.", "Der wombat.")
    texts["content/kernels/p2.md"] = texts["content/kernels/p2.md"].replace("---\n", "---\nlang: de\n", 1)
    with searching(browser, write(tmp_path, **texts)) as page:
        assert sorted(found(page, "wombat")) == ["p1", "p2"]
        for name in (".search-title", ".search-excerpt"):
            languages = page.locator(name).evaluate_all("all => all.map(one => one.lang).sort()")
            assert languages == ["", "de"]


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


@pytest.mark.parametrize("title", ["\u2060", "\ua66e"])
def test_a_title_of_which_the_index_has_nothing(browser: Browser, tmp_path: Path, title: str) -> None:
    texts = posts("A wombat.", "A wombat, too.")
    texts["content/kernels/p1.md"] = texts["content/kernels/p1.md"].replace("Entry 1", json.dumps(title))
    with searching(browser, write(tmp_path, **texts)) as page:
        assert found(page, "wombat") == ["p1", "p2"]
        assert sorted(page.locator("dialog .search-title").all_inner_texts()) == ["Entry 2", "P1"]


def edited(change: Callable[[dict[str, Any]], None]) -> Callable[[Route], None]:
    """Changes the stored texts before the page has them."""

    def fulfill(route: Route) -> None:
        data = json.loads(gzip.decompress(route.fetch().body()).removeprefix(b"pagefind_dcd"))
        change(data)
        route.fulfill(body=gzip.compress(b"pagefind_dcd" + json.dumps(data).encode()))

    return fulfill


def test_one_bad_result_hides_no_other(browser: Browser, tmp_path: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        if data["url"].endswith("/p1/"):
            del data["meta"]["title"]
        if data["url"].endswith("/p2/"):
            data["meta"]["title"] = 2

    with searching(browser, write(tmp_path, **posts("A wombat.", "A wombat, too.", "A wombat."))) as page:
        page.route("**/fragment/*", edited(change))
        assert found(page, "wombat") == ["p1", "p2", "p3"]


@pytest.mark.parametrize("part", ["facets.json", "words/*.json", "index/*"])
@pytest.mark.parametrize("answer", ["none", "404", "page"])
def test_a_part_that_is_missing_is_told_and_tried_again(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, part: str, answer: str
) -> None:
    answers: dict[str, Callable[[Route], None]] = {
        "none": lambda route: route.abort(),
        "404": lambda route: route.fulfill(status=404, body="nothing"),
        "page": lambda route: route.fulfill(content_type="text/html", body="<p>Home</p>"),
    }
    root = write(tmp_path_factory.mktemp("site"), **posts("A wombat.", "An alpha wombat."))
    with searching(browser, root) as page:
        page.route(f"**/pagefind/{part}", answers[answer])
        page.reload()
        opened(page)
        page.fill("dialog .search-field", "wombat")
        page.wait_for_selector("dialog .search[data-state=failed]")
        assert page.inner_text("dialog .search-status") == "Search could not be loaded."
        page.unroute(f"**/pagefind/{part}")
        assert found(page, "wombat alpha") == ["p2"]
        assert found(page, "wombat") == ["p1", "p2"]
        page.wait_for_selector("dialog .search-filter:not([hidden])")


def test_a_word_of_a_long_text_is_compared_once(browser: Browser, tmp_path: Path) -> None:
    number = 3000
    text = f"{'wombat ' * number}\n\n## End\n\n{'It ends. ' * 40} A wombat sleeps."
    with searching(browser, write(tmp_path, **posts(text))) as page:
        page.evaluate(
            """() => {
                const own = String.prototype.toLowerCase;
                window.lowered = 0;
                String.prototype.toLowerCase = function () { window.lowered += 1; return own.call(this); };
            }"""
        )
        assert found(page, "sleeps wombat") == ["p1"]
        assert page.locator("dialog mark").all_inner_texts() == ["wombat", "sleeps"]
        assert page.inner_text("dialog .search-section") == "End"
        assert page.evaluate("window.lowered") < number


def test_numbers_are_written_as_on_pages(browser: Browser, tmp_path: Path) -> None:
    def more(route: Route) -> None:
        data = route.fetch().json()
        data["year"] = [["2026", data["year"][0][1], 1234567], ["2025", "x", 999]]
        route.fulfill(json=data)

    with searching(browser, write(tmp_path, **posts("A wombat."))) as page:
        page.route("**/facets.json", more)
        page.reload()
        opened(page)
        page.wait_for_selector("dialog .search-filter:not([hidden])")
        options = page.locator("dialog select[name=year] option").all_inner_texts()
        assert options[1:] == ["2026 (1,234,567)", "2025 (999)"]
