"""Messages about the configuration."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error, language_hint, warning
from devlog.model.secrets import shortened


def invalid_toml(span: Span, reason: str, hint: str = "") -> Diagnostic:
    """The file is not TOML."""
    return error("invalid-config", span, f"this is not valid TOML: {reason}", hint)


def directional_in_config(span: Span, key: str, character: str) -> Diagnostic:
    """A character in a value that changes the direction of text, also of what is beside the value on pages."""
    message = f"“{key}” contains U+{ord(character):04X}, which changes the direction of the text beside it"
    return warning("directional-character", span, message, "delete it: text from right to left needs no such character")


def unknown_config_key(span: Span, key: str, known: Iterable[str], last: str, own: str = "[params]") -> Diagnostic:
    """A key that devlog does not know; `own` is the table for keys of which only templates know, if there is one."""
    own = "" if key.startswith("severity.") or not own else f"keys of your own belong in {own}"
    hint = did_you_mean(last, known) or own
    return error("unknown-config-key", span, f"unknown key “{key}”", hint)


def misplaced_config_key(span: Span, key: str, home: str) -> Diagnostic:
    """A known key in the wrong table."""
    where = f"in [{home}]" if home else "at the top, before the first table"
    return error("misplaced-config-key", span, f"“{key}” cannot be set here", f"it belongs {where}")


def missing_config_key(span: Span, keys: Iterable[str], table: str) -> Diagnostic:
    """A table lacks a required key."""
    names = ", ".join(f"“{key}”" for key in keys)
    return error("missing-config-key", span, f"“{table}” is missing {names}")


def wrong_config_type(span: Span, key: str, expected: str, reason: str) -> Diagnostic:
    """A value of the wrong type."""
    return error("wrong-config-value", span, f"“{key}” must be {expected}", reason[:1].lower() + reason[1:])


def default_not_accepted(span: Span, name: str, expected: str, *, in_schema: bool) -> Diagnostic:
    """The default of a theme's setting, which the theme's own schema, or the theme that it extends, does not accept."""
    hint = "change it, or its entry in [schema]"
    if not in_schema:
        hint = f"if this theme accepts something else, describe it as “{name}” in [schema]"
    return error("wrong-config-value", span, f"“settings.{name}” must be {expected}", hint)


def circular_theme(span: Span, name: str, *, hides_built_in: bool) -> Diagnostic:
    """A theme that extends itself, directly or through others."""
    hint = "remove it, or name a theme that does not extend this one"
    if hides_built_in:
        hint = f"the site's own theme “{name}” takes the place of the built-in one: give its folder another name"
    return error("wrong-config-value", span, f"“extends” leads back to the theme “{name}”", hint)


ENCODED = "“%C3%A4” for “ä” in a path, and “xn--…” for a host with such letters"
"""How letters outside of ASCII stand in URLs, in words for authors."""


def bad_base_url(span: Span, value: str) -> Diagnostic:
    """A base URL that is not valid."""
    hint = "write an absolute URL, such as “https://docs.example.org/devlogs/”"
    if not value.isascii():
        hint = f"write it as URLs are sent: {ENCODED}"
    return error("bad-base-url", span, f"“{value}” is not a base URL", hint)


def base_url_with_query(span: Span, value: str, mark: str) -> Diagnostic:
    """A base URL with a query or a fragment, to which no path can be added."""
    what = "query" if mark == "?" else "fragment"
    message = f"“{value}” is not a base URL: it has a {what}"
    return error("bad-base-url", span, message, f"leave out everything from “{mark}” on")


def bad_language(span: Span, value: str) -> Diagnostic:
    """A language that is not a language tag."""
    message = f"“language” must be a language tag (BCP 47), not “{value}”"
    return error("wrong-config-value", span, message, language_hint(value))


def unknown_timezone(span: Span, value: str) -> Diagnostic:
    """A time zone that is not in the IANA database."""
    return error("unknown-timezone", span, f"“{value}” is not a time zone", "write a name such as “Europe/Paris”")


def bad_branch(span: Span, name: str) -> Diagnostic:
    """The name of a branch that no branch can have."""
    return error("bad-branch", span, f"“{name}” is not the name of a branch", "write its name, such as “main”")


def unknown_placeholder(span: Span, key: str, placeholder: str, known: Iterable[str]) -> Diagnostic:
    """The URL of a file has a placeholder that nothing fills in."""
    hint = f"it may have {' and '.join(f'“{name}”' for name in known)}"
    return error("wrong-config-value", span, f"“{key}” has the unknown placeholder “{placeholder}”", hint)


def missing_placeholder(span: Span, key: str, value: str) -> Diagnostic:
    """The URL of a file has no placeholder for its path."""
    message = f"“{key}” must be a URL with “{{path}}” for a file, not “{value}”"
    return error("wrong-config-value", span, message, "write one such as “vscode://file/{path}:{line}”")


def no_theme(span: Span) -> Diagnostic:
    """The name of the theme is empty."""
    return error("wrong-config-value", span, "“theme” must be the name of a theme", "remove it for the default theme")


def bad_date_format(
    span: Span, form: str, placeholder: str, forms: Iterable[str], placeholders: Iterable[str]
) -> Diagnostic:
    """A form of dates that is none of the known ones, and no pattern either."""
    if placeholder:
        hint = did_you_mean(placeholder, placeholders) or f"a pattern may use {', '.join(placeholders)}"
        message = f"the form of dates has the unknown placeholder “{placeholder}”"
        return error("bad-date-format", span, message, hint)
    known = ", ".join(f"“{name}”" for name in forms)
    hint = did_you_mean(form, forms) or f"write {known}, or a pattern such as “{{day}} {{month}} {{year}}”"
    return error("bad-date-format", span, f"“{form}” is not a form of dates", hint)


def bad_folder(span: Span, key: str, value: str, whole: str = "site") -> Diagnostic:
    """A folder outside the site, or outside of the folder that it must be inside."""
    return error("bad-folder", span, f"“{key}” must be a folder inside the {whole}, not “{value}”")


def control_folder(span: Span, key: str, value: str, segment: str) -> Diagnostic:
    """A folder of version control or devlog's own one, or one inside it."""
    hint = f"“{segment}” is not for files of a site: git or other programs keep their own files there"
    return error("bad-folder", span, f"“{key}” must not be “{value}”", hint)


