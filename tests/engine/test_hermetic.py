"""Parsing and rendering are pure: they open nothing, read no clock, no environment and no randomness, and leave
their arguments alone. And whole families of dangerous calls do not occur in devlog at all."""

from __future__ import annotations

import ast
import builtins
import io
import os
import random
import re
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from catalogs import ENGLISH
from lumen import lumen
from sites import build_site, write_site

import devlog.pipeline
from devlog.built_in import built_in_themes
from devlog.model.catalog import encoded
from devlog.model.included import IncludedFile, IncludedText
from devlog.model.source import Source
from devlog.model.target import Output, Target
from devlog.model.theme import Theme
from devlog.parse import words
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse_batch
from devlog.parse.record import ParsedRecord
from devlog.render.render import render_batch
from devlog.render.template_dependencies import bodies_of
from devlog.stages import Stages

# -- purity

EVERYTHING = """\
---
title: Everything :rocket:
date: 2026-05-03
author: "Ada Quill (@adaquill), Bo Reed (The Lumen team)"
tags: [wal, design]
aliases: [/old/]
unknown_thing: 1
autor: nobody
---

# Everything :rocket:

> **TL;DR** – *short* https://example.org.

<!--more-->

Text[^n] with `code`, **bold**, ~~gone~~, <kbd>raw</kbd>, <script>x</script>, [a](other.md#x),
![i](i.png), www.example.org.

{{< figure src="/img/dot.png" caption="A *dot*" >}} {{< nothing >}}

```python {linenos=true, hl_lines=[1]} title="x.py"
def f(x: int) -> int: return x + 1
```

```nosuchlanguage
text
```

| a | b |
|---|--:|
| 1 | 2 |

> [!WARNING]
> Beware.

- [ ] task

Term
: definition

<details><summary>More</summary>

inside

</details>

[^n]: A note.
"""

SOURCES = [
    Source("storage/2026-05-03-everything.md", "content/storage/2026-05-03-everything.md", EVERYTHING),
    Source("toml.md", "content/toml.md", '+++\ntitle = "T"\ndate = 2026-05-03T10:00:00Z\n+++\nText \x07.\n'),
    Source("json.md", "content/json.md", '{"title": "J", "tags": ["a", 1]}\n\nText.\n'),
    Source("broken.md", "content/broken.md", "---\ntitle: [\n---\n"),
    Source("old.html", "content/old.html", "---\ntitle: Old\n---\n<p onclick=x>Hi <a href='other.md'>o</a></p>\n"),
    Source("j.md", "content/j.md", "{% include a.html %}\n{{ page.a }}{% highlight c %}x{% endhighlight %}\n{:a}\n"),
    Source(
        "including.md",
        "content/including.md",
        '{{< code file="a.py" lines="1" >}}\n\n{{< code file="b.py" >}}\n',
        (IncludedText(IncludedFile("a.py", "", "a.py", "content/a.py"), "import os\n"),),
    ),
    *(Source(path[8:], path, str(text)) for path, text in lumen().items() if path.endswith(".md")),
]
WORDS = encoded({key: ENGLISH.messages[key] for key in words.KEYS})
OPTIONS = [
    ParseOptions(html=html, own_url="https://lumen.example.org/", words=WORDS) for html in ("safe", "trusted", "escape")
]
OPTIONS.append(ParseOptions(dialect="jekyll", variables=(("site.title", "Lumen"),), words=WORDS))


def parse_all() -> list[list[ParsedRecord]]:
    return [parse_batch(SOURCES, options) for options in OPTIONS]


class Rendering(msgspec.Struct):
    """What a build hands to its rendering stage."""

    targets: list[Target]
    theme: Theme
    bodies: dict[str, bytes]

    def render(self) -> list[Output]:
        return render_batch(self.targets, self.theme, self.bodies)


@pytest.fixture(scope="module")
def rendering(tmp_path_factory: pytest.TempPathFactory) -> Rendering:
    """All targets of a site, with what they need."""
    kept: list[Rendering] = []

    class Watched(Stages):
        def render(self, targets: Any, theme: Any) -> Iterator[Output]:
            targets = list(targets)
            names = {name for target in targets for name in bodies_of(target)}
            kept.append(Rendering(targets, theme, self.bodies(names)))
            yield from super().render(targets, theme)

    root = write_site(tmp_path_factory.mktemp("site"), lumen())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(devlog.pipeline, "Stages", Watched)
        assert not build_site(root).failed
    assert len(kept[0].targets) > 40
    return kept[0]


class Impure(BaseException):
    """Not an `Exception`, so that nothing can swallow it."""


