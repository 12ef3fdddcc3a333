"""Messages of the rules, and of waivers: comments that allow a problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlog.model.diagnostic import Diagnostic, Fix, Span
from devlog.model.problems import did_you_mean, error, info, some_files, warning
from devlog.plugins.features import codes_of_builds

# -- posts -----------------------------------------------------------------------------------------------


def no_front_matter(span: Span, title: str, fix: Fix) -> Diagnostic:
    """A post without front matter."""
    message = f"the post has no front matter; using the title “{title}”"
    return warning("no-front-matter", span, message, "add it between two “---” lines, with “title” and “author”", fix)


def repeated_title(span: Span, title: str, fix: Fix | None) -> Diagnostic:
    """A first heading that repeats the title."""
    hint = "remove it: it is not shown" if fix else "it is not shown; move what links to it, or is in it, first"
    return warning("repeated-title", span, f"the heading repeats the title “{title}”", hint, fix)


def authors_key(span: Span, key: str, listing: str, fix: Fix | None) -> Diagnostic:
    """`authors:` with one string, where the site's posts write `author:`.

    Args:
        span: the key.
        key: its name.
        listing: what to write if the string is a key of the authors file, which “author” would take for a name.
        fix: renames the key.
    """
    hint = f"write “{listing}”" if listing else "use “author” for one string, “authors” for a list"
    return warning("authors-key", span, f"“{key}” is a single string", hint, fix)


def date_mismatch(span: Span, key: str, name: str, *, in_url: bool) -> Diagnostic:
    """A post with different dates in the front matter and the file name; `in_url`: whether the URL has the latter."""
    message = f"the date is {key} in the front matter, but {name} in the file name"
    hint = "the front matter is used" + ("; the URL keeps the file name" if in_url else "")
    return warning("date-mismatch", span, message, hint)


def unpadded_date(span: Span, written: str, right: str, fix: Fix | None) -> Diagnostic:
    """A date such as `2023-10-5`."""
    hint = (
        f"write “{right}”"
        if fix
        else f"write “{right}”; a renamed file gets a new URL, so keep the old one in “aliases”"
    )
    return warning("unpadded-date", span, f"“{written}” has no leading zeros", hint, fix)


def date_from_git(span: Span, date: str, fix: Fix | None) -> Diagnostic:
    """A post whose date only git knows."""
    message = f"the date {date} is taken from the commit that added the file"
    return warning("date-from-git", span, message, f"add “date: {date}” to the front matter", fix)


def missing_suffix(span: Span, new: str, *, is_free: bool, is_sure: bool, is_linked: bool) -> Diagnostic:
    """A Markdown file, or a copy of one, that is an attachment because its name does not end in `.md`."""
    message = "looks like a post, but its name does not end in “.md”"
    if not is_free:
        return warning("missing-suffix", span, message, f"“{new}” exists, too: remove one of them, or rename both")
    if not is_sure:
        return warning("missing-suffix", span, message, f"rename it to “{new}”, remove it, or add it to “ignore”")
    if is_linked:
        return warning("missing-suffix", span, message, f"rename it to “{new}”, and change the links to it")
    return warning("missing-suffix", span, message, f"rename it to “{new}”", Fix(rename=new))


def empty_post(span: Span) -> Diagnostic:
    """A post without a body."""
    return warning("empty-post", span, "the post is empty", "set “draft: true” until it is written")


def placeholder(span: Span, word: str) -> Diagnostic:
    """A word that shows that a post is not finished."""
    return warning("placeholder", span, f"placeholder left in the text: “{word}”")


# -- probable mistakes in Markdown -----------------------------------------------------------------------


def unknown_emoji(span: Span, written: str, meant: str) -> Diagnostic:
    """A name between colons that is no emoji, but similar to one."""
    return warning("unknown-emoji", span, f"“{written}” is shown as text", f"did you mean “{meant}”?")


def stray_asterisks(span: Span) -> Diagnostic:
    """Two asterisks that do not make text bold."""
    hint = "“**” makes bold what is directly between two of them; write “\\*\\*” for literal asterisks"
    return warning("stray-asterisks", span, "“**” is shown as text", hint)


def missing_cells(span: Span, counts: str) -> Diagnostic:
    """A table row with fewer cells than the header; `counts` says how many of how many it has."""
    hint = "add the empty cells; if the line is not part of the table, put a blank line before it"
    return warning("missing-cells", span, f"the row has only {counts} cells", hint)


# -- authors ---------------------------------------------------------------------------------------------


def missing_handle(span: Span, name: str, right: str, fix: Fix | None) -> Diagnostic:
    """An author without the handle that others have, or that the same author has elsewhere."""
    hint = f"write “{right}”" if right else f"write “{name} (@handle)”"
    return warning("missing-handle", span, f"“{name}” has no handle", hint, fix)


def bare_handle(span: Span, written: str, right: str, fix: Fix | None) -> Diagnostic:
    """A handle without its `@`."""
    return warning("missing-handle", span, f"“{written}” has no @ before the handle", f"write “{right}”", fix)


def author_spelling(span: Span, written: str, right: str, fix: Fix) -> Diagnostic:
    """An author who is recognized, but not written in the usual form."""
    return info("author-spelling", span, f"“{written}” is not the usual form of an author", f"write “{right}”", fix)


def two_names(span: Span, handle: str, name: str, other: str, *, is_set: bool = False) -> Diagnostic:
    """One handle with two names; `is_set`: whether the authors file sets the other one."""
    hint = f"use one of them, or set “name” for “{handle}” in the authors file"
    if is_set:
        hint = f"write “{other}”, as the authors file does, or add “{name}” to the “aliases” of “{handle}” there"
    return warning("two-names", span, f"“@{handle}” is “{name}” here and “{other}” elsewhere", hint)


def two_handles(span: Span, name: str, handle: str, other: str, where: str = "elsewhere") -> Diagnostic:
    """One name with two handles; `where` says where the other one is."""
    hint = f"if they are the same person, add “{handle}” to the “aliases” of “{other}” in the authors file"
    return warning("two-handles", span, f"“{name}” is “@{handle}” here and “@{other}” {where}", hint)


# -- links -----------------------------------------------------------------------------------------------


def placeholder_link(span: Span, target: str) -> Diagnostic:
    """A link whose target was never filled in."""
    return warning("placeholder-link", span, f"“({target})” links to the top of its own page", "fill in the target")


def unpinned_link(span: Span, ref: str) -> Diagnostic:
    """A link to lines of a file that may move."""
    hint = "press “y” on the file's page to get a URL with the commit"
    return warning("unpinned-link", span, f"the linked lines will move: “{ref}” is not a commit", hint)


def own_url(span: Span, target: str, right: str, fix: Fix | None) -> Diagnostic:
    """A link to this site that contains its host."""
    hint = f"write “{right}”, which also works in a preview, and when the site moves"
    return info("own-url", span, f"“{target}” is on this site", hint, fix)


def missing_source(span: Span, path: str) -> Diagnostic:
    """A link to a file of the repository that does not exist there."""
    hint = "the link leads to “source_repo”, where readers will not find it"
    return warning("missing-source", span, f"the repository has no file “{path}”", hint)


# -- images ----------------------------------------------------------------------------------------------


def missing_alt(span: Span) -> Diagnostic:
    """An image without alternative text."""
    hint = 'describe it: ![description](…); for decoration, write <img alt="">'
    return warning("missing-alt", span, "image has no alt text", hint)


def image_in_other_topic(span: Span, file: str, topic: str) -> Diagnostic:
    """An image from the folder of another topic that does not use it."""
    return warning("image-in-other-topic", span, f"“{file}” is in the folder of another topic, “{topic}”")


def large_image(span: Span, file: str, size: int, budget: int) -> Diagnostic:
    """An image that is larger than the limit of the site; sizes in kB."""
    hint = "make it smaller, or raise “image_budget” in [check]"
    return warning("large-image", span, f"“{file}” is {size:,} kB (limit: {budget:,} kB)", hint)


def unused_image(span: Span) -> Diagnostic:
    """An image that is not used."""
    return info("unused-image", span, "unused image")


def tracker_image(span: Span, host: str) -> Diagnostic:
    """An image that is hosted by an issue tracker."""
    hint = "download it and put it beside the post: such URLs expire, and the host can track readers"
    return warning("tracker-image", span, f"the image is hosted by an issue tracker ({host})", hint)


# -- topics and tags -------------------------------------------------------------------------------------


def empty_topic(span: Span) -> Diagnostic:
    """A topic without posts."""
    return info("empty-topic", span, "the topic has no posts")


def topic_drift(span: Span, name: str, other: str) -> Diagnostic:
    """Two topics whose names differ only in letter case, `-` or `_`."""
    return warning("topic-drift", span, f"the topics “{name}” and “{other}” have nearly the same name", "merge them")


def tag_drift(span: Span, name: str, right: str, fix: Fix | None = None, *, twice: bool = False) -> Diagnostic:
    """A tag with two spellings, possibly in the same post."""
    if twice:
        return warning(
            "tag-drift", span, f"the tag “{name}” is “{right}”, which the post also has", "remove one of them"
        )
    return warning("tag-drift", span, f"the tag “{name}” is written “{right}” elsewhere", f"write “{right}”", fix)


def spaced_tag(span: Span, written: str) -> Diagnostic:
    """A string of several words where a list of tags is expected."""
    several = ", ".join(written.split())
    return warning(
        "spaced-tag", span, f"“{written}” is one tag", f"write “[{several}]” for several, “[{written}]” for one"
    )


def unknown_tag(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A tag that is not in the list of allowed tags."""
    hint = did_you_mean(name, known) or "add it to “allowed” in [tags] to allow it"
    return warning("unknown-tag", span, f"“{name}” is not an allowed tag", hint)


