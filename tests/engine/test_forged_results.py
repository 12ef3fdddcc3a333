"""Results of work items in the cache that are rightly written, and that no work item has: they are misses."""

from __future__ import annotations

import io
import json
import math
import os
import sys
import wave
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from brand_site import ICON, LOGO, font
from check_cases import check_site, git, repository
from diagram_site import TOOL
from PIL import Image
from sites import build_site, read_tree, write_site

from devlog.disk import stat_cache
from devlog.engine.store import Store
from devlog.engine.toolchain import toolchain
from devlog.model.derived import MadeRecord
from devlog.model.digest import digest_bytes
from devlog.model.document import Body, Parsed
from devlog.model.record import decoded
from devlog.model.report import Report, has_error
from devlog.parse.record import ParsedSource
from devlog.stages import BUILD_RECORD, RELATED, STAT_CACHE

CONFIG = """\
title = "Lumen log"
base_url = "https://docs.example.org/lumen/"
source_repo = "https://github.com/example/lumen"
source_checkout = "../lumen"
search.enabled = false
brand.logo = "brand/logo.svg"
brand.favicon = "brand/icon.svg"
brand.fonts.text = ["brand/text.ttf"]
diagrams.box.command = {command}
"""
POST = """\
---
title: Spans
author: Ada Quill (@adaquill)
date: 2026-05-03
audio:
  file: spans.wav
  transcript: spans.vtt
  chapters: chapters.json
---
What `lookup_entry()` does, [as it was](https://github.com/example/lumen/blob/main/cache.py#L1-L2).

![Shades](shades.png)

```box
a -> b
```
"""
CUES = "WEBVTT\n\n00:00.000 --> 00:01.000\nGood morning.\n"
CHAPTERS = json.dumps({"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Start"}]})


