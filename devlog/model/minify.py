"""Removes what browsers do not need from style sheets and scripts: comments, and spaces between tokens.

Only files of the built-in themes are minified, which tests compare token by token. rcssmin and rjsmin know no grammar.
That makes them small and fast, but they mistake some valid code, such as nested template literals or, inside a nested
rule, a descendant of any kind (``.a { .b :hover {} }``). What a site has written itself is published as it is.
"""

from __future__ import annotations

SUFFIXES = (".css", ".js")
"""The suffixes of files that can be minified."""


def can_minify(path: str) -> bool:
    """Whether a file can be minified, by its name."""
    return path.endswith(SUFFIXES)


def minified(path: str, data: bytes) -> bytes:
    """Minify a style sheet or a script. Comments that begin with ``!`` stay, which licenses use.

    Args:
        path: its path, which tells its kind.
        data: its bytes, UTF-8.
    """
    if path.endswith(".css"):
        from rcssmin import cssmin  # type: ignore[import-untyped]

        return bytes(cssmin(data, keep_bang_comments=True))
    from rjsmin import jsmin  # type: ignore[import-untyped]

    return bytes(jsmin(data, keep_bang_comments=True))
