"""What extends devlog: one frozen value with ten points, for plugins and for what is built in alike."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from devlog import problems
from devlog.config import Config
from devlog.model.codes import CODES, FORGIVABLE, RULES
from devlog.model.derived import Answers, Derived
from devlog.model.diagnostic import Diagnostic, Fix, Severity, Span
from devlog.model.document import Body, Parsed
from devlog.model.markdown import AsWritten
from devlog.model.site import Post, Site
from devlog.model.source import Size
from devlog.model.target import Output, Resources, Target
from devlog.model.theme import PluginRef, Theme

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

OWN = "devlog"
"""The name of what is built in."""


# -- values that plugins get and give


class Outline(msgspec.Struct, frozen=True):
    """The site as plans see it.

    Attributes:
        config: its configuration.
        site: everything that is published.
        theme: its templates and settings.
        derived: what was made of its files before it was planned.
        url: turns a permalink into what pages link to.
        absolute: turns a permalink into what other sites link to.
        once: gives what a function makes of the outline, which is made only once.
        is_free: whether nothing that is planned so far has a permalink, and no file of the site or its theme; before
            anything is planned, all are free.
    """

    config: Config
    site: Site
    theme: Theme
    derived: Derived
    url: Callable[[str], str]
    absolute: Callable[[str], str]
    once: Callable[[Callable[..., Any]], Any]
    is_free: Callable[[str], bool] = bool


class Wanted(msgspec.Struct, frozen=True):
    """A file that a plan wants published.

    Attributes:
        permalink: where, from the site's root; a final slash stands for an ``index.html``.
        recipe: the name of what makes it: one of a plugin's, or ``page``, which fills `template`.
        context: all that the recipe may see, name to value: it decides when the file is made again. Values are texts,
            numbers, dates, lists and tables of them, and what devlog itself gives.
        template: the template's name, only for the recipe ``page``, which sees ``site``, ``page`` and ``assets`` too.
        title: of the page.
        span: what asks for it, for messages.
        yields: whether it gives way to whatever else has its permalink; of `plans` alone.
        make: gives the context in place of `context` when it is asked for, of the
            `devlog.assemble.site_context.SiteContext` and `about`. Only features of devlog may set it.
        about: what of the site it is about.
    """

    permalink: str
    recipe: str
    context: dict[str, Any] = {}
    template: str = ""
    title: str = ""
    span: Span | None = None
    yields: bool = False
    make: Callable[..., dict[str, Any]] | None = None
    about: tuple[Any, ...] = ()


Rewrite = Callable[[Any, Any, str, int], msgspec.Struct | None]
"""Changes the tokens of a text before they become HTML: it gets them, the `devlog.parse.markdown.body.BodyWriter` that
notes what is in the text, the file's name in messages and its line on which the text begins. It returns what is to be
remembered of the text: `Document.of` gives it. A token of the type ``rewritten`` is written by its ``meta["write"]``,
which gets it and the writer."""


class FrontMatterKeys(msgspec.Struct, frozen=True):
    """Keys of front matter that a feature or a plugin gives a meaning.

    Attributes:
        kind: of the value that they make, a frozen struct whose fields all have defaults. The front matter of a text
            gives it to whoever asks `FrontMatter.of` for this type.
        spellings: by field of that, how its key may be spelt, best first: ``a.b`` is the key b in the table a. Case,
            ``-`` and ``_`` do not count. The first key that has a value wins.
        read: gives the value of a field, which is empty or `None` where there is none, and what is wrong with it, of
            the name of the field and of the key, a `devlog.parse.front_matter.tree.Entry`.
        rewrites: whether the text below such a value is rewritten.
        rewrite: rewrites it.
    """

    kind: type[msgspec.Struct]
    spellings: Mapping[str, str]
    read: Callable[[str, Any], tuple[Any, Iterable[Diagnostic]]]
    rewrites: Callable[[Any], bool] | None = None
    rewrite: Rewrite | None = None


class Prose(msgspec.Struct, frozen=True):
    """What a feature reads in the prose of all texts of a site.

    Attributes:
        settings: what of a configuration that depends on, a struct; `None` where texts are left alone.
        rule: of the Markdown parser, for the inline tokens of a text: ``env["prose"]`` has the settings, by the name of
            the feature.
        collect: gives what is to be remembered of a text, `None` for nothing: of its tokens, the settings, its line in
            the file, and whether links may have their addresses elsewhere in it. `Document.of` gives it.
        html: does what `rule` does with a text of HTML and the settings.
        collect_html: does what `collect` does with a text of HTML, the settings, and its line in the file.
        site_fields: fields of the `devlog.model.view.SiteView` that follow from what all texts say; empty while none
            of those that are known says anything of the kind.
        is_alike: whether two versions of a text say what makes the same files.
    """

    settings: Callable[[Config], msgspec.Struct | None]
    rule: Callable[[Any], None]
    collect: Callable[[Any, Any, int, bool], msgspec.Struct | None]
    html: Callable[[str, Any], str]
    collect_html: Callable[[str, Any, int], msgspec.Struct | None]
    site_fields: Callable[[Outline], dict[str, Any]]
    is_alike: Callable[[Parsed, Parsed], bool]


class SiteSearch(msgspec.Struct, frozen=True):
    """A search for the readers of a site.

    Attributes:
        folder: in which its index lies, relative to the output folder, with a slash at its end.
        page: the permalink of the page that searches.
        script: of the index, which pages load, relative to the output folder.
        is_wanted: whether the pages of a site offer it.
        build: makes the index beside a build, of the site's folder, the `devlog.stages.Stages` and what is told of
            progress: see `devlog.build.Index`.
        serve: gives the files of the index to a preview, of the site's folder: see `devlog.serve.preview.Searching`.
    """

    folder: str
    page: str
    script: str
    is_wanted: Callable[[Config, Site], bool]
    build: Callable[..., Any]
    serve: Callable[..., Any]


class Codes(msgspec.Struct, frozen=True):
    """The codes of what a feature reports, separated by spaces: configurations and comments in posts refer to them.

    Attributes:
        of_builds: of what a build or another command reports.
        of_checks: of what only a check reports.
        forgivable: of those errors of builds that are none if the site's owner says so.
    """

    of_builds: str = ""
    of_checks: str = ""
    forgivable: str = ""


class MarkdownVersions(msgspec.Struct, frozen=True):
    """How texts and pages are written as Markdown.

    Attributes:
        as_written: gives a text as its Markdown version can have it, a `devlog.model.markdown.AsWritten`: of the text,
            its tokens, those of them with raw HTML, and the `devlog.parse.options.ParseOptions`. `None` where it must
            be written anew.
        with_markdown: gives a body with the same as Markdown, of the body, of what `as_written` gave, and of the
            `devlog.parse.markdown.body.BodyWriter` that has noted what is in the text.
        page: gives a page as Markdown, as a recipe does.
    """

    as_written: Callable[[str, Any, Any, Any], AsWritten | None]
    with_markdown: Callable[[Body, AsWritten | None, Any], Body]
    page: Recipe


class ExternalInputs(msgspec.Struct, frozen=True):
    """What a feature asks that no input of a build holds, such as what git knows of another folder.

    Attributes:
        asked: gives what it has asked to derive its part, and what came of that; `None` where it has asked nothing.
        ask_again: gives the digest of the answers as they are now, of the site's folder, its configuration and the
            names of what was asked for.
    """

    asked: Callable[[Derived], Answers | None]
    ask_again: Callable[[Path, Config, tuple[str, ...]], str]


class Lookup(msgspec.Struct, frozen=True):
    """What `devlog search` finds in a text with keys of a feature, beside the sections of any text.

    Attributes:
        beside: gives the name of a file that holds another text of its page, as the text names it; empty without one.
        split: makes smaller parts of a section, a `devlog.search.values.Section`, and the names in it: pairs of such.
        read: gives the sections of the other text, of its file and what stands there.
    """

    beside: Callable[[Parsed], str]
    split: Callable[[Parsed, Any, str], Sequence[tuple[Any, str]]]
    read: Callable[[str, str], Sequence[Any]]


class Release(msgspec.Struct, frozen=True):
    """A finished site on its way to where it is published.

    Attributes:
        root: the site's own folder.
        folder: where the finished files lie.
        files: the digest of each, by path; sorted.
        settings: those of ``[deploy.NAME]``, ``to`` included.
        title: of the site.
        dry_run: whether to say only what would be done.
        inputs: folders, below `root` or elsewhere, that must never be written to.
    """

    root: Path
    folder: Path
    files: Mapping[str, str]
    settings: Mapping[str, Any]
    title: str = ""
    dry_run: bool = False
    inputs: tuple[str, ...] = ()


class DeployError(Exception):
    """A site cannot be published there; the message says why, and the hint what to do.

    Args:
        reason: one sentence without a full stop.
        hint: likewise; empty when nothing certain can be said.
        key: the key of the settings that is to blame, if one is.
    """

    def __init__(self, reason: str, hint: str = "", key: str = "") -> None:
        super().__init__(reason)
        self.hint = hint
        self.key = key


class PageImages(Protocol):
    """The images that stand for pages where a link to one is shown elsewhere.

    Each method returns the permalink of an image and its size, where that is known; `None` where there is none.
    """

    def of_home(self, title: str) -> tuple[str, Size | None] | None:
        """That of the home page, by the title of the site."""

    def of_post(self, post: Post) -> tuple[str, Size | None] | None:
        """That of a post that names none."""

    def of_list(self, permalink: str, title: str) -> tuple[str, Size | None] | None:
        """That of a topic, an author or a tag."""


# -- the points


Markdown = Callable[["MarkdownIt"], None]
"""Adds rules to the parser. A rule of the renderer gives HTML to ``env["writer"].trusted(html)`` and returns that."""

Check = Callable[[Any], Iterable[Diagnostic]]
"""A rule of ``devlog check``: it gets the `devlog.check.evidence.Evidence` and yields problems."""

Derive = Callable[[Any], Any]
"""Makes something of a site before its pages are planned: it gets a `devlog.deriving.Deriving`, and what it returns is
found in the outline's `derived` by its type. What that has of `problems` is reported; what it has of `notes`, each a
`devlog.model.post_note.PostNote` by the id of its post, is shown wherever the post is."""

Plan = Callable[[Outline], Iterable[Wanted | Diagnostic]]
"""Says which files there are besides, and what is wrong with the site that only a plan can see."""

Cover = Callable[[Outline], PageImages | None]
"""Knows the images that stand for pages elsewhere; `None` for a site without any."""

Fixes = Callable[[Config, Path], Callable[[Any, Iterable[Diagnostic]], Iterable[Diagnostic]]]
"""Knows fixes that no rule can, since no rule reads a file. It gets the configuration and the site's folder, and gives
what completes problems: that gets the `devlog.check.evidence.Evidence` and the problems, and gives all of them."""

Tools = Callable[[], Iterable[Any]]
"""What programs can ask the MCP server besides: each a `devlog.mcp_server.tools.Tool`."""

Aside = Callable[[Sequence[Parsed]], Iterable[str]]
"""Tells which of a site's texts, by their paths, are no posts or pages of their own, but stand in those of others."""

