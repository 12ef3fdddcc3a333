"""Validates the MathML of the formula converter before it goes into a page, since its output is not always escaped."""

from __future__ import annotations

import re
from math import inf
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


_FURTHEST = 2.0
_RAISED = re.compile(r"-?([0-9.]{1,9})(em|rem|ex)")
_BACK = re.compile(r"\bm-(?:thin|med|thick)\b")
_MOST_BACK = 12
"""How far parts of a formula may be raised, in ems and altogether, and how often they may be moved back: a link in it
must not lie over other parts of the page, such as its header."""


class _UnsoundError(Exception):
    pass


def is_sound(mathml: str) -> bool:
    """Whether a formula is well-formed, has only harmless elements and attributes, and stays near its line."""
    if _AMBIGUOUS.search(mathml) or len(_BACK.findall(mathml)) > _MOST_BACK:
        return False
    raised = 0.0

    def look_at(name: str, attributes: dict[str, str]) -> None:
        nonlocal raised
        _look_at(name, attributes)
        if "voffset" in attributes:
            raised += _ems(attributes["voffset"])
            if raised > _FURTHEST:
                raise _UnsoundError

    parser = expat.ParserCreate()
    parser.StartElementHandler = look_at
    try:
        parser.Parse(_NAMED.sub("", mathml), True)
    except (expat.ExpatError, _UnsoundError):
        return False
    return True


def _ems(length: str) -> float:
    """The absolute value of a length in ems; an ex is half of one in most fonts."""
    found = _RAISED.fullmatch(length)
    try:
        return float(found[1]) / (2 if found[2] == "ex" else 1) if found else inf
    except ValueError:
        return inf


def _look_at(name: str, attributes: dict[str, str]) -> None:
    if name not in _ELEMENTS or not _ATTRIBUTES.issuperset(attributes):
        raise _UnsoundError
    for key in _VALUES.keys() & attributes.keys():
        if not _VALUES[key].fullmatch(attributes[key]):
            raise _UnsoundError
