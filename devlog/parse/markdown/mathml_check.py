"""Validates the MathML of the formula converter before it goes into a page, since its output is not always escaped."""

from __future__ import annotations

import re
from xml.parsers import expat

_ELEMENTS = frozenset(
    "math mrow mi mo mn mtext mspace msup msub msubsup mover munder munderover mfrac msqrt mroot mtable mtr mtd "
    "mpadded mphantom menclose mmultiscripts mprescripts mstyle a b i u s em code span".split()
)
_ATTRIBUTES = frozenset(
    "accent accentunder alttext class columnalign columnlines columnspacing depth display displaystyle fence form "
    "frame height href id largeop linethickness lspace mathcolor mathsize mathvariant maxsize minsize movablelimits "
    "notation rowspacing rspace scriptlevel separator stretchy symmetric voffset width".split()
)
_VALUES = {
    "class": re.compile(r"(?:(?:m|menclose|math-core)-[a-z-]+(?: |\Z))*"),
    "href": re.compile(r"#eq:.*", re.DOTALL),
    "id": re.compile(r"eq:.*", re.DOTALL),
}


# Markup that XML and HTML parse differently: comments, declarations, and empty elements that are not MathML.
_AMBIGUOUS = re.compile(r"<[!?]|<(?!m)[^<>]*/>")
# Named character references, most of which only HTML knows: they can only be text.
_NAMED = re.compile(r"&[A-Za-z][A-Za-z0-9]*;")


class _UnsoundError(Exception):
    pass


def is_sound(mathml: str) -> bool:
    """Whether a formula is well-formed, and has only harmless elements and attributes."""
    if _AMBIGUOUS.search(mathml):
        return False
    parser = expat.ParserCreate()
    parser.StartElementHandler = _look_at
    try:
        parser.Parse(_NAMED.sub("", mathml), True)
    except (expat.ExpatError, _UnsoundError):
        return False
    return True


def _look_at(name: str, attributes: dict[str, str]) -> None:
    if name not in _ELEMENTS or not _ATTRIBUTES.issuperset(attributes):
        raise _UnsoundError
    for key in _VALUES.keys() & attributes.keys():
        if not _VALUES[key].fullmatch(attributes[key]):
            raise _UnsoundError
