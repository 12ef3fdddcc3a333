"""What the blocks ``audio`` and ``podcast`` say, and what is wrong with them at its line and column."""

from __future__ import annotations

import pytest

from devlog.features.episodes.model.episode import Audio, AudioFrontMatter, Chapter, Person, clock, iso_duration
from devlog.features.episodes.parse.front_matter import MAX_LIST, seconds_of
from devlog.model.document import FrontMatter
from devlog.model.source import Source
from devlog.parse.front_matter.block import read_front_matter

Told = list[tuple[str, int, int, str]]


def parse(text: str) -> tuple[FrontMatter, Told]:
    front, _, _, found, _ = read_front_matter(Source("a.md", "content/a.md", text))
    return front, [(item.code, item.span.line, item.span.column, item.message) for item in found]


def sound(text: str) -> tuple[AudioFrontMatter, Told]:
    front, told = parse(text)
    return front.of(AudioFrontMatter), told


def audio(text: str) -> tuple[Audio | None, Told]:
    lines = "".join(f"  {line}\n" for line in text.strip("\n").split("\n"))
    read, told = sound(f"---\ntitle: A\naudio:\n{lines}---\n")
    return read.audio, told


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("PT2M29S", 149), ("pt2m29s", 149), ("PT1H", 3600), ("PT0.5S", 0.5), ("P1DT1S", 86401), ("PT90M", 5400),
        ("2:29", 149), ("1:02:03", 3723), ("0:00:01.25", 1.25), ("90:00", 5400), ("00:01:12,5", 72.5),
        ("149", 149), ("149.5", 149.5), ("0", 0), (" 7 ", 7),
        ("", None), ("P", None), ("PT", None), ("PTS", None), ("2:60", None), ("1:60:00", None), ("-1", None),
        ("1e3", None), ("two minutes", None), ("2m29s", None), ("1:2:3:4", None), ("P8D", None), ("9999999", None),
        ("٣:٠٠", None),
    ],
)  # fmt: skip
def test_durations(written: str, seconds: float | None) -> None:
    assert seconds_of(written) == seconds


def test_urls_are_encoded() -> None:
    read, told = audio(
        """
        url: https://lumen.example/ä b.mp3
        image: HTTPS://lumen.example/ä.png
        people: [{name: Ada, url: "https://lümen.example/", image: "https://lumen.example/<a>.png"}]
        chapters: [{start: 0:01, title: One, url: "https://lumen.example/%zz", image: "https://lumen.example/ö.png"}]
        """.replace("\n        ", "\n")
    )
    assert read
    assert told == []
    assert read.url == "https://lumen.example/%C3%A4%20b.mp3"
    assert read.image == "https://lumen.example/%C3%A4.png"
    assert [(person.url, person.image) for person in read.people] == [
        ("https://xn--lmen-0ra.example/", "https://lumen.example/%3Ca%3E.png")
    ]
    assert [(chapter.url, chapter.image) for chapter in read.chapters] == [
        ("https://lumen.example/%25zz", "https://lumen.example/%C3%B6.png")
    ]


@pytest.mark.parametrize("written", ["- 0:01 Part", "{0}: Part"])
def test_all_forms_of_chapters_have_a_limited_number(written: str) -> None:
    def chapters(number: int) -> tuple[Audio | None, Told]:
        lines = [f"  {written.replace('{0}', f'00:{at // 60:02}:{at % 60:02}')}" for at in range(number)]
        return audio("\n".join(["file: a.mp3", "chapters:", *lines]))

    read, told = chapters(MAX_LIST)
    assert read
    assert (len(read.chapters), told) == (MAX_LIST, [])
    read, told = chapters(MAX_LIST + 1)
    assert read
    assert len(read.chapters) == MAX_LIST
    assert [item[3] for item in told] == ["“audio.chapters” must be a list of at most 500; this value is ignored"]


@pytest.mark.parametrize("seconds", [0, 1, 59, 60, 149, 3599, 3600, 3723, 86399])
def test_durations_and_back(seconds: int) -> None:
    assert seconds_of(clock(seconds)) == seconds
    assert seconds_of(iso_duration(seconds)) == seconds


