"""What one change costs the preview, what it tells, and what stays when something is wrong."""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from check_cases import git, repository
from disk.capabilities import as_mere_owner
from serve_sites import ORIGIN, data_of, shown
from sites import NOW, build_site, write_site

from devlog.disk.folder import Folder
from devlog.engine.jobs import Jobs
from devlog.model.diagnostic import Span
from devlog.serve import sources
from devlog.serve.changes import Change
from devlog.serve.overlay import MOST
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import File, Page, RedirectResponse
from devlog.serve.run import _watched_paths

POST = "---\ntitle: {title}\ndate: 2026-01-0{day}\nauthor: Ada Quill (@adaquill)\n---\n\n{body}\n"


def post(title: str, day: int, body: str, extra: str = "") -> str:
    return POST.format(title=title, day=day, body=body).replace("\n---\n\n", f"\n{extra}---\n\n")


SITE: dict[str, str | bytes] = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example.org/logs/"\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n\nAbout *storage*.\n",
    "content/storage/2026-01-01-log.md": post("The log", 1, "## Replay\n\nIt is replayed.\n\nIn full."),
    "content/storage/2026-01-02-pages.md": post("Pages", 2, "See [the log](2026-01-01-log.md#replay)."),
    "content/planner/_index.md": "---\ntitle: Planner\n---\n",
    "content/planner/2026-01-03-joins.md": post("Joins", 3, "They are ordered."),
    "static/style.css": "p { color: red }\n",
}

LOG = "content/storage/2026-01-01-log.md"
LOG_PAGE = "storage/2026-01-01-log/"


class Watched:
    """A preview of a site, with the tabs that are open."""

    def __init__(self, root: Path, **options: object) -> None:
        self.root = root
        self.tabs: list[str] = []
        self.jobs = Jobs()
        self.preview = Preview(Options(root, ORIGIN, now=lambda: NOW, jobs=1, **options), self.jobs, lambda: self.tabs)  # type: ignore[arg-type]
        self.preview.change(frozenset())

    def open(self, path: str) -> str:
        """Open a tab; returns what it shows."""
        self.tabs.append(f"/logs/{path}")
        answer = self.page(path)
        self.preview.hello(f"/logs/{path}")
        self.jobs.step()
        return answer.html.decode()

    def page(self, path: str) -> Page:
        answer = shown(self.preview, self.jobs, path)
        assert isinstance(answer, Page)
        return answer

    def html(self, path: str) -> str:
        return self.page(path).html.decode()

    def save(self, file: str, text: str | None) -> Change | None:
        """Save a file, or remove it, and let the preview know."""
        if text is None:
            (self.root / file).unlink()
        else:
            write_site(self.root, {file: text})
        return self.preview.change(frozenset([file]))

    def saved(self, file: str, text: str | None) -> Change:
        change = self.save(file, text)
        assert change
        return change

    @property
    def codes(self) -> list[str]:
        return [problem.code for problem in self.preview.diagnostics]


Watch = Callable[..., Watched]


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    opened: list[Watched] = []

    def make(files: dict[str, str | bytes] | None = None, **options: object) -> Watched:
        watched = Watched(write_site(tmp_path / f"site{len(opened)}", {**SITE, **(files or {})}), **options)
        opened.append(watched)
        return watched

    yield make
    for watched in opened:
        watched.preview.close()


# -- work


def test_nothing_is_rendered_before_it_is_asked_for(watch: Watch) -> None:
    site = watch()
    change = site.preview.change(frozenset())
    assert change is None
    change = site.saved(LOG, post("The log", 1, "Other words."))
    assert (change.parsed, change.rendered) == (1, 0)


def test_a_body_edit_parses_one_text_and_renders_the_pages_that_show_it(watch: Watch) -> None:
    site = watch()
    for path in (LOG_PAGE, "storage/2026-01-02-pages/", "", "tags/"):
        site.open(path)
    change = site.saved(LOG, post("The log", 1, "## Replay\n\nIt is replayed.\n\nIn full.\n\nAn end."))
    assert (change.parsed, change.rendered) == (1, 2)  # the post, and the home page with its excerpt
    assert set(change.update.changed) == {f"/logs/{LOG_PAGE}", "/logs/"}
    change = site.saved(LOG, post("The log", 1, "## Replay\n\nIt is replayed.\n\nIn full.\n\nAn [end](#replay)."))
    assert (change.parsed, change.rendered) == (1, 1)  # the same words, so the home page stays
    assert set(change.update.changed) == {f"/logs/{LOG_PAGE}"}
    assert change.files == (LOG,)


def test_a_title_edit_changes_the_pages_that_name_it(watch: Watch) -> None:
    site = watch()
    for path in (LOG_PAGE, "storage/2026-01-02-pages/", "planner/", "storage/"):
        site.open(path)
    change = site.saved(LOG, post("A new title", 1, "## Replay"))
    assert set(change.update.changed) == {
        f"/logs/{path}" for path in (LOG_PAGE, "storage/2026-01-02-pages/", "storage/")
    }
    assert change.parsed == 1


def test_the_same_bytes_again_are_no_change(watch: Watch) -> None:
    site = watch()
    text = (site.root / LOG).read_text()
    assert site.save(LOG, text) is None
    assert site.preview.change(frozenset()) is None


def test_what_was_rendered_before_is_not_rendered_again(watch: Watch) -> None:
    site = watch()
    site.open(LOG_PAGE)
    before = (site.root / LOG).read_text()
    site.saved(LOG, post("The log", 1, "Other words."))
    key = site.page(LOG_PAGE).key
    site.saved(LOG, before)
    assert site.page(LOG_PAGE).key != key
    site.preview.change(frozenset([LOG]))
    assert site.page("storage/").status == 200


# -- what is told


