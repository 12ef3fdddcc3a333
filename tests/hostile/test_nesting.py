"""Files that are nested as deep as they can be do not end the process, whichever thread reads them.

Each is read in a process of its own, so that a crash is a failure: first by the main thread, then by one with a stack
of 512 kB, as threads have on some systems.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from typing import Any

import pytest

from devlog.model.json_depth import MAX_NESTING, JsonDepthError, check_json_depth
from devlog.model.toml import TomlDepthError, TomlError, load_toml

TOML = {
    "dots": "a." * 200_000 + "a = 1\n",
    "dots with spaces": "a . " * 200_000 + "a = 1\n",
    "quoted dots": "\"a b\".'c'." * 100_000 + "a = 1\n",
    "header": "[" + "a." * 200_000 + "a]\nb = 1\n",
    "header of a list": "[[" + "a." * 200_000 + "a]]\nb = 1\n",
    "header and key": "[" + "a." * 60 + "a]\n" + "b." * 60 + "b = 1\n",
    "keys of inline tables": "a = " + "{b.c.d = " * 50 + "1" + "}" * 50 + "\n",
    "lists": "a = " + "[" * 200_000 + "]" * 200_000 + "\n",
    "lists in lines": "a = " + "[\n" * 200_000 + "]\n" * 200_000,
    "lists behind strings": 'a = ["""x"""", [\'#\', ' + "[" * 200_000 + "]" * 200_000 + "]]\n",
    "open lists": "a = " + "[" * 200_000,
    "inline tables": "a = " + "{a = " * 200_000 + "1" + "}" * 200_000 + "\n",
    "open strings": '\\"""\n' * 100_000 + "[[[.",
    "open literal strings": "\\'''\n" * 100_000 + "[[[.",
}
JSON = {
    "lists": "[" * 200_000 + "]" * 200_000,
    "open lists": "[" * 200_000,
    "objects": '{"a": ' * 200_000 + "1" + "}" * 200_000,
    "lists behind strings": '["\\"]", ' * 100_000 + "1" + "]" * 100_000,
}
READERS = {
    "devlog.toml": (TOML, "from devlog.config_file.read import read_config", "read_config(text, 'devlog.toml')"),
    "theme.toml": (
        TOML,
        "from pathlib import Path\nfrom devlog.disk.theme import _read_meta\nPath('theme.toml').write_text(text)",
        "_read_meta(Path(), 'x')",
    ),
    "card.toml": (TOML, "from devlog.features.social_cards.assemble import _layout", "_layout.__wrapped__(text)"),
    "another generator's": (
        TOML,
        "from devlog.parse.front_matter.toml_tree import read_toml",
        "read_toml(text, 'config.toml', 1, 32)",
    ),
    "transcript": (
        JSON,
        "from devlog.features.episodes.parse.transcripts import _read_json",
        "_read_json(text, 'a.json')",
    ),
    "chapters": (
        JSON,
        "from devlog.features.episodes.parse.front_matter import read_chapters",
        "read_chapters(b'{\"x\": ' + text.encode())",
    ),
    "linked data": (
        JSON,
        "from devlog.compare.facts import read_page",
        "read_page(f'<script type=\"application/ld+json\">{text[:200_000]}</script>')",
    ),
    "feed": (
        JSON,
        (
            "from devlog.compare.xml import RefusedError, read_feed\n"
            "def refused():\n"
            "    try: read_feed('JSON', [b'{\"items\": ' + text.encode()])\n"
            "    except RefusedError: pass\n"
        ),
        "refused()",
    ),
}
CODE = """
import sys, threading
text = sys.stdin.read()
{setup}
def read():
    {call}
    print("read", flush=True)
read()
threading.stack_size(512 * 1024)
thread = threading.Thread(target=read)
thread.start(); thread.join()
"""


def of_feature(setup: str) -> tuple[pytest.MarkDecorator, ...]:
    """The mark of the feature that has a reader."""
    found = re.match(r"from devlog\.features\.(\w+)", setup)
    return (pytest.mark.feature(found[1]),) if found else ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reader", "name"),
    [
        pytest.param(reader, name, marks=of_feature(setup))
        for reader, (texts, setup, _) in READERS.items()
        for name in texts
    ],
)
def test_the_process_goes_on(reader: str, name: str, tmp_path: Any) -> None:
    texts, setup, call = READERS[reader]
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(setup=setup, call=call)],
        input=texts[name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "read\nread\n", "")


@pytest.mark.parametrize("name", sorted(TOML.keys() - {"open strings", "open literal strings"}))
def test_toml_that_is_too_deep(name: str) -> None:
    with pytest.raises(TomlDepthError, match=r"nested more than 100 levels deep \(at line \d+, column \d+\)$"):
        load_toml(TOML[name])


DEEP = MAX_NESTING - 10


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1.5\n",
        "a." * DEEP + "a = 1.5",
        "[" + "a." * DEEP + "a]\nb = 1",
        "a = " + "[" * DEEP + "]" * DEEP,
        "a = " + "{a = " * DEEP + "1}" + "}" * (DEEP - 1),
        "a = [" + "1.5, " * 1_000 + "]",
        "a = [" + "[1.5],\n" * 1_000 + "]",
        "a = [" + "{b.c = [1.5], d.e.f = 2},\n" * 1_000 + "]",
        "".join(f"[a.b{number}]\nc.d = [1.5, [2.5]]\n[[e.f]]\n" for number in range(500)),
        f"a = \"{'[{.' * 100}\" # {'[{.' * 100}\nb = '{'[{.' * 100}'\nc.d = 1",
        f'a = """{"[{." * 100}\n\\"""{"[" * 200}"""""\nb = \'\'\'\n{"[." * 100}\'\'\'\'\nc.d = 1',
    ],
)
def test_toml_that_is_not(text: str) -> None:
    assert load_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize("text", ["a = ", "a = 1\na = 2", "a = " + "1" * 5_000, "a = [", '"', "a = '''"])
def test_toml_that_is_none(text: str) -> None:
    with pytest.raises(TomlError):
        load_toml(text)


@pytest.mark.parametrize(
    ("text", "is_deep"),
    [
        ("[" * MAX_NESTING + "]" * MAX_NESTING, False),
        ("[" * MAX_NESTING + "[]" + "]" * MAX_NESTING, True),
        ('{"a": ' * MAX_NESTING + "[1]" + "}" * MAX_NESTING, True),
        ("[" + '["a]", {"b\\"[[": "[["}],' * 1_000 + "1]", False),
        ('["' + "[" * 1_000 + '"]', False),
        ('["' + "[" * 1_000, False),
        ('["\\', False),
        ('["' + "]" * 1_000 + '",' + "[" * MAX_NESTING, True),
    ],
)
def test_json_that_is_too_deep(text: str, is_deep: bool) -> None:
    for data in (text, text.encode()):
        if is_deep:
            with pytest.raises(JsonDepthError):
                check_json_depth(data)
        else:
            check_json_depth(data)
