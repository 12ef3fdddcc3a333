"""Small sites and what must come of them: the files of `tests/cases`, in the format of `cases_format.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases_format import Case, Section, features_of_case, found_by, missing_lines, read_case, run_case

from devlog.model.report import Report

FOLDER = Path(__file__).parent / "cases"
FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, id=file.stem, marks=pytest.mark.feature(*features_of_case(file))) for file in FILES],
)
def test_case(file: Path, tmp_path: Path, update: bool) -> None:
    text = file.read_text("utf-8")
    case = read_case(text)
    report, outputs = run_case(case, tmp_path)
    if update:
        file.write_text(updated(case, report, outputs), "utf-8")
        case = read_case(file.read_text("utf-8"))
    if not any(section.heading == "expect diagnostics" for section in case.sections):
        case.sections.append(Section("expect diagnostics", ""))
    for section in case.sections:
        if not section.is_left_out:
            check(section, report, outputs)
    assert int(report.failed) == case.exit, "the exit status"


def check(section: Section, report: Report, outputs: dict[str, bytes]) -> None:
    """Hold an expectation against what the build did."""
    if section.expectation is None:
        return
    kind, path = section.expectation
    if kind in ("contains", "exactly", "body"):
        assert path in outputs, f"{path} is missing; there are:\n" + "\n".join(outputs)
    if kind == "contains":
        text = outputs[path].decode()
        wrong = list(missing_lines(section.text.splitlines(), text))
        assert not wrong, f"{path}:\n" + "\n".join(wrong) + "\n\n" + text
    else:
        assert found_by(section, report, outputs) == section.text, section.heading


def updated(case: Case, report: Report, outputs: dict[str, bytes]) -> str:
    """The text of a case with its exact expectations as the build has it."""
    sections = case.sections
    if report.diagnostics and not any(section.heading == "expect diagnostics" for section in sections):
        sections = [*sections, Section("expect diagnostics", "")]
    for section in sections:
        if section.expectation and section.expectation[0] != "contains":
            section.text = found_by(section, report, outputs)
    return str(Case(case.intro, sections))


def test_each_case_says_what_it_shows() -> None:
    for file in FILES:
        first = file.read_text("utf-8").partition("\n")[0]
        assert first.endswith("."), f"{file.name}: a sentence comes first"


def test_lines_are_found_in_order_only() -> None:
    text = "one\ntwo\nthree"
    assert list(missing_lines(["one", "three", "! four"], text)) == []
    assert list(missing_lines(["two", "one"], text)) == ["too early in the output: one"]
    assert list(missing_lines(["four", "! two"], text)) == ["not in the output: four", "stands in the output: two"]


def test_a_case_reads_as_it_is_written() -> None:
    text = "It is short.\ndrafts: yes\n\n-- content/a.md (escaped) --\na\\r\\n\\x1b\n\n-- expect files * --\n"
    case = read_case(text)
    assert str(case) == text
    assert case.options == {"drafts": True}
    assert case.files == {"content/a.md": b"a\r\n\x1b"}


@pytest.mark.parametrize("line", ["draft: yes", "drafts: maybe", "exits: 1"])
def test_an_option_that_is_none_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="not an option"):
        read_case(f"It is short.\n{line}\n")
