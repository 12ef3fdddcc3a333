"""A site with a payload in every field that a writer of posts can fill."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from urllib.parse import quote

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)

CONFIG = """\
title = "Lumen"
base_url = "https://lumen.example/log/"
page_size = 40
recent = 30
source_repo = "https://code.example/lumen/lumen"
edit_url = "https://code.example/lumen/edit/{path}"

[markdown]
emoji = false
typographer = true
mark = true
superscript = true
subscript = true
admonitions = true

[comments]
provider = "giscus"
repo = "lumen/log"
repo_id = "R_lumen"
category = "Logs"
category_id = "DIC_lumen"

[diagrams.boxes]
script = "/js/boxes.js"

[feeds]
limit = 1000
authors = "full"
tags = "full"
"""


SHORTCODE: dict[str, str | bytes] = {
    "templates/shortcodes/own.toml": 'said = "text"\nmark = "markdown"\nto = "link"\n',
    "templates/shortcodes/own.html": (
        '<p title="{{ said }}">{{ said }} {{ mark }} <a href="{{ to }}">a</a></p>\n{{ inner }}\n'
    ),
}
"""A shortcode of the site that has each type of argument."""


def hostile_site(payloads: Sequence[str]) -> dict[str, str | bytes]:
    """The files of a site: for each payload a post that has it everywhere, with authors, tags and topics of its own."""
    files: dict[str, str | bytes] = {"devlog.toml": CONFIG, "static/js/boxes.js": '"use strict";\n', **SHORTCODE}
    registry: dict[str, dict[str, str | dict[str, str]]] = {}
    steps: list[dict[str, str]] = []
    for number, payload in enumerate(payloads):
        topic = f"t{number // 8:02}"
        if number % 8 == 0:
            files[f"content/{topic}/_index.md"] = (
                _front({"title": in_front_matter(payload), "description": payload}) + payload + "\n\n```\nx\n```\n"
            )
        name = _file_name(payload)
        post = f"{topic}/2026-05-{number % 28 + 1:02}-p{number:03}-{name}.md"
        files[f"content/{post}"] = hostile_post(number, payload)
        said = in_front_matter(payload)
        steps.append({"post": quote(f"/{post}"), "why": said, "before": said})
        if number % 8 == 7 or number == len(payloads) - 1:
            front = {"title": said, "description": said, "reading_path": steps, "before": [said, f"To know: {said}"]}
            files[f"content/path-{topic}.md"] = _front(front) + "Text.\n"
            steps = []
        files[f"content/{topic}/f{number:03}-{name}.png"] = PIXEL
        files[f"content/{topic}/s{number:03}.py"] = payload
        links = {said: said, "Page": said, f"Talks {said}": "https://talks.example/" + said}
        registry[f"h{number}"] = {"bio": said, "url": said, "avatar": said, "title": said, "links": links}
    files["content/authors.yml"] = json.dumps(registry, ensure_ascii=False)
    return files


def hostile_post(number: int, payload: str) -> str:
    """A post with `payload` in every field of its front matter and at every kind of place of its text."""
    path = re.sub(r"[:\\%\x00-\x1f\u2028\u2029]", "", payload)[:60]
    path = "/".join(part.strip(" .") for part in path.split("/"))
    inline = " ".join(payload.split())
    text, payload = payload, in_front_matter(payload)
    front = {
        "title": payload,
        "author": [
            {"name": payload, "handle": f"h{number}", "url": payload, "affiliation": payload},
            f"N{number} {payload} (@g{number})",
        ],
        "tags": [f"t{number}{payload}"],
        "summary": payload,
        "description": payload,
        "image": payload,
        "canonical_url": payload,
        "lang": payload,
        "aliases": [f"/old/{number}-{path}x/"],
        "slug": f"s{number}-{payload}x",
        "params": {"note": payload},
        "series": payload if number % 3 else f"S{number // 4} {payload}",
        "part": number + 1,
        "comments_id": payload,
    }
    quoted = inline.replace("\\", "").replace('"', "'")
    payload = text
    body = f"""
{payload}

## Heading {inline}

Text with {inline} in a line, `code {inline}`, **{inline}** and :{inline}:.

[link]({inline}) [link](<{inline}>) [link](x "{inline}") [{inline}](x) ![{inline}](x.png "{inline}") <{inline}>

[reference][r{number}] and a note[^{inline}] and another[^n{number}].

