"""The documents say what is so: set-up lines, commands, configuration keys, examples, views, names of the code, and the
repository's own log."""

from __future__ import annotations

import ast
import doctest
import re
import shutil
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from selection import FEATURES
from sites import build_site, read_tree
from test_json_schema import nodes
from test_layers import LAYERS, PACKAGE

from devlog.cli import main
from devlog.config import AuthorEntry, Config, Diagram, Digest, MenuItem
from devlog.config_file.read import read_config
from devlog.disk.theme import built_in_themes, load_theme
from devlog.json_schema import schema_of
from devlog.model import view
from devlog.model.catalog import catalog_of
from devlog.plugins.features import known_codes
from devlog.report.sarif import PAGES

ROOT = Path(__file__).parent.parent
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("content/**/*.md"))]

_FENCE = re.compile(r"^( *)(`{3,})([^\n`]*)\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| `([^`|]+)` \| ([^|]+) \| ([^|]+) \|", re.MULTILINE)
_SECTION = re.compile(r"^## +(.*)$", re.MULTILINE)


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def fences(text: str) -> Iterator[tuple[str, str]]:
    """The info string and the text of each block of code."""
    for found in _FENCE.finditer(text):
        yield found[3].strip(), re.sub(rf"^{found[1]}", "", found[4], flags=re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """The text below each heading of level 2."""
    parts = _SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


# -- set-up lines


def set_up_lines() -> list[str]:
    blocks = [code.strip() for _, code in fences(sections(read("README.md"))["Set up"])]
    assert all("\n" not in block for block in blocks)
    return blocks


def test_there_are_two_set_up_lines() -> None:
    build, test = set_up_lines()
    assert build.endswith("devlog build")
    assert test.endswith("pytest")


def test_the_set_up_lines_are_those_that_ci_runs() -> None:
    """The first one here; both on other Pythons, where a script finds them in README.md by what they look like."""
    script = ROOT / ".ci" / "run"
    if not script.exists() and not (ROOT / ".git").exists():
        pytest.skip("a source archive holds no .ci")
    build, test = set_up_lines()
    text = script.read_text("utf-8")
    assert build in text
    assert "/.ci/pythons" in text
    patterns = re.findall(r"printed '(.*)'", (ROOT / ".ci" / "pythons").read_text("utf-8"))
    lines = read("README.md").splitlines()
    assert [[line for line in lines if re.search(pattern, line)] for pattern in patterns] == [[build], [test]]


def test_only_the_set_up_lines_are_console_blocks_of_the_readme() -> None:
    """Scripts find the two lines by that."""
    assert [code.strip() for info, code in fences(read("README.md")) if info == "console"] == set_up_lines()


# -- commands


def commands(group: click.Command, name: str = "devlog") -> Iterator[tuple[str, click.Command]]:
    """Each command that can be run, with its name in full."""
    if not isinstance(group, click.Group):
        yield name, group
        return
    context = click.Context(group)
    for part in group.list_commands(context):
        command = group.get_command(context, part)
        assert command is not None
        yield from commands(command, f"{name} {part}")


COMMANDS = dict(commands(main))


def described(command: str) -> list[str]:
    """The first cells of the table of options below the command's heading."""
    parts = re.split(r"^#{2,3} `(devlog[^`]*)`$|^## .*$", read("docs/commands.md"), flags=re.MULTILINE)
    text = dict(zip(parts[1::2], parts[2::2], strict=True))[command]
    cells = re.findall(r"^\| ((?:[^|\\]|\\.)+?) \| ", text, re.MULTILINE)
    return [cell for cell in cells if cell.startswith("`")]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_reference_has_every_option_of_each_command(name: str) -> None:
    cells = " ".join(described(name)).replace("\\|", "|")
    written = re.findall(r"`(-{1,2}[a-z][a-z-]*)", cells)
    real = [param for param in COMMANDS[name].params if isinstance(param, click.Option)]
    assert sorted(written) == sorted(flag for option in real for flag in (*option.opts, *option.secondary_opts))
    for option in real:
        if isinstance(option.type, click.Choice):
            assert f"`{option.opts[0]} {'|'.join(option.type.choices)}`" in cells, option.name
    arguments = [
        param.make_metavar(click.Context(COMMANDS[name])) for param in COMMANDS[name].params if param not in real
    ]
    assert re.findall(r"`([A-Z]+)`", cells) == [re.sub(r"[^A-Z]", "", shown) for shown in arguments]


@pytest.mark.feature(*FEATURES)
def test_the_reference_has_no_command_that_is_not_there() -> None:
    titles = re.findall(r"^#{2,3} `(devlog[^`]*)`$", read("docs/commands.md"), re.MULTILINE)
    groups = {name.rpartition(" ")[0] for name in COMMANDS} - {"devlog"}
    assert sorted(titles) == sorted({*COMMANDS, *groups})
    listed = re.findall(r"^\| \[`(devlog \w+)`\]\(#devlog-\w+\) \|", read("docs/commands.md"), re.MULTILINE)
    assert sorted(listed) == sorted({" ".join(name.split()[:2]) for name in COMMANDS})


# -- configuration


TABLES: dict[str, type[msgspec.Struct]] = {
    "Top level": Config,
    "`[[menu]]`": MenuItem,
    "`[authors.HANDLE]`": AuthorEntry,
    "`[diagrams.LANGUAGE]`": Diagram,
    "`[digest.NAME]`": Digest,
    **{
        f"`[{field.name}]`": type(field.default)
        for field in msgspec.structs.fields(Config)
        if isinstance(field.default, msgspec.Struct)
    },
}


@pytest.mark.parametrize("title", TABLES)
def test_the_reference_has_every_key_with_its_default(title: str) -> None:
    rows = _ROW.findall(sections(read("docs/configuration.md"))[title])
    fields = {field.name: field for field in msgspec.structs.fields(TABLES[title])}
    assert [key for key, _, _ in rows] == list(fields)
    for key, kind, default in rows:
        field = fields[key]
        if "table" in kind:
            assert default == "—", key
        elif field.required:
            assert default == "required", key
        else:
            written = tomllib.loads(f"value = {default.strip('`')}")["value"]
            expected = list(field.default) if isinstance(field.default, tuple) else field.default
            assert written == expected, key


def test_every_table_of_the_configuration_has_a_section() -> None:
    known = sections(read("docs/configuration.md"))
    tables = [
        field.name
        for field in msgspec.structs.fields(Config)
        if isinstance(field.default, msgspec.Struct | dict) or field.name == "menu"
    ]
    missing = [name for name in tables if name != "params" and not any(f"[{name}" in title for title in known)]
    assert not missing


def test_the_reference_has_every_setting_of_the_default_theme() -> None:
    text = sections(read("docs/configuration.md"))["`[settings]`"]
    rows = re.findall(r"^\| (\w+) \| \w+ \| ([^|]+) \|", text, re.MULTILINE)
    written = {key: tomllib.loads(f"value = {default}")["value"] for key, default in rows if key != "Setting"}
    assert written == tomllib.loads((built_in_themes() / "default" / "theme.toml").read_text("utf-8"))["settings"]


@pytest.mark.feature(*FEATURES)
def test_the_reference_has_every_code_that_is_no_error_by_nature() -> None:
    text = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("problems.py"))
    by_level = {level: set(re.findall(rf'\b{level}\(\s*"([a-z0-9.-]+)"', text)) for level in ("warning", "info")}
    tables = read("docs/configuration.md") + read("docs/checking.md")
    rows = re.findall(r"^\| ([a-z,. 0-9-]+) \| (warning|info) \|", tables, re.MULTILINE)
    written = {level: {code for codes, of in rows if of == level for code in codes.split(", ")} for level in by_level}
    assert written == by_level


