"""Jinja2 templates, always with escaping, and the parts of a context that each template uses."""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import lru_cache
from types import CodeType
from typing import Any

import jinja2
import jinja2.meta
import msgspec
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.environment import TemplateModule
from jinja2.idtracking import VAR_LOAD_RESOLVE
from jinja2.runtime import Macro
from markupsafe import Markup

from devlog.model.catalog import COUNT, THOUSANDS, catalog_of
from devlog.model.color import accent, hue
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.direction import direction
from devlog.model.error_line import error_line
from devlog.model.problems import did_you_mean
from devlog.model.theme import PluginRef, Template, Theme
from devlog.plugin import Plugin
from devlog.plugins.faults import faults
from devlog.plugins.loading import load as plugin_values
from devlog.render import problems
from devlog.render.body_html import IN_BODIES
from devlog.render.messages import FILTERS, IN_MARKDOWN, Fault, Messages
from devlog.render.read_only import read_only
from devlog.render.template_blocks import Blocks, blocks_of, never_rendered
from devlog.render.template_dependencies import TEXTS, TemplateUse, ThemeUse
from devlog.render.template_faults import MissingValue, file_of, filter_fault, syntax_error, template_hint


def plural(count: int, one: str, many: str) -> str:
    """A number with its noun: ``1 log``, ``3 logs``."""
    return f"{count:,} {one if count == 1 else many}"


BUILT_IN = Plugin("devlog", filters={"plural": plural, "hue": hue, "accent": accent, "direction": direction})
"""The filters that devlog adds to those of Jinja."""


def asset(assets: Mapping[str, str], path: str) -> str:
    """The URL of a file of the static folder or of the theme, which changes with its content.

    Templates call it with the path alone: the environment adds the URLs, so that pages depend on them.

    Raises:
        TemplateRuntimeError: if there is no such file.
    """
    found = assets.get("/" + path.lstrip("/")) or assets.get(path)
    if found is None:
        hint = did_you_mean(path, [name.lstrip("/") for name in assets])
        raise jinja2.TemplateRuntimeError(f"there is no file “{path}” in the static folder{hint and '; ' + hint}")
    return found


_TEXTS = frozenset({str, Markup, int, float, bool, type(None), MissingValue})
"""The types of most values that templates print."""
_OBJECT = re.compile(r"<((?:[^<>\n]|<\w+>){1,200}?) at 0x[0-9a-fA-F]+>")
"""The text of an object that has none of its own: its type, perhaps its name, and its address in memory."""


def _printed(value: Any) -> Any:
    """A value that a template prints.

    Raises:
        TemplateRuntimeError: it is an object without a text of its own, or contains one: the address of that object is
            another one in each build.
    """
    if type(value) not in _TEXTS and (found := _OBJECT.search(str(value))):
        hint = "; call it" if callable(value) else "; add “| list”" if isinstance(value, Iterator) else ""
        raise jinja2.TemplateRuntimeError(f"a “{found[1]}” has no text to print{hint}")
    return value


class _Generator(CodeGenerator):
    """Writes the code of a template, and records the names that it takes from the context. Jinja's own function
    for that would generate all code a second time.
    """

    def enter_frame(self, frame: Frame) -> None:
        super().enter_frame(frame)
        assert isinstance(self.environment, _Environment)
        # Names of functions too: the context of a plugin's page may have a value of that name, which Jinja prefers.
        self.environment.taken |= {name for action, name in frame.symbols.loads.values() if action == VAR_LOAD_RESOLVE}


class _Template(jinja2.Template):
    """A template that tells its environment when it is imported and what it defines may change."""

    def make_module(
        self,
        vars: dict[str, Any] | None = None,  # noqa: A002 - Jinja's name
        shared: bool = False,
        locals: Mapping[str, Any] | None = None,  # noqa: A002 - Jinja's name
    ) -> TemplateModule:
        context = self.new_context(vars, shared, locals)
        module = TemplateModule(self, context)
        assert isinstance(self.environment, _Environment)
        self.environment.may_change |= not all(map(_is_constant, context.vars.values()))
        return module


