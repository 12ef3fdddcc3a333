"""Groups consecutive fences that have the name of a tab into tabs.

Tabs from fences and from shortcodes have the same HTML: one below the other, each with its name above it. This is what
feeds and browsers without scripts show; the theme's script turns the names into a row of buttons.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from devlog.model.catalog import Catalog
from devlog.parse.code.highlight import read_info
from devlog.parse.markdown.fast_tokens import make_token


def may_have_tabs(text: str) -> bool:
    """Whether a text may contain a fence with the name of a tab."""
    return "tab=" in text or "{tab" in text


def group_tabs(tokens: Sequence[Token], t: Catalog) -> list[Token]:
    """Group two or more consecutive fences that name tabs; a single one stays a fence."""
    grouped: list[Token] = []
    for is_tab, run in groupby(tokens, key=lambda token: token.type == "fence" and _tab_of(token) is not None):
        fences = list(run)
        grouped += _group(fences, t) if is_tab and len(fences) > 1 else fences
    return grouped


def _tab_of(fence: Token) -> str | None:
    return read_info(unescapeAll(fence.info)).tab if "tab" in fence.info else None


def _group(fences: Sequence[Token], t: Catalog) -> list[Token]:
    level, lines = fences[0].level, fences[0].map
    written = [_div("tabs", 1, level, lines)]
    for fence in fences:
        fence.level = level + 2
        fence.meta["in_tab"] = True
        title = _tab_of(fence) or t("code")
        written += [_div("tab", 1, level + 1, fence.map), *title_tokens(title, level + 2, fence.map), fence]
        written.append(_div("tab", -1, level + 1))
    return [*written, _div("tabs", -1, level)]


def _div(name: str, nesting: int, level: int, lines: list[int] | None = None) -> Token:
    token = make_token(
        f"{name}_{'open' if nesting > 0 else 'close'}", "div", 1 if nesting > 0 else -1, level, block=True
    )
    if nesting > 0:
        token.attrs["class"] = name
        token.map = lines
    return token


def title_tokens(title: str, level: int, lines: list[int] | None) -> list[Token]:
    """The tokens for the name of a tab, which is plain text rather than Markdown."""
    opening = make_token("tab_title_open", "p", 1, level, block=True)
    opening.attrs["class"] = "tab-title"
    text = make_token("text", "", 0, 0, title)
    strong = [make_token("strong_open", "strong", 1, 0), text, make_token("strong_close", "strong", -1, 1)]
    inline = make_token("inline", "", 0, level + 1, "", strong, lines, block=True)  # content would be parsed
    return [opening, inline, make_token("tab_title_close", "p", -1, level, block=True)]
