"""Every reference of a published site, followed without any help from what made the site."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

_SINGLE = frozenset({"href", "src", "poster", "data", "cite", "action"})


class Page(HTMLParser):
    """The references and the fragments of one page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.references: list[str] = []
        self.fragments: set[str] = set()
        self.doubles: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.references += [value for name, value in found.items() if name in _SINGLE]
        self.references += [part.split()[0] for part in found.get("srcset", "").split(",") if part.strip()]
        if tag == "meta":
            content = found.get("content", "")
            if found.get("property") in ("og:url", "og:image"):
                self.references.append(content)
            if found.get("http-equiv") == "refresh":
                self.references.append(content.partition("url=")[2])
        for name in {found.get("id", ""), found.get("name", "") if tag == "a" else ""} - {""}:
            self.doubles += [name] if name in self.fragments else []
            self.fragments.add(name)


def broken_references(tree: dict[str, bytes], base_url: str) -> tuple[list[str], int]:
    """The references into the site that lead nowhere, each with the file that holds it, and how many there are in all.

    Args:
        tree: the output, by path.
        base_url: where it is published, with a final slash.
    """
    pages = {path: Page(data.decode("utf-8")) for path, data in tree.items() if path.endswith(".html")}
    broken: list[str] = []
    count = 0
    for path, page in pages.items():
        broken += [f"{path}: two elements with the id {name}" for name in page.doubles]
        own = base_url + path.removesuffix("index.html")
        for reference in page.references:
            url = urljoin(own, reference)
            if urlsplit(url).netloc != urlsplit(base_url).netloc or urlsplit(url).scheme == "mailto":
                continue
            count += 1
            reason = _broken(url, base_url, tree, pages)
            if reason:
                broken.append(f"{path}: {reference} {reason}")
    for path, data in tree.items():
        if path.endswith(".css"):
            for reference in re.findall(r"url\(\s*['\"]?([^'\")]+)", data.decode("utf-8")):
                reason = (
                    ""
                    if reference.startswith("data:")
                    else _broken(urljoin(base_url + path, reference), base_url, tree, pages)
                )
                broken += [f"{path}: {reference} {reason}"] if reason else []
    return broken, count


def _broken(url: str, base_url: str, tree: dict[str, bytes], pages: dict[str, Page]) -> str:
    bare = url.partition("#")[0].partition("?")[0]
    if not bare.startswith(base_url):
        return "" if bare + "/" == base_url or bare == urljoin(base_url, "/") else "lies outside the base path"
    path = unquote(bare[len(base_url) :])
    file = f"{path}index.html" if path.endswith("/") or not path else path
    if file not in tree:
        return "does not exist"
    fragment = unquote(urlsplit(url).fragment)
    if fragment and file in pages and fragment not in pages[file].fragments and fragment != "top":
        return "has no such fragment"
    return ""
