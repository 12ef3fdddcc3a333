"""Pages that only redirect keep their URLs, whatever program reads what they say."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from adopt.old_sites import post
from sites import build_site, write_site

from devlog.adopt.adopt import adopt

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def test_redirects_of_posts_and_pages_of_jekyll(tmp_path: Path) -> None:
    files = {
        "_config.yml": "title: Lumen\nurl: https://lumen.example.org\nplugins: [jekyll-redirect-from]\n",
        "_posts/2026-05-01-kept.md": post("Kept"),
        "_posts/2026-05-02-moved.md": post("Moved", redirect_to="https://storage.example.org/moved/"),
        "_posts/2026-05-03-unready.md": post("Unready", redirect_to="/2026/05/01/kept.html", published="false"),
        "old.html": "---\nredirect_to:\n  - /2026/05/01/kept.html\npermalink: /old/place/\n---\n",
        "index.md": "---\nredirect_to: /old/place/\n---\n",
        "lost.md": "---\nredirect_to: /nowhere/\n---\n",
    }
    root = write_site(tmp_path / "site", files)
    adopted = adopt(root, NOW, lambda *_: None, write=True)
    assert adopted.adoption
    assert adopted.trial
    assert not adopted.left_out
    assert "“redirect_from” and “redirect_to” are read" in [note.text for note in adopted.adoption.mapped]
    assert [(note.span.path, note.key) for note in adopted.adoption.unmapped] == [("index.md", "redirect_to")]
    wrong = [item for item in adopted.trial.diagnostics if item.severity != "info"]
    assert [f"{item.span.path}:{item.span.line} {item.code}" for item in wrong] == ["lost.md:2 broken-link"]
    assert not build_site(root).failed
    out = root / "_site"
    assert "url=https://storage.example.org/moved/" in (out / "2026/05/02/moved.html").read_text("utf-8")
    assert "url=https://lumen.example.org/2026/05/01/kept.html" in (out / "old/place/index.html").read_text("utf-8")
    assert not (out / "2026/05/03/unready.html").exists()
    assert "Moved" not in (out / "index.html").read_text("utf-8")
