"""A changed plugin makes anew what depends on it, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from plugin_sites import EVERYTHING, HEAD, POST, SITE, in_a_process, installed, with_plugin, work
from sites import build_site, read_tree, write_site

from devlog.model.theme import PluginRef
from devlog.plugins.loading import PluginError, load


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
