"""A small log for tests of what agents read."""

from __future__ import annotations

import base64
from pathlib import Path

from sites import build_site, read_tree, write_site

_PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

LOG: dict[str, str | bytes] = {
    "devlog.toml": (
        'title = "Lumen"\ndescription = "The log of *a* database & more"\nbase_url = "https://lumen.example/log/"\n'
        "[images]\nenabled = false\n[cards]\nenabled = false\n"
    ),
    "content/storage/_index.md": (
        "---\ntitle: Storage\ndescription: Where pages <are>\n---\nThe storage *team* writes here.\n"
    ),
    "content/storage/page.png": _PICTURE,
    "static/files/plan.txt": "A plan.\n",
    "content/storage/2026-05-01-pages.md": (
        '---\ntitle: "Pages: “how” they are written #1"\ndate: 2026-05-01\nupdated: 2026-05-03\n'
        'author: "Ada Quill (@adaquill), Bo Reed"\ntags: [wal, C++]\nsummary: What a page holds.\n'
        "aliases: [/was/]\n---\n"
        "# Pages: “how” they are written #1\n\n<!-- nobody reads this -->\n\n"
        "See [joins](../planner/2026-04-01-joins.md#how), the\n[plan](/files/plan.txt) and [below](#end).\n\n"
        "![A page](page.png)\n\n## End\n"
    ),
    "content/storage/secret.md": (
        "---\ntitle: Secret\ndate: 2026-05-02\nauthor: Ada Quill (@adaquill)\ndraft: true\n---\nSecret.\n"
    ),
    "content/planner/_index.md": "---\ntitle: Planner\n---\n",
    "content/planner/2026-04-01-joins.md": (
        "---\ntitle: Joins\ndate: 2026-04-01\nauthor: Ada Quill (@adaquill)\nstatus: historical\n---\n"
        "How rows meet.\n\n## How\n\nWords.\n"
    ),
    "content/about.md": "---\ntitle: About\n---\nWho we are.\n",
    "content/old.html": "---\ntitle: Old\nurl: /old/page.html\n---\n<p><b>Bold</b> words</p>\n",
}
"""A log with two topics, a draft and two plain pages, one of which is HTML."""


def built(folder: Path, more: str = "", *, drafts: bool = False, **settings: str) -> dict[str, str]:
    """The texts of the log as it is published.

    Args:
        folder: where it is built.
        more: what else its configuration says.
        drafts: whether drafts are shown.
        settings: keys at the top of its configuration, in place of its own.
    """
    lines = str(LOG["devlog.toml"]).splitlines()
    lines = [line for line in lines if line.partition(" =")[0] not in settings]
    given = [f'{key} = "{value}"' for key, value in settings.items()]
    top, tables = more.partition("[")[0], more.partition("[")[1] + more.partition("[")[2]
    write_site(folder, {**LOG, "devlog.toml": "\n".join([*given, top, *lines, tables, ""])})
    report = build_site(folder, drafts=drafts)
    assert [item.message for item in report.diagnostics if item.severity == "error"] == []
    return published(folder)


def published(folder: Path) -> dict[str, str]:
    """The texts of what is published."""
    tree = read_tree(folder / "public")
    texts = {path: data for path, data in tree.items() if not path.startswith(".")}
    return {path: data.decode() for path, data in texts.items() if path.endswith((".html", ".md", ".txt", ".json"))}