# -- site ------------------------------------------------------------------------------------------------


def misplaced_post(span: Span, content: str) -> Diagnostic:
    """A file that looks like a post, in a folder that is not published."""
    message = f"looks like a post, but is not in the folder “{content}”"
    return warning("misplaced-post", span, message, f"move it into “{content}”, or nobody will see it")


def unused_template(span: Span, name: str, near: str) -> Diagnostic:
    """A template of the site that no page uses; `near` is that of the theme that it was meant to replace."""
    hint = f"did you mean “{near}”?" if near else "“devlog theme list” shows the templates that it can replace"
    return warning("unused-template", span, f"no page uses the template “{name}”", hint)


def active_static(span: Span, files: Sequence[str]) -> Diagnostic:
    """Files of the static folder that browsers run or web servers obey, and that no template names."""
    are = (
        "is a file that browsers run or web servers obey"
        if len(files) == 1
        else ("are files that browsers run or web servers obey")
    )
    return info(
        "active-static", span, f"{some_files(files)} {are}", "make sure that only people you trust can change them"
    )


def useless_key(span: Span, key: str, reason: str) -> Diagnostic:
    """A configuration key without effect."""
    return warning("useless-key", span, f"“{key}” has no effect: {reason}")


def useless_in_index(span: Span) -> Diagnostic:
    """A key in an `_index.md` that hides pages, but not those of topics."""
    message = "this has no effect in an _index.md: every topic has a page, and lists show it"
    return warning("useless-key", span, message, "“draft: true” leaves out the title and the text of the file")


