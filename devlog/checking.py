"""`devlog check`, top to bottom: read, parse, assemble, derive, plan, then run the rules. It writes only the store."""

from __future__ import annotations

import os
import posixpath
import re
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import msgspec

from devlog.assemble.claims import Claim
from devlog.assemble.plan import Planner
from devlog.assemble.policy import named_scripts
from devlog.assemble.site import Assembled, Visibility
from devlog.check import posts, rules
from devlog.check.evidence import IMAGES, CheckedSource, Evidence, Use
from devlog.check.people import People
from devlog.config import Config
from devlog.config_file.spans import key_spans
from devlog.disk import problems
from devlog.disk.folder import is_there
from devlog.disk.guard import another_site, check_output
from devlog.disk.in_checkout import absent_files, not_checked_out
from devlog.disk.manifest import load_manifest, unchanged
from devlog.disk.read import open_regular, read_text
from devlog.disk.site_folder import checkout_around, folder_in_checkout
from devlog.disk.strays import stray_posts
from devlog.disk.theme import built_in_templates
from devlog.engine.executor_registry import PROCESSES, NoWorkersError
from devlog.inputs import Inputs, judge
from devlog.model.check_facts import CheckFacts
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed, Ref
from devlog.model.record import decoded
from devlog.model.report import has_error
from devlog.model.site import Published, Site
from devlog.model.source import Asset
from devlog.model.target import ResolvedLink
from devlog.model.urls import has_scheme
from devlog.parse.record import ParsedSource as Record
from devlog.pipeline import Session, stages_of, store_of
from devlog.stages import Progress

_HEAD = 8192
"""How many bytes are read to tell whether a file begins with front matter."""

_OF_MISSING_FILES = frozenset({"broken-image", "broken-link"})

_NOT_CHECKED_OUT = "git may have it where this checkout does not: see “git sparse-checkout” and “git submodule”"

_NAMING = (".css", ".html", ".htm", ".js", ".json", ".svg", ".webmanifest", ".xml", ".yml", ".yaml")
"""Suffixes of files that may mention images."""

_MENTIONED = re.compile(r"(?<![\w@.+-])[\w@.+-]+\.(?:apng|avif|bmp|gif|jpe?g|jxl|png|svg|webp)\b", re.IGNORECASE)


class Options(msgspec.Struct, frozen=True):
    """The options of a check, from the command line.

    Attributes:
        root: the site's folder.
        now: the current time, with a time zone: it decides which posts are scheduled and which have expired.
        strict: whether to treat warnings as errors.
        jobs: the number of worker processes; 0 for one per processor.
        executor: the name of the executor, which runs parsing and rendering if there is enough to do.
        repository: the folder whose git history has the dates of posts; `None` for `root`.
    """

    root: Path
    now: datetime
    strict: bool = False
    jobs: int = 0
    executor: str = PROCESSES
    repository: Path | None = None


