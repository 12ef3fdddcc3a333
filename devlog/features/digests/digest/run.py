"""`devlog digest`, top to bottom: collect a history, understand it, write a text, verify it, write the post."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

import msgspec

from devlog import __version__
from devlog.config import RECORDS, Config, Digest
from devlog.disk.checkout_folder import Refusal, checkout_folder
from devlog.disk.folder import is_there
from devlog.disk.git import identity
from devlog.disk.problems import already_there
from devlog.disk.read import read_bytes
from devlog.disk.single_files import create, remove, replace
from devlog.features.digests import problems
from devlog.features.digests.digest import text as texts
from devlog.features.digests.digest import words
from devlog.features.digests.digest.areas import ConfiguredAreas
from devlog.features.digests.digest.changes import Found, changes_of, contacts
from devlog.features.digests.digest.gaps import gaps_of
from devlog.features.digests.digest.history import (
    History,
    NoHistoryError,
    Span,
    cleaned,
    read_history,
    read_origin,
    read_tags,
    spellings,
)
from devlog.features.digests.digest.periods import Edition, between, missed
from devlog.features.digests.digest.post import post_of
from devlog.features.digests.digest.releases import lacking_editions
from devlog.features.digests.digest.subjects import LONGEST
from devlog.features.digests.digest.understand import Period, understand
from devlog.features.digests.digest.verify import Allowed, coverage, verify
from devlog.features.digests.digest.writer import WriterFailedError, write
from devlog.features.digests.model.activity import Activity
from devlog.features.digests.model.provenance import MOST_AUTHORS, Provenance
from devlog.features.digests.model.record import Head, Record, decode_record, encode_record
from devlog.inputs import judge
from devlog.model.diagnostic import Diagnostic
from devlog.model.diagnostic import Span as Place
from devlog.model.document import Byline
from devlog.model.gaps import Gaps
from devlog.model.outpath import check_out_path
from devlog.model.secrets import masked
from devlog.model.slug import slug
from devlog.scaffold import people
from devlog.scaffold.post import find_topic
from devlog.scaffold.site import Existing
from devlog.scaffold.writing import author_lines

_T = TypeVar("_T")

_LARGEST_RECORD = 50_000_000

_REASONS = {"day": "on {0}", "days": "from {0} to {1}", "range": "in this range"}


class Options(msgspec.Struct, frozen=True):
    """What the command line decides; each may be empty.

    Attributes:
        name: of the series in the configuration.
        source: the folder of the clone.
        since: the first day of the period.
        until: its last day.
        commits: a range of commits, such as ``v1.0..v1.1``.
        topic: the topic of the post.
        dry_run: whether to write nothing and only return the text.
        forge: whether to ask the forge of the project; `None` for as configured.
        gaps: whether to list what no post is about; `None` for as configured.
    """

    name: str = ""
    source: str = ""
    since: date | None = None
    until: date | None = None
    commits: str = ""
    topic: str = ""
    dry_run: bool = False
    forge: bool | None = None
    gaps: bool | None = None


class Result(msgspec.Struct, frozen=True):
    """A digest that was written, or would be.

    Attributes:
        file: the post, relative to the site's folder; empty if there is none.
        text: of the post.
        coverage: how much of the activity it covers, in words.
        is_draft: whether it is a draft.
        diagnostics: problems; with an error among them, nothing was written.
    """

    file: str = ""
    text: str = ""
    coverage: str = ""
    is_draft: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is an error."""
        return any(item.severity == "error" for item in self.diagnostics)


class _Refused(Exception):  # noqa: N818 - it ends the work, and is a message and not an error of ours
    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__()
        self.diagnostics = diagnostics


def digest(site: Existing, here: Path, options: Options) -> tuple[Result, ...]:
    """Write the digests that are asked for: one, or those that a series lacks.

    Args:
        site: for which they are.
        here: the folder in which the command was given.
        options: which digests.

    Returns:
        What came of each. After an error nothing more is written.
    """
    results: list[Result] = []
    try:
        for result in _digests(site, here, options):
            results.append(result)
            if result.failed:
                break
    except _Refused as refused:
        results.append(Result(diagnostics=refused.diagnostics))
    return tuple(
        msgspec.structs.replace(
            result, diagnostics=tuple(judge(list(result.diagnostics), site.inputs.config, strict=False))
        )
        for result in results
    )


def _digests(site: Existing, here: Path, options: Options) -> Iterator[Result]:
    if wrong := site.problem():
        raise _Refused(*wrong)
    settings = _settings(site.inputs.config, options.name)
    topic = _given(find_topic(site, here, options.topic or settings.topic))
    folder = _source(site, here, options, settings)
    for edition in _editions(site, options, settings, folder):
        yield _digest(site, options, settings, topic, folder, edition)


