"""A build reads the site, writes the output folder, and asks nothing of the rest of the machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sites import build_site, read_tree, write_site

DECOY = {"neighbour/keep.txt": "untouched", "x": "untouched", "evil": "untouched"}

PATHS = [
    "/../../x",
    "../../../x",
    "/..%2f..%2fx",
    "/%2e%2e/%2e%2e/x",
    "%252e%252e/x",
    "..\\..\\x",
    "/\\evil\\share",
    "//evil/share",
    "///evil",
    "C:",
    "C:/x",
    "C:\\x",
    "con",
    "/con/",
    "aux.html",
    "/nul",
    "lpt1.txt",
    "/a/./b/../../../x",
    "/.git/config",
    "/.devlog/x",
    "/.devlog-manifest.json",
    "/x\u0000y",
    "/x\ny",
    "/a b./",
    "/" + "a" * 300,
    "/" + "a/" * 200,
    "file:///etc/passwd",
    "~/x",
    "~",
    ".",
    "..",
    "...",
    "/",
    "",
    "\u2025/\u2024\u2024/x",
    "\uff0e\uff0e\uff0f\uff0e\uff0ex",
    "/index.html",
    "/theme/style.css",
    "/posts.json",
]


def _site(front: dict[str, object], config: str = "") -> dict[str, str | bytes]:
    post = json.dumps({"title": "A post", "author": "Ada Quill (@adaquill)", **front}) + "\n\nText.\n"
    return {
        "devlog.toml": config,
        "content/core/_index.md": "---\ntitle: Core\n---\n",
        "content/core/2026-05-04-first.md": post,
        "content/core/2026-05-05-second.md": "---\ntitle: Another\nauthor: Bo Reed (@boreed)\n---\nText.\n",
    }


def _assert_contained(folder: Path, files: dict[str, str | bytes]) -> None:
    """Build, and compare everything around the output folder with what it was."""
    write_site(folder, DECOY)
    site = write_site(folder / "deep" / "site", files)
    before = read_tree(folder)
    report = build_site(site, cache=False)
    after = {
        path: data
        for path, data in read_tree(folder).items()
        if not path.startswith(("deep/site/public/", "deep/site/.devlog"))
    }
    assert after == before
    public = read_tree(site / "public")
    failed = any(item.severity == "error" for item in report.diagnostics)
    assert bool(public) != failed
    for path in public:
        assert all(part.strip(". ") or part == ".nojekyll" for part in path.split("/"))
        assert not path.casefold().startswith((".git", "con", "nul", "aux"))


FIELDS = {
    "alias": lambda path: {"aliases": [path]},
    "slug": lambda path: {"slug": path},
    "url": lambda path: {"url": path},
    "tag": lambda path: {"tags": [path]},
    "author": lambda path: {"author": path},
    "handle": lambda path: {"author": {"name": "Ada Quill", "handle": path}},
    "image": lambda path: {"image": path},
}


@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS)
def test_nothing_is_written_outside(tmp_path: Path, field: str) -> None:
    for number, path in enumerate(PATHS):
        _assert_contained(tmp_path / str(number), _site(FIELDS[field](path)))


@pytest.mark.parametrize("pattern", ["/../:slug/", "/../../x", "//evil/:slug", "/:topic/../../:slug/", "/%2e%2e/:slug"])
def test_patterns_of_permalinks_stay_inside(tmp_path: Path, pattern: str) -> None:
    _assert_contained(tmp_path, _site({}, f'[permalinks]\npost = "{pattern}"\n'))


SECRET = "the secret of this machine"

INCLUDES = [
    '{{{{< include "{path}" >}}}}',
    '{{{{< readfile "{path}" >}}}}',
    '{{{{< figure src="{path}" >}}}}',
    '{{{{% include file="{path}" %}}}}',
    "{{% include '{path}' %}}",
    "{{% include {path} %}}",
    "{{{{ include('{path}') }}}}",
    '--8<-- "{path}"',
    ";--8<-- {path}",
    "```{{include}} {path}\n```",
    "```{{literalinclude}} {path}\n```",
    '```python file="{path}"\n```',
    "```embed\n{path}\n```",
    ".. include:: {path}",
    "@include({path})",
    "![x]({path})",
    "![x](file://{path})",
    "[x]({path})",
    '<img src="{path}">',
    '<object data="{path}"></object>',
    '<iframe src="{path}"></iframe>',
    '<!--#include file="{path}" -->',
    "<?php include '{path}' ?>",
    '<embed src="file://{path}">',
    '&x; <!DOCTYPE x [<!ENTITY x SYSTEM "file://{path}">]>',
]


@pytest.mark.slow
def test_no_file_of_the_machine_is_included(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET, encoding="utf-8")
    site = tmp_path / "site"
    paths = [secret.as_posix(), "../secret.txt", "../../secret.txt", "../../../secret.txt", "/../secret.txt"]
    body = "\n\n".join(text.format(path=path) for text in INCLUDES for path in paths)
    for field in ("image", "summary", "description"):
        for number, path in enumerate(paths):
            post = f"---\ntitle: A post\n{field}: {path}\n---\n{body}\n"
            write_site(site, {f"content/core/2026-05-{number + 1:02}-{field}.md": post})
    report = build_site(site, cache=False)
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    tree = read_tree(site / "public")
    assert not [path for path, data in tree.items() if SECRET.encode() in data]
    assert len(tree) > 15


TEMPLATES = [
    "{{ 7*7 }}",
    "{{ config }}",
    "{{ site.title }}",
    "{{ self.__class__ }}",
    "{% include '/etc/passwd' %}",
    "{% for x in range(3) %}x{% endfor %}",
    "{# a comment #}",
    "{%- set x = 1 -%}",
    "{{ ''.__class__.__mro__ }}",
    "${7*7} #{7*7} <%= 7*7 %>",
    "{{{{ 7*7 }}}}",
]


def test_post_text_is_never_a_template(tmp_path: Path) -> None:
    from html import unescape

    text = "\n\n".join(f"`{template}`\n\nBare {template} text." for template in TEMPLATES)
    front = json.dumps({"title": " ".join(TEMPLATES), "summary": " ".join(TEMPLATES), "tags": TEMPLATES[:1]})
    site = write_site(
        tmp_path,
        {
            "devlog.toml": 'title = "{{ 7*7 }}"\nhtml = "trusted"\n',
            "content/core/_index.md": json.dumps({"title": TEMPLATES[0], "description": TEMPLATES[4]}) + "\n",
            "content/core/2026-05-04-first.md": f"{front}\n{text}\n",
        },
    )
    report = build_site(site, cache=False)
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    page = unescape((site / "public/core/2026-05-04-first/index.html").read_text(encoding="utf-8"))
    for template in TEMPLATES:
        assert page.count(template) >= 2 or "<%" in template, template  # a bare <% begins a tag of sorts
        assert template in page
    assert "{{ 7*7 }}" in (site / "public/index.html").read_text(encoding="utf-8")
    assert "{{ 7*7 }}" in (site / "public/index.xml").read_text(encoding="utf-8")


GUARD = """
import os, sys

