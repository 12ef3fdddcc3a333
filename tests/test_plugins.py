"""Plugins: the documented examples work, each point fails clearly, and a change makes anew just what depends on it."""

from __future__ import annotations

import importlib
import json
import os
import py_compile
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from selection import FEATURES
from sites import NOW, build_site, read_tree, write_site

from devlog import packages
from devlog.assemble import plan
from devlog.assemble.plan_validation import OWN, unfit
from devlog.check import rules
from devlog.checking import Checked, Options, check
from devlog.deploy import run as deploying
from devlog.disk import plugins as finding
from devlog.inputs import plugins_of
from devlog.model.diagnostic import Diagnostic
from devlog.model.theme import PluginRef, Theme
from devlog.packages import Package, _entry_points, _packages, _path, _versions, is_installed, record
from devlog.parse.markdown import parser
from devlog.plugin import PlannedFile, Plugin
from devlog.plugins.features import features
from devlog.plugins.loading import PluginError, load
from devlog.render import render, templates

ROOT = Path(__file__).parent.parent
POST = "content/storage/2026-05-04-compaction.md"
SITE = {
    "devlog.toml": 'title = "The Lumen log"\nplugins = ["plugins.py"]\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    POST: "---\ntitle: Compaction, at last\nauthor: Ada Quill (@adaquill)\n---\nIt mends LUM-12.\n",
}


# -- the documented examples

_SECTION = re.compile(r"^## +(.*)$", re.MULTILINE)
_FENCE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def example(section: str, folder: Path) -> Path:
    """A site with the files of an example of docs/plugins.md."""
    parts = _SECTION.split((ROOT / "docs" / "plugins.md").read_text("utf-8"))
    files = dict(_FENCE.findall(dict(zip(parts[1::2], parts[2::2], strict=True))[section]))
    assert "plugins.py" in files
    if "devlog.toml" in files:
        files["devlog.toml"] = 'title = "The Lumen log"\n' + files["devlog.toml"]
    return write_site(folder, {**SITE, **files})


def checked(root: Path) -> Checked:
    return check(Options(root=root, now=NOW, jobs=1))


def built(root: Path) -> dict[str, str]:
    """The texts of a site that is built without a word."""
    report = build_site(root)
    assert not report.diagnostics
    return {path: data.decode() for path, data in read_tree(root / "public").items() if b"\0" not in data}


@pytest.mark.slow
def test_the_example_of_markdown(tmp_path: Path) -> None:
    site = built(example("Markdown", tmp_path))
    page = site["storage/2026-05-04-compaction/index.html"]
    assert '<p>It mends <a href="https://issues.example.org/12">LUM-12</a>.</p>' in page
    assert '<meta name="description" content="It mends LUM-12.">' in page
    assert '"summary": "It mends LUM-12."' in site["posts.json"]


def test_a_token_of_a_plugin_reads_as_it_says(tmp_path: Path) -> None:
    root = example("Markdown", tmp_path)
    (root / POST).write_text(SITE[POST] + "\n## About **LUM-13**\n", "utf-8")
    page = built(root)["storage/2026-05-04-compaction/index.html"]
    assert '<h2 id="about-lum-13">' in page


def test_the_example_of_markdown_in_links_and_words(tmp_path: Path) -> None:
    root = example("Markdown", tmp_path)
    (root / POST).write_text(SITE[POST] + "\n[see LUM-13](https://lumen.example.org/), preLUM-14\n", "utf-8")
    page = built(root)["storage/2026-05-04-compaction/index.html"]
    assert '<p><a href="https://lumen.example.org/">see LUM-13</a>, preLUM-14</p>' in page


def test_the_text_of_a_token_of_a_plugin_is_in_alt_texts(tmp_path: Path) -> None:
    root = example("Markdown", tmp_path)
    image = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'
    write_site(root, {"content/storage/sizes.svg": image, POST: SITE[POST] + "\n![Sizes after LUM-13](sizes.svg)\n"})
    assert 'alt="Sizes after LUM-13"' in built(root)["storage/2026-05-04-compaction/index.html"]


def test_the_example_of_markdown_beside_raw_html(tmp_path: Path) -> None:
    root = example("Markdown", tmp_path)
    (root / POST).write_text(SITE[POST] + "\n<b onclick='x()'>LUM-13</b>\n", "utf-8")
    page = built(root)["storage/2026-05-04-compaction/index.html"]
    assert '<b><a href="https://issues.example.org/13">LUM-13</a></b>' in page
    (root / POST).write_text(SITE[POST].replace("mends", "<b>mends</b>"), "utf-8")
    page = built(root)["storage/2026-05-04-compaction/index.html"]
    assert '<meta name="description" content="It mends LUM-12.">' in page


MAIL = """\
From: Ada Quill <ada@lumen.example.org>
Subject: Compaction, at last
Date: Mon, 04 May 2026 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="x"

--x
Content-Type: text/plain

It is *fast*, see [the other](2026-05-04-compaction.md). {{< oops >}}

--x
Content-Type: image/png
Content-Transfer-Encoding: base64

iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=
--x--
"""


@pytest.mark.slow
def test_the_example_of_sources(tmp_path: Path) -> None:
    root = example("Sources", tmp_path)
    mail = "content/storage/2026-05-04-announcement.eml"
    write_site(root, {mail: MAIL.replace(" {{< oops >}}", "")})
    pages = built(root)
    assert "It is <em>fast</em>" in pages["storage/2026-05-04-announcement/index.html"]
    image = root / "public/storage/2026-05-04-announcement/image-1.png"
    assert image.read_bytes().startswith(b"\x89PNG")
    assert built(root) == pages
    # A changed plugin changes pages, and its failure names the file.
    code = (root / "plugins.py").read_text("utf-8")
    write_site(root, {"plugins.py": code.replace("image-{number}", "figure-{number}")})
    assert not build_site(root).failed
    assert not image.exists()
    assert image.with_name("figure-1.png").exists()
    write_site(root, {mail: MAIL})
    (problem,) = build_site(root).diagnostics
    assert (problem.code, problem.span.path, problem.span.line) == ("unknown-shortcode", mail, 0)
    for end, reason in {
        "return 1 / 0": "ZeroDivisionError",
        "return 7": "malformed",
        "return Converted('', files=(ContainedFile('../x.png', b''),))": "“../x.png”",
    }.items():
        write_site(root, {"plugins.py": code.replace('text = json.dumps(head, indent=1) + "\\n\\n" + body', end)})
        (problem,) = build_site(root).diagnostics
        assert problem.code == "plugin-failed"
        assert mail in problem.message
        assert reason in problem.message


