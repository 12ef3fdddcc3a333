"""Code that changes while a preview runs: it says so, and leaves no result for other processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from serve_process import REPOSITORY, serving, until
from sites import write_site

from devlog.engine.store import Store
from devlog.stages import CACHE

PLUGIN = """\
from devlog.model.converted import Converted
from devlog.plugin import Plugin


def read(request):
    try:
        import rowing_words
    except ImportError:
        return Converted("---\\ntitle: Race\\n---\\nPlain race.\\n")
    return Converted(f"---\\ntitle: Race\\n---\\n{rowing_words.WORD} race.\\n")


plugin = Plugin("rowing", sources={".race": read})
"""
SITE = {
    "devlog.toml": 'base_url = "https://lumen.example/"\nplugins = ["plugins.py"]\n',
    "plugins.py": PLUGIN,
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    "content/storage/2026-05-03-a.md": "---\ntitle: A\nauthor: Ada Quill\n---\nText.\n",
}
PAGE = "/storage/2026-05-04-b/"


def package(folder: Path, version: int) -> None:
    """Install a version of a package."""
    for known in folder.glob("rowing_words-*"):
        known.rename(folder / f"rowing_words-{version}.dist-info")
    code = f"WORD = 'Version {version} of the'\n"
    metadata = f"rowing_words-{version}.dist-info"
    write_site(
        folder, {"rowing_words.py": code, f"{metadata}/METADATA": "", f"{metadata}/RECORD": "rowing_words.py,,\n"}
    )


def module(folder: Path) -> None:
    """Put a module there that no package has installed."""
    write_site(folder, {"rowing_words.py": "WORD = 'Helped'\n"})


def records(root: Path) -> int:
    """How many parsed sources are stored."""
    store = Store(root / CACHE)
    try:
        return sum(b"Race" in value for (value,) in store._connection.execute("SELECT value FROM record"))
    finally:
        store.close()


@pytest.mark.slow
def test_an_upgraded_package(tmp_path: Path) -> None:
    root, installed = write_site(tmp_path / "site", SITE), tmp_path / "installed"
    package(installed, 1)
    with serving(root, PYTHONPATH=f"{REPOSITORY}:{installed}", PYTHONDONTWRITEBYTECODE="1") as running:
        running.until_page("Text.", "/storage/2026-05-03-a/")
        package(installed, 2)
        running.write("content/storage/2026-05-04-b.race", "1")
        running.until_page("Version 2 of the race.", PAGE)
        assert "rowing_words. Restart devlog" in running.until_told("Code has changed since the start")
        running.write("content/storage/2026-05-04-b.race", "2")
        until(lambda: len(running.changes()) > 1, running.told)
        running.end()
        assert running.told().count("Code has changed") == 1
    assert records(root) == 0


@pytest.mark.slow
def test_a_module_that_was_not_there(tmp_path: Path) -> None:
    root, place = write_site(tmp_path / "site", SITE), tmp_path / "place"
    write_site(place, {"other.py": ""})
    with serving(root, PYTHONPATH=f"{REPOSITORY}:{place}", PYTHONDONTWRITEBYTECODE="1") as running:
        running.until_page("Text.", "/storage/2026-05-03-a/")
        module(place)
        running.write("content/storage/2026-05-04-b.race", "1")
        running.until_page("Helped race.", PAGE)
        running.until_told("Code has changed since the start: rowing_words")
    assert records(root) == 0


@pytest.mark.slow
def test_a_package_that_nothing_uses(tmp_path: Path) -> None:
    """Without plugins, only the packages of devlog count: people install others beside it."""
    site = {**SITE, "devlog.toml": 'base_url = "https://lumen.example/"\n'}
    root, installed = write_site(tmp_path / "site", site), tmp_path / "installed"
    package(installed, 1)
    with serving(root, PYTHONPATH=f"{REPOSITORY}:{installed}") as running:
        running.until_page("Text.", "/storage/2026-05-03-a/")
        package(installed, 2)
        running.edit("Text.", "Race.", "content/storage/2026-05-03-a.md")
        running.until_page("Race.", "/storage/2026-05-03-a/")
        until(running.changes, running.told)
        running.end()
        assert "Code has changed" not in running.told()
    assert records(root) > 0
