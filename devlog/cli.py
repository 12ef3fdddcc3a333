"""The ``devlog`` command. Everything heavy is imported only by the command that needs it."""

from __future__ import annotations

import gc
import io
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from devlog import __version__


class _Commands(click.Group):
    """Commands that end as a shell expects when they are interrupted: with 128 and the number of the signal."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            sys.exit(130)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="devlog")
def main() -> None:
    """Publish a developer log: Markdown posts in topic folders become a site."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # where a character cannot be shown, the message still is
        sys.stdout.reconfigure(errors="backslashreplace")


_root = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    show_default="this folder",
    help="The site's folder.",
)


@main.command()
@_root
@click.option(
    "--output", metavar="DIR", default="", help="Where the site is written, instead of the configured folder."
)
@click.option(
    "--base-url", metavar="URL", default="", help="Where the site will be found, instead of the configured URL."
)
@click.option("--drafts", is_flag=True, help="Publish drafts too.")
@click.option("--future", is_flag=True, help="Publish posts of the future too.")
@click.option("--expired", is_flag=True, help="Publish expired posts too.")
@click.option("--now", metavar="DATETIME", default="", help="Take this for the present moment.")
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option(
    "--jobs", type=click.IntRange(0), default=0, show_default="one for each processor", help="Processes to use."
)
@click.option(
    "--executor",
    metavar="NAME",
    default="processes",
    show_default=True,
    help="Who works: inline, processes, package.module:factory, or dask://HOST:PORT.",
)
@click.option("--no-cache", is_flag=True, help="Work everything out anew.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="How to report.",
    show_default=True,
)
@click.option("-v", "--verbose", is_flag=True, help="Name every file.")
@click.option("-q", "--quiet", is_flag=True, help="Only say what is wrong.")
def build(
    root: Path,
    output: str,
    base_url: str,
    drafts: bool,
    future: bool,
    expired: bool,
    now: str,
    strict: bool,
    jobs: int,
    executor: str,
    no_cache: bool,
    style: str,
    verbose: bool,
    quiet: bool,
) -> None:
    """Build the site into its output folder.

    Nothing is written while there is an error: the last good site stays.
    """
    if executor == "processes" and jobs != 1:
        from devlog import workers

        workers.foresee(root)

    from devlog import report
    from devlog.build import Options
    from devlog.build import build as run

    if verbose and quiet:
        raise click.UsageError("--verbose and --quiet exclude each other")
    options = Options(
        root=root,
        now=_now(now),
        output=output,
        base_url=_base_url(base_url),
        drafts=drafts,
        future=future,
        expired=expired,
        strict=strict,
        jobs=jobs,
        cache=not no_cache,
        executor=_executor(executor),
    )
    # A build makes values that refer to each other without circles: looking for circles among ever more of them
    # would take longer than what it could free.
    gc.disable()
    with report.progress(shown=style == "text" and not quiet) as progress:
        done = run(options, progress)
    report.show(done, style, verbose=verbose, quiet=quiet)
    sys.exit(1 if done.failed else 0)


def _hosts(_context: click.Context, _parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names given, which are those of hosts."""
    from devlog.serve.guard import is_name

    for name in names:
        if not is_name(name):
            raise click.BadParameter(
                f"“{name}” is not the name of a host; write no more than its name or address, and its port if that is "
                "another one, such as devbox.example.org, devbox.example.org:443 or [fe80::1]"
            )
    return names


@main.command()
@_root
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Where to listen: this machine only."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port, or the next one that is free.",
)
@click.option(
    "--allow-host",
    "names",
    metavar="NAME",
    multiple=True,
    callback=_hosts,
    help="A name that browsers may use for this preview; needed if others are to reach it. May be given again.",
)
@click.option("--open/--no-open", "browser", default=False, help="Open a browser.", show_default=True)
@click.option(
    "--drafts/--no-drafts", default=True, help="Show drafts, and posts of the future and the past.", show_default=True
)
def serve(root: Path, host: str, port: int, names: tuple[str, ...], browser: bool, drafts: bool) -> None:
    """Show the site while you write: every page follows its files.

    Nothing is written into the output folder. The address is printed as soon as it answers; Ctrl-C ends it.
    """
    from devlog.serve.guard import is_loopback
    from devlog.serve.run import serve as run

    if not is_loopback(host):
        if not names:
            raise click.UsageError(
                f"others can reach {host}: name the hosts that they will use, such as --allow-host devbox.example.org"
            )
        click.echo(f"Warning: everyone who reaches {host} can read this site, drafts included.", err=True)
    run(root, host, port, names, drafts=drafts, browser=browser)


def _now(text: str) -> datetime:
    """The present moment: as given, else as ``SOURCE_DATE_EPOCH`` says (reproducible-builds.org), else by the clock."""
    from devlog.parse.dates import parse_date

    if text:
        date = parse_date(text)
        if date is None:
            raise click.BadParameter(
                f"“{text}” is not a date; write 2026-05-03 or 2026-05-03T10:00:00Z", param_hint="--now"
            )
        return date.value if date.value.tzinfo else date.value.replace(tzinfo=UTC)
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdecimal():
        return datetime.fromtimestamp(int(epoch), UTC)
    return datetime.now(UTC)


def _executor(name: str) -> str:
    from devlog.engine.named import NoWorkersError, choose

    try:
        choose(name)
    except NoWorkersError as error:
        hint = f" ({error.problem.hint})" if error.problem.hint else ""
        raise click.BadParameter(f"{error.problem.message}{hint}", param_hint="--executor") from None
    return name


def _base_url(text: str) -> str:
    from devlog.config import is_base_url

    if text and not is_base_url(text):
        raise click.BadParameter(
            f"“{text}” is not a base URL; write the whole address, such as https://docs.example.org/devlogs/",
            param_hint="--base-url",
        )
    return text
