"""A reading path as the front matter of its page declares it."""

from __future__ import annotations

import msgspec

from devlog.model.document import Ref


class Requirement(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something to know before: a link to a post or page, or a sentence.

    Attributes:
        ref: the link; `None` for a sentence.
        text: the sentence; empty for a link.
    """

    ref: Ref | None = None
    text: str = ""


class DeclaredStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step of a path.

    Attributes:
        ref: the link to its post.
        why: why to read the post; may be empty.
        before: what to know before.
    """

    ref: Ref
    why: str = ""
    before: tuple[Requirement, ...] = ()


class DeclaredPath(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the front matter of a page says about a reading path.

    Attributes:
        steps: the steps in order; empty for pages that are not paths.
        before: what to know before the first step.
    """

    steps: tuple[DeclaredStep, ...] = ()
    before: tuple[Requirement, ...] = ()
