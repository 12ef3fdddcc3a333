"""Derives the state of cited source and of symbols from a checkout of the project, before pages are planned.

In each build, git runs once to resolve the names of commits. Everything else is only asked if the checkout is at
another commit, or if a post cites something new: with one process for each kind of question, for all posts together.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from devlog.deriving import Deriving
from devlog.features.source_references import problems
from devlog.features.source_references.assemble.index import reference_permalinks
from devlog.features.source_references.assemble.pages import cited_page
from devlog.features.source_references.assemble.source_map import SOURCE, SOURCE_JSON
from devlog.features.source_references.config import configured_repository
from devlog.features.source_references.model.citation import (
    TRUNKS,
    Cited,
    CitedSource,
    Definition,
    Found,
    Sources,
    Spot,
    cited_source,
    permalink,
)
from devlog.features.source_references.model.mention import Mention, mentions_of
from devlog.features.source_references.model.repository import Repository
from devlog.model.derived import Derived, Facts, Linkable, LinkTargets, Made, MadeRecord, Work
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Parsed
from devlog.model.post_note import PostNote
from devlog.model.record import decoded
from devlog.model.site import Post
from devlog.model.target import Copy
from devlog.stages import Stages

if TYPE_CHECKING:
    from devlog.features.source_references.assemble.relocated_lines import Versions
    from devlog.features.source_references.disk import Checkout

DEFINITIONS = "definitions in blobs"
"""The key in the store for the definitions in the blobs of a checkout."""

MOST_DEFINITIONS = 8
"""The maximum number of definitions of a name: more of them do not tell readers where to look."""

MOST_IN_ALL = 1_000_000
"""The maximum number of definitions in all files; a small clone can contain billions, in copies of a few files."""

MOST_LINES = 50_000
"""The maximum number of lines of a file; larger files are not read, like those with too many bytes."""

MOST_PLACES = 200
"""The maximum number of cited places to check in each post; these are the first ones."""

MOST_HELD = 64
"""The maximum number of files in memory, besides those of one place: a small clone can contain gigabytes."""

MOST_COMPARED = 50_000_000
"""The maximum number of lines that are read and compared in a build to find cited places."""

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_NO_TEXT = re.compile("[\ud800-\udfff]")
_LIKE = 0.5  # the minimum likeness of a file to be the successor of another one
_NAMESAKES = 10  # the maximum number of files with the same name to compare
_SAME = 1_000  # the maximum number of identical files among which the nearest is chosen
_MANY = 20  # a line in more files than this does not show where cited lines have moved
_TELLING = 16  # the minimum number of letters in a line that is searched for in all files
_LONG = 4_000  # the maximum length of such a line: longer ones were not written by hand
_COMPARED = 100_000  # the maximum number of lines that are compared to find where a place has moved
_SLOW = 4  # how many lines are compared in the time in which the letters of one are counted
_LINE = 64  # reading so many bytes takes about as long as comparing a line
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|third[_-]party|vendor|external|examples?|node_modules)/|(?:^|/)test_[^/]*$"
)
_PARTS = re.compile(r"::|\.|->|#")
_CALL = re.compile(r"\(.*\)$")


def derive_targets(work: Deriving) -> Linkable:
    """The permalinks of the pages about source references, to which posts can link."""
    is_looked_at = configured_repository(work.inputs.config) is not None
    return Linkable(LinkTargets(urls=(*reference_permalinks(), SOURCE, SOURCE_JSON) if is_looked_at else ()))


def derive_sources(work: Deriving) -> Sources:
    """Derive data from the configured repository checkout; without one, there is none."""
    config, posts = work.inputs.config, (*work.site.posts, *work.site.pages)
    repository = configured_repository(config)
    if not config.source_checkout or repository is None:
        return Sources()
    return _sources(work, repository, posts)


def derives_alike(old: Parsed, new: Parsed, derived: Derived) -> bool:
    """Whether two versions of a source cite the same in the same order, and in the same lines if those are reported."""
    one, other = mentions_of(old), mentions_of(new)
    known = derived.of(Sources)
    if one == other or known == Sources():
        return True
    if known.problems:
        return False
    what = attrgetter("kind", "id", "url")
    return list(map(what, one)) == list(map(what, other))


def _sources(work: Deriving, repository: Repository, posts: Sequence[Post]) -> Sources:
    # Imported here because it loads everything that starts processes: most sites have no checkout.
    from devlog.disk.checkout_folder import Refusal
    from devlog.features.source_references.disk import NO_CHECKOUT, Checkout, SilentError, answers_of

    folder, stages = work.inputs.config.source_checkout, work.stages
    place = work.inputs.checkout(work.repository)
    assert place
    if isinstance(place, Refusal):
        refused = problems.committed_checkout if place is Refusal.COMMITTED else problems.unknown_checkout
        problem = refused(work.spans()("source_checkout"), folder, place.value)
        return Sources(problems=(problem,), asked=(), answers=place.name)
    checkout = Checkout(place)
    if not checkout.exists:
        return _unasked(work, folder, "there is no such folder", answers=NO_CHECKOUT)
    by_post = {post.id: mentions_of(post.parsed) for post in posts}
    places = {id_: found for id_, mentions in by_post.items() if (found := _cited_sources(mentions, repository))}
    many = [
        problems.many_citations(Span(post.parsed.file, places[post.id][MOST_PLACES].line), MOST_PLACES)
        for post in posts
        if len(places.get(post.id, ())) > MOST_PLACES
    ]
    places = {path: found[:MOST_PLACES] for path, found in places.items()}
    symbols = sorted({mention.id for some in by_post.values() for mention in some if mention.kind == "symbol"})
    refs = sorted({ref for found in places.values() for source, _, _ in found if (ref := _asked(source.ref))})
    try:
        extent = checkout.extent()
        head, *named = checkout.commits(["HEAD", *refs])
        known = answers_of([head, *named], extent)
        if not head:
            return _unasked(work, folder, "it has no commit", refs, known)
        commits = dict(zip(refs, named, strict=True))
        about = {"head": head, "extent": extent}
        works = [_work(post, places[post.id], about, commits) for post in posts if post.id in places]
        parts = {**about, "names": symbols}
        works += [Work(f"{__name__}:symbols", parts, facts=_Symbols)] if symbols else []
        inquiry = _Inquiry(checkout, head, stages)
        made = stages.derive(works, _no_file, inquiry.made, "Reading the source repository")
    except SilentError as error:
        return _unasked(work, folder, str(error))
    stages.keep(DEFINITIONS)
    defined = made.pop().facts if symbols else {}
    if defined.get("is_partial"):
        many.append(problems.many_definitions(work.spans()("source_checkout"), folder, MOST_IN_ALL))
    cited = dict(_cited(places, made, repository))
    return Sources(
        cited=cited,
        symbols={
            name: Definition(file, line, permalink(repository, commit, Spot(file, line, line)))
            for name, (file, line, commit) in defined.get("symbols", {}).items()
        },
        problems=(*many, *_not_looked_at(posts, dict(zip(places, made, strict=True)), places)),
        asked=tuple(refs),
        answers=known,
        notes=dict.fromkeys(cited, PostNote(page=cited_page)),
    )


def _not_looked_at(
    posts: Iterable[Post], made: Mapping[str, MadeRecord], places: Mapping[str, Sequence[_Mentioned]]
) -> Iterator[Diagnostic]:
    """Diagnostics about files that are too long to read, each at its first citation, and about what took too long."""
    named: set[str] = set()
    unchecked: list[Span] = []
    for post in posts:
        if post.id in made:
            for item, found in zip(places[post.id], _found(made[post.id]), strict=True):
                file = item.source.spot.file
                if found.state == "unread" and file not in named:
                    named.add(file)
                    yield problems.long_source(Span(post.parsed.file, item.line), file, MOST_LINES)
                elif found.state == "unchecked":
                    unchecked.append(Span(post.parsed.file, item.line))
    if unchecked:
        yield problems.many_lines(unchecked[0], len(unchecked), MOST_COMPARED)


def _unasked(work: Deriving, folder: str, reason: str, asked: Iterable[str] = (), answers: str = "") -> Sources:
    problem = problems.no_checkout(work.spans()("source_checkout"), folder, reason)
    return Sources(problems=(problem,), asked=tuple(asked), answers=answers)


def _no_file(_file: Copy) -> bytes:
    return b""


class _Mentioned(NamedTuple):
    """A place that a post cites, the line of its first citation, and the URL of the link there."""

    source: CitedSource
    line: int
    url: str


def _cited_sources(mentions: Iterable[Mention], repository: Repository) -> list[_Mentioned]:
    """The places that a post cites, without duplicates."""
    found: dict[CitedSource, _Mentioned] = {}  # by the question for git, since one branch has many names
    for mention in mentions:
        source = cited_source(mention, repository) if mention.kind == "file" else None
        if source:
            found.setdefault(
                CitedSource(source.spot, _asked(source.ref)), _Mentioned(source, mention.line, mention.url)
            )
    return list(found.values())


def _asked(ref: str) -> str:
    """The name under which git knows the ref in a link; empty for the branch that is checked out."""
    if ref in TRUNKS:
        return ""
    return ref if _COMMIT.fullmatch(ref) else f"refs/tags/{ref}"


def _work(post: Post, places: Iterable[_Mentioned], about: Mapping[str, str], commits: Mapping[str, str]) -> Work:
    """The questions for a post; the answers depend on nothing else."""
    day = post.date.date().isoformat() if post.date else ""
    asked = []
    for source, _, _ in places:
        name = _asked(source.ref)
        asked.append([commits[name], "-", *source.spot] if name else ["", day, *source.spot])
    return Work(f"{__name__}:citations", {**about, "places": asked}, facts=_Citations)


class _Citations(Facts, frozen=True):
    """What became of the places that a post cites, in order."""

    found: tuple[Found, ...]

    def fits(self, work: Work, blobs: int) -> bool:
        return len(self.found) == len(work.parts["places"])


class _Symbols(Facts, frozen=True):
    """The file, the line and the commit of definitions, by name; and whether the checkout has too many definitions."""

    symbols: dict[str, tuple[str, int, str]]
    is_partial: bool


def _cited(
    places: Mapping[str, Sequence[_Mentioned]], made: Sequence[MadeRecord], repository: Repository
) -> Iterator[tuple[str, tuple[Cited, ...]]]:
    """The state of the places that posts cite, for each post with at least one place whose state is known."""
    for (path, cited), derived in zip(places.items(), made, strict=True):
        known = tuple(
            Cited(item.source, item.line, item.url, found, *_addresses(item.source.spot, found, repository))
            for item, found in zip(cited, _found(derived), strict=True)
            if found.state not in ("unknown", "unread", "unchecked")
        )
        if known:
            yield path, known


def _found(made: MadeRecord) -> tuple[Found, ...]:
    return msgspec.convert(made.facts["found"], tuple[Found, ...])


def _addresses(spot: Spot, found: Found, repository: Repository) -> tuple[str, str]:
    """The URLs of a cited place as it was when it was cited, and as it is now."""
    if found.state == "unchanged":
        return "", ""
    old = permalink(repository, found.then, spot)
    return old, permalink(repository, found.now, Spot(found.file, found.first, found.last)) if found.file else ""


class _Question(NamedTuple):
    """A place, and the commit in which it is as the post means it; the commit is empty if there is none."""

    then: str
    spot: Spot


class _Telling(NamedTuple):
    """The line by which a text is looked for in all files, and its position in the text, from 0."""

    line: str
    at: int


class _Block(NamedTuple):
    """A text that is looked for, with its telling line."""

    lines: tuple[str, ...]
    line: str
    at: int


class _Inquiry:
    """Asks a checkout all new questions at once."""

    def __init__(self, checkout: Checkout, head: str, stages: Stages) -> None:
        self._checkout = checkout
        self._head = head
        self._stages = stages
        self._lines: dict[str, tuple[str, ...]] = {}
        self._heir_of: dict[tuple[str, str], str | None] = {}
        self._compared: tuple[tuple[str, str], Versions] | None = None
        self._weighed: tuple[str, list[int]] | None = None
        self._telling_in: dict[str, dict[str, list[int]]] = {}
        self._counted: dict[str, Counter[str]] = {}
        self._left = MOST_COMPARED

    def made(self, works: Sequence[Work]) -> list[Made]:
        """The answers for some works.

        If there are too many lines to compare, the rest is left to later builds. Each of them answers the questions of
        at least one work, as far as it could if there were no others.
        """
        if not works:
            return []
        asked = [self._questions(work) for work in works]
        first = frozenset(next(filter(None, asked), ()))
        found = self._judged({question for questions in asked for question in questions}, first)
        left = {question for question, item in found.items() if item.state == "unchecked"} - first
        symbols = [self._defined(work.parts.get("names", ())) for work in works]
        self._lines, self._heir_of, self._compared, self._weighed, self._telling_in = {}, {}, None, None, {}
        self._counted = {}
        files = {item.file for item in found.values() if item.file}
        changes = self._checkout.last_changes(
            self._head, files | {file for some in symbols for file, _ in some.places.values()}
        )
        found = {
            question: msgspec.structs.replace(item, now=changes.get(item.file, self._head)) if item.file else item
            for question, item in found.items()
        }
        return [
            Made(
                {
                    "symbols": {name: [*at, changes.get(at[0], self._head)] for name, at in defined.places.items()},
                    "is_partial": defined.is_partial,
                }
            )
            if "names" in work.parts
            else Made(
                {"found": [msgspec.to_builtins(found[question]) for question in questions]},
                retry=not left.isdisjoint(questions),
            )
            for work, questions, defined in zip(works, asked, symbols, strict=True)
        ]

    def _questions(self, work: Work) -> list[_Question]:
        places: list[list[Any]] = work.parts.get("places", [])
        return [_Question(commit or self._at(day), Spot(*spot)) for commit, day, *spot in places]

    # -- the commit that is meant

    def _at(self, day: str) -> str:
        """The newest commit at the end of a day; without a day, the commit that is checked out."""
        if not day:
            return self._head
        if day == "-":  # a commit that the checkout does not have
            return ""
        history, oldest = self._history
        end = datetime.fromisoformat(f"{day}T23:59:59").replace(tzinfo=UTC).timestamp()
        index = bisect_left(oldest, -end)
        return history[index] if index < len(history) else ""

    @cached_property
    def _history(self) -> tuple[list[str], list[float]]:
        """Commits, newest first, and for each the negated time of the oldest so far, since clocks may be wrong."""
        history = self._checkout.history(self._head)
        oldest = accumulate((moment.second for moment in history), min)
        return [moment.commit for moment in history], [-second for second in oldest]

    # -- the state of places

    @cached_property
    def _files(self) -> dict[str, str]:
        # A name that is not UTF-8 cannot be cited by a post, shown on a page, or recorded.
        return {file: blob for file, blob in self._checkout.files(self._head).items() if not _NO_TEXT.search(file)}

    @cached_property
    def _by_blob(self) -> dict[str, list[str]]:
        return _grouped((blob, file) for file, blob in self._files.items())

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return _grouped((posixpath.basename(file), file) for file in self._files)

    def _judged(self, asked: set[_Question], first: frozenset[_Question]) -> dict[_Question, Found]:
        """The state of places, of `first` before the others."""
        questions = sorted(asked, key=lambda question: (question not in first, question))
        old = self._blobs((question.then, question.spot.file) for question in questions)
        found: dict[_Question, Found] = {}
        doubtful: list[_Question] = []
        for question in questions:
            at_once = self._at_once(question, old[question.then, question.spot.file])
            if at_once:
                found[question] = at_once
            else:
                doubtful.append(question)
        lost: dict[_Question, Found] = {}
        telling: dict[_Question, _Telling] = {}
        blobs = {
            question: (old[question.then, question.spot.file], *map(self._files.get, self._heirs(question.spot.file)))
            for question in doubtful
        }
        for question in self._with_lines(blobs):
            then, spot = question
            item = self._looked_at(question, old[then, spot.file]) if self._left > 0 else Found("unchecked")
            if item.state in ("unchanged", "moved", "unknown", "unread", "unchecked"):
                found[question] = item
            else:
                lost[question] = item
                line = self._telling(spot, old[then, spot.file])
                telling |= {question: line} if line else {}
        return found | lost | self._elsewhere(telling, old)

    def _telling(self, spot: Spot, blob: str) -> _Telling | None:
        """The most distinctive line of a place in a file that is at hand; `None` if none is distinctive enough."""
        from devlog.features.source_references.assemble.relocated_lines import weights

        if not spot.first:
            return None
        lines = self._lines[blob]
        if self._weighed is None or self._weighed[0] != blob:  # places in one file come in a row
            self._weighed = (blob, weights(lines))
            self._left -= _SLOW * len(lines)
        self._left -= spot.last - spot.first
        weight = self._weighed[1]
        best = max(range(spot.first - 1, spot.last), key=weight.__getitem__)
        is_telling = weight[best] >= _TELLING and len(lines[best]) <= _LONG
        return _Telling(lines[best], best - (spot.first - 1)) if is_telling else None

    def _with_lines(self, blobs: Mapping[_Question, Sequence[str | None]]) -> Iterator[_Question]:
        """Places, each while the lines of its files are at hand.

        Args:
            blobs: for each place, the files that are to be looked into.
        """
        some: list[_Question] = []
        wanted: dict[str, None] = {}
        for question, own in blobs.items():
            some.append(question)
            wanted |= dict.fromkeys(filter(None, own))
            if len(wanted) >= MOST_HELD:
                self._load(wanted)
                yield from some
                some, wanted = [], {}
        self._load(wanted)
        yield from some

    def _blobs(self, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The blobs of files in commits; empty for a file that does not exist there."""
        wanted = list(dict.fromkeys(places))
        present = [item for item in wanted if item[0]]
        return dict.fromkeys(wanted, "") | dict(zip(present, self._checkout.blobs(present), strict=True))

    def _at_once(self, question: _Question, blob: str) -> Found | None:
        """The state of a place if it follows without reading any file."""
        then, spot = question
        now = self._files.get(spot.file, "")
        if now and (not spot.first or now == blob):
            return Found("unchanged", then)
        if not blob:
            return Found("unknown")
        if not now and (same := self._by_blob.get(blob)):
            return Found("moved", then, _nearest(spot.file, same[:_SAME]), spot.first, spot.last)
        return None

    def _heirs(self, file: str) -> list[str]:
        """The files that may be the successor of a file: itself, or files of the same name elsewhere."""
        if file in self._files:
            return [file]
        others = self._by_name.get(posixpath.basename(file), [])
        return others if len(others) <= _NAMESAKES else []

    def _load(self, blobs: Collection[str]) -> None:
        """Have the lines of some files at hand, and of no others; of none if too many lines have been compared."""
        from devlog.features.source_references.assemble.relocated_lines import lines_of

        self._lines = {blob: lines for blob, lines in self._lines.items() if blob in blobs}
        self._telling_in = {blob: places for blob, places in self._telling_in.items() if blob in blobs}
        self._counted = {blob: counts for blob, counts in self._counted.items() if blob in blobs}
        new = dict.fromkeys(blob for blob in blobs if blob not in self._lines)
        for blob, data in self._checkout.contents(new if self._left > 0 else ()):
            if data.count(b"\n") + data.count(b"\r") <= MOST_LINES:
                self._lines[blob] = lines_of(data)
            self._left -= len(self._lines.get(blob, ())) + len(data) // _LINE

    def _looked_at(self, question: _Question, blob: str) -> Found:
        """The state of a place, as far as its own file or the successor of that shows."""
        then, spot = question
        before = self._lines.get(blob)
        if before is not None and spot.last > len(before):
            return Found("unknown")
        file = self._heir(spot.file, blob) if before is not None else None
        if before is None or file is None:
            return Found("unread")
        if not file:
            return Found("gone", then)
        if not spot.first:
            return Found("moved", then, file)
        versions = self._versions(blob, self._files[file])
        compared = versions.compared
        lines = versions.find(spot.first, spot.last)
        self._left -= versions.compared - compared
        if lines.same:
            is_there = file == spot.file and lines.first == spot.first
            return Found("unchanged", then) if is_there else Found("moved", then, file, lines.first, lines.last)
        return Found("gone", then) if lines.left else Found("changed", then, file, lines.first, lines.last)

    def _versions(self, old: str, new: str) -> Versions:
        """Two blobs as versions of a file. The last result is kept: questions about the same versions come in a row."""
        from devlog.features.source_references.assemble.relocated_lines import Versions

        if self._compared is None or self._compared[0] != (old, new):
            self._compared = ((old, new), Versions(self._lines[old], self._lines[new]))
            self._left -= self._compared[1].compared
        return self._compared[1]

    def _heir(self, file: str, blob: str) -> str | None:
        """The successor of a file: itself, or a similar file of the same name; empty if it is gone.

        `None` if there is a successor that cannot be read, because it has become too large.

        Args:
            file: the name of the file.
            blob: its blob at that time, which can be read.
        """
        if (file, blob) not in self._heir_of:
            self._heir_of[file, blob] = self._likest(file, blob)
        return self._heir_of[file, blob]

    def _likest(self, file: str, blob: str) -> str | None:
        from devlog.features.source_references.assemble.relocated_lines import likeness

        if file in self._files:
            return file if self._files[file] in self._lines else None
        heirs = [other for other in self._heirs(file) if self._files[other] in self._lines]
        before = self._counts(blob) if heirs else Counter()
        alike = {other: likeness(before, self._counts(self._files[other])) for other in heirs}
        self._left -= len(before) * len(heirs)
        best = max(alike.values(), default=0.0)
        return _nearest(file, [other for other in alike if alike[other] == best]) if best >= _LIKE else ""

    def _counts(self, blob: str) -> Counter[str]:
        """How often each line occurs in a file that is at hand."""
        from devlog.features.source_references.assemble.relocated_lines import counted

        if blob not in self._counted:
            self._counted[blob] = counted(self._lines[blob])
            self._left -= len(self._lines[blob])
        return self._counted[blob]

    def _elsewhere(
        self, telling: Mapping[_Question, _Telling], old: Mapping[tuple[str, str], str]
    ) -> dict[_Question, Found]:
        """Those of the lost places whose text stands in just one other file, in which it did not stand before.

        Args:
            telling: for each place the line by which it is looked for. One that occurs very often shows nothing.
            old: the blobs of files in commits.
        """
        wanted = {line for line, _ in telling.values()}
        files = self._holding(wanted)
        others = {
            question: [file for file in files[line] if file != question.spot.file]
            for question, (line, _) in telling.items()
        }
        before = self._blobs((question.then, file) for question, some in others.items() for file in some)
        blobs = {
            question: [
                old[question.then, question.spot.file],
                *(blob for file in some for blob in (before[question.then, file], self._files[file])),
            ]
            for question, some in others.items()
            if some
        }
        found = {}
        for question in self._with_lines(blobs):
            if self._left <= 0:
                found[question] = Found("unchecked")
                continue
            spot, lines = question.spot, self._lines[old[question.then, question.spot.file]]
            block = _Block(lines[spot.first - 1 : spot.last], *telling[question])
            pairs = [(before[question.then, file], self._files[file]) for file in others[question]]
            compared = self._count(block.line, wanted, (blob for pair in pairs for blob in pair)) * len(block.lines)
            self._left -= len(block.lines)
            if compared > _COMPARED:
                continue
            self._left -= compared
            hits = [
                Spot(file, first, first + len(block.lines) - 1)
                for file, (then, now) in zip(others[question], pairs, strict=True)
                if not any(self._standing(then, block))
                for first in self._standing(now, block)
            ]
            if len(hits) == 1:
                found[question] = Found("moved", question.then, *hits[0])
        return found

    def _count(self, line: str, wanted: set[str], blobs: Iterable[str]) -> int:
        """How often a line occurs in some files that are at hand, in which all `wanted` lines are found at once."""
        from devlog.features.source_references.assemble.relocated_lines import places_of

        count = 0
        for blob in blobs:
            if blob in self._lines:
                if blob not in self._telling_in:
                    self._telling_in[blob] = places_of(self._lines[blob], wanted)
                    self._left -= len(self._lines[blob])
                count += len(self._telling_in[blob].get(line, ()))
        return count

    def _standing(self, blob: str, block: _Block) -> Iterator[int]:
        """The lines, from 1, at which a text occurs in a file in which its telling line was looked for."""
        from devlog.features.source_references.assemble.relocated_lines import standing

        starts = (place - block.at for place in self._telling_in.get(blob, {}).get(block.line, ()))
        return standing(self._lines.get(blob, ()), block.lines, starts)

    def _holding(self, lines: set[str]) -> dict[str, list[str]]:
        """The files that contain each line; none for a line that is in many files, such as a license header."""
        found: dict[bytes, list[str]] = {line.encode(): [] for line in lines}
        for blob, data in self._checkout.contents(self._by_blob) if found else ():
            if b"\0" not in data[:8000]:
                for line in dict.fromkeys(filter(found.__contains__, map(bytes.strip, data.split(b"\n")))):
                    if len(found[line]) <= _MANY:
                        found[line] += self._by_blob[blob][: _MANY + 1]
        return {line: some if len(some := found[line.encode()]) <= _MANY else [] for line in lines}

    # -- definitions

    def _defined(self, names: Sequence[str]) -> _Defined:
        """The locations where names are defined; without names that have no definition or too many."""
        wanted = {name: parts for name in names if (parts := parts_of(name))}
        if not wanted:
            return _Defined({}, is_partial=False)
        asked: dict[str, set[str]] = {}  # what may stand before each name
        for parts in wanted.values():
            asked.setdefault(parts[-1], set()).add(_qualifier(parts))
        files, is_partial = self._definitions()
        places: dict[tuple[str, str, bool], list[tuple[str, int]]] = {}
        for file, defined in files.items():
            lines: dict[str, list[int]] = {}
            for name, line in defined:
                if name in asked:
                    lines.setdefault(name, []).append(line)
            around = _qualifiers(file, defined) if lines else frozenset()
            is_aside = _ASIDE.search(file) is not None
            for name, some in lines.items():
                for qualifier in around & asked[name]:
                    known = places.setdefault((name, qualifier, is_aside), [])
                    if len(known) <= MOST_DEFINITIONS:
                        known += [(file, line) for line in some[: MOST_DEFINITIONS + 1]]
        found = {}
        for name, parts in wanted.items():
            key = parts[-1], _qualifier(parts)
            usual = places.get((*key, False)) or places.get((*key, True)) or []
            if 0 < len(usual) <= MOST_DEFINITIONS:
                found[name] = min(usual, key=lambda at: (at[0].count("/"), at))
        return _Defined(found, is_partial)

    def _definitions(self) -> tuple[dict[str, _Definitions], bool]:
        """The definitions in each file, in order, and whether the last files are left out; only new blobs are read."""
        from devlog.features.source_references.parse.definitions import ENDINGS, ending

        before = decoded(self._stages.recall(DEFINITIONS), dict[str, _Definitions]) or {}
        # Files of equal content in the same language are one item, since a clone can give one blob any number of names.
        items = {file: f"{self._files[file]}.{ending(file)}" for file in sorted(self._files) if ending(file) in ENDINGS}
        new = self._read_definitions([item for item in dict.fromkeys(items.values()) if item not in before])
        present: dict[str, _Definitions] = {}
        found: dict[str, _Definitions] = {}
        left = MOST_IN_ALL
        for file, item in items.items():
            defined = present[item] if item in present else before[item] if item in before else next(new)
            left -= len(defined)
            if left < 0:
                break
            found[file] = present[item] = defined
        if present.keys() != before.keys():
            self._stages.remember(DEFINITIONS, msgspec.msgpack.encode(dict(sorted(present.items()))))
        return found, left < 0

    def _read_definitions(self, items: Sequence[str]) -> Iterator[_Definitions]:
        """The definitions in each of some blobs; none in those that are too large.

        Args:
            items: the blobs, each with the extension of its files.
        """
        from devlog.features.source_references.parse.definitions import definitions

        waiting = iter(items)
        for blob, data in self._checkout.contents(item.partition(".")[0] for item in items):
            for item in waiting:
                if item.startswith(blob):
                    yield tuple(definitions(item, data))
                    break
                yield ()
        for _ in waiting:
            yield ()


