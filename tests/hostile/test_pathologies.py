"""Texts made to stall a parser: every one is read to its end, in a fork of its own, in two sizes.

The limit of seconds is far beyond what any of them needs: it tells a text that never ends from one that does.
Growth is asserted by counting steps of the interpreter, which no busy machine changes.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from apart import GROWTH, Apart
from pathologies import FRONT_MATTERS, GENERATORS, LONG, NASTY_CODE

from devlog.parse.code.highlight import LANGUAGES


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    with Apart() as process:
        yield process


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATORS)
def test_bodies(apart: Apart, name: str) -> None:
    small, large = apart.do("read_body", name)
    assert large < GROWTH * small + 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_long_texts(apart: Apart, name: str) -> None:
    apart.do("read_long", name)


def test_a_table_for_the_search(apart: Apart) -> None:
    apart.do("read_for_search")


def test_titles_of_adopted_sites(apart: Apart) -> None:
    apart.do("adopt_long_titles")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["values", "templates", "sets", "tokens"])
def test_large_adopted_sites(apart: Apart, kind: str) -> None:
    apart.do("adopt_large", kind)


@pytest.mark.feature("episodes")
def test_paragraphs_to_be_spoken(apart: Apart) -> None:
    apart.do("speak_long_paragraphs")


@pytest.mark.feature("digests")
@pytest.mark.slow
def test_digests_to_be_verified(apart: Apart) -> None:
    apart.do("verify_long_digests")


@pytest.mark.feature("digests")
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["authors", "reverts", "areas", "owners", "levels", "owned levels", "claims"])
def test_digests_of_large_histories(apart: Apart, kind: str) -> None:
    apart.do("digest_large_histories", kind)


def test_a_picture_of_fill_bytes(apart: Apart) -> None:
    apart.do("strip_fill_bytes")


@pytest.mark.parametrize("name", FRONT_MATTERS)
def test_front_matter(apart: Apart, name: str) -> None:
    small, large = apart.do("read_front_matter", name)
    assert large < GROWTH * small + 1000


_GROUPS = [sorted(LANGUAGES)[start::8] for start in range(8)]


@pytest.mark.parametrize("languages", _GROUPS, ids=lambda group: group[0])
@pytest.mark.slow
def test_lexers(apart: Apart, languages: list[str]) -> None:
    assert apart.do("highlight_all", languages) == len(languages) * len(NASTY_CODE)


def test_the_corpus_is_large_enough() -> None:
    assert len(GENERATORS) >= 29
    assert len(NASTY_CODE) >= 20
