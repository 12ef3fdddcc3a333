"""Links as in Obsidian and Quartz: ``[[page]]``, ``[[page#heading|text]]``, and images as ``![[image.png|alt text]]``.

A page is named by the name of its file, or by its path from the content folder.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from devlog.model.media import media_type
from devlog.model.slug import anchor

INLINE_RULES = {"wiki_link": "[!"}
"""The inline rule, and the characters with which its elements begin."""

# In a table, the bar is escaped.
_LINK = re.compile(r"(?P<shows>!?)\[\[(?P<target>[^\[\]|\n\\]{1,500})(?:\\?\|(?P<text>[^\[\]\n]{0,500}))?\]\]")
_SIZE = re.compile(r"[0-9]{1,5}(?:x[0-9]{1,5})?")


def wiki_link_plugin(md: MarkdownIt) -> None:
    """Add links such as ``[[page]]`` to a parser."""
    md.inline.ruler.before("link", "wiki_link", _rule)


def _rule(state: StateInline, silent: bool) -> bool:
    found = _LINK.match(state.src, state.pos, state.posMax)
    if not found or not found["target"].strip():
        return False
    target, text = found["target"].strip(), (found["text"] or "").strip()
    path, _, heading = target.partition("#")
    # Obsidian's names of blocks, which begin with “^”, are no anchors of a page.
    last = heading.rpartition("#")[2]
    fragment = "" if last.startswith("^") else last
    if not (path or fragment or text):
        return False  # a link to a block of the same page would have no text
    is_image = found["shows"] and media_type(path).startswith("image/")
    if not silent and is_image:
        _push_image(state, path.strip(), "" if _SIZE.fullmatch(text) else text)
    elif not silent:
        _push_link(state, path.strip(), fragment, text or (target.lstrip("#") if fragment else path))
    state.pos = found.end()
    return True


def _push_link(state: StateInline, path: str, heading: str, text: str) -> None:
    fragment = f"#{anchor(heading)}" if heading else ""
    state.push("link_open", "a", 1).attrs = {"href": _url(state, path) + fragment or "#"}
    state.push("text", "", 0).content = text
    state.push("link_close", "a", -1)


def _push_image(state: StateInline, path: str, alt: str) -> None:
    image = state.push("image", "img", 0)
    image.attrs = {"src": _url(state, path), "alt": ""}
    image.content = alt
    words = Token("text", "", 0)
    words.content = alt
    image.children = [words] if alt else []


def _url(state: StateInline, path: str) -> str:
    """The URL of a file, whose name may have a “?”: without a folder, it is found by its name alone."""
    is_path = "/" in path and not path.startswith(("/", "./", "../"))
    return state.md.normalizeLink((f"/{path}" if is_path else path).replace("?", "%3F"))