def _settings(config: Config, name: str) -> Digest:
    if name and name not in config.digest:
        raise _Refused(problems.unknown_digest(Place("NAME"), name, sorted(config.digest)))
    return config.digest.get(name, Digest())


def _source(site: Existing, here: Path, options: Options, settings: Digest) -> Path:
    """The folder of the clone."""
    if options.source:
        return here / options.source
    configured = settings.source or site.inputs.config.source_checkout
    if not configured:
        raise _Refused(problems.no_source(Place("--source")))
    folder = checkout_folder(site.root, configured)
    if isinstance(folder, Refusal):
        raise _Refused(
            problems.no_history(Place("--source"), configured, folder.value, "name the folder with --source")
        )
    return folder


def _editions(site: Existing, options: Options, settings: Digest, folder: Path) -> tuple[Edition, ...]:
    zone = ZoneInfo(site.inputs.config.timezone)
    if options.commits:
        first, _, last = options.commits.rpartition("..")
        return (Edition(site.now.astimezone(zone).date(), Period(), Span(first=first, last=last or "HEAD")),)
    if options.since:
        return (between(options.since, options.until, site.now, zone),)
    made = [found for parsed in site.parsed if (found := parsed.front_matter.of(Provenance)).name == options.name]
    if settings.period == "release":
        with _reading(folder):
            return lacking_editions(read_tags(folder), {one.last for one in made}, site.now, zone)
    return missed(settings.period, _newest(made, site.now.astimezone(zone).date()), site.now, zone)


def _newest(made: Iterable[Provenance], today: date) -> date | None:
    """The last day that the newest of some digests is about. None is about a day that is still to come."""
    days = []
    for one in made:
        with suppress(ValueError):
            days.append(date.fromisoformat(one.until))
    return max((day for day in days if day <= today), default=None)


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    """Refuse a clone that cannot be read."""
    try:
        yield
    except NoHistoryError as error:
        raise _Refused(problems.no_history(Place("--source"), str(folder), str(error), error.hint)) from None


def _digest(site: Existing, options: Options, settings: Digest, topic: str, folder: Path, edition: Edition) -> Result:
    """One digest."""
    read = _read(site, settings, folder, edition)
    activity = _activity(site, settings, read, edition)
    if not activity.totals.listed:
        period, said = edition.period, "range"
        if period.since:
            said = "day" if period.since == period.until else "days"
        reason = _REASONS[said].format(period.since, period.until)
        return Result(diagnostics=(problems.quiet(Place(options.name or "--since"), reason),))
    name = f"{edition.day.isoformat()}-{_slug(site.inputs.config, options, topic, activity)}"
    file = posixpath.join(site.folder_of(topic), f"{name}.md")
    kept = posixpath.join(RECORDS, topic, f"{name}.json")
    is_asked = bool(settings.forge) if options.forge is None else options.forge
    if is_there(site.root / file) and _is_same(_recorded(site, kept), activity, is_asked=is_asked):
        return Result(diagnostics=(problems.digest_exists(Place(file)),))
    notes: tuple[Diagnostic, ...] = ()
    if is_asked:
        activity, notes = _with_forge(site, options, settings, read, activity, edition)
    if settings.gaps if options.gaps is None else options.gaps:
        activity = _with_gaps(site, options, activity, edition)
    record = _record(site, options, settings, activity, edition, kept)
    text, found, covers = _checked(site, record, file)
    found = (*notes, *found)
    if options.dry_run or any(item.severity == "error" for item in found):
        return Result("", text, covers, record.head.draft, found)
    _create(site.root, file, text.encode(), kept, encode_record(record))
    return Result(file, text, covers, record.head.draft, found)


def _is_same(recorded: Activity | None, activity: Activity, *, is_asked: bool) -> bool:
    """Whether an existing digest is about an activity; what a forge answered then may have changed since."""
    if recorded is None:
        return False
    recorded = msgspec.structs.replace(recorded, gaps=activity.gaps)  # which posts do not belong to what happened
    if not is_asked or not recorded.forge:
        return recorded == activity
    span = (recorded.first, recorded.last, recorded.since, recorded.until)
    return span == (activity.first, activity.last, activity.since, activity.until) and {
        change.commit for change in recorded.changes
    } == {change.commit for change in activity.changes}


def _recorded(site: Existing, file: str) -> Activity | None:
    """The activity of a digest that is there already; `None` without one."""
    try:
        return _record_of(site, file).activity
    except _Refused:
        return None


