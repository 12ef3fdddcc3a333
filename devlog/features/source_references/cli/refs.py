"""``devlog refs``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from devlog.cli.options import moment, nearest_root
from devlog.cli.output import only_for_the_report

if TYPE_CHECKING:
    from devlog.features.source_references.assemble.lookup import Found


@click.command("refs", short_help="Find the posts about a file or directory of the source.")
@click.argument("path", default=".")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum number of posts.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", help="Output format.", show_default=True
)
@click.option("--now", metavar="DATETIME", default="", help="Use this as the current time.")
@nearest_root
def command(path: str, limit: int, style: str, now: str, root: Path | None) -> None:
    """Find the posts that cite a file of the source, or files in a directory, newest first.

    PATH is relative to the root of the source, or leads to a file or directory of a checkout of it. If no post cites
    it, the posts about the nearest directory above it are shown. Without PATH, all posts that cite a file are shown.

    The exit code is 0 if there is a post, 1 if there is none, 2 for a usage error.
    """
    from devlog import report
    from devlog.assemble.site import Visibility
    from devlog.disk.site_folder import find_root, is_site
    from devlog.features.source_references import problems
    from devlog.features.source_references.assemble.lookup import posts_about
    from devlog.features.source_references.cli.source_path import path_in_source
    from devlog.features.source_references.config import configured_repository
    from devlog.pipeline import Session, stages_of, store_of
    from devlog.report.progress import progress
    from devlog.scaffold.problems import no_site

    site = root or find_root(Path())
    if not is_site(site):
        click.echo(report.as_text(no_site(str(site))), err=True)
        sys.exit(2)
    with (
        only_for_the_report(is_read=style != "text"),
        progress(shown=style == "text") as show_progress,
        stages_of(store_of(site), show_progress) as stages,
    ):
        session = Session(site, stages, effort=None)
        inputs = session.read()
        wrong = [item for item in inputs.diagnostics if item.severity == "error"]
        if configured_repository(inputs.config) is None:
            wrong.append(problems.no_source_repository(inputs.config_file))
        for problem in wrong:
            click.echo(report.as_text(problem), err=True)
        if wrong:
            sys.exit(2)
        checkout = site / inputs.config.source_checkout if inputs.config.source_checkout else None
        name = path_in_source(path, Path.cwd(), checkout)
        if name is None:
            raise click.BadParameter(f"“{path}” is not in a checkout of the source", param_hint="PATH")
        assembled, _ = session.assemble(inputs, session.parse(inputs), Visibility(moment(now)))
        planner = session.plan(inputs, assembled, *session.derive(inputs, assembled))
        found = posts_about(planner.context.outline, name, limit)
    if style == "json":
        shown = {"asked": name, **(found.record() if found else {"path": "", "kind": "", "total": 0, "posts": []})}
        click.echo(report.json_text(shown).encode())  # JSON is UTF-8 (RFC 8259), whatever the terminal
    elif found:
        click.echo(_text(name, found))
    else:
        click.echo(f"No post cites {report.printable(name) or 'a file of the source'}.", err=True)
    sys.exit(0 if found and found.posts else 1)


def _text(asked: str, found: Found) -> str:
    """The posts for people."""
    from devlog.report import count, printable

    lines = []
    place = f"{printable(found.path)}/" if found.path else "the source"
    if found.kind == "above":
        lines += [f"No post cites {printable(asked)}. Posts about {place}:", ""]
    for post in found.posts:
        lines.append(f"{post.date or ' ' * 10}  {click.style(printable(post.title), bold=True)}")
        lines.append(f"            {printable(post.url)}  {click.style(printable(post.source), fg='cyan')}")
        if found.kind != "file":
            more = f" and {count(post.more, 'more file')}" if post.more else ""
            lines.append(f"            cites {', '.join(map(printable, post.files))}{more}")
    if found.total > len(found.posts):
        lines.append(f"and {count(found.total - len(found.posts), 'older post')}; --limit shows more")
    return "\n".join(lines)
