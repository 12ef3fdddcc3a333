"""The preview follows edits of notebooks, and shows the images in them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from cProfile import Profile
from pathlib import Path

import pytest
from notebook_files import EDITS, FILE, HEAD, IMAGE, SITE, code, encoded, notebook, plotted, result, text
from outcomes import outcome
from serve_sites import ORIGIN, data_of, shown
from sites import NOW, build_site, write_site
from writers import png

from devlog.engine.jobs import Jobs
from devlog.parse.convert import convert
from devlog.serve.preview import Options, Preview

pytestmark = pytest.mark.feature("notebooks")


@pytest.mark.slow
def test_previews_follow_every_edit(tmp_path: Path) -> None:
    root, jobs = write_site(tmp_path / "site", {**SITE, FILE: plotted(png(4, 3))}), Jobs()
    with closing(Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)) as preview:
        preview.change(frozenset())
        for number, edited in enumerate((plotted(png(4, 3)), *EDITS.values())):
            write_site(root, {FILE: edited})
            preview.change(frozenset({FILE}))
            clean = write_site(tmp_path / str(number), {**SITE, FILE: edited})
            files = outcome(clean, build_site(clean, base_url=f"{ORIGIN}/")).files
            for path in files:
                if path == IMAGE:
                    assert data_of(shown(preview, jobs, path)) == files[path]
                elif path.endswith("index.html") and "large" not in list(EDITS)[number - 1]:
                    assert data_of(shown(preview, jobs, path)) == files[path], path


WRONG = {
    "cut": plotted(png(4, 3))[:-40],
    "a wrong date beside another image": plotted(png(6, 6)).replace("date: 2026-05-04", "date: nonsense"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_images_of_the_last_good_version_stay(tmp_path: Path, kind: str) -> None:
    """While a notebook has an error, its last good page is shown, with the images that were seen in it."""
    root, jobs = write_site(tmp_path / "site", {**SITE, FILE: plotted(png(4, 3))}), Jobs()
    with closing(Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)) as preview:
        preview.change(frozenset())
        image = data_of(shown(preview, jobs, IMAGE))
        for number in range(3):
            write_site(root, {FILE: WRONG[kind] + " " * number})
            preview.change(frozenset({FILE}))
            assert data_of(shown(preview, jobs, IMAGE)) == image
        write_site(root, {FILE: plotted(png(5, 6))})
        preview.change(frozenset({FILE}))
        assert data_of(shown(preview, jobs, IMAGE)) not in (b"", image)


def conversions(work: Callable[[], object]) -> int:
    """How many notebooks some work converts."""
    profile = Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats() if entry.code is convert.__code__)


def test_each_notebook_is_converted_once_for_its_images(tmp_path: Path) -> None:
    """A browser asks for the images of a page in any order, such as the first of each notebook, then the second."""
    names = [f"2026-05-04-{name}" for name in ("red", "blue", "green", "gray")]
    images = {name: [png(3 + number, 4 + which) for which in range(2)] for number, name in enumerate(names)}
    notebooks = {
        f"content/log/{name}.ipynb": notebook(
            text(HEAD, "raw"), *(code("log.plot()", result(image_png=encoded(image))) for image in images[name])
        )
        for name in names
    }
    root, jobs = write_site(tmp_path / "site", {**SITE, **notebooks}), Jobs()
    with closing(Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)) as preview:
        preview.change(frozenset())

        def ask() -> None:
            for which in range(2):
                for name in names:
                    answer = shown(preview, jobs, f"log/{name}/cell-{2 + which}.png")
                    assert data_of(answer) == images[name][which]

        assert conversions(ask) == len(names)
        assert conversions(ask) == 0
