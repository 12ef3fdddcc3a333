"""The command: exit status, what it tells and where, and the forms that programs read."""

from __future__ import annotations

import gc
import itertools
import json
import os
import re
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import click
import pytest
from check_cases import check_site, repository, tree
from click.testing import CliRunner, Result
from sites import build_site, write_site

from devlog.check import problems, rules
from devlog.cli import main
from devlog.model.diagnostic import Diagnostic, Edit, Fix, Span
from devlog.plugins.features import known_codes
from devlog.report import Rows, as_text, echo_json, json_text, printable
from devlog.report.sarif import PAGES, as_sarif

SPECS = Path(os.environ.get("DEVLOG_SPECS", ""))
NOW = "2026-06-15T12:00:00Z"
INDEX = "---\ntitle: Storage\n---\n"
GOOD = "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\nText.\n"
WARNED = GOOD.replace("author:", "authors:")
BROKEN = "---\ntitle: [\n---\n"
A, B = "content/storage/2026-05-01-a.md", "content/network/2026-05-02-b.md"
SITE = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "https://docs.example.org/lumen/"\n',
    "content/storage/_index.md": INDEX,
    "content/network/_index.md": INDEX.replace("Storage", "Network"),
    A: GOOD,
    B: GOOD.replace("A post", "Another"),
}


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """The command, which ends soon, turns the garbage collector off."""
    yield
    gc.enable()


def run(root: Path, *arguments: str) -> Result:
    """Run the command on a site."""
    words = ["check", "--root", str(root), "--jobs", "1", "--now", NOW, *arguments]
    done = CliRunner().invoke(main, words, prog_name="devlog")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


# -- exit status


@pytest.mark.parametrize(
    ("post", "arguments", "status"),
    [
        (GOOD, (), 0),
        (GOOD, ("--strict",), 0),
        (WARNED, (), 0),
        (WARNED, ("--strict",), 1),
        (BROKEN, (), 1),
        (WARNED, ("--fix",), 0),
        (WARNED, ("--fix", "--strict"), 0),
        (WARNED, ("--fix", "--dry-run", "--strict"), 0),
        (BROKEN, ("--fix",), 1),
        (GOOD, ("--dry-run",), 2),
        (GOOD, ("--force",), 2),
        (GOOD, ("--format", "xml"), 2),
        (GOOD, ("--now", "soon"), 2),
        (GOOD, ("--jobs", "-1"), 2),
        (GOOD, ("nowhere.md",), 2),
        (GOOD, ("--no-such-option",), 2),
    ],
)
def test_exit_status(tmp_path: Path, post: str, arguments: tuple[str, ...], status: int) -> None:
    done = run(write_site(tmp_path, {**SITE, A: post}), *arguments)
    assert done.exit_code == status, done.output
    assert not (tmp_path / "public").exists()


def test_a_folder_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    assert run(tmp_path / "nowhere").exit_code == 2


@pytest.mark.slow
def test_a_repository_with_changes_is_refused(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    repository(root)
    write_site(root, {A: WARNED, "content/storage/2026-05-03-c.md": WARNED})
    before = tree(root)
    done = run(root, "--fix")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[0] == (
        f"{A}: error[uncommitted-changes]: has uncommitted changes, and so do 1 more: nothing was fixed"
    )
    assert done.stdout == ""
    assert tree(root) == before
    assert run(root, "--fix", "--dry-run").exit_code == 0
    assert tree(root) == before
    assert run(root, "--fix", "--force").exit_code == 0
    assert (root / A).read_text() == GOOD


# -- paths


@pytest.mark.parametrize(
    ("where", "paths", "told"),
    [
        ("", (), {A, B}),
        ("", (".",), {A, B}),
        ("", (A,), {A}),
        ("", ("content/storage",), {A}),
        ("", ("content/storage/",), {A}),
        ("", ("content",), {A, B}),
        ("", (A, B), {A, B}),
        ("", ("devlog.toml",), set()),
        ("content/storage", (".",), {A}),
        ("content/storage", ("2026-05-01-a.md",), {A}),
        ("content/storage", ("../network",), {B}),
        ("content/storage", ("../..",), {A, B}),
        ("content/storage", ("../../..",), {A, B}),
        ("..", (".",), {A, B}),
        ("..", ("site",), {A, B}),
        ("..", (f"site/{B}",), {B}),
    ],
)
def test_paths_limit_what_is_told_and_the_exit_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, paths: tuple[str, ...], told: set[str]
) -> None:
    root = write_site(tmp_path / "site", {**SITE, A: BROKEN, B: BROKEN})
    write_site(tmp_path / "site-other", {A: BROKEN})
    monkeypatch.chdir(root / where)
    done = run(root, "--format", "json", *paths)
    assert {problem["path"] for problem in json.loads(done.stdout)["diagnostics"]} == told
    assert done.exit_code == (1 if told else 0)


