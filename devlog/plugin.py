"""The plugin interface: a frozen value with eleven extension points, for plugins and built-in features alike."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
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
from devlog.model.converted import Converted, ToConvert
from devlog.model.derived import Answers, Derived
from devlog.model.diagnostic import Diagnostic, Fix, Severity, Span
from devlog.model.document import Body, Parsed
from devlog.model.gaps import Gaps
from devlog.model.site import Post, Site
from devlog.model.source import Size
from devlog.model.surrogates import without_surrogates
from devlog.model.target import Output, Resources, Target
from devlog.model.theme import PluginRef, Theme

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

    from devlog.model.markdown import AsWritten

OWN = "devlog"
"""The name of the built-in recipes, filters and deployers."""


# -- values that plugins receive and return


class Outline(msgspec.Struct, frozen=True):
    """The argument of plans: a site, and functions to look things up in it.

    Attributes:
        config: the configuration of the site.
        site: everything that is published.
        theme: the templates and settings of the theme.
        derived: the data that was derived from the site and its files.
        url: converts a permalink into the URL that pages link to.
        absolute: converts a permalink into the absolute URL that other sites link to.
        once: calls a function with the outline, and returns its cached result when called again.
        is_free: returns whether a permalink is free: no planned file has it, and no file of the site or its theme. The
            folders of these do not count.
            Before anything is planned, all permalinks are free.
    """

    config: Config
    site: Site
    theme: Theme
    derived: Derived
    url: Callable[[str], str]
    absolute: Callable[[str], str]
    once: Callable[[Callable[..., Any]], Any]
    is_free: Callable[[str], bool] = bool


class PlannedFile(msgspec.Struct, frozen=True):
    """A file that a plan adds to the site.

    Attributes:
        permalink: the permalink of the file, from the site's root; a trailing slash stands for an ``index.html``.
        recipe: the name of its recipe: one of a plugin's, or ``page``, which fills in `template`.
        context: everything that the recipe can use, by name. It decides when the file is rendered again. Values are
            strings, numbers, dates, lists and tables of them, and values that devlog has passed in.
        template: the name of the template, only for the recipe ``page``, which has ``site``, ``page`` and ``assets``
            too.
        title: the title of the page.
        span: the source of the request for this file, for messages.
        yields: whether it is omitted if another file has its permalink; only for files of `plans`.
        make: a function that returns the context when it is needed, instead of `context`. Its arguments are the
            `devlog.assemble.site_context.SiteContext` and the values of `about`. Only features of devlog may set it.
        about: the values of the site that the file is about.
        search: the text by which the search of the site finds the page; empty for a page that it does not find.
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
    search: str = ""


Rewrite = Callable[[Any, Any, str, int], msgspec.Struct | None]
"""Changes the Markdown tokens of a post before they become HTML. Its arguments are the tokens, the
`devlog.parse.markdown.body.BodyWriter` that records what the text contains, the file's name in messages, and the line
of the file on which the text begins. It returns data about the text, which is cached with it, and which `Document.of`
returns. A token of the type ``rewritten`` is rendered by its ``meta["write"]``, which gets the token and the writer."""


class FrontMatterKeys(msgspec.Struct, frozen=True):
    """Front matter keys that a feature or a plugin defines.

    Attributes:
        kind: the type of the parsed value, a frozen struct whose fields all have defaults. `FrontMatter.of` returns
            the value for this type.
        spellings: the accepted spellings of the key of each field of `kind`, by the field's name, separated by
            spaces, best first: ``a.b`` is the key b in the table a. Case, ``-`` and ``_`` do not matter. The first
            key that has a value is used.
        read: returns the value of a field, which is empty or `None` if there is none, and its problems. Its arguments
            are the name of the field and the key, a `devlog.parse.front_matter.tree.Entry`.
        rewrites: returns whether `rewrite` is to be called for a post with a given value.
        rewrite: rewrites the tokens of the post.
        schemas: returns the JSON Schema of the value of each field, by name, for editors; any value is valid for a
            field without one.
    """

    kind: type[msgspec.Struct]
    spellings: Mapping[str, str]
    read: Callable[[str, Any], tuple[Any, Iterable[Diagnostic]]]
    rewrites: Callable[[Any], bool] | None = None
    rewrite: Rewrite | None = None
    schemas: Callable[[], Mapping[str, dict[str, Any]]] | None = None


