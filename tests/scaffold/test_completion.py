"""What a shell offers, through the protocol that shells speak."""

from __future__ import annotations

import json
import locale
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click import shell_completion
from sites import build_site, read_tree, write_site

from devlog.cli.options import completed
from devlog.scaffold.complete import complete

ROOT = Path(__file__).parent.parent.parent


def offered(line: str, folder: Path, shell: str = "bash", *, quoted: bool = True) -> list[str]:
    """The words offered at the end of a line, as bash asks for them; nothing may be said on the error stream."""
    words = line.split(" ")
    environment = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1 if shell != "fish" else words[-1])}
    code = "from devlog.cli import main; main(prog_name='devlog')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "_DEVLOG_COMPLETE": f"{shell}_complete"}
        | environment
        | ({"_DEVLOG_QUOTED": "1"} if quoted else {}),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    lines = [line for line in done.stdout.splitlines() if line]
    return lines[1::3] if shell in ("zsh", "powershell") else [line.partition(",")[2] for line in lines]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("devlog new ", ["author", "post", "topic"]),
        ("devlog new post x --topic ", ["planner", "storage", "storage/cache"]),
        ("devlog new post x --topic St", ["storage", "storage/cache"]),
        ("devlog new post x --topic x", []),
        ("devlog new post x --tag ", ["dynamic_shapes", "planner", "wal"]),
        ("devlog new post x --tag wal --tag d", ["dynamic_shapes"]),
        ("devlog new post x --author ", ["Cy\\ Fern", "adaquill", "boreed"]),
        ("devlog new post x --author @ada", ["adaquill"]),
        ("devlog check --explain leaks.ho", ["leaks.home-path"]),
    ],
)
@pytest.mark.slow
def test_words(line: str, words: list[str], site: Path) -> None:
    before = read_tree(site)
    assert offered(line, site) == words
    assert read_tree(site) == before
    assert not (site / ".devlog").exists()


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(shell: str, site: Path) -> None:
    assert offered("devlog new post x --topic ", site, shell) == ["planner", "storage", "storage/cache"]


@pytest.mark.slow
def test_after_a_build_and_from_a_folder_below(site: Path) -> None:
    build_site(site)
    assert offered("devlog new post x --tag ", site / "content/storage/cache") == ["dynamic_shapes", "planner", "wal"]


@pytest.mark.slow
def test_the_named_site_counts(site: Path, tmp_path: Path) -> None:
    other = write_site(tmp_path / "other", {"content/elsewhere/_index.md": "---\ntitle: E\n---\n"})
    assert offered(f"devlog new post x --root {other} --topic ", site) == ["elsewhere"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "files",
    [
        {"devlog.toml": "title = [\n"},
        {"devlog.toml": 'content = "gone"\n'},
        {"content/authors.yml": "- [\n"},
        {"content/storage/x.md": "---\ntitle: [\n---\n"},
        {"content/storage/x.md": b"\xff\xfe\x00"},
        {".devlog/cache.db": b"no database"},
        {"content/a\nb/2026-01-01-x.md": "---\ntitle: x\ntags: ['\x1b[31m']\n---\n"},
    ],
)
@pytest.mark.parametrize("option", ["--topic", "--tag", "--author"])
def test_a_broken_site_is_silent(files: dict[str, str | bytes], option: str, site: Path) -> None:
    words = offered(f"devlog new post x {option} ", write_site(site, files))
    assert all(word.isprintable() for word in words)


def test_a_folder_that_is_gone_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert complete("topics", None, "") == []


@pytest.mark.slow
def test_no_site(tmp_path: Path) -> None:
    assert offered("devlog new post x --topic ", tmp_path) == []


HOSTILE = "wal$(touch ran);`touch ran`'\u2019; touch ran #"


