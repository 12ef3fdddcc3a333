"""Whatever a build reads, if that alone changes, the next build makes what a clean one makes.

What a site's own files hold is edited by the machine of ``test_incremental.py``. Here is the rest: what git knows, the
clone of the source, programs, packages, time zones, and what only moves problems to other lines.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zoneinfo
from collections.abc import Callable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from check_cases import git, repository
from lumen import lumen, post
from outcomes import Outcome, outcome
from sites import NOW, build_site, read_tree, write_site
from writers import PLUGIN as WRITER_PLUGIN
from writers import SVG, WIDE, wav

from devlog import packages
from devlog.build import Options, build
from devlog.engine import toolchain
from devlog.model.digest import digest_bytes

pytestmark = pytest.mark.slow

Change = Callable[[Path], object]


def few() -> dict[str, str | bytes]:
    """The log of Lumen with the posts of one topic, which is enough where another input changes than a post."""
    return {path: data for path, data in lumen().items() if not path.startswith(("content/planner", "content/empty"))}


def clean(here: Path, site: str = "site", **options: Any) -> Outcome:
    """What a build makes in a copy of a folder in which nothing was built yet."""
    there = here.parent / f"{here.name}-clean"
    shutil.rmtree(there, ignore_errors=True)
    shutil.copytree(here, there, symlinks=True, ignore=shutil.ignore_patterns(".devlog", "public*"))
    return outcome(there / site, build_site(there / site, cache=False, **options))


def incremental(here: Path, site: str = "site", **options: Any) -> Outcome:
    return outcome(here / site, build_site(here / site, **options))


def followed(here: Path, change: Change, *, matters: bool = True, site: str = "site") -> None:
    """Builds a site before and after a change, and sees that nothing of the first build is left.

    Args:
        here: a folder with all that the site in it is made of.
        change: made there.
        matters: whether it makes another site.
        site: the name of its folder afterwards.
    """
    before = incremental(here)
    assert before == incremental(here)
    change(here)
    expected = clean(here, site)
    assert (expected != before) == matters
    assert incremental(here, site) == expected


# -- the history of the site

UNDATED = "content/storage/undated.md"


def undated(root: Path) -> None:
    """A site with a post that says nowhere when it was written, committed a day after another commit."""
    write_site(root, {**few(), UNDATED: post("Undated", "").replace("date: \n", "")})
    git(root, "init", "-q")
    git(root, "add", UNDATED)
    git(root, "commit", "-q", "-m", "One", day="2026-05-03")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Two", day="2026-05-04")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


@pytest.fixture
def dated(here: Path) -> Path:
    undated(here / "site")
    return here


def test_a_shallow_clone_that_is_made_deep(tmp_path: Path, here: Path) -> None:
    undated(tmp_path / "origin")
    git(here, "clone", "-q", "--depth", "1", (tmp_path / "origin").as_uri(), "site")
    followed(here, lambda here: git(here / "site", "fetch", "-q", "--unshallow"))
    assert "2026-05-03" in (here / "site/public/posts.json").read_text("utf-8")


HISTORIES: dict[str, tuple[Change, bool]] = {
    "a commit": (lambda here: git(here / "site", "commit", "-q", "--allow-empty", "-m", "Three"), False),
    "no repository": (lambda here: shutil.rmtree(here / "site/.git"), True),
    "a repository of its own": (lambda here: git(here / "site/content", "init", "-q"), False),
    "another first commit": (lambda here: git(here / "site", "checkout", "-q", "--orphan", "new"), True),
    "a root that shows nothing": (lambda here: git(here / "site", "config", "log.showRoot", "false"), False),
    "names that are followed": (lambda here: git(here / "site", "config", "log.follow", "true"), False),
    "a commit that is replaced": (lambda here: git(here / "site", "replace", "--graft", "HEAD"), False),
    "a graft": (
        lambda here: write_site(here / "site/.git", {"info/grafts": git(here / "site", "rev-parse", "HEAD")}),
        False,
    ),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_the_history_of_the_site(name: str, dated: Path) -> None:
    change, matters = HISTORIES[name]
    followed(dated, change, matters=matters)


@pytest.mark.parametrize("setting", ["true", "false"])
def test_a_post_that_was_renamed_has_the_date_of_that(setting: str, dated: Path) -> None:
    site = dated / "site"
    git(site, "mv", UNDATED, UNDATED.replace("undated", "other"))
    git(site, "commit", "-q", "-m", "Renamed", day="2026-05-06")
    followed(dated, lambda _: git(site, "config", "diff.renames", setting), matters=False)
    assert "2026-05-06" in (site / "public/posts.json").read_text("utf-8")


def test_a_site_that_moves_within_its_repository(here: Path) -> None:
    undated(here)
    (here / "site").mkdir()
    for path in [path for path in here.iterdir() if path.name not in (".git", "site")]:
        git(here, "mv", path.name, "site/")
    git(here, "commit", "-q", "-m", "Below", day="2026-05-06")
    followed(here, lambda here: (here / "site").rename(here / "other"), site="other")


def test_a_commit_while_the_site_is_built(here: Path) -> None:
    """What a build notes of the history is what it was told of, and not what is true at its end."""
    site = write_site(here / "site", {**few(), UNDATED: post("Undated", "").replace("date: \n", "")})
    git(site, "init", "-q")
    git(site, "commit", "-q", "--allow-empty", "-m", "None")
    git(site, "add", "content")

    def commit(stage: str, _done: int, _total: int) -> None:
        if stage == "Writing pages":
            git(site, "commit", "-q", "--allow-empty", "-m", "All", day="2026-05-03")

    before = outcome(site, build(Options(root=site, now=NOW, jobs=1, search=False), commit))
    assert incremental(here) == clean(here) != before


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """Put a git in front of the real one that does not answer one kind of question."""
    real = shutil.which("git")
    script = f'#!/bin/sh\nfor word; do [ "$word" = {word} ] && exit 1; done\nexec {real} "$@"\n'
    (folder / "bin").mkdir()
    (folder / "bin/git").write_text(script)
    (folder / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("word", ["log", "rev-parse"])
def test_a_history_that_was_not_told(word: str, dated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(dated, monkeypatch, word)
    followed(dated, lambda _: (dated / "bin/git").unlink())


# -- the clone of the source

CITING = "content/storage/2026-05-20-citing.md"
LINK = "https://github.com/example/lumen/blob/{}/src/wal.c#L2"


@pytest.fixture
def cited(here: Path) -> Path:
    """A site, a clone of the source, and another one in which there is a commit more, which a post cites."""
    write_site(here / "lumen", {"src/wal.c": "one of them\ntwo of them\nthree of them\n"})
    repository(here / "lumen")
    git(here, "clone", "-q", "lumen", "other")
    write_site(here / "other", {"src/wal.c": "zero of them\none of them\ntwo of them\n"})
    repository(here / "other", day="2026-05-02")
    commit = git(here / "other", "rev-parse", "HEAD").strip()
    repo = 'source_repo = "https://github.com/example/lumen"\nsource_checkout = "../lumen"\n'
    config = repo + str(lumen()["devlog.toml"])
    text = post(
        "Citing", "2026-05-20", body=f"See [it]({LINK.format(commit)}), [old]({LINK.format('v1')}), `src/wal.c:3`."
    )
    write_site(here / "site", {**few(), "devlog.toml": config, CITING: text})
    return here


def arrives_as_loose_objects(here: Path) -> None:
    """As from a linked worktree whose branch is gone again: no ref, no pack, no HEAD tells of it."""
    made = subprocess.run(
        ["git", "pack-objects", "-q", "--stdout", "--revs"],
        cwd=here / "other",
        input=b"HEAD\n",
        capture_output=True,
        check=True,
    )
    subprocess.run(["git", "unpack-objects", "-q"], cwd=here / "lumen", input=made.stdout, check=True)


def is_committed_in_a_worktree(here: Path) -> None:
    git(here / "lumen", "worktree", "add", "-q", "--detach", "../tree")
    git(here / "tree", "fetch", "-q", "--no-write-fetch-head", "../other", "HEAD")
    git(here / "lumen", "worktree", "remove", "--force", "../tree")


def is_borrowed(here: Path) -> None:
    (here / "lumen/.git/objects/info/alternates").write_text("../../../other/.git/objects\n")


def comes_as_a_pack(here: Path) -> None:
    git(here / "lumen", "fetch", "-q", "--no-write-fetch-head", "../other", "HEAD:refs/others/main")
    git(here / "lumen", "repack", "-q", "-a", "-d")


def loses(name: str) -> Change:
    """One of the objects of the clone is where no clone looks for it."""

    def lose(here: Path) -> None:
        digest = git(here / "lumen", "rev-parse", name).strip()
        (here / "lumen/.git/objects" / digest[:2] / digest[2:]).rename(here / "lost")

    return lose


def changes_the_source(here: Path) -> None:
    write_site(here / "lumen", {"src/wal.c": "none of them\n"})
    repository(here / "lumen", day="2026-05-25")


CLONES: dict[str, Change] = {
    "loose objects": arrives_as_loose_objects,
    "a linked worktree": is_committed_in_a_worktree,
    "an alternate": is_borrowed,
    "a pack": comes_as_a_pack,
    "a commit": changes_the_source,
    "no commit any more": lambda here: git(here / "lumen", "checkout", "-q", "--orphan", "new"),
    "no folder any more": lambda here: shutil.rmtree(here / "lumen"),
    "no repository any more": lambda here: shutil.rmtree(here / "lumen/.git"),
}


@pytest.mark.feature("source_references")
@pytest.mark.parametrize("name", CLONES)
def test_the_clone_of_the_source(name: str, cited: Path) -> None:
    followed(cited, CLONES[name])


@pytest.mark.feature("source_references")
def test_a_tag_that_moves(cited: Path) -> None:
    write_site(cited / "lumen", {"src/wal.c": "none\none of them\ntwo of them\nthree of them\n"})
    repository(cited / "lumen", day="2026-05-03")
    git(cited / "lumen", "tag", "v1", "HEAD~1")
    git(cited / "lumen", "pack-refs", "--all")
    followed(cited, lambda here: git(here / "lumen", "tag", "-f", "v1", "HEAD"))


@pytest.mark.feature("source_references")
@pytest.mark.parametrize("name", ["HEAD:src/wal.c", "HEAD:src", "HEAD^{tree}"])
def test_what_a_clone_lacked(name: str, cited: Path) -> None:
    digest = git(cited / "lumen", "rev-parse", name).strip()
    loses(name)(cited)
    followed(cited, lambda here: (here / "lost").rename(here / "lumen/.git/objects" / digest[:2] / digest[2:]))


@pytest.mark.feature("source_references")
@pytest.mark.parametrize("word", ["ls-tree", "rev-list"])
def test_a_clone_that_did_not_answer(word: str, cited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(cited, monkeypatch, word)
    followed(cited, lambda _: (cited / "bin/git").unlink())


@pytest.mark.feature("source_references")
def test_a_shallow_clone_of_the_source_that_is_made_deep(cited: Path) -> None:
    shutil.rmtree(cited / "lumen")
    git(cited, "clone", "-q", "--depth", "1", (cited / "other").as_uri(), "lumen")
    text = post("Citing", "2026-05-01", body="`src/wal.c:1`")
    write_site(cited / "site", {CITING: text})
    followed(cited, lambda here: git(here / "lumen", "fetch", "-q", "--unshallow"))


# -- the configuration


@pytest.mark.feature("source_references")
def test_the_lines_of_the_configuration(here: Path) -> None:
    """No value is another one, but what is wrong with one of them stands on another line."""
    config = 'source_repo = "https://github.com/example/lumen"\nsource_checkout = "../none"\n'
    write_site(here / "site", {**few(), "devlog.toml": config + str(lumen()["devlog.toml"])})
    file = here / "site/devlog.toml"
    followed(here, lambda _: file.write_text(f"# A remark.\n{file.read_text('utf-8')}", "utf-8"))


# -- programs

DRAWN = '#!/bin/sh\necho \'<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="9"><rect width="{0}"/></svg>\'\n'


@pytest.mark.feature("diagrams")
@pytest.mark.parametrize(
    "kind", ["another size", "another text", "a large one", "a large one of one date", "another place", "a link"]
)
def test_another_version_of_a_program_that_draws(here: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def install(folder: str, width: int, behind: str = "") -> None:
        program = here / folder / "sketch"
        program.parent.mkdir(exist_ok=True)
        program.unlink(missing_ok=True)
        program.write_text(DRAWN.format(width) + behind)
        program.chmod(0o755)

    large = f"exit\n{'#' * 4_000_000}\n"
    install("bin", 20, large if kind.startswith("a large one") else "")
    monkeypatch.setenv("PATH", f"{here / 'first'}{os.pathsep}{here / 'bin'}{os.pathsep}{os.environ['PATH']}")
    config = str(lumen()["devlog.toml"]) + '[diagrams.sketch]\ncommand = ["sketch"]\n'
    text = post("Drawn", "2026-05-20", body="```sketch\na -> b\n```")
    write_site(here / "site", {**few(), "devlog.toml": config, CITING: text})
    if kind == "a link":
        install("v1", 20)
        install("v2", 305)
        (here / "bin/sketch").unlink()
        (here / "bin/sketch").symlink_to(here / "v1/sketch")

    def change(_: Path) -> None:
        match kind:
            case "another size":
                install("bin", 300)
            case "another text":
                status = (here / "bin/sketch").stat()
                install("bin", 30)
                os.utime(here / "bin/sketch", ns=(status.st_atime_ns, status.st_mtime_ns))
            case "a large one":
                install("bin", 30, large)
                os.utime(here / "bin/sketch", (1_700_000_000, 1_700_000_000))
            case "a large one of one date":
                status = (here / "bin/sketch").stat()
                install("bin", 30, large)
                os.utime(here / "bin/sketch", ns=(status.st_atime_ns, status.st_mtime_ns))
            case "another place":
                install("first", 40)
            case _:
                (here / "bin/sketch").unlink()
                (here / "bin/sketch").symlink_to(here / "v2/sketch")

    followed(here, change)


@pytest.mark.feature("diagrams")
def test_a_program_that_is_found_at_another_link(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the `python3` of another virtual environment: all of them link to one file, which looks beside the link."""
    write_site(here / "shared", {"sketch": '#!/bin/sh\ncat "${0%/*}/drawing.svg"\n'})
    (here / "shared/sketch").chmod(0o755)

    def install(folder: str, width: int) -> None:
        drawing = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="9"></svg>'
        write_site(here / folder, {"drawing.svg": drawing})
        (here / folder / "sketch").symlink_to("../shared/sketch")

    install("bin", 20)
    monkeypatch.setenv("PATH", f"{here / 'first'}{os.pathsep}{here / 'bin'}{os.pathsep}{os.environ['PATH']}")
    with_command(here, ["sketch"])
    followed(here, lambda _: install("first", 30))


