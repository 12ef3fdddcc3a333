"""The command ``devlog schema``."""

from __future__ import annotations

from pathlib import Path

import click

from devlog.cli.options import site_root
from devlog.cli.output import only_for_the_report


@click.command("schema", short_help="Print a JSON schema, for editors.")
@click.argument("kind", metavar="KIND", type=click.Choice(["config", "front-matter", "authors"]))
@site_root
def command(kind: str, root: Path) -> None:
    """Print the JSON schema of a kind of file, so that editors complete and check what you write.

    KIND is config for devlog.toml, front-matter for posts, or authors for content/authors.yml.
    """
    from devlog.inputs import plugins_of
    from devlog.json_schema import as_json, schema_of
    from devlog.plugins.loading import load

    with only_for_the_report():
        schema = schema_of(kind, load(plugins_of(root)))
    click.echo(as_json(schema), nl=False)
