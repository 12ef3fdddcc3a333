"""An incremental build equals a clean one, whatever was edited before.

A machine edits a site at random, as its writers would, and builds it after every edit: what is in ``public/``, and
what the build says, must be what a build of the same input in an empty folder makes. So that the test is known to
notice mistakes, ``test_dependencies.py`` leaves out of the keys one dependency after the other.

``DEVLOG_MACHINE_STEPS=2000`` runs the machine for about so many edits, at random; without it a short and always
equal selection runs.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from outcomes import known_outcome, outcome
from sites import NOW, build_site, read_tree
from writers import Writers, machine_settings

from devlog.disk.manifest import MANIFEST

NOWS = [NOW, datetime(2026, 3, 4, 23, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)]


class Builders(Writers):
    """Builds the site after every edit."""

    def check(self, *, replaced: int = 0) -> None:
        files = self.world.files()
        self.save(files)
        before = outcome_files(self.root)
        report = build_site(self.root, **self.options)
        clean, clean_report = known_outcome(files, **self.options)
        here = outcome(self.root, report)
        assert [item.code for item in report.diagnostics].count("edited-output") == replaced
        if clean_report.failed:  # nothing was written, here as there
            assert here.files == before
            assert clean.files == {}
            here, clean = (replace(item, files={}, folders=[]) for item in (here, clean))
        assert here == clean
        self.good = not clean_report.failed

    @rule(now=st.sampled_from(NOWS), drafts=st.booleans(), future=st.booleans())
    def another_day(self, now: datetime, drafts: bool, future: bool) -> None:
        self.options = {"now": now, "drafts": drafts, "future": future}
        self.check()

    @precondition(lambda self: self.good)
    @rule()
    def build_again(self) -> None:
        report = build_site(self.root, **self.options)
        assert (report.parsed, report.rendered, report.written, report.removed) == (0, 0, (), ())

    @precondition(lambda self: self.good)
    @rule(data=st.data())
    def delete_an_output(self, data: st.DataObject) -> None:
        (self.root / "public" / data.draw(st.sampled_from(sorted(outcome_files(self.root))))).unlink()
        self.check()

    @precondition(lambda self: self.good)
    @rule(data=st.data(), same_length=st.booleans())
    def edit_an_output(self, data: st.DataObject, same_length: bool) -> None:
        files = outcome_files(self.root)
        path = data.draw(st.sampled_from(sorted(path for path in files if files[path])))
        text = bytes(reversed(files[path])) if same_length else files[path] + b"!"
        (self.root / "public" / path).write_bytes(text)
        self.check(replaced=int(text != files[path]))


def outcome_files(root: Path) -> dict[str, bytes]:
    return {path: data for path, data in read_tree(root / "public").items() if path != MANIFEST}


TestIncremental = Builders.TestCase
TestIncremental.settings = machine_settings(examples=8)
