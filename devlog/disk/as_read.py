"""Lets this process run the code of modules as it was read, so that what counts is what runs.

Otherwise an edit between reading a module and importing it, which a function may do late, would count as the code from
before it, and so would bytecode of an earlier version.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType

from devlog.plugins.given import Given


class _AsRead:
    """Finds modules as Python does, and gives those that were read the code that they had then."""

    def __init__(self) -> None:
        self.codes: dict[str, dict[str, bytes]] = {}  # by top-level module, and by file

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        codes = self.codes.get(fullname.partition(".")[0])
        if codes is None:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next((spec for finder in others if (spec := finder.find_spec(fullname, path, target))), None)
        if spec and spec.origin and isinstance(spec.loader, SourceFileLoader):
            code = codes.get(str(Path(spec.origin)))
            if code is not None:
                spec.loader = Given(fullname, spec.origin, code)
        return spec


_FINDER = _AsRead()


def run_as_read(module: str, file: Path, code: bytes) -> None:
    """Let imports in this process run this code of a file.

    Args:
        module: the top-level module or package that the file belongs to.
        file: the file.
        code: its bytes.
    """
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    _FINDER.codes.setdefault(module, {})[str(file)] = code