def test_nothing_is_kept_for_tabs_that_have_gone(watch: Watch) -> None:
    site = watch()
    site.open(LOG_PAGE)
    for number in range(20):
        site.open(f"none-{number}/")
        site.tabs.pop()
    assert site.preview._keys.keys() <= {f"/logs/{LOG_PAGE}", "/logs/none-19/"}
    change = site.saved(LOG, post("The log", 1, "Other words."))
    assert set(change.update.changed) == {f"/logs/{LOG_PAGE}"}


def test_new_and_deleted_posts(watch: Watch) -> None:
    site = watch()
    site.open("storage/")
    file = "content/storage/2026-01-05-new.md"
    change = site.saved(file, post("New", 5, "Words."))
    assert change.files == (f"+ {file}",)
    assert set(change.update.changed) == {"/logs/storage/"}
    site.open("storage/2026-01-05-new/")
    change = site.saved(file, None)
    assert change.files == (f"- {file}",)
    assert site.page("storage/2026-01-05-new/").status == 404
    assert "/logs/storage/2026-01-05-new/" in change.update.changed


def test_a_missing_page_appears(watch: Watch) -> None:
    site = watch()
    site.open("storage/2026-01-05-new/")
    change = site.saved("content/storage/2026-01-05-new.md", post("New", 5, "Words."))
    assert "/logs/storage/2026-01-05-new/" in change.update.changed
    assert site.page("storage/2026-01-05-new/").status == 200


def test_files_that_are_published_as_they_are(watch: Watch) -> None:
    site = watch({"content/storage/a b.png": b"\x89PNG\r\n\x1a\n"})
    change = site.saved("static/style.css", "p { color: blue }\n")
    assert change.update.files == ("/logs/style.css",)
    (site.root / "content/storage/a b.png").write_bytes(b"other")
    change_of_picture = site.preview.change(frozenset(["content/storage/a b.png"]))
    assert change_of_picture
    assert change_of_picture.update.files == ("/logs/storage/a%20b.png",)
    answer = shown(site.preview, site.jobs, "storage/a b.png")
    assert isinstance(answer, File)
    assert data_of(answer) == b"other"


def test_a_link_breaks_when_another_text_loses_its_heading(watch: Watch) -> None:
    site = watch()
    assert "broken-anchor" not in site.codes
    change = site.saved(LOG, post("The log", 1, "## Replaying\n\nIt is replayed."))
    assert [problem.code for problem in change.update.problems] == ["broken-anchor"]
    assert change.update.problems[0].frame == "See [the log](2026-01-01-log.md#replay)."
    site.saved(LOG, post("The log", 1, "## Replay\n\nIt is replayed."))
    assert site.codes == []


# -- mistakes


def test_all_problems_count_and_the_first_are_sent(watch: Watch) -> None:
    site = watch()
    links = "".join(f"[a](missing-{number}.md)\n\n" for number in range(MOST + 20))
    change = site.saved(LOG, post("The log", 1, f"## Replay\n\n{links}"))
    assert len(change.update.problems) == MOST
    assert sum(change.update.counts.values()) == MOST + 20


@pytest.mark.feature("episodes")
def test_an_error_that_the_configuration_forgives_stops_nothing(watch: Watch) -> None:
    settings = f'{SITE["devlog.toml"]}[severity]\nmissing-audio = "warning"\n'
    talk = "---\ntitle: Talk\ndate: 2026-01-05\naudio: talk.wav\n---\n"
    site = watch({"devlog.toml": settings, "content/planner/2026-01-05-talk.md": f"{talk}Hello.\n"})
    assert site.codes == ["missing-audio"]
    site.saved(LOG, post("The log", 1, "## Replay\n\nIt is replayed."))
    site.saved("content/planner/2026-01-05-talk.md", f"{talk.replace('talk.wav', 'gone.wav')}Hello again.\n")
    assert site.codes == ["missing-audio"]
    assert "Hello again." in site.html("planner/2026-01-05-talk/")
    site.saved("content/planner/2026-01-06-new.md", post("New", 6, "A new post."))
    assert "A new post." in site.html("planner/2026-01-06-new/")


def test_a_post_with_broken_front_matter_stays_as_it_was(watch: Watch) -> None:
    site = watch({LOG: post("The log", 1, "## Replay\n\nIt is replayed. [More](nowhere.md).")})
    site.open(LOG_PAGE)
    assert site.codes == ["broken-link"]
    site.saved(LOG, "---\ntitle: [The log\ndate: 2026-01-01\n---\n\nNew words.\n")
    assert site.preview.diagnostics[0].severity == "error"
    assert "broken-link" not in site.codes  # the text that it was in is no longer there
    assert "It is replayed." in site.html(LOG_PAGE)
    other = "content/planner/2026-01-03-joins.md"
    site.saved(other, post("Joins at last", 3, "They are reordered."))
    assert "They are reordered." in site.html("planner/2026-01-03-joins/")
    site.saved(LOG, post("The log", 1, "## Replay\n\nNew words."))
    assert "New words." in site.html(LOG_PAGE)
    assert site.codes == []


