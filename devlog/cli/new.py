"""The command ``devlog new``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devlog.cli.options import TEXT, completed, moment, nearest_root, serve_command
from devlog.cli.output import only_for_the_report

if TYPE_CHECKING:
    from devlog.scaffold.outcome import Outcome
    from devlog.scaffold.site import Existing


@click.group("new")
def command() -> None:
    """Create a post, a topic or an author.

    Existing files are never overwritten.
    """


@command.command("post", short_help="Write a new post into its topic.")
@click.argument("title", type=TEXT, default=None, required=False)
@click.option("--topic", type=TEXT, metavar="NAME", default="", help="The topic.", shell_complete=completed("topics"))
@click.option(
    "--author",
    "authors",
    type=TEXT,
    metavar="AUTHOR",
    multiple=True,
    show_default="from git",
    help="A handle, a name, or both as “Name (@handle)”. Repeatable.",
    shell_complete=completed("authors"),
)
@click.option("--date", metavar="DATE", default="", show_default="today", help="The date of the post.")
@click.option(
    "--tag",
    "tags",
    type=TEXT,
    metavar="TAG",
    multiple=True,
    help="Tag. Repeatable.",
    shell_complete=completed("tags"),
)
@click.option("--slug", type=TEXT, metavar="WORDS", default="", help="File name, instead of one made from the title.")
@click.option("--draft", is_flag=True, help="Make it a draft, which builds leave out.")
@click.option("--edit", is_flag=True, help="Open it in the editor that VISUAL or EDITOR names.")
@nearest_root
def post(
    title: str | None,
    topic: str,
    authors: tuple[str, ...],
    date: str,
    tags: tuple[str, ...],
    slug: str,
    draft: bool,
    edit: bool,
    root: Path | None,
) -> None:
    """Create a post in a topic, from the topic's _template.md if there is one.

    On a terminal, the command asks for the title and the topic if they are needed and missing.
    """
    from devlog.parse.front_matter.dates import parse_date
    from devlog.scaffold.post import NewPost, new_post

    day = parse_date(date) if date else None
    if date and day is None:
        raise click.BadParameter(f"“{date}” is not a date; write 2026-05-03", param_hint="--date")
    site = _site(root)
    if title is None and not _can_ask():
        raise click.UsageError("missing argument TITLE")
    if not site.problem():
        title = str(click.prompt("Title", err=True)) if title is None else title
        topic = topic or _asked_topic(site)
    outcome = new_post(site, Path.cwd(), NewPost(title or "", topic, authors, day, tags, slug, draft))
    _report(site, root, outcome)
    if edit and not outcome.failed:
        _open_editor(site.root / outcome.files[0])
    sys.exit(1 if outcome.failed else 0)


def _open_editor(file: Path) -> None:
    """Open a new post in the user's editor. If that fails, the post is there all the same."""
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    failure = ""
    if chosen.isspace():  # the command would be the post itself
        failure = "VISUAL or EDITOR is blank"
    else:
        try:
            click.edit(filename=str(file))
        except click.ClickException as error:
            failure = error.message
        except ValueError as error:  # a quote in the variable is not closed
            failure = f"{chosen}: {error}"
    if failure:
        click.echo(f"The post is written, but not opened. {failure}", err=True)


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _asked_topic(site: Existing) -> str:
    """The topic that the user chooses, if one must be chosen and there is a terminal; else empty."""
    from devlog.report import printable
    from devlog.scaffold.post import find_topic

    if not site.topics or not _can_ask() or isinstance(find_topic(site, Path.cwd(), ""), str):
        return ""
    for number, name in enumerate(site.topics, 1):
        click.echo(f"{number:4}  {printable(name)}", err=True)
    number = click.prompt("Topic", type=click.IntRange(1, len(site.topics)), err=True)
    return site.topics[int(number) - 1]


@command.command("topic")
@click.argument("name", type=TEXT)
@click.option("--title", type=TEXT, metavar="TEXT", default="", show_default="the name", help="Title that readers see.")
@click.option("--description", type=TEXT, metavar="TEXT", default="", help="Description in one sentence.")
@nearest_root
def topic(name: str, title: str, description: str, root: Path | None) -> None:
    """Create a topic: a folder with an _index.md."""
    from devlog.scaffold.topic import new_topic

    site = _site(root)
    _show(site, root, new_topic(site, name, title, description))


@command.command("author", short_help="Add an author to the registry.")
@click.argument("handle", type=TEXT)
@click.option("--name", type=TEXT, metavar="TEXT", default="", help="Name that readers see.")
@click.option("--url", type=TEXT, metavar="URL", default="", help="Personal page elsewhere.")
@click.option("--bio", type=TEXT, metavar="TEXT", default="", help="Biography in one sentence.")
@nearest_root
def author(handle: str, root: Path | None, **facts: Any) -> None:
    """Add an author to the authors file: content/authors.yml, or the configuration if that lists authors."""
    from devlog.scaffold.author import new_author

    site = _site(root)
    _show(site, root, new_author(site, handle, facts))


def _site(root: Path | None) -> Existing:
    from devlog.disk.site_folder import find_root
    from devlog.scaffold.site import read_site

    with only_for_the_report(is_read=False):
        return read_site(root or find_root(Path()), moment(""))


def _show(site: Existing, root: Path | None, outcome: Outcome) -> None:
    _report(site, root, outcome)
    sys.exit(1 if outcome.failed else 0)


def _report(site: Existing, root: Path | None, outcome: Outcome) -> None:
    """Tell what came of it; `root` is the site's folder as it was given."""
    from devlog.report import as_text, printable

    shown = site.inputs.with_lines(site.root, outcome.diagnostics)
    for diagnostic in shown:
        click.echo(as_text(diagnostic), err=True)
    for file in outcome.files:
        click.echo(printable(os.path.relpath(site.root / file)))
    if outcome.url:
        click.echo(f"preview: run {serve_command(root)}, then {outcome.url}")