Recipe = Callable[[Target, Resources], str | bytes | Output]
"""Makes a file, as a pure function of its target and the resources that the target names. What it returns as an
`Output` may hold problems: errors, after which nothing is published."""

Deployer = Callable[[Release], Iterator[str | Diagnostic]]
"""Publishes a site, and yields lines that say what it does, and problems. Raises DeployError."""


class Plugin(msgspec.Struct, frozen=True):
    """What extends devlog. Every point is optional; functions are pure but for deployers.

    Attributes:
        name: in messages, and at the beginning of the codes of its problems: small letters, digits and ``-``.
        codes: of what it reports itself. Only those of a feature of devlog count.
        front_matter: keys of front matter with a meaning of its own.
        markdown: adds rules to the Markdown parser.
        prose: what is read in the prose of all texts. Only that of a feature of devlog is asked.
        markdown_versions: how Markdown versions are written. Only that of a feature of devlog is asked.
        checks: rules of ``devlog check``.
        fixes: knows more fixes for ``devlog check --fix``. Only that of a feature of devlog is asked.
        asides: tells which texts are no posts. Only that of a feature of devlog is asked.
        targets: makes what links can lead to: a part with `targets`, a `devlog.model.derived.LinkTargets`.
        derive: makes a part of what is derived, when it is known where links lead.
        external_inputs: what deriving asks besides. Only that of a feature of devlog is asked.
        lookup: what `devlog search` finds besides. Only that of a feature of devlog is asked.
        tools: what programs can ask besides. Only that of a feature of devlog is asked.
        site_search: a search for readers. Only that of a feature of devlog is asked.
        pages: plans of what belongs to the site's own pages, as lists do: the sitemap names these.
        plans: say which files there are besides.
        page_images: knows the images that stand for pages elsewhere. Only that of a feature of devlog is asked.
        recipes: make files, by name.
        filters: of templates, by name.
        deployers: by name.
    """

    name: str
    codes: Codes = Codes()
    front_matter: FrontMatterKeys | None = None
    markdown: Markdown | None = None
    prose: Prose | None = None
    markdown_versions: MarkdownVersions | None = None
    checks: tuple[Check, ...] = ()
    fixes: Fixes | None = None
    asides: Aside | None = None
    targets: Derive | None = None
    derive: Derive | None = None
    external_inputs: ExternalInputs | None = None
    lookup: Lookup | None = None
    tools: Tools | None = None
    site_search: SiteSearch | None = None
    pages: tuple[Plan, ...] = ()
    plans: tuple[Plan, ...] = ()
    page_images: Cover | None = None
    recipes: Mapping[str, Recipe] = {}
    filters: Mapping[str, Callable[..., Any]] = {}
    deployers: Mapping[str, Deployer] = {}


