"""Once code has changed that this process may run, its results are not stored for others."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sites import write_site

from devlog.disk.plugins import local
from devlog.engine.executor_registry import INLINE
from devlog.engine.store import Store
from devlog.model.derived import Made, Work
from devlog.model.theme import PluginRef
from devlog.stages import Stages


def item(parts: Mapping[str, Any], _files: Sequence[bytes]) -> Made:
    """Makes something, and a module appears meanwhile, if one is named."""
    if parts["module"]:
        Path(parts["module"]).write_text("WORD = 1\n")
        importlib.invalidate_caches()
    return Made({"made": True}, (b"blob",))


def test_what_changed_code_may_have_made_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = write_site(tmp_path / "place", {"other.py": ""})
    monkeypatch.syspath_prepend(str(place))
    plugin = local(write_site(tmp_path, {"p.py": "import rowing_stern\n"}), "p.py")
    assert isinstance(plugin, PluginRef)
    before, meanwhile, after = (
        Work(f"{__name__}:item", {"number": number, "module": module})
        for number, module in enumerate(["", str(place / "rowing_stern.py"), ""])
    )
    with closing(Store(None)) as store:
        stages = Stages(store, 1, lambda *_: None, INLINE)
        stages.plugins = (plugin,)
        for work in (before, meanwhile, after):
            stages.begin()
            assert stages.derive([work], lambda _file: b"")[0].facts
            stages.remember(f"name {work.parts['number']}", b"data")
            assert stages.cacheable == (work is before)
        keys = [stages._cache_keys.of_work(work) for work in (before, meanwhile, after)]
        assert store.read(keys).keys() == {keys[0]}
        assert [stages.recall(f"name {number}") for number in range(3)] == [b"data", b"", b""]
        assert stages.advice.startswith("Code has changed since the start: rowing_stern.")
        (place / "rowing_stern.py").unlink()
        importlib.invalidate_caches()
        stages.begin()
        stages.derive([after], lambda _file: b"")
        assert not stages.cacheable, "it may have been imported meanwhile"
        assert store.read(keys).keys() == {keys[0]}
