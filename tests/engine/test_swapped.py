"""A file that another one replaces while a build runs, and which then comes back, leaves nothing behind."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sites import build_site, read_tree, write_site
from writers import wav

import devlog.pipeline

POST = "---\ntitle: Talk\n---\nText.\n"
EPISODE = "---\ntitle: Talk\naudio: {file: talk.wav}\n---\nText.\n"


def drawing(color: str) -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4"><path fill="{color}" d="M0 0h8"/></svg>'.encode()


def picture(color: str) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (1200, 630), color).save(written, "PNG")
    return written.getvalue()


SITE = 'base_url = "https://example.org/"\n'
TOPIC = "---\ntitle: Talks\ndescription: What was said.\n---\n"
FILES = {
    "audio": ("cards.enabled = false\n", EPISODE, "content/talks/talk.wav", wav(2), wav(9)),
    "logo": ('cards.enabled = false\n[brand]\nlogo = "l.svg"\n', POST, "l.svg", drawing("red"), drawing("blue")),
    "card": ('[cards]\nbackground = "c.png"\n', POST, "c.png", picture("red"), picture("blue")),
}


OF = {"audio": "episodes", "logo": "brand", "card": "social_cards"}
"""The feature that reads each of the files."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.feature(OF[name])) for name in FILES])
@pytest.mark.parametrize("gone", [False, True])
def test_what_was_swapped_during_a_build_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, gone: bool
) -> None:
    settings, post, file, old, new = FILES[name]
    site = {
        "devlog.toml": SITE + settings,
        "content/talks/_index.md": TOPIC,
        "content/talks/2026-05-01-a.md": post,
        file: old,
    }
    root = write_site(tmp_path / "site", site)
    read = devlog.pipeline.read_inputs

    def swapped(*values: Any, **named: Any) -> Any:
        inputs = read(*values, **named)
        if gone:
            (root / file).unlink()
        else:
            (root / file).write_bytes(new)
        return inputs

    with monkeypatch.context() as patch:
        patch.setattr(devlog.pipeline, "read_inputs", swapped)
        assert build_site(root).diagnostics
    (root / file).write_bytes(old)
    again = build_site(root)
    clean = build_site(root, output="clean", cache=False)
    assert again.diagnostics == clean.diagnostics == ()
    assert read_tree(root / "public").keys() == read_tree(root / "clean").keys()
    for path, data in read_tree(root / "clean").items():
        if not path.endswith("manifest.json"):
            assert read_tree(root / "public")[path] == data, path


def test_the_configuration_is_swapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = SITE + 'cards.enabled = false\n[brand]\nlogo = "l.svg"\nfavicon = "f.png"\n'
    small = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(small, "PNG")
    site = {
        "devlog.toml": settings,
        "content/a/2026-05-01-a.md": POST,
        "l.svg": drawing("red"),
        "f.png": small.getvalue(),
    }
    root = write_site(tmp_path / "site", site)
    read = devlog.pipeline.read_inputs

    def swapped(*values: Any, **named: Any) -> Any:
        inputs = read(*values, **named)
        (root / "devlog.toml").write_text("# one\n# more\n" + settings)
        return inputs

    with monkeypatch.context() as patch:
        patch.setattr(devlog.pipeline, "read_inputs", swapped)
        assert "changed-while-building" in {item.code for item in build_site(root).diagnostics}
    (root / "devlog.toml").write_text(settings)
    assert [item.span.line for item in build_site(root).diagnostics if item.code == "small-favicon"] == [5]
