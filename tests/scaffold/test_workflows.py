"""The workflows that `devlog init --github` writes: pinned, with the least rights, and deaf to what others write."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from sites import read_tree, write_site

from devlog import DISTRIBUTION, __version__
from devlog.disk.git import Identity
from devlog.scaffold.starter import NewSite, site_files

SITE = site_files(
    NewSite(github=True, digest="https://github.com/lumen/db"), datetime(2026, 6, 15, tzinfo=UTC), Identity()
)
FILES = {file.rpartition("/")[2]: text for file, text in SITE.items() if file.startswith(".github/workflows/")}
PIN = re.compile(r"(?:actions/[a-z-]+|github/codeql-action/upload-sarif)@[0-9a-f]{40} # v\d+\.\d+\.\d+")
PULL = ("check.yml", "preview.yml")
UNTRUSTED = re.compile(  # what somebody else may have written: see GitHub's guide on hardening workflows
    r"github\.(head_ref|event\.(issue|pull_request\.(title|body|head)|comment|review|pages|commits|head_commit|"
    r"workflow_run\.(head_branch|head_repository|display_title)))"
)


def workflow(name: str) -> dict[Any, Any]:
    read = yaml.safe_load(FILES[name])
    assert isinstance(read, dict)
    return read


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in workflow(name)["jobs"].values() for step in job["steps"]]


def step(name: str, title: str) -> dict[str, Any]:
    """The step of a workflow that has a name."""
    return next(step for step in steps(name) if step.get("name") == title)


def run(script: str, folder: Path, programs: Mapping[str, str] | None = None, **variables: str) -> tuple[int, str]:
    """Run a script as GitHub does, with other programs in the place of some; its exit code and what it printed."""
    for program, text in (programs or {}).items():
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "bin" / program).write_text(f"#!/bin/sh\n{text}\n")
        (folder / "bin" / program).chmod(0o755)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env={"PATH": f"{folder}/bin:/usr/bin:/bin", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout


def triggers(name: str) -> set[str]:
    on = workflow(name)[True]  # YAML's word for "on"
    return {on} if isinstance(on, str) else set(on)


def test_there_are_five() -> None:
    assert sorted(FILES) == ["check.yml", "digest.yml", "preview-publish.yml", "preview.yml", "publish.yml"]
    assert {name: triggers(name) for name in FILES} == {
        "check.yml": {"pull_request"},
        "digest.yml": {"schedule", "workflow_dispatch"},
        "preview.yml": {"pull_request"},
        "preview-publish.yml": {"workflow_run"},
        "publish.yml": {"push", "schedule", "workflow_dispatch"},
    }


@pytest.mark.parametrize("name", FILES)
def test_actions_are_pinned_by_commit_and_say_their_version(name: str) -> None:
    lines = re.findall(r"^\s*(?:- )?uses: (.*)$", FILES[name], re.MULTILINE)
    assert len(lines) == sum("uses" in step for step in steps(name))
    assert all(PIN.fullmatch(line) for line in lines), lines


def test_one_commit_for_each_action() -> None:
    pins = {line for text in FILES.values() for line in re.findall(r"uses: (.*)", text)}
    assert len(pins) == len({pin.partition("@")[0] for pin in pins})


@pytest.mark.parametrize("name", FILES)
def test_rights_are_the_least(name: str) -> None:
    read = workflow(name)
    allowed = {
        "check.yml": [{}, {"contents": "read", "security-events": "write"}],
        "digest.yml": [{}, {"contents": "write", "pull-requests": "write"}],
        "preview.yml": [{"contents": "read"}],
        "preview-publish.yml": [{}, {"actions": "read", "pull-requests": "read"}],
        "publish.yml": [{}, {"contents": "read", "pages": "read"}, {"pages": "write", "id-token": "write"}],
    }
    jobs = [job["permissions"] for job in read["jobs"].values() if "permissions" in job]
    assert [read["permissions"], *jobs] == allowed[name]


@pytest.mark.parametrize("name", FILES)
def test_every_job_ends(name: str) -> None:
    assert all(job["timeout-minutes"] <= 30 for job in workflow(name)["jobs"].values())


@pytest.mark.parametrize("name", FILES)
def test_scripts_contain_no_expressions(name: str) -> None:
    """They take values from variables of the environment, where nothing can become a command."""
    scripts = [step["run"] for step in steps(name) if "run" in step]
    assert scripts or name == "none"
    assert not [script for script in scripts if "${{" in script]


@pytest.mark.parametrize("name", FILES)
def test_what_others_write_stands_in_variables_and_conditions_only(name: str) -> None:
    """GitHub evaluates a condition itself, and no shell sees it."""
    text = FILES[name]
    found = [match[0] for match in UNTRUSTED.finditer(text)]
    harmless = [
        match[0]
        for step in steps(name)
        for value in (*step.get("env", {}).values(), step.get("if", ""))
        for match in UNTRUSTED.finditer(value)
    ]
    assert sorted(found) == sorted(harmless)


@pytest.mark.parametrize("name", FILES)
def test_checkouts_keep_no_credentials(name: str) -> None:
    checkouts = [step for step in steps(name) if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)
    assert bool(checkouts) == (name != "preview-publish.yml")


@pytest.mark.parametrize("name", PULL)
def test_pull_requests_meet_no_secret_and_no_cache(name: str) -> None:
    assert "secrets" not in FILES[name].replace("holds no secret", "")
    assert "github.token" not in FILES[name]
    assert "actions/cache" not in FILES[name]
    assert "cache:" not in FILES[name]


def test_nothing_of_a_pull_request_runs_where_there_are_rights() -> None:
    """The workflow that uploads checks nothing out, installs nothing and has no secret of its own."""
    assert not [step for step in steps("preview-publish.yml") if "checkout" in step.get("uses", "")]
    assert "pip" not in FILES["preview-publish.yml"]
    job = workflow("preview-publish.yml")["jobs"]["upload"]
    assert "vars.PREVIEW_HOST != ''" in job["if"]
    assert "workflow_run.event == 'pull_request'" in job["if"]


def test_a_preview_has_the_configuration_and_templates_of_the_base() -> None:
    base, proposed, *_ = [step for step in steps("preview.yml") if "checkout" in step.get("uses", "")]
    assert base["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
    assert (base["with"]["path"], proposed["with"]["path"]) == ("site", "proposed")
    taken = next(step["run"] for step in steps("preview.yml") if "proposed" in step.get("run", ""))
    assert "for folder in content static; do" in taken
    build = next(step["run"] for step in steps("preview.yml") if "devlog build" in step.get("run", ""))
    assert "--root site" in build
    assert "--no-cache" in build


@pytest.mark.parametrize(
    ("answer", "number"), [("12", "12"), ("", None), ("null", None), ("12\nx=y", None), ("../1", None), ("1 2", None)]
)
def test_the_number_of_a_preview_is_digits(answer: str, number: str | None, tmp_path: Path) -> None:
    """The script runs as it is, with an answer of GitHub's in its place."""
    script = step("preview-publish.yml", "Find the pull request")["run"]
    output = tmp_path / "output"
    output.touch()
    variables = {"ANSWER": answer, "GITHUB_OUTPUT": str(output), "HEAD": "a:b", "SHA": "c"}
    programs = {"gh": "printf '%s\\n' \"$ANSWER\""}
    code, _ = run(script, tmp_path, programs, GITHUB_REPOSITORY="lumen/log", **variables)
    assert (code == 0) == (number is not None)
    assert output.read_text() == (f"number={number}\n" if number else "")


