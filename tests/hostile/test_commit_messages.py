"""Commit messages of strangers, as long as they are read, take no longer than others to read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from apart import Apart

from devlog.features.digests.digest.subjects import LONGEST

HALF = LONGEST // 2 - 100
MESSAGES = {
    "a trailer of blanks": f"t\n\nCo-authored-by:{' ' * HALF}{'x' * HALF}",
    "a trailer that ends in blanks": f"t\n\nReviewed-by: {'x ' * HALF}<",
    "comments without an end": f"t\n\n{'<!--' * (LONGEST // 4 - 10)}",
    "a merge with blanks": f"Merge pull request #1 from x\n\nx{' ' * (LONGEST - 100)}y",
    "quotes": f'Reland "{chr(34) * (LONGEST - 100)}x',
    "quotes and letters": f'Reland "{"x" + chr(34) * 50 + "y"}' * (LONGEST // 80),
    "reverts": f"t\n\n{'This reverts merge request ' * (LONGEST // 30)}",
    "scopes": "[a]" * (LONGEST // 3 - 10),
    "areas": "a, " * (LONGEST // 3 - 10),
    "updates": "update " * (LONGEST // 7 - 10),
    "blank lines": f"Merge branch x\n\nSee merge request !1{' ' * HALF}\n{' ' * HALF}x",
}


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    with Apart("devlog.features.digests.digest.subjects") as process:
        yield process


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_message_is_read_to_its_end(apart: Apart, kind: str) -> None:
    message = MESSAGES[kind]
    assert len(message) <= LONGEST
    assert 0 < len(apart.do("read_commit_message", message)) <= 300
