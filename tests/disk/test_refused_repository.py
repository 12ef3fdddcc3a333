"""Repositories of other users, which git refuses: that is told, and is not taken for a lack of commits."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from check_cases import git, repository
from disk.stand_ins import OF_ANOTHER, use
from sites import build_site, write_site

from devlog import inputs
from devlog.config import Config
from devlog.disk.git import state_of
from devlog.disk.git_dates import FileDates, dates_added
from devlog.engine.jobs import Jobs
from devlog.serve.preview import Options, Preview

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")


@pytest.mark.parametrize("folder", ["", "site"])
def test_before_the_first_commit_there_is_no_state(folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    assert state_of(tmp_path / folder) == ""
    git(tmp_path, "init", "-q")
    assert state_of(tmp_path / folder) == ""
    assert dates_added(tmp_path / folder, "content").state == ""


def shown(site: Path) -> set[str]:
    """The codes of the problems that a preview shows."""
    preview = Preview(Options(site, "http://127.0.0.1", jobs=1), Jobs(), list)
    try:
        preview.change(frozenset())
        return {item.code for item in preview.diagnostics}
    finally:
        preview.close()


def test_a_build_says_that_git_refuses_the_repository_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = write_site(tmp_path / "site", {"content/log/a.md": "---\ntitle: A\n---\nText.\n"})
    assert "git-dates" not in {item.code for item in build_site(site).diagnostics}
    repository(site)
    dated = build_site(site).diagnostics
    assert not {"git-dates", "missing-date"} & {item.code for item in dated}
    assert "git-dates" not in shown(site)
    program = use(OF_ANOTHER, tmp_path, monkeypatch)
    assert "git-dates" in shown(site)
    for _ in range(2):
        (problem,) = (item for item in build_site(site).diagnostics if item.code == "git-dates")
        assert "safe.directory" in problem.hint
        assert "objects" not in problem.hint
    (site / ".git").rename(tmp_path / "git")
    assert "git-dates" not in {item.code for item in build_site(site).diagnostics}
    (tmp_path / "git").rename(site / ".git")
    assert "git-dates" in {item.code for item in build_site(site).diagnostics}
    program.unlink()
    assert build_site(site).diagnostics == dated


def test_without_git_nothing_is_said_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a checkout in a container without git. A build is as a clean one when git appears or disappears."""
    site = write_site(tmp_path / "site", {"content/log/a.md": "---\ntitle: A\n---\nText.\n"})
    undated = build_site(site)
    assert "missing-date" in {item.code for item in undated.diagnostics}
    page = site / "public/log/a/index.html"
    text = page.read_text("utf-8")
    repository(site)
    dated = build_site(site).diagnostics
    assert not {"git-dates", "missing-date"} & {item.code for item in dated}
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tmp_path / "none"))
        assert state_of(site) == ""
        for _ in range(2):
            assert build_site(site).diagnostics == undated.diagnostics
            assert page.read_text("utf-8") == text
        assert "git-dates" not in shown(site)
    assert build_site(site).diagnostics == dated
    assert page.read_text("utf-8") != text


@pytest.mark.parametrize("order", [("refused", "false"), ("false", "")])
def test_answers_from_two_states_are_asked_for_again(order: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    states = dict(zip(("added", "changed"), order, strict=True))
    for name, state in states.items():
        monkeypatch.setattr(inputs, f"dates_{name}", lambda *_, state=state: FileDates({}, state))
    dates = inputs.ask_git_dates(Path(), Config(), inputs.WantedDates({"a": "a"}, {"a": "a"}))
    assert dates.state not in {*order, "", None}
    assert dates.failure == ("refused" if "refused" in order else None)


@pytest.mark.parametrize("variable", ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "XDG_CONFIG_HOME"])
def test_what_a_user_says_of_other_owners_counts(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = write_site(tmp_path / "site", {"content/a.md": "A\n"})
    repository(site)
    file = write_site(tmp_path / "own", {"git/config": f'[safe]\ndirectory = "{site}"\n'}) / "git/config"
    monkeypatch.delenv("GIT_CONFIG_NOSYSTEM", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    use(OF_ANOTHER, tmp_path, monkeypatch)
    assert state_of(site) == "refused"
    monkeypatch.setenv(variable, str(tmp_path / "own" if variable.startswith("XDG") else file))
    assert state_of(site).startswith("false\n")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files away")
def test_the_repository_of_the_user_who_runs_sudo_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = write_site(tmp_path / "site", {"content/a.md": "A\n"})
    repository(site)
    for place in (site, site / ".git"):
        os.chown(place, 1234, -1)
    assert state_of(site) == "refused"
    monkeypatch.setenv("SUDO_UID", "1234")
    assert state_of(site).startswith("false\n")
