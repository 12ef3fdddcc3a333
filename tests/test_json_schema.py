"""JSON schemas agree with what devlog reads: they accept what it accepts, and find what it finds wrong."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from selection import FEATURES
from sites import write_site

from devlog.cli import main
from devlog.config import Config
from devlog.config_file.read import read_config
from devlog.disk.git import Identity
from devlog.json_schema import schema_of
from devlog.json_schema.descriptions import section
from devlog.json_schema.front_matter import DOCUMENT
from devlog.model.source import Source
from devlog.parse.front_matter.schema import SPELLINGS
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.plugins.features import features, known_codes
from devlog.scaffold.starter import NewSite, site_files

Draft7Validator = pytest.importorskip("jsonschema").Draft7Validator

ROOT = Path(__file__).parent.parent
KINDS = ("config", "front-matter", "authors")
STARTER = site_files(
    NewSite("Lumen", "/log/", True, "https://git.example/lumen"), datetime(2026, 6, 15, tzinfo=UTC), Identity()
)


class _Plain(yaml.SafeLoader):
    """YAML as the language server reads it: dates are strings."""


_Plain.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith("timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@cache
def validator(kind: str) -> Any:
    return Draft7Validator(schema_of(kind))


def wrong(kind: str, value: Any) -> list[str]:
    """Where a value does not match the schema of a kind, and why."""
    found = validator(kind).iter_errors(value)
    return sorted(f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in found)


def nodes(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each key of a schema with its own schema."""
    if isinstance(node, dict):
        for key, value in node.get("properties", {}).items():
            yield f"{path}{key}", value
        for name, value in node.items():
            inner = value.items() if name == "properties" else [(name, value)]
            for key, one in inner:
                yield from nodes(one, f"{path}{key}." if name == "properties" else path)
    elif isinstance(node, list):
        for value in node:
            yield from nodes(value, path)


def fences(language: str) -> Iterator[tuple[str, str, str]]:
    """The blocks of code in a language in documents: the document, the info string, and the code."""
    for path in sorted(ROOT.glob("docs/*.md")):
        for found in re.finditer(rf"(?ms)^( *)```{language}\b([^\n]*)\n(.*?)^\1```", path.read_text("utf-8")):
            yield path.name, found[2].strip(), re.sub(rf"(?m)^{found[1]}", "", found[3])


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_right(kind: str) -> None:
    schema = schema_of(kind)
    Draft7Validator.check_schema(schema)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    for path, key in nodes(schema):
        if "default" in key:
            assert Draft7Validator(key).is_valid(key["default"]), path


def test_each_key_is_described() -> None:
    keys = dict(nodes(schema_of("config")))
    keys = {path: key for path, key in keys.items() if not path.startswith("severity.")}
    assert keys.keys() >= {*Config.__struct_fields__, "feeds.limit", "menu.name", "diagrams.script", "settings.accent"}
    assert [path for path, key in keys.items() if not key.get("description")] == []
    assert keys["feeds.limit"]["description"] == "the maximum number of entries in a feed"
    assert keys["ignore"]["description"].startswith(
        "what to leave out of content/: globs (*, ?, [a-z], ** across folders)"
    )
    assert "`" not in json.dumps(keys["digest.forge"])
    authors = dict(nodes(schema_of("authors")["additionalProperties"]))
    assert [name for name, key in authors.items() if not key.get("description")] == []


@pytest.mark.feature(*FEATURES)
def test_each_key_of_front_matter_is_described() -> None:
    """At least one spelling of each: others are those of other generators, which editors do not offer."""
    known = schema_of("front-matter")["properties"]
    about = {key for row in section(DOCUMENT, "Front matter").rows for key in row.keys}
    assert about <= {key for key, schema in known.items() if schema.get("description") and "doNotSuggest" not in schema}
    spellings = [*SPELLINGS.values()]
    spellings += [
        spelt for plugin in features() if plugin.front_matter for spelt in plugin.front_matter.spellings.values()
    ]
    silent = {"categories", "canonical_url", "build.render", "build.list", "redirect_to"}
    for spelt in spellings:
        names = {key.partition(".")[0] for key in spelt.split()}
        assert names & about or set(spelt.split()) & silent, spelt
    audio, podcast = (dict(nodes(known[key])) for key in ("audio", "podcast"))
    assert audio["duration"]["description"].startswith("2:29, 1:02:03, PT2M29S or a number of seconds.")
    assert podcast["image"]["description"] == "a square JPEG or PNG of 1400 to 3000 pixels"


