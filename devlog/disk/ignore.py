"""Which files of the content and static folders are not part of the site."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from devlog.disk import problems
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.outpath import DOT_NAMES

_HOUSEKEEPING = frozenset(
    {"readme.md", "template.md", "_template.md", "code_of_conduct.md", "node_modules", "thumbs.db"}
)
# What editors leave beside a file while it is open or being saved; 4913 is Vim's probe.
_EDITORS = re.compile(r"4913|[.~#].*|.*(?:~|\.sw[a-p]|\.swp?x|\.tmp|___jb_(?:tmp|old)___)", re.DOTALL | re.IGNORECASE)
_GLOB = re.compile(r"(?P<deep>\*\*/)|(?P<any>\*\*)|(?P<star>\*)|(?P<one>\?)|\[(?P<not>!?)(?P<set>\]?[^\]]*)\]")

# What Jekyll itself leaves out of a site, and what stands beside one.
_JEKYLLS_OWN = frozenset({"vendor/bundle", "vendor/cache", "vendor/gems", "vendor/ruby"})
_JEKYLLS_NAMES = re.compile(
    r"Gemfile(?:\.lock)?|gemfiles|Rakefile|.*\.gemspec|(?:LICEN[CS]E|README)(?:\..*)?", re.IGNORECASE
)

CONFIGURATION = Span("devlog.toml")
"""Where patterns come from when nobody says it better."""

Skip = Callable[[str, str, bool], bool]
"""Whether to leave something out: its name, its path, whether it is a folder."""


class Rules(msgspec.Struct, frozen=True):
    """What of the content folder is no content, whatever the site's own patterns say.

    Attributes:
        apart: files and folders with another purpose, where the site's own folder is the content: their paths.
        jekyll: whether Jekyll's rules hold.
        collections: folders of texts, although their names begin with ``_``: their paths.
    """

    apart: frozenset[str] = frozenset()
    jekyll: bool = False
    collections: tuple[str, ...] = ()

    def skip(self, name: str, path: str) -> bool:
        """Whether something is left out."""
        if path in self.apart:
            return True
        if not self.jekyll:
            return False
        if name.startswith("_"):
            known = name in ("_posts", "_drafts", "_pages")  # the last by a widespread “include”
            return not known and path not in self.collections
        return path in _JEKYLLS_OWN or ("/" not in path and _JEKYLLS_NAMES.fullmatch(name) is not None)


NO_RULES = Rules()


class Ignore(msgspec.Struct, frozen=True):
    """The site's own patterns, compiled, and the rules that hold besides.

    Attributes:
        globs: match the name, or the path relative to the content folder, of a file or a folder.
        expressions: are searched in the path of a file.
        rules: hold besides.
    """

    globs: tuple[re.Pattern[str], ...] = ()
    expressions: tuple[re.Pattern[str], ...] = ()
    rules: Rules = Rules()

    def content(self, name: str, path: str, is_folder: bool) -> bool:
        """Whether something in the content folder is left out."""
        if self.rules.jekyll and name == ".htaccess":
            return False
        if _EDITORS.fullmatch(name) or name.lower() in _HOUSEKEEPING or self.rules.skip(name, path):
            return True
        if any(glob.fullmatch(name) or glob.fullmatch(path) for glob in self.globs):
            return True
        return not is_folder and any(expression.search(path) for expression in self.expressions)


def compile_ignore(
    patterns: tuple[str, ...], span: Span = CONFIGURATION, rules: Rules = NO_RULES
) -> tuple[Ignore, tuple[Diagnostic, ...]]:
    """Compile the site's patterns.

    Args:
        patterns: globs (``*``, ``?``, ``[a-z]``, and ``**`` across folders), or ``re:`` and a regular
            expression.
        span: where the configuration has them.
        rules: hold besides.

    Returns:
        The compiled patterns, and a problem for each that is malformed.
    """
    globs: list[re.Pattern[str]] = []
    expressions: list[re.Pattern[str]] = []
    found: list[Diagnostic] = []
    for pattern in patterns:
        try:
            if pattern.startswith("re:"):
                expressions.append(re.compile(pattern.removeprefix("re:")))
            else:
                globs.append(re.compile(_translate(pattern.strip("/")), re.DOTALL))
        except re.error as error:
            found.append(problems.bad_ignore_pattern(span, pattern, str(error)))
    return Ignore(tuple(globs), tuple(expressions), rules), tuple(found)


def skip_static(name: str, path: str, is_folder: bool) -> bool:  # noqa: ARG001 - a Skip
    """Whether something in a static or theme folder is left out."""
    return name.lower() == "thumbs.db" or (name.startswith(".") and name not in DOT_NAMES)


def comes_and_goes(name: str) -> bool:
    """Whether a name is one of those that editors and other tools use for themselves beside what they save."""
    return name not in DOT_NAMES and _EDITORS.fullmatch(name) is not None


def _translate(glob: str) -> str:
    """A glob as a regular expression; Python has one of its own only since 3.13."""
    pieces: list[str] = []
    at = 0
    for match in _GLOB.finditer(glob):
        pieces.append(re.escape(glob[at : match.start()]))
        at = match.end()
        if match["deep"]:
            pieces.append("(?:.*/)?")
        elif match["any"]:
            pieces.append(".*")
        elif match["star"]:
            pieces.append("[^/]*")
        elif match["one"]:
            pieces.append("[^/]")
        else:
            inside = match["set"].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
            pieces.append(f"[^/{inside}]" if match["not"] else f"(?!/)[{inside.replace('^', chr(92) + '^')}]")
    return "".join(pieces) + re.escape(glob[at:])
