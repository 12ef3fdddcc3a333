"""devlog makes the last segment of the URL from a slug: where another generator did not, the report says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_translation import adoption_of

from devlog.adopt import common
from devlog.adopt.foreign import read_head

SITES = {
    "Hugo": "hugo.toml",
    "Jekyll": "_config.yml",
    "Hexo": "_config.yml",
    "MkDocs": "mkdocs.yml",
}
PATHS = {
    "Hugo": "content/posts/file.md",
    "Jekyll": "_posts/2026-01-01-file.md",
    "Hexo": "source/_posts/file.md",
    "MkDocs": "docs/blog/posts/file.md",
}


def advice(folder: Path, generator: str, config: str, path: str = "", **keys: str) -> list[str]:
    """The notes about slugs, after the import of a site with one post that has the slug “short”."""
    file = path or PATHS[generator]
    text = post("My title", date="2026-01-01", slug="short", **keys)
    adoption = adoption_of(folder, {SITES[generator]: config, file: text})
    return [f"{note.span.path}: {note.text}" for note in adoption.advice if "“slug”" in note.text]


def hugo(pattern: str) -> str:
    return f'[permalinks]\nposts = "{pattern}"\n'


def material(pattern: str) -> str:
    return f"plugins:\n  - blog: {{post_url_format: '{pattern}'}}\n"


@pytest.mark.parametrize(
    ("generator", "config", "unlike"),
    [
        ("Hugo", hugo("/:year/:title/"), "“/:year/:title/”"),
        ("Hugo", hugo("/:year/:filename/"), "“/:year/:filename/”"),
        ("Hugo", hugo("/:slug/:year/"), "“/:slug/:year/”"),
        ("Hugo", hugo("/:slug/:slug/"), "“/:slug/:slug/”"),
        ("Hugo", hugo("/:year/:slug-:day/"), "“/:year/:slug-:day/”"),
        ("Hugo", hugo("/:year/x-:slug/"), "“/:year/x-:slug/”"),
        ("Hugo", '[permalinks.page]\nposts = "/:title/"\n', "“/:title/”"),
        ("Jekyll", "permalink: /:title/:year/\n", "“/:title/:year/”"),
        ("Jekyll", "permalink: /:year/:month-:title.html\n", "“/:year/:month-:title.html”"),
        ("Hexo", "new_post_name: :title.md\n", "Hexo"),
        ("MkDocs", material("{date}/{file}"), "“{date}/{file}”"),
        ("MkDocs", material("{slug}/{date}"), "“{slug}/{date}”"),
    ],
)
def test_a_slug_elsewhere_is_reported(generator: str, config: str, unlike: str, tmp_path: Path) -> None:
    (found,) = advice(tmp_path / "site", generator, config)
    assert found.startswith(f"{PATHS[generator]}: 1 file with “slug”")
    assert f"unlike {unlike}: " in found
    own = {"Hugo": "url", "MkDocs": "url"}.get(generator, "permalink")
    assert advice(tmp_path / "own", generator, config, **{own: "/mine/"}) == []


@pytest.mark.parametrize(
    ("generator", "config"),
    [
        ("Hugo", 'title = "T"\n'),
        ("Hugo", hugo("/:year/:slug/")),
        ("Hugo", hugo(":slugorfilename")),
        ("Hugo", hugo("/:section/:slugorcontentbasename.html")),
        ("Jekyll", "title: T\n"),
        ("Jekyll", "permalink: /:title:output_ext\n"),
        ("Jekyll", "permalink: pretty\n"),
        ("MkDocs", "plugins: [blog]\n"),
        ("MkDocs", material("{date}/{slug}")),
    ],
)
def test_a_slug_at_the_end_is_as_before(generator: str, config: str, tmp_path: Path) -> None:
    assert advice(tmp_path / "site", generator, config) == []


@pytest.mark.parametrize(
    ("generator", "config", "path"),
    [
        ("Hugo", "permalinks: {posts: /:title/, /posts: /:title/, x/../posts: /:title/}", "content/posts/a.md"),
        ("Jekyll", "collections: {team: {output: true}, y/../_team: {output: true}}", "_team/a.md"),
    ],
)
def test_a_folder_is_searched_once(
    generator: str, config: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(common, "read_head", lambda survey, file: read.append(file) or read_head(survey, file))
    file = "hugo.yaml" if generator == "Hugo" else "_config.yml"
    adoption = adoption_of(tmp_path / "site", {file: f"{config}\n", path: post("My title", slug="short")})
    assert read.count(path) == 1
    assert len([note for note in adoption.advice if "“slug”" in note.text]) == 1


def test_a_slug_of_a_section_is_another_matter(tmp_path: Path) -> None:
    assert advice(tmp_path / "site", "Hugo", hugo("/:year/:title/"), "content/posts/_index.md") == []


def test_pages_and_collections_of_jekyll_have_no_slug_in_their_urls(tmp_path: Path) -> None:
    (found,) = advice(tmp_path / "page", "Jekyll", "title: T\n", "about/team.md")
    assert "unlike pages of Jekyll" in found
    collection = "collections: {team: {output: true}}\n"
    (found,) = advice(tmp_path / "team", "Jekyll", collection, "_team/a.md")
    assert "unlike “/:collection/:path:output_ext”" in found
    titled = "collections: {team: {output: true, permalink: '/:collection/:title/'}}\n"
    assert advice(tmp_path / "titled", "Jekyll", titled, "_team/a.md") == []


@pytest.mark.parametrize(
    ("most", "pattern", "is_told"),
    [("", "/blog/:categories/:title/", True), (2, "/blog/:categories/:title/", False), (0, "/blog/:title/", False)],
)
def test_material_has_the_first_categories_in_urls(
    most: int | str, pattern: str, is_told: bool, tmp_path: Path
) -> None:
    option = f", post_url_max_categories: {most}" if most != "" else ""
    files = {
        "mkdocs.yml": f"plugins:\n  - blog: {{post_url_format: '{{categories}}/{{slug}}'{option}}}\n",
        "docs/blog/posts/a.md": post("A", date="2026-01-01", categories="[One, Two]"),
        "docs/blog/posts/b.md": post("B", date="2026-01-01", categories="[One]"),
    }
    adoption = adoption_of(tmp_path / "site", files)
    assert [setting.value for setting in adoption.settings if setting.path == ("permalinks", "post")] == [pattern]
    told = [note for note in adoption.advice if "1 post with more categories" in note.text]
    assert [note.span.path for note in told] == (["docs/blog/posts/a.md"] if is_told else [])
