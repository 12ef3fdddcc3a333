"""The site as it is at one moment, complete and immutable: what requests are looked up in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from unicodedata import normalize
from urllib.parse import quote, unquote

import msgspec

from devlog.assemble.claims import Claim, is_index
from devlog.assemble.plan import Planner
from devlog.inputs import Inputs
from devlog.model.derived import Derived
from devlog.model.document import Parsed
from devlog.model.target import Copy
from devlog.render.template_dependencies import ThemeUse
from devlog.serve.answers import Elsewhere

Derive = Callable[[Inputs, Planner], Derived]
"""Gives, of some inputs and a plan of an edited site, what is made of files now."""


class MarkdownVersion(msgspec.Struct, frozen=True):
    """A page as Markdown: it is rendered with the page."""

    page: Claim


class Snapshot(msgspec.Struct, frozen=True):
    """A site and all its files, planned but not rendered.

    Attributes:
        inputs: what it was made of.
        texts: its parsed texts, by path.
        use: what the templates use.
        planner: makes targets.
        claims: the files to render, by output path.
        markdown_versions: the output paths of the pages that stand there as Markdown too, by the path of that.
        copies: the files that are published as is, by output path.
        derive: says what is made of files after an edit.
    """

    inputs: Inputs
    texts: Mapping[str, Parsed]
    use: ThemeUse
    planner: Planner
    claims: Mapping[str, Claim]
    markdown_versions: Mapping[str, str]
    copies: Mapping[str, Copy]
    derive: Derive

    def amended(self, inputs: Inputs, texts: Mapping[str, Parsed]) -> Snapshot | None:
        """The snapshot after some texts, by path, were parsed anew; `None` when it must be taken anew."""
        planner = self.planner.amended(texts)
        if planner is None:
            return None
        merged = {**self.texts, **texts}
        if self.planner.has_plans or not self.planner.claims_alike(texts):  # they may depend on what texts say
            return planned(inputs, merged, self.use, self._derived(inputs, planner), self.derive)
        if all(text.document.diagrams == self.texts[path].document.diagrams for path, text in texts.items()):
            return msgspec.structs.replace(self, inputs=inputs, texts=merged, planner=planner)
        drawn = self._derived(inputs, planner)
        if drawn.drawings == planner.drawings:
            return msgspec.structs.replace(self, inputs=inputs, texts=merged, planner=drawn)
        return planned(inputs, merged, self.use, drawn, self.derive)

    def _derived(self, inputs: Inputs, planner: Planner) -> Planner:
        """A plan after an edit, with what is made of files now."""
        return planner.derived_anew(self.derive(inputs, planner))

    def amended_where_it_can_be(self, texts: Mapping[str, Parsed]) -> Snapshot:
        """The snapshot of the same inputs after those of the texts were parsed anew for which it can be amended."""
        at_once = self.amended(self.inputs, texts)
        if at_once:
            return at_once
        snapshot = self
        for path, text in texts.items():
            snapshot = snapshot.amended(self.inputs, {path: text}) or snapshot
        return snapshot

    def completed(self, texts: Mapping[str, Parsed]) -> Snapshot:
        """The snapshot with texts that are parsed now in the place of their sketches.

        What a sketch says stays even if the text says something else by now: that is for the next change.
        """
        filled = {path: _completed(self.texts[path], text) for path, text in texts.items() if path in self.texts}
        return self.amended(self.inputs, filled) or self

    def followed(self, inputs: Inputs, texts: Mapping[str, Parsed], use: ThemeUse) -> Snapshot | None:
        """The snapshot of other inputs, where only what texts say differs, or only the theme.

        Returns:
            `None` when it must be taken anew.
        """
        if texts.keys() != self.texts.keys():
            return None
        content = msgspec.structs.replace(self.inputs.content, sources=inputs.content.sources)
        differ = {path: text for path, text in texts.items() if self.texts[path] is not text}
        if any(item.text.path in differ for item in self.planner.beside):
            return None
        if msgspec.structs.replace(self.inputs, content=content) == inputs:
            return self.amended(inputs, differ)
        theme = {"loaded": inputs.loaded, "diagnostics": inputs.diagnostics}
        if differ or msgspec.structs.replace(self.inputs, content=content, **theme) != inputs:
            return None
        return planned(inputs, texts, use, self._with_theme(inputs), self.derive)

    def _with_theme(self, inputs: Inputs) -> Planner:
        """The plan of the same site with another theme."""
        old = self.planner
        derived = self.derive(inputs, old)
        return Planner(inputs.config, old.assembled, inputs.loaded.theme, old.references, derived, inputs.own_url)

    def changed_files(self, before: Snapshot) -> tuple[str, ...]:
        """The paths, as URLs write them, of files published as they are that have changed since another snapshot."""
        base = self.base_path
        changed = [path for path, copy in self.copies.items() if before.copies.get(path) != copy]
        changed += before.copies.keys() - self.copies.keys()
        return tuple(quote(base + path, safe="/~!$&'()*,;=:@+") for path in sorted(changed))

    @property
    def base_path(self) -> str:
        """The path under which the site lives, decoded as paths of requests are."""
        return normalize("NFC", unquote(self.inputs.config.base_path))

    def find(self, path: str) -> Claim | MarkdownVersion | Copy | Elsewhere | None:
        """What a decoded path of a request leads to: only what is known is ever found."""
        base = self.base_path
        if path in {"/", base.rstrip("/")} and path != base:
            return Elsewhere(quote(base))
        if not path.startswith(base):
            return None
        name = path[len(base) :]
        if name.endswith("/") or not name:
            name += "index.html"
        found = self.claims.get(name) or self.copies.get(name) or self._markdown(name)
        if found is None and (f"{name}/index.html" in self.claims or f"{name}/index.html" in self.copies):
            return Elsewhere(quote(f"{path}/"))
        return found

    def _markdown(self, name: str) -> MarkdownVersion | None:
        page = self.markdown_versions.get(name)
        return MarkdownVersion(self.claims[page]) if page else None


def _completed(sketch: Parsed, text: Parsed) -> Parsed:
    if (text.front_matter, text.diagnostics) == (sketch.front_matter, sketch.diagnostics):
        return text
    return msgspec.structs.replace(sketch, document=text.document)


def planned(inputs: Inputs, texts: Mapping[str, Parsed], use: ThemeUse, planner: Planner, derive: Derive) -> Snapshot:
    """The snapshot of a site that is assembled."""
    claims = {claim.path: claim for claim in planner.claims()}
    markdown_versions = {claim.markdown: claim.path for claim in claims.values() if claim.markdown}
    # A site with files in the place of the index cannot be built, but it is shown. Pages run the scripts of the index,
    # which nobody's file may pass for.
    copies = {copy.path: copy for copy in planner.copies if not (planner.is_searchable and is_index(copy.path))}
    return Snapshot(inputs, texts, use, planner, claims, markdown_versions, copies, derive)
