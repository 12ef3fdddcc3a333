"""Registers notebooks as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, Late, Plugin

PLUGIN = Plugin(
    "notebooks",
    codes=Codes("bad-notebook notebook-output"),
    sources={".ipynb": Late("devlog.features.notebooks.parse.convert:convert_notebook")},
)
