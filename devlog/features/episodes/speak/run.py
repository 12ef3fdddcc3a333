"""Runs `devlog speak`: reads a post, has it spoken, joins and encodes the audio, and writes the files."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from devlog.config import Config, Speak
from devlog.config_file.spans import key_span
from devlog.disk.folder import is_there
from devlog.disk.included import read_with_included
from devlog.disk.read import TEXT_LIMIT, read_bytes, read_text
from devlog.disk.scratch import scratch_folder
from devlog.disk.single_files import create, remove, replace
from devlog.disk.stat_cache import StatCache
from devlog.disk.text import decode
from devlog.features.episodes import problems
from devlog.features.episodes.model.episode import Chapter, audio_of
from devlog.features.episodes.render.transcripts import write_chapters
from devlog.features.episodes.speak import front_matter_edit
from devlog.features.episodes.speak.audio import NotSpokenError, SpokenAudio, encoded, speak
from devlog.features.episodes.speak.chapters import chapters_of
from devlog.features.episodes.speak.script import Passage, script
from devlog.features.episodes.speak.tags import Tags, ffmetadata, is_cover, spoken_date, tags_of
from devlog.features.episodes.speak.vtt import vtt
from devlog.inputs import Inputs, judge, read_inputs
from devlog.model.check_facts import Block
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Body, Parsed
from devlog.model.secrets import shortened
from devlog.model.source import Source
from devlog.programs import mentions

_T = TypeVar("_T")

COVER, METADATA = "{cover}", "{metadata}"
"""Placeholders of files: an image, and tags and chapters for ffmpeg."""

MOST_PASSAGES = 5000
"""Each passage is a process and a file. A book has fewer, but a post of list items and headings could have 200,000."""


class Options(msgspec.Struct, frozen=True):
    """Options of the command line.

    Attributes:
        root: the site's folder.
        post: the file of the post, relative to the current folder.
        script: a file with the text to speak instead of the post's own, likewise.
        force: overwrite existing files.
        dry_run: only show what would be spoken.
    """

    root: Path
    post: Path
    script: Path | None = None
    force: bool = False
    dry_run: bool = False


class Written(msgspec.Struct, frozen=True):
    """A file that was written, relative to the site's folder, and its size."""

    file: str
    bytes: int


