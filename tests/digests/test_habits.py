"""Histories with the habits of several hosts: every change of a range is listed, folded or counted, as it should be."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from hashlib import sha1
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devlog.features.digests.digest import areas
from devlog.features.digests.digest.areas import ConfiguredAreas
from devlog.features.digests.digest.changes import changes_of
from devlog.features.digests.digest.history import Before, Commit, File, History
from devlog.features.digests.digest.understand import Period, understand
from devlog.features.digests.model.activity import decode, encode

UTC = ZoneInfo("UTC")
NOON = 1_780_488_000


class Habit(msgspec.Struct, frozen=True):
    """How a host, or a team, words its commits: with the number and title of a change, and the id of a commit.

    Attributes:
        reference: the reference that a digest shows.
        change: the message of a change.
        revert: that of its revert; `id` is that of the change.
        reland: that of another attempt after it; `id` is that of the revert.
        merges: whether a change is a merge of commits.
    """

    reference: str
    change: str
    revert: str
    reland: str
    merges: bool = False


_GITLAB = "Merge branch 'topic' into 'main'\n\n"
_GERRIT = "\n\nChange-Id: I0123456789\nReviewed-on: https://review.lumen.example/c/db/+/"
_PHABRICATOR = "\n\nReviewed By: ada\n\nDifferential Revision: https://phab.lumen.example/"

HABITS = {
    "GitHub, squashed": Habit(
        "#{number}",
        "{title} (#{number})\n\nIt was needed.\n\nCo-authored-by: Bo Lint <bo@lumen.example>",
        'Revert "{title} (#{number})" (#5{number})\n\nReverts lumen/db#{number}',
        'Reapply "{title} (#{number})" (#6{number})',
    ),
    "GitHub, merged": Habit(
        "#{number}",
        "Merge pull request #{number} from bo/topic\n\n{title}",
        'Merge pull request #5{number} from lumen/revert-{number}\n\nRevert "{title}"',
        'Merge pull request #6{number} from bo/again\n\nReland "{title}"',
        merges=True,
    ),
    "GitLab": Habit(
        "!{number}",
        _GITLAB + "{title}\n\nSee merge request lumen/db!{number}",
        _GITLAB + 'Revert "{title}"\n\nThis reverts merge request !{number}\n\nSee merge request lumen/db!5{number}',
        _GITLAB + 'Revert "Revert "{title}""\n\nSee merge request lumen/db!6{number}',
        merges=True,
    ),
    "Gerrit": Habit(
        "#{number}",
        "{title}\n\nIt was needed." + _GERRIT + "{number}\nReviewed-by: Di Vo <di@lumen.example>",
        'Revert "{title}"\n\nThis reverts commit {id}.\n\nReason for revert: slow' + _GERRIT + "5{number}",
        'Revert^2 "{title}"\n\nThis reverts commit {id}.' + _GERRIT + "6{number}",
    ),
    "Phabricator": Habit(
        "D{number}",
        "[storage] {title}\n\nSummary: It was needed." + _PHABRICATOR + "D{number}",
        'Back out "[storage] {title}"\n\nThis reverts commit {id}.',
        'Reland "[storage] {title}"' + _PHABRICATOR + "D6{number}",
    ),
    "a monorepo": Habit(
        "#{number}",
        "[lumen][wal] {title} (#{number})\n\nPull-Request: https://forge.lumen.example/db/pulls/{number}",
        'Revert "[lumen][wal] {title}" (#5{number})\n\nThis reverts commit {id:.12}.',
        'Reland: "[lumen][wal] {title}"',
    ),
    "areas before a colon, as here": Habit(
        "",
        "wal: {title}\n\nIt was needed.",
        'Revert "wal: {title}"\n\nThis reverts commit {id}.',
        'Reapply "wal: {title}"',
    ),
}
COUNTED = {
    "dependency": ("Bump serde from 1.0.1 to 1.0.2", "dependabot[bot]", ()),
    "bot": ("Update translations", "translation-bot", ()),
    "backport": ("[backport 2.1] Fix the lexer", "Ada Quill", ()),
    "submodule": ("Roll the engine", "Ada Quill", (File("engine", is_submodule=True),)),
}


class Made:
    """A history that grows, and what should become of each of its commits."""

    def __init__(self, habit: Habit) -> None:
        self.habit = habit
        self.branch: list[Commit] = []
        self.merged: dict[str, tuple[Commit, ...]] = {}
        self.expected: dict[str, tuple[str, str]] = {}
        self.numbers: dict[str, str] = {}
        self.alive: list[tuple[int, str, str]] = []  # number, title and id
        self.gone: list[tuple[int, str, str, str]] = []  # and the id of the revert

    def commit(
        self, message: str, author: str = "Ada Quill", files: tuple[File, ...] = (), *, merges: bool = False
    ) -> str:
        place = len(self.branch)
        one = Commit(
            sha1(str(place).encode()).hexdigest(), ("0" * 40,), NOON + 60 * place, author, f"{author}@x", message, files
        )
        self.branch.append(one)
        if merges:
            own = msgspec.structs.replace(
                one, id=sha1(f"own {place}".encode()).hexdigest(), message="wip", name="Bo Lint"
            )
            self.merged[one.id] = (own,)
        return one.id

    def change(self) -> None:
        number = 100 + len(self.branch)
        title = f"Add the part {number}"
        files = (File(f"src/wal/{number}.py", 3),)
        commit = self.commit(
            self.habit.change.format(number=number, title=title), files=files, merges=self.habit.merges
        )
        self.expected[commit] = "listed", ""
        self.numbers[commit] = self.habit.reference.format(number=number)
        self.alive.append((number, title, commit))

    def revert(self, which: int) -> None:
        if self.alive:
            number, title, commit = self.alive.pop(which % len(self.alive))
            revert = self.commit(
                self.habit.revert.format(number=number, title=title, id=commit), merges=self.habit.merges
            )
            self.expected[commit], self.expected[revert] = ("folded", "reverted"), ("folded", "revert")
            self.gone.append((number, title, commit, revert))

    def reland(self, which: int) -> None:
        if self.gone:
            number, title, commit, revert = self.gone.pop(which % len(self.gone))
            reland = self.commit(
                self.habit.reland.format(number=number, title=title, id=revert), merges=self.habit.merges
            )
            self.expected[commit], self.expected[reland] = ("listed", ""), ("folded", "reland")

    def count(self, which: int) -> None:
        reason = sorted(COUNTED)[which % len(COUNTED)]
        self.expected[self.commit(*COUNTED[reason])] = "counted", reason


STEPS = st.lists(
    st.tuples(st.sampled_from(["change", "change", "revert", "reland", "count"]), st.integers(0, 9)), max_size=14
)


@pytest.mark.slow
@settings(max_examples=60)
@given(name=st.sampled_from(sorted(HABITS)), steps=STEPS)
def test_each_change_is_told_folded_or_counted(name: str, steps: list[tuple[str, int]]) -> None:
    made = Made(HABITS[name])
    for step, which in steps:
        if step == "change":
            made.change()
        else:
            getattr(made, step)(which)
    branch = tuple(reversed(made.branch))
    history = History("0" * 40, branch[0].id if branch else "", branch, made.merged, (), Before(emails=frozenset()))
    found = changes_of(history, {}, UTC)
    activity = understand("Lumen", history, found, ConfiguredAreas(), Period(), UTC)

    assert {change.commit: (change.fate, change.reason) for change in activity.changes} == made.expected
    assert [change.commit for change in activity.changes] == [commit.id for commit in branch]
    fates = Counter(change.fate for change in activity.changes)
    totals = activity.totals
    assert (totals.listed, totals.folded, totals.counted) == (fates["listed"], fates["folded"], fates["counted"])
    assert totals.changes == fates.total() == len(branch)
    listed = Counter(commit for area in activity.areas for commit in area.changes)
    assert listed == Counter(change.commit for change in activity.changes if change.fate == "listed")
    for change in activity.changes:
        assert change.number == made.numbers.get(change.commit, change.number)
        assert bool(change.into) == (change.fate == "folded")
        assert change.authors
    assert decode(encode(activity)) == activity


def test_the_area_of_a_change_of_very_many_files_is_that_of_some(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def counted(path: str, pattern: str) -> bool:
        compared.append(pattern)
        return fnmatchcase(path, pattern)

    monkeypatch.setattr(areas, "fnmatchcase", counted)
    names = [f"{folder}/{number:04}.c" for folder, count in (("net", 900), ("page", 2000)) for number in range(count)]
    names.append("net/1.lock")
    files = tuple(map(File, names))
    commit = Commit("a" * 40, ("b" * 40,), NOON, "Ada Quill", "ada@lumen.example", "Add all of it", files)
    found = changes_of(History("b" * 40, commit.id, (commit,), {}, (), Before()), {}, UTC)
    assert found[0].paths == tuple(names[:-1])
    configured = ConfiguredAreas({"network": ["net/*"], "pages": ["page/*"]})
    assert areas.areas_of(found, configured, "", ()) == {commit.id: "pages"}
    assert len(compared) < 2 * 200


def owned_paths(*changes: tuple[str, ...], owners: str) -> dict[str, str]:
    """The areas of changes of some files, by the first letter of the commit, the newest change first."""
    commits = tuple(
        Commit(
            letter * 40, ("0" * 40,), NOON, "Ada Quill", "ada@lumen.example", f"Add {letter}", tuple(map(File, paths))
        )
        for letter, paths in zip("abcdef", changes, strict=False)
    )
    found = changes_of(History("0" * 40, commits[0].id, commits, {}, (), Before()), {}, UTC)
    return {commit[0]: area for commit, area in areas.areas_of(found, ConfiguredAreas(), owners, ()).items()}


def test_paths_are_compared_with_the_patterns_of_owners_once_and_only_if_a_file_can_have_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[str] = []

    def counted(path: str, pattern: str) -> bool:
        compared.append(path)
        return fnmatchcase(path, pattern)

    monkeypatch.setattr(areas, "fnmatchcase", counted)
    long = "net/" + "q" * 100_000
    found = owned_paths((long,), ("net/a.c", long), ("net/a.c",), owners="*" + "?" * 150 + "z @x\nnet/*.c @x\n")
    assert found == {"a": areas.OTHER, "b": "*.c", "c": "*.c"}
    assert compared == ["net/a.c"]


def test_patterns_of_owners_are_compared_with_a_bounded_number_of_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(areas, "_MOST_COMPARED", 12)
    owners = "page @x\nnet/*c @x\n"
    paths = (("net/a.c",), ("net/b.c",), ("net/c.c",), ("page/a.c",))
    found = owned_paths(*paths, owners=owners)
    assert found == {"a": "*c", "b": "*c", "c": areas.OTHER, "d": "page"}
