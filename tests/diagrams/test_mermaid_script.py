"""Where nothing draws Mermaid during the build, its script from npm does in readers' browsers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sites import build_site, write_site

from devlog.features.diagrams import disk
from devlog.features.diagrams.derive import derive

POST = "---\ntitle: A\n---\n```mermaid\ngraph TD; read --> write\n```\n"
PACKAGE = "node_modules/mermaid"


@pytest.fixture(autouse=True)
def nothing_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(disk, "version", lambda _name: "")


def install(root: Path, version: str = "12.3.0", code: str = "window.mermaid = 1;\n") -> None:
    write_site(
        root,
        {
            f"{PACKAGE}/package.json": json.dumps({"name": "mermaid", "version": version}),
            f"{PACKAGE}/dist/mermaid.min.js": code,
            f"{PACKAGE}/LICENSE": "The MIT License\n",
        },
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    other = "---\ntitle: B\n---\nNo diagram.\n"
    settings = 'base_url = "https://example.org/log/"\ncontent_security_policy = true\n'
    files = {"devlog.toml": settings, "content/2026-05-01-a.md": POST, "content/2026-05-02-b.md": other}
    return write_site(tmp_path / "site", files)


def hints(root: Path) -> list[str]:
    return [f"{item.message}: {item.hint}" for item in build_site(root).diagnostics if item.code == "diagrams-as-text"]


def scripts(root: Path) -> list[str]:
    return [path.name for path in (root / "public").glob("diagrams/*")]


def test_only_pages_with_diagrams_load_the_script(root: Path) -> None:
    install(root)
    assert hints(root) == []
    license_file, script = sorted(scripts(root), key=len)
    assert license_file == "mermaid.txt"
    assert (root / "public/diagrams" / script).read_text() == "window.mermaid = 1;\n"
    assert (root / "public/diagrams/mermaid.txt").read_text() == "The MIT License\n"
    drawn, plain = ((root / f"public/2026-05-0{name}/index.html").read_text() for name in ("1-a", "2-b"))
    own = drawn.index(f'<script defer src="/log/diagrams/{script}"></script>')
    assert own < drawn.index("/log/theme/diagrams.js")
    assert "style-src &#39;self&#39; &#39;unsafe-inline&#39;" in drawn  # Mermaid inserts style sheets while it draws
    assert "diagrams" not in plain
    assert "style-src &#39;self&#39;;" in plain
    assert build_site(root).written == ()


def test_a_build_notices_when_the_script_appears_changes_and_goes(root: Path) -> None:
    assert "npm install mermaid" in hints(root)[0]
    assert scripts(root) == []
    install(root)
    assert hints(root) == []
    before = set(scripts(root))
    install(root, code="window.mermaid = 2;\n")
    build_site(root)
    assert len(before) == 2 == len(scripts(root))
    assert before != set(scripts(root))
    (root / PACKAGE / "dist/mermaid.min.js").unlink()
    assert len(hints(root)) == 1
    assert scripts(root) == []


@pytest.mark.parametrize("version", ["11.16.0", "9.4.3", "11.16", "", "x"])
def test_a_version_with_known_faults_is_not_used(root: Path, version: str) -> None:
    install(root, version)
    (hint,) = hints(root)
    assert f"has version {version}, which is not safe: run “npm install mermaid@latest”" in hint
    assert scripts(root) == []


@pytest.mark.parametrize("package", ["", "[]", '{"version": 12}', "[" * 100_000, '{"version": "12.3.0"', "\x00"])
def test_a_damaged_package_is_as_good_as_none(root: Path, package: str) -> None:
    install(root)
    (root / PACKAGE / "package.json").write_text(package)
    assert "npm install mermaid" in hints(root)[0]


def test_a_theme_without_scripts_gets_none(root: Path) -> None:
    install(root)
    write_site(root, {"devlog.toml": 'theme = "paper"\n'})
    (hint,) = hints(root)
    assert "[mermaid]" in hint
    assert "npm" not in hint
    assert scripts(root) == []
    assert build_site(root).written == ()


def test_what_draws_during_the_build_comes_first(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(root)
    command = 'import sys; print(\'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>\')'
    write_site(root, {"devlog.toml": f"[diagrams.mermaid]\ncommand = ['python3', '-c', {json.dumps(command)}]\n"})
    monkeypatch.undo()
    build_site(root)
    assert {Path(name).suffix for name in scripts(root)} == {".svg"}
    write_site(root, {"devlog.toml": "[diagrams.mermaid]\n"})  # they are to stay text
    build_site(root)
    assert scripts(root) == []


def test_a_script_that_npm_replaces_meanwhile_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(root)
    found = derive.script_of

    def late(language: str, folder: Path, package: str) -> disk.Script | None:
        made = found(language, folder, package)
        install(root, code="window.mermaid = 3;\n")
        return made

    with monkeypatch.context() as patch:
        patch.setattr(derive, "script_of", late)
        (problem,) = (item for item in build_site(root).diagnostics if item.code == "diagram-failed")
    assert "node_modules/mermaid cannot be read: changed while the site was being built" in problem.message
    assert hints(root) == []
    assert len(scripts(root)) == 2


def test_what_is_still_to_become_a_version_is_not_safe() -> None:
    assert disk.Script("11.16.1+build", ()).is_safe  # type: ignore[arg-type]
    assert not disk.Script("11.16.1-rc.1", ()).is_safe  # type: ignore[arg-type]
