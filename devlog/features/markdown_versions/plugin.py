"""Registers Markdown versions as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Late, MarkdownVersions, Plugin

_PARSE = "devlog.features.markdown_versions.parse.markdown_version"
_PAGE = Late("devlog.features.markdown_versions.render.page:recipe")
_LISTS = "devlog.features.markdown_versions.render.llms"

PLUGIN = Plugin(
    "markdown-versions",
    markdown_versions=MarkdownVersions(Late(f"{_PARSE}:as_written"), Late(f"{_PARSE}:with_markdown"), _PAGE),
    targets=Late("devlog.features.markdown_versions.derive:derive_targets"),
    plans=(Late("devlog.features.markdown_versions.assemble:plan_lists"),),
    recipes={
        "markdown": _PAGE,
        "llms": Late(f"{_LISTS}:list_recipe"),
        "llms_full": Late(f"{_LISTS}:full_recipe"),
    },
)
