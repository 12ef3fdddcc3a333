"""Registers the search of the site as a feature of devlog."""

from __future__ import annotations

from devlog.features.site_search.model import FOLDER, PAGE
from devlog.plugin import Codes, Late, Plugin, SiteSearch

_ASSEMBLE = "devlog.features.site_search.assemble"

PLUGIN = Plugin(
    "site-search",
    codes=Codes("no-search search-failed"),
    plans=(Late(f"{_ASSEMBLE}:plan_search"),),
    site_search=SiteSearch(
        FOLDER,
        PAGE,
        f"{FOLDER}pagefind.js",
        Late("devlog.features.site_search.inputs:is_possible"),
        Late(f"{_ASSEMBLE}:is_searchable"),
        build=Late("devlog.features.site_search.derive.indexing:Indexing"),
        serve=Late("devlog.features.site_search.serve:Searching"),
    ),
)
