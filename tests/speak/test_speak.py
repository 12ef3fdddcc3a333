"""`devlog speak` with a program that is only a script: times, files, front matter, and all that can go wrong."""

from __future__ import annotations

import io
import json
import os
import signal
import struct
import subprocess
import sys
import time
import wave
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sites import build_site, read_tree, write_site
from writers import png

from devlog.cli import main
from devlog.disk import problems, single_files
from devlog.features.episodes.speak import audio
from devlog.features.episodes.speak import run as module
from devlog.features.episodes.speak.audio import Spoken
from devlog.features.episodes.speak.run import Episode, Options, run
from devlog.features.episodes.speak.script import Passage
from devlog.features.episodes.speak.tags import is_cover
from devlog.features.episodes.speak.vtt import vtt
from devlog.model.diagnostic import Diagnostic

needs_alarm = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timers")
RATE = 1000
PROGRAM = f"""
import sys, wave
text = open(sys.argv[1]).read() if len(sys.argv) > 2 else sys.stdin.read()
assert text.endswith("\\n") and text.count("\\n") == 1
if "please fail" in text: sys.exit("no voice for this")
if "write nothing" in text: sys.exit()
if "no sound" in text: open(sys.argv[2], "w").write("RIFF"); sys.exit()
if "sleep" in text: import time; time.sleep(600)
target = sys.argv[2] if len(sys.argv) > 2 else sys.stdout.buffer
with wave.open(target, "wb") as out:
    out.setnchannels(2 if "stereo" in text else 1)
    out.setsampwidth(2)
    out.setframerate({RATE})
    out.writeframes(b"\\1\\2" * 100 * len(text.split()))
"""
"""Speaks a word in a tenth of a second."""

ENCODER = "import sys; open(sys.argv[2], 'wb').write(b'MP3' + open(sys.argv[1], 'rb').read()[:40])"
POST = "engine/2026-05-04-warm-starts.md"
TEXT = "---\ntitle: Warm starts\n---\n\nThree short words.\n\n## Why\n\nBecause.\n"


def site(folder: Path, text: str = TEXT, more: str = "", command: list[str] | None = None, post: str = POST) -> Path:
    """A site with one post, and a program that speaks."""
    speaker = write_site(folder, {"tools/speak.py": PROGRAM}) / "tools/speak.py"
    asked = command or [sys.executable, str(speaker), "{input}", "{output}"]
    return write_site(
        folder,
        {
            "devlog.toml": f'title = "Lumen"\n[speak]\ncommand = {json.dumps(asked)}\n{more}',
            f"content/{post}": text,
            "content/engine/_index.md": "---\ntitle: Engine\ndescription: Of it.\n---\n",
        },
    )


def spoken(root: Path, post: str = POST, *, force: bool = False) -> Episode:
    return run(Options(root, root / "content" / post, force=force))


def only(episode: Episode) -> Diagnostic:
    (problem,) = episode.diagnostics
    return problem


@pytest.mark.slow
def test_a_post_becomes_an_episode(tmp_path: Path) -> None:
    root = site(tmp_path, more='voice = "Ada Quill"')
    episode = spoken(root)
    assert not episode.diagnostics
    assert (root / "content/engine/2026-05-04-warm-starts.vtt").read_text() == (
        "WEBVTT\n\n"
        "00:00:00.000 --> 00:00:00.200\n<v Ada Quill>Warm starts.\n\n"
        "00:00:01.100 --> 00:00:01.400\n<v Ada Quill>Three short words.\n\n"
        "00:00:02.300 --> 00:00:02.400\n<v Ada Quill>Why.\n\n"
        "00:00:03.300 --> 00:00:03.400\n<v Ada Quill>Because.\n"
    )
    with wave.open(str(root / "content/engine/2026-05-04-warm-starts.wav")) as heard:
        assert heard.getparams()[:4] == (1, 2, RATE, 3400)
        frames = heard.readframes(3400)
    starts = [0, 1100, 2300, 3300]
    assert [frames[2 * start : 2 * start + 2] for start in starts] == [b"\1\2"] * 4
    assert [frames[2 * start - 2 : 2 * start] for start in starts[1:]] == [b"\0\0"] * 3
    assert episode.seconds == 3.4
    assert (root / "content" / POST).read_text() == (
        "---\ntitle: Warm starts\naudio:\n  file: 2026-05-04-warm-starts.wav\n"
        "  transcript: 2026-05-04-warm-starts.vtt\n  chapters: 2026-05-04-warm-starts.chapters.json\n"
        "---\n\nThree short words.\n\n## Why\n\nBecause.\n"
    )


