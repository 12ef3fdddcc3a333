"""A small site whose readers search it."""

from __future__ import annotations

from pathlib import Path

from sites import write_site

CONFIG = """\
title = "Lumen"
base_url = "https://lumen.example.org/devlogs/"

[images]
enabled = false

[cards]
enabled = false
"""

GUARDS = """\
---
title: Guards and recompiles
date: 2026-05-04
author: Ada Quill (@adaquill)
tags: [guards, planner]
---

The planner keeps statistics for a day.

## When a guard fails

Set `recompile_limit` before `torch._check` is called, or pass `--no-cache`.

## Sizes

```cpp
auto n = limit(TensorImpl::sizes(x), getElementPtr(y));
```
"""

STORAGE = """\
---
title: Where pages are kept
date: 2025-02-03
author: Bo Reed (@boreed)
tags: [storage]
---

Cold pages sink to the bottom of the heap.

## Compaction

A quiet evening compacts them.
"""

HOSTILE = """\
---
title: '<img src=x onerror="window.hacked=1"> & "quotes"'
date: 2026-05-06
author: '<b>Cy Moss</b> (@cymoss)'
tags: ['<i>tag</i>']
---

A canary sings: `<script>window.hacked = 1</script>` and \\<u>underlined\\</u>.

## `<script>window.hacked = 1</script>` heading

The canary sings again, 0 1 2 3 4 5 6 7 8 9 times.
"""

DRAFT = """\
---
title: Secret plans
date: 2026-05-07
author: Ada Quill (@adaquill)
draft: true
---

Nobody finds the xylophone.
"""

SITE: dict[str, str | bytes] = {
    "devlog.toml": CONFIG,
    "content/_index.md": "---\ntitle: Lumen\n---\n",
    "content/kernels/_index.md": "---\ntitle: Kernels\n---\n",
    "content/kernels/2026-05-04-guards.md": GUARDS,
    "content/kernels/2026-05-06-hostile.md": HOSTILE,
    "content/kernels/2026-05-07-draft.md": DRAFT,
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    "content/storage/2025-02-03-pages.md": STORAGE,
}


def write(folder: Path, **more: str | bytes) -> Path:
    """Write the site; `more` replaces files of it or adds some. Returns its root."""
    return write_site(folder, {**SITE, **more})
