"""The command ``devlog theme``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from devlog.cli.options import nearest_root

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from devlog.model.diagnostic import Diagnostic


def _names(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from devlog.scaffold.theme import templates_of

    try:
        known = templates_of(_site(context.params.get("root"))).templates
    except Exception:  # a shell expects completions, and cannot show errors
        return []
    return [CompletionItem(template.name) for template in known if template.name.startswith(begun)]


def _site(root: Path | None) -> Path:
    from devlog.disk.site_folder import find_root

    return root or find_root(Path())


@click.group("theme")
def command() -> None:
    """List the templates of the theme, override them, and translate what they say."""


@command.command("list")
@nearest_root
def list_templates(root: Path | None) -> None:
    """List the templates of the theme, and which of them the site overrides."""
    from devlog.report import printable
    from devlog.scaffold.theme import templates_of

    known = templates_of(_site(root))
    _tell(known.diagnostics)
    width = max((len(template.name) for template in known.templates), default=0)
    for template in known.templates:
        theme = template.file.removesuffix(f"/templates/{template.name}").rpartition("/")[2]
        note = f"{known.folder}/{template.name}" if template.name in known.overridden else f"theme “{theme}”"
        click.echo(printable(f"{template.name:{width}}  {note}"))


@command.command("eject")
@click.argument("template", shell_complete=_names)
@nearest_root
def eject(template: str, root: Path | None) -> None:
    """Copy a template of the theme to the site's templates/, where it overrides the theme's.

    All other templates stay the theme's. TEMPLATE is a name such as partials/footer.html; “footer” will do.
    """
    from devlog.report import printable
    from devlog.scaffold.theme import eject as copy

    site = _site(root)
    outcome = copy(site, template)
    _tell(outcome.diagnostics)
    for file in outcome.files:
        click.echo(printable(os.path.relpath(site / file)))
    sys.exit(1 if outcome.failed else 0)


@command.command("translate")
@click.argument("language")
@nearest_root
def translate(language: str, root: Path | None) -> None:
    """Create i18n/LANGUAGE.toml with all that pages say, for a translator to fill in.

    LANGUAGE is a code such as de or pt-BR. What stays empty is in English.
    """
    from devlog.report import printable
    from devlog.scaffold.translation import translate as begin

    site = _site(root)
    outcome = begin(site, language)
    _tell(outcome.diagnostics)
    for file in outcome.files:
        click.echo(printable(os.path.relpath(site / file)))
    sys.exit(1 if outcome.failed else 0)


def _tell(diagnostics: tuple[Diagnostic, ...]) -> None:
    from devlog.report import as_text

    for diagnostic in diagnostics:
        click.echo(as_text(diagnostic), err=True)