class Prose(msgspec.Struct, frozen=True):
    """How a feature processes the prose of all posts and pages of a site, for example to find source references.

    Attributes:
        settings: returns the settings that this depends on, a struct, from the configuration; `None` if the feature
            does not process prose.
        rule: a rule of the Markdown parser for inline tokens: ``env["prose"]`` has the settings, by the name of the
            feature.
        collect: returns data about a text, which is cached with it, and which `Document.of` returns; `None` if there
            is none. Its arguments are the tokens, the settings, the first line of the text in the file, and whether
            the text may define the URLs of links elsewhere, as reference links do.
        html: like `rule`, for HTML: its arguments are the HTML and the settings.
        collect_html: like `collect`, for HTML: its arguments are the HTML, the settings, and its first line in the
            file.
        site_fields: returns fields of the `devlog.model.view.SiteView` that depend on this data of all posts and
            pages; empty while none of the known ones has any.
        is_alike: returns whether two versions of a post have data that results in the same files.
    """

    settings: Callable[[Config], msgspec.Struct | None]
    rule: Callable[[Any], None]
    collect: Callable[[Any, Any, int, bool], msgspec.Struct | None]
    html: Callable[[str, Any], str]
    collect_html: Callable[[str, Any, int], msgspec.Struct | None]
    site_fields: Callable[[Outline], dict[str, Any]]
    is_alike: Callable[[Parsed, Parsed], bool]


class Fences(msgspec.Struct, frozen=True):
    """Fences that a feature shows as something other than code.

    Attributes:
        languages: their languages, separated by spaces.
        write: returns the HTML of a fence, or `None` to show it as code. Its arguments are the
            `devlog.parse.markdown.body.BodyWriter`, the language, the info string, the content, and the lines of the
            fence in the text.
    """

    languages: str
    write: Callable[[Any, str, str, str, Any], str | None]


class SiteSearch(msgspec.Struct, frozen=True):
    """The search of a published site.

    Attributes:
        folder: the folder of the index, relative to the output folder, with a trailing slash.
        page: the permalink of the search page.
        script: the path of the index's script, which pages load, relative to the output folder.
        is_possible: returns whether a site can have a search, and the problems to report if it cannot. Its arguments
            are the `Theme`, and a function that returns the span of a key of the configuration.
        is_wanted: returns whether the pages of a site offer a search.
        build: returns a `devlog.build.Index`, which builds the index in parallel with the pages. Its arguments are the
            site's folder, the `devlog.stages.Stages`, and the function that is called with the progress.
        serve: returns a `devlog.serve.preview.Searching`, which has the index for a preview. Its arguments are the
            site's folder, and a function for any thread that returns, for digests, a future of their bodies.
    """

    folder: str
    page: str
    script: str
    is_possible: Callable[[Theme, Callable[..., Span]], tuple[bool, tuple[Diagnostic, ...]]]
    is_wanted: Callable[[Config, Site], bool]
    build: Callable[..., Any]
    serve: Callable[..., Any]


class Codes(msgspec.Struct, frozen=True):
    """The codes of the problems that a feature reports, separated by spaces.

    Configurations and comments in posts refer to them.

    Attributes:
        of_builds: codes that a build or another command reports.
        of_checks: codes that only `devlog check` reports.
        forgivable: codes of errors of builds whose severity the configuration may lower.
    """

    of_builds: str = ""
    of_checks: str = ""
    forgivable: str = ""


