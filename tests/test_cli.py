"""The real command, in processes of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest
from click import unstyle
from sites import build_site, read_tree, write_site

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error
from devlog.report import as_text, printable
from devlog.report.built import summary

ROOT = Path(__file__).parent.parent
POST = "---\ntitle: First\n---\nHello.\n"
SITE = {"content/2026-05-04-first.md": POST}
WARNED = {"content/2026-05-04-first.md": f"{POST}[x](gone.md)\n"}
BROKEN = {"content/2026-05-04-first.md": "---\ntitle: [\n---\n"}
FEW = {"devlog.toml": "[llms]\nenabled = false\nmarkdown = false\n"}
"""A site with few files besides its pages, none of them of a feature."""
NOW = "2026-06-15T12:00:00Z"


NEEDS_DASK = pytest.mark.skipif(not find_spec("distributed"), reason="needs the extra dask: pip install -e '.[dev]'")


def devlog(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "devlog", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def build(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `devlog build` on one process at a fixed moment, without a search."""
    return devlog("build", "--jobs", "1", "--now", NOW, "--no-search", *arguments, cwd=folder, **environment)


# -- exit status


@pytest.mark.parametrize(
    ("files", "arguments", "status"),
    [
        (SITE, (), 0),
        (WARNED, (), 0),
        (WARNED, ("--strict",), 1),
        (BROKEN, (), 1),
        (SITE, ("--base-url", "docs.example.org"), 2),
        (SITE, ("--base-url", "https://docs.example.org/bä/"), 2),
        (SITE, ("--now", "soon"), 2),
        (SITE, ("--now", "0001-01-01"), 2),
        (SITE, ("--now", "9999-12-31T23:59:59Z"), 2),
        (SITE, ("--jobs", "-1"), 2),
        (SITE, ("--jobs", "99999999999"), 2),
        (SITE, ("--executor", "inline"), 0),
        # There is too little work to ask anyone.
        pytest.param(SITE, ("--executor", "dask://127.0.0.1:8786"), 0, marks=NEEDS_DASK),
        (SITE, ("--executor", "proceses"), 2),
        (SITE, ("--executor", "no.such:factory"), 2),
        (SITE, ("--executor", "dask://127.0.0.1"), 2),
        (SITE, ("--format", "xml"), 2),
        (SITE, ("--root", "nowhere"), 2),
        (SITE, ("--no-such-option",), 2),
        (SITE, ("--quiet", "--verbose"), 2),
        (SITE, ("extra",), 2),
    ],
)
@pytest.mark.slow
def test_exit_status(tmp_path: Path, files: dict[str, str], arguments: tuple[str, ...], status: int) -> None:
    site = write_site(tmp_path, files)
    done = build(site, *arguments)
    assert done.returncode == status, done.stderr
    assert (site / "public/index.html").exists() == (status == 0)
    assert "Traceback" not in done.stderr


# -- streams


@pytest.mark.skipif(os.name != "posix", reason="runs a POSIX shell")
@pytest.mark.parametrize("command", ["build --jobs 1 --no-search", "check", "search hello"])
@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
@pytest.mark.slow
def test_closed_streams(tmp_path: Path, command: str, closed: str) -> None:
    """Nobody hears what is said; and no file gets the number of a stream, so that nothing is said into it."""
    site = write_site(tmp_path / "site", SITE)
    done = shell(f'"$PYTHON" -m devlog {command} {closed}; echo $?', site)
    assert done.stdout == "0\n", done.stderr
    assert "Traceback" not in done.stderr
    assert (site / "public/index.html").exists() == command.startswith("build")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", ["build --jobs 1 --no-search", "check", "search hello", "--version"])
@pytest.mark.slow
def test_output_that_cannot_be_written(tmp_path: Path, command: str) -> None:
    site = write_site(tmp_path / "site", SITE)
    done = shell(f'"$PYTHON" -m devlog {command} >/dev/full; echo $? >&2', site)
    assert done.stderr.endswith("devlog: the output cannot be written: the disk is full\n1\n")
    assert "Traceback" not in done.stderr
    done = shell(f'"$PYTHON" -m devlog {command} >/dev/full 2>/dev/full; echo $?', site)
    assert done.stdout == "1\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="needs a name that is not UTF-8")
