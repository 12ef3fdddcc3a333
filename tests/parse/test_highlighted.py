"""Code of the last version of a post is not highlighted again, and that changes nothing but the time that it takes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sites import build_site, read_tree, write_site

from devlog.engine.store import Store
from devlog.model.document import Body
from devlog.model.record import decoded
from devlog.model.report import Report
from devlog.model.source import Source
from devlog.parse.code import highlighted as module
from devlog.parse.code.highlight import highlight
from devlog.parse.code.highlighted import Highlighter, find_blocks
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse_batch
from devlog.parse.record import CodeBlock, LastCode

PYTHON = "def flush(page):\n    return page.size < 1 << 12 & ~7  # “one”\n"
SQL = "SELECT page FROM log WHERE size <= 4 AND name = 'a&b';\n"
POST = f"""\
---
title: Pages
author: Ada Quill (@adaquill)
date: 2026-05-03
---
How a page is written.

```python title="page.py"
{PYTHON}```

- In a list:

  ```sql
  SELECT 1;
  ```

```sql linenos
{SQL}```

<pre><code class="language-python"><span class="k">def</span> nothing</code></pre>

```sql
{SQL}```

```text
plain
```

```diff-python
-def f(): ...
+def g(): ...
```

````console
$ echo "\\e[1mbold\\e[0m"
````

```cpp
template <typename T> T f();
```
"""
CONFIG = 'title = "Lumen"\nsearch.enabled = false\ncards.enabled = false\n'
NAME = "content/storage/pages.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    site: Path = write_site(tmp_path / "site", {"devlog.toml": CONFIG, "content/storage/_index.md": "", NAME: POST})
    assert not build_site(site).failed
    return site


@pytest.fixture
def lexed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The languages of code that was highlighted, but for patches."""
    found: list[str] = []

    def noting(code: str, language: str) -> str:
        found.extend([language] if language != "text" else [])
        return highlight(code, language)

    monkeypatch.setattr(module, "highlight", noting)
    return found


def pages(root: Path) -> dict[str, bytes]:
    """The published files; the manifest has times."""
    return {name: data for name, data in read_tree(root / "public").items() if name != ".devlog-manifest.json"}


def edit(root: Path, old: str, new: str) -> Report:
    """Edit the post and build; the output is that of a clean build of a copy."""
    path = root / NAME
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    report: Report = build_site(root)
    clean = write_site(
        root.parent / "clean", {name: (root / name).read_text("utf-8") for name in ("devlog.toml", NAME)}
    )
    write_site(clean, {"content/storage/_index.md": ""})
    build_site(clean, cache=False)
    assert pages(root) == pages(clean)
    return report


def test_an_edit_of_the_prose_highlights_no_code(root: Path, lexed: list[str]) -> None:
    (root / NAME).write_text(POST.replace("written", "flushed"), "utf-8")
    build_site(root)
    assert lexed == ["console"]  # its escape sequences are not text, so it is not kept


def test_an_edit_of_code_highlights_that_code(root: Path, lexed: list[str]) -> None:
    (root / NAME).write_text(POST.replace("typename T", "class T"), "utf-8")
    build_site(root)
    assert lexed == ["console", "cpp"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("written", "flushed"),
        ("def flush", "def write"),
        ("```cpp", "```c"),
        ("```sql linenos", "```sql"),
        ("```sql\n", "```sql {1}\n"),
        ('<code class="language-python">', '<code class="language-sql">'),
        ("title: Pages", "title: Other pages"),
        ("```python", "> quoted\n\n```python"),
    ],
)
def test_the_output_is_that_of_a_clean_build(root: Path, old: str, new: str) -> None:
    assert not edit(root, old, new).failed


def test_several_edits_one_after_the_other(root: Path) -> None:
    for old, new in (
        ("1 << 12", "1 << 13"),
        ("1 << 13", "1 << 12"),
        ("template", "// new\ntemplate"),
        ("// new\n", ""),
    ):
        edit(root, old, new)


def test_an_edit_of_the_prose_loads_no_lexer(root: Path) -> None:
    """Loading Pygments and compiling the expressions of a lexer takes longer than all other parsing of a post."""
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print([name for name in sys.modules if name.startswith('pygments.lexer')]))\n"
        "from devlog.cli import main\n"
        "main(['build', '--quiet'])\n"
    )

    def loaded(text: str) -> list[str]:
        (root / NAME).write_text(text, "utf-8")
        run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
        found: list[str] = json.loads(run.stdout.splitlines()[-1].replace("'", '"'))
        return found

    plain = POST.replace("````console", "````text").replace("```diff-python", "```text")  # both are not kept
    assert loaded(plain) == []
    assert "pygments.lexer" in loaded(plain.replace("typename T", "class T"))


def _forge(root: Path, change: Callable[[LastCode], object]) -> int:
    with closing(Store(root / ".devlog/cache.db")) as store:
        keys = [row[0] for row in store._connection.execute("SELECT key FROM record WHERE key LIKE 'code in %'")]
        found = {key: decoded(data, LastCode) for key, data in store.read(keys).items()}
        store.write({key: msgspec.msgpack.encode(change(last)) for key, last in found.items() if last})
    return len(found)


