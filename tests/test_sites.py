"""Whole builds that a text file cannot describe: links, several builds in a row, other processes, git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from check_cases import check_site
from sites import build_site, read_tree, write_site

import devlog.parse.parse
from devlog.disk.lock import lock
from devlog.disk.manifest import MANIFEST
from devlog.model.report import Report
from devlog.model.source import Source
from devlog.parse.options import ParseOptions

POST = "---\ntitle: First\n---\nHello.\n"
SITE = {"content/2026-05-04-first.md": POST}
THIRD = {"content/2026-05-05-next.md": POST.replace("First", "Next")}


def codes(report: Report) -> list[tuple[str, str]]:
    return [(problem.code, problem.span.path) for problem in report.diagnostics]


# -- links


@pytest.mark.parametrize(
    "link",
    ["content/secret.md", "content/topic", "static", "static/a.png", "devlog.toml", "content/authors.yml"],
)
def test_links_among_the_inputs_are_errors(tmp_path: Path, link: str) -> None:
    outside = write_site(tmp_path / "outside", {"secret.md": "CANARY", "x": "CANARY", "index.html": "CANARY"})
    site = write_site(tmp_path / "site", SITE)
    place = site / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside if link in ("content/topic", "static") else outside / "secret.md")
    report = build_site(site)
    assert codes(report) == [("symlink", link)]
    assert report.failed
    assert not (site / "public").exists()


@pytest.mark.parametrize("target", ["nowhere.toml", "devlog.toml"])
def test_a_dangling_configuration_is_an_error(tmp_path: Path, target: str) -> None:
    root = write_site(tmp_path, {"content/storage/2026-05-01-a.md": "---\ntitle: A\n---\nText.\n"})
    (root / "devlog.toml").symlink_to(target)
    assert ("symlink", "devlog.toml") in codes(build_site(root))
    assert not (root / "public").exists()


def test_a_link_as_output_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    site = write_site(tmp_path / "site", SITE)
    (site / "public").symlink_to(elsewhere)
    report = build_site(site)
    assert codes(report) == [("unsafe-output", "public")]
    assert list(elsewhere.iterdir()) == []


def test_a_link_to_itself_as_output_is_refused(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    (site / "public").symlink_to("public")
    assert codes(build_site(site)) == [("unsafe-output", "public")]


# -- output folders


@pytest.mark.parametrize(
    "output",
    ". .. / content content/public static .devlog .git a/.GIT/refs git~1/x notes.txt/public notes.txt/a/b".split(),
)
def test_dangerous_outputs_are_refused(tmp_path: Path, output: str) -> None:
    site = write_site(tmp_path / "site", {**SITE, "static/a.txt": "a", "notes.txt": "mine"})
    before = read_tree(site)
    report = build_site(site, output=output)
    assert codes(report) == [("unsafe-output", output)]
    assert {path: data for path, data in read_tree(site).items() if not path.startswith(".devlog/")} == before


def test_the_home_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    report = build_site(write_site(tmp_path / "site", SITE), output=str(home))
    assert codes(report) == [("unsafe-output", str(home))]
    assert list(home.iterdir()) == []


def test_a_work_tree_of_git_is_refused(tmp_path: Path) -> None:
    site = write_site(tmp_path, {**SITE, "public/.git/HEAD": "ref: refs/heads/main\n"})
    assert codes(build_site(site)) == [("unsafe-output", "public")]


def test_an_output_elsewhere_is_fine(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    report = build_site(site, output=str(tmp_path / "www"))
    assert not report.failed
    assert (tmp_path / "www/index.html").exists()
    assert not (site / "public").exists()


@pytest.mark.slow
def test_the_output_of_another_site_is_refused(tmp_path: Path) -> None:
    one = write_site(tmp_path / "one", {**SITE, "devlog.toml": 'title = "One"\n'})
    two = write_site(tmp_path / "two", {**SITE, "devlog.toml": 'title = "Two"\n'})
    assert not build_site(one, output="../out").failed
    before = read_tree(tmp_path / "out")
    for output in ("../out", str(tmp_path / "out")):
        report = build_site(two, output=output)
        assert codes(report) == [("unsafe-output", output)]
        assert "contains another site, “One”" in report.diagnostics[0].message
    assert read_tree(tmp_path / "out") == before
    assert not build_site(one, output="../out").failed


def test_check_tells_that_the_output_is_another_sites(tmp_path: Path) -> None:
    config = 'output = "public"\n'
    one = write_site(tmp_path / "one", {**SITE, "devlog.toml": config})
    two = write_site(tmp_path / "two", {**SITE, "devlog.toml": config})
    assert not build_site(one, output="../two/public").failed
    assert ("unsafe-output", "public") in [(item.code, item.span.path) for item in check_site(two).diagnostics]


@pytest.mark.parametrize("output", ["public", "../out"])
def test_an_output_moves_along_with_its_site(output: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    site = write_site(here / "site", {**SITE, "devlog.toml": 'title = "One"\n'})
    assert not build_site(site, output=output).failed
    (site / "devlog.toml").write_text('title = "Another"\nbase_url = "https://log.lumen.dev/"\n', "utf-8")
    here.rename(there)
    assert not build_site(there / "site", output=output).failed


def test_a_manifest_of_before_learns_whose_it_is(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    build_site(site)
    manifest = site / "public" / MANIFEST
    entries = json.loads(manifest.read_text("utf-8"))
    owner = entries.pop("owner")
    manifest.write_text(json.dumps(entries), "utf-8")
    report = build_site(site)
    assert (codes(report), report.written) == ([], ())
    assert json.loads(manifest.read_text("utf-8"))["owner"] == owner


# -- builds in a row


def test_the_last_good_site_stays_after_an_error(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    assert not build_site(site).failed
    before = read_tree(site / "public")
    write_site(site, {**THIRD, "content/2026-05-06-broken.md": "---\ntitle: [\n---\n"})
    report = build_site(site)
    assert report.failed
    assert (report.written, report.removed) == ((), ())
    assert read_tree(site / "public") == before


def test_an_unchanged_site_is_not_worked_on(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    first = build_site(site)
    again = build_site(site)
    assert (first.parsed, first.unchanged, len(first.written)) == (1, 0, first.outputs)
    assert (again.parsed, again.rendered, again.written, again.removed) == (0, 0, (), ())
    assert again.unchanged == first.outputs
    assert again.diagnostics == first.diagnostics


def test_a_removed_post_takes_its_pages_along(tmp_path: Path) -> None:
    site = write_site(tmp_path, {**SITE, **THIRD, "devlog.toml": "[llms]\nmarkdown = false\n"})
    build_site(site)
    (site / "content/2026-05-05-next.md").unlink()
    report = build_site(site)
    assert report.removed == ("2026-05-05-next/index.html",)
    assert not (site / "public/2026-05-05-next").exists()


def test_warnings_come_again_from_memory(tmp_path: Path) -> None:
    site = write_site(tmp_path, {"content/2026-05-04-a.md": f"{POST}[x](gone.md) <blink>y</blink>\n"})
    first = build_site(site)
    again = build_site(site)
    assert [code for code, _ in codes(first)] == ["broken-link", "unsafe-html"]
    assert again.parsed == 0
    assert again.diagnostics == first.diagnostics


def test_a_foreign_file_in_the_way(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    build_site(site)
    write_site(site, {**THIRD, "public/2026-05-05-next/index.html": "someone's own"})
    before = read_tree(site / "public")
    report = build_site(site)
    assert codes(report) == [("foreign-output", "public/2026-05-05-next/index.html")]
    assert report.failed
    assert read_tree(site / "public") == before


def test_a_foreign_file_beside_ours_survives(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    build_site(site)
    write_site(site, {**THIRD, "public/notes.txt": "someone's own"})
    assert codes(build_site(site)) == []
    assert (site / "public/notes.txt").read_text("utf-8") == "someone's own"


def test_edited_outputs(tmp_path: Path) -> None:
    site = write_site(tmp_path, {**SITE, **THIRD})
    build_site(site)
    write_site(site, {"public/index.html": "edited", "public/2026-05-05-next/index.html": "edited"})
    (site / "content/2026-05-05-next.md").unlink()
    report = build_site(site)
    assert codes(report) == [
        ("edited-output", "public/2026-05-05-next/index.html"),
        ("edited-output", "public/index.html"),
    ]
    left, replaced = report.diagnostics
    assert "it is left in place" in left.message
    assert "has been replaced" in replaced.message
    assert (site / "public/2026-05-05-next/index.html").read_text("utf-8") == "edited"
    assert "<title>" in (site / "public/index.html").read_text("utf-8")


def test_a_damaged_manifest(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    build_site(site)
    (site / "public" / MANIFEST).write_text("{", "utf-8")
    report = build_site(site)
    assert codes(report)[0] == ("damaged-manifest", f"public/{MANIFEST}")


# -- other processes and the system


@pytest.mark.slow
def test_a_locked_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = write_site(tmp_path, SITE)
    monkeypatch.setattr("devlog.build.lock", lambda root: lock(root, wait=0))
    code = "import sys; from pathlib import Path; from devlog.disk.lock import lock\n"
    code += "with lock(Path(sys.argv[1])) as problem: print(problem, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(site)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "None\n"
        report = build_site(site)
        holder.communicate("")
    assert [code for code, _ in codes(report)] == ["locked"]
    assert f"process {holder.pid} on " in report.diagnostics[0].message
    assert not (site / "public").exists()
    assert not build_site(site).failed


@pytest.mark.slow
def test_a_text_that_ends_its_process(tmp_path: Path) -> None:
    """One text ends its worker: it is named, and all others are worked on."""
    site = write_site(tmp_path, {f"content/2026-05-01-{number}.md": POST for number in range(80)})
    write_site(site, {"content/2026-05-21-fatal.md": "FATAL\n"})
    write_site(
        tmp_path / "plug",
        {
            "sitecustomize.py": textwrap.dedent(
                """\
                import os, sys
                import devlog.parse.parse as module
                whole = module._parse
                def parse(source, options):
                    if source.text.startswith("FATAL") and os.getpid() != int(os.environ["MAIN_PID"] or 0):
                        os._exit(9)
                    return whole(source, options)
                module._parse = parse
                """
            )
        },
    )
    code = textwrap.dedent(
        """\
        import os, sys
        sys.path.insert(0, sys.argv[1])
        from pathlib import Path
        from sites import build_site
        if __name__ == "__main__":
            os.environ["MAIN_PID"] = str(os.getpid())
            report = build_site(Path(sys.argv[2]), jobs=2)
            for problem in report.diagnostics:
                print(problem.code, problem.span.path)
        """
    )
    script = tmp_path / "run.py"
    script.write_text(code, "utf-8")
    path = os.pathsep.join([str(tmp_path / "plug"), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, str(script), str(Path(__file__).parent), str(site)],
        env={**os.environ, "PYTHONPATH": path, "MAIN_PID": "0"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.splitlines() == ["worker-died content/2026-05-21-fatal.md"], done.stderr


# -- git


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_post_without_a_date_has_that_of_its_first_commit(tmp_path: Path) -> None:
    site = write_site(
        tmp_path, {"content/topic/_index.md": "---\ntitle: Topic\n---\n", "content/topic/undated.md": POST}
    )
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_AUTHOR_DATE": "2026-03-04T10:00:00Z",
        "GIT_COMMITTER_DATE": "2026-03-05T10:00:00Z",
    }
    who = ["-c", "user.name=Ada Quill", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "First"]):
        subprocess.run(["git", *command], cwd=site, env=environment, check=True)
    report = build_site(site)
    assert codes(report) == []
    assert '"date": "2026-03-04"' in (site / "public/posts.json").read_text("utf-8")


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("second", [253402300799, 253402300800, 10**14, 10**19])
def test_a_commit_of_a_year_that_there_is_not(tmp_path: Path, second: int) -> None:
    """Whoever makes a commit says when. As a date, such a moment is none."""
    site = write_site(tmp_path, {"devlog.toml": 'timezone = "Asia/Tokyo"\n', "content/a/undated.md": POST})
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    def git(*words: str, given: str = "") -> str:
        return subprocess.run(
            ["git", *words], cwd=site, env=environment, input=given, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.strip()

    git("init", "-q")
    git("add", ".")
    who = "Ada Quill <ada@example.org>"
    commit = f"tree {git('write-tree')}\nauthor {who} {second} +0000\ncommitter {who} 1700000000 +0000\n\nFirst\n"
    git("update-ref", "HEAD", git("hash-object", "-w", "-t", "commit", "--literally", "--stdin", given=commit))
    assert ("missing-date", "content/a/undated.md") in codes(build_site(site))


def test_a_fault_of_ours_costs_one_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever parsing raises, the build names the text and looks at all the others."""
    parse = devlog.parse.parse._parse

    def faulty(source: Source, options: ParseOptions) -> Any:
        if "fault" in source.text:
            raise ZeroDivisionError("no number")
        return parse(source, options)

    monkeypatch.setattr(devlog.parse.parse, "_parse", faulty)
    write_site(
        tmp_path,
        {"content/2026-05-01-a.md": "---\ntitle: A\n---\nfault", "content/2026-05-02-b.md": "---\nautor: B\n---\n"},
    )
    report = build_site(tmp_path)
    assert {(item.span.path, item.code) for item in report.diagnostics} >= {
        ("content/2026-05-01-a.md", "internal-error"),
        ("content/2026-05-02-b.md", "unknown-key"),
    }
    assert not (tmp_path / "public").exists()