def test_a_path_that_begins_like_another_is_another(tmp_path: Path) -> None:
    longer = "content/storage/2026-05-01-a.md.md"
    root = write_site(tmp_path, {**SITE, A: WARNED, longer: WARNED.replace("A post", "B")})
    told = json.loads(run(root, "--format", "json", str(root / A)).stdout)["diagnostics"]
    assert [problem["path"] for problem in told] == [A]


def test_paths_do_not_limit_what_is_known(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, A: GOOD.replace("Text.", "[b](../network/2026-05-02-b.md)")})
    done = run(root, str(root / A))
    assert (done.exit_code, done.stderr) == (0, "")


@pytest.mark.parametrize("one", [A, B])
@pytest.mark.parametrize("keys", ["url: /same/", "aliases: [/same/]", "series: Wal\npart: 1", "supersedes: {other}"])
def test_a_problem_of_two_files_is_told_for_each(tmp_path: Path, one: str, keys: str) -> None:
    def post(other: str) -> str:
        return GOOD.replace("---\n", f"---\n{keys.format(other=other)}\n", 1)

    root = write_site(tmp_path, {**SITE, A: post("../network/2026-05-02-b.md"), B: post("../storage/2026-05-01-a.md")})
    (problem,) = json.loads(run(root, "--format", "json", str(root / one)).stdout)["diagnostics"]
    assert problem["code"] in ("colliding-url", "colliding-alias", "same-part", "superseding-circle")
    (result,) = results_of(sarif_of(root, str(root / one)))
    places = [*result["locations"], *result.get("relatedLocations", [])]
    files = {place["physicalLocation"]["artifactLocation"]["uri"] for place in places}
    assert {A, B} <= files
    assert run(root, str(root / "devlog.toml")).exit_code == 0


def test_paths_limit_what_is_fixed(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, A: WARNED, B: WARNED})
    assert run(root, "--fix", str(root / "content/network")).exit_code == 0
    assert ((root / A).read_text(), (root / B).read_text()) == (WARNED, GOOD)


# -- explaining


def test_without_docstrings_nothing_can_be_explained(tmp_path: Path) -> None:
    asked = [sys.executable, "-OO", "-m", "devlog", "check", "--explain"]
    done = subprocess.run([*asked, "broken-link"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "Error: Python was started without docstrings (-OO), which explain codes\n"
    done = subprocess.run([*asked, "unknown"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "there is no code “unknown”" in done.stderr


@pytest.mark.parametrize("code", sorted(known_codes()))
def test_a_code_is_explained_without_a_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "--explain", code])
    assert done.exit_code == 0
    assert done.stdout == f"{code}\n\n{rules.explain(code)}\n"
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("code", "hint"), [("broken-lnik", "broken-link"), ("leaks.tokens", "leaks.token"), ("zzz", "")]
)
def test_what_is_no_code_is_wrong_usage(code: str, hint: str) -> None:
    done = CliRunner().invoke(main, ["check", "--explain", code])
    assert done.exit_code == 2
    assert "there is no code" in done.stderr
    assert (f"“{hint}”" in done.stderr) == bool(hint)


# -- text


def test_a_clean_site_is_one_line(tmp_path: Path) -> None:
    done = run(write_site(tmp_path, SITE))
    assert re.fullmatch(r"No problems found in “Lumen”, 2 posts, in \d+\.\d\d s\n", done.stdout)
    assert done.stderr == ""


def test_problems_go_to_one_stream_and_the_summary_to_the_other(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, A: WARNED.replace("Text.", "TODO"), B: BROKEN})
    done = run(root)
    report = build_site(root)
    assert click.unstyle(done.stderr).count("[") >= 3
    for problem in report.diagnostics:
        assert f"{problem.severity}[{problem.code}]: {problem.message}" in done.stderr
    assert re.fullmatch(
        r"1 error, 2 warnings in “Lumen”, 2 posts, in \d+\.\d\d s\n"
        r"  devlog check --fix fixes 1 of them; add --dry-run to preview them\n",
        done.stdout,
    ), done.output