class TableCheck(msgspec.Struct, frozen=True):
    """A check of a table of the configuration.

    Attributes:
        table: the key of the table. It is not checked if it has nothing but defaults.
        check: checks what the types of its keys cannot express. It gets the configuration and a function that returns
            where it sets a key, a `devlog.config_file.spans.SpanOf`, and returns the configuration without what is
            wrong, and the problems.
    """

    table: str
    check: Callable[[Config, Callable[..., Span]], tuple[Config, Sequence[Diagnostic]]]


class MarkdownVersions(msgspec.Struct, frozen=True):
    """Functions that write the Markdown versions of pages.

    Attributes:
        as_written: returns the source text if the Markdown version can use it, a `devlog.model.markdown.AsWritten`, or
            `None` if the Markdown must be generated. Its arguments are the text, its tokens, those of them with raw
            HTML, and the `devlog.parse.options.ParseOptions`.
        with_markdown: returns a body to which its Markdown is added. Its arguments are the body, the result of
            `as_written`, and the `devlog.parse.markdown.body.BodyWriter` that has recorded what the text contains.
        page: the recipe of a page's Markdown version.
    """

    as_written: Callable[[str, Any, Any, Any], AsWritten | None]
    with_markdown: Callable[[Body, AsWritten | None, Any], Body]
    page: Recipe


class ExternalInputs(msgspec.Struct, frozen=True):
    """External queries of a feature, for data that is not among the inputs of a build, such as git's of another folder.

    Attributes:
        asked: returns the queries that the feature has made to derive its data, with their answers; `None` if it has
            made none.
        ask_again: returns the digest of the current answers. Its arguments are the site's folder, its configuration
            and the names of the queries.
        of_checkout: whether the answers change only with git's files in the configured checkout of the source.
    """

    asked: Callable[[Derived], Answers | None]
    ask_again: Callable[[Path, Config, tuple[str, ...]], str]
    of_checkout: bool = False


class Lookup(msgspec.Struct, frozen=True):
    """Adds to the index of `devlog search` for posts with a feature's front matter keys, besides the usual sections.

    Attributes:
        companion: returns the file with another text of the post's page, such as a transcript, as the post names it;
            empty if there is none.
        split: divides a section, a `devlog.search.values.Section`, and its names into smaller ones: a sequence of such
            pairs.
        read: returns the sections of that other text. Its arguments are the file's name and its content.
    """

    companion: Callable[[Parsed], str]
    split: Callable[[Parsed, Any, str], Sequence[tuple[Any, str]]]
    read: Callable[[str, str], Sequence[Any]]


