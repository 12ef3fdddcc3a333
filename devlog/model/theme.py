"""A theme, read and complete: its templates as text, its static files as assets."""

from __future__ import annotations

import msgspec

from devlog.model.source import Asset


class Template(msgspec.Struct, frozen=True):
    """A template.

    Attributes:
        name: as others refer to it.
        file: its name in messages.
        text: what it holds.
        is_replaced: whether another one has taken its place, which may still extend it: then its name begins with that
            of its theme.
    """

    name: str
    file: str
    text: str
    is_replaced: bool = False


class PluginRef(msgspec.Struct, frozen=True):
    """Where a plugin is found, here and in every worker.

    Attributes:
        name: in messages: that of the entry point, or the file as configured.
        module: its dotted name, or the name of a file of the site.
        attribute: which of the module's values it is.
        version: of the package and its source, or a digest of the file: another one makes anew what it had a part in.
        text: of the file, so that a worker runs what was read, wherever it is and whatever became of the file since.
        around: a digest of what it may import: the versions of all installed packages, and the code of those modules
            of which no version tells.
    """

    name: str
    module: str
    attribute: str
    version: str
    text: str = ""
    around: str = ""


class Theme(msgspec.Struct, frozen=True):
    """A theme after inheritance and the site's own overrides.

    Attributes:
        name: of the innermost theme.
        templates: by name.
        assets: static files by path.
        settings: defaults of its settings, as JSON text.
        plugins: whose recipes and filters the site uses besides.
        catalog: its messages in the site's language, as `devlog.model.catalog.encoded` writes them.
    """

    name: str
    templates: tuple[Template, ...]
    assets: tuple[Asset, ...] = ()
    settings: str = "{}"
    plugins: tuple[PluginRef, ...] = ()
    catalog: str = "{}"
