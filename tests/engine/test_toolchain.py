"""What the output depends on besides the input."""

from __future__ import annotations

import shutil
import sys
import zlib
import zoneinfo
from pathlib import Path

import pytest
from PIL import _imagingft

from devlog.engine import toolchain

PACKAGE = Path(toolchain.__file__).parent.parent


def test_every_source_file_counts() -> None:
    found = sorted(toolchain._source_files(str(PACKAGE)))
    assert found == sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    assert any(file.startswith("features/") for file in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        "build.py",
        pytest.param("features/images/derive/encode.py", marks=pytest.mark.feature("images")),
        "parse/markdown/emoji.json",
    ],
)
@pytest.mark.parametrize("change", ["another line", "gone", "another name"])
def test_another_line_of_code_is_another_toolchain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, change: str
) -> None:
    copy = tmp_path / "devlog"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(toolchain, "__file__", str(copy / "engine" / "toolchain.py"))
    before = toolchain._source()
    assert toolchain._source() == before
    if change == "another line":
        with (copy / file).open("a") as text:
            text.write("\n")
    elif file.endswith(".py"):
        (copy / file).rename(copy / ("other.py" if change == "another name" else "other.txt"))
    else:
        (copy / file).write_text("{}")
    assert toolchain._source() != before


@pytest.mark.parametrize("feature", ["RAQM", "FRIBIDI"])
def test_a_library_that_sets_texts_counts(monkeypatch: pytest.MonkeyPatch, feature: str) -> None:
    """Pillow finds it when it starts, so its own version tells nothing of it, but cards change with it."""
    before = toolchain._typesetters()
    monkeypatch.setattr(f"PIL._imagingft.HAVE_{feature}", not getattr(_imagingft, f"HAVE_{feature}"))
    monkeypatch.setattr(f"PIL._imagingft.{feature.lower()}_version", "1.0")
    assert toolchain._typesetters() != before
    assert toolchain._typesetters().items() <= toolchain.tools.__wrapped__().items()


@pytest.mark.parametrize("name", ["PIL._imaging.jpeglib_version", "PIL._webp.webpdecoder_version"])
def test_a_library_of_images_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = toolchain.image_libraries.__wrapped__()
    monkeypatch.setattr(name, "1.0")
    after = toolchain.image_libraries.__wrapped__()
    assert sorted(after) == sorted(before)
    assert [value for value in after.values() if value == "1.0"]


@pytest.mark.parametrize("name", ["PIL._avif", "PIL._imagingcms"])
def test_a_missing_library_of_images_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = toolchain.image_libraries.__wrapped__()
    monkeypatch.setitem(sys.modules, name, None)
    assert toolchain.image_libraries.__wrapped__().items() < before.items()


@pytest.mark.parametrize("name", ["libavif", "anything"])
def test_libraries_of_images_are_in_their_digest(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before, found = toolchain.codecs.__wrapped__(), toolchain.image_libraries()
    monkeypatch.setattr(toolchain, "image_libraries", lambda: {**found, name: "1.0"})
    assert toolchain.codecs.__wrapped__() != before


def test_libraries_of_images_have_names_of_their_own() -> None:
    assert not toolchain.image_libraries().keys() & toolchain.tools().keys()
    assert all(len(value.split()) == 1 for value in toolchain.image_libraries().values())


def test_zlib_of_the_system_counts() -> None:
    """It compresses cards."""
    assert toolchain.tools()["zlib"] == zlib.ZLIB_RUNTIME_VERSION


def test_without_what_sets_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL._imagingft", None)
    assert set(toolchain._typesetters().values()) == {"missing"}


def test_rules_of_time_zones_from_a_package_have_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python reads them from there if the system has none; with other rules, posts may have another order."""
    own = toolchain.time_zone("Europe/Lisbon")
    monkeypatch.setattr(zoneinfo, "TZPATH", ())
    found = []
    for version in ("2026.1", "2026.2"):
        monkeypatch.setattr(toolchain, "version", {"tzdata": version}.get)
        found.append(toolchain.time_zone("Europe/Lisbon"))
    assert len({own, *found}) == 3
