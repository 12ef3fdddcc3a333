"""A tree of HTML elements, for conversion to other formats.

HTML that parsing generates is well formed; raw HTML that it passes through need not be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from devlog.model.character_references import unescape

_TAG = re.compile(
    r"""<(?:!--.*?-->|![^>]{0,1000}>|(?P<close>/)?(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,40})"""
    r"""(?P<attributes>[^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*)>)""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""")
_COLORS = re.compile(r'<span class="line-number"[^<>]*>[^<>]*</span>|</?span[^<>]*>')
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_NOT_SHOWN = frozenset("script style template title head object canvas select datalist".split())
_CLOSED_BY = {
    "p": frozenset({"p"}),
    "li": frozenset({"p", "li"}),
    "dt": frozenset({"p", "dt", "dd"}),
    "dd": frozenset({"p", "dt", "dd"}),
    "td": frozenset({"p", "td", "th"}),
    "th": frozenset({"p", "td", "th"}),
    "tr": frozenset({"p", "td", "th", "tr"}),
}
"""The open elements that an opening tag closes implicitly."""
_DEEPEST = 60
"""Elements nested deeper than this are merged into their parent."""
_FAILURES = 100
"""After this many ``<`` that begin no tag, the rest of the input is text."""


class Element:
    """An element: its name in lower case, its attributes as written, and its children."""

    __slots__ = ("children", "name", "written")

    def __init__(self, name: str, written: str = "") -> None:
        self.name = name
        self.written = written
        self.children: list[str | Element] = []

    def get(self, attribute: str) -> str:
        """The value of an attribute; empty if there is none."""
        if attribute not in self.written:
            return ""
        for found in _ATTRIBUTE.finditer(self.written):
            if found[1].lower() == attribute:
                return unescape(found[2] or found[3] or found[4] or "")
        return ""

    @property
    def classes(self) -> Sequence[str]:
        """The names in its ``class`` attribute."""
        return self.get("class").split() if "class" in self.written else ()

    def has(self, attribute: str) -> bool:
        """Whether the attribute is present, with or without a value."""
        return any(found[1].lower() == attribute for found in _ATTRIBUTE.finditer(self.written))

    def elements(self, *names: str) -> Iterator[Element]:
        """The child elements with one of the given names."""
        return (child for child in self.children if isinstance(child, Element) and child.name in names)

    def all(self, name: str) -> Iterator[Element]:
        """All descendants with a name, in document order."""
        for child in self.children:
            if isinstance(child, Element):
                if child.name == name:
                    yield child
                yield from child.all(name)

    def own(self, name: str, container: str) -> Iterator[Element]:
        """The descendants with a name, except those inside a nested container, which belong to that container.

        Each element is found for one container only, so that the output for all containers does not grow with their
        depth.
        """
        for child in self.children:
            if isinstance(child, Element):
                if child.name == name:
                    yield child
                if child.name != container:
                    yield from child.own(name, container)

    def text(self) -> str:
        """All of its text with white space unchanged; ``<br>`` becomes a line break, an image its alt text."""
        parts: list[str] = []
        for child in self.children:
            if isinstance(child, str):
                parts.append(child)
            else:
                parts.append(_INSTEAD[child.name](child) if child.name in _INSTEAD else child.text())
        return "".join(parts)


_INSTEAD: dict[str, Callable[[Element], str]] = {"br": lambda _: "\n", "img": lambda image: image.get("alt")}


def read_html(html: str) -> Element:
    """Parse a fragment of HTML into a tree.

    Args:
        html: any text; errors in it never make parsing fail.

    Returns:
        A nameless root element. The text in it is plain: character references are resolved.
    """
    html = _plain_code(html) if "<span" in html else html
    root = Element("")
    stack = [root]
    flattened: list[str] = []  # the open elements beyond the maximum depth
    position = failures = 0
    while True:
        start = html.find("<", position)
        tag = _TAG.match(html, start) if start >= 0 and failures < _FAILURES else None
        if start >= 0 and tag is None and failures < _FAILURES:
            failures += 1
            stack[-1].children.append(unescape(html[position : start + 1]))
            position = start + 1
            continue
        text = html[position:start] if tag else html[position:]
        if text:
            stack[-1].children.append(unescape(text) if "&" in text else text)
        if tag is None:
            return root
        position = tag.end()
        name = (tag["name"] or "").lower()
        if not name:
            continue
        if tag["close"]:
            _close(stack, flattened, name)
        elif name in _NOT_SHOWN:
            position = _after(html, name, position)
        else:
            _open(stack, flattened, name, tag["attributes"])


def _plain_code(html: str) -> str:
    """Remove syntax highlighting from code blocks, since it accounts for most tags."""
    parts: list[str] = []
    done = 0
    while (start := html.find("<pre", done)) >= 0 and (end := html.find("</pre", start)) >= 0:
        parts += (html[done:start], _COLORS.sub("", html[start:end]))
        done = end
    return "".join((*parts, html[done:]))


def _after(html: str, name: str, position: int) -> int:
    """The end of an element that is not shown; `position` itself if the element is never closed."""
    end = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(html, position)
    return end.end() if end else position


def _open(stack: list[Element], flattened: list[str], name: str, written: str) -> None:
    closes = _CLOSED_BY.get(name)
    while closes and stack[-1].name in closes:
        stack.pop()
    element = Element(name, written)
    if name in _VOID:
        stack[-1].children.append(element)
    elif len(stack) > _DEEPEST:
        flattened.append(name)
    else:
        stack[-1].children.append(element)
        stack.append(element)


def _close(stack: list[Element], flattened: list[str], name: str) -> None:
    for depth in range(len(flattened) - 1, -1, -1):  # removes all it looks at: linear time
        if flattened[depth] == name:
            del flattened[depth:]
            return
    flattened.clear()
    for depth in range(len(stack) - 1, 0, -1):
        if stack[depth].name == name:
            del stack[depth:]
            return
        if stack[depth].name in ("td", "th", "table") and name not in ("td", "th", "tr", "table", "tbody", "thead"):
            return
