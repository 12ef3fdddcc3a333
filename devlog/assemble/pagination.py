"""Long lists in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from devlog.model.catalog import Catalog
from devlog.model.view import Pagination


class Page(msgspec.Struct, frozen=True):
    """A page of a list: its number of how many, where it and the first are published, which items it shows."""

    number: int
    total: int
    permalink: str
    first: str
    start: int
    stop: int

    def titled(self, title: str, t: Catalog) -> str:
        """The title of a list on this page of it, with the messages of the site."""
        return title if self.number == 1 else t("title_with_page", title=title, number=self.number)

    def pagination(self, url: Callable[[str], str]) -> Pagination | None:
        """Where the page stands; `None` when it is the only one."""
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
    """The pages of a list, at least one.

    Args:
        permalink: of the first page; the others are below it.
        count: how long the list is.
        size: how many items a page holds.
    """
    total = max(1, -(-count // size))
    for number in range(1, total + 1):
        yield Page(number, total, _link(permalink, number), permalink, (number - 1) * size, number * size)


def _link(first: str, number: int) -> str:
    return first if number == 1 else f"{first}page/{number}/"
