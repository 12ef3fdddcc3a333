"""Has a program speak passages, and joins the audio."""

from __future__ import annotations

import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from threading import Event

import msgspec

from devlog import programs
from devlog.config import Speak
from devlog.features.episodes.speak.normalize import normalized
from devlog.features.episodes.speak.samples import Form
from devlog.features.episodes.speak.script import Passage
from devlog.features.episodes.speak.silence import trimmed
from devlog.programs import Limits, Program

SECONDS = 300.0
"""The time limit of a program for one passage, or for encoding: some load a large model first."""
MAX_BYTES = 256 << 20
"""The maximum output of a program: about 50 minutes of mono audio in CD quality."""
PAUSE = 0.5
"""The silence between two passages, in seconds."""
PAUSE_AT_HEADING = 0.9
AT_ONCE = 2
"""The number of programs that run at once: even if each uses a whole processor, others have room."""

# Limits of the WAV format: bytes of a sample, bytes of a frame with all channels, bytes per second, and bytes in all.
_WIDEST, _LARGEST_FRAME, _FASTEST, _LONGEST = 4, 0xFFFF, 0xFFFF_FFFF, 0xFFFF_0000


class NotSpokenError(Exception):
    """A passage, or the whole text if `text` is empty, could not be spoken, for a reason."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(reason)
        self.text = text
        self.reason = reason


class Spoken(msgspec.Struct, frozen=True):
    """A passage with its start and end in seconds."""

    passage: Passage
    start: float
    end: float


class SpokenAudio(msgspec.Struct, frozen=True):
    """The spoken audio.

    Attributes:
        passages: the passages, in order.
        seconds: the total duration.
        file: the audio file.
        suffix: the extension of the file's name.
    """

    passages: tuple[Spoken, ...]
    seconds: float
    file: Path
    suffix: str


def speak(passages: Sequence[Passage], speaking: Speak, folder: Path, names: Mapping[str, str]) -> SpokenAudio:
    """Have passages spoken.

    Args:
        passages: the passages; at least one.
        speaking: the configuration of the programs.
        folder: an empty folder for temporary files.
        names: what the placeholders in the commands stand for, without ``{input}`` and ``{output}``.

    Returns:
        The audio, as a WAV file.

    Raises:
        NotSpokenError: a program fails, or its output is not audio.
    """
    places = [folder / f"{number}" for number in range(len(passages))]
    for place in places:
        place.mkdir()

    def say(passage: tuple[Passage, Path], stop: Event) -> Path:
        return _say(passage[0].text, speaking.command, passage[1], names, stop)

    files = programs.run_all(say, list(zip(passages, places, strict=True)), AT_ONCE)
    joined, loud = folder / "spoken.wav", folder / "loud.wav"
    spoken = _join(passages, files, joined)
    is_louder = bool(speaking.loudness) and normalized(joined, loud, speaking.loudness)
    return SpokenAudio(spoken, spoken[-1].end, loud if is_louder else joined, "wav")


def _say(text: str, command: Sequence[str], folder: Path, names: Mapping[str, str], stop: Event) -> Path:
    """Have one passage spoken; returns the WAV file."""
    given, output, printed = folder / "passage.txt", folder / "passage.wav", folder / "stdout"
    given.write_text(f"{text}\n", "utf-8", newline="\n")
    file = output if programs.mentions(command, "{output}") else printed
    source = None if programs.mentions(command, "{input}") else given
    own = {**names, "{input}": str(given), "{output}": str(output)}
    ended = programs.run(Program(command, own), folder, source, printed, _limits(), stop)
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
            frames = trimmed(frames, *form)
            count = len(frames) // (channels * width)
            if (done + count) * channels * width > _LONGEST:
                raise NotSpokenError(passage.text, "with it, the audio is longer than a WAV file can be")
            joined.writeframesraw(frames)
            spoken.append(Spoken(passage, done / rate, (done + count) / rate))
            done += count
    return tuple(spoken)


def _frames(text: str, file: Path) -> tuple[Form, bytes]:
    """The form and the actual samples of a WAV file. The header of a streamed file does not have their number."""
    try:
        with file.open("rb") as opened, wave.open(opened, "rb") as sound:
            form = Form(sound.getnchannels(), sound.getsampwidth(), sound.getframerate())
            frames = sound.readframes(MAX_BYTES)
    except (wave.Error, EOFError, OSError, ValueError, RuntimeError) as error:  # RuntimeError for a truncated chunk
        reason = str(error) or "it ends too early"
        raise NotSpokenError(text, f"its output is not valid WAV: {reason}") from None
    size = form.channels * form.width
    if form.width > _WIDEST or size > _LARGEST_FRAME or size * form.rate > _FASTEST:
        raise NotSpokenError(text, "its output has a sample format that no WAV file can have")
    frames = frames[: len(frames) // size * size]
    if not frames or not form.rate:
        raise NotSpokenError(text, "its output contains no audio")
    return form, frames


def _silence(width: int) -> bytes:
    """One sample of silence; 8-bit samples are unsigned."""
    return b"\x80" if width == 1 else bytes(width)


def encoded(sound: SpokenAudio, speaking: Speak, folder: Path, names: Mapping[str, str]) -> SpokenAudio:
    """The audio after encoding.

    Args:
        sound: a WAV file.
        speaking: the configuration of the programs, with an encoder.
        folder: a folder for temporary files.
        names: what the placeholders in its arguments stand for, without ``{input}`` and ``{output}``.

    Raises:
        NotSpokenError: the program fails, or writes nothing.
    """
    place = Path(mkdtemp(dir=folder))  # a folder that no program can have used before
    output = place / f"spoken.{speaking.format}"
    own = {**names, "{input}": str(sound.file), "{output}": str(output)}
    source = None if programs.mentions(speaking.encode, "{input}") else sound.file
    ended = programs.run(Program(speaking.encode, own), place, source, place / "stdout", _limits())
    if ended.problem:
        raise NotSpokenError("", ended.problem)
    try:
        size = programs.size_of(programs.written(output))
    except OSError:
        size = 0
    if not size:
        raise NotSpokenError("", f"“{speaking.encode[0]}” wrote no audio")
    return msgspec.structs.replace(sound, file=output, suffix=speaking.format)
