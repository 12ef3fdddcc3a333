"""Digests: short strings that are equal if and only if the digested values are."""

from __future__ import annotations

from hashlib import blake2b


def digest_bytes(data: bytes) -> str:
    """The digest of bytes, as 32 hexadecimal digits (BLAKE2b, 128 bits)."""
    return blake2b(data, digest_size=16).hexdigest()
