"""Templates: Jinja2, always escaping, and what of a context each template uses."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache

import jinja2
import jinja2.meta
import msgspec
from jinja2 import nodes

from devlog.model import problems
from devlog.model.colour import accent, hue
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.theme import PluginRef, Template, Theme
from devlog.plugin import Plugin
from devlog.plugin import load as plugin_values
from devlog.render.uses import TemplateUse, ThemeUse


def plural(count: int, one: str, many: str) -> str:
    """A count with its noun: ``1 log``, ``3 logs``."""
    return f"{count:,} {one if count == 1 else many}"


BUILT_IN = Plugin("devlog", filters={"plural": plural, "hue": hue, "accent": accent})
"""The filters that devlog itself adds to Jinja's."""


def environment(theme: Theme) -> jinja2.Environment:
    """The environment of a theme; it keeps compiled templates and nothing else."""
    return _environment(theme.templates, theme.plugins)


@lru_cache(maxsize=4)
def _environment(templates: tuple[Template, ...], plugins: tuple[PluginRef, ...] = ()) -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.DictLoader({template.name: template.text for template in templates}),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    # What is random would be another page in each build.
    del made.filters["random"], made.globals["lipsum"]
    for plugin in (*plugin_values(plugins), BUILT_IN):  # nobody takes the place of what is built in
        made.filters.update(plugin.filters)
    return made


def load(theme: Theme) -> None:
    """Compile the templates that all sites need. What only some pages show is compiled when one of them does."""
    made = environment(theme)
    for name in sorted(REQUIRED):
        with suppress(jinja2.TemplateError):  # told when the theme was checked
            made.get_template(name)


def theme_use(theme: Theme) -> ThemeUse:
    """What the templates of a theme use, and what is wrong with them."""
    found = _check(theme)
    names = REQUIRED | {template.name for template in theme.templates if "/" not in template.name}
    used = {} if found else {name: template_use(theme.templates, name, theme.plugins) for name in sorted(names)}
    plugins = zip(theme.plugins, plugin_values(theme.plugins), strict=True)
    return ThemeUse(used, found, {name: _digest([ref]) for ref, plugin in plugins for name in plugin.recipes})


def _digest(refs: Iterable[PluginRef]) -> str:
    return digest_bytes(msgspec.msgpack.encode([*refs]))


def _check(theme: Theme) -> tuple[Diagnostic, ...]:
    """What is wrong with the syntax of templates, or with what they refer to."""
    found: list[Diagnostic] = []
    names = {template.name for template in theme.templates}
    for template in theme.templates:
        try:
            needed = _mentions(template.text, theme.plugins).needed
        except jinja2.TemplateSyntaxError as error:
            found.append(problems.template_error(Span(template.file, error.lineno), error.message or "syntax error"))
            continue
        for name in needed:
            if name not in names:
                line = template.text[: template.text.find(name)].count("\n") + 1
                hint = problems.did_you_mean(name, names)
                found.append(problems.template_error(Span(template.file, line), f"there is no template “{name}”", hint))
    found += [
        problems.template_error(Span(f"theme {theme.name}"), f"the theme has no template “{name}”")
        for name in sorted(REQUIRED - names)
    ]
    return tuple(found)


REQUIRED = frozenset(
    f"{name}.html" for name in "home topic post page author authors tag tags archive 404 redirect".split()
)
"""The templates that a site needs."""

OPTIONAL = frozenset({"reflist.html", "refs.html", "search.html"})
"""The templates of pages that a theme may leave out."""


class _Mentions(msgspec.Struct, frozen=True):
    """What a template mentions.

    Attributes:
        templates: those it refers to; `None` for a computed name.
        needed: those of them without which it cannot be used.
        names: what it takes from the context.
        filters: those that it uses.
    """

    templates: tuple[str | None, ...]
    needed: tuple[str, ...]
    names: frozenset[str]
    filters: frozenset[str]


@lru_cache(maxsize=512)
def _mentions(text: str, plugins: tuple[PluginRef, ...] = ()) -> _Mentions:
    """Parsing takes most of the time here, and each template is part of many others: so this is remembered."""
    tree = _environment((), plugins).parse(text)
    found = [*tree.find_all((*_REFERENCES, nodes.Filter))]
    references = [node for node in found if isinstance(node, _REFERENCES)]
    needed = []
    for node in references:
        named = getattr(node, "template", None)  # a list of names leaves the choice to Jinja
        if isinstance(named, nodes.Const) and isinstance(named.value, str):
            needed += [] if getattr(node, "ignore_missing", False) else [named.value]
    return _Mentions(
        tuple(jinja2.meta.find_referenced_templates(nodes.Template(list[nodes.Node](references)))),
        tuple(needed),
        frozenset(jinja2.meta.find_undeclared_variables(tree)),
        frozenset(node.name for node in found if isinstance(node, nodes.Filter)),
    )


_REFERENCES = (nodes.Extends, nodes.Import, nodes.FromImport, nodes.Include)


def template_use(templates: tuple[Template, ...], name: str, plugins: tuple[PluginRef, ...] = ()) -> TemplateUse:
    """What the template `name` of a theme uses, with all that it refers to."""
    texts = {template.name: template.text for template in templates}
    pending, closure = [name], set[str]()
    names: set[str] = set()
    filters: set[str] = set()
    dynamic = False
    while pending:
        current = pending.pop()
        if current in closure or current not in texts:
            continue
        closure.add(current)
        mentions = _mentions(texts[current], plugins)
        names |= mentions.names
        filters |= mentions.filters
        dynamic = dynamic or None in mentions.templates
        pending += [name for name in mentions.templates if name is not None]
    if dynamic:
        closure = set(texts)
    parts = [f"{key}\0{texts[key]}" for key in sorted(closure)]
    for ref, plugin in zip(plugins, plugin_values(plugins), strict=True):
        used = [plugin.filters[key] for key in plugin.filters if dynamic or key in filters]
        parts += [_digest([ref])] if used else []
        dynamic = dynamic or any(hasattr(function, "jinja_pass_arg") for function in used)  # it may see everything
    return TemplateUse(digest_bytes("\0".join(parts).encode()), None if dynamic else frozenset(names))


def template_error(theme: Theme, name: str, error: Exception) -> Diagnostic:
    """What went wrong while a template was filled, at the line of the template where it did."""
    files = {template.name: template.file for template in theme.templates}
    line, place = 0, name
    if isinstance(error, jinja2.TemplateSyntaxError):
        line, place = error.lineno, error.name or name
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename in files or frame.filename == "<template>":
            line, place = frame.lineno or 0, frame.filename if frame.filename in files else place
    message = f"{type(error).__name__}: {error}" if not isinstance(error, jinja2.TemplateError) else str(error)
    return problems.template_error(Span(files.get(place, place), line), message)
