"""The wording of every message, one function each, so that devlog speaks with one voice.

A message is one sentence without a full stop; what the user wrote stands in “typographic quotes”; a hint says
what to do and is given only when it is true. The code of a problem is stable: configuration refers to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from devlog.model.diagnostic import Diagnostic, Span

CODES = frozenset(
    """
    bad-base-url bad-date bad-executor bad-folder bad-ignore-pattern bad-key bad-permalink bad-registry bad-tag bad-url
    bad-value broken-anchor broken-image broken-link cannot-write case-mismatch changed-while-building
    colliding-url comment-in-value control-character damaged-manifest duplicate-key edited-output
    file-and-folder foreign-output front-matter-syntax front-matter-too-deep front-matter-too-long html-too-deep
    inside-bundle internal-error invalid-config link-leaves-site link-to-unpublished locked misplaced-config-key
    missing-config-key missing-date missing-extra missing-folder missing-index missing-title no-posts no-workers
    not-front-matter other-toolchain too-slow
    not-html not-utf8 outside-folder reserved-topic same-name special-file symlink template-error too-deep too-large
    unclosed-front-matter unclosed-html undecodable-name unknown-config-key unknown-key unknown-language
    unknown-shortcode unknown-theme unknown-timezone unreadable unsafe-html unsafe-output unsafe-url worker-died
    wrong-config-value yaml-feature zero-byte
    """.split()
)
"""Every code, for the table of the configuration that changes severities."""


def _error(code: str, span: Span, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(code, "error", message, span, hint)


def _warning(code: str, span: Span, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(code, "warning", message, span, hint)


def _info(code: str, span: Span, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(code, "info", message, span, hint)


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that `word` was most likely meant to be; empty when none is near."""
    found = get_close_matches(word, list(known), n=1, cutoff=0.7)
    return found[0] if found else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word; empty when none is near."""
    near = nearest(word, known)
    return f"did you mean “{near}”?" if near else ""


# -- configuration ---------------------------------------------------------------------------------------


def invalid_toml(span: Span, reason: str) -> Diagnostic:
    """The file is not TOML."""
    return _error("invalid-config", span, f"this is not valid TOML: {reason}")


def unknown_config_key(span: Span, key: str, known: Iterable[str], last: str) -> Diagnostic:
    """A key that devlog does not know."""
    own = "" if key.startswith("severity.") else "keys of your own belong into [params]"
    hint = did_you_mean(last, known) or own
    return _error("unknown-config-key", span, f"unknown key “{key}”", hint)


def misplaced_config_key(span: Span, key: str, home: str) -> Diagnostic:
    """A known key in the wrong table."""
    where = f"in [{home}]" if home else "at the top, before the first table"
    return _error("misplaced-config-key", span, f"“{key}” has no meaning here", f"it belongs {where}")


def missing_config_key(span: Span, keys: Iterable[str], table: str) -> Diagnostic:
    """A table lacks what it needs."""
    names = ", ".join(f"“{key}”" for key in keys)
    return _error("missing-config-key", span, f"“{table}” lacks {names}")


def wrong_config_type(span: Span, key: str, expected: str, reason: str) -> Diagnostic:
    """A value of the wrong type."""
    return _error("wrong-config-value", span, f"“{key}” must be {expected}", reason[:1].lower() + reason[1:])


def bad_base_url(span: Span, value: str) -> Diagnostic:
    """A base URL that is none."""
    return _error(
        "bad-base-url",
        span,
        f"“{value}” is not a base URL",
        "write the whole address, such as “https://docs.example.org/devlogs/”",
    )


def unknown_timezone(span: Span, value: str) -> Diagnostic:
    """A time zone that is not in the IANA database."""
    return _error("unknown-timezone", span, f"“{value}” is not a time zone", "write a name such as “Europe/Paris”")


def bad_folder(span: Span, key: str, value: str) -> Diagnostic:
    """A folder outside the site."""
    return _error("bad-folder", span, f"“{key}” must be a folder inside the site, not “{value}”")


def bad_permalink(span: Span, pattern: str, known: Iterable[str]) -> Diagnostic:
    """A URL pattern that cannot be filled in."""
    hint = f"it starts with “/” and may use {', '.join(known)}"
    return _error("bad-permalink", span, f"“{pattern}” is not a URL pattern", hint)


# -- text ------------------------------------------------------------------------------------------------


def control_character(span: Span, char: str) -> Diagnostic:
    """A character that XML cannot hold, which was left out."""
    hint = "delete it; it cannot be seen, but feed readers refuse it"
    return _warning("control-character", span, f"the control character U+{ord(char):04X} was left out", hint)


def unknown_language(span: Span, language: str, near: str) -> Diagnostic:
    """A fence names a language that has no highlighting."""
    hint = f"did you mean “{near}”?" if near else "write “text” for plain text"
    return _info("unknown-language", span, f"code in “{language}” is shown without colours", hint)


def unknown_shortcode(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A shortcode that devlog does not have."""
    hint = did_you_mean(name, known) or "write {{</* … */>}} to show a shortcode as text"
    return _warning("unknown-shortcode", span, f"unknown shortcode “{name}”, shown as text", hint)


