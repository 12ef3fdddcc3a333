"""Which tests run, seen in small test suites of their own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import selection

pytest_plugins = ["pytester"]

SUITE = """
import pytest

def test_plain(): pass

@pytest.mark.slow
def test_long(): pass

@pytest.mark.slow
@pytest.mark.java
def test_long_with_java(): pass

@pytest.fixture
def browser(): return None

def test_page(browser): pass
"""
LINE = "3 tests were not run (browser 1, java 1, slow 1): pytest --all runs everything, see “Tests” in CONTRIBUTING.md"


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Where Java is missing, and Chromium is there."""
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\naddopts = "--strict-markers"\ntestpaths = ["tests"]')
    folder = pytester.mkdir("tests")
    (folder / "test_a.py").write_text(SUITE, "utf-8")
    for name in ("DEVLOG_NO_SKIPS", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(selection.NEEDS, "java", selection.Need("", lambda: "no java"))
    monkeypatch.setitem(selection.NEEDS, "browser", selection.Need(""))
    return pytester


def ran(suite: pytest.Pytester, *arguments: str) -> tuple[dict[str, int], str]:
    """How many tests passed, failed or were skipped, and all that was said."""
    result = suite.runpytest_inprocess("-p", "selection", *arguments)
    counts = {name: count for name, count in result.parseoutcomes().items() if name != "deselected"}
    return counts, result.stdout.str()


def test_by_default_what_needs_nothing_runs(suite: pytest.Pytester) -> None:
    counts, said = ran(suite)
    assert counts == {"passed": 1}
    assert said.count("not run (") == 1
    assert LINE in said.splitlines()


def test_a_folder_that_is_named_changes_nothing(suite: pytest.Pytester) -> None:
    assert ran(suite, "tests")[0] == {"passed": 1}


@pytest.mark.slow
def test_parts_have_all_together(suite: pytest.Pytester) -> None:
    for name in ("test_b.py", "test_c.py"):
        (suite.path / "tests" / name).write_text(SUITE, "utf-8")
    counts = [ran(suite, "--all", "--part", f"{number}/2")[0] for number in (1, 2)]
    assert counts == [{"passed": 7, "skipped": 2}, {"passed": 5, "skipped": 1}]
    assert ran(suite, "tests/test_b.py", "--all", "--part", "1/2")[0] == {"passed": 3, "skipped": 1}


@pytest.mark.parametrize("part", ["", "2", "0/4", "5/4", "x/4", "1/", "²/4"])
def test_what_is_no_part_is_refused(suite: pytest.Pytester, part: str) -> None:
    result = suite.runpytest_inprocess("-p", "selection", "--all", "--part", part)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "such as 2/4" in result.stderr.str() + result.stdout.str()


@pytest.mark.parametrize(
    ("arguments", "counts"),
    [
        (["--all"], {"passed": 3, "skipped": 1}),
        (["tests/test_a.py"], {"passed": 3, "skipped": 1}),
        (["tests/test_a.py::test_long"], {"passed": 1}),
        (["-m", "slow"], {"passed": 1, "skipped": 1}),
        (["-m", "browser"], {"passed": 1}),
    ],
    ids=" ".join,
)
def test_what_is_asked_for_runs(suite: pytest.Pytester, arguments: list[str], counts: dict[str, int]) -> None:
    found, said = ran(suite, *arguments)
    assert found == counts
    assert "not run (" not in said


def test_files_with_long_tests_come_first_and_stay_whole(suite: pytest.Pytester) -> None:
    (suite.path / "tests/test_b.py").write_text("def test_b(): pass\n", "utf-8")
    (suite.path / "tests/test_c.py").write_text(SUITE, "utf-8")
    said = ran(suite, "--all", "--collect-only", "-q")[1].splitlines()
    assert [line.partition("::")[0][-4:] for line in said if "::" in line] == [*["a.py"] * 4, *["c.py"] * 4, "b.py"]


def test_each_process_has_files_with_long_tests_first(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = "import pytest\n@pytest.mark.parametrize('number', range({}))\ndef test_quick(number): pass\n"
    (suite.path / "tests/test_b.py").write_text(quick.format(9), "utf-8")
    (suite.path / "tests/test_c.py").write_text(SUITE, "utf-8")
    (suite.path / "tests/test_d.py").write_text(quick.format(5), "utf-8")
    (suite.path / "tests/test_e.py").write_text(quick.format(4), "utf-8")
    monkeypatch.setattr(selection, "_distributed", lambda items, _, original=selection._distributed: original(items, 2))
    said = ran(suite, "--all", "--collect-only", "-q")[1].splitlines()
    order = [line.partition("::")[0][-4] for line in said if "::" in line]
    assert "".join(order) == "aaaa" + "b" * 9 + "cccc" + "ddddd" + "eeee"


@pytest.mark.slow
def test_processes_begin_to_collect_at_different_files_and_agree(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = suite.mkdir("notes")
    for name in ("b", "c", "d"):
        note = f"open({str(notes)!r} + '/' + os.environ['PYTEST_XDIST_WORKER'], 'a').write({name!r})"
        (suite.path / f"tests/test_{name}.py").write_text(f"import os\n{note}\ndef test(): pass\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(Path(selection.__file__).parent))
    assert suite.runpytest_subprocess("-p", "selection", "-n", "2").parseoutcomes()["passed"] == 4
    assert sorted(path.read_text() for path in notes.iterdir()) == ["bcd", "cdb"]


@pytest.mark.slow
def test_what_is_missing_is_told(suite: pytest.Pytester) -> None:
    assert "no java" in ran(suite, "--all", "-rs")[1]


def test_a_skip_fails_where_nothing_may_be_missing(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVLOG_NO_SKIPS", "1")
    (suite.path / "tests/test_b.py").write_text('import pytest\npytest.importorskip("no_such_module")\n', "utf-8")
    result = suite.runpytest_inprocess("-p", "selection", "--all", "--continue-on-collection-errors")
    counts, said = result.parseoutcomes(), result.stdout.str()
    assert "skipped" not in counts
    assert "test_long_with_java must not be skipped here: Skipped: no java" in said
    assert "test_b.py must not be skipped here" in said


@pytest.mark.slow
def test_processes_tell_what_they_left_out(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    result = suite.runpytest_subprocess("-p", "selection", "-n", "2")
    assert result.parseoutcomes()["passed"] == 1
    assert LINE in result.stdout.str().splitlines()


def test_the_line_for_one_test() -> None:
    assert selection.left_out_line(Counter(slow=1)).startswith("1 test was not run (slow 1): ")
    assert selection.left_out_line(Counter(slow=1200)).startswith("1,200 tests were not run (slow 1,200): ")


def test_files_are_named_and_folders_are_not(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").touch()
    assert selection.named([str(tmp_path), f"{tmp_path}/test_a.py::test_x", f"{tmp_path}/gone.py"]) == {
        tmp_path / "test_a.py"
    }


def test_tests_of_a_feature_that_is_not_there_are_left_out(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "FEATURES", ("images", "gone"))
    marked = "\n@pytest.mark.feature('images', 'gone')\ndef test_it(): assert False\n"
    (suite.path / "tests/test_a.py").write_text(f"import pytest\n\ndef test_plain(): pass\n{marked}", "utf-8")
    (suite.path / "tests/test_b.py").write_text("from devlog.features.gone import x\n\ndef test_it(): pass\n", "utf-8")
    counts, said = ran(suite)
    assert counts == {"passed": 1}
    assert "the feature gone is not here, and its tests were not run" in said.splitlines()


def test_a_mark_names_a_feature(suite: pytest.Pytester) -> None:
    (suite.path / "tests/test_a.py").write_text(
        "import pytest\n\n@pytest.mark.feature('image')\ndef test_it(): pass\n", "utf-8"
    )
    assert ran(suite)[0] == {}


@pytest.mark.slow
def test_a_file_is_about_one_feature() -> None:
    """All tests in a file that imports a feature are left out without it; tests of two say so themselves."""
    about = {file.name: selection.features_of(file) for file in Path(__file__).parent.rglob("test_*.py")}
    assert {name: features for name, features in about.items() if len(features) > 1} == {}


@pytest.mark.feature(*selection.FEATURES)
def test_all_features_are_named() -> None:
    folders = (Path(__file__).parent.parent / "devlog" / "features").glob("*/__init__.py")
    assert sorted(path.parent.name for path in folders) == list(selection.FEATURES)
