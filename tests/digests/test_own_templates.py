"""devlog's own templates say nothing that the verification does not find in the activity, whatever titles say."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.features.digests.digest.text import fill, reference
from devlog.features.digests.digest.verify import Allowed, verify
from devlog.features.digests.digest.words import upper_first
from devlog.features.digests.model.activity import Activity, Area, Change, Person, Totals

DAY = date(2026, 6, 3)
KINDS = ("fix", "feature", "change", "test", "performance")
FRAGMENTS = """
    Foo_Bar Foo Bar #12 !3 D123 `code` a_b 1,2 12.5 v1.2 thirteen one hundred and two https://x.y/z www.a.b
    a@b.c @me @x-y src/a.c deadbeef1 <b> {{x}} {% [a](b) * ** _ __ ~ \\ \\_ &amp; &lt; 's ’s ſix ß İ ǆ ŉ µ
    changes people by Foo Thanks to Ann Bob Reviewed by Zed | $x$ — ... - 1. 1) # + (#12) Fix Add Fixes
    Updates x/y.z // 0 00 1st 2nd 50% 3k ² ٣ 五 🎉 :tada: ^a^ ==m== H~2~O Von de O'Neil !!! ::: ``` ~~~
    a-b-Foo Foo-Bar Foo.Bar Foo/Bar Foo:Bar (Foo Foo) “Foo” "Foo" é ﬁ a1b2c3d4 1234567a no fixes a hundred
    seventy-five [x] feat(x)!: #1a D1 D12x https://github.com/a/b/pull/3 C++ C# F#12 x#12 &#12; &#x41; <!--
    --> ] [ ]( <http://a.b> ab.cd/ef.gh and from two
""".split()
TITLES = st.lists(
    st.tuples(st.sampled_from(FRAGMENTS), st.sampled_from([" ", "", "-", "/", ".", ","])), min_size=1, max_size=8
).map(lambda some: "".join(fragment + gap for fragment, gap in some).strip())


def activity_of(
    titles: list[str], names: list[str], scopes: list[str], *, numbered: bool, is_release: bool
) -> Activity:
    """An activity with a change for each title, by some of the people."""
    changes = tuple(
        Change(
            f"{number * 7919 + 0xABCDEF:040x}",
            title,
            "2026-06-02T12:00:00+00:00",
            f"#{number + 100}" if numbered else "",
            detail=titles[number // 2] if number % 3 else "",
            kind=KINDS[number % len(KINDS)],
            authors=tuple(dict.fromkeys(names[number % 3 :][:5] + names[number::7])),
            area=scopes[number % len(scopes)],
        )
        for number, title in enumerate(titles)
    )
    areas = [
        Area(scope, tuple(one.commit for one in some), tuple(dict.fromkeys(who for one in some for who in one.authors)))
        for scope in scopes
        if (some := [one for one in changes if one.area == scope])
    ]
    people = [
        Person(name, count, is_new=count == 1)
        for name in names
        if (count := sum(name in change.authors for change in changes))
    ]
    return Activity(
        "Lumen",
        "",
        changes[-1].commit,
        "" if is_release else "2026-06-02",
        "" if is_release else "2026-06-02",
        Totals(
            changes=len(changes), listed=len(changes), people=len(people), new_people=sum(one.is_new for one in people)
        ),
        tuple(areas),
        changes,
        tuple(people),
    )


def wrong(activity: Activity, template: str) -> list[str]:
    text, unnamed = fill(Path("none"), template, activity, DAY)
    found = verify(text, activity, DAY, "post.md", allowed=Allowed(numbers=unnamed))
    assert not found.missing, [reference(change) for change in found.missing]
    lines = text.split("\n")
    return [f"{problem.message} in {lines[problem.span.line - 1]}" for problem in found.problems]


@pytest.mark.slow
@given(
    st.lists(TITLES, min_size=1, max_size=12),
    st.lists(TITLES, min_size=1, max_size=30, unique=True),
    st.lists(TITLES, min_size=1, max_size=5, unique=True),
    st.sampled_from(["day", "week", "release"]),
    st.booleans(),
)
def test_whatever_titles_say(
    titles: list[str], names: list[str], scopes: list[str], template: str, numbered: bool
) -> None:
    activity = activity_of(titles, names, scopes, numbered=numbered, is_release=template == "release")
    assert wrong(activity, template) == []


@pytest.mark.parametrize("template", ["day", "week", "release"])
@pytest.mark.parametrize("count", [16, 63, 1500])
def test_any_number_of_people(template: str, count: int) -> None:
    letters = "abcdefghij"
    names = [f"Ada Q{''.join(letters[int(digit)] for digit in str(number))}" for number in range(count)]
    titles = [f"Fix {'the ' * number}parser" for number in range(7)]
    activity = activity_of(titles, names, ["parser"], numbered=True, is_release=template == "release")
    assert len(activity.people) == count
    assert wrong(activity, template) == []


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (["ßsrc/a.c is gone", "ßx/y.z"], ["Ada Quill"]),
        (["ſrc/a.c is gone", "µx/y.z"], ["Ada Quill"]),
        (["ab.cd/ef.gh.a-b-Foo- Fixes"], ["Ada Quill"]),
        (["Part"], ["x#12", "Fixes Foo", "Ada Quill"]),
        (["Part"], ["A 12", "Fixes Foo"]),
        (["Part"], ["A hundred", "two of us"]),
        (["Part"], ["Bob-_ ab"]),
        (["Part"], ["Bob-'s"]),
        (["!3__ is gone", "D123https://x.y is gone", "01,2-src/a.c is gone"], ["Ada Quill"]),
        (
            ["See www.a.b", "See https://x.y/z_", *(f"Fix {'the ' * number}parser" for number in range(9))],
            ["Ada Quill"],
        ),
    ],
)
@pytest.mark.parametrize("template", ["day", "week", "release"])
def test_titles_that_look_like_something_else(titles: list[str], names: list[str], template: str) -> None:
    activity = activity_of(titles, names, ["parser"], numbered=False, is_release=template == "release")
    assert wrong(activity, template) == []


def test_areas_that_look_like_links() -> None:
    """In a chart, too, which shows some characters as dots."""
    titles = [f"Fix {'the ' * number}parser" for number in range(8)]
    scopes = ["www.a.b", "http://x.y*", "1,2", "parser"]
    assert wrong(activity_of(titles, ["Ada Quill"], scopes, numbered=True, is_release=False), "week") == []


@pytest.mark.parametrize(
    ("text", "shown"), [("a b", "A b"), ("éa", "Éa"), ("ßa", "ßa"), ("ſa", "ſa"), ("ŉa", "ŉa"), ("", "")]
)
def test_the_beginning_of_a_sentence(text: str, shown: str) -> None:
    assert upper_first(text) == shown
    assert shown.lower() == text.lower()
