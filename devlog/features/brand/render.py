"""The recipe for the texts of a brand: its style sheet and its web app manifest."""

from __future__ import annotations

from devlog.model.target import Resources, Target


def write(target: Target, _resources: Resources) -> str:
    """The text in the context, which the plan has made because its digest is part of the URL."""
    text: str = target.context["text"]
    return text
