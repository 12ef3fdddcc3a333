"""The command ``devlog init``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from devlog.cli.options import checked_base_url, moment


def _folder(_context: click.Context, _parameter: click.Parameter, given: str) -> Path:
    """The folder of that name. An empty one, as of an unset variable of a script, would be the current folder."""
    if not given:
        raise click.BadParameter("the name is empty; write “.” for the current folder")
    return Path(given)


@click.command("init")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False), callback=_folder)
@click.option("--github", is_flag=True, help="Add GitHub workflows: check, publish to Pages, preview.")
@click.option("--digest", metavar="URL", default="", help="With --github: propose a weekly digest of this repository.")
@click.option("--title", metavar="TEXT", default="", show_default="DevLog", help="Title of the site.")
@click.option("--base-url", metavar="URL", default="", callback=checked_base_url, help="Base URL of the site.")
def command(folder: Path, github: bool, digest: str, title: str, base_url: str) -> None:
    """Create a site in a new or empty folder.

    The folder may contain .git, a README, a license, .venv and the like. Existing files are never overwritten.
    """
    from devlog.cli import main
    from devlog.installation import own_command
    from devlog.report import as_text, printable
    from devlog.scaffold.starter import NewSite, init, is_clonable, not_ignored

    if digest and not github:
        raise click.UsageError("--digest adds a workflow of GitHub: give --github, too")
    if digest and "digest" not in main.list_commands(click.get_current_context()):
        raise click.UsageError("--digest adds a workflow that runs “devlog digest”, which this devlog does not have")
    if digest and not is_clonable(digest):
        raise click.BadParameter(
            f"“{digest}” is not the URL of a repository; write https://github.com/lumen/db", param_hint="--digest"
        )
    outcome = init(folder, NewSite(title, base_url, github, digest), moment(""))
    for diagnostic in outcome.diagnostics:
        click.echo(as_text(diagnostic), err=True)
    for file in outcome.files:
        click.echo(printable(f"+ {folder / file}"))
    for file in outcome.kept:
        click.echo(printable(f"= {folder / file} was there already and is left as it is"))
    if ".gitignore" in outcome.kept and (lines := not_ignored(folder)):
        click.echo(printable(f"  add {', '.join(lines)} to {folder / '.gitignore'}"))
    if not outcome.failed:
        place, devlog = printable(shlex.quote(str(folder))), printable(own_command())
        click.echo(f"\nSee it:      {devlog} serve --root {place}")
        click.echo(f'Write:       {devlog} new post "A title" --topic design --root {place}')
        if github:
            first = "" if outcome.url else "set base_url in devlog.toml, "
            click.echo(
                f"Publish it:  {first}push to GitHub, and choose “GitHub Actions” under Settings → Pages → Source"
            )
        else:
            click.echo(f"Publish it:  {devlog} build --root {place}, and copy {place}/public to your server")
    sys.exit(1 if outcome.failed else 0)
