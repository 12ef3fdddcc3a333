"""The command ``devlog search``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devlog.cli.options import completed, moment, nearest_root
from devlog.cli.output import only_for_the_report


def _left_out(query: str) -> str:
    """What to know about a query without results of which a word begins with “-”, such as a compiler option."""
    from devlog.search.query import read_query

    words = ", ".join(f"“{' '.join(term.words)}”" for term in read_query(query).without)
    return f" Posts with {words} are left out: write words without “-” to find them." if words else ""


def _since(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """The callback of an option for a day: returns it as ``2026-05-03``, or an empty string."""
    from devlog.parse.front_matter.dates import parse_date

    day = parse_date(text) if text else None
    if text and day is None:
        raise click.BadParameter(f"“{text}” is not a date; write 2026-05-03")
    return day.value.date().isoformat() if day else ""


class _Command(click.Command):
    """A command whose arguments may look like options: it says what to write before them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            advice = "Write “--” before words of the query that begin with “-”."
            raise click.UsageError(f"{error.format_message()} {advice}", ctx) from None


@click.command("search", cls=_Command, short_help="Find posts by words, topic, author or tag.")
@click.argument("query", nargs=-1)
@click.option("--topic", metavar="NAME", default="", help="Only in this topic.", shell_complete=completed("topics"))
@click.option(
    "--author",
    metavar="AUTHOR",
    default="",
    help="Only by this author: a handle or a name.",
    shell_complete=completed("authors"),
)
@click.option("--tag", metavar="TAG", default="", help="Only with this tag.", shell_complete=completed("tags"))
@click.option("--since", metavar="DATE", default="", callback=_since, help="Only from this date on.")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Maximum number of results.")
@click.option("--drafts", is_flag=True, help="Include drafts, and scheduled and expired posts.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", help="Output format.", show_default=True
)
@click.option("--now", metavar="DATETIME", default="", help="Use this as the current time.")
@nearest_root
def command(
    query: tuple[str, ...],
    topic: str,
    author: str,
    tag: str,
    since: str,
    limit: int,
    drafts: bool,
    style: str,
    now: str,
    root: Path | None,
) -> None:
    """Find posts in the source files as they are now. The site need not be built.

    QUERY is words that must all occur; the last one may be incomplete. Words between double quotes must occur
    together, and a -word must not occur. An identifier is also found by its parts. Write -- before words that look
    like options.

    Without QUERY, the newest posts are listed. The exit code is 0 if something was found, 1 if nothing was, 2 for a
    usage error.
    """
    from contextlib import closing

    from devlog import report
    from devlog.disk.site_folder import find_root, is_site
    from devlog.report.progress import progress
    from devlog.scaffold import problems
    from devlog.search.lookup import Lookup
    from devlog.search.show import as_json, as_text
    from devlog.search.values import Filters

    words, site = " ".join(query), root or find_root(Path())
    if not is_site(site):
        click.echo(report.as_text(problems.no_site(str(site))), err=True)
        sys.exit(2)
    with only_for_the_report(is_read=style != "text"), closing(Lookup(site, moment(now))) as lookup:
        with progress(shown=style == "text") as show_progress:
            lookup.refresh(show_progress)
        for problem in lookup.problems:
            click.echo(report.as_text(problem), err=True)
        hits = lookup.search(words, Filters(topic, author, tag, since, drafts), limit)
    if style == "json":
        click.echo(as_json(hits).encode())  # JSON is UTF-8 (RFC 8259), whatever the terminal
    elif hits:
        click.echo(as_text(hits, words))
    else:
        click.echo(f"No results.{_left_out(words)}", err=True)
    sys.exit(0 if hits else 1)