class Release(msgspec.Struct, frozen=True):
    """A built site that a deployer publishes.

    Attributes:
        root: the site's folder.
        folder: the folder of the built files.
        files: the digest of each file, by path; sorted.
        settings: the settings in ``[deploy.NAME]``, including ``to``.
        title: the title of the site.
        dry_run: whether to report only what would be done.
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
    """A site cannot be published. The message says why, and the hint what to do.

    Args:
        reason: one sentence without a period.
        hint: what to do, as one sentence without a period; empty if the advice could be wrong.
        key: the key of the setting that causes the error; empty if none does.
    """

    def __init__(self, reason: str, hint: str = "", key: str = "") -> None:
        super().__init__(reason)
        self.hint = hint
        self.key = key


class PageImages(Protocol):
    """The images that link previews of pages show.

    Each method returns the permalink of an image and its size if that is known, or `None` if there is no image.
    """

    def of_home(self, title: str) -> tuple[str, Size | None] | None:
        """The image of the home page, given the title of the site."""

    def of_post(self, post: Post) -> tuple[str, Size | None] | None:
        """The image of a post whose front matter sets none."""

    def of_list(self, permalink: str, title: str) -> tuple[str, Size | None] | None:
        """The image of the page of a topic, an author or a tag."""


# -- extension points


Markdown = Callable[["MarkdownIt"], None]
"""Adds rules to the parser. A rule of the renderer passes its HTML to ``env["writer"].trusted(html)``, and returns the
result."""

ConvertSource = Callable[[ToConvert], Converted]
"""Converts a source in a format of its own to Markdown, which is then parsed like any other."""

Check = Callable[[Any], Iterable[Diagnostic]]
"""A rule of ``devlog check``: it gets the `devlog.check.evidence.Evidence` and yields problems."""

Derive = Callable[[Any], Any]
"""Derives data from a site before its pages are planned. It gets a `devlog.deriving.Deriving`. The outline's `derived`
returns the result by its type. If the result has `problems`, they are reported. If it has `notes`, a
`devlog.model.post_note.PostNote` for each post id, they are shown wherever the post is. If it has `starts`, each a
`devlog.model.view.PathRef`, the home page and ``llms.txt`` list them first."""

Plan = Callable[[Outline], Iterable[PlannedFile | Diagnostic]]
"""Yields additional files of the site, and problems that only a plan can find."""

SiteFields = Callable[[Outline], dict[str, Any]]
"""Returns fields of the `devlog.model.view.SiteView`, which all pages show; empty for a site without any. They must not
depend on the text of posts."""

Cover = Callable[[Outline], PageImages | None]
"""Returns the images for link previews of pages; `None` for a site without any."""

Fixes = Callable[[Config, Path], Callable[[Any, Iterable[Diagnostic]], Iterable[Diagnostic]]]
"""Returns a function that adds fixes to problems, for fixes that no rule can make because rules read no files. It gets
the configuration and the site's folder. The returned function gets the `devlog.check.evidence.Evidence` and the
problems, and returns all problems."""

FindGaps = Callable[[Path, Any, datetime], Gaps]
"""Finds what posts do not cover, for ``devlog check --gaps`` and digests. Its arguments are the folder to which
configured paths are relative, the `devlog.check.evidence.Evidence` and the current time."""

Tools = Callable[[], Iterable[Any]]
"""Returns additional tools of the MCP server, each a `devlog.mcp_server.tools.Tool`."""

Aside = Callable[[Sequence[Parsed]], Iterable[str]]
"""Returns the paths of those sources that are not posts or pages of their own, but part of the pages of others."""

Recipe = Callable[[Target, Resources], str | bytes | Output]
"""Renders a file, as a pure function of its target and the resources that the target names. If it returns an `Output`,
that may contain problems: they are errors with the code of the function, so nothing is published."""

Deployer = Callable[[Release], Iterator[str | Diagnostic]]
"""Publishes a site, and yields lines about its progress, and problems. Raises DeployError."""


class Plugin(msgspec.Struct, frozen=True):
    """A plugin or a built-in feature of devlog. Every point is optional; all functions are pure, except deployers.

    Points for features only are ignored in plugins.

    Attributes:
        name: the name in messages, and the first part of the codes of its problems: lowercase letters, digits and
            ``-``.
        codes: the codes of the problems that it reports. For features only.
        configuration: checks a table of the configuration. For features only.
        front_matter: the front matter keys that it defines.
        markdown: adds rules to the Markdown parser.
        sources: functions that convert sources to Markdown, by the suffix of their files in lower case, such as
            ``.ipynb``. All files of the content folder with that suffix are posts or pages then, except those beside
            the ``index`` of a folder that is one post, and those of sites with the conventions of another generator.
        fences: shows fences in some languages as something other than code. For features only.
        prose: processes the prose of all posts and pages. For features only.
        markdown_versions: writes Markdown versions. For features only.
        checks: rules of ``devlog check``.
        gaps: finds what posts do not cover, for ``devlog check --gaps`` and digests. For features only.
        fixes: adds fixes for ``devlog check --fix``. For features only.
        asides: returns the sources that are not posts or pages. For features only.
        targets: derives link targets: a part with `targets`, a `devlog.model.derived.LinkTargets`.
        derive: derives a part of `Derived` after links are resolved.
        derives_alike: returns whether `derive` returns the same for two versions of a source that differ only in their
            bodies, given what it returned before; without it, bodies do not matter. For features only.
        external_inputs: the external queries of its derived data. For features only.
        lookup: adds sections to the index of `devlog search`. For features only.
        tools: returns tools of the MCP server. For features only.
        site_search: the search of the published site. For features only.
        pages: plans of pages that belong to the site itself, as lists do: the sitemap contains them.
        plans: plans of additional files.
        page_images: returns the images for link previews. For features only.
        site_fields: returns fields of the view of the site. For features only.
        recipes: recipes that render files, by name.
        filters: template filters, by name.
        deployers: deployers, by name.
    """

    name: str
    codes: Codes = Codes()
    configuration: TableCheck | None = None
    front_matter: FrontMatterKeys | None = None
    markdown: Markdown | None = None
    sources: Mapping[str, ConvertSource] = {}
    fences: Fences | None = None
    prose: Prose | None = None
    markdown_versions: MarkdownVersions | None = None
    checks: tuple[Check, ...] = ()
    gaps: FindGaps | None = None
    fixes: Fixes | None = None
    asides: Aside | None = None
    targets: Derive | None = None
    derive: Derive | None = None
    derives_alike: Callable[[Parsed, Parsed, Derived], bool] | None = None
    external_inputs: ExternalInputs | None = None
    lookup: Lookup | None = None
    tools: Tools | None = None
    site_search: SiteSearch | None = None
    pages: tuple[Plan, ...] = ()
    plans: tuple[Plan, ...] = ()
    page_images: Cover | None = None
    site_fields: SiteFields | None = None
    recipes: Mapping[str, Recipe] = {}
    filters: Mapping[str, Callable[..., Any]] = {}
    deployers: Mapping[str, Deployer] = {}


def problem(
    span: Span, message: str, hint: str = "", severity: Severity = "warning", fix: Fix | None = None
) -> Diagnostic:
    """A problem that a function of a plugin has found. devlog sets its code, from the name of the function.

    Args:
        span: where the problem is.
        message: one sentence without a period.
        hint: what to do; empty if the advice could be wrong.
        severity: the default severity, which the configuration can change.
        fix: what ``devlog check --fix`` does: edits of the file of `span`, or another name for it in the same folder.
    """
    return Diagnostic("", severity, message, span, hint, fix=fix)


def code_of(plugin: Plugin, function: Callable[..., Any]) -> str:
    """The code of the problems that a function of a plugin finds, such as ``lumen.needs-summary``."""
    return f"{plugin.name}.{function.__name__.strip('_').replace('_', '-')}"


def codes(plugins: Iterable[Plugin]) -> dict[str, Callable[..., Any]]:
    """The codes of all problems that plugins can find, and the function that finds each."""
    return {
        code_of(plugin, function): function
        for plugin in plugins
        for function in (*_converters_and_recipes(plugin), *_finders(plugin))
    }


def _converters_and_recipes(plugin: Plugin) -> tuple[Callable[..., Any], ...]:
    """The functions of a plugin that may find problems besides what they make, if they have names."""
    return tuple(filter(_has_name, (*plugin.sources.values(), *plugin.recipes.values())))


def _finders(plugin: Plugin) -> tuple[Callable[..., Any], ...]:
    """The functions of a plugin for which each has a name, and a code, of its own."""
    read = plugin.front_matter and plugin.front_matter.read
    return (
        *plugin.checks,
        *plugin.pages,
        *plugin.plans,
        *(one for one in (read, plugin.targets, plugin.derive) if one),
    )


# -- validation of values that plugins return


def misfit(value: Any, kind: Any) -> str:
    """Why a value that a plugin returned does not match a type. Structs do not check their fields when constructed.

    Args:
        value: the value of a plugin.
        kind: the type, as in annotations.

    Returns:
        Empty if the value and everything in it match the declared types, and can be stored: a string with a lone
        surrogate, for example, cannot.
    """
    try:
        msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=kind)
    except Exception as error:  # of any type: the value may run code of the plugin
        return said(error)
    return ""


def misfit_problem(given: Any) -> str:
    """Why a value that a function of a plugin returned is not a problem that can be reported; empty if it is one."""
    if not isinstance(given, Diagnostic):
        return f"it returned a {type(given).__name__} instead of a problem"
    reason = misfit(given, Diagnostic) or (_misfit_fix(given.fix, given.span.path) if given.fix else "")
    return f"a problem that it returned is malformed: {reason}" if reason else ""


def misfit_problems(found: Iterable[Any], function: Callable[..., Any]) -> str:
    """Why the problems that a converter or a recipe returned cannot be reported; empty if they can."""
    found = tuple(found)
    if found and not _has_name(function):
        return "it has no name, from which its problems would get their code"
    return next(filter(None, map(misfit_problem, found)), "")


_CONTROL = re.compile(r"[\0-\x1f\x7f\\]")
_LONGEST_NAME = 255
"""The number of bytes that the name of a file may have in common file systems."""


def _misfit_fix(fix: Fix, path: str) -> str:
    """Why a fix cannot be one of a problem in a file; empty if it can.

    What it replaces is compared with the file only when it is applied: a rule may not know the file's exact text.
    """
    if other := next((edit.span.path for edit in fix.edits if edit.span.path != path), None):
        return f"its fix edits “{other}”, and the problem is in “{path}”"
    folder, _, name = fix.rename.rpartition("/")
    if not fix.rename:
        return ""
    if folder != path.rpartition("/")[0] or name in ("", ".", ".."):
        return f"its fix gives “{path}” the name “{fix.rename}”, which is not in the same folder"
    is_long = len(name.encode()) > _LONGEST_NAME
    return "its fix has a name that no file can have" if is_long or _CONTROL.search(name) else ""


# -- built-in features


class Late:
    """A function of a feature that is imported when it is called, because most builds need few of them.

    Attributes:
        __name__: the name of the function.
    """

    def __init__(self, reference: str) -> None:
        """
        Args:
            reference: the function, as ``package.module:name``.
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
    """The plugins of devlog's features whose folders exist, sorted by name."""
    folder = Path(__file__).with_name("features")
    names = sorted(path.parent.name for path in folder.glob("*/plugin.py"))
    return tuple(importlib.import_module(f"devlog.features.{name}.plugin").PLUGIN for name in names)


