"""A check knows what a build knows, says what a build says, and leaves nothing behind but the store."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from cases_format import read_case
from check_cases import check_site, problems_of, written
from sites import NOW, build_site, write_site

from devlog.checking import Checked, Options, check
from devlog.model.diagnostic import Diagnostic
from devlog.model.report import Report
from devlog.plugins.features import codes_of_checks
from devlog.stages import CACHE

CASES = Path(__file__).parent.parent / "cases"
FILES = sorted(CASES.glob("*.txt"))
OWN = sorted((Path(__file__).parent / "cases").glob("*.txt"))

# What concerns the output folder, which a check has none of.
OF_OUTPUT = {
    "foreign-output",
    "file-and-folder",
    "edited-output",
    "replaced-output",
    "damaged-manifest",
    "cannot-write",
}


def key(problem: Diagnostic) -> tuple[object, ...]:
    """All that is told of a problem; how it is fixed is of no interest to a build."""
    return (problem.code, problem.severity, problem.message, problem.span, problem.hint, problem.line_text)


def missed(report: Report, checked: Checked) -> list[tuple[object, ...]]:
    """What a build tells and a check does not."""
    told = {key(problem) for problem in checked.diagnostics}
    # Where all of the front matter is missing, that is said instead.
    whole = {problem.span.path for problem in checked.diagnostics if problem.code == "no-front-matter"}
    return [
        key(problem)
        for problem in report.diagnostics
        if key(problem) not in told
        and problem.code not in OF_OUTPUT
        and not (problem.code == "missing-title" and problem.span.path in whole)
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.slow
def test_a_check_tells_what_a_build_tells(file: Path, tmp_path: Path) -> None:
    case = read_case(file.read_text("utf-8"))
    if set(case.options) - {"now", "strict"}:
        case.options.clear()
    root = write_site(tmp_path, case.files)
    checked = check(Options(root=root, jobs=1, **{"now": NOW, **case.options}))  # type: ignore[arg-type]
    report = build_site(root, **case.options)
    assert missed(report, checked) == []
    more = {problem.code for problem in checked.diagnostics} - {problem.code for problem in report.diagnostics}
    assert more <= codes_of_checks() | {"leaks.own"} | {code for code in more if code.startswith("leaks.")}
    assert checked.posts == report.posts
    after = check(Options(root=root, jobs=1, **{"now": NOW, **case.options}))  # type: ignore[arg-type]
    assert problems_of(after) == problems_of(checked)


def damage(root: Path, seed: int) -> None:
    """Change some bytes of what the store holds, of its records' values or of the file."""
    place, source = root / CACHE, random.Random(seed)
    if seed % 2:
        data = bytearray(place.read_bytes())
        for _ in range(20):
            data[source.randrange(len(data))] ^= 1 << source.randrange(8)
        place.write_bytes(data)
        return
    # What broke the time before may be a part of the file that nothing has looked at since.
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(place)) as connection, connection:
        for name, value in connection.execute("SELECT key, value FROM record").fetchall():
            if value and source.random() < 0.5:
                changed = bytearray(value)
                changed[source.randrange(len(changed))] ^= 1 << source.randrange(8)
                connection.execute("UPDATE record SET value = ? WHERE key = ?", (bytes(changed), name))


@pytest.mark.slow
@pytest.mark.parametrize("file", OWN, ids=lambda file: file.stem)
def test_the_store_changes_nothing_of_what_is_told(file: Path, tmp_path: Path) -> None:
    root = written(read_case(file.read_text("utf-8")), tmp_path)
    expected = problems_of(check_site(root))
    assert problems_of(check_site(root)) == expected, "after a check"
    build_site(root)
    assert problems_of(check_site(root)) == expected, "after a build"
    for seed in range(4):
        damage(root, seed)
        assert problems_of(check_site(root)) == expected, f"with a damaged store ({seed})"


def work_of(root: Path) -> set[str]:
    """The stages that had anything to do in a check."""
    worked: set[str] = set()
    check(Options(root=root, now=NOW, jobs=1), lambda stage, _done, _total: worked.add(stage))
    return worked


@pytest.mark.slow
def test_after_a_build_nothing_is_parsed(tmp_path: Path) -> None:
    root = written(read_case((Path(__file__).parent / "cases/build_fixes.txt").read_text("utf-8")), tmp_path)
    assert work_of(root) - {"Reading files"} == {"Reading posts"}  # social cards look into a font
    assert work_of(root) == set()
    (root / CACHE).unlink()
    build_site(root)
    assert work_of(root) == set()
    write_site(root, {"content/storage/2026-05-04-new.md": "---\ntitle: New\n---\nText.\n"})
    assert work_of(root) == {"Reading posts"}
    assert build_site(root).parsed == 0