@needs_alarm
@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.usefixtures("without_collection")
def test_a_text_that_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apart: bool) -> None:
    monkeypatch.setattr("devlog.engine.executors.SECONDS", 0.05)
    long = f"{TEXT}\n{'*a* [b](c) ' * 50_000}\n"
    root = site(tmp_path, TEXT if apart else long)
    (root / "spoken.md").write_text(long)
    before = read_tree(root)
    script = root / "spoken.md" if apart else None
    problem = only(run(Options(root, root / "content" / POST, script)))
    assert (problem.code, problem.span.path) == ("too-slow", "spoken.md" if apart else f"content/{POST}")
    assert read_tree(root) == before


@pytest.mark.slow
def test_silence_that_the_program_adds_is_in_neither_file(tmp_path: Path) -> None:
    padded = PROGRAM.replace("writeframes(", "writeframes(bytes(1000) + ").replace(
        "split()))", "split()) + bytes(3000))"
    )
    root = site(tmp_path)
    write_site(root, {"tools/speak.py": padded})
    assert spoken(root).seconds == 3.4 + 4 * 2 * 0.05
    assert (root / "content/engine/2026-05-04-warm-starts.vtt").read_text().splitlines()[2::3] == [
        "00:00:00.000 --> 00:00:00.300",
        "00:00:01.200 --> 00:00:01.600",
        "00:00:02.500 --> 00:00:02.700",
        "00:00:03.600 --> 00:00:03.800",
    ]


@pytest.mark.slow
def test_what_was_made_is_an_episode_of_the_site(tmp_path: Path) -> None:
    root = site(tmp_path)
    spoken(root)
    report = build_site(root)
    assert not report.diagnostics
    page = (root / "public/engine/2026-05-04-warm-starts/index.html").read_text()
    assert "<audio" in page
    assert "2026-05-04-warm-starts.wav" in page
    assert 'id="t0"' in page


def test_names_with_signs_of_links_are_written_as_links(tmp_path: Path) -> None:
    name = "2026-05-04-c#? 5%20 100%"
    post = f"engine/{name}.md"
    root = site(tmp_path, post=post)
    assert not spoken(root, post).diagnostics
    assert (root / f"content/engine/{name}.wav").exists()
    assert '  file: "2026-05-04-c%23%3F 5%2520 100%25.wav"\n' in (root / f"content/{post}").read_text()
    assert not build_site(root).diagnostics
    assert '"startTime"' in next(root.glob("public/engine/*/chapters.json")).read_text()
    assert "Three short" in next(root.glob("public/engine/*/transcript.txt")).read_text()
    assert not spoken(root, post, force=True).diagnostics
    assert only(spoken(root, post)).code == "already-spoken"


def test_an_encoder_makes_the_file_that_is_kept(tmp_path: Path) -> None:
    encode = [sys.executable, "-c", ENCODER, "{input}", "{output}"]
    root = site(tmp_path, "---\ntitle: Warm\n---\nWords.\n", more=f"encode = {json.dumps(encode)}\nformat = 'ogg'")
    assert [item.file for item in spoken(root).written] == [
        "content/engine/2026-05-04-warm-starts.ogg",
        "content/engine/2026-05-04-warm-starts.vtt",
    ]
    kept = (root / "content/engine/2026-05-04-warm-starts.ogg").read_bytes()
    assert kept.startswith(b"MP3RIFF")
    assert not list(root.rglob("*.wav"))


@pytest.mark.slow
def test_from_standard_input_to_standard_output(tmp_path: Path) -> None:
    speaker = tmp_path / "tools/speak.py"
    root = site(tmp_path, command=[sys.executable, str(speaker)])
    episode = spoken(root)
    assert not episode.diagnostics
    assert episode.seconds == 3.4


@pytest.mark.slow
def test_a_program_of_the_site_is_named_by_its_folder(tmp_path: Path) -> None:
    root = site(tmp_path, command=[sys.executable, "{root}/tools/speak.py", "{input}", "{output}"])
    assert spoken(root).seconds == 3.4


