"""The log of the Lumen database: a small site that uses most of what devlog can do."""

from __future__ import annotations

CONFIG = """\
title = "Lumen DevLog"
description = "Notes from the makers of a database"
base_url = "https://lumen.example.org/devlog/"
recent = 4
search.enabled = false
topic_recent = 2
timezone = "Europe/Lisbon"

[authors.adaquill]
name = "Ada Quill"
bio = "Works on storage."

[feeds]
limit = 6

[settings]
topic_colors = true
"""

REPLAY = """\
---
title: Replaying the log twice
date: 2026-04-02
author: "Bo Reed (@boreed), Ada Quill (@adaquill)"
tags: [wal, testing]
aliases: [/old/replay/]
---

A record that is applied twice must change nothing, as [the format](2026-03-01-log-format.md#checksums) says.

{filler}

## Idempotence

See the ![diagram](/img/dot.png) and the [archive](/archive/).

```python title="replay.py"
def replay(record: Record) -> None:
    apply(record)
```
"""

FORMAT = """\
---
title: A format for the log
date: 2026-03-01T09:30:00+01:00
author: "Ada Quill (@adaquill)"
tags: [wal, design]
---

> **TL;DR** – every record carries its length and a checksum.

{filler}

## Checksums

| bytes | meaning |
|------:|---------|
| 4     | length  |
| 4     | sum     |

> [!NOTE]
> Old files stay readable.[^1]

[^1]: Since version 3.
"""

PLANNER = """\
+++
title = "Joins in the right order"
date = 2026-05-04
authors = ["Bo Reed (@boreed)"]
tags = ["planner", "Design"]
+++

Short text :rocket: before the break.

<!--more-->

The rest has <em>raw</em> HTML and a [broken link](nowhere.md).

- [x] greedy search
- [ ] dynamic programming
"""

FILLER = " ".join(f"Sentence {number} says something that nobody needs to remember." for number in range(12))

POST = """\
---
title: {title}
date: {date}
author: "{author}"
tags: [{tags}]
---

{body}
"""

DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)
"""A PNG of one pixel."""


def post(title: str, date: str, author: str = "Ada Quill (@adaquill)", tags: str = "wal", body: str = "Text.") -> str:
    """A post's text."""
    return POST.format(title=title, date=date, author=author, tags=tags, body=body)


def lumen() -> dict[str, str | bytes]:
    """The site's files by path."""
    return {
        "devlog.toml": CONFIG,
        "content/_index.md": (
            "---\ntitle: Home\n---\n\nWhat we do, week by week. See [the format](storage/2026-03-01-log-format.md).\n"
        ),
        "content/about.md": "---\ntitle: About\n---\n\nLumen is a database.\n",
        "content/authors.yml": "boreed:\n  name: Bo Reed\n  url: https://bo.example.org/\n",
        "content/storage/_index.md": "---\ntitle: Storage\ndescription: Bytes on disks\n---\n\nAll about files.\n",
        "content/storage/2026-03-01-log-format.md": FORMAT.format(filler=FILLER),
        "content/storage/2026-04-02-replay.md": REPLAY.format(filler=FILLER),
        "content/storage/2026-04-20-pages/index.md": post(
            "Pages of eight kilobytes", "2026-04-20", tags="design", body=f"A picture: ![dot](dot.png)\n\n{FILLER}"
        ),
        "content/storage/2026-04-20-pages/dot.png": DOT,
        "content/planner/_index.md": "---\ntitle: Planner\ndescription: From queries to plans\n---\n",
        "content/planner/2026-05-04-joins.md": PLANNER,
        "content/planner/2026-05-20-estimates.md": post(
            "Estimates", "2026-05-20", "Bo Reed (@boreed)", "planner", "Guess well.\n\n" + FILLER
        ),
        "content/planner/2026-06-01-unfinished.md": post("Unfinished", "2026-06-01").replace(
            "tags:", "draft: true\ntags:"
        ),
        "content/planner/2027-01-01-later.md": post("Later", "2027-01-01"),
        "content/empty/_index.md": "---\ntitle: Empty\n---\n",
        "static/img/dot.png": DOT,
        "static/humans.txt": "Ada, Bo\n",
    }
