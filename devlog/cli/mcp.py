"""The command ``devlog mcp``."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from devlog.cli.options import moment, nearest_root


@click.command("mcp")
@nearest_root
@click.option("--drafts", is_flag=True, help="Include drafts.")
def command(root: Path | None, drafts: bool) -> None:
    """Run an MCP server.

    The server speaks the Model Context Protocol over standard input and output, and is started by its client. It
    reads only the site, and writes only its cache.
    """
    from devlog.disk.site_folder import find_root, is_site
    from devlog.engine import problems as engine_problems
    from devlog.installation import installation
    from devlog.model.diagnostic import Diagnostic, Span
    from devlog.scaffold import problems as scaffold_problems

    moment("")  # a wrong SOURCE_DATE_EPOCH is an error of the command, not of each call
    root = root or find_root(Path())
    wrong: Diagnostic | None = None
    if not is_site(root):
        wrong = scaffold_problems.no_site(str(root))
    elif find_spec("mcp") is None:
        wrong = engine_problems.missing_extra(Span("devlog mcp"), "devlog mcp", installation().add_extra("mcp"))
    if wrong:
        from devlog.report import as_text

        click.echo(as_text(wrong), err=True)
        sys.exit(1)
    from devlog.engine.relay import relayed
    from devlog.mcp_server.run import run

    with relayed(2):
        run(root, drafts=drafts, now=lambda: moment(""))
