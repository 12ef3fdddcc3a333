"""Every template as readers see it, in both modes and at three widths, compared with how it was.

    python -m tests.quality.screenshots            compare; what differs is written to OUT as old, new and difference
    python -m tests.quality.screenshots --update   keep how it is now, after you have looked at it
    python -m tests.quality.screenshots --full     write them to OUT in full size, for looking at

The stored ones lie in tests/quality/screenshots. Fonts are those of Debian's package fonts-dejavu, whatever else is
installed, and the site (`showcase.py`) is built for a fixed moment.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from quality.browsing import SCHEMES, chromium, tab
from quality.pictures import TALLEST, TOLERATED, difference, packed, shrunk
from quality.server import serving
from quality.showcase import PAGES, build_showcase

STORED = Path(__file__).parent / "screenshots"
OUT = Path(tempfile.gettempdir()) / "devlog-screenshots"
WIDTHS = (390, 768, 1280)
VARYING = frozenset({"subscribe"})
"""Pages that show absolute URLs, and so the port of the server, which differs each time."""

# Pictures that wait until they are scrolled to are fetched; films, which turn a wheel while they wait, show none.
_SETTLE = """async () => {
  for (const film of document.querySelectorAll("video")) { film.controls = false; }
  for (const image of document.images) { image.loading = "eager"; }
  await Promise.all([...document.images].map((image) => image.decode().catch(() => null)));
  await document.fonts.ready;
}"""


def shots(only: Sequence[str] = ()) -> Iterator[tuple[str, bytes]]:
    """The name of each screenshot and its PNG in full size.

    Args:
        only: the short names of pages; all if there are none.
    """
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "public", "/lumen/") as url:
        build_showcase(Path(folder), url)
        with chromium() as browser:
            for width in WIDTHS:
                for scheme in SCHEMES:
                    with tab(browser, url, width=width, scheme=scheme) as opened:
                        for name, path in PAGES.items():
                            if name in VARYING or (only and name not in only):
                                continue
                            opened.open(path)
                            opened.page.evaluate(_SETTLE)
                            height = opened.page.evaluate("() => document.documentElement.scrollHeight")
                            clip = {"x": 0, "y": 0, "width": width, "height": min(height, TALLEST)}
                            data = opened.page.screenshot(
                                full_page=True, clip=clip, animations="disabled", caret="hide"
                            )
                            yield f"{name}-{width}-{scheme}", data


def faults(out: Path, only: Sequence[str] = ()) -> list[str]:
    """What is not as it is stored; old, new and difference are written to a folder.

    Args:
        out: the folder, which is made when there is something to show.
        only: the short names of pages; all if there are none.
    """
    found, seen = [], set()
    for name, data in shots(only):
        seen.add(f"{name}.png")
        new, file = shrunk(data), STORED / f"{name}.png"
        if not file.exists():
            found.append(f"{name} is not stored")
            continue
        old = Image.open(file).convert("RGB")
        share, shown = difference(old, new)
        if share > TOLERATED:
            out.mkdir(parents=True, exist_ok=True)
            for kind, image in {"old": old, "new": new, "difference": shown}.items():
                image.save(out / f"{name}-{kind}.png")
            found.append(f"{name}: {share:.2%} differ, see {out}/{name}-difference.png")
    if not only:
        found += [f"{file.name} is stored, and no page is so" for file in stored() if file.name not in seen]
    return found


def stored() -> list[Path]:
    """The screenshots that are kept."""
    return sorted(STORED.glob("*.png"))


def update(only: Sequence[str] = ()) -> tuple[int, int]:
    """Keep how pages look now; how many differ from before, and how many bytes all take.

    A picture that looks as before stays as it is, so that an update touches only what has changed.
    """
    STORED.mkdir(exist_ok=True)
    seen, changed = set(), 0
    for name, data in shots(only):
        new, file = shrunk(data), STORED / f"{name}.png"
        seen.add(file)
        old = file.read_bytes() if file.exists() else b""
        if old != packed(new) and (not old or difference(Image.open(file).convert("RGB"), new)[0] > TOLERATED / 20):
            file.write_bytes(packed(new))
            changed += 1
    for file in stored():
        if not only and file not in seen:
            file.unlink()
            changed += 1
    return changed, sum(file.stat().st_size for file in stored())


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare or keep, and say by the exit status whether all is as it was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path, metavar="OUT", help="a folder for what differs")
    parser.add_argument("--update", action="store_true", help="keep how pages look now")
    parser.add_argument("--full", action="store_true", help="write all to OUT in full size, and compare nothing")
    parser.add_argument("--only", action="append", default=[], choices=PAGES, help="only this page; may be repeated")
    chosen = parser.parse_args(arguments)
    out = chosen.out or OUT
    if chosen.full:
        out.mkdir(parents=True, exist_ok=True)
        for name, data in shots(chosen.only):
            (out / f"{name}.png").write_bytes(data)
        print(f"written to {out}")
        return 0
    if chosen.update:
        changed, size = update(chosen.only)
        print(f"{changed} changed, {len(stored())} are stored, {size / 1e6:.1f} MB in all")
        return 0
    found = faults(out, chosen.only)
    for line in found:
        print(line)
    if found:
        print("If that is how it should be: python -m tests.quality.screenshots --update")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
