"""What commit messages state: the title, the pull request, the scope, trailers, and what a commit reverts."""

from __future__ import annotations

import re

import msgspec

from devlog.features.digests.model.activity import Kind
from devlog.model.sentences import sentences_end

LONGEST = 20_000
"""So many characters of a message are read."""

_LONGEST_SUBJECT = 1000
_LONGEST_TITLE = 300
_LONGEST_NAME = 200

# GitHub, bors and homu, Bitbucket, Azure: merge commits whose title is the first line of the body.
_MERGED = (
    re.compile(r"Merge pull request (#\d{1,9}) from \S+"),
    re.compile(r"Auto merge of (#\d{1,9}) - \S+"),
    re.compile(r"Merge (#\d{1,9})(?=\s|$)"),
    re.compile(r"Merged in .{1,200} \(pull request (#\d{1,9})\)"),
)
_AZURE = re.compile(r"Merged PR (\d{1,9}): +")
_MERGE_BRANCH = re.compile(r"Merge (?:remote-tracking )?(?:branch|branches|tag|commit) ")
_NUMBER_AT_END = re.compile(r"\s*\(([#!]\d{1,9})\)\s*$")
_GITLAB = re.compile(r"^See merge request \S{0,200}?(!\d{1,9})\s*$", re.MULTILINE)
_TRAILERS = re.compile(
    r"^(?:Pull[- ]Request(?: resolved)?|PR-URL|Merge-Request|MR|PR|Reviewed-on|Differential Revision):"
    r"[ \t]*(\S{1,300})[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_FROM_URL = (
    re.compile(r"https?://\S+/pulls?/(?P<hash>\d{1,9})/?"),
    re.compile(r"https?://\S+/merge_requests/(?P<bang>\d{1,9})/?"),
    re.compile(r"(?:https?://\S+/)?(?P<phabricator>D\d{1,9})"),
    re.compile(r"https?://\S+/\+/(?P<hash>\d{1,9})/?(?:\d+/?)?"),
    re.compile(r"#?(?P<hash>\d{1,9})"),
    re.compile(r"!(?P<bang>\d{1,9})"),
)
_PERSON = re.compile(
    r"^(?P<key>Co-authored-by|Reviewed-by|Approved-by|Acked-by):(?P<who>[^\n]*)", re.MULTILINE | re.IGNORECASE
)
_REVERTS = re.compile(r"\bThis reverts (?:commit |merge request \S*?)?(?P<name>[0-9a-f]{7,64}|!\d{1,9})", re.IGNORECASE)
# Gerrit counts: “Revert^2” reverts a revert, and “Revert^3” that. In Conventional Commits, “revert” is a type.
_REVERT_TITLES = (
    re.compile(
        r"""(?:Revert(?:\^\d{0,2}[13579])?|Back ?out|Roll ?back|Undo)(?::)?\s+["“](?P<title>.+)["”]""", re.IGNORECASE
    ),
    re.compile(r"(?:Revert|Back ?out)(?:\([^()]{1,60}\))?!?: (?P<title>.+)", re.IGNORECASE),
)
_RELAND_TITLE = re.compile(
    r"""(?:(?:Re-?land|Re-?apply|Unrevert)(?::|\s+of)?\s+["“]?|(?:Re-?try|Revert\^\d{0,2}[02468])\s+["“]"""
    r"""|Revert\s+["“]Revert\s+["“])(?P<title>.+?)["”]*$""",
    re.IGNORECASE,
)
_BACKPORT = re.compile(
    r"\[(?:backport|cherry-?pick)[^\]]{0,40}\]|\[(?:release|stable)[/ -]v?\d[\w.-]{0,20}\]"
    r"|(?:release|stable)[/-]v?\d[\w.-]{0,20}: |(?:backport|cherry-?pick)\b",
    re.IGNORECASE,
)
_PICKED = re.compile(r"^\(cherry picked from commit [0-9a-f]{7,64}\)\s*$", re.MULTILINE)
_CONVENTIONAL = re.compile(r"(?P<type>[a-z]{2,12})(?:\((?P<scope>[^()\n]{1,60})\))?!?:\s+(?=\S)", re.IGNORECASE)
_BRACKETS = re.compile(r"\[(?P<scope>[A-Za-z][\w ./+-]{0,40})\]\s*:?\s*(?=\S)")
_PREFIX = re.compile(r"(?P<scope>[A-Za-z][\w./+-]{1,40}(?:, ?[A-Za-z][\w./+-]{1,40}){0,3}):\s+(?=\S)")
# The whole title. Where it is in doubt, a digest rather lists an update than leaves a change out: a name of several
# words is that of a part of the project, and a number without a dot is an amount.
_DEPENDENCY = re.compile(
    r"(?:bump|update|upgrade) \S+(?: from \S+)? to v?\d+(?:\.\d+)+\S*(?: in \S+)?"
    r"|(?:bump|update|upgrade) (?:dependency|rust crate) \S+(?: from \S+)? to v?\d.*"
    r"|(?:bump|pin|update|upgrade) (?:all |the )?(?:\S+ )?dependencies(?: (?:for|in|of|to) .*)?"
    r"|lock ?file maintenance",
    re.IGNORECASE,
)

