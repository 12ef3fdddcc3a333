"""What stands around the program: workflows, the action, the container, hooks, forms and recipes for other hosts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from sites import read_tree, write_site

from devlog import __version__
from devlog.cli import main
from devlog.disk.git import Identity
from devlog.scaffold.starter import NewSite, site_files

ROOT = Path(__file__).parent.parent
RECIPES = ROOT / "docs/recipes"
STARTER = site_files(
    NewSite(github=True, digest="https://github.com/lumen/db"), datetime(2026, 6, 15, tzinfo=UTC), Identity()
)
WORKFLOWS = ("tests.yml", "release.yml")
PIN = re.compile(r"[\w.-]+(?:/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+")

pytestmark = pytest.mark.skipif(
    not (ROOT / ".github").exists() and not (ROOT / ".git").exists(), reason="a source archive holds no .github"
)


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def document(name: str) -> Any:
    return yaml.safe_load(read(name))


def tool(name: str) -> str:
    """A linter that the extra `dev` installs beside Python."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    assert found, name
    return found


def lint(*command: str, folder: Path = ROOT) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def steps(document: Any) -> list[dict[str, Any]]:
    """The steps of a workflow, or of an action."""
    jobs = [document["runs"]] if "runs" in document else list(document["jobs"].values())
    return [step for job in jobs for step in job["steps"]]


def step(document: Any, title: str) -> dict[str, Any]:
    return next(step for step in steps(document) if step.get("name") == title)


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    """The site that `devlog init --github` writes."""
    return write_site(tmp_path / "starter", STARTER)


# -- linters


@pytest.mark.linters
def test_zizmor_finds_nothing(starter: Path) -> None:
    zizmor = tool("zizmor")
    for place in (ROOT / ".github", ROOT / "action.yml", starter):
        lint(zizmor, "--offline", "--no-progress", "--persona", "pedantic", str(place))


@pytest.mark.linters
def test_actionlint_finds_nothing(starter: Path) -> None:
    program = os.environ["DEVLOG_ACTIONLINT"]
    for folder in (ROOT, starter):
        lint(program, ".github/workflows/*.yml", folder=folder)