def test_a_streamed_file_does_not_know_how_long_it_is(tmp_path: Path) -> None:
    """Programs that write to a pipe put a length into the head that means nothing."""
    made = io.BytesIO()
    with wave.open(made, "wb") as out:
        out.setparams((1, 2, RATE, 0, "NONE", ""))
        out.writeframes(bytes(200))
    data = made.getvalue()
    data = data[:4] + b"\xff\xff\xff\x7f" + data[8:40] + b"\xd8\xff\xff\x7f" + data[44:] + b"\1"  # and half a sample
    program = f"import sys; sys.stdout.buffer.write({data!r})"
    root = site(tmp_path, text="---\ntitle: T\n---\n", command=[sys.executable, "-c", program])
    assert spoken(root).seconds == 0.1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            b"\xef\xbb\xbf---\r\n  title: T\r\n---\r\nWords.\r\n",
            (
                b"\xef\xbb\xbf---\r\n  title: T\r\n"
                b"  audio:\r\n    file: a.wav\r\n    transcript: a.vtt\r\n---\r\nWords.\r\n"
            ),
        ),
        (
            b'+++\ntitle = "T"\n[params]\nx = 1\n+++\nWords.\n',
            b'+++\ntitle = "T"\n[params]\nx = 1\n\n[audio]\nfile = "a.wav"\ntranscript = "a.vtt"\n+++\nWords.\n',
        ),
        (
            b'{\n  "title": "T"\n}\nWords.\n',
            b'{"audio": {"file": "a.wav", "transcript": "a.vtt"},\n  "title": "T"\n}\nWords.\n',
        ),
        (b"# T\n\nWords.\n", b"---\naudio:\n  file: a.wav\n  transcript: a.vtt\n---\n\n# T\n\nWords.\n"),
        (b"---\n---\nWords.\n", b"---\naudio:\n  file: a.wav\n  transcript: a.vtt\n---\nWords.\n"),
    ],
)
def test_every_other_byte_of_the_post_stays(tmp_path: Path, before: bytes, after: bytes) -> None:
    root = site(tmp_path, post="engine/a.md")
    (root / "content/engine/a.md").write_bytes(before)
    episode = spoken(root, "engine/a.md")
    assert not episode.diagnostics
    assert episode.changed == "content/engine/a.md"
    assert (root / "content/engine/a.md").read_bytes() == after


def test_where_nothing_can_be_put_in_the_writer_is_told(tmp_path: Path) -> None:
    text = "---\n{title: T}\n---\nWords.\n"
    root = site(tmp_path, text, post="engine/a.md")
    episode = spoken(root, "engine/a.md")
    assert only(episode).code == "not-noted"
    assert only(episode).hint == "add: audio: {file: a.wav, transcript: a.vtt}"
    assert not episode.failed
    assert len(episode.written) == 2
    assert (root / "content/engine/a.md").read_text() == text


@pytest.mark.slow
def test_names_that_need_quotes(tmp_path: Path) -> None:
    root = site(tmp_path, post="engine/räume #1.md")
    assert not spoken(root, "engine/räume #1.md").diagnostics
    assert '  file: "räume %231.wav"\n' in (root / "content/engine/räume #1.md").read_text()


@pytest.mark.slow
def test_a_bundle_keeps_its_sound_inside(tmp_path: Path) -> None:
    root = site(tmp_path, post="engine/warm/index.md")
    assert [item.file for item in spoken(root, "engine/warm/index.md").written] == [
        "content/engine/warm/warm.wav",
        "content/engine/warm/warm.vtt",
        "content/engine/warm/warm.chapters.json",
    ]


@pytest.mark.slow
def test_nothing_is_written_over_unless_that_is_asked_for(tmp_path: Path) -> None:
    root = site(tmp_path)
    (root / "content/engine/2026-05-04-warm-starts.vtt").write_text("mine")
    before = read_tree(root / "content")
    problem = only(spoken(root))
    assert (problem.code, problem.span.path) == ("already-spoken", "content/engine/2026-05-04-warm-starts.vtt")
    assert "--force" in problem.hint
    assert read_tree(root / "content") == before

    assert not spoken(root, force=True).diagnostics
    after = read_tree(root / "content")
    assert after["engine/2026-05-04-warm-starts.vtt"].startswith(b"WEBVTT")

    (root / "content" / POST).write_bytes(after[POST].replace(b"Three short", b"Two"))
    again = only(spoken(root))
    assert (again.code, again.span.line) == ("already-spoken", 4)
    episode = spoken(root, force=True)
    assert not episode.diagnostics
    assert episode.seconds == 3.3
    assert not episode.changed


