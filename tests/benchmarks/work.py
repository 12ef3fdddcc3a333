"""A devlog site of the corpus, and the kinds of work that its next build may have to do."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from . import pictures
from .aside import put_aside
from .cache import CACHE
from .corpus import TEXT, Sample, newest, post, write_devlog, write_post
from .timing import Run, timed

REPOSITORY = Path(__file__).resolve().parents[2]
DEVLOG = (sys.executable, "-m", "devlog")
EDITED = 50
"""How many posts, the first of the corpus, edits go round."""
USUAL_IMAGE = 3


class Site:
    """A devlog site, built again and again. Edits stay: each build begins where the one before ended."""

    def __init__(self, folder: Path, count: int, sample: Sample = TEXT) -> None:
        """Write `count` posts into `folder`, anew."""
        self.folder = folder
        self.count = count
        self._sample = sample
        self._edits = 0
        put_aside(folder)
        write_devlog(folder, count, sample)

    def build(self, *options: str) -> Run:
        """Build as a whole process; its output is the report as JSON."""
        return timed((*DEVLOG, "build", "--format", "json", *options), self.folder, path=REPOSITORY)

    def work(self, kind: str) -> Run:
        """Time one kind of work. What leads to it is not timed."""
        if kind != "cold" and not (self.folder / "public").exists():
            self.build()
        KINDS[kind](self)
        return self.build()

    def cold(self) -> None:
        """Nothing is there but the sources."""
        for name in ("public", ".devlog"):
            put_aside(self.folder / name)

    def warm(self) -> None:
        """Nothing changed since the last build."""

    def first_edit(self) -> None:
        """The first edit after a cold build, which has to make the spare site for those after it."""
        put_aside(self.folder / ".devlog" / "spare")
        self._edit()

    def edit_body(self) -> None:
        """A sentence is added at the end of a post, and not for the first time."""
        spare = self.folder / ".devlog" / "spare"
        if not (spare.exists() and any(spare.iterdir())):
            self._edit()
            self.build()
        self._edit()

    def _edit(self, more: str = "") -> Path:
        self._edits += 1
        edited = post(self._edits % min(self.count, EDITED), self._sample)
        path = self.folder / "content" / edited.topic / f"{edited.name}.md"
        path.write_text(path.read_text("utf-8") + f"\nEdit {self._edits}.\n{more}", "utf-8")
        return path

    def add_image(self) -> None:
        """A post shows one more image, of the usual size."""
        original = pictures.file_of(pictures.drawn(USUAL_IMAGE))
        path = self._edit(f"\n![One more](more-{self._edits + 1}{original.suffix})\n")
        # Each is another file: what follows the end of a PNG is not looked at.
        image = original.read_bytes() + f"{self._edits}".encode()
        path.with_name(f"more-{self._edits}{original.suffix}").write_bytes(image)

    def add_post(self) -> None:
        """There is one more post, the newest, with code of its own."""
        self._edits += 1
        write_post(self.folder / "content", newest(self.count + self._edits, self._sample))

    def edit_footer(self) -> None:
        """The site's own footer, in place of the theme's, changes its text; it is on every page."""
        self._edits += 1
        original = REPOSITORY / "themes" / "default" / "templates" / "partials" / "footer.html"
        own = self.folder / "templates" / "partials" / "footer.html"
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text(f"{original.read_text('utf-8')}<p>Edit {self._edits}</p>\n", "utf-8")

    def fresh_checkout(self) -> None:
        """All files, those of the restored cache and output too, are new ones of the same content."""
        copy = self.folder.with_name(f"{self.folder.name}.copy")
        put_aside(copy)
        shutil.copytree(self.folder, copy, symlinks=True, copy_function=shutil.copyfile)
        put_aside(self.folder)
        copy.rename(self.folder)


KINDS: dict[str, Callable[[Site], None]] = {
    "cold": Site.cold,
    "warm": Site.warm,
    "first_edit": Site.first_edit,
    "edit_body": Site.edit_body,
    "add_post": Site.add_post,
    "add_image": Site.add_image,
    "edit_footer": Site.edit_footer,
    "fresh_checkout": Site.fresh_checkout,
}


def site(count: int, name: str = "devlog", sample: Sample = TEXT) -> Site:
    """A new site in the cache."""
    return Site(CACHE / "sites" / f"{name}-{count}", count, sample)


def counts(run: Run) -> str:
    """What a build says that it did: texts parsed, targets rendered, files written."""
    report = json.loads(run.output)
    return " / ".join(f"{report[name]:,}" for name in ("parsed", "rendered", "written"))