OTHER_TOML = ("theme.toml", "card.toml", "i18n/", "templates/shortcodes/")
"""What the titles of examples that are no configuration contain."""


def toml_examples() -> Iterator[Any]:
    for path in DOCUMENTS:
        for number, (info, code) in enumerate(fences(path.read_text("utf-8"))):
            if info.startswith("toml") and not any(name in info for name in OTHER_TOML):
                file = "pyproject.toml" if "pyproject.toml" in info else "devlog.toml"
                yield pytest.param(code, file, id=f"{path.relative_to(ROOT).as_posix()}-{number}")


def catalog_examples() -> Iterator[Any]:
    for path in DOCUMENTS:
        for number, (info, code) in enumerate(fences(path.read_text("utf-8"))):
            if info.startswith("toml") and "i18n/" in info:
                file = info.partition("i18n/")[2].partition('"')[0]
                yield pytest.param(code, file, id=f"{path.relative_to(ROOT).as_posix()}-{number}")


@pytest.mark.parametrize(("code", "file"), [*catalog_examples()])
def test_examples_of_catalogs_are_right(code: str, file: str, tmp_path: Path) -> None:
    (tmp_path / "i18n").mkdir()
    (tmp_path / "i18n" / file).write_text(code, "utf-8")
    loaded = load_theme(tmp_path, "default", language=file.removesuffix(".toml"))
    assert loaded.diagnostics == ()
    assert all(message.is_known for message in catalog_of(loaded.theme.catalog).messages.values())