def sound() -> bytes:
    """Two silent seconds."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 16_000)
    return out.getvalue()


def shades() -> bytes:
    """A photo-like image, large enough to have smaller variants."""
    red, green = (Image.linear_gradient("L").resize((900, 600)).rotate(angle) for angle in (0, 30))
    noise = Image.effect_noise((900, 600), 40)
    out = io.BytesIO()
    Image.merge("RGB", (red, green, noise)).save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forged")
    clone = write_site(folder / "lumen", {"cache.py": "def lookup_entry(key):\n    return table[key]\n"})
    repository(clone, day="2026-05-01")
    git(clone, "branch", "-M", "main")
    command = json.dumps([sys.executable, "{root}/tools/draw.py", str(folder / "drawn")])
    return write_site(
        folder / "site",
        {
            "devlog.toml": CONFIG.format(command=command),
            "tools/draw.py": TOOL,
            "brand/logo.svg": LOGO,
            "brand/icon.svg": ICON,
            "brand/text.ttf": font(),
            "content/log/_index.md": "---\ntitle: Log\n---\n",
            "content/log/spans/index.md": POST,
            "content/log/spans/spans.wav": sound(),
            "content/log/spans/spans.vtt": CUES,
            "content/log/spans/chapters.json": CHAPTERS,
            "content/log/spans/shades.png": shades(),
        },
    )


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def _each(change: Callable[[Any], Any]) -> Callable[[MadeRecord], MadeRecord]:
    def changed(record: MadeRecord) -> MadeRecord:
        facts = {name: change(value) for name, value in record.facts.items()}
        return msgspec.structs.replace(record, facts=facts)

    return changed


FORGERIES: Mapping[str, Callable[[MadeRecord], MadeRecord]] = {
    "no facts": lambda record: msgspec.structs.replace(record, facts={}),
    "no files": lambda record: msgspec.structs.replace(record, blobs=()),
    "more files": lambda record: msgspec.structs.replace(record, blobs=record.blobs * 40),
    "a mapping for each fact": _each(lambda _: {"a": [1, None]}),
    "a text for each fact": _each(lambda _: '"><script>alert(1)</script>'),
    "nothing for each fact": _each(lambda _: None),
    "no number": _each(lambda value: math.inf if isinstance(value, float) else None),
    "lists in lists": _each(lambda _: nested(500)),
}


def forge(cache: Path, forgery: Callable[[MadeRecord], MadeRecord]) -> set[str]:
    """Replace all results of work items in a cache; returns the names of their facts."""
    with closing(Store(cache)) as store:
        keys = [row[0] for row in store._connection.execute("SELECT key FROM record")]
        found = {key: decoded(data, MadeRecord) for key, data in store.read(keys).items()}
        records = {key: record for key, record in found.items() if record and (record.facts or record.blobs)}
        store.write({key: msgspec.msgpack.encode(forgery(record)) for key, record in records.items()})
    return {fact for record in records.values() for fact in record.facts}


def build_anew(root: Path, why: str, **options: Any) -> Report:
    """Build after a change that each output may depend on."""
    with (root / "devlog.toml").open("a") as file:
        file.write(f"# {why}\n")
    return build_site(root, **options)


@pytest.mark.slow
@pytest.mark.feature("images", "brand", "diagrams", "episodes", "source_references", "social_cards")
def test_forged_results_are_misses(root: Path) -> None:
    clean = build_site(root)
    wanted = read_tree(root / "public")
    seen = set[str]()
    for name, forgery in FORGERIES.items():
        seen |= forge(root / ".devlog/cache.db", forgery)
        report = build_anew(root, name)
        assert report.diagnostics == clean.diagnostics, name
        assert read_tree(root / "public") == wanted, name
    assert {"sizes", "side", "metrics", "seconds", "transcript", "chapters", "symbols", "found", "bold"} <= seen


@pytest.mark.slow
@pytest.mark.feature("images", "brand", "diagrams", "episodes", "source_references", "social_cards")
def test_what_nobody_can_tell_from_a_result_ends_no_build(root: Path) -> None:
    build_site(root)
    forge(root / ".devlog/cache.db", _each(lambda value: type(value)()))
    assert not [found for found in build_anew(root, "empty facts").diagnostics if found.code == "internal-error"]


def test_related_posts_that_there_are_not(tmp_path: Path) -> None:
    text = "The `lookup_entry` of the `write_log`.\n"
    posts = {f"content/log/{name}.md": f"---\ntitle: {name}\ntags: [wal, lsm]\n---\n{text}" for name in "abcd"}
    root = write_site(tmp_path, {"devlog.toml": "search.enabled = false\ncards.enabled = false\n", **posts})
    build_site(root)
    wanted = read_tree(root / "public")
    key = f"{RELATED} {toolchain()}"
    with closing(Store(root / ".devlog/cache.db")) as store:
        digest, found = msgspec.msgpack.decode(store.read([key])[key])
        for indexes in ([2**62], [-9], found[0] * 9):
            store.write({key: msgspec.msgpack.encode((digest, [indexes, *found[1:]]))})
            assert not has_error(build_anew(root, str(indexes)).diagnostics)
        store.write({key: msgspec.msgpack.encode((digest, [[2**62], *found[1:]]))})
    build_anew(root, "again")
    assert read_tree(root / "public") == wanted


def test_facts_for_a_check_that_are_none(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"devlog.toml": "", "content/a.md": "---\ntitle: A\n---\nTODO\n"})
    checked = check_site(root)
    with closing(Store(root / ".devlog/cache.db")) as store:
        keys = [row[0] for row in store._connection.execute("SELECT key FROM record")]
        records = {key: found for key, data in store.read(keys).items() if (found := decoded(data, ParsedSource))}
        assert records
        forged = msgspec.Raw(msgspec.msgpack.encode([{"block": 1}]))
        store.write(
            {
                key: msgspec.msgpack.encode(msgspec.structs.replace(found, facts=forged))
                for key, found in records.items()
            }
        )
    assert "placeholder" in {item.code for item in checked.diagnostics}
    assert "placeholder" not in {item.code for item in check_site(root).diagnostics}  # and it ends as usual


class _Written(msgspec.Struct):
    """A date without the checks of one."""

    value: datetime | str
    day_only: bool = False
    offset: int = 0


def _with_date(parsed: Parsed) -> Parsed:
    date = parsed.front_matter.date
    assert date
    late = _Written(date.value, date.day_only, 10**6)
    return msgspec.structs.replace(parsed, front_matter=msgspec.structs.replace(parsed.front_matter, date=late))


def _with_front_matter(parsed: Parsed, **fields: Any) -> Parsed:
    return msgspec.structs.replace(parsed, front_matter=msgspec.structs.replace(parsed.front_matter, **fields))


def _with_date_before_all(parsed: Parsed) -> Parsed:
    return _with_front_matter(parsed, date=_Written("0001-01-01T00:00:00+23:59"))


def _with_late_update(parsed: Parsed) -> Parsed:
    return _with_front_matter(parsed, updated=_Written(datetime(9999, 12, 31, 23, tzinfo=UTC), offset=120))


def _with_parts(parsed: Parsed) -> Parsed:
    parts = tuple(msgspec.structs.replace(part, data=part.data[:-1]) for part in parsed.front_matter.parts)
    return msgspec.structs.replace(parsed, front_matter=msgspec.structs.replace(parsed.front_matter, parts=parts))


def _with_terms(parsed: Parsed) -> Parsed:
    return msgspec.structs.replace(parsed, document=msgspec.structs.replace(parsed.document, terms=b"abc"))


def _without_references(parsed: Parsed) -> Parsed:
    return msgspec.structs.replace(parsed, document=msgspec.structs.replace(parsed.document, refs=()))


FORGED_SOURCES: Mapping[str, Callable[[Parsed], Parsed]] = {
    "a path without a name": lambda parsed: msgspec.structs.replace(parsed, path="/"),
    "the path of another file": lambda parsed: msgspec.structs.replace(parsed, path="log/b.md"),
    "another file in messages": lambda parsed: msgspec.structs.replace(parsed, file="/etc/passwd"),
    "an offset of years": _with_date,
    "a date before the calendar": _with_date_before_all,
    "an update after the calendar": _with_late_update,
    "half a term": _with_terms,
    "a part of a feature that ends early": _with_parts,
    "no references": _without_references,
}
UNNOTICED = ("a part of a feature that ends early", "no references")
"""These change what is published: without the status of the post, without the URL of its link."""


@pytest.mark.parametrize("name", FORGED_SOURCES)
def test_records_of_sources_that_are_not_theirs(name: str, tmp_path: Path) -> None:
    front = "---\ntitle: {}\nauthor: Ada Quill (@adaquill)\ndate: 2026-05-03T10:00:00+02:00\n{}---\n"
    root = write_site(
        tmp_path,
        {
            "devlog.toml": "cards.enabled = false\n",
            "content/log/_index.md": "---\ntitle: Log\n---\n",
            "content/log/a.md": front.format("A", "status: superseded\n") + "About `lookup_entry`, as [there](b.md).\n",
            "content/log/b.md": front.format("B", "supersedes: a.md\n") + "About `lookup_entry`, [again](a.md).\n",
        },
    )
    clean = build_site(root)
    wanted = read_tree(root / "public")
    with closing(Store(root / ".devlog/cache.db")) as store:
        keys = [row[0] for row in store._connection.execute("SELECT key FROM record")]
        found = {key: text for key, data in store.read(keys).items() if (text := decoded(data, ParsedSource))}
        forged = {
            key: msgspec.structs.replace(text, parsed=FORGED_SOURCES[name](text.parsed))
            for key, text in found.items()
            if text.parsed.path == "log/a.md"
        }
        assert forged
        store.write({key: msgspec.msgpack.encode(text) for key, text in forged.items()})
    report = build_anew(root, name)
    assert "internal-error" not in {item.code for item in report.diagnostics}
    if name not in UNNOTICED:
        assert report.diagnostics == clean.diagnostics
        assert read_tree(root / "public") == wanted


@pytest.mark.parametrize("name", ["since", "until"])
def test_a_build_at_a_time_without_a_time_zone(name: str, tmp_path: Path) -> None:
    root = write_site(
        tmp_path, {"devlog.toml": "cards.enabled = false\n", "content/a.md": "---\ntitle: A\n---\nText\n"}
    )
    clean = build_site(root)
    key = f"{BUILD_RECORD} {toolchain()}"
    with closing(Store(root / ".devlog/cache.db")) as store:
        record = msgspec.msgpack.decode(store.read([key])[key])
        store.write({key: msgspec.msgpack.encode({**record, name: "2026-01-01T00:00:00"})})
    assert build_site(root).diagnostics == clean.diagnostics


NO_BODIES = {
    "nothing": b"",
    "no record": b"\xc1",
    "a number": msgspec.msgpack.encode(7),
    "Markdown of any bytes": msgspec.msgpack.encode(Body(("<p>",), (b"\xff",))),
}


@pytest.mark.parametrize("name", NO_BODIES)
def test_contents_that_are_no_body(name: str, tmp_path: Path) -> None:
    data = NO_BODIES[name]
    root = write_site(
        tmp_path, {"devlog.toml": "cards.enabled = false\n", "content/log/a.md": "---\ntitle: A\n---\nText\n"}
    )
    clean = build_site(root)
    wanted = read_tree(root / "public")
    with closing(Store(root / ".devlog/cache.db")) as store:
        keys = [row[0] for row in store._connection.execute("SELECT key FROM record")]
        found = {key: text for key, data in store.read(keys).items() if (text := decoded(data, ParsedSource))}
        ((key, text),) = found.items()
        document = msgspec.structs.replace(text.parsed.document, body=digest_bytes(data))
        text = msgspec.structs.replace(text, parsed=msgspec.structs.replace(text.parsed, document=document))
        store.write({key: msgspec.msgpack.encode(text)}, {digest_bytes(data): data})
    assert {item.code for item in build_anew(root, name).diagnostics} >= {"changed-while-building"}
    assert read_tree(root / "public") == wanted
    assert build_site(root).diagnostics == clean.diagnostics
    assert read_tree(root / "public") == wanted


def _with_forged_digest(folder: Path, file: str) -> Path:
    """A site that was built, and in whose cache the digest of a file is wrong."""
    files = {
        "devlog.toml": "cards.enabled = false\n",
        "content/log/_index.md": "---\ntitle: Log\n---\n",
        "content/log/a.md": "---\ntitle: A\n---\nSee [the plan](plan.txt).\n",
        "content/log/plan.txt": "A plan.\n",
        "static/note.txt": "A note.\n",
    }
    root = write_site(folder, files)
    build_site(root)
    key = f"{STAT_CACHE} {toolchain()}"
    with closing(Store(root / ".devlog/cache.db")) as store:
        known = decoded(store.read([key])[key], dict[str, stat_cache.Read])
        assert known
        forged = known | {file: msgspec.structs.replace(known[file], digest="0" * 32)}
        store.write({key: msgspec.msgpack.encode(forged)})
    return root


@pytest.mark.skipif(os.name != "posix", reason="other systems have no times of status changes, so all files are read")
@pytest.mark.parametrize("file", ["content/log/a.md", "content/log/plan.txt", "static/note.txt"])
@pytest.mark.parametrize("command", ["build", "check"])
def test_a_forged_digest_of_a_file_ends_one_build(
    file: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stat_cache, "SETTLED_NS", -(10**18))
    root = _with_forged_digest(tmp_path, file)
    wanted = read_tree(root / "public")
    first = (build_site if command == "build" else check_site)(root).diagnostics
    is_noticed = command == "build" or file.endswith(".md")  # checks copy no files
    assert [item.span.path for item in first if item.code == "changed-while-building"] == [file] * is_noticed
    if is_noticed:
        assert not has_error(build_site(root).diagnostics)
        assert read_tree(root / "public") == wanted


def _index(root: Path) -> dict[str, bytes]:
    """The files of the search."""
    return read_tree(root / "public" / "pagefind")


@pytest.mark.slow
@pytest.mark.feature("site_search")
def test_forged_records_of_the_search(tmp_path: Path) -> None:
    """Words that nobody counts, and an index without files: either is made anew."""
    text = "---\ntitle: A\n---\nThe storage engine.\n"
    root = write_site(tmp_path, {"devlog.toml": "cards.enabled = false\n", "content/log/2026-05-04-a.md": text})
    build_site(root, search=True)
    wanted = _index(root)
    last = f"search {toolchain()}"
    for words in ({"": 1}, {"zz javascript:alert(1)": 1}, {"storage": -5}, {"storage": 2**62}, {"storage": 2}):
        with closing(Store(root / ".devlog/cache.db")) as store:
            keys = [row[0] for row in store._connection.execute("SELECT key FROM record")]
            (key,) = [key for key in keys if key.startswith("search words ")]
            store.write({key: msgspec.msgpack.encode(words)})
        (root / "public/pagefind/facets.json").unlink()
        build_anew(root, str(words), search=True)
        assert _index(root) == wanted, words
    with closing(Store(root / ".devlog/cache.db")) as store:
        known = msgspec.msgpack.decode(store.read([last])[last])
        for part in known["parts"].values():
            part["paths"] = []
        store.write({last: msgspec.msgpack.encode(known)})
    build_anew(root, "no files", search=True)
    assert _index(root) == wanted
