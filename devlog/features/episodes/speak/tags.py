"""What an episode is called: what encoders write into audio files, and what a greeting says."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import msgspec

from devlog.disk.read import read_text
from devlog.features.episodes.model.episode import Chapter, audio_of, podcast_of
from devlog.inputs import Inputs
from devlog.model.catalog import catalog_of
from devlog.model.date_form import date_in_words
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.media import image_size, media_type
from devlog.model.metadata import can_strip
from devlog.model.names import named_file
from devlog.model.source import Source


class Tags(msgspec.Struct, frozen=True):
    """What an episode is called.

    Attributes:
        title: of the post.
        author: the names of its authors; else the author of the show, else the title of the site.
        show: the title of the show or topic, else of the site.
        date: of the post; `None` if it has none.
        cover: an image of the post or the show; `None` if neither has one in a file of the site.
    """

    title: str
    author: str
    show: str
    date: date | None = None
    cover: Path | None = None

    def values(self, date_text: str) -> dict[str, str]:
        """The values of placeholders, given that of the date."""
        year = str(self.date.year) if self.date else ""
        known = {"title": self.title, "author": self.author, "show": self.show, "date": date_text, "year": year}
        return {f"{{{name}}}": value for name, value in known.items()}


def tags_of(root: Path, post: Parsed, inputs: Inputs) -> Tags:
    """The tags of a post.

    Args:
        root: the site's folder.
        post: the post.
        inputs: the site.
    """
    title = post.front_matter.title or post.document.title
    show, topic = _show(root, post.path, inputs)
    podcast = podcast_of(show)
    audio = audio_of(post)
    cover = (
        _image(root, post, audio.image if audio else "", inputs)
        or _image(root, post, post.front_matter.image, inputs)
        or (_image(root, show, podcast.image, inputs) if show and podcast else None)
    )
    when = post.front_matter.date or post.name_date
    return Tags(
        title,
        ", ".join(_names(post, inputs)) or (podcast.author if podcast else "") or inputs.config.title,
        (podcast.title if podcast else "") or _title(show or topic) or inputs.config.title,
        when.value.date() if when else None,
        cover,
    )


def _names(post: Parsed, inputs: Inputs) -> list[str]:
    entries = inputs.author_entries
    return [
        one.name or (entries[one.handle].name if one.handle in entries else "") or f"@{one.handle}"
        for one in post.front_matter.authors
    ]


def _title(index: Parsed | None) -> str:
    return index.front_matter.title or index.document.title if index else ""


def _show(root: Path, path: str, inputs: Inputs) -> tuple[Parsed | None, Parsed | None]:
    """The nearest index source above a post that makes its topic a show, and the nearest of all."""
    sources = {item.path: item for item in inputs.content.sources}
    nearest: Parsed | None = None
    folder = path
    while folder:
        folder = posixpath.dirname(folder)
        source = sources.get(posixpath.join(folder, "_index.md"))
        text = read_text(root, source.file) if source else None
        if source and isinstance(text, str):
            result = inputs.parse(Source(source.path, source.file, text))
            if isinstance(result, Diagnostic):
                continue
            parsed = result[0]
            if podcast_of(parsed):
                return parsed, nearest or parsed
            nearest = nearest or parsed
    return None, nearest


def _image(root: Path, source: Parsed, name: str, inputs: Inputs) -> Path | None:
    """An image that a source names: a file of the site, which no name leads out of."""
    for tree in (inputs.content, inputs.static):
        files = {asset.path: asset.file for asset in tree.assets}
        if name and (found := named_file(source.path, name, files)):
            return root / files[found]
    return None


def is_cover(name: str, data: bytes) -> bool:
    """Whether a file is an image by its name and its bytes.

    Programs such as ffmpeg decide by the bytes what a file is: a playlist would make them read the files that it names,
    and whoever writes a post chooses its image.
    """
    is_raster = can_strip(data) or data.startswith((b"GIF87a", b"GIF89a"))
    return is_raster and media_type(name) in _COVERS and image_size(data) is not None


_COVERS = frozenset(("image/jpeg", "image/png", "image/webp", "image/gif"))


def spoken_date(tags: Tags, inputs: Inputs) -> str:
    """The date in words that can be spoken, whatever form pages show; empty without one."""
    return date_in_words(tags.date, "long", catalog_of(inputs.loaded.theme.catalog)) if tags.date else ""


def ffmetadata(tags: Tags, chapters: Sequence[Chapter], seconds: float) -> str:
    """Tags and chapters in the format that ffmpeg reads (https://ffmpeg.org/ffmpeg-formats.html#Metadata-2)."""
    known = {
        "title": tags.title,
        "artist": tags.author,
        "album": tags.show,
        "date": tags.date and tags.date.isoformat(),
    }
    lines = [";FFMETADATA1", *(f"{key}={_escaped(value)}" for key, value in known.items() if value)]
    ends = [*(chapter.start for chapter in chapters[1:]), seconds]
    for chapter, end in zip(chapters, ends, strict=True) if chapters else ():
        times = f"START={round(chapter.start * 1000)}", f"END={round(end * 1000)}"
        lines += ["[CHAPTER]", "TIMEBASE=1/1000", *times, f"title={_escaped(chapter.title)}"]
    return "".join(f"{line}\n" for line in lines)


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "=;#\\" else char for char in " ".join(text.split()))
