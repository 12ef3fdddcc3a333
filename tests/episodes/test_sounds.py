"""How long sounds take is measured, and no file whatever ends a build."""

from __future__ import annotations

import io
import random
import struct
from pathlib import Path

import pytest
from radio import FIRST, build, post, read, sound, told

from devlog.features.episodes.derive import duration
from devlog.features.episodes.derive.duration import measure


def test_a_sound_is_measured() -> None:
    assert measure(io.BytesIO(sound(2.5))).facts == {"seconds": 2.5}


GARBAGE = random.Random(7).randbytes(50_000)
_HUGE = 0xFFFFFFF0
HOSTILE = {
    "nothing": b"",
    "one byte": b"R",
    "garbage": GARBAGE,
    "text": b"No sound at all.\n" * 100,
    "truncated": sound(2)[:30],
    "no data": sound(2)[:44],
    "a chunk of four gigabytes": b"RIFF" + struct.pack("<I", _HUGE) + b"WAVELIST" + struct.pack("<I", _HUGE) + GARBAGE,
    "no rate": b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0" + bytes(12) + b"data\xff\xff\xff\xff",
    "ID3 of 256 MB": b"ID3\x04\0\0\x7f\x7f\x7f\x7f" + GARBAGE,
    "ID3 frames without end": b"ID3\x03\0\0\x7f\x7f\x7f\x7f" + (b"APIC" + struct.pack(">I", _HUGE) + b"\0\0") * 500,
    "MP3 frames": b"\xff\xfb\x90\x00" * 5000,
    "an atom of 2 GB": b"\0\0\0\x18ftypM4A " + bytes(12) + b"\x7f\xff\xff\xffmoov" + GARBAGE,
    "atoms of no length": b"\0\0\0\x18ftypM4A " + bytes(12) + bytes(4) + b"moov" + (bytes(4) + b"trak") * 2000,
    "atoms in atoms": b"\0\0\0\x18ftypM4A " + bytes(12) + b"\0\1\0\0moov" * 2000,
    "Ogg pages": b"OggS\0\2" + b"\xff" * 20 + b"\xff" + b"\xff" * 255 + GARBAGE,
    "Ogg without an end": (b"OggS" + bytes(22) + b"\0") * 2000,
    "FLAC": b"fLaC\x00\xff\xff\xff" + GARBAGE,
    "FLAC of no rate": b"fLaC\x80\0\0\x22" + bytes(34),
    "ASF": b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c" + b"\xff" * 5000,
    "AIFF": b"FORM\xff\xff\xff\xffAIFFCOMM\0\0\0\x12" + b"\x7f" * 18 + GARBAGE,
}


def test_raw_aac_has_no_duration() -> None:
    frame = bytes.fromhex("fff15080 1f1ffc") + bytes(249)  # of 1,024 samples at 44.1 kHz, in two channels
    made = measure(io.BytesIO(frame * 500))
    assert (made.facts, made.problem) == ({}, "it does not say so")


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_whatever_is_in_a_file_is_a_number_or_a_reason(data: bytes) -> None:
    made = measure(io.BytesIO(data))
    seconds = made.facts.get("seconds")
    assert made.problem if seconds is None else 0 < seconds <= 7 * 24 * 3600
    assert not made.blobs


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), MemoryError()])
def test_a_file_that_cannot_be_read_is_read_again(error: Exception) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise error

    made = measure(Broken(sound(0.5)))
    assert (made.problem, made.retry) == ("it cannot be read", True)