class Checked(msgspec.Struct, frozen=True):
    """The result of a check.

    Attributes:
        title: the title of the site.
        posts: the number of published posts.
        inputs: the inputs that were read; `None` if the check could not start.
        evidence: the evidence that the rules examined; `None` if the check could not start.
        diagnostics: the problems, sorted.
        seconds: how long the check took.
    """

    title: str
    posts: int
    inputs: Inputs | None
    evidence: Evidence | None
    diagnostics: tuple[Diagnostic, ...]
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether there is an error."""
        return has_error(self.diagnostics)


Filter = Callable[[Diagnostic], bool]
"""Returns whether to report a problem."""


def reported(root: Path, paths: Sequence[Path]) -> Filter:
    """Select the problems to report: those in the paths that the command line names, and of other files with these.

    Args:
        root: the site's folder.
        paths: files and folders, relative to the current folder. If there are none, all problems are reported.
    """
    top = root.resolve()
    names = [os.path.relpath(path.resolve(), top).replace(os.sep, "/") for path in paths]
    if not names or any(set(name.split("/")) <= {".", ".."} for name in names):
        return lambda _problem: True

    def is_wanted(problem: Diagnostic) -> bool:
        files = (problem.span.path, *problem.others)
        return any(f"{file}/".startswith(f"{name}/") for file in files for name in names)

    return is_wanted


def outside(root: Path, paths: Sequence[Path]) -> Path | None:
    """The first of some paths that are neither in a site nor around it, so that it has no problems there.

    Args:
        root: the site's folder.
        paths: files and folders, relative to the current folder.

    Returns:
        The path; `None` if there is none.
    """
    for path in paths:
        # A symbolic link in the site is reported there, wherever it leads.
        pairs = ((path.resolve(), root.resolve()), (path.absolute(), root.absolute()))
        if not any(name.is_relative_to(top) or top.is_relative_to(name) for name, top in pairs):
            return path
    return None


def check(options: Options, progress: Progress = lambda _stage, _done, _total: None) -> Checked:
    """Check a site: find the problems that a build would report, and those that the rules of `devlog.check` find.

    Args:
        options: what to check, and how.
        progress: called with the stage, the number of finished items and the total.
    """
    try:
        return _check(options, progress)
    except NoWorkersError as error:
        return Checked("", 0, None, None, (error.problem,), 0.0)


def _check(options: Options, progress: Progress) -> Checked:
    begin, root = time.perf_counter(), options.root
    with stages_of(store_of(root), progress, options.jobs, options.executor) as stages:
        session = Session(root, stages, "look", options.repository)
        inputs = session.read()
        config, theme = inputs.config, inputs.loaded.theme
        found = [*inputs.diagnostics, *_output(root, inputs)]

        theme_use = stages.theme_use(theme)
        records = session.texts(inputs)
        parsed = [record.parsed for record in records]
        found += [*theme_use.diagnostics, *(diagnostic for item in parsed for diagnostic in item.diagnostics)]

        assembled, git = session.assemble(inputs, parsed, Visibility(options.now))
        planner = session.plan(inputs, assembled, *session.derive(inputs, assembled))
        claims = tuple(planner.claims())
        surprises = theme.plugins or not inputs.loaded.is_built_in
        if surprises and not theme_use.is_broken:
            stale = stages.stale(map(planner.target, claims), theme_use, _published(root, config))
            for output in stages.render(stale, theme):
                found += output.diagnostics
        found += [*planner.diagnostics, *stages.diagnostics]

        session.forget_changed(found)
        evidence = _evidence(options, inputs, records, planner, claims, git.added)
        ruled = rules.run(evidence, theme.plugins)
        whole = {problem.span.path for problem in ruled if problem.code == "no-front-matter"}
        found = [problem for problem in found if problem.code != "missing-title" or problem.span.path not in whole]
        if any(problem.code == "bad-base-url" for problem in found):
            ruled = [problem for problem in ruled if problem.code != "no-base-url"]
        found = _without_guesses(options.repository or root, config, [*posts.with_titles(evidence, found), *ruled])
        if parsed:  # a content folder that is empty for a moment does not make the cache worthless
            stages.forget_checked()
    diagnostics = judge(found, config, strict=options.strict)
    return Checked(
        title=config.title,
        posts=len(assembled.site.posts),
        inputs=inputs,
        evidence=evidence,
        diagnostics=inputs.with_lines(root, diagnostics),
        seconds=round(time.perf_counter() - begin, 4),
    )


def _output(root: Path, inputs: Inputs) -> tuple[Diagnostic, ...]:
    """Problems of the output folder."""
    output = inputs.config.output
    if wrong := check_output(root, output, inputs.folders(root)):
        return wrong
    other = another_site(load_manifest(root, output)[0], inputs.owner(root, output))
    return (problems.unsafe_output(output, other),) if other else ()


def _published(root: Path, config: Config) -> dict[str, str]:
    """The keys of the unchanged outputs of the last build, by path: those that are up to date need not be rendered."""
    manifest, _ = load_manifest(root, config.output)
    return {path: entry.key for path, entry in unchanged(root, config.output, manifest).items()}


def _evidence(
    options: Options,
    inputs: Inputs,
    records: Iterable[Record],
    planner: Planner,
    claims: Iterable[Claim],
    git_dates: Mapping[str, datetime],
) -> Evidence:
    """The evidence that the rules examine."""
    config, root, site = inputs.config, options.root, planner.site
    posts = {post.id: post for post in (*site.posts, *site.pages)}
    zone = ZoneInfo(config.timezone)
    texts = tuple(
        CheckedSource(
            record.parsed,
            decoded(record.facts, CheckFacts) or CheckFacts(),  # only a forged record has none
            posts.get(record.parsed.path),
            git_dates[record.parsed.path].astimezone(zone).date().isoformat()
            if record.parsed.path in git_dates
            else "",
        )
        for record in records
    )
    known = {text.parsed.path for text in texts}
    companions = planner.companions
    texts += tuple(CheckedSource(item.text, item.facts) for item in companions if item.text.path not in known)
    uses = _uses(config, {text.parsed.path: text for text in texts}, planner.resolved_links())
    own = _config_text(root, inputs.config_file)
    paths = [*(claim.path for claim in claims), *(copy.path for copy in planner.copies)]
    return Evidence(
        config=config,
        config_file=inputs.config_file,
        config_spans=key_spans(own, inputs.config_file),
        site=site,
        sources=texts,
        uses=uses,
        outputs=frozenset(f"/{path.removesuffix('index.html')}" for path in paths),
        named=_named(root, inputs, planner.assembled, uses),
        heads=dict(_heads(root, (item.asset for item in site.assets if _may_be_text(item)))),
        derived=planner.derived,
        companions=frozenset(item.text.path for item in companions),
        scripts=named_scripts(config, inputs.loaded.theme.templates),
        templates=() if inputs.loaded.theme.plugins else inputs.loaded.theme.templates,
        theme_names=built_in_templates(),
        strays=_strays(root, inputs),
        absent=_absent(options.repository or root, config, planner.resolved_links()),
        located=_located(config, site),
        people=People(
            (byline for text in texts for byline in text.parsed.front_matter.authors),
            {key.lstrip("@").lower(): entry for key, entry in inputs.author_entries.items()},
        ),
    )


def _strays(root: Path, inputs: Inputs) -> tuple[str, ...]:
    """The files that look like posts outside the content folder; none if that is the site's own folder."""
    config = inputs.config
    if not config.content_prefix:
        return ()
    own = (config.content, config.static, config.output, *inputs.folders(root))
    return stray_posts(root, [posixpath.normpath(folder) for folder in own])


