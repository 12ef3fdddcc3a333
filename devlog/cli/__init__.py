"""The ``devlog`` command. Each subcommand has its own module, which is imported only when it is needed."""

from __future__ import annotations

import io
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

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
    "schema",
    "deploy",
    "adopt",
    "compare",
    "search",
    "refs",
    "digest",
    "speak",
    "mcp",
)
"""The modules that define a ``command``, here or in a feature, in the order of ``--help``."""


def _module(name: str) -> str:
    """The module of a command; empty if the folder of its feature is missing."""
    own = Path(__file__).with_name(f"{name}.py")
    if own.exists():
        return f"devlog.cli.{name}"
    folder = own.parent.with_name("features")
    found = next(folder.glob(f"*/cli/{name}.py"), None)
    return f"devlog.features.{found.parts[-3]}.cli.{name}" if found else ""


class _Commands(click.Group):
    """Commands that are imported when they are called. If interrupted, they exit as shells expect: with 128 plus the
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

    def main(self, *args: Any, **extra: Any) -> Any:
        if "_DEVLOG_COMPLETE" in os.environ:
            from devlog.cli.completion import register

            register()
        return super().main(*args, **extra)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from devlog.model.problems import did_you_mean

            if args[0].startswith("-"):  # an option that does not exist
                raise
            hint = did_you_mean(args[0], self.list_commands(ctx))
            message = f"there is no command “{args[0]}”" + (f"; {hint}" if hint else "")
            raise click.UsageError(message, error.ctx) from None

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except KeyboardInterrupt as stopped:
            _end_interrupted(stopped)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:  # its message may contain untrusted arguments, for example of a script
            from devlog.report import printable

            message = error.format_message()
            shown = "\n".join(map(printable, message.split("\n")))
            if shown == message:
                raise
            raise click.UsageError(shown, error.ctx) from None
        except KeyboardInterrupt as stopped:
            _end_interrupted(stopped)
        except click.Abort as ended:  # of a prompt, which also ends at the end of the input
            if isinstance(ended.__context__, KeyboardInterrupt):
                _end_interrupted(ended.__context__)
            raise
        except RuntimeError as error:
            if str(error) != _NO_THREAD:
                raise
            raise click.ClickException(
                "the system refuses another thread: raise the limit of processes, threads or memory"
            ) from None
        except UnicodeEncodeError:
            process.check_arguments()  # only arguments can be the cause, since text from files is valid
            raise


_NO_THREAD = "can't start new thread"
"""What Python says of a thread that the system refuses. There is no exception type for it."""


def _end_interrupted(stopped: KeyboardInterrupt) -> NoReturn:
    click.echo("Interrupted.", err=True)
    sys.exit(128 + (stopped.number if isinstance(stopped, process.Stopped) else signal.SIGINT))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="devlog")
def main() -> None:
    """Build a developer log: a site from Markdown posts in topic folders."""
    process.check_folder()
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":  # https://no-color.org
        click.get_current_context().color = False
    if isinstance(sys.stdout, io.TextIOWrapper):  # a character that cannot be encoded must not prevent a message
        sys.stdout.reconfigure(errors="backslashreplace")


def run() -> None:
    """Run the command as a process, which ends as soon as the command does.

    Python would first free all objects one by one, which takes a fifteenth of the time of a build after an edit.
    The commands have already closed everything that must be closed.
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
