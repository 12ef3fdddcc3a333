"""Chapters of a spoken post: its headings, with the times at which they are spoken."""

from __future__ import annotations

from collections.abc import Sequence

from devlog.features.episodes.model.episode import Chapter
from devlog.features.episodes.speak.audio import Spoken


def chapters_of(title: str, spoken: Sequence[Spoken]) -> tuple[Chapter, ...]:
    """A chapter for each heading of the highest level; smaller ones belong to it.

    Args:
        title: of the post, which is that of the chapter before the first heading.
        spoken: all passages.

    Returns:
        The chapters, the first of which begins at 0; none for a post without headings.
    """
    levels = {item.passage.level for item in spoken} - {0, 1}
    if not levels:
        return ()
    top = min(levels)
    places = [place for place, item in enumerate(spoken) if item.passage.level == top]
    found = [Chapter(spoken[place].start, spoken[place].passage.heading) for place in places]
    if all(item.passage.level == 1 for item in spoken[: places[0]]):  # nothing but the title comes before it
        return Chapter(0.0, found[0].title), *found[1:]
    return Chapter(0.0, title or found[0].title), *found