@pytest.mark.slow
@pytest.mark.parametrize("topic", [HOSTILE, "two words", "~", "#x", "a'b\"c", "*?[a]{b,c}", "d\\e"])
def test_what_bash_puts_into_the_line_is_one_word(topic: str, tmp_path: Path) -> None:
    """Anybody who sends a post names its tags."""
    write_site(tmp_path, {"content/log/2026-05-01-a.md": f"---\ntitle: A\ntags: [{json.dumps(topic)}]\n---\nText.\n"})
    (word,) = offered("devlog new post x --tag ", tmp_path)
    done = subprocess.run(
        ["bash", "-c", f"printf %s {word}"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == topic
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(("encoding", "is_offered"), [("UTF-8", True), ("GB18030", False), ("SHIFT_JIS", False)])
def test_bash_in_a_locale_in_which_a_backslash_ends_a_letter(
    encoding: str, is_offered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locale, "getencoding", lambda: encoding)
    monkeypatch.setenv("_DEVLOG_COMPLETE", "bash_complete")
    monkeypatch.setenv("_DEVLOG_QUOTED", "1")
    tags = json.dumps(["log \u4e2d;./run", "log;./run", "\u4e2d"])
    write_site(tmp_path, {"content/log/2026-05-01-a.md": f"---\ntitle: A\ntags: {tags}\n---\nText.\n"})
    context = click.Context(click.Command("post"))
    context.params["root"] = tmp_path
    words = [item.value for item in completed("tags")(context, click.Option(["--tag"]), "")]
    assert ("\u4e2d" in words, r"log\;./run" in words) == (True, True)
    assert ("log\\ \u4e2d\\;./run" in words) is is_offered


def command_in(folder: Path) -> dict[str, str]:
    """The environment in which a shell finds a command devlog that is in this folder."""
    command = folder / "bin" / "devlog"
    write_site(folder, {"bin/devlog": f"#!{sys.executable}\nfrom devlog.cli import main\nmain(prog_name='devlog')\n"})
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize("tag", [HOSTILE, "two words", "perf`touch ran`", "a*", "d\\e", "wal"])
def test_the_function_of_bash_itself(tag: str, tmp_path: Path) -> None:
    write_site(tmp_path, {"content/log/2026-05-01-a.md": f"---\ntitle: A\ntags: [{json.dumps(tag)}]\n---\nText.\n"})
    script = """
        eval "$(_DEVLOG_COMPLETE=bash_source devlog)"
        COMP_WORDS=(devlog new post x --tag ""); COMP_CWORD=5
        _devlog_completion devlog
        eval "printf '<%s>' ${COMPREPLY[*]}"
    """
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=command_in(tmp_path),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert (done.stdout, done.stderr) == (f"<{tag}>", "")
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_the_function_of_fish_itself(tmp_path: Path) -> None:
    tags = json.dumps([HOSTILE, "two words", "ink, and paper", "-n, wal", "d\\e"])
    write_site(tmp_path, {"content/log/2026-05-01-a.md": f"---\ntitle: A\ntags: {tags}\n---\nText.\n"})
    script = """
        _DEVLOG_COMPLETE=fish_source devlog | source
        complete -C "devlog new post x --tag "
        complete -C "devlog new post x --tag two"
        complete -C "devlog new post x --root con"
    """
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=tmp_path,
        env={**command_in(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    *words, folder = done.stdout.splitlines()
    assert sorted(words) == sorted(["-n, wal", "d\\e", "ink, and paper", "two words", "two words", HOSTILE])
    assert (folder.partition("\t")[0], done.stderr) == ("content/", "")
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_an_old_function_of_bash_gets_no_words_that_need_quotes(tmp_path: Path) -> None:
    tags = json.dumps([HOSTILE, "two words", "wal"])
    write_site(tmp_path, {"content/log/2026-05-01-a.md": f"---\ntitle: A\ntags: {tags}\n---\nText.\n"})
    assert offered("devlog new post x --tag ", tmp_path, quoted=False) == ["wal"]


@pytest.mark.slow
def test_an_old_function_of_fish_gets_no_words_with_commas(tmp_path: Path) -> None:
    tags = json.dumps(["ink, and paper", "two words"])
    write_site(tmp_path, {"content/log/2026-05-01-a.md": f"---\ntitle: A\ntags: {tags}\n---\nText.\n"})
    assert offered("devlog new post x --tag ", tmp_path, "fish", quoted=False) == ["two words"]


@pytest.mark.slow
def test_other_shells_get_words_that_they_quote_or_that_are_quoted(tmp_path: Path) -> None:
    tags = json.dumps(["it's ‘so’", "wal"], ensure_ascii=False)
    write_site(tmp_path, {"content/log/2026-05-01-a.md": f"---\ntitle: A\ntags: {tags}\n---\nText.\n"})
    line = "devlog new post x --tag "
    assert offered(line, tmp_path, "fish") == ["it's ‘so’", "wal"]
    assert offered(line, tmp_path, "zsh") == ["it's ‘so’", "wal"]
    if hasattr(shell_completion, "PowerShellComplete"):  # which click has since 8.5
        assert offered(line, tmp_path, "powershell") == ["'it''s ‘‘so’’'", "wal"]
