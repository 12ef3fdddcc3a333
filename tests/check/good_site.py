"""A good small devlog, of which a strict check tells nothing: what the mutation test breaks."""

from __future__ import annotations

from cases_format import png

CONFIG = """\
title = "Lumen DevLog"
description = "Notes from the makers of a database"
base_url = "https://docs.example.org/lumen/"
language = "en"
timezone = "Europe/Lisbon"
source_repo = "https://github.com/example/lumen-log"
recent = 8

[[menu]]
name = "Storage"
url = "/storage/"

[[menu]]
name = "Network"
url = "/network/"
weight = 5

[[menu]]
name = "About"
url = "/about/"
weight = 10

[feeds]
limit = 12

[settings]
accent = "violet"

[tags]
allowed = ["cache", "checksum", "compaction", "network", "planner", "query", "storage", "testing", "tls", "wal"]

[check]
image_budget = 200
hosts = ["lumen-intra.example.com"]

[check.patterns]
incident = "INC-[0-9]{4}"

[redirects]
"/joins/" = "/query/2026-02-14-joins.md"
"/chat/" = "https://chat.example.org/lumen"
"""

AUTHORS = """\
adaquill:
  name: Ada Quill
  bio: Works on storage.
boreed:
  name: Bo Reed
  url: https://boreed.example.org/
cyvale:
  name: Cy Vale
lumen-release:
  name: Lumen release team
  team: true
"""

HOME = """\
---
title: Lumen DevLog
---
What we learn while we build [the storage](storage/_index.md) and [the network](network/_index.md) of Lumen.
"""

ABOUT = """\
---
title: About
---
Lumen is a database. We write about [pages](storage/2026-03-02-page-cache.md) and [wires](/network/), and
whoever wants to know more asks <lumen@example.org>.
"""

CACHE = """\
---
title: A cache for pages
author: Ada Quill (@adaquill)
tags: [storage, cache]
description: What stays in memory, and for how long
---
A page that was read is kept until another one needs its room. What the [log](2026-03-20-write-ahead-log.md) does
with it is another question.[^clock]

## Which page goes

| policy | hits |
|---|---:|
| clock | 81 % |
| oldest first | 74 % |

![Hits by size of the cache](../../static/images/storage/hits.png)

## Pages in use

A page in use stays, as the [joins](../query/2026-02-14-joins.md#large-tables) need it.

[^clock]: Its hand goes round, as [others](https://papers.example.org/clock) have shown.
"""

LOG = """\
+++
title = "A log before all else"
date = 2026-03-20
author = "Ada Quill (@adaquill), Bo Reed (@boreed)"
tags = ["storage", "wal", "testing"]
+++

What is not in the log has not happened.

<!-- more -->

## The format

Each record has a length and a [checksum](2026-05-04-checksums.md#where-it-stands).

```python title="record.py"
def write(record: bytes) -> None:
    log.append(len(record), record)
```

## Replay

1. Find the last mark.
2. Read on from there.
   - A torn record ends the log.

See the [cache](2026-03-02-page-cache.md) for what happens to the pages.
And [the retries](../network/2026-04-02-retries.md) for what a client does.
"""

COMPACTION = """\
---
title: Compaction in levels
date: 2026-04-11
author: Bo Reed (@boreed)
tags:
  - storage
  - compaction
---
> **TL;DR** – Small files become large ones, and old values go.

![Files by level](levels.png)

## Small files first

Each level is ten times as large as the one above, as in the [log](../2026-03-20-write-ahead-log.md#replay).

<details>
<summary>The numbers</summary>
<p>Ten, a hundred, a thousand.</p>
</details>

## Old values

They go when no one can see them any more; see [below](#small-files-first).
"""

CHECKSUMS = """\
---
title: Checksums that cost nothing
date: 2026-05-04
author: Cy Vale (@cyvale)
tags: [storage, checksum]
aliases: [/old/checksums/]
---
Disks lie. A checksum tells when they do.

## Where it stands

It stands behind the record, since only then is all of it known.

<img src="checksum-cost.png" alt="Time by size of the record" width="400">

## What it costs

Nothing that we could measure, says [the code][code].

[code]: https://github.com/example/lumen/blob/0123456789abcdef0123456789abcdef01234567/src/checksum.c#L10-L20
"""

HANDSHAKE = """\
{
  "title": "A handshake in one round",
  "date": "2026-03-15",
  "authors": ["Bo Reed (@boreed)"],
  "tags": ["network", "tls"]
}

Both sides speak at once. What comes of it stands in the [retries](2026-04-02-retries.md).

![The order of messages](/images/network/handshake.png)

## Keys

They are agreed on before the first byte of data.
"""