def broken_menu(span: Span, url: str) -> Diagnostic:
    """A menu entry whose target does not exist."""
    return warning("broken-menu", span, f"menu link target not found: “{url}”")


def nameless_menu(span: Span, url: str) -> Diagnostic:
    """A menu entry without a name, which nobody sees."""
    return warning("broken-menu", span, f"the menu link “{url}” has no name, and is not seen", "write one as “name”")


def menu_of_host(span: Span, url: str) -> Diagnostic:
    """A menu entry that begins with two slashes."""
    hint = f"write “https:{url}” for that host, or “/{url.lstrip('/')}” for a page of this site"
    return warning("broken-menu", span, f"the menu link “{url}” leads to another host: it begins with “//”", hint)


def relative_menu(span: Span, url: str) -> Diagnostic:
    """A menu entry with a path that leads to another place from each page."""
    hint = f"begin it with “/”: “/{url.removeprefix('./')}”"
    return warning("broken-menu", span, f"the menu link “{url}” leads to another place from each page", hint)


def no_base_url(span: Span) -> Diagnostic:
    """Feeds without absolute URLs, whose links do not work in feed readers."""
    hint = "set “base_url” to the URL of the site, such as “https://docs.example.org/devlogs/”"
    return warning("no-base-url", span, "feeds need an absolute base_url", hint)


