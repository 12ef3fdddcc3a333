"""What goes wrong in plugins is reported with the function and its line, also if devlog's own code notices it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from check_cases import check_site
from click.testing import CliRunner
from sites import build_site, write_site

from devlog.cli import main
from devlog.deploy import run as deploying
from devlog.model.diagnostic import Diagnostic

POST = "content/storage/2026-05-04-compaction.md"
HEAD = (
    "from devlog.plugin import DeployError, PlannedFile, Plugin\nBAD = b'caf\\xe9'.decode('utf-8', 'surrogateescape')\n"
)


def site(folder: Path, plugin: str, **more: str) -> Path:
    files = {
        "devlog.toml": 'title = "The Lumen log"\nplugins = ["plugins.py"]\ncards.enabled = false\n',
        "content/storage/_index.md": "---\ntitle: Storage\n---\n",
        POST: "---\ntitle: Compaction\nauthor: Ada Quill\n---\nIt mends L-12.\n\n%% a block\n",
        "plugins.py": HEAD + plugin,
    }
    return write_site(folder, files | more)


def failed(root: Path) -> Diagnostic:
    """The one error of a build."""
    (found,) = [item for item in build_site(root).diagnostics if item.severity == "error"]
    return found


# -- texts that no report can take

_RAISE = "def fail(*_):\n    raise ValueError(BAD)\n"
RAISING = {
    "module": "raise ValueError(BAD)\n",
    "name": "plugin = Plugin(BAD)\n",
    "check": _RAISE + "plugin = Plugin('x', checks=(fail,))\n",
    "plan": _RAISE + "plugin = Plugin('x', plans=(fail,))\n",
    "plan that returns one": (
        "def fail(_):\n    return [PlannedFile(BAD, 'page', {}, '404.html')]\nplugin = Plugin('x', plans=(fail,))\n"
    ),
    "derive": _RAISE + "plugin = Plugin('x', derive=fail)\n",
    "markdown": _RAISE + "plugin = Plugin('x', markdown=fail)\n",
    "inline rule": _RAISE
    + "def add(parser):\n    parser.inline.ruler.before('text', 'x', fail)\nplugin = Plugin('x', markdown=add)\n",
}


@pytest.mark.parametrize("name", RAISING)
def test_exceptions_with_lone_surrogates_are_reported(name: str, tmp_path: Path) -> None:
    root = site(tmp_path, RAISING[name])
    result = CliRunner().invoke(main, ["check", "--format", "json", "--root", str(root)])
    assert isinstance(result.exception, SystemExit)
    messages = [item["message"] for item in json.loads(result.stdout)["diagnostics"] if item["severity"] == "error"]
    assert [message for message in messages if "caf\\udce9" in message]


# -- results that only devlog's own code notices

RULE = (
    "def rule(state, *rest):\n    {body}\n"
    "def add(parser):\n    parser.{ruler}\n"
    "    parser.inline.add_terminator_char('L')\n"
    "plugin = Plugin('x', markdown=add)\n"
)
INLINE = "inline.ruler.before('text', 'issue', rule)"
BLOCK = "block.ruler.before('paragraph', 'issue', rule)"
WRITE = "add_render_rule('text_special', rule) or parser.add_render_rule('paragraph_open', rule)"


@pytest.mark.parametrize(
    ("ruler", "body", "reason"),
    [
        (
            INLINE,
            "return state.src.startswith('L-', state.pos)",
            "returned a true value, but did not increase “state.pos”",
        ),
        (INLINE, "return 7", "returned a true value, but did not increase “state.pos”"),
        (INLINE, "return object()", "returned a true value, but did not increase “state.pos”"),
        (INLINE, "state.pos = None", "left a NoneType in “state.pos”"),
        (BLOCK, "return not rest[-1]", "returned a true value, but did not increase “state.line”"),
        (BLOCK, "state.line = 'x'", "left a str in “state.line”"),
        (WRITE, "return None", "returned something other than HTML: ValidationError: Expected `str`, got `None`"),
        (WRITE, "return BAD", "returned something other than HTML: UnicodeEncodeError: "),
    ],
)
def test_markdown_rules_with_invalid_results_are_the_plugins(
    ruler: str, body: str, reason: str, tmp_path: Path
) -> None:
    problem = failed(site(tmp_path, RULE.format(body=body, ruler=ruler)))
    name = "paragraph_open" if ruler == WRITE else "issue"
    assert problem.code == "plugin-failed"
    assert (problem.span.path, problem.span.line) == ("plugins.py", 3)
    assert problem.message.startswith(f"reading the Markdown of “{POST}” failed: the rule “{name}” {reason}")


@pytest.mark.parametrize(
    ("ruler", "body"),
    [
        (INLINE, "found = state.src.startswith('L-', state.pos); state.pos += 2 * found; return found"),
        (BLOCK, "return rest[-1] and state.src.startswith('%%', state.bMarks[rest[0]])"),
        (WRITE, "return '<p>'"),
    ],
)
def test_markdown_rules_with_valid_results_pass(ruler: str, body: str, tmp_path: Path) -> None:
    root = site(tmp_path, RULE.format(body=body, ruler=ruler))
    assert not [item for item in build_site(root).diagnostics if item.severity == "error"]


@pytest.mark.parametrize("given", ["None", "7", "len"])
@pytest.mark.parametrize("point", ["plans", "pages", "checks"])
def test_a_result_that_is_no_list_has_the_line_of_its_function(point: str, given: str, tmp_path: Path) -> None:
    root = site(tmp_path, f"def wrong(_):\n    return {given}\nplugin = Plugin('x', {point}=(wrong,))\n")
    (problem,) = [item for item in check_site(root).diagnostics if item.code == "plugin-failed"]
    assert "“x.wrong” failed: TypeError: " in problem.message
    assert (problem.span.path, problem.span.line) == ("plugins.py", 3)


@pytest.mark.parametrize("given", ["None", "7"])
def test_a_deployer_that_returns_no_list_has_a_line(given: str, tmp_path: Path) -> None:
    text = f"def wrong(_):\n    return {given}\nplugin = Plugin('x', deployers={{'zip': wrong}})\n"
    config = 'plugins = ["plugins.py"]\ncards.enabled = false\n[deploy.x]\nto = "zip"\n'
    root = site(tmp_path, text, **{"devlog.toml": config})
    assert build_site(root).written
    (problem,) = [item for item in deploying.deploy(root) if isinstance(item, Diagnostic)]
    assert (problem.code, problem.span.path, problem.span.line) == ("plugin-failed", "plugins.py", 3)


def test_a_recipe_whose_text_cannot_be_written_has_a_line(tmp_path: Path) -> None:
    text = "def plan(_):\n    yield PlannedFile('/y.txt', 'y')\ndef y(*_):\n    return BAD\n"
    problem = failed(site(tmp_path, text + "plugin = Plugin('x', plans=(plan,), recipes={'y': y})\n"))
    assert problem.message.startswith("the recipe “y” for “y.txt” failed: UnicodeEncodeError: ")
    assert (problem.span.path, problem.span.line) == ("plugins.py", 5)


# -- filters


@pytest.mark.parametrize(
    ("body", "use", "reason"),
    [
        ("raise ValueError('no such day')", "page.title | weekday", "ValueError: no such day"),
        ("return 1 / 0", "[page.title] | map('weekday') | join", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "page.title | weekday", "SystemExit: 3"),
        ("raise ValueError(BAD)", "page.title | weekday", "ValueError: caf\\udce9"),
        ("yield 1 / 0", "page.title | weekday | list", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_filter_that_fails_has_its_line_and_that_of_the_template(
    body: str, use: str, reason: str, tmp_path: Path
) -> None:
    text = f"def weekday(day):\n    {body}\nplugin = Plugin('x', filters={{'weekday': weekday}})\n"
    problem = failed(site(tmp_path, text, **{"templates/404.html": f"<p>\n{{{{ {use} }}}}\n"}))
    assert problem.code == "plugin-failed"
    assert problem.message == f"the filter “weekday” in “templates/404.html:2” failed: {reason}"
    assert (problem.span.path, problem.span.line) == ("plugins.py", 4)


def test_a_filter_that_fails_while_a_template_is_compiled_has_its_line(tmp_path: Path) -> None:
    text = "def weekday(day):\n    raise SystemExit(3)\nplugin = Plugin('x', filters={'weekday': weekday})\n"
    problem = failed(site(tmp_path, text, **{"templates/404.html": "{{ 'x' | weekday }}"}))
    assert problem.message == "the filter “weekday” in “templates/404.html” failed: SystemExit: 3"
    assert (problem.code, problem.span.path, problem.span.line) == ("plugin-failed", "plugins.py", 4)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("page.titel | weekday", "“page” has no “titel”"),
        ("page.title | weekday(1, 2)", "cannot be computed: weekday() takes 1 positional argument but 3 were given"),
        ("(1 / 0) | weekday", "cannot be computed: division by zero"),
    ],
)
def test_what_a_template_does_wrong_with_a_filter_is_not_the_plugins(use: str, message: str, tmp_path: Path) -> None:
    text = "def weekday(day):\n    return str(day)\nplugin = Plugin('x', filters={'weekday': weekday})\n"
    problem = failed(site(tmp_path, text, **{"templates/404.html": f"<p>\n{{{{ {use} }}}}\n"}))
    assert (problem.code, problem.span.path, problem.span.line) == ("template-error", "templates/404.html", 2)
    assert problem.message == message


def test_quotation_marks_in_errors_of_templates(tmp_path: Path) -> None:
    problem = failed(site(tmp_path, "plugin = Plugin('x')\n", **{"templates/404.html": "{{ '\\udce9' }}"}))
    wrong = "“utf-8” codec can't encode character “\\udce9” in position 0: surrogates not allowed"
    assert problem.message == f"UnicodeEncodeError: {wrong}"
