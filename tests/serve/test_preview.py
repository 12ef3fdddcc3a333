"""What the preview shows is what a build would publish, whatever was edited before.

The machine of random edits runs here with a preview that follows it: after every edit each page and file of the
preview is what a clean build of the same input writes, and the problems are the same.
"""

from __future__ import annotations

import tomllib
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from outcomes import clean_outcome, known_outcome
from serve_sites import ORIGIN, all_shown, shown
from sites import NOW, write_site
from writers import CARD, LANGUAGE, PLUGIN, SVG, Post, Writers, machine_settings

from devlog.engine.jobs import Jobs
from devlog.serve import preview as serving
from devlog.serve import sources
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Page, RedirectResponse
from devlog.serve.run import _watched_paths


def now() -> datetime:
    return NOW


def base_path(configuration: bytes) -> str:
    """The path at which a configuration puts the site; one that cannot be read puts it nowhere in particular."""
    try:
        return urlsplit(tomllib.loads(configuration.decode()).get("base_url", "/")).path or "/"
    except tomllib.TOMLDecodeError:
        return "/"


class Followers(Writers):
    """Follows every edit with a preview. It never makes images smaller itself."""

    fixed = {"widths": ()}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.patch.setattr(serving, "SECONDS", 60.0)  # on a busy machine any page may take three
        self.jobs = Jobs()
        self.preview: Preview | None = None
        self.edits = 0
        self.told: dict[str, bytes] = {}  # the files as the preview knows them

    def teardown(self) -> None:
        if self.preview:
            self.preview.close()
        super().teardown()

    def check(self) -> None:
        files = self.world.files()
        # Not what differs from the disk: some edits are made there first.
        changed = {path for path in self.told.keys() | files.keys() if self.told.get(path) != files.get(path)}
        self.told = dict(files)
        self.save(files)
        preview = self.followed(frozenset(changed))
        base_url = ORIGIN + base_path(files["devlog.toml"])
        clean, report = known_outcome(files, base_url=base_url, now=NOW)
        self.good = not report.failed
        if self.good:  # what is shown is right from the first request on, though texts may still have to be read
            pages = all_shown(preview, self.jobs, clean.files)
            for path, data in clean.files.items():
                if isinstance(
                    shown(preview, self.jobs, path), RedirectResponse
                ):  # a redirect needs no page of its own here
                    assert f"{ORIGIN}{pages[path].decode()}".encode() in data
                else:
                    assert pages[path] == data, path
        while preview.is_reading:
            preview.read_more()
        expected = {(item.sort_key, item.severity) for item in report.diagnostics}
        told = {(item.sort_key, item.severity) for item in preview.diagnostics}
        codes = {item.code for item in report.diagnostics}
        if "invalid-config" in codes:  # then all else is as the last good configuration has it
            assert {pair for pair in expected if pair[1] == "error"} <= told
        elif "template-error" not in codes:  # found where a page is looked at
            assert told == expected
        assert isinstance(shown(preview, self.jobs, "nothing/of/that/name/"), Page)

    def followed(self, changed: frozenset[str]) -> Preview:
        """A preview that knows of the last edit, by the names of files or, now and then, by looking at all."""
        self.edits += 1
        if self.preview is None:
            options = Options(self.root, ORIGIN, drafts=False, now=now, jobs=1, search=False)
            self.preview = Preview(options, self.jobs, lambda: ["/devlog/", "/"])
            changed = frozenset()
        self.preview.change(changed if self.edits % 3 else frozenset())
        return self.preview


class Sketchers(Followers):
    """The same where texts are read behind the first page."""

    def __init__(self) -> None:
        super().__init__()
        self.patch.setattr(sources, "MANY", 0)
        self.patch.setattr(sources, "CHUNK", 2)


@pytest.mark.slow
def test_a_text_with_references_is_the_site_of_its_sketch() -> None:
    state = Sketchers()
    try:
        state.begin(posts=[Post(body="Plain words."), Post(body="Since PR 12 it is #345, says @adaquill.")])
    finally:
        state.teardown()