class Episode(msgspec.Struct, frozen=True):
    """The result of the command.

    Attributes:
        passages: what was spoken, or would be.
        seconds: the duration of the audio; 0 if nothing was spoken.
        written: the audio, the transcript, and the chapters if there are any; empty if nothing was written.
        changed: the file whose front matter was changed; empty if none was.
        diagnostics: the problems; if one of them is an error, nothing was written.
    """

    passages: tuple[Passage, ...] = ()
    seconds: float = 0.0
    written: tuple[Written, ...] = ()
    changed: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is an error."""
        return any(item.severity == "error" for item in self.diagnostics)


class _Post(NamedTuple):
    """A post that was read and parsed."""

    file: str
    path: str
    data: bytes
    parsed: Parsed
    body: Body
    block: Block | None


class _Refused(Exception):  # noqa: N818 - it ends the command with a message, and is not a bug
    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__()
        self.diagnostics = diagnostics


def run(options: Options) -> Episode:
    """Turn a post into an episode: write its audio and transcript beside it, and name both in its front matter.

    Args:
        options: the post, and how to speak it.

    Returns:
        The result. If anything fails, nothing is written.
    """
    inputs = read_inputs(options.root, "", StatCache()).with_included(options.root)
    try:
        episode = _run(options, inputs)
    except _Refused as refused:
        episode = Episode(diagnostics=refused.diagnostics)
    judged = judge(list(episode.diagnostics), inputs.config, strict=False)
    return msgspec.structs.replace(episode, diagnostics=inputs.with_lines(options.root, judged))


def _run(options: Options, inputs: Inputs) -> Episode:
    root, config = options.root, inputs.config
    if wrong := [item for item in inputs.diagnostics if item.severity == "error" and _is_config(item, inputs)]:
        raise _Refused(*wrong)
    post = _read(root, options.post, inputs)
    tags = tags_of(root, post.parsed, inputs)
    _check_placeholders(root, post, tags, inputs)
    passages = _passages(options.script, post, tags, inputs)
    if not passages:
        raise _Refused(problems.nothing_to_speak(Span(str(options.script or post.file), 1)))
    if len(passages) > MOST_PASSAGES:
        reason = f"it has {len(passages):,} passages (limit: {MOST_PASSAGES:,})"
        raise _Refused(problems.not_spoken(Span(str(options.script or post.file)), "", reason))
    if options.dry_run:
        return Episode(passages)
    if inputs.converted([post.file]):
        raise _Refused(problems.not_editable(post.file))
    if not config.speak.command:
        raise _Refused(problems.cannot_speak(_config_span(root, inputs, "speak")))
    names = _names(post, passages, config)
    _check(root, post, names, force=options.force)
    with scratch_folder("speak") as folder:
        try:
            sound, chapters = _spoken(root, passages, tags, config.speak, folder)
        except NotSpokenError as error:
            raise _Refused(problems.not_spoken(Span(post.file), shortened(error.text, 60), error.reason)) from None
        return _keep(root, inputs, post, names, sound, chapters)


def _spoken(
    root: Path, passages: tuple[Passage, ...], tags: Tags, speaking: Speak, folder: Path
) -> tuple[SpokenAudio, tuple[Chapter, ...]]:
    """The audio, encoded if an encoder is configured, and its chapters."""
    names = {"{root}": str(root.resolve())}
    sound = speak(passages, speaking, folder, names)
    chapters = chapters_of(tags.title, sound.passages)
    if not speaking.encode:
        return sound, chapters
    metadata = folder / "metadata.txt"
    metadata.write_text(ffmetadata(tags, chapters, sound.seconds), "utf-8", newline="\n")
    names |= tags.values(tags.date.isoformat() if tags.date else "")
    names |= {METADATA: str(metadata), COVER: str(tags.cover.resolve() if tags.cover else "")}
    return encoded(sound, speaking, folder, names), chapters


def _check_placeholders(root: Path, post: _Post, tags: Tags, inputs: Inputs) -> None:
    """Check that the post has what the configuration says of it, before anything is spoken."""
    speaking = inputs.config.speak
    texts = {"greeting": (speaking.greeting,), "farewell": (speaking.farewell,), "encode": speaking.encode}
    lacking = {"{date}": not tags.date, "{year}": not tags.date, COVER: not tags.cover}
    wrong = [
        problems.post_lacks(_config_span(root, inputs, "speak", key), key, placeholder, post.file)
        for key, parts in texts.items()
        for placeholder, lacks in lacking.items()
        if lacks and mentions(parts, placeholder)
    ]
    if wrong:
        raise _Refused(*wrong)
    if tags.cover and mentions(speaking.encode, COVER):
        file = tags.cover.relative_to(root).as_posix()
        if not is_cover(file, _given(read_bytes(root, file))):
            raise _Refused(problems.unfit_cover(_config_span(root, inputs, "speak", "encode"), "encode", file))


def _is_config(problem: Diagnostic, inputs: Inputs) -> bool:
    return problem.span.path == inputs.config_file


def _config_span(root: Path, inputs: Inputs, *keys: str) -> Span:
    file = inputs.config_file
    text = read_text(root, file) if is_there(root / file) else ""
    return key_span(text, file, *keys) if isinstance(text, str) else Span(file)


def _read(root: Path, path: Path, inputs: Inputs) -> _Post:
    """Read the post with a path, which must be one of the site."""
    name = os.path.relpath(path.resolve(), root.resolve()).replace(os.sep, "/")
    source = next((item for item in inputs.content.sources if item.file == name), None)
    if source is None or posixpath.basename(source.path).rpartition(".")[0] == "_index":
        judged = name if not name.startswith("..") else path.name
        raise _Refused(problems.not_a_text(judged, inputs.config.content))
    data = _given(read_bytes(root, source.file, limit=TEXT_LIMIT))
    text = _given(decode(data, source.file))
    written = Source(source.path, source.file, text)
    whole = _given(next(read_with_included(root, inputs.included_checkout(root), [source], {source: written})))
    parsed, body, facts = _given(inputs.parse(whole))
    if wrong := [item for item in parsed.diagnostics if item.severity == "error"]:
        raise _Refused(*wrong)
    return _Post(source.file, source.path, data, parsed, body, facts.block)


def _passages(path: Path | None, post: _Post, tags: Tags, inputs: Inputs) -> tuple[Passage, ...]:
    """The passages to speak: of the post, or of the text in another file, with its title."""
    parsed, body = post.parsed, post.body
    if path is not None:
        folder, name = path.resolve().parent, path.name
        text = _given(decode(_given(read_bytes(folder, name, limit=TEXT_LIMIT)), name))
        parsed, body, _ = _given(inputs.parse(Source("script.md", name, text)))
    title = parsed.front_matter.title or parsed.document.title
    values = tags.values(spoken_date(tags, inputs))
    return script(title, body, inputs.config.language, inputs.config.speak, values)


def _given(value: _T | Diagnostic) -> _T:
    if isinstance(value, Diagnostic):
        raise _Refused(value)
    return value


class _Names(NamedTuple):
    """The paths of an episode's files, relative to the site's folder; that of the chapters is empty without any."""

    audio: str
    transcript: str
    chapters: str

    def by_key(self) -> dict[str, str]:
        """The name of each file, as front matter has it, by its key there."""
        keys = {"file": self.audio, "transcript": self.transcript, "chapters": self.chapters}
        return {key: _as_link(file) for key, file in keys.items() if file}


def _names(post: _Post, passages: tuple[Passage, ...], config: Config) -> _Names:
    folder = post.file.rpartition("/")[0]
    place = f"{folder}/{post.parsed.name}" if folder else post.parsed.name
    chapters = f"{place}.chapters.json"
    audio = audio_of(post.parsed)
    has_chapters = any(one.level > 1 for one in passages)
    if audio and (audio.chapters_file or audio.chapters):
        has_chapters = audio.chapters_file in (_base(chapters), _as_link(chapters))
    suffix = config.speak.format if config.speak.encode else "wav"
    return _Names(f"{place}.{suffix}", f"{place}.vtt", chapters if has_chapters else "")


def _check(root: Path, post: _Post, names: _Names, *, force: bool) -> None:
    """Check that the files can be written, before anything is spoken."""
    audio = audio_of(post.parsed)
    if audio:
        existing = audio.file or audio.url
        span = audio.span("file" if audio.file else "url", post.file)
        ours = audio.file in (_base(names.audio), _as_link(names.audio))
        if not (ours and force):
            raise _Refused(problems.already_spoken(span, existing, ours=ours))
    if not force:
        taken = [file for file in names if file and is_there(root / file)]
        if taken:
            raise _Refused(*(problems.already_spoken(Span(file), _base(file), ours=True) for file in taken))


def _base(file: str) -> str:
    return file.rpartition("/")[2]


_IN_LINKS = str.maketrans({"%": "%25", "#": "%23", "?": "%3F"})


def _as_link(file: str) -> str:
    """The name of a file as a link to it, without signs that begin something else in links."""
    return _base(file).translate(_IN_LINKS)


def _keep(
    root: Path, inputs: Inputs, post: _Post, names: _Names, sound: SpokenAudio, chapters: tuple[Chapter, ...]
) -> Episode:
    """Write all results, or nothing."""
    text = _noted(inputs, post, names)
    title = post.parsed.front_matter.title or post.parsed.document.title
    files = {
        names.audio: sound.file.read_bytes(),
        names.transcript: vtt(sound.passages, inputs.config.speak.voice).encode(),
    }
    if names.chapters:
        files[names.chapters] = write_chapters(title, chapters or (Chapter(0.0, title),))
    written = tuple(Written(file, len(data)) for file, data in files.items())
    if text is not None and text != post.data:
        files[post.file] = text
    _write(root, files, {post.file: post.data})
    by_hand = front_matter_edit.by_hand(names.by_key())
    judged = () if text is not None else (problems.not_noted(Span(post.file, 1), by_hand),)
    passages = tuple(spoken.passage for spoken in sound.passages)
    return Episode(passages, sound.seconds, written, post.file if post.file in files else "", judged)


def _noted(inputs: Inputs, post: _Post, names: _Names) -> bytes | None:
    """The post with its audio in the front matter; `None` if that cannot be added reliably."""
    known_audio = audio_of(post.parsed)
    if known_audio and (known_audio.chapters_file or not names.chapters):
        return post.data
    before = post.data.decode("utf-8", "surrogateescape")
    if known_audio:  # headings were added since
        line, chapters = known_audio.span("file", post.file).line, names.by_key()["chapters"]
        after = front_matter_edit.extended(before, line, "chapters", chapters)
    else:
        after = front_matter_edit.noted(before, post.block, names.by_key())
    if after is None:
        return None
    data = after.encode("utf-8", "surrogateescape")
    text = decode(data, post.file)
    if isinstance(text, Diagnostic):
        return None
    result = inputs.parse(Source(post.path, post.file, text))
    if isinstance(result, Diagnostic):
        return None
    parsed = result[0]
    audio, known = audio_of(parsed), {item.code for item in post.parsed.diagnostics}
    is_new = any(item.code not in known for item in parsed.diagnostics)
    if audio is None or is_new or (audio.file, audio.transcript, audio.chapters_file) != tuple(map(_as_link, names)):
        return None
    same = (parsed.front_matter.title, parsed.document.body) == (
        post.parsed.front_matter.title,
        post.parsed.document.body,
    )
    return data if same else None


def _write(root: Path, files: dict[str, bytes], read: dict[str, bytes]) -> None:
    """Write files. If one cannot be written, those before it are restored.

    Args:
        root: the site's folder.
        files: the new content of each file.
        read: the content that some of them must still have.
    """
    undo: list[Callable[[], object]] = []
    for file, data in files.items():
        old = read.get(file) if file in read else _held(root, file)
        problem = create(root, file, data) if old is None else replace(root, file, old, data)
        if problem:
            for step in reversed(undo):
                step()
            raise _Refused(problem)
        undo.append(_undoing(root, file, old, data))


def _undoing(root: Path, file: str, old: bytes | None, data: bytes) -> Callable[[], object]:
    if old is None:
        return lambda: remove(root, file, data)
    return lambda: replace(root, file, data, old)


def _held(root: Path, file: str) -> bytes | None:
    """The content of a file that is going to be overwritten; `None` if it does not exist."""
    return _given(read_bytes(root, file)) if is_there(root / file) else None
