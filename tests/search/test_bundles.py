"""Cutting what can be found into bundles: of a size that can be made, and each as it was unless its texts change."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.features.site_search.derive import bundles
from devlog.features.site_search.derive.bundles import LARGEST, MOST_BYTES, SMALLEST, Bundle, cut
from devlog.features.site_search.model import Record
from devlog.model.outpath import check_out_path

FIRST = date(2020, 1, 1)


def record(number: int, title: str = "A title") -> Record:
    return Record(f"/t/{number}/", title, f"b{number}", (FIRST + timedelta(days=number // 3)).isoformat())


SITE = [record(number) for number in range(10_000)]


def changed(before: tuple[Bundle, ...], after: tuple[Bundle, ...]) -> int:
    """How many bundles have to be made."""
    return len(set(after) - set(before))


def test_bundles_have_all_texts_by_age_and_sizes_within_bounds() -> None:
    found = cut(SITE[::-1])
    assert [item for bundle in found for item in bundle.records] == sorted(SITE, key=lambda one: (one.date, one.url))
    assert {SMALLEST <= len(bundle.records) <= LARGEST for bundle in found[:-1]} == {True}
    assert 20 < len(found) < 30
    assert [bundle.name for bundle in found if not bundle.name] == [""]
    assert len({bundle.name for bundle in found}) == len(found)
    assert not any(check_out_path(f"{bundle.name}/pagefind-entry.json") for bundle in found[1:])


def test_a_site_without_texts_has_none() -> None:
    assert cut(()) == ()


@given(st.integers(0, 9_999))
def test_an_edit_changes_one_bundle(number: int) -> None:
    assert changed(cut(SITE), cut([*SITE[:number], record(number, "Another"), *SITE[number + 1 :]])) == 1


def test_a_new_post_changes_the_last_bundle() -> None:
    before, after = cut(SITE), cut([*SITE, record(10_000)])
    assert before[:-1] == after[: len(before) - 1]


@pytest.mark.slow
def test_a_post_that_goes_or_comes_changes_few() -> None:
    """Two or three on average: the borders behind it move until one is where it was."""
    whole = cut(SITE)
    others = [cut([*SITE[:number], *SITE[number + 1 :]]) for number in range(0, 10_000, 323)]
    assert sum(changed(whole, other) for other in others) <= 3 * len(others)
    assert sum(changed(other, whole) for other in others) <= 3 * len(others)


def test_where_no_url_tells_where_to_cut_sizes_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "_digest", lambda one: b"\xff" + one.url.encode())
    assert {len(bundle.records) for bundle in cut(SITE[: 3 * LARGEST])} == {LARGEST}


def test_long_texts_make_small_bundles() -> None:
    """An index takes memory by the words of its texts."""
    sizes = (0, MOST_BYTES // 10, MOST_BYTES // 2, 2 * MOST_BYTES)
    texts = [msgspec.structs.replace(one, size=sizes[number % 4]) for number, one in enumerate(SITE[:1000])]
    found = cut(texts)
    assert [item for bundle in found for item in bundle.records] == sorted(texts, key=lambda one: (one.date, one.url))
    assert all(sum(item.size for item in bundle.records[1:]) <= MOST_BYTES for bundle in found)
    assert len({bundle.name for bundle in found}) == len(found)
    assert changed(found, cut([*texts, record(10_000)])) == 1
