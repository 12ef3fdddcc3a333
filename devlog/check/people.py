"""Who is named in a site, and how: what all bylines together say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from devlog.config import AuthorEntry
from devlog.model.document import Byline
from devlog.model.names import fold


class People:
    """The people whom bylines name.

    Attributes:
        bylines: in the order of the texts.
        registry: what is known of authors, by handle.
        handles: all that bylines or the registry have.
        names: by handle, how often each name stands beside it.
        handles_of: by folded name, how often each handle stands beside it.
    """

    def __init__(self, bylines: Iterable[Byline], registry: Mapping[str, AuthorEntry]) -> None:
        self.bylines = tuple(bylines)
        self.registry = registry
        self.handles = {byline.handle for byline in self.bylines if byline.handle} | set(self.registry)
        self._aliases = {
            fold(alias).lstrip("@"): key for key, entry in self.registry.items() for alias in entry.aliases
        }
        self._known = {*self._aliases, *(fold(entry.name) for entry in self.registry.values() if entry.name)}
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
        """The handle of which the registry calls another one an alias."""
        return self._aliases.get(handle, handle)

    def is_known(self, text: str) -> bool:
        """Whether the registry has a name or a handle, as an alias perhaps."""
        return fold(text) in self._known

    def usual_name(self, handle: str) -> str:
        """The name that stands beside a handle most often; of equals the first in the alphabet."""
        if handle not in self._usual_names:  # one that has thousands is looked through once
            self._usual_names[handle] = _usual(self.names.get(handle, {}))
        return self._usual_names[handle]

    def usual_handle(self, name: str) -> str:
        """The handle that stands beside a folded name most often; of equals the first in the alphabet."""
        if name not in self._usual_handles:
            self._usual_handles[name] = _usual(self.handles_of.get(name, {}))
        return self._usual_handles[name]

    def uses_handles(self) -> bool:
        """Whether this site names most of its authors with a handle."""
        everyone = {fold(byline.name) or byline.handle for byline in self.bylines if not byline.team}
        return 2 * len(self.handles_of) > len(everyone)


def _usual(counts: Mapping[str, int]) -> str:
    """What occurs most often; of equals the first in the alphabet."""
    return min(counts, key=lambda item: (-counts[item], item), default="")