@pytest.mark.parametrize("command", ["build --jobs 1 --output", "search hello --topic"])
def test_an_argument_that_is_not_text(tmp_path: Path, command: str) -> None:
    done = shell(f'"$PYTHON" -m devlog {command} "$(printf "\\377")"', write_site(tmp_path, SITE))
    assert done.returncode == 2
    assert done.stderr.endswith("Error: “\\udcff” is not UTF-8\n")


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps a folder that is used")
@pytest.mark.parametrize(
    "command", ["build", "check", "search hello", "serve", "mcp", "deploy", "new topic x", "init a"]
)
def test_a_folder_that_was_removed(tmp_path: Path, command: str) -> None:
    (tmp_path / "gone").mkdir()
    done = shell(f'rmdir "$PWD"; "$PYTHON" -m devlog {command}', tmp_path / "gone")
    assert done.returncode == 2
    assert done.stderr.endswith("Error: the folder that this shell is in has been removed\n")


@pytest.mark.parametrize(
    "epoch", ["99999999999999999999", "9" * 5000, "253402300800", "253402300799", "1e9", "x", "-1", " "]
)
def test_a_moment_that_there_is_not(tmp_path: Path, epoch: str) -> None:
    done = devlog("build", "--jobs", "1", cwd=write_site(tmp_path, SITE), SOURCE_DATE_EPOCH=epoch)
    assert done.returncode == 2
    assert done.stderr.endswith(f"“{epoch}” is no moment: SOURCE_DATE_EPOCH counts the seconds since 1970\n")


