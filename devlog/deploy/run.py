"""The command ``devlog deploy``: selects a deployer, runs it on the built site, and reports its messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from devlog.check import problems as check_problems
from devlog.config import Config
from devlog.config_file.spans import SpanOf
from devlog.deploy import problems
from devlog.deploy.branch import to_branch
from devlog.deploy.folder import to_folder
from devlog.disk.lock import lock
from devlog.disk.manifest import file_name, load_manifest, unchanged
from devlog.disk.theme import OVERRIDES
from devlog.inputs import read_configuration, read_plugins
from devlog.model.diagnostic import Diagnostic
from devlog.model.outpath import check_out_path, collision_key
from devlog.model.secrets import masked
from devlog.model.theme import PluginRef
from devlog.plugin import Deployer, DeployError, Plugin, Release
from devlog.plugins.faults import fault, faults
from devlog.plugins.loading import load
from devlog.plugins.results import misfit_problem

BUILT_IN = Plugin("devlog", deployers={"folder": to_folder, "branch": to_branch})
"""The built-in deployers."""


class Chosen(msgspec.Struct, frozen=True):
    """The selected deployment.

    Attributes:
        name: of the table ``[deploy.NAME]``.
        deployer: its deployer.
        ref: the plugin that the deployer is from; `None` for built-in ones.
        settings: of the table.
    """

    name: str
    deployer: Deployer
    ref: PluginRef | None
    settings: Mapping[str, Any]


def deploy(root: Path, name: str = "", *, dry_run: bool = False) -> Iterator[str | Diagnostic]:
    """Publish the output of a site's last successful build into the configured output folder.

    Args:
        root: the site's folder.
        name: of the table ``[deploy.NAME]``; may be empty if there is only one.
        dry_run: whether only to report what would be done.

    Yields:
        Lines of progress, and diagnostics: after an error nothing more is done.
    """
    config, wrong, span_of = read_configuration(root)
    refs, unusable = read_plugins(root, config, span_of)
    broken = [item for item in (*wrong, *unusable) if item.severity == "error"]
    if broken:
        yield from broken
        return
    chosen = _choose(config, refs, name, span_of)
    if isinstance(chosen, Diagnostic):
        yield chosen
        return
    with lock(root) as locked:
        if locked:
            yield locked
            return
        release = _release(root, config, chosen.settings, dry_run=dry_run)
        if isinstance(release, Diagnostic):
            yield release
            return
        if config.has_placeholder_url:
            yield check_problems.placeholder_base_url(span_of("base_url"), config.base_url, publishing=True)
        yield from _run(chosen, release, span_of)


def _choose(config: Config, refs: tuple[PluginRef, ...], name: str, span_of: SpanOf) -> Chosen | Diagnostic:
    tables = config.deploy
    if not name and len(tables) == 1:
        name = next(iter(tables))
    if name not in tables:
        return problems.unknown_deployment(span_of("deploy"), name, tables)
    known: dict[str, tuple[Deployer, PluginRef | None]] = {}
    pairs: list[tuple[PluginRef | None, Plugin]] = [*zip(refs, load(refs), strict=True), (None, BUILT_IN)]
    for ref, plugin in pairs:
        known |= {key: (deployer, ref) for key, deployer in plugin.deployers.items()}
    to = tables[name].get("to", "")
    if not isinstance(to, str) or to not in known:
        span = span_of("deploy", name, "to")
        return problems.unknown_deployer(span if span.line else span_of("deploy", name), name, str(to), known)
    return Chosen(name, *known[to], tables[name])


def _release(root: Path, config: Config, settings: Mapping[str, Any], *, dry_run: bool) -> Release | Diagnostic:
    """The output of the last build, if it is unchanged."""
    manifest, damaged = load_manifest(root, config.output)
    if damaged:  # a build goes on then, with a warning, but here nothing can be published
        return problems.unknown_files(damaged[0].span)
    if not manifest.entries:
        return problems.not_built(config.output)
    unchanged_files = unchanged(root, config.output, manifest, believing=False)
    differing = [path for path in manifest.entries if path not in unchanged_files or check_out_path(path)]
    differing += sorted(manifest.pending)
    colliding = _colliding(manifest.entries)
    if differing or colliding:
        looks_unchanged = not set(differing).isdisjoint(unchanged(root, config.output, manifest))
        differing += colliding  # the next build removes them
        return problems.not_as_built(file_name(config.output, differing[0]), len(differing), looks_unchanged)
    return Release(
        root=root,
        folder=(root / config.output).resolve(),
        files={path: unchanged_files[path].digest for path in sorted(unchanged_files)},
        settings=settings,
        title=config.title,
        dry_run=dry_run,
        inputs=(
            *(config.content, config.static, *config.mounts.values()),
            *map(config.in_theme_folder, ("themes", OVERRIDES)),
        ),
    )


def _colliding(paths: Iterable[str]) -> list[str]:
    """The paths that some system takes for one of those before them. No build writes two such files."""
    first: dict[str, str] = {}
    return [path for path in paths if first.setdefault(collision_key(path), path) != path]


def _run(chosen: Chosen, release: Release, span_of: SpanOf) -> Iterator[str | Diagnostic]:
    what = f"the deployer of “{chosen.name}”"
    try:
        for said in chosen.deployer(release):
            if not isinstance(said, Diagnostic):
                yield masked(str(said))
            elif chosen.ref and (reason := misfit_problem(said)):
                yield fault(chosen.ref, what, reason, chosen.deployer)
            else:  # diagnostics of plugins may have no code
                message, hint, code = masked(said.message), masked(said.hint), said.code or "not-deployed"
                yield msgspec.structs.replace(said, message=message, hint=hint, code=code)
    except DeployError as error:
        span = span_of("deploy", chosen.name, str(error.key)) if error.key else span_of("deploy", chosen.name)
        span = span if span.line else span_of("deploy", chosen.name)
        yield problems.not_deployed(span, chosen.name, str(error), str(error.hint))
    except faults() as error:
        if chosen.ref is None:
            raise
        yield fault(chosen.ref, what, error, chosen.deployer)
