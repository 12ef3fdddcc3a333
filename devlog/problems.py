"""Messages of the modules in this folder: about settings and mounts, work on a file, and bad plugins."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error, info, warning
from devlog.model.surrogates import without_surrogates


def unknown_setting(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A key in `[settings]` that neither the theme nor a template uses."""
    names = sorted(known)
    some = f"the settings of the theme are {', '.join(f'“{other}”' for other in names)}" if names else ""
    message = f"the theme has no setting “{name}”"
    return warning("unknown-setting", span, message, did_you_mean(name, names) or some)


def bad_setting(span: Span, name: str, value: object, expected: str) -> Diagnostic:
    """A value in `[settings]` that the theme does not accept."""
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return warning("bad-setting", span, f"the setting “{name}” cannot be “{shown}”", f"it must be {expected}")


def missing_theme_folder(span: Span, folder: str) -> Diagnostic:
    """The configured folder of the site's own templates, messages and themes does not exist."""
    hint = "create it, or remove “theme_folder” if the site has its templates/, i18n/ and themes/ beside this file"
    return error("missing-folder", span, f"the folder “{folder}” does not exist", hint)


def empty_theme_folder(span: Span, folder: str) -> Diagnostic:
    """The configured folder of the site's own templates, messages and themes has none of them."""
    message = f"the folder “{folder}” has no templates/, i18n/ or themes/, so that nothing in it is used"
    return warning("empty-folder", span, message, "name the folder that contains them, not one of them")


def missing_static_folder(span: Span, folder: str) -> Diagnostic:
    """The configured folder of files that are published unchanged does not exist."""
    hint = "create it, or remove “static” if these files are in static/"
    return warning("empty-folder", span, f"the folder “{folder}” does not exist", hint)


def mounted_twice(span: Span, path: str, other: str) -> Diagnostic:
    """A file of a mounted folder has the path of another file."""
    hint = "rename one of the two, or mount the folder at another path"
    return error("bad-mount", span, f"this file would be “{path}”, as {other} is", hint, [other])


# -- work on one file ------------------------------------------------------------------------------------


def worker_died(span: Span) -> Diagnostic:
    """Processing a file crashed the worker process."""
    return error("worker-died", span, "processing this file crashed a worker")


def too_slow(span: Span, seconds: float) -> Diagnostic:
    """Processing a file took longer than the time limit; if the span has a line, time ran out in the block there."""
    hint = "look for a very long line or a very long block of code"
    if span.line:
        hint += ", first in the block that begins here, in which the time ran out"
    return error("too-slow", span, f"processing this file took longer than {seconds:g} s", hint)


# -- plugins ---------------------------------------------------------------------------------------------


def bad_plugin(span: Span, name: str, reason: str) -> Diagnostic:
    """A plugin that cannot be loaded."""
    return error("bad-plugin", span, f"the plugin “{name}” cannot be used: {without_surrogates(reason)}")


def astray_module(span: Span, name: str, module: str, place: str) -> Diagnostic:
    """A plugin that imports a module from a folder that it has added to the path of Python itself."""
    reason = f"it imports “{module}” from “{place}”, where devlog does not see changes"
    hint = "add the folder to PYTHONPATH instead of sys.path, or install the module as a package"
    return error("bad-plugin", span, f"the plugin “{name}” cannot be used: {without_surrogates(reason)}", hint)


# -- the cache -------------------------------------------------------------------------------------------


def unusable_cache(file: str, reason: str, hint: str) -> Diagnostic:
    """A cache that cannot be written, as by another user of the site, or that another process has locked.

    The site is the same without it, so that strict builds do not fail.
    """
    return info("unusable-cache", Span(file), f"the next build cannot use results of this one: {reason}", hint)
