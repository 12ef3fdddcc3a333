"""Decides which files of the content and static folders are not part of the site."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import filterfalse

import msgspec

from devlog.config import README
from devlog.disk import problems
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.outpath import DOT_NAMES
from devlog.model.patterns import compile_pattern

_HOUSEKEEPING = frozenset(
    {"readme.md", "template.md", "_template.md", "code_of_conduct.md", "devlog.toml", "node_modules", "thumbs.db"}
)
# Files that editors create beside a file while it is open or being saved; 4913 is Vim's test for write permission.
_EDITORS = re.compile(r"4913|[.~#].*|.*(?:~|\.sw[a-p]|\.swp?x|\.tmp|___jb_(?:tmp|old)___)", re.DOTALL | re.IGNORECASE)
_GLOB = re.compile(r"(?P<deep>\*\*/)|(?P<any>\*\*)|(?P<star>\*)|(?P<one>\?)|\[(?P<not>!?)(?P<set>\]?[^\]]*)\]")
_MOST_DEEP = 3

# Paths that Jekyll itself excludes, and names of files that are usually beside a site.
_JEKYLLS_OWN = frozenset({"vendor/bundle", "vendor/cache", "vendor/gems", "vendor/ruby"})
_JEKYLLS_NAMES = re.compile(
    r"Gemfile(?:\.lock)?|gemfiles|Rakefile|.*\.gemspec|(?:LICEN[CS]E|README)(?:\..*)?", re.IGNORECASE
)

CONFIGURATION = Span("devlog.toml")
"""The default span of problems with the configuration."""

Skip = Callable[[str, str, bool], bool]
"""Returns whether to ignore something, given its name, its path, and whether it is a folder."""


class Rules(msgspec.Struct, frozen=True):
    """Rules for files in the content folder, regardless of the site's own patterns: what is not content, and what is a
    source.

    Attributes:
        apart: the paths of files and folders with another purpose, if the content folder is the site's own folder.
        jekyll: whether Jekyll's rules apply.
        collections: the paths of folders of sources whose names begin with ``_``.
        readmes: whether a ``README.md`` is content.
        formats: the suffixes of sources in other formats than Markdown and HTML, in lower case.
    """

    apart: frozenset[str] = frozenset()
    jekyll: bool = False
    collections: tuple[str, ...] = ()
    readmes: bool = False
    formats: tuple[str, ...] = ()

    def skip(self, name: str, path: str) -> bool:
        """Whether something is ignored."""
        if path in self.apart:
            return True
        if not self.jekyll:
            return False
        if name.startswith("_"):
            known = name in ("_posts", "_drafts", "_pages")  # the last because sites often “include” it
            return not known and path not in self.collections
        return path in _JEKYLLS_OWN or ("/" not in path and _JEKYLLS_NAMES.fullmatch(name) is not None)


NO_RULES = Rules()


class Exact(msgspec.Struct, frozen=True):
    """Patterns without wildcards: of names or paths, and of paths alone."""

    globs: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()


class Wild(msgspec.Struct, frozen=True):
    """Compiled patterns with wildcards: of names or paths, and of paths alone."""

    globs: tuple[re.Pattern[str], ...] = ()
    paths: tuple[re.Pattern[str], ...] = ()


class Ignore(msgspec.Struct, frozen=True):
    """The site's own patterns, compiled, and the additional rules.

    Attributes:
        globs: patterns for the name, or the path relative to the content folder, of a file or a folder.
        paths: patterns for that path alone.
        exact: those of both without wildcards, which are looked up: `adopt` writes thousands of them.
        wild: the compiled ones with wildcards.
        expressions: patterns to search for in the path of a file.
        rules: the additional rules.
    """

    globs: tuple[re.Pattern[str], ...] = ()
    paths: tuple[re.Pattern[str], ...] = ()
    exact: Exact = Exact()
    wild: Wild = Wild()
    expressions: tuple[re.Pattern[str], ...] = ()
    rules: Rules = Rules()

    def content(self, name: str, path: str, is_folder: bool) -> bool:
        """Whether something in the content folder is ignored."""
        if self.rules.jekyll and name == ".htaccess":
            return False
        housekeeping = name.lower() in _HOUSEKEEPING and not (self.rules.readmes and name.lower() == README)
        if housekeeping or _EDITORS.fullmatch(name) or self.rules.skip(name, path):
            return True
        return self._is_named(name, path, is_folder)

    def static(self, name: str, path: str, is_folder: bool) -> bool:
        """Whether something in the static folder is ignored."""
        return skip_static(name, path, is_folder) or self._is_named(name, path, is_folder)

    def _is_named(self, name: str, path: str, is_folder: bool) -> bool:
        """Whether something matches the site's own patterns."""
        if name in self.exact.globs or path in self.exact.globs or path in self.exact.paths:
            return True
        if any(glob.fullmatch(name) or glob.fullmatch(path) for glob in self.wild.globs):
            return True
        if any(glob.fullmatch(path) for glob in self.wild.paths):
            return True
        return not is_folder and any(expression.search(path) for expression in self.expressions)