def problem(
    span: Span, message: str, hint: str = "", severity: Severity = "warning", fix: Fix | None = None
) -> Diagnostic:
    """A problem that a rule or a plan of a plugin has found. devlog gives it its code, after the function's name.

    Args:
        span: where it is.
        message: one sentence without a full stop.
        hint: what to do; empty when nothing certain can be said.
        severity: unless the site's owner says otherwise.
        fix: what ``devlog check --fix`` does about it.
    """
    return Diagnostic("", severity, message, span, hint, fix=fix)


def code_of(plugin: Plugin, function: Callable[..., Any]) -> str:
    """The code of the problems that a rule or a plan of a plugin finds: ``lumen.needs-summary``."""
    return f"{plugin.name}.{function.__name__.strip('_').replace('_', '-')}"


def codes(plugins: Iterable[Plugin]) -> dict[str, Callable[..., Any]]:
    """The codes of all problems that plugins find, and the function that finds each."""
    return {code_of(plugin, function): function for plugin in plugins for function in _finders(plugin)}


def _finders(plugin: Plugin) -> tuple[Callable[..., Any], ...]:
    """The functions of a plugin that may find problems."""
    read = plugin.front_matter and plugin.front_matter.read
    return (
        *plugin.checks,
        *plugin.pages,
        *plugin.plans,
        *(one for one in (read, plugin.targets, plugin.derive) if one),
    )


