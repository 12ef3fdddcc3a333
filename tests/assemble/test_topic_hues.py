"""The colors of topics: apart, and the same as more topics come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.assemble.topic_hues import SLOTS, topic_hues
from devlog.model.site import Site

NAMES = st.lists(st.text("abcdef", min_size=1, max_size=4), unique=True, min_size=1, max_size=30)


def site(names: list[str]) -> Site:
    """A site whose topics came in this order; all but the first have a post."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    posts = [SimpleNamespace(topic=name, date=start + timedelta(days=day)) for day, name in enumerate(names)]
    return cast("Site", SimpleNamespace(topics=[SimpleNamespace(path=name) for name in sorted(names)], posts=posts))


def apart(hues: list[int]) -> int:
    """The smallest distance of two hues, in degrees."""
    return min(
        (min(abs(one - two), 360 - abs(one - two)) for at, one in enumerate(hues) for two in hues[:at]), default=360
    )


@pytest.mark.slow
@given(NAMES)
def test_a_new_topic_changes_no_other(names: list[str]) -> None:
    before, after = topic_hues(site(names[:-1])), topic_hues(site(names))
    assert {name: after[name] for name in before} == before


@pytest.mark.slow
@given(NAMES)
def test_as_far_apart_as_there_is_room(names: list[str]) -> None:
    hues = list(topic_hues(site(names)).values())
    assert len(set(hues)) == min(len(names), SLOTS)
    assert all(hue % 30 == 15 for hue in hues)
    assert apart(hues[:2]) in (180, 360)
    assert apart(hues[:4]) >= 90


def test_topics_without_posts_choose_last() -> None:
    found = site(["b", "c"])
    topics = [SimpleNamespace(path="a"), *found.topics]
    assert topic_hues(cast("Site", SimpleNamespace(topics=topics, posts=found.posts)))["b"] == topic_hues(found)["b"]