def _is_constant(value: Any) -> bool:
    """Whether what an imported template defines is the same on each page."""
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, Macro | str | int | float | None)


class _Environment(jinja2.Environment):
    """A Jinja environment with messages.

    Attributes:
        may_change: whether an imported template defines anything that pages may change, such as a cycler or a list.
        taken: the names that compiled templates take from the context.
        catalog: the message catalog, as JSON.
        messages: the use of messages in the template that was parsed last.
        found: the nodes of that template, before messages were replaced by words.
    """

    code_generator_class = _Generator
    template_class = _Template
    may_change = False
    taken: set[str]
    catalog: str
    messages: Messages
    found: list[nodes.Node]

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """A copy. Jinja makes a view of several dictionaries, which shows later changes: there are none, and each
        import and context of a page would read all names through it.
        """
        return {**self.globals, **(d or {})}

    def begin_page(self) -> None:
        """Let imported templates be evaluated again. Jinja does that once, so that a page would find what the pages
        before it have changed, and these are others in each build.
        """
        if self.may_change and self.cache is not None:
            for template in self.cache.values():
                template._module = None

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        self.found = _nodes_of(tree)
        self.messages = Messages(self, catalog_of(self.catalog))
        self.messages.translate(self.found)
        for node in self.found:
            if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "asset":
                node.args.insert(0, nodes.Name("assets", "load", lineno=node.lineno, environment=self))
        return tree


def _nodes_of(tree: nodes.Node) -> list[nodes.Node]:
    """A node and all nodes below it, in order. Jinja's own search for some of them takes several times as long."""
    found, waiting = list[nodes.Node](), [tree]
    while waiting:
        node = waiting.pop()
        found.append(node)
        below: list[nodes.Node] = []
        for field in node.fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                below += [item for item in value if isinstance(item, nodes.Node)]
            elif isinstance(value, nodes.Node):
                below.append(value)
        waiting += reversed(below)
    return found


class _Loader(jinja2.BaseLoader):
    """Loads the templates of a theme.

    Attributes:
        codes: bytecode from `compiled`, by template name.
    """

    def __init__(self, templates: tuple[Template, ...], plugins: tuple[PluginRef, ...], catalog: str) -> None:
        self.codes: dict[str, bytes] = {}
        self._templates = {template.name: template for template in templates}
        self._plugins = plugins
        self._catalog = catalog

    def load(
        self,
        environment: jinja2.Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 - Jinja's name
    ) -> jinja2.Template:
        if name not in self._templates:
            raise jinja2.TemplateNotFound(name)
        code = self._cached(name)
        if code is None:
            self.codes[name] = _bytecode(self._templates[name], self._plugins, self._catalog)
            code = marshal.loads(self.codes[name])  # noqa: S302 - compiled just now
        return environment.template_class.from_code(environment, code, {} if globals is None else globals)

    def _cached(self, name: str) -> CodeType | None:
        """The code of a template, from another process of this build or a file that only this user can write."""
        with suppress(EOFError, ValueError, TypeError):
            code = marshal.loads(self.codes.get(name, b""))  # noqa: S302
            return code if isinstance(code, CodeType) else None
        return None


def render_template(theme: Theme, name: str, context: Mapping[str, Any]) -> str:
    """Render a page with a template of a theme.

    Raises:
        Exception: whatever the template raises.
    """
    made = environment(theme)
    made.begin_page()
    return made.get_template(name).render(read_only(context))


def environment(theme: Theme) -> _Environment:
    """The environment of a theme; it caches compiled templates and nothing else."""
    return _environment(theme.templates, theme.plugins, theme.catalog)


