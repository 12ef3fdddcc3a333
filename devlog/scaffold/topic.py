"""Creates a new topic."""

from __future__ import annotations

import posixpath

from devlog.assemble.site import RESERVED
from devlog.disk.single_files import create
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.outpath import check_out_path
from devlog.model.slug import humanize, slug
from devlog.scaffold import problems
from devlog.scaffold.outcome import Outcome
from devlog.scaffold.post import shorten
from devlog.scaffold.site import Existing
from devlog.scaffold.writing import clean, yaml_text

_SPAN = Span("NAME")


def new_topic(site: Existing, name: str, title: str = "", description: str = "") -> Outcome:
    """Write the ``_index.md`` of a new topic. Existing files are never changed.

    Args:
        site: the site of the topic.
        name: the path of its folder, which may be inside other topics (``storage/cache``), or a title from which it is
            derived.
        title: of the topic; if empty, it is derived from the name.
        description: for lists.

    Returns:
        The file and its URL, or diagnostics if it was not written.
    """
    if wrong := site.problem():
        return Outcome(diagnostics=wrong)
    if site.inputs.config.conventions.underscored:
        reason = "in this dialect a folder is a topic once it has posts"
        hint = "create its first one with “devlog new post”"
        return Outcome(diagnostics=(problems.bad_name(_SPAN, name, reason, hint),))
    name, found = clean(name, _SPAN)
    title, more = clean(title, Span("--title"))
    description, last = clean(description, Span("--description"))
    path = "/".join(shorten(slug(part)) for part in name.strip("/").split("/"))
    if problem := _refused(site, name, path):
        return Outcome(diagnostics=(*found, *more, *last, problem))
    own = name.strip("/").rpartition("/")[2]
    folder = path.rpartition("/")[2]
    title = title or (humanize(folder) if own == folder else own)
    lines = [f"title: {yaml_text(title)}"]
    lines += [f"description: {yaml_text(description)}"] if description else []
    text = "\n".join(["---", *lines, "---", ""])
    above = path.rpartition("/")[0]
    place = site.folder_of(path) if path in site.topics else posixpath.join(site.folder_of(above), folder)
    file = f"{place}/_index.md"
    parsed, assembled = site.with_text(file, text)
    faults = [item for item in parsed.diagnostics if item.severity == "error"]
    permalink = next(topic.permalink for topic in assembled.site.topics if topic.path == path)
    wrong = (*faults, *site.refusals(assembled, file))
    if not wrong and (problem := create(site.root, file, text.encode())):
        wrong = (problem,)
    url = "" if wrong else site.address(permalink)
    return Outcome(() if wrong else (file,), url, (), (*found, *more, *last, *wrong))


def _refused(site: Existing, name: str, path: str) -> Diagnostic | None:
    """Why a topic cannot have this name; `None` if it can."""
    if not all(any(character.isalnum() for character in part) for part in path.split("/")):
        is_relative = bool({".", ".."} & {*name.split("/")})
        reason = (
            "it begins at the content folder, and has no “.” or “..”" if is_relative else "it has no letter or digit"
        )
        return problems.bad_name(_SPAN, name, reason)
    if reason := check_out_path(path):
        return problems.bad_name(_SPAN, name, f"it {reason}")
    if path in RESERVED:
        return problems.bad_name(_SPAN, name, "it is a list that devlog makes")
    above = path.rpartition("/")[0]
    if above and above not in site.topics:
        return problems.unknown_topic(_SPAN, above, site.topics)
    if markdown := next((topic for topic in site.topics if topic != path and _fold(topic) == _fold(path)), ""):
        return problems.bad_name(_SPAN, path, f"the topic “{markdown}” has nearly the same name")
    return None


def _fold(path: str) -> str:
    return slug(path.replace("_", "-"))