def test_the_preview_takes_only_posts_and_images(tmp_path: Path) -> None:
    """The script runs as it is, on two checkouts of which the proposed one is hostile."""
    write_site(
        tmp_path / "site",
        {"devlog.toml": "base", "content/old.md": "x", "static/a.png": "x", "templates/t.html": "base"},
    )
    write_site(tmp_path / "proposed", {"devlog.toml": "evil", "content/new.md": "y", "templates/t.html": "evil"})
    (tmp_path / "proposed/static").symlink_to("/etc")
    script = next(step["run"] for step in steps("preview.yml") if "proposed" in step.get("run", ""))
    assert run(script, tmp_path) == (0, "")
    tree = read_tree(tmp_path / "site")
    assert tree == {"content/new.md": b"y", "devlog.toml": b"base", "templates/t.html": b"base"}


def test_publishing_remembers_what_only_it_may_write() -> None:
    cache = next(step for step in steps("publish.yml") if "actions/cache@" in step.get("uses", ""))
    assert cache["with"]["path"].split() == [".devlog", "!.devlog/spare", "public"]
    assert [name for name in FILES if "actions/cache@" in FILES[name]] == ["publish.yml"]
    assert workflow("publish.yml")[True]["push"] == {"branches": ["main"]}


def test_publishing_uses_no_cache_and_no_site_of_the_checkout(tmp_path: Path) -> None:
    """Somebody has committed both, with `git add -f`; the script runs as it is."""
    names = [step.get("name") or step["uses"].partition("@")[0] for step in steps("publish.yml")]
    removal = names.index("Remove a committed cache or site")
    assert names.index("actions/checkout") < removal < names.index("actions/cache")
    write_site(tmp_path, {".devlog/cache.db": "forged", "public/index.html": "forged", "content/a.md": "mine"})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/kept").write_text("mine")
    assert run(steps("publish.yml")[removal]["run"], tmp_path) == (0, "")
    assert sorted(read_tree(tmp_path)) == ["content/a.md", "elsewhere/kept"]
    (tmp_path / ".devlog").symlink_to("elsewhere")
    (tmp_path / "public").symlink_to("elsewhere")
    assert run(steps("publish.yml")[removal]["run"], tmp_path) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["content", "elsewhere"]
    assert sorted(read_tree(tmp_path)) == ["content/a.md", "elsewhere/kept"]