def unsafe_url(span: Span, url: str, scheme: str) -> Diagnostic:
    """A link with a scheme that is not allowed."""
    message = f"the link “{url[:80]}” was left out: “{scheme}:” is not an allowed scheme"
    near = nearest(scheme, ("https", "http", "mailto"))
    hint = f"did you mean “{near}:”?" if near else "use https:, mailto: or a path inside the site"
    return _warning("unsafe-url", span, message, hint)


def unsafe_html(span: Span, tag: str) -> Diagnostic:
    """An element that the sanitiser removes."""
    hint = 'html = "trusted" in the configuration lets every post write any HTML'
    return _warning("unsafe-html", span, f"the element <{tag}> was left out: it is not allowed in posts", hint)


def not_html(span: Span, name: str) -> Diagnostic:
    """Something in angle brackets that is no element of HTML."""
    hint = f"write it as code: `<{name}>`"
    return _info("not-html", span, f"<{name}> is not HTML, and is shown as text", hint)


def unclosed_html(span: Span, name: str) -> Diagnostic:
    """An element that hides its content and is never closed."""
    hint = f"write it as code: `<{name}>`"
    return _info("unclosed-html", span, f"<{name}> is never closed, and is shown as text", hint)


def html_too_deep(span: Span, limit: int) -> Diagnostic:
    """Raw HTML that nests deeper than is safe to process."""
    return _warning("html-too-deep", span, f"HTML nested more than {limit} deep is shown as text")


# -- site ------------------------------------------------------------------------------------------------


def missing_title(span: Span, title: str) -> Diagnostic:
    """A post without a title."""
    return _warning(
        "missing-title", span, f"no title; “{title}” is used", f"write “title: {title}” in the front matter"
    )


def missing_date(span: Span) -> Diagnostic:
    """A post that says nowhere when it was written."""
    hint = "write “date: YYYY-MM-DD” in the front matter, or begin the file's name with the date"
    return _warning("missing-date", span, "no date; the post comes last in lists and is in no feed", hint)


def missing_index(span: Span, title: str) -> Diagnostic:
    """A topic without ``_index.md``."""
    hint = "its front matter gives the topic a “title” and a “description”"
    return _warning("missing-index", span, f"the topic has no _index.md; “{title}” is its title", hint)


def inside_bundle(span: Span, bundle: str) -> Diagnostic:
    """A text file beside the ``index.md`` of a bundle."""
    hint = "a folder with an index.md is one post; move the file out to publish it"
    return _warning("inside-bundle", span, f"left out: it stands inside the post “{bundle}”", hint)


def bad_tag(span: Span, tag: str) -> Diagnostic:
    """A tag without a letter or digit."""
    return _warning("bad-tag", span, f"the tag “{tag}” was left out: no URL can be made of it")


def bad_url(span: Span, permalink: str, reason: str) -> Diagnostic:
    """A permalink that cannot be a file in the output folder."""
    return _error("bad-url", span, f"“{permalink}” cannot be published: {reason}")


def colliding_url(span: Span, path: str, other: str) -> Diagnostic:
    """Two sources for one URL."""
    hint = "give one of them another “slug” or “url”, or another name"
    return _error("colliding-url", span, f"“/{path}” is published by {other} too", hint)


def broken_link(span: Span, target: str, near: str) -> Diagnostic:
    """A link inside the site that leads nowhere."""
    hint = f"did you mean “{near}”?" if near else _missing_scheme(target)
    return _warning("broken-link", span, f"“{target}” leads nowhere", hint)


_HOST = re.compile(r"(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|edu|gov|cern|ai|app|co|uk|de|fr|eu|ch|jp|cn)(?:[/?#:]|$)")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def _missing_scheme(target: str) -> str:
    """A hint for a link that looks like a host or an address without its scheme."""
    if _ADDRESS.fullmatch(target):
        return f"for an e-mail address write “mailto:{target}”"
    if _HOST.match(target.lower()):
        return f"for another site write “https://{target}”"
    return ""


