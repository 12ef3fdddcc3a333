"""Bringing an index up to date: what has changed is read, and what the site decides is worked out where it may differ.

What a text says is in its file alone, so an edit costs the reading of one file. What it *is* (title, URL, topic, date)
follows from its front matter and from the indexes of the folders above it: these few are assembled as a small site.
Only where something changes that may decide about every text (the configuration, an index, a new bundle), all of them
are assembled, of their front matter as it is remembered. Either way the result is that of a new index.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from devlog.assemble.authors import Directory
from devlog.assemble.site import needs_git_date
from devlog.config import AuthorEntry
from devlog.disk.git import state_of
from devlog.disk.read import read_source, read_text
from devlog.engine.digests import Digester
from devlog.engine.toolchain import time_zone
from devlog.inputs import Inputs
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Byline, Parsed
from devlog.model.names import fold, named_file
from devlog.model.source import Asset, SourceFile
from devlog.plugin import lookups_of
from devlog.search.database import PER_TEXT, transaction
from devlog.search.facts import Facts, deciding, facts_of, is_bundle, is_index

if TYPE_CHECKING:
    from devlog.search.reading import Reading

Progress = Callable[[str, int, int], None]

_FEW = 64
"""So many texts at most are assembled by themselves: more are not worth a site of their own."""

_VARIABLES = 500  # of one question; SQLite's oldest limit is 999


class _Known(NamedTuple):
    """What the index has of a text."""

    id: int
    digest: str
    beside: str
    own: str
    byline: int


class _Plan(NamedTuple):
    """What is to be done."""

    known: dict[str, _Known]
    gone: tuple[str, ...]
    changed: tuple[SourceFile, ...]
    way: str

    @property
    def is_empty(self) -> bool:
        return not self.gone and not self.changed and not self.way


class Refresh:
    """Brings the index of a site up to date."""

    def __init__(
        self, connection: sqlite3.Connection, root: Path, inputs: Inputs, now: datetime, progress: Progress
    ) -> None:
        """
        Args:
            connection: to the index.
            root: the site's folder.
            inputs: what was read of the site.
            now: the present moment.
            progress: told how many texts have been read.
        """
        self._connection = connection
        self._root = root
        self._inputs = inputs
        self._now = now
        self._progress = progress
        self._options = inputs.parse_options()
        self._reading = Digester().key([self._options])
        self._sources = {source.path: source for source in inputs.content.sources}
        self._files = {asset.path: asset for asset in (*inputs.static.assets, *inputs.content.assets)}
        self._bylines: dict[bytes, int] = {}

    def run(self) -> int:
        """Do it; returns how many texts were read."""
        before = self._data_version()
        plan = self._plan()
        if plan.is_empty:
            return 0
        with transaction(self._connection):
            if self._data_version() != before:  # another process may have done it meanwhile
                plan = self._plan()
            self._update(plan)
        return len(plan.changed)

    def _data_version(self) -> int:
        """A number that differs once another connection has changed the index."""
        found: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return found

    # -- what is to be done

    def _plan(self) -> _Plan:
        rows = self._connection.execute("SELECT path, id, digest, beside, own, byline FROM doc")
        known = {path: _Known(*rest) for path, *rest in rows}
        all_anew = self._meta("reading") != self._reading
        changed = [source for source in self._sources.values() if all_anew or self._differs(source, known)]
        gone = tuple(path for path in known if path not in self._sources)
        way = self._way()
        return _Plan(known, gone, tuple(changed), "" if self._meta("way") == way else way)

    def _differs(self, source: SourceFile, known: Mapping[str, _Known]) -> bool:
        old = known.get(source.path)
        if old is None or old.digest != source.digest:
            return True
        return bool(old.beside) and old.beside != self._beside(source.path, old.beside.partition("\n")[0])

    def _way(self) -> str:
        """A digest of what decides about all texts but their indexes."""
        undated = self._connection.execute("SELECT 1 FROM doc WHERE undated LIMIT 1").fetchone()
        inputs = self._inputs
        zone, history = time_zone(inputs.config.timezone), self._history if undated else ""
        return Digester().key([self._reading, inputs.config, zone, inputs.registry, history])

    @cached_property
    def _history(self) -> str:
        """What tells whether the files were added at other times: asked before they are, and not again after."""
        return state_of(self._root)

    def _beside(self, path: str, target: str) -> str:
        """The file of a text beside a post as that names it, and the digest of what it names; empty without one."""
        file = self._file_beside(path, target)
        return f"{target}\n{file.digest if file else ''}" if target else ""

    def _file_beside(self, path: str, target: str) -> SourceFile | Asset | None:
        for known in (self._sources, self._files):
            if name := named_file(path, target, known):
                return known[name]
        return None

    # -- doing it

    def _update(self, plan: _Plan) -> None:
        together = self._decides_together()
        names, shape, moved = bool(plan.way), False, set[str]()
        for path in plan.gone:
            self._remove(plan.known[path].id)
            names, shape = True, shape or is_index(path) or is_bundle(path)
        for number, source in enumerate(plan.changed, 1):
            self._progress("parse", number, len(plan.changed))
            path, old = source.path, plan.known.get(source.path)
            reading = self._read(source)
            if isinstance(reading, Diagnostic):
                if old and reading.code != "changed-while-building":
                    self._remove(old.id)
                    names, shape = True, shape or is_index(path) or is_bundle(path)
                continue
            names |= self._write(source, reading, old)
            if old is None or old.own != reading.own:
                moved.add(path)
                shape |= is_index(path) or (old is None and is_bundle(path))
        everything = shape or plan.way or len(moved) > _FEW
        if everything or ((moved or plan.gone) and (together or self._decides_together())):
            self._decide(self._heads())
        elif moved:
            self._decide(self._heads(moved), moved)
        if names:
            self._name_authors()
        self._set_meta("reading", self._reading)
        self._set_meta("way", self._way())

    def _decides_together(self) -> bool:
        """Whether texts may decide about each other: in other dialects, and where one is the transcript of another."""
        if self._inputs.config.conventions.is_foreign:
            return True
        wanted = "SELECT 1 FROM doc WHERE beside LIKE '%.md\n%' OR beside LIKE '%.markdown\n%' LIMIT 1"
        return self._connection.execute(wanted).fetchone() is not None

    def _read(self, source: SourceFile) -> Reading | Diagnostic:
        from devlog.search.reading import read  # with the readers of front matter: most searches find nothing new

        text = read_source(self._root, source)
        if isinstance(text, Diagnostic):
            return text
        reading = read(text, self._options)
        target = _named(reading.parsed)
        file = self._file_beside(source.path, target) if target else None
        beside = read_text(self._root, file.file) if file else None
        return read(text, self._options, (file.file, beside)) if file and isinstance(beside, str) else reading

    def _remove(self, number: int) -> None:
        self._connection.execute("DELETE FROM doc WHERE id = ?", [number])
        self._remove_sections(number)

    def _remove_sections(self, number: int) -> None:
        span = (number * PER_TEXT, number * PER_TEXT + PER_TEXT - 1)
        self._connection.execute("DELETE FROM section WHERE id BETWEEN ? AND ?", span)
        self._connection.execute("DELETE FROM text WHERE rowid BETWEEN ? AND ?", span)

    def _write(self, source: SourceFile, reading: Reading, old: _Known | None) -> bool:
        """Put a text into the index; returns whether who wrote what may have changed."""
        parsed = reading.parsed
        front_matter = parsed.front_matter
        byline = self._byline(() if is_index(source.path) else front_matter.authors)
        row = {
            "file": source.file,
            "digest": source.digest,
            "beside": self._beside(source.path, _named(parsed)),
            "own": reading.own,
            "head": reading.head,
            "undated": needs_git_date(parsed),
            "byline": byline,
            "line": front_matter.span("title", source.file).line,
            "summary": reading.summary,
        }
        execute = self._connection.execute
        if old:
            number = old.id
            marks = ", ".join(f"{key} = :{key}" for key in row)
            execute(f"UPDATE doc SET {marks} WHERE id = :id", {**row, "id": number})  # noqa: S608 - only names of ours
            (title,) = execute("SELECT title FROM doc WHERE id = ?", [number]).fetchone()
            self._remove_sections(number)
        else:
            title = front_matter.title or parsed.document.title
            row |= {"path": source.path, "title": title, "draft": 0}
            row |= dict.fromkeys(("url", "kind", "day", "topic", "tags"), "")
            marks = ", ".join(f":{key}" for key in row)
            columns = ", ".join(row)
            done = execute(f"INSERT INTO doc ({columns}) VALUES ({marks})", row)  # noqa: S608 - only names of ours
            number = done.lastrowid or 0
        self._write_sections(number, title, reading)
        return old is None or old.byline != byline

    def _write_sections(self, number: int, title: str, reading: Reading) -> None:
        first = number * PER_TEXT
        self._connection.executemany(
            "INSERT INTO section VALUES (?, ?, ?, ?, ?)",
            [(first + n, s.line, s.level, s.fragment, s.source) for n, s in enumerate(reading.sections)],
        )
        self._connection.executemany(
            "INSERT INTO text (rowid, title, heading, names, body) VALUES (?, ?, ?, ?, ?)",
            [
                (first + n, title, section.heading, names, section.text)
                for n, (section, names) in enumerate(zip(reading.sections, reading.names, strict=True))
            ],
        )

    # -- what the whole site decides

    def _heads(self, paths: Iterable[str] | None = None) -> list[Parsed]:
        """What texts say about themselves: all of them, or some with those that decide what these are."""
        if paths is None:
            rows = self._connection.execute("SELECT head FROM doc ORDER BY path").fetchall()
        else:
            wanted = sorted({name for path in paths for name in (path, *deciding(path))})
            rows = [
                row
                for start in range(0, len(wanted), _VARIABLES)
                for row in self._connection.execute(
                    f"SELECT head FROM doc WHERE path IN ({marks(wanted[start : start + _VARIABLES])})",  # noqa: S608
                    wanted[start : start + _VARIABLES],
                )
            ]
        decode = msgspec.msgpack.Decoder(Parsed).decode
        return [decode(head) for (head,) in rows]

    def _decide(self, heads: Sequence[Parsed], wanted: Iterable[str] | None = None) -> None:
        """Work out what texts are, and write down what has changed.

        Args:
            heads: of the texts.
            wanted: those about which this decides; `None` for all.
        """
        found = facts_of(self._root, self._inputs, heads, self._now)
        columns = Facts.__struct_fields__
        shown = f"SELECT id, {', '.join(columns)} FROM doc WHERE path = ?"  # noqa: S608 - only names of ours
        stored = f"UPDATE doc SET {', '.join(f'{name} = ?' for name in columns)} WHERE id = ?"  # noqa: S608
        for path in sorted(found.keys() | {item.path for item in heads} if wanted is None else wanted):
            facts = msgspec.structs.astuple(found.get(path, _NOTHING))
            row = self._connection.execute(shown, [path]).fetchone()
            if row is None or row[1:] == facts:
                continue
            self._connection.execute(stored, (*facts, row[0]))
            if row[1] != facts[0]:
                span = (facts[0], row[0] * PER_TEXT, row[0] * PER_TEXT + PER_TEXT - 1)
                self._connection.execute("UPDATE text SET title = ? WHERE rowid BETWEEN ? AND ?", span)

    # -- who wrote what

    def _byline(self, authors: Sequence[Byline]) -> int:
        """The number of some names as they are written, which many texts share."""
        names = msgspec.msgpack.encode([(one.name, one.handle, one.aside) for one in authors])
        number = self._bylines.get(names)
        if number is None:
            row = self._connection.execute("SELECT id FROM byline WHERE names = ?", [names]).fetchone()
            if row is None:
                done = self._connection.execute("INSERT INTO byline (names, keys) VALUES (?, '')", [names])
                row = (done.lastrowid,)
            number = self._bylines[names] = int(row[0])
        return number

    def _name_authors(self) -> None:
        """Find out whom all names mean: each may decide what others mean."""
        execute = self._connection.execute
        execute("DELETE FROM byline WHERE id NOT IN (SELECT byline FROM doc)")
        self._bylines = {}
        rows = execute("SELECT id, names, keys FROM byline ORDER BY names").fetchall()
        written = {number: [_as_byline(*names) for names in msgspec.msgpack.decode(data)] for number, data, _ in rows}
        every = [byline for some in written.values() for byline in some]
        directory = Directory(every, self._inputs.registry, {})
        for number, _, before in rows:
            keys = "".join(f" {directory.credit(byline).author} " for byline in written[number])
            if keys != before:
                execute("UPDATE byline SET keys = ? WHERE id = ?", [keys, number])
        people = [(byline.name, directory.credit(byline).author) for byline in every if byline.name]
        people += _registered(self._inputs.registry)
        execute("DELETE FROM person")
        self._connection.executemany(
            "INSERT OR IGNORE INTO person VALUES (?, ?)", [(fold(name), key) for name, key in people]
        )

    # -- small things

    def _meta(self, key: str) -> str:
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
        return row[0] if row else ""

    def _set_meta(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])


_NOTHING = Facts("", "", "")


def marks(values: Sequence[object]) -> str:
    """So many marks as there are values for a question to the index."""
    return ", ".join("?" * len(values))


def _as_byline(name: str, handle: str, aside: str) -> Byline:
    return Byline(name, handle, Span(""), aside)


def _registered(registry: Mapping[str, AuthorEntry]) -> Iterator[tuple[str, str]]:
    for key, entry in sorted(registry.items()):
        for name in (entry.name, *entry.aliases):
            if name:
                yield name, key.lstrip("@").lower()


def _named(parsed: Parsed) -> str:
    """The file of a text that stands in the page of another, as that names it; empty without one."""
    return next((name for lookup in lookups_of(parsed) if (name := lookup.beside(parsed))), "")