def test_a_check_uses_no_cache_of_the_checkout(tmp_path: Path) -> None:
    """Whoever proposes a post could forge what is remembered of it."""
    names = [step.get("name") or step["uses"].partition("@")[0] for step in steps("check.yml")]
    removal = names.index("Remove a committed cache")
    assert names.index("actions/checkout") < removal < names.index("Write reports")
    write_site(tmp_path, {".devlog/cache.db": "forged", "content/a.md": "mine"})
    assert run(steps("check.yml")[removal]["run"], tmp_path) == (0, "")
    assert sorted(read_tree(tmp_path)) == ["content/a.md"]


def test_scheduled_posts_appear() -> None:
    (when,) = workflow("publish.yml")[True]["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* \*", when["cron"])  # every day


def test_publishing_checks_builds_and_hands_over() -> None:
    jobs = workflow("publish.yml")["jobs"]
    names = [step.get("name") or step["uses"].partition("@")[0] for step in jobs["build"]["steps"]]
    assert names[-4:] == ["Check", "Find the site's URL", "Build", "actions/upload-pages-artifact"]
    assert step("publish.yml", "Check")["run"] == "devlog check --format github"
    assert (jobs["deploy"]["needs"], jobs["deploy"]["environment"]["name"]) == ("build", "github-pages")
    assert [step["uses"].partition("@")[0] for step in jobs["deploy"]["steps"]] == ["actions/deploy-pages"]


@pytest.mark.parametrize(
    ("config", "answer", "url"),
    [
        ('base_url = "https://docs.example.org/"\n', "exit 1", ""),
        (
            '# base_url = "https://docs.example.org/"\n',
            "echo https://lumen.example.org/log/",
            "https://lumen.example.org/log/",
        ),
        ('base_url = "https://your-site.example/"\n', "echo https://log.example.org/", "https://log.example.org/"),
        ('base_url = "https://your-site.example"\n', "echo https://log.example.org/", "https://log.example.org/"),
        ('base_url = "https://docs.example.org/x.example"\n', "exit 1", None),
        ('# base_url = "https://docs.example.org/"\n', "exit 1", None),
    ],
)
def test_the_url_is_that_of_pages_unless_it_is_configured(
    config: str, answer: str, url: str | None, tmp_path: Path
) -> None:
    (tmp_path / "devlog.toml").write_text(config)
    variables = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_REPOSITORY": "lumen/log"}
    code, told = run(step("publish.yml", "Find the site's URL")["run"], tmp_path, {"gh": answer}, **variables)
    if url is None:
        assert code == 1
        assert told.startswith("::error::choose GitHub Actions")
    else:
        assert (code, (tmp_path / "output").read_text()) == (0, f"url={url}\n")