CONFIG = "title = 'Lumen'\nbase_url = 'https://lumen.example.org/'\n"
SHAPES = f"{CONFIG}[cards]\nenabled = false\n[diagrams.{LANGUAGE}]\ncommand = ['sh', '{{root}}/tools/draw.sh']\n"
SITE = {
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    "content/storage/2026-01-01-alpha.md": Post(body=f"```{LANGUAGE}\n{SVG}\n```\n").text(),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "edits"),
    [
        pytest.param(
            {"devlog.toml": SHAPES, "tools/draw.sh": "cat\n"}, {"tools/draw.sh": "sed s/9/7/\n"}, id="a program"
        ),
        pytest.param(
            {"devlog.toml": f"content = '.'\n{SHAPES}", "tools/draw.sh": "cat\n", "tools/a.md": Post().text()},
            {"tools/draw.sh": "sed s/9/7/\n"},
            id="a program among texts",
        ),
        pytest.param(
            {"devlog.toml": f"theme = 'paper'\n{CONFIG}"}, {"templates/card.toml": CARD}, id="cards of a theme without"
        ),
        pytest.param(
            {
                "devlog.toml": f"theme = 'mine'\n{SHAPES.partition('command')[0]}script = '/theme/draw.js'\n",
                "themes/mine/theme.toml": "extends = 'default'\n",
            },
            {"themes/mine/static/draw.js": "\n"},
            id="a script of the theme",
        ),
        pytest.param(
            {"devlog.toml": CONFIG, "i18n/en.toml": "search = 'Find'\n"},
            {"i18n/en.toml": "archive = 'Everything'\nwrap = 'Break lines'\n"},
            id="a catalog",
        ),
        pytest.param(
            {
                "devlog.toml": f"{CONFIG}[mounts]\nstorage = 'docs'\n",
                "docs/README.md": "# Docs\n\n[Use](guide.md#use)\n",
            },
            {
                "docs/guide.md": "# Guide\n\n## Use\n",
                "content/storage/2026-01-02-beta.md": Post(link="../../docs").text(),
            },
            id="a mounted folder beside a topic",
        ),
        pytest.param({"devlog.toml": CONFIG}, {"i18n/en.toml": "date = '{day} {month}'\n"}, id="a first catalog"),
        pytest.param(
            {"devlog.toml": f"plugins = ['plugins.py']\n{SHAPES}", "plugins.py": PLUGIN, "tools/draw.sh": "cat\n"},
            {"content/storage/2026-01-01-alpha.md": Post(body="More words than before.").text()},
            id="what a plan knows of a text",
        ),
    ],
)
def test_an_edit_beside_texts_is_followed(files: dict[str, str], edits: dict[str, str], tmp_path: Path) -> None:
    root, jobs = write_site(tmp_path, SITE | files), Jobs()
    with closing(Preview(Options(root, ORIGIN, drafts=False, now=now, jobs=1, search=False), jobs)) as preview:
        preview.change(frozenset())
        write_site(root, edits)
        change = preview.change(frozenset(edits))
        assert change
        clean, report = clean_outcome(SITE | files | edits, base_url=f"{ORIGIN}/", now=NOW)
        assert all_shown(preview, jobs, clean.files) == clean.files
        watched = _watched_paths(root, preview.inputs)
        assert all(name in watched.files or name.startswith(watched.folders) for name in edits)
        assert {item.sort_key for item in preview.diagnostics} == {item.sort_key for item in report.diagnostics}


@pytest.mark.slow
def test_a_post_that_comes_due_is_shown_with_the_next_edit(tmp_path: Path) -> None:
    due = {
        "content/storage/2026-01-02-beta.md": Post(date="2026-06-15T12:30:00Z").text(),
        "content/storage/2026-01-03-delta.md": Post(date="2026-01-03\nexpiryDate: 2026-06-15T12:50:00Z").text(),
    }
    files, clock = {"devlog.toml": CONFIG, **SITE, **due}, [NOW]
    root, jobs = write_site(tmp_path, files), Jobs()
    options = Options(root, ORIGIN, drafts=False, now=lambda: clock[0], jobs=1, search=False)
    posts = []
    with closing(Preview(options, jobs)) as preview:
        preview.change(frozenset())
        for minutes in (0, 40, 55, 15):  # the last time, somebody has put the clock right
            clock[0] = NOW + timedelta(minutes=minutes)
            edit = {"content/storage/2026-01-01-alpha.md": Post(body=f"At {minutes}.").text()}
            write_site(root, edit)
            preview.change(frozenset(edit))
            clean, _ = clean_outcome(files | edit, base_url=f"{ORIGIN}/", now=clock[0])
            assert all_shown(preview, jobs, clean.files) == clean.files
            posts.append(preview.posts)
    assert posts == [2, 3, 2, 2]


TestFollowers = pytest.mark.slow(Followers.TestCase)
TestFollowers.settings = machine_settings(examples=12, share=0.25)
TestSketchers = pytest.mark.slow(Sketchers.TestCase)
TestSketchers.settings = machine_settings(examples=12, share=0.25)