# -- what is right


def test_the_configuration_of_this_repository_is_right() -> None:
    assert wrong("config", tomllib.loads((ROOT / "devlog.toml").read_text("utf-8"))) == []


def test_a_new_site_is_right() -> None:
    assert wrong("config", tomllib.loads(STARTER["devlog.toml"])) == []
    named = 0
    for file, text in STARTER.items():
        if file.endswith(".md") and text.startswith("---\n"):
            assert wrong("front-matter", yaml.load(text.split("---\n")[1], _Plain)) == [], file
            for path in re.findall(r"^# yaml-language-server: \$schema=(.+)$", text, re.MULTILINE):
                assert (Path("/") / file).parent.joinpath(path).resolve() == Path("/schemas/front-matter.json")
                named += 1
    assert named
    assert STARTER["devlog.toml"].startswith("#:schema ./schemas/devlog.json\n")
    for name, kind in (("devlog", "config"), ("front-matter", "front-matter")):
        assert json.loads(STARTER[f"schemas/{name}.json"]) == schema_of(kind)


def test_the_posts_of_this_repository_are_right() -> None:
    files = sorted(ROOT.glob("content/**/*.md"))
    texts = [text for file in files if (text := file.read_text("utf-8")).startswith("---\n")]
    assert len(texts) > 9
    assert [found for text in texts for found in wrong("front-matter", yaml.load(text.split("---\n")[1], _Plain))] == []
    assert wrong("authors", yaml.load((ROOT / "content/authors.yml").read_text("utf-8"), _Plain)) == []


def test_examples_of_configuration_are_right() -> None:
    examples = [(name, tomllib.loads(code)) for name, info, code in fences("toml") if not _OTHER.search(info)]
    assert len(examples) > 20
    for name, tree in examples:
        assert wrong("config", tree.get("tool", {}).get("devlog", tree)) == [], name


_OTHER = re.compile(r"theme\.toml|card\.toml|i18n/|shortcodes/")


def test_examples_of_front_matter_are_right() -> None:
    examples = [*fences("yaml"), *fences("markdown")]
    blocks = [(name, code.split("---\n")[1]) for name, _, code in examples if code.startswith("---\n")]
    blocks = [(name, text) for name, text in blocks if "{title}" not in text]  # a template
    assert len(blocks) > 8
    for name, text in blocks:
        assert wrong("front-matter", yaml.load(text, _Plain)) == [], name
    authors = [code for _, info, code in examples if info == 'title="content/authors.yml"']
    assert authors
    assert [found for code in authors for found in wrong("authors", yaml.load(code, _Plain))] == []


