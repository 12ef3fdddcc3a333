"""The log of the Lumen team: a site with every template, every element of a text, and the cases that break designs.

Who adds an element to devlog adds it here, and it is in the screenshots and in all that is measured.
"""

from __future__ import annotations

import io
import sys
import wave
import zlib
from pathlib import Path
from struct import pack

from notebook_files import code, encoded, notebook, printed, result, text
from selection import lacks
from sites import NOW, write_site
from validity.rich_site import EVERYTHING, png

from devlog.build import Options, build
from devlog.model.report import Report

CONFIG = """\
title = "Lumen DevLog"
description = "How the Lumen database is made: what we tried, what it cost, and what we kept."
base_url = "{base_url}"
source_repo = "https://code.example/lumen/lumen"
edit_url = "https://code.example/lumen/edit/main/{{path}}"
copyright = "The Lumen team"
content_security_policy = true
page_size = 12
topic_recent = 3

[authors.adaquill]
name = "Ada Quill"
url = "https://quill.example/"
bio = "Writes the storage engine, and the tools that show what it does."
avatar = "/images/ada.png"
affiliation = "Lumen"

[authors.adaquill.links]
Code = "https://code.example/ada"
Talks = "https://talks.example/ada-quill"

[authors.boreed]
name = "Bo Reed"
bio = "Plans queries."

[authors.planner]
name = "The planner team"
team = true

[comments]
provider = "giscus"
repo = "lumen/devlog"
repo_id = "R_lumen"
category = "Logs"
category_id = "DIC_lumen"

[cards]
enabled = false

[diagrams.boxes]
command = ['{python}', '{draw}']
"""

DRAW = """\
import sys

names = [name.strip() for name in sys.stdin.read().split("->")]
width = 140 * len(names)
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="60" viewBox="0 0 {width} 60">')
for place, name in enumerate(names):
    left = 140 * place + 10
    print(f'<rect x="{left}" y="10" width="100" height="40" fill="#e8efe9" stroke="#23433a"/>')
    print(f'<text x="{left + 50}" y="35" text-anchor="middle" font-family="sans-serif" font-size="14">{name}</text>')
    if place:
        print(f'<path d="M{left - 40} 30H{left}" stroke="#23433a"/>')
print("</svg>")
"""

PATH = """\
---
title: From a query to the disk
description: Five logs for those who are new to Lumen.
unlisted: true
reading_path:
  - post: 2026-01-15-hello.md
    why: Who we are, and what this log is about.
  - post: planner/2026-05-02-join-order.md
    why: What happens to a query before it meets any data.
    before: [about.md, What an index is]
  - post: planner/2023-02-02-note-1.md
    why: How results travel.
  - post: network/2026-05-26-new.md
  - storage/2023-01-01-note-0.md
before:
  - You have used a database before.
  - about.md
---
Read these in order; each builds on those before it.
"""

CODE = """\
---
title: Code of every kind
author: "Ada Quill (@adaquill)"
date: 2026-06-02
tags: [Storage, tooling]
series: Reading a page
part: 2
---

How a page is read, shown with every way to show code. Names such as `page_size` stand in the text.

## A file with a title

```python title="lumen/store/page.py" linenos hl_lines="3 6-7"
def read(self, number: int) -> Page:
    \"\"\"The page with a number, from memory or from the file.\"\"\"
    if (page := self.cache.get(number)) is not None:
        return page
    data = self.file.read_at(number * PAGE_SIZE, PAGE_SIZE)
    if checksum(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise DamagedError(f"page {number} of {self.file.name} is damaged, and its copy in the log is too old to help")
    return self.cache.keep(number, Page(data))
```

```diff
 def put(key, value):
-    pages[hash(key)].append((key, value))
+    pages[hash(key) % len(pages)].append((key, value))
```

```console
$ lumen check --pages 1000
1,000 pages read, 0 damaged
$ echo $?
0
```

```ansi
\\e[32mpassed\\e[0m in 1.2 s, \\e[1;31m2 failed\\e[0m, \\e[33m3 skipped\\e[0m
```

```sql
SELECT name, count(*) FROM pages JOIN files USING (file_id) WHERE damaged GROUP BY name HAVING count(*) > 3 ORDER BY 2;
```

## The same in other languages

```python tab="Python"
page = store.read(7)
```

```rust tab="Rust"
let page = store.read(7)?;
```

```text
plain text, without a language
```

## A part of a file

{{< code file="page.c" region="checksum" >}}
"""

INCLUDED = """\
#include "page.h"

// region checksum
uint32_t page_checksum(const uint8_t *data, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++) sum = sum * 31 + data[i];
    return sum;
}
// endregion
"""

NOTEBOOK_HEAD = """\
---
title: Where the milliseconds of a commit go
description: A notebook with every kind of output.
date: 2022-12-05
author: Ada Quill (@adaquill)
tags: [wal]
---"""