@pytest.mark.feature("diagrams")
@pytest.mark.parametrize(
    "command",
    [
        ["sh", "{root}/tools/draw it.sh"],
        ["sh", "-c", "cat '{root}/tools/drawing.svg'; cat >/dev/null"],
        ["dd", "status=none", "if={root}/tools/drawing.svg"],
        ["sh", "-c", "cd {root}; : {root}/tools/drawing.svg; cat tools/drawing.svg"],
        ["dd", "status=none", "if={root}/../beside/my drawing.svg"],
        ["sh", "{root}/link/draw it.sh"],
    ],
)
def test_a_file_that_a_command_names(here: Path, command: list[str]) -> None:
    def save(width: int) -> None:
        drawing = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="9"></svg>'
        write_site(here / "site/tools", {"drawing.svg": drawing, "draw it.sh": f"cat >/dev/null; echo '{drawing}'"})
        write_site(here / "beside", {"my drawing.svg": drawing})

    save(20)
    (here / "site/link").symlink_to("tools")
    with_command(here, command)
    followed(here, lambda _: save(30))


def with_command(here: Path, command: list[str]) -> None:
    """The site with a diagram that a command draws."""
    config = str(lumen()["devlog.toml"]) + f"[diagrams.sketch]\ncommand = {json.dumps(command)}\n"
    text = post("Drawn", "2026-05-20", body="```sketch\na -> b\n```")
    write_site(here / "site", {**few(), "devlog.toml": config, CITING: text})


