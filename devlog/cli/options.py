"""Options of several commands."""

from __future__ import annotations

import codecs
import locale
import os
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_FIRST_YEAR, _LAST_YEAR = 1970, 9998  # days around the current time must be in years that `datetime` supports

site_root = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    show_default="this folder",
    help="The site's folder.",
)


nearest_root = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=None,
    show_default="the site that contains this folder",
    help="The site's folder.",
)


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(0, 1000),  # systems cannot count as many as one may type
    default=0,
    show_default="one for each processor",
    help="Number of processes.",
)


def existing_site(root: Path | None) -> Path:
    """The folder of the site: as given, or that of the site that contains the current folder.

    If there is none, say so and exit.
    """
    if root is not None:
        return root
    from devlog.disk.site_folder import find_root, is_site

    found = find_root(Path())
    if is_site(found):
        return found
    from devlog.report import as_text
    from devlog.scaffold.problems import no_site

    click.echo(as_text(no_site(str(found))), err=True)
    sys.exit(1)


def serve_command(root: Path | None) -> str:
    """The command that serves the site, as a user would type it in the current folder.

    Args:
        root: the site's folder, if the current command needed that to find the site.
    """
    import shlex

    from devlog.installation import own_command
    from devlog.report import printable

    return printable(f"{own_command()} serve{f' --root {shlex.quote(str(root))}' if root else ''}")


def site_folder(root: Path) -> str:
    """The folder of a site for code hosts: its path in the repository, with a trailing slash.

    Outside of a repository, it is the path from the current folder, if the site is below that.
    """
    from devlog.disk.git import folder_in_repository

    folder = folder_in_repository(root)
    if folder is not None:
        return folder
    site, here = root.resolve(), Path.cwd().resolve()
    return f"{site.relative_to(here).as_posix()}/" if here in site.parents else ""


class _Text(click.ParamType):  # type: ignore[type-arg] # generic only in newer versions of click
    """The type of an argument that is written into a file: Unicode. What is no UTF-8 would be lost there."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value as it is. Raises click.BadParameter if it was not UTF-8."""
        if any("\ud800" <= character <= "\udfff" for character in value):
            self.fail(f"“{value.encode(errors='backslashreplace').decode()}” is not UTF-8", param, ctx)
        return value


TEXT = _Text()


def completed(kind: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """The function that completes an option in a shell: with the ``topics``, ``authors`` or ``tags`` of the site."""

    def offer(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from devlog.scaffold.complete import complete

        words = map(_typed, complete(kind, context.params.get("root"), begun))
        return [CompletionItem(word) for word in words if word]

    return offer


_PLAIN = re.compile(r"[\w@%+=:,./-]*")
_QUOTES = re.compile("['\u2018-\u201b]")  # each of these ends a string in PowerShell


def _typed(word: str) -> str:
    """A word, quoted as it would have to be typed.

    It may come from someone else's post. zsh and fish quote completions; other shells insert them into the command line
    unchanged, and would run commands in them. A function of bash that keeps no quotes gets no word that needs some, nor
    does bash in a locale in which quotes could be lost; a function of fish that ends words at commas gets none that has
    one.
    """
    from devlog.cli.completion import QUOTED

    shell = os.environ.get("_DEVLOG_COMPLETE", "").partition("_")[0]
    if shell == "fish":
        return "" if "," in word and not os.environ.get(QUOTED) else word
    if _PLAIN.fullmatch(word):
        return word
    if shell == "bash":
        # In some encodings of locales, a backslash after a byte of another letter is a part of that letter.
        reads_utf_8 = codecs.lookup(locale.getencoding()).name == "utf-8"
        if not os.environ.get(QUOTED) or not (word.isascii() or reads_utf_8):
            return ""
        return re.sub(r"[^\w@%+=:,./-]", r"\\\g<0>", word)
    return f"'{_QUOTES.sub(lambda found: 2 * found[0], word)}'" if shell == "powershell" else word


def checked_base_url(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """The callback of an option for a base URL: checks and returns it; may be empty."""
    from devlog.config import is_base_url

    if text and ("?" in text or "#" in text):
        raise click.BadParameter(f"“{text}” is not a base URL: it has a query or a fragment")
    if not text.isascii():
        from devlog.config_file.problems import ENCODED

        raise click.BadParameter(f"“{text}” is not a base URL; write it as URLs are sent: {ENCODED}")
    if text and not is_base_url(text):
        raise click.BadParameter(
            f"“{text}” is not a base URL; write an absolute URL, such as https://docs.example.org/devlogs/"
        )
    return text


def moment(text: str) -> datetime:
    """The current time: as given, or from ``SOURCE_DATE_EPOCH`` (reproducible-builds.org), or else from the clock."""
    if text:
        from devlog.parse.front_matter.dates import parse_date

        date = parse_date(text)
        if date is None or not _FIRST_YEAR <= date.value.year <= _LAST_YEAR:
            raise click.BadParameter(
                f"“{text}” is not a date; write 2026-05-03 or 2026-05-03T10:00:00Z", param_hint="--now"
            )
        return date.value if date.value.tzinfo else date.value.replace(tzinfo=UTC)
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch:
        found = _since_1970(int(epoch)) if epoch.isdecimal() and len(epoch) < 20 else None
        if found is None:
            raise click.UsageError(f"“{epoch}” is no moment: SOURCE_DATE_EPOCH counts the seconds since 1970")
        return found
    return datetime.now(UTC)


def _since_1970(seconds: int) -> datetime | None:
    """A time, given in seconds since 1970; `None` if its year is not supported."""
    try:
        found = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.year <= _LAST_YEAR else None
