"""Registers reading paths as a feature of devlog."""

from __future__ import annotations

from devlog.features.reading_paths.model.declared import DeclaredPath
from devlog.plugin import Codes, FrontMatterKeys, Late, Plugin

_CHECK = "devlog.features.reading_paths.check"

PLUGIN = Plugin(
    "reading-paths",
    codes=Codes(
        "before-itself not-a-post path-without-page repeated-step unknown-key",
        "circular-prerequisites late-prerequisite superseded-step",
    ),
    front_matter=FrontMatterKeys(
        DeclaredPath,
        {
            "steps": "reading_path params.reading_path extra.reading_path",
            "before": "before params.before extra.before",
        },
        Late("devlog.features.reading_paths.parse:read_path"),
        schemas=Late("devlog.features.reading_paths.parse:schemas"),
    ),
    derive=Late("devlog.features.reading_paths.derive:derive_paths"),
    tools=Late("devlog.features.reading_paths.mcp_server:tools"),
    checks=(
        Late(f"{_CHECK}:superseded_step"),
        Late(f"{_CHECK}:late_prerequisite"),
        Late(f"{_CHECK}:circular_prerequisites"),
    ),
)
