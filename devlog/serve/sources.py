"""The posts and pages of the current site, read and parsed only as far as needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from unicodedata import normalize

import msgspec

from devlog.disk.checkout_folder import Refusal
from devlog.disk.ignore import compile_ignore
from devlog.disk.included import read_with_included, with_included
from devlog.disk.read import read_again, read_content_below
from devlog.disk.stat_cache import StatCache
from devlog.inputs import Inputs, content_rules, read_as_last, read_inputs
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.recent import Recent
from devlog.model.source import Source, SourceFile
from devlog.parse.options import ParseOptions
from devlog.stages import STAT_CACHE, Stages

MANY = 200
"""If more sources than this are new, they are parsed in the background, after the first page is shown."""

CHUNK = 96
"""How many of them are parsed at once, before requests and changes are handled again."""

MARKED = 32 << 20
"""How many bytes the bodies with line marks have together, which are kept for the pages that were looked at last."""


class Texts:
    """The sources of a site, and its parsed posts and pages.

    Attributes:
        parsed: all posts and pages, some of them only as sketches.
        sketched: the sources of those that are only sketches yet, by path.
        checkout: the checkout of the source as of the last `look`, see `Inputs.checkout`. If the configuration cannot
            be read, it is that of the last one that could.
    """

    def __init__(self, root: Path, origin: str, stages: Stages) -> None:
        """
        Args:
            root: the site's folder.
            origin: the scheme, host and port of the preview's URLs.
            stages: parses the sources.
        """
        self.parsed: dict[SourceFile, Parsed] = {}
        self.sketched: dict[str, SourceFile] = {}
        self.checkout: Path | Refusal | None = None
        self._root = root
        self._origin = origin
        self._stages = stages
        self._stat_cache = StatCache(stages.recall(STAT_CACHE))
        self._files: dict[str, SourceFile] = {}  # by file
        self._fresh: dict[SourceFile, Source] = {}  # the contents of changed files, as `look` read them
        self._lost: set[SourceFile] = set()  # those for which another attempt may succeed
        self._hurried: set[SourceFile] = set()  # those that have had a second attempt after one took too long
        self._options = ParseOptions()
        self._marked = Recent[str, tuple[SourceFile, bytes]](MARKED, lambda item: len(item[1]))  # by file

    def look(self, inputs: Inputs | None, names: frozenset[str], shown: Inputs | None = None) -> Inputs:
        """The current inputs of the site.

        Args:
            inputs: the previous inputs.
            names: of the files that may have changed; empty if any may have. If all are known sources, only these are
                read; if all are in one folder of the content, only that folder.
            shown: the inputs of the site that is shown, which stays while new ones do not tell which files are sources.
        """
        if inputs and names and names <= self._files.keys():
            rules = content_rules(inputs.config, (plugin for _, plugin in inputs.plugins))
            found = [read_again(self._root, self._files[name], jekyll=rules.jekyll) for name in sorted(names)]
            fresh = dict(item for item in found if item)
            if len(fresh) == len(names):
                self._files.update((file.file, file) for file in fresh)
                sources = tuple([self._files[source.file] for source in inputs.content.sources])
                content = msgspec.structs.replace(inputs.content, sources=sources)
                inputs = self._with_included(msgspec.structs.replace(inputs, content=content))
                self._fresh = {self._files[source.file]: source for source in fresh.values()}
                return inputs
        self._fresh = {}
        below = _folder_of(inputs, names) if inputs and inputs.tells_files else ""
        again = self._read_folder(inputs, below) if inputs and below else None
        if again:
            inputs = again
        else:
            self._stat_cache = self._stat_cache.again()
            inputs = read_inputs(self._root, "", self._stat_cache, self._origin)
            if shown and shown.tells_files and not inputs.tells_files:
                inputs = read_as_last(self._root, inputs, shown, self._stat_cache)
        self._files = {source.file: source for source in inputs.content.sources}
        return self._with_included(inputs)

    def _with_included(self, inputs: Inputs) -> Inputs:
        """The inputs with the files that sources include."""
        if not inputs.is_unread:
            self.checkout = inputs.checkout(self._root)
        content = with_included(inputs.content, self.checkout)
        if content is inputs.content:
            return inputs
        self._files = {source.file: source for source in content.sources}
        return msgspec.structs.replace(inputs, content=content)

    def _read_folder(self, inputs: Inputs, below: str) -> Inputs | None:
        """The inputs with one folder of the content read again; `None` if that has no source any more.

        It may be a folder above it that was removed, or that cannot be read, and is to be named in the message.
        """
        config, old = inputs.config, inputs.content
        self._stat_cache = self._stat_cache.again(all_files=False)
        rules = content_rules(config, (plugin for _, plugin in inputs.plugins))
        ignored, _ = compile_ignore(config.ignore, rules=rules)
        read = read_content_below(self._root, config.content, below, ignored, self._stat_cache)
        if not read.sources:
            return None
        content = old.with_folder(config.content, below, read)
        gone = frozenset(old.diagnostics)
        others = (item for item in inputs.diagnostics if item not in gone)
        return msgspec.structs.replace(inputs, content=content, diagnostics=(*others, *content.diagnostics))

    @property
    def files(self) -> Iterable[str]:
        """The files of all posts and pages."""
        return self._files

    @property
    def is_lost(self) -> bool:
        """Whether some existing files could not be read or parsed, so that another attempt may succeed."""
        return bool(self._lost)

    def parse(self, inputs: Inputs, options: ParseOptions) -> None:
        """Parse new sources; if there are many, read only their front matter."""
        sources = inputs.content.sources
        known = self.parsed if options == self._options else {}
        if self._lost:
            known = {source: parsed for source, parsed in known.items() if source not in self._lost}
        if options != self._options:
            self._options = options
            self._marked.clear()
        new = [source for source in sources if source not in known]
        if len(new) > MANY:
            known = {**known, **self._stages.known(new, self._read, options)}
            new = [source for source in new if source not in known]
        sketches: dict[SourceFile, Parsed] = {}
        if len(new) > MANY:
            sketches = self._sketches(new)
            new = [source for source in new if source not in sketches]
        known = {**known, **sketches, **self._parsed(new)}
        self.parsed = {source: known[source] for source in sources}
        self._lost = self._lost_of({source: self.parsed[source] for source in new})
        self._hurried &= self.parsed.keys()
        self.sketched = {source.path: source for source, parsed in self.parsed.items() if not parsed.document.body}

    def _lost_of(self, found: Mapping[SourceFile, Parsed]) -> set[SourceFile]:
        """The sources, with the results of parsing them, for which another attempt may succeed.

        A machine that is busy with something else may leave no time for a text. Such a text gets one more attempt: if
        the text itself takes too long, each attempt delays the preview.
        """
        late = {source for source, parsed in found.items() if _has(parsed, _LATE)} - self._hurried
        self._hurried |= late
        return late | {source for source, parsed in found.items() if _has(parsed, _UNREAD)}

    def _parsed(self, sources: Sequence[SourceFile]) -> dict[SourceFile, Parsed]:
        return dict(zip(sources, self._stages.parse(sources, self._read, self._options), strict=True))

    def _read(self, sources: Sequence[SourceFile]) -> Iterator[Source | Diagnostic]:
        return read_with_included(self._root, self.checkout, sources, self._fresh)

    def _sketches(self, sources: Sequence[SourceFile]) -> dict[SourceFile, Parsed]:
        from devlog.parse.head import sketch  # imports the front matter parser, which cached sources do not need

        found = {}
        for source, text in zip(sources, self._read(sources), strict=True):
            parsed = None if isinstance(text, Diagnostic) else sketch(text, self._options)
            if parsed:
                found[source] = parsed
        return found

    def complete(self, sources: Sequence[SourceFile]) -> dict[str, Parsed]:
        """Parse sources that are only sketches yet; returns the parsed posts and pages by path."""
        found = self._parsed(sources)
        self.parsed.update(found)
        self._lost |= self._lost_of(found)
        for source in sources:
            del self.sketched[source.path]
        return {source.path: parsed for source, parsed in found.items()}

    def gone(self, sources: Sequence[SourceFile]) -> dict[str, Parsed]:
        """Deleted sources that were only sketches, by path: they have no text, as if they could not be read.

        A site that stays as it was may show them for a long time.
        """
        return {parsed.path: parsed for parsed in self._parsed(sources).values()}

    def complete_some(self) -> dict[str, Parsed]:
        """Parse the next `CHUNK` of them, few enough not to delay a request for long."""
        return self.complete(list(self.sketched.values())[:CHUNK])

    def marked(self, file: str, body: str) -> bytes | None:
        """The encoded body of a post or page, with marks that name the source line of each block.

        Args:
            file: its source file.
            body: the digest of the body that is shown.

        Returns:
            `None` if the file has another body by now.
        """
        source = self._files.get(file)
        if source is None or self.parsed[source].document.body != body:
            return None
        known = self._marked.get(file)
        if known and known[0] == source:
            return known[1]
        marked = self._stages.marked(source, self._read, self._options)
        if marked:
            self._marked.add(file, (source, marked))
        return marked

    def remember(self) -> None:
        """Store the stat cache for the next build or preview."""
        if self._stat_cache.changed:
            self._stages.remember(STAT_CACHE, self._stat_cache.encode())


def _folder_of(inputs: Inputs, names: frozenset[str]) -> str:
    """The content folder that contains all of the files; empty if there is none, or if it is new."""
    named = {*inputs.named, *inputs.programs}
    if not names.isdisjoint(named):  # files that the configuration names may be in that folder too
        return ""
    content = inputs.config.content_prefix
    folders = {name.rpartition("/")[0] for name in names}
    folder = folders.pop() if len(folders) == 1 else ""
    below = folder.removeprefix(content)
    if any(f"{below}/".startswith(f"{place}/") or place.startswith(f"{below}/") for place in inputs.config.mounts):
        return ""  # files of a mounted folder have paths below it, too
    if not folder.startswith(content) or normalize("NFC", below) != below:
        return ""
    return below if any(source.file.startswith(f"{folder}/") for source in inputs.content.sources) else ""


_UNREAD = frozenset({"changed-while-building", "unreadable"})
"""The codes of sources that could not be read."""

_LATE = frozenset({"too-slow", "worker-died"})
"""The codes of sources whose parsing was interrupted."""


def _has(parsed: Parsed, codes: frozenset[str]) -> bool:
    return any(found.code in codes for found in parsed.diagnostics)
