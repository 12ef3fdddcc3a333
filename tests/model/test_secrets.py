"""What looks like a secret is masked, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.secrets import masked, masked_alike, shortened

GITHUB = "ghp_" + "aB3dE6gH9j" * 4


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"a {GITHUB} b", f"a ghp_{'*' * 40} b"),
        (f"“{GITHUB}” and [x]({GITHUB}.md)", f"“ghp_{'*' * 40}” and [x](ghp_{'*' * 43})"),
        ("AKIAQ3EGRZ7L2M5N8P4W, AKIAIOSFODNN7EXAMPLE", f"AKIA{'*' * 17} AKIAIOSFODNN7EXAMPLE"),
        ("https://hooks.slack.com/services/T1234567/B1234567/aBcdefghij0123456", f"https://hooks.slack.com/{'*' * 44}"),
        (f"ghp_{'x' * 40}", f"ghp_{'x' * 40}"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\r\nMIIEpAIBAAKCAQEA7xyz\r\nab==\r\n-----END RSA PRIVATE KEY-----\nMore",
            f"-----BEGIN RSA PRIVATE KEY-----\r\n{'*' * 20}\r\n{'*' * 4}\r\n-----END RSA PRIVATE KEY-----\nMore",
        ),
        (r"-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7xyz\nab==\n", f"-----BEGIN PRIVATE KEY-----{'*' * 30}"),
        (
            f"-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES\n\n[{'aB3d' * 16}][]\n-----END RSA PRIVATE KEY-----\nMore",
            f"-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES\n\n[{'*' * 64}][]\n-----END RSA PRIVATE KEY-----\nMore",
        ),
        (f"-----BEGIN PRIVATE KEY----- and {'aB3d' * 16}", f"-----BEGIN PRIVATE KEY----- and {'aB3d' * 16}"),
        ("-----BEGIN PRIVATE KEY----- begins a key.", "-----BEGIN PRIVATE KEY----- begins a key."),
    ],
)
def test_what_is_shown_of_a_secret(text: str, shown: str) -> None:
    assert masked(text) == shown


@pytest.mark.parametrize("most", [10, 30, 80])
def test_secrets_are_masked_before_texts_are_shortened(most: int) -> None:
    assert shortened(f"“{GITHUB}” and more", most) == f"“ghp_{'*' * 40}” and more"[:most]


def test_what_is_masked_in_a_line_is_masked_in_messages_about_it() -> None:
    line = "aB3d" * 16
    assert masked_alike(f"no reference “{line}”", f"[{line}][]", f"[{'*' * 64}][]") == f"no reference “{'*' * 64}”"
    assert masked_alike("no reference “a”", "[a][]", "[a][]") == "no reference “a”"


PARTS = (GITHUB, " ", "\n", "-----BEGIN PRIVATE KEY-----", "ab==", "cD4eF5" * 4, "\\n", "-----END")


@given(st.lists(st.sampled_from(PARTS)))
def test_lines_and_columns_stay(parts: list[str]) -> None:
    text = "".join(parts)
    shown = masked(text)
    assert GITHUB[4:] not in shown
    assert [len(line) for line in shown.split("\n")] == [len(line) for line in text.split("\n")]
    assert masked(shown) == shown


@pytest.mark.parametrize(
    "text", ["A" * 16 + "\n", "PRIVATE KEY-----\n\n", "eyJ", "ghp_", "-----BEGIN ", "\n", "\\n", "-_"]
)
def test_long_texts_are_masked_soon(text: str) -> None:
    for begin in ("", "-----BEGIN PRIVATE KEY-----"):
        long = begin + text * 100_000
        assert len(masked(long)) == len(long)
