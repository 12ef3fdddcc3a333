"""The preview follows plugins: a changed one counts at once, a broken one is told and leaves the last good site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serve_sites import ORIGIN, shown
from sites import NOW, write_site

from devlog.engine.jobs import Jobs
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Data, Page
from devlog.serve.run import _watched_paths

PLUGIN = """\
import re
from devlog.plugin import PlannedFile, Plugin


def mark(state, silent):
    found = re.compile("LUM-[0-9]+").match(state.src, state.pos)
    if found and not silent:
        state.push("mark_open", "mark", 1)
        state.push("text", "", 0).content = found[0]
        state.push("mark_close", "mark", -1)
    state.pos = found.end() if found else state.pos
    return found is not None


def rules(parser):
    parser.inline.ruler.before("link", "mark", mark)
    parser.inline.add_terminator_char("L")


def years(outline):
    yield PlannedFile("/years.txt", "years", {"posts": len(outline.site.posts)})


def write_years(target, resources):
    return f"one {target.context['posts']}"


plugin = Plugin("lumen", markdown=rules, plans=(years,), recipes={"years": write_years})
"""
SITE = {
    "devlog.toml": 'plugins = ["plugins.py"]\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    "content/storage/2026-05-03-a.md": "---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\nIt mends LUM-12.\n",
    "plugins.py": PLUGIN,
}
PAGE = "storage/2026-05-03-a/index.html"


class Followed:
    """A site and its preview."""

    def __init__(self, root: Path) -> None:
        self.root = write_site(root, SITE)
        self.jobs = Jobs()
        options = Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False)
        self.preview = Preview(options, self.jobs, lambda: ["/"])
        self.preview.change(frozenset())

    def save(self, text: str, file: str = "plugins.py") -> None:
        (self.root / file).write_text(text, "utf-8")
        self.preview.change(frozenset({file}))

    def text(self, path: str) -> str:
        answer = shown(self.preview, self.jobs, path)
        assert isinstance(answer, Page | Data)
        return (answer.html if isinstance(answer, Page) else answer.data).decode()

    @property
    def codes(self) -> list[str]:
        return [item.code for item in self.preview.diagnostics]


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    made = Followed(tmp_path)
    yield made
    made.preview.close()


@pytest.mark.slow
def test_a_changed_plugin_counts_at_once(followed: Followed) -> None:
    assert "<mark>LUM-12</mark>" in followed.text(PAGE)
    assert followed.text("years.txt") == "one 1"
    followed.save(PLUGIN.replace("one {", "two {").replace('"mark",', '"kbd",'))
    assert followed.text("years.txt") == "two 1"
    assert "<kbd>LUM-12</kbd>" in followed.text(PAGE)


@pytest.mark.slow
def test_a_broken_plugin_leaves_the_last_good_site(followed: Followed) -> None:
    followed.save(PLUGIN + "x = (\n")
    assert followed.codes == ["bad-plugin"]
    (problem,) = followed.preview.diagnostics
    assert (problem.span.path, problem.span.line, problem.line_text) == ("plugins.py", 29, "x = (")
    assert "<mark>LUM-12</mark>" in followed.text(PAGE)
    assert followed.text("years.txt") == "one 1"
    followed.save(SITE["content/storage/2026-05-03-a.md"] + "\nMore, LUM-13.\n", "content/storage/2026-05-03-a.md")
    assert "<mark>LUM-13</mark>" in followed.text(PAGE)
    followed.save(PLUGIN.replace("one {", "two {"))
    assert followed.codes == []
    assert followed.text("years.txt") == "two 1"


@pytest.mark.slow
def test_a_recipe_that_fails_is_told_and_the_old_file_stays(followed: Followed) -> None:
    assert followed.text("years.txt") == "one 1"
    followed.save(PLUGIN.replace("return f", "return 1 / 0, f"))
    assert followed.text("years.txt") == "one 1"
    news = followed.preview.news()
    assert news
    assert "plugin-failed" in followed.codes
    followed.save(PLUGIN)
    assert followed.text("years.txt") == "one 1"
    followed.preview.news()
    assert followed.codes == []


@pytest.mark.slow
def test_a_plan_that_fails_leaves_the_last_good_site(followed: Followed) -> None:
    followed.save(PLUGIN.replace("    yield PlannedFile", "    1 / 0\n    yield PlannedFile"))
    assert followed.codes == ["plugin-failed"]
    assert followed.text("years.txt") == "one 1"


def test_files_of_plugins_are_watched(followed: Followed) -> None:
    assert "plugins.py" in _watched_paths(followed.root, followed.preview.inputs).files
