"""All words of the themes that come with devlog stand in their catalogs: none in a template, none in a script."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import jinja2
import pytest
from catalogs import ENGLISH
from jinja2 import nodes
from selection import FEATURES

import devlog
from devlog.built_in import built_in_themes
from devlog.disk.theme import load_theme
from devlog.model.catalog import COUNT, THOUSANDS
from devlog.model.date_form import MONTHS
from devlog.model.scripts import with_messages
from devlog.model.toml import load_toml
from devlog.parse.words import ALERTS, KEYS
from devlog.render.messages import NAME
from devlog.render.templates import theme_use

THEMES = ("default", "paper")
TEMPLATES = [path for theme in THEMES for path in sorted((built_in_themes() / theme / "templates").rglob("*.html"))]
SCRIPTS = [path for theme in THEMES for path in sorted((built_in_themes() / theme / "static").rglob("*.js"))]
STYLES = [path for theme in THEMES for path in sorted((built_in_themes() / theme / "static").rglob("*.css"))]
SOURCES = sorted(Path(devlog.__file__).parent.rglob("*.py"))
LETTERS = re.compile(r"[^\W\d_]")


def name_of(path: Path) -> str:
    return path.relative_to(built_in_themes()).as_posix()


# -- templates

TECHNICAL = {"map", "max", "reject", "rejectattr", "replace", "round", "selectattr"}
"""Filters whose arguments are names of fields and of methods."""

NO_WORDS = {
    "partials/head.html": {"light dark", "#fafcfa"},  # the values of elements that describe the page to browsers
    "partials/language.html": {'lang="\0" dir="\0"', "ltr"},  # attributes
    "partials/marks.html": {"dt-published", 'lang="\0" dir="\0"', "ltr"},  # a class, attributes
    "partials/parts.html": {'lang="\0" dir="\0"', "ltr"},  # attributes
    "partials/search.html": {"topic", "author", "tag", "year"},  # names of fields in a form
}
"""Strings of templates that no reader sees, by the template, beside what `constants` passes over anyway."""

ATTRIBUTES = re.compile(r'\s(?:alt|aria-label|aria-description|aria-valuetext|label|placeholder|title|value)="([^"]*)"')
"""Those of which readers learn what they say."""


def parsed(text: str) -> nodes.Template:
    return jinja2.Environment(trim_blocks=True, lstrip_blocks=True).parse(text)


def written(text: str) -> str:
    """What a template writes of itself, with a zero in the place of each value."""
    parts = []
    for output in parsed(text).find_all(nodes.Output):
        parts += [part.data if isinstance(part, nodes.TemplateData) else "\0" for part in output.nodes]
    return "".join(parts)


def constants(node: nodes.Node) -> Iterator[str]:
    """The strings of expressions that may be written: none that is compared, names something, or is a message's key."""
    match node:
        case nodes.Const():
            yield from [node.value] if isinstance(node.value, str) and LETTERS.search(node.value) else []
        case (
            nodes.Extends() | nodes.Include() | nodes.Import() | nodes.FromImport() | nodes.Compare() | nodes.Getitem()
        ):
            return
        case nodes.Call(node=nodes.Name(name=name)) if name == NAME:
            for keyword in node.kwargs:
                yield from constants(keyword.value)
        case nodes.Filter(name=name) if name in TECHNICAL and node.node:
            yield from constants(node.node)
        case _:
            for child in node.iter_child_nodes():
                yield from constants(child)


def words_of_template(text: str) -> set[str]:
    """The words that stand in a template."""
    html = written(text)
    seen = {attribute for attribute in ATTRIBUTES.findall(html) if LETTERS.search(attribute)}
    between = re.sub(r"<[^<>]*>", "<>", re.sub(r"<!doctype html>", "", html))
    return seen | {text.strip() for text in between.split("<>") if LETTERS.search(text)} | {*constants(parsed(text))}


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_templates_have_no_words(path: Path) -> None:
    known = next((words for name, words in NO_WORDS.items() if name_of(path).endswith(name)), set[str]())
    assert words_of_template(path.read_text("utf-8")) - known == set()


@pytest.mark.parametrize(
    "text",
    [
        "<p>Page not found</p>",
        "<p>{{ name }}, the author</p>",
        '<nav aria-label="Tags">',
        '<input placeholder="{% if a %}Search{% endif %}">',
        '{{ "Yes" if a else "" }}',
        '{{ 3 | plural("log", "logs") }}',
        '{{ nav_link("Home", url) }}',
        '{% for title, url in [("Home", a)] %}{{ title }}{% endfor %}',
        '{% macro pager(before="Newer") %}{% endmacro %}',
        '{{ t("part_of", number="One") }}',
    ],
)
def test_words_in_a_template_are_found(text: str) -> None:
    assert words_of_template(text)


