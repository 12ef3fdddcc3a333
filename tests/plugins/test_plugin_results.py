"""What plugins return is checked where devlog receives it, and their problems have codes and sound fixes."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_cases import check_site, repository
from sites import NOW, build_site, write_site

from devlog.build import Report
from devlog.check.rules import explain
from devlog.checking import Options
from devlog.fixing.run import Fixed, fix
from devlog.inputs import plugins_of
from devlog.model.diagnostic import Diagnostic, Edit, Span
from devlog.model.edits import edited
from devlog.parse import parse as parsing

POST = "content/storage/2026-05-04-compaction.md"
MAIL = "content/storage/2026-05-05-mail.eml"
SITE = {
    "devlog.toml": 'title = "The Lumen log"\nplugins = ["plugins.py"]\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    POST: "---\ntitle: Compaction, at last\nauthor: Ada Quill\nrelease: 2.3\n---\nIt mends [a link](nope.md).\n",
}
HEAD = (
    "from msgspec import Struct\nfrom devlog.model.converted import Converted\n"
    "from devlog.model.diagnostic import Edit, Fix, Span\nfrom devlog.model.target import Output\n"
    "from devlog.plugin import FrontMatterKeys, PlannedFile, Plugin, problem\n"
)


def site(folder: Path, plugin: str, **more: str) -> Path:
    files = {name.replace("_toml", ".toml"): text for name, text in more.items()}
    return write_site(folder, {**SITE, "plugins.py": HEAD + plugin, **files})


def only(report: Report, code: str) -> Diagnostic:
    """The one problem with a code."""
    (found,) = [item for item in report.diagnostics if item.code == code]
    return found


# -- rewritten tokens


REWRITE = (
    "class Rel(Struct, frozen=True):\n    number: str = ''\n"
    "class Kept(Struct, frozen=True):\n    text: str = ''\n    shape: int = 5\n"
    "class Plain(Struct, frozen=True):\n    text: str = ''\n"
    "def read(*_):\n    return '2.3', []\n"
    "def rewrite(tokens, writer, name, line):\n{body}\n"
    "keys = FrontMatterKeys(Rel, {{'number': 'release'}}, read, bool, rewrite)\n"
    "plugin = Plugin('lumen', front_matter=keys)\n"
)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return Kept()", "the “shape” of what it returned is malformed: "),
        ("yield Plain()", "it returned a generator instead of a struct"),
        ("return object()", "it returned a object instead of a struct"),
        ("return 5", "it returned a int instead of a struct"),
        ("return {}", "it returned a dict instead of a struct"),
        ("return Plain('\\ud800')", "what it returned is malformed: "),
        ("return Plain(5)", "what it returned is malformed: "),
        ("tokens.append(5)", "it left a int among the tokens"),
        ("tokens[1].children.append(5)", "it left a int among the tokens"),
        ("tokens[0].map = 5", "a token has a “map” that is a int"),
        ("tokens[0].attrs = {5: 'x'}", "a token has a “map” or “attrs” that are malformed: "),
        ("tokens[1].children[0].content = '\\ud800'", "a token has text that is malformed: "),
    ],
)
def test_what_rewrite_returns_is_checked(body: str, reason: str, tmp_path: Path) -> None:
    text = REWRITE.format(body=f"    {body}")
    failed = only(build_site(site(tmp_path, text)), "plugin-failed")
    assert failed.message.startswith(f"“rewrite” of the plugin “lumen” on “{POST}” failed: {reason}")
    lines = (HEAD + text).splitlines()
    assert failed.span.path == "plugins.py"
    assert lines[failed.span.line - 1] == "def rewrite(tokens, writer, name, line):"


def test_an_exception_of_rewrite_names_the_function_and_its_line(tmp_path: Path) -> None:
    text = REWRITE.format(body="    raise ValueError('no')")
    failed = only(build_site(site(tmp_path, text)), "plugin-failed")
    assert failed.message == f"“rewrite” of the plugin “lumen” on “{POST}” failed: ValueError: no"
    assert (HEAD + text).splitlines()[failed.span.line - 1] == "    raise ValueError('no')"


@pytest.mark.parametrize("body", ["return Plain('x')", "return None", "tokens.clear()"])
def test_valid_results_of_rewrite_pass(body: str, tmp_path: Path) -> None:
    report = build_site(site(tmp_path, REWRITE.format(body=f"    {body}")))
    assert not report.failed


def test_a_record_that_does_not_decode_fails_one_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a plugin brings in unnoticed: a command never ends with a traceback."""
    known = parsing.note_waivers

    def wrong(text: str, file: str, shown: int) -> tuple[object, ...]:
        return (5,) if file == POST else known(text, file, shown)

    monkeypatch.setattr(parsing, "note_waivers", wrong)
    report = build_site(site(tmp_path, "plugin = Plugin('lumen', markdown=lambda parser: None)\n"))
    assert only(report, "internal-error").span.path == POST