def test_a_broken_configuration_keeps_the_last_good_site(watch: Watch) -> None:
    site = watch({"devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example.org/logs/"\nhtml = "trusted"\n'})
    good = (site.root / "devlog.toml").read_text()
    site.open("")
    change = site.saved("devlog.toml", good + "theme = \n")
    assert change.kept
    assert change.files == ("devlog.toml",)
    assert change.parsed == 0  # texts are read as before, until it is known how else
    assert not change.update.changed
    assert "Lumen" in site.html("")
    site.saved(LOG, post("The log", 1, "## Replay\n\nNew words."))
    assert "New words." in site.html(LOG_PAGE)
    change = site.saved("devlog.toml", good.replace("Lumen", "Lumen &amp; more"))
    assert not change.kept
    assert "/logs/" in change.update.changed
    assert site.codes == []


FORMAT = """\
from devlog.model.converted import Converted
from devlog.plugin import Plugin


def convert(request):
    return Converted(request.text.replace("WORDS", "words"))


plugin = Plugin("loud", sources={".loud": convert})
"""


AUTHORS = "adaquill:\n  name: Ada Quill\n"


@pytest.mark.parametrize("reads_on", [False, True])
@pytest.mark.parametrize(
    ("setting", "files", "broken"),
    [
        (
            'content = "posts"\n',
            {"posts/storage/2026-01-01-a.md": post("A", 1, "Some words."), "posts/authors.yml": AUTHORS},
            "devlog.toml",
        ),
        ('mounts.storage = "docs"\n', {"docs/2026-01-01-a.md": post("A", 1, "Some words.")}, "devlog.toml"),
        (
            'plugins = ["loud.py"]\n',
            {
                "content/storage/2026-01-01-a.loud": post("A", 1, "Some WORDS."),
                "loud.py": FORMAT,
                "content/authors.yml": AUTHORS,
            },
            "devlog.toml",
        ),
        (
            'plugins = ["loud.py"]\n',
            {
                "content/storage/2026-01-01-a.loud": post("A", 1, "Some WORDS."),
                "loud.py": FORMAT,
                "content/authors.yml": AUTHORS,
            },
            "loud.py",
        ),
    ],
)
def test_texts_are_found_while_nothing_tells_where(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, setting: str, files: dict[str, str], broken: str, reads_on: bool
) -> None:
    """The last good configuration does, and plugins as they were, also for texts that are still to be read."""
    if reads_on:
        monkeypatch.setattr(sources, "MANY", 0)
    site = watch({"devlog.toml": setting + str(SITE["devlog.toml"]), **files})
    good = (site.root / broken).read_text()
    reading = site.preview.reading
    change = site.saved(broken, good + "broken = \n")
    assert (change.kept, change.files, change.parsed) == (True, (broken,), 0)
    assert site.preview.reading == reading
    while site.preview.is_reading:
        site.preview.read_more()
    assert "<p>Some words.</p>" in site.html("storage/2026-01-01-a/")
    assert site.page("").status == 200
    file = next(iter(files))
    assert site.saved(file, files[file].replace("Some", "Other")).files == (file,)
    assert "<p>Other words.</p>" in site.html("storage/2026-01-01-a/")
    folder = file.rpartition("/")[0]
    assert site.saved(f"{folder}/b.md", post("B", 2, "New.")).files == (f"+ {folder}/b.md",)
    assert "<p>Other words.</p>" in site.html("storage/2026-01-01-a/")
    site.saved(file, files[file].replace("Some", "More"))
    assert "<p>More words.</p>" in site.html("storage/2026-01-01-a/")
    assert not site.saved(broken, good).kept
    assert "<p>More words.</p>" in site.html("storage/2026-01-01-a/")
    assert "<p>New.</p>" in site.html("storage/b/")


def spoil(file: Path, kind: str) -> None:
    """Make a text file one that cannot be read."""
    good = file.read_text()
    file.unlink()
    if kind == "symlink":
        file.with_name("elsewhere.toml").write_text(good)
        file.symlink_to("elsewhere.toml")
    elif kind == "unreadable":
        file.mkdir()
    else:
        others = {"not-utf8": good.encode("utf-16"), "zero-byte": b"\0" + good.encode(), "too-large": b"#" * (1 << 24)}
        file.write_bytes(others[kind])


def restore(file: Path, good: str) -> None:
    if file.is_dir():
        file.rmdir()
    else:
        file.unlink()
    file.write_text(good)


@pytest.mark.parametrize("kind", ["symlink", "unreadable", "not-utf8", "zero-byte", "too-large"])
def test_a_configuration_that_cannot_be_read_keeps_the_last_good_site(watch: Watch, kind: str) -> None:
    good = f"""html = "trusted"
{SITE["devlog.toml"]}
[markdown]
typographer = true
emoji = false

[severity]
missing-index = "off"
"""
    other = post("Quotes", 4, 'They say "rocket" :rocket:. <iframe src="https://e.example/"></iframe>')
    site = watch({"devlog.toml": good, "content/net/2026-01-04-quotes.md": other})
    assert site.codes == []
    page, home = site.html("net/2026-01-04-quotes/"), site.html("")
    spoil(site.root / "devlog.toml", kind)
    change = site.preview.change(frozenset(["devlog.toml"]))
    assert change
    assert change.kept
    assert change.parsed == 0  # as while its syntax is wrong
    assert site.codes == [kind]
    assert (site.html("net/2026-01-04-quotes/"), site.html("")) == (page, home)
    assert site.saved("content/net/2026-01-04-quotes.md", f"{other}\nNew words.\n").parsed == 1
    paragraph = re.search("<p>They say.*</iframe></p>\n", page)
    assert paragraph
    assert f"{paragraph[0]}<p>New words.</p>" in site.html("net/2026-01-04-quotes/")
    restore(site.root / "devlog.toml", good.replace("Lumen", "Lumen, more"))
    change = site.preview.change(frozenset(["devlog.toml"]))
    assert change
    assert not change.kept
    assert site.codes == []


def test_a_theme_that_cannot_be_read_keeps_the_shortcodes_of_the_one_it_extends(watch: Watch) -> None:
    site = watch(
        {
            "devlog.toml": f'theme = "mine"\n{SITE["devlog.toml"]}',
            "themes/mine/theme.toml": 'extends = "base"\n',
            "themes/base/theme.toml": 'extends = "default"\n',
            "themes/base/templates/shortcodes/bench.html": "<b>A bench</b>\n",
            LOG: post("The log", 1, "## Replay\n\n{{< bench >}}"),
        }
    )
    page = site.html(LOG_PAGE)
    assert "<b>A bench</b>" in page
    change = site.saved("themes/mine/theme.toml", "extends = \n")
    assert change.kept
    assert change.parsed == 0
    assert site.html(LOG_PAGE) == page
    assert site.codes == ["invalid-config"]


@pytest.mark.slow
def test_a_broken_template_keeps_the_last_good_page(watch: Watch) -> None:
    site = watch()
    page = site.open(LOG_PAGE)
    override = "templates/partials/footer.html"
    change = site.saved(override, "{% broken")
    assert change.kept
    assert [problem.path for problem in change.update.problems] == [override]
    assert site.html(LOG_PAGE) == page
    site.saved(override, "{{ nothing_of_that_name }}")  # found only when a page is made of it
    assert site.codes == ["template-error"]
    assert site.html(LOG_PAGE) == page
    site.saved(override, "<footer>Mended</footer>")
    assert site.codes == []
    assert "Mended" in site.html(LOG_PAGE)
    site.saved(override, "{{ nothing_of_that_name }}")
    site.saved(override, "<footer>Mended</footer>")  # what is there already need not be made again
    assert site.codes == []


def test_a_broken_catalog_keeps_the_last_good_page(watch: Watch) -> None:
    site = watch()
    page = site.open(LOG_PAGE)
    catalog = "i18n/en.toml"
    change = site.saved(catalog, 'archive = "All\n')
    assert change.kept
    assert change.files == (f"+ {catalog}",)
    assert [problem.path for problem in change.update.problems] == [catalog]
    assert site.html(LOG_PAGE) == page
    change = site.saved(catalog, 'archive = "Everything"\n')
    assert change.files == (catalog,)
    assert site.codes == []
    assert ">Everything</a>" in site.html(LOG_PAGE)
    change = site.saved(catalog, 'archive = "Everything"\nwrap = "Break lines"\n')
    assert [file.rpartition("/")[2] for file in change.update.files] == ["code.js"]


@pytest.mark.slow
def test_a_broken_catalog_keeps_the_words_of_texts(watch: Watch) -> None:
    catalog, alert = "i18n/en.toml", {LOG: post("The log", 1, "> [!NOTE]\n> It is replayed.")}
    site = watch({catalog: 'alert_note = "Mind"\n', **alert})
    page = site.open(LOG_PAGE)
    assert ">Mind</p>" in page
    change = site.saved(catalog, 'alert_note = "Min\n')
    assert change.kept
    assert change.parsed == 0
    assert site.html(LOG_PAGE) == page
    site.saved(catalog, 'alert_note = "Mark"\n')
    assert ">Mark</p>" in site.html(LOG_PAGE)


@pytest.mark.parametrize("mistake", ["{% include 'nothing.html' %}", "{{ t('nothing') }}", "{% if %}"])
def test_a_second_mistake_in_templates_keeps_the_last_good_site(watch: Watch, mistake: str) -> None:
    """While one template cannot be read, nothing is said of what may be in it."""
    site = watch({"templates/unread.html": b"caf\xe9\n"})
    page = site.html(LOG_PAGE)
    assert site.saved("templates/partials/footer.html", mistake).kept
    assert "not-utf8" in site.codes
    assert (site.page(LOG_PAGE).status, site.html(LOG_PAGE)) == (200, page)
    site.saved("templates/partials/footer.html", "<footer>Mended</footer>")
    assert "<footer>Mended</footer>" in site.html(LOG_PAGE)
    assert site.codes == ["not-utf8"]


def test_a_site_that_shows_nothing_yet_is_replaced_by_any_that_does(watch: Watch) -> None:
    site = watch({"templates/home.html": "{% broken"})
    assert site.page(LOG_PAGE).status == 503
    second = post("Other", 9, "Words.", f"url: /{LOG_PAGE}\n")
    write_site(site.root, {"templates/home.html": "<!doctype html>", "content/storage/2026-01-09-other.md": second})
    site.preview.change(frozenset())
    assert site.codes == ["colliding-url"]
    assert site.page("planner/2026-01-03-joins/").status == 200  # as in a preview that begins now


def test_a_template_is_mended_while_something_else_breaks(watch: Watch) -> None:
    """The last good site is still shown as that template made it; what was wrong with it is over all the same."""
    site = watch()
    site.open(LOG_PAGE)
    override = "templates/partials/footer.html"
    site.saved(override, "{{ nothing_of_that_name }}")
    site.saved("content/storage/2026-01-09-taken.md", f"---\ntitle: Taken\nurl: /{LOG_PAGE}\n---\nText.\n")
    assert sorted(site.codes) == ["colliding-url", "template-error"]
    site.saved(override, "<footer>Mended</footer>")
    assert site.codes == ["colliding-url"]


def test_a_page_that_cannot_be_made_is_not_tried_again_and_again(watch: Watch) -> None:
    site = watch({"templates/partials/footer.html": "{{ nothing_of_that_name }}"})
    assert site.page(LOG_PAGE).status == 500
    change = site.saved("content/planner/2026-01-03-joins.md", post("Joins", 3, "They are reordered."))
    assert change.rendered == 0
    assert site.page(LOG_PAGE).status == 500


def test_two_posts_of_one_url_keep_the_last_good_site(watch: Watch) -> None:
    site = watch()
    site.open(LOG_PAGE)
    second = "content/storage/2026-01-09-other.md"
    change = site.saved(second, post("Other", 9, "Words.", "url: /storage/2026-01-01-log/\n"))
    assert change.kept
    assert site.codes == ["colliding-url"]
    site.saved(LOG, post("The log", 1, "## Replay\n\nEdited all the same."))
    assert "Edited all the same." in site.html(LOG_PAGE)
    site.saved(second, post("Other", 9, "Words."))
    assert site.codes == []
    assert site.page("storage/2026-01-09-other/").status == 200


def test_what_keeps_the_site_is_told_while_its_file_is_broken(watch: Watch) -> None:
    site = watch()
    index = "content/storage/_index.md"
    assert site.saved("static/storage/index.html", "<p>Taken</p>\n").kept
    assert site.codes == ["colliding-url"]
    assert site.saved(index, "---\ntitle: [\n---\n").kept
    report = build_site(site.root, base_url=f"{ORIGIN}/logs/", drafts=True, future=True, expired=True)
    assert {item.sort_key for item in site.preview.diagnostics} == {item.sort_key for item in report.diagnostics}
    (site.root / "static/storage/index.html").unlink()
    site.preview.change(frozenset())
    assert site.codes == ["front-matter-syntax"]


def test_what_keeps_the_site_is_told_without_a_line_that_has_changed(watch: Watch) -> None:
    second = "content/storage/2026-01-09-other.md"
    site = watch({second: post("Other", 9, "Words.", f"url: /{LOG_PAGE}\n")})
    site.saved(second, "---\ntitle: [\n---\n")
    assert [item.span for item in site.preview.diagnostics if item.code == "colliding-url"] == [Span(second, 1)]


@pytest.mark.parametrize(
    ("file", "broken"),
    [
        ("devlog.toml", "title = \n"),
        ("templates/home.html", "{% broken"),
        (LOG, "---\ntitle: [\n---\n\nIt is replayed.\n"),
    ],
)
def test_a_site_may_begin_broken(watch: Watch, file: str, broken: str) -> None:
    site = watch({file: broken})
    assert any(problem.severity == "error" for problem in site.preview.diagnostics)
    assert isinstance(shown(site.preview, site.jobs, ""), Page)
    site.saved(file, str(SITE.get(file, "<!doctype html><title>Home</title>")))
    assert site.codes == []
    assert site.page("").status == 200
    assert "It is replayed." in site.html(LOG_PAGE)


def test_no_content_yet(tmp_path: Path) -> None:
    site = Watched(tmp_path)
    assert site.codes == ["missing-folder", "no-posts"]
    change = site.saved("content/storage/2026-01-01-log.md", str(SITE[LOG]))
    assert change.files == (f"+ {LOG}",)
    assert "It is replayed." in site.html(LOG_PAGE)
    site.preview.close()


# -- drafts


@pytest.mark.parametrize(
    ("extra", "state", "note"),
    [
        ("draft: true\n", "draft", "draft"),
        ("publishDate: 2030-01-01\n", "future", "publishes 2030-01-01"),
        ("expiryDate: 2026-02-01\n", "expired", "expired 2026-02-01"),
    ],
)
def test_unpublished_posts_say_what_they_are(watch: Watch, extra: str, state: str, note: str) -> None:
    files: dict[str, str | bytes] = {LOG: post("The log", 1, "Words.", extra)}
    page = watch(files).page(LOG_PAGE)
    assert (page.status, page.state, page.note) == (200, state, note)
    assert watch(files, drafts=False).page(LOG_PAGE).status == 404
    assert watch().page(LOG_PAGE).state == ""


# -- addresses


def test_addresses(watch: Watch) -> None:
    site = watch({LOG: post("The log", 1, "Words.", "aliases: [/old/]\n")})

    def at(path: str) -> object:
        future = site.preview.ask(path)
        site.jobs.step()
        return future.result(0)

    assert at("/") == RedirectResponse("/logs/")
    assert at("/logs") == RedirectResponse("/logs/")
    assert at("/logs/storage") == RedirectResponse("/logs/storage/")
    assert at("/logs/old/") == RedirectResponse("/logs/storage/2026-01-01-log/")
    for path in (
        "/storage/",
        "/logsx/",
        "/logs/devlog.toml",
        "/logs/../devlog.toml",
        "/logs//storage/",
        "/logs/STORAGE/",
    ):
        page = at(path)
        assert isinstance(page, Page), path
        assert page.status == 404


def test_another_base_path_while_it_runs(watch: Watch) -> None:
    site = watch()
    site.saved("devlog.toml", 'title = "Lumen"\nbase_url = "https://lumen.example.org/notes/"\n')
    assert 'href="/notes/' in site.html("")
    assert site.preview.inputs.config.base_path == "/notes/"


# -- sketches


def test_a_page_that_shows_most_of_the_site_waits_until_all_is_read(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MANY", 0)
    monkeypatch.setattr("devlog.serve.preview.TOO_MANY", 2)
    site = watch({"devlog.toml": 'base_url = "https://lumen.example.org/logs/"\nrecent = 1\n'})
    assert site.preview.reading == 5
    assert site.page("posts.json").status == 503
    assert site.page("").status == 200
    assert site.preview.reading == 4  # only what the home page shows has been read
    while site.preview.is_reading:
        site.preview.read_more()
    assert data_of(shown(site.preview, site.jobs, "posts.json")).startswith(b"[")


# -- the editor


def test_marks_say_where_blocks_stand(watch: Watch) -> None:
    site = watch(
        {
            "devlog.toml": str(SITE["devlog.toml"]) + '[serve]\neditor = "vscode://file/{path}:{line}"\n',
            LOG: post(
                "The log", 1, "# The log\n\n## Replay\n\nIt is <b>replayed</b>.\n\n- one\n- two\n\n<div>x</div>\n"
            ),
        }
    )
    page = site.page(LOG_PAGE)
    assert page.editor == f"vscode://file{(site.root / LOG).as_posix()}:{{line}}"
    html = page.html.decode()
    for line, block in ((9, "<h2"), (11, "<p>"), (13, "<ul>"), (16, "<div>")):
        assert f"<!--devlog:{line}-->{block}" in html
    before = html
    site.saved(LOG, (site.root / LOG).read_text().replace("## Replay", "\n\n## Replay"))
    assert "<!--devlog:11--><h2" in site.html(LOG_PAGE)
    assert site.html(LOG_PAGE) != before
    plain = watch({LOG: (site.root / LOG).read_text()})
    assert "<!--devlog" not in plain.html(LOG_PAGE)
    assert plain.page(LOG_PAGE).editor == ""


def test_a_broken_text_keeps_the_marks_of_the_one_that_is_shown(watch: Watch) -> None:
    site = watch({"devlog.toml": str(SITE["devlog.toml"]) + '[serve]\neditor = "editor:{path}:{line}"\n'})
    site.open(LOG_PAGE)
    change = site.saved(LOG, "---\ntitle: [The log\n---\n\nNew words.\n")
    assert change.update.problems[0].editor.endswith("log.md:2")
    assert "It is replayed." in site.html(LOG_PAGE)


@pytest.mark.parametrize("closed", ["..", ".", "content", "content/storage"])
def test_a_folder_that_is_closed_for_a_moment_ends_nothing(watch: Watch, closed: str) -> None:
    site = watch({"devlog.toml": EDITOR})
    before = site.open(LOG_PAGE)
    place = site.root / closed
    place.chmod(0)
    try:
        with as_mere_owner():
            assert site.preview.change(frozenset())
            assert "It is replayed." in site.html(LOG_PAGE)
    finally:
        place.chmod(0o755)
    assert "unreadable" in site.codes
    assert site.preview.change(frozenset())
    assert site.codes == []
    assert site.html(LOG_PAGE) == before


@pytest.mark.parametrize("kind", ["unreadable", "symlink", "missing-folder"])
@pytest.mark.parametrize("above", ["content", "content/storage"])
def test_a_folder_above_a_changed_file_is_named_at_once(watch: Watch, above: str, kind: str) -> None:
    """The folder of the file was named, until all files were looked at."""
    file, other = "content/storage/deep/2026-05-04-x.md", "content/storage/deep/2026-05-04-y.md"
    site = watch({file: "# X\n", other: "# Y\n"})
    place = site.root / above
    if kind == "unreadable":
        place.chmod(0)
    else:
        place.rename(site.root / "aside")
    if kind == "symlink":
        place.symlink_to(site.root / "aside")
    try:
        with as_mere_owner():
            assert site.preview.change(frozenset({file}))
            at_once = site.preview.diagnostics
            site.preview.change(frozenset())
    finally:
        if kind == "unreadable":
            place.chmod(0o755)
    assert at_once == site.preview.diagnostics
    named = [problem.span.path for problem in at_once if problem.code == kind]
    assert named == ([] if (above, kind) == ("content/storage", "missing-folder") else [above])


def refuse_in(root: Path, patch: pytest.MonkeyPatch, call: str, number: int) -> None:
    """Let one of the calls that read folders and files fail in a site, but not in the theme."""
    real = getattr(Folder, call)

    def refuse(at: Folder | Path, *arguments: object, **options: object) -> object:
        place = at._path if isinstance(at, Folder) else str(at)
        if place.startswith(str(root)) or place in {"content", "storage"}:
            raise OSError(number, os.strerror(number))
        return real(at, *arguments, **options)

    patch.setattr(Folder, call, staticmethod(refuse) if call == "open" else refuse)


@pytest.mark.parametrize("call", ["open", "folder", "scan", "open_file"])
@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO])
@pytest.mark.parametrize("content", ["content", "."])
def test_a_system_that_lets_nothing_be_read_keeps_what_is_shown(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, call: str, number: int, content: str
) -> None:
    site = watch({"devlog.toml": f'content = "{content}"\n{SITE["devlog.toml"]}'})
    path = LOG_PAGE if content == "content" else f"content/{LOG_PAGE}"
    site.open(path)
    before = site.codes

    with monkeypatch.context() as patch:
        refuse_in(site.root, patch, call, number)
        site.preview.change(frozenset())
        assert "unreadable" in site.codes
        assert all(str(site.root) not in problem.span.path for problem in site.preview.diagnostics)
        assert "It is replayed." in site.html(path)
        assert site.preview.is_incomplete
    site.preview.change(frozenset())
    assert not site.preview.is_incomplete
    assert site.codes == before
    assert "It is replayed." in site.html(path)


@pytest.mark.parametrize("content", ["content", "."])
def test_folders_that_cannot_be_listed_keep_their_posts(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    site = watch({"devlog.toml": f'content = "{content}"\n{SITE["devlog.toml"]}'})
    path = LOG_PAGE if content == "content" else f"content/{LOG_PAGE}"
    site.open(path)

    with monkeypatch.context() as patch:
        for call in ("folder", "scan"):  # the configuration can still be read
            refuse_in(site.root, patch, call, errno.EMFILE)
        change = site.preview.change(frozenset())
        assert change
        assert not change.kept
        assert "It is replayed." in site.html(path)


# -- what must not get stuck


EDITOR = str(SITE["devlog.toml"]) + '[serve]\neditor = "editor:{path}:{line}"\n'


def test_a_page_that_cannot_be_made_says_so_at_once(watch: Watch) -> None:
    site = watch({"templates/post.html": "{{ nothing_of_that_name }}"})
    assert site.codes == []
    site.page(LOG_PAGE)
    update = site.preview.news()
    assert update
    assert [problem.code for problem in update.problems] == ["template-error"]
    assert site.preview.news() is None
    future = site.preview.hello(f"/logs/{LOG_PAGE}")
    site.jobs.step()
    assert [problem.code for problem in future.result(0).problems] == ["template-error"]


def test_a_sketch_is_no_last_good_text(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MANY", 0)
    site = watch()
    site.saved(LOG, "---\ntitle: [The log\n---\n\nNew words.\n")
    assert site.page(LOG_PAGE).status in {200, 404}
    while site.preview.is_reading:
        site.preview.read_more()
    site.saved(LOG, post("The log", 1, "## Replay\n\nNew words."))
    assert "New words." in site.html(LOG_PAGE)
    assert site.codes == []


def test_a_sketch_of_a_kept_site_is_filled_in(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MANY", 0)
    site = watch()
    site.saved("devlog.toml", "broken = \n")
    site.saved(LOG, post("Another title", 1, "## Replay\n\nNew words."))
    assert "New words." in site.html(LOG_PAGE)
    while site.preview.is_reading:
        site.preview.read_more()
    site.saved("devlog.toml", str(SITE["devlog.toml"]))
    assert "Another title" in site.html(LOG_PAGE)


def test_a_sketch_of_a_kept_site_whose_file_is_gone_has_no_text(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its page, and those that list it, would wait for it for as long as the site is kept."""
    monkeypatch.setattr(sources, "MANY", 0)
    site = watch()
    site.saved("templates/404.html", "{% broken")
    (site.root / LOG).rename(site.root / LOG.replace("-log", "-journal"))
    site.preview.change(frozenset())
    while site.preview.is_reading:
        site.preview.read_more()
    assert "It is replayed." not in site.html(LOG_PAGE)
    assert [site.page(path).status for path in ("", "storage/", "archive/", LOG_PAGE)] == [200, 200, 200, 200]
    assert site.codes == ["template-error", "broken-link"]
    (site.root / "templates/404.html").unlink()
    site.preview.change(frozenset())
    assert "It is replayed." in site.html(LOG_PAGE.replace("-log", "-journal"))
    assert site.codes == ["broken-link"]


def test_a_title_that_must_wait_keeps_no_other_text_from_being_shown(watch: Watch) -> None:
    site = watch()
    site.saved("templates/home.html", "{% broken")
    site.saved(LOG, post("A title that must wait", 1, "## Replay"))
    site.saved("content/planner/2026-01-03-joins.md", post("Joins", 3, "They are reordered."))
    assert "They are reordered." in site.html("planner/2026-01-03-joins/")
    assert "A title that must wait" not in site.html(LOG_PAGE)
    site.saved("templates/home.html", "<!doctype html><title>Home</title>")
    assert "A title that must wait" in site.html(LOG_PAGE)


def test_a_single_bad_file_neither_freezes_the_site_nor_lets_worse_through(watch: Watch) -> None:
    site = watch()
    (site.root / "content/storage/link.md").symlink_to("elsewhere.md")
    assert site.preview.change(frozenset())
    assert site.codes == ["symlink"]
    site.saved("content/storage/2026-01-05-new.md", post("New", 5, "Words."))
    assert site.page("storage/2026-01-05-new/").status == 200
    assert site.saved("templates/home.html", "{% broken").kept
    assert site.saved("devlog.toml", "broken = \n").kept
    assert "Lumen" in site.html(LOG_PAGE)


def test_a_text_that_cannot_be_read_stays_as_it_was(watch: Watch) -> None:
    site = watch()
    page = site.open(LOG_PAGE)
    site.saved(LOG, "x" * (1 << 20) + "x")
    assert site.codes == ["too-large"]
    assert site.html(LOG_PAGE) == page
    site.saved(LOG, post("The log", 1, "## Replay\n\nNew words."))
    assert "New words." in site.html(LOG_PAGE)
    (site.root / "content").rename(site.root / "elsewhere")
    site.preview.change(frozenset())
    assert site.codes == ["missing-folder"]
    assert "New words." in site.html(LOG_PAGE)


def test_marks_follow_the_configuration(watch: Watch) -> None:
    site = watch({"devlog.toml": EDITOR, LOG: post("The log", 1, "It is <b>replayed</b>.")})
    assert "<b>replayed</b>" in site.html(LOG_PAGE)
    site.saved("devlog.toml", EDITOR.replace("[serve]", 'html = "escape"\n[serve]'))
    assert "<b>replayed</b>" not in site.html(LOG_PAGE)


def test_a_page_asked_for_between_a_save_and_its_notice(watch: Watch) -> None:
    site = watch({"devlog.toml": EDITOR})
    before = (site.root / LOG).read_text()
    write_site(site.root, {LOG: post("The log", 1, "New words.")})
    assert site.page(LOG_PAGE).status == 200
    write_site(site.root, {LOG: before})
    site.preview.change(frozenset([LOG]))
    site.saved("content/planner/2026-01-03-joins.md", post("Joins", 3, "They are reordered."))
    assert "<!--devlog:7--><h2" in site.html(LOG_PAGE).replace("\n", "")


def test_a_base_path_that_is_percent_encoded(watch: Watch) -> None:
    site = watch({"devlog.toml": 'base_url = "https://lumen.example.org/my%20logs/"\n'})
    future = site.preview.ask("/my logs/")
    site.jobs.step()
    answer = future.result(0)
    assert isinstance(answer, Page)
    assert answer.status == 200
    assert site.preview.ask("/").result(0) == RedirectResponse("/my%20logs/")


def test_a_fault_of_ours_loses_no_change(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    site = watch()
    file = "content/storage/2026-01-05-new.md"
    with monkeypatch.context() as patch:
        patch.setattr("devlog.serve.preview.planned", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            site.save(file, post("New", 5, "Words."))
    assert site.preview.change(frozenset())
    assert site.page("storage/2026-01-05-new/").status == 200


def test_a_body_that_is_lost_from_the_cache_is_made_again(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MANY", 0)
    first = watch()
    while first.preview.is_reading:
        first.preview.read_more()
    (body,) = [text.document.body for text in first.preview._texts.parsed.values() if text.file == LOG]
    second = Watched(first.root)
    assert not second.preview.is_reading
    second.preview._store._connection.execute("DELETE FROM record WHERE key = ?", [body])
    assert "It is replayed." in second.html(LOG_PAGE)
    second.preview.close()


def test_the_time_goes_on(watch: Watch) -> None:
    now = NOW
    site = watch({LOG: post("The log", 1, "## Replay", f"publishDate: {NOW.date() + timedelta(1)}\n")})
    site.preview._options = Options(site.root, ORIGIN, now=lambda: now, jobs=1)
    assert site.page(LOG_PAGE).state == "future"
    now = NOW + timedelta(2)
    site.saved("content/planner/2026-01-03-joins.md", post("Joins", 3, "They are reordered."))
    assert site.page(LOG_PAGE).state == ""


def test_the_time_goes_on_without_a_change_of_a_file(watch: Watch) -> None:
    now = NOW
    site = watch({LOG: post("The log", 1, "## Replay", f"publishDate: {NOW.date() + timedelta(1)}\n")}, drafts=False)
    site.preview._options = Options(site.root, ORIGIN, drafts=False, now=lambda: now, jobs=1)
    assert site.page(LOG_PAGE).status == 404
    left = site.preview.seconds_left
    assert left is not None
    assert 0 < left <= 24 * 3600
    now = NOW + timedelta(seconds=left - 1)
    assert site.preview.change(frozenset()) is None
    now = NOW + timedelta(seconds=left)
    site.preview.change(frozenset())
    assert site.page(LOG_PAGE).status == 200
    assert site.preview.seconds_left is None


def test_git_dates_follow_the_history(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    files = {"content/storage/_index.md": "", "content/storage/log.md": "# Log\n\nWords.\n"}
    site = Watched(write_site(tmp_path, files))
    assert "missing-date" in site.codes
    subprocess.run([*git, "add", "content"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "A log"], check=True)
    site.saved("content/storage/other.md", "# Other\n")
    assert [item.span.path for item in site.preview.diagnostics if item.code == "missing-date"] == [
        "content/storage/other.md"
    ]
    site.preview.close()


def test_git_dates_follow_the_history_after_an_edit_of_a_body(tmp_path: Path) -> None:
    site = Watched(write_site(tmp_path, {"content/storage/_index.md": "", "content/storage/log.md": "# Log\n"}))
    git(tmp_path, "init", "-q")
    for body, missing in (("No commit.\n", True), ("One.\n", True), ("Two.\n", False)):
        site.saved("content/storage/log.md", f"# Log\n\n{body}")
        assert ("missing-date" in site.codes) == missing
        git(tmp_path, *(("commit", "-q", "--allow-empty", "-m", "A") if body[0] == "N" else ("add", "content")))
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "B")
    site.preview.close()


def test_changes_of_a_post_follow_the_history(tmp_path: Path) -> None:
    files = {"devlog.toml": "updated_from_git = true\n", "content/2026-05-01-a.md": "# Log\n"}
    site = Watched(write_site(tmp_path, files))
    git(tmp_path, "init", "-q")
    for day, text in ((1, "One"), (7, "Two"), (9, "Three")):
        site.saved("content/2026-05-01-a.md", f"# Log\n\n{text}.\n")
        assert ("May 7, 2026" in site.html("2026-05-01-a/")) == (day == 9)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "A", day=f"2026-05-{day:02}")
    site.preview.close()


def test_a_date_that_is_removed_comes_from_the_history(tmp_path: Path) -> None:
    """Also where the history is asked for changes of that post already."""
    log = "content/storage/log.md"
    files = {
        "devlog.toml": "updated_from_git = true\n",
        "content/storage/_index.md": "",
        log: "---\ndate: 2026-05-01\n---\n# Log\n",
    }
    repository(write_site(tmp_path, files))
    site = Watched(tmp_path)
    assert "missing-date" not in site.codes
    site.saved(log, "# Log\n")
    assert "missing-date" not in site.codes
    site.preview.close()


@pytest.mark.parametrize("folder", ["", "docs/log"])
def test_a_commit_in_the_sites_own_repository_is_followed(tmp_path: Path, folder: str) -> None:
    """It may give a post its date, although it changes no file."""
    root = tmp_path / folder
    repository(write_site(tmp_path, {"README.md": "The log.\n"}))
    site = Watched(write_site(root, {"content/storage/_index.md": "", "content/storage/log.md": "# Log\n"}))
    assert "missing-date" in site.codes
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "A post")
    (log,) = (name for name in _watched_paths(root, site.preview.inputs).files if name.endswith("logs/HEAD"))
    assert (root / log).samefile(tmp_path / ".git/logs/HEAD")
    site.preview.change(frozenset({log}))
    assert "missing-date" not in site.codes
    site.preview.close()


def test_git_dates_follow_a_clone_that_is_made_deep(tmp_path: Path) -> None:
    origin = write_site(tmp_path / "origin", {"content/storage/_index.md": "", "content/storage/log.md": "# Log\n"})
    repository(origin)
    git(origin, "commit", "-q", "--allow-empty", "-m", "Two")
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), "site")
    site = Watched(tmp_path / "site")
    assert "missing-date" in site.codes
    git(tmp_path / "site", "fetch", "-q", "--unshallow")
    assert ".git/shallow" in _watched_paths(tmp_path / "site", site.preview.inputs).files
    site.preview.change(frozenset({".git/shallow"}))
    assert "missing-date" not in site.codes
    site.preview.close()


def test_feeds_are_made_once(watch: Watch) -> None:
    site = watch()
    site.preview.change(frozenset())
    for _ in range(3):
        assert shown(site.preview, site.jobs, "index.xml") is shown(site.preview, site.jobs, "index.xml")
