"""Updates the index: reads changed sources, and recomputes site-dependent properties where they may differ.

The body of a post depends only on its file, so an edit costs the reading of one file. Its title, URL, topic and date
depend on its front matter and on the index files of the folders above it: these few are assembled as a small site. Only
after a change that may affect every post (of the configuration, an index file, a new bundle), all of them are
assembled, from their front matter in the index. Either way the result equals a new index.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from devlog.assemble.authors import AuthorEntries, Directory
from devlog.assemble.site import needs_git_date
from devlog.config import AuthorEntry
from devlog.disk.git import state_of
from devlog.disk.read import TEXT_SUFFIXES, read_source, read_text
from devlog.engine.digests import Digester
from devlog.engine.toolchain import time_zone
from devlog.engine.work import time_limit
from devlog.inputs import Inputs
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.document import Byline, Parsed
from devlog.model.names import fold, named_file
from devlog.model.source import Asset, Source, SourceFile
from devlog.out_of_time import OutOfTimeError
from devlog.plugins.faults import faults
from devlog.plugins.features import lookups_of, source_formats
from devlog.search.accents import without_accents
from devlog.search.database import PER_TEXT, transaction
from devlog.search.facts import Facts, deciding, facts_of, is_bundle, is_index
from devlog.search.seals import SHOWN, check_seal, seal

if TYPE_CHECKING:
    from devlog.search.reading import Reading

Progress = Callable[[str, int, int], None]

_FEW = 64
"""The maximum number of changed posts that are assembled as a small site; if there are more, the whole site is."""

SECONDS = 10.0
"""The time limit for reading a source, and once more with the file that its page also shows."""

_VARIABLES = 500  # the maximum number of parameters of a query; the default limit of old SQLite versions is 999


class _Known(NamedTuple):
    """The row of a source in the index."""

    id: int
    digest: str
    companion: str
    own: str
    byline: int


class _Plan(NamedTuple):
    """The work of a refresh.

    Attributes:
        known: the rows of the index, by path.
        gone: the paths of deleted sources.
        changed: the sources to read.
        way: the new value of `Refresh._way`, if it has changed; else empty.
    """

    known: dict[str, _Known]
    gone: tuple[str, ...]
    changed: tuple[SourceFile, ...]
    way: str

    @property
    def is_empty(self) -> bool:
        return not self.gone and not self.changed and not self.way


class Refresh:
    """Updates the index of a site."""

    def __init__(
        self, connection: sqlite3.Connection, root: Path, inputs: Inputs, now: datetime, progress: Progress
    ) -> None:
        """
        Args:
            connection: to the index.
            root: the site's folder.
            inputs: of the site.
            now: the current time.
            progress: called with the stage, the number of sources read and the total.
        """
        self._connection = connection
        self._root = root
        self._inputs = inputs
        self._now = now
        self._progress = progress
        self._options = inputs.parse_options()
        self._suffixes = (*TEXT_SUFFIXES, *source_formats(plugin for _, plugin in inputs.plugins))
        self._reading = Digester().key([self._options])
        self._sources = {source.path: source for source in inputs.content.sources}
        self._files = {asset.path: asset for asset in (*inputs.static.assets, *inputs.content.assets)}
        self._bylines: dict[bytes, int] = {}

    def run(self) -> int:
        """Update the index; returns the number of sources read."""
        before = self._data_version()
        plan = self._plan()
        if plan.is_empty:
            return 0
        with transaction(self._connection):
            if self._data_version() != before:  # another process may have updated it meanwhile
                plan = self._plan()
            self._update(plan)
        return len(plan.changed)

    def _data_version(self) -> int:
        """A number that changes whenever another connection modifies the index."""
        found: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return found

    # -- planning

    def _plan(self) -> _Plan:
        rows = self._connection.execute("SELECT path, id, digest, companion, own, byline FROM doc")
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
        return bool(old.companion) and old.companion != self._companion(source.path, old.companion.partition("\n")[0])

    def _way(self) -> str:
        """A digest of everything that affects all posts, except index files."""
        undated = self._connection.execute("SELECT 1 FROM doc WHERE undated LIMIT 1").fetchone()
        inputs = self._inputs
        zone, history = time_zone(inputs.config.timezone), self._history if undated else ""
        return Digester().key([self._reading, zone, inputs.author_entries, history], [("config", inputs.config)])

    @cached_property
    def _history(self) -> str:
        """The state of git, on which dates depend: read once, before the dates are."""
        return state_of(self._root)

    def _companion(self, path: str, target: str) -> str:
        """The file that a post's page also shows, as the post names it, with its digest; empty if there is none."""
        file = self._file_beside(path, target)
        return f"{target}\n{file.digest if file else ''}" if target else ""

    def _file_beside(self, path: str, target: str) -> SourceFile | Asset | None:
        for known in (self._sources, self._files):
            if name := named_file(path, target, known):
                return known[name]
        return None

    # -- updating

    def _update(self, plan: _Plan) -> None:
        together = self._decides_together()
        names, shape, moved = bool(plan.way), False, set[str]()
        for path in plan.gone:
            self._remove(plan.known[path].id)
            names, shape = True, shape or is_index(path) or is_bundle(path)
        for number, source in enumerate(plan.changed, 1):
            self._progress("Reading posts", number, len(plan.changed))
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
        """Whether any post may affect others: in other dialects, and if one is the transcript of another."""
        if self._inputs.config.conventions.is_foreign:
            return True
        wanted = "SELECT 1 FROM doc WHERE companion LIKE '%.md\n%' OR companion LIKE '%.markdown\n%' LIMIT 1"
        return self._connection.execute(wanted).fetchone() is not None

    def _read(self, source: SourceFile) -> Reading | Diagnostic:
        text = read_source(self._root, source)
        if isinstance(text, Diagnostic):
            return text
        reading = self._reading_of(text) or self._reading_of(msgspec.structs.replace(text, text=""))
        assert reading
        target = _named(reading.parsed)
        file = self._file_beside(source.path, target) if target else None
        companion = read_text(self._root, file.file) if file else None
        whole = self._reading_of(text, (file.file, companion)) if file and isinstance(companion, str) else None
        return whole or reading

    def _reading_of(self, text: Source, companion: tuple[str, str] | None = None) -> Reading | None:
        """A source, read; `None` if that fails or takes too long: the others can be found all the same."""
        from devlog.search.reading import read  # imports the front matter parser, which most searches do not need

        try:
            with time_limit(SECONDS):
                return read(text, self._options, companion)
        except OutOfTimeError:
            return None
        except faults():
            return None

    def _remove(self, number: int) -> None:
        self._connection.execute("DELETE FROM doc WHERE id = ?", [number])
        self._remove_sections(number)

    def _remove_sections(self, number: int) -> None:
        span = (number * PER_TEXT, number * PER_TEXT + PER_TEXT - 1)
        self._connection.execute("DELETE FROM section WHERE id BETWEEN ? AND ?", span)
        self._connection.execute("DELETE FROM text WHERE rowid BETWEEN ? AND ?", span)

    def _write(self, source: SourceFile, reading: Reading, old: _Known | None) -> bool:
        """Write a source to the index; returns whether authors may have changed."""
        parsed = reading.parsed
        front_matter = parsed.front_matter
        byline = self._byline(() if is_index(source.path) else front_matter.authors)
        row = {
            "file": source.file,
            "digest": source.digest,
            "companion": self._companion(source.path, _named(parsed)),
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
            self._check(number)
            marks = ", ".join(f"{key} = :{key}" for key in row)
            execute(f"UPDATE doc SET {marks} WHERE id = :id", {**row, "id": number})  # noqa: S608 - constant names only
            (title,) = execute("SELECT title FROM doc WHERE id = ?", [number]).fetchone()
            self._remove_sections(number)
        else:
            title = front_matter.title or parsed.document.title
            row |= {"path": source.path, "title": title, "draft": 0, "seal": ""}
            row |= dict.fromkeys(("url", "kind", "day", "topic", "tags"), "")
            marks = ", ".join(f":{key}" for key in row)
            columns = ", ".join(row)
            done = execute(f"INSERT INTO doc ({columns}) VALUES ({marks})", row)  # noqa: S608 - constant names only
            number = done.lastrowid or 0
        self._seal(number)
        self._write_sections(number, title, reading)
        return old is None or old.byline != byline

    def _write_sections(self, number: int, title: str, reading: Reading) -> None:
        first = number * PER_TEXT
        self._connection.executemany(
            "INSERT INTO section VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (first + n, s.line, s.level, s.fragment, s.source, *map(_if_accented, (s.heading, s.text)), seal(s))
                for n, s in enumerate(reading.sections)
            ],
        )
        self._connection.executemany(
            "INSERT INTO text (rowid, title, heading, names, body) VALUES (?, ?, ?, ?, ?)",
            [
                (first + n, *map(without_accents, (title, section.heading, names, section.text)))
                for n, (section, names) in enumerate(zip(reading.sections, reading.names, strict=True))
            ],
        )

    def _seal(self, number: int) -> None:
        """Seal the row of a post as it is now."""
        values = self._connection.execute(f"SELECT {SHOWN} FROM doc WHERE id = ?", [number]).fetchone()  # noqa: S608
        self._connection.execute("UPDATE doc SET seal = ? WHERE id = ?", [seal(values), number])

    def _check(self, number: int) -> None:
        """Check the row of a post before a part of it is written, which seals the rest as well."""
        asked = f"SELECT seal, {SHOWN} FROM doc WHERE id = ?"  # noqa: S608 - a constant
        sealed, *values = self._connection.execute(asked, [number]).fetchone()
        check_seal(sealed, values)

    # -- properties that depend on the whole site

    def _heads(self, paths: Iterable[str] | None = None) -> list[Parsed]:
        """The front matter of all sources; or of some, with the index files that affect them.

        Args:
            paths: of these sources; `None` for all.
        """
        if paths is None:
            rows = self._connection.execute("SELECT head, own FROM doc ORDER BY path").fetchall()
        else:
            wanted = sorted({name for path in paths for name in (path, *deciding(path, self._suffixes))})
            rows = [
                row
                for start in range(0, len(wanted), _VARIABLES)
                for row in self._connection.execute(
                    f"SELECT head, own FROM doc WHERE path IN ({marks(wanted[start : start + _VARIABLES])})",  # noqa: S608
                    wanted[start : start + _VARIABLES],
                )
            ]
        decode = msgspec.msgpack.Decoder(Parsed).decode
        if any(digest_bytes(head) != own for head, own in rows):
            raise sqlite3.DatabaseError("damaged front matter")
        return [decode(head) for head, _ in rows]

    def _decide(self, heads: Sequence[Parsed], wanted: Iterable[str] | None = None) -> None:
        """Compute the site-dependent properties of sources, and store those that have changed.

        Args:
            heads: the front matter of the sources.
            wanted: the paths of the sources to update; `None` for all.
        """
        found = facts_of(self._root, self._inputs, heads, self._now)
        columns = Facts.__struct_fields__
        shown = f"SELECT id, {', '.join(columns)} FROM doc WHERE path = ?"  # noqa: S608 - constant names only
        stored = f"UPDATE doc SET {', '.join(f'{name} = ?' for name in columns)} WHERE id = ?"  # noqa: S608
        for path in sorted(found.keys() | {item.path for item in heads} if wanted is None else wanted):
            facts = msgspec.structs.astuple(found.get(path, _NOTHING))
            row = self._connection.execute(shown, [path]).fetchone()
            if row is None or row[1:] == facts:
                continue
            self._check(row[0])
            self._connection.execute(stored, (*facts, row[0]))
            self._seal(row[0])
            if row[1] != facts[0]:
                span = (without_accents(facts[0]), row[0] * PER_TEXT, row[0] * PER_TEXT + PER_TEXT - 1)
                self._connection.execute("UPDATE text SET title = ? WHERE rowid BETWEEN ? AND ?", span)

    # -- authors

    def _byline(self, authors: Sequence[Byline]) -> int:
        """The row id of a list of authors as written, which many posts can share."""
        names = msgspec.msgpack.encode([(one.name, one.handle, one.aside) for one in authors])
        number = self._bylines.get(names)
        if number is None:
            row = self._connection.execute("SELECT id FROM byline WHERE names = ?", [names]).fetchone()
            if row is None:
                done = self._connection.execute(
                    "INSERT INTO byline (names, keys, seal) VALUES (?, '', ?)", [names, seal("")]
                )
                row = (done.lastrowid,)
            number = self._bylines[names] = int(row[0])
        return number

    def _name_authors(self) -> None:
        """Resolve all names to authors: all at once, since each name can affect how others are resolved."""
        execute = self._connection.execute
        execute("DELETE FROM byline WHERE id NOT IN (SELECT byline FROM doc)")
        self._bylines = {}
        rows = execute("SELECT id, names, keys FROM byline ORDER BY names").fetchall()
        written = {number: [_as_byline(*names) for names in msgspec.msgpack.decode(data)] for number, data, _ in rows}
        every = [byline for some in written.values() for byline in some]
        directory = Directory(every, AuthorEntries(self._inputs.author_entries))
        for number, _, before in rows:
            keys = "".join(f" {directory.credit(byline).author} " for byline in written[number])
            if keys != before:
                execute("UPDATE byline SET keys = ?, seal = ? WHERE id = ?", [keys, seal(keys), number])
        people = [(byline.name, directory.credit(byline).author) for byline in every if byline.name]
        people += _author_entries(self._inputs.author_entries)
        execute("DELETE FROM person")
        self._connection.executemany(
            "INSERT OR IGNORE INTO person VALUES (?, ?)", [(fold(name), key) for name, key in people]
        )

    # -- metadata

    def _meta(self, key: str) -> str:
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
        return row[0] if row else ""

    def _set_meta(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])


_NOTHING = Facts("", "", "")


def _if_accented(text: str) -> str | None:
    """A text as written, if the index of words has it without accents; `None` if it has it as written."""
    return text if text != without_accents(text) else None


def marks(values: Sequence[object]) -> str:
    """Placeholders for the parameters of an SQL query, one for each value."""
    return ", ".join("?" * len(values))


def _as_byline(name: str, handle: str, aside: str) -> Byline:
    return Byline(name, handle, Span(""), aside)


def _author_entries(author_entries: Mapping[str, AuthorEntry]) -> Iterator[tuple[str, str]]:
    for key, entry in sorted(author_entries.items()):
        for name in (entry.name, *entry.aliases):
            if name:
                yield name, key.lstrip("@").lower()


def _named(parsed: Parsed) -> str:
    """The file that the page of a post also shows, as the post names it; empty if there is none."""
    return next((name for lookup in lookups_of(parsed) if (name := lookup.companion(parsed))), "")