@pytest.mark.parametrize(
    ("mail", "codes"),
    [
        ("Subject: Compaction\nContent-Type: text/html\n\n<p>Fast</p>\n", {"lumen.read-mail"}),
        ("Subject: Compaction\nFrom: ada@lumen.example.org\nDate: soon\n\nFast\n", set()),
        ("\nFast\n", {"missing-title"}),
    ],
)
def test_the_example_of_sources_with_parts_missing(mail: str, codes: set[str], tmp_path: Path) -> None:
    root = example("Sources", tmp_path)
    write_site(root, {"content/storage/2026-05-04-announcement.eml": mail})
    report = build_site(root)
    assert {problem.code for problem in report.diagnostics} == codes
    assert (root / "public/storage/2026-05-04-announcement/index.html").is_file()


@pytest.mark.slow
@pytest.mark.feature("notebooks")
def test_formats_of_devlog_cannot_be_replaced(tmp_path: Path) -> None:
    for suffix in (".md", ".ipynb", "eml"):
        code = f"from devlog.plugin import Plugin\nplugin = Plugin('x', sources={{'{suffix}': print}})\n"
        (problem,) = build_site(write_site(tmp_path, {**SITE, "plugins.py": code})).diagnostics
        assert problem.code == "bad-plugin"
        assert suffix in problem.message


