"""Finds posts that are in another folder of the site than that of its content, where nothing publishes them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from devlog.disk.manifest import MANIFEST
from devlog.disk.read import read_bytes

DEEPEST = 3
"""How many folders below the site's own are searched."""
MOST_ENTRIES = 2_000
"""How many files and folders are looked at: a site may be a small part of a large repository."""
MOST_READ = 100
"""How many Markdown files are read."""

_SUFFIXES = (".md", ".markdown")
_OTHERS = frozenset({"devlog.toml", MANIFEST, "pyvenv.cfg"})
"""Files that mark a folder as another site, as the output of a build, or as an environment of Python."""
_NEVER = frozenset({"node_modules", "themes", "templates", "archetypes", "i18n"})
# A title and a date; braces mark a template of another generator.
_POST = re.compile(rb"(?:\xef\xbb\xbf)?(---|\+\+\+)[ \t]*\r?\n(?P<keys>(?:(?!\1)[^{\n]*\n){1,60})\1")
_TITLE = re.compile(rb"^title[ \t]*[:=]", re.MULTILINE)
_DATE = re.compile(rb"^date[ \t]*[:=][ \t]*\S", re.MULTILINE)


def stray_posts(root: Path, own: Collection[str]) -> tuple[str, ...]:
    """The Markdown files with the front matter of a post, a title and a date, outside the folders that are read.

    Args:
        root: the site's folder.
        own: the folders of the site that are not searched, relative to it: of its content, its output and so on.

    Returns:
        Their paths, relative to the site, sorted.
    """
    found = []
    for count, file in enumerate(_markdown(root, frozenset(own))):
        if count == MOST_READ:
            break
        data = read_bytes(root, file)
        head = _POST.match(data) if isinstance(data, bytes) else None
        if head and _TITLE.search(head["keys"]) and _DATE.search(head["keys"]):
            found.append(file)
    return tuple(sorted(found))


def _markdown(root: Path, own: frozenset[str]) -> Iterator[str]:
    """The Markdown files outside the site's own folders, nearest first. Symbolic links are not followed."""
    left, level = MOST_ENTRIES, [""]
    for _ in range(DEEPEST + 1):
        below: list[str] = []
        for folder in level:
            try:
                with os.scandir(root / folder) as opened:
                    entries = sorted(opened, key=lambda entry: entry.name)
            except OSError:  # no permission, or removed in the meantime
                continue
            left -= len(entries)
            if left < 0:
                return
            if folder and any(entry.name in _OTHERS for entry in entries):
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.name.startswith((".", "_")) or path in own or entry.name in _NEVER:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    below.append(path)
                elif entry.name.lower().endswith(_SUFFIXES) and entry.is_file(follow_symlinks=False):
                    yield path
        level = below