NOTEBOOK_TABLE = """\
<table><thead><tr><th></th><th>median, ms</th><th>99 %, ms</th></tr></thead><tbody>
<tr><th>append</th><td>0.04</td><td>0.11</td></tr><tr><th>fsync</th><td>1.91</td><td>7.40</td></tr>
<tr><th>reply</th><td>0.02</td><td>0.05</td></tr></tbody></table>"""

PICTURES = """\
---
title: Pictures, films and formulas
author: "Bo Reed (@boreed), Ada Quill (@adaquill)"
date: 2026-06-05
tags: [planner, "cost model"]
series: Reading a page
part: 3
image: plan.png
---

The cost of a plan is $c(p) = \\sum_{i=1}^{n} w_i \\cdot r_i$, and a ticket costs $5.

## Formulas

$$
\\hat{r}(A \\bowtie B) = \\frac{|A| \\cdot |B|}{\\max(d_A, d_B)} \\int_0^1 f(x)\\,dx
$$

\\begin{align}
a &= b + c \\\\
d &= e
\\end{align}

## Diagrams

```boxes title="From a text to rows"
parse -> plan -> run
```

## Pictures

![The plan of a query with three joins](plan.png "A plan")

{{< figure src="plan.png" alt="The same plan" caption="The plan, with its *cost*." >}}

![In the light](light.png#gh-light-mode-only)
![In the dark](dark.png#gh-dark-mode-only)

![One](one.png) ![Two](two.png) ![Three](three.png)

## Films and sounds

![A page is split](split.mp4)

<audio src="tone.wav" controls></audio>

{{< youtube id="dQw4w9WgXcQ" title="Lumen in ten minutes" poster="plan.png" >}}

{{< asciinema id="113463" title="A check of a thousand pages" >}}
"""

SHOW = """\
---
title: Lumen aloud
description: The log of a week, told in a few minutes
podcast:
  author: The Lumen team
  owner: Lumen <log@lumen.example>
  image: cover.png
  category: Technology
  license: CC-BY-4.0
---
"""

EPISODE = """\
---
title: The week in which vacuum learnt to wait
author: "Ada Quill (@adaquill), Bo Reed (@boreed)"
date: 2026-06-07
tags: [vacuum]
audio:
  file: week.wav
  duration: PT16S
  season: 2
  episode: 14
  image: cover.png
  people:
    - {name: Ada Quill, role: host, url: "https://quill.example/"}
    - {name: Bo Reed, role: guest}
    - Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft
  chapters:
    - {start: 0:00, title: Good morning}
    - start: 0:04
      title: What vacuum did until now, and why that was too early for replicas that read for hours
      url: https://code.example/lumen/pull/18
    - {start: 0:12, title: データベースの記録}
  transcript: week.vtt
---

Vacuum no longer removes what a replica still reads. How we found that out, and what it costs.
"""

SPOKEN = """\
WEBVTT

00:00:00.000 --> 00:00:03.500
<v Ada Quill>Good morning. This is Lumen aloud, of the seventh of June.

00:00:04.250 --> 00:00:08.000
<v Bo Reed>Until now, vacuum removed a row as soon as no writer needed it.

00:00:08.000 --> 00:00:11.500
<v Bo Reed>A replica that reads for hours was not asked, and so `SELECT` failed there with <snapshot too old>.

00:00:12.000 --> 00:00:14.000
<v Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft>And now it waits?

00:00:14.000 --> 00:00:16.000
<v Ada Quill>It waits, for at most an hour. See PR 18.
"""

TITLES = {
    "2026-06-08-long": (
        "Why the write-ahead log of a replica that has been away for longer than a retention period "
        "is fetched from an archive, and what happens while it is: notes from three nights"
    ),
    "2026-06-09-word": (
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft::log_segment_iterator"
    ),
    "2026-06-10-cjk": "データベースの記録：ページ分割について",
    "2026-06-11-markup": "`Page<T>` & “quotes” <b>as text</b>",
}

FILLER = (
    "The planner keeps what it knows of each table in one page, and reads that page before it chooses. When rows "
    "come and go the page grows old, so that a choice made on Monday may be a poor one on Friday.\n"
)

OLD = f"""\
---
title: Frames without a length
author: Cy Marsh (@cymarsh)
tags: [wire]
applies_to: [Lumen 2.1, LumenConnectionPoolerForReplicasThatAreFarAway 3]
reviewed: 2026-04-30
ai:
  drafted: Quillwright 3
  edited_by: [Cy Marsh, Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft]
---

> **Disclaimer.** The author wrote the code that is measured here, and `lumen.connection.pool.replica_far_away` too.

{FILLER}
"""