@pytest.mark.parametrize("seed", range(40))
def test_damaged_sounds(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(sound(0.5))
    for _ in range(chance.randrange(1, 12)):
        data[chance.randrange(60)] = chance.randrange(256)
    made = measure(io.BytesIO(bytes(data)))
    assert bool(made.problem) != bool(made.facts)


def test_only_so_much_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        """Zeros and more zeros, which nobody may ask for all at once."""

        def __init__(self) -> None:
            self.place = self.given = 0

        def read(self, size: int = -1) -> bytes:
            assert 0 <= size <= 1 << 20
            self.given += size
            self.place += size
            return bytes(size)

        def seek(self, offset: int, whence: int = 0) -> int:
            self.place = (0, self.place, 1 << 50)[whence] + offset
            return self.place

        def tell(self) -> int:
            return self.place

    monkeypatch.setattr(duration, "MOST", 1 << 22)
    monkeypatch.setattr(duration, "MOST_AT_ONCE", 1 << 20)
    endless = Endless()
    head = io.BytesIO(b"ID3\x04\0\0\x7f\x7f\x7f\x7f")

    class Beginning(Endless):
        def read(self, size: int = -1) -> bytes:
            return head.read(size) if self.place == 0 and size <= 10 else super().read(size)

    endless = Beginning()
    assert measure(endless).problem  # type: ignore[arg-type]
    assert endless.given <= 1 << 22


@pytest.mark.slow
def test_a_file_that_keeps_its_reader_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(_file: object) -> None:
        while True:
            pass

    monkeypatch.setattr("devlog.features.episodes.derive.duration.measure", busy)
    monkeypatch.setattr("devlog.features.episodes.derive.files.SECONDS", 0.1)
    report = build(tmp_path)
    assert told(report) == [("unmeasured", FIRST, 5, 9)]
    assert "it took longer than 0.1 seconds" in report.diagnostics[0].message
    monkeypatch.undo()
    assert told(build(tmp_path)) == []  # the next build tries again


def test_a_duration_that_is_another(tmp_path: Path) -> None:
    report = build(tmp_path, {FIRST: post("file: first.wav\nduration: 0:04")})
    assert told(report) == [("wrong-duration", FIRST, 6, 13)]
    assert report.diagnostics[0].message == "the duration is given as 0:04, but the audio is 0:02 long"
    assert "<itunes:duration>2</itunes:duration>" in read(tmp_path, "radio/podcast.xml")


def test_a_duration_that_is_nearly_the_same(tmp_path: Path) -> None:
    assert told(build(tmp_path, {FIRST: post("file: first.wav\nduration: 3")})) == []


def test_a_file_that_cannot_be_measured(tmp_path: Path) -> None:
    report = build(tmp_path, {"content/radio/first.wav": GARBAGE})
    assert told(report) == [("unmeasured", FIRST, 5, 9)]
    assert f'length="{len(GARBAGE)}"' in read(tmp_path, "radio/podcast.xml")
    assert "itunes:duration" not in read(tmp_path, "radio/podcast.xml")


def test_a_duration_helps_where_nothing_is_measured(tmp_path: Path) -> None:
    assert (
        told(build(tmp_path, {"content/radio/first.wav": GARBAGE, FIRST: post("file: first.wav\nduration: 1:00")}))
        == []
    )
    assert "<itunes:duration>60</itunes:duration>" in read(tmp_path, "radio/podcast.xml")


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlog.features.episodes.derive.files.version", lambda _name: "")
    again = {"content/radio/2026-05-11-second.md": post("file: second.wav"), "content/radio/second.wav": sound(1)}
    report = build(tmp_path, again)
    assert [(item.code, item.severity) for item in report.diagnostics] == [("no-tinytag", "info")]
    assert "pip install tinytag" in report.diagnostics[0].hint
    assert "itunes:duration" not in read(tmp_path, "radio/podcast.xml")


def test_a_sound_is_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path)

    def fail(_file: object) -> None:
        raise AssertionError

    monkeypatch.setattr("devlog.features.episodes.derive.duration.measure", fail)
    assert told(build(tmp_path, {FIRST: post("file: first.wav", "Another text.\n")})) == []
    assert "<itunes:duration>2</itunes:duration>" in read(tmp_path, "radio/podcast.xml")