def _absent(
    root: Path, config: Config, resolved: Iterable[tuple[Parsed, tuple[ResolvedLink, ...]]]
) -> tuple[tuple[Ref, str], ...]:
    """The links to files of the repository that its checkout around the site does not have, with their paths there.

    Args:
        root: the folder of the site in the checkout.
        config: the configuration of the site.
        resolved: the links of each source.
    """
    begin = config.view_pattern.partition("{path}")[0]
    if not begin or posixpath.normpath(config.source_folder) != folder_in_checkout(root):  # that of another repository
        return ()
    found = [
        (ref, unquote(re.split("[?#]", link.url[len(begin) :], maxsplit=1)[0]))
        for parsed, links in resolved
        for ref, link in zip(parsed.document.refs, links, strict=True)
        if link.url.startswith(begin) and not has_scheme(ref.target)
    ]
    absent = absent_files(root, {path for _, path in found})
    return tuple((ref, path) for ref, path in found if path in absent)


def _without_guesses(root: Path, config: Config, found: list[Diagnostic]) -> list[Diagnostic]:
    """Problems without the fixes of links whose targets git may have, though they are not on the disk.

    Args:
        root: the folder of the site in the checkout.
        config: the configuration of the site.
        found: all problems.
    """
    top = checkout_around(root)
    guesses = {item: item.fix.edits[0].old for item in found if item.code in _OF_MISSING_FILES and item.fix}
    in_git = not_checked_out(top) if top and guesses else None
    if in_git is None:
        return found
    names = {posixpath.basename(file) for file in in_git.sparse}
    site = folder_in_checkout(root)

    def is_in_git(file: str, target: str) -> bool:
        path = unquote(re.split("[?#]", target, maxsplit=1)[0])
        folders = (config.content, config.static) if path.startswith("/") else (posixpath.dirname(file),)
        paths = [posixpath.normpath(posixpath.join(site, folder, path.lstrip("/"))) for folder in folders]
        # If two files have the name, nobody knows which one is meant.
        return posixpath.basename(path) in names or any(map(in_git.has, paths))

    return [
        msgspec.structs.replace(item, hint=_NOT_CHECKED_OUT, fix=None)
        if item in guesses and is_in_git(item.span.path, guesses[item])
        else item
        for item in found
    ]