# -- sources


CONVERT = (
    "HEAD = '---\\ntitle: X\\nauthor: Ann\\n---\\n'\n"
    "def read_mail(request):\n    return Converted(HEAD + 'hi [a](nope.md)\\n', {rest})\n"
    "plugin = Plugin('lumen', sources={{'.eml': read_mail}})\n"
)
STRANGE = "problems=(problem(Span(request.file, 1), 'strange mail'),)"


def mails(folder: Path, rest: str, **more: str) -> Path:
    site(folder, CONVERT.format(rest=rest), **more)
    return write_site(folder, {MAIL: "From: Ann\n\nhi\n"})


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("lines=(1, 2, 3, -3, -5, -6)", "what it returned is malformed: "),
        ("problems=(problem(Span('../../x', 1), 'x'),)", "a problem that it returned is in “../../x”, and not in this"),
        ("problems=(problem(Span(request.file, -1), 'x'),)", "what it returned is malformed: "),
        ("problems=(5,)", "what it returned is malformed: "),
    ],
)
def test_what_converters_return_is_checked(rest: str, reason: str, tmp_path: Path) -> None:
    failed = only(build_site(mails(tmp_path, rest)), "plugin-failed")
    assert failed.message.startswith(f"reading “{MAIL}” failed: {reason}")
    assert (failed.span.path, failed.span.line) == ("plugins.py", 7)


def test_problems_of_sources_have_a_code(tmp_path: Path) -> None:
    root = mails(tmp_path, STRANGE)
    found = only(build_site(root), "lumen.read-mail")
    assert (found.severity, found.span, found.message) == ("warning", Span(MAIL, 1), "strange mail")
    assert all(item.code for item in check_site(root).diagnostics)
    assert explain("lumen.read-mail", plugins_of(root))


@pytest.mark.parametrize(("severity", "found"), [("error", ["error"]), ("info", ["info"]), ("off", [])])
def test_severities_of_problems_of_sources(severity: str, found: list[str], tmp_path: Path) -> None:
    config = f'plugins = ["plugins.py"]\n[severity]\n"lumen.read-mail" = "{severity}"\n'
    report = build_site(mails(tmp_path, STRANGE, devlog_toml=config))
    assert [item.severity for item in report.diagnostics if item.code == "lumen.read-mail"] == found
    assert "unknown-config-key" not in {item.code for item in report.diagnostics}


def test_a_function_without_a_name_finds_no_problems(tmp_path: Path) -> None:
    text = "plugin = Plugin('lumen', sources={'.eml': lambda request: Converted('x', " + STRANGE + ")})\n"
    site(tmp_path, text)
    failed = only(build_site(write_site(tmp_path, {MAIL: "hi"})), "plugin-failed")
    assert failed.message == f"reading “{MAIL}” failed: it has no name, from which its problems would get their code"


def test_functions_that_find_nothing_may_share_a_name(tmp_path: Path) -> None:
    """Lambdas have no other name, and one function may read several formats."""
    text = (
        "def read(request):\n    return Converted('---\\ntitle: X\\nauthor: Ann\\n---\\nhi')\n"
        "def plan(outline):\n    yield PlannedFile('/x.txt', 'x', {})\n"
        "plugin = Plugin('lumen', plans=(plan,), sources={'.eml': read, '.mbox': read},"
        " recipes={'x': lambda *_: 'x', 'y': lambda *_: 'y'})\n"
    )
    site(tmp_path, text)
    assert not build_site(write_site(tmp_path, {MAIL: "hi"})).failed


# -- recipes


MAKE = (
    "def plan(outline):\n    yield PlannedFile('/x.txt', 'x', {{}})\n"
    "def write_x(target, resources):\n"
    "    return Output(target.path, b'data', (problem({span}, 'no good'),))\n"
    "plugin = Plugin('lumen', plans=(plan,), recipes={{'x': write_x}})\n"
)


def test_problems_of_recipes_are_errors_with_a_code(tmp_path: Path) -> None:
    root = site(tmp_path, MAKE.format(span=f"Span('{POST}', 1)"))
    report = build_site(root)
    assert report.failed
    assert not (root / "public").exists()
    assert (only(report, "lumen.write-x").severity, only(report, "lumen.write-x").message) == ("error", "no good")
    assert explain("lumen.write-x", plugins_of(root))


def test_a_configuration_may_lower_problems_of_recipes(tmp_path: Path) -> None:
    config = 'plugins = ["plugins.py"]\n[severity]\n"lumen.write-x" = "warning"\n'
    root = site(tmp_path, MAKE.format(span=f"Span('{POST}', 1)"), devlog_toml=config)
    for _ in range(2):  # the second build uses the cache
        report = build_site(root)
        assert not report.failed
        assert only(report, "lumen.write-x").severity == "warning"
        assert (root / "public/index.html").exists()
        assert not (root / "public/x.txt").exists()


