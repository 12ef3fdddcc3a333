"""Load plugins, and verify that they are valid and do not conflict."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

import msgspec

from devlog.model.error_line import error_line
from devlog.model.theme import PluginRef
from devlog.plugin import OWN, FrontMatterKeys, Plugin
from devlog.plugins.codes import code_of, finders, has_name
from devlog.plugins.faults import blame, faults, span_of
from devlog.plugins.given import Given


class PluginError(Exception):
    """A plugin cannot be loaded; the message says why."""

    def __init__(self, ref: PluginRef, reason: str, line: int = 0) -> None:
        super().__init__(f"the plugin “{ref.name}” cannot be used: {reason}")
        self.ref = ref
        self.reason = reason
        self.span = span_of(ref, line)


def load(refs: Sequence[PluginRef]) -> tuple[Plugin, ...]:
    """Load plugins, one for each reference. Raises PluginError."""
    for name in (ref.module_name for ref in refs):
        if name in _versions:
            _versions[name] = _versions.pop(name)  # it is in use
    return tuple(_load(ref) for ref in refs)


_MOST_LOADED = 64
"""How many versions of plugins stay loaded: in a preview, each save of one makes another."""
_versions: dict[str, None] = {}  # the names of their modules, those that were used last at the end


@lru_cache(maxsize=_MOST_LOADED)
def _load(ref: PluginRef) -> Plugin:
    try:
        return _loaded(ref)
    except PluginError:
        if ref.text:
            _versions.pop(ref.module_name, None)
            sys.modules.pop(ref.module_name, None)  # some libraries inspect all modules, and this one may raise
        raise


def _loaded(ref: PluginRef) -> Plugin:
    try:
        found: Any = _module(ref)
    except SyntaxError as error:
        line = error.lineno or 0 if error.filename == ref.module else blame(ref, error)
        raise PluginError(ref, f"{error.msg}", line) from error
    except faults() as error:  # the plugin's own code runs here
        raise PluginError(ref, error_line(error), blame(ref, error)) from error
    try:
        for part in ref.attribute.split("."):
            found = getattr(found, part, None)
        wrong = next(_misfits(found, ref.attribute), "")
    except faults() as error:  # reading attributes may run the plugin's code, too
        raise PluginError(ref, error_line(error), blame(ref, error)) from error
    if wrong:
        raise PluginError(ref, wrong)
    plugin: Plugin = found
    return plugin


def _module(ref: PluginRef) -> Any:
    if not ref.text:
        return importlib.import_module(ref.module)
    name = ref.module_name
    spec = spec_from_loader(name, Given(name, ref.module, ref.text.encode()), origin=ref.module)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules[name] = module  # classes resolve their annotations there
    _versions.pop(name, None)
    _versions[name] = None
    if len(_versions) > _MOST_LOADED:
        oldest = next(iter(_versions))
        del _versions[oldest]
        sys.modules.pop(oldest, None)
    spec.loader.exec_module(module)
    return module


_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
_RESERVED = frozenset({OWN, "leaks"})
_SUFFIX = re.compile(r"\.[a-z0-9_+-]{1,20}")


def _misfits(plugin: Any, attribute: str) -> Iterator[str]:
    """Why a value is not a valid plugin. Structs do not check their fields when constructed.

    Take only the first reason: each check assumes that those before it have found nothing.
    """
    if not isinstance(plugin, Plugin):
        what = "there is no" if plugin is None else "it has another"
        yield f"{what} value “{attribute}” that is a devlog.plugin.Plugin"
    if not isinstance(plugin.name, str) or not _NAME.fullmatch(plugin.name) or plugin.name in _RESERVED:
        own = isinstance(plugin.name, str) and plugin.name in _RESERVED
        why = "a name of devlog's own" if own else "no name for a plugin: small letters, digits and “-” are"
        yield f"“{plugin.name}” is {why}"
    if plugin.front_matter is not None:
        yield from (f"“front_matter” {wrong}" for wrong in _misfit_keys(plugin.front_matter))
    if plugin.markdown is not None and not callable(plugin.markdown):
        yield "“markdown” must be a function"
    for point in ("targets", "derive"):
        if getattr(plugin, point) is not None and not has_name(getattr(plugin, point)):
            yield f"“{point}” must be a function that has a name"
    for point in ("checks", "pages", "plans"):
        functions = getattr(plugin, point)
        if not isinstance(functions, tuple | list) or not all(has_name(function) for function in functions):
            yield f"“{point}” must be a tuple of functions that have a name"
    if len({code_of(plugin, function) for function in finders(plugin)}) < len(finders(plugin)):
        yield "two of its rules and plans have one name"
    yield from _misfit_tables(plugin)


def _misfit_tables(plugin: Plugin) -> Iterator[str]:
    """Why the tables of functions of a plugin are not valid."""
    for point in ("recipes", "filters", "deployers", "sources"):
        named = getattr(plugin, point)
        if not isinstance(named, Mapping) or not all(isinstance(key, str) and callable(named[key]) for key in named):
            yield f"“{point}” must be a table of functions by name"
    yield from (f"“sources” has “{name}”, which is no suffix" for name in plugin.sources if not _SUFFIX.fullmatch(name))


def _misfit_keys(keys: Any) -> Iterator[str]:
    """Why a value is not valid `FrontMatterKeys`. Take only the first reason: each check assumes that those before it
    have found nothing.
    """
    if not isinstance(keys, FrontMatterKeys):
        yield "must be FrontMatterKeys"
    kind: Any = keys.kind
    if not isinstance(kind, type) or not issubclass(kind, msgspec.Struct):
        yield "has a “kind” that is no struct"
    fields = msgspec.structs.fields(kind)
    if any(field.required for field in fields):
        yield "has a “kind” with a field that has no default"
    if not isinstance(keys.spellings, Mapping) or not {field.name for field in fields}.issuperset(keys.spellings):
        yield "has “spellings” that are not those of fields of its “kind”"
    if not all(isinstance(spelling, str) for spelling in keys.spellings.values()):
        yield "has “spellings” that are no strings"
    if not has_name(keys.read):
        yield "must “read” with a function that has a name"
    both = [function for function in (keys.rewrites, keys.rewrite) if function is not None]
    if len(both) == 1 or not all(map(callable, both)):
        yield "needs functions for both “rewrites” and “rewrite”, or for neither"
    if keys.schemas is not None and not callable(keys.schemas):
        yield "has “schemas” that is no function"


def clash(plugins: Iterable[Plugin], own: Mapping[str, Iterable[str]]) -> Iterator[tuple[int, str]]:
    """Find name conflicts between plugins, or with built-in names.

    Args:
        plugins: the plugins in their order.
        own: the built-in names of ``recipes``, ``filters`` and ``deployers``.

    Yields:
        The index of the later plugin, and the conflict.
    """
    names: set[str] = set()
    taken = {point: dict.fromkeys(given, OWN) for point, given in own.items()}
    for index, plugin in enumerate(plugins):
        if plugin.name in names:
            yield index, f"there is another plugin “{plugin.name}”"
        names.add(plugin.name)
        for point, known in taken.items():
            for name in getattr(plugin, point):
                if name in known:
                    yield index, f"“{name}” is among the {point} of {known[name]} already"
                known[name] = plugin.name
