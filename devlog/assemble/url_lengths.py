"""Measures what fills the holes of a body: each link to a page adds the URL of the page, however short it is itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from devlog.model.document import Document
from devlog.model.expansion import length_in_html
from devlog.model.target import ResolvedLink


class UrlLengths:
    """The lengths of the URLs of one document, as files other than its page have them: with scheme and host."""

    def __init__(self, document: Document, origin: str, page_url: str) -> None:
        """
        Args:
            document: the document.
            origin: the scheme and host of the site.
            page_url: the absolute URL of its page, which is put before fragments.
        """
        self._holes: Mapping[int, int] = dict(document.repeats)
        self._before = {"/": length_in_html(origin), "#": length_in_html(page_url)}

    def of(self, number: int, link: ResolvedLink) -> int:
        """The number of characters that a link adds to HTML, in all holes that it fills.

        Args:
            number: the index of the document's reference.
            link: the link.
        """
        length = self._before.get(link.url[:1], 0) + length_in_html(link.url)
        if link.choices or link.dark:
            length += sum(map(length_in_html, _more_urls(link)))
        return length * self._holes.get(number, 1)

    def total(self, links: Iterable[ResolvedLink]) -> int:
        """The number of characters that all links of the document add to HTML."""
        return sum([self.of(number, link) for number, link in enumerate(links)])


def _more_urls(image: ResolvedLink) -> Iterator[str]:
    """The URLs of an image besides its own."""
    for choice in image.choices:
        yield choice.srcset
    if image.dark:
        yield image.dark.url
        yield from _more_urls(image.dark)