def test_the_mcp_server_does_not_start_at_a_moment_that_there_is_not(tmp_path: Path) -> None:
    done = devlog("mcp", cwd=write_site(tmp_path, SITE), SOURCE_DATE_EPOCH="soon")
    assert done.returncode == 2
    assert "“soon” is no moment" in done.stderr


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a shell makes of a command of devlog's, as which ``"$PYTHON" -m devlog`` stands."""
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHON": sys.executable},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_no_command_is_wrong_usage(tmp_path: Path) -> None:
    done = devlog("bild", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no command “bild”; did you mean “build”?" in done.stderr


@pytest.mark.slow
def test_a_folder_without_a_site(tmp_path: Path) -> None:
    for command in ("build", "check"):
        done = devlog(command, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert "error[no-site]: no devlog site found here" in done.stderr
    assert list(tmp_path.iterdir()) == []
    assert devlog("check", "--explain", "no-site", cwd=tmp_path).returncode == 0
    done = devlog("check", "--explain", "", cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        "Error: Invalid value for --explain: there is no code “”",
    )


@pytest.mark.slow
def test_the_site_above_the_folder(tmp_path: Path) -> None:
    site = write_site(tmp_path, WARNED)
    done = devlog("build", cwd=site / "content")
    assert (done.returncode, done.stderr.partition(":")[0]) == (0, "content/2026-05-04-first.md")
    assert (site / "public/index.html").exists()


def test_the_old_site_stays_after_an_error(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    assert build(site).returncode == 0
    before = read_tree(site / "public")
    write_site(site, BROKEN)
    done = build(site)
    assert done.returncode == 1
    assert done.stdout.startswith("Build failed: 1 error. The existing site is unchanged.\n")
    assert read_tree(site / "public") == before


# -- options


@pytest.mark.slow
def test_root_and_output(tmp_path: Path) -> None:
    write_site(tmp_path / "site", SITE)
    assert build(tmp_path, "--root", "site", "--output", "www").returncode == 0
    assert (tmp_path / "site/www/index.html").exists()
    assert not (tmp_path / "www").exists()


@pytest.mark.slow
def test_the_moment_comes_from_the_option_then_from_the_environment(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    arguments = ("build", "--jobs", "1", "--format", "json")
    early = str(1767225600)  # 2026-01-01
    by_environment = json.loads(devlog(*arguments, cwd=site, SOURCE_DATE_EPOCH=early).stdout)
    assert by_environment["skipped"] == [{"path": "content/2026-05-04-first.md", "reason": "publishes 2026-05-04"}]
    by_option = json.loads(devlog(*arguments, "--now", NOW, cwd=site, SOURCE_DATE_EPOCH=early).stdout)
    assert by_option["skipped"] == []


@pytest.mark.slow
def test_no_cache_works_everything_out_anew(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    build(site)
    before = read_tree(site / "public")
    kept = json.loads(build(site, "--format", "json").stdout)
    anew = json.loads(build(site, "--format", "json", "--no-cache").stdout)
    assert (kept["parsed"], kept["rendered"]) == (0, 0)
    assert anew["parsed"] == 1
    assert anew["rendered"] > 10
    assert read_tree(site / "public") == before


# -- text


def test_the_summary_of_a_build_that_failed_while_it_published(tmp_path: Path) -> None:
    report = build_site(write_site(tmp_path, WARNED))
    failed = msgspec.structs.replace(report, diagnostics=(error("write-failed", Span("public"), "the disk is gone"),))
    assert len(report.written) > 1
    printed = summary(failed)
    assert "unchanged" not in printed
    assert (
        f"changed in part ({len(report.written)} files written and 0 removed); the next build completes it." in printed
    )
    assert "The existing site is unchanged." in summary(msgspec.structs.replace(failed, written=()))


def test_the_summary(tmp_path: Path) -> None:
    site = write_site(
        tmp_path,
        {
            **WARNED,
            **FEW,
            "content/2026-05-05-a.md": "---\ntitle: A\ndraft: true\n---\nx\n",
            "content/2026-12-01-b.md": "---\ntitle: B\n---\nx\n",
        },
    )
    first = build(site, NO_COLOR="1")
    lines = first.stdout.splitlines()
    assert lines[0].startswith("Built “DevLog” into public in ")
    assert lines[1] == "  1 post · 7 pages · 3 feeds · 22 other files"
    assert lines[2] == "  32 written, 0 unchanged, 0 removed"
    assert lines[3:] == [
        "  2 posts not published:",
        "    content/2026-05-05-a.md: draft",
        "    content/2026-12-01-b.md: publishes 2026-12-01",
        "  1 warning",
    ]
    assert first.stderr.splitlines()[0] == (
        "content/2026-05-04-first.md:5:5: warning[broken-link]: link target not found: “gone.md”"
    )
    (site / "content/2026-05-04-first.md").unlink()
    write_site(site, {"content/2026-05-06-c.md": POST})
    assert "\n  8 written, 24 unchanged, 1 removed\n" in build(site).stdout


@pytest.mark.slow
def test_quiet_says_only_what_is_wrong(tmp_path: Path) -> None:
    site = write_site(tmp_path, {"content/2026-05-04-first.md": f"{POST}\n```klingon\nx\n```\n[x](gone.md)\n"})
    done = build(site, "--quiet")
    assert done.stdout == ""
    assert "warning[broken-link]" in done.stderr
    assert "info[" not in done.stderr
    clean = build(write_site(tmp_path / "clean", SITE), "-q")
    assert (clean.stdout, clean.stderr) == ("", "")


@pytest.mark.slow
def test_verbose_names_every_file(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    assert "\n  + 2026-05-04-first/index.html\n" in build(site, "--verbose").stdout
    (site / "content/2026-05-04-first.md").rename(site / "content/2026-05-04-other.md")
    done = build(site, "-v").stdout
    assert "\n  + 2026-05-04-other/index.html\n" in done
    assert "\n  - 2026-05-04-first/index.html\n" in done


@pytest.mark.slow
def test_a_pipe_gets_neither_colors_nor_a_progress_bar(tmp_path: Path) -> None:
    site = write_site(
        tmp_path, {f"content/2026-05-01-{number}.md": WARNED["content/2026-05-04-first.md"] for number in range(40)}
    )
    code = "import devlog.report.progress as p; p.FIRST_SECONDS = 0; from devlog.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "build", "--now", NOW],
        cwd=site,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "TERM": "xterm-256color"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"\r" not in done.stdout + done.stderr
    assert b"pages" not in done.stderr


# -- JSON


@pytest.mark.slow
def test_json_is_one_document(tmp_path: Path) -> None:
    site = write_site(
        tmp_path,
        {**WARNED, **FEW, "content/2026-05-05-a.md": "---\ntitle: A\ndraft: true\n---\nx\n"},
    )
    done = build(site, "--format", "json")
    assert done.stderr == ""
    report = json.loads(done.stdout)
    seconds = report.pop("seconds")
    assert list(seconds) == ["read", "compare", "parse", "assemble", "render", "write"]
    assert all(isinstance(value, float) and value >= 0 for value in seconds.values())
    assert report == {
        "title": "DevLog",
        "output": "public",
        "posts": 1,
        "pages": 7,
        "feeds": 3,
        "outputs": 32,
        "written": 32,
        "unchanged": 0,
        "removed": 0,
        "parsed": 2,
        "rendered": 12,
        "skipped": [{"path": "content/2026-05-05-a.md", "reason": "draft"}],
        "search": {"indexed": 0, "seconds": 0.0},
        "diagnostics": [
            {
                "code": "broken-link",
                "severity": "warning",
                "path": "content/2026-05-04-first.md",
                "line": 5,
                "column": 5,
                "message": "link target not found: “gone.md”",
                "hint": None,
            }
        ],
    }


@pytest.mark.slow
@pytest.mark.feature("site_search")
def test_the_search_is_reported_apart(tmp_path: Path) -> None:
    site = write_site(tmp_path, WARNED)
    done = devlog("build", "--jobs", "1", "--now", NOW, "--verbose", cwd=site, NO_COLOR="1")
    assert "\n  seconds: read 0." in done.stdout
    assert "search: 1 page indexed in " in done.stdout
    again = devlog("build", "--jobs", "1", "--now", NOW, "--format", "json", cwd=site)
    assert json.loads(again.stdout)["search"] == {"indexed": 0, "seconds": 0.0}
    assert "search: " not in devlog("build", "--jobs", "1", "--now", NOW, cwd=site, NO_COLOR="1").stdout


@pytest.mark.slow
def test_json_after_an_error(tmp_path: Path) -> None:
    done = build(write_site(tmp_path, BROKEN), "--format", "json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["written"] == 0
    assert [problem["severity"] for problem in report["diagnostics"]] == ["error"]


# -- GitHub


@pytest.mark.slow
def test_annotations(tmp_path: Path) -> None:
    site = write_site(tmp_path, {"content/2026-05-04-first.md": f"{POST}[x](2026-05-04-frist.md)\n"})
    done = build(site, "--format", "github")
    assert done.stdout.splitlines()[0] == (
        "::warning file=content/2026-05-04-first.md,line=5,col=5,endColumn=24,title=broken-link::"
        "link target not found: “2026-05-04-frist.md”%0Ahint: did you mean “2026-05-04-first.md”?"
    )
    assert done.stderr == ""


@pytest.mark.slow
def test_annotations_name_files_as_the_repository_does(tmp_path: Path) -> None:
    write_site(tmp_path / "docs", {"content/2026-05-04-first.md": f"{POST}[x](2026-05-04-frist.md)\n"})
    done = devlog("build", "--root", "docs", "--format", "github", cwd=tmp_path)
    assert done.stdout.startswith("::warning file=docs/content/2026-05-04-first.md,line=5,")


HOSTILE_NAMES = [
    "a\x1b]0;x\x07.md",
    "b%0A::error::x.md",
    "c,line=9::x.md",
    "d\n::set-env name=X::y.md",
    "e\r::error::f.md",
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("build", "--now"),
        ("build", "--base-url"),
        ("check", "--explain"),
        ("serve", "--allow-host"),
        ("search", "--since"),
    ],
    ids=" ".join,
)
def test_a_refused_argument_does_not_steer_the_terminal(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = devlog(*arguments, "\x1b]0;x\x07\x9b31m\u202e", *(("x",) if arguments[0] == "search" else ()), cwd=tmp_path)
    assert done.returncode == 2
    assert "\\x1b]0;x\\x07\\x9b31m\\u202e" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses such names itself")
@pytest.mark.parametrize("style", ["github", "text", "json"])
@pytest.mark.slow
def test_hostile_names_and_titles_are_only_text(tmp_path: Path, style: str) -> None:
    hostile = 'title: "x\\n::set-env name=X::y\\e]0;t\\a"'
    files = {f"content/t/{name}": f"---\n{hostile}\n---\n[x](gone\x9b\x1b[31m%0A.md)\n" for name in HOSTILE_NAMES}
    site = write_site(tmp_path, {**files, "content/t/f\u2028::error::g.md": "x"})
    done = build(site, "--format", style, "--verbose")
    assert "Traceback" not in done.stderr
    text = done.stdout + done.stderr
    allowed = {"\n"}
    assert {char for char in text if ord(char) < 32 or 0x7F <= ord(char) < 0xA0 or char in "\u2028\u2029"} <= allowed
    commands = [line for line in text.split("\n") if line.startswith("::")]
    if style != "github":
        assert commands == []
        return
    assert commands
    for command in commands:
        level, _, rest = command.removeprefix("::").partition(" ")
        fields, separator, _ = rest.partition("::")
        assert level in ("error", "warning", "notice")
        assert separator
        for field in fields.split(","):
            name, equals, value = field.partition("=")
            assert (name in ("file", "line", "col", "endColumn", "title"), equals) == (True, "="), command
            assert ":" not in value, command


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses such names itself")
@pytest.mark.slow
def test_names_that_are_not_utf8_are_shown(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    (Path(os.fsdecode(os.fsencode(site / "content") + b"/caf\xe9.md"))).write_text("x", "utf-8")
    for style in ("text", "json", "github"):
        done = build(site, "--format", style)
        assert done.returncode == 1
        assert "undecodable-name" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    assert json.loads(build(site, "--format", "json").stdout)["diagnostics"][0]["code"] == "undecodable-name"


# -- start


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("build", "--help")])
def test_help_and_version_load_nothing_heavy(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    heavy = ("jinja2", "markdown_it", "msgspec", "nh3", "pygments", "rich", "sqlite3", "yaml", "devlog.build")
    code = (
        "import sys, atexit\n"
        f"atexit.register(lambda: print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr))\n"
        "from devlog.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout
    assert done.stderr == "[]\n"


def test_version(tmp_path: Path) -> None:
    from devlog import __version__

    assert devlog("--version", cwd=tmp_path).stdout == f"devlog, version {__version__}\n"


# What code hosts take for a command in the lines that a step prints.
OBEYED = re.compile(r"\s*::(?:error|warning|group|stop-commands|set-output)(?:\s.*)?::|.*##\w*\[", re.IGNORECASE)


@pytest.mark.parametrize(
    "arguments",
    [
        ("build",),
        ("build", "--verbose"),
        ("build", "--format", "json"),
        ("check",),
        ("check", "--format", "json"),
        ("check", "--format", "sarif"),
        ("check", "--format", "github"),
        ("search", "planner"),
        ("search", "--format", "json", "planner"),
    ],
    ids=" ".join,
)
@pytest.mark.slow
def test_no_text_of_a_post_is_a_command_for_a_code_host(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """The log of a step is read for commands: new ones begin a line, old ones stand anywhere."""
    orders = (
        "::error::a ::stop-commands::b ::Warning file=c::d ##[error]e ##vso[task.setvariable variable=f]g ##teamcity[h]"
    )
    files = {
        "devlog.toml": f'title = "Lumen {orders}"\n',
        "content/t/2026-05-04-a.md": f"---\ntitle: '{orders}'\n---\nThe planner {orders} {orders} [x](##[group]h.md)\n",
        "content/t/2026-05-05-##[error]b.md": f"---\ntitle: std\nrelated: ['{orders}']\n---\nPlanner.\n",
        "content/t/2026-05-06-c.md": f"---\ntitle: c\ntags: ['{orders}']\n'{orders}': 1\n---\n[y](a.md '{orders}')\n",
    }
    done = devlog(*arguments, cwd=write_site(tmp_path, files), COLUMNS="40")
    lines = (done.stdout + done.stderr).splitlines()
    printed = [line for line in lines if not re.match(r"::(?:error|warning|notice) file=", line)]
    assert re.search(r"##\\+(?:x|u00)5b(?:error|group)\\*\]", done.stdout + done.stderr)
    assert [line for line in printed if OBEYED.match(line)] == []


@pytest.mark.parametrize("order", ["##[error]a", "##vso[a]", "x ::error::a", "\t##é[a]", "\x1b##[a]"])
def test_no_marked_part_of_a_line_is_a_command_for_a_code_host(order: str) -> None:
    """The part that a problem marks may begin or end inside of what would be a command."""
    line = f"Words {order} and {order}"
    for start in range(len(line)):
        for length in range(len(line) - start + 1):
            shown = as_text(Diagnostic("x", "error", "y", Span("a.md", 1, start + 1, length), line_text=line))
            _, text, marks = unstyle(shown).split("\n")
            assert not re.search(r".*##\w*\[|.*(?<!\S)::error", text), (start, length)
            whole = printable(line.replace("\t", " "))
            assert text == f"  1 | {whole}"
            before = printable(line[:start].replace("\t", " "))
            assert marks.index("^") >= len(f"  1 | {before}")


# -- values of the configuration


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_time_that_utc_has_no_day_for(tmp_path: Path, time: str) -> None:
    """`[params]` may have any values."""
    root = write_site(tmp_path, {**SITE, **FEW, "devlog.toml": f"{FEW['devlog.toml']}[params]\nx = {time}\n"})
    for command in (("build",), ("build",), ("search", "Hello"), ("search", "Hello"), ("check",)):
        done = devlog(*command, cwd=root)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
