"""Minified files of the built-in themes say what their sources say: nothing but comments and spaces is gone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pygments.lexers.javascript import JavascriptLexer
from pygments.token import Comment
from sites import build_site, read_tree, write_site

from devlog.disk.theme import load_theme
from devlog.model.catalog import Catalog, Message
from devlog.model.minify import can_minify, minified
from devlog.model.scripts import MARK, with_messages

if TYPE_CHECKING:
    from playwright.sync_api import Browser

THEMES = Path(__file__).parents[2] / "themes"
FILES = sorted(path for path in THEMES.glob("*/static/*") if can_minify(path.name))
HOSTILE = "a  /* b */  // c '`\" ${d}  \\ </script>  <!-- e"
"""A message of a site's own catalog, in which every kind of token seems to begin or end."""


def tokens(script: str) -> list[str]:
    """The tokens of a script, by a lexer that knows nested literals; semicolons may end lines, or end nothing."""
    found = [text for kind, text in JavascriptLexer().get_tokens(script) if kind not in Comment]
    return [text for text in found if text.strip(" \n\t;")]


class _Hostile(dict[str, Message]):
    def get(self, key: str, _default: object = None) -> Message:  # type: ignore[override]
        return Message("pl", {"one": f"{HOSTILE}{{count}}", "other": f"{HOSTILE}{{count}}  {HOSTILE}"}, True)


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".js"], ids=lambda path: path.name)
def test_scripts_keep_their_tokens(path: Path) -> None:
    source = path.read_bytes()
    written = source.decode()
    if MARK in source:
        written, keys, faults = with_messages(written, Catalog(_Hostile()))
        assert keys
        assert not faults
    made = minified(path.name, written.encode()).decode()
    assert tokens(made) == tokens(written)
    assert len(made) < len(written)


def test_the_comparison_sees_what_the_minifier_gets_wrong() -> None:
    """Why only files of ours are minified: a nested template literal loses its spaces."""
    nested = "const a = `x ${b ? `c  d` : '  '}  y`;\nconst f = () => /x  y/;"
    assert tokens(minified("a.js", nested.encode()).decode()) != tokens(nested)


_RULES = """text => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return [...sheet.cssRules].map(rule => rule.cssText);
}"""


def rules(browser: Browser, sheet: str) -> list[str]:
    """The rules of a style sheet as Chromium reads them; it keeps the spaces of conditions and of custom values."""
    page = browser.new_page()
    found = page.evaluate(_RULES, sheet)
    page.close()
    return [re.sub(r",\s+", ",", re.sub(r"(?<=[(:])\s+|\s+(?=\))", "", rule)) for rule in found]


@pytest.mark.browser
def test_style_sheets_keep_their_rules(browser: Browser) -> None:
    for path in FILES:
        if path.suffix == ".css":
            source = path.read_bytes()
            made = minified(path.name, source)
            assert len(made) < len(source)
            assert rules(browser, made.decode()) == rules(browser, source.decode()), path.name
    nested = "a { .b :hover { color: red } }"  # why only files of ours are minified
    assert rules(browser, minified("a.css", nested.encode()).decode()) != rules(browser, nested)


@pytest.mark.slow
def test_files_of_a_site_are_published_as_they_are(tmp_path: Path) -> None:
    own = {"themes/mine/static/own.css": "a  {  }  /* b */\n", "themes/mine/static/theme.js": "a  (  )  // b\n"}
    root = write_site(
        tmp_path,
        {
            "devlog.toml": 'title = "T"\ntheme = "mine"\n',
            "content/t/_index.md": "---\ntitle: T\n---\n",
            "content/t/2026-01-02-a.md": "---\ntitle: A\nauthor: Ada (@ada)\n---\n\nText.\n",
            "themes/mine/theme.toml": 'extends = "default"\n',
            "static/x.css": own["themes/mine/static/own.css"],
            **own,
        },
    )
    assert build_site(root).diagnostics == ()
    tree = read_tree(root / "public")
    assert tree["theme/own.css"].decode() == tree["x.css"].decode() == own["themes/mine/static/own.css"]
    assert tree["theme/theme.js"].decode() == own["themes/mine/static/theme.js"]
    assert tree["theme/style.css"] == minified("style.css", (THEMES / "default/static/style.css").read_bytes())
    scripts = load_theme(root, "mine").scripts
    assert tree["theme/search.js"] == minified("search.js", scripts["search.js"])
