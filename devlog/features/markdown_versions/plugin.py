"""What Markdown versions add to devlog."""

from __future__ import annotations

from devlog.plugin import Late, Plugin

_LISTS = "devlog.features.markdown_versions.render.llms"

PLUGIN = Plugin(
    "markdown-versions",
    recipes={"llms": Late(f"{_LISTS}:list_recipe"), "llms_full": Late(f"{_LISTS}:full_recipe")},
)
