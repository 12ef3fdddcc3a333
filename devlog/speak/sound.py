"""Having passages spoken by a program, and joining what it has spoken."""

from __future__ import annotations

import wave
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from threading import Condition, Event

import msgspec

from devlog import programs
from devlog.config import Speak
from devlog.programs import Limits
from devlog.speak.script import Passage

SECONDS = 300.0
"""How long a program may take for one passage, or for encoding: some load a large model first."""
MAX_BYTES = 256 << 20
"""How much a program may write: an hour in the quality of a record."""
PAUSE = 0.5
"""The silence between two passages, in seconds."""
PAUSE_AT_HEADING = 0.9
AT_ONCE = 2
"""How many programs run at once: one that takes a whole processor for each passage leaves room for others."""

# What a WAV file can hold: bytes of a sample, of all channels together, in a second, and in all.
_WIDEST, _LARGEST_FRAME, _FASTEST, _LONGEST = 4, 0xFFFF, 0xFFFF_FFFF, 0xFFFF_0000
Form = tuple[int, int, int]
"""Channels, bytes of a sample, and samples in a second."""


class NotSpokenError(Exception):
    """Why there is no sound: of which passage, empty for the whole; and the reason."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(reason)
        self.text = text
        self.reason = reason


class Spoken(msgspec.Struct, frozen=True):
    """A passage, and from which second to which it is heard."""

    text: str
    start: float
    end: float


class Sound(msgspec.Struct, frozen=True):
    """What was spoken.

    Attributes:
        passages: in order.
        seconds: how long all of it takes.
        file: holds it, encoded if there is a program for that.
        suffix: of the file's name.
    """

    passages: tuple[Spoken, ...]
    seconds: float
    file: Path
    suffix: str


def speak(passages: Sequence[Passage], speaking: Speak, folder: Path, root: str) -> Sound:
    """Have passages spoken.

    Args:
        passages: what to say; at least one.
        speaking: by which programs.
        folder: an empty one to work in.
        root: what ``{root}`` stands for.

    Raises:
        NotSpokenError: a program fails, or what it writes is no sound.
    """
    places = [folder / f"{number}" for number in range(len(passages))]
    for place in places:
        place.mkdir()
    running = _Running()
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        try:
            said = [
                pool.submit(_say, passage.text, speaking.command, place, root, running)
                for passage, place in zip(passages, places, strict=True)
            ]
            files = [future.result() for future in said]
        except BaseException:  # also an interruption: nobody waits for what is spoken in vain
            running.stop.set()
            pool.shutdown(cancel_futures=True)
            running.wait()
            raise
    joined = folder / "spoken.wav"
    spoken = _join(passages, files, joined)
    sound = Sound(spoken, spoken[-1].end, joined, "wav")
    return _encoded(sound, speaking, folder, root) if speaking.encode else sound


class _Running:
    """The programs that run.

    The pool does not know a thread that was being started when the user interrupted, and does not wait for it. So the
    threads count themselves before they look whether they are to stop.

    Attributes:
        stop: once it is set, none is started, and those that run end.
    """

    def __init__(self) -> None:
        self.stop = Event()
        self._count = 0
        self._changed = Condition()

    @contextmanager
    def one(self) -> Iterator[None]:
        """While one runs."""
        with self._changed:
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()

    def wait(self) -> None:
        """Wait until none runs."""
        with self._changed:
            self._changed.wait_for(lambda: not self._count)


def _say(text: str, command: Sequence[str], folder: Path, root: str, running: _Running) -> Path:
    """Have one passage spoken; returns the WAV file."""
    with running.one():
        if running.stop.is_set():
            raise NotSpokenError(text, "it was interrupted")
        return _spoken(text, command, folder, root, running.stop)


def _spoken(text: str, command: Sequence[str], folder: Path, root: str, stop: Event) -> Path:
    given, output, printed = folder / "passage.txt", folder / "passage.wav", folder / "stdout"
    given.write_text(f"{text}\n", "utf-8", newline="\n")
    file = output if programs.mentions(command, "{output}") else printed
    source = None if programs.mentions(command, "{input}") else given
    names = {"{input}": str(given), "{output}": str(output), "{root}": root}
    ended = programs.run(command, names, folder, source, printed, _limits(), stop)
    if ended.problem:
        raise NotSpokenError(text, ended.problem)
    try:
        return programs.written(file)
    except OSError:
        raise NotSpokenError(text, f"“{command[0]}” wrote no audio") from None


def _limits() -> Limits:
    return Limits(SECONDS, MAX_BYTES, f"writes more than {MAX_BYTES >> 20} MB")


def _join(passages: Sequence[Passage], files: Sequence[Path], target: Path) -> tuple[Spoken, ...]:
    """Write passages one after the other into one file, with silence between them."""
    spoken: list[Spoken] = []
    form, _ = _frames(passages[0].text, files[0])
    channels, width, rate = form
    done = 0
    with target.open("wb") as opened, wave.open(opened, "wb") as joined:
        joined.setnchannels(channels)
        joined.setsampwidth(width)
        joined.setframerate(rate)
        for number, (passage, file) in enumerate(zip(passages, files, strict=True)):
            own, frames = _frames(passage.text, file)
            if own != form:
                raise NotSpokenError(passage.text, "it was spoken in another sample format than what comes before it")
            if number:
                near = passage.is_heading or passages[number - 1].is_heading
                silent = round((PAUSE_AT_HEADING if near else PAUSE) * rate)
                joined.writeframesraw(_silence(width) * (silent * channels))
                done += silent
            count = len(frames) // (channels * width)
            if (done + count) * channels * width > _LONGEST:
                raise NotSpokenError(passage.text, "with it, the audio is longer than a WAV file can be")
            joined.writeframesraw(frames)
            spoken.append(Spoken(passage.text, done / rate, (done + count) / rate))
            done += count
    return tuple(spoken)


def _frames(text: str, file: Path) -> tuple[Form, bytes]:
    """The form and the samples of a WAV file, as many as there really are: what was streamed does not know how many."""
    try:
        with file.open("rb") as opened, wave.open(opened, "rb") as sound:
            form = (sound.getnchannels(), sound.getsampwidth(), sound.getframerate())
            frames = sound.readframes(MAX_BYTES)
    except (wave.Error, EOFError, OSError, ValueError, RuntimeError) as error:  # the last for a part that is cut off
        reason = str(error) or "it ends too early"
        raise NotSpokenError(text, f"its output is not valid WAV: {reason}") from None
    size = form[0] * form[1]
    if form[1] > _WIDEST or size > _LARGEST_FRAME or size * form[2] > _FASTEST:
        raise NotSpokenError(text, "its output has a sample format that no WAV file can have")
    frames = frames[: len(frames) // size * size]
    if not frames or not form[2]:
        raise NotSpokenError(text, "its output contains no audio")
    return form, frames


def _silence(width: int) -> bytes:
    """One sample of silence: those of one byte have no sign."""
    return b"\x80" if width == 1 else bytes(width)


def _encoded(sound: Sound, speaking: Speak, folder: Path, root: str) -> Sound:
    """What was spoken, made smaller."""
    place = Path(mkdtemp(dir=folder))  # a name that no program has taken before
    output = place / f"spoken.{speaking.format}"
    names = {"{input}": str(sound.file), "{output}": str(output), "{root}": root}
    source = None if programs.mentions(speaking.encode, "{input}") else sound.file
    ended = programs.run(speaking.encode, names, place, source, place / "stdout", _limits())
    if ended.problem:
        raise NotSpokenError("", ended.problem)
    try:
        size = programs.size_of(programs.written(output))
    except OSError:
        size = 0
    if not size:
        raise NotSpokenError("", f"“{speaking.encode[0]}” wrote no audio")
    return msgspec.structs.replace(sound, file=output, suffix=speaking.format)
