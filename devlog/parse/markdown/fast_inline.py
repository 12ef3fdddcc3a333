"""A faster version of markdown-it's inline parser: at each character it tries only rules that can begin with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.common.utils import isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline, backtick, emphasis
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

from devlog.parse.dialects import kramdown
from devlog.parse.markdown import math, text_marks, wiki_links
from devlog.parse.markdown.fast_tokens import make_token

Rule = Callable[[StateInline, bool], bool]

# The characters with which each rule can begin. Every rule checks the first character and rejects any other,
# so skipping the rule for other characters changes nothing but the time.
_BEGINS = {
    "newline": "\n",
    "escape": "\\",
    "shortcode": "{",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "link": "[",
    "image": "!",
    "image_attributes": "{",
    "footnote_inline": "^",
    "footnote_ref": "[",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
    "gfm_autolink_www": "w",
    "gfm_autolink_protocol": ":",
    "gfm_autolink_email": "@",
    **kramdown.INLINE_RULES,
    **math.INLINE_RULES,
    **text_marks.INLINE_RULES,
    **wiki_links.INLINE_RULES,
}


def _backticks(state: StateInline, silent: bool) -> bool:
    """markdown-it's rule, with a shortcut for a simple pair: at the first backtick, the rule counts all in the text."""
    source, start = state.src, state.pos + 1
    end = source.find("`", start, state.posMax)
    if end <= start or source.startswith("``", end):
        return backtick(state, silent)
    if not silent:
        content = source[start:end].replace("\n", " ")
        if content[0] == content[-1] == " " and content.strip(" "):
            content = content[1:-1]
        token = state.push("code_inline", "code", 0)
        token.markup = "`"
        token.content = content
    state.pos = end + 1
    return True


@lru_cache(maxsize=4096)
def _flank(char: str) -> tuple[bool, bool]:
    """Whether a character beside a delimiter is white space, and whether it is punctuation."""
    return isWhiteSpace(ord(char)), isPunctChar(char)


def _emphasis(state: StateInline, silent: bool) -> bool:
    """markdown-it's rule, with a shortcut for obvious pairs: the rule pairs all delimiters of a text at the end.

    An obvious pair encloses only text and is surrounded by spaces or punctuation, so that its first half can only
    open, its second half can only close, and there is no other delimiter between them.
    """
    source, start, last = state.src, state.pos, state.posMax
    marker = source[start]
    mark = marker * 2 if source.startswith(marker, start + 1) else marker
    inside = start + len(mark)
    found = None if silent else state.md.inline.terminator_re.search(source, inside + 1, last)
    end = found.start() if found else inside
    after = end + len(mark)
    if (
        end == inside
        or after > last
        or not source.startswith(mark, end)
        or source.startswith(marker, after)
        or any(_flank(source[inside]))
        or any(_flank(source[end - 1]))
        or (start > 0 and not any(_flank(source[start - 1])))
        or (after < last and not any(_flank(source[after])))
    ):
        return emphasis.tokenize(state, silent)
    name = "strong" if mark != marker else "em"
    if name == "strong":
        state.push("text", "", 0)  # the empty token that the outer two of the four delimiters leave
    state.push(f"{name}_open", name, 1).markup = mark
    state.push("text", "", 0).content = source[inside:end]
    state.push(f"{name}_close", name, -1).markup = mark
    if name == "strong":
        state.push("text", "", 0)
    state.pos = after
    return True


def _fragments_join(state: StateInline) -> None:
    """markdown-it's rule, which joins adjacent text tokens and recomputes all levels, in one pass."""
    level = 0
    kept: list[Token] = []
    run: list[str] = []
    for token in state.tokens:
        if token.nesting < 0:
            level -= 1
        token.level = level
        if token.nesting > 0:
            level += 1
        if token.type == "text" and kept and kept[-1].type == "text":
            run.append(kept[-1].content)
            kept[-1] = token
            continue
        if run:
            kept[-1].content = "".join((*run, kept[-1].content))
            run.clear()
        kept.append(token)
    if run:
        kept[-1].content = "".join((*run, kept[-1].content))
    if len(kept) < len(state.tokens):
        state.tokens[:] = kept


_QUICKER: dict[str, Rule] = {
    "backticks": _backticks,
    "emphasis": _emphasis,
}
"""Faster replacements of rules, with the same results."""


class _State(StateInline):
    """A `StateInline` that creates its tokens faster."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """As `StateInline.push`."""
        pending = self.pending
        if pending:
            self.tokens.append(make_token("text", "", 0, self.pendingLevel, pending))
            self.pending = ""
        meta = None
        if nesting < 0:
            self.level -= 1
            self.delimiters = self._prev_delimiters.pop()
        token = make_token(ttype, tag, nesting, self.level)
        if nesting > 0:
            self.level += 1
            self._prev_delimiters.append(self.delimiters)
            self.delimiters = []
            meta = {"delimiters": self.delimiters}
        self.pendingLevel = self.level
        self.tokens.append(token)
        self.tokens_meta.append(meta)
        return token

    def pushPending(self) -> Token:  # noqa: N802
        """As `StateInline.pushPending`."""
        token = make_token("text", "", 0, self.pendingLevel, self.pending)
        self.tokens.append(token)
        self.pending = ""
        return token

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        """As `StateInline.scanDelims`, but with a cache of its look-ups in Unicode's tables."""
        source, last = self.src, self.posMax
        marker, end = source[start], start + 1
        while end < last and source[end] == marker:
            end += 1
        space_before, mark_before = _flank(source[start - 1] if start > 0 else " ")
        space_after, mark_after = _flank(source[end] if end < last else " ")
        left = not space_after and (not mark_after or space_before or mark_before)
        right = not space_before and (not mark_before or space_after or mark_after)
        can_open = left and (canSplitWord or not right or mark_before)
        can_close = right and (canSplitWord or not left or mark_after)
        return Scanned(can_open, can_close, end - start)