class _Environment(dict[str, str]):
    def __getitem__(self, key: str) -> str:
        raise Impure(key)

    def get(self, key: str, default: Any = None) -> Any:
        raise Impure(key)

    __contains__ = __iter__ = __setitem__ = __delitem__ = __getitem__  # type: ignore[assignment]


FORBIDDEN: list[tuple[Any, str]] = [
    (builtins, "open"),
    (builtins, "input"),
    (io, "open"),
    *((os, name) for name in ("open", "stat", "lstat", "scandir", "listdir", "getcwd", "getenv", "getpid", "urandom")),
    *((time, name) for name in ("time", "time_ns", "monotonic", "perf_counter", "localtime", "gmtime")),
    *((random, name) for name in ("random", "randint", "choice", "shuffle", "getrandbits", "Random", "SystemRandom")),
    *((secrets, name) for name in ("token_bytes", "token_hex", "token_urlsafe")),
    *((socket, name) for name in ("socket", "create_connection", "getaddrinfo", "gethostname")),
    *((subprocess, name) for name in ("run", "Popen")),
]


@pytest.fixture
def sealed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """Calls a function while everything that reaches outside raises."""

    def call(function: Callable[[], Any]) -> Any:
        with monkeypatch.context() as patch:
            for place, name in FORBIDDEN:

                def forbidden(*_: Any, _name: str = name, **__: Any) -> Any:
                    raise Impure(_name)

                patch.setattr(place, name, forbidden)
            patch.setattr(os, "environ", _Environment())
            return function()

    return call


@pytest.mark.parametrize(
    "impure",
    [
        "open(__file__)",
        "Path(__file__).read_text('utf-8')",
        "time.time()",
        "os.environ['HOME']",
        "'HOME' in os.environ",
        "random.random()",
        "socket.socket()",
        "os.listdir()",
    ],
)
def test_the_seal_holds(impure: str, sealed: Callable[[Callable[[], Any]], Any]) -> None:
    code = compile(impure, "<impure>", "eval")
    with pytest.raises(Impure):
        sealed(lambda: eval(code))


@pytest.mark.slow
def test_parsing_is_pure(sealed: Callable[[Callable[[], Any]], Any]) -> None:
    expected = parse_all()  # and whatever is imported late, is imported now
    assert any(b"rocket" not in record.body and "🚀".encode() in record.text for record in expected[0])
    words._english.cache_clear()  # which only callers without a theme need
    assert sealed(parse_all) == expected


@pytest.mark.slow
def test_rendering_is_pure(rendering: Rendering, sealed: Callable[[Callable[[], Any]], Any]) -> None:
    expected = rendering.render()
    assert all(output.data and not output.diagnostics for output in expected)
    assert sealed(rendering.render) == expected


class _Kind(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, datetime)


class Timeless(datetime, metaclass=_Kind):
    """Makes plain moments, and knows of no present one: `datetime` itself cannot be patched."""

    def __new__(cls, *values: Any, **named: Any) -> Any:
        return datetime(*values, **named)  # noqa: DTZ001 - as the caller wants it

    @classmethod
    def now(cls, *_: Any, **__: Any) -> Any:
        raise Impure("now")

    utcnow = today = now


@pytest.mark.slow
def test_the_present_is_not_asked_for(monkeypatch: pytest.MonkeyPatch, rendering: Rendering) -> None:
    parsed, rendered = parse_all(), rendering.render()
    modules = [module for name, module in sys.modules.items() if name.startswith(("devlog.", "jinja2.", "markdown_it"))]
    patched = 0
    for module in modules:
        if vars(module).get("datetime") is datetime:
            monkeypatch.setattr(module, "datetime", Timeless)
            patched += 1
    assert patched > 3
    assert (parse_all(), rendering.render()) == (parsed, rendered)


def encoded(value: Any) -> bytes:
    return msgspec.msgpack.encode(value)


@pytest.mark.slow
def test_parsing_leaves_its_arguments_alone() -> None:
    before = encoded([SOURCES, OPTIONS])
    parse_all()
    assert encoded([SOURCES, OPTIONS]) == before


@pytest.mark.slow
def test_rendering_leaves_its_arguments_alone(rendering: Rendering) -> None:
    before = encoded(rendering)
    first = rendering.render()
    assert encoded(rendering) == before
    assert rendering.render() == first


