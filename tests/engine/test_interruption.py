"""A build that is stopped in its midst leaves the old site as it was, no process behind, and the next build free."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from lumen import lumen, post
from process_groups import PATIENCE, group, needs_proc, until
from sites import NOW, build_site, read_tree, write_site

from devlog.model.report import Report

REPOSITORY = Path(__file__).parent.parent.parent

pytestmark = [
    pytest.mark.slow,
    needs_proc,
]


def slow() -> dict[str, str | bytes]:
    """A site that keeps two processes busy for some seconds."""
    lines = "\n".join(f"def step_{number}(page: Page, size: int = {number}) -> str: ..." for number in range(250))
    files = lumen()
    for number in range(300):
        body = f"Text {number}.\n\n```python\n# {number}\n{lines}\n```"
        files[f"content/planner/2025-01-{number % 28 + 1:02d}-{number}.md"] = post(f"Number {number}", "", body=body)
    return files


def builds(site: Path) -> Report:
    """The next build, without most of the texts: they take long, and say no more than the others."""
    for file in sorted((site / "content/planner").glob("2025-*.md"))[20:]:
        file.unlink()
    return build_site(site)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site that was built, and of which every text is to be parsed again."""
    root = write_site(tmp_path, lumen())
    assert not build_site(root).failed
    return write_site(root, slow())


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for temporary files."""
    return tmp_path_factory.mktemp("temporary")


def start(site: Path, temporary: Path) -> subprocess.Popen[str]:
    """A build as a shell starts it: in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "devlog", "build", "--root", str(site), "--now", NOW.isoformat(), "--jobs", "2"],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.fixture
def command(site: Path, temporary: Path) -> Iterator[subprocess.Popen[str]]:
    """A build that is under way."""
    process = start(site, temporary)
    yield process
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


# The command alone, with a helper, with the server of processes, with workers at work.
@pytest.mark.parametrize("processes", [2, 3, 5])
def test_control_c(processes: int, site: Path, command: subprocess.Popen[str], temporary: Path) -> None:
    before = read_tree(site / "public")
    assert until(lambda: len(group(command.pid)) >= processes)
    assert command.poll() is None
    os.killpg(command.pid, signal.SIGINT)
    out, err = command.communicate(timeout=PATIENCE)
    assert (command.returncode, out, err) == (130, "", "Interrupted.\n")
    assert until(lambda: not group(command.pid))
    assert not list(temporary.iterdir())
    assert read_tree(site / "public") == before
    assert not builds(site).failed


def test_an_interrupted_build_forgets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has not looked at yet is still needed."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    posts = {f"content/planner/2025-01-01-{number}.md": post(str(number), "2025-01-01") for number in range(250)}
    root = write_site(tmp_path, posts)
    assert build_site(root).parsed == 250
    with monkeypatch.context() as patch:
        patch.setattr("devlog.pipeline.read_inputs", interrupted)
        with pytest.raises(KeyboardInterrupt):
            build_site(root)
    assert build_site(root).parsed == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end(number: int, site: Path, command: subprocess.Popen[str], temporary: Path) -> None:
    """As a service manager ends a build, and a terminal that is closed."""
    before = read_tree(site / "public")
    assert until(lambda: len(group(command.pid)) >= 5)
    os.kill(command.pid, number)
    out, err = command.communicate(timeout=PATIENCE)
    assert (command.returncode, out, err) == (128 + number, "", "Interrupted.\n")
    assert until(lambda: not group(command.pid))
    assert not list(temporary.iterdir())
    assert read_tree(site / "public") == before


STOPPED_IN_THE_POOL = """
import os, signal, sys
from multiprocessing.popen_forkserver import Popen
from devlog.cli import run
launch = Popen._launch

def interrupted(self, process):
    os.kill(os.getpid(), number)
    return launch(self, process)

if __name__ == "__main__":
    number = int(sys.argv.pop())
    Popen._launch = interrupted
    run()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_within_the_pool(number: int, site: Path, tmp_path: Path, temporary: Path) -> None:
    """An exception from there would keep the queues of the pool, until their semaphores are reported as leaked."""
    (tmp_path / "stopped.py").write_text(STOPPED_IN_THE_POOL, "utf-8")
    build = ["build", "--root", str(site), "--now", NOW.isoformat(), "--jobs", "2", str(int(number))]
    done = subprocess.run(
        [sys.executable, str(tmp_path / "stopped.py"), *build],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
    )
    assert (done.returncode, done.stderr) == (128 + number, "Interrupted.\n")
    assert not list(temporary.iterdir())


def test_workers_end_when_the_command_is_killed(site: Path, command: subprocess.Popen[str]) -> None:
    before = read_tree(site / "public")
    assert until(lambda: len(group(command.pid)) >= 5)
    assert command.poll() is None
    os.kill(command.pid, signal.SIGKILL)
    assert command.wait(PATIENCE) == -signal.SIGKILL
    assert until(lambda: not group(command.pid))
    public = read_tree(site / "public")
    assert {path: public.get(path) for path in before} == before
    report = builds(site)
    assert not report.diagnostics or {item.severity for item in report.diagnostics} == {"warning"}
    assert not report.failed


def test_a_build_leaves_nothing_among_the_temporary_files(tmp_path: Path, temporary: Path) -> None:
    posts = {f"content/planner/2025-01-01-{number}.md": post(str(number), "2025-01-01") for number in range(150)}
    root = write_site(tmp_path / "site", posts)
    with start(root, temporary) as build:
        assert until(lambda: any(temporary.iterdir()))  # there the processes are asked for
        _, err = build.communicate(timeout=PATIENCE)
    assert build.returncode == 0, err
    assert not list(temporary.iterdir())


EARLY = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "devlog.cli.process":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
from devlog.start import run
run()
"""
PARSED = """
import click
from devlog.start import run

def interrupted(*_values, **_named):
    raise KeyboardInterrupt

click.Group.make_context = interrupted
run()
"""


@pytest.mark.parametrize(("script", "code", "said"), [(EARLY, -signal.SIGINT, ""), (PARSED, 130, "Interrupted.\n")])
def test_an_interruption_at_the_start_is_quiet(script: str, code: int, said: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", said)
