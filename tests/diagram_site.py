"""A site with diagrams, which a program of its own draws, and edits of it."""

from __future__ import annotations

import json
from pathlib import Path

TOOL = """
import sys
text = sys.stdin.read()
with open(sys.argv[1], "a") as log:
    log.write(text)
if "wrong" in text:
    sys.exit("no such box")
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{10 + len(text)}" height="3"><text>{text}</text></svg>')
"""


REST = "[search]\nenabled = false\n[cards]\nenabled = false\n"
"""What is made in the background, and is not what these tests are about."""


def site(log: Path, **posts: str) -> dict[str, str]:
    """A site whose diagrams are drawn by a program of its own, which notes in a file what it has drawn."""
    command = json.dumps(["python3", "{root}/tools/draw.py", str(log)])
    return {
        "devlog.toml": f'base_url = "/log/"\n{REST}[diagrams.box]\ncommand = {command}\n',
        "tools/draw.py": TOOL,
        "content/index.md": "---\ntitle: Plain\n---\nNothing.\n",
        **{f"content/2026-05-0{i}-{name}.md": post(text) for i, (name, text) in enumerate(posts.items(), 1)},
    }


def post(*diagrams: str, before: str = "") -> str:
    fences = "".join(f"\n```box\n{text}\n```\n" for text in diagrams)
    return f"---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n{before}{fences}"


def taken(log: Path) -> list[str]:
    """What was drawn since this was last asked."""
    found = sorted(log.read_text().split())
    log.write_text("")
    return found


EDITS = (
    {"content/2026-05-01-a.md": post("one", "two")},
    {"content/2026-05-01-a.md": post("one", "two", before="A line more.\n")},
    {"content/2026-05-01-a.md": post("two", "wrong", before="A line more.\n")},
    {"content/2026-05-01-a.md": post("two", "wrong", before="A line\n\nmore.\n")},
    {"content/2026-05-02-b.md": post("wrong")},
    {"content/2026-05-01-a.md": post("two")},
    {"content/2026-05-02-b.md": post("two")},
    {"content/2026-05-03-c.md": post("new")},
    {"content/2026-05-01-a.md": post(), "content/2026-05-02-b.md": post()},
    {"tools/draw.py": TOOL.replace("height", 'opacity="1" height'), "content/2026-05-01-a.md": post("one")},
    {"content/2026-05-01-a.md": post("one").replace("```box", "```mermaid")},
)
"""Edits one after the other; what is drawn differs, or only where it stands."""
