"""Everything that a build reads, in one value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from devlog.assemble.site import Assembled, Visibility, assemble, needs_git_date
from devlog.config import AuthorEntry, Config, key_span, read_config
from devlog.disk.git import dates_added
from devlog.disk.read import Tree, read_content, read_static, read_text
from devlog.disk.seen import Seen
from devlog.disk.theme import LoadedTheme, load_theme
from devlog.model.diagnostic import Diagnostic, Severity, Span
from devlog.model.document import Parsed
from devlog.model.target import Copy
from devlog.parse.options import ParseOptions

CONFIGURATIONS = ("devlog.toml", "pyproject.toml")
REGISTRY = "authors.yml"


class Place(NamedTuple):
    """Where a file lies: a folder, the file below it, and whether links may be followed on the way."""

    root: Path
    file: str
    follow: bool


class Inputs(msgspec.Struct, frozen=True):
    """What was read.

    Attributes:
        config: with what the command line replaces.
        config_file: the name of the file it stands in, or would.
        own_url: the configured base URL, which posts may write in their links.
        content: texts and files of the content folder.
        static: files of the static folder.
        loaded: the theme.
        registry: what is known of authors, by handle.
        diagnostics: what is wrong with any of it.
    """

    config: Config
    config_file: str
    own_url: str
    content: Tree
    static: Tree
    loaded: LoadedTheme
    registry: dict[str, AuthorEntry]
    diagnostics: tuple[Diagnostic, ...]

    def folders(self, root: Path) -> list[str]:
        """The folders that output must keep away from."""
        own = [self.config.content, self.config.static]
        return [*own, *(str(folder) for folder in self.loaded.folders if folder.is_relative_to(root))]

    def parse_options(self) -> ParseOptions:
        """All of the configuration that parsing depends on."""
        config = self.config
        return ParseOptions(
            html=config.html,
            own_url=self.own_url if "://" in self.own_url else "",
            emoji=config.markdown.emoji,
            autolink=config.markdown.autolink,
            excerpt_words=config.excerpt.words,
        )

    def assemble(
        self, parsed: Sequence[Parsed], git_dates: Mapping[str, datetime], visibility: Visibility
    ) -> Assembled:
        """The site that parsed texts and all else that was read make."""
        return assemble(
            self.config, parsed, self.content.assets, self.static.assets, self.registry, git_dates, visibility
        )

    def place_of(self, root: Path, copy: Copy) -> Place:
        """Where the file of a planned copy lies."""
        if copy.folder == "theme":
            return Place(self.loaded.roots[copy.file], f"static/{copy.file}", follow=True)
        return Place(root, copy.file, follow=False)

    def with_lines(self, root: Path, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Diagnostics with the source lines that they point at, for display."""
        texts: dict[str, str] = {}
        done = []
        for diagnostic in diagnostics:
            span = diagnostic.span
            if span.line and span.path not in texts:
                read = read_text(root, span.path)
                texts[span.path] = "" if isinstance(read, Diagnostic) else read
            lines = texts[span.path].split("\n") if span.line else []
            text = lines[span.line - 1] if 0 < span.line <= len(lines) else ""
            done.append(msgspec.structs.replace(diagnostic, line_text=text))
        return tuple(done)


def read_inputs(root: Path, base_url: str, seen: Seen, origin: str = "") -> Inputs:
    """Read configuration, content, static files, theme and registry of authors.

    Args:
        root: the site's folder.
        base_url: replaces the configured base URL unless empty.
        seen: what is known of files; what is learnt is added to it.
        origin: replaces scheme and host of the base URL unless empty, and leaves its path.
    """
    config_file = next((name for name in CONFIGURATIONS if (root / name).exists()), CONFIGURATIONS[0])
    config, diagnostics, span_of = _read_config(root, config_file)
    own_url = config.base_url
    if base_url:
        config = msgspec.structs.replace(config, base_url=base_url.rstrip("/") + "/")
    if origin:
        config = msgspec.structs.replace(config, base_url=origin + config.base_path)
    content = read_content(root, config.content, config.ignore, span_of("ignore"), seen)
    static = read_static(root, config.static, seen)
    loaded = load_theme(root, config.theme, span_of("theme"))
    registry: dict[str, AuthorEntry] = {}
    wrong: tuple[Diagnostic, ...] = ()
    if any(asset.path == REGISTRY for asset in content.assets):
        registry, wrong = _read_registry(root, f"{config.content}/{REGISTRY}")
        assets = tuple(asset for asset in content.assets if asset.path != REGISTRY)
        content = msgspec.structs.replace(content, assets=assets)
    return Inputs(
        config=config,
        config_file=config_file,
        own_url=own_url,
        content=content,
        static=static,
        loaded=loaded,
        registry={**registry, **config.authors},
        diagnostics=(*diagnostics, *content.diagnostics, *static.diagnostics, *loaded.diagnostics, *wrong),
    )


def read_git_dates(root: Path, config: Config, parsed: Iterable[Parsed]) -> dict[str, datetime]:
    """When texts that do not say when they were written were added to the repository, by path."""
    undated = {item.file: item.path for item in parsed if needs_git_date(item)}
    added = dates_added(root, config.content) if undated else {}
    return {undated[file]: date for file, date in added.items() if file in undated}


def _read_config(root: Path, name: str) -> tuple[Config, tuple[Diagnostic, ...], Callable[[str], Span]]:
    """The configuration, what is wrong with it, and where it sets a key."""
    if not (root / name).exists():
        return Config(), (), lambda _key: Span(name)
    text = read_text(root, name)
    if isinstance(text, Diagnostic):
        return Config(), (text,), lambda _key: Span(name)
    return *read_config(text, name), lambda key: key_span(text, name, key)


def _read_registry(root: Path, file: str) -> tuple[dict[str, AuthorEntry], tuple[Diagnostic, ...]]:
    from devlog.parse.registry import read_registry  # with the YAML parser: most sites have no registry

    text = read_text(root, file)
    return ({}, (text,)) if isinstance(text, Diagnostic) else read_registry(text, file)


def judge(diagnostics: list[Diagnostic], config: Config, *, strict: bool) -> list[Diagnostic]:
    """Diagnostics with the severities that the site's owner gave them, each once, in order.

    Args:
        diagnostics: as found.
        config: whose ``severity`` table may change or silence a code; an error stays one.
        strict: warnings become errors.
    """
    judged: dict[tuple[Span, str, str], Diagnostic] = {}
    for diagnostic in diagnostics:
        severity: Severity | str = config.severity.get(diagnostic.code, diagnostic.severity)
        if diagnostic.severity == "error":  # the site cannot be built right without what an error asks for
            severity = "error"
        if severity == "off":
            continue
        if strict and severity == "warning":
            severity = "error"
        judged.setdefault(diagnostic.sort_key, msgspec.structs.replace(diagnostic, severity=severity))
    return sorted(judged.values(), key=lambda diagnostic: diagnostic.sort_key)