def test_everything_in_yaml() -> None:
    read, told = audio(
        """\
file: talks/first.mp3
duration: "1:02:03"
season: 2
episode: 3
episode-type: Trailer
explicit: no
image: first.png
people:
  - Ada Quill
  - {name: Bo Reed, role: Guest, group: Cast, url: "https://lumen.example/bo", img: bo.png}
chapters:
  - 1:12: Kernels
  - 0:00 Start
  - [0:30] – Middle
  - {start: PT2M, title: End, url: "https://lumen.example/", image: end.png, end: 130, toc: no}
transcript: Body""".replace("  - [0:30] – Middle\n", '  - "[0:30] – Middle"\n')
    )
    assert told == []
    assert read
    assert (read.file, read.duration, read.season, read.episode) == ("talks/first.mp3", 3723, 2, 3)
    assert (read.episode_type, read.explicit, read.image, read.transcript) == ("trailer", False, "first.png", "body")
    ada, bo = read.people
    assert ada == Person("Ada Quill")
    assert (bo.name, bo.role, bo.group, bo.url, bo.image) == (
        "Bo Reed", "guest", "cast", "https://lumen.example/bo", "bo.png",
    )  # fmt: skip
    assert [(part.start, part.title) for part in read.chapters] == [
        (0, "Start"), (30, "Middle"), (72, "Kernels"), (120, "End"),
    ]  # fmt: skip
    last = read.chapters[-1]
    assert (last.url, last.image, last.end, last.toc) == ("https://lumen.example/", "end.png", 130, False)
    assert read.span("season", "").line == 6
    assert (read.span("length", "").line, read.span("length", "").column) == (3, 1)


def test_the_same_in_toml_and_json() -> None:
    toml = """\
+++
title = "A"
[audio]
file = "first.mp3"
duration = 149
[[audio.people]]
name = "Bo Reed"
role = "host"
[[audio.chapters]]
start = 72.5
title = "Kernels"
+++
"""
    read, told = sound(toml)
    assert told == []
    assert read.audio
    assert (read.audio.file, read.audio.duration, read.audio.people[0].role) == ("first.mp3", 149, "host")
    assert [(part.start, part.title) for part in read.audio.chapters] == [(72.5, "Kernels")]
    text = (
        '{"title": "A", "audio": {"file": "first.mp3", "duration": 149, "chapters": [{"start": 72.5, "title": "K"}]}}\n'
    )
    again, told = sound(text)
    assert told == []
    assert again.audio
    assert (again.audio.duration, again.audio.chapters[0].start) == (149, 72.5)


def test_chapters_as_a_table_or_a_file() -> None:
    read, _ = audio("file: a.mp3\nchapters: {0:00: Start, 1:12: Kernels}")
    assert read
    assert [(part.start, part.title) for part in read.chapters] == [(0, "Start"), (72, "Kernels")]
    read, _ = audio("file: a.mp3\nchapters: a.json")
    assert read
    assert (read.chapters, read.chapters_file) == ((), "a.json")


@pytest.mark.parametrize("written", ["talk.mp3", "/sounds/talk.ogg", "../talk.M4A"])
def test_the_name_of_a_file_alone(written: str) -> None:
    read, told = sound(f"---\ntitle: A\naudio: {written}\n---\n")
    assert read.audio
    assert (read.audio.file, told) == (written, [])


def test_an_address() -> None:
    for key in ("file", "url"):
        read, told = audio(f"{key}: https://cdn.lumen.example/a.mp3\nlength: 5")
        assert read
        assert (read.url, read.file, read.length, told) == ("https://cdn.lumen.example/a.mp3", "", 5, [])
    read, told = audio("url: /sounds/a.mp3")
    assert read
    assert (read.file, read.url, told) == ("/sounds/a.mp3", "", [])


@pytest.mark.parametrize(
    "text", ["audio: true", "audio: [a.mp3]", "audio:", "audio: A text.", "podcast: 3", "podcast: []"]
)
def test_what_others_mean_by_it(text: str) -> None:
    """Hugo lists what is shown of a page elsewhere under that name, for instance."""
    read, told = parse(f"---\ntitle: A\n{text}\n---\n")
    assert (read.of(AudioFrontMatter), told) == (AudioFrontMatter(), [])
    assert text.partition(":")[0] in read.params


def test_what_is_understood_is_no_parameter() -> None:
    read, _ = parse("---\ntitle: A\naudio: a.mp3\npodcast: {category: Arts}\nother: 1\n---\n")
    assert read.params == '{"other":1}'


