"""What is inside the folder of a post of Hugo is no post."""

from __future__ import annotations

from pathlib import Path

from adopt.old_sites import PIXEL, post
from adopt.test_adopt import adopted
from sites import build_site


def test_a_bundle_inside_a_bundle_is_no_post(tmp_path: Path) -> None:
    files = {
        "hugo.toml": 'title = "A"\nbaseURL = "https://docs.example.org/"\n',
        "content/posts/one/index.md": post("One", date="2026-01-02"),
        "content/posts/one/sub/index.md": post("Sub", date="2026-01-02"),
        "content/posts/one/sub/deep/_index.md": post("Deep", date="2026-01-02"),
        "content/posts/one/sub/level.png": PIXEL,
        "content/posts/two/index.md": post("Two", date="2026-01-02"),
    }
    config, report = adopted(tmp_path, files)
    assert config.ignore == ("/posts/one/sub/deep/_index.md", "/posts/one/sub/index.md")
    assert "content/posts/one/sub/deep/_index.md: 2 files ignored, as by Hugo" in report
    build = build_site(tmp_path)
    assert (build.posts, build.failed) == (2, False)
    assert (tmp_path / "public/posts/one/sub/level.png").exists()
    assert not (tmp_path / "public/posts/one/sub/index.html").exists()
