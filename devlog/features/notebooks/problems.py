"""Messages about notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, warning
from devlog.model.secrets import shortened


def not_a_notebook(span: Span, reason: str) -> Diagnostic:
    """A file named `.ipynb` is not a notebook, or is damaged. Jupyter cannot open it either."""
    return error("bad-notebook", span, f"not a notebook: {reason}", "open it in Jupyter to see whether it is damaged")


def other_format(span: Span, version: int) -> Diagnostic:
    """A notebook in a format that devlog does not read: versions 1 to 3 were replaced in 2015."""
    hint = (
        "save it with a current Jupyter, or run “jupyter nbconvert --to notebook --nbformat 4”" if version < 4 else ""
    )
    return error("bad-notebook", span, f"the notebook has format {version}, and devlog reads format 4", hint)


def bad_cell(span: Span, cell: int, reason: str) -> Diagnostic:
    """A cell of a notebook is not one."""
    return error("bad-notebook", span, f"cell {cell} is damaged: {reason}", "open the notebook in Jupyter")


def omitted_output(span: Span, cell: int, reason: str) -> Diagnostic:
    """An output, or an attachment, cannot be shown. The page has a simpler form of it, if the notebook has one."""
    return warning(
        "notebook-output", span, f"cell {cell}: left out {reason}", "run the cell again, or clear its output"
    )


def unshown_output(span: Span, cell: int, kinds: Sequence[str]) -> Diagnostic:
    """An output has only forms that the page cannot show, such as a widget."""
    listed = ", ".join(shortened(kind, 80) for kind in kinds[:3]) + (", …" if len(kinds) > 3 else "")
    message = f"cell {cell}: left out an output that has no form for a page: {listed}"
    hint = "show it as text or an image too, clear it, or tag the cell “remove-output”"
    return warning("notebook-output", span, message, hint)


def long_output(span: Span, cell: int, limit: str) -> Diagnostic:
    """The page has only the first part of an output."""
    hint = "print less, clear the output, or tag the cell “remove-output”"
    return warning("notebook-output", span, f"cell {cell}: output cut after {limit}", hint)