@pytest.mark.slow
def test_fixing_tells_what_it_does(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, A: WARNED.replace("\n", "\r\n"), B: WARNED})
    diff = [
        f"diff --git a/{A} b/{A}",
        f"--- a/{A}",
        f"+++ b/{A}",
        "@@ -1,5 +1,5 @@",
        " ---",
        " title: A post",
        "-authors: Ada Quill (@adaquill)",
        "+author: Ada Quill (@adaquill)",
        " ---",
        " Text.",
    ]
    would = run(root, "--fix", "--dry-run")
    assert (root / B).read_text() == WARNED
    done = run(root, "--fix")
    summaries = "Nothing would be left.", "No problems found in “Lumen”"
    for result, verb, summary in zip((would, done), ("Would fix", "Fixed"), summaries, strict=True):
        lines = result.stdout.splitlines()
        assert lines[10:20] == diff
        assert lines[20].startswith(summary)
        assert len(lines) == 21
        assert result.stderr == f"{verb} 2 files.\n"
    again = run(root, "--fix")
    assert again.stderr == "Nothing can be fixed automatically.\n"


SECRET = "ghp_" + "aB3dE6gH9j" * 4
WEB_TOKEN = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiI0NzExIn0" * 20 + "." + "x7Yq-_" * 10


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f"Use {SECRET}, please.", f"Use ghp_{'*' * 41} please."),  # what follows may belong to it
        (f"{SECRET} [x](#)", f"ghp_{'*' * 40} [x](#)"),
        (f"See {WEB_TOKEN} there.", f"See eyJh{'*' * (len(WEB_TOKEN) - 4)} there."),
        ("-----BEGIN PRIVATE KEY-----MIIEvQIBADANBg==", f"-----BEGIN PRIVATE KEY-----{'*' * 16}"),
    ],
)
@pytest.mark.parametrize("style", ["text", "json", "github", "sarif"])
def test_secrets_are_not_shown(tmp_path: Path, line: str, shown: str, style: str) -> None:
    root = write_site(tmp_path, {**SITE, A: GOOD.replace("Text.", line)})
    done = run(root, "--format", style)
    assert "leaks.token" in done.output
    assert not [part for part in (SECRET[6:], WEB_TOKEN[-20:], "MIIE") if part in done.output]
    found = check_site(root)
    assert {problem.line_text for problem in found.diagnostics if problem.span.path == A} == {shown}
    assert found.inputs
    later = found.inputs.with_lines(root, [problems.placeholder(Span(A, 5, 1, 1), "x")])
    assert [problem.line_text for problem in later] == [shown], "whether or not the secret is reported"


KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASC\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize("is_read", [True, False])
def test_secrets_are_not_shown_in_patches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_read: bool) -> None:
    """Neither in the lines around a change, nor encoded, as changes are that cannot be printed."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_read, raising=False)
    for text in (f"Use {SECRET}.\n{KEY}\nMore.", f"Use {SECRET}.\n{KEY}\nMore\x1b."):
        root = write_site(tmp_path, {**SITE, A: WARNED.replace("Text.", text)})
        shown = run(root, "--fix", "--dry-run").stdout
        assert "+author: " in shown
        assert f" Use ghp_{'*' * 41}\n" in shown
        assert "GIT binary patch" not in shown
        assert not [part for part in (SECRET[6:], "MIIE", "AQEF") if part in shown]
        run(root, "--fix")
        assert text in (root / A).read_text("utf-8")


def test_builds_show_no_secrets(tmp_path: Path) -> None:
    """Their own problems quote what is around, and they do not look for secrets."""
    root = write_site(tmp_path, {**SITE, A: GOOD.replace("Text.", f"See {SECRET}, [x](no-{SECRET}.md).")})
    (problem,) = build_site(root).diagnostics
    assert problem.code == "broken-link"
    assert "no-ghp****" in problem.message
    assert SECRET[6:] not in f"{problem.message} {problem.hint} {problem.line_text}"


def test_a_patch_keeps_tabs(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, A: WARNED.replace("Text.", "\tgo")})
    assert "\n \tgo\n" in run(root, "--fix", "--dry-run").stdout


def test_a_patch_that_is_not_for_reading_controls_no_terminal(tmp_path: Path) -> None:
    """`git apply` takes it; on a terminal, the same is escaped: see test_terminal.py."""
    root = write_site(tmp_path, {**SITE, A: WARNED.replace("Text.", "\tgo\x1b[1m")})
    patch = run(root, "--fix", "--dry-run").stdout
    assert "\nGIT binary patch\n" in patch
    assert "\x1b" not in patch


@pytest.mark.parametrize("columns", [20, 60, 80, 200])
def test_lines_fit_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for column in (1, 50, 300, 596):
        line = "word " * 120
        problem = Diagnostic("placeholder", "warning", "x", Span(A, 1234, column, 4), line_text=line)
        _, text, marks = click.unstyle(as_text(problem)).split("\n")
        assert max(len(text), len(marks)) <= max(columns, 42)
        assert len(text) > min(columns, 100) - 5
        place = marks.index("^")
        assert text[place : place + 4] == line[column - 1 : column + 3]


@pytest.mark.slow
def test_what_cannot_be_fixed_is_told(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, A: WARNED, B: WARNED})
    (root / A).chmod(0o444)
    done = run(root, "--fix")
    assert f"{A}: error[cannot-write]: cannot be written: it is read-only" in done.output
    assert done.exit_code == 1
    assert "devlog check --fix fixes" not in done.output
    assert (root / B).read_text() == GOOD
    told = json.loads(run(root, "--fix", "--format", "json").stdout)["diagnostics"]
    assert ("cannot-write", A) in {(problem["code"], problem["path"]) for problem in told}


def test_fixes_are_counted_if_they_would_be_made(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, A: WARNED})
    assert "devlog check --fix fixes 1 of them" in run(root).output
    (root / "devlog.toml").write_text(SITE["devlog.toml"] + "titel = 1\n")
    assert "devlog check --fix fixes" not in run(root).output


# -- programs


class Made(dict[str, object]):
    """An object whose end can be seen."""


@pytest.mark.parametrize("at_once", [1, 50, 1 << 16])
def test_json_is_written_in_pieces(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], at_once: int
) -> None:
    """A post may have hundreds of thousands of problems: what is made for each goes before the next is made."""
    made: list[weakref.ref[Made]] = []
    alive: list[int] = []

    def make(number: int) -> Made:
        row = Made(number=number, text="a ##[error] \u202e“b”")
        made.append(weakref.ref(row))
        alive.append(sum(one() is not None for one in made))
        return row

    monkeypatch.setattr("devlog.report._AT_ONCE", at_once)
    echo_json({"rows": Rows(range(100), make), "none": Rows((), make), "last": 1})
    written = capsysbinary.readouterr().out.decode()
    rows = [{"number": number, "text": "a ##[error] \u202e“b”"} for number in range(100)]
    assert json.loads(written) == {"rows": rows, "none": [], "last": 1}
    assert "##[" not in written
    assert "\u202e" not in written
    assert max(alive) < 5


@pytest.mark.slow
def test_json_has_the_form_of_a_build(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, A: WARNED.replace("Text.", "[x](gone.md)"), B: BROKEN})
    built = json.loads(
        CliRunner().invoke(main, ["build", "--root", str(root), "--format", "json", "--now", NOW]).stdout
    )
    checked = json.loads(run(root, "--format", "json").stdout)
    assert {*checked} == {"title", "posts", "diagnostics", "seconds"}
    assert (checked["title"], checked["posts"]) == ("Lumen", 2)
    for problem in built["diagnostics"]:
        assert problem in checked["diagnostics"]
    assert {tuple(problem) for problem in checked["diagnostics"]} == {tuple(built["diagnostics"][0])}
    assert run(root, "--format", "json").stderr == ""


@pytest.mark.parametrize("style", ["json", "sarif"])
def test_documents_stay_whole_while_fixing(tmp_path: Path, style: str) -> None:
    root = write_site(tmp_path, {**SITE, A: WARNED})
    document = json.loads(run(root, "--format", style, "--fix").stdout)
    assert (document.get("diagnostics") or document.get("runs", [{}])[0].get("results") or []) == []
    assert (root / A).read_text() == GOOD


def test_annotations_of_hostile_names_and_texts(tmp_path: Path) -> None:
    name = "content/storage/2026-05-03-a%0A::error::b,c:d.md"
    link = "gone%0A::stop-commands::x"
    root = write_site(tmp_path, {**SITE, name: GOOD.replace("Text.", f"TODO [x]({link}) [y](\u202egone\x1b]0;x)")})
    done = run(root, "--format", "github")
    lines = done.stdout.splitlines()
    told = check_site(root).diagnostics
    assert len(lines) == len(told) + 1  # and the summary
    for line, problem in zip(lines, told, strict=False):
        level = {"error": "error", "warning": "warning", "info": "notice"}[problem.severity]
        head, _, message = line.removeprefix("::").partition("::")
        assert head.startswith(f"{level} file=content/storage/2026-05-03-a%250A%3A%3Aerror%3A%3Ab%2Cc%3Ad.md,line=")
        assert head.endswith(f",title={problem.code}")
        assert "\x1b" not in message
        assert "\u202e" not in message
    assert not [line for line in lines if re.match(r"(?!::(?:error|warning|notice) file=)::", line)]
    assert done.stderr == ""


@pytest.mark.parametrize("folder", ["", "docs/the log, x/"])
@pytest.mark.parametrize("is_repository", [True, False])
def test_code_hosts_look_for_files_in_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, is_repository: bool
) -> None:
    root = write_site(tmp_path / folder, {**SITE, A: WARNED})
    if is_repository:
        repository(tmp_path)
        monkeypatch.chdir(root)  # which of its folders this is does not matter
    else:
        monkeypatch.chdir(tmp_path)
    first = run(root, "--format", "github").stdout.split(",line=", 1)[0]
    assert first == f"::warning file={folder.replace(',', '%2C')}{A}"
    (result, *_) = results_of(sarif_of(root))
    places = [result["locations"][0]["physicalLocation"], result["fixes"][0]["artifactChanges"][0]]
    assert {place["artifactLocation"]["uri"] for place in places} == {f"{quote(folder)}{A}"}
    assert json.loads(run(root, "--format", "json").stdout)["diagnostics"][0]["path"] == A


# -- SARIF


def sarif_of(root: Path, *arguments: str) -> dict[str, Any]:
    """What the command writes."""
    document = json.loads(run(root, "--format", "sarif", *arguments).stdout)
    assert isinstance(document, dict)
    return document


def results_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of the only run."""
    (only,) = document["runs"]
    return list(only["results"])


