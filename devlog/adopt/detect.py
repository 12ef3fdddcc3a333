"""Detects the generator that a site was made for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from devlog.adopt import hugo, jekyll, zola
from devlog.adopt.books import book_of
from devlog.adopt.foreign import get, read_tree
from devlog.adopt.hexo import is_hexo
from devlog.adopt.plain import looks_like_texts
from devlog.adopt.survey import Survey

Generator = Literal["Hugo", "Jekyll", "Zola", "Markdown", "Bridgetown", ""]

BRIDGETOWN = ("bridgetown.config.yml", "bridgetown.config.yaml", "config/initializers.rb")
"""The configurations of Bridgetown, which is like Jekyll, but with other URLs and templates in posts."""
_HUGO_ALONE = tuple(file for file in hugo.FILES if file.startswith("hugo."))


def detect(survey: Survey) -> Generator:
    """The generator that a site was made for; empty if there is nothing to publish.

    File names that only one generator uses take precedence over names that several use, and a configuration file takes
    precedence over the names of folders.
    """
    signs: tuple[tuple[Generator, Callable[[Survey], bool]], ...] = (
        ("Zola", lambda site: site.has("zola.toml")),
        ("Hugo", lambda site: bool(site.first(*_HUGO_ALONE) or site.below(hugo.FOLDER))),
        ("Markdown", is_hexo),
        ("Markdown", lambda site: bool(book_of(site))),
        ("Bridgetown", lambda site: bool(site.first(*BRIDGETOWN))),
        ("Jekyll", lambda site: bool(site.first(*jekyll.FILES)) and not site.has("config.toml")),
        ("Zola", _is_zola),
        ("Hugo", _is_hugo),
        ("Jekyll", lambda site: bool(site.first(*jekyll.FILES)) or _has_posts(site)),
        ("Markdown", looks_like_texts),
    )
    return next((generator for generator, shows in signs if shows(survey)), "")


def _is_zola(survey: Survey) -> bool:
    if not survey.has("config.toml"):
        return False
    tree, wrong = read_tree(survey, "config.toml")
    if wrong:  # only the folders remain as evidence
        return survey.has_folder("templates") and not survey.has_folder("layouts")
    return get(tree, ("base_url",)) is not None and get(tree, ("baseURL",)) is None


def _is_hugo(survey: Survey) -> bool:
    file = survey.first(*hugo.FILES)
    if not file:
        return False
    tree, wrong = read_tree(survey, file)
    if not wrong and get(tree, ("baseURL",)):
        return True
    return any(survey.has_folder(folder) for folder in ("content", "layouts", "archetypes"))


def _has_posts(survey: Survey) -> bool:
    return any(folder.rpartition("/")[2] == "_posts" for folder in survey.folders)


def nested(survey: Survey) -> str:
    """A subfolder that contains the configuration of a site; empty if there is none."""
    names = {*zola.FILES, *hugo.FILES, *jekyll.FILES} - {"config.json", "config.yaml", "config.yml"}
    found = [path for path in survey.files if "/" in path and path.rpartition("/")[2] in names]
    likely = [path for path in found if path.count("/") == 1 and not path.startswith((".", "themes/", "config/"))]
    return likely[0].rpartition("/")[0] if likely else ""
