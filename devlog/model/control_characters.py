"""Characters that no text of a site contains: control characters, which terminals may obey, and noncharacters."""

from __future__ import annotations

CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
"""The control characters, as in a set of a regular expression, without tabs and line ends: those of ASCII, of which XML
1.0 allows none, and those of Latin-1."""

NONCHARACTERS = "\ufffe\uffff"
"""The noncharacters that XML 1.0 does not allow."""
