"""Files of a theme that cannot be read: one problem each, which names the file, and none that follow from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from disk.capabilities import as_mere_owner
from sites import build_site, write_site

SITE: dict[str, str | bytes] = {
    "devlog.toml": 'theme = "mine"\nbase_url = "https://lumen.example/"\n[settings]\ntone = "blue"\n',
    "content/t/_index.md": "---\ntitle: T\n---\n",
    "content/t/2026-01-01-a.md": "---\ntitle: A\n---\nWords.\n",
    "themes/mine/theme.toml": 'extends = "base"\n',
    "themes/mine/templates/partials/footer.html": "{% include 'partials/end.html' %}\n",
    "themes/mine/templates/partials/end.html": "<i>{{ site.settings.tone }}</i>\n",
    "themes/mine/static/mine.css": "p { color: red }\n",
    "themes/base/theme.toml": 'extends = "default"\n[settings]\ntone = "red"\n',
    "static/a.txt": "a",
}


def found(root: Path) -> list[tuple[str, str]]:
    return [(item.code, item.span.path) for item in build_site(root).diagnostics]


@pytest.mark.parametrize(
    ("file", "text", "code"),
    [
        ("themes/mine/theme.toml", b"\xff", "not-utf8"),
        ("themes/mine/theme.toml", b"extends = \n", "invalid-config"),
        ("themes/mine/templates/partials/end.html", b"\n\xff", "not-utf8"),
        ("themes/mine/templates/partials/end.html", b"a\0b c d e f", "zero-byte"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, file: str, text: bytes, code: str) -> None:
    root = write_site(tmp_path, SITE)
    assert found(root) == []
    write_site(root, {file: text})
    assert found(root) == [(code, file)]


@pytest.mark.parametrize(
    ("closed", "expected"),
    [
        ("themes/mine/static", ["themes/mine/static"]),
        ("themes/mine/templates/partials", ["themes/mine/templates/partials"]),
        ("themes/mine", ["themes/mine/static", "themes/mine/templates", "themes/mine/theme.toml"]),
    ],
)
def test_a_folder_that_is_closed(tmp_path: Path, closed: str, expected: list[str]) -> None:
    root = write_site(tmp_path, SITE)
    (root / closed).chmod(0)
    try:
        with as_mere_owner():
            problems = found(root)
    finally:
        (root / closed).chmod(0o755)
    assert problems == [("unreadable", path) for path in expected]


def test_what_is_wrong_besides_is_still_reported(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, "themes/mine/templates/partials/end.html": b"\xff"})
    footer = "themes/mine/templates/partials/footer.html"
    write_site(root, {footer: "{% broken\n"})
    assert found(root) == [("not-utf8", "themes/mine/templates/partials/end.html"), ("template-error", footer)]