def _record_of(site: Existing, file: str) -> Record:
    """The record in a file of the site."""
    data = read_bytes(site.root, file, limit=_LARGEST_RECORD)
    if isinstance(data, Diagnostic):
        raise _Refused(data)
    try:
        record = decode_record(data)
        date.fromisoformat(record.day)
        _ = [release.day for release in record.activity.releases]  # raises an error for what is no date
        _ = [milestone.day for milestone in record.activity.milestones]
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise _Refused(problems.bad_recorded_activity(Place(file), str(error))) from None
    return record


def _slug(config: Config, options: Options, topic: str, activity: Activity) -> str:
    """The name of the release, or ``digest``, after the name of the series if another one is in the same topic."""
    if activity.release:
        return slug(activity.release.name.replace(".", "-")) or "release"
    shared = [name for name, other in config.digest.items() if other.topic == topic]
    return f"{options.name}-digest" if options.name and len(shared) > 1 else "digest"


class _Read(msgspec.Struct, frozen=True):
    """What was read from a clone."""

    folder: Path
    project: str
    origin: str
    history: History
    changes: tuple[Found, ...]


def _read(site: Existing, settings: Digest, folder: Path, edition: Edition) -> _Read:
    zone = ZoneInfo(site.inputs.config.timezone)
    with _reading(folder):
        history = read_history(folder, edition.span)
        changes = changes_of(history, spellings(folder, contacts(history)), zone, settings.bots, settings.generated)
        origin = read_origin(folder)
    return _Read(folder, _project(settings, folder, origin), origin, history, changes)


def _activity(site: Existing, settings: Digest, read: _Read, edition: Edition) -> Activity:
    zone = ZoneInfo(site.inputs.config.timezone)
    configured = ConfiguredAreas(settings.areas, settings.labels)
    return understand(read.project, read.history, read.changes, configured, edition.period, zone)


def _with_forge(
    site: Existing, options: Options, settings: Digest, read: _Read, activity: Activity, edition: Edition
) -> tuple[Activity, tuple[Diagnostic, ...]]:
    """The activity with what the forge knows about it, and how much was asked."""
    # Only digests that ask a forge load these, and the HTTP client of the standard library with them.
    from devlog.features.digests.digest.forge.ask import PACE, Wanted, ask
    from devlog.features.digests.digest.forge.client import ForgeFailedError
    from devlog.features.digests.digest.forge.merge import merged
    from devlog.features.digests.digest.forge.project import project_of

    config, place = site.inputs.config, Place(f"digest.{options.name}" if options.name else "--forge")
    project = project_of(
        settings.forge or True,
        config.refs.repo or config.source_repo,
        read.origin,
        config.refs.forge,
        is_other=bool(options.source or settings.source),
    )
    if project is None:
        raise _Refused(problems.no_forge(place, settings.forge if isinstance(settings.forge, str) else ""))
    listed = [change for change in activity.changes if change.fate == "listed"]
    messages = {
        commit.id: [one.message[:LONGEST] for one in (commit, *read.history.merged.get(commit.id, ()))]
        for commit in read.history.branch
    }
    try:
        answers = ask(site.root, project, Wanted(listed, messages, edition.day))
    except ForgeFailedError as error:
        raise _Refused(problems.forge_failed(place, str(error), error.hint)) from None
    changes = merged(read.changes, answers)
    understood = _activity(site, settings, msgspec.structs.replace(read, changes=changes), edition)
    notes = [problems.forge_requests(place, answers.host, answers.requests, answers.cached, answers.asked)]
    if answers.missing:
        notes.append(problems.forge_incomplete(place, answers.missing, PACE.requests))
    if answers.large:
        notes.append(problems.forge_too_large(place, answers.large))
    whole = msgspec.structs.replace(understood, forge=answers.url, milestones=answers.milestones)
    return whole, tuple(notes)


def _with_gaps(site: Existing, options: Options, activity: Activity, edition: Edition) -> Activity:
    """The activity with what no post is about and its changes touch."""
    end = edition.span.until or site.now.timestamp()
    moment = min(datetime.fromtimestamp(end, ZoneInfo(site.inputs.config.timezone)), site.now)
    listed = [change for change in activity.changes if change.fate == "listed"]
    found = gaps_of(site, listed, moment)
    if not isinstance(found, Gaps):
        raise _Refused(*found)
    if found.problem:
        raise _Refused(problems.no_gaps(Place(f"digest.{options.name}" if options.name else "--gaps"), found.problem))
    return msgspec.structs.replace(activity, gaps=found)


def _project(settings: Digest, folder: Path, origin: str) -> str:
    """The name of the project: as configured, else that of the repository."""
    name = cleaned(os.fsencode(origin.rstrip("/").rpartition("/")[2].removesuffix(".git") or folder.resolve().name))
    return settings.project or words.upper_first(" ".join(name.split()))