def test_the_audio_that_somebody_else_made_stays(tmp_path: Path) -> None:
    text = "---\ntitle: T\naudio: {file: studio.mp3}\n---\nWords.\n"
    root = site(tmp_path, text)
    problem = only(spoken(root, force=True))
    assert problem.code == "already-spoken"
    assert "--force" not in problem.hint
    assert not list((root / "content").rglob("*.wav"))


@pytest.mark.slow
def test_the_second_of_three_files_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written before it is taken back, or made again what it was."""
    root = site(tmp_path)
    (root / "content/engine/2026-05-04-warm-starts.wav").write_bytes(b"old")
    before = read_tree(root / "content")

    def refused(folder: Path, file: str, data: bytes) -> Diagnostic | None:
        return (
            problems.cannot_write(file, "no space")
            if file.endswith(".vtt")
            else single_files.create(folder, file, data)
        )

    monkeypatch.setattr(module, "create", refused)
    assert only(spoken(root, force=True)).code == "cannot-write"
    assert read_tree(root / "content") == before


@pytest.mark.slow
def test_a_post_that_changes_meanwhile_is_left_alone(tmp_path: Path) -> None:
    program = PROGRAM + f"\nopen({str(tmp_path / 'content' / POST)!r}, 'a').write('More.')\n"
    root = site(tmp_path, command=[sys.executable, "-c", program, "{input}", "{output}"])
    assert only(spoken(root)).code == "changed-while-building"
    assert sorted(read_tree(root / "content")) == ["engine/2026-05-04-warm-starts.md", "engine/_index.md"]
    assert "audio" not in (root / "content" / POST).read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("Now please fail.", "says: no voice for this"),
        ("Now write nothing.", "wrote no audio"),
        ("Now no sound.", "is not valid WAV"),
        ("Now in stereo.", "it was spoken in another sample format than what comes before it"),
    ],
)
def test_a_program_that_fails(tmp_path: Path, words: str, reason: str) -> None:
    root = site(tmp_path, f"---\ntitle: T\n---\nGood words.\n\n{words}\n\nMore.\n")
    before = read_tree(root / "content")
    problem = only(spoken(root))
    assert (problem.code, problem.span.path) == ("not-spoken", f"content/{POST}")
    assert f"“{words}”" in problem.message
    assert reason in problem.message
    assert str(tmp_path) not in problem.message.replace(sys.executable, "")
    assert read_tree(root / "content") == before


@pytest.mark.slow
def test_a_program_that_never_ends_does_not_keep_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audio, "SECONDS", 1.0)
    root = site(tmp_path, "---\ntitle: Sleep\n---\nsleep\n\nsleep\n\nsleep\n\nsleep\n")
    assert "takes longer than 1 seconds" in only(spoken(root)).message
    assert not list((root / "content").rglob("*.wav"))


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def runs(pid: int) -> bool:
    """Whether a process runs: one that was killed stays known until whoever inherited it has noticed."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # it has gone this moment, or the system has no such files
        return not Path("/proc").exists()


