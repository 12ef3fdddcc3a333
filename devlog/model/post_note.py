"""What features and plugins know of posts, for wherever these are shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from devlog.model.view import AiView

Complete = Callable[[Any, Any, dict[str, Any]], dict[str, Any]]


class EntryNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """What feeds say of a post besides.

    Attributes:
        mark: a category of the entry; empty for none.
        text: stands before its summary.
        html: stands before its text.
        facts: what JSON Feed has no names for, by name.
    """

    mark: str = ""
    text: str = ""
    html: str = ""
    facts: dict[str, Any] = {}


class PostNote(msgspec.Struct, frozen=True):
    """What is known of a post that does not follow from its text.

    Attributes:
        status: a word that lists mark it with; empty for none.
        is_offered: whether other posts name it as related.
        fields: fields of the `devlog.model.view.PostView` of its page, by name.
        ai: what had a part in writing it. Whether its text says so too is for others to tell.
        entry: what feeds say of it.
        page: completes what its page is made of, when that is asked for: it gets the
            `devlog.assemble.site_context.SiteContext`, the post and the context. Only features of devlog may set it.
    """

    status: str = ""
    is_offered: bool = True
    fields: dict[str, Any] = {}
    ai: AiView | None = None
    entry: EntryNote = EntryNote()
    page: Complete | None = None

    def joined(self, other: PostNote) -> PostNote:
        """This note with all that another one of the same post knows besides."""
        one, two = self.entry, other.entry
        return PostNote(
            status=self.status or other.status,
            is_offered=self.is_offered and other.is_offered,
            fields={**other.fields, **self.fields},
            ai=self.ai or other.ai,
            entry=EntryNote(
                mark=one.mark or two.mark,
                text=f"{one.text} {two.text}".strip(),
                html=one.html + two.html,
                facts={**two.facts, **one.facts},
            ),
            page=_both(self.page, other.page),
        )


def _both(one: Complete | None, two: Complete | None) -> Complete | None:
    """What completes a context in two ways."""
    if one is None or two is None:
        return one or two
    return lambda known, post, context: two(known, post, one(known, post, context))
