"""A fault of a library written in Rust costs what it was given, and ends no command."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import math_core
import pytest
from formulas import written
from panics import PanicException, panic

from devlog import sanitize
from devlog.engine.work import Raised, work
from devlog.native import NativeFaultError, call
from devlog.out_of_time import OutOfTimeError


def test_only_panics_become_errors() -> None:
    assert call(divmod, 7, 2) == (3, 1)
    with pytest.raises(NativeFaultError, match="index out of bounds"):
        call(panic)
    for other in (KeyboardInterrupt, SystemExit, OutOfTimeError, ZeroDivisionError):

        def stop(kind: type[BaseException] = other) -> None:
            raise kind

        with pytest.raises(other):
            call(stop)


@pytest.mark.parametrize("long", [False, True])
def test_the_converter_of_formulas(long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        """It panics for one formula, and is of no use afterwards."""

        def __init__(self, **options: Any) -> None:
            self._converter = genuine(**options)
            self._is_lost = False

        def convert_with_global_state(self, tex: str, *, displaystyle: bool) -> str:
            self._is_lost = self._is_lost or "beta" in tex
            return (
                panic() if self._is_lost else self._converter.convert_with_global_state(tex, displaystyle=displaystyle)
            )

    genuine = math_core.LatexToMathML
    monkeypatch.setattr(math_core, "LatexToMathML", Broken)
    html, found = written("$\\alpha$\n\n$" + "\\beta" * (200 if long else 1) + "$\n\n$\\gamma$")
    assert html.count("<math") == 2
    assert "<code>\\beta" in html
    assert [(item.code, item.span.line) for item in found] == [("bad-formula", 6)]
    assert "the converter failed on it" in found[0].message


def test_the_sanitizer_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitize, "_cleaner", SimpleNamespace(clean=panic))
    html, found = written("a <b>b</b> *c*")
    assert "a &lt;b&gt;b&lt;/b&gt; <em>c</em>" in html
    assert [item.code for item in found] == ["tangled-html"]


def test_the_sanitizer_of_feeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitize, "_feed_cleaner", SimpleNamespace(clean=panic))
    assert sanitize.sanitize_for_feed("a <b>b</b>") == "a &lt;b&gt;b&lt;/b&gt;"


def test_a_worker_never_raises() -> None:
    answer = work(panic, ["a"], 30, {})
    assert isinstance(answer, Raised)
    assert not isinstance(answer.error, PanicException)  # which another process could not send
