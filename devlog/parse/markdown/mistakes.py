"""Finds probable mistakes in Markdown, which is valid whatever it says: a fence that is never closed, a reference that
nothing defines, a row that has more cells than its table.

Each search begins with a substring without which there is no such mistake, so a text without it costs one comparison.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from markdown_it.token import Token

from devlog import sanitize
from devlog.model.check_facts import Doubt
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.merge_conflict import CONFLICT, CONFLICT_MARK
from devlog.model.problems import nearest
from devlog.parse.html.raw_html import CLOSES, VOID
from devlog.parse.html.tokens import tokens as html_tokens
from devlog.parse.markdown import problems
from devlog.parse.markdown.emoji import nearest_emoji, unknown_emoji
from devlog.parse.markdown.footnotes import LostFootnote
from devlog.parse.markdown.nesting import DEEPEST, first_too_deep
from devlog.parse.markdown.source_positions import Finder
from devlog.parse.words import ALERTS

MOST = 50
"""The maximum number of mistakes reported per source: more have a common cause."""

Report = Callable[[Span], Diagnostic | Doubt]


class Mistake(NamedTuple):
    """A probable mistake whose position is not known yet.

    Attributes:
        text: the text as written, without line breaks.
        token: the block that contains it.
        report: makes the problem, or the fact for `devlog check`, from the position.
        offset: the offset of the text in the block, if the block is raw HTML or code; else -1.
        is_certain: whether it is one even if the text is not found as written, as when Liquid has made it.
    """

    text: str
    token: Token
    report: Report
    offset: int = -1
    is_certain: bool = False


class Found(NamedTuple):
    """The mistakes of a text: problems of a build, and doubts that only `devlog check` reports."""

    diagnostics: tuple[Diagnostic, ...] = ()
    doubts: tuple[Doubt, ...] = ()


NONE = Found()


def find_mistakes(
    tokens: Sequence[Token], html: Sequence[Token], lost: Sequence[LostFootnote], *, emoji: bool, admonitions: bool
) -> list[Mistake]:
    """The probable mistakes of a text, in no particular order.

    Args:
        tokens: the tokens of the text, with the line numbers of the parsed text.
        html: those that are raw HTML or contain inline HTML.
        lost: its footnotes that are not shown.
        emoji: whether short names of emoji are replaced.
        admonitions: whether the syntax of other programs for admonitions is on.
    """
    found = [*map(_lost, lost)]
    found += [*unclosed_elements(html)] if html else []
    inlines: list[int] = []
    for index, token in enumerate(tokens):
        kind = token.type
        if kind == "inline":
            inlines.append(index)
        elif kind in _BLOCKS:
            found += _BLOCKS[kind](tokens, index)
    prose = "\n".join([tokens[index].content for index in inlines])
    searches = [(mark, search) for mark, pattern, search in _SEARCHES if _may_have(prose, mark, pattern)]
    if "[^" in prose:
        has_notes = bool(lost) or any(token.type == "footnote_open" for token in tokens)
        searches.append(("^", partial(_footnotes, has_notes)))
    if not admonitions:
        searches += [(mark, partial(_admonition, mark)) for mark in _ADMONITIONS if mark in prose]
    if emoji and _may_have(prose, ":", _MAY_BE_EMOJI) and (meant := _misspelled_emoji(prose)):
        searches.append((":", partial(_emoji, meant)))
    for mark, search in searches:
        for index in inlines:
            token = tokens[index]
            if mark in token.content:
                found += islice(search(token, tokens[index - 1].type == "paragraph_open"), MOST)
                if len(found) >= MOST:
                    return found[:MOST]
    return found[:MOST]


def _may_have(prose: str, mark: str, pattern: re.Pattern[str] | None) -> bool:
    return mark in prose and (pattern is None or pattern.search(prose) is not None)


def placed(mistakes: Iterable[Mistake], source: str, file: str, first_line: int) -> Found:
    """Mistakes with their positions.

    Args:
        mistakes: the mistakes, whose tokens have the line numbers of the source by now.
        source: the text as written, before Liquid.
        file: the file's name in messages.
        first_line: the line of the file on which the text begins.
    """
    ordered = sorted(mistakes, key=lambda mistake: mistake.token.map or [0])
    finder = Finder(source, file, first_line)
    problem, doubt = list[Diagnostic](), list[Doubt]()
    places: dict[int, Callable[[int, int], Span]] = {}  # by the identity of the block
    for text, token, report, offset, is_certain in ordered:
        if offset >= 0:
            if id(token) not in places:
                start = (token.map or (0,))[0] + (token.type == "fence")  # code begins below the fence
                places[id(token)] = finder.within((start,), token.content)
            span = places[id(token)](offset, len(text))
        else:
            span = finder.find_outside_code(text, token.map)
            if not span.column and not is_certain:
                continue  # made by Liquid, or written with escapes, which say that it is meant as text
        result = report(span)
        if isinstance(result, Diagnostic):
            problem.append(result)
        else:
            doubt.append(result)
    return Found(tuple(problem), tuple(doubt))


# -- blocks


def too_deep(env: Mapping[str, Any]) -> list[Mistake]:
    """The first block that nests too deeply, if there is one; `env` is the environment in which the text was parsed."""
    token = first_too_deep(env)
    if token is None:
        return []
    line = token.content.partition("\n")[0].strip()
    return [Mistake(line, token, partial(problems.nested_too_deeply, limit=DEEPEST), is_certain=True)]


def is_unclosed(fence: Token) -> bool:
    """Whether a block of code lacks its closing fence; the token has the lines of the text that was parsed."""
    start, end = fence.map or (0, 0)
    lines = fence.content.count("\n") + (not fence.content.endswith("\n") and fence.content != "")
    return end - start < lines + 2


def _unclosed_fence(tokens: Sequence[Token], index: int) -> Iterator[Mistake]:
    token = tokens[index]
    if is_unclosed(token):
        whole = not token.level
        yield Mistake(token.markup, token, lambda span: problems.unclosed_fence(span, token.markup, whole=whole))


def _row(tokens: Sequence[Token], index: int) -> Iterator[Mistake]:
    token = tokens[index]
    if not token.meta:
        return
    line, cells, columns = token.meta["cells"]
    if cells > columns:
        yield Mistake(line, token, lambda span: problems.extra_cells(span, cells, columns))
    else:
        numbers = f"{cells} of {columns}"
        yield Mistake(line, token, lambda span: Doubt("missing-cells", numbers, span))


_MARKER = re.compile(r"\[!([A-Za-z][\w-]{0,40})\](.*)")


def _alert(tokens: Sequence[Token], index: int) -> Iterator[Mistake]:
    """A quote that begins like an alert and is none."""
    inline = tokens[index + 2] if index + 2 < len(tokens) else tokens[index]
    marker = _MARKER.match(inline.content) if inline.type == "inline" else None
    if marker:
        kind = marker[1].lower()
        near = "" if kind in ALERTS else nearest(kind, ALERTS)
        known, more = kind in ALERTS, marker[2].strip() != ""
        yield Mistake(
            f"[!{marker[1]}]",
            inline,
            lambda span: problems.unknown_alert(span, marker[1], near, known=known, more=more),
        )


_BLOCKS = {"fence": _unclosed_fence, "blockquote_open": _alert, "tr_open": _row}


# -- raw HTML

PAIRED = sanitize.TAGS - VOID - CLOSES.keys() - frozenset("caption colgroup rp rt tbody tfoot thead".split())
"""Elements that are open until their end tag. Browsers close the others when another element begins or ends."""

_ANY_TAG = re.compile(r"<(/?)([a-z][a-z0-9]{0,20})(?=[\s/>])")


def unclosed_elements(blocks: Sequence[Token]) -> Iterator[Mistake]:
    """Elements that are never closed. As in a browser, an end tag closes the last open element of its name.

    Args:
        blocks: those that are raw HTML or contain inline HTML, in order.
    """
    parts = [
        (block, part)
        for block in blocks
        for part in (block.children or (block,))
        if part.type in ("html_inline", "html_block")
    ]
    count = Counter(_ANY_TAG.findall("".join([part.content for _, part in parts]).lower()))
    suspects = {
        name: list[Mistake]()
        for mark, name in count
        if not mark and name in PAIRED and count["", name] > count["/", name]
    }
    for block, part in parts if suspects else ():
        for token in html_tokens(part.content):
            opened = suspects.get(token.name)
            if opened is None:
                continue
            if token.kind == "start" and not (token.closes_itself and token.name == "a"):  # an old anchor
                opened.append(_unclosed(block, part, token.start, token.name))
            elif token.kind == "end" and opened:
                opened.pop()
    return (mistake for opened in suspects.values() for mistake in opened)


def _unclosed(block: Token, part: Token, start: int, name: str) -> Mistake:
    written = part.content[start : start + len(name) + 1]
    offset = start if block is part else -1
    return Mistake(written, block, lambda span: problems.never_closed(span, name), offset)


# -- text

_SPECIAL = "\ufffc"  # stands for everything in a block that is not text, such as code


def _text_of(token: Token) -> str:
    """The text of a block as it is shown, with one character for each part that is not text, such as code or a link."""
    parts, links = list[str](), 0
    for child in token.children or ():
        kind = child.type
        links += child.nesting if kind in ("link_open", "link_close") else 0
        if links or kind == "link_close":
            parts.append(_SPECIAL)
        elif kind == "text":
            parts.append(child.content)
        elif not child.nesting:
            parts.append("\n" if kind in ("softbreak", "hardbreak") else _SPECIAL)
    return "".join(parts)


def _source_of(token: Token) -> str:
    """The source of a block without its code: what is not in it is written with escapes, so it is meant as text."""
    content = token.content.replace("\n", " ")  # as in code spans
    parts, end = list[str](), 0
    for child in token.children or ():
        if child.type == "code_inline":
            start = content.find(child.content, end)
            if start < 0:  # each search would read the rest again
                break
            parts.append(content[end:start])
            end = start + len(child.content)
    return _SPECIAL.join([*parts, content[end:]])


_MOST_MATCHES = 500
"""How many matches are looked at in a block: each is searched for in its source."""

_FOOTNOTE = re.compile(r"(?<![\\(\[/^])\[\^(\w[\w.:-]{0,60})\](?![*+?{\]])")
_HYPHEN = re.compile(r"(\w)-(?=(\w))")
_TWICE = re.compile(r"([^\W\d_]).*\1")
_SHORTEST = 6  # `[^foo]` is what some write for “not foo”
_WORD_END = re.compile(rf"[\w.,;:!?)”’{_SPECIAL}]")
_LETTER = re.compile(r"\w", re.ASCII)  # some languages have no spaces between words


def _lost(footnote: LostFootnote) -> Mistake:
    token, written, why = footnote
    if why == "no place":
        return Mistake(written, token, lambda span: problems.footnote_as_text(span, written), is_certain=True)
    repeated = why == "repeated"
    return Mistake(f"[^{written}]", token, lambda span: problems.lost_footnote(span, written, repeated=repeated))


def _is_label(label: str) -> bool:
    """Whether it is probably the label of a footnote, and not a class of characters such as “[^a-z]”."""
    return label.isdecimal() or (len(label) > 1 and not any(first <= last for first, last in _HYPHEN.findall(label)))


def _is_no_class(label: str) -> bool:
    """Whether a label is not a class of characters, wherever it is: that names none twice, and no range backwards."""
    return (len(label) >= _SHORTEST and bool(_TWICE.search(label))) or bool(_HYPHEN.search(label))


def _is_behind_words(text: str, found: re.Match[str]) -> bool:
    """Whether it is where references are: right behind a word or a sentence, and not before another letter."""
    start = found.start()
    return start > 0 and _WORD_END.match(text, start - 1) is not None and not _LETTER.match(text, found.end())


def _footnotes(has_notes: bool, token: Token, _is_paragraph: bool) -> Iterator[Mistake]:
    """References that nothing defines. In a post without any footnote, ``[^aeiou]`` may be a class of characters."""
    text, source = _text_of(token), _source_of(token)
    for found in islice(_FOOTNOTE.finditer(text), _MOST_MATCHES):
        label = found[1]
        is_reference = has_notes or label.isdecimal() or _is_no_class(label) or _is_behind_words(text, found)
        if is_reference and _is_label(label) and found[0] in source:
            yield _undefined(found[0], token, problems.undefined_footnote)


_INLINE_FOOTNOTE = re.compile(r"(?<!\\)\^\[[^\]\n]{1,200}\]?")


def mistakes_in_line(token: Token) -> Iterator[tuple[str, Callable[[Span], Diagnostic]]]:
    """What is written like a footnote or a link in a line, such as a caption, that was parsed without footnotes; each
    with a function that makes the problem from its position."""
    for written in _footnotes_in_line(token) if "^" in token.content else ():
        yield written, partial(problems.footnote_as_text, written=written)
    for found in _undefined_references(token) if "][" in token.content else ():
        yield found[0], partial(problems.undefined_reference, label=found[2] or found[1])


def _footnotes_in_line(token: Token) -> list[str]:
    text, source = _text_of(token), _source_of(token)
    found = [match[0] for match in islice(_FOOTNOTE.finditer(text), MOST) if _is_label(match[1])]
    found += [match[0].partition(_SPECIAL)[0] for match in islice(_INLINE_FOOTNOTE.finditer(text), MOST)]
    return [written for written in found if written in source]


_REFERENCE = re.compile(rf"(?<![\w\])\[{_SPECIAL}\\])!?\[([^\[\]\n]{{1,200}})\]\[([^\[\]\n]{{0,200}})\]")
_WORDS = re.compile(r"\[[^\s\]]*\]\[[^\W\d][^\s\]]*\]")
_LETTERS = re.compile(r"[^\W\d_][\w ]")


def _references(token: Token, _is_paragraph: bool) -> Iterator[Mistake]:
    for found in _undefined_references(token):
        yield _undefined(found[0], token, problems.undefined_reference, found[2] or found[1])


def _undefined_references(token: Token) -> Iterator[re.Match[str]]:
    source = _source_of(token)
    for found in islice(_REFERENCE.finditer(_text_of(token)), _MOST_MATCHES):
        is_subscript = not _LETTERS.search(found[1])
        is_subject = not found.start() and _WORDS.fullmatch(found[0])  # of a commit: “[clang][x86] Fix …”
        if not is_subscript and not is_subject and _SPECIAL not in found[0] and found[0] in source:
            yield found


def _undefined(text: str, token: Token, problem: Callable[[Span, str], Diagnostic], label: str = "") -> Mistake:
    return Mistake(text, token, lambda span: problem(span, label or text))


_HEADING = re.compile(r"^(#{2,6})[\w`*]", re.MULTILINE)


def _headings(token: Token, is_paragraph: bool) -> Iterator[Mistake]:
    for found in _HEADING.finditer(token.content) if is_paragraph else ():
        yield _heading(token, found[1], found[0])


def _heading(token: Token, marks: str, text: str) -> Mistake:
    return Mistake(text, token, lambda span: problems.unspaced_heading(span, marks))


_MKDOCS = re.compile(
    r"(?:!!!|\?\?\?\+?) +(?:(?P<known>note|tip|hint|important|warning|caution|danger|attention|info|abstract|summary"
    r"|todo|success|question|failure|bug|example|quote|error|seealso)\b|[a-z][\w-]{0,40} +\").*",
    re.IGNORECASE,
)
_ADMONITIONS = ("!!!", "???", ":::")
_CONTAINER = re.compile(r":{3,} *(?:\{ *\.?)?(?P<known>[A-Za-z][\w-]{0,40}).*")
_ALERT_OF = {
    "tip": "TIP",
    "hint": "TIP",
    "success": "TIP",
    "important": "IMPORTANT",
    "warning": "WARNING",
    "attention": "WARNING",
    "caution": "CAUTION",
    "danger": "CAUTION",
    "error": "CAUTION",
    "failure": "CAUTION",
    "bug": "CAUTION",
}


def _admonition(mark: str, token: Token, is_paragraph: bool) -> Iterator[Mistake]:
    line = token.content.partition("\n")[0]
    if not line.startswith(mark):
        return
    found = (_MKDOCS.fullmatch(line) or _CONTAINER.fullmatch(line)) if is_paragraph else None
    if found:
        alert = _ALERT_OF.get((found["known"] or "").lower(), "NOTE")
        yield Mistake(line, token, lambda span: problems.foreign_admonition(span, mark, alert))


_OF_DELIMITERS = frozenset("|:- \t")


def _tables(token: Token, is_paragraph: bool) -> Iterator[Mistake]:
    """A paragraph that was meant as a table: the second line has another number of cells than the first."""
    first, _, rest = token.content.partition("\n")
    second = rest.partition("\n")[0].strip()
    if is_paragraph and "|" in first and "--" in second and set(second) <= _OF_DELIMITERS:
        yield Mistake(first, token, problems.broken_table)


# `**` that is left as text. Exponents, pointers, globs and `**kwargs` are meant so; what remains is a doubt.
_OPENER = re.compile(r"(?:^|(?<=[\s(“\"]))\*\*(?P<word>[^\W\d_]{3,40})(?=[\s,:;.!?])", re.MULTILINE)
_CLOSER = re.compile(r"(?<!\w)(?P<word>[^\W\d_]{3,40})\*\*(?=[\s,:;.!?)]|$)", re.MULTILINE)
_SPACED = re.compile(
    r"(?:^|(?<=\s))\*\* ?(?P<word>[^\W\d_]{2,40}(?: [^\W\d_]{1,40}){1,20}) ?\*\*(?=[\s,:;.!?)]|$)", re.MULTILINE
)
_OF_CODE = frozenset(
    "args argv auto bool byte char class const double envp float int kwargs kwds long opts options params ptr short "
    "signed size struct unsigned void".split()
)


def _asterisks(token: Token, _is_paragraph: bool) -> Iterator[Mistake]:
    if not [child for child in token.children or () if child.type == "text" and "**" in child.content]:
        return  # as most: it makes text bold
    text = _text_of(token)
    for pattern in (_SPACED, _OPENER, _CLOSER):
        for found in pattern.finditer(text):
            if found["word"].lower() not in _OF_CODE:
                yield Mistake(found[0], token, lambda span: Doubt("stray-asterisks", "**", span))
                return


_MAY_BE_EMOJI = re.compile(r":[a-z0-9_+-]{2,60}:")


def _misspelled_emoji(prose: str) -> dict[str, str]:
    """The first names in a text that are similar to the name of an emoji, and that name."""
    names = islice(dict.fromkeys(unknown_emoji(prose)), MOST)  # each comparison takes about a millisecond
    return {name: near for name in names if (near := nearest_emoji(name))}


def _emoji(meant: Mapping[str, str], token: Token, _is_paragraph: bool) -> Iterator[Mistake]:
    for child in token.children or ():
        for name in unknown_emoji(child.content) if child.type == "text" and ":" in child.content else ():
            if near := meant.get(name):
                yield _misspelled(token, f":{name}:", near)


def _misspelled(token: Token, text: str, near: str) -> Mistake:
    return Mistake(text, token, lambda span: Doubt("unknown-emoji", text, span, f":{near}:"))


def _conflicts(token: Token, _is_paragraph: bool) -> Iterator[Mistake]:
    return (Mistake(found[0], token, problems.merge_conflict) for found in CONFLICT.finditer(token.content))


# A string and a pattern without which a search finds nothing. Single characters are found much faster than others.
_SEARCHES: tuple[tuple[str, re.Pattern[str] | None, Callable[[Token, bool], Iterator[Mistake]]], ...] = (
    ("][", None, _references),
    ("#", re.compile(r"##[\w`*]"), _headings),
    ("|", re.compile(r"\n[ \t]{0,3}[|:-][-|: \t]*(?=\n|\Z)"), _tables),
    ("**", None, _asterisks),
    (CONFLICT_MARK, CONFLICT, _conflicts),
)