_Definitions = tuple[tuple[str, int], ...]
"""Names and the lines of their definitions in a file."""


class _Defined(NamedTuple):
    """The files and lines in which names are defined, and whether the checkout has too many definitions."""

    places: dict[str, tuple[str, int]]
    is_partial: bool


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _nearest(file: str, others: Iterable[str]) -> str:
    """The file that is most likely the successor of another one: with the same name, and in a folder near it."""
    name = posixpath.basename(file)
    return min(
        others,
        key=lambda other: (
            posixpath.basename(other) != name,
            -len(posixpath.commonprefix([file.split("/"), other.split("/")])),
            other,
        ),
    )


def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a symbol as posts write it, the defined name last; empty if it is not a symbol."""
    parts = tuple(filter(None, _PARTS.split(_CALL.sub("", name.strip()))))
    return parts if parts and len(parts[-1]) > 1 else ()


def _qualifier(parts: Sequence[str]) -> str:
    """The name of the module or type in which a post says that a symbol is defined; empty without one."""
    return parts[-2] if len(parts) > 1 else ""


def _qualifiers(file: str, defined: _Definitions) -> frozenset[str]:
    """What posts may write before a name that a file defines."""
    path = posixpath.splitext(file)[0].split("/")
    return frozenset(("", "self", "cls", "this", *path[-2:], *(name for name, _ in defined)))
