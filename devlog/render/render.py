"""Targets to outputs. A recipe is a pure function of its target, the theme and the bodies it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
from markupsafe import Markup

from devlog.model.document import Body
from devlog.model.target import Filling, Output, Target
from devlog.model.theme import Theme
from devlog.render import feed, machine
from devlog.render.fill import fill
from devlog.render.templates import environment, template_error


def render(target: Target, theme: Theme, bodies: dict[str, Body]) -> Output:
    """Render one target. A mistake in a template is a diagnostic of the output."""
    try:
        text = _RECIPES[target.recipe](target, theme, bodies)
    except Exception as error:
        if not target.template:
            raise
        return Output(target.path, b"", (template_error(theme, target.template, error),))
    return Output(target.path, text.encode())


def _page(target: Target, theme: Theme, bodies: dict[str, Body]) -> str:
    context = dict(target.context)
    content = context.get("content")
    if isinstance(content, Filling):
        # The one place where a string becomes markup: bodies were made safe when they were parsed.
        context["content"] = Markup(fill(bodies[content.body], content))  # noqa: S704
    return environment(theme.templates).get_template(target.template).render(context)


def _feed(target: Target, _theme: Theme, bodies: dict[str, Body]) -> str:
    write = {"rss": feed.rss, "atom": feed.atom, "json_feed": feed.json_feed}[target.recipe]
    return write(target.context["feed"], target.context["entries"], bodies)


_RECIPES: dict[str, Callable[[Target, Theme, dict[str, Body]], str]] = {
    "page": _page,
    "redirect": _page,
    "rss": _feed,
    "atom": _feed,
    "json_feed": _feed,
    "sitemap": lambda target, _theme, _bodies: machine.sitemap(target.context["pages"]),
    "robots": lambda target, _theme, _bodies: machine.robots(target.context["sitemap"]),
    "posts": lambda target, _theme, _bodies: machine.posts(**target.context),
}


def render_batch(targets: Iterable[Target], theme: Theme, bodies: dict[str, bytes]) -> list[Output]:
    """Render targets, in a worker perhaps.

    Args:
        targets: what to render.
        theme: of the site.
        bodies: encoded bodies by digest: all that the targets name.
    """
    decoded = {digest: msgspec.msgpack.decode(data, type=Body) for digest, data in bodies.items()}
    return [render(target, theme, decoded) for target in targets]