@pytest.mark.parametrize(
    ("line", "code", "column", "message"),
    [
        ("duration: long", "bad-value", 13, "“audio.duration” must be a duration such as 2:29, PT2M29S or 149"),
        ("duration: 0", "bad-value", 13, "“audio.duration” must be a duration"),
        ("season: one", "bad-value", 11, "“audio.season” must be a whole number above 0"),
        ("episode: 0", "bad-value", 12, "“audio.episode” must be a whole number above 0"),
        ("episode_type: special", "bad-value", 17, "“audio.episode_type” must be full, trailer or bonus"),
        ("type: mp3", "bad-value", 9, "“audio.type” must be a media type such as audio/mpeg"),
        ("explicit: maybe", "bad-value", 13, "“audio.explicit” must be true or false"),
        ("explicit: [1]", "bad-value", 13, "“audio.explicit” must be true or false"),
        ("people: [{role: guest}]", "bad-value", 12, "“audio.people” must be names, or tables with a “name”"),
        ('people: [{name: A, url: "javascript:x"}]', "bad-value", 28, "“audio.people.url” must be a URL"),
        ("chapters: [Start]", "bad-value", 14, "“audio.chapters” must be a list such as “1:12: Kernels”"),
        ('chapters: [{start: 1, title: A, url: "x"}]', "bad-value", 41, "“audio.chapters.url” must be a URL"),
        ("image: [a, b]", "bad-value", 10, "“audio.image” must be a string"),
        ("transcipt: a.vtt", "unknown-key", 3, "unknown key “audio.transcipt” in the front matter"),
        ("episodetype: full", "unknown-key", 3, "unknown key “audio.episodetype” in the front matter"),
        (
            "url: https://lumen.example/a.mp3",
            "two-sounds",
            8,
            "“audio” has both a file and a URL; using “a.mp3”",
        ),
        ("url: ftp://lumen.example/a.mp3", "bad-value", 8, "“audio.url” must be a URL that begins with https://"),
        ("url: https:///a.mp3", "bad-value", 8, "“audio.url” must be a URL that begins with https://"),
        (
            "url: https://lumen.example:99999/a.mp3",
            "bad-value",
            8,
            "“audio.url” must be a URL that begins with https://",
        ),
    ],
)
def test_what_is_wrong(line: str, code: str, column: int, message: str) -> None:
    read, told = audio(f"file: a.mp3\n{line}")
    assert read
    assert read.file == "a.mp3"
    ((got, row, place, said),) = told
    assert (got, row, place) == (code, 5, column)
    assert said.startswith(message)


@pytest.mark.parametrize(("written", "meant"), [("adio", "audio"), ("Auido", "audio"), ("podcsat", "podcast")])
def test_a_block_that_is_misspelt(written: str, meant: str) -> None:
    front, _, _, (found,), _ = read_front_matter(Source("a.md", "a.md", f"---\ntitle: A\n{written}:\n  x: 1\n---\n"))
    assert front.of(AudioFrontMatter) == AudioFrontMatter()
    assert (found.code, found.span.line, found.hint) == ("unknown-key", 3, f"did you mean “{meant}”?")


def test_an_episode_without_a_sound() -> None:
    read, told = audio("duration: 5")
    assert read is None
    assert [(code, line, column) for code, line, column, _ in told] == [("no-audio", 3, 1)]


def test_lists_are_bounded() -> None:
    names = ", ".join(f"P{number}" for number in range(600))
    read, told = audio(f"file: a.mp3\npeople: [{names}]")
    assert read
    assert len(read.people) == 500
    assert [item[0] for item in told] == ["bad-value"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("owner: Ada Quill", "“podcast.owner” must be “Name <name@example.org>”"),
        ("owner: {name: Ada}", "“podcast.owner” must be “Name <name@example.org>”"),
        ("guid: 1234", "“podcast.guid” must be a UUID"),
        ("type: daily", "“podcast.type” must be episodic or serial"),
        ("locked: perhaps", "“podcast.locked” must be true or false"),
        ("link: lumen", "“podcast.link” must be a URL"),
        ("funding: {title: x}", "“podcast.funding” must be a URL"),
        ("category: [[a]]", "“podcast.category” must be a name such as"),
        ("catgory: Arts", "unknown key “podcast.catgory” in the front matter"),
    ],
)
def test_what_is_wrong_with_a_show(line: str, message: str) -> None:
    read, told = sound(f"---\ntitle: A\npodcast:\n  author: Ada Quill\n  {line}\n---\n")
    assert read.podcast
    assert read.podcast.author == "Ada Quill"
    ((_, row, _, said),) = told
    assert row == 5
    assert said.startswith(message)


def test_the_owner_of_a_show() -> None:
    for written in ("Ada Quill <ada@lumen.example>", "{name: Ada Quill, email: ada@lumen.example}"):
        read, told = sound(f"---\ntitle: A\npodcast:\n  owner: {written}\n---\n")
        assert read.podcast
        assert (read.podcast.owner_name, read.podcast.owner_email, told) == ("Ada Quill", "ada@lumen.example", [])


def test_a_show_with_everything_as_by_default() -> None:
    read, told = sound("---\ntitle: A\npodcast: true\n---\n")
    assert read.podcast
    assert told == []
    assert Chapter(0, "A").toc


def test_a_chapter_with_a_wrong_url_stays() -> None:
    read, told = audio(
        'url: https://lumen.example/a.mp3\nchapters:\n  - {start: 0:01, title: One, url: "lumen.example/a"}'
    )
    assert read
    assert [(chapter.title, chapter.url) for chapter in read.chapters] == [("One", "")]
    ((_, line, column, message),) = told
    assert (line, column) == (6, 39)
    assert message.startswith("“audio.chapters.url” must be ")