@lru_cache(maxsize=4)
def _environment(
    templates: tuple[Template, ...], plugins: tuple[PluginRef, ...] = (), catalog: str = "{}"
) -> _Environment:
    made = _Environment(
        loader=_Loader(templates, plugins, catalog),
        autoescape=True,
        undefined=MissingValue,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    # Random output would make each build different.
    del made.filters["random"], made.globals["lipsum"]
    for plugin in (*plugin_values(plugins), BUILT_IN):  # plugins cannot replace built-in filters
        made.filters.update(plugin.filters)
    made.filters.update(FILTERS)
    made.globals["asset"] = asset
    made.catalog = catalog
    return made


def compiled(theme: Theme) -> dict[str, bytes]:
    """The templates of a theme as Python bytecode, by name. Compiling is most of the work before rendering.

    Templates with errors are left out.
    """
    found = {}
    for template in theme.templates:
        with suppress(jinja2.TemplateError):  # reported when the theme was checked
            found[template.name] = _bytecode(template, theme.plugins, theme.catalog)
    return found


def use_compiled(theme: Theme, codes: Mapping[str, bytes]) -> None:
    """Use bytecode that `compiled` returned, earlier or in another process. Other templates are compiled here."""
    _loader(theme).codes.update(codes)


def compiled_so_far(theme: Theme) -> dict[str, bytes]:
    """The bytecode of templates that this process has compiled or was given."""
    return {**_loader(theme).codes}


def _loader(theme: Theme) -> _Loader:
    loader = environment(theme).loader
    assert isinstance(loader, _Loader)
    return loader


def load(theme: Theme, codes: Mapping[str, bytes]) -> None:
    """Load the templates that all sites need. Other templates are loaded when a page needs them.

    Args:
        theme: the theme of the site.
        codes: see `use_compiled`.
    """
    use_compiled(theme, codes)
    for name in sorted(REQUIRED):
        with suppress(jinja2.TemplateError):  # reported when the theme was checked
            environment(theme).get_template(name)


def theme_use(theme: Theme) -> ThemeUse:
    """The dependencies of a theme's templates, and their diagnostics."""
    found, missing = _check(theme)
    names = REQUIRED | {template.name for template in theme.templates if "/" not in template.name}
    is_wrong = any(item.severity == "error" for item in (*found, *missing))
    found = found if theme.is_incomplete else (*dict.fromkeys((*found, *missing)), *_unknown_messages(theme))
    parts = theme.templates, theme.plugins, theme.catalog
    used = {} if is_wrong else {name: template_use(parts[0], name, *parts[1:]) for name in sorted(names)}
    plugins = zip(theme.plugins, plugin_values(theme.plugins), strict=True)
    words = digest_bytes(_words(theme.catalog, IN_MARKDOWN).encode())
    return ThemeUse(used, found, {name: _digest([ref]) for ref, plugin in plugins for name in plugin.recipes}, words)


def _digest(refs: Iterable[PluginRef]) -> str:
    return digest_bytes(msgspec.msgpack.encode([*refs]))


def _check(theme: Theme) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Diagnostics about the syntax of templates, and about templates, messages and blocks that do not exist."""
    found: list[Diagnostic] = []
    missing: list[Diagnostic] = []
    blocks: dict[str, Blocks] = {}
    names = {template.name for template in theme.templates}
    for template in theme.templates:
        try:
            translated = _translated(template, theme.plugins, theme.catalog)
        except jinja2.TemplateSyntaxError as error:
            if error.__cause__ and (wrong := filter_fault(theme, error.__cause__, template.file)):
                found.append(wrong)
                continue
            made = _environment((), theme.plugins)
            details = syntax_error(error, made.filters, made.tests)
            found.append(problems.template_error(Span(template.file, error.lineno), *details))
            continue
        blocks[template.name] = translated.blocks
        missing += [fault.as_diagnostic(template.file) for fault in translated.faults]
        for name in translated.needed:
            if name not in names:
                line = template.text[: template.text.find(name)].count("\n") + 1
                hint = template_hint(name, template.name, theme)
                wrong = problems.template_error(Span(template.file, line), f"there is no template “{name}”", hint)
                missing.append(wrong)
    missing += [
        problems.template_error(Span(f"theme {theme.name}"), f"the theme has no template “{name}”")
        for name in sorted(REQUIRED - names)
    ]
    missing += never_rendered(theme.templates, blocks)
    return tuple(found), tuple(missing)


def _unknown_messages(theme: Theme) -> Iterator[Diagnostic]:
    """Diagnostics about translated messages that nothing uses."""
    messages = catalog_of(theme.catalog).messages
    others = {key: message for key, message in messages.items() if not message.is_known}
    if not others:
        return
    used: set[str] = set()
    for template in theme.templates:
        with suppress(jinja2.TemplateSyntaxError):  # reported above
            used |= _translated(template, theme.plugins, theme.catalog).messages
    for key in sorted(others.keys() - used):
        known = (key for key, message in messages.items() if message.is_known or key in used)
        yield problems.unknown_message(others[key].span, key, known)


REQUIRED = frozenset(
    f"{name}.html" for name in "home topic post page author authors tag tags archive 404 redirect".split()
)
"""The templates that every site needs."""

OPTIONAL = frozenset({"digests.html", "reflist.html", "refs.html", "refsource.html", "search.html", "subscribe.html"})
"""The templates of pages that a theme may leave out."""


class _Translated(msgspec.Struct, frozen=True):
    """A template, translated to Python.

    Attributes:
        code: Python code that renders it.
        templates: the templates that it refers to; `None` for a computed name.
        needed: those templates without which it cannot be rendered.
        names: the names that it takes from the context.
        filters: the filters that it uses; `None` for a computed name.
        blocks: its blocks.
        messages: the keys of the messages that it uses.
        faults: the problems with their use.
    """

    code: str
    templates: tuple[str | None, ...]
    needed: tuple[str, ...]
    names: frozenset[str]
    filters: frozenset[str | None]
    blocks: Blocks
    messages: frozenset[str] = frozenset()
    faults: tuple[Fault, ...] = ()


def _translated(template: Template, plugins: tuple[PluginRef, ...] = (), catalog: str = "{}") -> _Translated:
    """Translate a template to Python. Only plugins that have a filter whose name occurs in the text can matter:
    a filter with a computed name is looked up during rendering, unless the template uses the test “filter”.
    """
    loaded = zip(plugins, plugin_values(plugins), strict=True)
    named = [ref for ref, plugin in loaded if any(name in template.text for name in (*plugin.filters, "filter"))]
    return _translation(template, tuple(named), catalog)


@lru_cache(maxsize=512)
def _translation(template: Template, plugins: tuple[PluginRef, ...], catalog: str) -> _Translated:
    """Cached, because each template is part of many others, and most stay the same when one is edited."""
    try:
        return _translate(template, plugins, catalog)
    except jinja2.TemplateError:
        raise
    except faults() as error:  # from expressions that are computed at compile time, such as a filter of a constant
        raise jinja2.TemplateSyntaxError(error_line(error), 0, template.name) from error


@lru_cache(maxsize=512)
def _bytecode(template: Template, plugins: tuple[PluginRef, ...], catalog: str) -> bytes:
    """A template as Python bytecode."""
    code = compile(_translated(template, plugins, catalog).code, file_of(template.name), "exec")
    return marshal.dumps(code)


def _translate(template: Template, plugins: tuple[PluginRef, ...], catalog: str) -> _Translated:
    made = _environment((), plugins, catalog)
    tree = made.parse(template.text, template.name)
    messages, found = made.messages, made.found
    references = [node for node in found if isinstance(node, _REFERENCES)]
    needed = []
    for node in references:
        named = getattr(node, "template", None)  # from a list of names, Jinja chooses one
        if isinstance(named, nodes.Const) and isinstance(named.value, str):
            needed += [] if getattr(node, "ignore_missing", False) else [named.value]
    made.taken = set()
    return _Translated(
        made.compile(tree, template.name, raw=True),
        tuple(jinja2.meta.find_referenced_templates(nodes.Template(list[nodes.Node](references)))),
        tuple(needed),
        frozenset(made.taken),
        frozenset(name for node in found for name in _filters_of(node)),
        blocks_of(tree, found),
        frozenset(messages.used),
        tuple(messages.faults),
    )


def _filters_of(node: nodes.Node) -> Iterator[str | None]:
    """The names of the filters on which a node of a template depends; `None` for a computed name."""
    match node:
        case nodes.Filter():
            yield node.name
            yield from _named_in(node.name, node.args, is_open=node.dyn_args is not None)
        case nodes.Test(name="filter"):  # tests whether a filter exists
            yield _constant(node.node)


def _named_in(name: str, arguments: Sequence[nodes.Expr], *, is_open: bool) -> Iterator[str | None]:
    """The names of filters among the arguments of a filter. `map` calls one with the arguments after it.

    Args:
        name: the name of the filter.
        arguments: the positional arguments.
        is_open: whether computed positional arguments follow.
    """
    place = _PLACES.get(name)
    if place is None:
        return
    if len(arguments) <= place:
        yield from [None] if is_open else []
        return
    called = _constant(arguments[place])
    if name == "map":
        yield called
        yield from _named_in(called or "", arguments[place + 1 :], is_open=is_open)
    elif called in (None, "filter"):  # a test: only “filter” depends on filters, those that its values name
        yield None


_PLACES = {"map": 0, "select": 0, "reject": 0, "selectattr": 1, "rejectattr": 1}
"""Filters that take the name of another filter, or of a test, and the index of that argument."""


def _constant(node: nodes.Node) -> str | None:
    """The string constant of a node; `None` for any other node."""
    return node.value if isinstance(node, nodes.Const) and isinstance(node.value, str) else None


_REFERENCES = (nodes.Extends, nodes.Import, nodes.FromImport, nodes.Include)


def template_use(
    templates: tuple[Template, ...], name: str, plugins: tuple[PluginRef, ...] = (), catalog: str = "{}"
) -> TemplateUse:
    """The dependencies of the template `name`, including all templates that it refers to."""
    known = {template.name: template for template in templates}
    pending, closure = [name], set[str]()
    templates_of = set[str | None]()
    names: set[str] = set()
    filters: set[str | None] = set()
    messages: set[str] = set()
    while pending:
        current = pending.pop()
        if current in closure or current not in known:
            continue
        closure.add(current)
        mentions = _translated(known[current], plugins, catalog)
        names |= mentions.names
        filters |= mentions.filters
        messages |= mentions.messages
        templates_of |= {*mentions.templates}
        pending += [name for name in mentions.templates if name is not None]
    loaded = [*zip(plugins, plugin_values(plugins), strict=True)]
    is_open = None in filters
    used = [plugin.filters[key] for _, plugin in loaded for key in plugin.filters if is_open or key in filters]
    # The dependencies of a computed template name, or of a filter that sees the whole context, are unknown.
    sees_all = None in templates_of or any(hasattr(function, "jinja_pass_arg") for function in used)
    parts = [f"{key}\0{known[key].text}" for key in sorted(known if sees_all else closure)]
    is_open = is_open or sees_all
    parts += [_digest([ref]) for ref, plugin in loaded if any(is_open or key in filters for key in plugin.filters)]
    parts.append(_words(catalog, None if sees_all else messages | (IN_BODIES if names & {*TEXTS} else set())))
    return TemplateUse(digest_bytes("\0".join(parts).encode()), None if sees_all else frozenset(names))


def _words(catalog: str, keys: AbstractSet[str] | None) -> str:
    """The texts of messages, without their positions in files; with `None`, of all messages."""
    messages = catalog_of(catalog).messages
    if keys is None:
        keys = messages.keys()
    elif any(COUNT in messages[key].placeholders for key in keys & messages.keys()):
        keys = keys | {THOUSANDS}
    said = {key: (messages[key].language, messages[key].forms) for key in sorted(keys) if key in messages}
    return msgspec.json.encode(said).decode()
