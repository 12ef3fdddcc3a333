"""Derives the status of posts when links can be resolved, before pages are planned."""

from __future__ import annotations

from devlog.deriving import Deriving
from devlog.features.supersession.assemble import post_statuses_of
from devlog.features.supersession.model.status import PostStatuses
from devlog.model.catalog import catalog_of


def derive_post_statuses(work: Deriving) -> PostStatuses:
    """The status of the posts and plain pages of a site."""
    inputs = work.inputs
    return post_statuses_of(inputs.config, work.site, work.references.index, catalog_of(inputs.loaded.theme.catalog))
