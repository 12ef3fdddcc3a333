"""The command ``devlog compare``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devlog.cli.options import checked_base_url, nearest_root
from devlog.cli.output import only_for_the_report


@click.command("compare")
@nearest_root
@click.option(
    "--old",
    required=True,
    metavar="DIR|SITEMAP",
    type=click.Path(exists=True, path_type=Path),
    help="The output of the old site, made by any generator, or its sitemap.xml.",
)
@click.option(
    "--new",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=None,
    show_default="the configured output",
    help="The output of the new site, relative to this folder.",
)
@click.option(
    "--base-url",
    metavar="URL",
    default="",
    callback=checked_base_url,
    help="Base URL of the old site, if it is not that of the new one.",
)
@click.option("--accept", metavar="PATTERN", multiple=True, help="URLs that may be lost, such as /tags/*. Repeatable.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", help="Output format.", show_default=True
)
@click.option("-v", "--verbose", is_flag=True, help="Show complete lists, and new URLs.")
def command(
    root: Path | None, old: Path, new: Path | None, base_url: str, accept: tuple[str, ...], style: str, verbose: bool
) -> None:
    """Compare the output of an old site with the output of this one.

    The exit code is 1 if a URL is lost.
    """
    from devlog import report
    from devlog.compare.compare import compare
    from devlog.compare.options import options
    from devlog.compare.show import as_json, as_text
    from devlog.compare.values import Comparison
    from devlog.disk.site_folder import find_root

    with only_for_the_report(is_read=style != "text"):
        chosen = options(root or find_root(Path()), old, new, base_url, accept)
        done = chosen if isinstance(chosen, tuple) else compare(chosen)
    if not isinstance(done, Comparison):
        for problem in done:
            click.echo(report.as_text(problem), err=True)
        sys.exit(2)
    if style == "json":
        click.echo(as_json(done).encode())  # JSON is UTF-8 (RFC 8259), whatever the terminal
    else:
        for problem in done.diagnostics:
            click.echo(report.as_text(problem), err=True)
        click.echo(as_text(done, verbose=verbose))
    sys.exit(1 if done.failed else 0)