@cache
def codes_of_builds() -> frozenset[str]:
    """The codes of all problems that builds and other commands report."""
    return CODES.union(*(plugin.codes.of_builds.split() for plugin in features()))


@cache
def codes_of_checks() -> frozenset[str]:
    """The codes of all problems that only `devlog check` reports, except those of plugins."""
    return RULES.union(*(plugin.codes.of_checks.split() for plugin in features()))


@cache
def known_codes() -> frozenset[str]:
    """The codes of all problems, except those of plugins."""
    return codes_of_builds() | codes_of_checks()


@cache
def forgivable_codes() -> frozenset[str]:
    """The codes of errors of builds whose severity the configuration may lower."""
    return FORGIVABLE.union(*(plugin.codes.forgivable.split() for plugin in features()))


@cache
def markdown_versions() -> MarkdownVersions | None:
    """The functions that write Markdown versions; `None` if the folder of their feature is missing."""
    return next((plugin.markdown_versions for plugin in features() if plugin.markdown_versions), None)


def has_markdown_versions(config: Config) -> bool:
    """Whether the pages of a site have Markdown versions."""
    return config.llms.markdown and markdown_versions() is not None


def as_markdown(target: Target, resources: Resources) -> bytes:
    """A page as Markdown; empty if no feature writes Markdown versions."""
    versions = markdown_versions()
    made = versions.page(target, resources) if versions else b""
    assert isinstance(made, bytes)
    return made


