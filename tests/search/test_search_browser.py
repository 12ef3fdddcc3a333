"""The search as readers have it: a real browser, below a path, under a strict policy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from quality.browsing import chromium
from search_browsing import BASE, DONE, PATIENCE, Handler, asked_for, links, opened, served
from search_sites import write
from sites import build_site

from devlog.features.site_search.derive import bundles
from devlog.features.site_search.derive.bundles import LARGEST

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

GUARDS = f"{BASE}kernels/2026-05-04-guards/"
PAGES = f"{BASE}storage/2025-02-03-pages/"


@pytest.fixture(scope="module", params=[LARGEST, 1], ids=["one bundle", "three bundles"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    root = write(tmp_path_factory.mktemp("site"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundles, "SMALLEST", 1)
        patch.setattr(bundles, "LARGEST", request.param)
        report = build_site(root, search=True)
    assert not report.diagnostics
    with served(root / "public") as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def tab(browser: Browser, site: tuple[str, list[str]]) -> Iterator[Page]:
    wrong: list[str] = []
    context = browser.new_context(base_url=site[0], reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type in {"error", "warning"} else None)
    page.goto(f"{BASE}archive/")
    yield page
    context.close()
    assert not [text for text in wrong if "application/wasm" not in text]  # what this simple server calls it


def test_what_has_most_of_the_words_says_what_it_lacks(tab: Page) -> None:
    page = opened(tab)
    found = asked_for(page, "recompiles statistics evening")
    assert [address.partition("#")[0] for address in found] == [GUARDS, PAGES]
    assert page.inner_text("dialog .search-status") == "No post contains all words, 2 posts found"
    facts = page.eval_on_selector_all("dialog .search-facts", "all => all.map(one => one.textContent)")
    assert [fact.rpartition(" · ")[2] for fact in facts] == ["without evening", "without recompiles, statistics"]


def test_a_letter_that_went_is_likelier_than_a_wrong_one(browser: Browser, tmp_path: Path) -> None:
    post = "---\ntitle: {0}\ndate: 2026-05-04\nauthor: Ada Quill (@adaquill)\n---\n{1}\n"
    texts = {"content/storage/a.md": post.format("Came", "It came, and came again. " * 9)}
    texts["content/storage/b.md"] = post.format("Pages", "A page in the cache.")
    root = write(tmp_path, **texts)
    assert not build_site(root, search=True).failed
    with served(root / "public") as (url, _asked):
        page = browser.new_page(base_url=url)
        page.goto(f"{BASE}archive/")
        assert asked_for(opened(page), "cahe")[0] == f"{BASE}storage/b/"
        page.close()


def test_a_long_word_does_not_stop_the_page(browser: Browser, tmp_path: Path) -> None:
    long = f"needle{'.' * 300_000}x"
    text = f"---\ntitle: Long\ndate: 2026-05-04\nauthor: Ada Quill (@adaquill)\n---\n`{long}` end.\n"
    root = write(tmp_path, **{"content/storage/a.md": text})
    assert not build_site(root, search=True).failed
    with served(root / "public") as (url, _asked):
        page = browser.new_page(base_url=url)
        page.goto(f"{BASE}archive/")
        assert asked_for(opened(page), "needle") == [f"{BASE}storage/a/"]
        assert page.inner_text("dialog .search-excerpt") == f"{long[:100]}… end."
        page.close()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Guards recompiles", GUARDS),
        ("recompile_limit", f"{GUARDS}#when-a-guard-fails"),
        ("recompile", GUARDS),
        ("limit", None),
        ("torch._check", f"{GUARDS}#when-a-guard-fails"),
        ("_check", f"{GUARDS}#when-a-guard-fails"),
        ("--no-cache", f"{GUARDS}#when-a-guard-fails"),
        ("TensorImpl::sizes", f"{GUARDS}#sizes"),
        ("impl::sizes", f"{GUARDS}#sizes"),
        ("getElementPtr", f"{GUARDS}#sizes"),
        ("getelementptr", f"{GUARDS}#sizes"),
        ("element ptr", f"{GUARDS}#sizes"),
        ("bottom of the heap", PAGES),
        ('"quiet evening"', f"{PAGES}#compaction"),
        ("quiet evning", f"{PAGES}#compaction"),
        ("recompiel_limit", f"{GUARDS}#when-a-guard-fails"),
        ("compactoin", f"{PAGES}#compaction"),
        ("xompaction", f"{PAGES}#compaction"),
        ("heap xyzzyplugh", PAGES),
    ],
)
def test_what_is_found(tab: Page, query: str, expected: str | None) -> None:
    found = asked_for(opened(tab), query)
    assert found
    if expected:
        assert found[0] == expected
    else:
        assert {link.partition("#")[0] for link in found} == {GUARDS}


def test_nothing_is_loaded_before_it_is_opened(tab: Page, site: tuple[str, list[str]]) -> None:
    asked = site[1]
    asked.clear()
    tab.goto(GUARDS)
    tab.wait_for_load_state("networkidle")
    assert not [path for path in asked if "pagefind" in path or "search.css" in path]
    asked_for(opened(tab), "heap")
    assert [path for path in asked if path.endswith("/pagefind/pagefind.js")]
    assert [path for path in asked if path.endswith("search.css")]
    assert all(path.startswith(BASE) for path in asked if "pagefind" in path)


def test_only_by_keyboard(tab: Page) -> None:
    tab.focus(".site-nav a")
    tab.keyboard.press("Control+k")
    tab.wait_for_selector("dialog[open]")
    assert tab.evaluate("document.activeElement.className") == "search-field"
    asked_for(tab, "planner")
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("document.activeElement.href").endswith("/2026-05-04-guards/")
    tab.keyboard.press("ArrowUp")
    assert tab.evaluate("document.activeElement.className") == "search-field"
    for _ in range(20):
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
    tab.keyboard.press("Escape")
    assert not tab.query_selector("dialog[open]")
    assert tab.evaluate("document.activeElement.closest('.site-nav') !== null")
    tab.keyboard.press("/")
    asked_for(tab, "heap")
    with tab.expect_navigation():
        tab.keyboard.press("Enter")
    assert urlsplit(tab.url).path == PAGES


def test_one_escape_closes_the_search(tab: Page) -> None:
    opened(tab)
    asked_for(tab, "heap")
    tab.keyboard.press("Escape")
    assert not tab.query_selector("dialog[open]")
    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.value") == "heap"


def test_a_slash_that_is_typed_stays_a_slash(tab: Page) -> None:
    opened(tab)
    tab.keyboard.type("a/b")
    assert tab.input_value("dialog .search-field") == "a/b"


def test_by_pointer(tab: Page) -> None:
    tab.click(".search-open")
    tab.wait_for_selector("dialog[open]")
    tab.click("dialog .search-close")
    assert not tab.query_selector("dialog[open]")
    tab.click(".search-open")
    tab.mouse.click(5, 5)  # beside it
    assert not tab.query_selector("dialog[open]")
    tab.click(".search-open")
    asked_for(tab, "compaction")
    tab.click("dialog .search-link")
    tab.wait_for_url(f"**{PAGES}#compaction")
    assert not tab.query_selector("dialog[open]")


def test_the_link_leads_to_the_archive_without_the_script(browser: Browser, site: tuple[str, list[str]]) -> None:
    context = browser.new_context(base_url=site[0], java_script_enabled=False)
    page = context.new_page()
    page.goto(GUARDS)
    page.click(".search-open")
    assert urlsplit(page.url).path == f"{BASE}archive/"
    assert not page.is_visible("dialog")
    page.goto(f"{BASE}search/")
    assert page.is_visible("noscript a")
    context.close()


def test_a_result_shows_what_was_found(tab: Page) -> None:
    asked_for(opened(tab), "guard fails")
    row = tab.locator("dialog .search-result").first
    assert row.locator(".search-title").inner_text() == "Guards and recompiles"
    assert row.locator(".search-section").inner_text() == "When a guard fails"
    assert row.locator(".search-facts").inner_text() == "Kernels · May 4, 2026"
    marked = row.locator("mark").all_inner_texts()
    assert len(marked) >= 2
    assert all(word[0].isalnum() and word[-1].isalnum() for word in marked), marked
    assert "fails." in row.locator(".search-excerpt").inner_text()
    assert tab.inner_text("dialog .search-status") == "1 post found"
    asked_for(tab, "sizes")
    excerpt = tab.inner_text("dialog .search-excerpt")
    assert "limit(TensorImpl::sizes(x), getElementPtr(y))" in excerpt
    assert "Ada Quill" not in excerpt
    asked_for(tab, "evning")
    assert tab.inner_text("dialog .search-status") == "1 post found for “evening”"
    asked_for(tab, "xyzzyplugh")
    assert tab.inner_text("dialog .search-status") == "No results"
    asked_for(tab, "Bo Reed")
    assert links(tab) == [PAGES]
    assert tab.inner_text("dialog .search-excerpt").startswith("Cold pages sink")


def choose(tab: Page, name: str, value: str) -> list[str]:
    """Narrow the results, and give what is left."""
    option = tab.locator(f"dialog select[name={name}] option").filter(has_text=value).first
    tab.evaluate("document.querySelector('dialog .search').dataset.state = 'waiting'")
    tab.select_option(f"dialog select[name={name}]", option.get_attribute("value"))
    tab.wait_for_selector(f"dialog {DONE}")
    return links(tab)


def test_results_are_narrowed(tab: Page) -> None:
    opened(tab)
    tab.wait_for_selector("dialog .search-filter:not([hidden])")
    assert len(asked_for(tab, "the")) == 3
    assert choose(tab, "topic", "Storage") == [PAGES]
    assert choose(tab, "topic", "Any") != [PAGES]
    assert choose(tab, "year", "2025 (1)") == [PAGES]
    assert choose(tab, "author", "Ada Quill") == []
    assert choose(tab, "year", "Any")[0].startswith(GUARDS)
    assert [link.partition("#")[0] for link in asked_for(tab, "")] == [GUARDS]  # a filter alone lists all that has it
    assert choose(tab, "tag", "storage") == []


def test_names_with_markup_are_text(tab: Page) -> None:
    opened(tab)
    tab.wait_for_selector("dialog .search-filter:not([hidden])")
    assert asked_for(tab, "canary")
    assert tab.inner_text("dialog .search-title") == '<img src=x onerror="window.hacked=1"> & "quotes"'
    assert "<script>window.hacked = 1</script>" in tab.inner_text("dialog .search-result")
    assert "<b>Cy Moss</b> (1)" in tab.inner_text("dialog select[name=author]")
    asked_for(tab, '<img src=x onerror="window.hacked=1">')
    asked_for(tab, "<script>")
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("dialog img, dialog script, dialog b, dialog i").count() == 0


def test_the_page_keeps_what_was_asked_in_its_address(tab: Page) -> None:
    tab.goto(f"{BASE}search/?q=compaction")
    tab.wait_for_selector(f".search-page {DONE}")
    assert links(tab, ".search-page") == [f"{PAGES}#compaction"]
    assert tab.query_selector("dialog") is None
    asked_for(tab, "planner", ".search-page")
    tab.wait_for_url("**/search/?q=planner")
    tab.keyboard.press("Control+k")
    assert tab.evaluate("document.activeElement.className") == "search-field"
    tab.reload()
    tab.wait_for_selector(f".search-page {DONE}")
    assert tab.input_value(".search-field") == "planner"
    tab.goto(f"{BASE}search/?q=%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E")
    tab.wait_for_selector(f".search-page {DONE}")
    assert tab.evaluate("window.hacked") is None


class Lasting(Handler):
    """Lets browsers keep what they have for ten minutes, as hosts of static sites do."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


