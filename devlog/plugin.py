"""What extends devlog: one frozen value with six points, for plugins and for what is built in alike."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from devlog.config import Config
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.site import Site
from devlog.model.target import Output, Resources, Target
from devlog.model.theme import PluginRef

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

GROUP = "devlog.plugins"
"""The entry points by which installed packages offer plugins."""


class Outline(msgspec.Struct, frozen=True):
    """The site as plans see it.

    Attributes:
        config: its configuration.
        site: everything that is published.
        url: turns a permalink into what pages link to.
        absolute: turns a permalink into what other sites link to.
    """

    config: Config
    site: Site
    url: Callable[[str], str]
    absolute: Callable[[str], str]


class Wanted(msgspec.Struct, frozen=True):
    """A file that a plan wants published.

    Attributes:
        permalink: where, from the site's root; a final slash stands for an ``index.html``.
        recipe: the name of what makes it; ``page`` fills `template`.
        context: all that the recipe may see, name to value: it decides when the file is made again.
        template: the template's name, for the recipe ``page``, which sees ``site``, ``page`` and ``assets`` too.
        title: of the page.
        span: what asks for it, for messages.
    """

    permalink: str
    recipe: str
    context: dict[str, Any]
    template: str = ""
    title: str = ""
    span: Span | None = None


Markdown = Callable[["MarkdownIt"], None]
"""Adds rules to the parser. A rule of the renderer gives HTML to ``env["writer"].trusted(html)`` and returns that."""

Check = Callable[[Any], Iterable[Diagnostic]]
"""A rule of ``devlog check``: it gets the `devlog.check.evidence.Evidence` and yields problems."""

Plan = Callable[[Outline], Iterable[Wanted]]
Recipe = Callable[[Target, Resources], str | bytes | Output]
"""Makes a file, as a pure function of its target and the resources that the target names. What it returns as an
`Output` may hold problems: errors, after which nothing is published."""

Deployer = Callable[[Path, Mapping[str, Any]], Iterator[str]]
"""Publishes a folder with settings of ``[deploy]``, and yields lines that say what it does."""


class Plugin(msgspec.Struct, frozen=True):
    """What extends devlog. Every point is optional; functions are pure but for deployers.

    Attributes:
        name: in messages.
        markdown: adds rules to the Markdown parser.
        checks: rules of ``devlog check``.
        plans: say which files there are besides.
        recipes: make files, by name.
        filters: of templates, by name.
        deployers: by name.
    """

    name: str
    markdown: Markdown | None = None
    checks: tuple[Check, ...] = ()
    plans: tuple[Plan, ...] = ()
    recipes: Mapping[str, Recipe] = {}
    filters: Mapping[str, Callable[..., Any]] = {}
    deployers: Mapping[str, Deployer] = {}


def installed() -> tuple[PluginRef, ...]:
    """The plugins of installed packages, by name."""
    from importlib.metadata import entry_points  # takes as long as all else that is loaded to begin with

    found = []
    for point in entry_points(group=GROUP):
        version = point.dist.version if point.dist else ""
        found.append(PluginRef(point.name, point.module, point.attr or "plugin", version))
    return tuple(sorted(found, key=lambda ref: (ref.name, ref.module, ref.attribute)))


def local(root: Path, file: str) -> PluginRef:
    """A plugin in a file of the site. Raises OSError.

    Args:
        root: the site's folder.
        file: as configured, relative to it.
    """
    path = (root / file).resolve()
    return PluginRef(file, str(path), "plugin", blake2b(path.read_bytes(), digest_size=16).hexdigest())


def load(refs: Sequence[PluginRef]) -> tuple[Plugin, ...]:
    """The plugins themselves. Raises PluginError."""
    return tuple(_load(ref) for ref in refs)


class PluginError(Exception):
    """A plugin cannot be had; the message says why."""


@lru_cache(maxsize=64)
def _load(ref: PluginRef) -> Plugin:
    try:
        found: Any = _module(ref)
        for part in ref.attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # the plugin's own code runs here
        raise PluginError(f"{type(error).__name__}: {error}") from error
    if not isinstance(found, Plugin):
        raise PluginError(f"“{ref.attribute}” is no devlog.plugin.Plugin")
    return found


def _module(ref: PluginRef) -> Any:
    if not ref.module.endswith(".py"):
        return importlib.import_module(ref.module)
    name = f"devlog_plugin_{ref.version}"  # a changed file is another module
    spec = importlib.util.spec_from_file_location(name, ref.module)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
