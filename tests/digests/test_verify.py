"""Names of a single word, and numbers in words, are compared with the activity; what only looks like them is not."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.features.digests.digest import verify as verifying
from devlog.features.digests.digest.verify import verify
from devlog.features.digests.model.activity import Activity, Area, Change, Person, Totals

AUTHORS = ("Ada Quill", "Bo Lint", "Ida Fern")
CHANGES = tuple(
    Change(f"{number:040x}", f"Fix part {number}" if number % 3 else f"Add part {number}", "2026-06-02T12:00:00+00:00",
           f"#{number}", kind="fix" if number % 3 else "feature", authors=(AUTHORS[number % 3],), area="parts")
    for number in range(1, 22)
)  # fmt: skip
ACTIVITY = Activity(
    "Lumen",
    "",
    CHANGES[-1].commit,
    "2026-06-02",
    "2026-06-02",
    Totals(changes=21, listed=21, people=3),
    (Area("parts", tuple(change.commit for change in CHANGES), AUTHORS),),
    CHANGES,
    tuple(Person(name, 7) for name in AUTHORS),
)


def wrong(text: str) -> list[tuple[str, int, int]]:
    """The code, the column and the length of each problem."""
    found = verify(text, ACTIVITY, date(2026, 6, 3), "post.md").problems
    return [(problem.code, problem.span.column, problem.span.length) for problem in found]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Thanks to Mallory for #12.", "Mallory"),
        ("Done. Many thanks, Ida and Mallory!", "Mallory"),
        ("> Thanks to Mallory.", "Mallory"),
        ("* Part 12 (#12, by Idda)", "Idda"),
        ("#12 from Bo, Mallory and Ada is in.", "Mallory"),
        ("There are first contributions from Ada, Ida, and Mallory.", "Mallory"),
        ("Thanks to Ada Quill, Mallory and Bo for it.", "Mallory"),
        ("It was reviewed by Mallory’s team.", "Mallory"),
        ("It is thirty-seven percent faster.", "thirty-seven"),
        ("It takes one hundred and five steps.", "one hundred and five"),
    ],
)
def test_what_the_activity_does_not_have(text: str, said: str) -> None:
    assert wrong(text) == [("digest-unknown", text.index(said) + 1, len(said))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Twenty changes were merged.", "Twenty changes"),
        ("Among them are thirteen small fixes.", "thirteen small fixes"),
        ("All one hundred fixes.", "one hundred fixes"),
        ("A hundred and twenty-one commits.", "A hundred and twenty-one commits"),
        ("Twenty one people.", "Twenty one people"),
    ],
)
def test_counts_in_words(text: str, said: str) -> None:
    assert wrong(text) == [("digest-wrong-count", text.index(said) + 1, len(said))]


@pytest.mark.parametrize(
    "text",
    [
        "Twenty-one changes by three people, fourteen of them fixes.",
        "Twenty one commits, and one of them is new: it is one in a row.",
        "Thanks to Ada, Bo and Ida for #12.",
        "#12 (by Ida) is in, and so is #13 by Bo.",
        "It is safe thanks to Rust, and checked by Clang. Thanks to Rust, it is.",
        "Python and Linux users will like it, says the Friday note.",
        "A feature of the twenty-first century, on the thirtieth day, often and at lengths of a thousand.",
        "Add part 12, as the seventeenth.",
        "They weighted it, and nineteens are none.",
    ],
)
def test_what_is_true_or_no_claim(text: str) -> None:
    assert wrong(text) == []


@pytest.mark.parametrize("number", ["1.3.6.1.4.1.311.2.1.12.1.1.1", "v1.2.3.4.5.6.7.8.9.10.11", "1" + ",234" * 14])
def test_a_long_number_is_one(number: str) -> None:
    """As an object identifier in a subject, which the digest itself quotes."""
    subject = f"Support {number} in parts"
    activity = msgspec.structs.replace(
        ACTIVITY, changes=(msgspec.structs.replace(CHANGES[0], title=subject), *CHANGES[1:])
    )
    assert verify(f"{subject}.", activity, date(2026, 6, 3), "post.md").problems == ()
    assert wrong(f"{subject}.") == [("digest-unknown", 9, len(number))]


TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ONES = "one two three four five six seven eight nine".split()
TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()


@pytest.mark.slow
@given(number=st.integers(1, 999), joint=st.sampled_from([" ", "-"]), link=st.sampled_from([" ", " and "]))
def test_numbers_in_words_are_those_in_digits(number: int, joint: str, link: str) -> None:
    hundreds, rest = divmod(number, 100)
    small = ["", *ONES, *TEENS]
    below = small[rest] if rest < 20 else TENS[rest // 10 - 2] + (joint + ONES[rest % 10 - 1] if rest % 10 else "")
    above = f"{ONES[hundreds - 1]} hundred" if hundreds else ""
    words = link.join(filter(None, (above, below)))
    in_words, in_digits = wrong(f"There were {words} fixes."), wrong(f"There were {number} fixes.")
    assert [code for code, _, _ in in_words] == [code for code, _, _ in in_digits]
    if in_words:
        assert in_words[0][1:] == (12, len(words) + 6)


def test_an_area_may_be_named_like_a_reference() -> None:
    activity = msgspec.structs.replace(ACTIVITY, areas=(Area("d10", ACTIVITY.areas[0].changes, AUTHORS),))
    found = verify("## D10\n\nText of D10 and D11.\n", activity, date(2026, 6, 3), "post.md").problems
    assert [problem.message.rpartition(" ")[2] for problem in found if problem.code == "digest-unknown"] == ["“D11”"]


def test_what_titles_say_is_looked_up_before_it_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search through all titles for each number of a text takes the square of their number."""
    title = "Count to thirty-seven for nineteen fixes of @lexer in src/a.py since abc1234"
    activity = msgspec.structs.replace(
        ACTIVITY, changes=(msgspec.structs.replace(CHANGES[0], title=title), *CHANGES[1:])
    )

    def wrong(text: str) -> list[str]:
        found = verify(text, activity, date(2026, 6, 3), "post.md").problems
        return [problem.message.rpartition("“")[2].rstrip("”") for problem in found]

    assert wrong("It counts to seventy-three, and again to thirty.") == ["seventy-three"]  # thirty is a part of it
    monkeypatch.setattr(verifying, "_MOST_SEARCHED", 0)
    assert wrong(f"{title}.") == []
    assert wrong("It counts to seventy-three, and again to thirty.") == ["seventy-three", "thirty"]


def test_what_only_looks_like_a_quotation() -> None:
    """Pieces of words, numbers in words that are cut, and other links than those of a title."""
    title = "Fix brighton hillside in lib/src/a.cpp for 100 rules, see https://wiki.example/C_"
    activity = msgspec.structs.replace(
        ACTIVITY, changes=(msgspec.structs.replace(CHANGES[0], title=title), *CHANGES[1:])
    )

    def codes(text: str) -> list[str]:
        return [problem.code for problem in verify(text, activity, date(2026, 6, 3), "post.md").problems]

    assert codes(title) == []
    assert codes("It is [there](https://wiki.example/C_), and in `lib/src/a.cpp`.") == []
    for text in (
        "This week Ton Hill fixed it.",
        "It is in src/a.c now.",
        "It closes one hundred and two leaks.",
        "It is [there](https://wiki.example/C).",
    ):
        assert codes(text) == ["digest-unknown"], text
