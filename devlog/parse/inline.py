"""markdown-it's inline parser, asking at each character only the rules that can begin with it."""

from __future__ import annotations

from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

Rule = Callable[[StateInline, bool], bool]

# With which characters each rule can begin. Every rule looks at its first character and declines any other,
# so leaving it out there changes nothing but the time that asking takes.
_BEGINS = {
    "newline": "\n",
    "escape": "\\",
    "shortcode": "{",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "link": "[",
    "image": "!",
    "footnote_inline": "^",
    "footnote_ref": "[",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
    "gfm_autolink_www": "w",
    "gfm_autolink_protocol": ":",
    "gfm_autolink_email": "@",
}


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
        rules = plain.ruler.getRules("")
        table: dict[str, list[Rule]] = {}
        for name, rule in zip(names, rules, strict=True):
            for char in _BEGINS.get(name, ""):
                table.setdefault(char, []).append(rule)
        self._by_char = {char: tuple(found) for char, found in table.items()}

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """As `ParserInline.parse`; text without a mark that any rule could begin with is one token."""
        if self.terminator_re.search(src) is None:
            if src:
                tokens.append(Token("text", "", 0, content=src))
            return tokens
        return super().parse(src, md, env, tokens)

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
                if text_end > position:  # what the rule "text" does
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
