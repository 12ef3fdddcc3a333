"""The settings and variables of the environment that publishing uses: all of the user's, and few of a repository's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, POST, outputs, published, tree_of, with_remote, wrong
from sites import build_site, write_site

from devlog.deploy import git as asking
from devlog.deploy import git_settings

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without settings."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for key in ("AUTHOR", "COMMITTER"):
        for part in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{key}_{part}", raising=False)
    return write_site(tmp_path / "home", {".gitconfig": "[user]\nname = Ada Quill\nemail = ada@home.dev\n"})


def _to(root: Path, remote: str) -> None:
    """Publish onto another remote."""
    (root / "devlog.toml").write_text((root / "devlog.toml").read_text("utf-8") + f'remote = "{remote}"\n', "utf-8")
    build_site(root)


def test_settings_of_the_user_for_this_repository_alone_count(home: Path, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    with (home / ".gitconfig").open("a") as file:
        file.write(f'[includeIf "gitdir:{root}/"]\npath = work\n')
    (home / "work").write_text(f'[user]\nemail = ada@work.dev\n[url "{tmp_path}/"]\ninsteadOf = work:\n', "utf-8")
    _to(root, "work:remote.git")
    assert not published(root)[1]
    assert git(remote, "log", "-1", "--format=%ae %ce", "gh-pages").split() == ["ada@work.dev"] * 2


@pytest.mark.parametrize("setting", ["insteadOf", "remote"])
def test_a_failure_of_git_is_no_answer(home: Path, tmp_path: Path, setting: str) -> None:
    """Git refuses to read any remote, which does not mean that there is none."""
    root, remote = with_remote(tmp_path)
    wanted = {"insteadOf": '[url "https://lumen.dev/"]\ninsteadOf\n', "remote": '[remote "x"]\nurl\n'}[setting]
    with (home / ".gitconfig").open("a") as file:
        file.write(wanted)
    assert "git remote says: " in wrong(root)
    assert "gh-pages" not in git(remote, "for-each-ref")
    assert not (root / ".git/refs/heads/gh-pages").exists()


@pytest.mark.parametrize("work_tree", ["", "/"])
def test_settings_of_other_repositories_are_not_sent(home: Path, tmp_path: Path, work_tree: str) -> None:
    """A repository's configuration can include the file of another one, with the tokens in it."""
    root, _ = with_remote(tmp_path)
    other = tmp_path / "other/config"
    write_site(other.parent, {"config": '[remote "private"]\nurl = https://token@lumen.dev/a.git\n'})
    git(root, "config", "-f", str(other), "http.extraHeader", "X-Secret: all")
    git(root, "config", "-f", str(other), "http.https://lumen.dev/.extraHeader", "X-Secret: one")
    git(root, "config", "include.path", str(other))
    if work_tree:
        git(root, "config", "core.worktree", work_tree)
    assert git(root, "config", "remote.private.url").strip() == "https://token@lumen.dev/a.git"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    repository = asking.Repository(root, scratch, files=1)
    assert repository.addresses("private") == []
    assert repository.addresses("origin") == [str(tmp_path / "remote.git")]
    headers = repository.line("config", "--null", "--get-regexp", r"http\..*extraheader").split("\0")
    assert headers == ["http.https://lumen.dev/.extraheader\nX-Secret: one", ""]


def test_settings_in_the_work_tree_count(home: Path, tmp_path: Path) -> None:
    """Some repositories keep settings for all who clone them in a file that each includes."""
    root, _ = with_remote(tmp_path, below="docs/log")
    git(root, "config", "-f", str(tmp_path / "clone/.gitconfig"), "remote.pages.url", "https://lumen.dev/log.git")
    git(root, "config", "include.path", "../.gitconfig")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert asking.Repository(root, scratch, files=1).addresses("pages") == ["https://lumen.dev/log.git"]