def compile_ignore(
    patterns: tuple[str, ...], span: Span = CONFIGURATION, rules: Rules = NO_RULES
) -> tuple[Ignore, tuple[Diagnostic, ...]]:
    """Compile the site's patterns.

    Args:
        patterns: globs (``*``, ``?``, ``[a-z]``, and ``**`` across folders), of paths alone if they begin with ``/``;
            or ``re:`` and a regular expression.
        span: where the configuration sets them.
        rules: the additional rules.

    Returns:
        The compiled patterns, and a problem for each invalid one.
    """
    globs: dict[str, re.Pattern[str]] = {}
    paths: dict[str, re.Pattern[str]] = {}
    expressions: list[re.Pattern[str]] = []
    found: list[Diagnostic] = []
    for pattern in patterns:
        try:
            if pattern.startswith("re:"):
                expressions.append(compile_pattern(pattern.removeprefix("re:")))
            else:
                glob = pattern.strip("/")
                compiled = re.compile(_translate(glob), re.DOTALL)
                (paths if pattern.startswith("/") else globs)[glob] = compiled
        except re.error as error:
            found.append(problems.bad_ignore_pattern(span, pattern, str(error)))
    exact = Exact(frozenset(filterfalse(_GLOB.search, globs)), frozenset(filterfalse(_GLOB.search, paths)))
    wild = Wild(_with_wildcards(globs), _with_wildcards(paths))
    made = Ignore(tuple(globs.values()), tuple(paths.values()), exact, wild, tuple(expressions), rules)
    return made, tuple(found)


def _with_wildcards(compiled: dict[str, re.Pattern[str]]) -> tuple[re.Pattern[str], ...]:
    return tuple(pattern for glob, pattern in compiled.items() if _GLOB.search(glob))


def skip_static(name: str, path: str, is_folder: bool) -> bool:  # noqa: ARG001 - a Skip
    """Whether something in a static or theme folder is ignored: also what editors create, as the preview does."""
    return name.lower() == "thumbs.db" or comes_and_goes(name)


def comes_and_goes(name: str) -> bool:
    """Whether a name is that of a temporary file that editors and other tools create beside the files they save."""
    return name not in DOT_NAMES and _EDITORS.fullmatch(name) is not None


def _translate(glob: str) -> str:
    """Convert a glob to a regular expression; `glob.translate` exists only since Python 3.13.

    Raises:
        re.error: the glob has too many ``**``, each of which may take the length of a path as often as all others.
    """
    pieces: list[str] = []
    at, star, deep = 0, -1, 0
    for match in _GLOB.finditer(glob):
        pieces.append(re.escape(glob[at : match.start()]))
        at = match.end()
        is_between = match["any"] or match["star"] or (match["deep"] and pieces[-1].endswith("/"))
        if star >= 0 and is_between:
            # What follows a star is only looked for where it first stands, as in fnmatch: this finds all that matches,
            # and takes linear time. A group in a lookahead is not tried again.
            pieces[star:] = [f"(?=(?P<at{star}>[^/]*?{''.join(pieces[star + 1 :])}))(?P=at{star})"]
        if match["deep"] or match["any"] or match["star"]:
            star = -1
        if match["deep"] or match["any"]:
            deep += 1
            pieces.append("(?:.*/)?" if match["deep"] else ".*")
        elif match["star"]:
            star = len(pieces)
            pieces.append("[^/]*")
        elif match["one"]:
            pieces.append("[^/]")
        else:
            inside = match["set"].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
            pieces.append(f"[^/{inside}]" if match["not"] else f"(?!/)[{inside.replace('^', chr(92) + '^')}]")
    if deep > _MOST_DEEP:
        raise re.error(f"more than {_MOST_DEEP} times “**”")
    return "".join(pieces) + re.escape(glob[at:])
