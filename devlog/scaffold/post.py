"""Creates a new post."""

from __future__ import annotations

import json
import posixpath
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from devlog.assemble import problems as assemble_problems
from devlog.assemble.dates import in_zone
from devlog.assemble.layout import POSTS
from devlog.assemble.site import RESERVED, parents
from devlog.check import problems as check_problems
from devlog.disk.folder import without_links
from devlog.disk.git import identity
from devlog.disk.single_files import create
from devlog.inputs import content_rules, judge
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Byline, Date
from devlog.model.outpath import check_out_path
from devlog.model.problems import did_you_mean
from devlog.model.slug import slug
from devlog.scaffold import people, problems
from devlog.scaffold.archetype import as_draft, fill, misfit, read_template, unused
from devlog.scaffold.outcome import Outcome
from devlog.scaffold.site import Existing
from devlog.scaffold.writing import author_lines, byline_text, clean, yaml_list, yaml_text

LONGEST_SLUG = 100
"""The maximum number of bytes of a file name derived from a title, without the date."""

# "#" would start the fragment of a link to the file; "~" and "@" have a meaning for other programs.
_SEPARATORS = re.compile(r"[-#~@]{2,}|[#~@]")
_BODY = "> **TL;DR** – TODO: what a reader should know who reads no further.\n"


class NewPost(msgspec.Struct, frozen=True):
    """The requested properties of a new post.

    Attributes:
        title: of the post.
        topic: the path of its topic; if empty, `find_topic` determines it.
        authors: handles, names, or both; if empty, git's user is the author.
        date: of the post; `None` for today.
        tags: of the post.
        slug: the name of the file without its date; if empty, it is derived from the title.
        draft: whether the post is a draft, which only previews show.
    """

    title: str
    topic: str = ""
    authors: tuple[str, ...] = ()
    date: Date | None = None
    tags: tuple[str, ...] = ()
    slug: str = ""
    draft: bool = False


class _Facts(msgspec.Struct, frozen=True):
    """The properties of the post, checked and complete, before its text is made."""

    title: str
    topic: str
    authors: tuple[Byline, ...]
    day: str
    date: str
    tags: tuple[str, ...]
    name: str


def new_post(site: Existing, here: Path, wanted: NewPost) -> Outcome:
    """Write a new post. Existing files are never changed.

    Args:
        site: the site of the post.
        here: the current folder; if it is inside a topic, that is the default topic.
        wanted: the requested properties.

    Returns:
        The file and its URL, or diagnostics if it was not written.
    """
    if wrong := site.problem():
        return Outcome(diagnostics=wrong)
    facts, found = _facts(site, here, wanted)
    if facts is None:
        return _outcome(site, (), "", found)
    made = _text(site, wanted, facts)
    if isinstance(made, Diagnostic):
        return _outcome(site, (), "", [*found, made])
    text, more = made
    found = [*found, *more]
    below = POSTS if site.inputs.config.conventions.underscored else ""
    file = posixpath.join(site.folder_of(facts.topic), below, f"{facts.name}.md")
    parsed, assembled = site.with_text(file, text)
    faults = [item for item in parsed.diagnostics if item.severity == "error"]
    entries = (*assembled.site.posts, *assembled.site.pages)
    permalink = next((post.permalink for post in entries if post.id == parsed.path), "")
    wrong = (*faults, *site.refusals(assembled, file)) or _created(site.root, file, text)
    return _outcome(site, () if wrong else (file,), permalink, [*found, *wrong])


def _created(root: Path, file: str, text: str) -> tuple[Diagnostic, ...]:
    problem = create(root, file, text.encode())
    return (problem,) if problem else ()


def _outcome(site: Existing, files: tuple[str, ...], permalink: str, found: Sequence[Diagnostic]) -> Outcome:
    reported = tuple(judge(list(found), site.inputs.config, strict=False))
    return Outcome(files, site.address(permalink) if files and permalink else "", (), reported)


def _facts(site: Existing, here: Path, wanted: NewPost) -> tuple[_Facts | None, list[Diagnostic]]:
    found: list[Diagnostic] = []
    title, wrong = clean(wanted.title, Span("TITLE"))
    found += wrong
    topic = find_topic(site, here, wanted.topic)
    name = _name(title, wanted.slug)
    authors, wrong = _authors(site, wanted.authors)
    found += wrong
    tags, wrong = _tags(site, wanted.tags)
    found += wrong
    day, date = _day(site, wanted.date)
    if not isinstance(topic, str) or not isinstance(name, str):
        return None, [*found, *(item for item in (topic, name) if isinstance(item, Diagnostic))]
    name = f"{day}-{name}"
    if reason := check_out_path(f"{topic}/{name}.md".lstrip("/")):
        return None, [*found, problems.bad_name(Span("TITLE"), f"{name}.md", reason)]
    return _Facts(title, topic, authors, day, date, tags, name), found


