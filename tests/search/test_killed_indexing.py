"""Of a command or an indexing process that was killed nothing stays, not even an indexer at work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from process_groups import PATIENCE, group, needs_proc, until
from search_sites import write

from devlog.features.site_search.derive.bundles import Bundle
from devlog.features.site_search.derive.indexing_process import Making
from devlog.features.site_search.derive.service import ServiceError
from devlog.features.site_search.model import Record

REPOSITORY = Path(__file__).parents[2]

pytestmark = [pytest.mark.slow, needs_proc]

INDEXER = """\
#!{python}
import base64, json, os, pathlib, sys

def asked():
    data = b""
    while not data.endswith(b","):
        data += sys.stdin.buffer.raw.read(1) or sys.exit()
    return json.loads(base64.b64decode(data))["payload"]["type"]

while asked() != "AddFile":
    answer = {{"message_id": 1, "payload": {{"type": "NewIndex", "index_id": 0}}}}
    sys.stdout.write(base64.b64encode(json.dumps(answer).encode()).decode() + ",")
    sys.stdout.flush()
place = pathlib.Path({place!r})
place.with_suffix(".new").write_text(str(os.getpgid(0)))
place.with_suffix(".new").rename(place)
while True:  # it neither reads nor writes any more
    pass
"""

COMMAND = """\
import sys
import pagefind_bin
from devlog.cli import run

if __name__ == "__main__":
    indexer = sys.argv.pop()
    pagefind_bin.get_executable = lambda: indexer
    run()
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """The file in which the indexer tells its process group once it is at work."""
    file = tmp_path / "group"
    yield file
    with suppress(OSError):
        os.killpg(int(file.read_text()), signal.SIGKILL)


@pytest.fixture
def indexer(tmp_path: Path, place: Path) -> Path:
    """An indexer that works forever on its first page."""
    program = tmp_path / "indexer"
    program.write_text(INDEXER.format(python=sys.executable, place=str(place)), "utf-8")
    program.chmod(0o755)
    return program


def at_work(place: Path) -> int:
    """The process group of the indexer, as soon as it is at work: its leader is the indexing process."""
    assert until(place.exists)
    leader = int(place.read_text())
    assert len(group(leader)) == 2
    return leader


def test_the_command_is_killed(tmp_path: Path, indexer: Path, place: Path) -> None:
    script = tmp_path / "command.py"
    script.write_text(COMMAND, "utf-8")
    command = subprocess.Popen(
        [sys.executable, str(script), "build", "--root", str(write(tmp_path / "site")), str(indexer)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        leader = at_work(place)
        assert command.poll() is None
    finally:
        command.kill()
        command.wait(PATIENCE)
    assert until(lambda: not group(leader))


def test_the_indexing_process_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indexer: Path, place: Path
) -> None:
    """As the system does it when memory is short."""
    monkeypatch.setattr("pagefind_bin.get_executable", lambda: indexer)
    bundle = Bundle("", (Record("/lumen/", "Lumen", "", text="The planner keeps statistics."),))
    with closing(Making([bundle], "en", tmp_path / "cache.db")) as making:
        leader = at_work(place)
        os.kill(leader, signal.SIGKILL)
        with pytest.raises(ServiceError, match="has ended"):
            making.made(bundle)
        assert until(lambda: not group(leader))
