"""Makes the fragments of headings as various generators do, so that links from other sites keep working."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise

from markdown_it.token import Token

from devlog.model.slug import anchor, slug_in_ascii
from devlog.parse.markdown.attributes import take_attributes, take_from_heading
from devlog.parse.markdown.excerpt import plain_text

EMPTY = {"github": "heading", "hugo": "heading", "blackfriday": "heading", "python-markdown": "_1"}
"""The fragment of a heading whose text has no usable characters, by profile; ``section`` for all others.

``heading`` is what Hugo uses.
"""

NAMES_OF_EMOJI = frozenset({"github", "hugo", "blackfriday", "kramdown", "kramdown-gfm"})
"""The profiles whose fragments have names of emoji: generators that replace the names only afterwards."""


def _github(heading: Token) -> str:
    """GitHub's fragments, which Hugo uses too: see `devlog.model.slug.anchor`."""
    return anchor(" ".join(plain_text(heading.children).split()))


def _hugo(heading: Token) -> str:
    """Hugo's default: GitHub's, but its typographer first makes dashes of ``--``, and of numbers only digits stay."""
    return _kramdown_gfm(heading)


def _blackfriday(heading: Token) -> str:
    """Blackfriday's, which Hugo still offers: letters and digits, and a single ``-`` for everything between them."""
    words = "".join(char if char.isalpha() or char.isnumeric() else " " for char in plain_text(heading.children))
    return "-".join(words.lower().split())


# -- Zola


def _zola(heading: Token) -> str:
    """Zola's, by the ``slug`` crate: ASCII, a single ``-`` for all but letters and digits, none at the ends."""
    return slug_in_ascii(plain_text(heading.children))


# -- kramdown

_BEFORE_LETTER = re.compile(r"\A[^a-zA-Z]+")
_NOT_KRAMDOWN = re.compile(r"[^a-zA-Z0-9 -]")
_DASHES = re.compile(r"---?")


def _kramdown(heading: Token) -> str:
    """kramdown's own: made from the text as written, from its first ASCII letter on, including targets of links."""
    text = _NOT_KRAMDOWN.sub("", _BEFORE_LETTER.sub("", heading.content.strip()))
    return text.replace(" ", "-").lower()


def _kramdown_gfm(heading: Token) -> str:
    """kramdown's parser for GitHub's Markdown, Jekyll's default: it first turns ``--`` into dashes."""
    text = plain_text([_without_dashes(child) for child in heading.children or ()]).lower()
    return "".join(char for char in text if char in "- \t" or _is_word(char)).replace(" ", "-").replace("\t", "-")


def _without_dashes(token: Token) -> Token:
    if token.type != "text" or "--" not in token.content:
        return token
    return Token("text", "", 0, content=_DASHES.sub("", token.content))


def _is_word(char: str) -> bool:
    r"""Whether a character is a word character (``\w``) in Ruby."""
    category = unicodedata.category(char)
    return category[0] in "LM" or category in ("Nd", "Pc")


# -- Python-Markdown


def _python_markdown(heading: Token) -> str:
    """Python-Markdown's: ASCII, words separated by a single ``-``."""
    apart = "".join(unicodedata.normalize("NFKD", char) for char in plain_text(heading.children))  # drops accents
    text = apart.encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


PROFILES: dict[str, Callable[[Token], str]] = {
    "github": _github,
    "hugo": _hugo,
    "blackfriday": _blackfriday,
    "zola": _zola,
    "kramdown": _kramdown,
    "kramdown-gfm": _kramdown_gfm,
    "python-markdown": _python_markdown,
}
"""Functions by name that make a fragment from the inline token of a heading, whose content is the text as written."""

_NUMBERED = re.compile(r"(.*)_(\d{1,9})")


def unique(fragment: str, is_taken: Callable[[str], bool], profile: str, last: int) -> tuple[str, int]:
    """Make a fragment unique on its page.

    Args:
        fragment: the fragment made from the heading.
        is_taken: whether the page already has a fragment.
        profile: python-markdown appends ``_1``, the others ``-1``.
        last: the number that made the last equal fragment unique; 0 if there was none.

    Returns:
        The fragment, and the number that made it unique.
    """
    if not is_taken(fragment):
        return fragment, last
    mark = "-"
    if profile == "python-markdown":
        mark = "_"
        numbered = _NUMBERED.fullmatch(fragment)
        if numbered:
            fragment, last = numbered[1], max(last, int(numbered[2]))
    count = last + 1
    while is_taken(f"{fragment}{mark}{count}"):
        count += 1
    return f"{fragment}{mark}{count}", count


# -- ids of the writer's own


def take_explicit_ids(tokens: Sequence[Token]) -> set[str]:
    """Move explicit ids of headings (``{#id}``) from their texts into the attributes of their tokens.

    Other attributes there are removed: see `devlog.parse.markdown.attributes`.

    Returns:
        The ids, which no other heading may get.
    """
    found: set[str] = set()
    for opening, heading in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        taken = take_from_heading(heading) if "{" in heading.content else None
        if taken and heading.children:
            heading.children[-1].content, own = taken
            heading.content = (take_attributes(heading.content) or (heading.content,))[0]
            if own:
                opening.attrs.setdefault("id", own)
        if "id" in opening.attrs:
            found.add(str(opening.attrs["id"]))
    return found
