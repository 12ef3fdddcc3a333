"""Imports the blog of Docusaurus: most posts keep their URLs, which depend on names of files more than on dates."""

from __future__ import annotations

import posixpath
import re

from devlog.adopt.adoption import Draft
from devlog.adopt.blogs import Blog
from devlog.adopt.foreign import get, read_head
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.assemble.urls import Address, permalink, topic_permalink
from devlog.model.diagnostic import Span
from devlog.model.document import FrontMatter
from devlog.parse.front_matter.dates import date_from_name, parse_date
from devlog.report import count

FOLDER = "blog"
_PAGE = "/blog/:topic/:name/"
_SLUG = "/blog/:slug/"
_PATTERNS = {
    "/blog/:year/:month/:day/:slug/": "Docusaurus's default",
    "/blog/:year/:month/:day/:topic/:slug/": "Docusaurus's default, with the names of folders",
    _PAGE: "Docusaurus's default for names without a date",
}
_DATED = re.compile(
    r"(?P<folder>.*)(?P<date>[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2})[-/]?(?P<text>.*?)(?:/index)?", re.DOTALL
)
_DATED_FOLDERS = re.compile(r"blog/(?:.*/)?[0-9]{4}(?:/[0-9]{1,2}[/-]|-[0-9]{1,2}/)[0-9]{1,2}[/-].", re.DOTALL)
_URL = ("url", "path", "permalink")


def blog_of_docusaurus(draft: Draft, survey: Survey) -> Blog | None:
    """The blog of a Docusaurus site, with the pattern that keeps most URLs; `None` if it has none."""
    files = survey.below(FOLDER, MARKDOWN)
    if not files:
        return None
    dated = [path for path in files if _DATED_FOLDERS.match(path)]
    if dated:
        least = f"{count(len(dated), 'post')} with the date in the names of folders"
        draft.advise(f"{least}, which devlog does not read: give such posts a “date” and a “url”", Span(dated[0]))
    posts = [_Post(survey, file) for file in files]
    patterns = dict(_PATTERNS)
    if any(post.slug for post in posts):
        patterns = {_SLUG: "Docusaurus's default for posts with a “slug”", **patterns}
    pattern = max(patterns, key=lambda one: sum(post.old == post.url(one) for post in posts))
    return Blog(FOLDER, pattern, patterns[pattern], page=_PAGE)


def changed_posts(draft: Draft, survey: Survey, files: list[str]) -> None:
    """Report the posts that have other URLs than before.

    Args:
        draft: receives the note; the patterns of URLs are set.
        survey: the files of the site.
        files: the published files of the blog.
    """
    pattern, are_posts = str(draft.setting(("permalinks", "post"))), draft.setting("undated") == "posts"
    posts = [_Post(survey, file) for file in files]
    urls = [(post, post.url(_PAGE if post.may_be_page and not are_posts else pattern)) for post in posts]
    changed = [(post, new) for post, new in urls if post.old != new]
    if changed:
        post, new = changed[0]
        draft.advise(
            f"{count(len(changed), 'post')} with another URL than in Docusaurus, such as “{new}” instead of "
            f"“{post.old}”: give such posts a “url”",
            Span(post.file),
        )


class _Post:
    """A post of the blog.

    Attributes:
        file: its file.
        slug: its key of this name.
        old: its URL in Docusaurus, with a slash at its end.
        may_be_page: whether devlog makes a plain page of it, unless posts without a date are posts.
    """

    def __init__(self, survey: Survey, file: str) -> None:
        head = read_head(survey, file)
        self.file = file
        self.slug = next((key.text for key in [get(head, ("slug",))] if key), "")
        path = posixpath.splitext(file[len(FOLDER) + 1 :])[0]
        self.old = f"/{FOLDER}/{(self.slug or _path(path)).strip('/')}/"
        folder, name = posixpath.split(path)
        self._topic, self._name = posixpath.split(folder) if name == "index" and folder else (folder, name)
        in_name, self._name_slug = date_from_name(self._name)
        written = get(head, ("date",))
        date = (parse_date(written.text) if written else None) or in_name
        self._date = date.value if date else None
        self._own = next((key.text for name in _URL if (key := get(head, (name,))) and key.text), "")
        self.may_be_page = not (date or self._topic)

    def url(self, pattern: str) -> str:
        """Its URL in devlog with a pattern. A date that only git knows is an ellipsis."""
        if not self._date:
            pattern = pattern.replace(":year/:month/:day", "…")
        topic = topic_permalink(self._topic)
        address = Address(pattern, topic, self._name, self._name_slug, "", self._date)
        return permalink(FrontMatter(slug=self.slug, url=self._own), address)


def _path(path: str) -> str:
    """What Docusaurus makes of the path of a file without a ``slug``: a date in it comes first."""
    found = _DATED.fullmatch(path)
    if found:
        return f"{found['date'].replace('-', '/')}/{found['folder']}{found['text']}"
    return path.removesuffix("/index")
