"""Letters with accents, and letters that only look like them: what is searched for is found in any spelling."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import closing
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sites import NOW, write_site

from devlog.search.accents import _MAY_HAVE, without_accents
from devlog.search.lookup import Lookup

WORDS = {
    "검색": "전체 텍스트 검색 엔진",
    "データ": "圧縮 データ と ガイド",
    "Київ": "Журнал з міста Київ, її мешканці",
    "ёлка": "Здесь стоит ёлка, и Андрей",
    "αγάπη": "Η αγάπη του κώδικα",
    "Müller": "Gespräche mit Müller über Größen",
    "Nguyễn": "Bài viết của Nguyễn về bộ nhớ",
    "हिन्दी": "यह हिन्दी में है",
    "İzmir": "İzmir'de yazıldı",
    "Straße": "Die Straße ist naß",
    "ΣΟΦΟΣ": "Ο ΣΟΦΟΣ",
    "Silben\u00adtrennung": "Die Silben\u00adtrennung im Satz",
}


@pytest.fixture(scope="module")
def lookup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lookup]:
    posts = {
        f"content/core/2026-05-0{day}-{day}.md": f"---\ntitle: Post {day}\n---\n## Über {word}\n\n{text}.\n"
        for day, (word, text) in enumerate(WORDS.items(), start=1)
    }
    site = write_site(tmp_path_factory.mktemp("site"), {"devlog.toml": 'title = "Lumen"\n', **posts})
    with closing(Lookup(site, NOW)) as found:
        found.refresh()
        yield found


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_found_as_it_is_written(lookup: Lookup, word: str, form: str) -> None:
    [hit] = lookup.search(normalize(form, word))
    assert not hit.missing
    assert not hit.taken_for
    assert hit.section == f"Über {word}"
    assert hit.snippet == f"{WORDS[word]}."  # with its accents


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("muller", "Müller"),
        ("MÜLLER", "Müller"),
        ("αγαπη", "αγάπη"),
        ("елка", "ёлка"),
        ("андреи", "ёлка"),
        ("nguyen", "Nguyễn"),
        ("strasse", "Straße"),
        ("STRASSE", "Straße"),
        ("STRAẞE", "Straße"),
        ("σοφος", "ΣΟΦΟΣ"),
        ("silbentrennung", "Silben\u00adtrennung"),
    ],
)
def test_accents_and_case_make_no_difference(lookup: Lookup, query: str, word: str) -> None:
    assert [(hit.section, hit.taken_for) for hit in lookup.search(query)] == [(f"Über {word}", "")]


def test_marks_that_make_another_letter_make_a_difference(lookup: Lookup) -> None:
    """In Japanese, テータ is another word than データ."""
    assert all(hit.taken_for for hit in lookup.search("テータ"))


def test_all_letters_that_may_have_accents_are_known() -> None:
    accented = [
        letter
        for letter in map(chr, range(0x80, sys.maxunicode + 1))
        if re.search("[\u0300-\u036f]", normalize("NFD", letter))
    ]
    assert {"é", "й", "ά", "ễ", "\u0301"}.issubset(accented)
    assert [letter for letter in accented if not _MAY_HAVE.fullmatch(letter)] == []
    assert [letter for letter in accented if without_accents(letter) == letter] == []


def test_all_letters_that_stand_for_several_are_spelled_out() -> None:
    several = [letter for letter in map(chr, range(0x80, sys.maxunicode + 1)) if len(letter.casefold()) > 1]
    assert {"ß", "ẞ", "ﬁ", "և"}.issubset(several)
    assert [letter for letter in several if without_accents(letter) == letter] == []


@given(st.text(max_size=40))
def test_removing_accents_is_final_and_makes_no_other_words(text: str) -> None:
    plain = without_accents(text)
    assert without_accents(plain) == plain
    assert len(re.findall(r"[^\W_]+", plain)) <= len(re.findall(r"[^\W_]+", normalize("NFC", text)))
