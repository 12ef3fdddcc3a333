"""A change of the site's files: the names of changed files, the work that followed, and the update for tabs."""

from __future__ import annotations

import msgspec

from devlog.inputs import Inputs
from devlog.serve.responses import Update


class Change(msgspec.Struct, frozen=True):
    """A change of files that the preview has processed.

    Attributes:
        files: the files that differ, with ``+`` before new and ``-`` before deleted ones.
        parsed: the number of posts and pages that were parsed.
        rendered: the number of files that were rendered.
        seconds: the time since the preview was notified of the change.
        update: the message to open tabs.
        kept: whether the previous site is still shown, because the changed one has errors that prevent showing it.
    """

    files: tuple[str, ...]
    parsed: int
    rendered: int
    seconds: float
    update: Update
    kept: bool


def differences(before: Inputs, after: Inputs) -> tuple[str, ...]:
    """The files that differ, sorted, with ``+`` before new and ``-`` before deleted ones."""
    old, new = _digests(before), _digests(after)
    names = [name for name in new if name in old and old[name] != new[name]]
    names += [f"+ {name}" for name in new.keys() - old.keys()]
    names += [f"- {name}" for name in old.keys() - new.keys()]
    if not names:  # for example, a folder that is now missing, or no longer missing
        names += {item.span.path for item in {*before.diagnostics} ^ {*after.diagnostics}}
    return tuple(sorted(names, key=lambda name: name.lstrip("+- ")))


def _digests(inputs: Inputs) -> dict[str, object]:
    """A value for each input file that differs whenever its content does: its digest, text or parsed value."""
    found: dict[str, object] = {source.file: source.digest for source in inputs.content.sources}
    found |= {asset.file: asset.digest for asset in (*inputs.content.assets, *inputs.static.assets)}
    found |= {**inputs.named, **inputs.programs}
    included = (item for source in inputs.content.sources if source.included for item in source.included)
    found |= {
        f"{inputs.config.source_checkout}/{item.path}": item.digest
        for item in included
        if item.digest and not (item.file or item.commit)
    }
    theme = inputs.loaded.theme
    found |= {template.file: template.text for template in theme.templates}
    found |= inputs.loaded.catalogs
    found |= {f"theme {theme.name}: {asset.path}": asset.digest for asset in theme.assets}
    read: dict[str, object] = {
        inputs.config_file: (inputs.config, inputs.own_url),
        inputs.authors_file: {
            handle: entry
            for handle, entry in inputs.author_entries.items()
            if inputs.config.authors.get(handle) != entry
        },
        inputs.config.in_theme_folder(f"themes/{theme.name}/theme.toml"): theme.settings if theme.templates else "",
    }
    for name, value in read.items():
        about = [item for item in inputs.diagnostics if item.span.path == name]  # unreadable files have nothing else
        if value or about:
            found[name] = (value, about)
    return found
