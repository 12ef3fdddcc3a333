"""Messages about the whole site: posts, URLs, links and topics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from devlog.model.active import ACTING, BUILT, FUNCTION, NAMED, SNIFFED
from devlog.model.diagnostic import Diagnostic, Fix, Span
from devlog.model.git_dates import GitFailure
from devlog.model.problems import error, files_of, info, some_files, warning


def missing_title(span: Span, title: str) -> Diagnostic:
    """A post without a title."""
    return warning("missing-title", span, f"no title; using “{title}”", f"add “title: {title}” to the front matter")


def missing_date(span: Span) -> Diagnostic:
    """A post without a date, in its front matter, its file name and the repository."""
    hint = "add “date: YYYY-MM-DD” to the front matter, or start the file name with the date"
    return warning("missing-date", span, "no date; the post is last in lists and in no feed", hint)


def updated_too_early(span: Span) -> Diagnostic:
    """A post was last changed before it was written, as it says."""
    return warning("bad-value", span, "the day of the last change is before the date of the post; it is ignored")


def updated_too_late(span: Span) -> Diagnostic:
    """A published post will be changed in the future, as it says."""
    return warning("bad-value", span, "the day of the last change is in the future; it is ignored until then")


def git_dates_unknown(failure: GitFailure) -> Diagnostic:
    """Git could not tell when files were added or changed, although there seems to be a repository."""
    message = "git could not tell when files were added or changed; files without a date of their own have none"
    return warning("git-dates", Span(".git"), message, _GIT_HINTS[failure])


_GIT_HINTS = {
    GitFailure.NOT_ASKED: (
        "rename the file “HEAD” in the site's folder or above it: with the folders or files beside it, it looks like a"
        " repository of its own"
    ),
    GitFailure.REFUSED: (
        "see what “git status” says; if it is that another user owns the repository, and you trust it, add its folder"
        " with “git config --global --add safe.directory”"
    ),
    GitFailure.STOPPED: (
        "see what “git log --name-only” says: the clone may lack objects, or a commit may change more files than git"
        " can list with the time and memory that it gets"
    ),
}


def damaged_image(span: Span, target: str, *, empty: bool) -> Diagnostic:
    """An image file that is empty, or does not begin like an image of the kind that its name says."""
    reason = "the file is empty" if empty else "the file does not begin like an image"
    return warning("damaged-image", span, f"the image “{target}” cannot be shown: {reason}")


def kept_location(file: str) -> Diagnostic:
    """An image that is published with the location where it was taken, because its metadata cannot be removed."""
    message = "it is published with the location where it was taken, which devlog cannot remove from such a file"
    return warning("kept-location", Span(file), message, "remove it, for example with “exiftool -gps:all= FILE”")


def missing_index(span: Span, title: str) -> Diagnostic:
    """A topic without an `_index.md`."""
    hint = "its front matter sets the “title” and “description” of the topic"
    return warning("missing-index", span, f"the topic has no _index.md; using the title “{title}”", hint)


def inside_bundle(span: Span, bundle: str) -> Diagnostic:
    """A Markdown file beside the `index.md` of a post that is a folder."""
    hint = "a folder with an index.md is one post; move the file out to publish it"
    return warning("inside-bundle", span, f"not published: it is inside the post “{bundle}”", hint)


def replaced_page(span: Span, permalink: str) -> Diagnostic:
    """A page that a Jekyll template generates from other pages, replaced by the page that devlog generates there."""
    message = f"skipped: it is a Jekyll template, and devlog generates its own page at “{permalink}”"
    return info("replaced-page", span, message)


def active_content(file: str, reason: str) -> Diagnostic:
    """A file beside a post that would run with the rights of the site, such as a script."""
    message = f"not published: {reason}, so it could affect the whole site"
    trusted = 'if you trust it, move it to the static folder, or set html = "trusted" in the configuration'
    return warning("active-content", Span(file), message, _other_name(file, reason) or trusted)


def _other_name(file: str, reason: str) -> str:
    """How a file would be published under another path; empty if its content may be active under any."""
    name = file.rpartition("/")[2]
    if reason == BUILT:
        return "put it into a folder with its post"
    if reason == FUNCTION:
        return f"put it into another folder, or rename it to “{name}.txt”"
    if reason.startswith(NAMED):
        stem, _, suffix = name.rpartition(".")
        return f"rename it, for example to “{stem.replace('.', '-')}.{suffix}”"
    return f"rename it to “{name}.txt”, which all servers send as text" if reason in (SNIFFED, ACTING) else ""


def active_folder(span: Span, files: Sequence[tuple[str, str]]) -> Diagnostic:
    """Many files of one folder that would run with the rights of the site, such as scripts.

    Args:
        span: the folder.
        files: their paths relative to it, sorted, each with the reason.
    """
    reasons: dict[str, list[str]] = {}
    for file, reason in files:
        reasons.setdefault(reason, []).append(file)
    listed = "; ".join(f"{some_files(found)} ({reason})" for reason, found in islice(reasons.items(), 5))
    others = f"; and {len(reasons) - 5:,} other reasons" if len(reasons) > 5 else ""
    message = f"{len(files):,} files not published because they could affect the whole site: {listed}{others}"
    hint = 'if you trust them, move them to the static folder, or set html = "trusted" in the configuration'
    if reasons.keys() == {BUILT}:
        hint = "put them into folders with their posts"
    return warning("active-content", span, message, hint)


def bad_tag(span: Span, tag: str) -> Diagnostic:
    """A tag without any letter or digit."""
    return warning("bad-tag", span, f"the tag “{tag}” was removed: it has no letter or digit for a URL")


def bad_url(span: Span, permalink: str, reason: str, hint: str = "") -> Diagnostic:
    """A permalink that cannot be a file in the output folder."""
    return error("bad-url", span, f"“{permalink}” cannot be published: {reason}", hint)


def run_by_servers(span: Span, permalink: str, reason: str) -> Diagnostic:
    """A permalink at which web servers would run what a post contains."""
    own = " with “url” in the front matter" if span.is_file and not span.line else ""
    what = f"URL{own}" if span.is_file else "name"
    hint = f'choose another {what}, or set html = "trusted" in the configuration if you trust all posts'
    return bad_url(span, permalink, reason, hint)


_RENAME = "give one of them a different “slug”, “url” or file name"

_GIVE_WAY = "rename its file or folder; a page may also set another “url” in its front matter"
"""The hint for a source that has the URL of something that devlog makes."""


def colliding_url(span: Span, path: str, other: Span) -> Diagnostic:
    """Two sources with the same URL."""
    hint = _RENAME if other.is_file else _GIVE_WAY
    return error("colliding-url", span, f"“/{path}” is also published by {other.path}", hint, files_of(other))


def sent_instead(span: Span, path: str, other: Span) -> Diagnostic:
    """A compressed file that servers send in place of another source's file."""
    message = f"servers may send it in place of “/{path}”, which is published by {other.path}"
    hint = "remove it, and let the server compress the other file"
    return error("colliding-url", span, message, hint, files_of(other))


