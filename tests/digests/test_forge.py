"""`devlog digest --forge`: what a forge knows about changes, and how it is asked."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from forges import MISSING, Forge, Reply, answer, serving
from repositories import HOUR, NOON, Repository
from sites import build_site, write_site

from devlog.cli import main
from devlog.engine.work import time_limit
from devlog.features.digests.digest.forge import ask as module
from devlog.features.digests.digest.forge import cache
from devlog.features.digests.digest.forge.cache import Cache
from devlog.features.digests.digest.forge.client import Client, ForgeFailedError, Pace
from devlog.features.digests.digest.forge.project import Project
from devlog.features.digests.digest.forge.values import MOST_OBJECTS
from devlog.features.digests.model.activity import Change
from devlog.http.proxy import proxy_fault

TOPIC = {"content/weekly/_index.md": "---\ntitle: Weekly\n---\n"}
CHANGES = {
    21: ("Speed up the page cache", "Ada Quill"),
    22: ("Do not crash on empty pages", "Bo Lint"),
    23: ("Plan joins by size", "Ada Quill"),
    24: ("Describe the planner", "Cy Marsh"),
    25: ("Keep statistics of columns", "Cy Marsh"),
}


def item(title: str, *labels: str, body: str | None = None, **more: Any) -> dict[str, Any]:
    return {"title": title, "body": body, "labels": [{"name": label} for label in labels], **more}


def github() -> Forge:
    """A project with five pull requests, three issues and four milestones."""
    return Forge(
        "github",
        pulls={
            21: item("Speed up the page cache", "area: storage", "performance", comments=3),
            22: item("Do not crash on empty pages", "area: storage", "bug", body="Fixes #7, closes lumen/db#8."),
            23: item(
                "Plan joins by size",
                "planner",
                body="## Summary\r\n\r\n<!-- a form\nto fill in -->Small tables come first now. It is **faster**.\n",
                comments=40,
                reactions={"total_count": 12, "+1": 12},
            ),
            24: item("Describe the planner", "documentation", "planner"),
            25: item("Keep statistics of columns", "planner", milestone={"title": "1.4"}),
        },
        issues={
            7: item("Crash on an empty page", state="closed"),
            8: item("Empty files are not read", state="closed"),
            31: item("Sort on disk", state="open", milestone={"title": "1.4"}),
        },
        milestones=[
            {"number": 3, "title": "2.0", "due_on": None, "open_issues": 14, "closed_issues": 0},
            {"number": 1, "title": "1.4", "due_on": "2026-07-01T07:00:00Z", "open_issues": 1, "closed_issues": 9},
            {"number": 4, "title": "Someday", "due_on": None, "open_issues": 0, "closed_issues": 0},
            {"number": 5, "title": "0.9", "due_on": "2024-01-01T07:00:00Z", "open_issues": 2, "closed_issues": 2},
        ],
    )


def gitlab() -> Forge:
    """The same project on GitLab."""
    same = github()

    def theirs(one: dict[str, Any]) -> dict[str, Any]:
        names = [label["name"].replace("area: ", "area::") for label in one["labels"]]
        reactions = (one.get("reactions") or {}).get("total_count", 0)
        more = {"user_notes_count": one.get("comments", 0), "upvotes": reactions, "downvotes": 0}
        return {
            "title": one["title"],
            "description": one["body"],
            "labels": names,
            **more,
            "milestone": one.get("milestone"),
        }

    milestones = [
        {"id": one["number"], "iid": 1, "title": one["title"], "due_date": (one["due_on"] or "")[:10] or None}
        for one in same.milestones
    ]
    return Forge(
        "gitlab",
        {number: theirs(one) for number, one in same.pulls.items()},
        {number: theirs(one) for number, one in same.issues.items()},
        milestones,
    )


def gitea() -> Forge:
    """The same project on Gitea."""
    forge = github()
    forge.kind = "forgejo"
    for number, pull in forge.pulls.items():
        forge.reactions[number] = (pull.pop("reactions", None) or {}).get("total_count", 0)
    return forge


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for, and no token of this machine is sent."""
    monkeypatch.setattr(module, "PACE", msgspec.structs.replace(Pace(), again=(0, 0), silence=5))
    for name in ("DEVLOG_FORGE_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN", "GITEA_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def forge() -> Iterator[Forge]:
    with serving(github()) as made:
        yield made


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return repository_of(tmp_path, "#")


def repository_of(tmp_path: Path, sign: str) -> Repository:
    made = Repository(tmp_path / "lumen", NOON - 60 * HOUR)
    made.time = NOON - 30 * HOUR
    for number, (title, author) in CHANGES.items():
        made.commit(f"{title} ({sign}{number})", {f"src/{number}.py": "x\n" * 5}, author=author)
    return made


def site_of(tmp_path: Path, repository: Repository, forge: Forge | str, more: str = "") -> Path:
    url = forge if isinstance(forge, str) else forge.url
    config = (
        f'title = "Lumen"\nbase_url = "https://lumen.example.org/"\n{more}\n[digest.nightly]\n'
        f'source = "{repository.folder}"\ntopic = "weekly"\nforge = "{url}"\n'
        '[digest.nightly.labels]\nplanner = "query planner"\n'
    )
    return write_site(tmp_path / "site", {**TOPIC, "devlog.toml": config})


def digest(site: Path, *arguments: str, now: str = "2026-06-03T01:00:00Z") -> Result:
    return CliRunner().invoke(main, ["digest", "--root", str(site), "--now", now, *(arguments or ("nightly",))])


def text(site: Path) -> str:
    return (site / "content/weekly/2026-06-03-digest.md").read_text("utf-8")


def activity(site: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((site / "digests/weekly/2026-06-03-digest.json").read_bytes())
    return dict(record["activity"])


def tree(site: Path) -> dict[str, bytes]:
    folders = (site / "content", site / "digests")
    return {path.name: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize(("made", "sign"), [(github, "#"), (gitlab, "!"), (gitea, "#")])
def test_a_digest_with_what_the_forge_knows(tmp_path: Path, made: Any, sign: str) -> None:
    with serving(made()) as forge:
        site = site_of(tmp_path, repository_of(tmp_path, sign), forge)
        done = digest(site)
    assert done.exit_code == 0, done.output
    assert "covers 100 % of five changes" in done.output
    assert f"info[forge-requests]: {len(forge.paths)} requests to 127.0.0.1 about 5 pull requests\n" in done.output
    post = text(site)
    assert "\n## Query planner\n" in post
    assert "\n## Storage\n" in post
    assert f"\nPlan joins by size ({sign}23). Small tables come first now. It is faster.\n" in post
    assert "This resolves #7 (Crash on an empty page) and #8 (Empty files are not read).\n" in post
    assert "\n## What's next\n" in post
    of = "" if sign == "!" else " (of 10)"
    assert f"- Milestone 1.4 is due on July 1st, 2026 and has one open issue{of}: #31 (Sort on disk).\n" in post
    assert "Someday" not in post
    assert "0.9" not in post
    found = {change["number"].strip("#!"): change for change in activity(site)["changes"]}
    assert (found["23"]["comments"], found["23"]["reactions"]) == (40, 12)
    assert (found["21"]["kind"], found["24"]["kind"]) == ("performance", "documentation")
    assert found["25"]["milestone"] == "1.4"
    assert activity(site)["areas"][0]["changes"][0] == found["23"]["commit"]  # the most discussed
    report = build_site(site, drafts=True)
    assert [item for item in report.diagnostics if item.severity == "error"] == []


@pytest.mark.slow
def test_a_week_as_a_list(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    site = site_of(tmp_path, repository, forge)
    config = site / "devlog.toml"
    config.write_text(config.read_text("utf-8").replace('topic = "weekly"', 'topic = "weekly"\ntemplate = "week"'))
    done = digest(site)
    assert done.exit_code == 0, done.output
    assert "- Do not crash on empty pages (#22, resolves #7 and #8, Bo Lint)\n" in text(site)
    assert "- Milestone 2.0 has 14 open issues.\n" in text(site)


@pytest.mark.slow
def test_again_asks_nothing(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    site = site_of(tmp_path, repository, forge)
    digest(site)
    first, asked = text(site), len(forge.paths)
    forge.misbehave = lambda _path, _number: answer({}, 500)
    done = digest(site, "--again", str(site / "content/weekly/2026-06-03-digest.md"))
    assert (done.exit_code, done.stdout) == (0, first)
    assert len(forge.paths) == asked


@pytest.mark.slow
def test_a_second_run_asks_nothing(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    site = site_of(tmp_path, repository, forge)
    first = digest(site, "nightly", "--dry-run")
    asked = len(forge.paths)
    second = digest(site, "nightly", "--dry-run")
    assert second.stdout == first.stdout != ""
    assert f"0 requests to 127.0.0.1 about 5 pull requests; {asked} more answers came from the cache" in second.stderr
    assert len(forge.paths) == asked
    (site / ".devlog/forge.db").write_bytes(b"damaged")
    assert digest(site, "nightly", "--dry-run").stdout == first.stdout
    assert len(forge.paths) == 2 * asked


@pytest.mark.slow
def test_the_digest_of_a_period_that_exists_asks_nothing(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    site = site_of(tmp_path, repository, forge)
    again = ("nightly", "--since", "2026-06-02", "--until", "2026-06-02")
    assert digest(site, *again).exit_code == 0
    asked = len(forge.paths)
    forge.pulls[21]["comments"] = 99
    assert "info[digest-exists]" in digest(site, *again).output
    assert len(forge.paths) == asked


@pytest.mark.slow
def test_old_answers_are_asked_for_with_their_etag(
    tmp_path: Path, repository: Repository, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PACE", msgspec.structs.replace(module.PACE, fresh=0))
    site = site_of(tmp_path, repository, forge)
    first = digest(site, "nightly", "--dry-run")
    forge.misbehave = lambda _path, _number: (304, {}, b"") if "if-none-match" in forge.fields[-1] else None
    second = digest(site, "nightly", "--dry-run")
    assert second.stdout == first.stdout != ""
    assert [fields["if-none-match"] for fields in forge.fields if "if-none-match" in fields] == ['"1"']


@pytest.mark.slow
def test_without_the_option_nothing_is_asked(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    site = site_of(tmp_path, repository, forge)
    assert digest(site, "nightly", "--no-forge").exit_code == 0
    assert forge.paths == []
    assert not (site / ".devlog/forge.db").exists()
    assert "What's next" not in text(site)


@pytest.mark.slow
def test_a_digest_without_a_forge_loads_no_http_client(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    site = site_of(tmp_path, repository, forge)
    program = (
        "import sys\nfrom devlog.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "sys.exit(any('digests.digest.forge' in name or name == 'http.client' for name in sys.modules))"
    )
    arguments = ["digest", "nightly", "--no-forge", "--root", str(site), "--now", "2026-06-03T01:00:00Z", "--dry-run"]
    assert subprocess.run([sys.executable, "-c", program, *arguments], check=False).returncode == 0


@pytest.mark.slow
def test_lists_are_paged_only_while_it_pays(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    forge.page = 3
    forge.issues = {number: item(f"Issue {number}") for number in range(100, 400)}
    forge.pulls = {21: forge.pulls[21], 22: forge.pulls[22], **forge.issues, **forge.pulls}
    site = site_of(tmp_path, repository, forge)
    assert digest(site).exit_code == 0
    lists = [path for path in forge.paths if "since=" in path]
    assert lists[0].endswith("since=2026-06-02T06%3A00%3A00Z")
    assert len(lists) == 1  # its items are others: the rest is asked for by number
    assert sum("/issues/" in path for path in forge.paths) == 5 + 2


@pytest.mark.slow
def test_the_pages_of_a_list(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    forge.page, forge.issues = 3, {}
    assert digest(site_of(tmp_path, repository, forge)).exit_code == 0
    assert [path.rpartition("&")[2] for path in forge.paths if "since=" in path][1:] == ["page=2"]
    assert not any(path.endswith(f"/issues/{number}") for path in forge.paths for number in CHANGES)


@pytest.mark.slow
def test_the_option_asks_the_repository_of_the_site(tmp_path: Path, repository: Repository) -> None:
    with serving(gitea()) as forge:
        config = f'source_repo = "http://127.0.0.1:{forge.port}/lumen/db"\nsource_checkout = "{repository.folder}"\n'
        site = write_site(tmp_path / "site", {**TOPIC, "devlog.toml": f'{config}[refs]\nforge = "forgejo"\n'})
        done = digest(site, "--forge", "--since", "2026-06-02", "--topic", "weekly")
    assert done.exit_code == 0, done.output
    assert forge.paths[0] == "/api/v1/repos/lumen/db"
    assert "\n## What's next\n" in text(site)


@pytest.mark.slow
def test_a_record_with_a_wrong_day(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    site = site_of(tmp_path, repository, forge)
    digest(site)
    record = site / "digests/weekly/2026-06-03-digest.json"
    record.write_text(record.read_text("utf-8").replace('"2026-07-01"', '"soon"'), "utf-8")
    done = digest(site, "--again", str(site / "content/weekly/2026-06-03-digest.md"))
    assert "error[bad-activity]" in done.output


def test_the_cache_keeps_the_newest_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST", 60)
    for begin in range(0, 100, 10):
        kept = cache.Cache(tmp_path)
        for number in range(begin, begin + 10):
            kept.write(f"u{number}", cache.Kept(float(number), "", "", -1, b"{}"))
        kept.save()
    fresh = cache.Cache(tmp_path)
    assert [number for number in range(100) if fresh.read(f"u{number}")] == list(range(40, 100))
    assert cache.Cache(tmp_path, has_token=True).read("u99") is None


@pytest.mark.slow
def test_at_most_so_many_requests(
    tmp_path: Path, repository: Repository, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PACE", msgspec.structs.replace(module.PACE, requests=4))
    forge.page, forge.issues = 2, {number: item(f"Issue {number}") for number in range(100, 400)}
    site = site_of(tmp_path, repository, forge)
    done = digest(site)
    assert done.exit_code == 0, done.output
    assert len(forge.paths) == 4
    assert "3 pull requests were not asked for (limit: 4 requests in 10 minutes)" in done.output


@pytest.mark.slow
def test_at_most_so_many_bytes(
    tmp_path: Path, repository: Repository, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PACE", msgspec.structs.replace(module.PACE, all_bytes=1))
    done = digest(site_of(tmp_path, repository, forge))
    assert done.exit_code == 0, done.output
    assert len(forge.paths) == 1
    assert "warning[forge-incomplete]" in done.output


def test_what_nobody_asked_for_is_hardly_kept(tmp_path: Path, forge: Forge) -> None:
    forge.page = 1000
    forge.pulls |= {number: item(f"Other {number}", "planner", body="x" * 1000) for number in range(100, 900)}
    changes = [Change("c", "Add it", "2026-06-02T12:00:00+00:00", f"#{number}") for number in CHANGES]
    answers = module.ask(tmp_path, Project("github", forge.url), module.Wanted(changes, {}, date(2026, 6, 3)))
    assert 10 < len(answers.items) <= MOST_OBJECTS
    assert answers.items["#22"].body.startswith("Fixes #7")
    assert {kept.body for number, kept in answers.items.items() if len(number) > 3} == {""}


# -- texts of strangers

QUICK = Pace(again=(), silence=5, values=5_000, bytes=200_000)


def asked(root: Path, forge: Forge, pace: Pace = QUICK) -> module.Answers:
    """What a forge answers about all changes."""
    sign = "!" if forge.kind == "gitlab" else "#"
    changes = [Change("c", "Add it", "2026-06-02T12:00:00+00:00", f"{sign}{number}") for number in CHANGES]
    return module.ask(root, Project(forge.kind, forge.url), module.Wanted(changes, {}, date(2026, 6, 3)), pace)


@pytest.mark.parametrize("body", ["," * 8_000, '\\"{[,' * 2_000, "\\" * 9_001 + "," * 6_000])
def test_marks_in_texts_are_no_values(tmp_path: Path, forge: Forge, body: str) -> None:
    forge.issues[100] = item("Other", body=body)
    answers = asked(tmp_path, forge)
    assert {f"#{number}" for number in CHANGES} <= answers.items.keys()
    assert sum("since=" in path for path in forge.paths) == 1


@pytest.mark.parametrize("body", [b'{"a":"' + b"," * 9_000, b'"' + b'\\",' * 9_000, b'"' + b"," * 9_000 + b"\\"])
def test_a_string_without_an_end(forge: Forge, body: bytes) -> None:
    forge.misbehave = lambda _path, _number: (200, {}, body)
    with pytest.raises(ForgeFailedError, match="is not JSON"):
        Client(forge.url, {}, Cache(None), QUICK).get("")


@pytest.mark.parametrize("kind", ["github", "forgejo"])
def test_a_page_that_is_too_large_is_read_in_smaller_ones(tmp_path: Path, kind: str) -> None:
    with serving(github() if kind == "github" else gitea()) as forge:
        forge.issues |= {number: item("Other", body="語" * 3_000) for number in range(100, 140)}
        forge.pulls |= {number: item("Other") for number in range(200, 204)}
        answers = asked(tmp_path, forge)
    assert {f"#{number}" for number in CHANGES} <= answers.items.keys()
    assert sum("since=" in path for path in forge.paths) >= 2
    assert answers.large == 0


def test_a_list_that_is_too_large_however_small_its_pages_are(tmp_path: Path, forge: Forge) -> None:
    forge.issues = {7: item("Crash", body="x" * 300_000)}
    answers = asked(tmp_path, forge)
    assert {f"#{number}" for number in CHANGES} <= answers.items.keys()
    assert [path for path in forge.paths if path.endswith("/issues/21")]


def test_a_batch_that_is_too_large_is_halved(tmp_path: Path) -> None:
    with serving(gitlab()) as forge:
        for number in CHANGES:
            forge.pulls[number]["description"] = "x" * 90_000
        forge.pulls[23]["description"] = "x" * 300_000
        answers = asked(tmp_path, forge)
    assert answers.items.keys() == {f"!{number}" for number in CHANGES if number != 23}
    assert (answers.large, answers.missing) == (1, 0)


def test_all_that_is_too_large_counts(tmp_path: Path, forge: Forge) -> None:
    """A host cannot have any number of large answers read, one after the other."""
    for pull in forge.pulls.values():
        pull["body"] = "x" * 300_000
    answers = asked(tmp_path, forge, msgspec.structs.replace(QUICK, all_bytes=500_000))
    assert answers.requests == 4  # the project, the list in two sizes, the first pull request
    assert answers.missing == len(CHANGES)


@pytest.mark.slow
def test_what_is_too_large_is_told(
    tmp_path: Path, repository: Repository, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PACE", QUICK)
    forge.pulls[22]["body"] = "x" * 300_000
    milestones = [{**one, "description": "x" * 300_000} for one in forge.milestones]
    forge.milestones = milestones
    done = digest(site_of(tmp_path, repository, forge))
    assert done.exit_code == 0, done.output
    assert "warning[forge-incomplete]: 1 pull request or issue is too large to be read" in done.output


@pytest.mark.parametrize("begin", [b"", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"])
def test_a_host_that_never_ends_its_fields(begin: bytes) -> None:
    """Each of its answers is in time, but they are no response: no read of the socket takes long."""

    def talk() -> None:
        taken, _ = server.accept()
        with taken, contextlib.suppress(OSError):
            taken.sendall(begin)
            while not over.wait(0.02):
                taken.sendall(b"1" if begin else b"HTTP/1.1 100 Continue\r\n\r\n")

    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=talk)
        thread.start()
        pace = Pace(silence=0.2, answer=0.1, again=())
        client = Client(f"http://127.0.0.1:{server.getsockname()[1]}", {}, Cache(None), pace)
        try:
            with time_limit(20), pytest.raises(ForgeFailedError, match="does not answer in time"):
                client.get("/issues")
        finally:
            over.set()
            thread.join()


@pytest.mark.slow
def test_a_pull_request_that_is_gone(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    del forge.pulls[24]
    site = site_of(tmp_path, repository, forge)
    assert digest(site).exit_code == 0
    assert "#24" in text(site)


# -- tokens and other hosts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "variable", "sent"),
    [
        (github, "GITHUB_TOKEN", ("authorization", "Bearer s3cret")),
        (gitlab, "GITLAB_TOKEN", ("private-token", "s3cret")),
        (gitea, "GITEA_TOKEN", ("authorization", "token s3cret")),
        (github, "DEVLOG_FORGE_TOKEN", ("authorization", "Bearer s3cret")),
    ],
)
def test_a_token_of_the_environment(
    tmp_path: Path, made: Any, variable: str, sent: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "s3cret")
    with serving(made()) as forge:
        site = site_of(tmp_path, repository_of(tmp_path, "!" if forge.kind == "gitlab" else "#"), forge)
        done = digest(site)
    assert done.exit_code == 0, done.output
    assert {fields[sent[0]] for fields in forge.fields} == {sent[1]}
    kept = [path.read_bytes() for path in site.rglob("*") if path.is_file()]
    assert not any(b"s3cret" in data for data in kept)
    assert "s3cret" not in done.output


@pytest.mark.slow
@pytest.mark.parametrize("way", ["redirect", "link"])
def test_another_host_gets_no_token(
    tmp_path: Path, repository: Repository, forge: Forge, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "s3cret")
    with serving(github()) as other:
        if way == "redirect":
            forge.misbehave = lambda _path, _number: (302, {"Location": other.url}, b"")
        else:
            some = [{"number": number, **one} for number, one in list(forge.pulls.items())[:2]]
            link = f'<{other.url}/issues?page=2>; rel="next"'
            forge.misbehave = lambda path, _number: answer(some, Link=link) if "since=" in path else None
        done = digest(site_of(tmp_path, repository, forge))
    assert "error[forge-failed]" in done.output
    assert "another host" in done.output
    assert other.paths == []


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["http://127.0.0.1:99999/x", "http://127.0.0.1:port/x"])
@pytest.mark.parametrize("way", ["redirect", "link"])
def test_a_url_that_cannot_be_read(tmp_path: Path, repository: Repository, forge: Forge, way: str, wrong: str) -> None:
    if way == "redirect":
        forge.misbehave = lambda _path, _number: (302, {"Location": wrong}, b"")
    else:
        some = [{"number": number, **one} for number, one in list(forge.pulls.items())[:2]]
        link = f'<{wrong}>; rel="next"'
        forge.misbehave = lambda path, _number: answer(some, Link=link) if "since=" in path else None
    done = digest(site_of(tmp_path, repository, forge))
    assert "error[forge-failed]" in done.output, done.exception
    assert "another host" in done.output


@pytest.mark.slow
def test_a_redirect_on_the_same_host(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    old = forge.url.replace("lumen/db", "old/name")

    def redirect(path: str, number: int) -> Reply | None:
        return (301, {"Location": path.replace("old/name", "lumen/db")}, b"") if "old/name" in path else None

    forge.misbehave = redirect
    assert digest(site_of(tmp_path, repository, old)).exit_code == 0


# -- failures


def failing(status: int, **fields: str) -> Any:
    return lambda _path, _number: answer({}, status, **fields)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("misbehave", "reason"),
    [
        (failing(401), "does not accept the token"),
        (failing(403), "does not allow this request"),
        (lambda _path, _number: MISSING, "does not know the project, or hides it"),
        (failing(500), "answers with status 500"),
        (failing(429, Retry_After="3600"), "allows no more requests for 60 minutes"),
        (failing(403, X_RateLimit_Remaining="0", X_RateLimit_Reset="99999999999"), "allows no more requests for"),
        (lambda _path, _number: (200, {}, b"<!doctype html>"), "is not JSON"),
        (lambda _path, _number: (200, {}, b'"\xff\xfe"'), "is not JSON"),
        (lambda _path, _number: answer([1, 2]), "is not a project"),
        (lambda _path, _number: (200, {}, b" " * 200_000), "has more than 100,000 bytes"),
        (lambda _path, _number: (200, {}, b"[" + b"{}," * 20_000 + b"{}]"), "has more than 30,000 values"),
        (lambda _path, _number: (200, {}, b'{"labels":[' + b"[[]]," * 12_000 + b"0]}"), "has more than 30,000 values"),
        (lambda _path, _number: (200, {}, b"[" * 30_000), "is not JSON"),
        (lambda _path, _number: (200, {"Content-Length": "999"}, b"{}"), "breaks off"),
        (lambda path, _number: (302, {"Location": path}, b""), "answers with status 302"),
        (lambda _path, _number: (302, {"Location": "file:///etc/passwd"}, b""), "redirects to another host"),
        (lambda _path, _number: (302, {"Location": "http://["}, b""), "redirects to another host"),
    ],
)
def test_a_forge_that_fails(
    tmp_path: Path, repository: Repository, forge: Forge, misbehave: Any, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        module, "PACE", msgspec.structs.replace(module.PACE, bytes=100_000, values=30_000, silence=1, again=(0,))
    )
    forge.misbehave = misbehave
    site = site_of(tmp_path, repository, forge)
    before = tree(site)
    done = digest(site)
    assert "error[forge-failed]: cannot ask the forge: " in done.output, done.output
    assert reason in done.output
    assert (done.exit_code, tree(site) == before) == (1, True)
    assert len(forge.paths) <= 4


@pytest.mark.parametrize("proxy", ["http://proxy:port", "http://[::1"])
def test_a_proxy_that_is_no_url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, proxy: str) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    client = Client("https://forge.example.org/lumen", {}, Cache(tmp_path), Pace(again=()))
    with pytest.raises(ForgeFailedError, match="cannot be reached") as failed:
        client.get("/pulls")
    assert failed.value.hint == "the environment variable “https_proxy” is not a valid URL of a proxy"


@pytest.mark.parametrize("variable", ["https_proxy", "all_proxy"])
def test_a_proxy_of_another_kind(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv(variable, f"socks5h://127.0.0.1:{server.getsockname()[1]}")
        client = Client("https://forge.example.org/lumen", {}, Cache(None), Pace(again=(), silence=1))
        with pytest.raises(ForgeFailedError, match="cannot be reached") as failed:
            client.get("/pulls")
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert failed.value.hint.startswith(f"the environment variable “{variable}” names a kind of proxy")


def test_a_host_that_needs_no_proxy() -> None:
    proxies = {"https": "socks5h://127.0.0.1:9", "no": "example.org"}
    assert proxy_fault(proxies, "forge.example.org") == ""
    assert "https_proxy" in proxy_fault(proxies, "forge.example.net")


def test_a_forge_behind_a_proxy_for_all_schemes(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(github()) as forge:
        monkeypatch.setenv("all_proxy", f"http://127.0.0.1:{forge.port}")
        forge.misbehave = lambda path, _number: answer([path])
        found = Client("http://forge.example.org/lumen", {}, Cache(None), Pace(again=())).get("/pulls").value
    assert found == ["http://forge.example.org/lumen/pulls"]


@pytest.mark.slow
def test_no_network(tmp_path: Path, repository: Repository) -> None:
    with serving(github()) as forge:
        url = forge.url
    done = digest(site_of(tmp_path, repository, url))
    assert "cannot be reached" in done.output
    assert "--no-forge" in done.output


@pytest.mark.slow
def test_a_failure_that_passes(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    failures = {1: answer({}, 502), 3: answer({}, 429, Retry_After="0")}
    forge.misbehave = lambda _path, number: failures.get(number)
    done = digest(site_of(tmp_path, repository, forge))
    assert done.exit_code == 0, done.output


@pytest.mark.slow
@pytest.mark.parametrize("url", ["http://forge.example.org/lumen/db", "nonsense", "https://u:p@forge.example.org/a/b"])
def test_a_url_that_may_not_be_asked(tmp_path: Path, repository: Repository, url: str) -> None:
    done = digest(site_of(tmp_path, repository, url))
    assert f"error[no-forge]: “{url}” is not the URL of a project" in done.output


@pytest.mark.slow
def test_a_project_that_nothing_names(tmp_path: Path, repository: Repository) -> None:
    site = site_of(tmp_path, repository, "x")
    done = digest(site, "--forge", "--since", "2026-06-02", "--topic", "weekly", "--source", str(repository.folder))
    assert "error[no-forge]: the project's URL on its forge is not known" in done.output


# -- untrusted text


HOSTILE = [
    "<script>alert(1)</script>",
    "{{< param secret >}} {{% x %}} {% include 'y' %} {{ site.params }}",
    "[click](javascript:alert(1)) ![x](http://lumen.example/x.png)",
    "---\ntitle: Mine",
    "# Heading\u202e <b>e</b> \x00",
]


@pytest.mark.slow
def test_what_a_forge_tells_is_text(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    for (number, pull), hostile in zip(forge.pulls.items(), HOSTILE, strict=True):
        body = f"{hostile} Zoe {hostile} did it.\n\nFixes #{number + 100}."
        forge.pulls[number] = {**item(hostile, f"area: {hostile}", hostile, body=body), "milestone": {"title": hostile}}
        forge.issues[number + 100] = item(hostile, state="open", milestone={"title": hostile})
        forge.milestones.append(
            {"number": number, "title": hostile, "due_on": "2026-06-20T00:00:00Z", "open_issues": 1}
        )
        del pull
    site = site_of(tmp_path, repository, forge, 'html = "trusted"\n')
    done = digest(site)
    assert done.exit_code == 0, done.output
    report = build_site(site, drafts=True, cache=False)
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    page = (site / "public/weekly/2026-06-03-digest/index.html").read_text("utf-8")
    body = page[page.index("Good morning") : page.index("update for today")]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
    for markup in ("<script", "<b>", "<h1", 'javascript:alert(1)"', "<img", "\u202e"):
        assert markup not in body


@pytest.mark.slow
@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "x",
        [],
        [None, 3, "x", [], {}],
        [{"number": "x", "iid": True}],
        {"number": 21, "title": None, "labels": {"name": 3}, "milestone": [], "reactions": [], "comments": "x"},
        [
            {
                "number": 21,
                "iid": 21,
                "title": ["x"],
                "body": {},
                "labels": [3, None, {"name": None}, "ok"],
                "milestone": 3,
                "comments": -5,
                "reactions": {"total_count": True},
                "due_on": "2026-13-45",
                "open_issues": 10**30,
            }
        ],
        [
            {
                "number": 10**30,
                "title": "x" * 100_000,
                "labels": ["y" * 1_000 + str(n) for n in range(100)],
                "due_on": "x" * 10_000,
            }
        ],
    ],
)
@pytest.mark.parametrize("made", [github, gitlab, gitea])
def test_answers_of_any_shape(tmp_path: Path, made: Any, value: Any) -> None:
    with serving(made()) as forge:
        base = forge.url.partition("127.0.0.1")[2].partition("/")[2]
        forge.misbehave = lambda path, _number: None if path == f"/{base}" else answer(value)
        site = site_of(tmp_path, repository_of(tmp_path, "!" if forge.kind == "gitlab" else "#"), forge)
        done = digest(site)
    assert done.exit_code == 0, done.output
    assert "Plan joins by size" in text(site)
    for change in activity(site)["changes"]:
        assert len(change.get("labels", ())) <= 30
        assert all(len(label) <= 100 for label in change.get("labels", ()))


@pytest.mark.slow
def test_a_writer_may_say_what_the_forge_told(tmp_path: Path, repository: Repository, forge: Forge) -> None:
    site = site_of(tmp_path, repository, forge)
    page = forge.url.replace("/api/v3/repos", "")
    said = (
        f"#22 fixes [#7]({page}/issues/7), “Crash on an empty page”. #23 has 40 comments. 1.4 is due on July 1, 2026."
    )
    config = site / "devlog.toml"
    program = f"print({said!r})"
    config.write_text(
        config.read_text("utf-8").replace(
            'topic = "weekly"', f'topic = "weekly"\nwriter = ["python3", "-c", {json.dumps(program)}]'
        )
    )
    assert digest(site).exit_code == 0, digest(site).output
    (site / "content/weekly/2026-06-03-digest.md").unlink()
    config.write_text(config.read_text("utf-8").replace("#7", "#9"))
    done = digest(site)
    assert "error[digest-unknown]" in done.output