def test_what_is_left_out_takes_its_files_along(tmp_path: Path) -> None:
    write_site(
        tmp_path,
        {
            "content/storage/_index.md": "---\ntitle: Storage\ndraft: true\n---\nSecret plans.\n",
            "content/storage/2026-05-01-a/index.md": "---\ntitle: A\ndraft: true\n---\nText.\n",
            "content/storage/2026-05-01-a/secret.txt": "secret",
            "content/storage/2026-05-02-b/index.md": "---\ntitle: B\n---\n[file](open.txt)\n",
            "content/storage/2026-05-02-b/open.txt": "open",
        },
    )
    report = build_site(tmp_path)
    public = read_tree(tmp_path / "public")
    assert not [path for path, data in public.items() if "secret" in path or b"Secret plans" in data]
    assert public["storage/2026-05-02-b/open.txt"] == b"open"
    assert [item.path for item in report.skipped] == [
        "content/storage/2026-05-01-a/index.md",
        "content/storage/_index.md",
    ]
    assert not report.diagnostics


def test_git_runs_nothing_that_a_repository_asks_for(tmp_path: Path) -> None:
    """A partial clone that lacks an object would fetch it by a command of its own configuration."""
    write_site(tmp_path, {"content/notes/a.md": "---\ntitle: A\n---\nText.\n"})
    git = ["git", "-C", str(tmp_path), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    tree = subprocess.run(
        [*git, "rev-parse", "HEAD:content"], check=True, capture_output=True, text=True
    ).stdout.strip()
    (tmp_path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    config = tmp_path / ".git" / "config"
    config.write_text(
        config.read_text("utf-8")
        + f'[extensions]\npartialClone = origin\n[core]\nsshCommand = "touch {tmp_path}/pwned; false"\n'
        + '[remote "origin"]\npromisor = true\nurl = ssh://host.invalid/x\n',
        "utf-8",
    )
    build_site(tmp_path)
    assert not (tmp_path / "pwned").exists()


def test_a_time_before_there_were_time_zones(tmp_path: Path) -> None:
    """Los Angeles was 7:52:58 behind Greenwich, and HTML knows no seconds there."""
    post = "---\ntitle: A\nauthor: Ada\ndate: 1850-01-01 10:00:00\n---\nText.\n"
    config = 'timezone = "America/Los_Angeles"\nbase_url = "https://lumen.example.org/"\n'
    site = write_site(tmp_path, {"devlog.toml": config, "content/log/a.md": post})
    build_site(site)
    page = (site / "public/log/a/index.html").read_text("utf-8")
    assert 'datetime="1850-01-01T10:00:00-07:53"' in page
    assert "-07:52" not in page


def test_the_output_of_a_site_in_the_content_of_another_is_not_read(tmp_path: Path) -> None:
    post = "---\ntitle: A\n---\nText.\n"
    root = write_site(tmp_path, {"content/lab/2026-05-01-a.md": post, "content/inner/content/2026-05-02-b.md": post})
    build_site(root / "content/inner")
    report = build_site(root)
    assert report.posts == 2
    left_out = [item.span.path for item in report.diagnostics if item.code == "output-in-content"]
    assert left_out == ["content/inner/public"]
    assert not any("public/" in path for path in read_tree(root / "public"))
