"""HTML as a tree, for writing it in another way: what parsing made is well formed, what it let through need not be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from devlog.model.character_references import unescape

_TAG = re.compile(
    r"""<(?:!--.*?-->|![^>]{0,1000}>|(?P<close>/)?(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,40})"""
    r"""(?P<attributes>(?:[^<>"']|"[^"]*"|'[^']*')*)>)""",
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
"""What an opening tag ends that nobody has ended."""
_DEEPEST = 60
"""Elements nested deeper than this are not told apart from what they are in."""
_FAILURES = 100
"""After so many signs that look like the beginning of a tag and are none, all the rest is text."""


class Element:
    """An element: its name in lower case, its attributes as they are written, what it holds."""

    __slots__ = ("children", "name", "written")

    def __init__(self, name: str, written: str = "") -> None:
        self.name = name
        self.written = written
        self.children: list[str | Element] = []

    def get(self, attribute: str) -> str:
        """The value of an attribute; empty without one."""
        if attribute not in self.written:
            return ""
        for found in _ATTRIBUTE.finditer(self.written):
            if found[1].lower() == attribute:
                return unescape(found[2] or found[3] or found[4] or "")
        return ""

    @property
    def classes(self) -> Sequence[str]:
        """The classes that it is in."""
        return self.get("class").split() if "class" in self.written else ()

    def has(self, attribute: str) -> bool:
        """Whether there is such an attribute, with a value or without."""
        return any(found[1].lower() == attribute for found in _ATTRIBUTE.finditer(self.written))

    def elements(self, *names: str) -> Iterator[Element]:
        """The elements with one of some names directly in it."""
        return (child for child in self.children if isinstance(child, Element) and child.name in names)

    def all(self, name: str) -> Iterator[Element]:
        """The elements with a name anywhere in it, in order."""
        for child in self.children:
            if isinstance(child, Element):
                if child.name == name:
                    yield child
                yield from child.all(name)

    def own(self, name: str, container: str) -> Iterator[Element]:
        """The elements with a name in it, but for those that belong to a container within: they are its own.

        Each is found for one container only, so that what is written of all containers does not grow with their depth.
        """
        for child in self.children:
            if isinstance(child, Element):
                if child.name == name:
                    yield child
                if child.name != container:
                    yield from child.own(name, container)

    def text(self) -> str:
        """All of its text, white space as it is; a line break is one, and a picture is what is said of it."""
        parts: list[str] = []
        for child in self.children:
            if isinstance(child, str):
                parts.append(child)
            else:
                parts.append(_INSTEAD[child.name](child) if child.name in _INSTEAD else child.text())
        return "".join(parts)


_INSTEAD: dict[str, Callable[[Element], str]] = {"br": lambda _: "\n", "img": lambda image: image.get("alt")}


def read_html(html: str) -> Element:
    """The tree of a fragment of HTML.

    Args:
        html: any text; what is wrong with it is read somehow.

    Returns:
        A nameless element that holds it all. Texts in it are plain: their entities are read.
    """
    html = _plain_code(html) if "<span" in html else html
    root = Element("")
    stack = [root]
    flattened: list[str] = []  # the elements that are too deep
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
    """A text whose code has no colors: most tags are theirs."""
    parts: list[str] = []
    done = 0
    while (start := html.find("<pre", done)) >= 0 and (end := html.find("</pre", start)) >= 0:
        parts += (html[done:start], _COLORS.sub("", html[start:end]))
        done = end
    return "".join((*parts, html[done:]))


def _after(html: str, name: str, position: int) -> int:
    """Where an element ends that nobody sees; right where it begins if it never ends."""
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
    for depth in range(len(flattened) - 1, -1, -1):  # what was looked at is gone afterwards: time grows with the text
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