def broken_image(span: Span, target: str, near: str) -> Diagnostic:
    """An image, or other media, that is not there."""
    hint = f"did you mean “{near}”?" if near else ""
    return _warning("broken-image", span, f"there is no file “{target}”", hint)


def broken_anchor(span: Span, target: str, fragment: str, near: str) -> Diagnostic:
    """A fragment that its page does not have."""
    hint = f"did you mean “#{near}”?" if near else ""
    return _warning("broken-anchor", span, f"“{target}”: the page has no “#{fragment}”", hint)


def case_mismatch(span: Span, target: str, right: str) -> Diagnostic:
    """A reference that only works where letter case does not count."""
    return _warning("case-mismatch", span, f"“{target}” differs in letter case from the file", f"write “{right}”")


def link_to_unpublished(span: Span, target: str, reason: str) -> Diagnostic:
    """A link to a post that is left out."""
    return _warning("link-to-unpublished", span, f"“{target}” is not published ({reason}), so the link leads nowhere")


def link_leaves_site(span: Span, target: str, *, in_repository: bool) -> Diagnostic:
    """A link to a file that is not published, in the site's own folder or outside of it."""
    hint = "set “source_repo” in the configuration to link to the file there" if in_repository else ""
    return _warning("link-leaves-site", span, f"“{target}” is outside the site's content", hint)


def reserved_topic(span: Span, name: str) -> Diagnostic:
    """An ``_index.md`` for a list that devlog makes itself."""
    hint = "remove the file, or give the folder another name to make it a topic"
    return _warning("reserved-topic", span, f"“{name}” is a list that devlog makes; this text is not shown", hint)


def no_posts(span: Span) -> Diagnostic:
    """Nothing to publish."""
    return _info("no-posts", span, "there are no posts yet", "write content/first-topic/YYYY-MM-DD-first-post.md")


def bad_registry(span: Span) -> Diagnostic:
    """A registry of authors that is not a mapping of mappings."""
    hint = "write each author as “handle:”, with “name:” and the rest indented below"
    return _warning("bad-registry", span, "this is not an author", hint)


# -- theme -----------------------------------------------------------------------------------------------


def template_error(span: Span, message: str, hint: str = "") -> Diagnostic:
    """A template that cannot be used."""
    return _error("template-error", span, message, hint)


