"""A small log that tests of the server ask about."""

from __future__ import annotations

from pathlib import Path

from sites import write_site

SECRET = "the-secret-of-the-machine"

FILES = {
    "devlog.toml": (
        'title = "The Lumen log"\nbase_url = "https://docs.example.org/lumen/"\n'
        'source_repo = "https://github.com/example/lumen"\n'
        '[authors.adaquill]\nname = "Ada Quill"\n'
    ),
    "content/engine/_index.md": "---\ntitle: Engine room\ndescription: How the store works.\n---\n",
    "content/engine/cache/_index.md": "---\ntitle: Caches\ndescription: What is kept.\n---\n",
    "content/engine/2026-05-04-warm-starts.md": (
        "---\ntitle: Warm starts\nauthor: Ada Quill (@adaquill)\ntags: [Speed]\naliases: [/old/warm/]\n---\n\n"
        "The store starts warm since PR 185998.\n\n"
        "## Why `recompile_limit` matters\n\nBecause of [the cache](cache/2026-05-06-eviction.md).\n\n"
        "```python\n## no heading\n```\n\n### A detail\n\nSmall print.\n\nWhat is next\n------------\n\nMeasuring.\n"
    ),
    "content/engine/cache/2026-05-06-eviction.md": (
        "---\ntitle: Evicting lines\nauthor: Bo Reed (@boreed)\n---\n\nThe oldest line goes first, says @adaquill.\n"
    ),
    "content/2026-05-05-a-draft.md": "---\ntitle: Not finished\ndraft: true\n---\n\nUnripe words.\n",
    "content/about.md": "---\ntitle: About\n---\n\nThis is the log of Lumen.\n",
}
"""A topic in a topic, a draft, a plain page, references, and headings of three kinds."""


def lumen_log(folder: Path) -> Path:
    """The log, in a folder beside something that is nobody's business."""
    write_site(folder, {"outside.md": f"# Outside\n\n{SECRET}\n", "devlog.toml": f"# {SECRET}"})
    return write_site(folder / "site", FILES)