@pytest.mark.slow
def test_an_interruption_ends_what_speaks_and_leaves_nothing(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    program = f"import os, time; open({str(noted)!r}, 'w').write(str(os.getpid()) + '.'); time.sleep(600)"
    root = site(tmp_path, command=[sys.executable, "-c", program])
    before = read_tree(root / "content")
    with subprocess.Popen(
        [sys.executable, "-m", "devlog", "speak", str(root / "content" / POST), "--root", str(root)],
        env={**os.environ, "PYTHONPATH": str(Path(module.__file__).parents[2]), "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
    ) as speaking:
        while not (noted.exists() and noted.read_text().endswith(".")):
            assert speaking.poll() is None
            time.sleep(0.02)
        speaking.send_signal(signal.SIGINT)
        assert speaking.wait(60) == 130
    ended = time.monotonic() + 60
    while runs(int(noted.read_text()[:-1])):
        assert time.monotonic() < ended
        time.sleep(0.02)
    assert read_tree(root / "content") == before
    assert not list(tmp_path.glob("devlog-speak-*"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoder", "reason"),
    [
        ("import sys; sys.exit('bad rate')", "says: bad rate"),
        ("pass", "wrote no audio"),
        ("import sys; open(sys.argv[2], 'w')", "wrote no audio"),
        ("import os, sys; os.symlink('/etc/hostname', sys.argv[2])", "wrote no audio"),
    ],
)
def test_an_encoder_that_fails(tmp_path: Path, encoder: str, reason: str) -> None:
    root = site(tmp_path, more=f"encode = {json.dumps([sys.executable, '-c', encoder, '{input}', '{output}'])}")
    problem = only(spoken(root))
    assert problem.message.startswith("could not speak this post: ")
    assert reason in problem.message
    assert sorted(read_tree(root / "content")) == ["engine/2026-05-04-warm-starts.md", "engine/_index.md"]


def wav(**other: int) -> bytes:
    """A WAV file of 20 samples, with another number in some fields of its header."""
    fields = {"riff": 2**20, "format": 1, "channels": 1, "rate": RATE, "bits": 16, "listed": 4, "data": 40} | other
    form = struct.pack("<HHLLHH", *(fields[key] for key in ("format", "channels", "rate")), 0, 0, fields["bits"])
    parts = ((b"fmt ", len(form), form), (b"LIST", fields["listed"], b"abcd"), (b"data", fields["data"], bytes(40)))
    body = b"".join(name + struct.pack("<L", size) + data for name, size, data in parts)
    return b"RIFF" + struct.pack("<L", fields["riff"]) + b"WAVE" + body


@pytest.mark.slow
@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"bits": 64}, "has a sample format that no WAV file can have"),
        ({"channels": 65535, "data": 2**20}, "has a sample format that no WAV file can have"),
        ({"rate": 2**32 - 1}, "has a sample format that no WAV file can have"),
        ({"riff": 44, "listed": 2**31}, "is not valid WAV: it ends too early"),
    ],
)
def test_audio_with_an_impossible_header(tmp_path: Path, header: dict[str, int], reason: str) -> None:
    program = f"import sys; open(sys.argv[1], 'wb').write({wav(**header)!r})"
    assert reason in only(spoken(site(tmp_path, command=[sys.executable, "-c", program, "{output}"]))).message


@pytest.mark.slow
def test_audio_longer_than_a_file_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audio, "_LONGEST", 1500)
    problem = only(spoken(site(tmp_path)))
    assert "“Three short words.”: with it, the audio is longer than a WAV file can be" in problem.message


@pytest.mark.parametrize(
    "program",
    [
        "os.remove('stderr')",
        "os.remove('stderr'); os.mkdir('stderr')",
        "os.remove('stderr'); os.mkfifo('stderr')",
    ],
)
def test_a_program_that_takes_its_complaints_away(tmp_path: Path, program: str) -> None:
    words = f"import os, sys; print('no voice', file=sys.stderr, flush=True); {program}; sys.exit(1)"
    assert "says: no voice" in only(spoken(site(tmp_path, command=[sys.executable, "-c", words]))).message


@pytest.mark.slow
def test_a_program_that_makes_folders_of_others(tmp_path: Path) -> None:
    speaker = f"import os; os.makedirs('../encoded', exist_ok=True)\n{PROGRAM}"
    encoder = f"encode = {json.dumps([sys.executable, '-c', ENCODER, '{input}', '{output}'])}"
    root = site(tmp_path, more=encoder, command=[sys.executable, "-c", speaker, "{input}", "{output}"])
    assert not spoken(root).diagnostics


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    problem = only(spoken(site(tmp_path, command=["no-such-voice"])))
    assert "“no-such-voice” cannot be started: No such file" in problem.message


def test_without_a_program(tmp_path: Path) -> None:
    root = site(tmp_path)
    (root / "devlog.toml").write_text("[speak]\nvoice = 'Ada'\n")
    problem = only(spoken(root))
    assert (problem.code, problem.span.path, problem.span.line) == ("cannot-speak", "devlog.toml", 1)
    assert "espeak-ng" in problem.hint


def test_what_is_no_text_of_the_site(tmp_path: Path) -> None:
    root = site(tmp_path / "site")
    outside = write_site(tmp_path, {"outside.md": "Words."}) / "outside.md"
    problem = only(run(Options(root, outside)))
    assert (problem.code, problem.span.path) == ("not-a-text", "outside.md")
    assert only(run(Options(root, root / "devlog.toml"))).code == "not-a-text"
    assert only(spoken(root, "engine/_index.md")).code == "not-a-text"  # a topic is no episode


def test_a_text_without_words(tmp_path: Path) -> None:
    assert only(spoken(site(tmp_path, "---\ntags: [a]\n---\n\n***\n"))).code == "nothing-to-speak"


def test_a_text_with_an_error_is_not_spoken(tmp_path: Path) -> None:
    problem = only(spoken(site(tmp_path, "---\ntitle: [\n---\nWords.\n")))
    assert problem.severity == "error"
    assert problem.span.path == f"content/{POST}"
    assert problem.line_text


