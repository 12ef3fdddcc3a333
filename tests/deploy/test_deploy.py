"""Publishing: exactly what the last build left, nothing that is not ours is touched, and what is wrong is said."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest
from check_cases import git
from sites import build_site, read_tree, write_site

from devlog.deploy import git as asking
from devlog.deploy.git import Repository
from devlog.deploy.run import deploy
from devlog.disk.lock import lock
from devlog.disk.manifest import MANIFEST
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes

POST = "content/storage/2026-05-01-a.md"
SITE = {
    "devlog.toml": 'title = "The Lumen log"\n\n[images]\nenabled = false\n\n[cards]\nenabled = false\n\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    POST: "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\nText.\n",
}
FOLDER = '[deploy.here]\nto = "folder"\npath = "{path}"\n'


def built(folder: Path, settings: str) -> Path:
    """A site that is built and says how it is published."""
    folder.mkdir(parents=True, exist_ok=True)
    write_site(folder, {**SITE, "devlog.toml": SITE["devlog.toml"] + settings})
    assert not build_site(folder).failed
    return folder


def published(root: Path, name: str = "", *, dry_run: bool = False) -> tuple[list[str], list[Diagnostic]]:
    """What is said, and what is wrong."""
    said = list(deploy(root, name, dry_run=dry_run))
    return [item for item in said if isinstance(item, str)], [item for item in said if isinstance(item, Diagnostic)]


def wrong(root: Path, name: str = "") -> str:
    """The only thing that is said: what is wrong."""
    lines, found = published(root, name)
    assert not lines
    (problem,) = found
    assert problem.severity == "error"
    return problem.message


def outputs(folder: Path) -> dict[str, bytes]:
    """The files of a site, without what devlog keeps beside them."""
    return {path: data for path, data in read_tree(folder).items() if path != MANIFEST}


# -- what is published


def test_there_must_be_a_built_site(tmp_path: Path) -> None:
    write_site(tmp_path, {**SITE, "devlog.toml": FOLDER.format(path="../out")})
    assert wrong(tmp_path) == "no built site found here"


def test_what_has_changed_since_the_build_is_not_published(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    (root / "public" / "index.html").write_text("edited", "utf-8")
    (root / "public" / "404.html").unlink()
    assert wrong(root) == "changed since the last build, and 1 more"
    assert published(root)[1][0].hint == "run “devlog build”"
    assert not (tmp_path / "out").exists()


def test_while_another_process_builds_nothing_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    monkeypatch.setattr("devlog.deploy.run.lock", partial(lock, wait=0.0))
    with lock(root) as problem:
        assert problem is None
        assert wrong(root).startswith(f"another build of this site is running (process {os.getpid()} on ")
    assert not (tmp_path / "out").exists()
    assert published(root)[1] == []
    assert (tmp_path / "out" / "index.html").exists()


def edit_unseen(file: Path) -> None:
    """Write other bytes into a file, as many as before, and set its time back."""
    status = file.stat()
    file.write_bytes(file.read_bytes()[::-1])
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.slow
@pytest.mark.parametrize("to", ["folder", "branch"])
def test_an_edit_that_only_the_bytes_show_is_not_published(tmp_path: Path, to: str) -> None:
    root, _ = with_remote(tmp_path)
    with (root / "devlog.toml").open("a") as file:
        file.write(FOLDER.format(path="../out"))
    build_site(root)
    edit_unseen(root / "public" / "index.html")
    assert wrong(root, {"folder": "here", "branch": "pages"}[to]) == "changed since the last build"
    assert not (tmp_path / "out").exists()


def test_such_an_edit_is_repaired_as_the_hint_says(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    before = outputs(root / "public")
    edit_unseen(root / "public" / "index.html")
    ((problem,), _) = reversed(published(root))
    assert problem.hint == "run “devlog build --no-cache”"
    report = build_site(root, cache=False)
    assert report.written == ("index.html",)
    assert [(item.code, item.span.path) for item in report.diagnostics] == [("edited-output", "public/index.html")]
    assert outputs(root / "public") == before
    assert published(root)[1] == []
    assert outputs(tmp_path / "out") == before


def test_a_folder_that_became_a_link_is_not_published(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    (root / "public" / "storage").rename(tmp_path / "elsewhere")
    (root / "public" / "storage").symlink_to(tmp_path / "elsewhere")
    assert wrong(root).startswith("changed since the last build")


@pytest.mark.slow
@pytest.mark.parametrize("change", ["edit", "link", "remove"])
def test_what_changes_while_it_is_published_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Between the look at the files, and that of git at them."""
    root, remote = with_remote(tmp_path)
    file = root / "public" / "index.html"
    ask = Repository.ask

    def late(self: Repository, *command: str, data: bytes = b"", folder: Path | None = None) -> bytes:
        if command[0] == "hash-object":
            if change == "link":
                (root / "secret").write_bytes(file.read_bytes())
                file.unlink()
                file.symlink_to(root / "secret")
            else:
                edit_unseen(file)
        told = ask(self, *command, data=data, folder=folder)
        if command[0] == "hash-object" and change == "remove":
            file.unlink()
        return told

    monkeypatch.setattr(Repository, "ask", late)
    assert "“index.html” is not as the last build left it" in wrong(root)
    assert not git(remote, "for-each-ref", "refs/heads/gh-pages")


def test_a_forged_manifest_names_no_file_elsewhere(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    (root / "public" / "a\nb").write_bytes(b"")
    manifest = msgspec.json.decode((root / "public" / MANIFEST).read_bytes())
    for path in ("a\nb", "../devlog.toml"):
        file = root / "public" / path
        status = file.stat()
        entry = ["", digest_bytes(file.read_bytes()), status.st_size, status.st_mtime_ns]
        forged = {**manifest, "entries": {**manifest["entries"], path: entry}}
        (root / "public" / MANIFEST).write_bytes(msgspec.json.encode(forged))
        assert wrong(root) == "changed since the last build"


def test_files_that_devlog_did_not_make_stay_at_home(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    (root / "public" / "notes.txt").write_text("mine", "utf-8")
    published(root)
    assert "notes.txt" not in outputs(tmp_path / "out")


# -- which way


def test_a_site_that_does_not_say_where(tmp_path: Path) -> None:
    assert wrong(built(tmp_path, "")) == "no deployment is configured"


def test_one_of_several(tmp_path: Path) -> None:
    settings = FOLDER.format(path="../one") + FOLDER.format(path="../two").replace("here", "there")
    root = built(tmp_path / "site", settings)
    assert wrong(root) == "several deployments are configured: “here”, “there”"
    assert wrong(root, "ther") == "unknown deployment “[deploy.ther]”"
    lines, found = published(root, "there")
    assert not found
    assert lines[-1].startswith("Published to ../two")
    assert not (tmp_path / "one").exists()


def test_a_deployer_that_nobody_knows(tmp_path: Path) -> None:
    root = built(tmp_path, '[deploy.here]\nto = "foldr"\n')
    _, (problem,) = published(root)
    assert (problem.message, problem.hint) == ("unknown deployer “foldr”", "did you mean “folder”?")
    assert problem.span.line == 10


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ('to = "folder"\n', "the setting “path” is missing"),
        ('to = "folder"\npath = 3\n', "the setting “path” has the wrong type"),
        ('to = "folder"\npath = "x"\npth = "y"\n', "there is no setting “pth”"),
        ('to = "branch"\nbranch = "../x"\n', "“../x” is not the name of a branch"),
        ('to = "branch"\nbranch = "HEAD"\n', "“HEAD” is not the name of a branch"),
        ('to = "branch"\nbranch = "refs/heads/x"\n', "“refs/heads/x” is not the name of a branch"),
        ('to = "branch"\nremote = "--upload-pack=touch x"\n', "“--upload-pack=touch x” is not the name or the URL"),
        ('to = "branch"\nremote = "ext::touch x"\n', "“ext::touch x” is not the name or the URL"),
    ],
)
def test_settings_are_checked(settings: str, reason: str, tmp_path: Path) -> None:
    root = built(tmp_path / "site", f"[deploy.here]\n{settings}")
    git(root, "init", "-q")
    assert reason in wrong(root)
    assert not (root / "x").exists()