@pytest.mark.slow
def test_the_example_of_checks(tmp_path: Path) -> None:
    root = example("Checks", tmp_path)
    (problem,) = [item for item in checked(root).diagnostics if item.code.startswith("lumen.")]
    assert (problem.code, problem.severity, problem.span.path, problem.span.line) == (
        "lumen.needs-summary",
        "warning",
        POST,
        2,
    )
    done = subprocess.run(
        [sys.executable, "-m", "devlog", "check", "--root", str(root), "--explain", "lumen.needs-summary"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "A post has a `summary`, which lists and feeds show." in done.stdout


@pytest.mark.slow
def test_the_example_of_plans(tmp_path: Path) -> None:
    page = built(example("Plans", tmp_path))["numbers/index.html"]
    assert "<title>Numbers — The Lumen log</title>" in page
    assert "<li>Storage: 3 words</li>" in page


@pytest.mark.slow
def test_the_sitemap_names_pages_that_belong_to_those_of_the_site(tmp_path: Path) -> None:
    root = example("Plans", tmp_path)
    code = (root / "plugins.py").read_text("utf-8")
    free = "{outline.is_free('/numbers/'), outline.is_free('/archive/'), outline.is_free('/storage/')}"
    code = code.replace('title="Numbers"', f'title=f"{free}"').replace("plans=", "pages=")
    write_site(root, {"plugins.py": code})
    assert not build_site(root, base_url="https://docs.example.org/").failed
    named = re.findall("<loc>https://docs.example.org(.*?)</loc>", (root / "public/sitemap.xml").read_text("utf-8"))
    assert {"/archive/", "/numbers/"} <= set(named)
    assert "<title>(True, False, False) — " in (root / "public/numbers/index.html").read_text("utf-8")
    write_site(root, {"plugins.py": code.replace("pages=", "plans=")})
    assert not build_site(root, base_url="https://docs.example.org/").failed
    assert "/numbers/" not in (root / "public/sitemap.xml").read_text("utf-8")


@pytest.mark.slow
def test_the_example_of_recipes(tmp_path: Path) -> None:
    lines = built(example("Recipes", tmp_path))["calendar.ics"].split("\r\n")
    assert lines[:3] == ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:lumen"]
    assert lines[3:8] == [
        "BEGIN:VEVENT",
        "UID:/storage/2026-05-04-compaction/",
        "DTSTAMP:20260504T000000Z",
        "DTSTART;VALUE=DATE:20260504",
        "SUMMARY:Compaction\\, at last",
    ]


@pytest.mark.slow
def test_the_example_of_filters(tmp_path: Path) -> None:
    page = built(example("Filters", tmp_path))["storage/2026-05-04-compaction/index.html"]
    assert "<p>Written on a Monday.</p>" in page


@pytest.mark.slow
def test_the_example_of_deployers(tmp_path: Path) -> None:
    root = example("Deployers", tmp_path)
    outputs = built(root)
    (said,) = deploying.deploy(root)
    with ZipFile(root / "lumen-log.zip") as archive:
        assert archive.read("index.html").decode() == outputs["index.html"]
        assert said == f"Packed {len(archive.namelist())} files into lumen-log.zip"


@pytest.mark.slow
def test_the_example_of_derived_parts(tmp_path: Path) -> None:
    root = example("Derived parts", tmp_path)
    write_site(root, {"content/storage/sizes.csv": "a,b\n1,2\n3,4\n"})
    assert "/storage/sizes.csv</a>: 3 rows" in built(root)["data/index.html"]
    write_site(root, {"content/storage/sizes.csv": "a,b\n1,2\n"})
    assert "/storage/sizes.csv</a>: 2 rows" in built(root)["data/index.html"]


@pytest.mark.slow
def test_the_example_of_front_matter(tmp_path: Path) -> None:
    root = example("Front matter", tmp_path)
    written = SITE[POST].replace("author:", "Release: v2.3\nauthor:")
    write_site(root, {POST: written})
    outputs = built(root)
    assert "Lumen 2.3" in outputs["storage/2026-05-04-compaction/index.html"]
    assert '"_devlog": {"release": "2.3"}' in " ".join(outputs["feed.json"].split()).replace("{ ", "{").replace(
        " }", "}"
    )
    write_site(root, {POST: written.replace("2.3", "soon")})
    (problem,) = build_site(root).diagnostics
    assert (problem.code, problem.span.path, problem.span.line, problem.span.column) == (
        "lumen.read-release",
        POST,
        3,
        10,
    )
    assert problem.message == "“vsoon” is not a release"


@pytest.mark.slow
@pytest.mark.feature("supersession")
def test_a_plugin_and_a_feature_may_know_of_one_post(tmp_path: Path) -> None:
    """Each gets the keys that it asks for, and what both know is shown."""
    root = example("Front matter", tmp_path)
    code = (root / "plugins.py").read_text("utf-8").replace("lumen.release", "applies_to")
    written = SITE[POST].replace("author:", "status: historical\napplies_to: 2.3\nauthor:")
    write_site(root, {"plugins.py": code, POST: written})
    outputs = built(root)
    assert "Lumen 2.3" not in outputs["storage/2026-05-04-compaction/index.html"]  # a feature comes first
    (item,) = json.loads(outputs["feed.json"])["items"]
    assert item["_devlog"] == {"status": "historical", "applies_to": "2.3", "release": "2.3"}


TARGETS = """
from msgspec import Struct
from devlog.model.derived import LinkTargets
from devlog.plugin import PlannedFile, Plugin


class Part(Struct, frozen=True):
    targets: LinkTargets = LinkTargets()


def targets(work):
    return Part(LinkTargets({"storage/2026-05-04-compaction.md": ("part-2",)}, ("/numbers.txt",)))


def plan(outline):
    yield PlannedFile("/numbers.txt", "numbers", {})


plugin = Plugin("x", targets=targets, plans=(plan,), recipes={"numbers": lambda target, resources: "1 2 3"})
"""


@pytest.mark.slow
def test_links_to_what_a_plugin_makes(tmp_path: Path) -> None:
    text = SITE[POST] + "\n[numbers](/numbers.txt), [part](#part-2), [one more](#part-3)\n"
    root = write_site(tmp_path, {**SITE, POST: text, "plugins.py": TARGETS})
    report = build_site(root)
    assert [(item.code, item.message) for item in report.diagnostics if item.code.startswith("broken")] == [
        ("broken-anchor", next(item.message for item in report.diagnostics if "part-3" in item.message))
    ]


FINDING = """
from msgspec import Struct
from devlog.model.diagnostic import Span
from devlog.plugin import Plugin, problem


class Part(Struct, frozen=True):
    problems: tuple = ()


def look(work):
    return Part((problem(Span("devlog.toml", 1), "no data"),))


plugin = Plugin("x", derive=look)
"""


@pytest.mark.slow
def test_problems_of_derived_parts_have_the_name_of_their_function(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, "plugins.py": FINDING})
    report = build_site(root)
    assert [(item.code, item.severity) for item in report.diagnostics] == [("x.look", "warning")]
    write_site(root, {"devlog.toml": SITE["devlog.toml"] + '[severity]\n"x.look" = "off"\n'})
    assert not build_site(root).diagnostics


# -- what is built in comes through the same door


@pytest.mark.feature(*FEATURES)
def test_each_point_has_something_that_is_built_in() -> None:
    own = [parser.BUILT_IN, rules.BUILT_IN, *features(), render.BUILT_IN, templates.BUILT_IN, deploying.BUILT_IN]
    points = [name for name in Plugin.__struct_fields__ if name != "name"]
    assert points == [
        "codes",
        "configuration",
        "front_matter",
        "markdown",
        "sources",
        "fences",
        "prose",
        "markdown_versions",
        "checks",
        "gaps",
        "fixes",
        "asides",
        "targets",
        "derive",
        "derives_alike",
        "external_inputs",
        "lookup",
        "tools",
        "site_search",
        "pages",
        "plans",
        "page_images",
        "site_fields",
        "recipes",
        "filters",
        "deployers",
    ]
    assert not [point for point in points if not any(getattr(plugin, point) for plugin in own)]


@pytest.mark.parametrize(
    ("module", "empty", "lost"),
    [
        (rules, Plugin("devlog"), lambda root: "missing-alt" not in codes(checked(root).diagnostics)),
        (render, Plugin("devlog"), lambda root: "unknown-recipe" in codes(build_site(root).diagnostics)),
        (templates, Plugin("devlog"), lambda root: "template-error" in codes(build_site(root).diagnostics)),
        (
            deploying,
            Plugin("devlog"),
            lambda root: (
                "unknown-deployer" in codes(item for item in deploying.deploy(root) if not isinstance(item, str))
            ),
        ),
    ],
    ids=["checks", "recipes", "filters", "deployers"],
)
def test_without_its_value_what_is_built_in_is_gone(
    module: object, empty: Plugin, lost: Callable[[Path], bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        **SITE,
        "devlog.toml": '[images]\nenabled = false\n[deploy.x]\nto = "folder"\npath = "x"\n',
        POST: SITE[POST] + "\n![](a.png)\n",
    }
    root = write_site(tmp_path, files)
    monkeypatch.setattr(module, "BUILT_IN", empty)
    for cached in (render._recipes, templates._environment):
        cached.cache_clear()
    assert lost(root)
    for cached in (render._recipes, templates._environment):
        cached.cache_clear()


@pytest.mark.feature("social_cards")
def test_without_a_feature_its_plans_are_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, {**SITE, "devlog.toml": "[images]\nenabled = false\n"})
    assert not build_site(root, base_url="https://docs.example.org/").failed
    assert list(root.glob("public/**/card.png"))
    others = tuple(plugin for plugin in features() if plugin.name != "social-cards")
    monkeypatch.setattr(plan, "features", lambda: others)
    assert not build_site(root, base_url="https://other.example.org/").failed
    assert not list(root.glob("public/**/card.png"))


def codes(found: Iterator[Diagnostic] | tuple[Diagnostic, ...]) -> set[str]:
    return {item.code for item in found}


# -- what can go wrong


HEAD = "from devlog.plugin import PlannedFile, Plugin, problem\n"
KEYS = HEAD + (
    "from msgspec import Struct\nfrom devlog.plugin import FrontMatterKeys as Keys\n"
    "class Said(Struct, frozen=True):\n    loud: str = ''\nclass Full(Struct, frozen=True):\n    loud: str\n"
)
MADE = "plugin = Plugin('x', front_matter=Keys("
TITLE = "plugin = Plugin('x', front_matter=Keys(Said, {'loud': 'title'}, read))\n"
NOTES = HEAD + "from devlog.model.post_note import PostNote\nclass P:\n    problems, notes = (), "
LOOK = "\ndef look(work):\n    return P()\nplugin = Plugin('x', derive=look)\n"


def with_plugin(folder: Path, text: str, **more: str) -> Path:
    files = {name.replace("_toml", ".toml"): data for name, data in more.items()}
    return write_site(folder, {**SITE, "plugins.py": text, **files})


def broken(root: Path) -> Diagnostic:
    """The one thing that is wrong with a site; nothing is published then."""
    report = build_site(root)
    assert report.failed
    assert not (root / "public").exists()
    (problem,) = report.diagnostics
    return problem


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


# -- codes


RULE = HEAD + (
    "def needs_summary(evidence):\n"
    '    """A post has a summary."""\n'
    "    for text in evidence.posts:\n"
    "        yield problem(text.parsed.front_matter.span('title', text.parsed.file), 'this post has no summary')\n"
    "plugin = Plugin('lumen', checks=(needs_summary,))\n"
)


def ruled(root: Path) -> list[str]:
    return [item.severity for item in checked(root).diagnostics if item.code == "lumen.needs-summary"]


@pytest.mark.parametrize(("severity", "found"), [("error", ["error"]), ("info", ["info"]), ("off", [])])
def test_severities_of_plugins(severity: str, found: list[str], tmp_path: Path) -> None:
    config = f'plugins = ["plugins.py"]\n[severity]\n"lumen.needs-summary" = "{severity}"\n'
    assert ruled(with_plugin(tmp_path, RULE, devlog_toml=config)) == found


def test_a_severity_of_a_rule_that_nobody_has(tmp_path: Path) -> None:
    config = 'plugins = ["plugins.py"]\n[severity]\n"lumen.needs-sumary" = "off"\n'
    problem = broken(with_plugin(tmp_path, RULE, devlog_toml=config))
    assert (problem.code, problem.span.line) == ("unknown-config-key", 3)
    assert problem.hint == "did you mean “lumen.needs-summary”?"


@pytest.mark.slow
def test_a_waiver_for_a_plugin(tmp_path: Path) -> None:
    root = with_plugin(tmp_path, RULE)
    (root / POST).write_text(SITE[POST] + "\n<!-- devlog: allow lumen.needs-summary: it is short -->\n", "utf-8")
    assert not ruled(root)
    (root / POST).write_text(SITE[POST] + "\n<!-- devlog: allow lumen.needs-sumary: it is short -->\n", "utf-8")
    assert ruled(root) == ["warning"]
    assert "bad-waiver" in codes(checked(root).diagnostics)


@pytest.mark.slow
def test_a_plan_finds_problems(tmp_path: Path) -> None:
    text = (
        HEAD
        + "from devlog.model.diagnostic import Span\ndef years(o):\n    yield problem(Span('content'), 'no year')\n"
    )
    root = with_plugin(tmp_path, text + "plugin = Plugin('lumen', plans=(years,))\n")
    report = build_site(root)
    assert [(item.code, item.severity) for item in report.diagnostics] == [("lumen.years", "warning")]
    assert not report.failed


# -- what a change makes anew


EVERYTHING = HEAD + (
    "VERSION = 1\n"
    "def years(outline):\n    yield PlannedFile('/x.txt', 'years', {'posts': len(outline.site.posts)})\n"
    "def write(target, resources):\n    return f'{VERSION} {target.context}'\n"
    "def loud(text):\n    return f'{text}{VERSION}'\n"
    "from msgspec import Struct\nfrom devlog.plugin import FrontMatterKeys\n"
    "class Said(Struct, frozen=True):\n    name: str = ''\n"
    "def read(field, entry):\n    return '', ()\n"
)


def work(root: Path) -> tuple[int, set[str]]:
    """How many texts were parsed, and which files were written."""
    report = build_site(root)
    assert not report.diagnostics
    return report.parsed, set(report.written)


@pytest.mark.parametrize(
    ("points", "parsed", "written"),
    [
        ("", 0, set()),
        ("plans=(years,), recipes={'years': write}", 0, {"x.txt"}),
        ("filters={'loud': loud}", 0, {"404.html"}),
        ("markdown=lambda parser: None", 2, set()),
        ("front_matter=FrontMatterKeys(Said, {'name': 'volume'}, read)", 2, set()),
    ],
)
@pytest.mark.slow
def test_a_changed_plugin_makes_anew_what_depends_on_it(
    points: str, parsed: int, written: set[str], tmp_path: Path
) -> None:
    root = with_plugin(tmp_path, EVERYTHING + f"plugin = Plugin('x', {points})\n")
    if "loud" in points:
        write_site(root, {"templates/404.html": "<p>{{ page.title | loud }}\n"})
    work(root)
    assert work(root) == (0, set())
    text = (root / "plugins.py").read_text("utf-8").replace("VERSION = 1", "VERSION = 2")
    (root / "plugins.py").write_text(text, "utf-8")
    assert work(root) == (parsed, written)
    fresh = write_site(
        tmp_path / "fresh", {path: data for path, data in read_tree(root).items() if "public" not in path}
    )
    (fresh / ".devlog" / "cache.db").unlink()
    build_site(fresh)
    assert read_tree(fresh / "public").keys() == read_tree(root / "public").keys()
    for path, data in read_tree(fresh / "public").items():
        if not path.startswith(".devlog"):
            assert (root / "public" / path).read_bytes() == data


DERIVING = """\
from msgspec import Struct
from devlog.model.derived import Made, Work
from devlog.plugin import PlannedFile, Plugin
VERSION = 1
class Count(Struct, frozen=True):
    number: int = 0
def count(parts, files):
    return Made({"number": VERSION})
def count_all(works):
    return [count(work.parts, ()) for work in works]
def counted(work):
    (made,) = work.stages.derive([Work(WORK, {})], work.read, MAKE)
    return Count(made.facts["number"])
def plan(outline):
    yield PlannedFile("/x.txt", "write", {"number": outline.derived.of(Count).number})
def write(target, resources):
    return str(target.context["number"])
plugin = Plugin("x", derive=counted, plans=(plan,), recipes={"write": write})
"""


@pytest.mark.slow
def test_a_changed_plugin_derives_anew(tmp_path: Path) -> None:
    code = DERIVING.replace("WORK", "'plugins:count'").replace("MAKE", "count_all")
    root = with_plugin(tmp_path, code)
    assert work(root)[1] > {"x.txt"}
    (root / "plugins.py").write_text(code.replace("VERSION = 1", "VERSION = 2"), "utf-8")
    assert work(root) == (0, {"x.txt"})
    assert (root / "public/x.txt").read_text("utf-8") == "2"
    assert work(root) == (0, set())


@pytest.mark.slow
def test_a_changed_package_derives_anew(tmp_path: Path) -> None:
    code = DERIVING.replace("WORK", "'lumen_devlog:count'").replace("MAKE", "None")
    packages = installed(tmp_path / "packages", code, "lumen = lumen_devlog:plugin")
    root = write_site(tmp_path / "site", {**SITE, "devlog.toml": ""})
    module = packages / "lumen_devlog" / "__init__.py"
    in_a_process(packages, root)
    assert (root / "public/x.txt").read_text("utf-8") == "1"
    module.write_text(code.replace("VERSION = 1", "VERSION = 2"), "utf-8")
    done = in_a_process(packages, root)
    assert (done.returncode, done.stderr) == (0, "")
    assert (root / "public/x.txt").read_text("utf-8") == "2"


NAMED = {
    "by the name itself": "{{ page.title | loud }}",
    "by a text": "{{ [page.title] | map('loud') | join }}",
    "by a text that is handed on": "{{ [[page.title]] | map('map', 'loud') | map('join') | join }}",
    "by a variable": "{% set name = 'loud' %}{{ [page.title] | map(name) | join }}",
    "by a computed text": "{{ [page.title] | map('lo' ~ 'ud') | join }}",
    "by a list of arguments": "{% set words = ['loud'] %}{{ [page.title] | map(*words) | join }}",
    "by what a macro is given": (
        "{% macro each(name) %}{{ [page.title] | map(name) | join }}{% endmacro %}{{ each('loud') }}"
    ),
    "for a block": "{% filter map('loud') | join %}a{% endfilter %}",
    "by a filter that sees the environment": "{{ page.title | through }}",
}


@pytest.mark.slow
@pytest.mark.parametrize("use", NAMED.values(), ids=NAMED.keys())
def test_a_filter_counts_however_it_is_named(use: str, tmp_path: Path) -> None:
    through = HEAD + (
        "from jinja2 import pass_environment\n"
        "@pass_environment\ndef through(environment, text):\n    return environment.filters['loud'](text)\n"
        "plugin = Plugin('y', filters={'through': through})\n"
    )
    text = EVERYTHING + "plugin = Plugin('x', filters={'loud': loud})\n"
    root = with_plugin(tmp_path, text)
    write_site(root, {"through.py": through, "templates/404.html": f"<p>{use}\n"})
    config = (root / "devlog.toml").read_text("utf-8")
    (root / "devlog.toml").write_text(config.replace('["plugins.py"]', '["plugins.py", "through.py"]'), "utf-8")
    work(root)
    (root / "plugins.py").write_text(text.replace("VERSION = 1", "VERSION = 2"), "utf-8")
    assert work(root) == (0, {"404.html"})
    assert "2" in (root / "public" / "404.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "use",
    [
        "{{ 'loud' is filter }}",
        "{{ ('lo' ~ 'ud') is filter }}",
        "{{ ['loud'] | select('filter') | list }}",
        "{{ [{'is': 'loud'}] | rejectattr('is', 'filter') | list }}",
        "{{ [['loud']] | map('select', 'filter') | map('list') | list }}",
        "{% set name = 'filter' %}{{ ['loud'] | reject(name) | list }}",
    ],
)
def test_whether_there_is_a_filter_counts(use: str, tmp_path: Path) -> None:
    root = with_plugin(tmp_path, EVERYTHING + "plugin = Plugin('x')\n")
    write_site(root, {"templates/404.html": f"<p>{use}\n"})
    work(root)
    before = (root / "public" / "404.html").read_bytes()
    write_site(root, {"plugins.py": EVERYTHING + "plugin = Plugin('x', filters={'loud': loud})\n"})
    assert work(root) == (0, {"404.html"})
    assert (root / "public" / "404.html").read_bytes() != before


@pytest.mark.slow
@pytest.mark.parametrize(
    "use",
    [
        "{{ [page.title] | map('upper') | join }}",
        "{{ site.feeds | map(attribute='url') | join }}",
        "{{ site.feeds | rejectattr('url', 'equalto', page.url) | list | length }}",
        "{{ [1, none] | select | list }}",
        "{{ page.title is defined }}",
    ],
)
def test_what_names_no_filter_depends_on_none(use: str, tmp_path: Path) -> None:
    text = EVERYTHING + "plugin = Plugin('x', filters={'loud': loud})\n"
    root = with_plugin(tmp_path, text)
    write_site(root, {"templates/404.html": f"<p>{use}\n"})
    work(root)
    (root / "plugins.py").write_text(text.replace("VERSION = 1", "VERSION = 2"), "utf-8")
    assert work(root) == (0, set())


@pytest.mark.slow
def test_a_filter_that_sees_the_environment_may_fill_any_template(tmp_path: Path) -> None:
    text = HEAD + (
        "from jinja2 import pass_environment\n"
        "@pass_environment\ndef filled(environment, name):\n    return environment.get_template(name).render()\n"
        "plugin = Plugin('x', filters={'filled': filled})\n"
    )
    root = with_plugin(tmp_path, text)
    use = "<p>{{ 'partials/own.html' | filled }}\n"
    write_site(root, {"templates/404.html": use, "templates/partials/own.html": "1"})
    work(root)
    write_site(root, {"templates/partials/own.html": "2"})
    assert work(root) == (0, {"404.html"})


@pytest.mark.slow
def test_a_filter_that_sees_the_context_makes_everything_count(tmp_path: Path) -> None:
    text = HEAD + (
        "from jinja2 import pass_context\n"
        "@pass_context\ndef about(context, text):\n    return len(context['recent'])\n"
        "plugin = Plugin('x', filters={'about': about})\n"
    )
    root = with_plugin(tmp_path, text)
    write_site(root, {"templates/404.html": "<p>{{ page.title | about }}\n"})
    work(root)
    (root / POST.replace("-a", "-b")).write_text(SITE[POST], "utf-8")
    (root / "content/storage/2026-05-05-b.md").write_text(SITE[POST].replace("at last", "again"), "utf-8")
    build_site(root)
    assert (root / "public" / "404.html").read_text("utf-8") == "<p>2"


@pytest.mark.slow
def test_workers_run_what_was_read(tmp_path: Path) -> None:
    text = EVERYTHING + "plugin = Plugin('x', plans=(years,), recipes={'years': write}, filters={'loud': loud})\n"
    root = with_plugin(tmp_path, text)
    many = {f"content/storage/2026-04-{day:02}-{n}.md": SITE[POST] for day in range(1, 29) for n in range(4)}
    write_site(root, {**many, "templates/404.html": "<p>{{ page.title | loud }}\n"})
    report = build_site(root, jobs=2)
    assert not report.failed
    assert (root / "public" / "x.txt").read_text("utf-8") == "1 {'posts': 113}"
    assert (root / "public" / "404.html").read_text("utf-8") == "<p>Not found1"


def test_a_plugin_in_a_file_needs_no_file_where_it_runs() -> None:
    text = HEAD + "plugin = Plugin('elsewhere')\n"
    assert load([PluginRef("plugins.py", "/nowhere/plugins.py", "plugin", "1", text)])[0].name == "elsewhere"


def test_the_versions_of_a_plugin_do_not_pile_up() -> None:
    """A preview loads another one after each save."""

    def versions() -> int:
        return len([name for name in sys.modules if name.startswith("devlog_plugin_")])

    def ref(version: str, checks: str = "()") -> PluginRef:
        text = f"{HEAD}plugin = Plugin('saved', checks={checks})  # {version}\n"
        return PluginRef("plugins.py", "/nowhere/plugins.py", "plugin", version, text)

    for number in range(200):
        load([ref("other"), ref(f"saved{number}")])
        with pytest.raises(PluginError):
            load([ref("other"), ref(f"wrong{number}", "1 / 0")])
    assert {"devlog_plugin_saved199", "devlog_plugin_other"} <= sys.modules.keys()
    assert versions() < 100


# -- installed packages


def installed(folder: Path, code: str, entry: str, version: str = "1.0") -> Path:
    """A folder with an installed package that offers a plugin."""
    points = f"[console_scripts]\nx = y:z\n\n[devlog.plugins]\n{entry}\n"
    return write_site(
        folder,
        {
            f"lumen_devlog-{version}.dist-info/METADATA": f"Name: lumen-devlog\nVersion: {version}\n",
            f"lumen_devlog-{version}.dist-info/entry_points.txt": points,
            "lumen_devlog/__init__.py": code,
        },
    )


def in_a_process(folder: Path, root: Path) -> subprocess.CompletedProcess[str]:
    """Build a site with packages of another folder. What it says of its progress, as one of ten seconds does, is left
    out.
    """
    done = subprocess.run(
        [sys.executable, "-m", "devlog", "build", "--root", str(root), "--jobs", "1"],
        # Python takes compiled code for current that was written in the same second.
        env={"PYTHONPATH": f"{ROOT}:{folder}", "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    done.stderr = re.sub(r"^[A-Z][a-z ]+ [\d,]+(?:/[\d,]+)?\n", "", done.stderr, flags=re.MULTILINE)
    return done


@pytest.mark.slow
def test_a_place_for_packages_that_cannot_be_looked_at(tmp_path: Path) -> None:
    """As one in a folder of another user's, or on a share that is gone: Python itself minds neither."""
    root = write_site(tmp_path / "site", {**SITE, "devlog.toml": ""})
    done = in_a_process(tmp_path / ("x" * 300), root)  # longer than a name may be
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_plugin_of_an_installed_package(tmp_path: Path) -> None:
    code = EVERYTHING + "own = Plugin('lumen', plans=(years,), recipes={'years': write})\n"
    packages = installed(tmp_path / "packages", code, "lumen = lumen_devlog:own")
    root = write_site(tmp_path / "site", {**SITE, "devlog.toml": ""})
    done = in_a_process(packages, root)
    assert (done.returncode, done.stderr) == (0, "")
    assert (root / "public" / "x.txt").read_text("utf-8").startswith("1 ")
    (packages / "lumen_devlog" / "__init__.py").write_text(code.replace("VERSION = 1", "VERSION = 2"), "utf-8")
    done = in_a_process(packages, root)
    assert (root / "public" / "x.txt").read_text("utf-8").startswith("2 ")
    assert "1 written" in done.stdout


def test_all_folders_of_a_namespace_package_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = write_site(tmp_path / "packages", {"mycorp/base.py": "A = 1\n"})
    checkout = write_site(tmp_path / "checkout", {"mycorp/tools.py": "WORD = 'one'\n"})
    root = write_site(tmp_path / "site", {"p.py": "from mycorp.tools import WORD\n"})
    for folder in (checkout, wheel):
        monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr("devlog.packages.install_folders", lambda: frozenset({str(wheel)}))
    before = finding.local(root, "p.py")
    write_site(checkout, {"mycorp/tools.py": "WORD = 'two'\n"})
    assert finding.local(root, "p.py") == before, "a process that may have loaded it goes on with that code"
    finding._code.cache_clear()  # as another process
    assert finding.local(root, "p.py") != before


@pytest.mark.parametrize(
    "code",
    [
        "VALUE = importlib.import_module('rowing_times').VALUE",
        "def late():\n    return import_module(name='rowing_times.of_lanes')",
        "importlib.import_module('.of_lanes', 'rowing_times')",
        "importlib.import_module('.of_lanes', package='rowing_times')",
        "VALUE = __import__('rowing_times', globals(), locals(), ['VALUE'], 0)",
        "from importlib import import_module as im\nVALUE = im('rowing_times').VALUE",
        "load = __import__\nVALUE = load('rowing_times').VALUE",
        "def late(load=import_module):\n    return load('rowing_times')",
        "VALUES = [import_module(name).VALUE for name in ('json', 'rowing_times')]",
        "VALUE = getattr(importlib, 'import_module')('rowing_times').VALUE",
        "import pkgutil\nVALUE = pkgutil.resolve_name('rowing_times:VALUE')",
    ],
)
def test_modules_that_are_imported_by_calls_count(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(write_site(tmp_path / "checkout", {"rowing_times.py": "VALUE = 1\n"})))
    root = write_site(tmp_path / "site", {"p.py": f"import importlib\nfrom importlib import import_module\n{code}\n"})
    finding._code.cache_clear()
    before = finding.local(root, "p.py")
    write_site(tmp_path / "checkout", {"rowing_times.py": "VALUE = 2\n"})
    finding._code.cache_clear()  # as another process
    assert finding.local(root, "p.py") != before
    assert "rowing_times" not in sys.modules, "finding a plugin runs nothing"


def test_a_module_that_shadows_a_standard_one_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But those of Python itself do not: its version does."""
    root = write_site(tmp_path / "site", {"p.py": "import json, sched, xml, zlib\n", "q.py": "import nowhere\n"})
    finding._code.cache_clear()
    plain, nothing = finding.local(root, "p.py"), finding.local(root, "q.py")
    assert isinstance(plain, PluginRef)
    assert isinstance(nothing, PluginRef)
    assert plain.around == nothing.around
    monkeypatch.syspath_prepend(str(write_site(tmp_path / "checkout", {"sched.py": "WORD = 1\n"})))
    finding._code.cache_clear()  # as another process
    before = finding.local(root, "p.py")
    assert before != plain
    write_site(tmp_path / "checkout", {"sched.py": "WORD = 2\n"})
    finding._code.cache_clear()
    assert finding.local(root, "p.py") != before


def test_a_package_below_a_link_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if links lead back to where they are."""
    checkout = write_site(tmp_path / "checkout", {"regatta/__init__.py": ""})
    write_site(tmp_path / "elsewhere", {"__init__.py": "WORD = 1\n"})
    (checkout / "regatta/lanes").symlink_to(tmp_path / "elsewhere")
    (checkout / "regatta/again").symlink_to(checkout)
    monkeypatch.syspath_prepend(str(checkout))
    root = write_site(tmp_path / "site", {"p.py": "from regatta.lanes import WORD\n"})
    finding._code.cache_clear()
    before = finding.local(root, "p.py")
    write_site(tmp_path / "elsewhere", {"__init__.py": "WORD = 2\n"})
    finding._code.cache_clear()  # as another process
    assert finding.local(root, "p.py") != before


@pytest.mark.slow
def test_workers_run_no_later_code_than_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They start later, and import by themselves, but their results are stored under the key of the code known here."""
    write_site(tmp_path / "checkout", {"rowing_stroke.py": "WORD = 'first'\n"})
    monkeypatch.syspath_prepend(str(tmp_path / "checkout"))
    code = f"{HEAD}from rowing_stroke import WORD\n"
    code += "def shown(self, tokens, index, options, env):\n    return env['writer'].trusted(WORD, block=False)\n"
    code += "def add(parser):\n    parser.add_render_rule('em_open', shown)\n"
    code += "plugin = Plugin('rowing', markdown=add, filters={'word': lambda text: WORD})\n"
    many = {f"content/storage/2026-04-{day:02}-{n}.md": "A *boat*\n" for day in range(1, 29) for n in range(4)}
    root = write_site(with_plugin(tmp_path / "site", code), {**many, "templates/404.html": "{{ page.title | word }}"})
    load(plugins_of(root))
    write_site(tmp_path / "checkout", {"rowing_stroke.py": "WORD = 'second'\n"})
    assert not build_site(root, jobs=2).failed
    pages = [page.read_text("utf-8") for page in (root / "public" / "storage").glob("2026-04-*/index.html")]
    assert len([page for page in pages if "A firstboat" in page]) == len(many)
    assert (root / "public" / "404.html").read_text("utf-8") == "first"


def test_modules_run_as_they_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever bytecode there is, and however late they are imported: they count by the code that was read."""
    write_site(tmp_path, {"rowing_race/__init__.py": "WORD = 'old'\n", "rowing_race/late.py": "WORD = 'read'\n"})
    monkeypatch.syspath_prepend(str(tmp_path))
    module = tmp_path / "rowing_race/__init__.py"
    time = module.stat().st_mtime_ns
    py_compile.compile(str(module), invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)
    module.write_text("WORD = 'new'\n", "utf-8")
    os.utime(module, ns=(time, time))
    code = f"{HEAD}import rowing_race\nWORD = rowing_race.WORD\n"
    code += "def late():\n    from rowing_race.late import WORD\n    return WORD\nplugin = Plugin('rowing')\n"
    write_site(tmp_path, {"p.py": code})
    finding._code.cache_clear()
    ref = finding.local(tmp_path, "p.py")
    assert isinstance(ref, PluginRef)
    write_site(tmp_path, {"rowing_race/late.py": "WORD = 'edited'\n"})
    load([ref])
    loaded = sys.modules[ref.module_name]
    assert (loaded.WORD, loaded.late()) == ("new", "read")


def _importing(code: str) -> str:
    return f"import sys\n{HEAD}{code}\nplugin = Plugin('rowing')\n"


@pytest.mark.parametrize(
    ("module", "code", "line"),
    [
        ("rowing_oars", "sys.path.insert(0, TOOLS)\nfrom rowing_oars import WORD", 4),
        ("rowing_boats", "sys.path.insert(0, TOOLS)\ndef late():\n    import rowing_boats", 5),
        ("rowing_crews", "sys.path.insert(0, TOOLS)\nimport rowing_crews\nsys.path.remove(TOOLS)", 4),
        ("sched", "sys.path.insert(0, TOOLS)\ndef late():\n    import sched", 5),
    ],
)
def test_modules_that_a_plugin_finds_by_itself_are_refused(
    module: str, code: str, line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only running the plugin can tell where they are, so that an edit of them would go unnoticed."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    code = _importing(code.replace("TOOLS", repr(str(tmp_path / "tools"))))
    write_site(tmp_path, {f"tools/{module}.py": "WORD = 1\n"})
    problem = broken(with_plugin(tmp_path, code))
    assert (problem.code, problem.span.path, problem.span.line) == ("bad-plugin", "plugins.py", line)
    assert f"it imports “{module}” from “tools/{module}.py”" in problem.message
    assert broken(tmp_path) == problem, "however often it is asked"


def test_modules_that_devlog_finds_are_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those on the path of Python, in what was found there, and those that are nowhere."""
    inner = "import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).parent / 'inside'))\n"
    write_site(tmp_path / "checkout", {"rowing_lanes.py": "", "rowing_club/__init__.py": inner})
    write_site(tmp_path / "checkout", {"rowing_club/inside/rowing_members.py": ""})
    monkeypatch.syspath_prepend(str(tmp_path / "checkout"))
    late = "try:\n    import rowing_nowhere\nexcept ImportError:\n    pass"
    code = f"import json, sched, msgspec, pytest, rowing_lanes, rowing_club, rowing_members\n{late}"
    assert not build_site(with_plugin(tmp_path / "site", _importing(code))).failed


def test_a_module_may_come_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a preview runs, say: the next process looks for it where it is now."""
    (tmp_path / "checkout").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "checkout"))
    root = with_plugin(tmp_path / "site", _importing("import rowing_regatta"))
    assert "No module named" in broken(root).message
    write_site(tmp_path / "checkout", {"rowing_regatta.py": ""})
    importlib.invalidate_caches()
    assert not build_site(root).failed


def test_calls_with_names_that_no_module_can_have(tmp_path: Path) -> None:
    calls = [f"import_module({name})" for name in ("''", "'.'", "'a b'", r"'a\0b'", "'../x'", r"'\ud800'", "b'x'", "1")]
    root = write_site(tmp_path, {"p.py": "".join(f"def f{n}(): {call}\n" for n, call in enumerate(calls))})
    assert not isinstance(finding.local(root, "p.py"), Diagnostic)


def test_finding_plugins_issues_no_warnings(tmp_path: Path) -> None:
    """Those of the compiler, which depend on the version of Python, come when the code is imported, with its file."""
    root = write_site(tmp_path, {"p.py": r"PATTERN = '\d'" + "\n"})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        finding.local(root, "p.py")
    assert found == []


def _look_again() -> None:
    """Let this process find the installed packages anew."""
    for cached in (_path, _packages, _versions):
        cached.cache_clear()


def test_what_is_beside_an_installed_package_has_no_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(
        tmp_path,
        {
            "one-1.0.dist-info/RECORD": "one/__init__.py,,\none_single.py,,\n../bin/one,,\n",
            "two-1.0.dist-info/top_level.txt": "second\n",  # as some systems install packages
            "three-1.0.dist-info/METADATA": "",
        },
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    _look_again()
    try:
        of_packages = ("one", "one_single.py", "second", "second.py", "second.abi3.so", "three.py")
        assert all(is_installed(tmp_path / name) for name in of_packages)
        assert record(tmp_path / "one_single.py") == b"one/__init__.py,,\none_single.py,,\n../bin/one,,\n"
        assert record(tmp_path / "second") == record(tmp_path / "helper.py") == b""
        others = ("o", "one.py", "single.py", "two.py", "helper.py", "__init__.py")
        assert not any(is_installed(tmp_path / name) for name in others)
        assert not is_installed(tmp_path / "one" / "one_single.py")
    finally:
        monkeypatch.undo()
        _look_again()


def _install(folder: Path, old: str, new: str) -> None:
    """Replace a version of a package by another one, later than before for any clock."""
    time = folder.stat().st_mtime_ns
    (folder / f"{old}.dist-info").rename(folder / f"{new}.dist-info")
    os.utime(folder, ns=(time, time + 1_000_000_000))


def test_packages_that_change_while_devlog_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(tmp_path, {"one-1.0.dist-info/METADATA": "", "two-1.0.dist-info/METADATA": ""})
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(packages, "_counting", set())
    _look_again()
    try:
        packages.version("one")
        _install(tmp_path, "two-1.0", "two-2.0")
        assert packages.changed() == set(), "nobody has asked for its version"
        _install(tmp_path, "one-1.0", "one-1.1")
        assert packages.changed() == {"one"}
        packages.versions()
        assert packages.changed() == {"one", "two"}
        _install(tmp_path, "one-1.1", "one-1.0")
        assert packages.changed() == {"two"}
        monkeypatch.syspath_prepend(str(write_site(tmp_path / "late", {"four-1.0.dist-info/METADATA": ""})))
        assert "four" not in packages.changed(), "a plugin has added that folder"
    finally:
        monkeypatch.undo()
        _look_again()


def _ref(root: Path, code: str) -> PluginRef:
    ref = finding.local(write_site(root, {"p.py": code}), "p.py")
    assert isinstance(ref, PluginRef)
    return ref


def _installed_cox(digest: str) -> dict[str, str]:
    return {"rowing_cox.py": "", "rowing_cox-1.0.dist-info/RECORD": f"rowing_cox.py,sha256={digest},\n"}


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("import rowing_cox", {}, {"rowing_cox.py": ""}),
        ("import rowing_cox", {"rowing_cox.py": ""}, {"rowing_cox.py": "WORD = 1\n"}),
        ("import rowing_cox", {"rowing_cox/__init__.py": ""}, {"rowing_cox/late.py": ""}),
        ("import rowing_cox", {"rowing_cox.py": "import rowing_bow\n"}, {"rowing_bow.py": ""}),
        ("import sched", {}, {"sched.py": ""}),
        ("import rowing_cox", _installed_cox("one"), _installed_cox("two")),
    ],
)
def test_modules_that_change_while_devlog_runs(
    code: str, before: dict[str, str], after: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write_site(tmp_path / "place", {"other.py": "", **before})
    monkeypatch.syspath_prepend(str(place))
    finding._code.cache_clear()
    _look_again()
    try:
        ref = _ref(tmp_path / "site", code)
        assert finding.changed([ref]) == set()
        write_site(place, after)
        importlib.invalidate_caches()
        (name,) = finding.changed([ref])
        assert f"{name}" in {Path(file).parts[0].removesuffix(".py") for file in after}
        finding._code.cache_clear()  # as another process
        assert finding.changed([_ref(tmp_path / "site", code)]) == set()
    finally:
        monkeypatch.undo()
        _look_again()
        finding._code.cache_clear()


@pytest.mark.slow
def test_an_installed_plugin_that_cannot_be_used(tmp_path: Path) -> None:
    packages = installed(tmp_path / "packages", "import nowhere\n", "lumen = lumen_devlog:own")
    root = write_site(tmp_path / "site", {**SITE, "devlog.toml": ""})
    done = in_a_process(packages, root)
    assert done.returncode == 1
    assert "the plugin “lumen”: error[bad-plugin]: " in done.stderr
    assert "No module named 'nowhere'" in done.stderr
    assert "Traceback" not in done.stderr


def test_entry_points_are_read_as_packagers_write_them(tmp_path: Path) -> None:
    text = (
        "[other]\na = b:c\n\n[devlog.plugins]\n# mine\none = pack.age\ntwo=pack:attr.inner [extra]\n\n[more]\nx = y\n"
    )
    write_site(tmp_path, {"entry_points.txt": text})
    found = _entry_points(Package("pack", "1", str(tmp_path)), finding.GROUP)
    assert [(point.name, point.module, point.attribute) for point in found] == [
        ("one", "pack.age", "plugin"),
        ("two", "pack", "attr.inner"),
    ]


def test_a_worker_with_another_package_says_so() -> None:
    ref = PluginRef("lumen", "package_that_is_not_here", "plugin", "1.0")
    target = render.Target("x.txt", "years", "", {})
    theme = render.Theme("default", (), plugins=(ref,))
    (problem,) = render.render(target, render.Resources(theme, {}, {})).diagnostics
    assert problem.code == "bad-plugin"
    assert "package_that_is_not_here" in problem.message


def test_plugins_are_values() -> None:
    with pytest.raises(AttributeError):
        Plugin("x").name = "y"  # type: ignore[misc]
