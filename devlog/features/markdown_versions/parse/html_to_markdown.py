"""Converts the HTML of a body to Markdown: for sources in HTML, and for content for which Markdown has no syntax.

During the conversion, control characters, which no text can contain, mark emphasis and holes.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from devlog.model.catalog import Catalog
from devlog.model.document import LABEL, Anchor, Body, Drawing, Image, Ref
from devlog.model.markdown import (
    NOTHING,
    address,
    escaped,
    fence_of,
    has_fence,
    leads_to_script,
    may_have_handler,
    may_run,
    opened,
    opens_tag,
    with_plain_braces,
    without_tags,
)
from devlog.model.urls import runs
from devlog.parse.html.elements import Element, read_html
from devlog.parse.markdown.body import CHART
from devlog.parse.markdown.math import in_dollars
from devlog.parse.words import ALERTS

_HOLE = re.compile("\x02(-?\\d+)\x03")
_LABEL = f"\x02{LABEL}\x03"
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_MARKS = {"\x04": ("**", "<strong>"), "\x05": ("**", "</strong>"), "\x06": ("*", "<em>"), "\x07": ("*", "</em>")}
_MARKS |= {"\x0e": ("~~", "<del>"), "\x0f": ("~~", "</del>")}
_ENDS = {"\x04": "\x05", "\x06": "\x07", "\x0e": "\x0f"}
_MARK = re.compile("[\x04-\x07\x0e\x0f]")
_RULE = re.compile(r"(?:[-*] ){2,}[-*]")
"""Nested lists of empty items, which look like a thematic break."""
_BREAK = "\x11"
_BOX = re.compile(rf"(\[[x ]\])[ {_BREAK}]+")
_FORMULA = "\x12"
_CHART_END = "</figure>"
_CLOSED = "\x13"
"""Behind a bracket that is no link: nothing that follows may make it one."""
_LINKS = re.compile(f"{_CLOSED}([ \n{_BREAK}{_CLOSED}]*)([(:]?)")
_AROUND = f" \n\t\xa0\u200b{_BREAK}"
_PARAGRAPHS = re.compile(f"(?:{_BREAK}[ \n\t\xa0]*){{2,}}")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f]")
_EMPHASIS = {"strong": "\x04", "b": "\x04", "em": "\x06", "i": "\x06", "cite": "\x06", "dfn": "\x06"}
_EMPHASIS |= {"var": "\x06", "del": "\x0e", "s": "\x0e", "strike": "\x0e"}
_BLOCKS = frozenset(
    "address article aside blockquote center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 "
    "h5 h6 header hgroup hr li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
_KEPT = frozenset({"kbd", "sub", "sup", "mark", "ins"})
"""Elements without Markdown syntax, which stay as HTML tags."""
_PLAYED = {"video": "video", "audio": "audio", "iframe": "frame", "embed": "frame"}
"""The message keys of names for media elements that have no name of their own."""
_HIDDEN = frozenset({"line-number", "only-dark", "code-tools"})
_SIGNS = frozenset({"anchor", "footnote-backref"})
"""The classes of links to a heading itself and back from a footnote, which a sign stands for."""
_ALIGNMENTS = {"align-left": ":--", "align-center": ":-:", "align-right": "--:"}
_NOTE = re.compile(r"[\w.-]{1,64}")
"""Names of footnotes."""
_CLOCK = re.compile(r"\d{1,4}(?::\d\d){1,2}")
_ALERT = re.compile(r"markdown-alert-[\w-]+")
_WIDEST = 100
"""The maximum number of cells in a table row."""

Pieces = tuple[str | int, ...]


def markdown_of(body: Body, refs: Sequence[Ref], t: Catalog) -> Pieces:
    """Convert a body to Markdown with the same holes.

    Args:
        body: the HTML with holes.
        refs: the links and images for which the holes are.
        t: the message catalog with which the body was written.
    """
    return cut(_Writer(t).document(read_html("".join(_joined(body, refs)))))


def with_sources(body: Body, sources: Mapping[str, str]) -> Body:
    """A body with the code of charts in place of the charts, which round numbers and leave out names.

    Args:
        body: the HTML with holes.
        sources: the HTML of code blocks, by that of the charts drawn from them.
    """
    if not sources:
        return body
    pieces = (_with_sources(piece, sources) if isinstance(piece, str) else piece for piece in body.pieces)
    return Body(tuple(pieces))


def _with_sources(html: str, sources: Mapping[str, str]) -> str:
    first, *parts = html.split(CHART)
    for part in parts:
        inside, end, rest = part.partition(_CHART_END)
        chart = f"{CHART}{inside}{end}"
        first += sources.get(chart, chart) + rest
    return first


def cut(text: str) -> Pieces:
    """A text with marked holes, split at the holes."""
    parts = _HOLE.split(text)
    pieces: list[str | int] = []
    for index, part in enumerate(parts):
        if index % 2:
            pieces.append(int(part))
        elif part:
            pieces.append(part)
    return tuple(pieces)


def _joined(body: Body, refs: Sequence[Ref]) -> Iterable[str]:
    """The HTML of a body with marked holes."""
    for piece in body.pieces:
        if isinstance(piece, str):
            yield _CONTROLS.sub("", piece)
        elif isinstance(piece, Image):
            yield f'{piece.start} src="\x02{piece.ref}\x03"{piece.end}'
        elif isinstance(piece, Drawing):
            yield piece.source
        elif not isinstance(piece, Anchor):
            name = refs[piece].attribute
            yield f' {name}="\x02{piece}\x03"' if name else f"\x02{piece}\x03"


class _Writer:
    """Writes the elements of one document as Markdown."""

    def __init__(self, t: Catalog) -> None:
        self._t = t
        self._notes: set[str] = set()  # the names of footnotes that are shown and referred to
        self._in_tags = False  # whether code with brackets is written in tags
        self._is_nested = False  # whether some parsers find no code where it is

    def document(self, root: Element) -> str:
        """The Markdown of a whole document."""
        marks = {name for kind in ("sup", "a") for element in root.all(kind) if (name := _mark(element))}
        if marks:
            boxes = (box for kind in ("div", "section") for box in root.all(kind) if "footnotes" in box.classes)
            self._notes = marks.intersection(_note(item) for box in boxes for item in box.own("li", "li"))
        text = "\n\n".join(self.blocks(root.children))
        return f"{text}\n" if text else ""

    # -- blocks

    def blocks(self, children: Iterable[str | Element]) -> list[str]:
        """The blocks of some children; inline content between blocks becomes paragraphs."""
        found: list[str] = []
        loose: list[str | Element] = []
        for child in children:
            if isinstance(child, str) or not self.is_block(child):
                loose.append(child)
                continue
            found += self._paragraph(loose)
            loose = []
            for block in self._block(child):
                found.append(_apart(found[-1], block) if found else block)
        found += self._paragraph(loose)
        return found

    def is_block(self, element: Element) -> bool:
        """Whether an element is a block, or contains one."""
        if element.name in _BLOCKS:
            return True
        if element.name in ("math", "svg", "code") or not element.children:
            return False
        return any(isinstance(child, Element) and self.is_block(child) for child in element.children)

    def _paragraph(self, children: Sequence[str | Element]) -> list[str]:
        if not children:
            return []
        parts = (part.strip(_AROUND) for part in _PARAGRAPHS.split(self.line(children)))
        return [_opened(part) for part in parts if part]

    def _block(self, element: Element) -> list[str]:
        if _is_hidden(element):
            return []
        write: Callable[[Element], list[str]] | None = getattr(self, f"_block_{element.name}", None)
        return write(element) if write else self.blocks(element.children)

    def _block_p(self, element: Element) -> list[str]:
        if "turn" in element.classes:
            return self._turn(element)
        return self.blocks(element.children)

    def _turn(self, element: Element) -> list[str]:
        """A turn of a speaker."""
        speaker = next(element.elements("cite"), None)
        time = next((child for child in element.elements("a") if "time" in child.classes), None)
        rest = [child for child in element.children if child is not speaker and child is not time]
        name = f"**{escaped(' '.join(speaker.text().split()))}** " if speaker and speaker.text().strip() else ""
        clock = time.text().strip() if time else ""
        clock = clock if _CLOCK.fullmatch(clock) else ""
        if clock.count(":") == 1:
            clock = f"0:{clock.zfill(5)}"
        start = f"{name}[{clock}]{_CLOSED} " if clock else name
        return [_unlinked(f"{start}{self.line(rest).replace(_BREAK, ' ')}").rstrip()]

    def _heading(self, element: Element) -> list[str]:
        text = self.line(element.children).replace(_BREAK, " ").strip()
        if text.endswith("#"):
            text = f"{text[:-1]}\\#"
        return [f"{'#' * int(element.name[1])} {text}"] if text else []

    _block_h1 = _block_h2 = _block_h3 = _block_h4 = _block_h5 = _block_h6 = _heading

    def _block_hr(self, _element: Element) -> list[str]:
        return ["---"]

    def _block_div(self, element: Element) -> list[str]:
        classes = element.classes
        if "code" in classes:
            return self._code(element)
        if "footnotes" in classes:
            return self._footnotes(element)
        kind = next((name for name in classes if _ALERT.fullmatch(name) and not name.endswith("-title")), "")
        return self._alert(element, kind.removeprefix("markdown-alert-")) if kind else self.blocks(element.children)

    def _block_section(self, element: Element) -> list[str]:
        return self._footnotes(element) if "footnotes" in element.classes else self.blocks(element.children)

    def _alert(self, element: Element, kind: str) -> list[str]:
        titles = [child for child in element.elements("p") if "markdown-alert-title" in child.classes][:1]
        rest = [child for child in element.children if child not in titles]
        title = self.line(titles[0].children).strip() if titles else ""
        usual = escaped(self._t(ALERTS[kind])) if kind in ALERTS else kind
        own = title if title.casefold() not in (kind, usual.casefold()) else ""
        inside = [f"[!{kind.upper()}]{_CLOSED}{f' {own}' if own else ''}", "\n\n".join(self.blocks(rest))]
        return [_prefixed(_unlinked("\n".join(part for part in inside if part)), "> ")]

    def _block_blockquote(self, element: Element) -> list[str]:
        inside = "\n\n".join(self.blocks(element.children))
        return [_prefixed(inside, "> ")] if inside else []

    def _block_details(self, element: Element) -> list[str]:
        summaries = list(element.elements("summary"))[:1]
        rest = [child for child in element.children if child not in summaries]
        with self._nesting():
            title = self.line(summaries[0].children).replace(_BREAK, " ").strip() if summaries else ""
        shown = " open" if element.has("open") else ""
        head = f"<details{shown}>" + (f"\n<summary>\n\n{title}\n\n</summary>" if title else "")
        with self._nesting():
            inside = self.blocks(rest)
        return [head, *map(_nested, inside), "</details>"]

    # -- code

    def _code(self, element: Element) -> list[str]:
        pre = next(element.all("pre"), None)
        if pre is None:
            return self.blocks(element.children)
        title = next((child for child in element.elements("div") if "code-title" in child.classes), None)
        language = element.get("data-lang")
        if not language:
            named = next((name for child in pre.elements("code") for name in child.classes), "")
            language = named.removeprefix("language-")
        if "diff" in element.classes and language != "diff":
            language = f"diff-{language}" if language else "diff"
        name, code = " ".join(title.text().split()) if title else "", _shown(pre)
        return [*([f"*{escaped(_CONTROLS.sub('', name))}*"] if name else []), *_fenced(code, language)]

    def _block_pre(self, element: Element) -> list[str]:
        named = next((name for child in element.elements("code") for name in child.classes), "")
        language = named.removeprefix("language-") if named.startswith("language-") else ""
        return _fenced(_shown(element), language)

    # -- lists

    def _block_ul(self, element: Element) -> list[str]:
        return self._list(element, lambda _: "- ")

    _block_menu = _block_ul

    def _block_ol(self, element: Element) -> list[str]:
        start = element.get("start")
        first = int(start) if start.isdecimal() and len(start) < 9 else 1
        return self._list(element, lambda index: f"{first + index}. ")

    def _list(self, element: Element, mark: Callable[[int], str]) -> list[str]:
        items: list[str] = []
        loose = False
        for child in element.children:
            inside: list[str | Element] = [child]
            if isinstance(child, Element) and child.name == "li":
                inside = child.children
            blocks = self.blocks(inside)
            if not blocks and not (isinstance(child, Element) and child.name == "li"):
                continue
            if blocks and blocks[0] in ("[x]", "[ ]"):  # the checkbox of a task is before its first paragraph
                if blocks[1:] and not _OPENS_BLOCK.match(blocks[1]):
                    blocks = [_unlinked(f"{blocks[0]}{_CLOSED} {blocks[1]}"), *blocks[2:]]
                else:  # behind a checkbox nothing else is a block, so that code would be text
                    blocks = [f"{blocks[0]} {NOTHING}", *blocks[1:]]
            loose = loose or (isinstance(child, Element) and any(True for _ in child.elements("p")))
            sign = mark(len(items))
            items.append(_item(blocks, sign))
        return [("\n\n" if loose else "\n").join(items)] if items else []

    def _block_li(self, element: Element) -> list[str]:
        return [_item(self.blocks(element.children), "- ")]

    def _block_dl(self, element: Element) -> list[str]:
        blocks: list[str] = []
        parts: list[str] = []
        for child in element.children:
            if isinstance(child, Element) and child.name == "dt":
                parts.append(("\n" if parts and parts[-1].startswith(":") else "") + self._term(child))
            elif isinstance(child, Element) and child.name == "dd" and parts:
                parts.append(_item(self.blocks([_as_block(child)]), ": "))
            elif others := self._not_defined(child):
                blocks += ["\n".join(parts)] if parts else []
                blocks += others
                parts = []
        return [*blocks, "\n".join(parts)] if parts else blocks

    def _not_defined(self, child: str | Element) -> list[str]:
        """The blocks of an element between definitions, or of a group of definitions."""
        if isinstance(child, Element) and child.name == "div":
            return self._block_dl(child)
        return self.blocks([child])

    def _term(self, element: Element) -> str:
        return opened(self.line(element.children).replace(_BREAK, " ").strip())

    def _footnotes(self, element: Element) -> list[str]:
        items = list(element.own("li", "li"))
        if self._notes.isdisjoint(map(_note, items)):  # a list like others: Markdown shows no note without its mark
            return self.blocks(element.children)
        found = []
        for item in items:
            name = _note(item)
            if name not in self._notes:
                found += self.blocks(item.children)
            else:
                said = self.blocks(item.children) or [""]
                if leads_to_script(f"[{name}]: {said[0]}"):  # as read by parsers without footnotes
                    said = said if said[0].startswith("```") else [NOTHING, *said]  # in its line, all would be HTML
                found.append(_item(said, f"[^{_LABEL}{name}]: ", "    "))
        return found

    # -- tables

    def _block_table(self, element: Element) -> list[str]:
        rows = [list(row.elements("td", "th")) for row in element.own("tr", "table")]
        rows = [row for row in rows if row]
        if not rows or max(len(row) for row in rows) < 2 or next(_inside(rows, "table"), None):
            captions = list(element.elements("caption"))
            return self.blocks([_as_block(cell) for row in [captions, *rows] for cell in row])
        width = min(_WIDEST, max(sum(_span(cell) for cell in row) for row in rows))
        has_head = all(cell.name == "th" for cell in rows[0])
        head = rows[0] if has_head else []
        aligned = [_alignment(cell) for cell in (rows[0])] + ["---"] * width
        lines = [self._row(head, width), f"| {' | '.join(aligned[:width])} |"]
        lines += [self._row(row, width) for row in (rows[1:] if has_head else rows)]
        above = [block for caption in element.elements("caption") for block in self.blocks(caption.children)]
        return [*above, "\n".join(lines)]

    def _row(self, cells: Sequence[Element], width: int) -> str:
        texts: list[str] = []
        for cell in cells:
            blocks = [self._cell(child) for child in _cut_at_blocks(self, cell)]
            texts.append("<br>".join(block for block in blocks if block).replace("|", "\\|"))
            texts += [""] * (_span(cell) - 1)
        return f"| {' | '.join((texts + [''] * width)[:width])} |"

    def _cell(self, children: Sequence[str | Element]) -> str:
        return self.line(children).strip(f" {_BREAK}").replace(_BREAK, "<br>").replace("\n", " ")

    @contextmanager
    def _nesting(self) -> Iterator[None]:
        """Write code with tags as HTML meanwhile."""
        was_nested, self._is_nested = self._is_nested, True
        yield
        self._is_nested = was_nested

    # -- lines

    def line(self, children: Iterable[str | Element]) -> str:
        """Inline content as one line."""
        parts: list[str] = []
        self._inline(children, parts)
        text = "".join(parts)
        text = _BLANKS.sub(" ", text) if "\n" in text or "  " in text or "\t" in text else text
        if _BREAK in text:
            text = re.sub(f" *{_BREAK} *", _BREAK, text)
        return _unlinked(_with_formulas(_resolved(text.strip(" ")))).strip(_AROUND)

    def _inline(self, children: Iterable[str | Element], parts: list[str]) -> None:
        for child in children:
            if isinstance(child, str):
                parts.append(_text(child))
            elif not _is_hidden(child):
                self._within(child, parts)

    def _within(self, element: Element, parts: list[str]) -> None:
        name = element.name
        write: Callable[[Element, list[str]], None] | None = getattr(self, f"_inline_{name}", None)
        if write:
            write(element, parts)
        elif name in _EMPHASIS:
            self._marked(element, parts, _EMPHASIS[name])
        elif name in _PLAYED:
            self._played(element, parts)
        elif name in _KEPT:
            with self._nesting():
                inside = self._inner(element)
            parts.append(f"<{name}>{inside}</{name}>" if inside.strip() else inside)
        elif name not in ("svg", "source", "track"):
            self._inline(element.children, parts)
            if name in _BLOCKS:
                parts.append(" ")

    def _inner(self, element: Element) -> str:
        parts: list[str] = []
        self._inline(element.children, parts)
        return "".join(parts)

    def _marked(self, element: Element, parts: list[str], begin: str) -> None:
        inside = self._inner(element)
        if begin in inside:  # nested emphasis of the same kind has no effect
            parts.append(inside)
            return
        for part in _PARAGRAPHS.split(inside):
            bare = part.strip(_AROUND)
            start = part.index(bare)
            parts.append(f"{part[:start]}{begin}{bare}{_ENDS[begin]}{part[start + len(bare) :]}" if bare else part)

    def _inline_br(self, _element: Element, parts: list[str]) -> None:
        parts.append(_BREAK)

    def _inline_code(self, element: Element, parts: list[str]) -> None:
        text = element.text()
        span = _code_span(text)
        is_doubtful = self._in_tags or self._is_nested or "|" in text or "`" in text
        is_tag = is_doubtful and opens_tag(text)  # its end may be elsewhere
        if is_tag or may_run(text) or (self._in_tags and _BRACKET.search(text)):  # some find no code in other elements
            span = _code_in_html(text)
        elif span and parts and parts[-1].endswith("`"):  # adjacent code spans would be one
            span = f"<code>{escaped(_BLANKS.sub(' ', _CONTROLS.sub('', text)).strip())}</code>"
        parts.append(span)

    _inline_tt = _inline_samp = _inline_code

    def _inline_q(self, element: Element, parts: list[str]) -> None:
        parts.append(f"“{self._inner(element)}”")

    def _inline_rt(self, element: Element, parts: list[str]) -> None:
        parts.append(f"({self._inner(element)})")

    def _inline_rp(self, element: Element, parts: list[str]) -> None:
        pass

    def _inline_sup(self, element: Element, parts: list[str]) -> None:
        name = _mark(element)
        if name in self._notes:
            parts.append(f"[^{_LABEL}{name}]{_CLOSED}")
        elif (inside := self._inner(element)).strip():
            parts.append(f"<sup>{inside}</sup>")

    def _inline_math(self, element: Element, parts: list[str]) -> None:
        tex = " ".join(element.get("alttext").split())
        if leads_to_script(tex) or has_fence(tex) or may_have_handler(tex):  # as read by parsers without formulas
            parts.append(_code_span(tex))
            return
        tex = without_tags(tex)
        if element.get("display") == "block":
            parts.append(f"$${tex}$$" if tex else "")
        elif tex:
            parts.append(f"{_FORMULA}{tex}{_FORMULA}")

    def _inline_input(self, element: Element, parts: list[str]) -> None:
        if element.get("type").lower() == "checkbox":
            parts.append(f"[{'x' if element.has('checked') else ' '}]{_CLOSED} ")

    def _inline_img(self, element: Element, parts: list[str]) -> None:
        alt = escaped(_BLANKS.sub(" ", _CONTROLS.sub("", element.get("alt"))).strip()).replace('"', "&quot;")
        source = _destination(element.get("src"))
        if source.lower().startswith("data:"):
            source = ""
        shown = alt.replace("\\[", "&#91;").replace("]", "&#93;")  # in a link, it must not look like a part of it
        parts.append(f"![{shown}]({source}{_title(element)})" if source else alt)

    def _inline_a(self, element: Element, parts: list[str]) -> None:
        if (name := _mark(element)) in self._notes:
            parts.append(f"[^{_LABEL}{name}]{_CLOSED}")
            return
        url = element.get("href")
        inside = self._inner(element)
        bare = inside.strip(_AROUND)
        if not url or not bare:
            parts.append(inside)
            return
        if "`" in bare and not self._in_tags and (_bracketed(bare) != bare or opens_tag(bare)):  # as HTML, it is none
            self._in_tags = True
            inside = self._inner(element)
            bare = inside.strip(_AROUND)
            self._in_tags = False
        if parts and parts[-1].endswith("!") and not parts[-1].endswith("\\!"):
            parts[-1] = f"{parts[-1][:-1]}\\!"
        start = inside.index(bare)
        shown = f"<{url}>"
        if not _is_shown(element, url):
            shown = f"[{_bracketed(bare.replace(_BREAK, ' '))}]({_destination(url)}{_title(element)})"
        parts.append(f"{inside[:start]}{shown}{inside[start + len(bare) :]}")

    def _played(self, element: Element, parts: list[str]) -> None:
        sources = (element.get("src"), *(source.get("src") for source in element.all("source")))
        source = next((_destination(source) for source in sources if source), "")
        said = element.get("aria-label") or element.get("title") or self._t(_PLAYED[element.name])
        if source and not source.lower().startswith(("data:", "about:")):
            label = escaped(" ".join(_CONTROLS.sub("", said).split()))
            parts.append(f"[{_bracketed(label)}]({source})")
        elif element.name in ("video", "audio"):
            self._inline(element.children, parts)


def _is_hidden(element: Element) -> bool:
    """Whether an element is left out: it repeats what the text has, or is only a sign. Posts may have classes, too."""
    classes = element.classes
    if not classes:
        return False
    if element.name == "a" and not _SIGNS.isdisjoint(classes):
        return not any(map(str.isalnum, element.text())) and next(element.all("img"), None) is None
    return not _HIDDEN.isdisjoint(classes)


def _mark(element: Element) -> str:
    """The name of the footnote for which an element is the mark; empty if it is none."""
    name = element.text().strip() if "footnote-ref" in element.classes else ""
    return name if _NOTE.fullmatch(name) else ""


def _note(item: Element) -> str:
    """The name of the footnote that a list item is; empty if it is none."""
    name = item.get("id")
    return name[2:] if name.startswith("fn") and _NOTE.fullmatch(name, 2) else ""


# -- inline text


def _text(text: str) -> str:
    """A text escaped for use in a line; holes in it stay."""
    text = _CONTROLS.sub(lambda found: found[0] if found[0] in "\x02\x03" else "", text)
    return with_plain_braces(escaped(text))  # a list of attributes may go on in other elements


_BRACKET = re.compile(r"[\[\]]")
_IMAGE = re.compile(r"(!\[[^\[\]\n]*\]\([^()\[\]\n]*\))")


def _bracketed(text: str) -> str:
    """A line for use inside brackets, in which brackets must be balanced."""
    parts = _IMAGE.split(text) if "![" in text else [text]
    if len(parts) > 1:
        return "".join(part if index % 2 else _bracketed(part) for index, part in enumerate(parts))
    plain = text.replace("\\[", "[")
    if "[" not in plain and "]" not in plain:
        return text
    # Parsers differ in what a footnote in the text of a link is: there, it must not look like one.
    if not any(mark in plain for mark in ("](", "[^", "^[")) and _is_paired(plain):
        return plain
    return plain.replace("[", "&#91;").replace("]", "&#93;")


def _is_paired(text: str) -> bool:
    depth = 0
    for sign in re.findall(r"[\[\]]", text):
        depth += 1 if sign == "[" else -1
        if depth < 0:
            return False
    return depth == 0


def _title(element: Element) -> str:
    title = " ".join(_CONTROLS.sub("", element.get("title")).split())
    if not title:
        return ""
    written = escaped(title).replace("\\[", "[").replace('"', "&quot;")
    return f' "{written.translate(_IN_TITLE)}"'


_IN_TITLE = str.maketrans({"[": "&#91;", "]": "&#93;", "(": "&#40;", ")": "&#41;"})
"""What must not look like a part of the link around an image."""


def _destination(url: str) -> str:
    """A URL as a link destination; the URL of a hole is escaped when the hole is filled."""
    url = url.strip()
    if _HOLE.fullmatch(url):
        return url
    return address(_CONTROLS.sub("", url))


def _is_shown(element: Element, url: str) -> bool:
    """Whether the text of a link is its URL."""
    return (
        "://" in url
        and not runs(url)
        and "%" not in url
        and element.text().strip() == url
        and not re.search(r"[\s<>\x00-\x1f]", url)
    )


def _code_span(code: str) -> str:
    """Code in a line. Three backticks would be a fence to some parsers, wherever they are."""
    bare = _BLANKS.sub(" ", _CONTROLS.sub("", code)).strip()
    if "``" in bare:
        return _code_in_html(code)
    if "`" in bare:
        return f"`` {bare} ``" if bare[0] == "`" or bare[-1] == "`" else f"``{bare}``"
    return f"`{bare}`" if bare else ""


def _code_in_html(code: str) -> str:
    bare = _BLANKS.sub(" ", _CONTROLS.sub("", code)).strip()
    return f"<code>{bare.translate(_IN_CODE)}</code>"


def _shown(pre: Element) -> str:
    """The text of code as it is displayed."""
    parts: list[str] = []

    def add(element: Element) -> None:
        for child in element.children:
            if isinstance(child, str):
                parts.append(child)
            elif child.name in ("br", "img"):
                parts.append("\n" if child.name == "br" else child.get("alt"))
            elif not _is_hidden(child):
                add(child)

    add(pre)
    return "".join(parts)


_FENCE_INSIDE = re.compile(r"^[ \t>]*(?:```|~~~+[ \t]*$)", re.MULTILINE)


def _fenced(code: str, language: str) -> list[str]:
    """Code between fences; as HTML if a line in it would be one. Some parsers find no fence without a line between."""
    code = _CONTROLS.sub(lambda found: found[0] if found[0] in "\x02\x03" else "", code)
    code = code.removeprefix("\n").rstrip("\n")
    if not code.strip():
        return []
    return [_in_html(code) if _FENCE_INSIDE.search(code) else f"{fence_of(language)}\n{code}\n```"]


def _opened(text: str) -> str:
    """A paragraph, escaped so that it does not begin another block, not even after the checkbox of a task."""
    box = _BOX.match(text)
    rest = text[box.end() :] if box else text
    return (f"{box[1]} " if box else "") + opened(rest.replace(_BREAK, "\\\n"))


def _resolved(text: str) -> str:
    """A line with its emphasis written as Markdown where parsers recognize it, else as HTML tags."""
    if not _MARK.search(text):
        return text
    found = list(_MARK.finditer(text))
    signs: dict[int, str] = {}
    stack: list[int] = []
    for mark in found:
        if mark[0] in _ENDS:
            stack.append(mark.start())
            continue
        if not stack:
            signs[mark.start()] = ""
            continue
        begin = stack.pop()
        is_plain = _opens(text, begin) and _closes(text, mark.start())
        kind = 0 if is_plain else 1
        signs[begin], signs[mark.start()] = _MARKS[text[begin]][kind], _MARKS[mark[0]][kind]
    return _MARK.sub(lambda mark: signs.get(mark.start(), ""), text)


def _unlinked(text: str) -> str:
    """A text in which marked brackets are no links: some parsers allow blanks before a destination."""
    return _LINKS.sub(_apart_from_bracket, text) if _CLOSED in text else text


def _apart_from_bracket(found: re.Match[str]) -> str:
    between = found[1].replace(_CLOSED, "")
    return f"{between}\\{found[2]}" if found[2] else between


def _with_formulas(text: str) -> str:
    """A line with its formulas written; the characters next to a formula determine the syntax."""
    if _FORMULA not in text:
        return text
    parts = text.split(_FORMULA)
    written = parts[0]
    for offset in range(1, len(parts), 2):
        behind = parts[offset + 1]
        is_last = offset + 2 == len(parts)
        written += in_dollars(parts[offset], written[-1:], behind if behind or is_last else "$") + behind
    return written


def _opens(text: str, offset: int) -> bool:
    before, after = text[offset - 1 : offset], text[offset + 1 : offset + 2]
    is_free = not _is_word(before) and after not in ("", " ", _BREAK) and before not in _MARKS
    return is_free and _is_edge(before, after)


def _closes(text: str, offset: int) -> bool:
    before, after = text[offset - 1 : offset], text[offset + 1 : offset + 2]
    return not _is_word(after) and after not in _MARKS and _is_edge(after, before)


def _is_edge(outside: str, inside: str) -> bool:
    """Whether emphasis can begin or end between two characters in all versions of Markdown.

    Beside a sign that is neither blank nor punctuation, such as an emoji, some find none if it begins with punctuation.
    """
    if not outside or outside in string.punctuation or outside in (_BREAK, _FORMULA, "\n", "\t"):
        return True
    category = unicodedata.category(outside)
    return inside.isalnum() or category == "Zs" or category[0] == "P"


def _is_word(character: str) -> bool:
    return bool(character) and (character.isalnum() or character in "_\x02\x03\\`")


# -- layout


def _apart(before: str, block: str) -> str:
    """A block that follows another one: adjacent lists that are separate get different markers."""
    if block.startswith("- ") and before.startswith("- "):
        return re.sub("^-", "*", block, flags=re.MULTILINE)
    if before.startswith("* ") and block.startswith("- "):
        return block
    first, number = re.match(r"\d+\. ", before), re.match(r"\d+\. ", block)
    return re.sub(r"^(\d+)\.", r"\1)", block, flags=re.MULTILINE) if first and number else block


_FENCE = re.compile(r"^```[^\n`]*\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_IN_PRE = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        "[": "&#91;",
        "]": "&#93;",
        "{": "&#123;",
        "`": "&#96;",
        "~": "&#126;",
        "\\": "&#92;",
    }
)
_IN_CODE = _IN_PRE | str.maketrans({"*": "&#42;", "_": "&#95;", "$": "&#36;"})


def _nested(text: str) -> str:
    """Blocks for use inside of another one, where some parsers find no fences: code with tags for them is HTML."""
    if "```" not in text:
        return text
    return _FENCE.sub(lambda fence: _in_html(fence[1]) if opens_tag(fence[1]) or may_run(fence[1]) else fence[0], text)


def _in_html(code: str) -> str:
    return f"<pre><code>{code.translate(_IN_PRE)}\n</code></pre>"


def _prefixed(text: str, prefix: str) -> str:
    return "\n".join(f"{prefix}{line}".rstrip() for line in _nested(text).split("\n"))


_OPENS_BLOCK = re.compile(r"```|---$|<(?:!--|(?:details|pre|table)\b)|[>|#]|(?:[-*+]|\d+[.)])(?:\s|$)")
"""Matches blocks that are no paragraphs, which are escaped so that they begin with none of these."""


def _item(blocks: Sequence[str], mark: str, indent: str = "") -> str:
    """The content of a list item after its marker; all lines but the first are indented."""
    inside: list[str] = []
    if blocks and blocks[0].startswith("```"):  # some parsers find no fence beside a marker, but the end of one
        blocks = [NOTHING, *blocks]
    for index, block in enumerate(blocks):
        is_list = re.match(r"(?:[-*]|1[.)]) ", block)  # any other number begins no list behind a paragraph
        inside.append(("\n" if is_list and index == 1 and len(blocks) == 2 else "\n\n" if index else "") + block)
    lines = _nested("".join(inside)).split("\n")
    indent = indent or " " * len(mark)
    rest = [f"{indent}{line}" if line else "" for line in lines[1:]]
    first = f"{mark}{lines[0]}".rstrip()
    return "\n".join([f"{first} {NOTHING}" if _RULE.fullmatch(first) else first, *rest])


def _inside(rows: Iterable[Iterable[Element]], name: str) -> Iterator[Element]:
    return (found for row in rows for cell in row for found in cell.all(name))


def _as_block(cell: Element) -> Element:
    """The content of a cell as a block of its own."""
    block = Element("div")
    block.children = cell.children
    return block


def _span(cell: Element) -> int:
    span = cell.get("colspan")
    return min(_WIDEST, max(1, int(span))) if span.isdecimal() and len(span) < 4 else 1


def _alignment(cell: Element) -> str:
    style = cell.get("style").replace(" ", "") or cell.get("align")
    named = next((name for name in cell.classes if name in _ALIGNMENTS), "")
    if not named:
        named = next((f"align-{side}" for side in ("left", "center", "right") if side in style), "")
    return _ALIGNMENTS.get(named, "---")


def _cut_at_blocks(writer: _Writer, cell: Element) -> list[list[str | Element]]:
    """The content of a cell, split into blocks, since a table row has only one line."""
    parts: list[list[str | Element]] = [[]]
    for child in cell.children:
        if isinstance(child, Element) and writer.is_block(child):
            parts += [[child], []]
        else:
            parts[-1].append(child)
    return parts
