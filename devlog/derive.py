"""What is made of the files of a site and not of its texts, between assembling it and planning its pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from devlog.assemble.references import References, places_of
from devlog.assemble.site import Assembled
from devlog.deriving import Deriving
from devlog.model.derived import Derived, LinkTargets
from devlog.model.diagnostic import Diagnostic
from devlog.plugin import FAULTS, fault, features, load

Point = Literal["targets", "derive"]


def derive(work: Deriving, assembled: Assembled) -> tuple[References, Derived]:
    """What the files of a site tell, to each feature and plugin that makes something of them.

    Args:
        work: of what, and by whom; its references know no targets yet.
        assembled: the site.

    Returns:
        Where the references of the texts lead, and what was made.
    """
    first = tuple(_parts(work, "targets"))
    references, config = work.references, work.inputs.config
    if targets := _joined(first):
        index = places_of(config, assembled, work.inputs.own_url, targets)
        references = References(config, assembled, index, targets)
    return references, Derived((*first, *_parts(work._replace(references=references), "derive")))


def derive_anew(work: Deriving, before: Derived) -> Derived:
    """What a preview derives again after an edit of what a post says, which leaves all link targets as they were.

    Args:
        work: of what, and by whom, as it is now.
        before: what was known before.
    """
    made = tuple(_parts(work._replace(before=before), "derive"))
    kinds = {type(part) for part in made}
    return Derived((*(part for part in before.parts if type(part) not in kinds), *made))


def _joined(parts: tuple[Any, ...]) -> LinkTargets | None:
    """All that links can lead to because of some parts; `None` for nothing."""
    found: list[LinkTargets] = [part.targets for part in parts if getattr(part, "targets", None)]
    if not any(targets.anchors or targets.urls or targets.texts for targets in found):
        return None
    return LinkTargets(
        anchors={path: anchors for targets in found for path, anchors in targets.anchors.items()},
        urls=tuple(url for targets in found for url in targets.urls),
        texts={path: text for targets in found for path, text in targets.texts.items()},
    )


class _Failed(tuple[Diagnostic, ...]):
    """In the place of what a plugin has not made: why."""

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        return tuple(self)


def _parts(work: Deriving, point: Point) -> Iterator[Any]:
    for plugin in features():
        if function := getattr(plugin, point):
            yield function(work)
    refs = work.inputs.loaded.theme.plugins
    for ref, plugin in zip(refs, load(refs), strict=True):
        if function := getattr(plugin, point):
            try:
                yield function(work)
            except FAULTS as error:  # the plugin's own code
                yield _Failed([fault(ref, f"“{point}”", error)])