def test_a_page_that_stays_open_finds_what_is_new(tmp_path: Path, browser: Browser) -> None:
    """The bundles that it knows, and those that its browser has kept, are gone when the site was built anew."""
    root = write(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundles, "SMALLEST", 1)
        patch.setattr(bundles, "LARGEST", 1)
        build_site(root, search=True)
        with served(root / "public", Lasting) as (address, _):
            page = browser.new_page(base_url=address)
            page.goto(f"{BASE}archive/")
            opened(page)
            assert asked_for(page, "recompiles")
            for post in sorted((root / "content").rglob("20*.md")):
                post.rename(post.with_name(f"{post.stem}-again.md"))
            build_site(root, search=True)
            found = asked_for(page, "evening")
            assert found
            assert all("-again/" in path for path in found)
            page.close()


def test_an_index_that_cannot_be_read_is_told(tab: Page) -> None:
    tab.route(
        "**/pagefind/pagefind.js", lambda route: route.fulfill(status=200, content_type="text/javascript", body="")
    )
    opened(tab)
    tab.fill("dialog .search-field", "planner")
    tab.wait_for_selector("dialog .search[data-state=failed]")
    assert tab.inner_text("dialog .search-status") == "Search could not be loaded."


def test_many_results_come_a_few_at_a_time(tmp_path: Path, browser: Browser) -> None:
    post = "---\ntitle: Post {0}\ndate: 2026-03-{0:02}\nauthor: Ada Quill (@adaquill)\n---\n\nThe planner, again.\n"
    more = {f"content/kernels/2026-03-{day:02}-p.md": post.format(day) for day in range(1, 21)}
    root = write(tmp_path, **more)
    build_site(root, search=True)
    with served(root / "public") as (address, _):
        page = browser.new_page(base_url=address)
        page.set_default_timeout(PATIENCE)
        page.goto(f"{BASE}archive/")
        assert len(asked_for(opened(page), "planner")) == 8
        assert page.inner_text("dialog .search-status") == "21 posts found"
        page.click("dialog .search-more")
        page.locator("dialog .search-link").nth(15).wait_for()
        assert len(links(page)) == 16
        page.locator("dialog .search-link:focus").wait_for()
        assert page.evaluate("document.activeElement === document.querySelectorAll('dialog .search-link')[8]")
        page.click("dialog .search-more")
        page.locator("dialog .search-link").nth(20).wait_for()
        assert len(links(page)) == 21
        assert not page.is_visible("dialog .search-more")
        assert len(set(links(page))) == 21
        page.close()


