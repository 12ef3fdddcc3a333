"""Draws each social card once in a process that runs tests: a third of the work of a first build is drawing its cards.

A card depends on nothing but what is handed over, which `tests/engine/test_hermetic.py` sees to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any

import msgspec
import pytest
from selection import lacks

DRAWING = frozenset({"test_brand.py", "test_cards.py", "test_determinism.py", "test_hermetic.py"})
"""Files of tests whose subject is how cards are drawn, or that the same is drawn twice: they draw all of them."""

MOST = 1000
"""As many cards are remembered; they have some ten kilobytes each."""

_drawn: dict[bytes, bytes] = {}
"""By a digest of what they were drawn from: fonts are large."""


def once(draw: Callable[[Any, Any, Any], bytes]) -> Callable[[Any, Any, Any], bytes]:
    """What draws a card, unless it is known."""

    def known(shown: Any, layout: Any, fonts: Any) -> bytes:
        key = blake2b(msgspec.msgpack.encode((shown, layout, fonts))).digest()
        if key not in _drawn:
            if len(_drawn) >= MOST:
                _drawn.clear()
            _drawn[key] = draw(shown, layout, fonts)
        return _drawn[key]

    return known


@pytest.fixture(scope="module", autouse=True)
def cards_drawn_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Before anything that is made for the tests of a file."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.name not in DRAWING and not lacks(["social_cards"]):
            from devlog.features.social_cards.render import draw

            patch.setattr(draw, "_on_paper", once(draw._on_paper))
        yield