_NO_PROSE = re.compile(
    r"[A-Z][A-Za-z-]{1,40}(?: [a-z]+)?:(?: |$)|See merge request|This reverts|\(cherry picked|"
    r"(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|part of|related to|refs?|see|stack from|backport of)\b"
    r":? \S*(?:#|!|https?:|GH-)|"
    r"\[[ x]\]|(?:signed|co-authored|reviewed|tested|acked|reported)-",
    re.IGNORECASE,
)
"""Beginnings of paragraphs that are no prose: trailers, references, check lists."""
_LONGEST_DETAIL = 280

_TYPES: dict[str, Kind] = {
    **dict.fromkeys(("feat", "feature"), "feature"),
    **dict.fromkeys(("fix", "bugfix", "hotfix"), "fix"),
    **dict.fromkeys(("perf", "performance", "optim"), "performance"),
    **dict.fromkeys(("doc", "docs"), "documentation"),
    **dict.fromkeys(("test", "tests"), "test"),
    **dict.fromkeys(("build", "chore", "ci", "deps", "infra", "lint", "refactor", "release", "style"), "maintenance"),
}
_PLAIN: Kind = "change"
_VERBS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("fix", re.compile(r"(?:fix|correct|repair|prevent|avoid|handle|resolve)(?:e?s|ed)?\b", re.IGNORECASE)),
    ("feature", re.compile(r"(?:add|support|introduce|implement|enable|allow)(?:s|ed)?\b", re.IGNORECASE)),
    ("performance", re.compile(r"(?:speed|accelerate|optimi[sz]e|faster)", re.IGNORECASE)),
    ("documentation", re.compile(r"(?:document|docs)\b", re.IGNORECASE)),
    ("test", re.compile(r"(?:test|tests)\b", re.IGNORECASE)),
)


class Contact(msgspec.Struct, frozen=True):
    """A person in a trailer: a name and, if it is given, an email address."""

    name: str
    email: str = ""


class Statement(msgspec.Struct, frozen=True):
    """What a commit message states.

    Attributes:
        title: without number, type and scope.
        number: of the pull request, with its sign; empty if none is stated.
        detail: the first sentences of the description; empty if it has none.
        kind: the type of the change.
        scope: the area that the subject names; empty if none.
        authors: people named as co-authors.
        reviewers: people named as reviewers.
        reverts: the commit (or its beginning), or the number, that the message says it reverts; empty if none.
        reverted_title: the title in ``Revert "…"`` or ``revert: …``; empty if the message is no revert.
        relanded_title: the title in ``Reland "…"``; empty if the message is no reland.
        is_backport: whether the change was picked from another branch.
        is_dependency: whether it only moves a dependency to another version.
        is_branch_merge: whether it merges a branch without a pull request.
    """

    title: str
    number: str = ""
    detail: str = ""
    kind: Kind = "change"
    scope: str = ""
    authors: tuple[Contact, ...] = ()
    reviewers: tuple[Contact, ...] = ()
    reverts: str = ""
    reverted_title: str = ""
    relanded_title: str = ""
    is_backport: bool = False
    is_dependency: bool = False
    is_branch_merge: bool = False


def read_message(message: str) -> Statement:
    """Read a commit message.

    The forms are those of GitHub, GitLab, Gerrit, Phabricator, bors, Bitbucket and Azure DevOps, of Conventional
    Commits, and of subjects that begin with an area (``area: …``, ``[area] …``).

    Args:
        message: subject and body; only its first `LONGEST` characters are read.
    """
    message = message[:LONGEST].replace("\r", "")
    subject, _, body = message.strip("\n").partition("\n")
    subject, number, is_branch_merge = _merged(_one_line(subject), body)
    subject, number = _numbered(subject, body, number)
    reland = _RELAND_TITLE.match(subject)
    revert = None if reland else next(filter(None, (form.match(subject) for form in _REVERT_TITLES)), None)
    reverted = _REVERTS.search(body)
    is_revert = bool(revert) or (bool(reverted) and not reland)
    title, scope, kind = (subject, "", _PLAIN) if is_revert or reland else _scoped(subject)
    return Statement(
        title=title[:_LONGEST_TITLE],
        number=number,
        detail=_detail(body, title),
        kind=kind,
        scope=scope,
        authors=_people(body, "co-authored-by"),
        reviewers=_people(body, "reviewed-by", "approved-by", "acked-by"),
        reverts=reverted["name"] if reverted and is_revert else "",
        reverted_title=_bare(revert["title"]) if revert else "",
        relanded_title=_bare(reland["title"]) if reland else "",
        is_backport=bool(_BACKPORT.match(subject) or _PICKED.search(body)),
        is_dependency=bool(_DEPENDENCY.fullmatch(title)) or scope.lower() in ("deps", "deps-dev"),
        is_branch_merge=is_branch_merge,
    )


