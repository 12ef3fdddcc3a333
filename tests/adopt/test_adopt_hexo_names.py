"""The configuration of Hexo has one of three names, and may have several languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_translation import adoption_of, config_of

YAML = "title: Lumen\nurl: https://lumen.example.org\nlanguage:\n  - en-GB\n  - fr\npermalink: :year/:title/\n"
JSON = """\
{"title": "Lumen", "url": "https://lumen.example.org", "language": ["en-GB", "fr"], "permalink": ":year/:title/"}
"""


@pytest.mark.parametrize(("name", "text"), [("_config.yml", YAML), ("_config.yaml", YAML), ("_config.json", JSON)])
def test_a_configuration_of_hexo_has_several_names(name: str, text: str, tmp_path: Path) -> None:
    files = {name: text, "scaffolds/post.md": "---\n---\n", "source/_posts/a.md": post("A", date="2026-01-02")}
    adoption = adoption_of(tmp_path / "site", files)
    config = config_of(adoption)
    assert adoption.files == (name,)
    assert (config.content, config.language, config.permalinks.post) == (
        "source/_posts",
        "en-GB",
        "/:year/:topic/:name/",
    )
    assert [note.key for note in adoption.unmapped] == ["language: fr"]


def test_files_at_the_root_of_a_site_of_hexo_are_named(tmp_path: Path) -> None:
    files = {"_config.yml": YAML, "scaffolds/post.md": "---\n---\n", "source/_posts/a.md": post("A", date="2026-01-02")}
    others = {"source/favicon.ico": "x", "source/robots.txt": "x", "source/about.md": "x"}
    advice = {note.span.path: note.text for note in adoption_of(tmp_path / "site", files | others).advice}
    assert advice["source/favicon.ico"].startswith("2 files not published: put what belongs at the root")
    assert not any(note.span.path for note in adoption_of(tmp_path / "plain", files).advice if "root" in note.text)
