"""Derives the audio of a site: finds, measures and reads the files that posts name, before pages are planned."""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from devlog.assemble.links import LinkIndex
from devlog.deriving import Deriving
from devlog.disk import problems as disk_problems
from devlog.disk.read import is_unchanged, open_regular, read_bytes
from devlog.engine.work import time_limit
from devlog.features.episodes import problems
from devlog.features.episodes.assemble.episodes import feeds_of_shows, link_targets, shows_of, wrong_with_show
from devlog.features.episodes.assemble.pages import episode_page
from devlog.features.episodes.model.audio import AudioFile, SiteAudio
from devlog.features.episodes.model.episode import BODY, Audio, Chapter, Cues, Person, audio_of, clock
from devlog.features.episodes.model.transcript import Transcript
from devlog.inputs import Inputs
from devlog.installation import installation
from devlog.model.closest import MOST_SUGGESTIONS
from devlog.model.derived import Facts, Made, MadeRecord, Work
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.document import Parsed, Ref
from devlog.model.media import media_type
from devlog.model.names import named_file
from devlog.model.post_note import PostNote
from devlog.model.record import decoded
from devlog.model.site import Post, Published, Site, Topic
from devlog.model.target import Copy
from devlog.model.view import PersonView
from devlog.out_of_time import OutOfTimeError
from devlog.packages import version
from devlog.stages import Stages

TRANSCRIPTS = (".vtt", ".srt", ".json", ".md", ".markdown")
"""The extensions of transcript files."""

MOST_USES = 8
"""The maximum number of episodes that may share a transcript or a chapters file."""

SECONDS = 10.0
"""The time limit for measuring the duration of a file."""

_INSIDE = "it is inside another file"
"""Why a file in a converted source, such as an image in a notebook, is not read: that would be converted again."""

_READ = 8 * 2**20  # bytes of a transcript or chapters file: their readers reject more than half of that


class _Length(Facts, frozen=True):
    """The duration of audio in seconds."""

    seconds: float

    def fits(self, work: Work, blobs: int) -> bool:
        return math.isfinite(self.seconds) and self.seconds >= 0


class _TranscriptFiles(Facts, frozen=True):
    """An encoded transcript, whose body and cues are files."""

    transcript: bytes

    def fits(self, work: Work, blobs: int) -> bool:
        return blobs == 2 and decoded(self.transcript, Transcript) is not None


class _ChaptersFile(Facts, frozen=True):
    """The chapters in a file."""

    chapters: tuple[Chapter, ...]


def derive_audio(work: Deriving) -> SiteAudio:
    """Find the audio of posts; a site without any costs nothing."""
    site = work.site
    posts = [post for post in site.posts if audio_of(post.parsed)]
    shows = shows_of(site)
    if not posts and not shows:
        return SiteAudio()
    found = _Finder(work.root, work.inputs, site, work.references.index, work.stages).found(posts)
    found = msgspec.structs.replace(found, shows=shows)
    return msgspec.structs.replace(
        found,
        targets=link_targets(site, found),
        feeds=feeds_of_shows(work.inputs.config, site, shows),
        notes={id_: PostNote(page=episode_page) for id_ in found.by_post},
    )


class _Named(NamedTuple):
    """The files that the front matter of a post names, as far as they were found."""

    post: Post
    audio: Audio
    url: str
    file: Published | None
    transcript: Copy | None
    chapters: Copy | None