@pytest.mark.feature("diagrams")
@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.parametrize("command", [["{root}/draw"], ["sh", "-c", "{root}/draw || exec sh {root}/other"]])
def test_a_program_of_the_site_that_may_no_longer_be_run(here: Path, command: list[str], *, runs: bool) -> None:
    with_command(here, command)
    write_site(here / "site", {"draw": DRAWN.format(20), "other": DRAWN.format(30)})
    program = here / "site/draw"
    program.chmod(0o755 if runs else 0o644)
    followed(here, lambda _: program.chmod(0o644 if runs else 0o755))


@pytest.mark.feature("diagrams")
def test_a_named_file_that_is_missing_and_then_a_folder(here: Path) -> None:
    with_command(here, ["sh", "-c", "cat >/dev/null; test -d {root}/draw && echo It is a folder. >&2; exit 1"])
    followed(here, lambda _: (here / "site/draw").mkdir())


# -- packages

OWN = Path(packages.__file__).parent.parent
PLUGIN = """\
from devlog.plugin import Plugin


def loud(text):
    from shout import shouted

    return shouted(text)


plugin = Plugin("x", filters={"loud": loud})
"""
SHOUT = "from voice import MARK\n\n\ndef shouted(text):\n    return text + MARK\n"


def installed(folder: Path, mark: str, version: str) -> None:
    """Two packages, of which one needs the other.

    Args:
        folder: where they are.
        mark: what one of them adds to words.
        version: of both; empty if they are as in a checkout, ``beside`` if somebody has put them beside an installed
            package, ``zip`` if they are in an archive, ``wheel`` if that is a wheel, ``linked`` if they are in a
            checkout to which a file in the folder of packages leads, and ``built`` if they were built and installed
            from there again without another version.
    """
    shutil.rmtree(folder, ignore_errors=True)
    code = {"shout/__init__.py": SHOUT, "voice.py": f"MARK = {mark!r}\n"}
    metadata = {"all-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: all\nVersion: 1.0\n"}
    lines = (f"{name},sha256={digest_bytes(text.encode())},{len(text)}\n" for name, text in code.items())
    metadata["all-1.0.dist-info/RECORD"] = "".join(lines)
    if version in ("zip", "wheel"):
        folder.mkdir()
        with ZipFile(folder / "all.zip", "w") as archive:
            for name, text in {**code, **(metadata if version == "wheel" else {})}.items():
                archive.writestr(name, text)
        return
    if version == "linked":
        finder = f"import sys; sys.path.append({str(folder / 'checkout')!r})\n"
        write_site(folder / "checkout", code)
        write_site(folder, {"all.pth": finder, "sitecustomize.py": f"import site; site.addsitedir({str(folder)!r})\n"})
        write_site(folder, {**metadata, "all-1.0.dist-info/RECORD": "all.pth,,\n"})
        return
    write_site(folder, code)
    if version == "built":
        write_site(folder, metadata)
        return
    if version == "beside":
        write_site(folder, {"other.py": "", "other-1.0.dist-info/RECORD": "other.py,,\nother-1.0.dist-info/RECORD,,\n"})
        return
    for name in ("shout", "voice") if version else ():
        write_site(folder, {f"{name}-{version}.dist-info/METADATA": f"Name: {name}\nVersion: {version}\n"})


