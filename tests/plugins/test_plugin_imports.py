"""The code that a plugin imports counts, and runs as it was read."""

from __future__ import annotations

import importlib
import os
import py_compile
import sys
import warnings
from pathlib import Path

import pytest
from plugin_sites import HEAD, broken, look_again, with_plugin
from sites import build_site, write_site

from devlog.disk import plugins as finding
from devlog.inputs import plugins_of
from devlog.model.diagnostic import Diagnostic
from devlog.model.theme import PluginRef
from devlog.plugins.loading import load


def test_all_folders_of_a_namespace_package_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = write_site(tmp_path / "packages", {"mycorp/base.py": "A = 1\n"})
    checkout = write_site(tmp_path / "checkout", {"mycorp/tools.py": "WORD = 'one'\n"})
    root = write_site(tmp_path / "site", {"p.py": "from mycorp.tools import WORD\n"})
    for folder in (checkout, wheel):
        monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr("devlog.packages.install_folders", lambda: frozenset({str(wheel)}))
    before = finding.local(root, "p.py")
    write_site(checkout, {"mycorp/tools.py": "WORD = 'two'\n"})
    assert finding.local(root, "p.py") == before, "a process that may have loaded it goes on with that code"
    finding._code.cache_clear()  # as another process
    assert finding.local(root, "p.py") != before


@pytest.mark.parametrize(
    "code",
    [
        "VALUE = importlib.import_module('rowing_times').VALUE",
        "def late():\n    return import_module(name='rowing_times.of_lanes')",
        "importlib.import_module('.of_lanes', 'rowing_times')",
        "importlib.import_module('.of_lanes', package='rowing_times')",
        "VALUE = __import__('rowing_times', globals(), locals(), ['VALUE'], 0)",
        "from importlib import import_module as im\nVALUE = im('rowing_times').VALUE",
        "load = __import__\nVALUE = load('rowing_times').VALUE",
        "def late(load=import_module):\n    return load('rowing_times')",
        "VALUES = [import_module(name).VALUE for name in ('json', 'rowing_times')]",
        "VALUE = getattr(importlib, 'import_module')('rowing_times').VALUE",
        "import pkgutil\nVALUE = pkgutil.resolve_name('rowing_times:VALUE')",
    ],
)
def test_modules_that_are_imported_by_calls_count(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(write_site(tmp_path / "checkout", {"rowing_times.py": "VALUE = 1\n"})))
    root = write_site(tmp_path / "site", {"p.py": f"import importlib\nfrom importlib import import_module\n{code}\n"})
    finding._code.cache_clear()
    before = finding.local(root, "p.py")
    write_site(tmp_path / "checkout", {"rowing_times.py": "VALUE = 2\n"})
    finding._code.cache_clear()  # as another process
    assert finding.local(root, "p.py") != before
    assert "rowing_times" not in sys.modules, "finding a plugin runs nothing"


def test_a_module_that_shadows_a_standard_one_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But those of Python itself do not: its version does."""
    root = write_site(tmp_path / "site", {"p.py": "import json, sched, xml, zlib\n", "q.py": "import nowhere\n"})
    finding._code.cache_clear()
    plain, nothing = finding.local(root, "p.py"), finding.local(root, "q.py")
    assert isinstance(plain, PluginRef)
    assert isinstance(nothing, PluginRef)
    assert plain.around == nothing.around
    monkeypatch.syspath_prepend(str(write_site(tmp_path / "checkout", {"sched.py": "WORD = 1\n"})))
    finding._code.cache_clear()  # as another process
    before = finding.local(root, "p.py")
    assert before != plain
    write_site(tmp_path / "checkout", {"sched.py": "WORD = 2\n"})
    finding._code.cache_clear()
    assert finding.local(root, "p.py") != before


def test_a_package_below_a_link_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if links lead back to where they are."""
    checkout = write_site(tmp_path / "checkout", {"regatta/__init__.py": ""})
    write_site(tmp_path / "elsewhere", {"__init__.py": "WORD = 1\n"})
    (checkout / "regatta/lanes").symlink_to(tmp_path / "elsewhere")
    (checkout / "regatta/again").symlink_to(checkout)
    monkeypatch.syspath_prepend(str(checkout))
    root = write_site(tmp_path / "site", {"p.py": "from regatta.lanes import WORD\n"})
    finding._code.cache_clear()
    before = finding.local(root, "p.py")
    write_site(tmp_path / "elsewhere", {"__init__.py": "WORD = 2\n"})
    finding._code.cache_clear()  # as another process
    assert finding.local(root, "p.py") != before


