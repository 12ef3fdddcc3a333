"""Combines the command-line options of a comparison with the site's configuration."""

from __future__ import annotations

from pathlib import Path

from devlog.compare import problems
from devlog.compare.compare import Options
from devlog.config import Config
from devlog.config_file.read import read_config
from devlog.disk.folder import is_there
from devlog.disk.read import read_text
from devlog.disk.site_folder import CONFIGURATIONS
from devlog.model.diagnostic import Diagnostic
from devlog.plugins.features import known_codes


def options(
    root: Path, old: Path, new: Path | None, base_url: str, accept: tuple[str, ...]
) -> Options | tuple[Diagnostic, ...]:
    """Complete the options of the command line with the site's configuration.

    Args:
        root: the site's folder. It may have no configuration.
        old: the folder of the old output, or a sitemap.
        new: the folder of the new output; `None` for the configured one.
        base_url: the URL of the old site; empty if it is that of the new site.
        accept: patterns of URLs that may be lost.

    Returns:
        The options of the comparison, or the problems with the configuration or its output folder.
    """
    config = _config(root)
    if not isinstance(config, Config):
        return config
    folder = new or root / config.output
    if not is_there(folder, folder=True):
        return (problems.no_output(str(folder)),)
    return Options(old, folder, base_url, accept, config)


def _config(root: Path) -> Config | tuple[Diagnostic, ...]:
    name = next((name for name in CONFIGURATIONS if is_there(root / name)), "")
    if not name:
        return Config()
    text = read_text(root, name)
    if isinstance(text, Diagnostic):
        return (text,)
    config, wrong = read_config(text, name, known_codes())
    return tuple(wrong) if any(item.severity == "error" for item in wrong) else config