site, package, theme, python = sys.argv[1:5]
allowed = tuple(os.path.realpath(path) for path in (site, package, theme))
found = []

def is_allowed(path):
    path = os.path.realpath(path)
    if path.startswith(allowed) or path == os.devnull:
        return True
    # The interpreter and its libraries, and the time zones of the system, are read and never written.
    return path.startswith(tuple(os.path.realpath(p) for p in (*readable, "/usr/share/zoneinfo")))

readable = {sys.prefix, sys.base_prefix, sys.exec_prefix, *python.split(os.pathsep), *filter(os.path.isabs, sys.path)}

def hook(event, arguments):
    if event.startswith("socket.") and event not in ("socket.__new__",):
        found.append((event, str(arguments)))
    elif event in ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "pty.spawn"):
        found.append((event, str(arguments)))
    elif event == "subprocess.Popen":
        if os.path.basename(str(arguments[0])) != "git":
            found.append((event, str(arguments)))
    elif event == "pickle.find_class":
        found.append((event, str(arguments)))
    elif event == "open" and isinstance(arguments[0], (str, bytes)):
        path = os.fsdecode(arguments[0])
        # Files inside folders that are held open are named without them, and those folders have been checked.
        if os.path.isabs(path) and not is_allowed(path):
            found.append((event, path))
    elif event in ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"):
        if isinstance(arguments[0], int):
            return
        path = os.fsdecode(arguments[0])
        if os.path.isabs(path) and not os.path.realpath(path).startswith(os.path.realpath(site)):
            found.append((event, path))

from devlog import cli  # before the hook: what is watched is the build

sys.addaudithook(hook)
code = 0
try:
    cli.main(["build", "--root", site, "--jobs", "1", "--no-cache", "--format", "json"], standalone_mode=False)
except SystemExit as stop:
    code = stop.code
sys.stderr.write(repr(found))
sys.exit(code or (3 if found else 0))
"""


def test_a_build_keeps_to_its_files(tmp_path: Path) -> None:
    """No socket, no program but git, no pickle, and no file outside the site, the package, the theme and Python.

    The search is left out: its indexer is a program, which works in a folder of its own.
    """
    import devlog

    files = _site({"tags": ["storage"], "aliases": ["/old/"]})
    files["devlog.toml"] = f"{files['devlog.toml']}\n[search]\nenabled = false\n"
    files["content/about.md"] = "# About\n\nNo date here, so that git is asked.\n"
    files["content/core/2026-05-06-code/index.md"] = (
        "---\ntitle: Code\n---\n```python\nx = 1\n```\n![x](x.png)\n<b>x</b>\n"
    )
    files["content/core/2026-05-06-code/x.png"] = b"\x89PNG\r\n\x1a\n"
    files["static/a.txt"] = "a"
    site = write_site(tmp_path / "site", files)
    package = Path(devlog.__file__).parent
    themes = package / "themes" if (package / "themes").is_dir() else package.parent / "themes"
    done = subprocess.run(
        # -B: Python itself keeps the code of modules that are imported for the first time.
        [sys.executable, "-B", "-c", GUARD, str(site), str(package), str(themes), str(package.parent)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("[]", 0), done.stdout
    assert json.loads(done.stdout)["posts"] == 3
    assert (site / "public/index.html").exists()


@pytest.mark.slow
def test_the_guard_sees_what_it_looks_for(tmp_path: Path) -> None:
    """The same guard over a build that reads a file it must not."""
    import devlog

    (tmp_path / "secret.txt").write_text(SECRET, encoding="utf-8")
    site = write_site(tmp_path / "site", _site({}))
    package = str(Path(devlog.__file__).parent)
    reads = f"cli.main = lambda *a, **k: open({str(tmp_path / 'secret.txt')!r}).close()\n"
    guard = GUARD.replace("sys.addaudithook(hook)\n", f"sys.addaudithook(hook)\n{reads}")
    done = subprocess.run(
        [sys.executable, "-c", guard, str(site), package, package, package],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 3
    assert "secret.txt" in done.stderr
