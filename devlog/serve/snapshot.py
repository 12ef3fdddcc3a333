"""A complete, immutable snapshot of the site, in which requests are looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from urllib.parse import quote

import msgspec

from devlog.assemble.claims import Claim, is_index
from devlog.assemble.plan import Planner
from devlog.derive import derives_alike
from devlog.inputs import Inputs
from devlog.model.derived import Derived
from devlog.model.document import Parsed
from devlog.model.target import Copy
from devlog.model.urls import decoded
from devlog.render.template_dependencies import ThemeUse, blobs_of
from devlog.serve.responses import RedirectResponse

Derive = Callable[[Inputs, Planner], Derived]
"""Derives data from a site's files again, given its inputs and plan after an edit."""


class MarkdownVersion(msgspec.Struct, frozen=True):
    """The Markdown version of a page, which is rendered together with the page."""

    page: Claim


class Snapshot(msgspec.Struct, frozen=True):
    """A site and all its files, planned but not rendered.

    Attributes:
        inputs: of the site.
        sources: its parsed posts and pages, by path.
        use: the dependencies of the theme's templates.
        planner: creates the targets.
        claims: the files to render, by output path.
        markdown_versions: the output paths of pages that have a Markdown version, by the output path of that version.
        copies: the files that are published unchanged, by output path.
        derive: derives data from files again after an edit.
    """

    inputs: Inputs
    sources: Mapping[str, Parsed]
    use: ThemeUse
    planner: Planner
    claims: Mapping[str, Claim]
    markdown_versions: Mapping[str, str]
    copies: Mapping[str, Copy]
    derive: Derive

    def updated(self, inputs: Inputs, sources: Mapping[str, Parsed]) -> Snapshot | None:
        """The snapshot after some posts or pages were parsed again, updated in place.

        Args:
            inputs: the new inputs.
            sources: the newly parsed posts and pages, by path.

        Returns:
            `None` if the site must be assembled in full.
        """
        shown_elsewhere = any(item.text.path in sources for item in self.planner.companions)  # on pages of other posts
        planner = None if shown_elsewhere or self.planner.has_targets else self.planner.updated(sources)
        if planner is None:
            return None
        merged = {**self.sources, **sources}
        if self.planner.has_plans or not self.planner.claims_alike(sources):  # plans may depend on bodies
            return planned(inputs, merged, self.use, self._derived(inputs, planner), self.derive)
        if any(text.document.formulas != self.sources[path].document.formulas for path, text in sources.items()):
            return planned(inputs, merged, self.use, self._derived(inputs, planner), self.derive)  # maybe with a font
        if all(derives_alike(self.sources[path], text, planner.derived) for path, text in sources.items()):
            return msgspec.structs.replace(self, inputs=inputs, sources=merged, planner=planner)
        derived = self._derived(inputs, planner)
        if derived.derived.permalinks == planner.derived.permalinks:
            return msgspec.structs.replace(self, inputs=inputs, sources=merged, planner=derived)
        return planned(inputs, merged, self.use, derived, self.derive)

    def _derived(self, inputs: Inputs, planner: Planner) -> Planner:
        """A plan after an edit, with data derived from files again."""
        return planner.rederived(self.derive(inputs, planner))

    def updated_where_possible(self, sources: Mapping[str, Parsed]) -> Snapshot:
        """The snapshot of the same inputs with as many newly parsed posts and pages as can be updated in place.

        Args:
            sources: the newly parsed posts and pages, by path.
        """
        at_once = self.updated(self.inputs, sources)
        if at_once:
            return at_once
        snapshot = self
        for path, text in sources.items():
            snapshot = snapshot.updated(self.inputs, {path: text}) or snapshot
        return snapshot

    def completed(self, sources: Mapping[str, Parsed]) -> Snapshot | None:
        """The snapshot with parsed posts and pages in place of their sketches.

        Args:
            sources: the parsed posts and pages, by path.

        Returns:
            `None` if the site must be assembled in full.
        """
        return self.updated(self.inputs, self.in_place_of_sketches(sources))

    def in_place_of_sketches(self, sources: Mapping[str, Parsed]) -> dict[str, Parsed]:
        """Parsed posts and pages as they take the place of their sketches.

        The front matter of a sketch stays even if the file has changed since: the next change updates it.

        Args:
            sources: the parsed posts and pages, by path.
        """
        return {path: _completed(self.sources[path], text) for path, text in sources.items() if path in self.sources}

    def followed(self, inputs: Inputs, sources: Mapping[str, Parsed], use: ThemeUse) -> Snapshot | None:
        """The snapshot of new inputs, if only sources differ, or only the theme.

        Args:
            inputs: the new inputs.
            sources: all parsed posts and pages, by path.
            use: the dependencies of the theme's templates.

        Returns:
            `None` if the site must be assembled in full.
        """
        if sources.keys() != self.sources.keys() or inputs.only_shown != self.inputs.only_shown:
            return None
        content = msgspec.structs.replace(self.inputs.content, sources=inputs.content.sources)
        differ = {path: text for path, text in sources.items() if self.sources[path] is not text}
        if msgspec.structs.replace(self.inputs, content=content) == inputs:
            return self.updated(inputs, differ)
        theme = {"loaded": inputs.loaded, "diagnostics": inputs.diagnostics}
        if differ or msgspec.structs.replace(self.inputs, content=content, **theme) != inputs:
            return None
        return planned(inputs, sources, use, self._with_theme(inputs), self.derive)

    def _with_theme(self, inputs: Inputs) -> Planner:
        """The plan of the same site with another theme."""
        old = self.planner
        derived = self.derive(inputs, old)
        return Planner(inputs.config, old.assembled, inputs.loaded.theme, old.references, derived)

    @property
    def texts(self) -> Iterator[Parsed]:
        """All texts that pages show: of the sources, and of files that pages of others show, such as transcripts."""
        return chain(self.sources.values(), (item.text for item in self.planner.companions))

    @property
    def blobs(self) -> Iterator[str]:
        """The digests of derived files that are published, or drawn on others; no template uses any."""
        targets = (self.planner.target(claim) for claim in self.claims.values() if not claim.template)
        return chain.from_iterable(map(blobs_of, targets))

    def changed_files(self, before: Snapshot) -> tuple[str, ...]:
        """The URL paths of files published unchanged that differ from those of an earlier snapshot."""
        base = self.base_path
        changed = [path for path, copy in self.copies.items() if before.copies.get(path) != copy]
        changed += before.copies.keys() - self.copies.keys()
        return tuple(quote(base + path, safe="/~!$&'()*,;=:@+") for path in sorted(changed))

    @property
    def base_path(self) -> str:
        """The base path of the site's URLs, decoded and normalized as paths of requests are."""
        return decoded(self.inputs.config.base_path)

    def find(self, path: str) -> Claim | MarkdownVersion | Copy | RedirectResponse | None:
        """The file or redirect for the decoded path of a request, among those of this snapshot; else `None`."""
        base = self.base_path
        if path in {"/", base.rstrip("/")} and path != base:
            return RedirectResponse(quote(base))
        if not path.startswith(base):
            return None
        name = path[len(base) :]
        if name.endswith("/") or not name:
            name += "index.html"
        found = self.claims.get(name) or self.copies.get(name) or self._markdown(name)
        if found is None and (f"{name}/index.html" in self.claims or f"{name}/index.html" in self.copies):
            return RedirectResponse(quote(f"{path}/"))
        return found

    def _markdown(self, name: str) -> MarkdownVersion | None:
        page = self.markdown_versions.get(name)
        return MarkdownVersion(self.claims[page]) if page else None


def _completed(sketch: Parsed, text: Parsed) -> Parsed:
    if (text.front_matter, text.diagnostics) == (sketch.front_matter, sketch.diagnostics):
        return text
    return msgspec.structs.replace(sketch, document=text.document)


def planned(inputs: Inputs, sources: Mapping[str, Parsed], use: ThemeUse, planner: Planner, derive: Derive) -> Snapshot:
    """The snapshot of an assembled site.

    Args:
        inputs: of the site.
        sources: its parsed posts and pages, by path.
        use: the dependencies of the theme's templates.
        planner: of the site.
        derive: derives data from files again after an edit.
    """
    claims = {claim.path: claim for claim in planner.claims()}
    markdown_versions = {claim.markdown: claim.path for claim in claims.values() if claim.markdown}
    # A site with files in the folder of the search index cannot be built, but it is shown. Pages run the scripts of the
    # index, which no other file may replace.
    copies = {copy.path: copy for copy in planner.copies if not (planner.is_searchable and is_index(copy.path))}
    return Snapshot(inputs, sources, use, planner, claims, markdown_versions, copies, derive)