SHORTCODE = {
    "templates/shortcodes/own.html": "<p>{{ name }} {{ runs }}</p>\n",
    "templates/shortcodes/own.toml": 'name = "text"\nruns = { type = "number", default = 1 }\n',
    "content/cache/2026-05-01-own.md": '---\ntitle: Own\nlang: de\n---\n{{< own "x" >}}\n\n"x" ==y== !!! note\n',
}
SYNTAX = "[markdown]\ntypographer = true\nmark = true\n"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("templates/shortcodes/own.html", "<p>{{ name }}, {{ runs }}</p>\n"),
        ("templates/shortcodes/own.toml", 'name = "text"\nruns = { type = "number", default = 2 }\n'),
        ("devlog.toml", f"{lumen()['devlog.toml']}\n{SYNTAX.replace('mark = true', '')}"),
        ("content/cache/2026-05-01-own.md", str(SHORTCODE["content/cache/2026-05-01-own.md"]).replace("de", "fr")),
    ],
)
def test_shortcodes_and_extensions_of_a_site(file: str, text: str, here: Path) -> None:
    write_site(here / "site", {**few(), **SHORTCODE, "devlog.toml": f"{lumen()['devlog.toml']}\n{SYNTAX}"})
    followed(here, lambda here: write_site(here / "site", {file: text}))


