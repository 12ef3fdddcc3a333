"""The people whom a site names, and the spellings that all its bylines use for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from devlog.config import AuthorEntry
from devlog.model.document import Byline
from devlog.model.names import fold


class People:
    """The people whom bylines name.

    Attributes:
        bylines: all bylines, in the order of the sources.
        registry: the entries of the authors file, by handle.
        handles: all handles in bylines and in the authors file.
        names: how often each name occurs with a handle, by handle.
        handles_of: how often each handle occurs with a name, by folded name.
    """

    def __init__(self, bylines: Iterable[Byline], registry: Mapping[str, AuthorEntry]) -> None:
        self.bylines = tuple(bylines)
        self.registry = registry
        self.handles = {byline.handle for byline in self.bylines if byline.handle} | set(self.registry)
        self._registered = {
            fold(text).lstrip("@"): key
            for key, entry in self.registry.items()
            for text in (*entry.aliases, entry.name)
            if text
        }
        self._usual_names: dict[str, str] = {}
        self._usual_handles: dict[str, str] = {}
        self.names: dict[str, Counter[str]] = {}
        self.handles_of: dict[str, Counter[str]] = {}
        for byline in self.bylines:
            if byline.handle and byline.name:
                handle = self.meant(byline.handle)
                self.names.setdefault(handle, Counter())[byline.name] += 1
                self.handles_of.setdefault(fold(byline.name), Counter())[handle] += 1

    def meant(self, handle: str) -> str:
        """The handle for which the authors file lists `handle` as an alias; otherwise `handle` itself."""
        return self._registered.get(handle, handle)

    def registered(self, name: str) -> str:
        """The handle for which the authors file has a folded name; empty if it does not know it."""
        return self._registered.get(name, "")

    def handle_of(self, name: str) -> str:
        """The handle of a folded name where none is written: that of the authors file, or the only one in bylines."""
        handles = tuple(self.handles_of.get(name, ()))
        return self.registered(name) or (handles[0] if len(handles) == 1 else "")

    def is_known(self, text: str) -> bool:
        """Whether the authors file has a name, or a name or handle as an alias."""
        return fold(text) in self._registered

    def usual_name(self, handle: str) -> str:
        """The name that occurs most often with a handle; the alphabetically first one of equals."""
        if handle not in self._usual_names:  # cached, since a handle may have thousands of names
            self._usual_names[handle] = _usual(self.names.get(handle, {}))
        return self._usual_names[handle]

    def usual_handle(self, name: str) -> str:
        """The handle that occurs most often with a folded name; the alphabetically first one of equals."""
        if name not in self._usual_handles:
            self._usual_handles[name] = _usual(self.handles_of.get(name, {}))
        return self._usual_handles[name]

    def uses_handles(self) -> bool:
        """Whether most authors of this site are named with a handle."""
        everyone = {fold(byline.name) or byline.handle for byline in self.bylines if not byline.team}
        return 2 * len(self.handles_of) > len(everyone)


def _usual(counts: Mapping[str, int]) -> str:
    """The most frequent item; the alphabetically first one of equals."""
    return min(counts, key=lambda item: (-counts[item], item), default="")
