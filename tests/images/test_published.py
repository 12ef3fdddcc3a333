"""What a site publishes beside its pictures, what its pages say of it, and what is done for it again and again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from check_cases import check_site
from photos import PAGE, POST, SITE, A, bomb, jpeg, opened, photo, site, written
from PIL import Image
from sites import NOW, build_site, read_tree, write_site

import devlog.pipeline
from devlog import deriving, packages
from devlog.engine import toolchain
from devlog.engine.jobs import Jobs
from devlog.model.derived import MadeRecord, Work
from devlog.model.diagnostic import Diagnostic, Span
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Data, Page
from devlog.stages import Stages

ORIGIN = "http://127.0.0.1:8000"
SMALL = '[images]\nwidths = [100, 200, 400]\nformats = ["avif", "webp"]\n'
"""Widths for pictures that are quickly made, in all formats."""

NO_CARDS = "[cards]\nenabled = false\n"
"""Pillow draws cards, too."""

_SOURCE = re.compile(r'<source type="([^"]*)" srcset="([^"]*)" sizes="([^"]*)">')


class Counted(Stages):
    """Stages that count what is really made of images."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.images = 0

    def _make_job(self, work: Work) -> Any:
        self.images += work.function.startswith("devlog.features.images.")
        return super()._make_job(work)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Counted]:
    """The stages of builds and checks, one after the other."""
    found: list[Counted] = []

    def begin(*given: Any) -> Counted:
        found.append(Counted(*given))
        return found[-1]

    monkeypatch.setattr(devlog.pipeline, "Stages", begin)
    return found


def page(root: Path) -> str:
    return (root / PAGE).read_text("utf-8")


def made_files(root: Path) -> dict[str, bytes]:
    """The pictures that were made, by their URL."""
    return {f"/lumen/images/{path}": data for path, data in read_tree(root / "public/images").items()}


def candidates(html: str) -> dict[str, list[tuple[str, int]]]:
    """What a page offers instead of its pictures: URL and width by media type."""
    found: dict[str, list[tuple[str, int]]] = {}
    for kind, srcset, _ in _SOURCE.findall(html):
        pairs = (one.split(" ") for one in srcset.split(", "))
        found.setdefault(kind, []).extend((url, int(width.removesuffix("w"))) for url, width in pairs)
    return found


# -- what is published