def _blocks(change: Callable[[CodeBlock], CodeBlock]) -> Callable[[LastCode], LastCode]:
    return lambda last: LastCode(last.body, tuple(map(change, last.blocks)))


FORGERIES: Mapping[str, Callable[[LastCode], object]] = {
    "no blocks": lambda _: None,
    "something else": lambda _: ["a", [1, {"b": 2.5}]],
    "another body": lambda last: LastCode("0" * 32, last.blocks),
    "pieces that are not there": _blocks(lambda block: CodeBlock(block.key, 10**9, block.start, block.end)),
    "a piece before the first": _blocks(lambda block: CodeBlock(block.key, -1, block.start, block.end)),
    "everything": _blocks(lambda block: CodeBlock(block.key, 0, 0, 10**9)),
    "nothing": _blocks(lambda block: CodeBlock(block.key, block.piece, block.end, block.start)),
    "the code after it": lambda last: LastCode(
        last.body,
        tuple(
            CodeBlock(block.key, other.piece, other.start, other.end)
            for block, other in zip(last.blocks, last.blocks[1:] + last.blocks[:1], strict=True)
        ),
    ),
    "a character less": _blocks(lambda block: CodeBlock(block.key, block.piece, block.start, block.end - 1)),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_places_change_nothing(root: Path, name: str) -> None:
    assert _forge(root, FORGERIES[name]) == 1
    edit(root, "written", "flushed")


FORGED = (
    '<span class="k">def</span> f</code></pre><script>alert(1)</script>',
    '<span class="k" onclick="x">def</span> f',
    '<span class="k">def</span> g',
    '<span class="k">def f',
    "def</span> f",
    '<span class="k"><span class="n">def</span></span> f',
    "<b>def</b> f",
    "",
)


@pytest.mark.parametrize("html", FORGED)
def test_html_that_is_not_the_code_is_not_taken(html: str) -> None:
    writer = Highlighter({})
    wanted = writer.highlight("def f", "python")
    (key,) = writer.highlighted
    assert Highlighter({key: html}).highlight("def f", "python") == wanted


CODE = st.text("ab <>&\"'\n\\#=()[]", max_size=40)


@given(st.lists(st.tuples(CODE, st.sampled_from(["python", "sql", "text", "nothing", "console"])), max_size=6))
def test_whatever_was_highlighted_before(blocks: list[tuple[str, str]]) -> None:
    first = Highlighter({})
    wanted = [first.highlight(*block) for block in blocks]
    assert wanted == [highlight(*block) for block in blocks]
    second = Highlighter(first.highlighted)
    assert [second.highlight(*block) for block in blocks] == wanted
    assert second.highlighted == first.highlighted


def test_code_does_not_depend_on_what_was_highlighted_before() -> None:
    """The lexer of XQuery keeps what unbalanced code leaves open."""
    wanted = highlight("return 1 }", "xquery")
    highlight("let $x := <a>{ ", "xquery")
    assert highlight("return 1 }", "xquery") == wanted


def test_places_in_a_body() -> None:
    source = Source("storage/pages.md", NAME, POST)
    (record,) = parse_batch([source], ParseOptions())
    last, body = decoded(record.code, LastCode), decoded(record.body, Body)
    assert last is not None
    assert body is not None
    assert last.body == record.body_digest
    html = last.html(body)
    code = {PYTHON: "python", SQL: "sql", "SELECT 1;\n": "sql", "template <typename T> T f();\n": "cpp"}
    assert sorted(html.values()) == sorted(highlight(*block) for block in code.items())
    again = parse_batch([msgspec.structs.replace(source, highlighted=html)], ParseOptions())
    assert again == [record]


def test_raw_html_like_many_blocks_is_searched_once() -> None:
    """In one pass: a search for the end of each, or for each block, would take minutes."""
    lookalike = '<code class="language-a">' * 200_000
    body = Body((lookalike, f'<code class="language-python">{highlight(PYTHON, "python")}</code></pre>'))
    many = {f"{number:032}": f"{number}" for number in range(20_000)}
    (found,) = find_blocks({**many, "a": highlight(PYTHON, "python")}, body)
    assert LastCode("", (found,)).html(body) == {"a": highlight(PYTHON, "python")}


def test_a_post_without_code_has_no_record(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"devlog.toml": CONFIG, NAME: "---\ntitle: A\n---\nText.\n\n```text\na\n```\n"})
    build_site(root)
    assert _forge(root, lambda last: last) == 0


def test_edits_with_workers(root: Path) -> None:
    """The places are read in this process, and the code is highlighted in others."""
    names = [f"content/storage/p{number}.md" for number in range(40)]
    write_site(root, {name: POST.replace("title: Pages", f"title: Page {name[-5:-3]}") for name in names})
    build_site(root, jobs=2)
    write_site(root, {name: (root / name).read_text("utf-8").replace("written", "flushed") for name in names})
    build_site(root, jobs=2)
    made = pages(root)
    build_site(root, cache=False)
    assert pages(root) == made
