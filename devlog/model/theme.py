"""A complete theme: its templates as text, its static files as assets, its settings, plugins and messages."""

from __future__ import annotations

import msgspec

from devlog.model.source import Asset


class Template(msgspec.Struct, frozen=True):
    """A template.

    Attributes:
        name: the name by which other templates refer to it.
        file: its file, which messages use.
        text: its source.
        is_replaced: whether another template overrides it, which may still extend it: then its name begins with the
            name of its theme.
    """

    name: str
    file: str
    text: str
    is_replaced: bool = False


class PluginRef(msgspec.Struct, frozen=True):
    """A reference to a plugin, by which the command and all workers load it.

    Attributes:
        name: the name in messages: that of the entry point, or the file as configured.
        module: the dotted name of the module, or the name of a file of the site.
        attribute: the name of the plugin's value in the module.
        version: the version of the package and of its source, or a digest of the file: if it changes, everything that
            the plugin was involved in is made again.
        text: the text of the file, so that workers run the code that was read, even if the file has changed since.
        around: a digest of what the plugin may import: the versions of all installed packages, and the code of modules
            that have no version.
    """

    name: str
    module: str
    attribute: str
    version: str
    text: str = ""
    around: str = ""

    @property
    def module_name(self) -> str:
        """The name of the module among those that are loaded: changed text is a different module.

        Of a package, which consists of several modules, it is the first part of the name.
        """
        return f"devlog_plugin_{self.version}" if self.text else self.module.partition(".")[0]


class Theme(msgspec.Struct, frozen=True):
    """A theme after inheritance and the site's own overrides.

    Attributes:
        name: the name of the innermost theme.
        templates: the templates, sorted by name.
        assets: the static files, sorted by path.
        settings: the defaults of its settings, as JSON text.
        plugins: the plugins of the site, whose recipes and filters can be used too.
        catalog: its messages in the site's language, as `devlog.model.catalog.encoded` writes them.
        is_incomplete: whether some of its files could not be read, which is reported: what is missing may be in them.
    """

    name: str
    templates: tuple[Template, ...]
    assets: tuple[Asset, ...] = ()
    settings: str = "{}"
    plugins: tuple[PluginRef, ...] = ()
    catalog: str = "{}"
    is_incomplete: bool = False
