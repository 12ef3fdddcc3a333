"""Writes text and elements as XML."""

from __future__ import annotations

import re
from html import escape

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    """`text` escaped for element content and attributes, without the characters that XML 1.0 cannot hold."""
    return escape(_ILLEGAL.sub("", text), quote=True).replace("&#x27;", "&#39;")


def shown(text: str) -> str:
    """`text` as HTML source that displays it. RSS readers take descriptions for HTML, unlike all other elements."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def element(name: str, text: str, **attributes: str) -> str:
    """An XML element with text; a trailing underscore in an attribute's name is dropped."""
    written = "".join(f' {key.rstrip("_")}="{xml_text(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{xml_text(text)}</{name}>" if text else f"<{name}{written}/>"
