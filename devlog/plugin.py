"""The plugin interface: a frozen value with eleven extension points, for plugins and built-in features alike."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from devlog.config import Config
from devlog.model.converted import Converted, ToConvert
from devlog.model.derived import Answers, Derived
from devlog.model.diagnostic import Diagnostic, Fix, Severity, Span
from devlog.model.document import Body, Parsed
from devlog.model.gaps import Gaps
from devlog.model.site import Post, Site
from devlog.model.source import Size
from devlog.model.target import Output, Resources, Target
from devlog.model.theme import Theme

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