def _one_line(text: str) -> str:
    """The beginning of a title, with single spaces."""
    return " ".join(text[:_LONGEST_SUBJECT].split())


def _merged(subject: str, body: str) -> tuple[str, str, bool]:
    """The title and the number of a merge commit, and whether it merges a branch without a pull request."""
    first = next((_one_line(line) for line in body.split("\n") if line.strip()), "")
    for form in _MERGED:
        if found := form.match(subject):
            return first or subject, found[1], False
    if found := _AZURE.match(subject):
        return subject[found.end() :], f"#{found[1]}", False
    if _MERGE_BRANCH.match(subject):
        if found := _GITLAB.search(body):
            return (first if not first.startswith("See merge request") else subject), found[1], False
        return subject, "", True
    return subject, "", False


def _numbered(subject: str, body: str, number: str) -> tuple[str, str]:
    """The subject without the number at its end, and the number: of the subject, else of a trailer."""
    found = _NUMBER_AT_END.search(subject)
    if found:
        return subject[: found.start()], number or found[1]
    if number:
        return subject, number
    for value in _TRAILERS.findall(body):
        for form in _FROM_URL:
            match = form.fullmatch(value)
            if match:
                groups = match.groupdict()
                if groups.get("phabricator"):
                    return subject, groups["phabricator"]
                return subject, f"!{groups['bang']}" if groups.get("bang") else f"#{groups['hash']}"
    return subject, ""


def _scoped(subject: str) -> tuple[str, str, Kind]:
    """The title without type and scope, the scope, and the type."""
    if (found := _CONVENTIONAL.match(subject)) and found["type"].lower() in _TYPES:
        title = subject[found.end() :]
        return title, (found["scope"] or "").strip(), _TYPES[found["type"].lower()]
    scope = ""
    while found := _BRACKETS.match(subject):
        scope = scope or found["scope"].strip()
        subject = subject[found.end() :]
    if not scope and (found := _PREFIX.match(subject)):
        scope = found["scope"].split(",")[0].strip()
        subject = subject[found.end() :]
    kind: Kind = next((kind for kind, form in _VERBS if form.match(subject)), "change")
    return subject, scope, kind


def _detail(body: str, title: str) -> str:
    """The first sentences of the first paragraph of prose in a description, about `_LONGEST_DETAIL` characters."""
    for paragraph in re.split(r"\n[ \t]*\n", _without_comments(body)):
        text = " ".join(paragraph.split())
        if not _NO_PROSE.match(text) and text[:1].isalpha() and " " in text and text.rstrip(".") != title.rstrip("."):
            return text[: sentences_end(text, _LONGEST_DETAIL)]
    return ""


def _without_comments(text: str) -> str:
    """A description without the comments of its template."""
    parts, end = [], 0
    while (start := text.find("<!--", end)) >= 0 and (close := text.find("-->", start + 4)) >= 0:
        parts.append(text[end:start])
        end = close + 3
    return "".join([*parts, text[end:]])


def _bare(title: str) -> str:
    """A title that another one quotes, without its number."""
    return _NUMBER_AT_END.sub("", title).strip(' "“”')


def _people(body: str, *keys: str) -> tuple[Contact, ...]:
    """The people in some trailers, each once, in order."""
    found = (_contact(match["who"]) for match in _PERSON.finditer(body) if match["key"].lower() in keys)
    return tuple(dict.fromkeys(contact for contact in found if contact))


def _contact(who: str) -> Contact | None:
    """The person in a trailer, ``Name <email>``, the email being optional; `None` if it names nobody."""
    name, bracket, email = who.strip().partition("<")
    name, email = name.rstrip(), email.removesuffix(">") if bracket else ""
    is_closed = who.rstrip().endswith(">") or not bracket
    is_plain = not {*"<>"}.intersection(email) and len(email) <= _LONGEST_NAME
    return Contact(name, email) if is_closed and is_plain and 0 < len(name) <= _LONGEST_NAME else None
