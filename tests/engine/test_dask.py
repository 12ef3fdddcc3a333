"""A real cluster of Dask on this machine: a scheduler and two workers, which have devlog and nothing of the site."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
import pytest
from lumen import lumen, post
from sites import NOW, read_tree, write_site

from devlog.disk.manifest import MANIFEST

pytestmark = pytest.mark.slow

pytest.importorskip("distributed", reason="needs the extra dask: pip install -e '.[dev]'")

REPOSITORY = Path(__file__).parent.parent.parent
PATIENCE = 60.0
"""Seconds after which something that must happen counts as never happening."""

WITNESS = """\
import os
from distributed.diagnostics.plugin import WorkerPlugin

class Witness(WorkerPlugin):
    name = "witness"

    def transition(self, key, start, finish, **_more):
        if finish == "memory":
            with open(os.environ["WITNESS"], "a") as file:
                print(os.getpid(), file=file)

async def dask_setup(worker):
    await worker.plugin_add(Witness())
"""


class Cluster(msgspec.Struct):
    """Where its scheduler listens, its process, the folder with the workers' devlog, the folders that all stand in, and
    where workers sign for each task.
    """

    address: str
    scheduler: subprocess.Popen[bytes]
    library: Path
    folders: list[Path]
    witness: Path

    def workers(self) -> list[str]:
        """The process of each finished task."""
        return self.witness.read_text().split() if self.witness.exists() else []


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start(module: str, folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    """Start a part of a cluster in an empty folder."""
    folder.mkdir()
    base = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "SYSTEMROOT", "TMPDIR")}
    with (folder.parent / f"{folder.name}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1", "--no-dashboard", *arguments],
            cwd=folder,
            env={**base, **environment},
            stdout=subprocess.DEVNULL,
            stderr=log,
        )


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def until_listening(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while not listens(port):
        assert time.monotonic() < end, "the scheduler does not start"
        time.sleep(0.05)


@contextmanager
def running(base: Path) -> Iterator[Cluster]:
    """A cluster of two workers whose files are in a folder."""
    # The package alone, without the themes: what a worker needs must come with its work.
    shutil.copytree(REPOSITORY / "devlog", base / "lib" / "devlog")
    (base / "witness.py").write_text(WITNESS, "utf-8")
    port = free_port()
    folders = [base / name for name in ("scheduler", "one", "two")]
    with ExitStack() as ended:
        library = {"PYTHONPATH": str(base / "lib")}
        processes = [start("dask_scheduler", folders[0], "--port", str(port), "--no-jupyter", **library)]
        found = Cluster(f"127.0.0.1:{port}", processes[0], base / "lib", folders, base / "seen.txt")
        ended.callback(lambda: [process.kill() or process.wait() for process in processes])
        until_listening(port)
        for folder in found.folders[1:]:
            options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(base / f"{folder.name}-scratch"))
            processes.append(
                start(
                    "dask_worker",
                    folder,
                    f"tcp://{found.address}",
                    *options,
                    "--preload",
                    str(base / "witness.py"),
                    **library,
                    WITNESS=str(found.witness),
                )
            )
        wait_for_workers(found.address)
        yield found


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Cluster]]:
    """Gives a cluster that lives: the same one, until a test ends it."""
    with ExitStack() as ended:
        last: list[Cluster] = []

        def living() -> Cluster:
            if not last or last[-1].scheduler.poll() is not None:
                last.append(ended.enter_context(running(tmp_path_factory.mktemp("cluster"))))
            return last[-1]

        yield living


@pytest.fixture
def cluster(clusters: Callable[[], Cluster]) -> Cluster:
    """A cluster in which workers may have worked before."""
    return clusters()


def wait_for_workers(address: str) -> None:
    code = "import sys; from distributed import Client; Client(sys.argv[1]).wait_for_workers(2, timeout=60)"
    subprocess.run([sys.executable, "-c", code, f"tcp://{address}"], check=True, timeout=PATIENCE)


def build(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "devlog", "build", "--root", str(root), "--now", NOW.isoformat(), *options],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=2 * PATIENCE,
    )


POSTS = 200
"""Three batches to be parsed, and more to be rendered."""


def site(folder: Path) -> Path:
    """A site of which several batches go out, with a warning in each."""
    files = lumen()
    for number in range(POSTS):
        day = f"2025-{number % 12 + 1:02d}-{number % 28 + 1:02d}"
        files[f"content/planner/{day}-{number}.md"] = post(
            f"Number {number}", day, body=f"Text {number}.\n\n```python\nx = {number}\n```\n\n[gone](gone-{number}.md)"
        )
    return write_site(folder, files)


def result(root: Path) -> dict[str, bytes]:
    files = read_tree(root / "public")
    del files[MANIFEST]
    return files


def test_a_cluster_builds_the_same_site(cluster: Cluster, tmp_path: Path) -> None:
    here, there = site(tmp_path / "here"), site(tmp_path / "there")
    inline = build(here, "--executor", "inline", "--format", "json")
    remote = build(there, "--executor", f"dask://{cluster.address}", "--format", "json")
    assert (inline.returncode, remote.returncode) == (0, 0), remote.stderr
    assert remote.stderr == ""
    told, expected = json.loads(remote.stdout), json.loads(inline.stdout)
    for report in (told, expected):
        del report["seconds"], report["search"]["seconds"]
    assert told == expected
    assert len(told["diagnostics"]) >= POSTS
    assert result(there) == result(here)
    # The work was done there, by both, and the folders where they stand are as empty as they were.
    assert len(cluster.workers()) >= told["parsed"] / 96 + told["rendered"] / 96
    assert len(set(cluster.workers())) == 2
    assert [list(folder.iterdir()) for folder in cluster.folders] == [[], [], []]


def test_a_cluster_with_another_devlog_is_refused(tmp_path: Path) -> None:
    root = site(tmp_path / "site")
    with running(tmp_path / "cluster") as cluster:  # whose workers have not looked at their own devlog yet
        library = cluster.library / "devlog" / "__main__.py"
        library.write_text(library.read_text("utf-8") + "# another line\n", "utf-8")
        done = build(root, "--executor", f"dask://{cluster.address}")
    assert done.returncode == 1
    first, *others = done.stderr.splitlines()
    assert first.startswith("--executor: error[other-toolchain]: a worker would produce different output: ")
    assert first.endswith(" has another devlog")
    assert [line.split(":")[0].strip() for line in others] == ["hint"]
    assert not (root / "public").exists()


def test_nobody_at_the_address(tmp_path: Path) -> None:
    root = site(tmp_path / "site")
    done = build(root, "--executor", f"dask://127.0.0.1:{free_port()}")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("--executor: error[no-workers]: no scheduler answers at “dask://127.0.0.1:")
    assert not (root / "public").exists()


KILLING = """\
import os, signal, sys
from pathlib import Path
from devlog import report
from devlog.build import Options, build
from sites import NOW

living = [int(sys.argv[3])]

def progress(stage, done, total):
    if living:
        os.kill(living.pop(), signal.SIGKILL)

if __name__ == "__main__":
    done = build(Options(root=Path(sys.argv[1]), now=NOW, executor=sys.argv[2]), progress)
    print(*(f"{problem.code}: {problem.message}" for problem in done.diagnostics if problem.severity == "error"))
"""


@pytest.mark.slow
def test_a_scheduler_that_dies_ends_the_build(cluster: Cluster, tmp_path: Path) -> None:
    root = site(tmp_path / "site")
    script = tmp_path / "killing.py"
    script.write_text(KILLING, "utf-8")
    done = subprocess.run(
        [sys.executable, str(script), str(root), f"dask://{cluster.address}", str(cluster.scheduler.pid)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "tests")])},
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
    )
    assert done.stdout.startswith("no-workers: "), done.stderr
    assert not (root / "public").exists()