@pytest.mark.parametrize(
    "versions",
    [("1.0", "2.0"), *((way, way) for way in ("", "beside", "zip", "wheel", "linked", "built"))],
    ids=["installed", "checkout", "beside a package", "archive", "wheel", "linked", "built again"],
)
def test_another_version_of_what_a_plugin_imports(versions: tuple[str, str], here: Path) -> None:
    config = 'plugins = ["plugins.py"]\n' + str(lumen()["devlog.toml"])
    page = {"plugins.py": PLUGIN, "templates/404.html": "<p>{{ page.title | loud }}</p>\n"}
    write_site(here / "site", {**few(), "devlog.toml": config, **page})

    def built(*options: str) -> dict[str, bytes]:
        environment = {
            **os.environ,
            "PYTHONPATH": f"{here}/lib:{here}/lib/all.zip:{OWN}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [
            sys.executable,
            "-P",
            "-m",
            "devlog",
            "build",
            "--no-search",
            "--now",
            "2026-06-15T12:00:00Z",
            *options,
        ]
        subprocess.run(command, cwd=here / "site", env=environment, check=True, capture_output=True, timeout=120)
        return read_tree(here / "site/public")

    installed(here / "lib", "!", versions[0])
    assert b"!</p>" in built()["404.html"]
    installed(here / "lib", "?", versions[1])
    assert b"?</p>" in built()["404.html"]


