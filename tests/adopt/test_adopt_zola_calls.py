"""A call of a shortcode that is too long for devlog is reported when a site of Zola is adopted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sites import write_site

from devlog.adopt.adopt import adopt


def test_a_long_call_is_reported(tmp_path: Path) -> None:
    text = f'Text.\n\n{{{{ figure(src="a.png", caption="{"long " * 1000}") }}}}\n'
    files = {
        "zola.toml": 'base_url = "https://lumen.example.org"\n',
        "content/log/2026-05-01-a.md": f'+++\ntitle = "A"\ndate = 2026-05-01\n+++\n\n{text}',
    }
    root = write_site(tmp_path / "site", files)
    adopted = adopt(root, datetime(2026, 6, 1, tzinfo=UTC), lambda *_: None, write=True)
    assert adopted.trial
    assert not adopted.left_out
    found = [item for item in adopted.trial.diagnostics if item.code == "incomplete-shortcode"]
    assert [(item.span.path, item.span.line) for item in found] == [("content/log/2026-05-01-a.md", 8)]