def unknown_theme(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A theme that is not there."""
    hint = did_you_mean(name, known) or f"themes: {', '.join(known)}"
    return _error("unknown-theme", span, f"there is no theme “{name}”", hint)


def internal_error(span: Span, error: str) -> Diagnostic:
    """A fault of devlog that a text brought to light."""
    hint = "this is a fault of devlog: please report it with the text"
    return _error("internal-error", span, f"devlog failed on this file: {error[:200]}", hint)


def worker_died(span: Span) -> Diagnostic:
    """A post that ended the process that worked on it."""
    return _error("worker-died", span, "processing this file ended its process")


def too_slow(span: Span, seconds: float) -> Diagnostic:
    """A post that was not done in the time that it may take."""
    hint = "look for a very long line or a very long block of code"
    return _error("too-slow", span, f"processing this file took longer than {seconds:g} s", hint)


# -- executors -------------------------------------------------------------------------------------------


def unknown_executor(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A name that is no executor's."""
    known = [*known, "package.module:factory", "dask://HOST:PORT"]
    hint = did_you_mean(name, known) or f"executors: {', '.join(known)}"
    return _error("bad-executor", span, f"there is no executor “{name}”", hint)


def bad_executor(span: Span, name: str, reason: str, near: str = "") -> Diagnostic:
    """An executor that cannot be made."""
    hint = f"did you mean “{near}”?" if near else ""
    return _error("bad-executor", span, f"“{name}” cannot be used: {reason}", hint)


def missing_extra(span: Span, name: str, extra: str) -> Diagnostic:
    """A part of devlog that must be installed for this."""
    hint = f"run “pip install 'devlog[{extra}]'”"
    return _error("missing-extra", span, f"“{name}” needs packages that are not installed", hint)


def no_scheduler(span: Span, name: str, reason: str) -> Diagnostic:
    """A cluster that does not answer."""
    return _error("no-workers", span, f"no scheduler answers at “{name}”: {reason}")


def no_workers(span: Span, name: str, reason: str) -> Diagnostic:
    """An executor that does no work at all."""
    hint = "a scheduler and its workers need the same devlog, Python and libraries as this process"
    return _error("no-workers", span, f"nothing can be worked on by “{name}”: {reason}", hint)


def other_toolchain(span: Span, reason: str) -> Diagnostic:
    """A worker whose results could differ from ours."""
    hint = "give workers the same devlog, Python and libraries as this process"
    return _error("other-toolchain", span, f"a worker would make another site: {reason}", hint)


# -- front matter ----------------------------------------------------------------------------------------


def unclosed_front_matter(span: Span, fence: str) -> Diagnostic:
    """The file begins with a fence that nothing closes."""
    return _error("unclosed-front-matter", span, "the front matter is never closed", f"end it with “{fence}”")


def not_front_matter(span: Span, fence: str) -> Diagnostic:
    """Two fences hold something else than keys and values."""
    message = f"the block between the “{fence}” lines holds no keys and is taken as text"
    return _warning("not-front-matter", span, message, "write front matter as “key: value” lines")


def front_matter_too_long(span: Span, limit: int) -> Diagnostic:
    """The block is larger than any front matter."""
    return _error("front-matter-too-long", span, f"the front matter is longer than {limit:,} characters")


def front_matter_too_deep(span: Span, limit: int) -> Diagnostic:
    """Lists and mappings stand too deep inside each other."""
    return _error("front-matter-too-deep", span, f"the front matter is nested more than {limit} levels deep")


def front_matter_syntax(span: Span, language: str, message: str, hint: str = "") -> Diagnostic:
    """The block is not valid in its language; `message` says what is wrong in plain words."""
    return _error("front-matter-syntax", span, f"{language} in the front matter: {message}", hint)


def yaml_feature(span: Span, feature: str, hint: str) -> Diagnostic:
    """A feature of YAML that front matter does not need."""
    return _error("yaml-feature", span, f"{feature} is not supported in front matter", hint)


def duplicate_key(span: Span, key: str, line: int) -> Diagnostic:
    """A key is written twice."""
    message = f"“{key}” is set twice, first on line {line}" if line else f"“{key}” is set twice"
    return _error("duplicate-key", span, message, "remove one of them")


def bad_key(span: Span) -> Diagnostic:
    """A key is a list, a mapping or empty."""
    hint = "quote a value that begins with { or ["
    return _error("bad-key", span, "a key of the front matter must be a word", hint)


def control_in_front_matter(span: Span, character: str) -> Diagnostic:
    """A character that no text contains on purpose."""
    message = f"the front matter contains the control character U+{ord(character):04X}"
    return _error("control-character", span, message, "delete it")


def comment_in_value(span: Span, comment: str) -> Diagnostic:
    """The end of a value is a YAML comment by mistake."""
    message = f"“{comment}” is a comment in YAML and not part of the value"
    return _warning("comment-in-value", span, message, "quote the value, or write a space after the #")


def unknown_key(span: Span, key: str, known: str) -> Diagnostic:
    """A key that is nearly one that devlog knows."""
    message = f"unknown key “{key}” in the front matter"
    return _warning("unknown-key", span, message, f"did you mean “{known}”?")


def bad_date(span: Span, key: str, text: str) -> Diagnostic:
    """A date that cannot be read or does not exist."""
    message = f"“{key}” is not a date: “{text}”" if text else f"“{key}” is not a date"
    return _error("bad-date", span, message, "write it as 2026-05-03")


def bad_value(span: Span, key: str, expected: str) -> Diagnostic:
    """A value of the wrong kind, which is ignored."""
    return _warning("bad-value", span, f"“{key}” must be {expected}; this value is ignored")


# -- disk ------------------------------------------------------------------------------------------------


def symlink(file: str) -> Diagnostic:
    """A symbolic link among the inputs."""
    hint = "put a copy of the file here"
    return _error("symlink", Span(file), "is a symbolic link, and devlog follows none", hint)


def special_file(file: str) -> Diagnostic:
    """A pipe, device or socket among the inputs."""
    return _error("special-file", Span(file), "is not a regular file")


def unreadable(file: str, reason: str) -> Diagnostic:
    """The system refuses to open or read an input."""
    return _error("unreadable", Span(file), f"cannot be read: {reason}")


def too_large(file: str, limit: str) -> Diagnostic:
    """An input above the size limit of its kind."""
    return _error("too-large", Span(file), f"is larger than {limit}")


def too_deep(file: str, limit: int) -> Diagnostic:
    """Folders in folders without end."""
    return _error("too-deep", Span(file), f"lies more than {limit} folders deep")


def missing_folder(folder: str) -> Diagnostic:
    """No content folder."""
    return _error("missing-folder", Span(folder), "the folder does not exist")


def outside_folder(folder: str) -> Diagnostic:
    """A configured folder that leads out of the site."""
    return _error("outside-folder", Span(folder), "the folder must be inside the site's own folder")


def undecodable_name(file: str) -> Diagnostic:
    """A file name that is not UTF-8."""
    hint = "rename the file; “\\x” and two digits stand for each byte that is not UTF-8"
    return _error("undecodable-name", Span(file), "the name is not UTF-8", hint)


def same_name(file: str) -> Diagnostic:
    """Two names in one folder that differ in their Unicode form only."""
    message = "another file beside it has the same name in another Unicode form"
    return _error("same-name", Span(file), message, "remove or rename one of the two")


def other_encoding(file: str, encoding: str) -> Diagnostic:
    """A text whose first bytes, or whose zero bytes, give its encoding away."""
    return _error("not-utf8", Span(file), f"the text looks like {encoding}", "save it as UTF-8")


def not_utf8(span: Span, offset: int, byte: int, character: str) -> Diagnostic:
    """A text with a byte that is not UTF-8; `character` is what an old encoding has for it."""
    hint = f"in Windows-1252 this byte is “{character}”: if that was meant, save the file as UTF-8"
    return _error("not-utf8", span, f"byte {offset} (0x{byte:02X}) is not UTF-8", hint if character else "")


def zero_byte(span: Span, offset: int) -> Diagnostic:
    """A text with U+0000."""
    return _error("zero-byte", span, f"byte {offset} is zero, which no text contains")


def bad_ignore_pattern(span: Span, pattern: str, reason: str) -> Diagnostic:
    """A regular expression that does not compile."""
    message = f"the ignore pattern “{pattern}” is malformed: {reason}"
    return _error("bad-ignore-pattern", span, message)


def changed_while_building(file: str) -> Diagnostic:
    """An input that is not what it was when it was read."""
    message = "changed while the site was being built"
    return _error("changed-while-building", Span(file), message, "build again")


def unsafe_output(output: str, reason: str) -> Diagnostic:
    """An output folder that holds, or could come to hold, what is not devlog's."""
    message = f"the output folder {reason}; nothing has been written"
    return _error("unsafe-output", Span(output), message, "choose a folder of its own for the output")


def foreign_output(file: str) -> Diagnostic:
    """Someone else's file in the place of one of ours."""
    message = "stands where devlog would write, but is not a file that devlog wrote; nothing has been written"
    hint = "move it away; to publish it, put it into the static folder"
    return _error("foreign-output", Span(file), message, hint)


def file_and_folder(file: str) -> Diagnostic:
    """Two outputs of which one needs a folder where the other is a file."""
    message = "would have to be a file and a folder at once; nothing has been written"
    return _error("file-and-folder", Span(file), message)


def edited_output(file: str) -> Diagnostic:
    """A stale file that is not removed, because it is not as devlog left it."""
    message = "is no longer part of the site, but was changed since devlog wrote it, and is left as it is"
    return _warning("edited-output", Span(file), message, "remove it when it is not needed")


def replaced_output(file: str, more: int) -> Diagnostic:
    """A file of the site, and `more` others, that were not as devlog left them."""
    message = "was changed since devlog wrote it, and has been replaced"
    if more:
        others = "one other file" if more == 1 else f"{more:,} other files"
        message = f"and {others} were changed since devlog wrote them, and have been replaced"
    return _warning("edited-output", Span(file), message, "change the sources instead")


def cannot_write(file: str, reason: str) -> Diagnostic:
    """The system refuses to write: the disk is full, for instance."""
    return _error("cannot-write", Span(file), f"cannot be written: {reason}")


def damaged_manifest(file: str) -> Diagnostic:
    """The list of what devlog wrote does not parse."""
    message = "is damaged, so that devlog cannot tell its own files from others, and removes none"
    return _warning("damaged-manifest", Span(file), message, "remove the output folder and build again")


def locked(file: str, holder: str) -> Diagnostic:
    """Another build holds the lock; `holder` says who, if known."""
    who = f" ({holder})" if holder else ""
    message = f"another build of this site is running{who}"
    return _error("locked", Span(file), message, "wait until it has finished")
