"""Answers of forges in the cache that no forge has given."""

from __future__ import annotations

import msgspec
import pytest

from devlog.features.digests.digest.forge.cache import Kept
from devlog.model.record import decoded


@pytest.mark.parametrize(("etag", "is_kept"), [('W/"a1"', True), ("", True), ('"a"\r\nX: y', False), ('"a"\n', False)])
def test_an_etag_that_cannot_be_sent_is_a_miss(etag: str, is_kept: bool) -> None:
    data = msgspec.msgpack.encode(Kept(1.0, etag, "", -1, b"[]"))
    assert (decoded(data, Kept) is not None) is is_kept