@pytest.mark.slow
def test_a_page_offers_what_is_there(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.jpg": jpeg(1000, 600)}, config=SMALL)
    report = build_site(root, strict=True)
    assert not report.diagnostics
    offered = candidates(page(root))
    assert list(offered) == ["image/avif", "image/webp"]
    files = made_files(root)
    assert sorted(files) == sorted(url for some in offered.values() for url, _ in some)
    for kind, some in offered.items():
        assert [width for _, width in some] == [100, 200, 400]
        for url, width in some:
            image = opened(files[url])
            assert (f"image/{str(image.format).lower()}", image.size) == (kind, (width, width * 6 // 10))
            assert url.endswith(f"-{width}.{kind.partition('/')[2]}")
    image = '<img src="/lumen/storage/2026-05-01-a/a.jpg" width="1000" height="600"'
    assert image.replace("/2026-05-01-a/", "/") in page(root) or image in page(root)
    assert "(min-width: 776px) 776px, 100vw" in page(root)


@pytest.mark.slow
def test_only_what_readers_see_is_made(tmp_path: Path, counted: list[Counted]) -> None:
    root = site(tmp_path, {"a.jpg": jpeg(), "b.jpg": jpeg(seed=2), "c.jpg": jpeg(seed=3)}, "![a](a.jpg)", SMALL)
    write_site(root, {"content/storage/b.md": POST.replace("---\n", "---\ndraft: true\n", 1) + "![b](b.jpg)"})
    build_site(root)
    assert counted[-1].images == 1, "one picture, decoded once for two formats"
    assert len(made_files(root)) == 6


def test_small_files_and_drawings_are_left_alone(tmp_path: Path, counted: list[Counted]) -> None:
    small = written(photo(100, 60))
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500"><!--' + b"x" * 20_000 + b"--></svg>"
    root = site(tmp_path, {"a.jpg": small, "b.svg": svg}, config=SMALL)
    build_site(root)
    assert counted[-1].images == 0
    assert "<picture>" not in page(root)
    assert page(root).count("<img ") == 2


@pytest.mark.slow
def test_what_moves_is_published_as_it_is(tmp_path: Path) -> None:
    moving = written(photo(), "GIF", save_all=True, append_images=[photo(seed=2)])
    root = site(tmp_path, {"a.gif": moving}, config=SMALL)
    assert not build_site(root).diagnostics
    assert "<picture>" not in page(root)
    assert next((root / "public").rglob("a.gif")).read_bytes() == moving


_WITHOUT_AVIF = """\
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "PIL._avif":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
"""
"""As `sitecustomize`: makes of Pillow a build of the same version that lacks a format."""


def build_again(root: Path, path: Path) -> set[str]:
    """Build a site in a process of its own, with modules of a folder; the modules of images that it has loaded."""
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{Path(__file__).parents[2]}"}
    command = [sys.executable, "-v", "-m", "devlog", "build"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert not done.returncode, done.stderr
    return {"PIL._imaging", "PIL._avif"} & set(re.findall(r"^import '(\S+)' #", done.stderr, re.MULTILINE))


@pytest.mark.slow
def test_another_build_of_pillow_makes_images_again(tmp_path: Path) -> None:
    """Of the same version: it may lack formats, or have other libraries below it."""
    root = site(tmp_path / "site", {"a.jpg": jpeg()}, config=SMALL + NO_CARDS)
    lacking = write_site(tmp_path / "lacking", {"sitecustomize.py": _WITHOUT_AVIF})
    builds = []
    for path in (lacking, tmp_path, lacking):
        build_again(root, path)
        builds.append({Path(name).suffix for name in made_files(root)})
    assert builds == [{".webp"}, {".avif", ".webp"}, {".webp"}]


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes of Pillow a build that lacks formats."""
    Image.init()  # it does so once, and must not find them lacking

    def without(*names: str) -> None:
        monkeypatch.undo()
        for name in names:
            monkeypatch.setitem(sys.modules, f"PIL._{name}", None)
        toolchain.image_libraries.cache_clear()
        toolchain.codecs.cache_clear()

    yield without
    without()


LACKS = "this build of Pillow lacks it"


@pytest.mark.slow
def test_a_format_that_pillow_lacks_is_named_where_it_is_asked_for(
    tmp_path: Path, lacking: Callable[..., None]
) -> None:
    root = site(tmp_path, {"a.jpg": jpeg()}, config=SMALL + NO_CARDS)
    lacking("avif")
    first = build_site(root).diagnostics
    assert [(item.code, item.severity) for item in first] == [("no-image-format", "warning")]
    assert first[0].span == Span("devlog.toml", 4, 1, 7)
    assert first[0].message == f"no images are made as AVIF: {LACKS}"
    assert first[0].hint == "install a build of Pillow that has it, or remove “avif”"
    assert {Path(name).suffix for name in made_files(root)} == {".webp"}
    assert build_site(root).diagnostics == first, "also if nothing changes"
    write_site(root, {A: f"{POST}More.\n\n![one](a.jpg)\n"})
    assert build_site(root).diagnostics == build_site(root, cache=False).diagnostics == first
    assert check_site(root).diagnostics == first
    lacking()
    assert not build_site(root).diagnostics
    lacking("avif", "webp")
    (problem,) = build_site(root).diagnostics
    assert problem.message == f"no images are made as AVIF or WebP: {LACKS}"
    assert problem.hint.endswith("remove “avif” and “webp”")
    assert not made_files(root)


@pytest.mark.parametrize(
    ("config", "name"),
    [("[images]\nwidths = [100]\n", "a.jpg"), (SMALL, "a.svg"), (f"{SMALL}enabled = false\n", "a.jpg")],
)
def test_a_format_that_nobody_asks_for_or_needs_may_be_lacking(
    tmp_path: Path, lacking: Callable[..., None], config: str, name: str
) -> None:
    data = jpeg() if name == "a.jpg" else b'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'
    root = site(tmp_path, {name: data}, config=config + NO_CARDS)
    lacking("avif", "webp")
    assert not build_site(root).diagnostics


@pytest.mark.slow
@pytest.mark.parametrize("shows", [True, False])
def test_a_build_with_nothing_to_do_loads_libraries_of_images_only_for_images(tmp_path: Path, shows: bool) -> None:
    root = site(tmp_path / "site", {"a.jpg": jpeg()} if shows else {}, config=SMALL)
    build_again(root, tmp_path)
    assert build_again(root, tmp_path) == ({"PIL._avif", "PIL._imaging"} if shows else set())


@pytest.mark.slow
def test_an_original_may_be_the_widest_of_its_format(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.webp": written(photo(300, 200), "WEBP", quality=95)}, config=SMALL)
    build_site(root)
    (url, width) = candidates(page(root))["image/webp"][-1]
    assert width == 300
    assert f'src="{url}"' in page(root)


def test_the_format_of_an_original_is_what_it_contains_not_what_its_name_says(tmp_path: Path) -> None:
    webp, png = written(photo(300, 200), "WEBP", quality=95), written(photo(300, 200), "PNG")
    root = site(tmp_path, {"a.png": webp}, config="[images]\nwidths = [100, 400]\n")
    build_site(root)
    offered = candidates(page(root))["image/webp"]
    assert [width for _, width in offered] == [100, 300]
    assert f'src="{offered[-1][0]}"' in page(root)
    write_site(root, {"content/storage/a.png": b"", "content/storage/a.webp": png, A: POST + "![a](a.webp)"})
    build_site(root)
    offered = candidates(page(root))["image/webp"]
    assert [width for _, width in offered] == [100, 300]
    assert {opened(made_files(root)[url]).format for url, _ in offered} == {"WEBP"}


@pytest.mark.slow
def test_a_heavier_format_is_not_offered(tmp_path: Path) -> None:
    """Browsers take the first format that they know, so that must be the lightest."""
    root = site(tmp_path, {"a.jpg": jpeg(quality=95)}, config=SMALL)
    build_site(root)
    weights = {kind: len(made_files(root)[some[-1][0]]) for kind, some in candidates(page(root)).items()}
    assert list(weights) == sorted(weights, key=lambda kind: weights[kind])


@pytest.mark.slow
def test_copies_of_one_picture_share_what_is_made(tmp_path: Path, counted: list[Counted]) -> None:
    picture = jpeg()
    root = site(tmp_path, {"a.jpg": picture, "b.jpg": picture}, config=SMALL)
    assert not build_site(root).failed
    assert counted[-1].images == 1
    assert len(made_files(root)) == 6
    assert len(candidates(page(root))["image/avif"]) == 6


@pytest.mark.slow
def test_names_never_collide_with_files_of_the_site(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.jpg": jpeg()}, config=SMALL)
    build_site(root)
    taken = min(made_files(root))
    own = f"static/{taken.removeprefix('/lumen/')}"
    write_site(root, {own: b"mine"})
    report = build_site(root)
    assert not report.failed
    assert made_files(root)[taken] == b"mine"
    assert taken not in page(root)
    stem, _, ending = taken.rpartition(".")
    assert opened(made_files(root)[f"{stem}-2.{ending}"])
    assert f"{stem}-2.{ending}" in page(root)


@pytest.mark.parametrize(("config", "kinds"), [
    ("[images]\nenabled = false\n", []),
    ("[images]\nwidths = []\n", []),
    ("[images]\nformats = []\n", []),
    ("", ["image/webp"]),
    ('[images]\nwidths = [100]\nformats = ["avif"]\n', ["image/avif"]),
    ('[images]\nwidths = [100]\nformats = ["webp", "webp"]\n', ["image/webp"]),
])  # fmt: skip
def test_the_configuration_decides(tmp_path: Path, config: str, kinds: list[str]) -> None:
    root = site(tmp_path, {"a.jpg": jpeg()}, config=config)
    assert not build_site(root).diagnostics
    assert list(candidates(page(root))) == kinds


# -- what pages say


def body_of(html: str) -> str:
    return html.partition('class="e-content')[2].partition("</article>")[0]


def images(html: str) -> list[str]:
    return re.findall(r"<img [^>]*>", html)


@pytest.mark.slow
def test_the_first_picture_in_sight_is_loaded_at_once(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.jpg": jpeg(), "b.jpg": jpeg(seed=2)}, config="[images]\nenabled = false\n")
    build_site(root)
    first, second = images(page(root))
    assert 'loading="lazy"' not in first
    assert 'loading="lazy"' in second
    (root / A).write_text(POST + "Many words come first. " * 100 + "\n\n![a](a.jpg)\n\n![b](b.jpg)\n")
    build_site(root)
    assert all('loading="lazy"' in image for image in images(page(root)))


RAW = {
    '<img src="a.jpg" alt="x" width="300">': 2,
    '<p align="center"><img alt="x" src="a.jpg"></p>': 2,
    'text <img src="a.jpg" alt="x"> text': 2,
    '<picture><source media="(min-width: 1px)" srcset="a.jpg"><img src="a.jpg" alt="x"></picture>': 0,
    'text <picture><img src="a.jpg" alt="x"></picture> text': 0,
    '<img src="a.jpg" srcset="a.jpg 2x" alt="x">': 0,
    '<img src="a.jpg" loading="eager" alt="x">': 0,
    '<img src="https://example.org/a.jpg" alt="x"><img src="a.jpg" alt="y">': 2,
    "[![x](a.jpg)](https://example.org)": 2,
    '{{< figure src="a.jpg" caption="*x*" >}}': 2,
    '<figure>{{< figure src="a.jpg" caption="x" >}}</figure>': 2,
    "![x][l]\n\n[l]: a.jpg": 2,
    "| a |\n|---|\n| ![x](a.jpg) |": 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("html", ["safe", "trusted"])
@pytest.mark.parametrize("text", RAW)
def test_every_way_of_showing_a_picture(tmp_path: Path, text: str, html: str) -> None:
    root = site(tmp_path, {"a.jpg": jpeg()}, f"{text}\n", f'html = "{html}"\n{SMALL}')
    assert not [item for item in build_site(root).diagnostics if item.severity == "error"]
    body = body_of(page(root))
    assert len(_SOURCE.findall(body)) == RAW[text]
    assert body.count("<picture>") == body.count("</picture>")
    assert "devlog-placeholder" not in body
    if RAW[text]:
        assert len(re.findall(r"<picture>(?:<source [^>]*>){2}<img [^<>]*></picture>", body)) == 1


@pytest.mark.slow
def test_feeds_have_the_original(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.jpg": jpeg(), "a.dark.jpg": jpeg(seed=2)}, "![a](a.jpg)\n", SMALL)
    build_site(root)
    for name in ("index.xml", "feed.xml", "feed.json"):
        text = (root / "public" / name).read_text("utf-8")
        assert "a.jpg" in text
        assert "width" in text
        for never in ("picture", "srcset", "a.dark.jpg", "/images/"):
            assert never not in text, name


@pytest.mark.slow
def test_a_tag_that_was_swallowed_leaves_no_frame(tmp_path: Path) -> None:
    """An attribute that is never closed takes the tag of the picture with it."""
    for text in ('<div title="\n\n![x](a.jpg)', '<a title="\n\n![x](a.jpg) "x">', "<textarea>\n\n![x](a.jpg)"):
        root = site(tmp_path, {"a.jpg": jpeg()}, text)
        build_site(root)
        body = body_of(page(root))
        assert body.count("<picture>") == body.count("</picture>") == len(re.findall("<picture>.*?<img .*?>", body))
        assert "devlog-placeholder" not in body


# -- light and dark


@pytest.mark.parametrize(("fragment", "mode"), [
    ("gh-dark-mode-only", "dark"),
    ("gh-light-mode-only", "light"),
    ("only-dark", "dark"),
    ("only-light", "light"),
])  # fmt: skip
@pytest.mark.parametrize("way", ["![a](a.png#{})", '<img src="a.png#{}" alt="a">', '{{{{< figure src="a.png#{}" >}}}}'])
def test_a_picture_for_one_mode(tmp_path: Path, way: str, fragment: str, mode: str) -> None:
    root = site(tmp_path, {"a.png": written(photo(50, 30), "PNG")}, way.format(fragment))
    assert not build_site(root).diagnostics
    (found,) = re.findall(r'<picture class="only-(\w+)"><img src="[^"#]*a\.png" ([^>]*)></picture>', page(root))
    assert found[0] == mode
    assert 'loading="lazy"' in found[1], "what is hidden is not loaded"


@pytest.mark.slow
def test_a_pair_beside_each_other(tmp_path: Path) -> None:
    pair = {"a.png": written(photo(500, 300), "PNG"), "a.dark.png": written(photo(500, 300, 2), "PNG")}
    root = site(tmp_path, pair, "![a chart](a.png)\n", SMALL)
    assert not build_site(root).diagnostics
    light, dark = re.findall(r'<picture class="only-(\w+)">(.*?)</picture>', page(root))
    assert (light[0], dark[0]) == ("light", "dark")
    for html, name in ((light[1], "a.png"), (dark[1], "a.dark.png")):
        assert f'/{name}" width="500" height="300" loading="lazy"' in html
        assert 'alt="a chart"' in html
        assert _SOURCE.findall(html)
    assert not [item for item in check_site(root).diagnostics if item.code == "unused-image"]


# -- once and for all


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_root: Path, file: str) -> bytes | Diagnostic:
        raise AssertionError(file)

    monkeypatch.setattr(deriving, "read_bytes", forbidden)


@pytest.mark.slow
def test_nothing_is_made_twice(tmp_path: Path, counted: list[Counted], monkeypatch: pytest.MonkeyPatch) -> None:
    root = site(tmp_path, {"a.jpg": jpeg(), "b.jpg": jpeg(seed=2)}, config=SMALL)
    build_site(root)
    assert counted[-1].images == 2
    before = read_tree(root / "public")
    forbid_reading(monkeypatch)
    report = build_site(root)
    assert (counted[-1].images, report.rendered, report.written) == (0, 0, ())

    # Another text, another name, another output folder: the pictures are the same.
    (root / A).write_text((root / A).read_text() + "More text.\n")
    (root / "content/storage/b.jpg").rename(root / "content/storage/renamed.jpg")
    (root / A).write_text((root / A).read_text().replace("(b.jpg)", "(renamed.jpg)"))
    build_site(root)
    assert counted[-1].images == 0
    assert {path for path in read_tree(root / "public") if path.startswith("images/")} == {
        path for path in before if path.startswith("images/")
    }
    build_site(root, output="elsewhere")
    assert counted[-1].images == 0
    assert len(read_tree(root / "elsewhere/images")) == 12


@pytest.mark.slow
def test_only_what_changed_is_made(tmp_path: Path, counted: list[Counted]) -> None:
    root = site(tmp_path, {"a.jpg": jpeg(), "b.jpg": jpeg(seed=2)}, config=SMALL)
    build_site(root)
    old = set(made_files(root))
    (root / "content/storage/b.jpg").write_bytes(jpeg(seed=3))
    build_site(root)
    assert counted[-1].images == 1
    assert len(set(made_files(root)) & old) == 6
    assert len(made_files(root)) == 12
    config = root / "devlog.toml"
    config.write_text(config.read_text() + "quality = 50\n")
    build_site(root)
    assert counted[-1].images == 2
    assert not set(made_files(root)) & old, "another quality is another address"


@pytest.mark.slow
def test_as_many_processes_as_there_are_make_the_same(tmp_path: Path) -> None:
    pictures_of = {f"{number}.jpg": jpeg(300, 200, number) for number in range(5)} | {"bad.jpg": jpeg()[:20_000]}
    root = site(tmp_path, pictures_of, config=SMALL)
    one = build_site(root, jobs=1, cache=False)
    expected = read_tree(root / "public/images")
    two = build_site(root, jobs=2, cache=False)
    assert read_tree(root / "public/images") == expected
    assert len(expected) == 5 * 2 * 3
    assert one.diagnostics == two.diagnostics


@pytest.mark.slow
def test_the_largest_picture_is_begun_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever meets it last works on it alone while all others are done."""
    widths = {"a.jpg": 300, "b.jpg": 900, "c.jpg": 500}
    root = site(tmp_path, {name: jpeg(width, 200, width) for name, width in widths.items()}, config=SMALL)
    begun: list[str] = []
    derive = Stages.derive

    def watched(stages: Stages, works: Sequence[Work], *more: Any, **named: Any) -> list[MadeRecord]:
        begun.extend(Path(file.file).name for work in works for file in work.files)
        return derive(stages, works, *more, **named)

    monkeypatch.setattr(Stages, "derive", watched)
    build_site(root)
    assert list(dict.fromkeys(begun)) == ["b.jpg", "c.jpg", "a.jpg"]
    html = page(root)
    for name, width in widths.items():  # each is offered what was made of itself
        (some,) = re.findall(rf'<picture>(?:(?!<picture>).)*?src="[^"]*/{name}"', html, re.DOTALL)
        urls = [url for pairs in candidates(some).values() for url, _ in pairs if "/images/" in url]
        sizes = [opened(made_files(root)[url]).size for url in urls]
        assert len(sizes) > 2
        assert {round(width * high / wide / 20) for wide, high in sizes} == {10}


# -- what is wrong


def wrong(root: Path) -> list[tuple[Span, str, str]]:
    return [(item.span, item.severity, item.message) for item in build_site(root).diagnostics]


@pytest.mark.parametrize(("name", "data", "reason"), [
    ("a.jpg", jpeg()[:20_000], "it is damaged or truncated"),
    ("a.png", bomb(), "it has more than 40 megapixels"),
    ("a.png", bomb(65_535, 65_535), "it has more than 40 megapixels"),
])  # fmt: skip
def test_a_picture_that_cannot_be_decoded(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    root = site(tmp_path, {name: data}, f"One line.\n\nAnd ![a]({name}) picture.\n", SMALL)
    message = f"“content/storage/{name}” is published only at its original size: {reason}"
    expected = [(Span(A, 8, 10, len(name)), "warning", message)]
    assert wrong(root) == expected
    assert wrong(root) == expected, "a build that makes nothing says the same"
    assert next((root / "public").rglob(name)).read_bytes() == data
    assert "<picture>" not in page(root)
    assert [(item.span, item.message) for item in check_site(root).diagnostics if item.code == "unfit-image"] == [
        (expected[0][0], message)
    ]


@pytest.mark.slow
def test_a_check_makes_nothing(tmp_path: Path, counted: list[Counted]) -> None:
    root = site(tmp_path, {"a.jpg": jpeg(), "bad.jpg": jpeg()[:20_000]}, config=SMALL)
    first = [item for item in check_site(root).diagnostics if item.code == "unfit-image"]
    assert [item.span.line for item in first] == [8]
    assert counted[-1].images == 2, "two pictures were looked at"
    check_site(root)
    assert counted[-1].images == 0
    build_site(root)
    assert counted[-1].images == 2
    assert [item for item in check_site(root).diagnostics if item.code == "unfit-image"] == first
    assert counted[-1].images == 0


@pytest.mark.slow
def test_a_picture_that_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site(tmp_path, {"a.jpg": jpeg()}, config=SMALL)
    monkeypatch.setattr(deriving, "read_bytes", lambda *_: jpeg(seed=9))
    (problem,) = build_site(root).diagnostics
    assert problem.code == "unfit-image"
    monkeypatch.undo()
    assert not build_site(root).diagnostics, "it is tried again"
    assert made_files(root)


# -- without Pillow


@pytest.fixture
def without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    find = packages.version
    monkeypatch.setattr(packages, "version", lambda name: "" if name == "pillow" else find(name))


@pytest.mark.usefixtures("without_pillow")
def test_without_pillow_there_are_originals(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.jpg": jpeg()}, config=NO_CARDS)
    report = build_site(root, strict=True)
    assert [(item.code, item.severity) for item in report.diagnostics] == [("one-size", "info")]
    assert "pip install Pillow" in report.diagnostics[0].hint
    assert "<picture>" not in page(root)
    assert len(images(page(root))) == 1


@pytest.mark.usefixtures("without_pillow")
def test_who_asks_for_it_is_warned(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.jpg": jpeg()}, config=SMALL + NO_CARDS)
    (problem,) = build_site(root).diagnostics
    assert (problem.code, problem.severity, problem.span) == ("no-pillow", "warning", Span("devlog.toml", 3, 1, 6))


@pytest.mark.usefixtures("without_pillow")
@pytest.mark.parametrize("config", ["[images]\nenabled = false\n", "[images]\nstrip = false\n"])
def test_who_does_not_ask_is_not_warned(tmp_path: Path, config: str) -> None:
    root = site(tmp_path, {"a.jpg": jpeg()}, config=config)
    assert [item.severity for item in build_site(root).diagnostics if item.severity != "info"] == []


@pytest.mark.usefixtures("without_pillow")
def test_nothing_is_said_where_there_is_nothing_to_make(tmp_path: Path) -> None:
    files = {**SITE, "devlog.toml": f"{SITE['devlog.toml']}{NO_CARDS}", A: f"{POST}Text.\n", "static/a.jpg": jpeg()}
    assert not build_site(write_site(tmp_path, files)).diagnostics


# -- the preview


def now() -> datetime:
    return NOW


def preview_of(root: Path, path: str) -> bytes:
    """What a new preview shows under a path of the output."""
    jobs = Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=now, jobs=1), jobs)
    try:
        preview.change(frozenset())
        asked = preview.ask(f"/lumen/{path}")
        while jobs.step():
            pass
        answer = asked.result(0)
    finally:
        preview.close()
    assert isinstance(answer, Page | Data)
    return answer.html if isinstance(answer, Page) else answer.data


@pytest.mark.slow
def test_the_preview_shows_originals_until_a_build_has_made_more(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.jpg": jpeg()}, config=SMALL)
    path = PAGE.removeprefix("public/")
    first = preview_of(root, path).decode()
    assert "<picture>" not in first
    assert len(images(first)) == 1
    build_site(root, base_url=f"{ORIGIN}/lumen/")
    assert body_of(preview_of(root, path).decode()) == body_of(page(root))
    for url, data in made_files(root).items():
        assert preview_of(root, url.removeprefix("/lumen/")) == data


def test_the_image_of_the_home_page_has_sizes(tmp_path: Path) -> None:
    config = 'title = "Lumen"\n[home]\nimage = "/img/hero.jpg"\n[images]\nwidths = [100, 200]\n' + NO_CARDS
    files = {
        "devlog.toml": config,
        "static/img/hero.jpg": jpeg(400, 200),
        "content/2026-05-01-a.md": "---\ntitle: A\n---\n",
    }
    root = write_site(tmp_path, files)
    build_site(root)
    home = (root / "public/index.html").read_text("utf-8")
    found = re.search(r'<img class="hero-image" src="/img/hero.jpg" alt="" srcset="([^"]*)" sizes="', home)
    assert found
    published = {f"/{path.relative_to(root / 'public').as_posix()}" for path in (root / "public/images").iterdir()}
    assert {item.split()[0] for item in found[1].split(", ")} == published
    assert len(published) == 2
