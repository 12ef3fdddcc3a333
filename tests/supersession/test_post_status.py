"""Which posts have taken the place of which: whatever they say of each other, and in whatever order they are read."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from random import Random

import msgspec
import pytest
from catalogs import ENGLISH
from hypothesis import given
from hypothesis import strategies as st

from devlog.assemble.references import link_index
from devlog.assemble.site import SiteFiles, Visibility, assemble
from devlog.config import Config
from devlog.features.supersession.assemble import post_statuses_of
from devlog.features.supersession.model.provenance import Provenance
from devlog.features.supersession.model.status import PostStatus
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Parsed, Ref
from devlog.model.git_dates import GitDates
from devlog.model.parts import parts
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

NAMES = "abcdefgh"
Step = tuple[str, str]
"""From a post to the one that takes its place, by their names."""


@cache
def _blank() -> Parsed:
    return parse(Source("", "", "---\ntitle: A post\n---\nText.\n"), ParseOptions())[0]


def _text(name: str, steps: list[Step], *, by_old: frozenset[Step] = frozenset(), status: str = "") -> Parsed:
    """A post that says what it supersedes, and by what it is superseded as far as that is in `by_old`."""
    path = f"log/2026-05-01-{name}.md"

    def refs(names: list[str]) -> tuple[Ref, ...]:
        spans = (Span(f"content/{path}", 3, column) for column in range(1, 99))
        return tuple(Ref("link", f"2026-05-01-{other}.md", span) for other, span in zip(names, spans, strict=False))

    said = Provenance(
        status=status,
        supersedes=refs([old for old, new in steps if new == name and (old, new) not in by_old]),
        superseded_by=refs([new for old, new in steps if old == name and (old, new) in by_old]),
    )
    front = msgspec.structs.replace(_blank().front_matter, parts=parts([said]) if said != Provenance() else ())
    name = f"2026-05-01-{name}"
    return msgspec.structs.replace(
        _blank(), path=path, file=f"content/{path}", name=name, name_slug=name[11:], front_matter=front
    )


def _stand(texts: list[Parsed]) -> tuple[dict[str, PostStatus], tuple[Diagnostic, ...]]:
    """How far posts can be relied on, by name, and what is wrong."""
    config = Config()
    assembled = assemble(config, SiteFiles(texts), GitDates(), Visibility(datetime(2027, 1, 1, tzinfo=UTC)))
    found = post_statuses_of(config, assembled.site, link_index(config, assembled, ""), ENGLISH)
    return {_name(path): post_status for path, post_status in found.by_post.items()}, found.problems


def _name(path: str) -> str:
    return path.removesuffix(".md").rpartition("-")[2]


def _reachable(steps: set[Step]) -> dict[str, set[str]]:
    """What each post leads to, in one step or in many, worked out in the plainest way there is."""
    found = {name: {new for old, new in steps if old == name} for name in NAMES}
    for middle in NAMES:
        for name in NAMES:
            if middle in found[name]:
                found[name] |= found[middle]
    return found


STEPS = st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=14)


@pytest.mark.slow
@given(STEPS, st.randoms(use_true_random=False))
def test_any_posts(steps: set[Step], random: Random) -> None:
    ordered = sorted(steps)
    by_old = frozenset(step for step in ordered if random.random() < 0.3)
    texts = [_text(name, ordered, by_old=by_old) for name in NAMES]
    random.shuffle(texts)
    found, wrong = _stand(texts)

    others = {step for step in steps if step[0] != step[1]}
    leads = _reachable(others)
    assert sum(problem.message == "a post cannot supersede itself" for problem in wrong) == len(steps - others)

    circles = {
        frozenset({name, *(b for b in leads[name] if name in leads[b])}) for name in NAMES if name in leads[name]
    }
    told = [problem for problem in wrong if "each other" in problem.message]
    files = {", ".join(f"“content/log/2026-05-01-{name}.md”" for name in sorted(circle)) for circle in circles}
    shown = [problem.message.removeprefix("these posts supersede each other: ") for problem in told]
    assert sorted(shown) == sorted(_cut(text) for text in files)
    assert len(wrong) == len(told) + len(steps - others)

    in_circles = set().union(*circles)
    ends = {name for name in NAMES if not leads[name]}
    for name in NAMES:
        post_status = found.get(name, PostStatus())
        newest = {_name(path) for path in post_status.newest}
        if not leads[name] & in_circles:
            assert newest == leads[name] & ends
            assert post_status.status == ("superseded" if leads[name] else "")
        else:
            assert newest >= leads[name] & ends
            assert newest <= leads[name]
    links = {(link.url, name) for name, post_status in found.items() for link in post_status.supersedes}
    assert links == {(f"/log/2026-05-01-{old}/", new) for old, new in others}


def _cut(files: str) -> str:
    """The names of files as messages have them: at most five."""
    names = files.split(", ")
    return files if len(names) <= 5 else f"{', '.join(names[:5])} and {len(names) - 5} more"


@pytest.mark.slow
@given(STEPS, st.randoms(use_true_random=False))
def test_the_order_of_files_makes_no_difference(steps: set[Step], random: Random) -> None:
    texts = [_text(name, sorted(steps)) for name in NAMES]
    before = _stand(texts)
    random.shuffle(texts)
    assert _stand(texts) == before


@pytest.mark.slow
def test_a_long_chain() -> None:
    """Longer than calls may be deep."""
    names = [f"p{number:04}" for number in range(3000)]
    steps = dict(pairwise(names))
    texts = [_text(name, [(old, name)] if old else []) for old, name in zip(["", *names], names, strict=False)]
    found, wrong = _stand(texts)
    assert wrong == ()
    assert len(steps) == 2999
    assert {post_status.newest for name, post_status in found.items() if name != names[-1]} == {
        (f"log/2026-05-01-{names[-1]}.md",)
    }
    assert found[names[-1]].status == ""


def test_what_says_nothing_costs_nothing() -> None:
    assert _stand([_text(name, []) for name in NAMES]) == ({}, ())


def test_what_was_split_leads_to_both_and_what_was_joined_to_one() -> None:
    split, _ = _stand([_text(name, [("a", "b"), ("a", "c")]) for name in "abc"])
    assert [_name(path) for path in split["a"].newest] == ["b", "c"]
    joined, _ = _stand([_text(name, [("a", "c"), ("b", "c")]) for name in "abc"])
    assert [link.url for link in joined["c"].supersedes] == ["/log/2026-05-01-a/", "/log/2026-05-01-b/"]


def test_what_both_posts_say_counts_once() -> None:
    steps = [("a", "b")]
    both = [_text("a", steps, by_old=frozenset(steps)), _text("b", steps)]
    found, wrong = _stand(both)
    assert wrong == ()
    assert len(found["b"].supersedes) == 1


def test_being_superseded_counts_more_than_what_a_post_says() -> None:
    for status in ("", "historical", "superseded"):
        found, wrong = _stand([_text("a", [], status=status), _text("b", [("a", "b")])])
        assert (found["a"].status, wrong) == ("superseded", ())
    _, wrong = _stand([_text("a", [], status="current"), _text("b", [("a", "b")])])
    assert [problem.code for problem in wrong] == ["contradicted-status"]
