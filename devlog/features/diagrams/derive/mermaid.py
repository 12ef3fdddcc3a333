"""Draws Mermaid diagrams with merman, an implementation of Mermaid in Rust, which needs no browser.

It runs in worker processes, because the text of a post is not trusted: one that takes too long or too much memory, or
that ends the process, costs a diagram and not the build.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from devlog.features.diagrams.derive.dark import drawn
from devlog.features.diagrams.derive.svg import BadDrawingError
from devlog.model.derived import Made
from devlog.out_of_time import OutOfTimeError

MAX_CHARACTERS = 20_000
"""The maximum length of a diagram. Mermaid itself takes more, but kinds of diagrams take the square of the time."""
MAX_LINES = 1000
"""The maximum number of lines of a diagram, for the same reason."""
MAX_JOINS = 300
"""The maximum number of ``&``: nodes that these join on both sides of an arrow make the square of their edges."""
MAX_BYTES = 64 * 1024
"""The maximum length of a drawing, besides `BYTES_FOR_EACH` for each character of the diagram."""
BYTES_FOR_EACH = 256
SECONDS = 30.0
"""The time limit of a drawing in seconds."""

_FONT = "Arial, Helvetica, sans-serif"
_SERIES = "#4878a8,#c8642c,#3f8f5f,#8f5fa8,#a8862c,#5f6f7f"
_OPTIONS = json.dumps(
    {
        "svg": {
            "pipeline": "resvg-safe",
            "diagram_id": "d",
        },  # labels as SVG text: images show no HTML in every browser
        "site_config": {
            "theme": "neutral",
            "look": "classic",
            "fontFamily": _FONT,
            # The theme has no colors for these: its bars are hardly darker than paper.
            "themeVariables": {"xyChart": {"backgroundColor": "transparent", "plotColorPalette": _SERIES}},
        },
        "resources": {"profile": "interactive"},
    }
)
_TOO_LARGE = "it is too large for Mermaid"
_NOISE = re.compile(r"^(?:Diagram )?parse error \([\w -]+\): ", re.IGNORECASE)


def draw(parts: Mapping[str, Any], _files: Sequence[bytes] = ()) -> Made:
    """Draw a Mermaid diagram.

    Args:
        parts: ``text``, the source of the diagram, and ``dark``, whether to make a version for dark mode.

    Returns:
        The SVG, for light and for dark mode, with its ``width`` and ``height``, or the problem.

    Raises:
        OutOfTimeError: it takes longer than `SECONDS`.
    """
    merman: Any = import_module("merman")

    text = parts["text"]
    if len(text) > MAX_CHARACTERS or text.count("\n") > MAX_LINES or text.count("&") > MAX_JOINS:
        return Made(problem=_TOO_LARGE)
    try:
        with _uninterrupted():
            svg = _svg(merman, text)
    except merman.MermanError as error:
        if getattr(error, "cancellation", None):
            raise OutOfTimeError from error
        return _refused(text, error)
    except merman.merman_uniffi.InternalError:  # so it reports that its native code has panicked
        return Made(problem="merman failed on it")
    if len(svg) > MAX_BYTES + BYTES_FOR_EACH * len(text):
        return Made(problem=_TOO_LARGE)
    # The boxes of labels are measured with another font than the reader's, which may be a little wider.
    svg = svg.replace("overflow:hidden", "overflow:visible")
    try:
        return drawn(svg.encode(), dark=parts["dark"])
    except BadDrawingError as error:
        return Made(problem=f"it cannot be shown: {error}")


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let the alarm of the time limit wait: raised where merman asks for the width of a text, it would end nothing, and
    the answer would be any number. merman has a time limit of its own; where it does not look at the clock, the process
    is killed if it goes on for long.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows has no alarms
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _svg(merman: Any, text: str) -> str:
    control = merman.MermanOperationControl(round(1000 * SECONDS))
    request = merman.MermanOperationRequestV4(
        operation_id="svg", source=text, uri=None, options_json=_OPTIONS, control=control
    )
    drawing: bytes = _engine(merman).execute(request).data
    return drawing.decode()


def _engine(merman: Any) -> Any:
    """The renderer. It is not kept: it cannot be freed when the process ends."""
    from devlog.features.diagrams.derive.text_width import text_measurer

    return merman.MermanEngine(None, merman.MermanEngineServices().with_text_measurer(text_measurer(merman)))


def _refused(text: str, error: Any) -> Made:
    """Why Mermaid refuses a text, and the line at which it does; 0 if it does not say which."""
    reason = _NOISE.sub("", str(getattr(error, "message", "") or error)).strip()
    if "lacks capability" in reason:
        reason = "it contains a formula, which this version of Mermaid does not draw"
    elif "resource limit" in reason:
        reason = _TOO_LARGE
    span = getattr(getattr(error, "diagnostic", None), "span", None)
    before = text.encode()[: span.start] if span else b""
    return Made(problem=reason, line=before.count(b"\n") + 1 if span else 0)
