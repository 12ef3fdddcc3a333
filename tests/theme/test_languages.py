"""Messages in a real browser: what scripts make of them, in any language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from quality.browsing import tab
from quality.server import serving
from sites import build_site, write_site

from devlog.model.catalog import Catalog, Message
from devlog.model.plurals import _RULES, plural_form
from devlog.model.scripts import with_messages

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

NUMBERS = [*range(213), 1000, 1001, 1002, 1005, 1011, 12345]


def test_browsers_know_the_same_plural_forms(browser: Browser) -> None:
    languages = sorted({*_RULES, "en", "de", "de-AT", "es", "pt-BR"})
    script = "([languages, numbers]) => languages.map(name => numbers.map(n => new Intl.PluralRules(name).select(n)))"
    page = browser.new_page()
    known = page.evaluate("languages => Intl.PluralRules.supportedLocalesOf(languages)", languages)
    found = page.evaluate(script, [known, NUMBERS])
    page.close()
    assert len(known) > 30
    for language, forms in zip(known, found, strict=True):
        assert [plural_form(language, n) for n in NUMBERS] == forms, language


def test_what_a_script_says(browser: Browser) -> None:
    odd = "a`b${c}\\\"'\n\u2028</script>{name}"
    catalog = Catalog(
        {
            "odd": Message("en", {"other": odd.replace("{c}", "c").replace("{name}", "")}),
            "by": Message("en", {"other": odd.replace("{c}", "c")}),
            "n": Message("pl", {"one": "{count} wpis", "few": "{count} wpisy", "other": "{count} wpisu"}),
        }
    )
    script = '() => [__t("odd"), __t("by", { name: "N" }), ...[1, 3, 5].map(n => __t("n", { count: n }))]'
    made, _, faults = with_messages(script, catalog)
    assert not faults
    page = browser.new_page()
    said = page.evaluate(made)
    page.close()
    text = odd.replace("{c}", "c")
    assert said == [text.replace("{name}", ""), text.replace("{name}", "N"), "1 wpis", "3 wpisy", "5 wpisu"]


CATALOG = """\
copy = "Kopieren"
copied = "„Kopiert“ & fertig"
enlarge_named = "{image} vergrößern"
color_mode_system = "Wie das System"
"""


def test_a_page_in_another_language(browser: Browser, tmp_path: Path) -> None:
    files = {
        "devlog.toml": 'title = "Logbuch"\nlanguage = "de"\ncontent_security_policy = true\n',
        "i18n/de.toml": CATALOG,
        "content/2026-05-01-a.md": "---\ntitle: A\n---\n\n```python\nx = 1\n```\n",
    }
    root = write_site(tmp_path / "site", files)
    assert build_site(root).diagnostics == ()
    with serving(root / "public") as url, tab(browser, url) as opened:
        opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
        opened.open("2026-05-01-a/")
        opened.page.get_by_role("button", name="Kopieren", exact=True).click()
        opened.page.get_by_role("button", name="„Kopiert“ & fertig").wait_for()
        assert opened.page.get_by_role("button", name="Wie das System").count() == 1
        assert opened.complaints == []


LOOK = """() => {
  const look = selector => getComputedStyle(document.querySelector(selector));
  return {
    page: look("body").direction,
    text: look("article .e-content p").direction,
    code: [look("article pre").direction, look("article pre").textAlign],
    wide: document.documentElement.scrollWidth > innerWidth,
  };
}"""

BEGINS = """() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector("article .e-content p"));
  const { left, right } = range.getBoundingClientRect();
  return { left, right };
}"""


@pytest.mark.parametrize("theme", ["default", "paper"])
@pytest.mark.parametrize("width", [1200, 400])
@pytest.mark.parametrize(("site", "post"), [("en", "ar"), ("ar", "en")])
def test_a_post_in_the_direction_of_its_own_language(
    browser: Browser, tmp_path: Path, theme: str, width: int, site: str, post: str
) -> None:
    text = f"---\ntitle: A\nlang: {post}\n---\n\nOne.\n\n- Two.\n\n```python\nx = 1\n```\n"
    files = {
        "devlog.toml": f'title = "Lumen"\nlanguage = "{site}"\ntheme = "{theme}"\n',
        "content/2026-05-01-a.md": text,
    }
    root = write_site(tmp_path / "site", files)
    build_site(root)
    with serving(root / "public") as url, tab(browser, url) as opened:
        opened.page.set_viewport_size({"width": width, "height": 900})
        opened.open("2026-05-01-a/")
        look = opened.page.evaluate(LOOK)
        paragraph = opened.page.locator("article .e-content p").first.bounding_box()
        marked = opened.page.evaluate(BEGINS)
    assert look["page"] == ("rtl" if site == "ar" else "ltr")
    assert look["text"] == ("rtl" if post == "ar" else "ltr")
    assert look["code"] == ["ltr", "left"]
    assert not look["wide"]
    assert paragraph
    near = marked["left"] - paragraph["x"], paragraph["x"] + paragraph["width"] - marked["right"]
    assert near[post == "ar"] < 1 < near[post != "ar"], "its words begin where its lines do"