def find_topic(site: Existing, here: Path, name: str) -> str | Diagnostic:
    """The topic of a new post: the named one, else that of the current folder, else the only one of the site.

    In Jekyll's dialect, a post may have no topic, and the first post in a folder makes it a topic.

    Args:
        site: the site with its topics.
        here: the current folder.
        name: the path of a topic as given, optionally with the content folder before it; may be empty.
    """
    by_posts = site.inputs.config.conventions.underscored
    if name:
        path = unicodedata.normalize("NFC", name.replace("\\", "/")).strip("/")
        path = path if path in site.topics else path.removeprefix(f"{site.content}/")
        if path not in site.topics and not (by_posts and _begins_topic(site, path)):
            return problems.unknown_topic(Span("--topic"), name, site.topics)
        return path
    for place, folder in {"": site.content, **site.inputs.config.mounts}.items():
        content, below = without_links(site.root / folder), without_links(here)
        while below.is_relative_to(content) and (place or below != content):
            inside = unicodedata.normalize("NFC", below.relative_to(content).as_posix())
            path = posixpath.normpath(posixpath.join(place, inside))
            if path in site.topics:
                return path
            below = below.parent
    if by_posts:
        return ""
    return site.topics[0] if len(site.topics) == 1 else problems.which_topic(Span("--topic"), site.topics)


def _begins_topic(site: Existing, path: str) -> bool:
    """Whether a post may start a new topic, in a dialect where each folder with posts is a topic.

    A path that is similar to an existing topic counts as a typing mistake.
    """
    is_plain = all(part and part == slug(part) and not part.startswith("_") for part in path.split("/"))
    is_taken = path.partition("/")[0] in RESERVED | content_rules(site.inputs.config, ()).apart
    return is_plain and not is_taken and not check_out_path(path) and not did_you_mean(path, site.topics)


def _name(title: str, given: str) -> str | Diagnostic:
    """The file name without its date and extension."""
    if not title:
        return problems.bad_name(Span("TITLE"), title, "it is empty")
    made = shorten(_SEPARATORS.sub("-", slug(given or title)))
    if not any(character.isalnum() for character in made):
        return problems.no_slug(Span("--slug" if given else "TITLE"), given or title)
    return made


def shorten(text: str) -> str:
    """Shorten a slug to `LONGEST_SLUG` bytes, between words if possible."""
    while len(text.encode()) > LONGEST_SLUG:
        head, _, last = text.rpartition("-")
        text = head if head and len(last.encode()) < LONGEST_SLUG // 2 else text[:-1]
    return text.strip("-.")


def _authors(site: Existing, given: tuple[str, ...]) -> people.Found:
    known = people.people(site.assembled.site.authors, site.inputs.author_entries)
    return people.resolve(given, known) if given else people.guess(identity(site.root), known)


def _tags(site: Existing, given: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """The given tags in the spelling that the site uses, and the diagnostics."""
    allowed = site.inputs.config.tags.allowed
    spellings = {_fold(name): name for _, name in site.assembled.site.tags}
    spellings |= {_fold(name): name for name in allowed}
    tags: list[str] = []
    found: list[Diagnostic] = []
    for text in given:
        tag, wrong = clean(text, Span("--tag"))
        found += wrong
        right = spellings.get(_fold(tag), tag)
        if not slug(right):
            found.append(assemble_problems.bad_tag(Span("--tag"), tag))
            continue
        if right != tag:
            found.append(check_problems.tag_drift(Span("--tag"), tag, right, None))
        elif allowed and right not in allowed:
            found.append(check_problems.unknown_tag(Span("--tag"), tag, allowed))
        if right not in tags:
            tags.append(right)
    return tuple(tags), tuple(found)


def _fold(tag: str) -> str:
    return slug(tag).replace("_", "-")


def _day(site: Existing, date: Date | None) -> tuple[str, str]:
    """The day for the file name, and the date for the front matter, which includes the time if one was given."""
    zone = ZoneInfo(site.inputs.config.timezone)
    moment = date.value if date else site.now.astimezone(zone)
    day = in_zone(moment, zone) if moment.tzinfo and date else moment
    written = f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
    return written, written if date is None or date.day_only else moment.isoformat()


def _text(site: Existing, wanted: NewPost, facts: _Facts) -> tuple[str, tuple[Diagnostic, ...]] | Diagnostic:
    """The text of the post, from the topic's template if there is one, and warnings about the template."""
    above = (*parents(facts.topic), "") if facts.topic else ()
    template = read_template(site.root, [site.folder_of(topic) for topic in (facts.topic, *above)])
    if isinstance(template, Diagnostic):
        return template
    if template is None:
        dated = [f"date: {facts.date}"] if facts.date != facts.day else []
        lines = [f"title: {yaml_text(facts.title)}", *dated, *author_lines(facts.authors)]
        block = "\n".join([*lines, f"tags: {yaml_list(facts.tags)}"])
        return _finished(f"---\n{block}\n---\n\n{_BODY}", wanted), ()
    file, text = template
    byline = byline_text(facts.authors) or "; ".join(author.name for author in facts.authors)
    values = {
        "title": facts.title,
        "date": facts.date,
        "author": byline,
        "topic": facts.topic,
        "tags": yaml_list(facts.tags),
    }
    yaml = {**{name: yaml_text(value) if value else "" for name, value in values.items()}, "tags": values["tags"]}
    yaml["date"] = facts.date
    quoted = {name: json.dumps(value, ensure_ascii=False) for name, value in {**values, "tags": facts.tags}.items()}
    asked = {"author": "--author"} if wanted.authors else {}
    asked |= {"tags": "--tag"} if facts.tags else {}
    made = fill(text, values, yaml, quoted)
    return misfit(file, text, made, facts.title) or (_finished(made, wanted), unused(file, text, asked))


def _finished(text: str, wanted: NewPost) -> str:
    return as_draft(text) if wanted.draft else text
