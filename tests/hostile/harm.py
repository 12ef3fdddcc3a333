"""What must not be in a page, whoever wrote it."""

from __future__ import annotations

import json
import re

import lxml.html

FORBIDDEN = frozenset(
    "applet base embed form frame frameset iframe marquee math noscript object plaintext portal style svg textarea "
    "xmp".split()
)
"""Elements that no page of devlog has; scripts are counted apart."""

URLS = frozenset("action background cite data formaction href longdesc ping poster src srcset xlink:href".split())
_EXECUTABLE = re.compile(r"(?:javascript|vbscript|data|blob|file|view-source|jar|feed):", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif)[;,]", re.IGNORECASE)


def harm_in(html: str, scripts: tuple[str, ...]) -> list[str]:
    """What is wrong with a page or fragment.

    Args:
        html: as written.
        scripts: the ``src`` of each script that it may run, in order.
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
        found += _attributes(element)
    if tuple(run) != scripts:
        found.append(f"scripts {run}")
    return found


def _attributes(element: lxml.html.HtmlElement) -> list[str]:
    found = []
    for name, value in element.attrib.items():
        if name.lower().startswith("on"):
            found.append(f"{name} of <{element.tag}>")
        url = re.sub(r"[\x00-\x20]", "", str(value))
        picture = element.tag == "img" and name == "src" and _PICTURE.match(url)
        if name.lower() in URLS and _EXECUTABLE.match(url) and not picture:
            found.append(f"{name}={value!r} of <{element.tag}>")
        if name == "style" and re.search(r"url\(|expression|import|binding", str(value), re.IGNORECASE):
            found.append(f"style {value!r} of <{element.tag}>")
    return found
