"""Checks what a plugin's `rewrite` returns, and the tokens that it leaves, where it is called.

Later, nobody could say what is to blame for a value that cannot be stored, or a token that cannot be rendered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from markdown_it.token import Token

from devlog.model.theme import PluginRef
from devlog.parse.html.tangled import TangledError
from devlog.parse.markdown.expansion import ExpansionError
from devlog.plugin import Rewrite
from devlog.plugins.faults import FaultError, fault, faults
from devlog.plugins.results import misfit


def checked(rewrite: Rewrite, ref: PluginRef, plugin: str) -> Rewrite:
    """A plugin's function that rewrites tokens, which raises `FaultError` if it fails or its result is invalid.

    Args:
        rewrite: the function.
        ref: the plugin.
        plugin: its name.
    """

    def checking(tokens: Any, writer: Any, file: str, line: int) -> msgspec.Struct | None:
        what = f"“rewrite” of the plugin “{plugin}” on “{file}”"
        try:
            made = rewrite(tokens, writer, file, line)
            reason = _misfit_part(made) or _misfit_tokens(tokens)
        except (ExpansionError, TangledError):  # of the writer: what the post contains is the reason
            raise
        except faults() as error:  # the plugin's own code
            raise FaultError(fault(ref, what, error, rewrite)) from error
        if reason:
            raise FaultError(fault(ref, what, reason, rewrite))
        return made

    return checking


def _misfit_part(made: Any) -> str:
    """Why a value cannot be stored with a document; empty if it can."""
    if made is None:
        return ""
    if not isinstance(made, msgspec.Struct):
        return f"it returned a {type(made).__name__} instead of a struct"
    if reason := misfit(getattr(made, "shape", ""), str):
        return f"the “shape” of what it returned is malformed: {reason}"
    reason = misfit(made, type(made))
    return f"what it returned is malformed: {reason}" if reason else ""


_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "type": str,
    "tag": str,
    "nesting": int,
    "attrs": dict,
    "map": (list, tuple, type(None)),
    "level": int,
    "children": (list, tuple, type(None)),
    "content": str,
    "markup": str,
    "info": str,
    "meta": dict,
    "block": bool,
    "hidden": bool,
}


def _misfit_tokens(tokens: Any) -> str:
    """Why tokens cannot be rendered; empty if they can."""
    left, seen = [*tokens], set[int]()
    while left:
        token = left.pop()
        if not isinstance(token, Token):
            return f"it left a {type(token).__name__} among the tokens"
        if id(token) in seen:  # a token may be in several places, but then its children were looked at
            continue
        seen.add(id(token))
        for name, kind in _FIELDS.items():
            value = getattr(token, name)
            if not isinstance(value, kind):
                return f"a token has a “{name}” that is a {type(value).__name__}"
        if reason := misfit((token.type, token.tag, token.content, token.markup, token.info), tuple[str, ...]):
            return f"a token has text that is malformed: {reason}"
        if reason := misfit((token.map or None, [*token.attrs]), tuple[tuple[int, int] | None, list[str]]):
            return f"a token has a “map” or “attrs” that are malformed: {reason}"
        left += token.children or ()
    return ""
