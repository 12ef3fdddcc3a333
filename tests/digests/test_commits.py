"""What is read of a repository: the commits of a range, who wrote them, their files, tags, and what lies before."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from disk.stand_ins import OLDER, use
from repositories import HOUR, NOON, Repository

from devlog.features.digests.digest import history as histories
from devlog.features.digests.digest.history import NoHistoryError, Span, read_history, read_origin, spellings


@pytest.mark.slow
def test_a_merge_brings_its_commits(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    first = repository.git("rev-parse", "HEAD")
    merge = repository.merge(
        "Merge pull request #12 from bo/lexer\n\nSpeed up the lexer",
        [("wip", {"src/lexer.py": "a\nb\n"}, "Bo Lint"), ("more", {"src/token.py": "a\n"}, "Cy Marsh")],
    )
    direct = repository.commit("Tidy", {"src/lexer.py": "a\n"})
    history = read_history(repository.folder, Span(first=first))
    assert [commit.id for commit in history.branch] == [direct, merge]
    assert (history.first, history.last) == (first, direct)
    assert [commit.name for commit in history.merged[merge]] == ["Bo Lint", "Cy Marsh"]
    assert [(file.path, file.added, file.removed) for file in history.branch[1].files] == [
        ("src/lexer.py", 2, 0),
        ("src/token.py", 1, 0),
    ]
    assert [(file.path, file.added, file.removed) for file in history.branch[0].files] == [("src/lexer.py", 0, 1)]


def test_commits_of_a_branch_that_was_merged_into_another_are_told_once(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    first = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "-b", "base")
    shared = repository.commit("Shared", {"a": "a"})
    repository.git("checkout", "-q", "-b", "child")
    own = repository.commit("Own", {"b": "b"})
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge #1", "base")
    one = repository.git("rev-parse", "HEAD")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge #2", "child")
    two = repository.git("rev-parse", "HEAD")
    history = read_history(repository.folder, Span(first=first))
    assert {merge: [commit.id for commit in some] for merge, some in history.merged.items()} == {
        one: [shared],
        two: [own],
    }


@pytest.mark.slow
def test_days_are_cut_by_the_time_of_commits(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen", begin=NOON)
    ids = [repository.commit(f"Change {number}") for number in range(5)]
    history = read_history(repository.folder, Span(since=NOON + 3 * HOUR, until=NOON + 5 * HOUR))
    assert [commit.id for commit in history.branch] == [ids[2], ids[1]]
    assert history.first == ids[0]


def test_a_commit_with_an_earlier_time_hides_none_before_it(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen", begin=NOON)
    first = repository.commit("First")
    repository.time = NOON - 48 * HOUR
    repository.commit("With the time of another day")
    repository.time = NOON + 2 * HOUR
    merge = repository.merge("Merge #1", [("Own", {"a": "a"}, "Bo Lint")])
    history = read_history(repository.folder, Span(since=NOON, until=NOON + 24 * HOUR))
    assert [commit.id for commit in history.branch] == [merge, first, repository.git("rev-parse", f"{first}^")]
    assert [commit.message.strip() for commit in history.merged[merge]] == ["Own"]


def shallow(repository: Repository, depth: int) -> Path:
    folder = repository.folder.with_name(f"depth-{depth}")
    repository.git("clone", "-q", f"--depth={depth}", repository.folder.as_uri(), str(folder))
    return folder


def test_a_shallow_clone_that_lacks_a_part_of_the_range_is_refused(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen", begin=NOON)
    ids = [repository.commit(f"Change {number}") for number in range(5)]
    folder = shallow(repository, 3)
    for span in (Span(since=NOON), Span(since=NOON, until=NOON + 3 * HOUR), Span()):
        with pytest.raises(NoHistoryError, match=f"the clone is shallow, and lacks the commits before {ids[2][:12]}"):
            read_history(folder, span)
    for span in (Span(since=NOON + 5 * HOUR), Span(first=ids[2])):
        history = read_history(folder, span)
        assert [commit.id for commit in history.branch] == [ids[4], ids[3]]
        assert history.before.emails is None, "who came first is not known"
    assert len(read_history(shallow(repository, 5), Span(first=ids[1])).branch) == 3


def test_a_bare_repository_is_read(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    repository.commit("Map", {".mailmap": "Ada Quill <ada@lumen.example> Ada Q <aq@lumen.example>\n"})
    bare = tmp_path / "lumen.git"
    repository.git("clone", "-q", "--bare", str(repository.folder), str(bare))
    assert read_history(bare, Span()) == read_history(repository.folder, Span())
    assert spellings(bare, ["Ada Q <aq@lumen.example>"]) == {"Ada Q <aq@lumen.example>": "Ada Quill"}
    assert read_origin(bare) == str(repository.folder)


def test_names_of_any_bytes(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    first = repository.git("rev-parse", "HEAD")
    names = ["a b/c\td.py", "0123456789abcdef0123456789abcdef01234567", "új/ő.py", "line\nend.txt"]
    repository.commit("Odd names\n\n:100644 100644 a b M\n1\t2\tx", dict.fromkeys(names, "x\n"))
    repository.git("mv", "új/ő.py", "új/moved.py")
    repository.commit("Move", {})
    moved, made = read_history(repository.folder, Span(first=first)).branch
    assert sorted(file.path for file in made.files) == sorted(names)
    assert [file.path for file in moved.files] == ["új/moved.py"]
    assert made.message.startswith("Odd names\n\n:100644")


def test_the_mailmap_spells_names(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    repository.commit("Map", {".mailmap": "Ada Quill <ada@lumen.example> Ada Q <aq@lumen.example>\n"})
    known = spellings(repository.folder, ["Ada Q <aq@lumen.example>", "-n <x@lumen.example>", "Bo <bo@lumen.example>"])
    assert known == {
        "Ada Q <aq@lumen.example>": "Ada Quill",
        "-n <x@lumen.example>": "-n",
        "Bo <bo@lumen.example>": "Bo",
    }


@pytest.mark.slow
def test_more_contacts_than_a_command_can_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(tmp_path / "lumen")
    repository.commit("Map", {".mailmap": "Ada Quill <ada@lumen.example> Ada Q <aq@lumen.example>\n"})
    started: list[str] = []
    ask = histories.ask_checkout

    def noted(folder: Path, command: list[str], *, given: bytes) -> bytes | None:
        started.append(command[0])
        return ask(folder, command, given=given)

    monkeypatch.setattr(histories, "ask_checkout", noted)
    many = [f"{'A' * 200}{number} <{'a' * 200}@lumen.example>" for number in range(6_000)]
    known = spellings(repository.folder, [*many, "Ada Q <aq@lumen.example>"])
    assert len(known) == 6_001
    assert started == ["check-mailmap"]  # each would read the whole file
    assert known["Ada Q <aq@lumen.example>"] == "Ada Quill"


def test_times_and_names_of_any_kind(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    tree = repository.git("rev-parse", "HEAD^{tree}")
    message = "Change\x1b[31m \u202etitle\n\nText"
    lines = [
        f"tree {tree}",
        f"parent {repository.git('rev-parse', 'HEAD')}",
        f"author {'A' * 5000} \x07\u202e <a@lumen.example> 99999999999999 +0000",
        "committer Ada <a@lumen.example> 99999999999999 +9999",
        "",
        message,
    ]
    odd = repository.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", data="\n".join(lines))
    repository.git("update-ref", "refs/heads/main", odd)
    commit = read_history(repository.folder, Span(first="HEAD^")).branch[0]
    assert commit.message == "Change[31m title\n\nText"
    assert commit.name == "A" * 200
    assert datetime.fromtimestamp(commit.time, ZoneInfo("Pacific/Kiritimati")).year == 9999


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("Ada Quill <ada@lumen.example>", ("Ada Quill", "ada@lumen.example")),
        (" <bo@lumen.example>", ("bo", "bo@lumen.example")),
        ("\x07 <cy>", ("cy", "cy")),
        ("<@lumen.example>", ("somebody", "@lumen.example")),
        (" <>", ("somebody", "")),
        ("no email", ("somebody", "")),
    ],
)
def test_authors_without_a_name(tmp_path: Path, line: str, author: tuple[str, str]) -> None:
    repository = Repository(tmp_path / "lumen")
    made = repository.git("cat-file", "commit", "HEAD").replace("Ada Quill <ada@lumen.example>", line, 1)
    odd = repository.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", data=made)
    (commit,) = read_history(repository.folder, Span(last=odd)).branch
    assert (commit.name, commit.email) == author


def test_a_mailmap_without_an_end_is_not_read(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    repository.git("config", "mailmap.file", "/dev/zero")
    assert read_history(repository.folder, Span()).branch[0].name == "Ada Quill"


@pytest.mark.slow
def test_tags_submodules_and_what_lies_before(tmp_path: Path) -> None:
    other = Repository(tmp_path / "other")
    repository = Repository(tmp_path / "lumen")
    repository.commit("Own the parser", {"CODEOWNERS": "/parser/ @ada\n", "parser/a.py": "x"}, author="Bo Lint")
    first = repository.git("rev-parse", "HEAD")
    repository.git("submodule", "add", "-q", str(other.folder), "vendored")
    repository.commit("Add a submodule", {})
    repository.git("tag", "v1.0")
    repository.git("tag", "-m", "notes", "v1.1")
    repository.git("tag", "v0.9", first)
    history = read_history(repository.folder, Span(first=first))
    assert [tag.name for tag in history.tags] == ["v1.0", "v1.1"]
    assert {file.path: file.is_submodule for file in history.branch[0].files} == {
        ".gitmodules": False,
        "vendored": True,
    }
    assert history.before.subjects == ("Own the parser", "Begin")
    assert history.before.changed == (("CODEOWNERS", "parser/a.py"), ("README.md",))
    assert history.before.emails == {"ada@lumen.example", "bo@lumen.example"}
    assert history.owners == "/parser/ @ada\n"


def test_the_whole_history(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    history = read_history(repository.folder, Span())
    assert (history.first, len(history.branch), history.before.emails) == ("", 1, frozenset())


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository of which everything is read: merges, a submodule, and what lies before the last commits."""
    other = Repository(tmp_path_factory.mktemp("other") / "other")
    repository = Repository(tmp_path_factory.mktemp("lumen") / "lumen")
    repository.commit("Add the lexer", {"src/lexer.py": "a\nb\n", "docs/lexer.md": "x\n"})
    repository.git("tag", "v1.0")
    repository.merge("Merge #12", [("Speed up the lexer", {"src/lexer.py": "b\n"}, "Bo Lint")])
    repository.git("submodule", "add", "-q", str(other.folder), "vendored")
    repository.commit("Add a submodule", {})
    return repository