@pytest.mark.parametrize(("code", "file"), [*toml_examples()])
def test_examples_of_configuration_are_right(code: str, file: str) -> None:
    config, diagnostics = read_config(code, file)
    assert not diagnostics
    assert config != Config()


# -- themes


VIEWS = {name: kind for name, kind in vars(view).items() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)}


@pytest.mark.parametrize("name", VIEWS)
def test_the_reference_has_every_field_that_templates_see(name: str) -> None:
    parts = re.split(r"^### (\w+)$", read("docs/themes.md"), flags=re.MULTILINE)
    text = dict(zip(parts[1::2], parts[2::2], strict=True))[name]
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(VIEWS[name].__struct_fields__)


def test_the_reference_has_the_context_of_every_template() -> None:
    rows = re.findall(r"^\| `([\w.]+\.html)` \| (.*) \|$", read("docs/themes.md"), re.MULTILINE)
    written = {name: re.findall(r"`(\w+)`", names) for name, names in rows}
    templates = built_in_themes() / "default" / "templates"
    real = {}
    for path in templates.glob("*.html"):
        comment = re.match(r"\{# context: (.*) #\}", path.read_text("utf-8"))
        assert comment, path.name
        real[path.name] = comment[1].split(", ")
    del real["base.html"]
    assert written == real


# -- the code


INTERNALS = tuple(path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("docs/internals/*.md")))
GUIDES = ("ARCHITECTURE.md", "CONTRIBUTING.md", *INTERNALS)
OF_SITES = ("public", ".devlog", "readme.md")
"""What belongs to any site and is none of the repository's files."""
NEVER = frozenset({"Manager", "Helper"})
"""Names that the code must not have."""

_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"\.?[\w-]+(?:[./][\w.-]+)*/?")


def spoken(name: str) -> str:
    """A document without its blocks of code."""
    return _FENCE.sub("", read(name))


def paths(name: str) -> list[str]:
    """What a document names that looks like a file or folder of this repository."""
    found = [code for code in _CODE.findall(spoken(name)) if _PATH.fullmatch(code)]
    if name in GUIDES:
        return [
            code for code in found if (code.endswith((".py", ".md")) or "/" in code) and not code.startswith(OF_SITES)
        ]
    return [code for code in found if code.startswith(("devlog/", "tests/", ".ci/"))]


def file_of(path: str) -> Path | None:
    """The file or folder that a document means: whole, without `devlog/`, or the bare name of a module."""
    for place in (ROOT / path, PACKAGE / path):
        if place.exists():
            return place
    name = path.rstrip("/")
    modules = [] if "/" in name else [*PACKAGE.rglob(name), *(ROOT / "tests").rglob(name)]
    return modules[0] if modules else None


CODE_DOCUMENTS = [*GUIDES, *(path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("docs/*.md")))]


@pytest.mark.feature(*FEATURES)
@pytest.mark.parametrize("name", CODE_DOCUMENTS)
def test_files_that_documents_name_are_there(name: str) -> None:
    named = paths(name)
    assert named or name not in GUIDES[:2]
    missing = [path for path in named if file_of(path) is None and not path.startswith(".venv")]
    if not (ROOT / ".git").exists():  # a source archive holds no .ci
        missing = [path for path in missing if not path.startswith(".ci/")]
    assert not missing