@pytest.mark.slow
def test_another_text_is_said_in_place_of_the_posts(tmp_path: Path) -> None:
    root = site(tmp_path / "site")
    other = write_site(tmp_path, {"said.md": "# Good morning\n\nTwo *words*.\n"}) / "said.md"
    episode = run(Options(root, root / "content" / POST, other))
    assert [passage.text for passage in episode.passages] == ["Good morning.", "Two words."]  # not the post's title
    assert episode.changed == f"content/{POST}"
    empty = write_site(tmp_path, {"empty.md": "***"}) / "empty.md"
    assert only(run(Options(root, root / "content" / POST, empty, force=True))).code == "nothing-to-speak"
    wrong = write_site(tmp_path, {"wrong.md": b"\xff"}) / "wrong.md"
    assert only(run(Options(root, root / "content" / POST, wrong, force=True))).code == "not-utf8"


def chapters(root: Path, name: str = "2026-05-04-warm-starts") -> list[tuple[float, str]]:
    found = json.loads((root / f"content/engine/{name}.chapters.json").read_text("utf-8"))
    return [(chapter["startTime"], chapter["title"]) for chapter in found["chapters"]]


@pytest.mark.slow
def test_headings_are_chapters(tmp_path: Path) -> None:
    root = site(tmp_path, f"{TEXT}\n### Because of *what*\n\nOf `a_b` & more.\n\n## And #12\n\nThen.\n")
    assert not spoken(root).diagnostics
    assert chapters(root) == [(0, "Warm starts"), (2.3, "Why"), (6.9, "And #12")]
    assert not build_site(root).diagnostics
    page = (root / "public/engine/2026-05-04-warm-starts/index.html").read_text("utf-8")
    assert "And #12" in page
    assert (root / "public/engine/2026-05-04-warm-starts/chapters.json").exists()

    post = root / "content" / POST
    post.write_text(post.read_text("utf-8").replace("short words", "words"), "utf-8")
    assert not spoken(root, force=True).diagnostics
    assert chapters(root)[1:] == [(2.2, "Why"), (6.8, "And #12")]
    post.write_text(post.read_text("utf-8").partition("## Why")[0], "utf-8")
    assert not spoken(root, force=True).diagnostics
    assert chapters(root) == [(0, "Warm starts")]  # the front matter still names the file


@pytest.mark.slow
@pytest.mark.parametrize("head", ["---\ntitle: T\n---\n", '+++\ntitle = "T"\n+++\n'], ids=["YAML", "TOML"])
def test_headings_that_were_added_since_are_chapters(tmp_path: Path, head: str) -> None:
    root = site(tmp_path, f"{head}Words.\n")
    assert not spoken(root).diagnostics
    post = root / "content" / POST
    before = post.read_text("utf-8")
    assert "chapters" not in before
    post.write_text(f"{before}\n## Why\n\nBecause.\n", "utf-8")
    episode = spoken(root, force=True)
    assert not episode.diagnostics
    assert [title for _, title in chapters(root)] == ["T", "Why"]
    lines = post.read_text("utf-8").splitlines()
    assert [line.strip().partition(" ")[0].rstrip(":") for line in lines if "warm-starts." in line] == [
        "chapters",
        "file",
        "transcript",
    ]
    assert not spoken(root, force=True).changed


@pytest.mark.slow
def test_headings_that_were_added_since_to_a_post_with_other_front_matter(tmp_path: Path) -> None:
    root = site(tmp_path, "---\ntitle: T\naudio: {file: 2026-05-04-warm-starts.wav}\n---\nWords.\n\n## Why\n\nAll.\n")
    episode = spoken(root, force=True)
    assert [item.code for item in episode.diagnostics] == ["not-noted"]
    assert "chapters" in episode.diagnostics[0].hint


@pytest.mark.slow
def test_a_title_is_no_chapter_if_nothing_is_said_of_it(tmp_path: Path) -> None:
    root = site(tmp_path, "---\ntitle: T\n---\n### One\n\nWords.\n\n### Two\n\nWords.\n")
    spoken(root)
    assert chapters(root) == [(0, "One"), (3, "Two")]


@pytest.mark.slow
def test_headings_of_the_level_of_the_title_are_chapters(tmp_path: Path) -> None:
    root = site(tmp_path, "---\ntitle: T\n---\n# One\n\nWords.\n\n## Part\n\nWords.\n\n# Two\n\nWords.\n")
    spoken(root)
    assert [title for _, title in chapters(root)] == ["One", "Two"]


