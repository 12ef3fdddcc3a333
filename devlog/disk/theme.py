"""Loads a theme, and merges it with the themes that it extends and the site's own templates and messages."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from devlog.built_in import built_in_themes
from devlog.config_file.theme_file import ReadThemeFile, ThemeFile, read_theme_file, settings_of_themes
from devlog.disk import problems
from devlog.disk.catalog import FOLDER as CATALOGS
from devlog.disk.catalog import Catalogs, Layer, read_catalogs
from devlog.disk.folder import is_there
from devlog.disk.ignore import CONFIGURATION
from devlog.disk.read import open_regular, read_overrides, read_text, read_theme
from devlog.model.catalog import FALLBACK as ENGLISH
from devlog.model.catalog import Catalog, encoded
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.minify import can_minify
from devlog.model.scripts import MARK, with_messages
from devlog.model.source import Asset
from devlog.model.theme import Template, Theme
from devlog.model.theme_settings import Setting
from devlog.model.view import VERSION

SHORTCODES = "shortcodes/"
"""The folder of templates in which each file defines a shortcode of posts, and is not for pages."""

OVERRIDES = "templates"
"""The folder at a site's root whose templates override those of the theme with the same names."""


FALLBACK = "default"


class LoadedTheme(msgspec.Struct, frozen=True):
    """A theme that was read.

    Attributes:
        theme: the theme.
        roots: the folder of the theme that each static file comes from, by path.
        folders: the folders that it was read from.
        diagnostics: its problems.
        catalogs: the text of each catalog, by its name in messages.
        scripts: the bytes of scripts and style sheets that are published with messages inserted, by path.
        settings: what the theme accepts as its settings, by their names.
        shortcodes: the files that define shortcodes, with names relative to their folder.
    """

    theme: Theme
    roots: dict[str, Path]
    folders: tuple[Path, ...]
    diagnostics: tuple[Diagnostic, ...]
    catalogs: dict[str, str] = {}
    scripts: dict[str, bytes] = {}
    settings: dict[str, Setting] = {}
    shortcodes: tuple[Template, ...] = ()

    @property
    def is_built_in(self) -> bool:
        """Whether all of its files are built into devlog."""
        return all(folder.is_relative_to(built_in_themes()) for folder in self.folders)


def load_theme(
    root: Path,
    name: str,
    span: Span = CONFIGURATION,
    *,
    folder: str = ".",
    overrides: bool = True,
    language: str = ENGLISH,
) -> LoadedTheme:
    """Read a theme for a site.

    The theme is searched for in the site's ``themes``, then among the built-in ones. Files that it does not have come
    from the theme that it ``extends`` by its ``theme.toml``. A template that is overridden is still
    available under the name of its theme: ``default/post.html``. Messages that are in no catalog of the site and its
    themes come from the default theme, which has all messages that any theme needs.

    Args:
        root: the site's folder.
        name: the name of the theme.
        span: where the configuration sets it.
        folder: the path, below that, of the folder with the site's own ``templates``, ``i18n`` and ``themes``.
        overrides: whether to use the site's own ``templates`` folder.
        language: the site's language.
    """
    site, prefix = root / folder, "" if folder == "." else f"{folder}/"
    templates, found, is_incomplete = _overrides(site, prefix) if overrides else ({}, [], False)
    assets: dict[str, Asset] = {}
    roots: dict[str, Path] = {}
    files: list[ReadThemeFile] = []
    layers = [Layer(site, prefix.rstrip("/"), is_own=True)]
    own = (OVERRIDES, CATALOGS) if overrides else (CATALOGS,)
    folders = [site / name for name in own if is_there(site / name, folder=True)]
    current, seen = name, set[str]()
    while current and current not in seen:
        seen.add(current)
        place = _find(site, current)
        if place is None:
            found.append(problems.unknown_theme(span, current, [known for known in _names(site) if known not in seen]))
            current = FALLBACK  # so that there is one problem, instead of one for each missing template
            continue
        label = f"{prefix if place.is_relative_to(site) else ''}themes/{current}"
        folders.append(place)
        layers.append(Layer(place, label))
        parts = read_theme(place)
        for key, text in parts.templates.items():
            is_replaced = key in templates
            full = f"{current}/{key}" if is_replaced else key
            templates.setdefault(full, Template(full, f"{label}/templates/{key}", text, is_replaced))
        for asset in parts.assets:
            if asset.path not in assets:
                assets[asset.path] = _published(asset, place)
                roots[asset.path] = place
        file = _read_theme_file(place, label, seen)
        files.append(file)
        is_incomplete = is_incomplete or parts.is_incomplete or file.is_incomplete
        found += (*_labeled(parts.diagnostics, label), *file.diagnostics)
        span, current = file.span("extends"), file.keys.extends
    settings, known, wrong = settings_of_themes(files)
    theme = Theme(
        name=name,
        templates=tuple(templates[key] for key in sorted(templates) if not key.startswith(SHORTCODES)),
        assets=tuple(assets[key] for key in sorted(assets)),
        settings=msgspec.json.encode(settings, order="sorted").decode(),
        is_incomplete=is_incomplete,
    )
    loaded = LoadedTheme(
        theme,
        roots,
        tuple(folders),
        (*found, *wrong),
        settings=known,
        shortcodes=_shortcodes(templates),
    )
    return _with_messages(loaded, layers, language)