class _Finder:
    """Finds the files that front matter names, and has them measured and read."""

    def __init__(self, root: Path, inputs: Inputs, site: Site, index: LinkIndex, stages: Stages) -> None:
        self._root = root
        self._inputs = inputs
        self._site = site
        self._index = index
        self._stages = stages
        self._sources = {source.path: source for source in inputs.content.sources}
        # Posts that stay posts, even if another one names them as its transcript: episodes, and those not published.
        self._posts = {post.parsed.file for post in site.posts if audio_of(post.parsed)}
        self._posts.update(item.path for item in site.skipped)
        self._wrong: list[Diagnostic] = []
        self._uses: Counter[str] = Counter()  # the number of episodes that name each transcript or chapters file
        self._broken: Counter[str] = Counter()  # the number of missing images, by source file

    def found(self, posts: Sequence[Post]) -> SiteAudio:
        """The audio of posts, and the images of shows."""
        named = [found for post in posts if (found := self._named(post))]
        seconds = self._seconds(named)
        transcripts = self._transcripts(named)
        chapters = self._chapters(named)
        by_post = {}
        for item, takes in zip(named, seconds, strict=True):
            self._wrong += _wrong_with_words(item, transcripts.get(item.post.id), takes)
            parts = chapters.get(item.post.id, item.audio.chapters)
            by_post[item.post.id] = AudioFile(
                url=item.url,
                length=item.file.asset.length if item.file else item.audio.length or 0,
                type=item.audio.type or media_type(item.url.partition("?")[0].partition("#")[0]),
                seconds=takes,
                image=self._image(item.audio.image, item.audio.span("image", item.post.parsed.file), item.post),
                people=self._people(item.audio.people, item.audio, item.post),
                chapters=tuple(self._fitting(parts, item, takes)),
                transcript=transcripts.get(item.post.id),
            )
        return SiteAudio(by_post, dict(self._pictures_of_shows()), problems=tuple(self._wrong), has_episodes=True)

    # -- finding files

    def _named(self, post: Post) -> _Named | None:
        """The files that a post names; `None` if its audio is missing or unusable."""
        audio, file = audio_of(post.parsed), post.parsed.file
        assert audio
        sound = self._file(audio.file, audio.span("file", file), post) if audio.file else None
        url = sound[0] if sound else audio.url
        published = sound[1] if sound else None
        known = media_type(url.partition("?")[0].partition("#")[0])
        if audio.file:
            if sound is None:
                return None
            if not audio.type and not known.startswith(("audio/", "video/")):
                self._wrong.append(problems.not_audio(audio.span("file", file), audio.file, known))
                return None
        elif not audio.type and not known.startswith(("audio/", "video/")):
            self._wrong.append(problems.unknown_audio_type(audio.span("url", file)))
            return None
        elif not audio.length:
            self._wrong.append(problems.no_length(audio.span("url", file)))
        copy = self._chapters_copy(audio, post)
        transcript = self._transcript(audio, post)
        self._count_uses(transcript, audio.span("transcript", file))
        self._count_uses(copy, audio.span("chapters_file", file))
        return _Named(post, audio, url, published, transcript, copy)

    def _count_uses(self, copy: Copy | None, span: Span) -> None:
        """Report a file that too many episodes name: each copies all of it to its page and its own files."""
        if copy is None:
            return
        self._uses[copy.file] += 1
        if self._uses[copy.file] == MOST_USES + 1:
            self._wrong.append(problems.shared_by_too_many(span, copy.file, MOST_USES))

    def _file(self, target: str, span: Span, post: Post) -> tuple[str, Published | None] | None:
        """The URL of a file of the site, and the file; `None` if it was not found."""
        if not target:
            return None
        parsed = post.parsed
        link, files, wrong = self._index.find_named(Ref("media", target, span), parsed, post.permalink)
        if not files:
            hint = wrong.hint if wrong and wrong.code == "broken-image" else ""
            self._wrong.append(problems.missing_audio(span, target, hint))
            return None
        if wrong:
            self._wrong.append(wrong)
        return link.url, files[0]

    def _transcript(self, audio: Audio, post: Post) -> Copy | None:
        """The file of a post's transcript; `None` if it has none, or none was found."""
        target = audio.transcript
        if not target or target == BODY:
            return None
        span = audio.span("transcript", post.parsed.file)
        if not target.lower().endswith(TRANSCRIPTS):
            self._wrong.append(problems.no_transcript(span, target, TRANSCRIPTS))
            return None
        text = named_file(post.parsed.path, target, self._sources)
        if text and self._sources[text].file in self._posts:  # it may even be this post itself
            self._wrong.append(problems.no_transcript(span, target, TRANSCRIPTS))
            return None
        if text:
            source = self._sources[text]
            return Copy(source.path, "content", source.file, source.digest)
        found = self._file(target, span, post)
        copy = _copy(found[1]) if found and found[1] else None
        if copy and copy.inside:
            self._wrong.append(problems.bad_transcript(span, f"“{target}” cannot be read: {_INSIDE}"))
            return None
        return copy

    def _chapters_copy(self, audio: Audio, post: Post) -> Copy | None:
        """The chapters file of a post; `None` if it has none, or none was found."""
        span = audio.span("chapters_file", post.parsed.file)
        found = self._file(audio.chapters_file, span, post)
        copy = _copy(found[1]) if found and found[1] else None
        if copy and copy.inside:
            self._wrong.append(problems.bad_chapters(span, audio.chapters_file, _INSIDE))
            return None
        return copy

    # -- reading files

    def _seconds(self, named: Sequence[_Named]) -> list[float]:
        """The duration of the audio of each post in seconds; 0 if it is unknown."""
        able = version("tinytag")
        works = {
            item.post.id: Work(
                "devlog.features.episodes.derive.duration:measure",
                {"tinytag": able},
                (_copy(item.file),),
                facts=_Length,
            )
            for item in named
            if able and item.file
        }
        made = self._stages.derive(tuple(works.values()), self._read, self._measured)
        measured = dict(zip(works, made, strict=True))
        found = [self._takes(item, measured.get(item.post.id)) for item in named]
        if not able and 0 in found:
            item = named[found.index(0)]
            span = item.audio.span("", item.post.parsed.file)
            self._wrong.append(problems.no_tinytag(span, installation().add_package("tinytag")))
        return found

    def _takes(self, item: _Named, measured: MadeRecord | None) -> float:
        written, file = item.audio.duration or 0.0, item.post.parsed.file
        if measured is None:
            return written
        if measured.problem:
            if not written:
                span = item.audio.span("file", file)
                self._wrong.append(problems.unmeasured(span, item.audio.file, measured.problem))
            return written
        seconds: float = measured.facts["seconds"]
        if written and abs(written - seconds) > 1:
            span = item.audio.span("duration", file)
            self._wrong.append(problems.wrong_duration(span, clock(written), clock(seconds)))
        return seconds

    def _measured(self, works: Sequence[Work]) -> Iterator[Made]:
        """Measure files in this process, not in workers, since only a small part of each file is read."""
        from devlog.features.episodes.derive.duration import measure

        for work in works:
            (copy,) = work.files
            if copy.inside:
                yield Made(problem=_INSIDE)
                continue
            location = self._inputs.location_of(self._root, copy)
            try:
                with closing(open_regular(location.root, location.file, follow=location.follow)) as file:
                    with time_limit(SECONDS):
                        made = measure(file)
                    if not is_unchanged(file, copy.digest):  # what was measured would count as that of other bytes
                        made = Made(problem="it has changed during the build", retry=True)
            except OutOfTimeError:
                made = Made(problem=f"it took longer than {SECONDS:g} seconds", retry=True)
            except OSError:
                made = Made(problem="it cannot be read", retry=True)
            yield made

    def _transcripts(self, named: Sequence[_Named]) -> dict[str, Transcript]:
        """The transcripts in files of their own, by id of the post."""
        options = self._inputs.parse_options()
        works = {
            item.post.id: Work(
                "devlog.features.episodes.parse.transcripts:work",
                {"path": item.transcript.path, "file": item.transcript.file, "options": options},
                (item.transcript,),
                facts=_TranscriptFiles,
            )
            for item in named
            if item.transcript
        }
        found: dict[str, Transcript] = {}
        reported: set[str] = set()
        for post, derived in zip(works, self._stages.derive(tuple(works.values()), self._read), strict=True):
            if derived.problem:
                file = works[post].files[0].file
                self._wrong.append(problems.bad_transcript(Span(file), f"cannot be read: {derived.problem}"))
                continue
            found[post] = msgspec.msgpack.decode(derived.facts["transcript"], type=Transcript)
            text = found[post].text
            if text.file not in reported:
                reported.add(text.file)
                self._wrong += text.diagnostics
        return found

    def _chapters(self, named: Sequence[_Named]) -> dict[str, tuple[Chapter, ...]]:
        """The chapters in files of their own, by id of the post."""
        works = {
            item.post.id: Work(
                "devlog.features.episodes.parse.chapters:chapters_work", {}, (item.chapters,), facts=_ChaptersFile
            )
            for item in named
            if item.chapters
        }
        by_post = {item.post.id: item for item in named}
        found: dict[str, tuple[Chapter, ...]] = {}
        for post, derived in zip(works, self._stages.derive(tuple(works.values()), self._read), strict=True):
            item = by_post[post]
            if derived.problem:
                span = item.audio.span("chapters_file", item.post.parsed.file)
                self._wrong.append(problems.bad_chapters(span, item.audio.chapters_file, derived.problem))
            else:
                found[post] = msgspec.convert(derived.facts["chapters"], tuple[Chapter, ...])
        return found

    def _fitting(self, parts: Iterable[Chapter], item: _Named, seconds: float) -> Iterator[Chapter]:
        """The chapters with the URLs of their images. Those that start after the end of the audio are reported."""
        file = item.post.parsed.file
        for part in parts:
            span = part.span or item.audio.span("chapters_file", file)
            if seconds and part.start >= seconds:
                self._wrong.append(problems.late_chapter(span, part.title, clock(part.start), clock(seconds)))
            image = self._image(part.image, span, item.post) if part.image else ""
            yield msgspec.structs.replace(part, image=image, span=None)

    def _read(self, copy: Copy) -> bytes | Diagnostic:
        location = self._inputs.location_of(self._root, copy)
        data = read_bytes(location.root, location.file, limit=_READ)
        if isinstance(data, bytes) and digest_bytes(data) != copy.digest:
            return disk_problems.changed_while_building(copy.file)
        return data

    # -- images and people

    def _image(self, target: str, span: Span, post: Post) -> str:
        return self._picture(target, span, post.parsed, post.permalink)

    def _picture(self, target: str, span: Span, parsed: Parsed, permalink: str) -> str:
        """The URL of an image: of a file of the site, or as written if it is on another site."""
        if not target or target.startswith(("https://", "http://")):
            return target
        suggest = self._broken[parsed.file] < MOST_SUGGESTIONS
        link, files, wrong = self._index.find_named(Ref("image", target, span), parsed, permalink, suggest=suggest)
        if wrong:
            self._broken[parsed.file] += 1
            self._wrong.append(wrong)
        return link.url if files else ""

    def _people(self, people: Iterable[Person], audio: Audio, post: Post) -> tuple[PersonView, ...]:
        places = audio.span("people", post.parsed.file)
        return tuple(
            PersonView(
                person.name,
                person.role,
                person.group,
                person.url,
                self._image(person.image, person.image_span or places, post),
            )
            for person in people
        )

    def _pictures_of_shows(self) -> Iterator[tuple[tuple[str, str], str]]:
        """The images of shows and of their people. Properties that directories would reject are reported."""
        topics: Mapping[str, Topic] = {topic.path: topic for topic in self._site.topics}
        for path, podcast in shows_of(self._site).items():
            topic = topics[path]
            assert topic.index
            file = topic.index.file
            url = self._picture(podcast.image, podcast.span("image", file), topic.index, topic.permalink)
            yield (path, podcast.image), url
            for person in podcast.people:
                span = person.image_span or podcast.span("people", file)
                yield (path, person.image), self._picture(person.image, span, topic.index, topic.permalink)
            self._wrong += wrong_with_show(self._inputs.config, topic, podcast, url)
            self._wrong += self._wrong_size(podcast.image, podcast.span("image", file), topic)

    def _wrong_size(self, target: str, span: Span, topic: Topic) -> Iterator[Diagnostic]:
        if not target or target.startswith(("https://", "http://")) or topic.index is None:
            return
        ref = Ref("image", target, span)
        _, files, _ = self._index.find_named(ref, topic.index, topic.permalink, suggest=False)
        size = files[0].asset.size if files else None
        if size and not (size.width == size.height and 1400 <= size.width <= 3000):
            missing = f"its image has {size.width} by {size.height} pixels"
            yield problems.incomplete_podcast(span, missing, "make it square, of 1400 to 3000 pixels")


def _wrong_with_words(item: _Named, transcript: Transcript | None, seconds: float) -> Iterator[Diagnostic]:
    """Diagnostics of a post that is a transcript without words, and of a transcript that is longer than the audio."""
    audio, parsed = item.audio, item.post.parsed
    if not transcript and audio.transcript != BODY:
        return
    span = audio.span("transcript", parsed.file)
    if transcript:
        last = max((int(name[2:]) for name in transcript.text.document.anchors if _SECOND.fullmatch(name)), default=0)
    else:  # only what is in the shape of its cues, since other edits of a body do not derive again
        spoken = parsed.document.of(Cues)
        last = spoken.last
        if not spoken.cues:
            yield problems.bad_transcript(span, "the post is the transcript, and contains no words")
    if 0 < seconds < last - 1:  # tolerates a second, for different ways of counting
        yield problems.late_transcript(span, clock(last), clock(seconds))


_SECOND = re.compile(r"t=[0-9]{1,9}")


def _copy(file: Published | None) -> Copy:
    assert file
    asset = file.asset
    return Copy(posixpath.normpath(asset.path), file.folder, asset.file, asset.digest, inside=asset.inside)
