"""The command ``devlog serve``."""

from __future__ import annotations

from pathlib import Path

import click

from devlog.cli.options import existing_site, nearest_root
from devlog.cli.output import only_for_the_report


def _hosts(_context: click.Context, _parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """The callback of an option for host names: checks and returns them."""
    from devlog.serve.guard import is_name

    for name in names:
        if not is_name(name):
            raise click.BadParameter(
                f"“{name}” is not the name of a host; write no more than its name or address, and its port if that is "
                "another one, such as devbox.example.org, devbox.example.org:443 or [fe80::1]"
            )
    return names


@click.command("serve")
@nearest_root
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port, or the next free one.",
)
@click.option(
    "--allow-host",
    "names",
    metavar="NAME",
    multiple=True,
    callback=_hosts,
    help="Host name that browsers may use; needed if others are to reach the preview. Repeatable.",
)
@click.option("--open/--no-open", "browser", default=False, help="Open a browser.", show_default=True)
@click.option(
    "--drafts/--no-drafts", default=True, help="Show drafts, and scheduled and expired posts.", show_default=True
)
def command(root: Path | None, host: str, port: int, names: tuple[str, ...], browser: bool, drafts: bool) -> None:
    """Start a preview server with live reload.

    Pages follow their files as you write; the output folder is not touched. The URL is printed as soon as the
    server answers. Press Ctrl-C to stop.
    """
    from devlog.engine.relay import relayed
    from devlog.serve.guard import is_loopback
    from devlog.serve.run import serve

    if not is_loopback(host):
        if not names:
            raise click.UsageError(
                f"others can reach {host}: name the hosts that they will use, such as --allow-host devbox.example.org"
            )
        click.echo(f"Warning: everyone who reaches {host} can read this site, drafts included.", err=True)
    with relayed(1, 2), only_for_the_report(is_read=False, waits=False):
        serve(existing_site(root), host, port, names, drafts=drafts, browser=browser)