@cache
def fences() -> dict[str, Callable[..., str | None]]:
    """The functions that show fences as something other than code, by language."""
    known = [plugin.fences for plugin in features() if plugin.fences]
    return {language: fence.write for fence in known for language in fence.languages.split()}


@cache
def site_search() -> SiteSearch | None:
    """The search of the published site; `None` if the folder of its feature is missing."""
    return next((plugin.site_search for plugin in features() if plugin.site_search), None)


@cache
def gap_finder() -> FindGaps | None:
    """The function that finds what posts do not cover; `None` if the folder of its feature is missing."""
    return next((plugin.gaps for plugin in features() if plugin.gaps), None)


def source_formats(plugins: Iterable[Plugin] = ()) -> dict[str, ConvertSource]:
    """The functions that convert sources to Markdown, by suffix; those of plugins replace those of features."""
    return {suffix: read for plugin in (*features(), *plugins) for suffix, read in plugin.sources.items()}


def prose_in(config: Config) -> tuple[Prose, ...]:
    """The features that process the prose of a site with this configuration."""
    known = (plugin.prose for plugin in features())
    return tuple(prose for prose in known if prose and prose.settings(config) is not None)


def prose_of(settings: Iterable[tuple[str, Any]]) -> list[tuple[Prose, Any]]:
    """The features that process prose, with their settings, given the settings by the names of the features."""
    known = {plugin.name: plugin.prose for plugin in features() if plugin.prose}
    return [(known[name], value) for name, value in settings]


