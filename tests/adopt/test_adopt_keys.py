"""Every key of a foreign configuration is in the report, whatever kind of value it has."""

from __future__ import annotations

from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_translation import adoption_of

ZOLA = 'base_url = "https://x.example.org"\n'
UNUSED = "its value changes nothing in devlog.toml"

UNEXPECTED = [
    ("hugo.toml", '[[permalinks]]\npattern = "/:year/:slug/"\ntarget = {path = "/a/**"}', "permalinks"),
    ("hugo.toml", 'permalinks = "/:year/"', "permalinks"),
    ("hugo.toml", '[[languages]]\nlang = "it"', "languages"),
    ("hugo.toml", '[menus.main]\nname = "A"\nurl = "/a/"', "menus.main.name"),
    ("hugo.toml", 'uglyURLs = "x"', "uglyURLs"),
    ("hugo.toml", 'summaryLength = "a"', "summaryLength"),
    ("hugo.toml", "title = ['A']", "title"),
    ("hugo.toml", "locale = 'de'\nlanguageCode = 'en'", "languageCode"),
    ("hugo.toml", "[staticDir]\nx = 'a'", "staticDir.x"),
    ("hugo.toml", "ignoreFiles = {a = 'b'}", "ignoreFiles.a"),
    ("hugo.toml", "cascade = 'draft'", "cascade"),
    ("_config.yml", "title: {a: b}", "title.a"),
    ("_config.yml", "defaults: {permalink: /a/}", "defaults.permalink"),
    ("_config.yml", "plugins: {jekyll-feed: true}", "plugins.jekyll-feed"),
    ("_config.yml", "exclude: {a: b}", "exclude.a"),
    ("_config.yml", "paginate: many", "paginate"),
    ("zola.toml", f"{ZOLA}ignored_content = {{a = 'b'}}", "ignored_content.a"),
    ("zola.toml", f"{ZOLA}languages = ['it']", "languages"),
    ("mkdocs.yml", "site_name: [A]", "site_name"),
    ("mkdocs.yml", "docs_dir: [docs]", "docs_dir"),
    ("mkdocs.yml", "exclude_docs: [a.md]", "exclude_docs"),
    ("_quarto.yml", "website: {title: [A]}", "website.title"),
    ("_quarto.yml", "project: {render: {a: b}}", "project.render.a"),
]


@pytest.mark.parametrize(("file", "text", "key"), UNEXPECTED)
def test_a_value_of_an_unexpected_kind_is_not_mapped(file: str, text: str, key: str, tmp_path: Path) -> None:
    files = {"content/a.md": post("A"), "docs/a.md": post("A")}
    adoption = adoption_of(tmp_path / "site", {**files, file: f"{text}\n"})
    assert key in [note.key for note in adoption.unmapped]
    assert key not in [note.key for note in adoption.mapped]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("hugo.toml", "defaultContentLanguage = 'de'\nlanguageCode = 'de-at'\n"),
        ("hugo.toml", "defaultContentLanguage = 'de'\nlanguageCode = 'de'\n"),
        ("hugo.toml", "[cascade]\ndraft = true\n[cascade.target]\npath = '/a'\n"),
        ("hugo.toml", "[permalinks.page]\nposts = '/:slug/'\n"),
        ("hugo.toml", "[languages.en]\ntitle = 'A'\nweight = 1\n"),
        ("_config.yml", "collections:\n  team:\n    output: true\n    permalink: /x/:name/\n"),
        ("_config.yml", "include: [_pages, drafts.md]\n"),
        ("mkdocs.yml", "docs_dir: docs\nplugins: {search: {lang: en}}\n"),
    ],
)
def test_a_value_that_is_used_is_not_said_to_change_nothing(file: str, text: str, tmp_path: Path) -> None:
    paths = ("content/a.md", "docs/a.md", "_posts/2026-01-01-a.md", "_team/a.md", "_pages/a.md", "drafts.md")
    files = {**dict.fromkeys(paths if file[0] == "_" else paths[:2], post("A")), file: text}
    assert UNUSED not in [note.text for note in adoption_of(tmp_path / "site", files).unmapped]