# -- what plugins give


def misfit(value: Any, kind: Any) -> str:
    """Why a value that a plugin gave is none of a kind: no struct looks at its fields when it is made.

    Args:
        value: of a plugin.
        kind: as annotations write it.

    Returns:
        Empty where it, and all that it holds, is as declared and can be remembered: half a character cannot, for one.
    """
    try:
        msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=kind)
    except Exception as error:  # of any type: what it holds may have methods of its own
        return said(error)
    return ""


def misfit_problem(given: Any) -> str:
    """Why what a function of a plugin gave is no problem that can be told; empty if it is one."""
    if not isinstance(given, Diagnostic):
        return f"it returned a {type(given).__name__} instead of a problem"
    reason = misfit(given, Diagnostic)
    return f"a problem that it returned is malformed: {reason}" if reason else ""


# -- what is built in


class Late:
    """A function of a feature that is imported when it is called: most builds need few of them.

    Attributes:
        __name__: of the function.
    """

    def __init__(self, reference: str) -> None:
        """
        Args:
            reference: to the function, as ``package.module:name``.
        """
        self._module, _, self.__name__ = reference.partition(":")

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.load()(*arguments, **named)

    def load(self) -> Callable[..., Any]:
        """The function itself."""
        function: Callable[..., Any] = getattr(importlib.import_module(self._module), self.__name__)
        return function


@cache
def features() -> tuple[Plugin, ...]:
    """The plugins of devlog's own features, of those whose folders are there, by name."""
    folder = Path(__file__).with_name("features")
    names = sorted(path.parent.name for path in folder.glob("*/plugin.py"))
    return tuple(importlib.import_module(f"devlog.features.{name}.plugin").PLUGIN for name in names)


