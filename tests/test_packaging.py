"""The wheel and the source archive: the same bytes from the same commit, and a whole devlog in an empty environment."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from devlog import DISTRIBUTION, __version__

REPOSITORY = Path(__file__).parent.parent
DESCRIBING = ("checking", "configuration", "digests", "episodes", "reading-paths", "writing")
"""The documents whose tables JSON schemas and the reference read."""
STEM = f"{DISTRIBUTION.replace('-', '_')}-{__version__}"


def shipped() -> list[str]:
    """The files of the checkout, as git knows them, or all where it is none: those of a source archive."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return [name for name in done.stdout.split("\0") if name and (REPOSITORY / name).is_file()]
    found = []
    for folder, folders, files in os.walk(REPOSITORY):
        folders[:] = [name for name in folders if name not in _MADE and (name in _HIDDEN or name[0] != ".")]
        found += [Path(folder, name).relative_to(REPOSITORY).as_posix() for name in files]
    return found


_HIDDEN = frozenset({".ci", ".github"})
_MADE = frozenset({"__pycache__", "build", "dist", "public"})
"""Folders that devlog, Python and the tools make in a checkout."""


# -- the name

_INSTALL = re.compile(
    r"""(?x)
    (?: \b(?: pip3? | pipx | uv ) \s (?: [a-z-]+ \s )*? (?: install | add | inject | run | download | upgrade )
      | \buvx | \bpipx\srun )
    (?: \s -{1,2}[\w-]+ (?: =\S+ )? )*
    [^\n|&;`”]*? (?<![\w/.-]) ["'“]? devlog (?! [\w/-] | \.\w )
    """
)
"""A command that installs something, with a bare “devlog” as what is to be installed."""


@pytest.mark.parametrize(
    "line",
    [
        "pip install devlog",
        "pip install 'devlog[images]'",
        "python3 -m pip install -U devlog==0.1.0",
        "pipx install devlog",
        "uv tool install devlog",
        "uv add --dev devlog",
        "uvx devlog build",
        ".venv/bin/pip install -q devlog~=1.0",
        "pipx run devlog",
    ],
)
def test_a_wrong_name_is_found(line: str) -> None:
    assert _INSTALL.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "pip install devlog-ssg && devlog build",
        "pip install -q . && .venv/bin/devlog build",
        "pipx install 'devlog-ssg[mcp]'; devlog mcp",
        "uv tool install devlog-ssg",
        "uvx --from devlog-ssg --with x",
        "pip install ./devlog",
        "Install devlog with pipx",
    ],
)
def test_a_right_name_is_left_alone(line: str) -> None:
    assert not _INSTALL.search(line)


@pytest.mark.slow
def test_nobody_is_told_to_install_what_is_not_ours() -> None:
    """“devlog” on the package index is an unrelated program with the same command."""
    found = []
    for name in shipped():
        data = (REPOSITORY / name).read_bytes()
        if b"\0" in data or name == "tests/test_packaging.py":
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if _INSTALL.search(line) or re.search(r"(?<![\w/-])devlog(\[\w+(,\w+)*\]|==)", line):
                found.append(f"{name}:{number}: {line.strip()}")
    assert not found


