"""What cannot be fixed is told, and the rest is fixed: failures of the disk, and what happens between check and fix."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from check.fixable_site import FIXED_POST, INDEX, POST, SITE, A, B, files_of, fix_paths, refusals, tried
from check_cases import check_site, fix_site, git, repository, tree
from sites import build_site, read_tree, write_site

from devlog.checking import Checked, Options, check
from devlog.disk.folder import Folder
from devlog.disk.single_files import rename
from devlog.fixing import change, run
from devlog.fixing.run import Fixed


def test_a_read_only_file(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    (root / A).chmod(0o444)
    done = fix_paths(root)
    assert refusals(done) == [("cannot-write", A)]
    assert files_of(done) == [B]
    assert (root / A).read_text() == POST
    assert {problem.span.path for problem in done.checked.diagnostics} == {A}  # type: ignore[union-attr]


def test_a_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "content/network/2026-05-01-x.md"
    root = write_site(tmp_path, {**SITE, "content/network/_index.md": INDEX.replace("Storage", "Network"), other: POST})
    create = Folder.create_file

    def refuse(folder: Folder, name: str) -> int:
        if os.path.samestat(os.fstat(folder.fd), (root / "content/storage").stat()):
            raise OSError(30, "read-only file system")
        return create(folder, name)

    monkeypatch.setattr(Folder, "create_file", refuse)
    before = tree(root)
    done = fix_paths(root)
    assert refusals(done) == [("cannot-write", A), ("cannot-write", B)]
    assert files_of(done) == [other]
    assert {path for path, data in tree(root).items() if data != before[path]} == {other}


def test_an_editor_that_saves_while_the_disk_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)
    sync, saved = os.fsync, POST + "Saved by an editor.\n"

    def slow(fd: int) -> None:
        sync(fd)
        (root / A).write_text(saved)

    monkeypatch.setattr("devlog.disk.single_files.os.fsync", slow)
    assert ("changed-while-building", A) in refusals(fix_paths(root))
    assert (root / A).read_text() == saved
    assert not list((root / A).parent.glob(".*~"))


def test_a_write_that_fails_halfway_leaves_the_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)

    def full(fd: int, data: bytes) -> None:
        os.write(fd, data[:3])
        raise OSError(28, "no space left on device")

    monkeypatch.setattr("devlog.disk.single_files.write_all", full)
    before = tree(root)
    done = fix_paths(root)
    assert refusals(done) == [("cannot-write", A), ("cannot-write", B)]
    assert tree(root) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("taken", "refused"),
    [
        ("2026-05-03-c.md", []),  # the hint says that it exists, and no fix is offered
        ("2026-05-03-C.MD", [("already-there", "content/storage/2026-05-03-c.md")]),
    ],
)
def test_a_new_name_that_is_taken(tmp_path: Path, taken: str, refused: list[tuple[str, str]]) -> None:
    old, new = "content/storage/2026-05-03-c", f"content/storage/{taken}"
    root = write_site(tmp_path, {**SITE, old: POST.replace("A post", "C"), new: FIXED_POST.replace("A post", "D")})
    done = fix_paths(root)
    assert refusals(done) == refused
    assert files_of(done) == [A, B]
    assert (root / old).read_text() == POST.replace("A post", "C")
    assert (root / new).read_text() == FIXED_POST.replace("A post", "D")


def test_a_new_name_that_is_taken_in_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "content/storage/2026-05-03-c", "content/storage/2026-05-03-c.md"
    root = write_site(tmp_path, {old: "old\n", new: "new\n"})
    monkeypatch.setattr("devlog.disk.single_files._taken", lambda _cursor, _file: "")
    problem = rename(root, old, new)
    assert problem
    assert problem.code == "already-there"
    assert tree(root) == {old: b"old\n", new: b"new\n"}


@pytest.mark.parametrize("new", [f"{POST}More.\n", f"\n\n{POST}", "gone"])
def test_a_file_that_changes_between_check_and_fixing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str
) -> None:
    root = write_site(tmp_path, SITE)

    def interrupted(options: Options) -> Checked:
        checked = check(options)
        monkeypatch.setattr(run, "check", check)
        (root / A).write_text(new)
        return checked

    monkeypatch.setattr(run, "check", interrupted)
    done = fix_paths(root)
    assert refusals(done) == [("changed-while-building", A)]
    assert files_of(done) == [B]
    assert (root / A).read_text() == new


def test_a_file_that_vanishes_between_check_and_fixing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)

    def interrupted(options: Options) -> Checked:
        checked = check(options)
        monkeypatch.setattr(run, "check", check)
        (root / A).unlink()
        return checked

    monkeypatch.setattr(run, "check", interrupted)
    done = fix_paths(root)
    assert refusals(done) == [("unreadable", A)]
    assert files_of(done) == [B]


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = write_site(tmp_path / "outside", {"a.md": POST, "folder/2026-05-01-x.md": POST})
    root = write_site(tmp_path / "site", {B: SITE[B], "content/storage/_index.md": INDEX})
    (root / A).symlink_to(outside / "a.md")
    (root / "content/network").symlink_to(outside / "folder")
    assert files_of(fix_paths(root)) == [B]
    assert {problem.code for problem in check_site(root).diagnostics} >= {"symlink"}
    assert read_tree(outside) == {"a.md": POST.encode(), "folder/2026-05-01-x.md": POST.encode()}


def test_a_link_put_in_the_place_of_a_file_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = write_site(tmp_path / "outside", {"a.md": POST})
    root = write_site(tmp_path / "site", SITE)

    def interrupted(options: Options) -> Checked:
        checked = check(options)
        monkeypatch.setattr(run, "check", check)
        (root / A).unlink()
        (root / A).symlink_to(outside / "a.md")
        return checked

    monkeypatch.setattr(run, "check", interrupted)
    done = fix_paths(root)
    assert refusals(done) == [("symlink", A)]
    assert files_of(done) == [B]
    assert (outside / "a.md").read_text() == POST


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("c", POST.replace("title: A post", "title: A post\nslug: 2026-05-01-a"), "colliding-url"),
        ("2026-05-03-c", "---\ntitle: One\ntitle: Two\n---\nText.\n", "duplicate-key"),
        ("2026-05-03-c.md", "---\ntitle: C\nauthor: Ada Quill (@adaquill)\ndat: 2026-13-1\n---\nText.\n", "bad-date"),
    ],
)
def test_a_fix_that_would_break_the_site_is_taken_back(tmp_path: Path, name: str, text: str, code: str) -> None:
    file = f"content/storage/{name}"
    root = write_site(tmp_path, {**SITE, file: text})
    assert not build_site(root).failed
    for done in (tried(root), fix_paths(root)):
        assert refusals(done) == [("nothing-fixed", file)]
        assert isinstance(done, Fixed)
        assert f"({code})" in done.refused[0].message
        assert files_of(done) == [A, B]
    assert (root / file).read_text() == text
    assert not build_site(root).failed


def test_what_cannot_be_placed_to_the_letter_stays_and_the_rest_is_fixed(tmp_path: Path) -> None:
    # YAML takes U+0085 for a line end, and the title that is read has a space there; control characters are dropped.
    text = "---\ntitle: A\x01 post\nauthors: Ada\x02 Quill(@adaquill)\n---\n# Other\n"
    root = write_site(tmp_path, {**SITE, A: text})
    done = fix_paths(root)
    assert refusals(done) == []
    assert B in files_of(done)
    assert (root / A).read_bytes().count(b"\x01") == 1
    assert fix_site(root).changes == ()


@pytest.mark.parametrize("file", ["devlog.toml", "static/x.txt", "content/none.md", "content/storage"])
def test_fixes_outside_the_content_folder_are_refused(tmp_path: Path, file: str) -> None:
    """They were said to have changed meanwhile, or not to be in git."""
    rule = (
        "from devlog.model.diagnostic import Edit, Fix, Span\nfrom devlog.plugin import Plugin, problem\n"
        "def rule(evidence):\n"
        f"    span = Span({file!r}, 1)\n    yield problem(span, 'x', fix=Fix((Edit(span, '', 'x', 0),)))\n"
        "plugin = Plugin('lumen', checks=(rule,))\n"
    )
    site = {"devlog.toml": 'title = "Log"\nplugins = ["plugins.py"]\n', "plugins.py": rule, "static/x.txt": "x"}
    root = write_site(tmp_path, SITE | site)
    done = fix_paths(root)
    assert refusals(done) == [("nothing-fixed", file)]
    assert files_of(done) == [A, B]


TITLE = "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\n"


def site_with_rule(folder: Path, body: str, text: str) -> Path:
    """A site with a rule of a plugin for one post, `file`."""
    rule = (
        "from devlog.model.diagnostic import Edit, Fix, Span\nfrom devlog.plugin import Plugin, problem\n"
        "def rule(evidence):\n"
        "    (file,) = [post.parsed.file for post in evidence.posts if '-01-a' in post.parsed.file]\n"
        f"{body}\n"
        "plugin = Plugin('lumen', checks=(rule,))\n"
    )
    config = 'title = "Log"\nplugins = ["plugins.py"]\n'
    return write_site(folder, SITE | {A: TITLE + text, B: FIXED_POST, "devlog.toml": config, "plugins.py": rule})


@pytest.mark.parametrize(
    ("fix", "file", "text"),
    [
        ("(Edit(Span(file, 5), '', 'More. '),)", A, "More. Text.\n"),
        ("(Edit(Span(file, 5), '', 'More.\\n'),)", A, "More.\nText.\n"),  # the problem is in a line that stays
        ("rename=file[:-3] + 'x.md'", A[:-3] + "x.md", "Text.\n"),
    ],
)
@pytest.mark.parametrize("line", [0, 2, 5])
def test_a_fix_that_does_not_end_its_problem_is_applied_once(
    tmp_path: Path, line: int, fix: str, file: str, text: str
) -> None:
    """It was applied 30 times."""
    root = site_with_rule(tmp_path, f"    yield problem(Span(file, {line}), 'x', fix=Fix({fix}))", "Text.\n")
    would = tried(root)
    done = fix_paths(root)
    assert refusals(done) == refusals(would) == [("nothing-fixed", file)]
    assert files_of(done) == [file]
    assert (root / file).read_text() == TITLE + text


def test_fixes_that_overlap_are_applied_one_after_the_other(tmp_path: Path) -> None:
    """Half of the first one was applied: its other edit overlaps with the second fix, which leaves no problem of it."""
    body = (
        f"    text = __import__('pathlib').Path({str(tmp_path)!r}, file).read_text().splitlines()[4]\n"
        "    at, end, blank = text.find('(('), text.find('))'), text.find(' ))')\n"
        "    if 0 <= at < end:\n"
        "        both = Edit(Span(file, 5, at + 1, 2), '((', '**'), Edit(Span(file, 5, end + 1, 2), '))', '**')\n"
        "        yield problem(Span(file, 5, at + 1), 'parentheses', fix=Fix(both))\n"
        "    if blank >= 0:\n"
        "        one = Edit(Span(file, 5, blank + 1, 3), ' ))', '))')\n"
        "        yield problem(Span(file, 5, blank + 1), 'a blank', fix=Fix((one,)))"
    )
    root = site_with_rule(tmp_path, body, "Some ((important words )) here.\n")
    done = fix_paths(root)
    assert refusals(done) == []
    assert (root / A).read_text() == TITLE + "Some **important words ** here.\n"


def test_a_rule_that_reports_only_the_first_place(tmp_path: Path) -> None:
    """What it reports after a fix is another problem, although it says the same, as long as it is elsewhere."""
    body = (
        f"    lines = __import__('pathlib').Path({str(tmp_path)!r}, file).read_text().splitlines()\n"
        "    number = next((number for number, line in enumerate(lines, 1) if 'teh' in line), 0)\n"
        "    if number:\n"
        "        yield problem(Span(file, number), 'typo', fix=Fix((Edit(Span(file, number), 'teh', 'the'),)))"
    )
    root = site_with_rule(tmp_path, body, "teh a\n\nteh b\n\nteh c\n")
    done = fix_paths(root)
    assert refusals(done) == []
    assert (root / A).read_text() == TITLE + "the a\n\nthe b\n\nthe c\n"


@pytest.mark.parametrize("edit", ["Edit(Span(file, 5), '', 'More. ')", "Edit(Span(file, 5), '', 'More.\\n')"])
def test_a_fix_whose_problem_says_something_else_each_time_is_applied_once(tmp_path: Path, edit: str) -> None:
    """It was applied 30 times."""
    message = "str(__import__('time').monotonic_ns())"
    root = site_with_rule(tmp_path, f"    yield problem(Span(file, 5), {message}, fix=Fix(({edit},)))", "Text.\n")
    (root / B).write_text(POST)  # is fixed in another round
    would = tried(root)
    done = fix_paths(root)
    assert refusals(done) == refusals(would) == [("nothing-fixed", A)]
    assert files_of(done) == [A, B]
    assert (root / A).read_text().count("More.") == 1


def test_a_rule_that_counts_and_edits_the_same_line_again(tmp_path: Path) -> None:
    """The line that is removed is another one each time."""
    body = (
        f"    lines = __import__('pathlib').Path({str(tmp_path)!r}, file).read_text().splitlines()\n"
        "    left = lines.count('teh')\n"
        "    if left:\n"
        "        yield problem(Span(file, 0), f'{left} typos', fix=Fix((Edit(Span(file, 5), '', '', lines=1),)))"
    )
    root = site_with_rule(tmp_path, body, "teh\nteh\nteh\nText.\n")
    done = fix_paths(root)
    assert refusals(done) == []
    assert (root / A).read_text() == TITLE + "Text.\n"


def test_fixes_that_undo_each_other_leave_the_first_text(tmp_path: Path) -> None:
    """They alternated for 30 rounds, and nothing was reported."""
    body = (
        "    (title,) = [text.post.title for text in evidence.posts if text.parsed.file == file]\n"
        "    old, new = ('One', 'Two') if title == 'One' else ('Two', 'One')\n"
        "    yield problem(Span(file, 2), f'not {new}', fix=Fix((Edit(Span(file, 2), old, new),)))"
    )
    root = site_with_rule(tmp_path, body, "Text.\n")
    text = TITLE.replace("A post", "One") + "Text.\n"
    (root / A).write_text(text)
    (root / B).write_text(POST)  # is fixed nevertheless
    would = tried(root)
    done = fix_paths(root)
    assert refusals(done) == refusals(would) == [("nothing-fixed", A)]
    assert isinstance(done, Fixed)
    assert "another fix has undone that: not Two" in done.refused[0].message
    assert files_of(done) == [B]
    assert (root / A).read_text() == text


@pytest.mark.parametrize(
    ("edit", "line", "why"),
    [
        ("Span(file, 5), 'teh', 'the'", 5, "“teh” does not occur exactly once at line 5"),
        ("Span(file, 5), 'gone', 'the'", 5, "“gone” does not occur exactly once at line 5"),
        ("Span(file, 5, 2, 3), 'teh', 'the'", 5, "“teh” does not occur exactly once at line 5, column 2"),
        ("Span(file, 9), '', 'the'", 9, "it has no line 9"),
        ("Span(file, 5), '', '', 3", 5, "it has no lines 5–7"),
        ("Span(file, 5, 99), '', 'the'", 5, "it has no line 5, column 99"),
        ("Span(file, 5, 1, 3), 'teh', 'teh'", 5, "the fix changes nothing: typo"),
    ],
)
def test_a_fix_of_a_plugin_that_cannot_be_applied_is_told(tmp_path: Path, edit: str, line: int, why: str) -> None:
    """Nothing was said, and the fix was left out."""
    rule = f"    yield problem(Span(file, 5), 'typo', fix=Fix((Edit({edit}),)))"
    root = site_with_rule(tmp_path, rule, "teh teh teh\n")
    (root / B).write_text(POST)  # is fixed nevertheless
    would = tried(root)
    done = fix_paths(root)
    assert refusals(done) == refusals(would) == [("nothing-fixed", A)]
    assert isinstance(done, Fixed)
    assert done.refused[0].message == f"was not fixed as “lumen.rule” says: {why}"
    assert done.refused[0].span.line == line
    assert files_of(done) == [B]


def test_a_fix_of_a_plugin_that_fits_later_is_applied_in_silence(tmp_path: Path) -> None:
    body = (
        f"    lines = __import__('pathlib').Path({str(tmp_path)!r}, file).read_text().splitlines()\n"
        "    if 'teh' in lines[4]:\n"
        "        yield problem(Span(file, 5), 'typo', fix=Fix((Edit(Span(file, 5), 'teh', 'the'),)))\n"
        "    if lines[4].startswith('teh'):\n"
        "        yield problem(Span(file, 5), 'first', fix=Fix((Edit(Span(file, 5, 1, 3), 'teh', 'The'),)))"
    )
    root = site_with_rule(tmp_path, body, "teh teh\n")
    done = fix_paths(root)
    assert refusals(done) == []
    assert (root / A).read_text() == TITLE + "The the\n"


def _count_checks(monkeypatch: pytest.MonkeyPatch) -> list[Options]:
    """Each check that fixing makes is noted."""
    made: list[Options] = []

    def counted(options: Options) -> Checked:
        made.append(options)
        return check(options)

    monkeypatch.setattr(run, "check", counted)
    return made


@pytest.mark.parametrize("new", ["file[:-3] + 'x.md'", "file[:-3] + ('y.md' if file.endswith('x.md') else 'x.md')"])
def test_a_rule_that_renames_a_file_again_and_again_does_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str
) -> None:
    """It did so 30 times if it said something else each time, and nothing was reported."""
    root = site_with_rule(tmp_path, f"    yield problem(Span(file, 0), file, fix=Fix(rename={new}))", "Text.\n")
    made = _count_checks(monkeypatch)
    done = fix_paths(root)
    assert refusals(done) == [("nothing-fixed", A[:-3] + "x.md")]
    assert isinstance(done, Fixed)
    assert "was fixed once as “lumen.rule” says" in done.refused[0].message
    assert files_of(done) == [A[:-3] + "x.md"]
    assert len(made) == 3  # before, after, and in the end


@pytest.mark.slow
def test_a_rule_that_never_settles_is_named_after_the_last_round(tmp_path: Path) -> None:
    """Nothing was reported."""
    body = (
        "    (title,) = [text.post.title for text in evidence.posts if text.parsed.file == file]\n"
        "    edit = Edit(Span(file, 2), title, f'A{len(title) + 1}'.ljust(len(title) + 1, 'x'))\n"
        "    yield problem(Span(file, 2), title, fix=Fix((edit,)))"
    )
    root = site_with_rule(tmp_path, body, "Text.\n")
    done = fix_paths(root)
    assert refusals(done) == [("nothing-fixed", A)]
    assert isinstance(done, Fixed)
    assert "is still to be fixed as “lumen.rule” says, after 30 rounds of fixes" in done.refused[0].message
    assert done.refused[0].span.line == 2


UNSUFFIXED = "content/storage/2026-05-03-c"
REFUSED = "---\ntitle: One\ntitle: Two\n---\nText.\n"  # an error, once the file is a post


class _CheckError(Exception):
    """An error in devlog, while it checks what it has fixed."""


def _end(monkeypatch: pytest.MonkeyPatch, why: type[BaseException], module: object, name: str, calls: int) -> None:
    """Let a function end with an exception after some calls, instead of returning."""
    function, left = getattr(module, name), [calls]

    def ended(*args: object) -> object:
        done = function(*args)
        left[0] -= 1
        if not left[0]:
            raise why
        return done

    monkeypatch.setattr(module, name, ended)


@pytest.mark.parametrize("why", [KeyboardInterrupt, SystemExit, _CheckError])
@pytest.mark.parametrize(
    ("module", "name", "calls"),
    [(change, "replace", 1), (change, "replace", 2), (change, "rename", 1), (run, "check", 2), (run, "broken_by", 1)],
)
def test_an_interruption_undoes_what_was_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: object, name: str, calls: int, why: type[BaseException]
) -> None:
    """A fix that would have been refused stayed, and the next build failed."""
    body = "    yield problem(Span(file, 5), 'x', fix=Fix((Edit(Span(file, 5), '', 'More. '),), rename=file + '.md'))"
    root = site_with_rule(tmp_path, body, "Text.\n")
    (root / B).write_text(FIXED_POST.replace("author: ", "auhtor: "))  # misspelled keys are fixed in the same round
    (root / UNSUFFIXED).write_text(REFUSED)
    before = tree(root)
    _end(monkeypatch, why, module, name, calls)
    with pytest.raises(why):
        fix_paths(root)
    assert tree(root) == before


def test_ctrl_c_twice_undoes_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)
    before = tree(root)
    _end(monkeypatch, KeyboardInterrupt, run, "check", 2)
    _end(monkeypatch, KeyboardInterrupt, change, "replace", 3)  # the first that is undone
    with pytest.raises(KeyboardInterrupt):
        fix_paths(root)
    assert tree(root) == before


def test_an_interruption_keeps_what_was_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, {**SITE, UNSUFFIXED: FIXED_POST})
    _end(monkeypatch, KeyboardInterrupt, run, "check", 3)  # renames come first, and are checked by the second
    with pytest.raises(KeyboardInterrupt):
        fix_paths(root)
    assert (root / f"{UNSUFFIXED}.md").read_text() == FIXED_POST
    assert (root / A).read_text() == POST


def test_a_file_that_cannot_be_renamed_keeps_its_text(tmp_path: Path) -> None:
    rename = "rename=file[:-4] + 'b.md'"
    body = f"    yield problem(Span(file, 5), 'x', fix=Fix((Edit(Span(file, 5), '', 'More. '),), {rename}))"
    root = site_with_rule(tmp_path, body, "Text.\n")
    (root / "content/storage/2026-05-01-b.md").write_text(FIXED_POST)
    before = tree(root)
    done = fix_paths(root)
    assert refusals(done) == [("already-there", "content/storage/2026-05-01-b.md")]
    assert files_of(done) == []
    assert tree(root) == before


LINKED = "content/storage/2026-05-03-c.mkd"


@pytest.mark.parametrize(
    ("link", "front"),
    [
        ("[c](2026-05-03-c.mkd)", ""),
        ("[c](../storage/2026-05-03-c.mkd#part)", ""),
        ('<a href="/storage/2026%2D05-03-c.mkd">c</a>', ""),
        ("[c](2026-05-03-c.mkd)", "draft: true\n"),
    ],
)
@pytest.mark.parametrize("draft", ["", "draft: true\n"])
def test_a_file_to_which_posts_link_keeps_its_name(tmp_path: Path, link: str, front: str, draft: str) -> None:
    """Its links broke."""
    texts = {B: FIXED_POST.replace("title", f"{front}title", 1).replace("Text.", f"{link}.")}
    texts[LINKED] = FIXED_POST.replace("title", f"{draft}title", 1).replace("A post", "C")
    root = write_site(tmp_path, {**SITE, A: FIXED_POST, **texts})
    done = fix_paths(root)
    assert refusals(done) == files_of(done) == []
    (found,) = [item for item in check_site(root).diagnostics if item.code == "missing-suffix"]
    assert found.hint == "rename it to “content/storage/2026-05-03-c.md”, and change the links to it"
    (root / B).unlink()
    assert files_of(fix_paths(root)) == [f"{LINKED[:-4]}.md"]


@pytest.mark.parametrize("severity", ["warning", "error"])
@pytest.mark.parametrize("where", ["post", "url", "menu"])
def test_no_fix_renames_a_file_to_which_something_links(tmp_path: Path, where: str, severity: str) -> None:
    """Errors counted only if they were about the renamed file, and warnings not at all."""
    body = "    yield problem(Span(file, 0), 'x', fix=Fix(rename=file.replace('-01-a', '-01-other')))"
    root = site_with_rule(tmp_path, body, "Text.\n")
    text = {"post": "[a](2026-05-01-a.md)", "url": "[a](/storage/2026-05-01-a/)"}.get(where, "Text.")
    (root / B).write_text(FIXED_POST.replace("Text.", text).replace("author: ", "auhtor: "))
    code = "broken-menu" if where == "menu" else "broken-link"
    config = (root / "devlog.toml").read_text() + f'[severity]\n{code} = "{severity}"\n'
    menu = '[[menu]]\nname = "A"\nurl = "/storage/2026-05-01-a/"\n'
    (root / "devlog.toml").write_text(config + (menu if where == "menu" else ""))
    assert not [item for item in check_site(root).diagnostics if item.code == code]
    done = fix_paths(root)
    assert refusals(done) == [("nothing-fixed", A)]
    assert isinstance(done, Fixed)
    assert f"({code})" in done.refused[0].message
    assert files_of(done) == [B]  # the fixes of the same round stay
    assert (root / A).exists()
    assert not [item for item in check_site(root).diagnostics if item.code == code]


def test_a_fix_that_gives_another_post_an_error_is_left_out(tmp_path: Path) -> None:
    """Only errors of the fixed file counted."""
    site = {**SITE, "devlog.toml": '[severity]\nlink-to-unpublished = "error"\n'}
    fixed = {A: FIXED_POST.replace("title", "drfat: true\ntitle", 1)}
    root = write_site(tmp_path, {**site, **fixed, B: FIXED_POST.replace("Text.", "[a](2026-05-01-a.md)")})
    assert not build_site(root).failed
    done = fix_paths(root)
    assert refusals(done) == [("nothing-fixed", A)]
    assert not build_site(root).failed


def beside(name: str, link: str) -> dict[str, str]:
    """A site of three topics, in which a post of the first one has a link, and the other two have a file of a name."""
    front = "---\ntitle: {}\nauthor: Ada Quill (@adaquill)\ndate: 2026-05-01\n---\n"
    return {
        "content/a/s.md": front.format("S") + f"See {link}.\n",
        **{f"content/{topic}/{name}": front.format(topic.upper()) for topic in "bc"},
        **{f"content/{topic}/_index.md": INDEX for topic in "abc"},
    }


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("notes.md", "[b](../b/notes.md)"),
        ("notes.md", "[b](../notes.md#top)"),  # which of the two is meant, nobody knows
        ("notes.md", "[b](/b/notes.md)"),
        ("notes.png", "![b](../b/notes.png)"),
    ],
)
def test_a_link_to_a_file_that_git_has_is_not_redirected(tmp_path: Path, name: str, link: str) -> None:
    write_site(tmp_path / "log", beside(name, link))
    repository(tmp_path)
    git(tmp_path, "sparse-checkout", "set", "log/content/a", "log/content/c")
    site = tmp_path / "log"
    before = tree(site)
    assert not files_of(tried(site))
    done = fix_paths(site)
    assert tree(site) == before
    assert isinstance(done, Fixed)
    hints = [item.hint for item in done.checked.diagnostics if item.code in {"broken-link", "broken-image"}]
    assert len(hints) == 1, hints
    assert "this checkout does not" in hints[0]


def test_a_link_into_a_submodule_that_is_not_there_is_not_redirected(tmp_path: Path) -> None:
    site = beside("notes.md", "[b](../b/notes.md)")
    write_site(tmp_path, {path: text for path, text in site.items() if not path.startswith("content/b/")})
    repository(tmp_path)
    assert files_of(tried(tmp_path)) == ["content/a/s.md"]
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    git(tmp_path, "update-index", "--add", "--cacheinfo", f"160000,{commit},content/b")
    git(tmp_path, "commit", "-q", "-m", "A submodule")
    (tmp_path / "content/b").mkdir()
    assert not files_of(fix_paths(tmp_path))