SHOW = """---
title: Engine
description: Of it.
podcast: {title: Lumen Radio, author: Team Lumen, image: /art/show.png}
---
"""
DUMP = "import json, sys; open(sys.argv[1], 'w').write(json.dumps([*sys.argv[2:], open(sys.argv[2]).read()]))"
PLACEHOLDERS = ["{metadata}", "{title}", "{author}", "{show}", "{date}", "{year}", "{cover}", "{root}"]


def dumped(root: Path) -> list[str]:
    """The arguments that an encoder gets instead of placeholders, and at last the content of the first."""
    file = (root / "content" / POST).with_suffix(".mp3")
    found: list[str] = json.loads(file.read_text("utf-8"))
    file.unlink()
    return found


@pytest.mark.slow
def test_an_encoder_is_told_what_the_episode_is_called(tmp_path: Path) -> None:
    encode = json.dumps([sys.executable, "-c", DUMP, "{output}", *PLACEHOLDERS])
    text = "---\ntitle: 'A; b = {root}'\nauthor: [Ada Quill, '@bo']\n---\nOne.\n\n## Why #1\n\nTwo.\n"
    root = site(tmp_path / "site", text, f"encode = {encode}\n[authors.bo]\nname = 'Bo Reed'")
    write_site(
        root,
        {"content/engine/_index.md": SHOW, "static/art/show.png": png(9, 9)},
    )
    spoken(root)
    _, title, author, show, date, year, cover, own, metadata = dumped(root)
    assert (title, author, show) == ("A; b = {root}", "Ada Quill, Bo Reed", "Lumen Radio")
    assert (date, year, cover, own) == ("2026-05-04", "2026", str(root / "static/art/show.png"), str(root))
    assert metadata == (
        ";FFMETADATA1\ntitle=A\\; b \\= {root}\nartist=Ada Quill, Bo Reed\nalbum=Lumen Radio\ndate=2026-05-04\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=2300\ntitle=A\\; b \\= {root}\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=2300\nEND=3600\ntitle=Why \\#1\n"
    )


@pytest.mark.parametrize(
    ("image", "cover"),
    [("own.png", "content/engine/own.png"), ("../../../secret.png", ""), ("/../../secret.png", ""), ("link.png", "")],
)
def test_a_cover_is_a_file_of_the_site(tmp_path: Path, image: str, cover: str) -> None:
    encode = json.dumps([sys.executable, "-c", DUMP, "{output}", *PLACEHOLDERS])
    root = site(tmp_path / "site", f"---\ntitle: T\nimage: {image}\n---\nWords.\n", f"encode = {encode}")
    write_site(root, {"content/engine/own.png": png(9, 9), "../secret.png": png(9, 9)})
    (root / "content/engine/link.png").symlink_to(tmp_path / "secret.png")
    episode = spoken(root)
    if cover:
        assert dumped(root)[1:] == ["T", "Lumen", "Engine", "2026-05-04", "2026", str(root / cover), str(root), ANY]
    else:
        problem = only(episode)
        assert (problem.code, problem.span.path, problem.span.line) == ("speak-lacks", "devlog.toml", 4)
        assert "{cover}" in problem.message


def test_a_post_of_too_many_passages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PASSAGES", 3)
    root = site(tmp_path / "few", "---\ntitle: T\n---\n- one\n- two\n")
    assert spoken(root).written
    root = site(tmp_path / "many", "---\ntitle: T\n---\n- one\n- two\n- three\n")
    problem = only(spoken(root))
    assert (problem.code, problem.message) == (
        "not-spoken",
        "could not speak this post: it has 4 passages (limit: 3)",
    )


PLAYLIST = b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1.0,\n/srv/private.mp4\n#EXT-X-ENDLIST\n"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("c.png", PLAYLIST),
        ("c.png", b"ffconcat version 1.0\nfile 'draft.mp4'\n"),
        ("c.png", b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
        ("c.jpg", b"\xff\xd8\xff\nc=IN IP4 127.0.0.1\n"),
        ("c.m3u8", png(9, 9)),
        ("c.png", b""),
    ],
)
def test_a_cover_is_an_image(tmp_path: Path, name: str, data: bytes) -> None:
    encode = json.dumps([sys.executable, "-c", DUMP, "{output}", *PLACEHOLDERS])
    root = site(tmp_path / "site", f"---\ntitle: T\nimage: {name}\n---\nWords.\n", f"encode = {encode}")
    write_site(root, {f"content/engine/{name}": data})
    problem = only(spoken(root))
    assert (problem.code, problem.span.path, problem.span.line) == ("speak-lacks", "devlog.toml", 4)
    assert problem.message.endswith(f"“content/engine/{name}” is not a JPEG, PNG, WebP or GIF image")
    assert not list(root.rglob("*.mp3"))


