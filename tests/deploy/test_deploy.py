"""Publishing: exactly what the last build left, nothing that is not ours is touched, and what is wrong is said."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import msgspec
import pytest
from check_cases import git
from deploy.deployed_site import FOLDER, SITE, built, edit_unseen, outputs, published, with_remote, wrong
from sites import build_site, write_site

from devlog.deploy.git import Repository
from devlog.disk.lock import lock
from devlog.disk.manifest import MANIFEST
from devlog.model.digest import digest_bytes

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
        answer = ask(self, *command, data=data, folder=folder)
        if command[0] == "hash-object" and change == "remove":
            file.unlink()
        return answer

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


def test_secrets_in_the_configuration_are_not_shown(tmp_path: Path) -> None:
    root = built(tmp_path, f'[deploy.here]\nto = "ghp_{"aB3dE6gH9" * 4}"\n')
    _, (problem,) = published(root)
    assert problem.message == f"unknown deployer “ghp_{'*' * 36}”"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ('to = "folder"\n', "the setting “path” is missing"),
        ('to = "folder"\npath = 3\n', "the setting “path” has the wrong type"),
        ('to = "folder"\npath = "x"\npth = "y"\n', "there is no setting “pth”"),
        ('to = "branch"\nbranch = "../x"\n', "“../x” is not the name of a branch"),
        ('to = "branch"\nbranch = "gh-pages."\n', "“gh-pages.” is not the name of a branch"),
        ('to = "branch"\nbranch = "a.lock/b"\n', "“a.lock/b” is not the name of a branch"),
        ('to = "branch"\nbranch = "a/b.lock"\n', "“a/b.lock” is not the name of a branch"),
        ('to = "branch"\nbranch = "a..b"\n', "“a..b” is not the name of a branch"),
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


# -- by plugins, and the command


def test_what_a_deployer_says_has_no_secrets(tmp_path: Path) -> None:
    root = built(tmp_path, '[deploy.here]\nto = "tell"\n')
    (root / "plugins.py").write_text(
        "from devlog.plugin import Diagnostic, Plugin, Span\n"
        "def publish(release):\n"
        "    token = 'ghp_' + 'aB3dE6gH9' * 4\n"
        "    yield f'with {token}'\n"
        "    yield Diagnostic('told', 'warning', f'has {token}', Span('a'), f'renew {token}')\n"
        "plugin = Plugin('lumen', deployers={'tell': publish})\n",
        "utf-8",
    )
    config = root / "devlog.toml"
    config.write_text(f'plugins = ["plugins.py"]\n{config.read_text("utf-8")}', "utf-8")
    (line,), (problem,) = published(root)
    hidden = f"ghp_{'*' * 36}"
    assert (line, problem.message, problem.hint) == (f"with {hidden}", f"has {hidden}", f"renew {hidden}")


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


@pytest.mark.parametrize("damage", [b"x", b"[]", b'{"version": 1, "entries": {"index.html'])
@pytest.mark.parametrize("dry_run", [False, True])
def test_without_a_list_of_the_built_files_publishing_fails(tmp_path: Path, damage: bytes, *, dry_run: bool) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    (root / "public" / MANIFEST).write_bytes(damage)
    lines, (problem,) = published(root, dry_run=dry_run)
    assert not lines
    assert (problem.code, problem.severity, problem.span.path) == ("not-built", "error", f"public/{MANIFEST}")
    assert problem.hint == "delete the output folder and build again"
    assert not (tmp_path / "out").exists()
