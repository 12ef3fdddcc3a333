"""The command ``devlog check``."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from devlog.cli.options import existing_site, jobs_option, moment, nearest_root, site_folder
from devlog.cli.output import only_for_the_report

if TYPE_CHECKING:
    from devlog.checking import Checked, Filter, Options
    from devlog.model.diagnostic import Diagnostic


def _codes(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The codes that begin with the typed text, for completion in a shell."""
    from devlog.plugins.features import known_codes

    return sorted(code for code in known_codes() if code.startswith(begun))


@click.command("check", short_help="Check the site for problems, and fix them.")
@nearest_root
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    help="Output format.",
    show_default=True,
)
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--fix", is_flag=True, help="Fix what has a single right answer, and show the patch.")
@click.option("--dry-run", is_flag=True, help="With --fix: show the changes without making them.")
@click.option("--force", is_flag=True, help="With --fix: go on despite uncommitted changes.")
@click.option("--external", is_flag=True, help="Check external links over the network.")
@click.option("--gaps", is_flag=True, help="Report what of the source no post is about, instead of problems.")
@click.option(
    "--explain",
    metavar="CODE",
    shell_complete=_codes,
    help="Describe a code, such as broken-link, and exit.",
)
@click.option("--now", metavar="DATETIME", default="", help="Use this as the current time.")
@jobs_option
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
def command(
    root: Path | None,
    style: str,
    strict: bool,
    fix: bool,
    dry_run: bool,
    force: bool,
    external: bool,
    gaps: bool,
    explain: str | None,
    now: str,
    jobs: int,
    paths: tuple[Path, ...],
) -> None:
    """Check the site without writing it: everything that a build would report, and more.

    PATHS are files and folders of the site, relative to the current folder. They limit what is reported, not what is
    read.

    Each problem has a code in brackets: --explain describes it, and [severity] in devlog.toml changes how much it
    matters. The exit code is 0 if there is no error, 1 if there is one, 2 for a usage error.
    """
    if explain is not None:
        from devlog.disk.site_folder import find_root

        _explain(root or find_root(Path()), explain)
        return
    if (dry_run or force) and not fix:
        raise click.UsageError("--dry-run and --force belong to --fix")
    if gaps and (fix or external or strict or paths or style not in ("text", "json")):
        raise click.UsageError("--gaps takes no PATHS, and only --root, --format text or json, --now and --jobs")
    at = moment(now)
    site = existing_site(root)
    from devlog.check.rules import explain as explanation
    from devlog.checking import Options, check, outside, reported
    from devlog.model.report import CheckReport
    from devlog.report import as_text
    from devlog.report.checked import show, show_rest
    from devlog.report.progress import progress

    options = Options(root=site, now=at, strict=strict, jobs=jobs)
    if gaps:
        _gaps(options, style)
        return
    if foreign := outside(site, paths):
        raise click.UsageError(f"{foreign} is not in the site {site}")
    wanted = reported(site, paths)
    gc.disable()  # see the build's command
    refused: Sequence[Diagnostic] = ()
    if fix:
        checked, refused = _fix(options, wanted, style, dry_run=dry_run, force=force, external=external)
    else:
        with only_for_the_report(is_read=style != "text"), progress(shown=style == "text") as show_progress:
            checked = check(options, show_progress)
    found = [problem for problem in checked.diagnostics if wanted(problem)]
    if refused:  # whatever else is wanted: the caller must learn that it is not done
        found = sorted({*refused, *found}, key=lambda problem: problem.sort_key)
    if external:
        from devlog.external.run import ask

        with progress(shown=style == "text") as show_progress:
            found += [problem for problem in ask(options, checked, show_progress) if wanted(problem)]
        found.sort(key=lambda problem: problem.sort_key)
    if dry_run and style == "text":  # the locations of remaining problems are those in the fixed copy
        for problem in refused:
            click.echo(as_text(problem), err=True)
        show_rest(found)
    else:
        plugins = checked.inputs.loaded.theme.plugins if checked.inputs else ()
        explain_code = partial(explanation, plugins=plugins)
        folder = site_folder(site) if style in ("github", "sarif") else ""
        fixable = 0 if fix else _fixable(checked, found)  # what fixing has left, it would leave again
        report = CheckReport(checked.title, checked.posts, tuple(found), checked.seconds, fixable)
        show(report, style, explain_code, folder)
    sys.exit(1 if any(problem.severity == "error" for problem in found) else 0)


def _gaps(options: Options, style: str) -> None:
    """Print what posts do not cover. Errors of the site are printed too, since they hide posts."""
    from msgspec import to_builtins

    from devlog.checking import check
    from devlog.plugins.features import gap_finder
    from devlog.report import as_text, json_text, printable
    from devlog.report.gaps import gap_lines
    from devlog.report.progress import progress

    with only_for_the_report(is_read=style != "text"), progress(shown=style == "text") as show_progress:
        checked = check(options, show_progress)
    for problem in checked.diagnostics:
        if problem.severity == "error":
            click.echo(as_text(problem), err=True)
    if checked.evidence is None:
        sys.exit(1)
    if find := gap_finder():
        found = find(options.repository or options.root, checked.evidence, options.now)
        if style == "json":
            click.echo(json_text(to_builtins(found)).encode())
        else:
            click.echo("\n".join(map(printable, gap_lines(found))))


def _fixable(checked: Checked, found: Sequence[Diagnostic]) -> int:
    """How many of some problems of a site can be fixed."""
    fixable = sum(problem.fix is not None for problem in found)
    if not fixable:
        return 0
    from devlog.fixing.run import may_cause_others  # a large import

    return 0 if any(map(may_cause_others, checked.diagnostics)) else fixable


def _fix(
    options: Options, wanted: Filter, style: str, *, dry_run: bool, force: bool, external: bool
) -> tuple[Checked, Sequence[Diagnostic]]:
    """Fix the site, or only try the fixes, and print the changes. Exit if fixing is refused.

    Returns:
        The last check, and why some files could not be fixed.
    """
    from devlog.fixing.run import fix, try_out
    from devlog.model.diagnostic import Diagnostic
    from devlog.report import as_text
    from devlog.report.checked import show_changes

    def also(checked: Checked) -> Sequence[Diagnostic]:
        if not external:
            return ()
        from devlog.external.run import ask

        return ask(options, checked)

    with only_for_the_report():  # the patch is read, too
        fixed = (try_out if dry_run else fix)(options, wanted, force=force, also=also)
    if isinstance(fixed, Diagnostic):
        click.echo(as_text(fixed), err=True)
        sys.exit(1)
    if style == "text":
        is_read = sys.stdout.isatty()  # by a person; what is written to a file or a program may be applied
        show_changes([change.diff() if is_read else change.patch() for change in fixed.changes], dry_run=dry_run)
    return fixed.checked, fixed.refused


def _explain(root: Path, code: str) -> None:
    from devlog.check.rules import explain
    from devlog.inputs import plugins_of
    from devlog.model.problems import did_you_mean
    from devlog.plugins.features import known_codes

    with only_for_the_report(is_read=False):
        text = explain(code, plugins_of(root))
    if not text and code in known_codes():
        raise click.ClickException("Python was started without docstrings (-OO), which explain codes")
    if not text:
        hint = did_you_mean(code, known_codes())
        raise click.BadParameter(f"there is no code “{code}”" + (f"; {hint}" if hint else ""), param_hint="--explain")
    click.echo(f"{click.style(code, bold=True)}\n\n{text}")
