"""Lists the templates of a site's theme, and copies single ones into the site so that it can change them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import msgspec

from devlog.disk.folder import is_there
from devlog.disk.single_files import create
from devlog.disk.site_folder import is_site
from devlog.disk.theme import OVERRIDES, load_theme
from devlog.inputs import read_configuration
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.theme import Template
from devlog.scaffold import problems
from devlog.scaffold.outcome import Outcome

_SPAN = Span("TEMPLATE")


class Templates(msgspec.Struct, frozen=True):
    """The templates of a theme, without those of the site itself.

    Attributes:
        theme: its name.
        templates: sorted by name; if the theme replaces an inherited template, only its own one.
        folder: the folder of the site's own templates, relative to it.
        overridden: the names of templates that the site replaces.
        diagnostics: of the configuration and the theme.
    """

    theme: str
    templates: tuple[Template, ...]
    folder: str
    overridden: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def templates_of(root: Path) -> Templates:
    """The templates of the theme that a site uses."""
    config, found, span_of = read_configuration(root)
    folder = config.in_theme_folder()
    loaded = load_theme(root, config.theme, span_of("theme"), folder=folder, overrides=False)
    own = {template.name: template for template in loaded.theme.templates if not template.is_replaced}
    place = config.in_theme_folder(OVERRIDES)
    overridden = frozenset(name for name in own if is_there(root / place / name))
    return Templates(loaded.theme.name, tuple(own.values()), place, overridden, (*found, *loaded.diagnostics))


def eject(root: Path, name: str) -> Outcome:
    """Copy a template of the theme into the site, where it replaces the original. Existing files are never changed.

    Args:
        root: the site's folder.
        name: of the template; without its folder and extension if that is unambiguous.

    Returns:
        The new file, or diagnostics if it was not written.
    """
    if not is_site(root):
        return Outcome(diagnostics=(problems.no_site(str(root)),))
    known = templates_of(root)
    if any(item.severity == "error" for item in known.diagnostics):
        return Outcome(diagnostics=known.diagnostics)
    matching = _matching(name, known.templates)
    if len(matching) != 1:
        names = [template.name for template in (matching or known.templates)]
        return Outcome(diagnostics=(problems.unknown_template(_SPAN, name, names, several=bool(matching)),))
    file = f"{known.folder}/{matching[0].name}"
    problem = create(root, file, matching[0].text.encode())
    return Outcome(() if problem else (file,), diagnostics=(problem,) if problem else ())


def _matching(name: str, templates: tuple[Template, ...]) -> list[Template]:
    """The template with exactly this name, else those that match it without their folder or extension."""
    exact = [template for template in templates if template.name == name]
    paths = [(PurePosixPath(template.name), template) for template in templates]
    return exact or [template for path, template in paths if name in (path.name, path.stem, str(path.with_suffix("")))]