# -- archives


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the source archive, made of two copies of the checkout: elsewhere, later, under another mask."""
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    pytest.importorskip("hatch_fancy_pypi_readme")
    made = []
    for number, (mask, clock) in enumerate([(0o022, 1_700_000_000), (0o077, 1_800_000_000)]):
        top = tmp_path_factory.mktemp(f"checkout{number}")
        before = os.umask(mask)
        try:
            for name in shipped():
                target = top / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes((REPOSITORY / name).read_bytes())
                os.utime(target, (clock, clock))
            command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(top / "dist"), str(top)]
            subprocess.run(command, check=True, capture_output=True)
        finally:
            os.umask(before)
        made.append(top / "dist")
    return made[0], made[1]


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.mark.slow
def test_archives_are_reproducible(archives: tuple[Path, Path]) -> None:
    first, second = archives
    assert digests(first) == digests(second)
    assert set(digests(first)) == {f"{STEM}-py3-none-any.whl", f"{STEM}.tar.gz"}


@pytest.mark.slow
def test_links_of_the_description_lead_somewhere_on_the_package_index(archives: tuple[Path, Path]) -> None:
    with ZipFile(archives[0] / f"{STEM}-py3-none-any.whl") as wheel:
        text = wheel.read(f"{STEM}.dist-info/METADATA").decode()
    links = re.findall(r'\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"', text)
    assert len(links) > 20
    assert [link for link in map("".join, links) if not link.startswith("https://")] == []
    assert "](https://github.com/example/devlog/blob/main/docs/getting-started.md)" in text
    assert 'src="https://github.com/example/devlog/raw/main/docs/images/post-light.png"' in text


@pytest.mark.slow
def test_a_wheel_holds_what_runs_and_nothing_else(archives: tuple[Path, Path]) -> None:
    with ZipFile(archives[0] / f"{STEM}-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())
    wanted = {name for name in shipped() if name.startswith("devlog/")}
    wanted |= {f"devlog/{name}" for name in shipped() if name.startswith("themes/")}
    wanted |= {f"devlog/docs/{name}.md" for name in DESCRIBING}
    assert {name for name in names if ".dist-info/" not in name} == wanted


@pytest.mark.slow
def test_a_source_archive_holds_the_project(archives: tuple[Path, Path]) -> None:
    with tarfile.open(archives[0] / f"{STEM}.tar.gz") as archive:
        names = {name.removeprefix(f"{STEM}/") for name in archive.getnames()}
    folders = ("devlog/", "themes/", "tests/", "docs/", "content/", "static/", "templates/")
    assert {name for name in shipped() if name.startswith(folders)} <= names
    assert {"README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml", "devlog.toml", "reference.py"} <= names


_PROGRESS = re.compile(r"^[A-Z][a-z]+ [a-z]+ [\d,]+(?:/[\d,]+)?\n", re.MULTILINE)
"""What a command says on a slow machine while it works."""


@pytest.mark.index
@pytest.mark.feature("site_search", "social_cards")
def test_an_empty_environment(archives: tuple[Path, Path], tmp_path: Path) -> None:
    """What a new user does: install, begin a site, build it. Nothing is missing and nothing is remarked."""
    wheel = archives[0] / f"{STEM}-py3-none-any.whl"
    venv.create(tmp_path / "env", with_pip=True)
    programs = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DEVLOG"))}
    subprocess.run([programs / "python", "-m", "pip", "install", "-q", str(wheel)], check=True, env=plain)

    def devlog(*words: str, folder: Path) -> str:
        """What a command says besides its results."""
        command = [programs / "devlog", *words]
        done = subprocess.run(command, cwd=folder, env=plain, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return _PROGRESS.sub("", done.stderr)

    devlog("init", "mylog", folder=tmp_path)
    site = tmp_path / "mylog"
    assert devlog("build", folder=site) == "", "no note, no warning"
    assert (site / "public" / "pagefind" / "pagefind.js").exists()
    cards = list((site / "public").rglob("card.png"))
    assert cards
    page = (cards[0].parent / "index.html").read_text("utf-8")
    assert 'property="og:image"' in page
    assert "warning" not in devlog("check", "--strict", folder=site)


# -- parts that a platform may lack


@pytest.mark.slow
@pytest.mark.feature("episodes", "site_search", "social_cards")
def test_without_parts_there_is_one_note_for_each(tmp_path: Path) -> None:
    """No wheel for a platform: the site is built, and a line for each part says what is missing and how to add it."""
    lacking = ("PIL", "pillow", "pagefind", "tinytag")
    packages = next(Path(place) for place in sys.path if Path(place, "click").is_dir())
    rest = tmp_path / "packages"
    rest.mkdir()
    for path in packages.iterdir():
        if not path.name.lower().startswith(tuple(name.lower() for name in lacking)):
            (rest / path.name).symlink_to(path)
    site = tmp_path / "site"
    topic = site / "content" / "radio"
    topic.mkdir(parents=True)
    (site / "devlog.toml").write_text('title = "Radio"\nbase_url = "https://log.example.org/"\n', "utf-8")
    (topic / "_index.md").write_text("---\ntitle: Radio\n---\n", "utf-8")
    post = "---\ntitle: First\nauthor: Ada Quill (@adaquill)\naudio: first.mp3\n---\n\nHear it.\n"
    (topic / "2026-05-04-first.md").write_text(post, "utf-8")
    (topic / "first.mp3").write_bytes(bytes(64))
    code = f"""
import sys
sys.path[:] = [{str(REPOSITORY)!r}, {str(rest)!r}, *(place for place in sys.path if "site-packages" not in place)]
from devlog.cli import run
run()
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, "build", "--root", str(site)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sorted(re.findall(r"info\[([a-z-]+)\]", done.stderr)) == ["no-search", "no-tinytag", "without-cards"]
    for package in ("Pillow", "pagefind-bin", "tinytag"):
        assert f"{package} is not installed" in done.stderr
        assert re.search(rf"run “.* {package}”", done.stderr)
    assert (site / "public" / "radio" / "2026-05-04-first" / "index.html").exists()