@cache
def codes_of_builds() -> frozenset[str]:
    """The codes of all that builds and other commands report."""
    return CODES.union(*(plugin.codes.of_builds.split() for plugin in features()))


@cache
def codes_of_checks() -> frozenset[str]:
    """The codes of all that only a check reports, but for what plugins find."""
    return RULES.union(*(plugin.codes.of_checks.split() for plugin in features()))


@cache
def known_codes() -> frozenset[str]:
    """The codes of all problems, but for what plugins find."""
    return codes_of_builds() | codes_of_checks()


@cache
def forgivable_codes() -> frozenset[str]:
    """The codes of those errors of builds that are none if the site's owner says so."""
    return FORGIVABLE.union(*(plugin.codes.forgivable.split() for plugin in features()))


@cache
def markdown_versions() -> MarkdownVersions | None:
    """How Markdown versions are written, where the folder of their feature is there."""
    return next((plugin.markdown_versions for plugin in features() if plugin.markdown_versions), None)


def has_markdown_versions(config: Config) -> bool:
    """Whether pages of a site have Markdown versions."""
    return config.llms.markdown and markdown_versions() is not None


def as_markdown(target: Target, resources: Resources) -> bytes:
    """A page as Markdown; empty where no feature makes that."""
    versions = markdown_versions()
    made = versions.page(target, resources) if versions else b""
    assert isinstance(made, bytes)
    return made


@cache
def site_search() -> SiteSearch | None:
    """The search for readers, where the folder of its feature is there."""
    return next((plugin.site_search for plugin in features() if plugin.site_search), None)


def prose_in(config: Config) -> tuple[Prose, ...]:
    """What reads the prose of a site with such a configuration."""
    known = (plugin.prose for plugin in features())
    return tuple(prose for prose in known if prose and prose.settings(config) is not None)


def prose_of(settings: Iterable[tuple[str, Any]]) -> list[tuple[Prose, Any]]:
    """What reads prose, with its settings, of those by the names of the features."""
    known = {plugin.name: plugin.prose for plugin in features() if plugin.prose}
    return [(known[name], value) for name, value in settings]


def lookups_of(parsed: Parsed) -> tuple[Lookup, ...]:
    """What finds more in a text: nothing where no feature has read anything in its front matter."""
    return tuple(plugin.lookup for plugin in features() if plugin.lookup) if parsed.front_matter.parts else ()


# -- loading


FAULTS = (Exception, SystemExit)
"""How the code of a plugin may end."""


class PluginError(Exception):
    """A plugin cannot be had; the message says why."""

    def __init__(self, ref: PluginRef, reason: str, line: int = 0) -> None:
        super().__init__(f"the plugin “{ref.name}” cannot be used: {reason}")
        self.ref = ref
        self.reason = reason
        self.span = _span(ref, line)


def load(refs: Sequence[PluginRef]) -> tuple[Plugin, ...]:
    """The plugins themselves, one for each reference. Raises PluginError."""
    return tuple(_load(ref) for ref in refs)


@lru_cache(maxsize=64)
def _load(ref: PluginRef) -> Plugin:
    try:
        return _loaded(ref)
    except PluginError:
        if ref.text:
            sys.modules.pop(_module_name(ref), None)  # some libraries look into all modules, and this one may raise
        raise


def _loaded(ref: PluginRef) -> Plugin:
    try:
        found: Any = _module(ref)
    except SyntaxError as error:
        line = error.lineno or 0 if error.filename == ref.module else blame(ref, error)
        raise PluginError(ref, f"{error.msg}", line) from error
    except FAULTS as error:  # the plugin's own code runs here
        raise PluginError(ref, said(error), blame(ref, error)) from error
    try:
        for part in ref.attribute.split("."):
            found = getattr(found, part, None)
        wrong = next(_misfits(found, ref.attribute), "")
    except FAULTS as error:  # looking at what a plugin gives may run its code, too
        raise PluginError(ref, said(error), blame(ref, error)) from error
    if wrong:
        raise PluginError(ref, wrong)
    plugin: Plugin = found
    return plugin