def test_images_of_each_format_are_covers() -> None:
    pil = pytest.importorskip("PIL.Image")
    for suffix in ("png", "jpg", "gif", "webp"):
        held = io.BytesIO()
        pil.new("RGB", (9, 9)).save(held, {"jpg": "jpeg"}.get(suffix, suffix))
        assert is_cover(f"a/c.{suffix.upper()}", held.getvalue())


@pytest.mark.slow
def test_a_greeting_with_a_date_needs_one(tmp_path: Path) -> None:
    more = 'greeting = "Good morning, it is {date}."\nfarewell = "That was {show}."\n'
    root = site(tmp_path, more=more, post="engine/undated.md")
    assert only(spoken(root, "engine/undated.md")).message == (
        "“greeting” has “{date}”, but “content/engine/undated.md” has no date"
    )
    root = site(tmp_path, more=more)
    spoken(root)
    transcript = (root / "content/engine/2026-05-04-warm-starts.vtt").read_text("utf-8").splitlines()
    assert transcript[3] == "Good morning, it is May 4th, 2026."
    assert transcript[-1] == "That was Engine."
    assert chapters(root)[0] == (0, "Warm starts")


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    root = site(tmp_path)
    path = str(root / "content" / POST)
    shown = CliRunner().invoke(main, ["speak", path, "--root", str(root), "--dry-run"])
    assert shown.output == "Warm starts.\n\nThree short words.\n\nWhy.\n\nBecause.\n"
    assert not list((root / "content").rglob("*.wav"))
    done = CliRunner().invoke(main, ["speak", path, "--root", str(root)])
    assert done.exit_code == 0
    assert done.output.splitlines()[:4] == [
        "content/engine/2026-05-04-warm-starts.wav: 0:03, 7 kB",
        "content/engine/2026-05-04-warm-starts.vtt: 4 passages",
        "content/engine/2026-05-04-warm-starts.chapters.json: the chapters",
        "content/engine/2026-05-04-warm-starts.md: its front matter names all",
    ]
    again = CliRunner().invoke(main, ["speak", path, "--root", str(root)])
    assert again.exit_code == 1
    assert "already-spoken" in again.output


def test_a_dry_run_cannot_steer_a_terminal(tmp_path: Path) -> None:
    root = site(tmp_path, "---\ntitle: T\n---\nA\u202eb.\n")
    shown = CliRunner().invoke(main, ["speak", str(root / "content" / POST), "--root", str(root), "--dry-run"])
    assert "A\\u202eb." in shown.output


@pytest.mark.slow
@given(st.text(max_size=40), st.text(max_size=10))
def test_a_transcript_has_as_many_cues_as_passages(text: str, voice: str) -> None:
    line = " ".join(f"x{text}".split())
    written = vtt([Spoken(Passage(line), 0.0, 1.5), Spoken(Passage(line), 3723.25, 3724.0)], voice)
    assert written.count(" --> ") == 2
    assert "\n01:02:03.250 --> 01:02:04.000\n" in written
    assert written.count("\n\n") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="asks the system for processes")
@pytest.mark.parametrize("known", [True, False])
def test_an_interruption_while_programs_are_started_leaves_none(
    known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may come before the pool knows the thread that it is starting."""
    noted = tmp_path / "pid"

    class Interrupted(ThreadPoolExecutor):
        def submit(self, *arguments: Any, **named: Any) -> Any:
            super().submit(*arguments, **named)
            while not (noted.exists() and noted.read_text().endswith(".")):
                time.sleep(0.02)
            if not known:
                self._threads.clear()
            raise KeyboardInterrupt

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", Interrupted)
    program = f"import os, time; open({str(noted)!r}, 'w').write(str(os.getpid()) + '.'); time.sleep(5)"
    program += f"; open({str(tmp_path / 'done')!r}, 'w')"
    with pytest.raises(KeyboardInterrupt):
        spoken(site(tmp_path / "site", command=[sys.executable, "-c", program]))
    assert not runs(int(noted.read_text()[:-1]))
    assert not (tmp_path / "done").exists()