@pytest.mark.parametrize("answer", ["echo Built; exit 0", "echo 'content/a.md:1: error' >&2; exit 1"])
def test_a_build_writes_a_summary_and_fails_when_it_fails(answer: str, tmp_path: Path) -> None:
    variables = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "BASE_URL": "https://docs.example.org/"}
    asked = f'echo "$@" > {tmp_path}/arguments; '
    code, told = run(step("publish.yml", "Build")["run"], tmp_path, {"devlog": asked + answer}, **variables)
    assert code == int(answer[-1])
    assert (tmp_path / "summary").read_text() == told
    assert re.fullmatch("### devlog build\n\n    (Built|content/a.md:1: error)\n", told)
    assert (tmp_path / "arguments").read_text() == "build --output public --base-url https://docs.example.org/\n"
    assert workflow("publish.yml")["defaults"] == {"run": {"shell": "bash"}}  # GitHub adds pipefail


def test_a_check_reports_before_it_decides(tmp_path: Path) -> None:
    names = [step.get("name") for step in steps("check.yml")][-3:]
    assert names == ["Write reports", "Upload alerts", "Check"]
    upload, last = step("check.yml", "Upload alerts"), step("check.yml", "Check")
    assert upload["if"] == "github.event.pull_request.head.repo.full_name == github.repository"
    assert upload["continue-on-error"] is True
    assert upload["with"]["sarif_file"] == "${{ runner.temp }}/devlog.sarif"
    assert last["env"] == {"FORMAT": "${{ steps.upload.outcome == 'success' && 'text' || 'github' }}"}
    assert last["run"] == 'devlog check --strict --format "$FORMAT"'

    variables = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "RUNNER_TEMP": str(tmp_path)}
    answer = 'case "$*" in *sarif) echo "{}" ;; *) echo "1 error"; echo "content/a.md:1" >&2 ;; esac; exit 1'
    assert run(step("check.yml", "Write reports")["run"], tmp_path, {"devlog": answer}, **variables) == (0, "")
    assert (tmp_path / "devlog.sarif").read_text() == "{}\n"
    assert (tmp_path / "summary").read_text() == "### devlog check\n\n    1 error\n    content/a.md:1\n"


def test_one_file_names_the_version() -> None:
    lines = [line for line in SITE["requirements.txt"].splitlines() if not line.startswith("#")]
    assert lines == [f"{DISTRIBUTION}=={__version__}"]
    elsewhere = {file: text for file, text in SITE.items() if file != "requirements.txt"}
    assert not [file for file, text in elsewhere.items() if re.search(r"devlog[\w-]*==", text)]


@pytest.mark.parametrize("name", ["check.yml", "preview.yml", "publish.yml"])
def test_that_version_is_installed(name: str) -> None:
    where = "site/" if name == "preview.yml" else ""  # a preview takes it from the target branch
    assert step(name, "Install devlog")["run"] == f"pip install -r {where}requirements.txt"
    assert "pip install -r requirements.txt" in SITE["README.md"]


def test_updates_are_proposed_for_all_that_is_pinned() -> None:
    updates = yaml.safe_load(SITE[".github/dependabot.yml"])["updates"]
    assert {update["package-ecosystem"] for update in updates} == {"pip", "github-actions"}
    assert {update["directory"] for update in updates} == {"/"}


# -- digests

GH = """
case "$*" in
  "auth setup-git") ;;
  *"--state open --limit 1000 --json isCrossRepository --jq $OWN") grep -c false "$STATE/open" || true ;;
  "pr create"*) echo "$@" >> "$STATE/created"; echo false >> "$STATE/open" ;;
  *) exit 9 ;;
esac
"""