class InlineParser(ParserInline):
    """`ParserInline` with a table of rules by first character; all rules must be known to the table."""

    def __init__(self, plain: ParserInline) -> None:
        """
        Args:
            plain: the parser whose rules this one takes over, after all plugins have added theirs.
        """
        self.__dict__.update(plain.__dict__)
        names = plain.ruler.get_active_rules()
        unknown = set(names) - _BEGINS.keys() - {"text"}
        if unknown or names[0] != "text":
            raise ValueError(f"inline rules without a known first character: {', '.join(sorted(unknown))}")
        for name in _QUICKER.keys() & set(names):
            self.ruler.at(name, _QUICKER[name])
        self.ruler2.at("fragments_join", _fragments_join)
        table: dict[str, list[Rule]] = {}
        for name, rule in zip(names, plain.ruler.getRules(""), strict=True):
            for char in _BEGINS.get(name, ""):
                table.setdefault(char, []).append(rule)
        self._by_char = {char: tuple(found) for char, found in table.items()}
        # Text continues until a rule can begin or a label end: the other characters at which it usually stops are for
        # rules of plugins that are not installed here.
        self.terminator_re = re.compile(f"[{re.escape(''.join(table))}\\]]")

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """As `ParserInline.parse`; text without a character at which a rule could begin is one token."""
        if self.terminator_re.search(src) is None:
            if src:
                tokens.append(make_token("text", "", 0, 0, src))
            return tokens
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        if state.delimiters or any(meta and meta["delimiters"] for meta in state.tokens_meta):
            for rule in self.ruler2.getRules(""):
                rule(state)
        else:  # the other rules process pairs of delimiters
            _fragments_join(state)
        return state.tokens

    def tokenize(self, state: StateInline) -> None:
        """As `ParserInline.tokenize`."""
        source, end = state.src, state.posMax
        search, by_char = self.terminator_re.search, self._by_char
        limit = state.md.options["maxNesting"]
        while state.pos < end:
            position = state.pos
            if state.level < limit:
                found = search(source, position)
                text_end = found.start() if found else end
                if text_end > position:  # the effect of the rule "text"
                    state.append_pending(source[position:text_end])
                    state.pos = text_end
                    continue
                matched = False
                for rule in by_char.get(source[position], ()):
                    if rule(state, False):
                        matched = True
                        break
                if matched:
                    if state.pos <= position:
                        raise RuntimeError("an inline rule did not advance")
                    continue
            state.append_pending(source[position])
            state.pos = position + 1
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        """As `ParserInline.skipToken`."""
        position = state.pos
        cached = state.cache.get(position)
        if cached is not None:
            state.pos = cached
            return
        matched = False
        if state.level < state.md.options["maxNesting"]:
            source = state.src
            found = self.terminator_re.search(source, position)
            text_end = found.start() if found else state.posMax
            if text_end > position:
                state.pos = text_end
                matched = True
            else:
                state.level += 1
                for rule in self._by_char.get(source[position], ()):
                    if rule(state, True):
                        matched = True
                        break
                state.level -= 1
            if matched and state.pos <= position:
                raise RuntimeError("an inline rule did not advance")
        else:
            state.pos = state.posMax
        if not matched:
            state.pos += 1
        state.cache[position] = state.pos


# A target without escapes, entities or parentheses, which needs no further processing.
_PLAIN_TARGET = re.compile(r"[\w/#?:.~=,;@!$*'+%-]+(?=[ )\n])", re.ASCII)


class _Target:
    """The result of `Helpers.parseLinkDestination`, in the shape that markdown-it's rules expect."""

    __slots__ = ("ok", "pos", "str")

    def __init__(self, text: str, position: int) -> None:
        self.ok = True
        self.pos = position
        self.str = text


class Helpers:
    """A parser's helpers for links, with shortcuts for plain labels and targets: the helpers read each character."""

    def __init__(self, helpers: Any) -> None:
        self.parseLinkTitle = helpers.parseLinkTitle
        self._label = helpers.parseLinkLabel
        self._destination = helpers.parseLinkDestination

    def parseLinkLabel(self, state: StateInline, start: int, disableNested: bool = False) -> int:  # noqa: N802, N803
        """The end of the label that begins at `start`; negative if there is none."""
        found = state.md.inline.terminator_re.search(state.src, start + 1, state.posMax)
        if found and found[0] == "]" and state.level < state.md.options["maxNesting"]:
            return found.start()
        end: int = self._label(state, start, disableNested)
        return end

    def parseLinkDestination(self, text: str, position: int, maximum: int) -> Any:  # noqa: N802
        """The target at `position`."""
        found = _PLAIN_TARGET.match(text, position, maximum)
        return _Target(found[0], found.end()) if found else self._destination(text, position, maximum)
