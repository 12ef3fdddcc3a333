"""Notes of features and plugins on posts, which pages, lists and feeds show with the post."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from devlog.model.view import AiView

Complete = Callable[[Any, Any, dict[str, Any]], dict[str, Any]]


class EntryNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """Additions to the feed entry of a post.

    Attributes:
        mark: an additional category of the entry; empty for none.
        text: text to put before its summary.
        html: HTML to put before its content.
        facts: values for which JSON Feed has no field, by name.
    """

    mark: str = ""
    text: str = ""
    html: str = ""
    facts: dict[str, Any] = {}


class PostNote(msgspec.Struct, frozen=True):
    """Data about a post that does not follow from its own text.

    Attributes:
        status: the status that lists show with it; empty for none.
        is_offered: whether other posts may list it as related.
        fields: fields of the `devlog.model.view.PostView` of its page, by name.
        ai: the disclosure of AI involvement in writing it; its `in_text` is set elsewhere.
        entry: additions to its feed entry.
        page: a function that completes the context of its page when that is needed. It gets the
            `devlog.assemble.site_context.SiteContext`, the post and the context. Only features of devlog may set it.
    """

    status: str = ""
    is_offered: bool = True
    fields: dict[str, Any] = {}
    ai: AiView | None = None
    entry: EntryNote = EntryNote()
    page: Complete | None = None

    def joined(self, other: PostNote) -> PostNote:
        """This note combined with another one on the same post."""
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
    """A function that completes a context with both functions."""
    if one is None or two is None:
        return one or two
    return lambda known, post, context: two(known, post, one(known, post, context))