@pytest.mark.parametrize("target", ["javascript:alert(1)", "https://canary.example/login", "1"])
def test_a_message_of_sarif_links_to_nothing(tmp_path: Path, target: str) -> None:
    text = f"See [b](<[Sign \\\\] in]({target})>)."
    root = write_site(tmp_path, {**SITE, A: GOOD.replace("Text.", text)})
    found = [problem for problem in check_site(root).diagnostics if problem.span.path == A and "[" in problem.message]
    assert found
    every = results_of(sarif_of(root))
    for problem in found:
        (result,) = [item for item in every if item["ruleId"] == problem.code]
        shown = result["message"]["text"]
        # What an even number of backslashes precedes is no literal bracket (SARIF 2.1.0, 3.11.6).
        assert not re.search(r"(?<!\\)(?:\\\\)*[\[\]]", shown)
        assert re.sub(r"\\(.)", r"\1", shown).startswith(printable(problem.message))


WIDE = "ｗｉｄｅ 🎈 é.\t"
FOUND = {
    **SITE,
    A: f"""---
title: 'A' # {WIDE}
authors: "Ada Quill(@adaquill), Bo Reed @boreed"
---
# A

{WIDE}TODO: [x](gone.md)
""",
    "content/storage/2026-05-03 ä%20#?.md": f"{WIDE}[x](2026-05-01-A.md) [y](2026-05-01-A.md)\n",
    B: BROKEN,
    "content/network/2026-05-04-d": GOOD,
}