@pytest.mark.parametrize(
    "setting",
    [
        "diff.ignoreSubmodules=all",
        "diff.relative=true",
        "i18n.logOutputEncoding=UTF-16",
        "log.diffMerges=off",
        "log.showRoot=false",
    ],
)
def test_settings_of_the_user_change_nothing(
    settled: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    key, _, value = setting.partition("=")
    span, folder = Span(first="v1.0"), settled.folder / "src"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    plain, whole = read_history(folder, span), read_history(folder, Span())
    settled.git("config", "--file", str(tmp_path / "config"), key, value)
    assert read_history(folder, span) == plain
    assert read_history(folder, Span()) == whole
    assert [len(commit.files) for commit in plain.branch] == [2, 1]
    assert plain.before.changed == (("docs/lexer.md", "src/lexer.py"), ("README.md",))


def test_an_older_git_reads_the_same(settled: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = read_history(settled.folder, Span(first="v1.0"))
    use(OLDER, tmp_path, monkeypatch)
    assert read_history(settled.folder, Span(first="v1.0")) == history


def test_an_empty_range(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    assert read_history(repository.folder, Span(first="HEAD")).branch == ()


@pytest.mark.parametrize("name", ["nothing", "--all", "HEAD^{tree}", "main:README.md"])
def test_a_name_of_no_commit(tmp_path: Path, name: str) -> None:
    repository = Repository(tmp_path / "lumen")
    with pytest.raises(NoHistoryError, match="there is no commit"):
        read_history(repository.folder, Span(last=name))


def test_a_folder_without_a_repository(tmp_path: Path) -> None:
    with pytest.raises(NoHistoryError, match="not a git repository"):
        read_history(tmp_path, Span())


def test_programs_that_the_repository_names_do_not_run(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    mark = tmp_path / "ran"
    program = f"touch {mark};"
    for key in ("core.fsmonitor", "core.pager", "diff.external", "diff.x.textconv", "gpg.program", "core.sshCommand"):
        repository.git("config", key, program)
    repository.git("config", "log.showSignature", "true")
    repository.commit("Textconv", {".gitattributes": "*.py diff=x\n", "a.py": "x\n"})
    mark.unlink(missing_ok=True)
    assert len(read_history(repository.folder, Span()).branch) == 2
    assert not mark.exists()


@pytest.mark.slow
def test_lines_of_huge_files_are_not_counted(tmp_path: Path) -> None:
    """Git takes forty times the size of a file of empty lines to compare it, which no one needs to read."""
    repository = Repository(tmp_path / "lumen")
    first = repository.git("rev-parse", "HEAD")
    repository.commit("Add data", {"data.txt": "\n" * (1 << 23 | 1), "few.txt": "\n" * 1000})
    (commit,) = read_history(repository.folder, Span(first=first)).branch
    assert [(file.path, file.added, file.removed) for file in commit.files] == [
        ("data.txt", 0, 0),
        ("few.txt", 1000, 0),
    ]
