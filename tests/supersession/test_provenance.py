"""What front matter says of how far a text can be relied on, in all forms, and quotes that are disclosures."""

from __future__ import annotations

import json

import pytest

from devlog.features.supersession.model.provenance import Ai, Provenance
from devlog.model.document import FrontMatter, Parsed
from devlog.model.source import Source
from devlog.parse.front_matter.values import MOST
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


def parsed(text: str) -> Parsed:
    return parse(Source("log/a.md", "content/log/a.md", text), ParseOptions())[0]


def front(keys: str) -> FrontMatter:
    found = parsed(f"---\ntitle: A\n{keys}\n---\nText.\n")
    assert found.diagnostics == ()
    return found.front_matter


def provenance(keys: str) -> Provenance:
    return front(keys).of(Provenance)


def codes(keys: str) -> list[str]:
    return [problem.code for problem in parsed(f"---\ntitle: A\n{keys}\n---\nText.\n").diagnostics]


@pytest.mark.parametrize("word", ["current", "Superseded", "'historical'", "HISTORICAL"])
def test_a_status(word: str) -> None:
    found = front(f"status: {word}")
    assert found.of(Provenance).status == word.strip("'").lower()
    assert "status" not in json.loads(found.params)


@pytest.mark.parametrize("word", ["published", "draft", "Hidden", "private"])
def test_what_others_call_a_status_is_left_to_them(word: str) -> None:
    found = front(f"status: {word}")
    assert found.of(Provenance).status == ""
    assert json.loads(found.params)["status"] == word
    assert found.draft == (word == "draft")


BLOCK = "---\ntitle: A\nSupersedes:\n- x.md\n- y.md\nlast_reviewed: 20 May 2026\nappliesTo: 2.3, 2.4\nai: Q\n---\n"
LINES = "---\ntitle: A\nsupersedes: [x.md, y.md]\nreviewed: 2026-05-20\napplies_to: [2.3, 2.4]\nai: {drafted: Q}\n---\n"
TOML = """\
+++
title = "A"
supersedes = ["x.md", "y.md"]
reviewed = 2026-05-20
[extra]
applies_to = "2.3, 2.4"
ai.drafted_by = "Q"
+++
"""
JSON = """\
{"title": "A", "supersedes": ["x.md", "y.md"],
"params": {"reviewed": "2026-05-20", "ai": {"drafted": "Q"}, "applies-to": ["2.3", "2.4"]}}
"""


@pytest.mark.parametrize("text", [BLOCK, LINES, TOML, JSON])
def test_all_formats_say_the_same(text: str) -> None:
    found = parsed(text)
    assert found.diagnostics == ()
    said = found.front_matter.of(Provenance)
    assert [ref.target for ref in said.supersedes] == ["x.md", "y.md"]
    assert said.reviewed
    assert said.reviewed.value.date().isoformat() == "2026-05-20"
    assert (said.applies_to, said.ai) == ("2.3, 2.4", Ai(drafted="Q"))
    assert json.loads(found.front_matter.params).keys() <= {"extra"}  # a table of others stays as a whole