@cache
def names_in(path: Path) -> frozenset[str]:
    """Whatever a module defines or imports, and what its classes have, as `Class.member`."""
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        found |= _names(node)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner}" for part in node.body for inner in _names(part)}
    return frozenset(found)


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        inner = {name for part in node.body for name in _names(part)} if isinstance(node, ast.ClassDef) else set()
        return {node.name, *inner}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    return set()


@pytest.mark.parametrize("name", GUIDES)
def test_names_beside_a_module_are_in_it(name: str) -> None:
    text = spoken(name)
    pairs = re.findall(r"`(\w[\w.]*)`\*{0,2}(?:[^`.|]{0,30},)?\s+(?:in\s+|\()`([\w/]+\.py)`", text)
    pairs += [(item, path) for path, item in re.findall(r"`([\w/]+\.py)`, `(\w+)`", text)]
    for item, path in pairs:
        file = file_of(path)
        assert file, path
        assert item in names_in(file), f"`{item}` is not in {path}"


@pytest.mark.feature(*FEATURES)
@pytest.mark.parametrize("name", GUIDES)
def test_classes_that_guides_name_are_there(name: str) -> None:
    known = frozenset(item for path in PACKAGE.rglob("*.py") for item in names_in(path))
    named = {code for code in _CODE.findall(spoken(name)) if re.fullmatch(r"[A-Z][a-z]\w+(\.\w+)?", code)}
    assert named - known <= NEVER
    assert not NEVER & known


def test_modules_that_documents_run_are_there() -> None:
    for path in DOCUMENTS:
        for module in re.findall(r"python3? -m (tests\.[\w.]+)", path.read_text("utf-8")):
            file = ROOT / module.replace(".", "/")
            assert file.with_suffix(".py").exists() or (file / "__main__.py").exists(), f"{path.name}: {module}"


def test_the_drawing_has_the_layers_of_the_code() -> None:
    rows = re.findall(r"^layer (\d+) +(\S.*)$", read("ARCHITECTURE.md"), re.MULTILINE)
    drawn = {int(number): frozenset(re.split(r" │ ", names)) for number, names in rows}
    assert drawn == {number: names - {"__init__"} for number, names in enumerate(LAYERS) if "__main__" not in names}


def test_the_table_of_packages_has_every_package_and_feature() -> None:
    cells = re.findall(r"^\| (`[^|]+`) \| ", read("docs/internals/packages.md"), re.MULTILINE)
    rows = [name for cell in cells for name in _CODE.findall(cell) if name.endswith(("/", ".py"))]
    names = {name for layer in LAYERS for name in layer} - {"__init__", "__main__"}
    files = {f"{name}/" if (PACKAGE / name).is_dir() else f"{name}.py" for name in names} | {"features/"}
    wanted = {name for name in files if (PACKAGE / name).exists()}  # some stages are those of features alone
    wanted |= {f"features/{path.name}/" for path in (PACKAGE / "features").iterdir() if (path / "__init__.py").exists()}
    assert wanted <= set(rows)


def test_the_overview_is_read_in_ten_minutes() -> None:
    assert len(read("ARCHITECTURE.md").split()) <= 1_500


