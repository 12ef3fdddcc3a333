"""Every rule: what it finds, what it lets pass, what fixing makes of it. The cases are in `tests/check/cases`."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path

import pytest
from cases_format import Case, Section, features_of_case, read_case
from check_cases import check_site, fix_site, fixed_sections, problems_of, shown, tree, written

from devlog.check import rules
from devlog.plugins.features import codes_of_checks, known_codes

FOLDER = Path(__file__).parent / "cases"
FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, id=file.stem, marks=pytest.mark.feature(*features_of_case(file))) for file in FILES],
)
def test_case(file: Path, tmp_path: Path, update: bool) -> None:
    case = read_case(file.read_text("utf-8"))
    root = written(case, tmp_path)
    expected = next((section for section in case.sections if section.heading == "expect problems"), None)
    found = problems_of(check_site(root))
    fixed = fix_site(root)
    after = tree(root)
    if update:
        if expected is None and found:
            case.sections.append(Section("expect problems", ""))
            expected = case.sections[-1]
        if expected:
            expected.text = found
        _update_fixed(case, [change.new_file for change in fixed.changes], after)
        file.write_text(str(Case(case.intro, case.sections)), "utf-8")
    assert found == (expected.text if expected else "")
    assert not fixed.refused
    sections = fixed_sections(case)
    assert sorted(path for _, path, _ in sections) == sorted(change.new_file for change in fixed.changes)
    for section, path, with_escapes in sections:
        assert shown(after[path], with_escapes=with_escapes) == section.text, path
    assert fix_site(root).changes == (), "fixing once more changes nothing"
    assert tree(root) == after


def _update_fixed(case: Case, changed: list[str], after: dict[str, bytes]) -> None:
    known = {path: (section, with_escapes) for section, path, with_escapes in fixed_sections(case)}
    for path in changed:
        if path not in known:
            with_escapes = b"\r" in after[path] or after[path].startswith(b"\xef\xbb\xbf")
            heading = f"expect fixed {path}" + (" (escaped)" if with_escapes else "")
            case.sections.append(Section(heading, ""))
            known[path] = (case.sections[-1], with_escapes)
        section, with_escapes = known[path]
        section.text = shown(after[path], with_escapes=with_escapes)
    case.sections[:] = [s for s in case.sections if not any(s is known[p][0] for p in known if p not in changed)]


ELSEWHERE = {
    "date-from-git": "test_fixing_meaning.py",
    "leaks.location": "test_images.py",
    "large-image": "test_images.py",
    "missing-source": "test_missing_source.py",
    "unpinned-link": "test_fixing_links.py",
    "changed-source": "../test_sources.py",
    "stale-citation": "../test_sources.py",
    "dead-url": "../external",
    "moved-url": "../external",
    "offline": "../external",
    "unasked-urls": "../external",
}


@pytest.mark.parametrize("code", sorted(codes_of_checks()))
def test_every_code_has_a_case(code: str) -> None:
    if code in ELSEWHERE:
        assert (Path(__file__).parent / ELSEWHERE[code]).exists()
        return
    told = [file.name for file in FILES if f"[{code}]" in file.read_text("utf-8")]
    assert told, f"write a case for {code}"


@pytest.mark.parametrize("code", sorted(known_codes()))
def test_every_code_is_explained(code: str) -> None:
    text = rules.explain(code)
    assert re.match(r"[A-Z`]", text), code
    assert len(text) > 15
    if code not in codes_of_checks():  # what an argument of the function means is nothing for readers
        assert not re.search(r"[;:.]\s`\w+`\s|Args:", text)
    names = {
        name
        for message in rules._messages()
        if code in message.__code__.co_consts
        for name in signature(message).parameters
    }
    assert not names & set(re.findall(r"`(\w+)`", text))
    assert "``" not in text  # as in docstrings that only developers read


def test_every_rule_has_its_code() -> None:
    for family, some in rules.FAMILIES.items():
        for rule in some:
            code = rule.__name__.replace("_", "-")
            if family == "leaks":
                assert f"leaks.{code}" in codes_of_checks() or code == "own"
            else:
                assert code in codes_of_checks(), rule


def test_what_is_no_code_is_not_explained() -> None:
    assert rules.explain("nonsense") == ""