def test_how_a_missing_package_is_installed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hint names the interpreter as it can be called from the current folder."""
    known = {name: version for name, version in packages.versions().items() if name != "pillow"}
    monkeypatch.setattr(packages, "_versions", lambda: known)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    write_site(here / "site", few())
    followed(here, lambda _: monkeypatch.chdir(Path(sys.executable).parent.parent))


# -- nothing else

WATCHED = """\
import json, sys
from pathlib import Path
from sites import build_site

seen = set()


def note(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], str):
        seen.add((event, arguments[0]))
    elif event == "subprocess.Popen":
        seen.add((event, arguments[1][0]))
    elif event.startswith(("socket.", "os.exec", "os.posix_spawn", "os.system")):
        seen.add((event, ""))


sys.addaudithook(note)
assert not build_site(Path(sys.argv[1]), executor="inline").failed
print(json.dumps(sorted(seen)))
"""


@pytest.mark.feature("diagrams")
def test_a_build_reads_nothing_else(cited: Path) -> None:
    write_site(cited / "site", {path: data for path, data in lumen().items() if path != "devlog.toml"})
    """All files that a build opens and all programs that it starts: whatever comes to them must be in its record.

    A build opens the files of the site one by one in their folders, so those have names that are relative.
    """
    sketch = '[diagrams.shapes]\ncommand = ["cat"]\n'
    talk = post("Talk", "2026-05-23").replace("---\n", "---\naudio: {file: talk.wav, transcript: talk.vtt}\n", 1)
    spoken = "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ada Quill>Good morning.\n"
    body = f"![Wide](wide.png)\n\n```shapes\n{SVG}\n```\n\n```python\nx = 1\n```\n\n$a^2$"
    site = cited / "site"
    files: dict[str, str | bytes] = {
        "devlog.toml": 'plugins = ["plugins.py"]\n' + (site / "devlog.toml").read_text("utf-8") + sketch,
        "plugins.py": WRITER_PLUGIN,
        UNDATED: post("Undated", "").replace("date: \n", ""),
        "content/storage/2026-05-23-talk.md": talk,
        "content/storage/talk.wav": wav(2),
        "content/storage/talk.vtt": spoken,
        "content/storage/wide.png": WIDE,
        "content/storage/2026-05-24-all.md": post("All", "2026-05-24", body=body),
    }
    repository(write_site(site, files))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    command = [sys.executable, "-P", "-c", WATCHED, str(site)]
    told = subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120).stdout
    seen: list[tuple[str, str]] = [(event, name) for event, name in json.loads(told) if name != os.devnull]
    programs = {name for event, name in seen if event == "subprocess.Popen"}
    assert {Path(name).name for name in programs - {"/bin/sh"}} == {"git", "cat"}  # the shell ends what others leave
    own = [cited, sys.prefix, sys.base_prefix, tempfile.gettempdir(), Path(toolchain.__file__).parents[2], *sys.path]
    elsewhere = {
        (event, name)
        for event, name in seen
        if Path(name).is_absolute() and name not in programs and not any(Path(name).is_relative_to(top) for top in own)
    }
    config = str(lumen()["devlog.toml"])
    zones = {str(Path(folder, "Europe/Lisbon")) for folder in zoneinfo.TZPATH}
    assert 'timezone = "Europe/Lisbon"' in config
    drawing = str(Path(shutil.which("cat") or "").resolve())
    # If a program takes a while, its memory is looked at, which decides on nothing but an error. What this process has
    # open tells only whether the database is the file at its path.
    opened = {name for _, name in elsewhere if not re.fullmatch(r"/proc/\d+/statm|/dev/fd", name)}
    assert opened <= {drawing, *zones}
    assert not {event for event, name in seen if not name}


# -- Python and the system


def test_another_python_is_another_toolchain(monkeypatch: pytest.MonkeyPatch) -> None:
    known = toolchain.toolchain.__wrapped__()
    monkeypatch.setattr(sys, "version_info", (*sys.version_info[:2], 99, "final", 0))
    assert toolchain.toolchain.__wrapped__() != known


LOADED = """\
import sys
from pathlib import Path
from lumen import lumen
from sites import build_site, write_site

