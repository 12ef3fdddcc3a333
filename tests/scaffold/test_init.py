"""`devlog init`: a site that is right from the first minute."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from disk.capabilities import as_mere_owner
from sites import build_site, read_tree, write_site

Devlog = Callable[..., Result]

FILES = [
    ".gitignore",
    "AGENTS.md",
    "README.md",
    "content/_index.md",
    "content/design/2026-06-15-welcome.md",
    "content/design/_index.md",
    "content/performance/_index.md",
    "devlog.toml",
    "requirements.txt",
    "schemas/devlog.json",
    "schemas/front-matter.json",
    "static/images/design/log-life.svg",
]
WORKFLOWS = [".github/dependabot.yml"]
WORKFLOWS += [f".github/workflows/{name}.yml" for name in ("check", "preview-publish", "preview", "publish")]
PLACEHOLDER = "https://your-site.example/"


@pytest.mark.slow
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("github", [False, True])
@pytest.mark.parametrize("base_url", ["", "https://docs.example.org/log/", "/log/"])
def test_it_is_right(github: bool, base_url: str, tmp_path: Path, devlog: Devlog) -> None:
    folder = tmp_path / "new" / "log"
    options = [*(["--github"] if github else []), *(["--base-url", base_url] if base_url else [])]
    done = devlog("init", str(folder), "--title", 'The "Lumen" log', *options)
    assert (done.exit_code, done.stderr) == (0, "")
    assert sorted(read_tree(folder)) == sorted([*FILES, *(WORKFLOWS if github else [])])
    assert all(f"+ {folder / file}\n" in done.stdout for file in FILES)
    report = build_site(folder, strict=True)
    assert report.diagnostics == ()
    assert (report.posts, report.title, report.skipped) == (1, 'The "Lumen" log', ())
    config = tomllib.loads((folder / "devlog.toml").read_text("utf-8"))
    assert config["base_url"] == (base_url or PLACEHOLDER)
    pages = read_tree(folder / "public")
    assert b"The DevLog team" in pages["design/2026-06-15-welcome/index.html"]
    assert {"design/index.html", "performance/index.html"} <= pages.keys()
    assert not [path for path, data in read_tree(folder).items() if path in FILES and b"@day@" in data]


@pytest.mark.slow
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("options", [(), ("--github",), ("--base-url", "https://docs.example.org/log/")])
def test_a_check_finds_nothing(options: tuple[str, ...], tmp_path: Path, devlog: Devlog) -> None:
    folder = tmp_path / "log"
    assert devlog("init", str(folder), *options).exit_code == 0
    done = devlog("check", "--strict", "--root", str(folder))
    assert done.exit_code == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("options", [(), ("--github",)])
def test_a_build_prints_no_note(options: tuple[str, ...], tmp_path: Path, devlog: Devlog) -> None:
    folder = tmp_path / "log"
    assert devlog("init", str(folder), *options).exit_code == 0
    done = devlog("build", "--root", str(folder))
    assert (done.exit_code, done.stderr) == (0, "")
    assert not [line for line in done.stdout.splitlines() if "[" in line or "hint" in line]


@pytest.mark.slow
@pytest.mark.feature("site_search", "social_cards")
@pytest.mark.usefixtures("site")
def test_a_first_build_has_all_that_needs_a_url(tmp_path: Path, devlog: Devlog) -> None:
    folder = tmp_path / "log"
    assert devlog("init", str(folder)).exit_code == 0
    assert devlog("build", "--root", str(folder)).exit_code == 0
    built = read_tree(folder / "public")
    assert {"sitemap.xml", "design/2026-06-15-welcome/card.png", "pagefind/pagefind.js"} <= built.keys()
    assert f"{PLACEHOLDER}design/2026-06-15-welcome/card.png".encode() in built["design/2026-06-15-welcome/index.html"]


@pytest.mark.slow
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), "placeholder-base-url"),
        (("--base-url", "/log/"), "no-base-url"),
        (("--base-url", "https://docs.example.org/log/"), ""),
    ],
)
def test_a_check_reminds_of_the_base_url(options: tuple[str, ...], code: str, tmp_path: Path, devlog: Devlog) -> None:
    folder = tmp_path / "log"
    assert devlog("init", str(folder), *options).exit_code == 0
    done = devlog("check", "--strict", "--root", str(folder))
    assert done.exit_code == 0
    assert re.findall(r"info\[(.*base-url)\]", done.stderr) == [code] * bool(code)


@pytest.mark.slow
@pytest.mark.usefixtures("site")
def test_a_post_that_is_filled_in_passes(tmp_path: Path, devlog: Devlog) -> None:
    """What a writer does after `devlog new post`, and the check that the pull request meets."""
    folder = tmp_path / "log"
    assert devlog("init", str(folder), "--github").exit_code == 0
    options = ("--topic", "performance", "--author", "Ada Quill (@adaquill)", "--tag", "wal")
    done = devlog("new", "post", "A shorter write path", *options, "--root", str(folder))
    assert done.exit_code == 0
    post = folder / "content/performance/2026-06-15-a-shorter-write-path.md"
    begun = post.read_text("utf-8")
    check = ("check", "--strict", "--root", str(folder))
    assert "placeholder" in devlog(*check).stderr  # it is not yet filled in
    summary = "Two copies of each page are gone, and a write takes half as long."
    text = re.sub(r"TODO: .*", summary, begun)
    assert text != begun
    text += (
        "\n## What changed\n\nThe log keeps [one copy](../design/2026-06-15-welcome.md).\n\n```sql\nSELECT 1;\n```\n"
    )
    post.write_text(text, "utf-8")
    done = devlog(*check)
    assert done.exit_code == 0, done.stdout + done.stderr
    assert "a-shorter-write-path" not in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("site")
def test_a_first_post(tmp_path: Path, devlog: Devlog) -> None:
    folder = tmp_path / "log"
    last = devlog("init", str(folder)).stdout.splitlines()[-3:]
    assert [line.partition(":")[0] for line in last] == ["See it", "Write", "Publish it"]
    assert devlog("new", "post", "A title", "--topic", "design", "--root", str(folder)).exit_code == 0
    report = build_site(folder)
    assert (report.diagnostics, report.posts) == ((), 2)


@pytest.mark.slow
@pytest.mark.usefixtures("site")
def test_what_a_host_puts_there_stays(tmp_path: Path, devlog: Devlog) -> None:
    folder = tmp_path / "log"
    there = {"README.md": "mine\n", "LICENSE": "MIT\n", ".gitignore": "mine\n", ".github/workflows/check.yml": "mine\n"}
    write_site(folder, there)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    done = devlog("init", str(folder), "--github")
    assert done.exit_code == 0
    tree = read_tree(folder)
    assert {path: tree[path].decode() for path in there} == there
    for kept in ("README.md", "LICENSE", ".gitignore", ".github/workflows/check.yml"):
        assert f"= {folder / kept} was there already and is left as it is\n" in done.stdout
        assert f"+ {folder / kept}\n" not in done.stdout
    assert set(FILES) | set(WORKFLOWS) <= tree.keys()
    assert build_site(folder).diagnostics == ()


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("there", "missing"),
    [
        ("*.tmp\n", ".devlog/, .venv/, public/"),
        ("# public/\n/.venv\n.devlog/ \n", "public/"),
        (b"\xff\n.devlog\n.venv", "public/"),
        (".devlog/\r\n.venv/\r\npublic/\r\n", ""),
    ],
)
def test_what_is_not_ignored_is_told(there: str | bytes, missing: str, tmp_path: Path, devlog: Devlog) -> None:
    folder = write_site(tmp_path / "log", {".gitignore": there})
    said = devlog("init", str(folder)).stdout
    file = folder / ".gitignore"
    assert f"= {file} was there already and is left as it is\n" in said
    assert (f"  add {missing} to {file}\n" in said) == bool(missing)
    assert (" add " in said) == bool(missing)


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    "name", [".venv/pyvenv.cfg", ".vscode/settings.json", ".idea/x.xml", ".editorconfig", ".pre-commit-config.yaml"]
)
def test_what_tools_put_there_stays(name: str, tmp_path: Path, devlog: Devlog) -> None:
    folder = write_site(tmp_path / "log", {name: "mine\n"})
    assert devlog("init", str(folder)).exit_code == 0
    assert read_tree(folder)[name] == b"mine\n"
    assert build_site(folder).diagnostics == ()


@pytest.mark.slow
@pytest.mark.usefixtures("site")
def test_a_site_inside_a_repository(tmp_path: Path, devlog: Devlog) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    origin = "https://github.com/lumen/lumen"
    subprocess.run(["git", "-C", str(tmp_path), "remote", "add", "origin", origin], check=True)
    done = devlog("init", str(tmp_path / "docs/log"), "--github")
    assert done.exit_code == 0
    assert "warning[workflows-below]" in done.stderr
    assert f"“{tmp_path}”" in done.stderr
    assert "set base_url in devlog.toml" in done.stdout  # that of the repository is not ours to take
    assert "lumen.github.io" not in (tmp_path / "docs/log/devlog.toml").read_text("utf-8")
    assert devlog("init", str(tmp_path / "docs/other")).stderr == ""


def test_a_site_below_a_closed_folder(tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed" / "in").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "closed" / "in")
    (tmp_path / "closed").chmod(0)
    try:
        with as_mere_owner():
            done = devlog("init", "site")
    finally:
        (tmp_path / "closed").chmod(0o755)
    assert (done.exit_code, done.exception) == (0, None)
    assert (tmp_path / "closed" / "in" / "site" / "devlog.toml").is_file()


@pytest.mark.usefixtures("site")
def test_a_readme_in_another_spelling_stays(tmp_path: Path, devlog: Devlog) -> None:
    folder = write_site(tmp_path / "log", {"readme.md": "mine\n"})
    done = devlog("init", str(folder))
    assert done.exit_code == 0
    assert "README.md was there already" in done.stdout
    assert "README.md" not in read_tree(folder)


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("name", ["content/x.md", "hugo.toml", "devlog.toml", "notes.txt", ".env"])
def test_other_folders_are_refused(name: str, tmp_path: Path, devlog: Devlog) -> None:
    folder = write_site(tmp_path / "log", {name: "mine\n"})
    before = read_tree(folder)
    done = devlog("init", str(folder))
    assert done.exit_code == 1
    assert "error[folder-not-empty]" in done.stderr
    assert f"“{name.partition('/')[0]}”" in done.stderr
    assert done.stdout == ""
    assert read_tree(folder) == before


@pytest.mark.usefixtures("site")
def test_twice(tmp_path: Path, devlog: Devlog) -> None:
    folder = tmp_path / "log"
    devlog("init", str(folder), "--github")
    before = read_tree(folder)
    done = devlog("init", str(folder), "--github")
    assert done.exit_code == 1
    assert read_tree(folder) == before


@pytest.mark.slow
@pytest.mark.usefixtures("site")
def test_the_same_command_writes_the_same(tmp_path: Path, devlog: Devlog) -> None:
    for name in "ab":
        devlog("init", str(tmp_path / name), "--github")
    assert read_tree(tmp_path / "a") == read_tree(tmp_path / "b")


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("url", ["docs.example.org", "ftp://x", "javascript:x"])
def test_no_base_url(url: str, tmp_path: Path, devlog: Devlog) -> None:
    done = devlog("init", str(tmp_path / "log"), "--base-url", url)
    assert done.exit_code == 2
    assert not (tmp_path / "log").exists()


@pytest.mark.usefixtures("site")
def test_no_folder(tmp_path: Path, devlog: Devlog) -> None:
    (tmp_path / "file").write_text("mine")
    assert devlog("init", str(tmp_path / "file")).exit_code == 2
    done = devlog("init", str(tmp_path / "file" / "below"))
    assert done.exit_code == 1
    assert "error[cannot-write]" in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    "title",
    [
        'A "quoted" \\ title',
        "two\nlines",
        "\x1b[31m",
        "@version@ {title}",
        pytest.param("日本語", marks=pytest.mark.feature("social_cards")),
        "'''",
        "x" * 300,
    ],
)
def test_any_title(title: str, tmp_path: Path, devlog: Devlog) -> None:
    folder = tmp_path / "log"
    assert devlog("init", str(folder), "--title", title).exit_code == 0
    config = tomllib.loads((folder / "devlog.toml").read_text("utf-8"))
    assert config["title"] == " ".join(title.replace("\x1b", "").split())
    codes = ["missing-letters"] if title == "日本語" else []  # the font of cards does not have them, and that is said
    assert [item.code for item in build_site(folder).diagnostics] == codes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("origin", "base_url", "source"),
    [
        ("https://github.com/Lumen/log.git", "https://lumen.github.io/log/", "https://github.com/Lumen/log"),
        ("git@github.com:lumen/log.git", "https://lumen.github.io/log/", "https://github.com/lumen/log"),
        ("ssh://git@github.com/lumen/log", "https://lumen.github.io/log/", "https://github.com/lumen/log"),
        (
            "https://github.com/Lumen/lumen.github.io",
            "https://lumen.github.io/",
            "https://github.com/Lumen/lumen.github.io",
        ),
        ("https://git.example.org/lumen/log", None, None),
        ("https://github.com.example.org/lumen/log", None, None),
    ],
)
@pytest.mark.usefixtures("site")
def test_a_clone_knows_where_it_will_be_found(
    origin: str, base_url: str | None, source: str | None, tmp_path: Path, devlog: Devlog
) -> None:
    folder = tmp_path / "log"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", origin], check=True)
    done = devlog("init", str(folder), "--github")
    assert (done.exit_code, done.stderr) == (0, "")
    config = tomllib.loads((folder / "devlog.toml").read_text("utf-8"))
    assert (config["base_url"], config.get("source_repo")) == (base_url or PLACEHOLDER, source)
    assert ("set base_url" in done.stdout) == (base_url is None)
    assert build_site(folder).diagnostics == ()


@pytest.mark.usefixtures("site")
def test_the_first_post_is_yours_if_git_knows_your_handle(
    tmp_path: Path, devlog: Devlog, git_says: Callable[..., None]
) -> None:
    git_says("Dee Moss", "7+deemoss@users.noreply.github.com")
    devlog("init", str(tmp_path / "log"))
    text = (tmp_path / "log/content/design/2026-06-15-welcome.md").read_text("utf-8")
    assert "author: Dee Moss (@deemoss)\n" in text


@pytest.mark.usefixtures("site")
def test_the_handle_may_be_in_the_name_that_git_knows(
    tmp_path: Path, devlog: Devlog, git_says: Callable[..., None]
) -> None:
    git_says("Dee Moss (@deemoss)", "dee@example.org")
    devlog("init", str(tmp_path / "log"))
    text = (tmp_path / "log/content/design/2026-06-15-welcome.md").read_text("utf-8")
    assert "author: Dee Moss (@deemoss)\n" in text


def test_an_empty_name_is_not_the_current_folder(
    tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = devlog("init", "")
    assert (done.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "the name is empty" in done.stderr
    assert devlog("init", ".").exit_code == 0


@pytest.mark.parametrize(
    ("head", "published"),
    [
        ("refs/heads/trunk", "trunk"),
        ("refs/heads/release/1.0", "release/1.0"),
        ("refs/heads/true", "true"),
        ("refs/heads/x+y", "main"),
    ],
)
def test_the_workflow_publishes_the_branch_that_is_checked_out(
    head: str, published: str, tmp_path: Path, devlog: Devlog
) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "symbolic-ref", "HEAD", head], check=True)
    assert devlog("init", str(tmp_path), "--github").exit_code == 0
    text = (tmp_path / ".github/workflows/publish.yml").read_text("utf-8")
    assert f'    branches: ["{published}"]\n' in text
