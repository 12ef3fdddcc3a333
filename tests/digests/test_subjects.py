"""What commit messages state, in the forms of several code hosts and conventions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.features.digests.digest.subjects import Contact, read_message


@pytest.mark.parametrize(
    ("message", "title", "number"),
    [
        ("Fix the lexer (#123)", "Fix the lexer", "#123"),
        ("Fix the lexer (!7)\n", "Fix the lexer", "!7"),
        ("Merge pull request #12 from ada/lexer\n\nFix the lexer\n", "Fix the lexer", "#12"),
        ("Merge pull request #12 from ada/lexer", "Merge pull request #12 from ada/lexer", "#12"),
        ("Merge branch 'lexer' into 'main'\n\nFix the lexer\n\nSee merge request lumen/db!45", "Fix the lexer", "!45"),
        ("Merge branch 'lexer'", "Merge branch 'lexer'", ""),
        ("Auto merge of #99 - ada:lexer, r=grace\n\nFix the lexer", "Fix the lexer", "#99"),
        ("Merge #7\n\nFix the lexer", "Fix the lexer", "#7"),
        ("Merged in lexer (pull request #3)\n\nFix the lexer", "Fix the lexer", "#3"),
        ("Merged PR 15: Fix the lexer", "Fix the lexer", "#15"),
        ("Fix the lexer\n\nDifferential Revision: https://reviews.lumen.example/D1234", "Fix the lexer", "D1234"),
        ("Fix the lexer\n\nReviewed-on: https://review.lumen.example/c/db/+/5678", "Fix the lexer", "#5678"),
        ("Fix the lexer\n\nPR-URL: https://github.com/lumen/db/pull/9", "Fix the lexer", "#9"),
        ("Fix the lexer\n\nPull Request resolved: https://github.com/lumen/db/pull/9", "Fix the lexer", "#9"),
        ("Fix the lexer\n\nMerge-Request: !31", "Fix the lexer", "!31"),
        ("Fix the lexer", "Fix the lexer", ""),
        ("", "", ""),
    ],
)
def test_title_and_number(message: str, title: str, number: str) -> None:
    read = read_message(message)
    assert (read.title, read.number) == (title, number)


@pytest.mark.parametrize(
    ("subject", "title", "scope", "kind"),
    [
        ("fix(parser): accept tabs", "accept tabs", "parser", "fix"),
        ("feat!: drop tables", "drop tables", "", "feature"),
        ("[dynamo] Fix sorting", "Fix sorting", "dynamo", "fix"),
        ("[ROCm][Inductor] Speed up", "Speed up", "ROCm", "performance"),
        ("net/http: add a timeout", "add a timeout", "net/http", "feature"),
        ("Note: this is prose", "this is prose", "Note", "change"),
        ("Fix x: y", "Fix x: y", "", "fix"),
        ("revert: feat: add a fast path", "revert: feat: add a fast path", "", "change"),
    ],
)
def test_scope_and_kind(subject: str, title: str, scope: str, kind: str) -> None:
    read = read_message(subject)
    assert (read.title, read.scope, read.kind) == (title, scope, kind)


def test_people() -> None:
    read = read_message(
        "Fix\n\nCo-authored-by: Bo Lint <bo@lumen.example>\nReviewed-By: Grace Hull <grace@lumen.example>\n"
        "Co-authored-by: Bo Lint <bo@lumen.example>\nAcked-by: someone\n"
    )
    assert read.authors == (Contact("Bo Lint", "bo@lumen.example"),)
    assert read.reviewers == (Contact("Grace Hull", "grace@lumen.example"), Contact("someone"))


@pytest.mark.parametrize(
    ("message", "reverts", "reverted", "relanded"),
    [
        ('Revert "Fix the lexer (#1)" (#2)\n\nThis reverts commit 0123456789.', "0123456789", "Fix the lexer", ""),
        ('Revert "Fix the lexer"', "", "Fix the lexer", ""),
        ("Take it back\n\nThis reverts commit 0123456789.", "0123456789", "", ""),
        ("revert: fix(lexer): accept tabs (#2)", "", "fix(lexer): accept tabs", ""),
        ("revert(lexer)!: accept tabs\n\nThis reverts commit 0123456789.", "0123456789", "accept tabs", ""),
        ("Back out “Fix the lexer”", "", "Fix the lexer", ""),
        ('Reland "Fix the lexer" (#5)', "", "", "Fix the lexer"),
        ('Reapply "Fix the lexer"\n\nThis reverts commit 0123456789.', "", "", "Fix the lexer"),
        ('Revert "Revert "Fix the lexer""', "", "", "Fix the lexer"),
        ("Retry failed requests", "", "", ""),
        ("Retry “Fix the lexer”", "", "", "Fix the lexer"),
        ("Fix the lexer", "", "", ""),
    ],
)
def test_reverts(message: str, reverts: str, reverted: str, relanded: str) -> None:
    read = read_message(message)
    assert (read.reverts, read.reverted_title, read.relanded_title) == (reverts, reverted, relanded)


@pytest.mark.parametrize(
    ("subject", "is_dependency"),
    [
        ("Bump serde from 1.0.1 to 1.0.2", True),
        ("Update dependency pytest to v9", True),
        ("chore(deps): update all dependencies", True),
        ("build: upgrade zlib to v1.3 in /docs", True),
        ("Update dependency zlib from 1 to 2", True),
        ("Update all non-major dependencies", True),
        ("Pin dependencies", True),
        ("Lock file maintenance", True),
        ("Update dependency resolver", False),
        ("Update dependencies view", False),
        ("Upgrade the storage format to v2 (#12)", False),
        ("Update page size from 4096 to 8192", False),
        ("Let users update documents up to 10 MB", False),
        ("Explain how to upgrade the cluster to 2.0", False),
        ("Explain lock file maintenance", False),
        ('Revert "Bump serde from 1.0.1 to 1.0.2"', False),
        ("Update the manual", False),
        ("Bump the stack size", False),
    ],
)
def test_dependencies(subject: str, is_dependency: bool) -> None:
    assert read_message(subject).is_dependency == is_dependency


@pytest.mark.parametrize(
    ("message", "is_backport"),
    [
        ("[backport 2.1] Fix the lexer", True),
        ("[release/2.1] Fix the lexer", True),
        ("Fix\n\n(cherry picked from commit 0123456789)", True),
        ("Backport the fix", True),
        ("[stable 2.1] Fix the lexer", True),
        ("release-2.1: Fix the lexer", True),
        ("Fix backports", False),
        ("Stable 1.0 API for plugins", False),
        ("Release 2.0 notes", False),
    ],
)
def test_backports(message: str, is_backport: bool) -> None:
    assert read_message(message).is_backport == is_backport


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("It was slow. It is quick now.\n\nMore.", "It was slow. It is quick now."),
        ("Fixes #12.\n\nIt was\nslow.", "It was slow."),
        ("Summary: x\n\n- one\n- two\n\n```\ncode here.\n```\n\nIt was slow.", "It was slow."),
        ("<!-- Describe\n\nyour change. -->\n\nIt was slow (v1.2). Yes.", "It was slow (v1.2). Yes."),
        ("Signed-off-by: Ada Quill <ada@lumen.example>", ""),
        ("Speed up the lexer.", ""),
        ("no end " * 100, ""),
        ("One. Then " + "word " * 80 + "end.", "One."),
    ],
)
def test_detail(body: str, detail: str) -> None:
    assert read_message(f"Speed up the lexer (#1)\n\n{body}").detail == detail


def test_the_detail_of_a_merge_comes_after_its_title() -> None:
    read = read_message("Merge pull request #12 from ada/lexer\n\nSpeed up the lexer\n\nIt was slow.")
    assert (read.title, read.detail) == ("Speed up the lexer", "It was slow.")


@pytest.mark.slow
@given(st.text(max_size=300))
def test_any_message_is_read(message: str) -> None:
    read = read_message(message)
    assert "\n" not in read.title