# -- what is wrong


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("title = 3\n", "title"),
        ("titel = 'Lumen'\n", ""),
        ("recent = 0\n", "recent"),
        ("content_security_policy = 1\n", "content_security_policy"),
        ("dialect = 'hugo'\n", "dialect"),
        ("ignore = 'x'\n", "ignore"),
        ("[feeds]\nformats = ['rss', 'atmo']\n", "feeds.formats.1"),
        ("[feeds]\nlimits = 3\n", "feeds"),
        ("[[menu]]\nname = 'A'\n", "menu.0"),
        ("[diagrams.dot]\ncommand = 'dot'\n", "diagrams.dot.command"),
        ("[images]\nquality = 101\n", "images.quality"),
        ("[severity]\nbroken-link = 'fatal'\n", "severity.broken-link"),
        ("[authors.adaquill]\nlinks = ['https://example.org']\n", "authors.adaquill.links"),
        ("[digest.weekly]\nperiod = 'month'\n", "digest.weekly.period"),
        ("[settings]\naccent = []\n", "settings.accent"),
    ],
)
def test_mistakes_in_a_configuration_are_found(text: str, where: str) -> None:
    assert [found.partition(": ")[0] for found in wrong("config", tomllib.loads(text))] == [where]
    assert len(read_config(text, "devlog.toml")[1]) == 1


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("title: {a: b}", ["title"]),
        ("draft: 2026", ["draft"]),
        ("weight: high", ["weight"]),
        ("tags: {a: b}", ["tags"]),
        ("date: 2026", ["date"]),
        pytest.param("audio: {length: 0}", ["audio"], marks=pytest.mark.feature("episodes")),
        pytest.param(
            "reading_path: [{why: it is short}]", ["reading_path"], marks=pytest.mark.feature("reading_paths")
        ),
        pytest.param("ai: [a]", ["ai"], marks=pytest.mark.feature("supersession")),
        pytest.param("digest: {name: [a]}", ["digest.name"], marks=pytest.mark.feature("digests")),
        ("", []),
        ("tags:\ndraft:\ndate:\n", []),  # as in templates
        ("mine: {a: [b]}\nLastMod: 3", []),  # keys of a site, and spellings that no schema can list
        ("draft: true\ntags: [a, 3.10]\ndate: 2026-05-03", []),
        ("draft: 1", []),
        ("draft: 'Yes'", []),
        ("draft: maybe", ["draft"]),
        ("weight: '+3'", []),
        ("weight: 12345678901", ["weight"]),
        ("toc: 0", []),
        ("unlisted: 'on'", []),
        ("listed: never", []),
        ("render: 0", []),
    ],
)
def test_mistakes_in_front_matter_are_found(text: str, where: list[str]) -> None:
    assert [found.partition(": ")[0] for found in wrong("front-matter", yaml.load(text, _Plain))] == where


@pytest.mark.parametrize("key", ["draft", "weight", "toc", "unlisted", "listed", "render", "comments", "comment"])
def test_editors_and_checks_agree_about_values(key: str) -> None:
    for value in ("true", "1", "2", "0", "-3", "'1'", "'no'", "'OFF'", "' on '", "'7'", "maybe", "1.5", "12345678901"):
        text = f"title: A\n{key}: {value}\n"
        parsed = parse(Source("a.md", "content/a.md", f"---\n{text}---\n"), ParseOptions())[0]
        is_bad = any(item.code == "bad-value" for item in parsed.diagnostics)
        assert bool(wrong("front-matter", yaml.load(text, _Plain))) == is_bad, text


def test_mistakes_in_an_authors_file_are_found() -> None:
    assert wrong("authors", {"a": {"name": "A", "links": ["https://example.org"], "website": "x", "other": 3}}) == []
    found = wrong("authors", {"a": {"team": "yes"}, "b": "B", "c": {"aliases": "c"}})
    assert [item.partition(": ")[0] for item in found] == ["a.team", "b", "c.aliases"]


# -- the command

PLUGIN = """
from msgspec import Struct
from devlog.plugin import FrontMatterKeys, Plugin


class Release(Struct, frozen=True):
    number: str = ""


def read(field, entry):
    return "", []


def schemas():
    return {"number": {"type": "string", "pattern": "^[0-9]"}}


def needs_release(evidence):
    return []


plugin = Plugin(
    "lumen",
    front_matter=FrontMatterKeys(Release, {"number": "release lumen.release"}, read, schemas=schemas),
    checks=(needs_release,),
)
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["schema", *arguments], catch_exceptions=False, prog_name="devlog")


def test_the_command_prints_what_belongs_to_the_site(tmp_path: Path) -> None:
    write_site(tmp_path, {"devlog.toml": "plugins = ['plugins.py']\n", "plugins.py": PLUGIN})
    done = {kind: run(kind, "--root", str(tmp_path)) for kind in KINDS}
    assert {kind: (result.exit_code, result.stderr) for kind, result in done.items()} == dict.fromkeys(KINDS, (0, ""))
    schemas = {kind: json.loads(result.stdout) for kind, result in done.items()}
    release = schemas["front-matter"]["properties"]["release"]
    assert release["pattern"] == "^[0-9]"
    severities = schemas["config"]["properties"]["severity"]["properties"]
    assert severities.keys() == known_codes() | {"lumen.needs-release", "lumen.read"}
    assert schemas["authors"] == schema_of("authors")
    wrong_kind = run("post")
    assert wrong_kind.exit_code == 2
    assert "'config', 'front-matter', 'authors'" in wrong_kind.stderr
