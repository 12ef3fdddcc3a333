"""A site with every kind of page and all of devlog's Markdown."""

from __future__ import annotations

import struct
import zlib

CONFIG = """\
title = "Lumen DevLog"
description = "How the Lumen database is made."
base_url = "https://lumen.example/devlog/"
language = "en"
page_size = 5
recent = 10
source_repo = "https://code.example/lumen"
edit_url = "https://code.example/lumen/edit/main/{path}"
copyright = "The Lumen team"

[authors.adaquill]
name = "Ada Quill"
url = "https://quill.example/"
bio = "Writes the storage engine."
avatar = "/images/ada.png"

[authors.planner]
name = "The planner team"
team = true
"""


def png(width: int, height: int) -> bytes:
    """A picture of one color."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\x40\x80\x60" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


EVERYTHING = """\
---
title: "Everything at once & <more>"
author: "Ada Quill (@adaquill), Bo Reed (@boreed), The planner team (@planner)"
date: 2026-05-20T10:00:00+02:00
updated: 2026-05-22
tags: [Storage, C++, "crash safety", b.tree]
aliases: [/2026/everything.html, old-name/]
summary: What a page can hold, all in one.
description: Every kind of thing that a log can hold, so that each is seen at least once.
image: ../images/plan.png
supersedes: [/planner/2026-05-02-join-order/]
reviewed: 2026-06-01
applies_to: Lumen 2 & later
ai: {drafted: Quillwright <3>, edited_by: Ada Quill}
---

Some *emphasis*, **strong**, ***both***, ~~struck~~, `code`, a hard\\
break, :rocket:, an entity &copy;, <kbd>Ctrl</kbd> and a bare https://lumen.example/ address.

## Links and pictures

A [post](../planner/2026-05-02-join-order.md), its [section](../planner/2026-05-02-join-order.md#cost),
a [topic](../planner/_index.md), a [page](../about.md), a [place here](#code), a [reference][ref], a
[file](data.csv), <https://lumen.example/> and <ada@lumen.example>.

[ref]: https://code.example/lumen "The source"

![The plan](../images/plan.png "A plan") ![From the static folder](/images/ada.png)

{{< figure src="../images/plan.png" alt="A plan" caption="The *plan*, from [here](#code)." title="Plan" >}}

### Deeper

#### Deeper still

## Code

```python title="store.py" linenos hl_lines="2"
def put(key: str, value: bytes) -> None:
    pages[hash(key) % len(pages)].append((key, value))
```

```sql
SELECT name FROM logs WHERE topic = 'storage' ORDER BY date DESC;
```

```
no language
```

    indented

## Lists

1. one
   - two
   - three

     a paragraph
2. four

- [ ] to do
- [x] done

Page
: A block of bytes.

Log
: A list of changes.
: A diary.

## Tables

| Engine | Time | Size |
|:-------|-----:|:----:|
| old    |   12 | 3 |
| new    |    4 | `a\\|b` |

## Quotes and alerts

> **TL;DR** – It is faster.

> A quote
>
> > in a quote.

> [!NOTE]
> A note.

> [!WARNING]
> A warning with `code`.

## Code

The same heading again[^1], a named note[^note] and the first again[^1].

[^1]: A note with *emphasis*.
[^note]: Two paragraphs.

    The second.

---

<details><summary>More</summary>

Hidden *text*.

</details>

<p class="center"><img src="../images/plan.png" alt="Centred" width="120"></p>

<video src="clip.mp4" controls></video>
"""


def rich_site() -> dict[str, str | bytes]:
    """The files of the site."""
    files: dict[str, str | bytes] = {
        "devlog.toml": CONFIG,
        "content/_index.md": "---\ntitle: Home\n---\nWhat we do at *Lumen*, written down.\n",
        "content/about.md": "# About\n\nWho we are, and [a log](storage/2026-05-20-everything.md).\n",
        "content/storage/_index.md": "---\ntitle: Storage\ndescription: Pages & bytes\n---\nThe engine below.\n",
        "content/storage/2026-05-20-everything.md": EVERYTHING,
        "content/storage/data.csv": "a,b\n",
        "content/storage/clip.mp4": b"\0\0\0\x18ftypmp42",
        "content/storage/trees/_index.md": "---\ntitle: Trees\n---\n",
        "content/storage/trees/2026-04-30-splits/index.md": (
            "---\ntitle: Page splits\nauthor: Bo Reed (@boreed)\ntags: [b.tree]\n---\n"
            "How a page is split.\n\n![A split](split.png)\n"
        ),
        "content/storage/trees/2026-04-30-splits/split.png": png(40, 30),
        "content/planner/_index.md": "---\ntitle: Planner\n---\n",
        "content/planner/2026-05-02-join-order.md": (
            "---\ntitle: Join order\nauthor: The planner team (@planner)\ntags: [Storage]\n---\n"
            "> **Disclosure.** Drafted by a program.\n\n## Cost\n\nIt pays.\n"
        ),
        "content/empty/_index.md": "---\ntitle: Tooling\ndescription: Nothing yet\n---\n",
        "content/images/plan.png": png(64, 48),
        "static/images/ada.png": png(72, 72),
        "content/2026-01-15-hello.md": (
            "---\ntitle: Hello\nauthor: Ada Quill (@adaquill)\nstatus: historical\n---\nWithout a topic.\n"
        ),
        "content/planner/2025-12-31-notes.html": (
            "---\ntitle: Notes in HTML\nauthor: Ada Quill (@adaquill)\n---\n<p>Written <b>by hand</b>.</p>\n"
        ),
    }
    for number in range(1, 13):
        files[f"content/planner/2026-03-{number:02}-note-{number}.md"] = (
            f"---\ntitle: Note {number}\nauthor: Ada Quill (@adaquill)\ntags: [notes]\n---\nText number {number}.\n"
        )
    return files
