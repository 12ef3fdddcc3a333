"""The workflows that `devlog init --github` writes: pinned, with the least rights, and deaf to what others write."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from devlog import __version__
from devlog.disk.git import Identity
from devlog.scaffold.starter import Wish, site_files

FILES = {
    file.rpartition("/")[2]: text
    for file, text in site_files(Wish(github=True), datetime(2026, 6, 15, tzinfo=UTC), Identity()).items()
    if file.startswith(".github/workflows/")
}
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


def triggers(name: str) -> set[str]:
    on = workflow(name)[True]  # YAML's word for "on"
    return {on} if isinstance(on, str) else set(on)


def test_there_are_four() -> None:
    assert sorted(FILES) == ["check.yml", "preview-publish.yml", "preview.yml", "publish.yml"]
    assert {name: triggers(name) for name in FILES} == {
        "check.yml": {"pull_request"},
        "preview.yml": {"pull_request"},
        "preview-publish.yml": {"workflow_run"},
        "publish.yml": {"push", "workflow_dispatch"},
    }


@pytest.mark.parametrize("name", FILES)
def test_actions_are_pinned_by_commit_and_say_their_version(name: str) -> None:
    lines = re.findall(r"^\s*(?:- )?uses: (.*)$", FILES[name], re.MULTILINE)
    assert len(lines) == sum("uses" in step for step in steps(name))
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line) for line in lines), lines


def test_one_commit_for_each_action() -> None:
    pins = {line for text in FILES.values() for line in re.findall(r"uses: (.*)", text)}
    assert len(pins) == len({pin.partition("@")[0] for pin in pins})


@pytest.mark.parametrize("name", FILES)
def test_rights_are_the_least(name: str) -> None:
    read = workflow(name)
    allowed = {
        "check.yml": [{"contents": "read"}],
        "preview.yml": [{"contents": "read"}],
        "preview-publish.yml": [{}, {"actions": "read", "pull-requests": "read"}],
        "publish.yml": [{}, {"contents": "read"}, {"pages": "write", "id-token": "write"}],
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
def test_what_others_write_stands_in_variables_only(name: str) -> None:
    text = FILES[name]
    found = [match[0] for match in UNTRUSTED.finditer(text)]
    in_variables = [
        match[0]
        for step in steps(name)
        for value in step.get("env", {}).values()
        for match in UNTRUSTED.finditer(value)
    ]
    assert sorted(found) == sorted(in_variables)


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
def test_the_number_of_a_preview_is_digits(answer: str, number: str | None, tmp_path: Any) -> None:
    """The script runs as it is, with an answer of GitHub's in its place."""
    import subprocess

    (tmp_path / "gh").write_text("#!/bin/sh\nprintf '%s\\n' \"$ANSWER\"\n")
    (tmp_path / "gh").chmod(0o755)
    script = next(step["run"] for step in steps("preview-publish.yml") if step.get("id") == "pull")
    output = tmp_path / "output"
    output.touch()
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        env={
            "PATH": f"{tmp_path}:/usr/bin:/bin",
            "ANSWER": answer,
            "GITHUB_OUTPUT": str(output),
            "HEAD": "a:b",
            "SHA": "c",
        }
        | {"GITHUB_REPOSITORY": "lumen/log"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode == 0) == (number is not None)
    assert output.read_text() == (f"number={number}\n" if number else "")


def test_the_preview_takes_only_posts_and_images(tmp_path: Any) -> None:
    """The script runs as it is, on two checkouts of which the proposed one is hostile."""
    import subprocess

    from sites import read_tree, write_site

    write_site(
        tmp_path / "site",
        {"devlog.toml": "base", "content/old.md": "x", "static/a.png": "x", "templates/t.html": "base"},
    )
    write_site(tmp_path / "proposed", {"devlog.toml": "evil", "content/new.md": "y", "templates/t.html": "evil"})
    (tmp_path / "proposed/static").symlink_to("/etc")
    script = next(step["run"] for step in steps("preview.yml") if "proposed" in step.get("run", ""))
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=tmp_path, timeout=60, check=True)
    tree = read_tree(tmp_path / "site")
    assert tree == {"content/new.md": b"y", "devlog.toml": b"base", "templates/t.html": b"base"}


def test_publishing_remembers_what_only_it_may_write() -> None:
    cache = next(step for step in steps("publish.yml") if "actions/cache@" in step.get("uses", ""))
    assert cache["with"]["path"].split() == [".devlog", "!.devlog/spare", "public"]
    assert [name for name in FILES if "actions/cache@" in FILES[name]] == ["publish.yml"]
    assert workflow("publish.yml")[True]["push"] == {"branches": ["main"]}


def test_publishing_checks_builds_and_hands_over() -> None:
    jobs = workflow("publish.yml")["jobs"]
    runs = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert runs[-2:] == ["devlog check --format github", "devlog build"]
    assert (jobs["deploy"]["needs"], jobs["deploy"]["environment"]["name"]) == ("build", "github-pages")
    assert [step["uses"].partition("@")[0] for step in jobs["deploy"]["steps"]] == ["actions/deploy-pages"]


@pytest.mark.parametrize("name", ["check.yml", "preview.yml", "publish.yml"])
def test_this_version_of_devlog_is_installed(name: str) -> None:
    assert f"pip install devlog=={__version__}" in [step.get("run") for step in steps(name)]
