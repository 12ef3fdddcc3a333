"""Words that devlog adds to the text of posts, in the language of the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from notebook_files import HEAD, code, notebook, printed, text
from sites import build_site, read_tree, write_site

from devlog.disk.manifest import MANIFEST
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.parse.words import KEYS, catalog_for

BODY = """\
> [!NOTE]
> One.

> [!CAUTION]
> Two.

{{< alert >}}
Three.
{{< /alert >}}

{{< details >}}
Four.
{{< /details >}}

{{< warning >}}
Five.
{{< /warning >}}

{{< important >}}
Six.
{{< /important >}}

{{< tip >}}
Seven.
{{< /tip >}}

| a | b |
|---|---|
| 1 | 2 |

Eight.[^1] Nine.[^1]

[^1]: Ten.

[b]: https://b.example/

- [x] eleven
- [ ] twelve

``` {tab}
thirteen
```

``` {tab}
fourteen
```

```dot
digraph { a -> b }
```

```vega-lite
{"mark": "bar", "data": {"values": [{"a": "x", "b": 1}]},
 "encoding": {"x": {"field": "a", "title": ""}, "y": {"field": "b", "title": ""}}}
```

{{< youtube 0123456789a >}}

{{< gist ada 0123456789 >}}

{{< gist ada 0123456789 a.py >}}

{{< tweet user="ada" id="123" >}}

{{< instagram 0123456789 >}}
"""
HTML = """<div class="highlight">{{< alert >}}Three.{{< /alert >}}</div>
{{< details >}}Four.{{< /details >}}
<video src="https://media.example.org/a.mp4"></video>
<audio src="https://media.example.org/a.mp3"></audio>
<iframe src="https://media.example.org/a"></iframe>
"""
SITE = {
    "devlog.toml": """
title = "Lumen"
language = "de"
html = "trusted"
[diagrams.dot]
command = ["python3", "{root}/draw.py"]
""",
    "draw.py": """print('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"/>')""",
    "content/log/_index.md": "---\ntitle: Log\n---\n",
    "content/log/2026-05-01-a.md": f"---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n\n{BODY}",
    "content/log/2026-05-02-b.html": f"---\ntitle: B\nauthor: Ada Quill (@adaquill)\n---\n\n{HTML}",
}


def _catalog(mark: str) -> str:
    """A catalog in which each word is its key, with what HTML and Markdown would take for their own."""
    english = catalog_for("")
    lines = ['language = "de"']
    for key in KEYS:
        values = "".join(f" {{{name}}}" for name in sorted(english.messages[key].placeholders))
        lines.append(f'{key} = "{mark}{key.upper()}{values} <b>*x*</b> [b]"')
    return "\n".join(lines) + "\n"


def _published(root: Path) -> dict[str, bytes]:
    build_site(root)
    return {path: data for path, data in read_tree(root / "public").items() if path != MANIFEST}


def _bodies(files: dict[str, bytes], count: int = 2) -> str:
    pages = (data.decode() for path, data in files.items() if path.startswith("log/2026"))
    bodies = [page.partition('e-content prose">')[2].partition("</article>")[0] for page in pages]
    assert sum(map(bool, bodies)) == count
    return "\n".join(bodies)


@pytest.mark.slow
@pytest.mark.feature("markdown_versions", "notebooks")
def test_all_are_in_the_language_of_the_site(tmp_path: Path) -> None:
    folded = notebook(text(HEAD, "raw"), code("1", printed("fifteen"), tags=("hide-output",)))
    root = write_site(tmp_path, {**SITE, "content/log/2026-05-04-c.ipynb": folded, "i18n/de.toml": _catalog("Ä")})
    files = _published(root)
    bodies = _bodies(files, 3)
    as_markdown = files["log/2026-05-02-b/index.md"].decode()
    assert {key for key in KEYS if f"Ä{key.upper()}" in bodies + as_markdown} == set(KEYS)
    english = catalog_for("")
    own = {english(key) for key in KEYS if not english.messages[key].placeholders}
    shown = set(re.findall(r">([^<>]+)<", bodies)) | set(re.findall(r'(?:aria-label|alt)="([^"]*)"', bodies))
    assert own & shown == set()
    assert bodies.count("*x*") == bodies.count("&lt;b&gt;*x*&lt;/b&gt; [b]") > len(KEYS)
    assert "> [!NOTE]\n> Three." in as_markdown


@pytest.mark.slow
def test_an_edit_of_one_is_seen_in_all_bodies(tmp_path: Path) -> None:
    root = write_site(tmp_path / "edited", {**SITE, "i18n/de.toml": _catalog("Ä")})
    _published(root)
    edited = _published(write_site(root, {"i18n/de.toml": _catalog("Ö")}))
    assert edited == _published(write_site(tmp_path / "clean", {**SITE, "i18n/de.toml": _catalog("Ö")}))
    assert "Ä" not in _bodies(edited)


@pytest.mark.parametrize("path", ["a.md", "a.html"])
def test_they_are_in_english_where_there_is_no_theme(path: str) -> None:
    _, body, _ = parse(Source(path, f"content/{path}", "{{< details >}}Four.{{< /details >}}\n"), ParseOptions())
    assert "<summary>Details</summary>" in "".join(piece for piece in body.pieces if isinstance(piece, str))
