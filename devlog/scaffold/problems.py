"""Messages about creating posts, topics, authors and sites."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error, warning


def no_site(folder: str) -> Diagnostic:
    """The folder is neither a devlog site nor inside one."""
    hint = "go to the site's folder, or pass it with --root; “devlog init DIR” creates a new site"
    return error("no-site", Span(folder), "no devlog site found here", hint)


def unknown_topic(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """There is no topic of this name."""
    is_plain = all(character.isalnum() or character in "-_/" for character in name)
    hint = did_you_mean(name, known) or (f"create it with “devlog new topic {name}”" if is_plain else "")
    return error("unknown-topic", span, f"unknown topic “{name}”", hint)


def which_topic(span: Span, known: Iterable[str]) -> Diagnostic:
    """A new post needs a topic, and the site has none, or several to choose from."""
    topics = [f"“{name}”" for name in known]
    if not topics:
        return error("which-topic", span, "there are no topics yet", "create one with “devlog new topic NAME”")
    names = ", ".join(topics[:12]) + (", …" if len(topics) > 12 else "")
    return error("which-topic", span, "missing --topic", f"choose one of {names}")


def no_slug(span: Span, text: str) -> Diagnostic:
    """No file name can be derived from the title, since it has no letter or digit."""
    return error("no-slug", span, f"“{text}” has no letter or digit for a file name", "set one with --slug")


def bad_name(span: Span, name: str, reason: str, hint: str = "") -> Diagnostic:
    """The name is not valid for a file, a topic or an author."""
    return error("bad-name", span, f"invalid name “{name}”: {reason}", hint)


def ignored_file(file: str) -> Diagnostic:
    """A new file would be ignored, and so never be part of the site."""
    hint = "choose another name, or change “ignore” in the configuration"
    return error("bad-name", Span(file), "the site ignores files of this name", hint)


def known_author(span: Span, handle: str) -> Diagnostic:
    """The author is already in the authors file."""
    return error("known-author", span, f"“{handle}” is already in the authors file", "edit the entry there")


def cannot_append(file: str, handle: str, *, has_authors: bool) -> Diagnostic:
    """The authors file is written in a form to which devlog cannot safely add an entry."""
    hint = (
        f"add “{handle}” by hand, in the form of the authors there"
        if has_authors
        else "write each author as “handle:”, with “name:” and other keys indented below"
    )
    return error("cannot-append", Span(file), "is in a form to which devlog cannot add an author", hint)


def no_author(span: Span) -> Diagnostic:
    """The post has no author: the command names none, and git has no user name."""
    hint = 'pass --author "Name (@handle)", or set your name with “git config user.name”'
    return warning("no-author", span, "git has no user name, so the post has no author", hint)


def unused_option(span: Span, option: str, placeholder: str) -> Diagnostic:
    """An option has no effect, because the template of the post has no placeholder for it."""
    message = f"the template has no “{placeholder}”, so {option} has no effect"
    return warning("unused-option", span, message, f"add “{placeholder}” to the template")


def unfit_template(span: Span, title: str) -> Diagnostic:
    """A post from a template would have another title than the requested one, or none."""
    message = f"a post from this template cannot have the title “{title}”"
    return error("unfit-template", span, message, 'put the value with the placeholder in double quotes: "{title}"')


def workflows_below(folder: str, top: str) -> Diagnostic:
    """GitHub looks for workflows only at the root of a repository, and the site is in a folder below it."""
    message = f"the site is not at the root of its repository, “{top}”, the only place where GitHub looks for workflows"
    hint = "move .github there, and add the site's folder to the commands and paths of its workflows"
    return warning("workflows-below", Span(folder), message, hint)


def folder_not_empty(folder: str, names: Iterable[str]) -> Diagnostic:
    """The folder for a new site contains other files."""
    found = [f"“{name}”" for name in names]
    listed = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
    hint = "choose a new folder; use “devlog adopt” for a site of another generator"
    return error("folder-not-empty", Span(folder), f"the folder is not empty: it contains {listed}", hint)


def unknown_template(span: Span, name: str, known: Iterable[str], *, several: bool) -> Diagnostic:
    """The theme has no template of this name, or several match it."""
    known = sorted(known)
    if several:
        return error("unknown-template", span, f"“{name}” is ambiguous: it may be {', '.join(known)}")
    endings = [text for full in known for text in (full, full.rpartition("/")[2].removesuffix(".html"))]
    hint = did_you_mean(name, endings) or "“devlog theme list” shows all"
    return error("unknown-template", span, f"the theme has no template “{name}”", hint)