OWN_TEMPLATE = {
    "devlog.toml": 'base_url = "https://docs.example.org/lumen/"\nsearch.enabled = false\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    "content/storage/2026-05-01-a.md": "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\nText.\n",
    "content/storage/2026-05-02-b.md": "---\ntitle: B\nauthor: Ada Quill (@adaquill)\n---\nText.\n",
    "templates/post.html": '{% if page.title == "B" %}{{ page.nothing.at.all }}{% endif %}{{ page.title }}\n',
}


@pytest.mark.slow
def test_a_template_that_fails_for_one_page(tmp_path: Path) -> None:
    root = write_site(tmp_path, OWN_TEMPLATE)
    checked = check_site(root)
    report = build_site(root)
    assert "template-error" in {problem.code for problem in report.diagnostics}
    assert missed(report, checked) == []
    assert problems_of(check_site(root)) == problems_of(checked)
    write_site(root, {"templates/post.html": "{{ page.title }}\n"})
    assert not check_site(root).failed
    assert not build_site(root).failed
    assert work_of(root) == set(), "what the build has written needs no look"
    write_site(root, {"templates/post.html": OWN_TEMPLATE["templates/post.html"]})
    assert problems_of(check_site(root)) == problems_of(checked)


def test_a_template_that_is_none(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**OWN_TEMPLATE, "templates/post.html": "{% if %}"})
    checked = check_site(root)
    assert missed(build_site(root), checked) == []
    assert checked.failed


@pytest.mark.parametrize("built", [False, True])
def test_a_check_writes_nothing_but_the_store(tmp_path: Path, built: bool) -> None:
    root = write_site(tmp_path, OWN_TEMPLATE | {"templates/post.html": "{{ page.title }}\n"})
    if built:
        build_site(root)
    before = stamps(root)
    check_site(root)
    check_site(root, strict=True)
    after = stamps(root)
    ours = {".devlog", CACHE, f"{CACHE}-wal", f"{CACHE}-shm"}
    assert {path for path in before | after if before.get(path) != after.get(path)} <= ours
    assert (root / CACHE).exists()


@pytest.mark.parametrize("command", [check_site, build_site])
def test_the_store_survives_a_content_folder_that_is_gone_for_a_moment(
    tmp_path: Path, command: Callable[[Path], object]
) -> None:
    names = [f"content/storage/2026-05-{number % 30 + 1:02}-a{number}.md" for number in range(300)]
    text = "---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\nText.\n"
    root = write_site(tmp_path, {"devlog.toml": "cards.enabled = false\n", **dict.fromkeys(names, text)})
    build_site(root)
    check_site(root)
    (root / "content").rename(root / "away")
    command(root)
    (root / "away").rename(root / "content")
    (root / names[0]).write_text(f"{text}Edited.\n", "utf-8")
    assert build_site(root).parsed == 1


def test_checks_keep_the_store_small(tmp_path: Path) -> None:
    """As builds do: of what checks have used, and do not need any more, it keeps three times as much as they need."""
    names = [f"content/storage/2026-05-{number:02}-a.md" for number in range(1, 31)]

    def edited(version: int) -> dict[str, bytes | str]:
        text = "---\ntitle: A{number}\nauthor: Ada Quill (@adaquill)\n---\nVersion {version} of {number}.\n"
        return {name: text.format(number=number, version=version) for number, name in enumerate(names)}

    root = write_site(tmp_path, {"devlog.toml": "cards.enabled = false\n", **edited(0)})
    build_site(root)
    of_build, sizes = records(root), list[int]()
    for version in range(1, 20):
        write_site(root, edited(version))
        check_site(root)
        sizes.append(len(records(root)))
    grown = sizes[1] - sizes[0]
    assert grown >= 2 * len(names)  # what one edit of all adds
    assert max(sizes) < sizes[0] + 8 * grown
    write_site(root, edited(0))
    lost = of_build - records(root)
    assert len(lost) <= 4 * len(names)  # but nothing else that a build has made
    assert not build_site(root).failed


def records(root: Path) -> set[str]:
    with closing(sqlite3.connect(root / CACHE)) as connection:
        return {row[0] for row in connection.execute("SELECT key FROM record")}


def stamps(root: Path) -> dict[str, tuple[int, ...]]:
    """What the system says of all files and folders, but the root."""
    return {
        path.relative_to(root).as_posix(): (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
        for path in root.rglob("*")
        for status in [path.lstat()]
    }


def test_a_place_that_cannot_be_written_is_checked_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_site(tmp_path, OWN_TEMPLATE)
    expected = problems_of(check_site(root))
    other = write_site(tmp_path / "other", OWN_TEMPLATE)
    (other / ".devlog").write_text("no folder")
    assert problems_of(check_site(other)) == expected
    assert (other / ".devlog").read_text() == "no folder"
