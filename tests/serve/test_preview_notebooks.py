"""The preview follows edits of notebooks, and shows the images in them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from notebook_files import EDITS, FILE, IMAGE, SITE, plotted
from outcomes import outcome
from serve_sites import ORIGIN, data_of, shown
from sites import NOW, build_site, write_site
from writers import png

from devlog.serve.jobs import Jobs
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