@pytest.mark.slow
def test_workers_run_no_later_code_than_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They start later, and import by themselves, but their results are stored under the key of the code known here."""
    write_site(tmp_path / "checkout", {"rowing_stroke.py": "WORD = 'first'\n"})
    monkeypatch.syspath_prepend(str(tmp_path / "checkout"))
    code = f"{HEAD}from rowing_stroke import WORD\n"
    code += "def shown(self, tokens, index, options, env):\n    return env['writer'].trusted(WORD, block=False)\n"
    code += "def add(parser):\n    parser.add_render_rule('em_open', shown)\n"
    code += "plugin = Plugin('rowing', markdown=add, filters={'word': lambda text: WORD})\n"
    many = {f"content/storage/2026-04-{day:02}-{n}.md": "A *boat*\n" for day in range(1, 29) for n in range(4)}
    root = write_site(with_plugin(tmp_path / "site", code), {**many, "templates/404.html": "{{ page.title | word }}"})
    load(plugins_of(root))
    write_site(tmp_path / "checkout", {"rowing_stroke.py": "WORD = 'second'\n"})
    assert not build_site(root, jobs=2).failed
    pages = [page.read_text("utf-8") for page in (root / "public" / "storage").glob("2026-04-*/index.html")]
    assert len([page for page in pages if "A firstboat" in page]) == len(many)
    assert (root / "public" / "404.html").read_text("utf-8") == "first"


def test_modules_run_as_they_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever bytecode there is, and however late they are imported: they count by the code that was read."""
    write_site(tmp_path, {"rowing_race/__init__.py": "WORD = 'old'\n", "rowing_race/late.py": "WORD = 'read'\n"})
    monkeypatch.syspath_prepend(str(tmp_path))
    module = tmp_path / "rowing_race/__init__.py"
    time = module.stat().st_mtime_ns
    py_compile.compile(str(module), invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)
    module.write_text("WORD = 'new'\n", "utf-8")
    os.utime(module, ns=(time, time))
    code = f"{HEAD}import rowing_race\nWORD = rowing_race.WORD\n"
    code += "def late():\n    from rowing_race.late import WORD\n    return WORD\nplugin = Plugin('rowing')\n"
    write_site(tmp_path, {"p.py": code})
    finding._code.cache_clear()
    ref = finding.local(tmp_path, "p.py")
    assert isinstance(ref, PluginRef)
    write_site(tmp_path, {"rowing_race/late.py": "WORD = 'edited'\n"})
    load([ref])
    loaded = sys.modules[ref.module_name]
    assert (loaded.WORD, loaded.late()) == ("new", "read")


def _importing(code: str) -> str:
    return f"import sys\n{HEAD}{code}\nplugin = Plugin('rowing')\n"


