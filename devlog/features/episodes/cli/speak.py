"""``devlog speak``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from devlog.cli.options import existing_site, nearest_root, serve_command
from devlog.cli.output import only_for_the_report

if TYPE_CHECKING:
    from devlog.features.episodes.speak.run import Episode


@click.command("speak")
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@nearest_root
@click.option(
    "--script",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Speak the text of this file instead of the post.",
)
@click.option("--force", is_flag=True, help="Overwrite existing audio and transcripts.")
@click.option("--dry-run", is_flag=True, help="Show what would be spoken.")
def command(path: Path, root: Path | None, script: Path | None, force: bool, dry_run: bool) -> None:
    """Turn a post into an episode.

    The text-to-speech program configured in [speak] reads it aloud. The audio and a transcript with times are
    written beside the post, and added to its front matter.
    """
    from devlog.features.episodes.speak.run import Options, run
    from devlog.report import as_text

    with only_for_the_report(is_read=False):
        episode = run(Options(existing_site(root), path, script, force, dry_run))
    for diagnostic in episode.diagnostics:
        click.echo(as_text(diagnostic), err=True)
    if not episode.failed:
        _show(episode, root)
    sys.exit(1 if episode.failed else 0)


def _show(episode: Episode, root: Path | None) -> None:
    from devlog.features.episodes.model.episode import clock
    from devlog.report import count, printable

    if not episode.written:
        click.echo("\n\n".join(printable(passage.text) for passage in episode.passages))
        return
    audio, transcript, *chapters = episode.written
    click.echo(f"{printable(audio.file)}: {clock(episode.seconds)}, {audio.bytes / 1000:,.0f} kB")
    click.echo(f"{printable(transcript.file)}: {count(len(episode.passages), 'passage')}")
    for written in chapters:
        click.echo(f"{printable(written.file)}: the chapters")
    if episode.changed:
        click.echo(f"{printable(episode.changed)}: its front matter names {'all' if chapters else 'both'}")
    click.echo(f"Listen to it, and read along: {serve_command(root)} shows both on the post's page.")
