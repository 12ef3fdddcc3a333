"""Whatever a plugin does wrong fails at its point, with a clear message."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from plugin_sites import HEAD, POST, SITE, broken, built, checked, codes, with_plugin
from sites import build_site, write_site

from devlog.assemble.plan_validation import OWN, unfit
from devlog.deploy import run as deploying
from devlog.model.diagnostic import Diagnostic
from devlog.model.theme import Theme
from devlog.plugin import PlannedFile
from devlog.plugins.features import features
from devlog.render import render

KEYS = HEAD + (
    "from msgspec import Struct\nfrom devlog.plugin import FrontMatterKeys as Keys\n"
    "class Said(Struct, frozen=True):\n    loud: str = ''\nclass Full(Struct, frozen=True):\n    loud: str\n"
)


MADE = "plugin = Plugin('x', front_matter=Keys("


TITLE = "plugin = Plugin('x', front_matter=Keys(Said, {'loud': 'title'}, read))\n"


NOTES = HEAD + "from devlog.model.post_note import PostNote\nclass P:\n    problems, notes = (), "


LOOK = "\ndef look(work):\n    return P()\nplugin = Plugin('x', derive=look)\n"


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("x = 1\nplugin = (\n", "'(' was never closed", 2),
        (HEAD + "import nowhere\n", "ModuleNotFoundError: No module named 'nowhere'", 2),
        (HEAD + "def f():\n    return 1 / 0\nf()\n", "ZeroDivisionError: division by zero", 3),
        ("x = 1\n", "there is no value “plugin” that is a devlog.plugin.Plugin", 0),
        ("plugin = {}\n", "it has another value “plugin” that is a devlog.plugin.Plugin", 0),
        (HEAD + "plugin = Plugin('My plugin')\n", "“My plugin” is no name for a plugin", 0),
        (HEAD + "plugin = Plugin('devlog')\n", "“devlog” is a name of devlog's own", 0),
        (HEAD + "plugin = Plugin('x', markdown=3)\n", "“markdown” must be a function", 0),
        (HEAD + "plugin = Plugin('x', checks=print)\n", "“checks” must be a tuple of functions", 0),
        (HEAD + "plugin = Plugin('x', plans=(lambda outline: [],))\n", "“plans” must be a tuple of functions", 0),
        (HEAD + "plugin = Plugin('x', checks=(len,), plans=(len,))\n", "two of its rules and plans have one name", 0),
        (HEAD + "plugin = Plugin('x', recipes={'a': 'b'})\n", "“recipes” must be a table of functions by name", 0),
        (HEAD + "plugin = Plugin('x', recipes={'page': len})\n", "“page” is among the recipes of devlog already", 0),
        (
            HEAD + "plugin = Plugin('x', filters={'escape': len})\n",
            "“escape” is among the filters of devlog already",
            0,
        ),
        (HEAD + "plugin = Plugin('x', deployers={'branch': len})\n", "“branch” is among the deployers of devlog", 0),
        (HEAD + "raise SystemExit(3)\n", "SystemExit: 3", 2),
        (HEAD + "plugin = Plugin('x', derive=3)\n", "“derive” must be a function that has a name", 0),
        (HEAD + "plugin = Plugin('x', front_matter={})\n", "“front_matter” must be FrontMatterKeys", 0),
        (KEYS + MADE + "3, {}, len))\n", "has a “kind” that is no struct", 0),
        (KEYS + MADE + "Full, {}, len))\n", "with a field that has no default", 0),
        (
            KEYS + "plugin = Plugin('x', front_matter=Keys(Said, {'no': 'no'}, len))\n",
            "has “spellings” that are not",
            0,
        ),
        (
            KEYS + "plugin = Plugin('x', front_matter=Keys(Said, {'loud': 1}, len))\n",
            "“spellings” that are no strings",
            0,
        ),
        (
            KEYS + "plugin = Plugin('x', front_matter=Keys(Said, {'loud': 'loud'}, 3))\n",
            "must “read” with a function",
            0,
        ),
    ],
)
def test_a_plugin_that_cannot_be_used(text: str, message: str, line: int, tmp_path: Path) -> None:
    problem = broken(with_plugin(tmp_path, text))
    assert problem.code == "bad-plugin"
    assert problem.message.startswith("the plugin “plugins.py” cannot be used: ")
    assert message in problem.message
    assert (problem.span.path, problem.span.line) == ("plugins.py", line)
    assert problem.line_text == (text.split("\n")[line - 1] if line else "")


def test_a_plugin_that_is_not_there(tmp_path: Path) -> None:
    problem = broken(write_site(tmp_path, SITE))
    assert problem.code == "bad-plugin"
    assert (problem.span.path, problem.span.line) == ("devlog.toml", 2)


@pytest.mark.parametrize("name", ["../plugins.py", "/etc/passwd", "link.py"])
def test_a_plugin_lies_in_the_site(name: str, tmp_path: Path) -> None:
    root = tmp_path / "site"
    write_site(tmp_path, {"plugins.py": HEAD + "plugin = Plugin('outside')\n"})
    write_site(root, {**SITE, "devlog.toml": f'plugins = ["{name}"]\n'})
    (root / "link.py").symlink_to(tmp_path / "plugins.py")
    problem = broken(root)
    assert problem.code == "bad-plugin"
    assert problem.message.endswith(
        "symbolic link, which devlog does not follow" if name == "link.py" else "site's folder"
    )


@pytest.mark.parametrize("name", ["content/storage/x.py", "./content//x.py", "static/x.py", "tools/../static/x.py"])
def test_what_writers_of_posts_can_change_is_never_run(name: str, tmp_path: Path) -> None:
    site = {**SITE, "devlog.toml": f'plugins = ["{name}"]\n', name: HEAD + "raise SystemExit('was run')\n"}
    problem = broken(write_site(tmp_path, {**site, "tools/x": ""}))
    assert problem.code == "bad-plugin"
    assert problem.message.endswith(f"nothing in “{'content/' if 'content' in name else 'static/'}” is ever run")
    assert (problem.span.path, problem.span.line) == ("devlog.toml", 1)


@pytest.mark.slow
def test_a_plugin_in_the_content_folder_of_jekyll_is_not_published(tmp_path: Path) -> None:
    site = {
        "devlog.toml": 'dialect = "jekyll"\ncontent = "."\nplugins = ["plugins.py"]\n',
        "plugins.py": HEAD + "plugin = Plugin('lumen')\n",
        "other.py": "x = 1\n",
        "_posts/2026-05-01-a.md": "---\ntitle: A\n---\nText.\n",
    }
    root = write_site(tmp_path, site)
    assert not build_site(root).failed
    assert (root / "public" / "other.py").is_file()
    assert not (root / "public" / "plugins.py").exists()


@pytest.mark.slow
def test_two_plugins_of_one_name(tmp_path: Path) -> None:
    text = HEAD + "plugin = Plugin('lumen')\n"
    root = write_site(tmp_path, {**SITE, "devlog.toml": 'plugins = ["a.py", "b.py"]\n', "a.py": text, "b.py": text})
    problem = broken(root)
    assert problem.span.path == "b.py"
    assert "there is another plugin “lumen”" in problem.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (
            HEAD + "def f(parser):\n    parser.nothing\nplugin = Plugin('x', markdown=f)\n",
            "the plugin “plugins.py” cannot be used: AttributeError: 'MarkdownIt' object has no attribute 'nothing'",
            3,
        ),
        (
            HEAD
            + "def rule(state, silent):\n    raise ValueError('no\\nmore')\n"
            + "def f(parser):\n    parser.inline.ruler.push('x', rule)\nplugin = Plugin('x', markdown=f)\n",
            f"reading the Markdown of “{POST}” failed: ValueError: no more",
            3,
        ),
        (
            HEAD + "def years(outline):\n    yield 1 / 0\nplugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: ZeroDivisionError: division by zero",
            3,
        ),
        (
            HEAD + "def years(outline):\n    yield 1 / 0\nplugin = Plugin('x', pages=(years,))\n",
            "the plan “x.years” failed: ZeroDivisionError: division by zero",
            3,
        ),
        (
            HEAD
            + "def years(outline):\n    return [PlannedFile('/x/', 'page', template='404.html', yields=True)]\n"
            + "plugin = Plugin('x', pages=(years,))\n",
            "the plan “x.years” failed: only what “plans” want can be spare, not a page of the site",
            2,
        ),
        (
            HEAD + "def years(outline):\n    return ['/x']\nplugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: it returned a str instead of a PlannedFile",
            2,
        ),
        (
            HEAD
            + "def years(outline):\n    return [PlannedFile('x', 'page', {})]\nplugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: the permalink “x” does not begin with “/”",
            2,
        ),
        (
            HEAD
            + "def years(outline):\n    return [PlannedFile('/x', 'page', {})]\nplugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: the recipe “page” needs a template",
            2,
        ),
        (
            HEAD
            + "def years(o):\n    return [PlannedFile('/x', 'page', {}, 'x.html')]\n"
            + "plugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: there is no template “x.html”",
            2,
        ),
        (
            HEAD + "def years(o):\n    return [PlannedFile('/x', 'rss', {})]\nplugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: the recipe “rss” is for devlog's own files",
            2,
        ),
        (
            HEAD
            + "def years(o):\n    return [PlannedFile('/x', 'y', {}, 'home.html')]\n"
            + "plugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: the recipe “y” takes no template",
            2,
        ),
        (
            HEAD
            + "def years(o):\n    return [PlannedFile('/x', 'y', make=len)]\nplugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: “make” is for what devlog itself plans",
            2,
        ),
        (
            HEAD
            + "def years(o):\n    return [PlannedFile('/x', 'y', {'a': {1, 2}})]\n"
            + "plugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: “context.a” is a set: only strings, numbers, dates, lists and tables are allowed",  # noqa: E501
            2,
        ),
        (
            "from enum import Enum\n"
            + HEAD
            + "class Color(str, Enum):\n    RED = 'red'\n"
            + "def years(o):\n    return [PlannedFile('/x', 'y', {'a': [Color.RED]})]\n"
            + "plugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: “context.a” is a Color: only strings, numbers, dates, lists and tables are allowed",  # noqa: E501
            5,
        ),
        (
            HEAD
            + "def years(o):\n    a = []\n    a.append(a)\n    return [PlannedFile('/x', 'y', {'a': a})]\n"
            + "plugin = Plugin('x', plans=(years,))\n",
            "the plan “x.years” failed: “context.a” contains itself, or is nested too deep",
            2,
        ),
        (
            HEAD
            + "def years(o):\n    return [PlannedFile('/x.txt', 'y', {})]\n"
            + "def y(target, resources):\n    return {}['k']\n"
            + "plugin = Plugin('x', plans=(years,), recipes={'y': y})\n",
            "the recipe “y” for “x.txt” failed: KeyError: 'k'",
            5,
        ),
        (
            HEAD
            + "def years(o):\n    return [PlannedFile('/x.txt', 'y', {})]\ndef y(target, resources):\n    return None\n"
            + "plugin = Plugin('x', plans=(years,), recipes={'y': y})\n",
            "the recipe “y” for “x.txt” failed: it returned a NoneType instead of text or bytes",
            4,
        ),
        (
            HEAD + "def look(work):\n    return 1 / 0\nplugin = Plugin('x', derive=look)\n",
            "“x.look” failed: ZeroDivisionError: division by zero",
            3,
        ),
        (
            HEAD + "def look(work):\n    return 3\nplugin = Plugin('x', targets=look)\n",
            "“x.look” failed: what it returned has no “targets” that are LinkTargets",
            2,
        ),
        (
            HEAD
            + "class P:\n    problems = (3,)\ndef look(work):\n    return P()\nplugin = Plugin('x', derive=look)\n",
            "“x.look” failed: its “problems” are not all problems",
            4,
        ),
        (NOTES + "{'a.md': 3}" + LOOK, "“x.look” failed: its “notes” are not all notes on posts", 5),
        (
            NOTES + "{'a.md': PostNote(page=len)}" + LOOK,
            "“x.look” failed: “page” is for the notes of devlog itself",
            5,
        ),
        (
            NOTES + "{}\n    feeds = {'storage': 'feed.xml'}" + LOOK,
            "“x.look” failed: its “feeds” are not all links to feeds",
            6,
        ),
        (
            NOTES + "{'a.md': PostNote(fields={'mood': 1})}" + LOOK,
            "“x.look” failed: pages of posts have no field “mood”, which its “notes” name",
            5,
        ),
        (
            NOTES + "{'a.md': PostNote(fields={'applies_to': {1}})}" + LOOK,
            "“x.look” failed: “notes.applies_to” is a set: only strings, numbers, dates, lists and tables are allowed",
            5,
        ),
        (
            KEYS + "def read(field, entry):\n    return 1 / 0\n" + TITLE,
            "“x.read” on the key “title” failed: ZeroDivisionError: division by zero",
            9,
        ),
        (
            KEYS + "def read(field, entry):\n    return 3, ()\n" + TITLE,
            "“x.read” on the key “title” failed: ValidationError: Expected `str`, got `int` - at `$.loud`",
            8,
        ),
        (
            KEYS + "def read(field, entry):\n    return '', (3,)\n" + TITLE,
            "“x.read” on the key “title” failed: what it found wrong are not all problems",
            8,
        ),
        (
            KEYS
            + "def read(field, entry):\n    return 'a', ()\n"
            + MADE
            + "Said, {'loud': 'title'}, read, lambda said: 1 / 0, len))\n",
            "“rewrites” of the plugin “x” failed: ZeroDivisionError: division by zero",
            10,
        ),
    ],
)
def test_a_function_that_fails(text: str, message: str, line: int, tmp_path: Path) -> None:
    problem = broken(with_plugin(tmp_path, text))
    assert problem.message == message
    assert (problem.span.path, problem.span.line) == ("plugins.py", line)


_HOOKS = {
    "module": "fail()\nplugin = Plugin('x')\n",
    "markdown": "plugin = Plugin('x', markdown=fail)\n",
    "rule": "def add(parser):\n    parser.inline.ruler.push('x', fail)\nplugin = Plugin('x', markdown=add)\n",
    "sources": "plugin = Plugin('x', sources={'.eml': fail})\n",
    "front_matter": "plugin = Plugin('x', front_matter=Keys(Said, {'loud': 'title'}, fail))\n",
    "rewrites": "def read(*_):\n    return 'a', ()\n"
    "plugin = Plugin('x', front_matter=Keys(Said, {'loud': 'title'}, read, fail, fail))\n",
    "derive": "plugin = Plugin('x', derive=fail)\n",
    "targets": "plugin = Plugin('x', targets=fail)\n",
    "pages": "plugin = Plugin('x', pages=(fail,))\n",
    "plans": "plugin = Plugin('x', plans=(fail,))\n",
    "recipes": "def plan(outline):\n    yield PlannedFile('/y.txt', 'y', {})\n"
    "plugin = Plugin('x', plans=(plan,), recipes={'y': fail})\n",
    "filters": "plugin = Plugin('x', filters={'fail': fail})\n",
    "checks": "plugin = Plugin('x', checks=(fail,))\n",
    "deployers": "plugin = Plugin('x', deployers={'find': fail})\n",
}


@pytest.mark.parametrize("module", ["asyncio", "concurrent.futures"])
@pytest.mark.parametrize("hook", _HOOKS)
def test_canceled_work_is_a_fault_of_the_plugin(hook: str, module: str, tmp_path: Path) -> None:
    """No part of devlog may take it for its own canceled work, or let it pass."""
    fails = f"def fail(*_):\n    from {module} import CancelledError\n    raise CancelledError('enough')\n"
    more = {"content/storage/2026-05-04-x.eml": "X.\n"}
    more |= {"templates/404.html": "{{ 1 | fail }}"} if hook == "filters" else {}
    config = SITE["devlog.toml"] + ("[deploy.x]\nto = 'find'\n" if hook == "deployers" else "")
    root = with_plugin(tmp_path, KEYS + fails + _HOOKS[hook], devlog_toml=config, **more)
    if hook == "deployers":
        assert build_site(root).written
        told = [item for item in deploying.deploy(root) if isinstance(item, Diagnostic)]
    else:
        told = [*checked(root).diagnostics] if hook == "checks" else [*build_site(root).diagnostics]
    errors = [item for item in told if item.severity == "error"]
    assert errors
    assert [item for item in errors if "CancelledError: enough" not in item.message] == []


_PARTS = (
    "from types import SimpleNamespace as Part\nfrom devlog.model.derived import CompanionText, LinkTargets\n"
    "from devlog.model.diagnostic import Edit, Fix, Span\nfrom devlog.model.post_note import EntryNote, PostNote\n"
    "from devlog.model.target import Output\nfrom devlog.model.view import FeedLink\n"
)


_SPAN = "Span('content/storage/_index.md', 1)"


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        "problem(None, 'x')",
        "problem(Span(5), 'x')",
        "problem(Span('a.md', '3'), 'x')",
        "problem(Span('a.md', -3), 'x')",
        "problem(Span('a.md', 10**30), 'x')",
        f"problem({_SPAN}, 5)",
        f"problem({_SPAN}, 'a\\ud800')",
        f"problem({_SPAN}, 'x', hint=5)",
        f"problem({_SPAN}, 'x', severity='fatal')",
        f"problem({_SPAN}, 'x', fix=5)",
        f"problem({_SPAN}, 'x', fix=Fix((5,)))",
        f"problem({_SPAN}, 'x', fix=Fix((Edit({_SPAN}, 5, 6),)))",
    ],
)
@pytest.mark.parametrize("point", ["derive", "checks", "plans", "deployers", "front_matter"])
def test_what_a_problem_says_is_looked_at(point: str, given: str, tmp_path: Path) -> None:
    functions = {
        "derive": "def find(work):\n    return Part(problems=[GIVEN])\nplugin = Plugin('x', derive=find)\n",
        "checks": "def find(evidence):\n    yield GIVEN\nplugin = Plugin('x', checks=(find,))\n",
        "plans": "def find(outline):\n    yield GIVEN\nplugin = Plugin('x', plans=(find,))\n",
        "deployers": "def find(release):\n    yield GIVEN\nplugin = Plugin('x', deployers={'find': find})\n",
        "front_matter": "def read(field, entry):\n    return '', (GIVEN,)\n" + TITLE,
    }
    text = KEYS + _PARTS + functions[point].replace("GIVEN", given)
    with_plugin(tmp_path, text, devlog_toml=SITE["devlog.toml"] + "[deploy.x]\nto = 'find'\n")
    if point == "deployers":
        assert build_site(tmp_path).written
        told = [item for item in deploying.deploy(tmp_path) if isinstance(item, Diagnostic)]
    else:
        told = [*checked(tmp_path).diagnostics]
    (found,) = [item for item in told if item.code == "plugin-failed"]
    assert found.span.path == "plugins.py"
    assert "a problem that it returned is malformed: " in found.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("notes={5: PostNote()}", "Expected `str`, got `int`"),
        ("notes={'a.md': PostNote(status=5)}", "“status” in its “notes” is malformed: "),
        ("notes={'a.md': PostNote(ai='x')}", "“ai” in its “notes” is malformed: "),
        ("notes={'a.md': PostNote(entry=None)}", "“entry” in its “notes” is malformed: "),
        ("notes={'a.md': PostNote(entry=EntryNote(html=5))}", "“entry” in its “notes” is malformed: "),
        ("notes={'a.md': PostNote(entry=EntryNote(facts=5))}", "“entry” in its “notes” is malformed: "),
        ("notes={'a.md': PostNote(entry=EntryNote(text='\\ud800'))}", "“entry” in its “notes” is malformed: "),
        ("notes={'a.md': PostNote(fields=5)}", "“fields” in its “notes” is a int instead of a table"),
        ("notes={'a.md': PostNote(fields={'date': 'x'})}", "“date” in its “notes” is malformed: "),
        ("notes={'a.md': PostNote(fields={'applies_to': '\\ud800'})}", "“applies_to” in its “notes” is malformed: "),
        ("feeds={'storage': (FeedLink(1, 2, 3),)}", "its “feeds” are malformed: "),
        ("targets=LinkTargets(urls=(5,))", "its “targets” are malformed: "),
        ("targets=LinkTargets(anchors={'storage/a.md': 5})", "its “targets” are malformed: "),
        ("targets=LinkTargets(companions={'storage/a.md': CompanionText(None)})", "its “targets” are malformed: "),
    ],
)
def test_what_a_part_holds_is_looked_at(part: str, message: str, tmp_path: Path) -> None:
    point = part.partition("=")[0].replace("notes", "derive").replace("feeds", "derive")
    text = f"def look(work):\n    return Part({part})\nplugin = Plugin('x', {point}=look)\n"
    problem = broken(with_plugin(tmp_path, HEAD + _PARTS + text))
    assert (problem.code, problem.span.path) == ("plugin-failed", "plugins.py")
    assert message in problem.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "made", "message"),
    [
        ("span=5", "''", "“span” or “yields” is malformed: "),
        ("yields='x'", "''", "“span” or “yields” is malformed: "),
        ("about=5", "''", "“about” is for what devlog itself plans"),
        ("context={'a': 10**40}", "''", "“context” is malformed: "),
        ("context={'a': '\\ud800'}", "''", "“context” is malformed: "),
        ("context={'a': type('S', (str,), {})('x')}", "''", "“context” is malformed: "),
        ("", "'\\ud800'", "the recipe “y” for “x.txt” failed: UnicodeEncodeError: "),
        ("", "Output(target.path, 'x')", "the Output that it returned is malformed: "),
        ("", "Output('y.txt', b'x')", "the Output that it returned is not that of “x.txt” alone"),
        ("", "Output(target.path, b'x', (), b'x')", "the Output that it returned is not that of “x.txt” alone"),
        ("", "Output(target.path, b'', (5,))", "the Output that it returned is malformed: "),
    ],
)
def test_what_is_planned_and_made_is_looked_at(wanted: str, made: str, message: str, tmp_path: Path) -> None:
    text = (
        f"def years(outline):\n    yield PlannedFile('/x.txt', 'y', {wanted})\n"
        f"def y(target, resources):\n    return {made}\nplugin = Plugin('x', plans=(years,), recipes={{'y': y}})\n"
    )
    problem = broken(with_plugin(tmp_path, HEAD + _PARTS + text))
    assert (problem.code, problem.span.path) == ("plugin-failed", "plugins.py")
    assert message in problem.message


@pytest.mark.slow
def test_an_exception_that_cannot_be_shown_is_named(tmp_path: Path) -> None:
    text = "class E(Exception):\n    def __str__(self):\n        raise ValueError\ndef look(work):\n    raise E\n"
    problem = broken(with_plugin(tmp_path, HEAD + text + "plugin = Plugin('x', derive=look)\n"))
    assert (problem.message, problem.span.line) == ("“x.look” failed: E", 6)


def test_a_plugin_that_fails_when_it_is_looked_at_cannot_be_used(tmp_path: Path) -> None:
    problem = broken(with_plugin(tmp_path, "def __getattr__(name):\n    raise ValueError(name)\n"))
    assert (problem.code, problem.span.path, problem.span.line) == ("bad-plugin", "plugins.py", 2)
    others = [module for name, module in sys.modules.items() if name.startswith("devlog_plugin_")]
    assert [getattr(module, "__file__", None) for module in others] == [None] * len(others)  # as some libraries look


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("raise SystemExit(3)", "plugin-failed"),
        ("return True", "plugin-failed"),
        ("state.tokens.append(5)", "internal-error"),
    ],
)
def test_a_rule_of_the_parser_that_goes_wrong_costs_one_text(rule: str, code: str, tmp_path: Path) -> None:
    text = f"def rule(state, silent):\n    {rule}\ndef f(parser):\n    parser.inline.ruler.before('text', 'x', rule)\n"
    problem = broken(with_plugin(tmp_path, HEAD + text + "plugin = Plugin('x', markdown=f)\n"))
    assert problem.code == code
    assert "plugins.py" in (problem.span.path if code == "plugin-failed" else problem.hint)
    assert POST in problem.message + problem.span.path


@pytest.mark.slow
def test_problems_of_a_deployer_have_a_code(tmp_path: Path) -> None:
    text = "def zip(release):\n    yield problem(Span('devlog.toml'), 'full', severity='error')\n"
    text = HEAD + _PARTS + text + "plugin = Plugin('x', deployers={'zip': zip})\n"
    with_plugin(tmp_path, text, devlog_toml=SITE["devlog.toml"] + "[deploy.x]\nto = 'zip'\n")
    assert build_site(tmp_path).written
    told = [item.code for item in deploying.deploy(tmp_path) if isinstance(item, Diagnostic)]
    assert told == ["not-deployed"]


@pytest.mark.parametrize(
    "shown",
    ["{{ 10**5000 }}", "{{ " + "-" * 5000 + "1 }}", "{% if 1 %}" * 500 + "{% endif %}" * 500, "{{ '\\ud800' }}"],
)
def test_whatever_a_template_computes_is_told_at_the_template(shown: str, tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, "devlog.toml": "", "templates/404.html": shown})
    problem = broken(root)
    assert (problem.code, problem.span.path) == ("template-error", "templates/404.html")


def test_plans_may_want_no_recipe_for_our_own_files() -> None:
    assert OWN | {"page"} == render.BUILT_IN.recipes.keys()
    own = {name for plugin in (render.BUILT_IN, *features()) for name in plugin.recipes}
    for recipe in own - {"page"}:
        item = PlannedFile("/x.txt", recipe)
        assert unfit(item, Theme((), (), b"{}")) == f"the recipe “{recipe}” is for devlog's own files"


@pytest.mark.slow
def test_names_in_a_context_mean_nothing_to_devlog(tmp_path: Path) -> None:
    text = HEAD + "def years(o):\n    return [PlannedFile('/x.txt', 'y', {'entries': 3, 'content': 4})]\n"
    text += "def y(target, resources):\n    return f'{target.context}'\n"
    root = with_plugin(tmp_path, text + "plugin = Plugin('x', plans=(years,), recipes={'y': y})\n")
    assert built(root)["x.txt"] == "{'entries': 3, 'content': 4}"


@pytest.mark.slow
def test_a_recipe_that_nobody_has(tmp_path: Path) -> None:
    text = (
        HEAD + "def years(o):\n    return [PlannedFile('/x.txt', 'paeg', {})]\nplugin = Plugin('x', plans=(years,))\n"
    )
    problem = broken(with_plugin(tmp_path, text))
    assert (problem.code, problem.message, problem.hint) == (
        "unknown-recipe",
        "unknown recipe “paeg”",
        "did you mean “page”?",
    )


@pytest.mark.slow
def test_two_files_at_one_address_are_told(tmp_path: Path) -> None:
    text = HEAD + "def years(o):\n    return [PlannedFile('/robots.txt', 'y', {})]\ndef y(t, r):\n    return ''\n"
    problem = broken(with_plugin(tmp_path, text + "plugin = Plugin('lumen', plans=(years,), recipes={'y': y})\n"))
    assert problem.code == "colliding-url"
    assert "the plugin “lumen”" in f"{problem.span.path} {problem.message}"


@pytest.mark.slow
def test_files_never_leave_the_output(tmp_path: Path) -> None:
    text = HEAD + "def years(o):\n    return [PlannedFile('/../x.txt', 'y', {})]\ndef y(t, r):\n    return ''\n"
    root = with_plugin(tmp_path / "site", text + "plugin = Plugin('lumen', plans=(years,), recipes={'y': y})\n")
    assert broken(root).code == "bad-url"
    assert not (tmp_path / "x.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('x')", "the rule “lumen.never” failed: ValueError: x"),
        ("return None", "the rule “lumen.never” failed: TypeError: 'NoneType' object is not iterable"),
        ("yield 'x'", "the rule “lumen.never” failed: it returned a str instead of a problem"),
    ],
)
def test_a_rule_that_fails_does_not_hide_the_others(body: str, message: str, tmp_path: Path) -> None:
    text = HEAD + f"def never(evidence):\n    {body}\nplugin = Plugin('lumen', checks=(never,))\n"
    root = with_plugin(tmp_path, text)
    (root / POST).write_text(SITE[POST] + "\n![](a.png)\n", "utf-8")
    done = checked(root)
    assert message in [item.message for item in done.diagnostics]
    assert "missing-alt" in codes(done.diagnostics)
    assert done.failed