def lookups_of(parsed: Parsed) -> tuple[Lookup, ...]:
    """The features that add sections of a post to the search index; none if its front matter has no feature's keys."""
    return tuple(plugin.lookup for plugin in features() if plugin.lookup) if parsed.front_matter.parts else ()


# -- loading


def faults() -> tuple[type[BaseException], ...]:
    """The exceptions of a plugin's code that are reported as its faults.

    Call it in an ``except`` clause: by then, what the plugin has raised is imported. Canceled work is no `Exception` in
    asyncio, which is large, and which nothing else in a build needs.
    """
    asyncio = sys.modules.get("asyncio.exceptions")
    return (Exception, SystemExit, *((asyncio.CancelledError,) if asyncio else ()))


class PluginError(Exception):
    """A plugin cannot be loaded; the message says why."""

    def __init__(self, ref: PluginRef, reason: str, line: int = 0) -> None:
        super().__init__(f"the plugin “{ref.name}” cannot be used: {reason}")
        self.ref = ref
        self.reason = reason
        self.span = _span(ref, line)


def load(refs: Sequence[PluginRef]) -> tuple[Plugin, ...]:
    """Load plugins, one for each reference. Raises PluginError."""
    for name in map(_module_name, refs):
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
            _versions.pop(_module_name(ref), None)
            sys.modules.pop(_module_name(ref), None)  # some libraries inspect all modules, and this one may raise
        raise


def _loaded(ref: PluginRef) -> Plugin:
    try:
        found: Any = _module(ref)
    except SyntaxError as error:
        line = error.lineno or 0 if error.filename == ref.module else blame(ref, error)
        raise PluginError(ref, f"{error.msg}", line) from error
    except faults() as error:  # the plugin's own code runs here
        raise PluginError(ref, said(error), blame(ref, error)) from error
    try:
        for part in ref.attribute.split("."):
            found = getattr(found, part, None)
        wrong = next(_misfits(found, ref.attribute), "")
    except faults() as error:  # reading attributes may run the plugin's code, too
        raise PluginError(ref, said(error), blame(ref, error)) from error
    if wrong:
        raise PluginError(ref, wrong)
    plugin: Plugin = found
    return plugin