def static_holds_content(span: Span, value: str, content: str) -> Diagnostic:
    """The static folder is the content folder, or contains it: drafts and sources would be published as they are."""
    message = f"“static” must not be “{value}”: it would publish the files of “{content}” as they are, drafts too"
    return error("bad-folder", span, message, "name a folder beside it, such as “static”")


def theme_folder_in_use(span: Span, value: str, other: str) -> Diagnostic:
    """The folder of the site's own templates is in one whose files are never run."""
    message = f"“theme_folder” must not be “{value}”: nothing in “{other}” is ever run"
    return error("bad-folder", span, message, "name a folder beside it, such as “devlog-theme”")


def bad_mount(span: Span, place: str) -> Diagnostic:
    """The path at which a folder is mounted is not a plain path in the site."""
    hint = "write a path such as docs: lowercase letters, digits, “-” and “_”, with “/” between folders"
    return error("bad-mount", span, f"“{place}” is not a path at which a folder can be mounted", hint)


def mount_in_use(span: Span, folder: str, other: str) -> Diagnostic:
    """A mounted folder overlaps one with another purpose, or one that is mounted already."""
    return error("bad-mount", span, f"“{folder}” cannot be mounted: “{other}” is in use already")


def bad_permalink(span: Span, pattern: str, known: Iterable[str]) -> Diagnostic:
    """A URL pattern that does not start with “/”, or has an unknown placeholder."""
    hint = f"it starts with “/” and may use {', '.join(known)}"
    return error("bad-permalink", span, f"“{pattern}” is not a URL pattern", hint)


