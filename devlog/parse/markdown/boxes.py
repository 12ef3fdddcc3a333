"""Pushes the tokens of alerts and collapsed blocks, in whichever syntax they are written."""

from __future__ import annotations

from typing import Any

from markdown_it.token import Token

from devlog.parse.words import ALERTS

Lines = tuple[int, int]
"""The first line of a block, and the line after its last one."""


def open_alert(state: Any, kind: str, title: str | None, lines: Lines) -> Token:
    """Begin an alert, which `close_alert` ends.

    Args:
        state: the state of the block parser.
        kind: a key of `devlog.parse.words.ALERTS`.
        title: its title in Markdown; if empty, the usual one of its kind; if `None`, it has none.
        lines: the lines of the whole alert.
    """
    token: Token = state.push("alert_open", "div", 1)
    token.attrs = {"class": f"markdown-alert markdown-alert-{kind}"}
    token.map = list(lines)
    if title is not None:
        push_line(state, "alert_title", "p", title, lines, ALERTS[kind]).attrs = {"class": "markdown-alert-title"}
    return token


def close_alert(state: Any) -> None:
    """End an alert."""
    state.push("alert_close", "div", -1)


def open_details(state: Any, summary: str, lines: Lines, *, opened: bool) -> Token:
    """Begin a collapsed block, which `close_details` ends.

    Args:
        state: the state of the block parser.
        summary: its summary in Markdown; if empty, the usual one.
        lines: the lines of the whole block.
        opened: whether it is open initially.
    """
    token: Token = state.push("details_open", "details", 1)
    token.attrs = {"open": ""} if opened else {}
    token.map = list(lines)
    push_line(state, "summary", "summary", summary, lines, "details")
    return token


def close_details(state: Any) -> None:
    """End a collapsed block."""
    state.push("details_close", "details", -1)


def push_line(state: Any, kind: str, tag: str, text: str, lines: Lines, usual: str = "") -> Token:
    """Push a block with one line of Markdown or, if `text` is empty, with the default message `usual` as plain text."""
    opening: Token = state.push(f"{kind}_open", tag, 1)
    inline = state.push("inline", "", 0)
    inline.content = " ".join(text.split())
    inline.children = [] if text else [Token("text", "", 0, content=state.env["writer"].t(usual))]
    inline.map = list(lines)
    state.push(f"{kind}_close", tag, -1)
    return opening
