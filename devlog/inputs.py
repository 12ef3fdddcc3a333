"""Everything that a build reads, in one value."""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from devlog import problems
from devlog.assemble.authors import AuthorEntries
from devlog.assemble.layout import collections_of
from devlog.assemble.site import Assembled, ConfiguredSpans, SiteFiles, Visibility, assemble, needs_git_date
from devlog.check import leaks
from devlog.config import DEPLOYERS, RECORDS, AuthorEntry, Config, is_of_plugin
from devlog.config_file import problems as config_problems
from devlog.config_file.read import read_config
from devlog.config_file.spans import key_span, nearest_span, spans_of
from devlog.disk import problems as disk_problems
from devlog.disk.catalog import FOLDER as CATALOGS
from devlog.disk.checkout_folder import Refusal, checkout_folder
from devlog.disk.folder import is_there
from devlog.disk.git_dates import FileDates, dates_added, dates_changed
from devlog.disk.ignore import Rules, compile_ignore
from devlog.disk.included import with_included
from devlog.disk.manifest import Owner, owner_of
from devlog.disk.plugins import astray, installed, local
from devlog.disk.read import (
    TEXT_SUFFIXES,
    Tree,
    open_regular,
    read_bytes,
    read_content,
    read_mount,
    read_source,
    read_static,
    read_text,
)
from devlog.disk.site_folder import CONFIGURATIONS, folder_in_checkout
from devlog.disk.stat_cache import StatCache
from devlog.disk.theme import OVERRIDES, LoadedTheme, load_theme
from devlog.engine.work import time_limit
from devlog.model.check_facts import CheckFacts
from devlog.model.diagnostic import Diagnostic, Severity, Span
from devlog.model.dialect import APART, APART_STATIC
from devlog.model.digest import digest_bytes
from devlog.model.document import Body, Parsed
from devlog.model.git_dates import GitDates, GitFailure
from devlog.model.recent import RecentFiles
from devlog.model.secrets import masked, masked_alike
from devlog.model.shortcode import CustomShortcode
from devlog.model.source import Source, SourceFile
from devlog.model.target import Copy
from devlog.model.theme import PluginRef, Theme
from devlog.model.theme_settings import Setting
from devlog.out_of_time import OutOfTimeError
from devlog.parse.options import ParseOptions
from devlog.parse.words import words_of
from devlog.plugin import Plugin
from devlog.plugins.codes import codes
from devlog.plugins.features import (
    codes_of_builds,
    features,
    forgivable_codes,
    known_codes,
    markdown_versions,
    site_search,
    source_formats,
)
from devlog.plugins.loading import PluginError, clash, load

REGISTRY = "authors.yml"
_MOST_DIGESTED = 64 << 20
NAMING = ("content", "home.image", "home.pinned", "custom_css", "custom_js", "analytics.url")
"""The keys of the configuration that name files of the site, which are resolved when the site is known."""


class FileLocation(NamedTuple):
    """The location of a file: a folder, the path of the file below it, and whether symbolic links are followed."""

    root: Path
    file: str
    follow: bool


