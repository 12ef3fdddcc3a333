"""The toolchain: devlog's own code and the libraries that the output depends on, besides its inputs."""

from __future__ import annotations

import os
import sys
import zlib
import zoneinfo
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from devlog.packages import version

_LIBRARIES = (
    "Brotli",
    "fontTools",
    "Jinja2",
    "math-core",
    "MarkupSafe",
    "markdown-it-py",
    "mdit-py-plugins",
    "mdurl",
    "msgspec",
    "nh3",
    "Pillow",
    "Pygments",
    "PyYAML",
    "rcssmin",
    "resvg-py",
    "rjsmin",
)
_TYPESETTERS = {"FreeType": "freetype2", "FriBiDi": "fribidi", "HarfBuzz": "harfbuzz", "Raqm": "raqm"}
"""Libraries of the system with which Pillow sets texts, whatever its own version, with its names for them."""
_CODECS = ("PIL._imaging", "PIL._webp", "PIL._avif", "PIL._imagingcms")
"""The modules of Pillow that use libraries of the system for images, or that a build of Pillow may lack."""
_CODEC_NAMES = {
    "jp2klib": "OpenJPEG",
    "jpeglib": "libjpeg",
    "littlecms": "Little CMS",
    "webpdecoder": "libwebp",
    "zlib": "zlib of Pillow",
}
"""The usual names of libraries that these modules name otherwise, and of one that Python has too."""
_EMOJI = "parse/markdown/emoji.json"


@cache
def tools() -> Mapping[str, str]:
    """The versions of Python, the libraries and devlog. The version of devlog is a digest of its source.

    So nobody has to remember to change a version: any change of the code makes another toolchain.
    """
    found = {"Python": "{}.{}".format(*sys.version_info[:2])}
    found |= {name: version(name) or "missing" for name in _LIBRARIES}
    found["zlib"] = zlib.ZLIB_RUNTIME_VERSION  # the system's, not Python's
    return MappingProxyType({**found, **_typesetters(), "devlog": _source()})


def _typesetters() -> dict[str, str]:
    """The versions of the libraries with which Pillow sets texts, as far as this system has them."""
    try:
        core: Any = import_module("PIL._imagingft")  # `PIL.features` would load all formats of images
    except (ImportError, OSError):
        return dict.fromkeys(_TYPESETTERS, "missing")
    there = {key for key in _TYPESETTERS.values() if getattr(core, f"HAVE_{key.upper()}", key == "freetype2")}
    versions = {name: getattr(core, f"{key}_version", None) for name, key in _TYPESETTERS.items() if key in there}
    return {name: str(versions.get(name) or "missing") for name in _TYPESETTERS}


@cache
def codecs() -> str:
    """A digest of `image_libraries`."""
    return blake2b(repr(sorted(image_libraries().items())).encode(), digest_size=16).hexdigest()


@cache
def image_libraries() -> Mapping[str, str]:
    """The versions of all libraries with which Pillow reads, converts and writes images, as far as it has them.

    They are no part of `tools`: loading them takes milliseconds, and most builds need none.
    """
    found: dict[str, str] = {}
    for name in _CODECS:
        try:
            module: Any = import_module(name)
        except (ImportError, OSError):
            continue
        versions = {key: fact for key, fact in vars(module).items() if key.endswith("_version")}
        for key, fact in versions.items():
            library = key.removesuffix("_version").replace("_", "-")
            found[_CODEC_NAMES.get(library, library)] = str(fact).partition("\n")[0].rpartition(" ")[2]
        if getattr(module, "HAVE_MOZJPEG", False):  # the one library of which Pillow knows no version
            found["MozJPEG"] = "there"
        for codec in filter(None, getattr(module, "codec_versions", str)().split(", ")):  # such as “aom [enc]:3.14.1”
            library, _, edition = codec.rpartition(":")
            found[library] = edition
    return MappingProxyType(found)


def _source() -> str:
    """A digest of all source files. Every command computes it, so it avoids `pathlib`, which doubles the time."""
    digest = blake2b(digest_size=16)
    package = str(Path(__file__).resolve().parent.parent)
    for name in (*sorted(_source_files(package)), _EMOJI):
        with open(f"{package}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - see above
            digest.update(name.encode() + b"\0" + file.read())
    return digest.hexdigest()


def _source_files(package: str, folder: str = "") -> Iterator[str]:
    """The paths of a package's source files, with ``/`` between segments."""
    with os.scandir(f"{package}/{folder}") as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield folder + entry.name
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _source_files(package, f"{folder}{entry.name}/")


@cache
def toolchain() -> str:
    """A digest of all `tools`, and of Python's full version, because its modules change in patch releases too."""
    text = "".join(f"{name} {value}\n" for name, value in tools().items())
    text += f"{sys.implementation.name} {sys.version_info}\n"
    return blake2b(text.encode(), digest_size=16).hexdigest()


def time_zone(name: str) -> str:
    """A key that changes if the rules of a time zone may have changed: a digest of the system's, or the version of the
    package from which Python reads them if the system has none.

    Args:
        name: the name of the time zone, such as ``Europe/Lisbon``.
    """
    for folder in zoneinfo.TZPATH:
        with suppress(OSError, ValueError):
            return blake2b(Path(folder, name).read_bytes(), digest_size=16).hexdigest()
    return f"tzdata {version('tzdata')}"


def all_tools() -> dict[str, str]:
    """`tools` and `image_libraries`: what a worker of another machine needs to have alike, whatever its work."""
    return {**tools(), **image_libraries()}


def difference(others: Mapping[str, str]) -> str:
    """How `all_tools` of this process differ from those of another, as a sentence; empty if they do not."""
    import platform

    own = all_tools()
    wrong = []
    for name in sorted(own.keys() | others.keys()):
        here, there = own.get(name, "missing"), others.get(name, "missing")
        if here != there:
            wrong.append("another devlog" if name == "devlog" else f"{name} {here} instead of {there}")
    return f"{platform.node() or 'a worker'} has {', '.join(wrong)}" if wrong else ""