def _record(
    site: Existing, options: Options, settings: Digest, activity: Activity, edition: Edition, kept: str
) -> Record:
    """All that the post is written from; a configured program writes its text here."""
    text = ""
    if settings.writer:
        try:
            text = write(settings.writer, activity, site.root)
        except WriterFailedError as error:
            raise _Refused(problems.writer_failed(Place(f"digest.{options.name}"), str(error))) from None
    default = settings.period if activity.since else "release"
    template = "" if text else settings.template or default
    provenance = Provenance(
        name=options.name,
        since=activity.since,
        until=activity.until,
        first=activity.first,
        last=activity.last,
        writer=settings.writer[0] if text else template,
        version=__version__,
        changes=str(activity.totals.changes),
        people=str(activity.totals.people),
        activity=kept,
        authors=tuple(f"{person.name} ({person.changes})" for person in activity.people[:MOST_AUTHORS]),
    )
    head = Head(
        title=texts.title_of(activity),
        description=texts.summary_of(activity),
        author=tuple(author_lines(_authors(site, settings))),
        tags=settings.tags,
        draft=settings.draft,
        ai=settings.ai,
    )
    return Record(activity, edition.day.isoformat(), head, provenance, template, text)


def _authors(site: Existing, settings: Digest) -> tuple[Byline, ...]:
    known = people.people(site.assembled.site.authors, site.inputs.author_entries)
    if settings.author:
        return people.resolve((settings.author,), known)[0]
    return people.guess(identity(site.root), known)[0]


def _checked(site: Existing, record: Record, file: str) -> tuple[str, tuple[Diagnostic, ...], str]:
    """The post of a record, what is wrong with it, and how much it covers."""
    try:
        post, first, unnamed = post_of(record, site.root / site.inputs.config.in_theme_folder())
    except texts.TemplateFailedError as error:
        own = error.file.startswith("templates/")  # others are devlog's
        place = Place(site.inputs.config.in_theme_folder(error.file) if own else error.file, error.line)
        raise _Refused(problems.template_failed(place, str(error))) from None
    body = "\n".join(post.split("\n")[first - 1 :])
    config = site.inputs.config
    links = tuple(filter(None, (config.source_repo.rstrip("/"), config.refs.repo.rstrip("/"))))
    verified = verify(body, record.activity, date.fromisoformat(record.day), file, first, Allowed(links, unnamed))
    found = [*verified.problems]
    if not found:
        parsed, _ = site.with_text(file, post)
        found += [item for item in parsed.diagnostics if item.severity == "error"]
    covers = coverage(record.activity, verified.missing)
    if verified.missing and not found:
        missing = [texts.reference(change) for change in verified.missing]
        found.append(problems.digest_incomplete(Place(file), covers, missing))
    lines = masked(post).split("\n")
    shown = [
        msgspec.structs.replace(item, line_text=lines[item.span.line - 1])
        if item.span.path == file and 0 < item.span.line <= len(lines)
        else item
        for item in found
    ]
    return post, tuple(shown), covers


def _create(root: Path, file: str, text: bytes, kept: str, record: bytes) -> None:
    """Write a new post and its record, both or none.

    A record without its post is what is left when a command is killed, or a post is deleted: it gives way.
    """
    if is_there(root / file):
        raise _Refused(already_there(file))
    if is_there(root / kept):
        old = _given(read_bytes(root, kept, limit=_LARGEST_RECORD))
        problem = replace(root, kept, old, record)
    else:
        problem = create(root, kept, record)
    if problem:
        raise _Refused(problem)
    if problem := create(root, file, text):
        remove(root, kept, record)
        raise _Refused(problem)


def again(site: Existing, file: str) -> Result:
    """Make a digest again from its recorded activity.

    Args:
        site: of which it is a post.
        file: the post, relative to the site's folder.

    Returns:
        The post as the command wrote it, whatever has been edited since. Nothing is written.
    """
    try:
        return _again(site, file)
    except _Refused as refused:
        return Result(diagnostics=refused.diagnostics)


def _again(site: Existing, file: str) -> Result:
    parsed = next((item for item in site.parsed if item.file == file), None)
    name = parsed.front_matter.of(Provenance).activity if parsed else ""
    if not name.startswith(f"{RECORDS}/") or check_out_path(name):
        raise _Refused(problems.no_digest(Place(file)))
    record = _record_of(site, name)
    text, found, covers = _checked(site, record, file)
    return Result(file, text, covers, record.head.draft, found)


def _given(value: _T | Diagnostic) -> _T:
    if isinstance(value, Diagnostic):
        raise _Refused(value)
    return value
