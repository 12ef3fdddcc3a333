"""Pages that show a post's title follow a change of its language."""

from __future__ import annotations

from pathlib import Path

import pytest
from sites import build_site, write_site

PAGES = [
    "index.html",
    "archive/index.html",
    "lab/index.html",
    "tags/paths/index.html",
    "lab/2026-05-01-other/index.html",
]


@pytest.mark.parametrize("theme", ["default", "paper"])
@pytest.mark.parametrize(("old", "new"), [("", "lang: de\n"), ("lang: de\n", "lang: ar\n"), ("lang: ar\n", "")])
def test_lists_and_neighbors(tmp_path: Path, old: str, new: str, theme: str) -> None:
    write_site(tmp_path / "edited", site(old, theme))
    build_site(tmp_path / "edited")
    write_site(tmp_path / "edited", site(new, theme))
    build_site(tmp_path / "edited")
    write_site(tmp_path / "clean", site(new, theme))
    build_site(tmp_path / "clean")
    for page in PAGES:
        edited = (tmp_path / "edited" / "public" / page).read_text("utf-8")
        assert edited == (tmp_path / "clean" / "public" / page).read_text("utf-8")
        tag = new.removeprefix("lang: ").strip()
        assert (f' lang="{tag}" dir="' in edited) == bool(tag)


def site(lang: str, theme: str) -> dict[str, str]:
    return {
        "devlog.toml": f'title = "Lumen"\ntheme = "{theme}"\n[cards]\nenabled = false\n',
        "content/lab/_index.md": "---\ntitle: Lab\n---\n",
        "content/lab/2026-05-01-other.md": "---\ntitle: Other\ntags: [paths]\n---\nOther words.\n",
        "content/lab/2026-05-02-a.md": f"---\ntitle: A\n{lang}tags: [paths]\n---\nSome words.\n",
    }
