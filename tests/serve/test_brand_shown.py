"""The preview shows a brand as the published site does, with fonts as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from brand_site import POST, brand_site
from serve_sites import ORIGIN, all_shown
from sites import NOW, build_site, write_site

from devlog.engine.jobs import Jobs
from devlog.serve.preview import Options, Preview

pytestmark = pytest.mark.feature("brand")


def test_the_preview_serves_fonts_as_they_are(tmp_path: Path) -> None:
    files = brand_site()
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    preview = Preview(Options(root, ORIGIN, now=lambda: NOW, jobs=1), jobs)
    try:
        preview.change(frozenset())
        page = all_shown(preview, jobs, ["index.html"])["index.html"].decode()
        fonts = re.findall(r'<link rel="preload" href="/log/(brand/[^"]+)"', page)
        [style] = re.findall(r'<link rel="stylesheet" href="/log/(brand/[^"]+)"', page)
        shown = all_shown(preview, jobs, [*fonts, style])
        assert [shown[path] for path in fonts] == [files[f"brand/{name}.ttf"] for name in ("regular", "bold", "italic")]
        assert b"--accent:light-dark(#7a2048,oklch(0.85 0.1 350));" in shown[style]
        write_site(root, {POST: str(files[POST]) + "Another letter: \u6f22.\n"})
        preview.change(frozenset({POST}))
        after = all_shown(preview, jobs, ["index.html"])["index.html"].decode()
        assert "漢" in after
        assert after.partition("</head>")[0] == page.partition("</head>")[0]
    finally:
        preview.close()


def test_another_reason_why_a_file_cannot_be_read(tmp_path: Path) -> None:
    """It stays unread, but is reported as a check reports it."""
    config = 'base_url = "/log/"\n[search]\nenabled = false\n[brand]\nfavicon = "brand/icon.svg"\n'
    files: dict[str, str | bytes] = {"devlog.toml": config, POST: "---\ntitle: A\n---\n"}
    root = write_site(tmp_path / "site", files)
    preview = Preview(Options(root, ORIGIN, now=lambda: NOW, jobs=1), Jobs())
    try:
        preview.change(frozenset())
        [missing] = [item.message for item in preview.diagnostics if item.severity == "error"]
        (root / "brand/icon.svg").mkdir(parents=True)
        preview.change(frozenset({"brand/icon.svg"}))
        [folder] = [item.message for item in preview.diagnostics if item.severity == "error"]
        assert missing != folder
        assert folder in {item.message for item in build_site(root).diagnostics}
    finally:
        preview.close()


def test_the_last_good_configuration_is_no_change_during_a_build(tmp_path: Path) -> None:
    """A site that stays while the configuration is wrong is derived again with the configuration that it has."""
    files = brand_site()
    root = write_site(tmp_path / "site", files)
    preview = Preview(Options(root, ORIGIN, now=lambda: NOW, jobs=1), Jobs())
    try:
        preview.change(frozenset())
        write_site(root, {"devlog.toml": f'theme = "nope"\n{files["devlog.toml"]}'})
        preview.change(frozenset({"devlog.toml"}))
        found = [item.code for item in preview.diagnostics if item.severity == "error"]
        write_site(root, {POST: str(files[POST]) + "\n```dot\ndigraph {}\n```\n"})
        preview.change(frozenset({POST}))
        assert [item.code for item in preview.diagnostics if item.severity == "error"] == found
    finally:
        preview.close()
