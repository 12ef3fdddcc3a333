"""Long lists in pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from devlog.assemble.views import Views
from devlog.model.site import Post
from devlog.model.view import Pagination


class Page(msgspec.Struct, frozen=True):
    """A page of a list: its number, where it is published, its posts; no `pagination` when it is the only one."""

    number: int
    permalink: str
    posts: Sequence[Post]
    pagination: Pagination | None


def paginate(views: Views, permalink: str, posts: Sequence[Post], size: int) -> Iterator[Page]:
    """The pages of a list, at least one.

    Args:
        views: makes URLs.
        permalink: of the first page; the others are below it.
        posts: the whole list.
        size: how many posts a page holds.
    """
    total = max(1, -(-len(posts) // size))

    def link(number: int) -> str:
        return permalink if number == 1 else f"{permalink}page/{number}/"

    for number in range(1, total + 1):
        pagination = None
        if total > 1:
            pagination = Pagination(
                number,
                total,
                views.url(permalink),
                views.url(link(number - 1)) if number > 1 else "",
                views.url(link(number + 1)) if number < total else "",
            )
        yield Page(number, link(number), posts[(number - 1) * size : number * size], pagination)
