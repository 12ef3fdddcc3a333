"""Derives the notes on digests that belong to a series, and what digests tell of each author."""

from __future__ import annotations

from devlog.deriving import Deriving
from devlog.features.digests.assemble.authors import digests_by_author
from devlog.features.digests.assemble.series import digest_page, series_of
from devlog.features.digests.model.series import DigestSeries
from devlog.model.post_note import PostNote


def derive_series(work: Deriving) -> DigestSeries:
    """A note on each digest of a series, whose page shows the series."""
    found = series_of(work.site)
    rows = digests_by_author(
        work.site, work.inputs.config, work.inputs.author_entries, work.inputs.loaded.theme.catalog
    )
    digests = (digest for some in found.values() for digest in some)
    return DigestSeries({digest.post.id: PostNote(page=digest_page) for digest in digests}, rows)
