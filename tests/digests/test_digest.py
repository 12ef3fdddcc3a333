"""`devlog digest`: from a repository to a post that is true."""

from __future__ import annotations

import json
import os
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repositories import HOUR, NOON, Repository
from sites import build_site, write_site

from devlog.cli import main

TOPIC = {"content/weekly/_index.md": "---\ntitle: Weekly\n---\n"}
CONFIG = """
title = "Lumen DevLog"
base_url = "https://lumen.example.org/"
source_repo = "https://github.com/lumen/db"
"""
SEED = {
    "dynamo": [
        (185998, "Fix class definitions that close over non-constant objects", "Ada Quill"),
        (185999, "Address list sorting with traced key comparisons", "Bo Lint"),
        (186042, "Resolve set operations over pre-existing generators", "Cy Marsh"),
        (186013, "Improve attribute access to mimic the interpreter", "Ada Quill"),
        (186003, "Fix condition-dependent frame skip caching", "Di Vo"),
        (186039, "Resolve verbose guard checks for frame locals", "Bo Lint"),
        (186044, "Eliminate import-time loading of optional libraries", "Eve Rill"),
    ],
    "compile": [
        (185980, "Support cross-device tensor data assignment", "Fin Dale"),
        (185984, "Fix out-parameter tensor resizing", "Gus Oak"),
    ],
    "ci": [
        (186012, "Add ownership headers to all workflows", "Hal Pine"),
        (186015, "Restore binary builds for Linux", "Ida Fern"),
    ],
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A day like that of the show from which this came: eleven pull requests in three areas."""
    made = Repository(tmp_path / "lumen")
    made.time = NOON - 30 * HOUR
    for area, changes in SEED.items():
        for number, title, author in changes:
            made.commit(f"[{area}] {title} (#{number})", {f"{area}/{number}.py": "x\n" * 5}, author=author)
    return made


@pytest.fixture
def site(tmp_path: Path, repository: Repository) -> Path:
    return write_site(
        tmp_path / "site", {**TOPIC, "devlog.toml": CONFIG + f'source_checkout = "{repository.folder}"\n'}
    )


def digest(site: Path, *arguments: str, now: str = "2026-06-03T20:00:00Z") -> Result:
    return CliRunner().invoke(main, ["digest", "--root", str(site), "--now", now, *arguments])


def text(site: Path, name: str = "2026-06-03-digest") -> str:
    return (site / "content/weekly" / f"{name}.md").read_text("utf-8")


def tree(site: Path) -> dict[str, bytes]:
    folders = (site / "content", site / "digests")
    return {path.name: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.feature("source_references")
def test_the_day_of_the_seed(site: Path) -> None:
    done = digest(site, "--since", "2026-06-02", "--topic", "weekly")
    assert done.exit_code == 0, done.output
    assert "covers 100 % of eleven changes" in done.output
    post = text(site)
    for changes in SEED.values():
        for number, _, _ in changes:
            assert post.count(f"#{number}") == 1
    assert 'title: "Lumen: Dynamo' in post
    assert "\n## Dynamo\n" in post
    assert "\n## Compile\n" in post
    assert "\n## CI\n" in post
    assert "Good morning, it's June 3rd, 2026.\n" in post
    assert "#185998 fixes class definitions that close over non-constant objects.\n" in post
    assert "Eleven changes by nine people, most of them in dynamo, compile and ci." in post
    assert post.endswith("That's your Lumen update for today.\n")
    report = build_site(site, drafts=True)
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    page = (site / "public/weekly/2026-06-03-digest/index.html").read_text("utf-8")
    assert 'href="https://github.com/lumen/db/pull/185998"' in page or "/issues/185998" in page
    assert not list((site / "public").rglob("*digest.json"))
    assert (site / "digests/weekly/2026-06-03-digest.json").exists()


@pytest.mark.slow
def test_the_same_again_changes_nothing(site: Path) -> None:
    digest(site, "--since", "2026-06-02", "--topic", "weekly")
    before = tree(site)
    done = digest(site, "--since", "2026-06-02", "--topic", "weekly")
    assert done.exit_code == 0
    assert "exists already" in done.output
    assert tree(site) == before
    done = digest(site, "--again", str(site / "content/weekly/2026-06-03-digest.md"))
    assert done.stdout == text(site)


def test_a_loop_of_links_is_no_digest(site: Path) -> None:
    (site / "content/weekly/loop.md").symlink_to("loop.md")
    done = digest(site, "--again", str(site / "content/weekly/loop.md"))
    assert done.exit_code == 1
    assert "content/weekly/loop.md: error[no-digest]: the post is not a digest" in done.stderr


@pytest.mark.slow
def test_a_terminal_is_shown_no_control_characters(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest(site, "--since", "2026-06-02", "--topic", "weekly")
    file = site / "digests/weekly/2026-06-03-digest.json"
    record = json.loads(file.read_text("utf-8"))
    record["head"]["title"] += "\u202e"
    file.write_text(json.dumps(record), "utf-8")
    again = ("--again", str(site / "content/weekly/2026-06-03-digest.md"))
    assert "\u202e" in digest(site, *again).stdout  # as it was written
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True, raising=False)
    shown = digest(site, *again).stdout
    assert "\\u202e" in shown
    assert "\u202e" not in shown


@pytest.mark.slow
def test_an_edited_post_is_made_again_as_it_was(site: Path) -> None:
    digest(site, "--since", "2026-06-02", "--topic", "weekly")
    post = site / "content/weekly/2026-06-03-digest.md"
    first = text(site)
    post.write_text(first.replace("Good morning", "Hello"), "utf-8")
    assert digest(site, "--again", str(post)).stdout == first
    assert "Hello" in text(site)
    (site / "digests/weekly/2026-06-03-digest.json").write_text("{}")
    done = digest(site, "--again", str(post))
    assert done.exit_code == 1
    assert "error[bad-activity]" in done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    "forged",
    [
        {"activity": {"since": "yesterday"}},
        {"activity": {"areas": [{"name": "ci", "changes": ["0" * 40]}]}, "text": "Nothing new.", "template": ""},
        {"activity": {"releases": [{"name": "v1", "date": "soon"}]}},
        {"day": "today"},
        {"day": None},
    ],
)
def test_a_record_that_says_what_cannot_be(site: Path, forged: dict[str, object]) -> None:
    digest(site, "--since", "2026-06-02", "--topic", "weekly")
    file = site / "digests/weekly/2026-06-03-digest.json"
    record = json.loads(file.read_text("utf-8"))
    own = forged.get("activity", {})
    assert isinstance(own, dict)
    file.write_text(json.dumps({**record, **forged, "activity": record["activity"] | own}), "utf-8")
    done = digest(site, "--again", str(site / "content/weekly/2026-06-03-digest.md"))
    assert done.exit_code == 1
    assert "digests/weekly/2026-06-03-digest.json: error[bad-activity]" in done.output, done.exception


@pytest.mark.slow
@pytest.mark.parametrize("data", ["", "[" * 200_000, '{"activity":' * 50_000])
def test_a_record_that_is_damaged(site: Path, data: str) -> None:
    digest(site, "--since", "2026-06-02", "--topic", "weekly")
    (site / "digests/weekly/2026-06-03-digest.json").write_text(data, "utf-8")
    done = digest(site, "--again", str(site / "content/weekly/2026-06-03-digest.md"))
    assert "error[bad-activity]" in done.output, done.exception


@pytest.mark.slow
def test_another_digest_of_that_day_is_no_reason_to_write_over_it(site: Path, repository: Repository) -> None:
    digest(site, "--since", "2026-06-02", "--topic", "weekly")
    before = tree(site)
    repository.commit("[ci] Fix it (#186100)")
    done = digest(site, "--since", "2026-06-02", "--topic", "weekly")
    assert (done.exit_code, tree(site) == before) == (1, True)
    assert "content/weekly/2026-06-03-digest.md: error[already-there]" in done.output


@pytest.mark.parametrize("later", [False, True])
def test_a_record_without_its_post_gives_way(site: Path, repository: Repository, later: bool) -> None:
    """As after a post was deleted, or the command was killed; the changes may be others now."""
    digest(site, "--since", "2026-06-02", "--topic", "weekly")
    before = tree(site)
    (site / "content/weekly/2026-06-03-digest.md").unlink()
    if later:
        repository.commit("[ci] Fix it (#186100)")
    done = digest(site, "--since", "2026-06-02", "--topic", "weekly")
    assert done.exit_code == 0, done.output
    assert tree(site).keys() == before.keys()
    assert (tree(site) == before) != later
    assert digest(site, "--again", str(site / "content/weekly/2026-06-03-digest.md")).stdout == text(site)


@pytest.mark.slow
def test_a_post_without_its_record_stays(site: Path) -> None:
    digest(site, "--since", "2026-06-02", "--topic", "weekly")
    (site / "digests/weekly/2026-06-03-digest.json").unlink()
    before = tree(site)
    done = digest(site, "--since", "2026-06-02", "--topic", "weekly")
    assert (done.exit_code, tree(site) == before) == (1, True)
    assert "content/weekly/2026-06-03-digest.md: error[already-there]" in done.output


@pytest.mark.slow
def test_a_series_goes_on_after_its_newest_post_was_deleted(site: Path, repository: Repository) -> None:
    nightly(site, repository)
    digest(site, "nightly", now="2026-06-03T08:00:00Z")
    post = next((site / "content/weekly").glob("2026-*.md"))
    post.unlink()
    repository.time = NOON
    repository.commit("[ci] Fix it (#186100)")
    done = digest(site, "nightly", now="2026-06-04T08:00:00Z")
    assert done.exit_code == 0, done.output
    done = digest(site, "nightly", now="2026-06-04T08:00:00Z")
    assert done.stdout == "Up to date: no digest is missing.\n"


@pytest.mark.slow
def test_a_dry_run_writes_nothing(site: Path) -> None:
    before = tree(site)
    done = digest(site, "--since", "2026-06-02", "--topic", "weekly", "--dry-run")
    assert done.exit_code == 0
    assert done.stdout.startswith("---\ntitle:")
    assert tree(site) == before


@pytest.mark.slow
def test_an_empty_day_writes_nothing(site: Path) -> None:
    before = tree(site)
    done = digest(site, "--since", "2026-06-10", "--topic", "weekly", now="2026-06-11T08:00:00Z")
    assert done.exit_code == 0
    assert "nothing to report: no changes from 2026-06-10 to 2026-06-11" in done.output
    assert tree(site) == before


def nightly(site: Path, repository: Repository, more: str = "") -> None:
    config = CONFIG + f'[digest.nightly]\nsource = "{repository.folder}"\ntopic = "weekly"\nproject = "LumenDB"\n{more}'
    (site / "devlog.toml").write_text(config, "utf-8")


@pytest.mark.slow
def test_a_series_catches_up(site: Path, repository: Repository) -> None:
    nightly(site, repository)
    assert digest(site, "nightly").exit_code == 0
    assert sorted(name for name in tree(site) if "digest.md" in name) == ["2026-06-03-digest.md"]
    assert '\n  name: nightly\n  since: "2026-06-02"\n  until: "2026-06-02"\n' in text(site)
    done = digest(site, "nightly")
    assert "Up to date" in done.output
    repository.time = NOON + 48 * HOUR
    repository.commit("[ci] Fix the runner (#186200)")
    done = digest(site, "nightly", now="2026-06-07T01:00:00Z")
    assert done.exit_code == 0, done.output
    assert done.output.count("nothing to report") == 3
    assert sorted(name for name in tree(site) if "digest.md" in name) == [
        "2026-06-03-digest.md",
        "2026-06-06-digest.md",
    ]
    assert "#186200" in text(site, "2026-06-06-digest")


@pytest.mark.slow
@pytest.mark.parametrize("until", ["9999-12-31", "2126-06-02"])
def test_a_post_about_days_to_come_ends_no_series(site: Path, repository: Repository, until: str) -> None:
    post = f'---\ntitle: A\nauthor: Ada Quill\ndigest:\n  name: nightly\n  until: "{until}"\n---\n\nText\n'
    write_site(site, {"content/weekly/2026-06-01-a.md": post})
    nightly(site, repository)
    assert digest(site, "nightly").exit_code == 0
    assert '\n  until: "2026-06-02"\n' in text(site)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("since", "until", "said"),
    [
        ("0001-01-01", "9999-12-31", "covers 100 % of twelve changes"),
        ("1900-01-01", "", "covers 100 % of twelve changes"),
        ("0001-01-01", "0001-01-01", "nothing to report"),
        ("9999-12-31", "9999-12-31", "nothing to report"),
    ],
)
def test_days_at_the_ends_of_time(site: Path, since: str, until: str, said: str) -> None:
    done = digest(site, "--since", since, *(["--until", until] if until else []), "--topic", "weekly")
    assert done.exit_code == 0, done.output
    assert said in done.output


@pytest.mark.slow
def test_a_week_ends_with_sunday(site: Path, repository: Repository) -> None:
    nightly(site, repository, 'period = "week"\n')
    digest(site, "nightly", now="2026-06-10T01:00:00Z")
    post = text(site, "2026-06-08-digest")
    assert '  since: "2026-06-01"\n  until: "2026-06-07"\n' in post
    assert "- Fix class definitions that close over non-constant objects (#185998, Ada Quill)\n" in post
    assert "Seven changes by Ada Quill, Bo Lint, Cy Marsh and two others, four fixes among them." in post


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_days_are_those_of_the_site(site: Path, repository: Repository, zone: str) -> None:
    nightly(site, repository)
    config = site / "devlog.toml"
    config.write_text(f'timezone = "{zone}"\n' + config.read_text("utf-8"), "utf-8")
    digest(site, "nightly")
    (record,) = (json.loads(data) for name, data in tree(site).items() if name.endswith(".json"))
    day = record["provenance"]["since"]
    times = [datetime.fromisoformat(change["time"]) for change in record["activity"]["changes"]]
    assert {time.date().isoformat() for time in times} == {day}
    assert {time.utcoffset() for time in times} == {timedelta(hours=12 if "Auckland" in zone else -7)}


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["devlog", "jekyll", "zola"])
def test_titles_of_a_repository_are_text(site: Path, repository: Repository, dialect: str) -> None:
    config = (site / "devlog.toml").read_text("utf-8")
    write_site(site, {"devlog.toml": f'dialect = "{dialect}"\n{config}'})
    hostile = [
        "<script>alert(1)</script>",
        "{{< param secret >}} {{% x %}} {% include 'y' %} {{ site.params }}",
        "---\ntitle: Mine",
        "[click](javascript:alert(1)) ![x](http://lumen.example/x.png)",
        "`a` *b* _c_ ~~d~~ <b>e</b> &amp; # f",
        "> [!WARNING] x",
        r"Write \(x\) and \[y\]",
        'Add {{ "[click here](https://lumen.example/)" }}',
        "Bump {% comment %} the lock",
        "Tidy up",
        "Extend {% endcomment %} a {% raw %} thing",
    ]
    for number, title in enumerate(hostile, 1):
        repository.commit(f"{title} (#{number})", author="Mal <script> [x](y) {{<z>}}")
    done = digest(site, "--since", "2026-06-02", "--topic", "weekly")
    assert done.exit_code == 0, done.output
    report = build_site(site, drafts=True, cache=False)
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    pages = (file.read_text("utf-8") for file in (site / "public").rglob("*digest*/index.html"))
    (page,) = (page for page in pages if "Good morning" in page)
    body = page[page.index("Good morning") : page.index("update for today")]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
    assert "{{&lt; param secret &gt;}}" in body
    assert "{% comment %}" in body
    assert "Tidy up" in body
    for markup in ("<script", "<b>", "<del>", 'javascript:alert(1)"', "<img", "<math", "click here</a>"):
        assert markup not in body


@pytest.mark.slow
@pytest.mark.parametrize("template", ["day", "week", "release"])
def test_a_commit_without_a_message_is_shown_by_its_id(site: Path, repository: Repository, template: str) -> None:
    repository.commit("Tidy")
    repository.git("commit", "-q", "--amend", "--allow-empty-message", "-m", "")
    commit = repository.git("rev-parse", "HEAD")[:10]
    nightly(site, repository, f'template = "{template}"\n')
    done = digest(site, "nightly")
    assert done.exit_code == 0, done.output
    written = text(site).partition("\n---\n")[2]
    assert "Untitled change" in written
    assert "(`" + commit in written
    assert all(line.count(commit) <= 1 for line in written.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("subject", "author"),
    [
        ("Make Widget default (#1)", "Ada Quill"),
        ("Keep two and remove files (#1)", "Ada Quill"),
        ("src/x/y.c reads less", "Ada Quill"),
        ("Replace `http://lumen.example/a_*` (#1)", "Ada Quill"),
        ("Write to ada_q@lumen.example, see `www.lumen.example` (#1)", "Ada Quill"),
        ("Tidy (#1)", "Agent 47 of https://lumen.example/a_*, 3 changes in a/b.py and 0a1b2c3"),
    ],
)
def test_what_a_repository_says_may_be_said(site: Path, repository: Repository, subject: str, author: str) -> None:
    repository.commit(subject, author=author)
    for template in ("day", "week"):
        nightly(site, repository, f'template = "{template}"\n')
        done = digest(site, "nightly", "--dry-run")
        assert done.exit_code == 0, done.output
        assert "Twelve changes by" in done.output


@pytest.mark.slow
def test_names_of_folders_and_areas_of_any_bytes(site: Path, repository: Repository) -> None:
    repository.commit("Own", {"CODEOWNERS": "/ci\x1b[31m\u202e/ @ida\n"})
    repository.git("config", "remote.origin.url", "https://lumen.example/l\x1bumen\n.git")
    repository.git("tag", "v1.5\u202e")
    for number in range(8, 12):
        repository.commit(f"Tidy (#{number})", {f"ci\x1b[31m\u202e/{number}.py": "x\n", "x\x1by/a.py": f"{number}\n"})
    odd = repository.folder.with_name(os.fsdecode(b"l\xff\x1bumen"))
    for folder, name in ((repository.folder, "Lumen"), (odd, "L\ufffdumen")):
        done = digest(site, "--source", str(folder), "--since", "2026-06-02")
        assert done.exit_code == 0, done.output
        for file in [*site.rglob("2026-06-03-digest.*")]:
            written = file.read_text("utf-8")
            assert name in written, written
            assert "[31m" in written, written
            assert not re.search(r"[\x1b\u202e]|\\u001b|\\u202e", written)
            file.unlink()
        if folder != odd:
            repository.git("config", "--unset", "remote.origin.url")
            folder.rename(odd)


@pytest.mark.slow
def test_letters_that_are_others_without_case(site: Path, repository: Repository) -> None:
    repository.commit("Count ſix changes, 3 changeſ and five fıxes (#1)")
    done = digest(site, "--since", "2026-06-02", "--topic", "weekly")
    assert done.exit_code == 0, done.output
    assert "ſix changes, 3 changeſ and five fıxes" in text(site)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nightly", "--until", "2026-06-02"], "--until needs --since"),
        (["--since", "2026-06-02", "--range", "v1.0..v1.1"], "--range cannot be combined with --since or --until"),
        (["--since", "2026-06-03", "--until", "2026-06-01"], "--until is before --since"),
        (["--range", "v1.0...v1.1"], "“v1.0...v1.1” has three dots; write A..B"),
    ],
)
def test_options_that_do_not_fit_together(site: Path, options: list[str], message: str) -> None:
    before = tree(site)
    done = digest(site, *options, "--topic", "weekly")
    assert (done.exit_code, tree(site) == before) == (2, True)
    assert message in done.output


@pytest.mark.slow
def test_a_range(site: Path, repository: Repository) -> None:
    repository.git("tag", "v1.0", "HEAD~4")
    repository.git("tag", "v1.1")
    done = digest(site, "--range", "v1.0..v1.1", "--topic", "weekly")
    assert "covers 100 % of four changes" in done.output
    assert "v1.1 was tagged on June" in text(site, "2026-06-03-v1-1")


@pytest.mark.slow
def test_a_template_of_the_site(site: Path, repository: Repository) -> None:
    nightly(site, repository, 'template = "digest.md"\n')
    write_site(
        site, {"templates/digest.md": "{% for change in activity.changes %}\n* {{ change.title }}\n{% endfor %}\n"}
    )
    assert "covers 100 %" in digest(site, "nightly").output
    assert "\n* Restore binary builds for Linux\n" in text(site)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "message"),
    [
        (
            "{{ nothing }}",
            "templates/digest.md:2: error[digest-template]: cannot fill the template: 'nothing' is undefined",
        ),
        ("{% for %}", "templates/digest.md:2: error[digest-template]"),
        (None, "templates/digest.md: error[digest-template]: cannot fill the template: there is no such file"),
    ],
)
def test_a_template_with_a_mistake(site: Path, repository: Repository, template: str | None, message: str) -> None:
    nightly(site, repository, 'template = "digest.md"\n')
    write_site(site, {"templates/digest.md": f"one\n{template}\n"} if template else {})
    before = tree(site)
    done = digest(site, "nightly")
    assert message in done.output
    assert (done.exit_code, tree(site) == before) == (1, True)


@pytest.mark.slow
def test_a_template_in_another_folder_is_named_from_the_root(site: Path, repository: Repository) -> None:
    nightly(site, repository, 'template = "digest.md"\n')
    config = (site / "devlog.toml").read_text("utf-8")
    write_site(site, {"devlog.toml": f'theme_folder = "own"\n{config}', "own/templates/digest.md": "{{ nothing }}\n"})
    assert "own/templates/digest.md:1: error[digest-template]" in digest(site, "nightly").output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nighly"], "unknown-digest"),
        (["--since", "2026-06-02", "--source", "nowhere"], "no-history"),
        (["--range", "a..b"], "no-history"),
        (["--since", "2026-06-02", "--topic", "nothing"], "unknown-topic"),
        (["--again", "content/weekly/_index.md"], "no-digest"),
    ],
)
def test_what_cannot_be(site: Path, arguments: list[str], code: str) -> None:
    before = tree(site)
    done = digest(site, *arguments)
    assert f"error[{code}]" in done.output, done.output
    assert (done.exit_code, tree(site) == before) == (1, True)


def test_without_a_repository(tmp_path: Path) -> None:
    done = digest(write_site(tmp_path / "site", TOPIC), "--since", "2026-06-02")
    assert "error[no-digest-source]" in done.output
    assert digest(tmp_path / "site").exit_code == 2


# -- writers


def writer(site: Path, repository: Repository, program: str) -> Result:
    """Have a program of Python write a digest: it has the activity as `a`."""
    write_site(site, {"writer.py": f"import json, sys\na = json.load(sys.stdin)\n{program}\n"})
    nightly(site, repository, f'writer = ["{sys.executable}", "{{root}}/writer.py"]\nai = "a model"\n')
    return digest(site, "nightly")


@pytest.mark.slow
def test_a_writer_of_the_team(site: Path, repository: Repository) -> None:
    program = 'print("Today:", ", ".join(f"{c[\'number\']} by {c[\'authors\'][0]}" for c in a["changes"]) + ".")'
    done = writer(site, repository, program)
    assert "covers 100 %" in done.output
    post = text(site)
    assert "Today: #186012 by Hal Pine" in post or "#186012 by Hal Pine" in post
    assert "\nai: a model\n" in post
    assert digest(site, "--again", str(site / "content/weekly/2026-06-03-digest.md")).stdout == post


@pytest.mark.slow
def test_what_a_writer_leaves_out_is_told(site: Path, repository: Repository) -> None:
    done = writer(site, repository, 'print("#186012 adds ownership headers.")')
    assert done.exit_code == 0
    assert "info[digest-incomplete]: the text covers" in done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("#186012 and #999999 are merged.", "digest-unknown"),
        ("Restored in 0123456789abcdef.", "digest-unknown"),
        ("It makes builds 37 % faster.", "digest-unknown"),
        ("Thanks to Hal Pyne for #186012.", "digest-unknown"),
        ("Thanks to Zoe Newcomer for #186012.", "digest-unknown"),
        ("Thanks to @mallory.", "digest-unknown"),
        ("See ci/other.py.", "digest-unknown"),
        ("See [this](https://evil.example/x).", "digest-unknown"),
        ("See [this](\n//evil.example/x).", "digest-unknown"),
        ("> See [this](\n> <//evil.example/x>).", "digest-unknown"),
        ("See [this].\n\n[this]:\n  //evil.example/x", "digest-unknown"),
        ("See [this](/\\evil.example/x).", "digest-unknown"),
        ("See [this](x).", "digest-unknown"),
        ("See [this](/\\/evil.example/x).", "digest-unknown"),
        ("See [this](/&sol;evil.example/x).", "digest-unknown"),
        ("See [this](/&bsol;evil.example/x).", "digest-unknown"),
        (f"See [this]({' ' * 200}//evil.example/x).", "digest-unknown"),
        ("See [this].\n\n- [this]: //evil.example/x", "digest-unknown"),
        ("See [this].\n\n1. > [this]: //evil.example/x", "digest-unknown"),
        ("See HTTPS://EVIL.example/x.", "digest-unknown"),
        ("See www.evil.example.", "digest-unknown"),
        ("Write to mal@evil.example.", "digest-unknown"),
        ("See [this](https://github.com/lumen/db/../../evil/db/pull/186012).", "digest-unknown"),
        ("See [this](https://github.com/lumen/db/tree/x?y=/186012).", "digest-unknown"),
        ("```\nIt makes builds 37 % faster.\n```", "digest-unknown"),
        ("```x``` is code.\n\nIt makes builds 37 % faster.", "digest-unknown"),
        ("~~~x\n\nThanks to Zoe Newcomer for #999999.", "digest-unknown"),
        ("See https://github.com/lumen/db/pull/999999.", "digest-unknown"),
        ("There were 12 fixes.", "digest-wrong-count"),
        ("There were thirteen changes, or twelve changes.", "digest-wrong-count"),
        ("By seven people.", "digest-wrong-count"),
        ("<script>alert(1)</script>", "digest-markup"),
        ("`a\\` <script>alert(1)</script> `", "digest-markup"),
        ("a `\n` <script>alert(1)</script> `", "digest-markup"),
        ("{{< param secret >}}", "digest-markup"),
        ("```\n{{< param secret >}}\n```", "digest-markup"),
        ("---\ntitle: Mine\n---\nText", "digest-markup"),
        ("+++\ntitle = 1\n+++\nText", "digest-markup"),
        ("\x1b]0;Mine\x07Text", "digest-markup"),
        ("x" * 300_000, "digest-too-long"),
        ("", "digest-writer"),
    ],
)
def test_a_writer_that_makes_things_up(site: Path, repository: Repository, said: str, code: str) -> None:
    before = {*tree(site)}
    done = writer(site, repository, f"sys.stdout.write({said!r})")
    assert f"error[{code}]" in done.output, done.output
    assert done.exit_code == 1
    assert {*tree(site)} == before


@pytest.mark.parametrize(
    "said",
    [
        "#186012 is in.",
        "Eleven changes by nine people.",
        "Seven changes in dynamo, four of them fixes.",
        "See https://github.com/lumen/db/pull/186012, and [refs](/refs/).",
        "On June 2nd, 2026, Hal Pine and Ida Fern worked on ci/186012.py.",
        "1. First\n2. Second",
        "Escaped \\<b> and `<b>` are text.",
        "`a` and ``<b>``\nare `<c>` text.\n\nA ` of its own.",
        "See [this](https://github.com/lumen/db/pull/186012/), [that](/a\\_b/) and [more](#a&amp;b).",
    ],
)
def test_what_is_true_may_be_said(site: Path, repository: Repository, said: str) -> None:
    done = writer(site, repository, f"sys.stdout.write({said!r})")
    assert done.exit_code == 0, done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("sys.exit('out of words')", "says: out of words"),
        ("sys.stdout.buffer.write(b'\\xff\\xfe')", "prints something that is not UTF-8"),
        ("sys.stdout.write('x' * 20_000_000); sys.stdout.flush(); import time; time.sleep(60)", "writes too much"),
    ],
)
def test_a_writer_that_fails(site: Path, repository: Repository, program: str, reason: str) -> None:
    before = {*tree(site)}
    done = writer(site, repository, program)
    assert f"error[digest-writer]: the writer failed: “{sys.executable}” {reason}" in done.output
    assert (done.exit_code, {*tree(site)}) == (1, before)


@pytest.mark.slow
def test_a_writer_without_an_end(site: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    import msgspec

    from devlog.features.digests.digest import writer as module

    monkeypatch.setattr(module, "_LIMITS", msgspec.structs.replace(module._LIMITS, seconds=0.5))
    done = writer(site, repository, "import time; time.sleep(600)")
    assert "takes longer than 0.5 seconds" in done.output


@pytest.mark.slow
def test_the_front_matter_says_how_it_was_made(site: Path) -> None:
    digest(site, "--since", "2026-06-02", "--topic", "weekly")
    post = text(site).replace("writer: day", "writer: [day]")
    (site / "content/weekly/2026-06-03-digest.md").write_text(post, "utf-8")
    codes = [item.code for item in build_site(site, drafts=True).diagnostics]
    assert "bad-digest" in codes
