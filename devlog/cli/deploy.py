"""The command ``devlog deploy``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devlog.cli.options import existing_site, nearest_root
from devlog.cli.output import only_for_the_report


@click.command("deploy", short_help="Publish the output of the last build.")
@nearest_root
@click.option("--dry-run", is_flag=True, help="Show what would be done.")
@click.argument("name", default="")
def command(root: Path | None, name: str, dry_run: bool) -> None:
    """Publish the output of the last successful build into the configured output folder.

    NAME is that of a table [deploy.NAME] in devlog.toml. It is needed if there are several.
    """
    from devlog.deploy.run import deploy
    from devlog.model.diagnostic import Diagnostic
    from devlog.report import as_text, printable

    failed = False
    saying = deploy(existing_site(root), name, dry_run=dry_run)
    while True:
        with only_for_the_report(is_read=False):  # a deployer may print while it works
            said = next(saying, None)
        if said is None:
            break
        if isinstance(said, Diagnostic):
            failed = failed or said.severity == "error"
            click.echo(as_text(said), err=True)
        else:
            click.echo(printable(said))
    sys.exit(1 if failed else 0)
