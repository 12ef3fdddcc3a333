"""What Markdown versions add to devlog."""

from __future__ import annotations

from devlog.plugin import Late, Plugin

_LISTS = "devlog.features.markdown_versions.render.llms"

PLUGIN = Plugin(
    "markdown-versions",
    plans=(Late("devlog.features.markdown_versions.assemble:plan_lists"),),
    recipes={
        "markdown": Late("devlog.features.markdown_versions.render.page:recipe"),
        "llms": Late(f"{_LISTS}:list_recipe"),
        "llms_full": Late(f"{_LISTS}:full_recipe"),
    },
)