def _module(ref: PluginRef) -> Any:
    if not ref.text:
        return importlib.import_module(ref.module)
    name = _module_name(ref)  # a changed text is another module
    spec = spec_from_loader(name, _Given(name, ref), origin=ref.module)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules[name] = module  # where classes look up what their annotations say
    spec.loader.exec_module(module)
    return module


class _Given(SourceFileLoader):
    """Loads a module of a text that was read already."""

    def __init__(self, name: str, ref: PluginRef) -> None:
        super().__init__(name, ref.module)
        self._text = ref.text

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self._text.encode(), self.path)

    def get_source(self, fullname: str) -> str:
        return self._text


def _module_name(ref: PluginRef) -> str:
    return f"devlog_plugin_{ref.version}" if ref.text else ref.module.partition(".")[0]


_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
_RESERVED = frozenset({OWN, "leaks"})


def _misfits(plugin: Any, attribute: str) -> Iterator[str]:
    """What is wrong with what stands under the name of a plugin: no struct looks at its values when it is made.

    Each takes for granted that nothing came before it.
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
        if getattr(plugin, point) is not None and not _has_name(getattr(plugin, point)):
            yield f"“{point}” must be a function that has a name"
    for point in ("checks", "pages", "plans"):
        functions = getattr(plugin, point)
        if not isinstance(functions, tuple | list) or not all(_has_name(function) for function in functions):
            yield f"“{point}” must be a tuple of functions that have a name"
    if len(codes([plugin])) < len(_finders(plugin)):
        yield "two of its rules and plans have one name"
    for point in ("recipes", "filters", "deployers"):
        named = getattr(plugin, point)
        if not isinstance(named, Mapping) or not all(isinstance(key, str) and callable(named[key]) for key in named):
            yield f"“{point}” must be a table of functions by name"


def _misfit_keys(keys: Any) -> Iterator[str]:
    """What is wrong with what should be keys of front matter; each takes for granted that nothing came before it."""
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
    if not _has_name(keys.read):
        yield "must “read” with a function that has a name"
    both = [function for function in (keys.rewrites, keys.rewrite) if function is not None]
    if len(both) == 1 or not all(map(callable, both)):
        yield "needs functions for both “rewrites” and “rewrite”, or for neither"


def _has_name(function: Any) -> bool:
    return callable(function) and str(getattr(function, "__name__", "")).isidentifier()


def clash(plugins: Iterable[Plugin], own: Mapping[str, Iterable[str]]) -> Iterator[tuple[int, str]]:
    """What two plugins want to be called, or what is called so already.

    Args:
        plugins: in their order.
        own: for ``recipes``, ``filters`` and ``deployers``, the names of those that are built in.

    Yields:
        The index of the later plugin, and what is wrong with it.
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


# -- faults of plugins


def said(error: BaseException) -> str:
    """What an exception says, in one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # it is of a type that a plugin has made
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def blame(ref: PluginRef, error: BaseException) -> int:
    """The line of a plugin's file at which an exception passed last; 0 when it never did."""
    frames = [frame for frame in _frames(error.__traceback__) if ref.text and frame[0] == _module_name(ref)]
    return frames[-1][1] if frames else 0


def blamed(refs: Sequence[PluginRef], error: BaseException) -> PluginRef | None:
    """The plugin in whose code an exception came up; `None` when it was in none of them."""
    tops = {_module_name(ref): ref for ref in refs}
    for name, _ in reversed(list(_frames(error.__traceback__))):
        found = tops.get(name) or tops.get(name.partition(".")[0])
        if found:
            return found
    return None


def fault(ref: PluginRef, what: str, error: BaseException | str) -> Diagnostic:
    """The problem that a function of a plugin makes.

    Args:
        ref: the plugin.
        what: which function, such as ``the rule “lumen.needs-summary”``.
        error: how it ended, or what is wrong with what it gave.
    """
    if isinstance(error, str):
        return problems.plugin_failed(_span(ref), what, error)
    return problems.plugin_failed(_span(ref, blame(ref, error)), what, said(error))


def _span(ref: PluginRef, line: int = 0) -> Span:
    return Span(ref.name, line) if ref.text else Span(f"the plugin “{ref.name}”")


def _frames(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    """The module and the line of each frame, from the outside in."""
    while trace is not None:
        yield str(trace.tb_frame.f_globals.get("__name__", "")), trace.tb_lineno
        trace = trace.tb_next