@pytest.mark.spec
@pytest.mark.parametrize("files", [SITE, FOUND], ids=["clean", "with problems"])
def test_the_document_follows_the_schema(tmp_path: Path, files: dict[str, str]) -> None:
    from jsonschema import Draft7Validator

    schema = json.loads((SPECS / "sarif-schema-2.1.0.json").read_text("utf-8"))
    assert schema["properties"]["version"]["enum"] == ["2.1.0"]
    validator = Draft7Validator(schema)
    spans = (Span("a.md"), Span("a b.md", 1), Span("ä\udcff.md", 2, 3), Span("a", 2, 3, 4))
    forms = itertools.cycle(itertools.product(("error", "warning", "info"), spans, ("", "a hint")))
    every = [  # each form, and each code in some form
        Diagnostic(code, severity, f"{code}\x1b \u202e“”", span, hint)
        for code, (severity, span, hint) in zip((*sorted(known_codes()), "leaks.own"), forms, strict=False)
    ]
    for document in (sarif_of(write_site(tmp_path, files)), json.loads(json_text(as_sarif(every, rules.explain)))):
        assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)] == []
    assert [*validator.iter_errors({**document, "version": "2.0.0"})]  # it does look


def test_what_the_schema_does_not_say(tmp_path: Path) -> None:
    root = write_site(tmp_path, FOUND)
    document = sarif_of(root)
    (only,) = document["runs"]
    driver, results = only["tool"]["driver"], only["results"]
    told = check_site(root).diagnostics
    assert len(results) == len(told) > 8
    assert [rule["id"] for rule in driver["rules"]] == sorted({problem.code for problem in told})
    assert {rule["helpUri"] for rule in driver["rules"]} == {f"{PAGES}{problem.code}/" for problem in told}
    for result, problem in zip(results, told, strict=True):
        assert result["ruleId"] == driver["rules"][result["ruleIndex"]]["id"] == problem.code
        assert result["level"] == {"error": "error", "warning": "warning", "info": "note"}[problem.severity]
        assert result["message"]["text"].startswith(problem.message)
        assert (problem.hint in result["message"]["text"]) == bool(problem.hint) or not problem.hint
        place = result["locations"][0]["physicalLocation"]
        assert unquote(place["artifactLocation"]["uri"]) == problem.span.path
        assert re.fullmatch(r"[A-Za-z0-9%._~/-]+", place["artifactLocation"]["uri"])
        assert place["artifactLocation"]["uriBaseId"] in only["originalUriBaseIds"]
        assert ("region" in place) == bool(problem.span.line)
    prints = [json.dumps(result["partialFingerprints"]) for result in results if result["ruleId"] != "case-mismatch"]
    assert len({*prints}) == len(prints)
    assert only["columnKind"] == "unicodeCodePoints"


def test_regions_count_characters(tmp_path: Path) -> None:
    root = write_site(tmp_path, FOUND)
    lines = (root / A).read_text().splitlines()
    regions = {
        result["ruleId"]: result["locations"][0]["physicalLocation"]["region"]
        for result in results_of(sarif_of(root))
        if result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == A
    }
    for code, text in (("placeholder", "TODO"), ("broken-link", "gone.md"), ("authors-key", "authors")):
        region = regions[code]
        assert lines[region["startLine"] - 1][region["startColumn"] - 1 : region["endColumn"] - 1] == text


