"""Pagination of long lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from devlog.model.catalog import Catalog
from devlog.model.view import Pagination


class Page(msgspec.Struct, frozen=True):
    """A page of a list: number, number of pages, its own permalink and that of the first page, range of items."""

    number: int
    total: int
    permalink: str
    first: str
    start: int
    stop: int

    def titled(self, title: str, t: Catalog) -> str:
        """The title of the list on this page; from page 2 on with the page number, as worded in the catalog."""
        return title if self.number == 1 else t("title_with_page", title=title, number=self.number)

    def pagination(self, url: Callable[[str], str]) -> Pagination | None:
        """The page numbers and URLs for navigation; `None` if this is the only page."""
        if self.total == 1:
            return None
        return Pagination(
            self.number,
            self.total,
            url(self.first),
            url(_link(self.first, self.number - 1)) if self.number > 1 else "",
            url(_link(self.first, self.number + 1)) if self.number < self.total else "",
        )


def paginate(permalink: str, count: int, size: int) -> Iterator[Page]:
    """Split a list into pages; there is at least one.

    Args:
        permalink: the permalink of the first page; the others are below it.
        count: the number of items.
        size: the number of items per page.
    """
    total = max(1, -(-count // size))
    for number in range(1, total + 1):
        yield Page(number, total, _link(permalink, number), permalink, (number - 1) * size, number * size)


def _link(first: str, number: int) -> str:
    return first if number == 1 else f"{first}page/{number}/"
