"""Every change of a range is accounted for: listed, folded into another one, or counted."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repositories import Repository

from devlog.features.digests.digest.areas import ConfiguredAreas
from devlog.features.digests.digest.changes import Found, changes_of, contacts
from devlog.features.digests.digest.history import Span, read_history, spellings
from devlog.features.digests.digest.understand import Period, understand
from devlog.features.digests.model.activity import Activity, decode, encode

UTC = ZoneInfo("UTC")


def read(repository: Repository, first: str, **more: Any) -> tuple[tuple[Found, ...], Activity]:
    history = read_history(repository.folder, Span(first=first))
    changes = changes_of(history, spellings(repository.folder, contacts(history)), UTC, **more)
    return changes, understand("Lumen", history, changes, ConfiguredAreas(), Period(), UTC)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "lumen")


def fates(changes: tuple[Found, ...]) -> list[tuple[str, str, str]]:
    """The title, the fate and the reason of each change, the oldest first."""
    return [(one.change.title, one.change.fate, one.change.reason) for one in reversed(changes)]


def test_authors_of_a_merge_are_those_of_its_commits(repository: Repository) -> None:
    repository.merge(
        "Merge pull request #12 from bo/lexer\n\nSpeed up the lexer\n\nReviewed-by: Di Vo <di@lumen.example>",
        [
            ("wip\n\nCo-authored-by: Eve Rill <eve@lumen.example>", {"src/lexer.py": "a\n"}, "Bo Lint"),
            ("more", {"src/token.py": "a\n", "yarn.lock": "x\n"}, "Cy Marsh"),
        ],
    )
    ((found,), activity) = read(repository, "HEAD^1")
    change = found.change
    assert (change.number, change.title, change.kind) == ("#12", "Speed up the lexer", "performance")
    assert change.authors == ("Bo Lint", "Eve Rill", "Cy Marsh")
    assert change.reviewers == ("Di Vo",)
    assert change.files == ("src/lexer.py", "src/token.py")
    assert activity.totals.new_people == 3


def test_a_revert_takes_both_out_and_a_reland_brings_one_back(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    one = repository.commit("Add a cache (#1)")
    repository.commit(f'Revert "Add a cache (#1)" (#2)\n\nThis reverts commit {one}.')
    repository.commit("Add a log (#3)")
    repository.commit('Revert "Add a log" (#4)')
    repository.commit('Reland "Add a log" (#5)')
    changes, activity = read(repository, first)
    assert fates(changes) == [
        ("Add a cache", "folded", "reverted"),
        ('Revert "Add a cache (#1)"', "folded", "revert"),
        ("Add a log", "listed", ""),
        ('Revert "Add a log"', "folded", "revert"),
        ('Reland "Add a log"', "folded", "reland"),
    ]
    assert activity.totals.listed == 1
    assert activity.totals.folded == 4


def test_a_revert_of_something_older_is_listed(repository: Repository) -> None:
    one = repository.commit("Add a cache (#1)")
    repository.commit(f'Revert "Add a cache (#1)" (#2)\n\nThis reverts commit {one}.')
    changes, _ = read(repository, one)
    assert fates(changes) == [('Revert "Add a cache (#1)"', "listed", "")]


@pytest.mark.slow
def test_what_is_only_counted(repository: Repository) -> None:
    other = Repository(repository.folder.parent / "other")
    first = repository.git("rev-parse", "HEAD")
    repository.git("submodule", "add", "-q", str(other.folder), "vendored")
    repository.commit("Add a submodule", {})
    other.commit("Go on")
    repository.git("-C", "vendored", "pull", "-q", str(other.folder), "main")
    repository.commit("Move vendored", {})
    repository.commit("Bump serde from 1.0.1 to 1.0.2", author="dependabot[bot]")
    repository.commit("Format", author="lumen-bot")
    repository.commit("Sync translations", author="Weblate")
    repository.commit("[backport 2.1] Fix the lexer")
    changes, activity = read(repository, first, bots=("Weblate",))
    assert fates(changes) == [
        ("Add a submodule", "listed", ""),
        ("Move vendored", "counted", "submodule"),
        ("Bump serde from 1.0.1 to 1.0.2", "counted", "dependency"),
        ("Format", "counted", "bot"),
        ("Sync translations", "counted", "bot"),
        ("Fix the lexer", "counted", "backport"),
    ]
    assert activity.counted == {"backport": 1, "bot": 2, "dependency": 1, "submodule": 1}


def test_a_program_that_merges_is_no_author(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.commit("Fix (#1)\n\nCo-authored-by: Bo Lint <bo@lumen.example>", author="merge-bot")
    changes, _ = read(repository, first)
    assert (changes[0].change.authors, changes[0].change.fate) == (("Bo Lint",), "listed")


@pytest.mark.slow
def test_areas_that_change_together_are_one(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    for number in range(4):
        repository.commit(f"Parse {number}", {f"src/parser/{number}.py": "x", f"tests/parser/{number}.py": "x"})
        repository.commit(f"Store {number}", {f"src/store/{number}.py": "x", f"src/pages/{number}.py": "x"})
    _, activity = read(repository, first)
    assert sorted((area.name, len(area.changes)) for area in activity.areas) == [("parser", 4), ("store", 4)]


@pytest.mark.slow
def test_the_package_of_a_project_is_no_area(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    for number in range(3):
        repository.commit(f"Log {number}", {f"lumen/wal/log/{number}.py": "x", f"tests/wal/log/{number}.py": "x"})
        repository.commit(f"Plan {number}", {f"lumen/planner/{number}.py": "x", f"lumen/planner/{number}.txt": "x"})
    repository.commit("Version", {"lumen/version.py": "x"})
    everywhere = [f"lumen/{name}{number}/x.py" for name in ("wal", "planner", "other") for number in range(4)]
    for text in "abc":  # renames touch all, and join nothing
        repository.commit(text, dict.fromkeys((*everywhere, "lumen/wal/log/0.py", "lumen/planner/0.py"), text))
    changes, activity = read(repository, first)
    titles = {change.change.commit: change.change.title for change in changes}
    areas = {area.name: {titles[commit] for commit in area.changes} - set("abc") for area in activity.areas}
    assert areas["log"] == {"Log 0", "Log 1", "Log 2"}
    assert areas["planner"] == {"Plan 0", "Plan 1", "Plan 2"}
    assert areas["lumen"] == {"Version"}


def test_scopes_are_areas_where_most_subjects_have_one(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    for subject in ("parser: fix a", "Parser: fix b", "store: add c", "tidy"):
        repository.commit(subject, {f"src/{subject.replace(':', '')}.py": "x"})
    _, activity = read(repository, first)
    assert {area.name: len(area.changes) for area in activity.areas} == {"Parser": 2, "store": 1, "other": 1}


HABITS = st.sampled_from(
    ["direct", "squash", "merge", "gitlab", "revert", "reland", "bot", "bump", "backport", "empty"]
)


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(habits=st.lists(HABITS, min_size=1, max_size=12))
def test_each_change_is_accounted_for_once(habits: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository(Path(folder) / "lumen")
        first = repository.git("rev-parse", "HEAD")
        ids, titles = [], ["Nothing"]
        for number, habit in enumerate(habits, 1):
            title, files = f"Change thing {number}", {f"src/{number % 3}/{number}.py": f"{number}\n"}
            match habit:
                case "squash":
                    ids.append(repository.commit(f"{title} (#{number})", files))
                case "merge":
                    own = [("wip", files, "Bo Lint"), ("more", {f"docs/{number}.md": "x"}, "Cy Marsh")]
                    ids.append(repository.merge(f"Merge pull request #{number} from bo/x\n\n{title}", own))
                case "gitlab":
                    message = f"Merge branch 'x' into 'main'\n\n{title}\n\nSee merge request lumen/db!{number}"
                    ids.append(repository.merge(message, [("wip", files, "Bo Lint")]))
                case "revert":
                    ids.append(
                        repository.commit(f'Revert "{titles[-1]}"\n\nThis reverts commit {(ids or [first])[-1]}.')
                    )
                case "reland":
                    ids.append(repository.commit(f'Reland "{titles[-1]}"'))
                case "bot":
                    ids.append(repository.commit(title, files, author="renovate[bot]"))
                case "bump":
                    ids.append(repository.commit(f"Bump x from 1.0 to 1.{number}", files))
                case "backport":
                    ids.append(repository.commit(f"[release/1.0] {title}", files))
                case "empty":
                    ids.append(repository.commit(title, {}))
                case _:
                    ids.append(repository.commit(title, files))
            titles.append(title)
        changes, activity = read(repository, first)
    assert [one.change.commit for one in reversed(changes)] == ids
    totals = activity.totals
    assert totals.changes == len(ids) == totals.listed + totals.folded + totals.counted
    listed = Counter(commit for area in activity.areas for commit in area.changes)
    assert listed == Counter(change.commit for change in activity.changes if change.fate == "listed")
    known = {change.commit for change in activity.changes}
    for change in activity.changes:
        assert (change.fate == "listed") == (change.reason == "")
        assert (change.fate == "folded") == bool(change.into)
        assert change.into in known | {""}
    assert sum(activity.counted.values()) == totals.folded + totals.counted
    assert decode(encode(activity)) == activity
