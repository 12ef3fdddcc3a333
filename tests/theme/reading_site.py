"""A small site with all that the theme's scripts and drawings are about."""

from __future__ import annotations

import struct
import zlib

CONFIG = """\
title = "Lumen DevLog"
description = "Notes from the makers of a database"
base_url = "https://lumen.example.org/devlog/"
language = "{language}"
source_repo = "https://code.example.org/lumen/devlog"

[cards]
enabled = false

[authors.adaquill]
name = "Ada Quill"
bio = "Works on storage."
avatar = "/img/ada.png"
links = {{ Talks = "https://talks.example.org/ada" }}

[settings]
accent = "{accent}"
"""

WORDS = "The planner reads its statistics before it opens a single page, and that was the surprise. " * 6
WORD = "Incrementalmaterializedviewmaintenanceconsideredindistinguishablefromcaching"

POST = """\
---
title: "{title}"
date: {date}
author: "{author}"
tags: [{tags}]
{more}---

{body}
"""

LONG = f"""\
> **TL;DR** – every record carries its length.

{WORDS}Old files stay readable.[^old] The [others](2026-05-01-second.md) do too.[^two]

![A chart of writes](/img/chart.png)

## Records

{WORDS}

```python title="replay.py"
def replay(log: Iterable[Record], pages: PageCache, *, since: int = 0, until: int | None = None) -> int: ...
```

### Their lengths

{WORDS}{WORDS}

## Checksums

{WORDS}{WORDS}

| bytes | meaning | unit | remark | machine | place |
|------:|---------|------|--------|---------|-------|
| 4     | length  | bytes | little endian, as ever | big-iron-17 | cellar |

{WORDS}{WORDS}

## The end

Short.

[^old]: Since *version* 3, see [the second](2026-05-01-second.md).
[^two]: Most of them.
"""


def post(
    title: str, date: str, author: str = "Ada Quill (@adaquill)", tags: str = "wal", *, body: str, more: str = ""
) -> str:
    """A post's text; `more` are lines of front matter."""
    return POST.format(title=title, date=date, author=author, tags=tags, body=body, more=more)


def picture(width: int, height: int) -> bytes:
    """A PNG of one color."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\x20\x60\x50" * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def reading_site(language: str = "en", accent: str = "green") -> dict[str, str | bytes]:
    """The site's files by path."""
    series = "series: Inside the log\npart: {}\n"
    return {
        "devlog.toml": CONFIG.format(language=language, accent=accent),
        "content/about.md": f"---\ntitle: About\n---\n\n{WORDS}\n",
        "content/storage/_index.md": "---\ntitle: Storage\ndescription: Bytes on disks\n---\n\nAll about files.\n",
        "content/planner/_index.md": "---\ntitle: Planner\n---\n",
        "content/empty/_index.md": "---\ntitle: Empty\n---\n",
        "content/storage/2026-06-01-format.md": post(
            "A format for the log",
            "2026-06-01",
            "Ada Quill (@adaquill), Bo Reed (@boreed)",
            "wal, design",
            body=LONG,
            more="updated: 2026-06-03\n" + series.format(2),
        ),
        "content/storage/2026-05-01-second.md": post(
            "Records that know their length", "2026-05-01", body=WORDS, more=series.format(1)
        ),
        "content/storage/2025-11-01-third.md": post(
            WORD, "2025-11-01", "Bo Reed (@boreed)", WORD.lower(), body=f"# {WORD}\n\n{WORD} `{WORD}`"
        ),
        "content/planner/2025-02-01-joins.md": post(
            "Joins", "2025-02-01", "Lumen release team", "planner, design", body=WORDS
        ),
        "content/planner/undated.md": post("Without a date", "", "Bo Reed (@boreed)", "planner", body="Short."),
        "static/img/ada.png": picture(64, 64),
        "static/img/chart.png": picture(1600, 600),
    }


PAGES = {
    "home": "",
    "topic": "storage/",
    "empty topic": "empty/",
    "post": "storage/2026-06-01-format/",
    "long words": "storage/2025-11-01-third/",
    "page": "about/",
    "author": "authors/adaquill/",
    "initials": "authors/boreed/",
    "authors": "authors/",
    "tag": "tags/wal/",
    "tags": "tags/",
    "archive": "archive/",
    "404": "404.html",
}