def test_what_recipes_report_is_checked(tmp_path: Path) -> None:
    text = MAKE.format(span=f"Span('{POST}', 1)").replace("'no good'", "'no good', fix=Fix(rename='../x.md')")
    failed = only(build_site(site(tmp_path, text)), "plugin-failed")
    assert "the recipe “x” for “x.txt” failed: a problem that it returned is malformed: its fix gives" in failed.message


# -- fixes


def found_with(folder: Path, given: str) -> Path:
    text = (
        f"def find(evidence):\n    yield problem(Span('{POST}', 3, 1, 4), 'm', 'h', fix={given})\n"
        "plugin = Plugin('lumen', checks=(find,))\n"
    )
    return site(folder, text, **{"content/storage/2026-05-05-b.md": SITE[POST]})


def edit(file: str, rest: str) -> str:
    return f"Fix((Edit(Span('{file}', {rest}),))"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (edit("content/storage/2026-05-05-b.md", "2), '', 'B', 1"), "its fix edits “content/storage/2026-05-05-b.md”"),
        (edit("devlog.toml", "1), '', 'B', 1"), "its fix edits “devlog.toml”"),
        (edit("../../x", "1), '', 'B', 1"), "its fix edits “../../x”"),
        (edit(POST, "2), '', 'B', -3"), "Expected `int` >= 0"),
        ("Fix(rename='/etc/x.md')", "the name “/etc/x.md”, which is not in the same folder"),
        ("Fix(rename='../../x.md')", "the name “../../x.md”, which is not in the same folder"),
        ("Fix(rename='content/storage/..')", "the name “content/storage/..”, which is not in the same folder"),
        ("Fix(rename='content/storage/')", "the name “content/storage/”, which is not in the same folder"),
        ("Fix(rename='content/storage/\\0')", "its fix has a name that no file can have"),
        ("Fix(rename='content/storage/a\\\\b.md')", "its fix has a name that no file can have"),
        ("Fix(rename='content/storage/' + 300 * 'y' + '.md')", "its fix has a name that no file can have"),
    ],
)
def test_fixes_of_plugins_are_checked(given: str, reason: str, tmp_path: Path) -> None:
    root = found_with(tmp_path, given)
    before = {path: path.read_bytes() for path in (root / "content").rglob("*.md")}
    repository(root)
    done = fix(Options(root=root, now=NOW, jobs=1), lambda problem: problem.code.startswith("lumen."), force=False)
    assert isinstance(done, Fixed)
    assert not done.changes
    (failed,) = [item for item in done.checked.diagnostics if item.code == "plugin-failed"]
    assert failed.message.startswith("the rule “lumen.find” failed: a problem that it returned is malformed: ")
    assert reason in failed.message
    assert {path: path.read_bytes() for path in (root / "content").rglob("*.md")} == before


@pytest.mark.parametrize(
    "rest", ["2), '', 'B', 10**12", "10**7), '', 'B', 3", "2, 5000, 7), '', 'B'", "0), '', 'B', 1"]
)
def test_fixes_beyond_the_file_are_left_out(rest: str, tmp_path: Path) -> None:
    root = found_with(tmp_path, edit(POST, rest))
    repository(root)
    done = fix(Options(root=root, now=NOW, jobs=1), lambda problem: problem.code.startswith("lumen."), force=False)
    assert isinstance(done, Fixed)
    assert not done.changes
    assert (root / POST).read_text("utf-8") == SITE[POST]


def test_fixes_of_plugins_are_made(tmp_path: Path) -> None:
    root = found_with(tmp_path, f"Fix((Edit(Span('{POST}', 2), 'at last', 'soon'),)) if 1 else None")
    (root / "plugins.py").write_text((root / "plugins.py").read_text("utf-8").replace("    yield", ONCE), "utf-8")
    repository(root)
    done = fix(Options(root=root, now=NOW, jobs=1), lambda problem: problem.code.startswith("lumen."), force=False)
    assert isinstance(done, Fixed)
    assert [change.file for change in done.changes] == [POST]
    assert "Compaction, soon" in (root / POST).read_text("utf-8")


ONCE = "    if any(text.parsed.front_matter.title.endswith('at last') for text in evidence.posts):\n        yield"


def test_edits_end_with_their_file() -> None:
    text = "a\nb\nc\n"
    assert edited(text, [Edit(Span("a.md", 2), "", "B\n", 2)]) == "a\nB\n"
    assert edited(text, [Edit(Span("a.md", 2), "", "B\n", 4)]) is None
    assert edited(text, [Edit(Span("a.md", 2, 2), "", "!")]) == "a\nb!\nc\n"
    assert edited(text, [Edit(Span("a.md", 2, 3), "", "!")]) is None
