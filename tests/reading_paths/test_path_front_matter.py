"""What front matter may say of a reading path, in all formats."""

from __future__ import annotations

import json

import pytest

from devlog.features.reading_paths.model.declared import DeclaredPath, DeclaredStep, Requirement
from devlog.model.diagnostic import Span
from devlog.model.document import Parsed, Ref
from devlog.model.source import Source
from devlog.parse.front_matter.values import LONGEST, MOST
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


def parsed(text: str) -> Parsed:
    return parse(Source("start.md", "content/start.md", text), ParseOptions())[0]


def declared(keys: str) -> DeclaredPath:
    found = parsed(f"---\ntitle: A\n{keys}\n---\nText.\n")
    assert found.diagnostics == ()
    return found.front_matter.of(DeclaredPath)


def codes(keys: str) -> list[str]:
    return [problem.code for problem in parsed(f"---\ntitle: A\n{keys}\n---\nText.\n").diagnostics]


def plain(path: DeclaredPath) -> list[tuple[str, str, list[str]]]:
    """The target, the reason and the requirements of each step, without positions."""
    return [(step.ref.target, step.why, words(step.before)) for step in path.steps]


def words(before: tuple[Requirement, ...]) -> list[str]:
    return [f"<{item.ref.target}>" if item.ref else item.text for item in before]


EXPECTED = [("log/a.md", "Because of it.", ["<log/b.md>", "All of C"]), ("log/b.md", "", [])]


@pytest.mark.parametrize(
    "text",
    [
        """---
title: A
reading_path:
  - post: log/a.md
    why: |
      Because
      of it.
    before: [log/b.md, All of C]
  - log/b.md
---
""",
        """+++
title = "A"
reading_path = [{post = "log/a.md", why = "Because of it.", before = ["log/b.md", "All of C"]}, "log/b.md"]
+++
""",
        json.dumps(
            {
                "title": "A",
                "reading_path": [
                    {"post": "log/a.md", "why": "Because of it.", "before": ["log/b.md", "All of C"]},
                    {"Post": "log/b.md"},
                ],
            }
        )
        + "\n",
    ],
    ids=["yaml", "toml", "json"],
)
def test_a_path_in_every_format(text: str) -> None:
    found = parsed(text + "Text.\n")
    assert found.diagnostics == ()
    assert plain(found.front_matter.of(DeclaredPath)) == EXPECTED
    assert "reading_path" not in json.loads(found.front_matter.params)


def test_the_position_of_a_post_is_that_of_its_name() -> None:
    (step,) = declared("reading_path:\n  - {post: log/a.md, why: It is.}").steps
    assert step == DeclaredStep(Ref("link", "log/a.md", Span("content/start.md", 4, 12, 8)), "It is.")


@pytest.mark.parametrize(
    ("item", "is_link"),
    [
        ("basics.md", True),
        ("storage/", True),
        ("/storage/2026-05-01-a/", True),
        ("https://example.org/book", True),
        ("a%20b.md", True),
        ("Patience", False),
        ("See basics.md", False),
        ("'  '", None),
    ],
)
def test_what_is_a_link_and_what_is_a_sentence(item: str, is_link: bool | None) -> None:
    before = declared(f"reading_path: [a.md]\nbefore: [{item}]").before
    assert [required.ref is not None for required in before] == ([] if is_link is None else [is_link])


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("reading_path: []", []),
        ("reading_path:", []),
        ("reading_path: ['']", []),
        ("reading_path: a.md", ["bad-value"]),
        ("reading_path: {post: a.md}", ["bad-value"]),
        ("reading_path: [[a.md]]", ["bad-value"]),
        ("reading_path: [{why: It is.}]", ["bad-value"]),
        ("reading_path: [{post: [a.md]}]", ["bad-value"]),
        ("reading_path: [{post: a.md, why: [b]}]", ["bad-value"]),
        ("reading_path: [{post: a.md, becuase: b}]", ["unknown-key"]),
        ("reading_path: [{post: a.md, before: {b: c}}]", ["bad-value"]),
        ("reading_paht: [a.md]", ["unknown-key"]),
        (f"reading_path: [{{post: a.md, why: {'x' * (LONGEST + 1)}}}]", ["too-long-value"]),
        (f"reading_path: [a.md]\nbefore: [a {'x' * LONGEST}]", ["too-long-value"]),
        (f"reading_path: [{', '.join(f'{number}.md' for number in range(MOST + 1))}]", ["too-many-values"]),
        (f"before: [{', '.join(f'{number}.md' for number in range(MOST + 1))}]", ["too-many-values"]),
    ],
)
def test_what_is_wrong_is_told_once(keys: str, expected: list[str]) -> None:
    assert codes(keys) == expected


def test_no_more_steps_than_the_limit() -> None:
    keys = f"reading_path: [{', '.join(f'{number}.md' for number in range(MOST + 9))}]"
    found = parsed(f"---\ntitle: A\n{keys}\n---\n").front_matter.of(DeclaredPath)
    assert len(found.steps) == MOST
