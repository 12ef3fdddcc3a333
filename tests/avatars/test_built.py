"""Sites whose avatars are fetched from a server: what is published, what is asked again, and what is said."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from check_cases import check_site
from local_web import Reply, Request, Web, reply, serving
from PIL import Image
from sites import NOW, build_site, read_tree, write_site

from devlog import packages
from devlog.disk.manifest import MANIFEST
from devlog.engine.jobs import Jobs
from devlog.features.avatars.derive import derive, fetch
from devlog.http.reach import Reach
from devlog.model.diagnostic import Diagnostic
from devlog.model.report import Report
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Data, Page

POST = "content/storage/2026-05-01-first.md"
SITE = {
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    "content/authors.yml": """\
boreed: {name: Bo Reed, avatar: /bo.png}
gravel: {name: Gray Ravel, avatar: "http://pictures.example.org:PORT/gravel?s=1"}
""",
    POST: "---\ntitle: First\nauthors: [Ada Quill (@adaquill), boreed, gravel, Cy Dunn]\n---\nA.\n",
    "static/bo.png": b"",
}


def picture(*, size: tuple[int, int] = (300, 200), form: str = "PNG", **options: Any) -> bytes:
    """An image that is red on the left, green in the middle, and blue on the right."""
    whole = Image.new("RGB", size, "red")
    third = size[0] // 3
    whole.paste("lime", (third, 0, 2 * third, size[1]))
    whole.paste("blue", (2 * third, 0, size[0], size[1]))
    out = BytesIO()
    whole.save(out, form, **options)
    return out.getvalue()


MOVING = {"save_all": True, "append_images": [Image.new("RGB", (300, 200))]}


class Pictures:
    """A server of pictures, which a test may replace while it runs."""

    def __init__(self) -> None:
        self.by_path: dict[str, bytes] = {"/adaquill.png": picture(), "/gravel?s=1": picture(size=(96, 96))}
        self.web: Web

    def answer(self, request: Request) -> Reply:
        data = self.by_path.get(request.path)
        if data is None:
            return reply(404)
        return reply(200, Content_Type="image/png", Content_Length=str(len(data))) + data


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pictures]:
    """The server, which all hosts lead to during a test."""
    found = Pictures()
    with serving(found.answer) as found.web:
        monkeypatch.setattr(fetch, "Reach", found.web.reach)
        yield found


def site(root: Path, pictures: Pictures, **files: str) -> Path:
    port = str(pictures.web.port)
    given: dict[str, str | bytes] = {**SITE, "static/bo.png": picture(), **files}
    authors = given["content/authors.yml"]
    assert isinstance(authors, str)
    config = f'[avatars]\nfetch = true\nurl = "http://avatars.example.org:{port}/{{handle}}.png"\n'
    return write_site(
        root, {**given, "content/authors.yml": authors.replace("PORT", port), "devlog.toml": CONFIG + config}
    )


CONFIG = 'base_url = "https://lumen.example.org/log/"\n\n[cards]\nenabled = false\n\n'


_BYLINE = re.compile(
    r'class="p-author h-card">(?:<img [^>]*src="([^"]*)"|<span[^>]*>([^<]*)<).*?p-name[^>]*>([^<]*)', re.DOTALL
)


def avatars(root: Path) -> dict[str, str]:
    """The avatar or the initials of each author, as the post shows them."""
    html = (root / "public/storage/2026-05-01-first/index.html").read_text("utf-8")
    return {name: url or initials for url, initials, name in _BYLINE.findall(html)}


def published(root: Path, folder: str = "public") -> dict[str, bytes]:
    """All files of the output but the manifest, which knows times."""
    return {path: data for path, data in read_tree(root / folder).items() if path != MANIFEST}


def notes(report: Report) -> list[str]:
    found = [item for item in report.diagnostics if item.code == "no-avatar"]
    return [f"{item.span.path}:{item.span.line}: {item.message}" for item in found]


def test_avatars_are_published_with_the_site(tmp_path: Path, pictures: Pictures) -> None:
    root = site(tmp_path, pictures)
    report = build_site(root)
    assert not report.diagnostics
    shown = avatars(root)
    assert shown["Bo Reed"] == "/log/bo.png"
    assert shown["Cy Dunn"] == "CD"
    assert sorted(pictures.web.asked) == [("GET", "/adaquill.png"), ("GET", "/gravel?s=1")]
    for name, side in (("Ada Quill", 192), ("Gray Ravel", 96)):
        assert re.fullmatch(r"/log/avatars/[0-9a-f]{16}\.webp", shown[name])
        with Image.open(root / "public" / shown[name].removeprefix("/log/")) as image:
            assert (image.format, image.size) == ("WEBP", (side, side))
            assert image.getpixel((side // 2, side // 2)) == pytest.approx((0, 255, 0), abs=12)
    html = "".join(path.read_text("utf-8") for path in (root / "public").rglob("*.html"))
    assert "avatars.example.org" not in html
    assert "pictures.example.org" not in html


def test_nothing_is_fetched_unless_asked_for(tmp_path: Path, pictures: Pictures) -> None:
    root = site(tmp_path, pictures)
    (root / "devlog.toml").write_text(CONFIG)
    assert not build_site(root).diagnostics
    assert avatars(root)["Ada Quill"] == "AQ"
    assert not pictures.web.requests


def test_urls_of_the_authors_file_alone(tmp_path: Path, pictures: Pictures) -> None:
    root = site(tmp_path, pictures)
    (root / "devlog.toml").write_text(CONFIG + '[avatars]\nfetch = true\nurl = ""\n')
    assert not build_site(root).diagnostics
    assert pictures.web.asked == [("GET", "/gravel?s=1")]
    assert avatars(root)["Ada Quill"] == "AQ"


@pytest.mark.slow
def test_a_second_build_asks_nothing(tmp_path: Path, pictures: Pictures) -> None:
    root = site(tmp_path, pictures)
    build_site(root)
    before, asked = published(root), len(pictures.web.requests)
    pictures.by_path = {}
    report = build_site(root)
    assert (report.parsed, report.rendered, report.written) == (0, 0, ())
    clean = build_site(root, output="elsewhere")
    assert not clean.diagnostics
    assert len(pictures.web.requests) == asked
    assert published(root, "elsewhere") == before


@pytest.mark.slow
def test_incremental_equals_clean_with_the_same_cache(tmp_path: Path, pictures: Pictures) -> None:
    root = site(tmp_path / "one", pictures)
    build_site(root)
    another = str(SITE[POST]).replace("boreed, ", "").replace("A.", "Another.")
    write_site(root, {POST: another})
    incremental = build_site(root)
    clean_root = site(tmp_path / "two", pictures, **{POST: another})
    clean = build_site(clean_root, cache=False)
    assert incremental.diagnostics == clean.diagnostics
    assert published(root) == published(clean_root)


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["inline", "processes"])
def test_the_number_of_workers_changes_nothing(tmp_path: Path, pictures: Pictures, executor: str) -> None:
    root = site(tmp_path / "one", pictures)
    build_site(root)
    other = site(tmp_path / "two", pictures)
    build_site(other, jobs=2, executor=executor)
    assert published(root) == published(other)


def test_equal_images_are_published_once(tmp_path: Path, pictures: Pictures) -> None:
    pictures.by_path["/gravel?s=1"] = pictures.by_path["/adaquill.png"]
    root = site(tmp_path, pictures)
    assert not build_site(root).diagnostics
    assert len(list((root / "public/avatars").iterdir())) == 1
    assert avatars(root)["Ada Quill"] == avatars(root)["Gray Ravel"]


@pytest.mark.slow
def test_who_has_none_is_named(tmp_path: Path, pictures: Pictures) -> None:
    pictures.by_path = {}
    root = site(tmp_path, pictures)
    report = build_site(root, strict=True)
    assert notes(report) == [
        f"devlog.toml:7: “{name}” is shown with initials, because no avatar was fetched: {host} answers with status 404"
        for name, host in (("Ada Quill", "avatars.example.org"), ("Gray Ravel", "pictures.example.org"))
    ]
    assert not report.failed
    assert avatars(root)["Ada Quill"] == "AQ"
    pictures.by_path = {"/adaquill.png": picture()}
    assert notes(build_site(root)) == notes(report)  # remembered, and said again
    assert len(pictures.web.requests) == 2
    build_site(root, cache=False)
    assert avatars(root)["Ada Quill"].startswith("/log/avatars/")


def test_failures_of_one_kind_are_one_note(tmp_path: Path, pictures: Pictures) -> None:
    post = "---\ntitle: First\nauthors: [Ada Quill (@adaquill), Bea Low (@bealow), Cal Moor (@calmoor)]\n---\nA.\n"
    pictures.by_path = {}
    (note,) = notes(build_site(site(tmp_path, pictures, **{POST: post})))
    assert "“Ada Quill” and 2 more are shown with initials" in note


@pytest.mark.slow
def test_a_host_that_cannot_be_reached_is_asked_again(tmp_path: Path, pictures: Pictures, monkeypatch: Any) -> None:
    root = site(tmp_path, pictures)

    def offline(_host: str, _port: int) -> tuple[str]:
        raise socket.gaierror

    with monkeypatch.context() as patch:
        patch.setattr(fetch, "Reach", lambda: Reach(resolve=offline, proxies={}, ports=frozenset({pictures.web.port})))
        for _ in range(2):
            report = build_site(root)
            assert not report.failed
            assert [note.rpartition(": ")[2] for note in notes(report)] == [
                "avatars.example.org cannot be reached",
                "pictures.example.org cannot be reached",
            ]
    report = build_site(root)
    assert not report.diagnostics
    assert avatars(root)["Ada Quill"].startswith("/log/avatars/")


UNFIT: dict[str, tuple[Callable[[], bytes], str]] = {
    "an SVG": (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "it is damaged or truncated"),
    "cut off": (lambda: picture()[:200], "it is damaged or truncated"),
    "moves": (
        lambda: picture(form="GIF", save_all=True, append_images=[Image.new("RGB", (300, 200))]),
        "it is animated",
    ),
    "a bomb": (lambda: picture(size=(7000, 6000)), "it has more than 40 megapixels"),
    "empty": (lambda: b"", "it is damaged or truncated"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_images_that_cannot_be_used(tmp_path: Path, pictures: Pictures, name: str) -> None:
    made, reason = UNFIT[name]
    pictures.by_path["/adaquill.png"] = made()
    root = site(tmp_path, pictures)
    (note,) = notes(build_site(root))
    assert note.endswith(reason)
    assert avatars(root)["Ada Quill"] == "AQ"
    assert avatars(root)["Gray Ravel"].startswith("/log/avatars/")


def test_metadata_is_not_published(tmp_path: Path, pictures: Pictures) -> None:
    exif = Image.Exif()
    exif[0x010E] = "at home"
    pictures.by_path["/adaquill.png"] = picture(form="JPEG", exif=exif)
    root = site(tmp_path, pictures)
    assert not build_site(root).diagnostics
    data = (root / "public" / avatars(root)["Ada Quill"].removeprefix("/log/")).read_bytes()
    assert b"at home" not in data


def test_a_line_of_pixels(tmp_path: Path, pictures: Pictures) -> None:
    pictures.by_path["/adaquill.png"] = picture(size=(60000, 1))
    root = site(tmp_path, pictures)
    assert not build_site(root).diagnostics


@pytest.mark.parametrize("handle", ["a/../../b", "a?b", "%2e%2e", "-x", "a b", "x" * 65])
def test_handles_that_no_service_has(handle: str) -> None:
    from devlog.config import Avatars
    from devlog.model.site import Author

    author = Author("x", "X", handle, "/authors/x/")
    assert derive._wanted([author], Avatars(fetch=True)) == {}


@pytest.mark.slow
def test_a_damaged_store(tmp_path: Path, pictures: Pictures) -> None:
    root = site(tmp_path, pictures)
    build_site(root)
    before = published(root)
    store = root / ".devlog/cache.db"
    data = bytearray(store.read_bytes())
    for start in (match.start() for match in re.finditer(b"RIFF", data)):
        data[start + 40] ^= 0xFF
    store.write_bytes(data)
    write_site(root, {"devlog.toml": (root / "devlog.toml").read_text().replace("/log/", "/other/")})
    report = build_site(root)
    assert not report.failed
    after = published(root)
    assert {path: after[path] for path in after if path.startswith("avatars/")} == {
        path: before[path] for path in before if path.startswith("avatars/")
    }


def test_a_check_fetches_nothing(tmp_path: Path, pictures: Pictures) -> None:
    root = site(tmp_path, pictures)
    assert not [item for item in check_site(root).diagnostics if "avatar" in item.code]
    assert not pictures.web.requests


@pytest.mark.slow
def test_the_preview_shows_what_was_fetched(tmp_path: Path, pictures: Pictures) -> None:
    root = site(tmp_path, pictures)

    post, origin = "storage/2026-05-01-first/", "http://127.0.0.1:8000"
    assert b"/avatars/" not in preview_of(root, post)
    assert not pictures.web.requests
    build_site(root, base_url=f"{origin}/log/")
    asked = len(pictures.web.requests)
    urls = re.findall(r'src="/log/(avatars/[0-9a-f]{16}\.webp)"', preview_of(root, post).decode())
    assert len(urls) == 2
    assert [preview_of(root, url) for url in urls] == [published(root)[url] for url in urls]
    assert len(pictures.web.requests) == asked


def preview_of(root: Path, path: str) -> bytes:
    """What a new preview shows under a path of the output."""
    jobs = Jobs()
    preview = Preview(Options(root, "http://127.0.0.1:8000", drafts=False, now=lambda: NOW, jobs=1), jobs)
    try:
        preview.change(frozenset())
        answer = preview.ask(f"/log/{path}")
        while jobs.step():
            pass
        found = answer.result(0)
    finally:
        preview.close()
    assert isinstance(found, Page | Data)
    return found.html if isinstance(found, Page) else found.data


def test_without_pillow(tmp_path: Path, pictures: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    known = packages.version
    monkeypatch.setattr(packages, "version", lambda name: "" if name == "pillow" else known(name))
    report = build_site(site(tmp_path, pictures))
    (problem,) = [item for item in report.diagnostics if item.code == "avatars-need-pillow"]
    assert isinstance(problem, Diagnostic)
    assert not pictures.web.requests
