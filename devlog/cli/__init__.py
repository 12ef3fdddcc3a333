"""The ``devlog`` command. Each of its commands has a module of its own, which is loaded only when it is asked for."""

from __future__ import annotations

import io
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from devlog import __version__
from devlog.cli import process

COMMANDS = (
    "build",
    "serve",
    "check",
    "new",
    "init",
    "theme",
    "deploy",
    "adopt",
    "compare",
    "search",
    "digest",
    "speak",
    "mcp",
)
"""The modules that hold a ``command``, here or in a feature, in the order in which ``--help`` shows them."""


def _module(name: str) -> str:
    """The module of a command; empty where the folder of its feature is not there."""
    own = Path(__file__).with_name(f"{name}.py")
    if own.exists():
        return f"devlog.cli.{name}"
    folder = own.parent.with_name("features")
    found = next(folder.glob(f"*/cli/{name}.py"), None)
    return f"devlog.features.{found.parts[-3]}.cli.{name}" if found else ""


class _Commands(click.Group):
    """Commands that are loaded late, and that end as a shell expects when they are interrupted: with 128 and the
    number of the signal.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if _module(name)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _module(cmd_name) if cmd_name in COMMANDS else ""
        if not module:
            return None
        command = import_module(module).command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:  # its message repeats what was typed, or what a script was given
            from devlog.report import printable

            message = error.format_message()
            shown = "\n".join(map(printable, message.split("\n")))
            if shown == message:
                raise
            raise click.UsageError(shown, error.ctx) from None
        except KeyboardInterrupt as stopped:
            click.echo("Interrupted.", err=True)
            sys.exit(128 + (stopped.number if isinstance(stopped, process.Stopped) else signal.SIGINT))
        except UnicodeEncodeError:
            process.check_arguments()  # all that is read from files is known to be text
            raise


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="devlog")
def main() -> None:
    """Build a developer log: a site from Markdown posts in topic folders."""
    process.check_folder()
    if isinstance(sys.stdout, io.TextIOWrapper):  # where a character cannot be shown, the message still is
        sys.stdout.reconfigure(errors="backslashreplace")


def run() -> None:
    """The command as a process: it ends at once when the command does.

    Python would first take apart all that was made, value by value: of a build after an edit that is a fifteenth.
    Whatever must be closed, the commands have closed.
    """
    process.prepare()
    process.stop_in_order()
    try:
        main()
    except SystemExit as ending:
        code = ending.code or 0
        if isinstance(code, int):
            process.end(code)
        raise
    except OSError as error:
        process.end_unheard(error)
        raise