def picture(width: int, height: int, color: tuple[int, int, int] = (32, 96, 80)) -> bytes:
    """A picture with an edge and a slope, large enough to be worth other sizes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))

    red, green, blue = color

    def row(odd: int) -> bytes:
        shades = ((255 - x * 96 // width if (x // 40 + odd) % 2 else 0) for x in range(width))
        return b"\0" + b"".join(bytes((s or red, s or green, s or blue)) for s in shades)

    both = row(0), row(1)  # no row is another one
    rows = [both[y // 40 % 2] for y in range(height)]
    head = pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(b"".join(rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def measured() -> str:
    """A notebook: text, formulas, and cells that print, show a table and an image, fail, and are folded."""
    traceback = ["\x1b[0;31mZeroDivisionError\x1b[0m: division by zero"]
    failed = {
        "output_type": "error",
        "ename": "ZeroDivisionError",
        "evalue": "division by zero",
        "traceback": traceback,
    }
    image = result(image_png=encoded(picture(640, 320)), text_plain="<Figure size 640x320>")
    return notebook(
        text(NOTEBOOK_HEAD, "raw"),
        text("A commit waits for the disk: $t = t_a + t_f + t_r$.\n\n## Measuring\n"),
        code("import lumen\n\ndb = lumen.open('bench.db')", tags=("hide-cell",)),
        code(
            "times = [db.commit_timed() for _ in range(1000)]\nprint(len(times), 'commits')", printed("1000 commits\n")
        ),
        code("table(times)", result(text_html=NOTEBOOK_TABLE, text_plain="…")),
        text("## Over the day\n\nThe slow ones come together:\n"),
        code("plot(times)", image),
        code("1 / len([])", printed("dividing\n", "stderr"), failed),
    )


def sound(seconds: int) -> bytes:
    """A WAV file: a quiet tone, another one each second."""
    rate = 4000
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(1)
        writer.setframerate(rate)
        places = range(seconds * rate)
        writer.writeframes(bytes(128 + place // (6 + place // rate % 5) % 2 * 12 for place in places))
    return file.getvalue()


REFERENCES = """
Since PR 1203 the planner asks for the order of joins once, and since other/parts#44 it believes the answer. @adaquill
found in commit 4d5e6f7 what `src/planner/join/order_of_joins_with_statistics.c:1200-1260` had done since #1187: it
looked at [this table](https://code.example/lumen/lumen/blob/v1.2/src/planner/cost.c#L10-L24) for each pair. It is all
in PR 1203.
"""


def showcase(root: Path, base_url: str) -> dict[str, str | bytes]:
    """The files of the site.

    Args:
        root: where they will be written: a command of the configuration lies there.
        base_url: where the site will be published.
    """
    config = CONFIG.format(base_url=base_url, python=sys.executable, draw=root / "draw.py")
    files: dict[str, str | bytes] = {
        "devlog.toml": config,
        "draw.py": DRAW,
        "static/images/ada.png": png(72, 72),
        "content/_index.md": "---\ntitle: Home\n---\nWhat we do at *Lumen*, written down while we do it.\n",
        "content/about.md": "# About\n\nWho we are, and [where to begin](storage/2026-05-20-everything.md).\n",
        "content/storage/_index.md": (
            "---\ntitle: Storage\ndescription: Pages, logs & everything below a row\n---\nThe engine below.\n"
        ),
        "content/storage/2026-05-20-everything.md": EVERYTHING,
        "content/storage/data.csv": "a,b\n",
        "content/storage/clip.mp4": b"\0\0\0\x18ftypmp42",
        "content/images/plan.png": png(64, 48),
        "content/storage/2026-06-02-code.md": CODE,
        "content/storage/page.c": INCLUDED,
        "content/storage/2022-12-05-commit.ipynb": measured(),
        "content/planner/_index.md": "---\ntitle: Planner\ndescription: From queries to plans\n---\n",
        "content/planner/2026-05-02-join-order.md": (
            "---\ntitle: Join order\nauthor: The planner team (@planner)\ntags: [Storage, cost model]\n"
            f"series: Reading a page\npart: 1\n---\n{FILLER}"
            "\n## Cost\n\nIt pays, as [all](../storage/2026-05-20-everything.md) does.\n" + REFERENCES
        ),
        "content/planner/2026-06-05-pictures/index.md": PICTURES,
        "content/planner/2026-06-05-pictures/plan.png": picture(1200, 600),
        "content/planner/2026-06-05-pictures/split.mp4": b"\0\0\0\x18ftypmp42",
        "content/planner/2026-06-05-pictures/tone.wav": b"RIFF\x24\0\0\0WAVEfmt ",
        "content/network/_index.md": "---\ntitle: Network & protocols\n---\n",
        "content/network/2026-05-25-draft.md": (
            "---\ntitle: Not finished\nauthor: Cy Marsh (@cymarsh)\ndraft: true\ntags: [wire]\n---\nSoon.\n"
        ),
        "content/network/2026-07-01-later.md": "---\ntitle: For July\nauthor: Cy Marsh (@cymarsh)\n---\nLater.\n",
        "content/network/2026-02-02-old.md": OLD,
        "content/network/2026-02-03-older.md": (
            f"---\ntitle: How it was\nauthor: Cy Marsh (@cymarsh)\nstatus: historical\nai: true\n---\n{FILLER}"
        ),
        "content/network/2026-05-26-new.md": (
            "---\ntitle: Frames that know how long they are, and connections that do not wait for them\n"
            "author: Cy Marsh (@cymarsh)\nsupersedes: 2026-02-02-old.md\n---\n" + FILLER
        ),
        "content/empty/_index.md": "---\ntitle: Tooling\ndescription: Nothing yet\n---\n",
        "content/talks/_index.md": SHOW,
        "content/talks/cover.png": picture(1400, 1400),
        "content/talks/2026-06-07-vacuum/index.md": EPISODE,
        "content/talks/2026-06-07-vacuum/week.vtt": SPOKEN,
        "content/talks/2026-06-07-vacuum/week.wav": sound(16),
        "content/talks/2026-06-07-vacuum/cover.png": picture(320, 320),
        "content/start.md": PATH,
        "content/2026-01-15-hello.md": "---\ntitle: Hello\nauthor: Ada Quill (@adaquill)\n---\nWithout a topic.\n",
    }
    for name, color in {"light": (235, 240, 236), "dark": (20, 60, 50), "one": (180, 60, 60)}.items():
        files[f"content/planner/2026-06-05-pictures/{name}.png"] = picture(320, 160, color)
    for name, size in {"two": (160, 240), "three": (240, 160)}.items():
        files[f"content/planner/2026-06-05-pictures/{name}.png"] = picture(*size, (60, 60, 160))
    for name, title in TITLES.items():
        text = (
            f"---\ntitle: {_quoted(title)}\nauthor: [Bo Reed (@boreed), 王小明 (@xiaoming)]\ntags: [retention]\n---\n"
        )
        files[f"content/network/{name}.md"] = text + FILLER * 6
    for number in range(40):
        year, month = 2023 + number // 12, number % 12 + 1
        author = ("Ada Quill (@adaquill)", "Bo Reed (@boreed)", "Cy Marsh")[number % 3]
        topic, tag = ("storage", "planner")[number % 2], ("notes", "wal", "b-tree", "vacuum")[number % 4]
        files[f"content/{topic}/{year}-{month:02}-{number % 27 + 1:02}-note-{number}.md"] = (
            f"---\ntitle: Notes of week {number}\nauthor: {author}\ntags: [{tag}]\n---\n{FILLER * (number % 3 + 1)}"
        )
    return files


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_PAGES = {
    "home": "",
    "topic": "storage/",
    "topic-page-2": "storage/page/2/",
    "topic-empty": "empty/",
    "post": "storage/2026-05-20-everything/",
    "post-code": "storage/2026-06-02-code/",
    "post-pictures": "planner/2026-06-05-pictures/",
    "post-notebook": "storage/2022-12-05-commit/",
    "post-episode": "talks/2026-06-07-vacuum/",
    "post-long-title": "network/2026-06-08-long/",
    "post-long-word": "network/2026-06-09-word/",
    "post-draft": "network/2026-05-25-draft/",
    "post-superseded": "network/2026-02-02-old/",
    "post-historical": "network/2026-02-03-older/",
    "page": "about/",
    "path": "start/",
    "author": "authors/adaquill/",
    "team": "authors/planner/",
    "authors": "authors/",
    "tag": "tags/notes/",
    "tags": "tags/",
    "archive": "archive/",
    "search": "search/",
    "subscribe": "subscribe/",
    "404": "404.html",
    "references": "refs/",
    "files": "refs/files/",
}
_MADE_BY = {
    "post-notebook": "notebooks",
    "path": "reading_paths",
    "search": "site_search",
    "references": "source_references",
    "files": "source_references",
}
"""The features without which there is no such page."""

PAGES: dict[str, str] = {
    name: path for name, path in _PAGES.items() if name not in _MADE_BY or not lacks([_MADE_BY[name]])
}
"""One page of every template, and those on which designs break, by a short name."""


def file_of(path: str) -> str:
    """The file of a page's address."""
    return f"{path}index.html" if path.endswith("/") or not path else path


def build_showcase(root: Path, base_url: str, theme: str = "default") -> Report:
    """Write the site into a folder and build it as a preview shows it: with drafts, and what is not due yet."""
    files = showcase(root, base_url)
    write_site(root, {**files, "devlog.toml": f'theme = "{theme}"\n{files["devlog.toml"]}'})
    return build(Options(root=root, now=NOW, jobs=1, drafts=True, future=True))