def _overrides(site: Path, prefix: str) -> tuple[dict[str, Template], list[Diagnostic], bool]:
    """The site's own templates by name, their problems, and whether some could not be read.

    Args:
        site: the folder with the folder of templates.
        prefix: the prefix of the names of its files in messages.
    """
    if not is_there(site / OVERRIDES, folder=True):
        return {}, [], False
    files = read_overrides(site)
    templates = {key: Template(key, f"{prefix}{OVERRIDES}/{key}", text) for key, text in files.templates.items()}
    found = [*_labeled(files.diagnostics, prefix.rstrip("/"))] if prefix else [*files.diagnostics]
    return templates, found, files.is_incomplete


def _published(asset: Asset, folder: Path) -> Asset:
    """An asset of a theme as it is published: minified if it is a style sheet or a script of a built-in theme."""
    is_ours = can_minify(asset.path) and folder.is_relative_to(built_in_themes())
    return msgspec.structs.replace(asset, minify=True) if is_ours else asset


def _shortcodes(templates: dict[str, Template]) -> tuple[Template, ...]:
    """The files that define shortcodes, sorted."""
    names = sorted(name for name in templates if name.startswith(SHORTCODES))
    return tuple(msgspec.structs.replace(templates[name], name=name.removeprefix(SHORTCODES)) for name in names)


def _with_messages(loaded: LoadedTheme, layers: Sequence[Layer], language: str) -> LoadedTheme:
    """A theme with its messages, which are also inserted into its scripts.

    Args:
        loaded: the theme without messages.
        layers: the folders that may have its catalogs, before those of the default theme.
        language: the site's language.
    """
    usual = Layer(built_in_themes() / FALLBACK, f"themes/{FALLBACK}")
    catalogs = read_catalogs([*layers, *([] if usual in layers else [usual])], language)
    file = f"{usual.label}/{CATALOGS}/{ENGLISH}.toml"
    if not any(message.file == file for message in catalogs.messages.values()):
        catalogs = _without_messages(catalogs, file)
    theme = loaded.theme
    labels = {layer.folder: layer.label for layer in layers}
    published = [(asset, loaded.roots[asset.path], labels[loaded.roots[asset.path]]) for asset in theme.assets]
    scripts, asked, wrong = _scripts(published, Catalog(catalogs.messages))
    messages = {
        key: msgspec.structs.replace(message, is_known=True) if key in asked and not message.is_known else message
        for key, message in catalogs.messages.items()
    }
    theme = msgspec.structs.replace(
        theme, assets=tuple(_as_published(asset, scripts) for asset in theme.assets), catalog=encoded(messages)
    )
    diagnostics = (*loaded.diagnostics, *catalogs.diagnostics, *wrong)
    return msgspec.structs.replace(
        loaded, theme=theme, diagnostics=diagnostics, catalogs=catalogs.files, scripts=scripts
    )