def bad_pattern(span: Span, pattern: str, reason: str) -> Diagnostic:
    """A regular expression that does not compile."""
    return error("bad-pattern", span, f"“{pattern}” is not a regular expression: {reason}")


def bad_feed_name(span: Span, name: str) -> Diagnostic:
    """A file name that a feed cannot have."""
    hint = "a plain name that ends in “.xml”, “.rss”, “.atom” or “.json”, another one for each format"
    return error("bad-feed-name", span, f"“{name}” cannot be the name of a feed's file", hint)


def bad_redirect(span: Span, path: str, target: str) -> Diagnostic:
    """A redirect whose path or target is not valid."""
    hint = "write “/old/path/” = “/new/path/”, or an absolute URL as the target"
    if "?" in path:
        hint = "a static site cannot tell queries (?…) apart: let the server redirect this URL"
    return error("bad-redirect", span, f"“{path}” cannot redirect to “{target}”", hint)


def policy_in_page(span: Span, directive: str) -> Diagnostic:
    """A directive of a content security policy that browsers only obey in an HTTP header."""
    message = f"“{directive}” has no effect in a <meta> element"
    return warning("policy-in-page", span, message, "let the server send it as an HTTP header")


def bad_comments(span: Span, value: str, example: str) -> Diagnostic:
    """A repository or forum for comments that is not valid."""
    return error("bad-comments", span, f"“{value}” is not a place for comments", f"write something like “{example}”")


def comments_need_address(span: Span) -> Diagnostic:
    """Comments on a forum, which must be able to find the site, without a base URL."""
    message = "comments on a forum need absolute URLs, and the site has no base_url"
    return error("comments-need-address", span, message, "set “base_url” to the URL of the published site")


def bad_diagram_script(span: Span, script: str) -> Diagnostic:
    """The script that draws diagrams does not have a valid URL."""
    hint = "write a path from the site's root, such as “/js/mermaid.min.js”"
    return error("bad-diagrams", span, f"“{script}” is not the URL of a script", hint)


def bad_diagram_language(span: Span, language: str) -> Diagnostic:
    """A table in [diagrams] has a name that no code fence can have."""
    hint = "write it in lower case, as code fences do"
    return error("bad-diagrams", span, f"“{language}” is not the name of a language", hint)


def bad_diagram_command(span: Span, language: str) -> Diagnostic:
    """A command for diagrams that names no program."""
    return error("bad-diagrams", span, f"the command for “{language}” has no program")


def bad_author_link(span: Span, address: str, *, titled: bool = True) -> Diagnostic:
    """The URL of an author, or one of the links with titles, is not a web or email link."""
    what = f"“{address}”" if address else "this"
    hint = f"write a URL such as “https://ada.example.org/”{' after its title' if titled else ''}"
    return warning("bad-author-link", span, f"{what} is not a web or email link; it is ignored", hint)


def bad_social(span: Span, name: str, address: str) -> Diagnostic:
    """A profile in the footer that is not a web or email link."""
    what = f"“{address}”" if address else f"the profile “{name}”"
    hint = "write a URL such as “https://social.example.org/@ada” after the name of the service"
    return warning("bad-social", span, f"{what} is not a web or email link; it is ignored", hint)


def script_url(span: Span, url: str) -> Diagnostic:
    """A URL that pages would link to, and that runs a script or opens a document inside it."""
    return error("unsafe-url", span, f"“{shortened(url, 80)}” can run a script", "write a URL of the web")


def bad_analytics(span: Span, value: str, wanted: str) -> Diagnostic:
    """A setting of the service that counts visits that cannot work."""
    return error("bad-analytics", span, f"“{value}” cannot count visits", f"write {wanted}")


def bad_refs(span: Span, repo: str) -> Diagnostic:
    """The configured repository for source references is not the URL of a repository."""
    hint = "write it like “https://github.com/owner/name”"
    return error("bad-refs", span, f"“{repo}” is not the URL of a repository", hint)