@pytest.mark.slow
def test_a_fingerprint_survives_other_lines(tmp_path: Path) -> None:
    def prints(text: str) -> set[str]:
        root = write_site(tmp_path, {**SITE, A: text})
        return {json.dumps(result["partialFingerprints"]) for result in results_of(sarif_of(root))}

    post = GOOD.replace("Text.", "TODO [x](gone.md)")
    assert len(prints(post)) == 2
    assert prints(post) == prints(post.replace("TODO", "More.\n\nTODO")) == prints(post.replace("TODO", " TODO"))


@pytest.mark.slow
def test_fixes_applied_by_hand_give_what_fixing_gives(tmp_path: Path) -> None:
    root, other = write_site(tmp_path / "one", FOUND), write_site(tmp_path / "other", FOUND)
    for _ in range(5):
        found = [fix for result in results_of(sarif_of(root)) for fix in result.get("fixes", ())]
        if not found:
            break
        changes: dict[str, list[dict[str, Any]]] = {}
        for fix in found:
            for change in fix["artifactChanges"]:
                changes.setdefault(unquote(change["artifactLocation"]["uri"]), []).extend(change["replacements"])
        for path, replacements in changes.items():
            (root / path).write_text(_replaced((root / path).read_text(), replacements))
    assert not found
    run(other, "--fix")
    (root / "content/network/2026-05-04-d").rename(root / "content/network/2026-05-04-d.md")  # no fix of SARIF's can
    assert tree(root) == tree(other)
    assert (
        (root / A)
        .read_text()
        .startswith(f"---\ntitle: 'A' # {WIDE}\nauthor: \"Ada Quill (@adaquill), Bo Reed (@boreed)\"\n")
    )


def _replaced(text: str, replacements: list[dict[str, Any]]) -> str:
    """What an editor makes of a text."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    places = []
    for item in replacements:
        region = item["deletedRegion"]
        begin = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region.get("endLine", region["startLine"]) - 1] + region["endColumn"] - 1
        places.append((begin, end, item["insertedContent"]["text"]))
    for begin, end, new in sorted(places, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


@pytest.mark.parametrize("path", ["a b.md", "100%.md", "a%20b.md", "ä/ö.md", "a#b?.md", "a:b.md", 'a"b<c>.md', "中.md"])
def test_names_of_files_are_addresses(path: str) -> None:
    edit = Edit(Span(path, 1, 1, 1), "a", "b")
    problem = Diagnostic("broken-link", "warning", "x", Span(path, 1, 1, 1), fix=Fix((edit,)))
    (result,) = results_of(json.loads(json_text(as_sarif([problem], rules.explain))))
    places = [
        result["locations"][0]["physicalLocation"]["artifactLocation"],
        result["fixes"][0]["artifactChanges"][0]["artifactLocation"],
    ]
    for place in places:
        assert place["uri"] == quote(path)
        assert unquote(place["uri"]) == path


def test_a_fix_whose_place_is_not_known_to_the_letter_is_none(tmp_path: Path) -> None:
    span = Span("a.md", 1, 3, 20)
    found = [
        Diagnostic("broken-link", "warning", "x", span, fix=Fix((Edit(span, "old", "new"),))),
        Diagnostic("broken-link", "warning", "y", span, fix=Fix((Edit(Span("a.md", 1), "old", "new"),))),
        Diagnostic("missing-suffix", "warning", "z", Span("a"), fix=Fix(rename="a.md")),
    ]
    assert [
        result for result in results_of(json.loads(json_text(as_sarif(found, rules.explain)))) if "fixes" in result
    ] == []


def test_a_path_outside_of_the_site_is_an_error(tmp_path: Path) -> None:
    site = write_site(tmp_path / "a", SITE)
    write_site(tmp_path / "b", SITE)
    (site / "content/storage/linked.md").symlink_to(tmp_path / "b" / A)
    done = run(site, str(tmp_path / "b" / A))
    assert done.exit_code == 2
    assert f"{tmp_path / 'b' / A} is not in the site" in done.stderr
    assert run(site, str(site / A)).exit_code == 0
    assert run(site, str(site)).exit_code == 1, "the link"
    assert run(site, str(tmp_path)).exit_code == 1, "the site is in it"
    assert run(site, str(site / "content/storage/linked.md")).exit_code != 2
