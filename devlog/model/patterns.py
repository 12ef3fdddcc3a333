"""Compiles the regular expressions that people write into configurations."""

from __future__ import annotations

import re
import warnings


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a regular expression.

    One that Python doubts is invalid: it reads ``[[:digit:]]``, a digit for other programs, as two sets of characters.

    Raises:
        re.error: the expression is invalid.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        try:
            return re.compile(pattern)
        except FutureWarning as doubt:
            reason = str(doubt)
            raise re.error(reason[:1].lower() + reason[1:]) from None
        except OverflowError as error:  # of a number
            raise re.error(str(error)) from None
        except (RecursionError, MemoryError):
            raise re.error("it is nested too deeply, or too large") from None
