"""Plugins of installed packages, and the versions of these."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from plugin_sites import EVERYTHING, SITE, in_a_process, installed, look_again
from sites import write_site

from devlog import packages
from devlog.disk import plugins as finding
from devlog.model.theme import PluginRef
from devlog.packages import Package, _entry_points, is_installed, record
from devlog.render import render


@pytest.mark.slow
def test_a_place_for_packages_that_cannot_be_looked_at(tmp_path: Path) -> None:
    """As one in a folder of another user's, or on a share that is gone: Python itself minds neither."""
    root = write_site(tmp_path / "site", {**SITE, "devlog.toml": ""})
    done = in_a_process(tmp_path / ("x" * 300), root)  # longer than a name may be
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_plugin_of_an_installed_package(tmp_path: Path) -> None:
    code = EVERYTHING + "own = Plugin('lumen', plans=(years,), recipes={'years': write})\n"
    packages = installed(tmp_path / "packages", code, "lumen = lumen_devlog:own")
    root = write_site(tmp_path / "site", {**SITE, "devlog.toml": ""})
    done = in_a_process(packages, root)
    assert (done.returncode, done.stderr) == (0, "")
    assert (root / "public" / "x.txt").read_text("utf-8").startswith("1 ")
    (packages / "lumen_devlog" / "__init__.py").write_text(code.replace("VERSION = 1", "VERSION = 2"), "utf-8")
    done = in_a_process(packages, root)
    assert (root / "public" / "x.txt").read_text("utf-8").startswith("2 ")
    assert "1 written" in done.stdout


def test_what_is_beside_an_installed_package_has_no_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(
        tmp_path,
        {
            "one-1.0.dist-info/RECORD": "one/__init__.py,,\none_single.py,,\n../bin/one,,\n",
            "two-1.0.dist-info/top_level.txt": "second\n",  # as some systems install packages
            "three-1.0.dist-info/METADATA": "",
        },
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    look_again()
    try:
        of_packages = ("one", "one_single.py", "second", "second.py", "second.abi3.so", "three.py")
        assert all(is_installed(tmp_path / name) for name in of_packages)
        assert record(tmp_path / "one_single.py") == b"one/__init__.py,,\none_single.py,,\n../bin/one,,\n"
        assert record(tmp_path / "second") == record(tmp_path / "helper.py") == b""
        others = ("o", "one.py", "single.py", "two.py", "helper.py", "__init__.py")
        assert not any(is_installed(tmp_path / name) for name in others)
        assert not is_installed(tmp_path / "one" / "one_single.py")
    finally:
        monkeypatch.undo()
        look_again()


def _install(folder: Path, old: str, new: str) -> None:
    """Replace a version of a package by another one, later than before for any clock."""
    time = folder.stat().st_mtime_ns
    (folder / f"{old}.dist-info").rename(folder / f"{new}.dist-info")
    os.utime(folder, ns=(time, time + 1_000_000_000))


def test_packages_that_change_while_devlog_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(tmp_path, {"one-1.0.dist-info/METADATA": "", "two-1.0.dist-info/METADATA": ""})
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(packages, "_counting", set())
    look_again()
    try:
        packages.version("one")
        _install(tmp_path, "two-1.0", "two-2.0")
        assert packages.changed() == set(), "nobody has asked for its version"
        _install(tmp_path, "one-1.0", "one-1.1")
        assert packages.changed() == {"one"}
        packages.versions()
        assert packages.changed() == {"one", "two"}
        _install(tmp_path, "one-1.1", "one-1.0")
        assert packages.changed() == {"two"}
        monkeypatch.syspath_prepend(str(write_site(tmp_path / "late", {"four-1.0.dist-info/METADATA": ""})))
        assert "four" not in packages.changed(), "a plugin has added that folder"
    finally:
        monkeypatch.undo()
        look_again()


@pytest.mark.slow
def test_an_installed_plugin_that_cannot_be_used(tmp_path: Path) -> None:
    packages = installed(tmp_path / "packages", "import nowhere\n", "lumen = lumen_devlog:own")
    root = write_site(tmp_path / "site", {**SITE, "devlog.toml": ""})
    done = in_a_process(packages, root)
    assert done.returncode == 1
    assert "the plugin “lumen”: error[bad-plugin]: " in done.stderr
    assert "No module named 'nowhere'" in done.stderr
    assert "Traceback" not in done.stderr


def test_entry_points_are_read_as_packagers_write_them(tmp_path: Path) -> None:
    text = (
        "[other]\na = b:c\n\n[devlog.plugins]\n# mine\none = pack.age\ntwo=pack:attr.inner [extra]\n\n[more]\nx = y\n"
    )
    write_site(tmp_path, {"entry_points.txt": text})
    found = _entry_points(Package("pack", "1", str(tmp_path)), finding.GROUP)
    assert [(point.name, point.module, point.attribute) for point in found] == [
        ("one", "pack.age", "plugin"),
        ("two", "pack", "attr.inner"),
    ]


def test_a_worker_with_another_package_says_so() -> None:
    ref = PluginRef("lumen", "package_that_is_not_here", "plugin", "1.0")
    target = render.Target("x.txt", "years", "", {})
    theme = render.Theme("default", (), plugins=(ref,))
    (problem,) = render.render(target, render.Resources(theme, {}, {})).diagnostics
    assert problem.code == "bad-plugin"
    assert "package_that_is_not_here" in problem.message