def test_a_broken_configuration_stops_it(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    with (root / "devlog.toml").open("a") as file:
        file.write("[nonsense]\nx = 1\n")
    assert wrong(root) == "unknown key “nonsense”"


def test_a_placeholder_url_is_told_before_it_is_published(tmp_path: Path) -> None:
    write_site(
        tmp_path, {**SITE, "devlog.toml": f'base_url = "https://your-site.example/"\n{FOLDER.format(path="../out")}'}
    )
    assert not build_site(tmp_path).failed
    lines, (problem,) = published(tmp_path)
    assert lines
    assert (problem.code, problem.severity, problem.span.line) == ("placeholder-base-url", "warning", 1)


# -- into a folder


def test_a_folder_becomes_the_site(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    lines, found = published(root)
    assert not found
    assert outputs(tmp_path / "out") == outputs(root / "public")
    assert lines == [f"Published to ../out: {len(outputs(root / 'public'))} written, 0 as before, 0 removed"]


@pytest.mark.slow
def test_only_what_changed_is_written_and_what_is_gone_is_removed(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    kept = tmp_path / "out" / "theme" / "style.css"
    before = kept.stat().st_mtime_ns
    (root / POST).rename(root / POST.replace("-a", "-b"))
    build_site(root)
    published(root)
    assert outputs(tmp_path / "out") == outputs(root / "public")
    assert not (tmp_path / "out" / "storage" / "2026-05-01-a").exists()
    assert kept.stat().st_mtime_ns == before
    lines, _ = published(root)
    assert ": 0 written, " in lines[-1]


@pytest.mark.slow
def test_files_of_others_stay_in_the_folder(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    (tmp_path / "out" / "CNAME").write_text("log.example.org", "utf-8")
    (root / POST).write_text(SITE[POST].replace("Text", "More text"), "utf-8")
    build_site(root)
    _, found = published(root)
    assert not found
    assert (tmp_path / "out" / "CNAME").read_text("utf-8") == "log.example.org"


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    write_site(tmp_path / "out", {"photos/me.jpg": "x"})
    assert "is not empty and was not made by devlog" in wrong(root)
    assert outputs(tmp_path / "out") == {"photos/me.jpg": b"x"}


@pytest.mark.parametrize("path", [".", "..", "content", "public", "public/below", "static", ".devlog/x"])
def test_folders_that_the_site_needs_are_refused(path: str, tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path=path))
    before = read_tree(root)
    assert f"“{path}” is " in wrong(root)
    assert {file: data for file, data in read_tree(root).items() if not file.startswith(".devlog/")} == {
        file: data for file, data in before.items() if not file.startswith(".devlog/")
    }


@pytest.mark.slow
def test_a_file_that_somebody_edited_there_is_told_and_left(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    edited = tmp_path / "out" / "storage" / "2026-05-01-a" / "index.html"
    edited.write_text("mine", "utf-8")
    (root / POST).unlink()
    build_site(root)
    _, found = published(root)
    assert [item.code for item in found] == ["edited-output"]
    assert edited.read_text("utf-8") == "mine"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["link", "folder", "file above", "edited", "stale and edited"])
def test_a_dry_run_of_a_folder_tells_what_is_in_the_way(kind: str, tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    (root / POST).write_text(SITE[POST].replace("Text", "Another text"), "utf-8")
    place = tmp_path / "out" / "storage" / "2026-05-01-a"
    page = place / "index.html"
    page.unlink()
    if kind == "link":
        page.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        write_site(page, {"mine": "mine"})
    elif kind == "file above":
        shutil.rmtree(place)
        place.write_text("mine", "utf-8")
    else:
        page.write_text("mine", "utf-8")
    if kind == "stale and edited":
        (root / POST).unlink()
    build_site(root)
    before = read_tree(tmp_path / "out")
    lines, told = published(root, dry_run=True)
    assert read_tree(tmp_path / "out") == before
    done, found = published(root)
    assert [item.code for item in found] == [item.code for item in told] != []
    assert bool(lines) == bool(done)


@pytest.mark.slow
def test_a_dry_run_of_a_folder_names_the_files_and_writes_nothing(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    lines, _ = published(root, dry_run=True)
    assert not (tmp_path / "out").exists()
    assert "+ index.html" in lines
    published(root)
    (root / POST).rename(root / POST.replace("-a", "-b"))
    build_site(root)
    before = read_tree(tmp_path / "out")
    lines, _ = published(root, dry_run=True)
    assert read_tree(tmp_path / "out") == before
    assert {"~ index.html", "- storage/2026-05-01-a/index.html", "+ storage/2026-05-01-b/index.html"} <= set(lines)


@pytest.mark.slow
def test_a_dry_run_of_a_folder_counts_what_a_deployment_does(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    place = tmp_path / "out" / "storage" / "2026-05-01-a"
    (place / "index.html").write_text("mine", "utf-8")
    (place / "index.md").unlink()
    (tmp_path / "out" / "robots.txt").write_bytes(b"")
    (root / POST).unlink()
    build_site(root)
    (tmp_path / "out" / "archive" / "index.html").write_bytes((root / "public/archive/index.html").read_bytes())
    lines, told = published(root, dry_run=True)
    assert "~ robots.txt" in lines
    assert not [line for line in lines if line.endswith(("storage/2026-05-01-a/index.html", "archive/index.html"))]
    before = outputs(tmp_path / "out")
    done, found = published(root)
    assert found == told
    assert lines[-1].replace("Would publish", "Published") == done[-1]
    gone = sorted(before.keys() - outputs(tmp_path / "out").keys())
    assert gone
    assert [line for line in lines if line.startswith("- ")] == [f"- {path}" for path in gone]


# -- whose it is


def two_sites(tmp_path: Path, settings: str, first: str = "", second: str = "") -> tuple[Path, Path]:
    """Two built sites, the second of another title and with a post of its own."""
    one = built(tmp_path / "one", settings)
    two = tmp_path / "two"
    config = SITE["devlog.toml"].replace("Lumen", "Prism") + settings
    write_site(two, {**SITE, "devlog.toml": second + config, "content/storage/2026-05-02-b.md": SITE[POST]})
    if first:
        (one / "devlog.toml").write_text(first + SITE["devlog.toml"] + settings, "utf-8")
    for root in (one, two):
        assert not build_site(root).failed
    return one, two


@pytest.mark.slow
def test_a_folder_of_another_site_is_refused(tmp_path: Path) -> None:
    one, two = two_sites(tmp_path, FOLDER.format(path="../out"))
    published(one)
    before = read_tree(tmp_path / "out")
    assert wrong(two) == "deployment “here” failed: “../out” contains another site, “The Lumen log”"
    assert wrong(two)
    assert read_tree(tmp_path / "out") == before
    (one / POST).unlink()
    build_site(one)
    _, found = published(one)
    assert not found


@pytest.mark.slow
def test_the_output_of_another_site_is_no_folder_to_publish_into(tmp_path: Path) -> None:
    one, two = two_sites(tmp_path, FOLDER.format(path="../two/public"))
    before = read_tree(two)
    assert wrong(one) == "deployment “here” failed: “../two/public” contains another site, “The Prism log”"
    assert read_tree(two) == before


@pytest.mark.slow
def test_a_site_publishes_from_another_checkout(tmp_path: Path) -> None:
    url = 'base_url = "https://log.lumen.dev/"\n'
    one, two = two_sites(tmp_path, FOLDER.format(path="../out"), url, url)
    published(one)
    _, found = published(two)
    assert not found
    assert outputs(tmp_path / "out") == outputs(two / "public")


@pytest.mark.slow
def test_sites_of_one_machine_are_not_one_site(tmp_path: Path) -> None:
    for number, url in enumerate(
        ("http://localhost:8000/", "http://127.0.0.1/", "https://log.lumen.example/", "/log/")
    ):
        one, two = two_sites(
            tmp_path / str(number), FOLDER.format(path="../out"), f'base_url = "{url}"\n', f'base_url = "{url}"\n'
        )
        published(one)
        assert "contains another site, “The Lumen log”" in published(two)[1][-1].message


@pytest.mark.slow
def test_a_site_with_another_title_and_url_is_the_same_in_its_place(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    settings = 'base_url = "https://log.prism.dev/"\n' + SITE["devlog.toml"].replace("Lumen", "Prism")
    (root / "devlog.toml").write_text(settings + FOLDER.format(path="../out"), "utf-8")
    (tmp_path / "elsewhere").mkdir()
    for name in ("site", "out"):
        (tmp_path / name).rename(tmp_path / "elsewhere" / name)
    root = tmp_path / "elsewhere" / "site"
    assert not build_site(root).failed
    _, found = published(root)
    assert not found


def test_what_is_published_does_not_say_where_the_site_lies(tmp_path: Path) -> None:
    root = built(tmp_path / "secret-place", FOLDER.format(path="../out"))
    published(root)
    assert b"secret-place" not in (tmp_path / "out" / MANIFEST).read_bytes()


@pytest.mark.slow
def test_a_branch_of_another_site_of_the_repository_is_refused(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, below="docs/one")
    other = built(tmp_path / "clone" / "docs/two", BRANCH)
    git(root, "add", ":/")
    git(root, "commit", "-q", "-m", "Two")
    published(root)
    before = git(remote, "rev-parse", "gh-pages")
    assert wrong(other).endswith("the branch “gh-pages” contains another site, that of “docs/one/”")
    assert git(remote, "rev-parse", "gh-pages") == before
    git(root, "rm", "-q", "-r", "--cached", ".")
    git(root, "commit", "-q", "-m", "The first one is gone")
    _, found = published(other)
    assert not found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="names of folders have no such characters there")
@pytest.mark.parametrize(
    ("one", "two", "setting"),
    [
        (" a", " b", ""),
        ("\u3000a", "\u3000b", ""),
        ("ünï", "ä", "ISO-8859-1"),
        ("a", "b", "UTF-16"),
        ("\udce4", "\udcf6", ""),
    ],
    ids=["blank before", "wide blank before", "Latin-1", "UTF-16", "no text"],
)
def test_folders_are_told_apart_by_their_exact_names(
    one: str, two: str, setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    if setting:
        (home / ".gitconfig").write_text(f"[i18n]\nlogOutputEncoding = {setting}\n", "utf-8")
    root, remote = with_remote(tmp_path, below=one)
    other = built(tmp_path / "clone" / two, BRANCH)
    git(root, "add", ":/")
    git(root, "commit", "-q", "-m", "Two")
    published(root)
    before = git(remote, "rev-parse", "gh-pages")
    assert "contains another site, that of " in wrong(other)
    assert git(remote, "rev-parse", "gh-pages") == before
    assert not published(root)[1]


@pytest.mark.slow
def test_a_site_that_was_published_before_its_first_commit_keeps_its_branch(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "pages.git"], check=True)
    settings = BRANCH + 'remote = "{}"\n'.format(tmp_path / "pages.git")
    roots = []
    for name in ("lumen", "prism"):
        root = built(tmp_path / name, settings)
        config = f'base_url = "https://log.{name}.dev/"\n' + (root / "devlog.toml").read_text("utf-8")
        (root / "devlog.toml").write_text(config, "utf-8")
        build_site(root)
        subprocess.run(["git", "init", "-q", root], check=True)
        roots.append(root)
    published(roots[0])
    assert wrong(roots[1]).endswith("the branch “gh-pages” contains another site, “https://log.lumen.dev”")
    assert not published(roots[0])[1]


@pytest.mark.slow
def test_a_branch_of_another_repositorys_site_is_refused(tmp_path: Path) -> None:
    settings = 'remote = "{}"\n'.format(tmp_path / "pages.git")
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "pages.git"], check=True)
    for number, url in enumerate(("https://log.lumen.dev", "https://log.prism.dev")):
        (tmp_path / str(number)).mkdir()
        root, _ = with_remote(tmp_path / str(number), BRANCH + settings)
        config = f'base_url = "{url}/"\n' + (root / "devlog.toml").read_text("utf-8")
        (root / "devlog.toml").write_text(config, "utf-8")
        build_site(root)
        git(root, "commit", "-q", "-a", "-m", f"At {url}")
        if number == 0:
            published(root)
    before = git(tmp_path / "pages.git", "rev-parse", "gh-pages")
    assert wrong(root).endswith("the branch “gh-pages” contains another site, “https://log.lumen.dev”")
    assert git(tmp_path / "pages.git", "rev-parse", "gh-pages") == before
    root = tmp_path / "0" / "clone"
    config = (root / "devlog.toml").read_text("utf-8").replace("log.lumen.dev", "lumen.dev")
    (root / "devlog.toml").write_text(config, "utf-8")
    build_site(root)
    _, found = published(root)  # its own, under another URL
    assert not found


# -- onto a branch


BRANCH = '[deploy.pages]\nto = "branch"\n'


def with_remote(tmp_path: Path, settings: str = BRANCH, *, below: str = "") -> tuple[Path, Path]:
    """A built site in a repository, and the repository that it was cloned from."""
    remote, top = tmp_path / "remote.git", tmp_path / "clone"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", remote], check=True)
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    git(top, "remote", "add", "origin", str(remote))
    root = built(top / below, settings)
    (top / ".gitignore").write_text("public/\n.devlog/\n", "utf-8")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "A post")
    git(top, "push", "-q", "origin", "main")
    return root, remote


def tree_of(repository: Path, branch: str = "gh-pages") -> dict[str, bytes]:
    """The files of a branch."""
    names = git(repository, "ls-tree", "-r", "-z", "--name-only", branch).split("\0")
    return {
        name: subprocess.run(
            ["git", "cat-file", "blob", f"{branch}:{name}"], cwd=repository, check=True, capture_output=True
        ).stdout
        for name in names
        if name
    }


@pytest.mark.slow
@pytest.mark.parametrize("below", ["", "docs/log"])
def test_a_branch_becomes_the_site(below: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, below=below)
    status = git(root, "status", "--porcelain")
    branches = git(root, "for-each-ref", "refs/heads")
    lines, found = published(root)
    assert not found
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert lines[-1].startswith("Published to the branch “gh-pages” of origin: ")
    assert git(root, "status", "--porcelain") == status
    assert git(root, "for-each-ref", "refs/heads") == branches
    head = git(root, "rev-parse", "HEAD").strip()
    made = f"Made of {head}:{below}/" if below else f"Made of {head}"
    assert git(remote, "log", "-1", "--format=%B", "gh-pages").strip() == f"Publish the site\n\n{made}"


@pytest.mark.slow
def test_each_publishing_is_a_commit_and_none_without_a_change(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    lines, _ = published(root)
    assert lines[0].startswith("No changes: ")
    (root / POST).rename(root / POST.replace("-a", "-b"))
    build_site(root)
    lines, _ = published(root)
    assert git(remote, "rev-list", "--count", "gh-pages").strip() == "2"
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert " 2 removed, " in lines[-1] or " 1 removed, " in lines[-1]


@pytest.mark.slow
def test_a_site_in_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, below="docs/\udcff")
    for day in ("01", "02"):
        (root / POST).with_name(f"2026-06-{day}-c.md").write_bytes((root / POST).read_bytes())
        assert not build_site(root).failed
        lines, found = published(root)
        assert not found
        assert lines[-1].startswith("Published to the branch “gh-pages” of origin: ")
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert git(remote, "log", "-1", "--format=%B", "gh-pages").strip().endswith(r":docs/\udcff/")


@pytest.mark.slow
def test_a_branch_that_others_have_moved_is_continued(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "gh-pages", remote, other], check=True)
    (other / "by-hand.html").write_text("x", "utf-8")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "By hand")
    git(other, "push", "-q", "origin", "gh-pages")
    published(root)
    assert git(remote, "rev-list", "--count", "gh-pages").strip() == "3"
    assert "by-hand.html" not in tree_of(remote)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no file may have such a name there")
def test_no_name_of_a_file_is_taken_for_another_file(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    secret = tmp_path / "secret"
    secret.write_text("of nobody's concern", "utf-8")
    name = f'"{secret}"'  # for git a path in quotation marks, as long as it stands at the beginning of a line
    write_site(root, {f"static/{name}": "a file of the site"})
    assert not build_site(root).failed
    published(root)
    assert b"of nobody's concern" not in tree_of(remote).values()
    assert tree_of(remote)[name] == b"a file of the site"


@pytest.mark.slow
def test_a_branch_without_a_remote_stays_here(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'remote = ""\nbranch = "pages"\nmessage = "New logs"\n')
    _, found = published(root)
    assert not found
    assert tree_of(root, "pages") == {**outputs(root / "public"), ".nojekyll": b""}
    assert git(root, "log", "-1", "--format=%s", "pages").strip() == "New logs"
    assert "pages" not in git(remote, "for-each-ref")


@pytest.mark.slow
def test_a_branch_that_is_checked_out_is_refused(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = ""\nbranch = "main"\n')
    assert wrong(root).endswith("the branch “main” is checked out")


@pytest.mark.slow
@pytest.mark.parametrize("other", ["refs/heads/other", "refs/heads/new"])
def test_a_branch_that_is_another_name_of_one_is_refused(other: str, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = ""\n')
    git(root, "branch", "other", git(root, "commit-tree", "-m", "Empty", EMPTY_TREE).strip())
    git(root, "symbolic-ref", "refs/heads/gh-pages", other)
    before = git(root, "for-each-ref")
    assert wrong(root).endswith(f"the branch “gh-pages” is only another name of “{other}”")
    assert git(root, "for-each-ref") == before


@pytest.mark.slow
def test_a_branch_of_the_remote_that_is_another_name_is_refused(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH)
    git(remote, "update-ref", "refs/heads/other", git(remote, "commit-tree", "-m", "Empty", EMPTY_TREE).strip())
    git(remote, "symbolic-ref", "refs/heads/gh-pages", "refs/heads/other")
    before = git(remote, "for-each-ref")
    assert wrong(root).endswith("the branch “gh-pages” of the remote is only another name of “other”")
    assert git(remote, "for-each-ref") == before


EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.mark.slow
def test_a_branch_with_sources_is_refused(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'branch = "main"\n')
    before = git(remote, "rev-parse", "main")
    assert wrong(root).endswith("the branch “main” contains the sources of a site: “devlog.toml”")
    assert git(remote, "rev-parse", "main") == before


def moved(root: Path, content: str) -> None:
    """Make a folder the one with the posts of a site."""
    config = root / "devlog.toml"
    config.write_text(f'content = "{content}"\n' + config.read_text("utf-8"), "utf-8")
    (root / content).mkdir(parents=True, exist_ok=True)
    (root / "content" / "storage").rename(root / content / "storage")
    (root / "content").rmdir() if content == "." else None


def on_master(tmp_path: Path, content: str, settings: str) -> tuple[Path, Path, str]:
    """A site of which a branch has the posts only, as before they were adopted; and that branch's commit."""
    root, remote = with_remote(tmp_path, settings)
    moved(root, content)
    (root / "devlog.toml").rename(tmp_path / "devlog.toml")
    git(root, "checkout", "-q", "--orphan", "master")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "The posts")
    git(root, "push", "-q", "origin", "master")
    (tmp_path / "devlog.toml").rename(root / "devlog.toml")
    assert not build_site(root).failed
    return root, remote, git(remote, "rev-parse", "master")


@pytest.mark.slow
@pytest.mark.parametrize("content", [".", "a/b"])
@pytest.mark.parametrize("where", ["checked out", "elsewhere", "nowhere here"])
def test_a_branch_with_nothing_but_posts_is_refused(content: str, where: str, tmp_path: Path) -> None:
    root, remote, before = on_master(tmp_path, content, BRANCH + 'branch = "master"\n')
    if where != "checked out":
        git(root, "checkout", "-q", "-b", "adopting")
    if where == "nowhere here":
        git(root, "branch", "-q", "-D", "master")
        git(root, "update-ref", "-d", "refs/remotes/origin/master")
    path = f"{content}/storage/2026-05-01-a.md".removeprefix("./")
    assert wrong(root).endswith(f"the branch “master” contains the sources of a site: “{path}”")
    assert git(remote, "rev-parse", "master") == before


@pytest.mark.slow
def test_a_branch_of_posts_that_have_all_changed_is_refused(tmp_path: Path) -> None:
    root, remote, before = on_master(tmp_path, ".", BRANCH + 'branch = "master"\n')
    git(root, "checkout", "-q", "--orphan", "adopting")
    for post in (root / "storage").iterdir():
        post.write_text(post.read_text("utf-8") + "\nMore.\n", "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Adopted")
    build_site(root)
    git(root, "branch", "-q", "-D", "master")
    assert "the branch “master” contains files that devlog did not publish: “storage/" in wrong(root)
    assert git(remote, "rev-parse", "master") == before


@pytest.mark.slow
@pytest.mark.parametrize("remote_setting", ["", 'remote = ""\n'])
def test_a_branch_of_something_else_is_refused(remote_setting: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'branch = "v2"\n' + remote_setting)
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "main", remote, other], check=True)
    git(other, "checkout", "-q", "--orphan", "v2")
    git(other, "rm", "-q", "-rf", ".")
    write_site(other, {"src/lumen.c": "int main(void) {}", "README.md": "Lumen"})
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "Begin anew")
    git(other, "push", "-q", "origin", "v2")
    git(root, "fetch", "-q", "origin", "v2:v2")
    assert wrong(root).endswith("the branch “v2” contains files that devlog did not publish: “src/lumen.c”")
    assert "src/lumen.c" in tree_of(remote, "v2")
    assert "src/lumen.c" in tree_of(root, "v2")