@pytest.mark.slow
def test_order_of_the_work_does_not_matter(rendering: Rendering) -> None:
    """No item leaves anything behind for the next one."""
    forwards = rendering.render()
    backwards = render_batch(rendering.targets[::-1], rendering.theme, rendering.bodies)
    assert backwards == forwards[::-1]
    assert parse_batch(SOURCES[::-1], OPTIONS[0]) == parse_all()[0][::-1]


@pytest.mark.slow
@pytest.mark.parametrize("text", ["{{ lipsum() }}", "{{ [1, 2, 3] | random }}"])
def test_templates_have_no_randomness(text: str, tmp_path: Path) -> None:
    """A template that asks for it is an error, not a page that is another one in each build."""
    root = write_site(tmp_path, {**lumen(), "templates/partials/footer.html": text})
    report = build_site(root)
    assert "template-error" in {item.code for item in report.diagnostics if item.severity == "error"}


# -- gates

PACKAGE = Path(devlog.pipeline.__file__).parent
MODULES = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}

FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "imp", "xml.etree.ElementTree"}
FORBIDDEN_CALLS = {
    *("eval", "exec", "compile", "__import__", "breakpoint"),
    *("from_string", "os.system", "os.popen", "os.walk", "shutil.rmtree", "rmtree"),
    *("yaml.load", "yaml.full_load", "yaml.unsafe_load", "yaml.load_all"),
    *("tempfile.mktemp", "os.chdir", "os.putenv"),
}
TRANSLATED = {("render/templates.py", "compile"), ("render/templates.py", "marshal")}
"""What Jinja has written of a template of the theme, and its bytecode."""
ALLOWED = {
    "Markup": {"render/render.py", "parse/shortcodes/custom.py"},
    "datetime.now": {"cli/options.py"},
    "datetime.utcnow": set[str](),
    "datetime.today": set[str](),
    "date.today": set[str](),
    "time.time": {
        "disk/scratch.py",  # the ages of leftovers
        "features/digests/digest/forge/client.py",  # ages of cached answers, limits of rates
    },
    "os.environ": {
        "cli/__init__.py",  # NO_COLOR
        "start.py",  # how Windows finds programs
        *("cli/new.py", "cli/options.py", "disk/git.py", "engine/processes.py", "engine/user_cache.py", "programs.py"),
        "features/digests/digest/forge/ask.py",  # the token
        *(f"features/site_search/derive/{name}.py" for name in ("indexing_process", "service")),
    },
}


def dotted(node: ast.expr) -> str:
    """A name as it is written, such as ``os.path.join``."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ""


def offences(name: str, tree: ast.AST) -> list[str]:
    """What a module does that it must not do."""
    found = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Import):
            modules = FORBIDDEN_MODULES - {module for file, module in TRANSLATED if file == name}
            found += [f"{line}: {alias.name}" for alias in node.names if alias.name in modules]
        elif isinstance(node, ast.ImportFrom) and node.module in FORBIDDEN_MODULES:
            found.append(f"{line}: {node.module}")
        elif isinstance(node, ast.Call):
            called = dotted(node.func)
            last = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if (called in FORBIDDEN_CALLS and (name, called) not in TRANSLATED) or last in {"from_string", "rmtree"}:
                found.append(f"{line}: {called or last}")
            if any(word.arg == "shell" for word in node.keywords):
                found.append(f"{line}: shell=")
            found += [f"{line}: {called}" for key in ALLOWED if ends(called, key) and name not in ALLOWED[key]]
        elif isinstance(node, ast.Attribute) and dotted(node) == "os.environ" and name not in ALLOWED["os.environ"]:
            found.append(f"{line}: os.environ")
    return found


def ends(called: str, key: str) -> bool:
    return called == key or called.endswith(f".{key}")


def test_gates() -> None:
    found = {name: offences(name, ast.parse(path.read_text("utf-8"))) for name, path in MODULES.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from marshal import loads",
        "eval('1')",
        "environment.from_string(text)",
        "yaml.load(text)",
        "subprocess.run('x', shell=True)",
        "datetime.now(UTC)",
        "datetime.datetime.now()",
        "os.walk(folder)",
        "shutil.rmtree(folder)",
        "Markup(text)",
        "markupsafe.Markup(text)",
        "os.environ['HOME']",
        "environ = os.environ",
    ],
)
def test_gates_can_close(code: str) -> None:
    assert offences("parse/new.py", ast.parse(code))


def test_templates_mark_nothing_as_safe() -> None:
    templates = sorted(built_in_themes().rglob("*.html"))
    assert len(templates) > 10
    unsafe = re.compile(r"\|\s*safe\b|autoescape|\bMarkup\b")
    assert [path.name for path in templates if unsafe.search(path.read_text("utf-8"))] == []
