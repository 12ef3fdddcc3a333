"""What a change of files was, in names and figures."""

from __future__ import annotations

import msgspec

from devlog.inputs import Inputs
from devlog.serve.answers import Update


class Change(msgspec.Struct, frozen=True):
    """What a change was and took.

    Attributes:
        files: the files that differ, with ``+`` or ``-`` before those that are new or gone.
        parsed: how many texts were parsed.
        rendered: how many files were rendered.
        seconds: from the moment when the preview heard of it.
        update: what tabs are told.
        kept: whether the site is as it was, because what is there now cannot be shown.
    """

    files: tuple[str, ...]
    parsed: int
    rendered: int
    seconds: float
    update: Update
    kept: bool


def differences(before: Inputs, after: Inputs) -> tuple[str, ...]:
    """The files that differ, sorted, with ``+`` or ``-`` before those that are new or gone."""
    old, new = _digests(before), _digests(after)
    names = [name for name in new if name in old and old[name] != new[name]]
    names += [f"+ {name}" for name in new.keys() - old.keys()]
    names += [f"- {name}" for name in old.keys() - new.keys()]
    if not names:  # such as a folder that is missing, or not any longer
        names += {item.span.path for item in {*before.diagnostics} ^ {*after.diagnostics}}
    return tuple(sorted(names, key=lambda name: name.lstrip("+- ")))


def _digests(inputs: Inputs) -> dict[str, object]:
    """What stands for the content of each file."""
    found: dict[str, object] = {source.file: source.digest for source in inputs.content.sources}
    found |= {asset.file: asset.digest for asset in (*inputs.content.assets, *inputs.static.assets)}
    found |= inputs.named
    theme = inputs.loaded.theme
    found |= {template.file: template.text for template in theme.templates}
    found |= inputs.loaded.catalogs
    found |= {f"theme {theme.name}: {asset.path}": asset.digest for asset in theme.assets}
    read: dict[str, object] = {
        inputs.config_file: (inputs.config, inputs.own_url),
        inputs.registry_file: {
            handle: entry for handle, entry in inputs.registry.items() if inputs.config.authors.get(handle) != entry
        },
        f"themes/{theme.name}/theme.toml": theme.settings if theme.templates else "",
    }
    for name, value in read.items():
        about = [item for item in inputs.diagnostics if item.span.path == name]  # all there is of what cannot be read
        if value or about:
            found[name] = (value, about)
    return found