@pytest.mark.parametrize(
    ("module", "code", "line"),
    [
        ("rowing_oars", "sys.path.insert(0, TOOLS)\nfrom rowing_oars import WORD", 4),
        ("rowing_boats", "sys.path.insert(0, TOOLS)\ndef late():\n    import rowing_boats", 5),
        ("rowing_crews", "sys.path.insert(0, TOOLS)\nimport rowing_crews\nsys.path.remove(TOOLS)", 4),
        ("sched", "sys.path.insert(0, TOOLS)\ndef late():\n    import sched", 5),
    ],
)
def test_modules_that_a_plugin_finds_by_itself_are_refused(
    module: str, code: str, line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only running the plugin can tell where they are, so that an edit of them would go unnoticed."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    code = _importing(code.replace("TOOLS", repr(str(tmp_path / "tools"))))
    write_site(tmp_path, {f"tools/{module}.py": "WORD = 1\n"})
    problem = broken(with_plugin(tmp_path, code))
    assert (problem.code, problem.span.path, problem.span.line) == ("bad-plugin", "plugins.py", line)
    assert f"it imports “{module}” from “tools/{module}.py”" in problem.message
    assert broken(tmp_path) == problem, "however often it is asked"


def test_modules_that_devlog_finds_are_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those on the path of Python, in what was found there, and those that are nowhere."""
    inner = "import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).parent / 'inside'))\n"
    write_site(tmp_path / "checkout", {"rowing_lanes.py": "", "rowing_club/__init__.py": inner})
    write_site(tmp_path / "checkout", {"rowing_club/inside/rowing_members.py": ""})
    monkeypatch.syspath_prepend(str(tmp_path / "checkout"))
    late = "try:\n    import rowing_nowhere\nexcept ImportError:\n    pass"
    code = f"import json, sched, msgspec, pytest, rowing_lanes, rowing_club, rowing_members\n{late}"
    assert not build_site(with_plugin(tmp_path / "site", _importing(code))).failed


def test_a_module_may_come_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a preview runs, say: the next process looks for it where it is now."""
    (tmp_path / "checkout").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "checkout"))
    root = with_plugin(tmp_path / "site", _importing("import rowing_regatta"))
    assert "No module named" in broken(root).message
    write_site(tmp_path / "checkout", {"rowing_regatta.py": ""})
    importlib.invalidate_caches()
    assert not build_site(root).failed


def test_calls_with_names_that_no_module_can_have(tmp_path: Path) -> None:
    calls = [f"import_module({name})" for name in ("''", "'.'", "'a b'", r"'a\0b'", "'../x'", r"'\ud800'", "b'x'", "1")]
    root = write_site(tmp_path, {"p.py": "".join(f"def f{n}(): {call}\n" for n, call in enumerate(calls))})
    assert not isinstance(finding.local(root, "p.py"), Diagnostic)


def test_finding_plugins_issues_no_warnings(tmp_path: Path) -> None:
    """Those of the compiler, which depend on the version of Python, come when the code is imported, with its file."""
    root = write_site(tmp_path, {"p.py": r"PATTERN = '\d'" + "\n"})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        finding.local(root, "p.py")
    assert found == []


def _ref(root: Path, code: str) -> PluginRef:
    ref = finding.local(write_site(root, {"p.py": code}), "p.py")
    assert isinstance(ref, PluginRef)
    return ref


def _installed_cox(digest: str) -> dict[str, str]:
    return {"rowing_cox.py": "", "rowing_cox-1.0.dist-info/RECORD": f"rowing_cox.py,sha256={digest},\n"}


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("import rowing_cox", {}, {"rowing_cox.py": ""}),
        ("import rowing_cox", {"rowing_cox.py": ""}, {"rowing_cox.py": "WORD = 1\n"}),
        ("import rowing_cox", {"rowing_cox/__init__.py": ""}, {"rowing_cox/late.py": ""}),
        ("import rowing_cox", {"rowing_cox.py": "import rowing_bow\n"}, {"rowing_bow.py": ""}),
        ("import sched", {}, {"sched.py": ""}),
        ("import rowing_cox", _installed_cox("one"), _installed_cox("two")),
    ],
)
def test_modules_that_change_while_devlog_runs(
    code: str, before: dict[str, str], after: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write_site(tmp_path / "place", {"other.py": "", **before})
    monkeypatch.syspath_prepend(str(place))
    finding._code.cache_clear()
    look_again()
    try:
        ref = _ref(tmp_path / "site", code)
        assert finding.changed([ref]) == set()
        write_site(place, after)
        importlib.invalidate_caches()
        (name,) = finding.changed([ref])
        assert f"{name}" in {Path(file).parts[0].removesuffix(".py") for file in after}
        finding._code.cache_clear()  # as another process
        assert finding.changed([_ref(tmp_path / "site", code)]) == set()
    finally:
        monkeypatch.undo()
        look_again()
        finding._code.cache_clear()
