"""Makes the values that templates get read-only: pages share them, and which pages a process renders, and in which
order, differs from build to build.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import is_
from types import UnionType
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

import jinja2
import msgspec
from markupsafe import Markup

from devlog.model.target import COMMON


def _refused(*_arguments: object, **_named: object) -> NoReturn:
    raise jinja2.TemplateRuntimeError(
        "a value that templates get cannot be changed, as other pages have it too: make a new one"
    )


class _Dict(dict[Any, Any]):
    """A dictionary that cannot be changed; its copies can. Everything else, such as ``tojson``, works as with any."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> tuple[type, tuple[dict[Any, Any]]]:
        return dict, (dict(self),)

    __setitem__ = __delitem__ = __ior__ = _refused
    clear = pop = popitem = setdefault = update = _refused


class _List(list[Any]):
    """A list that cannot be changed; its copies can."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> tuple[type, tuple[list[Any]]]:
        return list, (list(self),)

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused
    append = clear = extend = insert = pop = remove = reverse = sort = _refused


def read_only(context: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a context whose values cannot be changed.

    Only dictionaries, lists and sets of Python's own types become read-only: others of a plugin, such as a `Counter`,
    have methods that these would lack.
    """
    return {name: _common(name, value) if name in COMMON else _frozen(value) for name, value in context.items()}


_known: dict[str, tuple[object, object]] = {}
"""The last values that all pages have, and their read-only versions."""


def _common(name: str, value: object) -> object:
    """The read-only version of a value that is the same for all pages, and may be long."""
    known, frozen = _known.get(name, (None, None))
    if known is not value:
        frozen = _frozen(value)
        _known[name] = value, frozen
    return frozen


def _frozen(value: Any) -> Any:
    """A value with read-only tables and lists; the value itself if it has none."""
    kind = type(value)
    if kind in _UNCHANGEABLE:
        return value
    if issubclass(kind, msgspec.Struct):
        names = _changeable(kind)
        changed = {name: _frozen(getattr(value, name)) for name in names} if names else {}
        return msgspec.structs.replace(value, **changed) if changed else value
    make = _frozen_tuple if issubclass(kind, tuple) else _MAKERS.get(kind)
    return make(value) if make else value


def _frozen_tuple(value: tuple[Any, ...]) -> tuple[Any, ...]:
    items = [*map(_frozen, value)]
    if all(map(is_, items, value)):
        return value
    return value._make(items) if hasattr(value, "_make") else tuple(items)


_MAKERS: dict[type, Callable[[Any], Any]] = {
    dict: lambda value: _Dict({key: _frozen(item) for key, item in value.items()}),
    list: lambda value: _List(map(_frozen, value)),
    set: frozenset,
}


@cache
def _changeable(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields of a struct whose values can contain something that can be changed; most structs have none."""
    try:
        hints = get_type_hints(kind)
        return tuple(name for name in kind.__struct_fields__ if _can_change(hints[name], frozenset({kind})))
    except NameError:  # a plugin may import the names in its annotations for type checkers only
        return kind.__struct_fields__


def _can_change(hint: Any, above: frozenset[type]) -> bool:
    """Whether a value with a type hint can contain something that can be changed.

    Args:
        hint: the type hint.
        above: the structs that contain it, which are being looked at.
    """
    origin = get_origin(hint)
    if origin in (tuple, frozenset, Union, UnionType):
        return any(_can_change(part, above) for part in get_args(hint) if part is not ...)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        inner = get_type_hints(hint).values() if hint not in above else ()
        return any(_can_change(part, above | {hint}) for part in inner)
    return origin is not Literal and hint not in _UNCHANGEABLE


_UNCHANGEABLE = frozenset({str, int, float, bool, bytes, type(None), Markup})
