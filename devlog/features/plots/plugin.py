"""Registers charts as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, Fences, Late, Plugin

PLUGIN = Plugin(
    "plots",
    codes=Codes("bad-plot"),
    fences=Fences("csv tsv vega-lite", Late("devlog.features.plots.parse.fence:chart")),
)