def _without_messages(catalogs: Catalogs, file: str) -> Catalogs:
    """Catalogs without those of the default theme, which cannot be read or are not there, as while devlog is installed.

    Hundreds of messages are missing. That is one problem, so that the others are left out, too.
    """
    diagnostics = catalogs.diagnostics
    if not any(item.severity == "error" and item.span.path == file for item in diagnostics):
        reason = "it has no messages" if file in catalogs.files else "there is no such file"
        diagnostics = (*diagnostics, problems.unreadable(file, reason))
    return msgspec.structs.replace(catalogs, messages={}, diagnostics=diagnostics)


def _scripts(
    assets: Iterable[tuple[Asset, Path, str]], catalog: Catalog
) -> tuple[dict[str, bytes], set[str], list[Diagnostic]]:
    """The scripts and style sheets of a theme with messages inserted, the keys they use, and their problems."""
    made: dict[str, bytes] = {}
    asked: set[str] = set()
    wrong: list[Diagnostic] = []
    for asset, folder, label in assets:
        path = asset.path
        if not path.endswith((".js", ".mjs", ".css")):
            continue
        try:
            with open_regular(folder, f"static/{path}", follow=True) as file:
                data = file.read()
            source = data.decode() if MARK in data else ""
        except (OSError, UnicodeDecodeError):  # already reported when it was read, or published unchanged
            continue
        if source:
            text, keys, faults = with_messages(source, catalog)
            file_name = f"{label}/{asset.file}"
            known = catalog.messages
            if known:  # otherwise they cannot be read, which is reported
                spans = ((Span(file_name, fault.line), fault.key) for fault in faults)
                wrong += [problems.unknown_key_in_script(span, key, known) for span, key in spans]
            made[path] = text.encode()
            asked |= keys
    return made, asked, wrong


def _as_published(asset: Asset, scripts: Mapping[str, bytes]) -> Asset:
    """A static file with the digest and length of the bytes that are published."""
    data = scripts.get(asset.path)
    return msgspec.structs.replace(asset, digest=digest_bytes(data), length=len(data)) if data is not None else asset


@cache
def built_in_templates() -> frozenset[str]:
    """The names of the templates that the built-in themes have: pages without a template are not made."""
    folders = [theme / OVERRIDES for theme in built_in_themes().iterdir()]
    return frozenset(
        file.relative_to(folder).as_posix() for folder in folders for file in folder.rglob("*") if file.is_file()
    )


def _find(site: Path, name: str) -> Path | None:
    if "/" in name or "\\" in name or name.startswith("."):
        return None
    for themes in (site / "themes", built_in_themes()):
        if is_there(themes / name, folder=True):
            return themes / name
    return None


def _names(site: Path) -> list[str]:
    names: set[str] = set()
    for themes in (site / "themes", built_in_themes()):
        with suppress(OSError):  # there are none, or there is no permission to list them
            names.update(entry.name for entry in themes.iterdir() if entry.is_dir() and entry.name[0] != ".")
    return sorted(names)


def _read_theme_file(folder: Path, label: str, seen: Container[str]) -> ReadThemeFile:
    """Read the ``theme.toml`` of a theme.

    Args:
        folder: the theme's folder.
        label: the prefix of the names of its files in messages.
        seen: the names of the theme and of those that extend it.
    """
    name = f"{label}/theme.toml"
    if not is_there(folder / "theme.toml"):
        return ReadThemeFile(ThemeFile(), {}, name)
    text = read_text(folder, "theme.toml")
    if isinstance(text, Diagnostic):
        return ReadThemeFile(ThemeFile(), {}, name, tuple(_labeled([text], label)))
    file = read_theme_file(text, name, seen)
    requires = file.keys.requires
    if requires <= VERSION:
        return file
    too_new = problems.theme_too_new(file.span("requires"), label.rpartition("/")[2], requires, VERSION)
    return file._replace(diagnostics=(*file.diagnostics, too_new))


def _labeled(found: Iterable[Diagnostic], label: str) -> Iterator[Diagnostic]:
    """Problems of files of a theme, with the names that these have in messages, instead of those in its folder."""
    for item in found:
        path = label if item.span.path == "." else f"{label}/{item.span.path}"
        yield msgspec.structs.replace(item, span=msgspec.structs.replace(item.span, path=path))