def _module(ref: PluginRef) -> Any:
    if not ref.text:
        return importlib.import_module(ref.module)
    name = _module_name(ref)  # changed code is a different module
    spec = spec_from_loader(name, _Given(name, ref), origin=ref.module)
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


class _Given(SourceFileLoader):
    """Loads a module from a text that was already read."""

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
        if getattr(plugin, point) is not None and not _has_name(getattr(plugin, point)):
            yield f"“{point}” must be a function that has a name"
    for point in ("checks", "pages", "plans"):
        functions = getattr(plugin, point)
        if not isinstance(functions, tuple | list) or not all(_has_name(function) for function in functions):
            yield f"“{point}” must be a tuple of functions that have a name"
    if len({code_of(plugin, function) for function in _finders(plugin)}) < len(_finders(plugin)):
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
    if not _has_name(keys.read):
        yield "must “read” with a function that has a name"
    both = [function for function in (keys.rewrites, keys.rewrite) if function is not None]
    if len(both) == 1 or not all(map(callable, both)):
        yield "needs functions for both “rewrites” and “rewrite”, or for neither"
    if keys.schemas is not None and not callable(keys.schemas):
        yield "has “schemas” that is no function"


def _has_name(function: Any) -> bool:
    return callable(function) and str(getattr(function, "__name__", "")).isidentifier()


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


# -- faults of plugins


def said(error: BaseException) -> str:
    """The type and message of an exception, in one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # the plugin may define its own exception type, whose `__str__` may raise
        text = ""
    return without_surrogates(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def blame(ref: PluginRef, error: BaseException) -> int:
    """The line of a plugin's file in the innermost frame of an exception that is in the file; 0 if none is."""
    frames = [frame for frame in _frames(error.__traceback__) if ref.text and frame[0] == _module_name(ref)]
    return frames[-1][1] if frames else 0


def blamed(refs: Sequence[PluginRef], error: BaseException) -> PluginRef | None:
    """The plugin whose code an exception passed through, the innermost one; `None` if it was none of them."""
    tops = {_module_name(ref): ref for ref in refs}
    for name, _ in reversed(list(_frames(error.__traceback__))):
        found = tops.get(name) or tops.get(name.partition(".")[0])
        if found:
            return found
    return None


def fault(
    ref: PluginRef, what: str, error: BaseException | str, function: Callable[..., Any] | None = None
) -> Diagnostic:
    """The problem about a function of a plugin that has failed.

    Args:
        ref: the plugin.
        what: the function, such as ``the rule “lumen.needs-summary”``.
        error: the exception that it raised, or why its result is invalid.
        function: the function itself. On its first line are reported: an invalid result, and an exception that devlog's
            own code raised on it, such as for a result that is no list.
    """
    if isinstance(error, str):
        return problems.plugin_failed(_span(ref, _first_line(ref, function)), what, error)
    line = blame(ref, error) or _first_line(ref, function)
    return problems.plugin_failed(_span(ref, line), what, said(error))


class FaultError(Exception):
    """A function of a plugin has failed in the middle of devlog's own work.

    Attributes:
        problem: the problem to report.
    """

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(problem.message)
        self.problem = problem


def _first_line(ref: PluginRef, function: Callable[..., Any] | None) -> int:
    """The line of a plugin's file on which a function begins; 0 if it is from elsewhere."""
    code = getattr(function, "__code__", None)
    is_own = ref.text and getattr(function, "__module__", "") == _module_name(ref)
    return code.co_firstlineno if is_own and isinstance(code, CodeType) else 0


def _span(ref: PluginRef, line: int = 0) -> Span:
    return Span(ref.name, line) if ref.text else Span(f"the plugin “{ref.name}”")


def _frames(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    """The module and the line of each frame, outermost first."""
    while trace is not None:
        yield str(trace.tb_frame.f_globals.get("__name__", "")), trace.tb_lineno
        trace = trace.tb_next
