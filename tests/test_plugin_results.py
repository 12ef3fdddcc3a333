"""What plugins return is checked where devlog receives it."""

from __future__ import annotations

from pathlib import Path

import pytest
from sites import build_site, write_site

from devlog.build import Report
from devlog.model.diagnostic import Diagnostic
from devlog.parse import parse as parsing

POST = "content/storage/2026-05-04-compaction.md"
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
