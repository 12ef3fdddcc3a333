"""What is no regular expression is reported as such, whatever Python raises."""

from __future__ import annotations

import re

import pytest

from devlog.model.patterns import compile_pattern


@pytest.mark.parametrize("pattern", ["(", "a{99999999999}", "(" * 20_000, "[[:digit:]]"])
def test_what_is_no_pattern_is_an_error_of_it(pattern: str) -> None:
    with pytest.raises(re.error):
        compile_pattern(pattern)