RETRIES = """\
---
title: Retries without storms
date: 2026-04-02
author: Bo Reed (@boreed), Ada Quill (@adaquill)
tags: [network, testing]
---
A client that tries again at once makes everything worse.

## Waiting

- [x] Wait twice as long each time.
- [x] Add a random part.

The first wait follows the [handshake](2026-03-15-handshake.md#keys), the last one [gives up](#giving-up).

## Giving up

> [!NOTE]
> After a minute, nobody is there any more.
"""

FLOW = """\
+++
title = "Flow control with credit"
date = 2026-05-10
author = "Cy Vale (@cyvale), Lumen release team"
tags = ["network", "testing"]
+++

A reader tells how much it can take. That is what a writer may send, and [no more](2026-04-02-retries.md#giving-up).

## Credit

```text
reader -> writer: 64 KiB
writer -> reader: data
```

A window of `64 KiB` is enough for the [scans](../query/2026-04-25-vectorised-scans.md).
"""

JOINS = """\
---
title: Joins that fit into memory
date: 2026-02-14
author: Ada Quill (@adaquill)
tags: [query, cache]
---
A small table becomes a hash table. For others, see the [cost](planner/2026-05-20-cost-model.md#what-a-page-costs).

## Large tables

They are cut by the hash of their key, and each part is joined alone.

## Measuring

Run `bench joins` twice; the first run fills the [cache](../storage/2026-03-02-page-cache.md#pages-in-use).
"""

SCANS = """\
---
title: Scans that read columns
author: Cy Vale (@cyvale)
date: "2026-04-25T10:30:00+01:00"
tags: [query, storage]
---
A thousand values at once keep the processor busy.

## Vectors

```cpp {title="scan.cpp" hl_lines=[2]}
for (auto &vector : column)
  sum += add(vector);
```

## Filters

They mark values and move nothing, as [joins](2026-02-14-joins.md#large-tables) like it.
The pages come from [storage](../storage/_index.md), the credit from
[flow control](../network/2026-05-10-flow-control.md#credit), which is another story.
"""

COSTS = """\
---
title: What a plan costs
date: 2026-05-20
author: "Ada Quill (@adaquill), Cy Vale (@cyvale)"
tags: [planner, query]
series: Planning
---
Costs are guesses. Good guesses know [what is cached](../../storage/2026-03-02-page-cache.md).

## What a page costs

One read, or nothing. The model is in `planner/cost.py`, and [hints](2026-05-28-plan-hints.md) overrule it.

## What is left out

The network; but see [the compaction](../../storage/2026-04-11-compaction/index.md#old-values).
"""

HINTS = """\
---
title: Hints for the planner
date: 2026-05-28
author: Bo Reed (@boreed)
tags: [planner, testing]
series: Planning
---
A hint says what the [model](2026-05-20-cost-model.md#what-is-left-out) cannot know.

## How to write one

Write `/*+ hash */` behind `select`. What it does, the [log](../../storage/2026-03-20-write-ahead-log.md) tells.

## When not to

Mostly. See <a href="../2026-02-14-joins.md#measuring">how to measure</a>.
"""

FILES: dict[str, bytes] = {
    name: data if isinstance(data, bytes) else data.encode()
    for name, data in {
        "devlog.toml": CONFIG,
        "content/_index.md": HOME,
        "content/about.md": ABOUT,
        "content/authors.yml": AUTHORS,
        "content/storage/_index.md": "---\ntitle: Storage\ndescription: Pages, logs and disks\n---\n",
        "content/storage/2026-03-02-page-cache.md": CACHE,
        "content/storage/2026-03-20-write-ahead-log.md": LOG,
        "content/storage/2026-04-11-compaction/index.md": COMPACTION,
        "content/storage/2026-04-11-compaction/levels.png": png(60, 40),
        "content/storage/2026-05-04-checksums.md": CHECKSUMS,
        "content/storage/checksum-cost.png": png(400, 200),
        "content/network/_index.md": "---\ntitle: Network\ndescription: Bytes on wires\n---\n",
        "content/network/2026-03-15-handshake.md": HANDSHAKE,
        "content/network/2026-04-02-retries.md": RETRIES,
        "content/network/2026-05-10-flow-control.md": FLOW,
        "content/query/_index.md": '+++\ntitle = "Query"\ndescription = "From SQL to rows"\n+++\n',
        "content/query/2026-02-14-joins.md": JOINS,
        "content/query/2026-04-25-vectorised-scans.md": SCANS,
        "content/query/planner/_index.md": "---\ntitle: Planner\n---\nHow plans are made.\n",
        "content/query/planner/2026-05-20-cost-model.md": COSTS,
        "content/query/planner/2026-05-28-plan-hints.md": HINTS,
        "static/images/storage/hits.png": png(50, 50),
        "static/images/network/handshake.png": png(80, 30),
        "static/robots.txt": b"User-agent: *\n",
    }.items()
}
"""The files of the site."""