# -- scripts

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"""
    r"""|(?P<regex>(?<=[(,=:\[!&|?{};\n])[ \t]*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)""",
    re.DOTALL,
)
SHOWN = re.compile(
    r"(?:textContent|innerText|title|alt|placeholder|ariaLabel)\s*=\s*$|append\($|setAttribute\(\"aria-label\",\s*$"
)
"""What stands before a string that readers see, however it looks."""

PROSE = re.compile(r"[^\W\d_]{2,}[,.:;]?\s+[^\W\d_]{2,}|^[A-Z][a-z]{2,}")
"""Two words side by side, or one that begins with a capital: what else a string may be for a script has neither."""

NO_PROSE = {
    "use strict",
    "(prefers-color-scheme: dark)",
    "(prefers-color-scheme: ",
    "(prefers-reduced-motion: reduce)",
    "not all",  # a media query
    "a, [tabindex]",  # a selector
    "a, button, summary",  # a selector
    "pre code",  # a selector
    "ArrowDown",  # the names of keys
    "ArrowUp",
    "Enter",
    "Escape",
}  # fmt: skip
"""Strings that look like words, and that no reader sees."""


def words_of_script(text: str) -> set[str]:
    """The strings of a script that may be words for readers."""
    found = set()
    for token in TOKEN.finditer(text):
        if not token["string"]:
            continue
        string = re.sub(r"\$\{[^}]*\}", "\0", token["string"][1:-1])
        before = text[max(0, token.start() - 40) : token.start()]
        if before.endswith("__t("):
            continue
        is_shown = SHOWN.search(before) and LETTERS.search(string)
        if is_shown or (PROSE.search(string) and string not in NO_PROSE and not is_selector(string)):
            found.add(string)
    return found


def is_selector(string: str) -> bool:
    """Whether a string with spaces selects elements: it has a class, an attribute or a child."""
    return bool(re.search(r"(?:^|[\s,>\w])[.#\[][a-z]|:scope|, \[| > ", string)) and not re.search(r"[A-Z]", string)


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_scripts_have_no_words(path: Path) -> None:
    assert words_of_script(path.read_text("utf-8")) == set()


@pytest.mark.parametrize(
    "text",
    [
        'say("Copied");',
        "button('wrap-lines', 'Wrap')",
        "label(`Enlarge: ${image.alt}`)",
        'status.textContent = "done";',
        'made.setAttribute("aria-label", "fifteen")',
        'var a = /"/; b("No results");',
        'text = count + " posts found";',
        'row.append("without", name)',
    ],
)
def test_words_in_a_script_are_found(text: str) -> None:
    assert words_of_script(text)


# -- keys


def keys_of_templates(theme: str) -> set[str]:
    calls = [
        call
        for path in TEMPLATES
        if name_of(path).startswith(theme)
        for call in parsed(path.read_text("utf-8")).find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name == NAME
    ]
    return {call.args[0].value for call in calls if isinstance(call.args[0], nodes.Const)}


def keys_of_sources(sources: Iterable[Path] = SOURCES) -> dict[str, set[str]]:
    """The keys that Python code asks for, each with the values that it gives; of one that is chosen, all choices."""
    found: dict[str, set[str]] = {}
    for path in sources:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and node.args):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name.lstrip("_") == NAME:
                for part in ast.walk(node.args[0]):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        found.setdefault(part.value, set()).update(word.arg or "" for word in node.keywords)
    return found


def chosen() -> set[str]:
    """Keys of messages that Python code has in tables."""
    from devlog.features.episodes.assemble.episodes import _NAMES
    from devlog.features.markdown_versions.parse.html_to_markdown import _PLAYED
    from devlog.features.source_references.assemble.index import _KINDS

    months = {*MONTHS, *(f"{month}_short" for month in MONTHS)}
    titles = {title for _, title in _KINDS.values()}
    return months | titles | {*_NAMES.values(), *ALERTS.values(), *_PLAYED.values(), THOUSANDS}


@pytest.mark.slow
def test_every_key_of_python_code_is_there() -> None:
    for key, given in keys_of_sources().items():
        assert key in ENGLISH.messages, key
        assert ENGLISH.messages[key].placeholders <= given, key
        assert not ENGLISH.messages[key].is_plural or COUNT in given, key


@pytest.mark.slow
def test_parsing_has_every_key_that_it_asks_for() -> None:
    """It is given a part of the catalog, and a key outside of that would be shown as it is."""
    parsing = [path for path in SOURCES if "parse" in path.relative_to(Path(devlog.__file__).parent).parts]
    asked = keys_of_sources(parsing).keys()
    assert {"task_done", "cell_output"} <= asked <= set(KEYS)
    assert {*ALERTS.values(), *KEYS} <= ENGLISH.messages.keys()


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_scripts_give_the_values_that_messages_have(path: Path) -> None:
    text = path.read_text("utf-8")
    for key, values in re.findall(r'__t\("(\w+)"(?:, \{((?:[^{}]|\{[^{}]*\})*)\})?\)', text):
        message = ENGLISH.messages[key]
        assert set(re.findall(r"(?:^|,)\s*(\w+)", values)) == message.placeholders | (
            {COUNT} if message.is_plural else set()
        )
    assert len(re.findall(r"__t\(", text)) == len(re.findall(r'__t\("\w+"', text))


@pytest.mark.feature(*FEATURES)
def test_every_key_in_a_table_is_there() -> None:
    assert ENGLISH.messages.keys() >= chosen()


@pytest.mark.slow
@pytest.mark.feature(*FEATURES)
@pytest.mark.parametrize("theme", THEMES)
def test_every_message_is_used(theme: str) -> None:
    """Those of the default theme stand in for what another theme does not say itself."""
    own = load_toml((built_in_themes() / theme / "i18n" / "en.toml").read_text("utf-8")).keys()
    used = set().union(*map(keys_of_templates, THEMES if theme == "default" else (theme,)))
    if theme == "default":
        used |= chosen() | keys_of_sources().keys()
        used |= set().union(*(with_messages(path.read_text("utf-8"), ENGLISH)[1] for path in (*SCRIPTS, *STYLES)))
    assert own - used == set()


@pytest.mark.parametrize("theme", THEMES)
def test_every_message_that_a_theme_asks_for_is_there(theme: str) -> None:
    loaded = load_theme(Path(), theme)
    assert (loaded.diagnostics, theme_use(loaded.theme).diagnostics) == ((), ())


def test_no_theme_says_again_what_the_default_theme_says() -> None:
    catalogs = [load_toml((built_in_themes() / theme / "i18n/en.toml").read_text("utf-8")) for theme in THEMES]
    assert catalogs[0].keys() & catalogs[1].keys() == set()