[r{number}]: <{inline}> "{inline}"
[^n{number}]: {inline}

![image](f{number:03}-{_file_name(payload)}.png)

```{inline}
{payload}
```

```python title="{quoted}" {inline}
{payload}
```

| {inline} | b |
|----------|---|
| {inline} | c |

> [!NOTE] {inline}
> {inline}

- [ ] {inline}

{{{{< figure src="{quoted}" alt="{quoted}" caption="{quoted}" link="{quoted}" >}}}}

{{{{< figure src="{quoted}" title="{quoted}" class="{quoted}" width="{quoted}" attr="{quoted}" attrlink="{quoted}" >}}}}

{{{{< own "{quoted}" mark="{quoted}" to="{quoted}" >}}}}
{payload}
{{{{< /own >}}}}

![image](f{number:03}-{_file_name(payload)}.png){{width="{quoted}" .left}} =={inline}== ^{inline}^ ~{inline}~ "{inline}"

!!! note "{quoted}"
    {inline}

:::tip[{inline}]
{inline}
:::

```diff title="{quoted}"
- {inline}
+ {inline}
```

```console title="{quoted}"
$ {inline}
{payload}
```

```ansi
\\e[31m{inline}\\e[0m
```

```python tab="{quoted}"
{payload}
```

```rust tab="{quoted} {inline}"
{payload}
```

```boxes title="{quoted}" alt="{quoted}"
{payload}
```

A formula ${inline}$, $\\text{{{inline}}}$ and $\\href{{{inline}}}{{x}}$, $\\class{{{inline}}}{{x}}$ and \\({inline}\\).

$$
{payload}
$$

$$
\\text{{{inline}}}
$$

```math
\\text{{{inline}}} \\unicode{{{inline}}}
```

![{inline}](f{number:03}-{_file_name(payload)}.png "{inline}") ![two](f{number:03}-{_file_name(payload)}.png)

![{inline}](film.mp4 "{inline}")

<details><summary>{inline}</summary>{payload}</details>

{{{{< tabs >}}}}
{{{{< tab "{quoted}" >}}}}
{payload}
{{{{< /tab >}}}}
{{{{< tab name="{quoted}" codelang="{quoted}" >}}}}
{payload}
{{{{< /tab >}}}}
{{{{< /tabs >}}}}

{{{{< gallery >}}}}
![{inline}]({inline}) {payload}
{{{{< /gallery >}}}}

{{{{< video src="{quoted}" poster="{quoted}" caption="{quoted}" width="{quoted}" height="{quoted}" loop="{quoted}" >}}}}

{{{{< audio src="{quoted}.mp3" title="{quoted}" >}}}} {{{{< youtube id="{quoted}" title="{quoted}" >}}}}

{{{{< youtube id="abc{number}" title="{quoted}" poster="{quoted}" start="{quoted}" >}}}}

{{{{< code file="{quoted}" lines="{quoted}" commit="{quoted}" >}}}}

{{{{< code file="s{number:03}.py" title="{quoted}" lang="{quoted}" highlight="{quoted}" >}}}}

<p title="{inline}" class="{inline}" id='{inline}'>{payload}</p>

PR 12{number} {inline} by @h{number} in commit abc12{number} `src/{inline}.c` `src/a.c:{number}` other/parts#1{number}
[file](https://code.example/lumen/lumen/blob/main/{inline}#L3) <https://code.example/lumen/lumen/blob/main/{inline}.c>

<a href="{inline}">raw</a> <img src='{inline}' alt="{inline}"> <video poster="{inline}" src="{inline}"></video>
"""
    return _front(front) + body


def in_front_matter(payload: str) -> str:
    """A payload without the control characters that front matter refuses."""
    return re.sub(r"[\x00-\x08\x0b-\x1f]", "", payload)


def shown(payload: str) -> str:
    """A payload as a title or a name is shown: in one line, without what would turn around the text beside it."""
    return re.sub("[\u202a-\u202e]", "", " ".join(in_front_matter(payload).split()))


def _front(fields: dict[str, object]) -> str:
    return json.dumps(fields, indent=1) + "\n"


def _file_name(payload: str) -> str:
    """As much of a payload as a file's name can hold on every system."""
    return re.sub(r"[/\\:\x00-\x1f\u2028\u2029]", "", payload)[:40].strip(" .") or "x"