write_site(Path(sys.argv[1]), lumen())
assert not build_site(Path(sys.argv[1]), executor="inline").failed
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_all_that_a_build_loads_is_part_of_the_toolchain(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    command = [sys.executable, "-c", LOADED, str(tmp_path)]
    told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=120).stdout
    owners = packages_distributions()
    loaded = {owner.lower() for name in told.split() for owner in owners.get(name, ())}
    shaping = loaded - {"devlog-ssg", "setuptools", "typing-extensions", "typing_extensions"}
    assert "mdurl" in shaping
    assert shaping <= {name.lower() for name in toolchain.tools()}


@pytest.fixture
def zones(tmp_path: Path) -> Iterator[Path]:
    """A folder in which Python looks for the rules of time zones before it looks elsewhere."""
    before = zoneinfo.TZPATH
    zoneinfo.reset_tzpath([str(tmp_path / "zones"), *before])
    yield tmp_path / "zones"
    zoneinfo.reset_tzpath(before)
    zoneinfo.ZoneInfo.clear_cache()


def rules(hours: int) -> bytes:
    """The rules of a time zone that is always so many hours ahead."""
    counts = struct.pack(">6l", 0, 0, 0, 0, 1, 4)
    return b"TZif" + bytes(16) + counts + struct.pack(">lbb", hours * 3600, 0, 0) + b"LUM\0"


def test_other_rules_of_a_time_zone(here: Path, zones: Path) -> None:
    write_site(zones, {"Lumen/Here": rules(2)})
    config = str(lumen()["devlog.toml"])
    assert "timezone = " in config
    lines = ['timezone = "Lumen/Here"' if line.startswith("timezone = ") else line for line in config.split("\n")]
    write_site(here / "site", {**few(), "devlog.toml": "\n".join(lines)})

    def change(_: Path) -> None:
        write_site(zones, {"Lumen/Here": rules(-3)})
        zoneinfo.ZoneInfo.clear_cache()

    followed(here, change)