def _config_text(root: Path, file: str) -> str:
    """The text of the configuration file; empty if there is none, or it cannot be read."""
    text = read_text(root, file) if is_there(root / file) else ""
    return "" if isinstance(text, Diagnostic) else text


def _uses(
    config: Config, texts: Mapping[str, CheckedSource], resolved: Iterable[tuple[Parsed, tuple[ResolvedLink, ...]]]
) -> dict[str, tuple[Use, ...]]:
    """The links to each permalink of the site."""
    base = config.base_path
    found: dict[str, list[Use]] = {}
    for parsed, links in resolved:
        for ref, link in zip(parsed.document.refs, links, strict=True):
            for url in (link.url, link.dark.url) if link.dark else (link.url,):
                if url.startswith(base):
                    path = url[len(base) - 1 :].partition("#")[0].partition("?")[0]
                    found.setdefault(unquote(path), []).append(Use(ref, texts[parsed.path]))
    return {path: tuple(sorted(uses, key=lambda use: use.ref.span)) for path, uses in found.items()}


def _named(root: Path, inputs: Inputs, assembled: Assembled, uses: Mapping[str, tuple[Use, ...]]) -> frozenset[str]:
    """The names of images that are used elsewhere than in published text: templates, style sheets, settings, drafts."""
    if all(item.permalink in uses for item in assembled.site.assets if item.asset.path.lower().endswith(IMAGES)):
        return frozenset()  # no image can be unused, so the names are not needed
    files = [asset.file for asset in (*inputs.static.assets, *inputs.content.assets) if asset.path.endswith(_NAMING)]
    files += [file for file in (inputs.config_file, inputs.authors_file) if is_there(root / file)]
    texts = [template.text for template in inputs.loaded.theme.templates]
    texts += [text for file in files if isinstance(text := read_text(root, file), str)]
    named = {name for text in texts for name in _MENTIONED.findall(text)}
    site = assembled.site
    hidden = [item.parsed for item in assembled.unpublished]
    shown = [*(post.parsed for post in (*site.posts, *site.pages)), *([site.home] if site.home else [])]
    named |= {posixpath.basename(parsed.front_matter.image) for parsed in (*shown, *hidden)}
    named |= {name for parsed in shown for name in _MENTIONED.findall(parsed.front_matter.params)}
    targets = (ref.target for parsed in hidden for ref in parsed.document.refs)
    return frozenset(named | {posixpath.basename(unquote(target)) for target in targets})


def _located(config: Config, site: Site) -> frozenset[str]:
    """The images that are published with the location where they were taken, though builds do not report them."""
    if config.images.strip:
        return frozenset()
    return frozenset(item.permalink for item in site.assets if item.asset.location)


def _may_be_text(item: Published) -> bool:
    """Whether a file is in the content folder and has a name that a post with a wrong suffix may have."""
    if item.asset.inside:
        return False
    return item.folder == "content" and posts.may_be_post(posixpath.basename(item.asset.path))


def _heads(root: Path, assets: Iterable[Asset]) -> Iterator[tuple[str, str]]:
    """The names and the first bytes, as text, of those files that are text."""
    for asset in assets:
        try:
            with open_regular(root, asset.file, follow=False) as file:
                head = file.read(_HEAD)
            text = getincrementaldecoder("utf-8-sig")().decode(head)  # the last character may be cut
        except (OSError, UnicodeDecodeError):  # the file was removed in the meantime, or is no text
            continue
        if "\0" not in text:
            yield asset.file, text.replace("\r\n", "\n")