def placeholder_base_url(span: Span, url: str, *, publishing: bool) -> Diagnostic:
    """A `base_url` that is still that of a new site; `publishing` says whether the site is about to be published."""
    message, hint = f"base_url is still the placeholder “{url}”", "set it to the URL where readers will find the site"
    if publishing:
        return warning("placeholder-base-url", span, message, hint)
    return info("placeholder-base-url", span, message, hint)


# -- leaks -----------------------------------------------------------------------------------------------


def home_path(span: Span, path: str) -> Diagnostic:
    """The path of somebody's home folder."""
    hint = "write “~/…”, or a generic path such as /home/user"
    return warning("leaks.home-path", span, f"“{path}” is a path in somebody's home folder", hint)


def token(span: Span, kind: str) -> Diagnostic:
    """A secret; the message does not repeat it."""
    hint = "revoke it at once: it stays in the repository's history"
    return error("leaks.token", span, f"this looks like {kind}", hint)


def internal_host(span: Span, host: str) -> Diagnostic:
    """A host that cannot be reached from outside the organization."""
    return warning("leaks.internal-host", span, f"“{host}” cannot be reached from outside")


def internal_number(span: Span, number: str) -> Diagnostic:
    """The number of a change or task in a tool that nobody outside the organization can access."""
    return warning("leaks.internal-number", span, f"“{number}” looks like the number of an internal change or task")


def location(span: Span, file: str) -> Diagnostic:
    """An image whose metadata contain the location where it was taken."""
    message = f"the metadata of “{file}” contain the location where it was taken"
    return warning("leaks.location", span, message, "remove them, for example with “exiftool -gps:all= FILE”")


def own_leak(span: Span, code: str, text: str) -> Diagnostic:
    """A match of a pattern from the site's configuration."""
    return warning(code, span, f"“{text}” must not be published")


# -- waivers ---------------------------------------------------------------------------------------------


def bad_waiver(span: Span, code: str, known: Iterable[str], *, reasoned: bool) -> Diagnostic:
    """A waiver without effect; one without a code is not written as waivers are."""
    if not code:
        hint = "write “<!-- devlog: allow CODE: why -->”, with one code in each comment"
        return warning("bad-waiver", span, "this comment is no instruction that devlog knows", hint)
    if not reasoned:
        return warning("bad-waiver", span, f"this allows “{code}” without a reason", f"write “allow {code}: why”")
    message = f"“{code}” cannot be allowed by a comment"
    is_of_builds = code in codes_of_builds()
    own = "every build reports it; [severity] in the configuration changes how, unless it is an error"
    own = own if is_of_builds else ""
    return warning("bad-waiver", span, message, own or did_you_mean(code, known))


def unused_waiver(span: Span, code: str) -> Diagnostic:
    """A waiver for a problem that does not exist."""
    return info("unused-waiver", span, f"no “{code}” in this file needs to be allowed", "remove the comment")