class Inputs(msgspec.Struct, frozen=True):
    """All inputs of a build.

    Attributes:
        config: the configuration, with the values that the command line replaces.
        config_file: the name of the configuration file, or the name that it would have.
        config_digest: the digest of that file, because problems refer to its lines; empty if there is none.
        own_url: the configured base URL, which links in posts may contain.
        content: the sources and other files of the content folder.
        static: the files of the static folder.
        loaded: the theme.
        author_entries: the authors, by handle: from the authors file and the configuration.
        authors_file: the name of the authors file, or the name that it would have.
        redirect_spans: the span of each redirect in the configuration, by path.
        avatar_spans: where the avatar of each author is set, by handle.
        named_spans: where the configuration sets the keys that name files of the site, by dotted name.
        named: the digest of each file that only the configuration names; why it cannot be read, for one that cannot.
        programs: the identity of each file that commands name, see `identity_of`.
        diagnostics: problems with any of these.
    """

    config: Config
    config_file: str
    config_digest: str
    own_url: str
    content: Tree
    static: Tree
    loaded: LoadedTheme
    author_entries: dict[str, AuthorEntry]
    authors_file: str
    redirect_spans: dict[str, Span]
    avatar_spans: dict[str, Span]
    named_spans: dict[str, Span]
    named: dict[str, str]
    programs: dict[str, str]
    shortcodes: tuple[CustomShortcode, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def is_unread(self) -> bool:
        """Whether the configuration could not be read: another one stands for it, the default or an earlier one."""
        return any(map(_is_unread, self.diagnostics))

    @property
    def tells_files(self) -> bool:
        """Whether they tell which files are sources, and how to parse these. The configuration and plugins do that."""
        return not (self.is_unread or any(item.code == "bad-plugin" for item in self.diagnostics))

    def folders(self, root: Path) -> list[str]:
        """The folders that the output folder must not overlap.

        The content folder is not among them if it is the site's own folder, since the output folder is inside it then.
        """
        own = [self.config.content, self.config.static] if self.config.content_prefix else [self.config.static]
        return [
            *own,
            *self.config.mounts.values(),
            *(str(folder) for folder in self.loaded.folders if folder.is_relative_to(root)),
        ]

    def owner(self, root: Path, output: str) -> Owner:
        """The identity of the site at `root`, as the owner of an output folder."""
        config = self.config
        return owner_of(root, output, config.public_url, config.title)

    def without_search(self) -> Inputs:
        """The same inputs without the site search."""
        return msgspec.structs.replace(self, config=self.config.without_search())

    def checkout(self, repository: Path) -> Path | Refusal | None:
        """The checkout of the source that the configuration names, or why it is not to be read; `None` without one.

        Args:
            repository: the folder that the configured checkout is relative to.
        """
        configured = self.config.source_checkout
        return checkout_folder(repository, configured) if configured else None

    def included_checkout(self, repository: Path) -> Path | Refusal | None:
        """The same, but also `None` if no source includes anything: git may have to say whether it is to be read."""
        return self.checkout(repository) if any(source.included for source in self.content.sources) else None

    def with_included(self, repository: Path) -> Inputs:
        """The same inputs with the files that sources include, which parsing needs.

        Args:
            repository: the folder that the configured checkout is relative to.
        """
        content = with_included(self.content, self.included_checkout(repository))
        return self if content is self.content else msgspec.structs.replace(self, content=content)

    def parse(self, source: Source) -> tuple[Parsed, Body, CheckFacts] | Diagnostic:
        """Parse one source in this process, or why that takes too long: it may be somebody else's."""
        from devlog.engine.executors import SECONDS  # a search needs neither this nor the Markdown parser
        from devlog.parse.parse import parse

        try:
            with time_limit(SECONDS):
                return parse(source, self.parse_options())
        except OutOfTimeError as error:
            return problems.too_slow(Span(source.file, error.line), SECONDS)

    def parse_options(self) -> ParseOptions:
        """The options of parsing: everything in the configuration and the theme that parsing depends on."""
        config = self.config
        return ParseOptions(
            html=config.html,
            own_url=self.own_url if "://" in self.own_url else "",
            emoji=config.markdown.emoji,
            autolink=config.markdown.autolink,
            excerpt_words=config.excerpt.words,
            placeholders=config.check.placeholders,
            patterns=leaks.patterns(config),
            anchors=config.markdown.anchors,
            params=msgspec.json.encode(config.params, order="deterministic").decode(),
            dialect=config.dialect,
            variables=_variables(config, self.own_url) if config.conventions.liquid else (),
            tags_also=config.tags.also,
            math=config.markdown.math,
            extensions=config.markdown.extensions,
            shortcodes=self.shortcodes,
            language=config.language if config.markdown.typographer else "",
            diagrams=tuple(config.diagrams),
            prose=_prose(config),
            plugins=tuple(
                ref for ref, plugin in self.plugins if plugin.markdown or plugin.front_matter or plugin.sources
            ),
            markdown_versions=(config.llms.enabled or config.llms.markdown) and markdown_versions() is not None,
            letters=bool(config.brand.fonts.files),
            words=words_of(self.loaded.theme.catalog),
        )

    @property
    def only_shown(self) -> frozenset[str]:
        """The files that are not published because browsers would run them, but that posts include."""
        sources = [source for source in self.content.sources if source.included]
        return frozenset(item.file for source in sources for item in source.included if item.is_active)

    @property
    def plugins(self) -> tuple[tuple[PluginRef, Plugin], ...]:
        """The plugins of the site, with their references."""
        refs = self.loaded.theme.plugins
        return tuple(zip(refs, load(refs), strict=True))

    def assemble(self, parsed: Sequence[Parsed], git_dates: GitDates, visibility: Visibility) -> Assembled:
        """Assemble the site from its parsed sources and its other inputs."""
        asides = {path for plugin in features() if plugin.asides for path in plugin.asides(parsed)}
        parsed = [item for item in parsed if item.path not in asides] if asides else parsed
        assembled = assemble(
            self.config,
            SiteFiles(parsed, self.content.assets, self.static.assets),
            git_dates,
            visibility,
            AuthorEntries(self.author_entries, self.avatar_spans),
            ConfiguredSpans(self.redirect_spans, self.named_spans),
        )
        return assembled.without_refusals(self.only_shown) if self.only_shown else assembled

    def location_of(self, root: Path, copy: Copy) -> FileLocation:
        """The location of the file that a planned copy copies."""
        if copy.folder == "theme":
            return FileLocation(self.loaded.roots[copy.file], f"static/{copy.file}", follow=True)
        return FileLocation(root, copy.file, follow=False)

    def read_contained(self, root: Path, file: str, name: str) -> bytes | Diagnostic:
        """The bytes of a file that a source of the site contains, or why they cannot be read.

        Args:
            root: the site's folder.
            file: the source.
            name: the name of the file in it.
        """
        files = self.contained(root, file)
        if isinstance(files, Diagnostic):
            return files
        return files[name] if name in files else disk_problems.changed_while_building(file)

    def contained(self, root: Path, file: str) -> Mapping[str, bytes] | Diagnostic:
        """The files that a source of the site contains, by name, or why they cannot be read. Those of the last sources
        that were asked for are remembered, even if the sources have changed since.

        Args:
            root: the site's folder.
            file: the source.
        """
        source = next((source for source in self.content.sources if source.file == file), None)
        try:
            if source is None:
                return {}
            options = self.parse_options()
            return _CONTAINED.get((root, source, options), lambda: _contained_files(root, source, options))
        except _UnreadError as error:
            return error.problem

    def converted(self, files: Iterable[str]) -> frozenset[str]:
        """Of some files, the sources in other formats than Markdown and HTML, which devlog never edits."""
        others = {file for file in files if not file.lower().endswith(TEXT_SUFFIXES)}
        return frozenset(source.file for source in self.content.sources if source.file in others) if others else _NONE

    def with_lines(self, root: Path, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Diagnostics with the source lines that they point at, for display, and without fixes that cannot be made.

        Secrets are masked in these lines, and so are lines of private keys in messages and hints that quote them.
        Messages of plugins are masked here; others are from the start.
        """
        found = tuple(diagnostics)
        wanted: dict[str, set[int]] = {}
        for span in (item.span for item in found if item.span.line):
            wanted.setdefault(span.path, set()).add(span.line)
        lines = {path: _lines(root, path, numbers) for path, numbers in wanted.items()}
        converted = self.converted(item.span.path for item in found if item.fix and item.fix.edits)
        done = []
        for item in found:
            is_unknown = item.code == "leaks.token" and not item.span.column  # the line may spell it otherwise
            line, shown = lines.get(item.span.path, _NO_LINES).get(item.span.line, ("", ""))
            fix = None if item.fix and item.fix.edits and item.span.path in converted else item.fix
            message, hint = (masked(masked_alike(said, line, shown)) for said in (item.message, item.hint))
            text = "" if is_unknown else shown
            done.append(msgspec.structs.replace(item, message=message, hint=hint, line_text=text, fix=fix))
        return tuple(done)


def _lines(root: Path, path: str, numbers: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Some lines of a file by number, as they are and with the file's secrets masked; nothing if it cannot be read."""
    read = read_text(root, path)
    text = "" if isinstance(read, Diagnostic) else read
    lines = list(zip(text.split("\n"), masked(text).split("\n"), strict=True))
    return {number: lines[number - 1] for number in numbers if 0 < number <= len(lines)}


_NO_LINES: Mapping[int, tuple[str, str]] = {}
_NONE: frozenset[str] = frozenset()


class _UnreadError(Exception):
    """A source cannot be read any more."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(problem.message)
        self.problem = problem


_CONTAINED = RecentFiles(64 << 20)
"""The files in the last sources, since each file alone takes as long as the conversion of its source. Many may be asked
for in turn, such as those of the notebooks that a page shows. The digest of a source is part of its key."""


def _contained_files(root: Path, source: SourceFile, options: ParseOptions) -> Mapping[str, bytes]:
    """The files that a source contains, by name.

    Raises:
        _UnreadError: if the source cannot be read any more.
    """
    from devlog.parse.convert import contained_files  # only sites with such sources need it

    read = read_source(root, source)
    if isinstance(read, Diagnostic):
        raise _UnreadError(read)
    return contained_files(read, options)


def read_inputs(
    root: Path,
    base_url: str,
    stat_cache: StatCache,
    origin: str = "",
    configuration: str = "",
    repository: Path | None = None,
) -> Inputs:
    """Read the configuration, content, static files, theme and authors file.

    Args:
        root: the site's folder.
        base_url: replaces the configured base URL unless empty.
        stat_cache: the stat cache, which is updated with new file stats.
        origin: replaces the scheme and host of the base URL, but not its path, unless empty.
        configuration: the text of a ``devlog.toml`` to try instead of the site's configuration; empty to use that.
        repository: the folder of the site in its git checkout, of which `root` may be a copy; `None` for `root`.
    """
    config_file = CONFIGURATIONS[0] if configuration else configuration_file(root)
    config, diagnostics, span_of = _read_config(root, config_file, configuration)
    own_url = config.base_url
    if base_url:
        config = msgspec.structs.replace(config, base_url=base_url.rstrip("/") + "/")
    if origin:
        config = msgspec.structs.replace(config, base_url=origin + config.base_path)
    if not config.source_folder:
        config = msgspec.structs.replace(config, source_folder=folder_in_checkout(repository or root))
    plugins, unloaded = read_plugins(root, config, span_of)
    content = _read_content(root, config, load(plugins), span_of("ignore"), stat_cache)
    content = _with_setting(content, config, span_of("content"))
    static = read_static(root, config.static, config.ignore_static, span_of("ignore_static"), stat_cache)
    folder = config.in_theme_folder()
    loaded = load_theme(root, config.theme, span_of("theme"), folder=folder, language=config.language)
    theme = msgspec.structs.replace(loaded.theme, plugins=plugins)
    shortcodes, misdefined = _read_shortcodes(loaded) if loaded.shortcodes else ((), ())
    loaded = msgspec.structs.replace(loaded, theme=theme, diagnostics=(*loaded.diagnostics, *unloaded, *misdefined))
    wrong_settings = _check_settings(config, loaded, span_of)
    wrong_settings += _check_folders(root, config, span_of)
    config, without = _searchable(config, theme, span_of)
    author_entries: dict[str, AuthorEntry] = {}
    pictures: dict[str, Span] = {}
    wrong: tuple[Diagnostic, ...] = ()
    usual, file = config.in_content(REGISTRY), config.in_content(config.conventions.authors_file)
    if file != usual and is_there(root / file):
        author_entries, pictures, wrong = _read_authors_file(root, file)
    elif any(asset.path == REGISTRY for asset in content.assets):
        file = usual
        author_entries, pictures, wrong = _read_authors_file(root, file)
        content = _without_registry(content)
    return Inputs(
        config=config,
        config_file=config_file,
        config_digest=digest_bytes(configuration.encode()) if configuration else digest_of(root, config_file),
        own_url=own_url,
        content=content,
        static=static,
        loaded=loaded,
        author_entries={**author_entries, **config.authors},
        authors_file=file,
        redirect_spans={path: span_of("redirects", path) for path in config.redirects},
        avatar_spans={**pictures, **_pictures_of(config, span_of)},
        named_spans={key: span_of(*key.split(".")) for key in NAMING},
        named={file: _digest_or_reason(root, file) for file in config.files},
        programs={file: identity_of(root, file) for file in config.programs},
        shortcodes=shortcodes,
        diagnostics=(
            *diagnostics,
            *content.diagnostics,
            *static.diagnostics,
            *loaded.diagnostics,
            *wrong_settings,
            *wrong,
            *without,
        ),
    )


def read_as_last(root: Path, inputs: Inputs, last: Inputs, stat_cache: StatCache) -> Inputs:
    """New inputs that do not tell which files are sources, with the files of the site as earlier inputs tell them.

    If the configuration is unread, everything else is that of the earlier inputs, too.

    Args:
        root: the site's folder.
        inputs: the new inputs.
        last: the earlier ones, which did.
        stat_cache: the stat cache, which is updated with new file stats.
    """
    known = last if inputs.is_unread else inputs
    config, plugins = known.config, (plugin for _, plugin in last.plugins)
    content = _read_content(root, config, plugins, Span(inputs.config_file), stat_cache)
    content = _with_setting(content, config, known.named_spans["content"])
    if known.authors_file == config.in_content(REGISTRY):
        content = _without_registry(content)
    static = inputs.static
    if inputs.is_unread:
        static = read_static(root, config.static, config.ignore_static, Span(inputs.config_file), stat_cache)
    gone = frozenset((*inputs.content.diagnostics, *inputs.static.diagnostics))
    others = (item for item in inputs.diagnostics if _is_unread(item) or not (inputs.is_unread or item in gone))
    return msgspec.structs.replace(
        known,
        config_file=inputs.config_file,
        config_digest=inputs.config_digest,
        content=content,
        static=static,
        diagnostics=(*others, *content.diagnostics, *static.diagnostics),
    )


def _read_content(root: Path, config: Config, plugins: Iterable[Plugin], ignore: Span, stat_cache: StatCache) -> Tree:
    """The files of the content folder and of the mounted folders."""
    rules = content_rules(config, plugins)
    content = read_content(root, config.content, config.ignore, ignore, stat_cache, rules)
    return _with_mounts(root, config, content, stat_cache, rules.formats)


def _with_setting(content: Tree, config: Config, setting: Span) -> Tree:
    """The content, with the line of the configuration that names its folder, if there is none and it is not the usual.

    Args:
        content: the content.
        config: the configuration.
        setting: where that sets the folder; without a column, if it does not.
    """
    if not setting.column:
        return content
    found = tuple(
        msgspec.structs.replace(item, hint=f"it is “content” in line {setting.line} of {setting.path}")
        if item.code == "missing-folder" and item.span.path == config.content
        else item
        for item in content.diagnostics
    )
    return msgspec.structs.replace(content, diagnostics=found)


def _without_registry(content: Tree) -> Tree:
    """The files of the content folder without the authors file."""
    return msgspec.structs.replace(content, assets=tuple(item for item in content.assets if item.path != REGISTRY))


_OF_THEME = (OVERRIDES, CATALOGS, "themes", "node_modules")
"""What a `theme_folder` may contain."""


def _check_folders(root: Path, config: Config, span_of: Callable[..., Span]) -> Iterator[Diagnostic]:
    """Problems of folders that may be missing unless the configuration names them: with a misspelled name, devlog would
    leave out what is in them without a word. Those that wait for files (see `adopt`) may be missing, too.
    """
    folder, static = config.in_theme_folder(), config.static
    span = span_of("theme_folder")
    if not folder.startswith(APART):
        if not is_there(root / folder, folder=True):
            yield problems.missing_theme_folder(span, folder)
        elif folder != "." and not any(is_there(root / folder / name, folder=True) for name in _OF_THEME):
            yield problems.empty_theme_folder(span, folder)
    is_usual = static == Config().static or static.startswith(APART_STATIC)
    if not (is_usual or is_there(root / static, folder=True)):
        yield problems.missing_static_folder(span_of("static"), static)


_OF_CORE = {"remote_avatars": Setting("boolean")}
"""Settings that devlog itself uses, with any theme."""


def _check_settings(config: Config, loaded: LoadedTheme, span_of: Callable[..., Span]) -> list[Diagnostic]:
    """Problems of ``[settings]``: names that nothing uses, and values that the theme does not accept."""
    known = {**_OF_CORE, **loaded.settings}
    wrong = []
    for name, value in config.settings.items():
        setting = known.get(name)
        span = span_of("settings", name)
        if setting is None:
            if loaded.theme.is_incomplete:  # what is missing may use it
                continue
            uses = re.compile(rf"\bsettings(?:\.{re.escape(name)}\b|\[[\"']{re.escape(name)}[\"']\])")
            if not any(uses.search(template.text) for template in loaded.theme.templates):
                wrong.append(problems.unknown_setting(span, name, known))
        elif not setting.accepts(value):
            wrong.append(problems.bad_setting(span, name, value, setting.expected))
    return wrong


def _with_mounts(root: Path, config: Config, content: Tree, stat_cache: StatCache, formats: tuple[str, ...]) -> Tree:
    """The files of the content folder and of the mounted folders. Of two with one path, the first one counts."""
    if not config.mounts:
        return content
    mounts = config.mounts.items()
    ignored, _ = compile_ignore(config.ignore, rules=Rules(readmes=True, formats=formats))
    mounted = [read_mount(root, folder, place, ignored, stat_cache, config.mounted) for place, folder in mounts]
    trees = (content, *mounted)
    first: dict[str, str] = {}
    for path, file in (pair for tree in trees for pair in tree.paths):
        first.setdefault(path, file)
    sources = [source for tree in trees for source in tree.sources if first[source.path] == source.file]
    assets = [asset for tree in trees for asset in tree.assets if first[asset.path] == asset.file]
    hidden = [(path, file) for tree in mounted for path, file in tree.paths if first[path] != file]
    return Tree(
        tuple(sorted(sources, key=lambda source: source.path)),
        tuple(sorted(assets, key=lambda asset: asset.path)),
        (
            *(problem for tree in trees for problem in tree.diagnostics),
            *(problems.mounted_twice(Span(file), path, first[path]) for path, file in hidden),
        ),
    )


def _read_shortcodes(loaded: LoadedTheme) -> tuple[tuple[CustomShortcode, ...], tuple[Diagnostic, ...]]:
    # loads the parser, which a build from the cache never needs
    from devlog.parse.shortcodes.custom_declarations import read_shortcodes

    return read_shortcodes(loaded.shortcodes)


def digest_of(root: Path, file: str) -> str:
    """The digest of a file of the site; empty if it cannot be read, which the code that needs the file reports."""
    read = read_bytes(root, file)
    return "" if isinstance(read, Diagnostic) else digest_bytes(read)


def _digest_or_reason(root: Path, file: str) -> str:
    """The digest of a file of the site, or why it cannot be read: problems say it, so another reason is a change."""
    read = read_bytes(root, file)
    return read.message if isinstance(read, Diagnostic) else digest_bytes(read)


def identity_of(root: Path, file: str) -> str:
    """A string that changes whenever a command may do something else with a file that it names.

    Commands read such files or run them, wherever their paths lead. So the string has the kind of the file, whether it
    may be run, and the digest of its bytes; the size and the modification time of one that is large, as of a large
    program, or that may be run but not read; and the reason why there is none.
    """
    path = Path(root, file)
    try:
        status = path.stat()
    except (OSError, ValueError) as error:  # the latter for a NUL
        return f"none {getattr(error, 'errno', '')}"
    kind = f"{stat.S_IFMT(status.st_mode):o} {'runs' if os.access(path, os.X_OK) else ''}"
    if not stat.S_ISREG(status.st_mode):
        return kind
    dated = f"{kind} {status.st_size} {status.st_mtime_ns}"
    if status.st_size > _MOST_DIGESTED:
        return dated
    try:
        with open_regular(path.parent, path.name, follow=True) as opened:
            return f"{kind} {digest_bytes(opened.read(_MOST_DIGESTED + 1))}"
    except OSError:
        return f"{dated} unread"


def read_plugins(
    root: Path, config: Config, span_of: Callable[..., Span]
) -> tuple[tuple[PluginRef, ...], tuple[Diagnostic, ...]]:
    """The usable plugins of installed packages and of the site, and the problems of the others.

    Args:
        root: the site's folder.
        config: the site's configuration.
        span_of: returns where the configuration sets a key.
    """
    wrong: list[Diagnostic] = []
    good: list[tuple[PluginRef, Span]] = [(ref, Span(f"the plugin “{ref.name}”")) for ref in installed()]
    for index, file in enumerate(config.plugins):
        span = span_of("plugins", str(index))
        ref = local(root, file)
        why = _not_trusted(config, file) or (ref.message if isinstance(ref, Diagnostic) else "")
        if why or isinstance(ref, Diagnostic):
            wrong.append(problems.bad_plugin(span if span.line else span_of("plugins"), file, why))
        else:
            good.append((ref, Span(file)))
    broken = {ref: problem for ref, _ in good if (problem := _unusable(root, ref))}
    wrong += broken.values()
    good = [(ref, span) for ref, span in good if ref not in broken]
    if good:
        refused = dict(clash(load([ref for ref, _ in good]), _own_names()))
        wrong += [problems.bad_plugin(good[index][1], good[index][0].name, why) for index, why in refused.items()]
        good = [item for index, item in enumerate(good) if index not in refused]
    refs = tuple(ref for ref, _ in good)
    if not wrong:  # the codes of a plugin that cannot be used are unknown
        wrong += _unknown_severities(config, load(refs), span_of)
    return refs, tuple(wrong)


def _not_trusted(config: Config, file: str) -> str:
    """Why a file must not be run: it is in a folder that contributors of posts can change. Empty if it may be run."""
    name = posixpath.normpath(file)
    mounts = (f"{folder}/" for folder in config.mounts.values())
    for folder in filter(None, (config.content_prefix, f"{posixpath.normpath(config.static)}/", *mounts)):
        if name.startswith(folder):
            return f"nothing in “{folder}” is ever run"
    return ""


def plugins_of(root: Path) -> tuple[PluginRef, ...]:
    """The usable plugins of a site."""
    config, _, span_of = read_configuration(root)
    return read_plugins(root, config, span_of)[0]


def _unusable(root: Path, ref: PluginRef) -> Diagnostic | None:
    try:
        load([ref])
    except PluginError as error:
        return problems.bad_plugin(error.span, ref.name, error.reason)
    if ref.text and (found := astray(ref)):
        module, place, line = found
        return problems.astray_module(Span(ref.name, line), ref.name, module, _shown(root, place))
    return None


def _shown(root: Path, place: Path) -> str:
    """The name of a file or folder in messages: relative to the site's folder, if it is in that."""
    own = root.resolve()
    return (place.relative_to(own) if place.is_relative_to(own) else place).as_posix()


def _own_names() -> dict[str, frozenset[str]]:
    """The names that no plugin may use, by extension point."""
    from jinja2.filters import FILTERS  # loads the template engine: most sites have no plugins

    from devlog.render import render, templates

    filters = frozenset({*templates.BUILT_IN.filters, *FILTERS})
    recipes = frozenset(name for plugin in (render.BUILT_IN, *features()) for name in plugin.recipes)
    sources = frozenset((*TEXT_SUFFIXES, *source_formats()))
    return {"recipes": recipes, "filters": filters, "deployers": DEPLOYERS, "sources": sources}


def _unknown_severities(
    config: Config, plugins: Iterable[Plugin], span_of: Callable[..., Span]
) -> Iterator[Diagnostic]:
    """Problems about severities of codes that no plugin has.

    They cannot be found when the configuration is read, because plugins are loaded later.
    """
    known = codes(plugins)
    for code in config.severity:
        if is_of_plugin(code) and code not in known:
            span = span_of("severity", code)
            yield config_problems.unknown_config_key(span, f"severity.{code}", sorted(known), code)


def _prose(config: Config) -> tuple[tuple[str, Any], ...]:
    """The settings of the features that read prose, by the name of the feature."""
    found = ((plugin.name, plugin.prose.settings(config)) for plugin in features() if plugin.prose)
    return tuple((name, settings) for name, settings in found if settings)


def _variables(config: Config, own_url: str) -> tuple[tuple[str, str], ...]:
    """The ``site.…`` variables of Jekyll: configured values, and the parameters that are strings or numbers."""
    from devlog.parse.dialects.liquid import flatten  # loads the parser, which a build from the cache never needs

    address = urlsplit(own_url)
    values = {
        **dict(flatten(config.params, "site")),
        "site.title": config.title,
        "site.description": config.description,
        "site.url": f"{address.scheme}://{address.netloc}" if address.netloc else "",
        "site.baseurl": address.path.rstrip("/"),
    }
    return tuple(values.items())


def content_rules(config: Config, plugins: Iterable[Plugin]) -> Rules:
    """Rules for files of the content folder, besides those that the configuration ignores.

    With the conventions of another generator, only files that it reads are sources.
    """
    formats = () if config.conventions.is_foreign else tuple(sorted(source_formats(plugins)))
    apart: tuple[str, ...] = ()
    if not config.content_prefix:
        # Folders with the names of those of a theme are not content either, whatever generator they are for.
        themes = ("themes", OVERRIDES, CATALOGS)
        placed = map(config.in_theme_folder, ("", *themes))
        own = (config.output, config.static, RECORDS, *themes, *placed, *CONFIGURATIONS, *config.plugins)
        apart = tuple(posixpath.normpath(name) for name in own if name != ".")
    return Rules(frozenset(apart), config.conventions.underscored, collections_of(config), formats=formats)


class WantedDates(NamedTuple):
    """The sources of which only the history of the site's repository can tell a date: paths in the content, by file.

    Attributes:
        added: those without a date.
        changed: those whose last change is shown, and that do not say when it was.
    """

    added: dict[str, str]
    changed: dict[str, str]


def wanted_git_dates(config: Config, parsed: Iterable[Parsed]) -> WantedDates:
    """The sources whose dates the history of the repository is asked for; mounted ones may be elsewhere."""
    own = [item for item in parsed if not config.is_mounted(item.file)]
    return WantedDates(
        {item.file: item.path for item in own if needs_git_date(item)},
        {item.file: item.path for item in own if item.front_matter.updated is None} if config.updated_from_git else {},
    )


def ask_git_dates(root: Path, config: Config, wanted: WantedDates) -> GitDates:
    """The dates of sources that only the history of the site's repository can tell."""
    if not any(wanted):
        return GitDates()
    added = dates_added(root, config.content) if wanted.added else None
    changed = dates_changed(root, config.content) if wanted.changed else None
    states = {found.state for found in (added, changed) if found}
    failure = next((item for item in GitFailure if item in states), None)
    state = states.pop() if len(states) == 1 else _MIXED
    return GitDates(_of_paths(wanted.added, added), _of_paths(wanted.changed, changed), state, failure)


_MIXED = "mixed"
"""A state that no repository has: one of two questions failed, or a commit came between them. Both are asked again."""


def _of_paths(paths: Mapping[str, str], found: FileDates | None) -> dict[str, datetime]:
    """Dates by the path of a source instead of its file."""
    return {paths[file]: date for file, date in found.dates.items() if file in paths} if found else {}


def configuration_file(root: Path) -> str:
    """The name of a site's configuration file, or the name that it would have."""
    return next((name for name in CONFIGURATIONS if is_there(root / name, follow=False)), CONFIGURATIONS[0])


def read_configuration(root: Path) -> tuple[Config, tuple[Diagnostic, ...], Callable[..., Span]]:
    """The configuration of a site, its problems, and a function that returns where it sets a key."""
    return _read_config(root, configuration_file(root), "")


def _read_config(root: Path, name: str, given: str) -> tuple[Config, tuple[Diagnostic, ...], Callable[..., Span]]:
    """The configuration, its problems, and a function that returns where it sets a key.

    Args:
        root: the site's folder.
        name: the name of the configuration file.
        given: the text to use instead of the file's; empty to read the file.
    """
    if not given and not is_there(root / name, follow=False):
        return Config(), (), lambda *_path: Span(name)
    text = given or read_text(root, name)
    if isinstance(text, Diagnostic):
        return Config(), (text,), lambda *_path: Span(name)
    config, wrong = read_config(text, name, known_codes())
    config, more = _checked_tables(config, text, name)
    found = tuple(sorted((*wrong, *more), key=lambda item: item.sort_key))
    return config, found, lambda *path: key_span(text, name, *path)


def _checked_tables(config: Config, text: str, name: str) -> tuple[Config, list[Diagnostic]]:
    """Let features check their tables of the configuration."""
    found: list[Diagnostic] = []
    for plugin in features():
        own = plugin.configuration
        if own and getattr(config, own.table) != getattr(_DEFAULTS, own.table):
            config, wrong = own.check(config, lambda *path: nearest_span(spans_of(text), name, path))
            found += wrong
    return config, found


_DEFAULTS = Config()


def _searchable(config: Config, theme: Theme, span_of: Callable[..., Span]) -> tuple[Config, tuple[Diagnostic, ...]]:
    """The configuration, with the search turned off if the site cannot have one, and the reason."""
    if not config.search.enabled:
        return config, ()
    search = site_search()
    is_possible, why_not = search.is_possible(theme, span_of) if search else (False, ())
    return config if is_possible else config.without_search(), why_not


_UNREAD = frozenset({"invalid-config", "not-utf8", "special-file", "symlink", "too-large", "unreadable", "zero-byte"})
"""The codes of configuration files of which nothing can be used: see `read_text`."""


def _is_unread(problem: Diagnostic) -> bool:
    """Whether a problem is that the configuration could not be read."""
    return problem.span.path in CONFIGURATIONS and problem.code in _UNREAD


def _pictures_of(config: Config, span_of: Callable[..., Span]) -> dict[str, Span]:
    """Where the configuration sets the avatars of authors, by handle."""
    keys = {
        handle: "avatar" if entry.avatar else "image_url" if entry.image_url else ""
        for handle, entry in config.authors.items()
    }
    return {handle: span_of("authors", handle, key) for handle, key in keys.items() if key}


def _read_authors_file(root: Path, file: str) -> tuple[dict[str, AuthorEntry], dict[str, Span], tuple[Diagnostic, ...]]:
    # loads the YAML parser: most sites have no authors file
    from devlog.parse.front_matter.authors_file import read_authors_file

    text = read_text(root, file)
    if isinstance(text, Diagnostic):
        return {}, {}, (text,)
    read = read_authors_file(text, file)
    return read.authors, read.pictures, read.diagnostics


def judge(diagnostics: list[Diagnostic], config: Config, *, strict: bool) -> list[Diagnostic]:
    """Diagnostics with the configured severities, without duplicates, sorted.

    Args:
        diagnostics: the diagnostics as found.
        config: the configuration, whose ``severity`` table may change the severity of a code or turn it off. An error
            of a build stays an error, unless its code is forgivable.
        strict: whether to turn warnings into errors.
    """
    judged: dict[tuple[Span, str, str], Diagnostic] = {}
    # The other problems are those of a site with the default configuration, which is not the user's site.
    diagnostics = list(filter(_is_unread, diagnostics)) or diagnostics
    replaced = {diagnostic.span.path for diagnostic in diagnostics if diagnostic.code == "replaced-page"}
    for diagnostic in diagnostics:
        if diagnostic.span.path in replaced and diagnostic.code != "replaced-page" and diagnostic.severity != "error":
            continue  # that page is not published
        severity: Severity | str = config.severity.get(diagnostic.code, diagnostic.severity)
        by_nature = diagnostic.code in codes_of_builds() and diagnostic.code not in forgivable_codes()
        if diagnostic.severity == "error" and by_nature:  # the site cannot be built correctly
            severity = "error"
        if severity == "off":
            continue
        if strict and severity == "warning":
            severity = "error"
        judged.setdefault(diagnostic.sort_key, msgspec.structs.replace(diagnostic, severity=severity))
    return sorted(judged.values(), key=lambda diagnostic: diagnostic.sort_key)
