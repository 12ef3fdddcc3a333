"""Every message has a case that shows it, or a named test where no text file can bring it about."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import pytest
from cases_format import read_case, run_case

from devlog.model import problems
from devlog.model.diagnostic import Diagnostic

TESTS = Path(__file__).parent
SOURCE = Path(problems.__file__)

ELSEWHERE = {
    # Links, pipes, bytes in names and sizes of files cannot stand in a text file.
    "symlink": "disk/test_read.py::test_links_are_refused",
    "special_file": "disk/test_read.py::test_special_files_are_refused_without_waiting",
    "too_large": "disk/test_read.py::test_limits",
    "too_deep": "disk/test_read.py::test_depth",
    "undecodable_name": "disk/test_read.py::test_undecodable_names",
    "same_name": "disk/test_read.py::test_two_forms_of_one_name",
    "not_utf8": "disk/test_read.py::test_what_is_not_text",
    "other_encoding": "disk/test_read.py::test_what_is_not_text",
    # The configuration refuses such folders before the disk does.
    "outside_folder": "disk/test_read.py::test_folders_outside_are_refused",
    # These need an earlier build, another process, or a system that fails.
    "unreadable": "disk/test_read.py::test_missing_and_wrong_folders",
    "foreign_output": "test_sites.py::test_a_foreign_file_in_the_way",
    "file_and_folder": "test_sites.py::test_a_file_and_a_folder_at_once",
    "edited_output": "test_sites.py::test_edited_outputs",
    "replaced_output": "test_sites.py::test_edited_outputs",
    "damaged_manifest": "test_sites.py::test_a_damaged_manifest",
    "changed_while_building": "disk/test_write.py::test_assets_are_copied_and_checked",
    "cannot_write": "disk/test_write.py::test_an_error_of_the_system_is_one_message",
    "locked": "test_sites.py::test_a_locked_site",
    "internal_error": "test_sites.py::test_a_fault_of_ours_costs_one_text",
    "worker_died": "test_sites.py::test_a_text_that_ends_its_process",
    "too_slow": "engine/test_executors.py::test_a_template_without_an_end_is_named",
    # These need the option --executor.
    "unknown_executor": "engine/test_executors.py::test_names_that_name_nothing",
    "bad_executor": "engine/test_executors.py::test_names_that_name_nothing",
    "missing_extra": "engine/test_executors.py::test_a_missing_extra_says_what_to_install",
    "no_scheduler": "engine/test_dask.py::test_nobody_at_the_address",
    "no_workers": "engine/test_executors.py::test_a_build_without_workers_is_one_error",
    "other_toolchain": "engine/test_executors.py::test_a_worker_that_is_not_like_us_refuses",
}
"""Messages without a case, with the test that shows each."""


def functions() -> list[ast.FunctionDef]:
    """The public functions of `problems` that make a problem."""
    return [
        node
        for node in ast.parse(SOURCE.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and isinstance(node.returns, ast.Name)
        and node.returns.id == "Diagnostic"
    ]


def codes() -> set[str]:
    """The codes that `problems` gives, as its source has them."""
    return {
        call.args[0].value
        for function in functions()
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("_error", "_warning", "_info")
        and isinstance(call.args[0], ast.Constant)
    }


def test_the_table_of_codes_is_complete() -> None:
    assert codes() == problems.CODES


def test_every_message_has_a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, str, str]] = []

    def recorded(name: str, function: Callable[..., Diagnostic]) -> Callable[..., Diagnostic]:
        @wraps(function)
        def record(*values: object, **named: object) -> Diagnostic:
            problem = function(*values, **named)
            made.append((name, problem.code, problem.message))
            return problem

        return record

    names = [function.name for function in functions()]
    for name in names:
        monkeypatch.setattr(problems, name, recorded(name, getattr(problems, name)))
    shown: set[str] = set()
    for number, file in enumerate(sorted((TESTS / "cases").glob("*.txt"))):
        text = file.read_text("utf-8")
        if "-- expect diagnostics --" in text:  # a case without this section has no problems
            made.clear()
            report, _ = run_case(read_case(text), tmp_path / str(number))
            told = {(problem.code, problem.message) for problem in report.diagnostics}
            shown.update(name for name, code, message in made if (code, message) in told)
    assert sorted(set(names) - shown - set(ELSEWHERE)) == [], "write a case for each"
    assert sorted(set(ELSEWHERE) & shown) == [], "has a case: take it out of the list"
    assert sorted(set(ELSEWHERE) - set(names)) == [], "is no message any more"


@pytest.mark.parametrize(("name", "test"), ELSEWHERE.items())
def test_the_named_tests_are_there(name: str, test: str) -> None:
    file, _, function = test.partition("::")
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function]
    assert found, f"{test} is gone"


@pytest.mark.parametrize("function", functions(), ids=lambda function: function.name)
def test_each_has_a_docstring(function: ast.FunctionDef) -> None:
    assert ast.get_docstring(function)