def test_places_are_those_of_the_values() -> None:
    one, two = provenance("supersedes: [x.md,  y.md]").supersedes
    assert [(ref.span.line, ref.span.column, ref.span.length) for ref in (one, two)] == [(3, 14, 4), (3, 21, 4)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("true", Ai()),
        ("yes", Ai()),
        ("false", None),
        ("none", None),
        ("Quillwright", Ai(drafted="Quillwright")),
        ("A program drew the charts.", Ai(note="A program drew the charts.")),
        ("{drafted: true}", Ai()),
        ("{drafted: false}", None),
        ("{drafted: , edited_by: Ada Quill}", Ai(edited_by="Ada Quill")),
        ("{drafted: Q, editedBy: [A, B, C]}", Ai(drafted="Q", edited_by="A, B and C")),
        ("{note: It did.}", Ai(note="It did.")),
        ("{}", None),
    ],
)
def test_what_had_a_part(written: str, expected: Ai | None) -> None:
    assert provenance(f"ai: {written}").ai == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("status: [current]", ["bad-value"]),
        ("status: superceded", ["unknown-status"]),
        ("supersedes: {a: b}", ["bad-value"]),
        ("supersedes: [[a]]", ["bad-value"]),
        ("reviewed: yes", ["bad-value"]),
        ("reviewed: false", []),
        ("reviewed: 2026-13-01", ["bad-value"]),
        ("ai: 2026-05-03", ["bad-value"]),
        ("ai: {drafted: {by: x}}", ["bad-value"]),
        ("ai: {who: x}", ["unknown-key"]),
        ("supersede: a.md", ["unknown-key"]),
        ("aplies_to: x", ["unknown-key"]),
        ("applies_to: x\nappliesTo: y", ["duplicate-key"]),
        ("reviewer: Bo Reed", []),
        ("superseded: true", []),
    ],
)
def test_what_is_wrong(keys: str, expected: list[str]) -> None:
    assert codes(keys) == expected


@pytest.mark.parametrize(
    "quote",
    [
        "**Disclosure.** Drafted by a program.",
        "**AI disclosure:** drafted by a program.",
        "**AI Disclosure**: generated.",
        "*Disclosure* – written with a program.",
        "AI-disclosure - an assistant wrote it.",
        "**Disclosures**\n>\n> An LLM did.",
        "DISCLAIMER: drafted by a program.",
    ],
)
@pytest.mark.parametrize("mark", ["", "[!NOTE]\n> "])
def test_a_disclosure_is_no_part_of_what_is_said(quote: str, mark: str) -> None:
    document = parsed(f"---\ntitle: A\n---\n> {mark}{quote}\n\nWhat is said.\n").document
    assert document.excerpt == "What is said."
    assert document.words == 3 + bool(mark)  # an alert has a title
    assert document.discloses


@pytest.mark.parametrize(
    "text",
    [
        "> **Disclosure order** is generated.",
        "> Non-disclosure: an AI.",
        "> Disclosed by an AI.",
        "**Disclosure.** An AI, but no quote.",
        "> What they said.\n>\n> Disclosure: an AI.",
        "- > Listed.\n\nDisclosure: AI",
    ],
)
def test_what_is_no_disclosure(text: str) -> None:
    document = parsed(f"---\ntitle: A\n---\n{text}\n").document
    assert not document.discloses
    assert document.words == len([word for word in text.split() if word not in (">", "-")])


def test_a_disclosure_of_something_else_is_set_apart_but_says_nothing_of_programs() -> None:
    document = parsed("---\ntitle: A\n---\n> Disclaimer: I own a printer.\n\n> A quote.\n\nSaid.\n").document
    assert (document.excerpt, document.discloses) == ("A quote. Said.", False)


def test_code_and_lists_in_a_disclosure_do_not_count() -> None:
    text = "> **Disclosure.** By a program:\n>\n> ```text\n> a b c\n> ```\n>\n> - one\n>\n> > two\n\nSaid.\n"
    document = parsed(f"---\ntitle: A\n---\n{text}").document
    assert (document.excerpt, document.words) == ("Said.", 1)


@pytest.mark.parametrize("key", ["supersedes", "superseded_by"])
def test_a_post_supersedes_so_many_at_most(key: str) -> None:
    some = [f"{number}.md" for number in range(MOST)]
    assert len(getattr(provenance(f"{key}: [{', '.join(some)}]"), key)) == MOST
    found = parsed(f"---\ntitle: A\n{key}: [{', '.join(some)}, last.md]\n---\nText.\n")
    assert [(item.code, item.severity) for item in found.diagnostics] == [("too-many-values", "error")]
    assert len(getattr(found.front_matter.of(Provenance), key)) == MOST
