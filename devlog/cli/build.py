"""The command ``devlog build``."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import click

from devlog.cli.options import checked_base_url, existing_site, jobs_option, moment, nearest_root, site_folder
from devlog.cli.output import only_for_the_report


@click.command("build")
@nearest_root
@click.option(
    "--output", metavar="DIR", default="", help="Output folder, relative to the site's; overrides the configuration."
)
@click.option(
    "--base-url",
    metavar="URL",
    default="",
    callback=checked_base_url,
    help="Base URL of the site; overrides the configuration.",
)
@click.option("--drafts", is_flag=True, help="Include drafts.")
@click.option("--future", is_flag=True, help="Include scheduled posts.")
@click.option("--expired", is_flag=True, help="Include expired posts.")
@click.option("--now", metavar="DATETIME", default="", help="Use this as the current time.")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@jobs_option
@click.option(
    "--executor",
    metavar="NAME",
    default="processes",
    show_default=True,
    help="Executor: inline, processes, package.module:factory, or dask://HOST:PORT.",
)
@click.option("--no-cache", is_flag=True, help="Ignore the cache.")
@click.option("--no-search", is_flag=True, help="Build without search.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="Output format.",
    show_default=True,
)
@click.option("-v", "--verbose", is_flag=True, help="List every file.")
@click.option("-q", "--quiet", is_flag=True, help="Only print problems.")
def command(
    root: Path | None,
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
    no_search: bool,
    style: str,
    verbose: bool,
    quiet: bool,
) -> None:
    """Build the site into its output folder.

    If there is an error, nothing is written and the existing site is unchanged.
    """
    at = moment(now)
    site = existing_site(root)
    with only_for_the_report(is_read=style != "text"):
        if executor == "processes" and jobs != 1:
            from devlog import warm_up

            warm_up.foresee(site)

        from devlog.build import Options, build
        from devlog.report.progress import progress

        if verbose and quiet:
            raise click.UsageError("--verbose and --quiet exclude each other")
        options = Options(
            root=site,
            now=at,
            output=output,
            base_url=base_url,
            drafts=drafts,
            future=future,
            expired=expired,
            strict=strict,
            jobs=jobs,
            cache=not no_cache,
            executor=_executor(executor),
            search=not no_search,
        )
        # The objects of a build have no reference cycles. Searching a growing number of them for cycles would take time
        # without freeing anything worth it.
        gc.disable()
        kept: list[object] = []  # so that the objects of the build are not freed before the process ends
        with progress(shown=style == "text" and not quiet) as show_progress:
            done = build(options, show_progress, kept.append)
    from devlog.report.built import show

    folder = site_folder(site) if style == "github" else ""
    show(done, style, folder, verbose=verbose, quiet=quiet)
    sys.exit(1 if done.failed else 0)


def _executor(name: str) -> str:
    from devlog.engine.executor_registry import NoWorkersError, choose

    try:
        choose(name)
    except NoWorkersError as error:
        hint = f" ({error.problem.hint})" if error.problem.hint else ""
        raise click.BadParameter(f"{error.problem.message}{hint}", param_hint="--executor") from None
    return name
