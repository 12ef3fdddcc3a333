"""Values that templates show differently have different keys, so that their pages are made again."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from enum import Enum, IntEnum, StrEnum
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec import inspect
from sites import build_site, read_tree, write_site

from devlog.cache_keys import PLAIN
from devlog.engine.digests import Digester
from devlog.model.post_note import EntryNote
from devlog.model.target import COMMON, Entry, FeedView, Filling
from devlog.model.view import PostView


class Color(Enum):
    RED = "red"


class Named(str, Enum):  # noqa: UP042 - a template shows its name
    RED = "red"


class Worded(StrEnum):
    RED = "red"


class Numbered(IntEnum):
    ONE = 1


class Pair(NamedTuple):
    left: int
    right: int


class Point(msgspec.Struct, frozen=True):
    left: Any
    right: Any


class Place(msgspec.Struct, frozen=True):
    left: Any
    right: Any


def pages() -> Digester:
    """What digests the contexts of pages."""
    return Digester(PLAIN, COMMON)


NOON = datetime(2026, 5, 3, 12, tzinfo=UTC).replace(tzinfo=None)
VALUES: tuple[Any, ...] = (
    NOON,
    NOON.isoformat(),
    str(NOON),
    NOON.replace(tzinfo=UTC),
    (NOON - timedelta(hours=2)).replace(tzinfo=timezone(-timedelta(hours=2))),
    date(2026, 5, 3),
    "2026-05-03",
    time(12),
    "12:00:00",
    (1,),
    [1],
    [["tuple"], 1],
    {"a": [1]},
    {"a": (1,)},
    [[date(2026, 5, 3)]],
    [["2026-05-03"]],
    NOON.replace(fold=1),
    NOON.replace(tzinfo=timezone(timedelta(0), "GMT")),
    NOON.replace(tzinfo=ZoneInfo("UTC")),
    NOON.replace(tzinfo=ZoneInfo("Europe/Madrid")),
    NOON.replace(tzinfo=ZoneInfo("Europe/Paris")),
    time(12, fold=1),
    timedelta(1),
    "P1D",
    "red",
    b"red",
    bytearray(b"red"),
    Color.RED,
    Named.RED,
    Worded.RED,
    1,
    True,
    1.0,
    Numbered.ONE,
    0.0,
    -0.0,
    float("nan"),
    (1, 2),
    [1, 2],
    Pair(1, 2),
    {1, 2},
    frozenset({1, 2}),
    {"left": 1, "right": 2},
    {"right": 2, "left": 1},
    OrderedDict(left=1, right=2),
    Counter(left=1, right=2),
    {Worded.RED: 1},
    {"red": 1},
    Point(1, 2),
    Place(1, 2),
    Point(1, date(2026, 5, 3)),
    Point(1, "2026-05-03"),
    (Point(1, (2,)),),
    (Point(1, [2]),),
)


@pytest.mark.parametrize(("one", "other"), tuple(combinations(VALUES, 2)))
def test_keys_tell_values_apart(one: Any, other: Any) -> None:
    assert Digester().key([], [("value", one)]) != Digester().key([], [("value", other)])
    assert pages().key([], [("site", one)]) != pages().key([], [("site", other)])


@pytest.mark.parametrize(("one", "other"), [((1,), [1]), (date(2026, 5, 3), "2026-05-03"), (Worded.RED, "red")])
def test_keys_tell_facts_of_entries_apart(one: Any, other: Any) -> None:
    keys = {
        pages().key([], [("entries", (Entry("", "", "", "", "", (), (), "", None, EntryNote(facts={"a": fact})),))])
        for fact in (one, other)
    }
    assert len(keys) == 2


LEAVES = some.sampled_from([item for item in VALUES if not isinstance(item, float) or item == item])  # noqa: PLR0124
NESTED = some.recursive(
    LEAVES,
    lambda inner: some.one_of(
        some.lists(inner, max_size=2),
        some.lists(inner, max_size=2).map(tuple),
        some.builds(Pair, inner, inner),
        some.builds(Point, inner, inner),
        some.dictionaries(some.sampled_from(["red", Worded.RED, Named.RED]), inner, max_size=2),
    ),
    max_leaves=3,
)


@given(NESTED, NESTED)
def test_equal_keys_mean_equal_values(one: Any, other: Any) -> None:
    keys = {Digester().key([], [("value", value)]) for value in (one, other)}
    assert (len(keys) == 1) == (repr(one) == repr(other))


def test_all_fields_of_views_are_encoded_apart() -> None:
    """The digests of views, of which there are many, depend on that."""
    numbers = inspect.BoolType | inspect.IntType | inspect.FloatType
    simple = numbers | inspect.StrType | inspect.LiteralType | inspect.NoneType
    assert {PostView, Filling, FeedView, Entry} <= PLAIN.keys()
    for kind in PLAIN:
        assert all(isinstance(leaf, simple) for leaf in leaves(inspect.type_info(kind), set())), kind


def leaves(kind: Any, seen: set[int]) -> Iterator[Any]:
    """The simple types of which a type consists."""
    if id(kind) in seen:
        return
    seen.add(id(kind))
    # `json_ld` is written as JSON, in which values of different types differ as here; `facts` are encoded apart.
    inner = [field.type for field in getattr(kind, "fields", ()) if field.name not in ("json_ld", "facts")]
    inner += getattr(kind, "types", ())
    inner += [getattr(kind, name) for name in ("item_type", "key_type", "value_type") if hasattr(kind, name)]
    for one in inner:
        yield from leaves(one, seen)
    if not inner and not isinstance(kind, inspect.StructType):
        yield kind


PLUGIN = """\
from datetime import datetime
from devlog.plugin import PlannedFile, Plugin
def pages(outline):
    return [PlannedFile("/n/", "page", {{"range": {value}}}, template="n.html")]
plugin = Plugin("numbers", plans=(pages,))
"""


def test_a_page_of_a_plugin_follows_its_values(tmp_path: Path) -> None:
    """Even of one that has the name of a function of Jinja."""
    config = 'plugins = ["numbers.py"]\nsearch.enabled = false\ncards.enabled = false\n'
    files = {"devlog.toml": config, "content/a.md": "A text.\n", "templates/n.html": "<p>{{ range }}</p>"}
    root = write_site(tmp_path, files)
    for value, shown in (("'one'", "one"), ("'two'", "two"), ("datetime(2026, 5, 3)", "2026-05-03 00:00:00")):
        write_site(root, {"numbers.py": PLUGIN.format(value=value)})
        report = build_site(root)
        assert not report.failed
        assert read_tree(root / "public")["n/index.html"] == f"<p>{shown}</p>".encode()
