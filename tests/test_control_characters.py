"""Nothing that a site publishes contains characters that terminals obey, wherever they come from."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from sites import build_site, read_tree, write_site

OBEYED = tuple(map(chr, ({*range(32), *range(0x7F, 0xA0)} - {9, 10, 13})))


@pytest.mark.parametrize("dialect", ["devlog", "jekyll"])
def test_no_output_contains_what_terminals_obey(tmp_path: Path, dialect: str) -> None:
    raw = "".join(f"{char}x&#{ord(char)};" for char in OBEYED if char != "\0")
    bare = f"http://lumen.example/{quote(''.join(OBEYED))}"
    text = f'<p title="&#27;">raw &#27;[31m {raw}</p>\n\n*one* \x1b[31m {raw} {bare} <{bare}>\n'
    files = {
        "devlog.toml": f'dialect = "{dialect}"\nbase_url = "https://example.org/"\ncards.enabled = false\n',
        "content/a\x1b]0;x\x07b/2026-01-01-p\x9b31mq\x1b\x98\x7f.md": text,
        "content/a\x1b]0;x\x07b/_posts/2026-01-02-p\x9b31mq\x1b\x9f.md": f"---\nlayout: post\n---\n{text}",
    }
    root = write_site(tmp_path, files)
    assert not build_site(root).failed
    outputs = read_tree(root / "public")
    assert any(b"raw [31m" in data for data in outputs.values())
    for path, data in outputs.items():
        if not path.startswith("theme/") and not path.endswith(".devlog-manifest.json"):
            assert not [char for char in OBEYED if char in data.decode()], path


def test_titles_made_of_names_turn_nothing_beside_them(tmp_path: Path) -> None:
    files = {"devlog.toml": "cards.enabled = false\n", "content/a\u202eb/2026-01-01-p\u2067q.md": "Text.\n"}
    root = write_site(tmp_path, files)
    assert not build_site(root).failed
    pages = {path: data.decode() for path, data in read_tree(root / "public").items() if path.endswith(".html")}
    assert "Pq" in pages["index.html"]
    assert [path for path, text in pages.items() if "\u202e" in text or "\u2067" in text] == []


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("http://lumen.example/%E2%80%AEgpj", "http://lumen.example/%E2%80%AEgpj"),
        ("http://lumen.example/%E2%80%8B", "http://lumen.example/%E2%80%8B"),
        ("http://lumen.example/%E4", "http://lumen.example/%E4"),
        ("http://lumen.example/%C3%A4", "http://lumen.example/ä"),
        ("http://lumen.example/:smile:/a", "http://lumen.example/:smile:/a"),
    ],
)
def test_urls_are_shown_as_they_are_read(tmp_path: Path, written: str, shown: str) -> None:
    root = write_site(tmp_path, {"content/a.md": f"# A\n\nSee {written} or <{written}> :smile:\n"})
    assert not build_site(root).failed
    page = (root / "public/a/index.html").read_text("utf-8")
    assert page.count(f">{shown}</a>") == 2
    assert "😄" in page
