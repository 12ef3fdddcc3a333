"""Which way a language is written."""

from __future__ import annotations

import pytest

from devlog.model.direction import direction


@pytest.mark.parametrize(
    "tag", ["ar", "ar-EG", "ar_EG", "AR-eg", "az-Arab", "az_Arab_IR", "he", "fa-AF", "en-Hebr", "ar-u-nu-latn"]
)
def test_from_right_to_left(tag: str) -> None:
    assert direction(tag) == "rtl"


@pytest.mark.parametrize(
    "tag", ["", "en", "en-US", "az", "az-Latn", "ar-Latn-EG", "arn", "zh-Hant", "x-arab", "en-x-hebr"]
)
def test_from_left_to_right(tag: str) -> None:
    assert direction(tag) == ""
