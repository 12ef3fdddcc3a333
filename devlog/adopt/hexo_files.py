"""Finds the files beside posts of Hexo that it does not publish: all but those in the folder of a published post."""

from __future__ import annotations

import posixpath

from devlog.adopt.adoption import Draft
from devlog.adopt.common import OTHER_TEXTS, add_ignored
from devlog.adopt.file_tree import FileTree, folders_above
from devlog.adopt.foreign import read_head
from devlog.adopt.ignoring import SOURCES, content_of, ignored_paths, is_draft, path_inside
from devlog.adopt.survey import Survey
from devlog.model.diagnostic import Span
from devlog.report import count

_KEY = "post_asset_folder"


def by_posts(draft: Draft, survey: Survey) -> None:
    """Ignore the files that are of no published post; what else is ignored is set."""
    content, key = content_of(draft), draft.take(_KEY)
    everything = survey.below(content)
    files = [path for path in everything if not path.lower().endswith(SOURCES)]
    owners = _published(draft, survey) if key and key.is_on else frozenset()
    is_ignored = ignored_paths(draft)
    known = [path for path in files if not is_ignored(path_inside(path, content))]
    hidden = [path for path in known if owners.isdisjoint(folders_above(path)) and not path.endswith(OTHER_TEXTS)]
    add_ignored(draft, *FileTree(everything, content).patterns(hidden))
    if key:
        draft.leave(key, "the URLs of such files have their own folders, not those of posts")
    if hidden:
        draft.advise(f"{count(len(hidden), 'file')} ignored that Hexo does not publish either", Span(hidden[0]))


def _published(draft: Draft, survey: Survey) -> frozenset[str]:
    """The paths of the published posts without their extensions, which are those of the folders with their files."""
    content, is_ignored = content_of(draft), ignored_paths(draft)
    posts = (path for path in survey.below(content, SOURCES) if not is_ignored(path_inside(path, content)))
    return frozenset(posixpath.splitext(path)[0] for path in posts if not is_draft(read_head(survey, path)))
