"""Work goes on in this process, without a word, where the system refuses threads, processes or what they need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sites import write_site

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits of Linux")

PROGRAM = """
import os, resource, threading
from test_executors import Workers, failed, process_of, processes
def limit(kind, most, process=0):
    resource.prlimit(process, kind, (most, resource.prlimit(process, kind)[1]))
{limits}
workers = Workers(2, ["msgspec"])
for _ in range(2):
    workers.wake()
    print({{*workers.run(process_of, range(100), failed)}} == {{os.getpid()}})
    print([*workers.run(process_of, [1], failed, heavy=True, apart=bool)] == [os.getpid()])
    workers.dismiss()
workers.close()
processes.clear()
"""

NO_THREADS = """
limit(resource.RLIMIT_AS, 1 << 30)
threading.stack_size(2 << 30)
"""

NO_THREADS_OF_PROCESSES = """
limit(resource.RLIMIT_AS, 1 << 30)
limit(resource.RLIMIT_STACK, 2 << 30)  # the size of a thread's stack in programs that start from now on
"""

NO_MORE_FILES_OF_THE_SERVER = """
start = processes._start_server
def limited():
    start()
    from multiprocessing import get_context
    from multiprocessing.forkserver import _forkserver
    first = get_context("forkserver").Process(target=os.getpid)  # it starts once the server has loaded its modules
    first.start()
    first.join()
    limit(resource.RLIMIT_NOFILE, 9, _forkserver._forkserver_pid)
processes._start_server = limited
"""


@pytest.mark.parametrize("limits", [NO_THREADS, NO_THREADS_OF_PROCESSES, NO_MORE_FILES_OF_THE_SERVER])
def test_what_the_system_refuses_is_done_without(limits: str) -> None:
    code = PROGRAM.format(limits=limits)
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,  # the fault was to wait for ever
    )
    assert (done.stdout, done.stderr) == ("True\n" * 4, "")


def test_a_build_without_threads_has_no_search_and_no_traceback(tmp_path: Path) -> None:
    post = "---\ntitle: Joins\n---\n\nText.\n"
    root = write_site(tmp_path / "site", {"devlog.toml": 'title = "Team"', "content/planner/2026-01-02-a.md": post})
    code = f"""
import resource, sys, threading
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, resource.RLIM_INFINITY))
threading.stack_size(4 << 30)
sys.argv = ["devlog", "build", "--root", {str(root)!r}]
from devlog.cli import run
run()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert "warning[no-search]" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0
    assert (root / "public/index.html").exists()
