"""The exception that ends work at its time limit, which `devlog.engine.work` raises."""

from __future__ import annotations


class OutOfTimeError(BaseException):
    """The time limit was exceeded. It is not an `Exception`, so that code that catches all errors does not catch it.

    Attributes:
        line: the line of the file at which the work was; 0 if that is not known. Code on its way up may set it.
    """

    line: int = 0
