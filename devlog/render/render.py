"""Targets to outputs. A recipe is a pure function of its target, the theme and the bodies it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec
from markupsafe import Markup

from devlog.model import problems
from devlog.model.diagnostic import Span
from devlog.model.document import Body
from devlog.model.target import Filling, Output, Resources, Target
from devlog.model.theme import PluginRef, Theme
from devlog.plugin import Plugin, Recipe, load
from devlog.render import feed, machine
from devlog.render.fill import fill
from devlog.render.templates import environment, plural, template_error
from devlog.render.uses import bodies_of


def render(target: Target, resources: Resources) -> Output:
    """Render one target. A mistake in a template, or in a plugin, is a diagnostic of the output."""
    recipes = _recipes(resources.theme.plugins)
    if target.recipe not in recipes:
        problem = problems.unknown_recipe(Span(target.path), target.recipe, sorted(recipes))
        return Output(target.path, b"", (problem,))
    try:
        made = recipes[target.recipe](target, resources)
    except Exception as error:
        if target.template:
            return Output(target.path, b"", (template_error(resources.theme, target.template, error),))
        if target.recipe in BUILT_IN.recipes:
            raise
        problem = problems.recipe_failed(Span(target.path), target.recipe, f"{type(error).__name__}: {error}")
        return Output(target.path, b"", (problem,))
    if isinstance(made, Output):
        return made
    return Output(target.path, made.encode() if isinstance(made, str) else made)


def _page(target: Target, resources: Resources) -> str:
    context = dict(target.context)
    content = context.get("content")
    if isinstance(content, Filling):
        # The one place where a string becomes markup: bodies were made safe when they were parsed.
        context["content"] = Markup(fill(resources.bodies[content.body], content))  # noqa: S704
    return environment(resources.theme).get_template(target.template).render(context)


def _feed(target: Target, resources: Resources) -> str:
    write = {"rss": feed.rss, "atom": feed.atom, "json_feed": feed.json_feed}[target.recipe]
    return write(target.context["feed"], target.context["entries"], resources.bodies)


BUILT_IN = Plugin(
    "devlog",
    recipes={
        "page": _page,
        "redirect": _page,
        "rss": _feed,
        "atom": _feed,
        "json_feed": _feed,
        "sitemap": lambda target, _: machine.sitemap(target.context["pages"]),
        "robots": lambda target, _: machine.robots(target.context["sitemap"]),
        "posts": lambda target, _: machine.posts(**target.context),
        "blob": lambda target, resources: resources.blobs[target.context["blob"].digest],
    },
    filters={"plural": plural},
)
"""What devlog itself renders."""


@lru_cache(maxsize=8)
def _recipes(plugins: tuple[PluginRef, ...]) -> Mapping[str, Recipe]:
    found: dict[str, Recipe] = {}
    for plugin in (*load(plugins), BUILT_IN):  # nobody takes the place of what is built in
        found.update(plugin.recipes)
    return found


def render_batch(targets: Iterable[Target], theme: Theme, data: Mapping[str, bytes]) -> list[Output]:
    """Render targets, in a worker perhaps.

    Args:
        targets: what to render.
        theme: of the site.
        data: encoded bodies and other bytes by digest: all that the targets name.
    """
    targets = tuple(targets)
    named = {digest for target in targets for digest in bodies_of(target)}
    bodies = {digest: msgspec.msgpack.decode(data[digest], type=Body) for digest in named}
    resources = Resources(theme, bodies, data)
    return [render(target, resources) for target in targets]