def test_digests_are_for_those_who_ask_for_them() -> None:
    plain = site_files(NewSite(github=True), datetime(2026, 6, 15, tzinfo=UTC), Identity())
    assert {*SITE} - {*plain} == {".github/workflows/digest.yml", "content/digests/_index.md"}
    assert "[digest.weekly]" in SITE["devlog.toml"]
    assert "digest" not in plain["devlog.toml"]


@pytest.mark.parametrize(
    ("source", "asks"), [("https://gitlab.com/lumen/db", True), ("https://git.lumen.example/lumen/db", False)]
)
def test_digests_ask_a_host_that_devlog_knows(source: str, asks: bool) -> None:
    files = site_files(NewSite(github=True, digest=source), datetime(2026, 6, 15, tzinfo=UTC), Identity())
    config = tomllib.loads(files["devlog.toml"])
    assert config["digest"]["weekly"].get("forge", False) is asks
    assert "GITHUB_TOKEN: ${{ github.token }}" in files[".github/workflows/digest.yml"]


@pytest.mark.slow
def test_a_proposal_is_opened_once_and_keeps_what_was_edited(tmp_path: Path) -> None:
    """Two runs, with a program in the place of devlog that writes one post more each time."""
    git = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(tmp_path)}
    hub, state = tmp_path / "hub.git", tmp_path / "state"
    state.mkdir()
    (state / "open").write_text("true\n")  # of a fork, with a branch of the same name
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(hub)], check=True)

    def runner(number: int) -> Path:
        folder = tmp_path / f"runner{number}"
        subprocess.run(["git", "clone", "-q", str(hub), str(folder)], check=True, capture_output=True)
        return folder

    def once(folder: Path, number: int) -> None:
        devlog = f"mkdir -p content digests .devlog; echo {number} > content/{number}.md; ls .devlog"
        for title in ("Go on with an open proposal", "Remove a committed cache", "Write digests", "Propose them"):
            output = tmp_path / "output"
            variables = workflow("digest.yml")["jobs"]["digest"]["env"] | git
            variables |= {"STATE": str(state), "RUNNER_TEMP": str(tmp_path)}
            variables |= {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
            code, printed = run(step("digest.yml", title)["run"], folder, {"gh": GH, "devlog": devlog}, **variables)
            assert code == 0, printed
            assert "forged" not in printed
        assert output.read_text().endswith("written=true\n")

    first = runner(0)
    (first / "README.md").write_text("x")
    commit = ["git", "-C", str(first), "-c", "user.name=Ada", "-c", "user.email=ada@lumen.example"]
    subprocess.run([*commit, "add", "-A"], check=True)
    subprocess.run([*commit, "commit", "-q", "-m", "Begin"], check=True)
    subprocess.run([*commit, "push", "-q", "origin", "HEAD:main"], check=True)

    once(runner(1), 1)
    editor = runner(2)
    edit = ["git", "-C", str(editor), "-c", "user.name=Ada", "-c", "user.email=ada@lumen.example"]
    subprocess.run([*edit, "checkout", "-q", "digests"], check=True)
    (editor / "content/1.md").write_text("edited\n")
    (editor / ".devlog").mkdir()
    (editor / ".devlog/forged").write_text("a cache that came with the branch of the proposal")
    subprocess.run([*edit, "add", "-f", ".devlog"], check=True)
    subprocess.run([*edit, "commit", "-q", "-am", "Edit"], check=True)
    subprocess.run([*edit, "push", "-q", "origin", "digests"], check=True)
    (tmp_path / "runner3").parent.mkdir(exist_ok=True)
    second = runner(3)
    once(second, 2)
    subprocess.run([*edit, "pull", "-q", "--rebase", "origin", "digests"], check=True)
    assert (editor / "content/1.md").read_text() == "edited\n"
    assert (editor / "content/2.md").read_text() == "2\n"
    assert (state / "created").read_text().count("pr create") == 1
