"""`devlog new post`: the right file with the right name, and nothing overwritten."""

from __future__ import annotations

import signal
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sites import build_site, read_tree, write_site

from devlog.cli import main, new
from devlog.installation import own_command

POST = "content/storage/2026-06-15-a-shorter-write-path.md"

Devlog = Callable[..., Result]


def text_of(site: Path, name: str) -> str:
    return (site / name).read_text("utf-8")


def only_new(site: Path, before: dict[str, bytes]) -> str:
    """The one file that is new; all others are as they were."""
    after = read_tree(site)
    new = sorted(after.keys() - before.keys())
    assert {path: after[path] for path in before} == before
    assert len(new) == 1
    return new[0]


def test_a_post(site: Path, devlog: Devlog) -> None:
    done = devlog("new", "post", "A shorter write path", "--topic", "storage", "--author", "adaquill", "--tag", "wal")
    assert done.exit_code == 0
    assert done.stdout == (
        f"{POST}\npreview: run {own_command()} serve, then http://127.0.0.1:8000/storage/2026-06-15-a-shorter-write-path/\n"
    )
    assert done.stderr == ""
    assert text_of(site, POST) == (
        "---\ntitle: A shorter write path\nauthor: Ada Quill (@adaquill)\ntags: [wal]\n---\n\n"
        "> **TL;DR** – TODO: what a reader should know who reads no further.\n"
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timers")
@pytest.mark.usefixtures("without_collection")
def test_a_post_that_takes_too_long(site: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlog.engine.executors.SECONDS", 0.05)
    template = f'---\ntitle: "{{title}}"\n---\n{"*a* [b](c) " * 50_000}\n'
    write_site(site, {"content/storage/_template.md": template})
    before = read_tree(site)
    done = devlog("new", "post", "A shorter write path", "--topic", "storage", "--author", "adaquill")
    assert done.exit_code == 1
    assert f"{POST}: error[too-slow]: processing this file took longer than 0.05 s" in done.stderr
    assert read_tree(site) == before


@pytest.mark.slow
def test_it_builds_without_a_warning_where_the_preview_said(site: Path, devlog: Devlog) -> None:
    (site / "devlog.toml").write_text(
        'base_url = "https://lumen.example.org/log/"\n[permalinks]\npost = "/:year/:slug/"\n'
    )
    done = devlog("new", "post", "Größe, & Maß", "--topic", "storage/cache", "--author", "@boreed")
    assert "http://127.0.0.1:8000/log/2026/gr%C3%B6%C3%9Fe-ma%C3%9F/" in done.stdout
    report = build_site(site)
    assert report.diagnostics == ()
    assert (site / "public/2026/größe-maß/index.html").is_file()


@pytest.mark.parametrize("pattern", ["*-write-path.md", "/storage/2026-*", "re:path"])
def test_a_post_that_would_be_ignored_is_not_written(site: Path, devlog: Devlog, pattern: str) -> None:
    (site / "devlog.toml").write_text(f"ignore = ['{pattern}']\n")
    before = read_tree(site)
    done = devlog("new", "post", "A shorter write path", "--topic", "storage", "--author", "adaquill")
    assert done.exit_code == 1
    assert f"{POST}: error[bad-name]: the site ignores files of this name" in done.stderr
    assert read_tree(site) == before


@pytest.mark.parametrize("files", [{}, {"content/attic/note.txt": "-\n"}])
def test_a_topic_that_would_be_ignored_is_not_written(files: dict[str, str], site: Path, devlog: Devlog) -> None:
    write_site(site, {"devlog.toml": "ignore = ['attic']\n", **files})
    before = read_tree(site)
    done = devlog("new", "topic", "attic")
    assert done.exit_code == 1
    assert "content/attic/_index.md: error[bad-name]: the site ignores files of this name" in done.stderr
    assert read_tree(site) == before


@pytest.mark.parametrize("pattern", ["attic", "/attic", "attic/*"])
@pytest.mark.parametrize("files", [{}, {"attic/note.txt": "-\n"}, {"attic/_posts/2026-01-01-a.md": "A.\n"}])
def test_no_post_is_written_below_an_ignored_folder(
    pattern: str, files: dict[str, str], site: Path, devlog: Devlog
) -> None:
    write_site(site, {"devlog.toml": f"dialect = 'jekyll'\ncontent = '.'\nignore = ['{pattern}']\n", **files})
    before = read_tree(site)
    done = devlog("new", "post", "Old", "--topic", "attic", "--author", "Ada Quill (@adaquill)")
    assert done.exit_code == 1
    assert "attic/_posts/2026-06-15-old.md: error[bad-name]: the site ignores files of this name" in done.stderr
    assert read_tree(site) == before


def test_nothing_is_overwritten(site: Path, devlog: Devlog) -> None:
    arguments = ("new", "post", "A shorter write path", "--topic", "storage", "--author", "adaquill")
    assert devlog(*arguments).exit_code == 0
    before = read_tree(site)
    again = devlog(*arguments, "--tag", "wal")
    assert again.exit_code == 1
    assert "colliding-url" in again.stderr or "already-there" in again.stderr
    assert again.stdout == ""
    assert read_tree(site) == before


@pytest.mark.parametrize("form", ["NFD", "upper"])
def test_a_name_that_some_systems_take_for_the_same(form: str, site: Path, devlog: Devlog) -> None:
    name = "2026-06-15-café.md"
    markdown = unicodedata.normalize("NFD", name) if form == "NFD" else "2026-06-15-CAFÉ.md"
    # A draft of another URL, so that it is the file's name and nothing else that stands in the way.
    write_site(site, {f"content/storage/{markdown}": "---\ntitle: Other\nurl: /elsewhere/\n---\n"})
    before = read_tree(site)
    done = devlog("new", "post", "Café", "--topic", "storage", "--author", "adaquill")
    assert done.exit_code == 1
    assert "error[already-there]" in done.stderr
    assert read_tree(site) == before


def test_an_address_that_is_taken(site: Path, devlog: Devlog) -> None:
    write_site(site, {"devlog.toml": '[permalinks]\npost = "/:topic/:slug/"\n'})
    before = read_tree(site)
    done = devlog("new", "post", "Log format", "--topic", "storage", "--author", "adaquill")
    assert done.exit_code == 1
    assert "error[colliding-url]" in done.stderr
    assert "content/storage/2026-03-01-log-format.md" in done.stderr
    assert read_tree(site) == before


# -- topics


def test_the_topic_of_the_folder(site: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "content/storage/cache/images").mkdir()
    monkeypatch.chdir(site / "content/storage/cache/images")
    done = devlog("new", "post", "Eviction", "--author", "adaquill")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == str(Path("..", "2026-06-15-eviction.md"))
    assert (site / "content/storage/cache/2026-06-15-eviction.md").is_file()


def test_the_only_topic(tmp_path: Path, devlog: Devlog, site: Path) -> None:
    other = write_site(tmp_path / "other", {"content/only/_index.md": "---\ntitle: Only\n---\n"})
    assert devlog("new", "post", "One", "--root", str(other), "--author", "Cy Fern (@cy)").exit_code == 0
    assert (other / "content/only/2026-06-15-one.md").is_file()


def test_topics_are_listed_when_one_must_be_chosen(site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    done = devlog("new", "post", "One", "--author", "adaquill")
    assert done.exit_code == 1
    assert "--topic: error[which-topic]: missing --topic" in done.stderr
    assert "“planner”, “storage”, “storage/cache”" in done.stderr
    assert read_tree(site) == before


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("storag", "did you mean “storage”?"),
        ("compiler", "create it with “devlog new topic compiler”"),
        ("../storage", "did you mean “storage”?"),
        ("/etc", "create it with “devlog new topic /etc”"),
        ("../..", ""),
        ("query plans", ""),
    ],
)
def test_a_topic_that_is_not_there(name: str, hint: str, site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    done = devlog("new", "post", "One", "--topic", name, "--author", "adaquill")
    assert done.exit_code == 1
    assert f"error[unknown-topic]: unknown topic “{name}”" in done.stderr
    assert [line for line in done.stderr.splitlines() if "hint:" in line] == ([f"  hint: {hint}"] if hint else [])
    assert read_tree(site) == before


def test_a_site_without_topics(tmp_path: Path, devlog: Devlog) -> None:
    write_site(tmp_path, {"content/_index.md": "---\ntitle: Home\n---\n"})
    done = devlog("new", "post", "One", "--root", str(tmp_path))
    assert done.exit_code == 1
    assert "there are no topics yet" in done.stderr
    assert "devlog new topic NAME" in done.stderr


@pytest.mark.parametrize("name", ["storage/", "content/storage", "content/storage/"])
def test_a_topic_as_a_shell_completes_it(name: str, site: Path, devlog: Devlog) -> None:
    assert devlog("new", "post", "One", "--topic", name, "--author", "adaquill").exit_code == 0
    assert (site / "content/storage/2026-06-15-one.md").is_file()


def test_the_command_for_a_preview_names_the_site_if_it_is_elsewhere(
    site: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site / "content/storage")
    assert f"run {own_command()} serve, then" in devlog("new", "post", "One", "--author", "adaquill").stdout
    monkeypatch.chdir(site.parent)
    site.rename(site.with_name("a log"))
    for arguments in (("post", "Two", "--topic", "storage", "--author", "adaquill"), ("topic", "query")):
        done = devlog("new", *arguments, "--root", "a log")
        assert f"run {own_command()} serve --root 'a log', then" in done.stdout


def test_a_folder_that_is_no_site(tmp_path: Path, devlog: Devlog) -> None:
    done = devlog("new", "post", "One", "--root", str(tmp_path))
    assert done.exit_code == 1
    assert "error[no-site]: no devlog site found here" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_gone(tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    done = devlog("new", "post", "One")
    assert done.exit_code == 2
    assert "has been removed" in done.stderr


def test_a_broken_configuration_is_told(site: Path, devlog: Devlog) -> None:
    (site / "devlog.toml").write_text("title = [\n")
    before = read_tree(site)
    done = devlog("new", "post", "One", "--topic", "storage")
    assert done.exit_code == 1
    assert "devlog.toml:2" in done.stderr
    assert "error[invalid-config]" in done.stderr
    assert read_tree(site) == before


# -- titles that somebody might use


HOSTILE: dict[str, tuple[str, str] | None] = {
    "two\nlines": ("two-lines", "two lines"),
    "../../etc/passwd": ("etc-passwd", "../../etc/passwd"),
    "con": ("con", "con"),
    "a\x1b[31m b\x07c": ("a31m-bc", "a[31m bc"),
    "日本語の題": ("日本語の題", "日本語の題"),
    "***": None,
    "🚀🚀": None,
    "": None,
    " \x00 ": None,
    "{title} {date}": ("title-date", "{title} {date}"),
    "a: b # c": ("a-b-c", "a: b # c"),
    "C# and ~x~ @ home": ("c-and-x-home", "C# and ~x~ @ home"),
}


@pytest.mark.parametrize("title", HOSTILE)
def test_hostile_titles(title: str, site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    done = devlog("new", "post", title, "--topic", "storage", "--author", "adaquill")
    if HOSTILE[title] is None:
        assert done.exit_code == 1
        assert "error[no-slug]" in done.stderr or "error[bad-name]" in done.stderr
        assert read_tree(site) == before
        return
    assert done.exit_code == 0
    new = only_new(site, before)
    assert "\x1b" not in done.stdout + done.stderr
    report = build_site(site)
    assert not report.failed
    name, written = HOSTILE[title] or ("", "")
    assert new == f"content/storage/2026-06-15-{name}.md"
    assert written in (site / new).read_text("utf-8")


def test_a_title_of_300_characters(site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    title = "word " * 60
    assert devlog("new", "post", title, "--topic", "storage", "--author", "adaquill").exit_code == 0
    name = Path(only_new(site, before)).name
    assert name.endswith("-word.md")
    assert len(name.encode()) < 120
    assert title.strip() in (site / "content/storage" / name).read_text("utf-8")


@pytest.mark.parametrize("title", ["x" * 300, "字" * 300])
def test_one_word_of_300_characters(title: str, site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    assert devlog("new", "post", title, "--topic", "storage", "--author", "adaquill").exit_code == 0
    assert len(Path(only_new(site, before)).name.encode()) < 120
    assert not build_site(site).failed


def test_an_emoji_title_with_a_slug(site: Path, devlog: Devlog) -> None:
    arguments = ("new", "post", "🚀🚀", "--topic", "storage", "--author", "adaquill")
    refused = devlog(*arguments)
    assert "set one with --slug" in refused.stderr
    assert devlog(*arguments, "--slug", "../Lift Off").exit_code == 0
    assert 'title: "🚀🚀"\n' in text_of(site, "content/storage/2026-06-15-lift-off.md")


# -- dates


@pytest.mark.parametrize(
    ("date", "name", "line"),
    [
        ("2026-05-03", "2026-05-03-one.md", ""),
        ("May 3, 2026", "2026-05-03-one.md", ""),
        ("2026-5-3", "2026-05-03-one.md", ""),
        ("2026-05-03T23:30:00Z", "2026-05-04-one.md", "date: 2026-05-03T23:30:00+00:00\n"),
    ],
)
def test_dates(date: str, name: str, line: str, site: Path, devlog: Devlog) -> None:
    (site / "devlog.toml").write_text('timezone = "Europe/Paris"\n')
    arguments = ("new", "post", "One", "--topic", "storage", "--author", "adaquill", "--date", date)
    assert devlog(*arguments).exit_code == 0
    text = text_of(site, f"content/storage/{name}")
    assert ("date:" in text) == bool(line)
    assert line in text
    assert not build_site(site).diagnostics


def test_today_is_that_of_the_site(site: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1781564400")  # 2026-06-15T23:00:00Z
    (site / "devlog.toml").write_text('timezone = "Asia/Tokyo"\n')
    assert devlog("new", "post", "One", "--topic", "storage", "--author", "adaquill").exit_code == 0
    assert (site / "content/storage/2026-06-16-one.md").is_file()


def test_no_date(site: Path, devlog: Devlog) -> None:
    done = devlog("new", "post", "One", "--topic", "storage", "--date", "soon")
    assert done.exit_code == 2
    assert "“soon” is not a date" in done.stderr


# -- authors


@pytest.mark.parametrize(
    ("given", "line", "told"),
    [
        (("adaquill",), "author: Ada Quill (@adaquill)", ""),
        (("@AdaQuill",), "author: Ada Quill (@adaquill)", ""),
        (("ada quill",), "author: Ada Quill (@adaquill)", ""),
        (("Ada Quill (@adaquill)",), "author: Ada Quill (@adaquill)", ""),
        (("Ada (adaquill)",), "author: Ada Quill (@adaquill)", "two-names"),
        (("boreed", "Ada Quill"), "author: Bo Reed (@boreed), Ada Quill (@adaquill)", ""),
        (("boreed, adaquill, boreed",), "author: Bo Reed (@boreed), Ada Quill (@adaquill)", ""),
        (("Dee Moss (@deemoss)",), "author: Dee Moss (@deemoss)", ""),
        (("@deemoss",), 'author: "@deemoss"', ""),
        (("Cy Fern",), "author: Cy Fern", "missing-handle"),
        (("Cy Fern (@cyfern)",), "author: Cy Fern (@cyfern)", ""),
        (("Dee Moss",), "author: Dee Moss", "write “Dee Moss (@handle)”"),
        (("adaquil",), "author: adaquil", "write “Ada Quill (@adaquill)”"),
        (("Ada Quill (@other)",), "author: Ada Quill (@other)", "two-handles"),
        (("Dee Moss (Red Brick)",), "author: Dee Moss (Red Brick)", ""),
        (("Lumen release team",), "author: Lumen release team", ""),
    ],
)
def test_authors(given: tuple[str, ...], line: str, told: str, site: Path, devlog: Devlog) -> None:
    options = [word for author in given for word in ("--author", author)]
    done = devlog("new", "post", "One", "--topic", "storage", *options)
    assert done.exit_code == 0
    assert f"\n{line}\n" in text_of(site, "content/storage/2026-06-15-one.md")
    assert told in done.stderr
    assert bool(told) == bool(done.stderr)


def test_the_registry_is_known_too(site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/authors.yml": "deemoss:\n  name: Dee Moss\n  aliases: [dmoss]\n"})
    assert devlog("new", "post", "One", "--topic", "storage", "--author", "dmoss").exit_code == 0
    assert "author: Dee Moss (@deemoss)\n" in text_of(site, "content/storage/2026-06-15-one.md")


def test_a_name_with_a_comma(site: Path, devlog: Devlog, git_says: Callable[..., None]) -> None:
    git_says("Moss, Dee", "7+deemoss@users.noreply.github.com")
    assert devlog("new", "post", "One", "--topic", "storage").exit_code == 0
    assert "\nauthors:\n  - name: Moss, Dee\n    handle: deemoss\n" in text_of(
        site, "content/storage/2026-06-15-one.md"
    )
    write_site(site, {"content/authors.yml": "deemoss:\n  name: Moss, Dee\n"})
    assert build_site(site).diagnostics == ()
    assert (site / "public/authors/deemoss/index.html").is_file()


@pytest.mark.parametrize(
    ("name", "email", "line", "told"),
    [
        ("Ada Quill", "ada@example.org", "author: Ada Quill (@adaquill)", ""),
        ("ada  quill", "ada@example.org", "author: Ada Quill (@adaquill)", ""),
        ("Ada Lovely Quill", "12345+AdaQuill@users.noreply.github.com", "author: Ada Quill (@adaquill)", ""),
        ("adaquill", "", "author: Ada Quill (@adaquill)", ""),
        ("Ada Quill", "9+ada-other@users.noreply.github.com", "author: Ada Quill (@adaquill)", ""),
        ("Dee Moss", "7+deemoss@users.noreply.github.com", "author: Dee Moss (@deemoss)", ""),
        ("", "deemoss@users.noreply.github.com", 'author: "@deemoss"', ""),
        ("Dee Moss", "dee@example.org", "author: Dee Moss", "warning[missing-handle]"),
        ("", "", None, "warning[no-author]"),
        ("", "dee@example.org", None, "warning[no-author]"),
    ],
)
def test_git_says_who_writes(
    name: str,
    email: str,
    line: str | None,
    told: str,
    site: Path,
    devlog: Devlog,
    git_says: Callable[..., None],
) -> None:
    git_says(name, email)
    done = devlog("new", "post", "One", "--topic", "storage")
    assert done.exit_code == 0
    text = text_of(site, "content/storage/2026-06-15-one.md")
    assert f"\n{line}\n" in text if line else "author" not in text
    assert told in done.stderr
    assert bool(told) == bool(done.stderr)


def test_the_repository_of_the_site_counts_before_the_user(
    site: Path, devlog: Devlog, git_says: Callable[..., None]
) -> None:
    git_says("Dee Moss", "dee@example.org")
    subprocess.run(["git", "init", "-q", str(site)], check=True)
    subprocess.run(["git", "-C", str(site), "config", "user.name", "Bo Reed"], check=True)
    assert devlog("new", "post", "One", "--topic", "storage").exit_code == 0
    assert "author: Bo Reed (@boreed)\n" in text_of(site, "content/storage/2026-06-15-one.md")


def test_without_git(site: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(site / "nothing"))
    done = devlog("new", "post", "One", "--topic", "storage")
    assert done.exit_code == 0
    assert "warning[no-author]" in done.stderr
    assert "author" not in text_of(site, "content/storage/2026-06-15-one.md")


def test_a_hostile_repository_runs_nothing(site: Path, devlog: Devlog) -> None:
    subprocess.run(["git", "init", "-q", str(site)], check=True)
    trap = site / "trap"
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "alias.config", "pager.config"):
        subprocess.run(["git", "-C", str(site), "config", key, f"touch {trap}"], check=True)
    assert devlog("new", "post", "One", "--topic", "storage").exit_code == 0
    assert not trap.exists()


# -- tags


@pytest.mark.parametrize(
    ("given", "line", "told"),
    [
        ((), "tags: []", ""),
        (("wal", "planner"), "tags: [wal, planner]", ""),
        (("dynamic-shapes",), "tags: [dynamic_shapes]", "warning[tag-drift]"),
        (("Dynamic Shapes", "dynamic_shapes"), "tags: [dynamic_shapes]", "warning[tag-drift]"),
        (("new thing", "a, b", "3.10", "no", "C++"), 'tags: [new thing, "a, b", "3.10", "no", C++]', ""),
        (("!!",), "tags: []", "warning[bad-tag]"),
    ],
)
def test_tags(given: tuple[str, ...], line: str, told: str, site: Path, devlog: Devlog) -> None:
    options = [word for tag in given for word in ("--tag", tag)]
    done = devlog("new", "post", "One", "--topic", "storage", "--author", "adaquill", *options)
    assert done.exit_code == 0
    assert f"\n{line}\n" in text_of(site, "content/storage/2026-06-15-one.md")
    assert told in done.stderr
    assert bool(told) == bool(done.stderr)


def test_tags_that_are_not_allowed(site: Path, devlog: Devlog) -> None:
    (site / "devlog.toml").write_text('[tags]\nallowed = ["wal", "planner", "dynamic_shapes", "storage"]\n')
    done = devlog("new", "post", "One", "--topic", "storage", "--author", "adaquill", "--tag", "plannr")
    assert "warning[unknown-tag]" in done.stderr
    assert "did you mean “planner”?" in done.stderr


def test_severities_count(site: Path, devlog: Devlog) -> None:
    (site / "devlog.toml").write_text('[severity]\ntag-drift = "off"\n')
    done = devlog("new", "post", "One", "--topic", "storage", "--author", "adaquill", "--tag", "dynamic-shapes")
    assert done.stderr == ""


# -- where


def test_the_site_above_is_found(site: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "devlog.toml").write_text("")
    (site / "static").mkdir()
    monkeypatch.chdir(site / "static")
    done = devlog("new", "post", "One", "--topic", "storage", "--author", "adaquill")
    assert done.stdout.splitlines()[0] == str(Path("..", "content", "storage", "2026-06-15-one.md"))


def test_links_on_the_way_are_not_followed(site: Path, devlog: Devlog, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    write_site(site, {"devlog.toml": 'content = "texts"\n'})
    (site / "texts").symlink_to(site / "content", target_is_directory=True)
    before = read_tree(site / "content")
    done = devlog("new", "post", "One", "--topic", "storage", "--author", "adaquill")
    assert done.exit_code == 1
    assert read_tree(site / "content") == before


def test_a_content_folder_that_is_a_loop_of_links(site: Path, devlog: Devlog) -> None:
    write_site(site, {"devlog.toml": 'content = "texts"\n'})
    (site / "texts").symlink_to("texts")
    done = devlog("new", "post", "One", "--author", "adaquill")
    assert done.exit_code == 1
    assert "error[which-topic]: there are no topics yet" in done.stderr


def test_nothing_is_left_behind_where_nothing_can_be_written(
    site: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_fd: int, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("devlog.disk.single_files.write_all", full)
    before = read_tree(site)
    done = devlog("new", "post", "One", "--topic", "storage", "--author", "adaquill")
    assert done.exit_code == 1
    assert "error[cannot-write]: cannot be written: the disk is full" in done.stderr
    assert read_tree(site) == before


def test_no_store_is_begun_and_an_old_one_is_used(site: Path, devlog: Devlog) -> None:
    devlog("new", "post", "One", "--topic", "storage", "--author", "adaquill")
    assert not (site / ".devlog").exists()
    build_site(site)
    done = devlog("new", "post", "Two", "--topic", "storage", "--author", "boreed")
    assert done.exit_code == 0
    assert "author: Bo Reed (@boreed)\n" in text_of(site, "content/storage/2026-06-15-two.md")


JEKYLL = {
    "devlog.toml": 'dialect = "jekyll"\n',
    "content/storage/_posts/2026-03-01-log-format.md": "---\ntitle: A format for the log\n---\nText.\n",
}


@pytest.mark.parametrize(
    ("options", "folder", "url"),
    [
        ((), "_posts", "/"),
        (("--topic", "storage"), "storage/_posts", "/storage/"),
        (("--topic", "engine/cache"), "engine/cache/_posts", "/engine/cache/"),
    ],
    ids=["no topic", "a topic", "a new topic"],
)
def test_a_post_of_jekyll_is_one(
    options: tuple[str, ...], folder: str, url: str, tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_site(tmp_path / "jekyll", JEKYLL)
    monkeypatch.chdir(root)
    done = devlog("new", "post", "A shorter write path", *options, "--author", "Ada Quill", "--date", "2026-06-15")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == f"content/{folder}/2026-06-15-a-shorter-write-path.md"
    assert f"8000{url}2026-06-15-a-shorter-write-path/" in done.stdout
    report = build_site(root)
    assert (report.failed, report.posts) == (False, 2)


def test_a_slip_is_no_new_topic_of_jekyll(tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_site(tmp_path / "jekyll", JEKYLL))
    done = devlog("new", "post", "A shorter write path", "--topic", "storag")
    assert (done.exit_code, "did you mean “storage”" in done.stderr) == (1, True)


def test_topics_of_jekyll_have_no_file(tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_site(tmp_path / "jekyll", JEKYLL))
    done = devlog("new", "topic", "news")
    assert (done.exit_code, "create its first one with “devlog new post”" in done.stderr) == (1, True)
    assert not (tmp_path / "jekyll/content/news").exists()


@pytest.mark.parametrize("topic", ["../x", "_posts", "a/_drafts", "tags", "public", "A b", "themes/x"])
def test_what_is_no_topic_of_jekyll(
    topic: str, tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(
        write_site(
            tmp_path / "jekyll",
            {"devlog.toml": 'dialect = "jekyll"\ncontent = "."\n', "_posts/2026-03-01-a.md": "---\ntitle: A\n---\n"},
        )
    )
    done = devlog("new", "post", "A shorter write path", "--topic", topic, "--author", "Ada Quill")
    assert (done.exit_code, "unknown topic" in done.stderr) == (1, True)


@pytest.mark.parametrize("dialect", ["devlog", "jekyll"])
def test_where_the_site_itself_is_the_content(
    dialect: str, tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_site(tmp_path / "top", {"devlog.toml": f'dialect = "{dialect}"\ncontent = "."\n'})
    monkeypatch.chdir(root)
    if dialect == "devlog":
        assert devlog("new", "topic", "storage").stdout.startswith("storage/_index.md\n")
    options = ("--topic", "storage", "--author", "Ada Quill", "--date", "2026-06-15")
    done = devlog("new", "post", "A shorter write path", *options)
    folder = {"devlog": "storage", "jekyll": "storage/_posts"}[dialect]
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, f"{folder}/2026-06-15-a-shorter-write-path.md")
    assert build_site(root).posts == 1


def test_a_draft(site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    assert devlog("new", "post", "One", "--topic", "storage", "--draft").exit_code == 0
    assert "\ntags: []\ndraft: true\n---\n" in text_of(site, only_new(site, before))
    for template in ("---\ntitle: {title}\ndraft: false\n---\nx\n", "+++\ntitle = '{title}'\n+++\nx\n", "x\n"):
        (site / "content/storage/_template.md").write_text(template)
        before = read_tree(site)
        assert devlog("new", "post", f"Two {len(template)}", "--topic", "storage", "--draft").exit_code == 0
        assert text_of(site, only_new(site, before)).count("draft") == 1
    assert "draft: true\n---\n\nx\n" in text_of(site, only_new(site, before))


def test_what_is_missing_is_asked_on_a_terminal_only(
    site: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_tree(site)
    done = devlog("new", "post")
    assert (done.exit_code, read_tree(site)) == (2, before)
    assert "missing argument TITLE" in done.stderr
    edited: list[str] = []
    monkeypatch.setattr(new, "_can_ask", lambda: True)  # standard input of the runner is no terminal
    monkeypatch.setattr("click.edit", lambda filename: edited.append(filename))  # noqa: PLW0108 - the name counts
    done = CliRunner().invoke(main, ("new", "post", "--edit"), input="Asked for\n2\n", prog_name="devlog")
    name = only_new(site, before)
    assert "title: Asked for" in text_of(site, name)
    topics = [line.split()[1] for line in done.stderr.splitlines() if line.strip()[:1].isdigit()]
    assert name.startswith(f"content/{topics[1]}/")
    assert [Path(file).resolve() for file in edited] == [(site / name).resolve()]


@pytest.mark.parametrize("editor", ["it's", " ", "false", "no-such-editor"])
def test_an_editor_that_fails_leaves_the_post(editor: str, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", editor)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.chdir(site)
    command = ("new", "post", "A log", "--topic", "storage", "--author", "adaquill", "--edit")
    done = CliRunner().invoke(main, command, prog_name="devlog")
    assert done.exit_code == 0, done.output
    assert "The post is written, but not opened." in done.stderr
    assert list(site.glob("content/storage/*-a-log.md"))


@pytest.mark.parametrize("option", ["", "--topic", "--author", "--tag", "--slug"])
def test_a_word_that_is_not_utf_8_is_refused(option: str, site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    result = devlog("new", "post", *([option, "caf\udce9", "A title"] if option else ["caf\udce9"]))
    assert result.exit_code == 2
    assert "“caf\\udce9” is not UTF-8" in result.output
    assert read_tree(site) == before