def test_a_configuration_that_a_symbolic_link_shares_counts(home: Path, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    shared = tmp_path / "shared"
    (root / ".git/config").rename(shared)
    (root / ".git/config").symlink_to(shared)
    assert not published(root)[1]
    assert "gh-pages" in git(remote, "for-each-ref")


@pytest.mark.parametrize("key", ["http.sslVerify", "http.https://lumen.dev/.sslCAInfo", "http.proxySSLCAInfo"])
def test_a_repository_does_not_decide_whom_to_trust(home: Path, tmp_path: Path, key: str) -> None:
    root, _ = with_remote(tmp_path)
    git(root, "config", key, "false")
    assert "the repository's own configuration decides which servers to trust" in wrong(root)
    git(root, "config", "--unset", key)
    git(root, "config", "-f", str(home / ".gitconfig"), key, "false")
    assert not published(root)[1]


@pytest.mark.parametrize("remote", ["{remote}", "file://{remote}/", "up", "../remote"])
def test_the_branch_that_writers_push_is_refused_by_any_name_of_the_remote(
    home: Path, tmp_path: Path, remote: str
) -> None:
    root, place = with_remote(tmp_path, f'{BRANCH}branch = "main"\n')
    git(root, "remote", "add", "up", str(place))
    git(place, "update-ref", "-d", "refs/heads/main")
    _to(root, remote.format(remote=place))
    assert wrong(root).endswith("the branch “main” is checked out")


@pytest.mark.parametrize("others", ["", "other", "one other"])
def test_the_branch_that_writers_push_is_refused_whatever_the_name_of_the_remote(
    home: Path, tmp_path: Path, others: str
) -> None:
    """Git takes the only remote, whatever its name. Of several without an `origin`, writers name any."""
    root, place = with_remote(tmp_path, f'{BRANCH}branch = "main"\nremote = "up"\n')
    git(root, "remote", "rename", "origin", "up")
    for name in others.split():
        git(root, "remote", "add", name, f"https://lumen.dev/{name}.git")
    git(place, "update-ref", "-d", "refs/heads/main")
    assert not git(root, "config", "--default=", "branch.main.remote").strip()
    assert wrong(root).endswith("the branch “main” is checked out")


@pytest.mark.parametrize("upstream", ["origin", "work"])
def test_a_branch_that_writers_push_elsewhere_is_published(home: Path, tmp_path: Path, upstream: str) -> None:
    root, _ = with_remote(tmp_path, f'{BRANCH}branch = "main"\nremote = "pages"\n')
    pages = tmp_path / "pages.git"
    subprocess.run(["git", "init", "-q", "--bare", pages], check=True)
    git(root, "remote", "add", "pages", str(pages))
    if upstream != "origin":
        git(root, "remote", "rename", "origin", upstream)
        git(root, "config", "branch.main.remote", upstream)
    assert not published(root)[1]
    assert "refs/heads/main" in git(pages, "for-each-ref")


def test_the_user_s_helpers_for_passwords_have_their_environment(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = tmp_path / "found"
    with (home / ".gitconfig").open("a") as file:
        file.write(f'[core]\nsshCommand = "env > {found}; false"\n')
    root, _ = with_remote(tmp_path)
    _to(root, "git@lumen.dev:log.git")
    monkeypatch.setenv("LUMEN_TOKEN", "secret")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_SSL_CAINFO", "/etc/lumen.pem")
    assert "git ls-remote says" in wrong(root)
    lines = found.read_text("utf-8").splitlines()
    assert "LUMEN_TOKEN=secret" in lines
    assert "GIT_SSL_CAINFO=/etc/lumen.pem" in lines
    assert f"GIT_DIR={tmp_path / 'elsewhere'}" not in lines


@pytest.mark.parametrize("remote", ["https://me:secret@lumen.dev/my repo.git", "https://me:sec ret@lumen.dev/a.git"])
def test_no_message_has_a_token(home: Path, tmp_path: Path, remote: str) -> None:
    root, _ = with_remote(tmp_path)
    _to(root, remote)
    assert "“https://lumen.dev/" in wrong(root)


def test_a_full_folder_for_temporary_files_is_reported(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, _ = with_remote(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(git_settings, "write", full)
    assert "temporary files cannot be written: the disk is full" in wrong(root)


def test_another_repository_s_site_without_a_url_is_refused(home: Path, tmp_path: Path) -> None:
    settings = f'{BRANCH}remote = "{tmp_path / "pages.git"}"\n'
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "pages.git"], check=True)
    roots = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        root, _ = with_remote(tmp_path / name, settings)
        git(root, "commit", "-q", "--allow-empty", "-m", name)
        roots.append(root)
    assert not published(roots[0])[1]
    assert wrong(roots[1]).endswith("the branch “gh-pages” contains another site, that of another repository")
    git(roots[0], "push", "-q", "origin", "main")
    (roots[0] / POST).write_text((roots[0] / POST).read_text("utf-8") + "More.\n", "utf-8")
    build_site(roots[0])
    git(roots[0], "commit", "-q", "-a", "-m", "It will be merged as another commit")
    assert not published(roots[0])[1]
    fresh = tmp_path / "fresh"
    subprocess.run(["git", "clone", "-q", tmp_path / "one/remote.git", fresh], check=True)
    build_site(fresh)
    assert not published(fresh)[1], "it has the commit of an earlier deployment"
    shallow = tmp_path / "shallow"
    git(roots[1], "push", "-q", "origin", "main")
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{tmp_path}/two/remote.git", shallow], check=True)
    build_site(shallow)
    assert not published(shallow)[1], "which commits it lacks is not known"


def test_lists_of_the_user_are_as_git_finds_them(home: Path, tmp_path: Path) -> None:
    """Not doubled, in their order, and without what a condition keeps from this repository."""
    root, remote = with_remote(tmp_path)
    (home / ".gitconfig").write_text(
        f'[includeIf "gitdir:{root}/"]\npath = one\n[http]\nextraHeader = X: 2\n'
        f'[includeIf "hasconfig:remote.*.url:{remote}"]\npath = three\n'
        f'[includeIf "gitdir:{tmp_path}/scratch/"]\npath = no\n',
        "utf-8",
    )
    write_site(home, {name: f"[http]\nextraHeader = X: {name}\n" for name in ("one", "three", "no")})
    asked = ["git", "config", "--get-all", "http.extraHeader"]
    expected = subprocess.run(asked, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    assert expected[:2] == ["X: one", "X: 2"]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    repository = asking.Repository(root, scratch, files=1)
    repository.add_remote("devlog-0", str(remote))
    assert repository.line("config", "--get-all", "http.extraHeader").splitlines() == expected


@pytest.mark.parametrize("is_link", [True, False])
def test_a_forged_repository_does_not_send_the_settings_of_another_one(
    home: Path, tmp_path: Path, is_link: bool
) -> None:
    """Its files say that another one's are shared with it; its own file of settings says where they go."""
    other, _ = with_remote(tmp_path / "other")
    git(other, "config", "http.extraHeader", "X-Secret: all")
    git(other, "config", "extensions.worktreeConfig", "true")
    if is_link:
        (other / ".git/config").rename(tmp_path / "shared")
        (other / ".git/config").symlink_to(tmp_path / "shared")
    root, _ = with_remote(tmp_path / "forged")
    for part in ("config", "objects", "refs"):
        (root / ".git" / part).rename(tmp_path / part)
    (root / ".git/commondir").write_text(f"{other / '.git'}\n", "utf-8")
    (root / ".git/config.worktree").write_text('[url "https://evil.dev/"]\ninsteadOf = https://\n', "utf-8")
    assert git(root, "config", "http.extraHeader").strip() == "X-Secret: all"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    repository = asking.Repository(root, scratch, files=1)
    assert "http.extraheader" not in repository.line("config", "--name-only", "--list").splitlines()


def test_nobody_else_gets_what_the_first_place_refuses(home: Path, tmp_path: Path) -> None:
    root, one = with_remote(tmp_path)
    two = tmp_path / "two.git"
    subprocess.run(["git", "init", "-q", "--bare", two], check=True)
    for place in (one, two):
        git(root, "config", "--add", "remote.origin.pushurl", str(place))
    assert not published(root)[1]
    hook = write_site(one, {"hooks/pre-receive": "#!/bin/sh\nexit 1\n"}) / "hooks/pre-receive"
    hook.chmod(0o755)
    tip = git(two, "rev-parse", "gh-pages")
    (root / POST).write_text((root / POST).read_text("utf-8") + "More.\n", "utf-8")
    build_site(root)
    assert "pre-receive hook declined" in wrong(root)
    assert git(two, "rev-parse", "gh-pages") == tip
    hook.unlink()
    assert not published(root)[1]
    assert git(two, "rev-parse", "gh-pages") == git(one, "rev-parse", "gh-pages") != tip


SSH = '#!/bin/sh\ntouch "$0.ran"\nfor command; do :; done\nexec sh -c "$command"\n'
"""Runs the command for a remote machine here."""


@pytest.mark.parametrize("how", ["GIT_SSH", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"])
def test_settings_of_the_environment_count(
    how: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Build services set these, which no other user and no repository can."""
    root, remote = with_remote(tmp_path)
    program = write_site(tmp_path, {"program": SSH}) / "program"
    program.chmod(0o755)
    _to(root, f"git@lumen.dev:{remote}")
    (root / ".git/hooks").mkdir(exist_ok=True)
    (home / ".gitconfig").write_text("[core]\nsshCommand = false\n[ssh]\nvariant = simple\n", "utf-8")
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")
    settings = {"core.sshCommand": str(program), "user.name": "Ada Quill", "user.email": "ada@env.dev"}
    if how == "GIT_CONFIG_COUNT":
        monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
        for number, (key, value) in enumerate(settings.items()):
            monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
            monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    elif how == "GIT_CONFIG_PARAMETERS":
        monkeypatch.setenv(how, " ".join(f"'{key}={value}'" for key, value in settings.items()))
    else:
        monkeypatch.setenv(how, str(program))
        if how == "GIT_SSH":  # a setting would count before it
            (home / ".gitconfig").unlink()
    assert not published(root)[1]
    assert (tmp_path / "program.ran").exists()
    if "CONFIG" in how:
        assert git(remote, "log", "-1", "--format=%ce", "gh-pages").strip() == "ada@env.dev"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell runs the hook")
@pytest.mark.parametrize("config", ["", "my 'own' config"])
def test_hooks_of_a_remote_have_the_users_own_settings(
    config: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a push by git: a hook may publish further, over other protocols and as another author."""
    root, remote = with_remote(tmp_path)
    asked = "GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_ALLOW_PROTOCOL GIT_NO_LAZY_FETCH"
    hook = f'#!/bin/sh\n{{ for key in {asked}; do echo "$key=$(printenv $key)"; done; git config a.is; }} > "$0.said"\n'
    write_site(remote, {"hooks/post-receive": hook})
    (remote / "hooks/post-receive").chmod(0o755)
    file = home / (config or ".gitconfig")
    text = f'[user]\nname = Ada Quill\nemail = ada@home.dev\n[includeIf "gitdir:{remote}/"]\npath = of-remote\n'
    write_site(home, {file.name: text, "of-remote": "[a]\nis = remote\n"})
    if config:
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))
        monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file:other")
    assert not published(root)[1]
    said = (remote / "hooks/post-receive.said").read_text("utf-8").splitlines()
    given = {"GIT_CONFIG_GLOBAL": str(file), "GIT_ALLOW_PROTOCOL": "file:other"} if config else {}
    assert said == [*(f"{key}={given.get(key, '')}" for key in asked.split()), "remote"]


@pytest.mark.parametrize("how", ["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"])
@pytest.mark.parametrize("condition", ["gitdir:{root}/", "onbranch:main"])
def test_conditions_of_the_environment_hold_as_in_the_repository(
    condition: str, how: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, remote = with_remote(tmp_path)
    _to(root, "work:remote.git")
    write_site(home, {"work": f'[user]\nemail = ada@work.dev\nuseConfigOnly\n[url "{tmp_path}/"]\ninsteadOf = work:\n'})
    key, value = f"includeIf.{condition.format(root=root)}.path", str(home / "work")
    if how == "GIT_CONFIG_COUNT":
        for name, given in (("COUNT", "1"), ("KEY_0", key), ("VALUE_0", value)):
            monkeypatch.setenv(f"GIT_CONFIG_{name}", given)
    else:
        monkeypatch.setenv(how, f"'{key}'='{value}' 'core.logAllRefUpdates'=")
    assert not published(root)[1]
    assert git(remote, "log", "-1", "--format=%ae %ce", "gh-pages").split() == ["ada@work.dev"] * 2


@pytest.mark.parametrize("how", ["GIT_SSH_COMMAND", "core.sshCommand"])
@pytest.mark.parametrize(
    ("work_tree", "where"), [("", "clone"), ("clone/docs", "clone/docs"), ("elsewhere", "clone/docs/log")]
)
def test_programs_of_the_user_are_found_from_where_git_runs_them(
    how: str, work_tree: str, where: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the root of the work tree, if the site is in it."""
    root, remote = with_remote(tmp_path, below="docs/log")
    if work_tree:
        (tmp_path / work_tree).mkdir(exist_ok=True)
        git(root, "config", "core.worktree", str(tmp_path / work_tree))
    program = write_site(tmp_path / where, {"ci/program": SSH}) / "ci/program"
    program.chmod(0o755)
    ran = program.with_name("program.ran")
    _to(root, f"git@lumen.dev:{remote}")
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")
    if how == "GIT_SSH_COMMAND":
        monkeypatch.setenv(how, "ci/program -x")
    else:
        with (home / ".gitconfig").open("a") as file:
            file.write("[core]\nsshCommand = ci/program -x\n")
    subprocess.run(["git", "ls-remote", "-q", f"git@lumen.dev:{remote}"], cwd=root, check=True, capture_output=True)
    ran.unlink()  # git itself has found it
    assert not published(root)[1]
    assert ran.exists()


def test_the_environment_replaces_a_program_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the message about `core.sshCommand` advises, which some build services write into a checkout."""
    root, remote = with_remote(tmp_path)
    program = write_site(tmp_path, {"program": SSH}) / "program"
    program.chmod(0o755)
    _to(root, f"git@lumen.dev:{remote}")
    git(root, "config", "core.sshCommand", f"touch {tmp_path}/own; false")
    assert "use GIT_SSH_COMMAND" in str(published(root)[1])
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    assert not published(root)[1]
    assert (tmp_path / "program.ran").exists()
    assert not (tmp_path / "own").exists()
    git(root, "config", "remote.origin.receivepack", f"touch {tmp_path}/own; false")
    assert "runs a program" in str(published(root)[1])


def test_settings_of_the_environment_do_not_turn_on_hooks(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that turn off the hooks of a repository's own configuration are added to them."""
    root, _ = with_remote(tmp_path)
    git(root, "config", "hook.evil.command", "true")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "Ada Quill")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    repository = asking.Repository(root, scratch, files=1)
    assert repository.setting("hook.evil.enabled") == "false"
    assert repository.setting("user.name") == "Ada Quill"
    assert repository.line("config", "user.name") == "Ada Quill"
    assert repository.run("config", "hook.evil.command") is None


@pytest.mark.parametrize("whose", ["user", "environment", "repository"])
@pytest.mark.parametrize("setting", ["insteadOf", "pushInsteadOf"])
def test_a_url_is_rewritten_once(
    setting: str, whose: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another rule may have the whole result of the first one as what it rewrites."""
    root, remote = with_remote(tmp_path)
    other = tmp_path / "other.git"
    subprocess.run(["git", "init", "-q", "--bare", other], check=True)
    rules = {f"url.{other}.insteadOf": str(remote), f"url.{remote}.{setting}": "lumen:log"}
    for number, (key, value) in enumerate(rules.items()):
        if whose == "environment":
            monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(rules)))
            monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
            monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
        else:
            git(root, "config", *(["-f", str(home / ".gitconfig")] if whose == "user" else []), key, value)
    _to(root, "lumen:log")
    assert not published(root)[1]
    assert "gh-pages" in git(remote, "for-each-ref")
    assert not git(other, "for-each-ref")


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        ("abc", "bogus count in GIT_CONFIG_COUNT"),
        ("1_0", "bogus count in GIT_CONFIG_COUNT"),
        ("-1", "too many entries in GIT_CONFIG_COUNT"),
        ("9" * 5000, "too many entries in GIT_CONFIG_COUNT"),
        ("7", "missing config key GIT_CONFIG_KEY_6"),
    ],
)
def test_a_count_of_settings_that_git_refuses_is_reported(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: str, reason: str
) -> None:
    root, _ = with_remote(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_COUNT", count)
    for number in range(6):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", f"lumen.key{number}")
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", "a")
    assert wrong(root).endswith(f"git rev-parse says: error: {reason}")


@pytest.mark.skipif(sys.platform == "win32", reason="no name has a line break there")
@pytest.mark.parametrize("is_local", [False, True])
def test_a_repository_in_a_folder_with_a_line_break(home: Path, tmp_path: Path, is_local: bool) -> None:
    (tmp_path / 'a\n"b"').mkdir()
    root, place = with_remote(tmp_path / 'a\n"b"', BRANCH + 'remote = ""\n' * is_local, below="c\nd")
    place = root.parent if is_local else place.rename(tmp_path / "remote.git")
    git(root, "remote", "set-url", "origin", str(place))
    for text in ("One", "Two"):
        write_site(root, {POST: f"---\ntitle: A post\n---\n{text}\n"})
        assert not build_site(root).failed
        for dry_run in (True, False):
            assert not published(root, dry_run=dry_run)[1]
    assert tree_of(place) == {**outputs(root / "public"), ".nojekyll": b""}


def test_a_repository_that_borrows_objects_over_many_others(home: Path, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    own = objects = root / ".git/objects"
    for number in range(6):  # as many as git follows, which has one more to follow from the scratch repository
        other = tmp_path / f"{number}.git"
        subprocess.run(["git", "init", "-q", "--bare", other], check=True)
        (objects / "info").mkdir(exist_ok=True)
        (objects / "info/alternates").write_text(f"{other}/objects\n", "utf-8")
        objects = other / "objects"
    for folder in own.glob("??"):
        folder.rename(objects / folder.name)
    git(root, "log")
    lines, (problem,) = published(root)
    assert not lines
    assert "git cat-file says: " in problem.message
    assert "“git repack -a -d”" in problem.hint
    git(root, "repack", "-a", "-d", "-q")
    assert not published(root)[1]