@pytest.mark.feature(*FEATURES)
def test_the_overview_says_where_to_change_what() -> None:
    table = read("ARCHITECTURE.md").partition("| I want to change | open |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [row.strip("| ").rsplit(" | ", 1) for row in table.splitlines()]
    assert len(rows) >= 30
    for change, where in rows:
        named = _CODE.findall(where)
        assert named, change
        assert all((ROOT / path).exists() for path in named), change


def test_the_overview_links_every_page_on_internals() -> None:
    linked = re.findall(r"\]\((docs/internals/[\w-]+\.md)\)", read("ARCHITECTURE.md"))
    assert set(linked) == set(INTERNALS)


# -- the repository's own log


def examples(language: str) -> list[Any]:
    """The blocks of code of the log in a language: info string and text."""
    return [
        pytest.param(info, code, id=f"{path.stem}-{number}")
        for path in DOCUMENTS
        for number, (info, code) in enumerate(fences(path.read_text("utf-8")))
        if re.split(r"\s", info, maxsplit=1)[0] == language
    ]


@pytest.mark.parametrize(("info", "code"), examples("pycon"))
def test_sessions_give_what_they_show(info: str, code: str) -> None:
    test = doctest.DocTestParser().get_doctest(code, {}, info, None, None)
    assert test.examples
    assert not doctest.DocTestRunner(verbose=False).run(test).failed


def test_the_own_log_builds_without_a_word(tmp_path: Path) -> None:
    for folder in ("content", "static", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    for file in ("devlog.toml", "reference.py"):
        shutil.copy(ROOT / file, tmp_path)
    report = build_site(tmp_path, now=datetime(2026, 11, 24, tzinfo=UTC))
    assert not report.diagnostics
    assert not report.skipped
    assert report.posts >= 9
    published = read_tree(tmp_path / "public")
    assert {
        "index.html",
        "docs/index.html",
        "docs/themes/index.html",
        "docs/internals/values/index.html",
    } <= published.keys()

    reference_is_complete(published)


def reference_is_complete(published: dict[str, bytes]) -> None:
    """There is a page for each command, key and code, and its links lead somewhere."""
    pages = {path.split("/", 2)[2]: data.decode() for path, data in published.items() if _REFERENCE.fullmatch(path)}
    names = {name.removesuffix("/index.html") for name in pages}
    groups = {name.rpartition(" ")[0] for name in COMMANDS} - {"devlog"}
    keys = {f"{title.strip('`[]')}.{key}" for title, kind in TABLES.items() for key in kind.__struct_fields__}
    keys |= {path for path, _ in nodes(schema_of("config")) if path.count(".") == 2 and "severity." not in path}
    site = tomllib.loads((ROOT / "devlog.toml").read_text("utf-8"))["base_url"]
    assert f"{site}docs/reference/codes/" == PAGES
    assert names - {"index.html"} == {
        *(f"commands/{name.replace(' ', '-')}" for name in {*COMMANDS, *groups}),
        *(f"keys/{key.removeprefix('Top level.')}" for key in keys),
        *(f"codes/{code}" for code in known_codes()),
    }
    for name, page in pages.items():
        for target, fragment in re.findall(r'<a href="(/docs/[^"#]*)#?([^"]*)"', page):
            there = published.get(f"{target.strip('/')}/index.html")
            assert there, f"{name}: {target}"
            assert not fragment or f'id="{fragment}"'.encode() in there, f"{name}: {target}#{fragment}"


_REFERENCE = re.compile(r"docs/reference/(?:.*/)?index\.html")


@pytest.mark.slow
def test_links_between_documents_lead_somewhere() -> None:
    for path in DOCUMENTS:
        if path.is_relative_to(ROOT / "content"):
            continue  # the build checks these
        text = _FENCE.sub("", path.read_text("utf-8"))
        for target, fragment in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", re.sub(r"`[^`]*`", "", text)):
            there = path.parent / target if target else path
            assert there.exists(), f"{path.name}: {target}"
            assert not fragment or fragment in anchors(there.read_text("utf-8")), f"{path.name}: {target}#{fragment}"


def anchors(text: str) -> set[str]:
    """The fragments of headings, as code hosts make them."""
    titles = re.findall(r"^#{1,6} +(.*)$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_index_of_documents_is_complete() -> None:
    linked = re.findall(r"^\| \[[^\]]+\]\(([\w-]+\.md)\) \|", read("docs/README.md"), re.MULTILINE)
    assert sorted(linked) == sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_tables_are_whole(path: Path) -> None:
    """Below an empty line, rows of a table are text."""
    text = _FENCE.sub("", path.read_text(encoding="utf-8"))
    firsts = re.findall(r"(?:^|\n\n)(\|.*\n.*)", text)
    assert [rows for rows in firsts if not re.search(r"\n\|[-:| ]+$", rows)] == []
