"""A theme, read and complete: its templates as text, its static files as assets."""

from __future__ import annotations

import msgspec

from devlog.model.source import Asset


class Template(msgspec.Struct, frozen=True):
    """A template: its name as others refer to it, its file in messages, its text."""

    name: str
    file: str
    text: str


class Theme(msgspec.Struct, frozen=True):
    """A theme after inheritance and the site's own overrides.

    Attributes:
        name: of the innermost theme.
        templates: by name.
        assets: static files by path.
        settings: defaults of its settings, as JSON text.
    """

    name: str
    templates: tuple[Template, ...]
    assets: tuple[Asset, ...] = ()
    settings: str = "{}"
