"""Commands are run without a shell, in an empty folder, with a bare environment, and within limits."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from devlog.features.diagrams.derive import draw as module
from devlog.features.diagrams.derive.draw import draw, draw_all
from devlog.model.derived import Made, Work

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"></svg>'


def drawn(program: str, *arguments: str, text: str = "a\nb\n") -> Made:
    """What a program of Python's makes of a text."""
    return draw({"language": "box", "text": text, "command": [sys.executable, "-c", program, *arguments]})


def test_from_standard_input_to_standard_output() -> None:
    made = drawn(f"import sys; assert sys.stdin.read() == 'a\\nb\\n'; print('{SVG}')")
    assert made == Made({"width": 4, "height": 3}, (SVG.encode(),))


def test_from_file_to_file() -> None:
    program = (
        "import sys; text = open(sys.argv[1]).read(); assert sys.argv[1].endswith('.box'); assert not sys.stdin.read();"
        f"print('chatter'); open(sys.argv[2][2:], 'w').write('{SVG}')"
    )
    assert drawn(program, "{input}", "-o{output}").blobs == (SVG.encode(),)


def test_no_shell_and_nothing_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "abc")
    program = (
        "import sys, os, json; print(json.dumps([sys.argv[1:], os.listdir(), sorted(os.environ)]), file=sys.stderr);"
        "sys.exit(3)"
    )
    said = drawn(program, "$HOME; `id`", "*", "{root}").problem.partition(" says: ")[2]
    arguments, files, environment = json.loads(said)
    assert arguments == ["$HOME; `id`", "*", ""]
    assert set(files) == {"diagram.box", "stderr", "stdout"}
    assert set(environment) <= {"PATH", "HOME", "LC_ALL", "TMPDIR", "TEMP", "TZ", "LC_CTYPE"}


@pytest.mark.parametrize(
    ("program", "problem", "line"),
    [
        ("import sys; sys.exit('\\n  no such\\x1b[31m node\\nmore')", "says: no such [31m node", 0),
        ("import sys; sys.exit('syntax error on line 2: x')", "says: syntax error on line 2: x", 2),
        ("import sys; sys.exit('error in line 77')", "says: error in line 77", 0),
        ("import sys; sys.exit('Picked up JAVA_TOOL_OPTIONS: -Dx\\nbad line 2')", "says: bad line 2", 2),
        ("import sys; sys.exit(4)", "fails with status 4", 0),
        ("print('hello')", "cannot be shown: it is not SVG: ", 0),
        ("", "cannot be shown: it is not SVG: ", 0),
        ("import os, sys; sys.exit(os.getcwd() + '/diagram.box: wrong')", "says: diagram.box: wrong", 0),
    ],
)
def test_what_goes_wrong(program: str, problem: str, line: int) -> None:
    made = drawn(program)
    assert problem in made.problem
    assert made.problem.isprintable()
    assert (made.line, made.blobs) == (line, ())


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "sys.exit(137)"])
def test_a_program_that_the_system_ended_may_draw_it_next_time(end: str) -> None:
    assert drawn(f"import os, sys; {end}").retry
    assert not drawn("import sys; sys.exit(4)").retry


def test_no_output_file() -> None:
    assert drawn("print('x')", "{output}").problem.endswith("produced no diagram")


def test_a_link_is_no_output() -> None:
    program = "import os, sys; os.symlink('/etc/hostname', sys.argv[1])"
    assert drawn(program, "{output}").problem.endswith("produced no diagram")


def test_a_program_that_is_not_there_may_be_another_time() -> None:
    made = draw({"language": "box", "text": "", "command": ["no-such-program-anywhere"]})
    assert made.problem == "“no-such-program-anywhere” cannot be started: No such file or directory"
    assert made.retry


def test_a_program_that_never_ends_is_ended_with_all_it_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    noted = tmp_path / "pid"
    program = (
        "import subprocess, sys, time;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "open(sys.argv[1], 'w').write(str(child.pid)); time.sleep(600)"
    )
    for seconds in (1.5, 6.0, 24.0):  # on a busy machine it takes more than the first to start anything
        monkeypatch.setattr(module, "SECONDS", seconds)
        made = drawn(program, str(noted))
        assert made.problem.endswith(f"takes longer than {seconds:g} seconds")
        assert made.retry
        if noted.exists() and noted.read_text():
            break
    assert not _is_alive(int(noted.read_text()))


def _is_alive(pid: int) -> bool:
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False
        if state == "Z":  # dead, and waiting for somebody to be told
            return False
        time.sleep(0.05)
    return True


def test_a_program_that_writes_without_end() -> None:
    made = drawn("while True: print('x' * 10000)")
    assert made.problem.endswith("writes more than a drawing may have")


def test_a_large_drawing() -> None:
    made = drawn(f"print('x' * {module.MAX_BYTES + 1})")
    assert "than" in made.problem
    assert not made.blobs


@pytest.mark.slow
def test_several_at_a_time_in_their_order() -> None:
    program = f"import sys, time; time.sleep(0.2 * (sys.stdin.read() == '0')); print('{SVG}')"
    works = [
        Work("", {"language": "box", "text": str(number), "command": [sys.executable, "-c", program]})
        if number != 2
        else Work("", {"language": "box", "text": "2", "command": [sys.executable, "-c", "1/0"]})
        for number in range(4)
    ]
    assert [bool(made.blobs) for made in draw_all(works)] == [True, True, False, True]
    assert draw_all([]) == []


def test_the_diagrams_of_one_post_have_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A post may have thousands of diagrams that take their minute each."""
    monkeypatch.setattr(module, "SECONDS_OF_POST", 0.001)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 1)
    texts = ("a.md 1", "a.md 2", "b.md 1")
    command = [sys.executable, "-c", f"print('{SVG}')"]
    works = [Work("", {"language": "box", "text": text, "command": command}) for text in texts]
    made = draw_all(works, lambda work: str(work.parts["text"].partition(" ")[0]))
    assert [bool(one.blobs) for one in made] == [True, False, True]
    assert made[1] == Made(problem="all of this post together take longer than 0.001 seconds", retry=True)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell the memory of a process")
def test_a_program_that_takes_memory_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MEMORY", 40 << 20)
    made = drawn("import time; data = b'x' * (60 << 20); time.sleep(60)")
    assert made.problem.endswith("takes more than 40 MB of memory")
    assert made.retry


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    drawn("open('more', 'w').write('x')")
    assert list(tmp_path.iterdir()) == []