@pytest.mark.slow
def test_sources_that_were_put_onto_a_published_branch_are_not_lost(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "gh-pages", remote, other], check=True)
    git(other, "merge", "-q", "--allow-unrelated-histories", "-m", "Merge", "origin/main")
    git(other, "push", "-q", "origin", "gh-pages")
    assert "the branch “gh-pages” contains the sources of a site: " in wrong(root)


@pytest.mark.slow
def test_a_branch_that_is_yet_to_be_pushed_is_refused(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'branch = "topic"\n')
    git(root, "checkout", "-q", "-b", "topic")
    assert wrong(root).endswith("the branch “topic” is checked out")
    git(root, "checkout", "-q", "main")
    assert wrong(root).endswith("the branch “topic” contains the sources of a site: “devlog.toml”")
    assert "topic" not in git(remote, "for-each-ref")


@pytest.mark.slow
def test_another_repository_takes_the_site_on_its_main_branch(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = "pages"\nbranch = "main"\n')
    pages, begun = tmp_path / "pages.git", tmp_path / "begun"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", pages], check=True)
    git(root, "remote", "add", "pages", str(pages))
    subprocess.run(["git", "clone", "-q", pages, begun], check=True, capture_output=True)
    write_site(begun, {"README.md": "The log", "CNAME": "log.example.org"})
    git(begun, "checkout", "-q", "-b", "main")
    git(begun, "add", ".")
    git(begun, "commit", "-q", "-m", "Begin")
    git(begun, "push", "-q", "origin", "main")
    _, found = published(root)
    assert not found
    assert tree_of(pages, "main") == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_topic_of_the_name_of_the_content_folder(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    (root / "content/storage").rename(root / "content/content")
    build_site(root)
    published(root)
    (root / "content/content/2026-05-01-a.md").rename(root / "content/content/2026-05-01-b.md")
    build_site(root)
    _, found = published(root)
    assert not found
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_before_the_first_commit(tmp_path: Path) -> None:
    remote, root = tmp_path / "remote.git", tmp_path / "site"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    built(root, BRANCH + 'remote = "../remote.git"\n')
    git(root, "init", "-q")
    published(root)
    (root / POST).unlink()
    build_site(root)
    _, found = published(root)
    assert not found
    assert git(remote, "log", "-1", "--format=%b", "gh-pages").strip() == "Made by devlog"


@pytest.mark.slow
def test_a_dry_run_of_a_branch_leaves_no_trace(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    (root / POST).rename(root / POST.replace("-a", "-b"))
    build_site(root)
    before, there = read_tree(root / ".git"), read_tree(remote)
    lines, found = published(root, dry_run=True)
    assert not found
    assert {"~ index.html", "- storage/2026-05-01-a/index.html", "+ storage/2026-05-01-b/index.html"} <= set(lines)
    assert read_tree(root / ".git") == before
    assert read_tree(remote) == there


@pytest.mark.slow
def test_no_program_of_the_repository_runs(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    trace = tmp_path / "ran"
    for hook in ("pre-push", "post-update", "reference-transaction", "post-checkout"):
        file = root / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\ntouch {trace}\n", "utf-8")
        file.chmod(0o755)
    git(root, "config", "core.fsmonitor", f"touch {trace}")
    git(root, "config", "filter.x.clean", "cat")
    git(root, "config", "--unset-all", "filter.x.clean")
    _, found = published(root)
    assert not found
    assert "gh-pages" in git(remote, "for-each-ref")
    assert not trace.exists()
    for key in ("core.sshCommand", "credential.helper", "remote.origin.receivepack", "filter.x.clean"):
        git(root, "config", key, f"touch {trace}; cat")
        assert "the repository's own configuration runs a program" in wrong(root)
        git(root, "config", "--unset-all", key)
    assert not trace.exists()


HOOKS = """#!/bin/sh
# What every git does from 2.54 on with hooks that a configuration names.
case " $* " in *" update-ref "*)
    [ "$({git} config 'hook.a.b C.enabled')" = false ] || eval "$({git} config 'hook.a.b C.command')" ;;
esac
exec {git} "$@"
"""


@pytest.mark.slow
@pytest.mark.parametrize("remote", ["", "origin"])
def test_no_hook_that_the_configuration_names_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remote: str
) -> None:
    root, _ = with_remote(tmp_path)
    text = (root / "devlog.toml").read_text("utf-8")
    (root / "devlog.toml").write_text(f'{text}remote = "{remote}"\n', "utf-8")
    build_site(root)
    trace = tmp_path / "ran"
    for event in ("reference-transaction", "pre-push", "post-index-change"):
        git(root, "config", "--add", "hook.a.b C.event", event)
    git(root, "config", "hook.a.b C.command", f"touch {trace}")
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(HOOKS.format(git=shutil.which("git")), "utf-8")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    assert published(root)[1] == []
    assert "gh-pages" in git(root if not remote else tmp_path / "remote.git", "for-each-ref")
    assert not trace.exists()


@pytest.mark.slow
def test_a_program_that_makes_keys_does_not_run(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    git(remote, "config", "receive.certNonceSeed", "x")
    trace = tmp_path / "ran"
    for key, value in (
        ("push.gpgSign", "true"),
        ("gpg.format", "ssh"),
        ("gpg.ssh.defaultKeyCommand", f"touch {trace}; echo key::x"),
    ):
        git(root, "config", key, value)
    _, found = published(root)
    assert not found
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert not trace.exists()


@pytest.mark.slow
def test_of_the_repositorys_configuration_only_what_is_listed_is_heard(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    heard = {
        "remote.o.pushurl": 'a "b" \\ c\nd',
        "http.https://example.org/a.b.extraheader": "Authorization: x",
        "user.name": "Ada",
    }
    others = {"push.gpgsign": "true", "core.pager": "x", "trace2.eventtarget": "/x", "http.cookiefile": "x", "a.b": "c"}
    for key, value in {**heard, **others}.items():
        git(root, "config", key, value)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    repository = Repository(root, scratch, files=1, dry_run=True)
    told = repository.line("config", "--local", "--null", "--list").split("\0")
    found = dict(item.partition("\n")[::2] for item in told if item and not item.startswith("core."))
    told = repository.line("config", "--file", str(scratch / "addresses" / "config"), "--null", "--list").split("\0")
    addresses = dict(item.partition("\n")[::2] for item in told if item and not item.startswith("core."))
    assert addresses == {**heard, "remote.origin.url": str(tmp_path / "remote.git")}
    assert found == {key: value for key, value in addresses.items() if not key.startswith("remote.")}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs groups")
def test_others_can_write_into_a_shared_repository_as_before(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    git(root, "config", "core.sharedRepository", "group")
    before = {*(root / ".git" / "objects").iterdir()}
    _, found = published(root)
    assert not found
    made = {*(root / ".git" / "objects").iterdir()} - before
    assert made
    assert [folder.name for folder in made if folder.stat().st_mode & 0o070 != 0o070] == []


@pytest.mark.slow
def test_the_repository_is_not_tidied_up_as_if_it_had_no_branches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "gh-pages", remote, other], check=True)
    git(other, "commit", "-q", "--allow-empty", "-m", "By hand")
    git(other, "push", "-q", "origin", "gh-pages")
    (root / POST).write_text(SITE[POST].replace("Text", "More"), "utf-8")
    for message in ("More", "Most"):  # two packs, which are one too many
        git(root, "commit", "-q", "--allow-empty", "-a", "-m", message)
        git(root, "repack", "-q", "-d")
    build_site(root)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    eager = "[gc]\n\tauto = 1\n\tautoPackLimit = 1\n\tautoDetach = false\n\tpruneExpire = now\n"
    write_site(tmp_path / "home", {".gitconfig": eager})
    _, found = published(root)
    assert not found
    git(root, "fsck", "--full", "--strict")


# -- what the remote has


@pytest.mark.slow
@pytest.mark.parametrize("value", ["only", "on-demand", "check"])
def test_what_a_user_says_of_submodules_keeps_nothing_back(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, remote = with_remote(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write_site(tmp_path / "home", {".gitconfig": f"[push]\n\trecurseSubmodules = {value}\n"})
    git(root, "config", "push.recurseSubmodules", value)
    lines, found = published(root)
    assert not found
    assert lines[-1].startswith("Published to the branch “gh-pages” of origin: ")
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_remote_that_says_yes_and_does_nothing_is_told(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    hook = remote / "hooks" / "proc-receive"
    hook.parent.mkdir(exist_ok=True)
    git(remote, "config", "receive.procReceiveRefs", "refs/heads/gh-pages")
    hook.write_text(PROC_RECEIVE.format(python=sys.executable), "utf-8")
    hook.chmod(0o755)
    message = wrong(root)
    assert "git reported success, but the branch “gh-pages” of origin is not there" in message


PROC_RECEIVE = """#!{python}
import sys

def line(text):
    data = text.encode()
    sys.stdout.buffer.write(b"%04x" % (len(data) + 4) + data)

def read():
    found = []
    while (size := int(sys.stdin.buffer.read(4), 16)) > 0:
        found.append(sys.stdin.buffer.read(size - 4))
    return found

read()
line("version=1\\0")
sys.stdout.buffer.write(b"0000")
sys.stdout.flush()
for command in read():
    line("ok " + command.decode().split()[2])
sys.stdout.buffer.write(b"0000")
sys.stdout.flush()
"""


@pytest.mark.slow
def test_every_place_that_is_pushed_to_is_asked(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    places = [tmp_path / "one.git", tmp_path / "two.git"]
    for place in places:
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
        git(root, "config", "--add", "remote.origin.pushurl", str(place))
    _, found = published(root)
    assert not found
    assert "gh-pages" not in git(remote, "for-each-ref")
    assert [tree_of(place) for place in places] == [{**outputs(root / "public"), ".nojekyll": b""}] * 2


@pytest.mark.slow
def test_a_place_that_missed_a_push_gets_it_with_the_next(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    one, two = tmp_path / "one.git", tmp_path / "two.git"
    subprocess.run(["git", "init", "-q", "--bare", one], check=True)
    git(root, "config", "--add", "remote.origin.pushurl", str(one))
    git(root, "config", "--add", "remote.origin.pushurl", str(two))
    for _ in range(2):  # the second time, the first place has all files
        _, found = published(root)
        assert [item.code for item in found] == ["not-deployed"]
        assert tree_of(one) == {**outputs(root / "public"), ".nojekyll": b""}
    subprocess.run(["git", "init", "-q", "--bare", two], check=True)
    lines, found = published(root)
    assert not found
    assert lines[-1].startswith("Published to the branch")
    assert git(two, "rev-parse", "gh-pages") == git(one, "rev-parse", "gh-pages")
    assert published(root)[0][-1].startswith("No changes")


@pytest.mark.slow
@pytest.mark.parametrize("pushing", ["url", "pushurl"])
def test_a_remote_relative_to_the_repository_is_the_one_that_git_means(pushing: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, below="docs/log")
    other = tmp_path / "clone" / "docs" / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", other], check=True)
    git(root, "config", f"remote.origin.{pushing}", "../remote.git")
    assert "refs/heads/main" in git(root, "ls-remote", "origin")
    lines, found = published(root)
    assert not found
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert not git(other, "for-each-ref")
    lines, found = published(root)
    assert lines[-1].startswith("No changes")


# -- the repository itself


@pytest.mark.slow
@pytest.mark.parametrize(
    "remote",
    [
        ".",
        "./.git",
        "../clone",
        "{clone}",
        "file://{clone}/.git",
        "file://{quoted}",
        "../link",
        "../bound/.git",
        "../worktree",
        "self",
        "short:/clone",
    ],
)
def test_the_repository_itself_is_no_remote(remote: str, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    quoted = str(clone).replace("clone", "%63lone")
    root, _ = with_remote(tmp_path, BRANCH + f'remote = "{remote.format(clone=clone, quoted=quoted)}"\n')
    (tmp_path / "link").symlink_to(clone)
    (tmp_path / "bound").mkdir()
    (tmp_path / "bound" / ".git").write_text(f"gitdir: {clone}/.git\n", "utf-8")
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "worktree"))
    git(root, "config", "remote.self.url", str(tmp_path / "remote.git"))
    git(root, "config", "remote.self.pushurl", str(clone))
    git(root, "config", f"url.{tmp_path}.insteadOf", "short:")
    before = git(root, "for-each-ref")
    assert wrong(root).endswith("the remote is the repository itself")
    assert git(root, "for-each-ref") == before


def test_the_repository_above_the_site_is_no_remote(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, below="docs/log")
    git(root, "config", "remote.origin.url", ".")
    before = git(root, "for-each-ref")
    assert wrong(root).endswith("the remote is the repository itself")
    assert git(root, "for-each-ref") == before


@pytest.mark.slow
@pytest.mark.parametrize("how", ["url", "pushurl", "second", "insteadOf", "link", ".git", "work tree"])
def test_a_repository_inside_the_repository_is_no_remote(how: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    inner = root / (".git/inner.git" if how == ".git" else "tools/inner.git")
    subprocess.run(["git", "init", "-q", "--bare", inner], check=True)
    for hook in ("pre-receive", "post-receive"):
        (inner / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
        (inner / "hooks" / hook).chmod(0o755)
    if how == "pushurl":
        git(root, "config", "remote.origin.pushurl", str(inner))
    elif how == "second":
        git(root, "config", "--add", "remote.origin.url", str(inner))
    elif how == "insteadOf":
        git(root, "config", f"url.{inner}.insteadOf", str(remote))
    elif how == "link":
        (tmp_path / "link").symlink_to(inner)
        git(root, "config", "remote.origin.url", str(tmp_path / "link"))
    else:
        git(root, "config", "remote.origin.url", inner.as_uri())
    if how == "work tree":
        git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "side"))
        root = built(tmp_path / "side", BRANCH)
    assert "the remote lies inside or around the site's own repository" in wrong(root)
    assert not (tmp_path / "ran").exists()
    assert not git(inner, "for-each-ref")


@pytest.mark.slow
@pytest.mark.parametrize(
    "url",
    [
        "file://localhost{site}/evil.git",
        "file://else{site}/evil.git",
        "{site}/evil/",
        "evil//",
        "file://{site}/ev%69l",
        "file://{site}/odd%FF.git",
        "/proc/self/cwd/evil.git",
        "{site}/pointer",
        "ours:evil.git",
        "{site}/linked",
        "file://{site}/evil%00.git",
        "file://{site}/evil%0A.git",
    ],
)
def test_git_gets_the_folder_that_was_checked(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = with_remote(tmp_path)
    inner = [root / "evil.git", root / os.fsdecode(b"odd\xff.git"), root / "blank.git ", root / "linked.git"]
    for place in inner:
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
        (place / "hooks" / "pre-receive").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
        (place / "hooks" / "pre-receive").chmod(0o755)
    (root / "pointer").write_text(f"gitdir: {root}/blank.git \n", "utf-8")
    (root / "linked.git" / "HEAD").unlink()
    (root / "linked.git" / "HEAD").symlink_to("refs/heads/nowhere")
    git(root, "config", "remote.origin.url", url.format(site=root))
    git(root, "config", f"url.{root}/.insteadOf", "ours:")
    monkeypatch.chdir(root / "content")
    assert wrong(root)
    assert not (tmp_path / "ran").exists()
    assert not any(git(place, "for-each-ref") for place in inner)


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["url.{inner}.pushInsteadOf", "url.{inner}.insteadOf"])
def test_a_url_of_the_configuration_is_rewritten_before_it_is_checked(setting: str, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    root, _ = with_remote(tmp_path, BRANCH + f'remote = "{remote}"\n')
    inner = root / "inner.git"
    subprocess.run(["git", "init", "-q", "--bare", inner], check=True)
    git(root, "config", setting.format(inner=inner), str(remote))
    assert "the remote lies inside or around the site's own repository" in wrong(root)
    assert not git(inner, "for-each-ref")


@pytest.mark.slow
def test_what_was_checked_is_not_rewritten_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, other = tmp_path / "home", tmp_path / "other.git"
    home.mkdir()
    subprocess.run(["git", "init", "-q", "--bare", other], check=True)
    root, remote = with_remote(tmp_path)
    git(root, "config", "remote.origin.pushurl", str(remote))  # git rewrites no URL that is only for pushing
    (home / ".gitconfig").write_text(f'[url "{other}"]\n\tpushInsteadOf = {remote}\n', "utf-8")
    monkeypatch.setenv("HOME", str(home))
    assert not published(root)[1]
    assert "gh-pages" in git(remote, "for-each-ref")
    assert not git(other, "for-each-ref")


@pytest.mark.slow
def test_a_remote_that_is_no_repository_is_told(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = "../folder"\n')
    (tmp_path / "folder").mkdir()
    assert wrong(root).endswith("there is no git repository at the remote's path “../folder”")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["submodule", "nested"])
@pytest.mark.parametrize("where", ["..", "../.git", "../.git/modules/other", "../tools/inner.git"])
def test_a_repository_around_the_repository_is_no_remote(way: str, where: str, tmp_path: Path) -> None:
    around = tmp_path / "around"
    subprocess.run(["git", "init", "-q", around], check=True)
    root, _ = with_remote(around)
    if way == "submodule":
        git(around, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "./clone")
        git(around, "submodule", "absorbgitdirs")
        assert (root / ".git").is_file()
    place = root / where
    if not place.exists():
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
    hook = (place / ".git" if where == ".." else place) / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
    hook.chmod(0o755)
    git(root, "config", "remote.origin.url", where)
    if way == "nested" and "tools" in where:  # as any other repository below a home folder that is one itself
        assert not published(root)[1]
        return
    assert "the remote lies inside or around the site's own repository" in wrong(root)
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_another_repository_on_the_same_disk_is_a_remote(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'remote = "../remote"\n')
    _, found = published(root)
    assert not found
    assert "gh-pages" in git(remote, "for-each-ref")


@pytest.mark.slow
def test_what_a_remote_has_against_a_push_is_told(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    git(root, "push", "-q", str(remote), "main:refs/heads/gh-pages/old")
    assert "'refs/heads/gh-pages/old' exists" in wrong(root)
    git(remote, "update-ref", "-d", "refs/heads/gh-pages/old")
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    hook.chmod(0o755)
    assert wrong(root).endswith("git push says: [remote rejected] (pre-receive hook declined)")


@pytest.mark.slow
def test_a_remote_that_never_ends_to_talk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, remote = with_remote(tmp_path)
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nyes 'Have you heard of this?' | head -c 1000000 >&2\n", "utf-8")
    hook.chmod(0o755)
    monkeypatch.setattr(asking, "_LARGEST", 500_000, raising=False)
    assert wrong(root).endswith(": git push says more than 500,000 bytes")


@pytest.mark.slow
@pytest.mark.parametrize(("levels", "is_refused"), [(4, False), (6, True)])
def test_a_branch_whose_trees_contain_each_other_is_told(levels: int, is_refused: bool, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    inner = f"100644 blob {git(root, 'rev-parse', f'main:{POST}').strip()}"
    for _ in range(levels):
        lines = "".join(f"{inner}\t{number}\n" for number in range(10)).encode()
        made = subprocess.run(["git", "mktree"], cwd=remote, input=lines, capture_output=True, check=True)
        inner = f"040000 tree {made.stdout.decode().strip()}"
    commit = git(remote, "commit-tree", "-m", "Made by devlog", inner.split()[2]).strip()
    git(remote, "update-ref", "refs/heads/gh-pages", commit)
    if is_refused:
        assert wrong(root).endswith("git ls-tree says more than 16,777,216 bytes")
    else:
        assert not published(root, dry_run=True)[1]


@pytest.mark.slow
def test_of_a_remotes_endless_line_the_beginning_is_told(tmp_path: Path) -> None:
    """The time for a word without an end must not grow with the square of its length."""
    root, remote = with_remote(tmp_path)
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nprintf 'error: 1' >&2\nprintf '%0200000d' 0 >&2\nexit 1\n", "utf-8")
    hook.chmod(0o755)
    message = wrong(root)
    assert "git push says: remote: error: 1000" in message
    assert len(message) < 1_100


def test_of_a_password_nothing_is_told() -> None:
    told = asking.without_password("fatal: https://ada:p@ss@one.example/a@b and ssh://git@two.example, or a@b")
    assert told == "fatal: https://one.example/a@b and ssh://two.example, or a@b"
    told = asking.without_password("unable to access 'https://one.example/a?token=S3cret/': is it there?")
    assert told == "unable to access 'https://one.example/a?…': is it there?"


@pytest.mark.slow
def test_a_remote_that_is_too_slow_leaves_nothing_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git has another program ask a server, which would go on for as long as there are answers."""
    alone = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
            self.end_headers()
            try:
                for _ in range(200):
                    self.wfile.write(b"x")
                    time.sleep(0.05)
            except OSError:
                alone.set()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    monkeypatch.setattr(asking, "_SECONDS", 1)
    monkeypatch.setattr(asking, "_has_terminal", lambda: False, raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings = f'[deploy.pages]\nto = "branch"\nremote = "http://127.0.0.1:{server.server_port}/x.git"\n'
        root = built(tmp_path / "site", settings)
        git(root, "init", "-q")
        assert ": git ls-remote takes longer than " in wrong(root)
        assert alone.wait(5)
        server.shutdown()


@pytest.mark.slow
def test_a_refusal_of_gits_is_told_without_passwords(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = "https://ada:secret@127.0.0.1:1/lumen.git"\n')
    message = wrong(root)
    assert "git ls-remote says: " in message
    assert "secret" not in message


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert "git rev-parse says: " in wrong(built(tmp_path / "site", BRANCH))


@pytest.mark.slow
def test_without_a_name_in_gits_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, remote = with_remote(tmp_path)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "nowhere"))
    git(root, "config", "user.useConfigOnly", "true")
    _, found = published(root)
    assert not found
    assert git(remote, "log", "-1", "--format=%an", "gh-pages").strip() == "devlog"


# -- by plugins, and the command


def test_a_deployer_of_a_plugin(tmp_path: Path) -> None:
    settings = '[deploy.here]\nto = "list"\nfile = "list.txt"\n'
    root = built(tmp_path, settings)
    (root / "plugins.py").write_text(
        "from devlog.plugin import DeployError, Plugin\n"
        "def publish(release):\n"
        "    if release.settings['file'] == 'no':\n"
        "        raise DeployError('there is no such place', 'take another', 'file')\n"
        "    if release.settings['file'] == 'broken':\n"
        "        raise KeyError('x')\n"
        "    (release.root / release.settings['file']).write_text(' '.join(release.files))\n"
        "    yield f'{len(release.files)} files of {release.title}'\n"
        "plugin = Plugin('lumen', deployers={'list': publish})\n",
        "utf-8",
    )
    config = 'plugins = ["plugins.py"]\n' + (root / "devlog.toml").read_text("utf-8")
    (root / "devlog.toml").write_text(config, "utf-8")
    lines, found = published(root)
    assert not found
    assert lines == [f"{len(outputs(root / 'public'))} files of The Lumen log"]
    assert (root / "list.txt").read_text("utf-8").split() == list(outputs(root / "public"))
    for value, message, line in (
        ("no", "deployment “here” failed: there is no such place", 12),
        ("broken", "the deployer of “here” failed: KeyError: 'x'", 6),
    ):
        (root / "devlog.toml").write_text(config.replace('"list.txt"', f'"{value}"'), "utf-8")
        _, (problem,) = published(root)
        assert (problem.message, problem.span.line) == (message, line)


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    words = [sys.executable, "-m", "devlog", "deploy", "--root", str(root)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Published to ../out: ")
    done = subprocess.run([*words, "nowhere"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[unknown-deployment]" in done.stderr
