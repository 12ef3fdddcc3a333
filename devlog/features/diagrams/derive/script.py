"""Publishes Mermaid's own script, which draws in readers' browsers, where nothing draws during the build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from devlog.deriving import Deriving
from devlog.features.diagrams.disk import Script
from devlog.model.derived import Facts, Made, Work

_COPIED = "devlog.features.diagrams.derive.script:copied"


class ScriptFiles(msgspec.Struct, frozen=True):
    """The files to publish.

    Attributes:
        permalink: that of the script.
        blobs: the digests of the bytes of the script and of its license, by permalink.
    """

    permalink: str
    blobs: Mapping[str, str]


def derive_script(work: Deriving, script: Script) -> ScriptFiles | str:
    """The script and its license, in the store, or why they cannot be read."""
    (made,) = work.stages.derive([Work(_COPIED, {}, script.files, facts=_Files)], work.read)
    if made.problem:
        return made.problem
    code, notice = made.blobs
    permalink = f"/diagrams/mermaid-{code}.js"
    return ScriptFiles(permalink, {permalink: code, "/diagrams/mermaid.txt": notice})


class _Files(Facts, frozen=True):
    """The script and its license, as files."""

    def fits(self, work: Work, blobs: int) -> bool:
        return blobs == 2


def copied(_parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Files as they are."""
    return Made({}, tuple(files))