def colliding_folder(span: Span, path: str, inside: str, other: Span) -> Diagnostic:
    """A source whose file would have to be the folder of another source's file."""
    message = f"“/{path}” would be both a file and the folder of “/{inside}”; see also {other.path}"
    return error("colliding-url", span, message, _RENAME if other.is_file else _GIVE_WAY, files_of(other))


def colliding_alias(span: Span, path: str, other: Span) -> Diagnostic:
    """An alias with the URL of another page."""
    hint = "remove the alias, or change the URL of the other page"
    return error("colliding-alias", span, f"“/{path}” is also published by {other.path}", hint, files_of(other))


def broken_link(span: Span, target: str, near: str, fix: Fix | None = None) -> Diagnostic:
    """A link inside the site whose target does not exist."""
    hint = f"did you mean “{near}”?" if near else _missing_scheme(target)
    return warning("broken-link", span, f"link target not found: “{target}”", hint, fix)


_HOST = re.compile(r"(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|edu|gov|cern|ai|app|co|uk|de|fr|eu|ch|jp|cn)(?:[/?#:]|$)")

_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def _missing_scheme(target: str) -> str:
    """A hint for a link that looks like a host or a URL without its scheme."""
    if _ADDRESS.fullmatch(target):
        return f"for an email address, write “mailto:{target}”"
    if _HOST.match(target.lower()):
        return f"for another site, write “https://{target}”"
    return ""


