"""Renders targets to outputs. A recipe is a pure function of its target, the theme and the bodies that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
from markupsafe import Markup

from devlog import problems as devlog_problems
from devlog.model.catalog import catalog_of
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Body
from devlog.model.target import Entry, FeedView, Filling, Output, Resources, Target
from devlog.model.theme import PluginRef, Theme
from devlog.plugin import Plugin, Recipe
from devlog.plugins.codes import code_of
from devlog.plugins.faults import fault, faults
from devlog.plugins.features import as_markdown, features
from devlog.plugins.loading import PluginError, load
from devlog.plugins.results import misfit, misfit_problems
from devlog.render import feed, machine, problems
from devlog.render.body_html import fill
from devlog.render.template_dependencies import TEXTS, bodies_of
from devlog.render.template_faults import template_error
from devlog.render.templates import render_template

Writer = Callable[[FeedView, tuple[Entry, ...], Mapping[str, Body]], str | bytes]


def render(target: Target, resources: Resources) -> Output:
    """Render one target. An error in a template or a plugin becomes a diagnostic of the output."""
    output = _rendered(target, resources)
    if target.markdown and not output.diagnostics:
        return Output(output.path, output.data, (), as_markdown(target, resources))
    return output


def _rendered(target: Target, resources: Resources) -> Output:
    try:
        recipes = _recipes(resources.theme.plugins)
    except PluginError as error:  # the package may be missing or another one in this process
        return _failed(target, devlog_problems.bad_plugin(error.span, error.ref.name, error.reason))
    if target.recipe not in recipes:
        return _failed(target, problems.unknown_recipe(Span(target.path), target.recipe, sorted(recipes)))
    recipe, ref = recipes[target.recipe]
    if ref:
        return _made_by(ref, recipe, target, resources)
    try:
        return _output(target, recipe(target, resources))
    except faults() as error:  # including those of a plugin's filters
        if target.template:
            return _failed(target, template_error(resources.theme, target.template, error))
        raise


def _made_by(ref: PluginRef, recipe: Recipe, target: Target, resources: Resources) -> Output:
    """The output of a plugin's recipe. It does not see the theme, which the keys of its targets do not cover."""
    what = f"the recipe “{target.recipe}” for “{target.path}”"
    try:
        made: Any = recipe(target, msgspec.structs.replace(resources, theme=Theme("", ())))
        if isinstance(made, str):
            made = made.encode()
    except faults() as error:  # the plugin's own code
        return _failed(target, fault(ref, what, error, recipe))
    if reason := _misfit(target, made, recipe):
        return _failed(target, fault(ref, what, reason, recipe))
    output = _output(target, made)
    if not output.diagnostics:
        return output
    # What a recipe reports is an error, whatever its severity by default: the file is not as it should be.
    code = code_of(load([ref])[0], recipe)
    found = (msgspec.structs.replace(item, code=code, severity="error") for item in output.diagnostics)
    return msgspec.structs.replace(output, diagnostics=tuple(found))


def _misfit(target: Target, made: Any, recipe: Recipe) -> str:
    """What is wrong with the result of a plugin's recipe; empty if nothing is."""
    if not isinstance(made, bytes | Output):
        return f"it returned a {type(made).__name__} instead of text or bytes"
    if isinstance(made, bytes):
        return ""
    if reason := misfit(made, Output):
        return f"the Output that it returned is malformed: {reason}"
    if (made.path, made.markdown) != (target.path, b""):
        return f"the Output that it returned is not that of “{target.path}” alone"
    return misfit_problems(made.diagnostics, recipe)


def _output(target: Target, made: str | bytes | Output) -> Output:
    if isinstance(made, Output):
        return made
    return Output(target.path, made.encode() if isinstance(made, str) else made)


def _failed(target: Target, problem: Diagnostic) -> Output:
    return Output(target.path, b"", (problem,))


def _page(target: Target, resources: Resources) -> str:
    context = dict(target.context)
    t = catalog_of(resources.theme.catalog)
    for name in TEXTS:
        content = context.get(name)
        if isinstance(content, Filling):
            # The only place where a string becomes markup: bodies are sanitized when they are parsed.
            context[name] = Markup(fill(resources.bodies[content.body], content, t))  # noqa: S704
    return render_template(resources.theme, target.template, context)


def _feed(target: Target, resources: Resources) -> str | bytes:
    writers: Mapping[str, Writer] = {"rss": feed.rss, "atom": feed.atom, "json_feed": feed.json_feed}
    return writers[target.recipe](target.context["feed"], target.context["entries"], resources.bodies)


BUILT_IN = Plugin(
    "devlog",
    recipes={
        "page": _page,
        "redirect": _page,
        "rss": _feed,
        "atom": _feed,
        "json_feed": _feed,
        "sitemap": lambda target, _: machine.sitemap(target.context["pages"]),
        "sitemap_index": lambda target, _: machine.sitemap_index(target.context["urls"]),
        "robots": lambda target, _: machine.robots(target.context["sitemap"]),
        "posts": lambda target, _: machine.posts(**target.context),
        "blob": lambda target, resources: resources.blobs[target.context["blob"].digest],
    },
)
"""The recipes of devlog's core; features have recipes of their own."""


@lru_cache(maxsize=8)
def _recipes(refs: tuple[PluginRef, ...]) -> Mapping[str, tuple[Recipe, PluginRef | None]]:
    """All recipes, each with its plugin; `None` stands for devlog."""
    pairs = [*zip(refs, load(refs), strict=True), *((None, plugin) for plugin in (*features(), BUILT_IN))]
    return {name: (recipe, ref) for ref, plugin in pairs for name, recipe in plugin.recipes.items()}


def render_batch(targets: Iterable[Target], theme: Theme, data: Mapping[str, bytes]) -> list[Output]:
    """Render targets, possibly in a worker.

    Args:
        targets: the targets to render.
        theme: the theme of the site.
        data: encoded bodies and other bytes, by digest: all that the targets name.
    """
    targets = tuple(targets)
    named = {digest for target in targets for digest in bodies_of(target)}
    bodies = {digest: msgspec.msgpack.decode(data[digest], type=Body) for digest in named}
    resources = Resources(theme, bodies, data)
    return [render(target, resources) for target in targets]