SCHEMAS = {
    "vendor.github-workflows": [f".github/workflows/{name}" for name in WORKFLOWS],
    "vendor.github-actions": ["action.yml"],
    "vendor.dependabot": [".github/dependabot.yml"],
    "vendor.github-issue-config": [".github/ISSUE_TEMPLATE/config.yml"],
    "vendor.github-issue-forms": [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/feature.yml"],
    "vendor.gitlab-ci": ["docs/recipes/gitlab-ci.yml"],
}


@pytest.mark.linters
@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_follow_their_schemas(schema: str, starter: Path) -> None:
    files = [str(ROOT / name) for name in SCHEMAS[schema]]
    if schema in ("vendor.github-workflows", "vendor.dependabot"):
        pattern = "workflows/*.yml" if schema == "vendor.github-workflows" else "dependabot.yml"
        files += [str(path) for path in (starter / ".github").glob(pattern)]
    transform = ["--data-transform", "gitlab-ci"] if schema == "vendor.gitlab-ci" else []
    lint(tool("check-jsonschema"), "--builtin-schema", schema, *transform, *files)


@pytest.mark.linters
def test_hadolint_finds_nothing() -> None:
    lint(tool("hadolint"), "Dockerfile")


def scripts() -> Iterator[Any]:
    """Every script of a workflow or an action, in the shell that runs it."""
    documents = {f".github/workflows/{name}": document(f".github/workflows/{name}") for name in WORKFLOWS}
    documents["action.yml"] = document("action.yml")
    documents |= {
        f"starter {file}": yaml.safe_load(text)
        for file, text in STARTER.items()
        if file.startswith(".github/workflows/")
    }
    for file, read in documents.items():
        for number, item in enumerate(steps(read)):
            if "run" in item:
                yield pytest.param(item["run"], id=f"{file.rpartition('/')[2]}-{file.partition(' ')[0]}-{number}")
    for number, line in enumerate(document("docs/recipes/gitlab-ci.yml")["pages"]["script"]):
        yield pytest.param(line, id=f"gitlab-ci.yml-{number}")
    yield pytest.param(tomllib.loads(read_recipe("netlify-config.toml"))["build"]["command"], id="netlify.toml")
    yield pytest.param(read_recipe("cloudflare-pages.sh"), id="cloudflare-pages.sh")


def read_recipe(name: str) -> str:
    return (RECIPES / name).read_text("utf-8")


@pytest.mark.linters
@pytest.mark.parametrize("script", [*scripts()] if (ROOT / ".github").exists() else [])
def test_shellcheck_finds_nothing(script: str, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(script)
    lint(tool("shellcheck"), "--shell=bash", "--severity=style", str(tmp_path / "script"))


# -- workflows


@pytest.mark.parametrize("name", [*(f".github/workflows/{name}" for name in WORKFLOWS), "action.yml"])
def test_actions_are_pinned_by_commit_and_say_their_version(name: str) -> None:
    lines = re.findall(r"^\s*(?:- )?uses: (.*)$", read(name), re.MULTILINE)
    assert len(lines) == sum("uses" in item for item in steps(document(name)))
    assert lines
    assert all(PIN.fullmatch(line) for line in lines), lines


def test_one_commit_for_each_action_here_and_in_the_starter_site() -> None:
    texts = [*(read(f".github/workflows/{name}") for name in WORKFLOWS), read("action.yml"), *STARTER.values()]
    pins = {line for text in texts for line in re.findall(r"^\s*(?:- )?uses: (.*)", text, re.MULTILINE)}
    assert len(pins) == len({pin.partition("@")[0] for pin in pins})


def test_rights_are_the_least() -> None:
    tests, release = (document(f".github/workflows/{name}") for name in WORKFLOWS)
    assert tests["permissions"] == {"contents": "read"}
    assert not [job for job in tests["jobs"].values() if "permissions" in job]
    assert release["permissions"] == {}
    assert {name: job["permissions"] for name, job in release["jobs"].items()} == {
        "build": {"contents": "read"},
        "publish": {"id-token": "write"},
        "release": {"contents": "write"},
    }


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_job_ends(name: str) -> None:
    limits = [str(job["timeout-minutes"]) for job in document(f".github/workflows/{name}")["jobs"].values()]
    assert all(int(minutes) <= 120 for text in limits for minutes in re.findall(r"\b\d+\b", text) or ["1000"])


@pytest.mark.parametrize("name", [*(f".github/workflows/{name}" for name in WORKFLOWS), "action.yml"])
def test_scripts_contain_no_expressions(name: str) -> None:
    """They take values from variables of the environment, where nothing can become a command."""
    found = [item["run"] for item in steps(document(name)) if "run" in item]
    assert found
    assert not [script for script in found if "${{" in script]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_checkouts_keep_no_credentials(name: str) -> None:
    found = [item for item in steps(document(f".github/workflows/{name}")) if "checkout@" in item.get("uses", "")]
    assert found
    assert all(item["with"]["persist-credentials"] is False for item in found)


def test_every_supported_python_is_tested() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    supported = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    job = document(".github/workflows/tests.yml")["jobs"]["fast"]
    assert job["strategy"]["matrix"]["python"] == supported
    assert {item["system"] for item in job["strategy"]["matrix"]["include"]} == {"macos-latest", "windows-latest"}
    assert step(document(".github/workflows/tests.yml"), "Test")["run"] == "python -m pytest"


# -- releases


def released(folder: Path, tag: str, changelog: str) -> tuple[int, str, str]:
    """What the release workflow makes of a tag and a changelog: exit code, output, notes."""
    (folder / "devlog").mkdir()
    shutil.copy(ROOT / "devlog/__init__.py", folder / "devlog")
    (folder / "CHANGELOG.md").write_text(changelog, "utf-8")
    script = step(document(".github/workflows/release.yml"), "Compare tag, version and changelog")["run"]
    done = run(script, folder, TAG=tag)
    notes = folder / "notes.md"
    return done.returncode, done.stdout, notes.read_text("utf-8") if notes.exists() else ""


def run(
    script: str, folder: Path, programs: Mapping[str, str] | None = None, *flags: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a script with flags of bash, those that GitHub sets unless told otherwise, and other programs for some."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin/python").unlink(missing_ok=True)
    (folder / "bin/python").symlink_to(sys.executable)
    for program, text in (programs or {}).items():
        (folder / "bin" / program).unlink(missing_ok=True)
        (folder / "bin" / program).write_text(f"#!/bin/sh\n{text}\n")
        (folder / "bin" / program).chmod(0o755)
    return subprocess.run(
        ["bash", "--noprofile", "--norc", *(flags or ("-eo", "pipefail")), "-c", script],
        cwd=folder,
        env={"PATH": f"{folder}/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


CHANGELOG = f"""# Changelog

Text.

## {__version__} — 2026-11-30

### Added

- This.

## 0.0.1 — 2026-01-01

- That.
"""


def test_notes_are_the_section_of_the_changelog(tmp_path: Path) -> None:
    code, _, notes = released(tmp_path, f"v{__version__}", CHANGELOG)
    assert (code, notes) == (0, "\n### Added\n\n- This.\n\n")


@pytest.mark.parametrize(
    ("tag", "changelog", "told"),
    [
        ("v9.9.9", CHANGELOG, "the tag does not name the version"),
        (f"v{__version__}", CHANGELOG.replace("2026-11-30", "unreleased"), "has no dated section"),
        (f"v{__version__}", "# Changelog\n", "has no dated section"),
    ],
)
def test_a_release_that_does_not_fit_is_refused(tag: str, changelog: str, told: str, tmp_path: Path) -> None:
    code, output, _ = released(tmp_path, tag, changelog)
    assert code == 1
    assert output.startswith("::error::")
    assert told in output


def test_the_changelog_has_a_section_for_this_version() -> None:
    assert re.search(rf"^## {re.escape(__version__)} — ", read("CHANGELOG.md"), re.MULTILINE)


# -- the action


def test_inputs_reach_scripts_as_variables_only() -> None:
    action = document("action.yml")
    used = {name for item in steps(action) for name in re.findall(r"inputs\.([\w-]+)", json.dumps(item))}
    assert used == set(action["inputs"])
    assert set(action["outputs"]) == {"path", "sarif"}
    assert step(action, "Install devlog")["run"].count('"$GITHUB_ACTION_PATH"') == 1


def test_the_guide_has_every_input_with_its_default() -> None:
    section = read("docs/deploy.md").partition("### GitHub Action")[2].partition("###")[0]
    rows = re.findall(r"^\| `([a-z-]+)` \| (?:`(.*?)`)? ?\|", section, re.MULTILINE)
    assert dict(rows) == {name: given["default"] for name, given in document("action.yml")["inputs"].items()}


def test_merge_requests_meet_no_cache(tmp_path: Path) -> None:
    """None that came with a commit, either."""
    script = document("docs/recipes/gitlab-ci.yml")["check"]["script"]
    write_site(tmp_path, {".devlog/cache.db": "forged", "content/a.md": "mine"})
    before = "\n".join(script[: next(number for number, line in enumerate(script) if "devlog check" in line)])
    done = run(before, tmp_path, {"pip": "exit 0"})
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / ".devlog").exists()
    assert (tmp_path / "content/a.md").exists()


def test_pull_requests_meet_no_cache() -> None:
    cache = step(document("action.yml"), "Restore the cache")
    assert cache["if"] == """contains(fromJSON('["push", "schedule", "workflow_dispatch"]'), github.event_name)"""


def acted(folder: Path, root: str, **inputs: str) -> dict[str, subprocess.CompletedProcess[str]]:
    """What the scripts of the action do in a workspace, with the devlog under test."""
    action = document("action.yml")
    variables = {
        "SCRIPTS": str(Path(sys.executable).parent),
        "ROOT": root,
        "STRICT": inputs.get("strict", "false"),
        "DRAFTS": inputs.get("drafts", "false"),
        "BASE_URL": inputs.get("base_url", ""),
        "SARIF": str(folder / "devlog.sarif"),
        "RUNNER_TEMP": str(folder),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "SOURCE_DATE_EPOCH": "1781524800",
    }
    names = ("Find the output folder, and remove a committed cache or site", "Check", "Build")
    return {name.partition(" ")[0]: run(step(action, name)["run"], folder, **variables) for name in names}


@pytest.mark.slow
def test_the_action_checks_and_builds_a_site(tmp_path: Path) -> None:
    site = write_site(tmp_path / "docs/the log", STARTER)
    config = (site / "devlog.toml").read_text("utf-8")
    (site / "devlog.toml").write_text('output = "site"\n' + config, "utf-8")
    write_site(site, {".devlog/cache.db": "forged", "site/forged.html": "forged"})
    done = acted(tmp_path, "docs/the log", base_url="https://docs.example.org/", strict="true")
    assert {name: one.returncode for name, one in done.items()} == {"Find": 0, "Check": 0, "Build": 0}, done
    assert "output=docs/the log/site\n" in (tmp_path / "output").read_text()
    assert not (site / "site/forged.html").exists()
    assert "https://docs.example.org/" in (site / "site/index.html").read_text("utf-8")
    assert (tmp_path / "summary").read_text("utf-8") == done["Build"].stdout


@pytest.mark.slow
def test_the_action_finds_the_site_where_its_folder_is_the_content(tmp_path: Path) -> None:
    site = write_site(tmp_path / "docs", {"devlog.toml": 'content = "."\n', "public/forged.html": "forged"})
    find = step(document("action.yml"), "Find the output folder, and remove a committed cache or site")
    variables = {"SCRIPTS": str(Path(sys.executable).parent), "ROOT": "docs", "GITHUB_OUTPUT": str(tmp_path / "out")}
    done = run(find["run"], tmp_path, **variables, RUNNER_TEMP=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "output=docs/public\n" in (tmp_path / "out").read_text()
    assert not (site / "public").exists()
    (tmp_path / "devlog.sarif").write_text("{}")  # of another site in the same job
    run(find["run"], tmp_path, **variables, RUNNER_TEMP=str(tmp_path))
    reports = [line for line in (tmp_path / "out").read_text().split("\n") if line.startswith("sarif=")]
    assert reports == [f"sarif={tmp_path}/devlog.sarif", f"sarif={tmp_path}/devlog-next.sarif"]


@pytest.mark.slow
@pytest.mark.parametrize("output", [".", "content", "content/design", "static", ".devlog/..", "site\nsarif=forged"])
def test_the_action_removes_nothing_but_a_site(tmp_path: Path, output: str) -> None:
    site = write_site(tmp_path / "docs", STARTER)
    config = (site / "devlog.toml").read_text("utf-8")
    (site / "devlog.toml").write_text(f"output = {json.dumps(output)}\n{config}", "utf-8")
    before = read_tree(site)
    find = step(document("action.yml"), "Find the output folder, and remove a committed cache or site")
    variables = {"SCRIPTS": str(Path(sys.executable).parent), "ROOT": "docs", "GITHUB_OUTPUT": str(tmp_path / "out")}
    done = run(find["run"], tmp_path, **variables, RUNNER_TEMP=str(tmp_path))
    assert read_tree(site) == before
    assert not (tmp_path / "out").exists() or "forged" not in (tmp_path / "out").read_text()
    # What devlog does not take for the name of a folder stands for the usual one.
    assert done.stderr.startswith("The output folder '") or output == ".devlog/..", done.stderr


@pytest.mark.slow
def test_the_action_names_files_as_the_repository_does(tmp_path: Path) -> None:
    site = write_site(tmp_path / "docs/log", STARTER)
    (site / "content/design/2026-06-01-broken.md").write_text("---\ntitle: Broken\n---\n\n[x](gone.md)\n", "utf-8")
    done = acted(tmp_path, "docs/log", strict="true")
    assert (done["Check"].returncode, done["Build"].returncode) == (1, 1)
    assert "::error file=docs/log/content/design/2026-06-01-broken.md,line=5," in done["Check"].stdout
    sarif = json.loads((tmp_path / "devlog.sarif").read_text("utf-8"))
    places = [place["physicalLocation"] for item in sarif["runs"][0]["results"] for place in item["locations"]]
    assert {place["artifactLocation"]["uri"].partition("/content/")[0] for place in places} <= {
        "docs/log",
        "docs/log/devlog.toml",
    }


# -- the container


def test_the_container_runs_devlog_without_rights() -> None:
    lines = [line.split(maxsplit=1) for line in read("Dockerfile").splitlines() if line[:1].isupper()]
    last = dict(lines)
    assert int(last["USER"]) > 0
    assert (last["ENTRYPOINT"], last["WORKDIR"]) == ('["devlog"]', "/site")
    bases = {rest.partition(" ")[0] for word, rest in lines if word == "FROM"}
    assert len(bases) == 1
    version = next(iter(bases)).removeprefix("python:").removesuffix("-slim")
    assert f"Python :: {version}" in read("pyproject.toml")


@pytest.mark.parametrize("name", ["Dockerfile", "docs/deploy.md"])
def test_commands_for_the_container_are_right(name: str) -> None:
    found = re.findall(r"docker run (?:[^\n]|\\\n)*? devlog (build|serve)\b([^\n]*)", read(name))
    assert [command for command, _ in found] == ["build", "serve"]
    for command, rest in found:
        assert set(re.findall(r"--[a-z-]+", rest)) <= options(command)
    assert "--allow-host localhost" in found[1][1]  # without it, devlog does not serve others than this machine


def test_the_container_gets_all_that_the_package_is_made_of() -> None:
    kept = {line.removeprefix("!") for line in read(".dockerignore").splitlines() if line.startswith("!")}
    project = tomllib.loads(read("pyproject.toml"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    readme = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["fragments"]
    needed = {"pyproject.toml", *(part["path"] for part in readme), *project["project"]["license-files"]}
    assert kept == needed | {*wheel["packages"], *wheel["force-include"]}


# -- hooks and forms


def test_the_hook_is_a_command_of_devlog() -> None:
    (hook,) = document(".pre-commit-hooks.yaml")
    command, name = hook["entry"].split()
    assert (command, hook["language"]) == ("devlog", "python")
    assert options(name)
    assert re.search(hook["files"], "content/design/2026-06-15-welcome.md")
    assert not re.search(hook["files"], "README.md")


def test_security_reports_are_pointed_at_the_policy() -> None:
    links = document(".github/ISSUE_TEMPLATE/config.yml")["contact_links"]
    assert any(link["url"].endswith("/blob/main/SECURITY.md") for link in links)
    assert "SECURITY.md" in read(".github/ISSUE_TEMPLATE/bug.yml")
    assert "Report a vulnerability" in read("SECURITY.md")


# -- recipes for other hosts


def options(name: str) -> set[str]:
    """The options of a command of devlog."""
    command = main.get_command(click.Context(main), name)
    assert command, name
    return {option for parameter in command.params for option in parameter.opts}


@pytest.mark.feature("digests")
def test_recipes_use_commands_and_options_that_exist() -> None:
    texts = {path.name: path.read_text("utf-8") for path in RECIPES.iterdir()}
    texts |= {f"starter {file}": text for file, text in STARTER.items() if file.startswith(".github/")}
    texts["action.yml"] = read("action.yml")
    for name, text in texts.items():
        found = re.findall(
            r"devlog\"? (build|check|deploy|digest)\b([^\n|>;]*)", re.sub(r"^\s*#.*", "", text, flags=re.MULTILINE)
        )
        assert found or name in ("starter .github/workflows/preview-publish.yml", "starter .github/dependabot.yml"), (
            name
        )
        for command, rest in found:
            assert set(re.findall(r"(?<!\S)--[a-z-]+", rest)) <= options(command), name


def test_the_guide_names_every_recipe() -> None:
    guide = read("docs/deploy.md")
    assert {f"recipes/{path.name}" for path in RECIPES.iterdir()} == set(re.findall(r"\]\((recipes/[^)]+)\)", guide))
    for other in ("action.yml", "Dockerfile", ".pre-commit-hooks.yaml"):
        assert f"](../{other})" in guide


DEVLOG = 'echo "devlog $*" >> "$CALLS"'
GIT = """case "$1" in
  rev-parse) echo "$SHALLOW" ;;
  ls-files) for path in "$2" "$3"; do if [ -e "$path" ]; then echo "$path"; fi; done ;;
  *) echo "git $*" >> "$CALLS" ;;
esac"""


def called(script: str, folder: Path, **variables: str) -> list[str]:
    """What a recipe calls in a checkout in which somebody has committed a cache and a site."""
    write_site(folder, {".devlog/cache.db": "forged", "public/a.html": "forged", "content/a.md": "mine"})
    record = 'echo "$(basename "$0") $*" >> "$CALLS"'
    programs = {"devlog": DEVLOG, "git": GIT, "python": record, "pip": record}
    done = run(script, folder, programs, CALLS=str(folder / "calls"), **{"SHALLOW": "false"} | variables)
    assert done.returncode == 0, done.stderr
    assert not (folder / ".devlog").exists()
    assert not (folder / "public").exists()
    assert (folder / "content/a.md").exists()
    return (folder / "calls").read_text().splitlines()


@pytest.mark.parametrize(
    ("variables", "built"),
    [
        ({"CF_PAGES_BRANCH": "main"}, "devlog build --output public"),
        ({"CF_PAGES_BRANCH": "live", "PRODUCTION_BRANCH": "live"}, "devlog build --output public"),
        ({"CF_PAGES_BRANCH": "idea"}, "devlog build --output public --base-url https://idea.example.org"),
    ],
)
def test_cloudflare_pages(variables: dict[str, str], built: str, tmp_path: Path) -> None:
    given = {"CF_PAGES_URL": "https://idea.example.org", "SHALLOW": "true"} | variables
    calls = called(read_recipe("cloudflare-pages.sh"), tmp_path, **given)
    assert calls == [
        "git fetch --quiet --unshallow",
        "python -m pip install --quiet -r requirements.txt",
        "devlog check",
        built,
    ]


@pytest.mark.parametrize(
    ("context", "url"), [("production", "https://log.example.org"), ("deploy-preview", "https://pr-1.example.org")]
)
def test_netlify(context: str, url: str, tmp_path: Path) -> None:
    build = tomllib.loads(read_recipe("netlify-config.toml"))["build"]
    urls = {"URL": "https://log.example.org", "DEPLOY_PRIME_URL": "https://pr-1.example.org"}
    calls = called(build["command"], tmp_path, CONTEXT=context, **urls)
    assert calls == [
        "python -m pip install --quiet -r requirements.txt",
        "devlog check",
        f"devlog build --output public --base-url {url}",
    ]
    assert build["publish"] == "public"


def test_gitlab(tmp_path: Path) -> None:
    recipe = document("docs/recipes/gitlab-ci.yml")
    job = recipe["pages"]
    calls = called("\n".join(job["script"]), tmp_path, CI_PAGES_URL="https://lumen.example.org/log")
    assert calls == [
        "pip install --quiet -r requirements.txt",
        "devlog check",
        "devlog build --output public --base-url https://lumen.example.org/log",
    ]
    assert job["cache"]["paths"] == [".devlog", "public"]
    assert "cache" not in recipe["check"]
    assert recipe["variables"]["GIT_DEPTH"] == "0"


def test_a_recipe_stops_at_the_first_problem(tmp_path: Path) -> None:
    """A site with an error in it is neither built nor published."""
    recipes = {  # with the flags that the host gives to bash
        "cloudflare": (read_recipe("cloudflare-pages.sh"), "+e"),
        "netlify": (tomllib.loads(read_recipe("netlify-config.toml"))["build"]["command"], "+e"),
        "gitlab": ("\n".join(document("docs/recipes/gitlab-ci.yml")["pages"]["script"]), "-e"),
    }
    programs = {"devlog": DEVLOG + '\n[ "$1" != check ]', "git": GIT, "python": "", "pip": ""}
    for name, (script, flag) in recipes.items():
        folder = write_site(tmp_path / name, {"content/a.md": "mine"})
        variables = {
            "CALLS": str(folder / "calls"),
            "SHALLOW": "false",
            "CF_PAGES_BRANCH": "main",
            "CONTEXT": "production",
        }
        assert run(script, folder, programs, flag, **variables).returncode == 1
        assert (folder / "calls").read_text() == "devlog check\n"
