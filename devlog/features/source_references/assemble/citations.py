"""What a post's page says of the places in the source that it cites."""

from __future__ import annotations

from collections.abc import Sequence

from devlog.features.source_references.model.citation import Cited, Spot
from devlog.model import view


def cited_view(cited: Sequence[Cited] | None) -> view.CitedView | None:
    """What has become of what a post cites; `None` where nothing is known of any of it."""
    if not cited:
        return None
    places = tuple(_changed_source(item) for item in cited if item.found.state != "unchanged")
    return view.CitedView(len(cited), len(places), places)


def _changed_source(item: Cited) -> view.ChangedSource:
    found = item.found
    new = str(Spot(found.file, found.first, found.last)) if found.file else ""
    return view.ChangedSource(found.state, str(item.source.spot), item.old_url, new, item.new_url)