def broken_image(span: Span, target: str, near: str, fix: Fix | None = None) -> Diagnostic:
    """An image, or another media file, that does not exist."""
    hint = f"did you mean “{near}”?" if near else ""
    return warning("broken-image", span, f"file not found: “{target}”", hint, fix)


def page_as_image(span: Span, target: str) -> Diagnostic:
    """An image that is a page of the site."""
    return warning("broken-image", span, f"not an image but a page: “{target}”", "name an image file")


def pinned_not_a_post(span: Span, target: str) -> Diagnostic:
    """A pinned path of the home page that leads to something else than a post."""
    hint = "name the file of a post, such as “topic/2026-05-03-title.md”"
    return warning("pinned-not-a-post", span, f"not a post, so it is not pinned: “{target}”", hint)


def missing_custom_file(span: Span, file: str, near: str) -> Diagnostic:
    """A style sheet or script of the configuration that is not in the static folder."""
    hint = f"did you mean “{near}”?" if near else "write its path in the static folder, such as “css/own.css”"
    return error("missing-custom-file", span, f"file not found in the static folder: “{file}”", hint)


def broken_anchor(span: Span, target: str, fragment: str, near: str) -> Diagnostic:
    """A link to a fragment that the page does not have."""
    hint = f"did you mean “#{near}”?" if near else ""
    return warning("broken-anchor", span, f"“{target}”: no heading or anchor “#{fragment}” on the page", hint)


def case_mismatch(span: Span, target: str, right: str, fix: Fix | None = None) -> Diagnostic:
    """A link or image that only works where letter case does not matter."""
    message = f"“{target}” differs from the file name in letter case"
    return warning("case-mismatch", span, message, f"write “{right}”", fix)


def redirect_in_circle(span: Span, path: str, target: str, *, is_own: bool) -> Diagnostic:
    """A redirect, of the configuration or of a page, to its own URL, or back to it through others."""
    hint = (
        "its target is its own URL: write that of another page, or remove the redirect"
        if is_own
        else "it leads back here: let one of these redirects lead to a page"
    )
    return error("bad-redirect", span, f"“{path}” cannot redirect to “{target}”", hint)


def link_to_unpublished(span: Span, target: str, reason: str) -> Diagnostic:
    """A link to a post that is not published."""
    return warning("link-to-unpublished", span, f"link target is not published ({reason}): “{target}”")


def link_leaves_site(span: Span, target: str, *, in_repository: bool) -> Diagnostic:
    """A link to a file that is not published, inside or outside of the site's folder."""
    hint = "set “source_repo” in the configuration to link to the file in the repository" if in_repository else ""
    return warning("link-leaves-site", span, f"“{target}” is outside the site's content", hint)


def long_urls(span: Span, limit: int) -> Diagnostic:
    """A page would become far larger than its source, because its links lead to pages or files with long URLs; `span`
    is the link that exceeds the limit."""
    hint = "shorten the names of the folders and files that it links to, or split the page"
    return error("expands-too-much", span, f"the URLs of its links have more than {limit:,} characters", hint)


def reserved_topic(span: Span, name: str) -> Diagnostic:
    """An `_index.md` in a folder whose page is a list that devlog generates."""
    hint = "remove the file, or rename the folder to make it a topic"
    return warning("reserved-topic", span, f"“{name}” is a list that devlog generates; this page is not shown", hint)


def no_posts(span: Span, prefix: str) -> Diagnostic:
    """A site without posts; `prefix` is the path of its content folder, with a slash."""
    return info("no-posts", span, "there are no posts yet", f"create {prefix}first-topic/YYYY-MM-DD-first-post.md")


def same_part(span: Span, part: int, series: str, other: str) -> Diagnostic:
    """Two posts with the same part number in a series."""
    return warning("same-part", span, f"“{other}” is already part {part} of “{series}”", others=[other])


def shared_discussion(span: Span, given: str, other: str) -> Diagnostic:
    """A post whose `comments_id` is the discussion of another post: readers of both would see the same comments."""
    hint = "give one of the two another “comments_id”"
    return warning("same-discussion", span, f"“{given}” is the discussion of “{other}”", hint, others=[other])


def search_folder_taken(span: Span, path: str) -> Diagnostic:
    """A file of the site in the folder of the search index."""
    hint = "move the file, or set “enabled = false” in [search]"
    return error("search-folder-taken", span, f"“{path}” is in the folder of the search index", hint)
