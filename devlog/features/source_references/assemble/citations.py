"""The view of the source that a post cites, for the post's page."""

from __future__ import annotations

from collections.abc import Sequence

from devlog.features.source_references.model.citation import Cited, Spot
from devlog.model import view


def cited_view(cited: Sequence[Cited] | None) -> view.CitedView | None:
    """The state of the source that a post cites; `None` if the state of none of it is known."""
    if not cited:
        return None
    places = tuple(_changed_source(item) for item in cited if item.found.state != "unchanged")
    return view.CitedView(len(cited), len(places), places)


def _changed_source(item: Cited) -> view.ChangedSource:
    found = item.found
    new = str(Spot(found.file, found.first, found.last)) if found.file else ""
    return view.ChangedSource(found.state, str(item.source.spot), item.old_url, new, item.new_url)
