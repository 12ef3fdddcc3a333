"""What must not be in a page, whoever wrote it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

import lxml.html

FORBIDDEN = frozenset(
    "applet base embed frame frameset iframe marquee object plaintext portal style textarea xmp".split()
)
"""Elements that no page of devlog has; scripts are counted apart."""

MATH = frozenset(
    "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt "
    "mstyle msub msubsup msup mtable mtd mtext mtr munder munderover".split()
)
"""What formulas are made of."""

MATH_TEXT = frozenset("a b br code em i s span u".split())
"""What texts in formulas have besides: styles of letters, and links to equations of the same page."""

DRAWING = frozenset("svg g path rect text title".split())
"""What the theme draws with, and never inside of a text."""

URLS = frozenset("action background cite data formaction href longdesc ping poster src srcset xlink:href".split())
_EXECUTABLE = re.compile(r"(?:javascript|vbscript|data|blob|file|view-source|jar|feed):", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif)[;,]", re.IGNORECASE)


def harm_in(html: str, scripts: tuple[str, ...]) -> list[str]:
    """What is wrong with a page or fragment.

    Args:
        html: as written.
        scripts: the ``src`` of each script that it may run, in order; what a page has no need for may be missing.
    """
    root = lxml.html.document_fromstring(
        html if html.startswith("<!doctype") else f"<!doctype html><body>{html}</body>"
    )
    found: list[str] = []
    run: list[str] = []
    for element in root.iter():
        if not isinstance(element.tag, str):
            if "<script" in str(element.text) and "lumen" in str(element.text):
                found.append(f"comment {element.text!r}")
            continue
        if element.tag == "script":
            if element.get("type") == "application/ld+json":
                json.loads(element.text or "")
            else:
                run.append(element.get("src", ""))
                found += ["inline script"] if element.text else []
        found += [f"<{element.tag}>"] if element.tag in FORBIDDEN else []
        found += _foreign(element)
        found += [f"<{element.tag}> in a text"] if element.tag in ("form", "noscript") and _is_in_text(element) else []
        found += harm_of_attributes(str(element.tag), element.attrib.items())
    if not may_run(run, scripts):
        found.append(f"scripts {run}")
    return found


def may_run(found: Iterable[str], scripts: tuple[str, ...]) -> bool:
    """Whether scripts are some of those that a page may run: each once, and in order."""
    rest = iter(scripts)
    return all(source in rest for source in found)


def _foreign(element: lxml.html.HtmlElement) -> list[str]:
    """What is wrong with a formula or a drawing: there other rules are in force, so that they have been ways out."""
    if element.tag not in ("math", "svg"):
        return []
    known = MATH if element.tag == "math" else DRAWING
    texts = {text for mtext in element.iter("mtext") for text in mtext.iter(*MATH_TEXT)} if known is MATH else set()
    others = (inner for inner in element.iter() if inner.tag not in known and inner not in texts)
    found = [f"<{inner.tag}> in <{element.tag}>" for inner in others]
    for inner in element.iter():
        leads = [(name, str(value)) for name, value in inner.attrib.items() if "href" in name]
        found += [f"{name} in <{element.tag}>" for name, value in leads if inner not in texts or value[:4] != "#eq:"]
    if element.tag == "svg" and _is_in_text(element):
        found.append("<svg> in a text")
    return found


def _is_in_text(element: lxml.html.HtmlElement) -> bool:
    """Whether an element stands in a post's text, or in a feed, where nothing else stands."""
    return element.getroottree().getroot().find(".//main") is None or bool(
        element.xpath("ancestor::*[contains(concat(' ', @class, ' '), ' prose ')]")
    )


def harm_of_attributes(tag: str, attributes: Iterable[tuple[object, object]]) -> list[str]:
    """What is wrong with the attributes of an element."""
    found = []
    for key, value in attributes:
        name = str(key)
        if name.lower().startswith("on"):
            found.append(f"{name} of <{tag}>")
        url = re.sub(r"[\x00-\x20]", "", str(value))
        picture = tag == "img" and name == "src" and _PICTURE.match(url)
        if name.lower() in URLS and _EXECUTABLE.match(url) and not picture:
            found.append(f"{name}={value!r} of <{tag}>")
        if name == "style" and re.search(r"url\(|expression|import|binding", str(value), re.IGNORECASE):
            found.append(f"style {value!r} of <{tag}>")
    return found
