"""The default theme keeps its promises: it says what it needs, runs no inline code, asks nobody else for anything."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
import jinja2.meta
import pytest

from devlog.assemble.site_context import DRAWING, FEED_STYLE
from devlog.disk.theme import load_theme
from devlog.model.theme import Template, Theme
from devlog.render import templates
from devlog.render.templates import OPTIONAL, REQUIRED, compiled, environment, load, template_use, theme_use

REPOSITORY = Path(__file__).parents[2]
THEME = REPOSITORY / "themes" / "default"
STYLES = [*sorted(REPOSITORY.glob("themes/*/static/*.css")), *sorted(REPOSITORY.glob("devlog/serve/client/*.js"))]
NAMES = sorted(path.relative_to(THEME / "templates").as_posix() for path in (THEME / "templates").rglob("*.html"))
STATIC = sorted(
    path.relative_to(THEME / "static").as_posix() for path in (THEME / "static").rglob("*") if path.is_file()
)
TEXTS = [*(f"templates/{name}" for name in NAMES), *(f"static/{name}" for name in STATIC if not name.endswith(".png"))]

# Names of formats, which nobody fetches.
_IDENTIFIERS = ("http://www.w3.org/2000/svg",)


def _text(name: str) -> str:
    return (THEME / name).read_text(encoding="utf-8")


TEMPLATES = tuple(Template(name, name, _text(f"templates/{name}")) for name in NAMES)
CATALOG = load_theme(Path(), "default").theme.catalog


@pytest.fixture(scope="module")
def env() -> jinja2.Environment:
    return environment(Theme("default", TEMPLATES, catalog=CATALOG))


def _closure(env: jinja2.Environment, name: str) -> set[str]:
    """The names that a template and all that it refers to take from the context."""
    found: set[str] = set()
    pending, seen = [name], set[str]()
    while pending:
        current = pending.pop()
        if current not in seen:
            seen.add(current)
            tree = env.parse(_text(f"templates/{current}"))
            found |= jinja2.meta.find_undeclared_variables(tree)
            referred = list(jinja2.meta.find_referenced_templates(tree))
            assert None not in referred, f"{current} computes the name of a template"
            pending += [other for other in referred if other]
    return found


@pytest.mark.slow
def test_what_one_process_has_compiled_another_does_not(env: jinja2.Environment) -> None:
    theme = Theme("default", TEMPLATES, catalog=CATALOG)
    assert theme_use(theme).diagnostics == ()
    codes = compiled(theme)
    for remembered in (
        templates._environment,
        templates._translation,
        templates._bytecode,
    ):  # as in a process that has just begun
        remembered.cache_clear()
    load(theme, codes)
    again = environment(theme)
    assert again is not env
    assert [again.get_template(name).name for name in NAMES] == NAMES
    assert templates._translation.cache_info().misses == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_first_comment_names_the_context(env: jinja2.Environment, name: str) -> None:
    comment = re.match(r"\{# context:([^#]*)#\}", _text(f"templates/{name}"))
    assert comment, "no comment at the beginning"
    named = [part.strip() for part in comment[1].split(",") if part.strip()]
    assert len(named) == len(set(named))
    assert set(named) == _closure(env, name)


@pytest.mark.slow
def test_the_engine_finds_the_same_names(env: jinja2.Environment) -> None:
    for name in NAMES:
        # A value of a plugin's page may have the name of a function, so these are names too, which Jinja leaves out.
        found = template_use(TEMPLATES, name, catalog=CATALOG).names - env.globals.keys()
        assert found == frozenset(_closure(env, name))


@pytest.mark.parametrize("name", NAMES)
def test_templates_run_no_inline_code(name: str) -> None:
    text = _text(f"templates/{name}")
    for tag in re.findall(r"<script\b[^>]*>", text):
        assert "src=" in tag or 'type="application/ld+json"' in tag
    assert not re.search(r"<style\b|\sstyle\s*=|\son[a-z]+\s*=|javascript:", text, re.IGNORECASE)


@pytest.mark.parametrize("name", NAMES)
def test_templates_switch_no_escaping_off(name: str) -> None:
    text = _text(f"templates/{name}")
    assert not re.search(r"\|\s*(?:safe|forceescape|xmlattr)\b|autoescape|Markup", text)
    for value in re.findall(r'application/ld\+json">(.*?)</script>', text):
        assert re.fullmatch(r"\{\{ [\w.]+ \| tojson \}\}", value)


@pytest.mark.parametrize("name", NAMES)
def test_attributes_are_quoted(name: str) -> None:
    without = re.sub(r'\{#.*?#\}|"[^"]*"', "", _text(f"templates/{name}"), flags=re.DOTALL)
    assert not re.search(r"<[a-z][^>{]*\s[\w-]+=\{\{", without)


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_comes_from_a_third_party(name: str) -> None:
    text = re.sub(r"/\*.*?\*/|\{#.*?#\}", "", _text(name), flags=re.DOTALL)
    for identifier in _IDENTIFIERS:
        text = text.replace(identifier, "")
    text = re.sub(r'replace\("https?://", ""\)', "", text)
    assert not re.search(r"https?:|[\"'(=]\s*//|@import|//\w+\.\w", text)


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_lines_of_text_are_drawn_by_all_browsers(path: Path) -> None:
    """In WebKit, ``text-decoration`` is the line alone. With a variable besides, there is no line at all."""
    declared = re.findall(r"text-decoration:\s*([^;}]*)", path.read_text(encoding="utf-8"))
    assert {word for value in declared for word in value.split()} <= {"none", "underline", "line-through"}


def test_every_static_file_is_used() -> None:
    templates = "".join(_text(f"templates/{name}") for name in NAMES)
    styles = "".join(_text(f"static/{name}") for name in STATIC if name.endswith(".css"))
    for name in STATIC:
        is_named = f'assets["{name}"]' in templates or f"url({name})" in styles.replace('"', "")
        assert is_named or name in (DRAWING, FEED_STYLE), name  # a page needs that script, and feeds name that style


def test_every_asset_that_templates_name_exists() -> None:
    for name in NAMES:
        for asset in re.findall(r'assets\["([^"]+)"\]', _text(f"templates/{name}")):
            assert asset in STATIC


@pytest.mark.slow
def test_every_template_is_used(env: jinja2.Environment) -> None:
    used: set[str] = set(REQUIRED | OPTIONAL)
    pending = list(used)
    while pending:
        for other in jinja2.meta.find_referenced_templates(env.parse(_text(f"templates/{pending.pop()}"))):
            if other and other not in used:
                used.add(other)
                pending.append(other)
    assert used == set(NAMES)


def test_scripts_write_text_only() -> None:
    for name in STATIC:
        if name.endswith(".js"):
            assert not re.search(
                r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", _text(f"static/{name}")
            )
