"""Paired shortcodes, by the names that themes use: code, raw HTML, alerts, details, quotes, tabs, galleries."""

from __future__ import annotations

from typing import Literal, NamedTuple

from devlog.model.shortcode_tag import Shortcode
from devlog.parse.shortcodes.matching import VERBATIM

Kind = Literal["code", "html", "alert", "details", "quote", "tabs", "tab", "gallery", "comment"]

_HTML = frozenset({"rawhtml", "raw-html", "raw_html", "html", "raw", "unsafe"})
_DETAILS = frozenset({"details", "expand", "collapse", "collapsible", "spoiler", "fold"})
_QUOTES = frozenset({"quote", "blockquote", "epigraph"})
_GROUPS = frozenset({"tabs", "tabpane", "tabgroup"})
_TABS = frozenset({"tab", "tabbody", "tabitem"})
_GALLERIES = frozenset({"gallery"})
_COMMENTS = frozenset({"comment"})
_ALERT_TYPES = {
    "note": "note",
    "info": "note",
    "information": "note",
    "abstract": "note",
    "primary": "note",
    "question": "note",
    "tip": "tip",
    "hint": "tip",
    "success": "tip",
    "important": "important",
    "warning": "warning",
    "warn": "warning",
    "attention": "warning",
    "caution": "caution",
    "danger": "caution",
    "error": "caution",
    "bug": "caution",
}
_ALERTS = frozenset({*_ALERT_TYPES, "notice", "callout", "admonition", "alert", "aside", "pageinfo"}) - {
    "abstract",
    "bug",
    "error",
    "primary",
    "question",
    "success",
    "information",
}
_TEXTS = ("text", "body", "content", "message")

_NAMES: dict[Kind, frozenset[str]] = {
    "code": VERBATIM,
    "html": _HTML,
    "alert": _ALERTS,
    "details": _DETAILS,
    "quote": _QUOTES,
    "tabs": _GROUPS,
    "tab": _TABS,
    "gallery": _GALLERIES,
    "comment": _COMMENTS,
}
_KINDS: dict[str, Kind] = {name: kind for kind, names in _NAMES.items() for name in names}

NAMES = tuple(sorted(_KINDS))
"""The names of all paired shortcodes."""


class Alert(NamedTuple):
    """The kind of an alert, and its own title, if it has one."""

    kind: str
    title: str


def kind_of(name: str) -> Kind | None:
    """The kind of a paired shortcode, by its name; `None` if it is not one."""
    return _KINDS.get(name)


def alert_of(shortcode: Shortcode) -> Alert:
    """The alert of a shortcode: its kind comes from a named argument, the first positional one, or its own name."""
    words = list(shortcode.positional)
    named = next((shortcode.named[key] for key in ("type", "kind", "color", "class") if shortcode.named.get(key)), "")
    if not named and words and words[0].lower() in _ALERT_TYPES:
        named = words.pop(0)
    kind = _ALERT_TYPES.get(named.lower()) or _ALERT_TYPES.get(shortcode.name, "note")
    title = (
        shortcode.named.get("title")
        or shortcode.named.get("header")
        or next((word for word in words if word not in ("true", "false")), "")
    )
    return Alert(kind, title.strip())


def summary_of(shortcode: Shortcode) -> str:
    """The summary of a details element; empty if the shortcode has none."""
    titles = (shortcode.named.get(key, "").strip() for key in ("summary", "title", "label"))
    return next((title for title in titles if title), "") or " ".join(shortcode.positional[:1]).strip()


def tab_title(shortcode: Shortcode) -> str:
    """The title of a tab; empty if it has none."""
    titles = (shortcode.named.get(key, "").strip() for key in ("name", "title", "header", "label"))
    title = next((title for title in titles if title), "") or " ".join(shortcode.positional[:1]).strip()
    return " ".join(title.split())


def tab_language(shortcode: Shortcode) -> str:
    """The language of a tab whose content is code; empty if the content is not code."""
    return shortcode.named.get("codelang") or shortcode.named.get("lang", "")


def is_open(shortcode: Shortcode) -> bool:
    """Whether a details element is open initially."""
    return shortcode.named.get("open", "").lower() in ("true", "open", "1")


def author_and_source(shortcode: Shortcode) -> tuple[str, str]:
    """Whom and what a quote cites; empty if it does not say so."""
    named = shortcode.named
    author = next((named[key] for key in ("author", "by", "cite", "name") if named.get(key)), "").strip()
    return author, next((named[key] for key in ("link", "url", "source") if named.get(key)), "").strip()


def credit_of(shortcode: Shortcode) -> str:
    """The attribution of a quote, as Markdown; empty if there is none."""
    author, source = author_and_source(shortcode)
    if author and "://" in source:
        return f"— [{author}](<{source}>)"
    return "— " + ", ".join(part for part in (author, source) if part) if author or source else ""


def code_info(shortcode: Shortcode) -> str:
    """The info string of a fence with the content of a `highlight` or `mermaid` shortcode."""
    if shortcode.name == "mermaid":
        return "mermaid"
    named = shortcode.named
    words = list(shortcode.positional)
    language = named.get("lang") or named.get("language") or (words.pop(0) if words else "")
    options = [*words, named.get("options", "")]
    options += [f'{key}="{value}"' for key, value in named.items() if key not in ("lang", "language", "options")]
    return f"{language} {{{','.join(option for option in options if option)}}}".replace("\n", " ")


def own_text(shortcode: Shortcode) -> str:
    """The content that an unpaired shortcode has in an argument."""
    return next((shortcode.named[key] for key in _TEXTS if shortcode.named.get(key)), "")


def prose_of(shortcode: Shortcode, inside: str | None) -> tuple[str, str | None]:
    """Replacements of a shortcode's tags for excerpts of raw HTML: only its content remains, if that is prose."""
    return "", None if inside is not None and kind_of(shortcode.name) in ("code", "comment") else ""