def test_a_word_that_few_bundles_have_comes_before_what_it_begins_with(tmp_path: Path, browser: Browser) -> None:
    post = "---\ntitle: {title}\ndate: 2026-03-{day:02}\nauthor: Ada Quill (@adaquill)\n---\n\n{text}\n"
    ledgers = {
        f"content/kernels/2026-03-{day:02}-ledger.md": post.format(
            title="The ledger", day=day, text="A ledger of ledgers."
        )
        for day in range(1, 6)
    }
    guard = post.format(title="Notes", day=6, text="We saw much. " * 40 + "At last we set LEDGER_OVERFLOW_GUARD.")
    root = write(tmp_path, **ledgers, **{"content/kernels/2026-03-06-guard.md": guard})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundles, "SMALLEST", 1)
        patch.setattr(bundles, "LARGEST", 1)
        build_site(root, search=True)
    with served(root / "public") as (address, _):
        page = browser.new_page(base_url=address)
        page.set_default_timeout(PATIENCE)
        page.goto(f"{BASE}archive/")
        assert "guard" in asked_for(opened(page), "ledger_overflow_guard")[0]
        page.close()


OLD_AND_NEW = {
    "content/kernels/2026-03-01-old.md": (
        "---\ntitle: The ledger as it was\ndate: 2026-03-01\nauthor: Ada Quill (@adaquill)\n---\n\n"
        "## A ledger\n\nThe ledger holds a ledger of the ledger.\n"
    ),
    "content/kernels/2026-03-02-new.md": (
        "---\ntitle: Another way\ndate: 2026-03-02\nauthor: Ada Quill (@adaquill)\n{0}---\n\n"
        "## More\n\nThis is about the ledger, about a ledger, and what it holds besides.\n"
    ),
}


@pytest.mark.feature("supersession")
@pytest.mark.parametrize("says", ["", "supersedes: 2026-03-01-old.md\n"])
def test_what_is_superseded_comes_later_and_says_so(tmp_path: Path, browser: Browser, says: str) -> None:
    root = write(tmp_path, **{path: text.replace("{0}", says) for path, text in OLD_AND_NEW.items()})
    report = build_site(root, search=True)
    assert not report.diagnostics
    old, new = (f"{BASE}kernels/2026-03-{day}/" for day in ("01-old", "02-new"))
    with served(root / "public") as (address, _):
        page = browser.new_page(base_url=address)
        page.set_default_timeout(PATIENCE)
        page.goto(f"{BASE}archive/")
        found = [link.partition("#")[0] for link in asked_for(opened(page), "ledger")]
        assert found == ([new, old] if says else [old, new])
        facts = page.inner_text(f"dialog .search-result:has([href^='{old}']) .search-facts")
        assert facts == "Kernels · Mar 1, 2026" + (" · superseded" if says else "")
        page.close()
