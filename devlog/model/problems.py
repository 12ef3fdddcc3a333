"""The wording of every message, one function each, so that devlog speaks with one voice.

A message is one sentence without a full stop; what the user wrote stands in “typographic quotes”; a hint says
what to do and is given only when it is true. The code of a problem is stable: configuration refers to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from devlog.model.closest import closest
from devlog.model.diagnostic import Diagnostic, Fix, Span

CODES = frozenset(
    """
    bad-diagrams bad-formula bad-label diagram-failed diagrams-as-text
    bad-message unknown-message
    already-adopted colliding-alias foreign-config nothing-to-adopt
    no-search search-failed search-folder-taken
    bad-card-file bad-card-layout missing-letters no-cards without-cards
    not-as-built not-built not-deployed unknown-deployer unknown-deployment
    already-spoken bad-speak cannot-speak not-a-text not-noted not-spoken nothing-to-speak
    bad-plugin plugin-failed unknown-recipe unknown-template
    bad-base-url bad-date bad-executor bad-folder bad-ignore-pattern bad-key bad-pattern bad-permalink bad-registry
    bad-tag bad-url bad-value broken-anchor broken-image broken-link cannot-write case-mismatch changed-while-building
    colliding-url comment-in-value control-character damaged-manifest duplicate-key edited-output
    expands-too-much
    file-and-folder foreign-output front-matter-syntax front-matter-too-deep front-matter-too-long html-too-deep
    already-there bad-name cannot-append folder-not-empty known-author no-author no-site no-slug unknown-topic
    unused-option which-topic workflows-below
    kramdown-options liquid-figure liquid-in-code liquid-include liquid-tag liquid-unclosed liquid-variable
    incomplete-shortcode unpaired-shortcode
    inside-bundle internal-error invalid-config kept-output link-leaves-site link-to-unpublished locked
    misplaced-config-key missing-config-key missing-date missing-extra missing-folder missing-index missing-title
    no-posts no-workers not-front-matter other-toolchain too-slow
    no-pillow one-size unfit-image
    no-checkout unchecked-source
    bad-author-link bad-comments comments-need-address same-part several-series theme-too-new
    policy-in-page
    active-content bad-feed-name bad-redirect bad-refs replaced-page template-file
    not-compared nothing-to-compare
    not-html not-utf8 outside-folder reserved-topic same-name shared-by-too-many special-file symlink template-error
    tangled-html too-deep too-large too-long-value
    too-many-values unclosed-front-matter unclosed-html uncommitted-changes undecodable-name unknown-config-key
    unknown-key unknown-language unknown-shortcode unknown-theme unknown-timezone unreadable
    unsafe-html unsafe-output unsafe-url worker-died wrong-config-value yaml-feature zero-byte
    contradicted-status superseding-circle supersedes-nothing unknown-status
    bad-chapters bad-transcript incomplete-podcast missing-audio no-audio no-length no-tinytag no-type not-audio
    same-audio two-sounds unmeasured wrong-duration
    """.split()
)
"""Every code of a build."""

UNREAD = frozenset(
    """
    changed-while-building expands-too-much internal-error not-utf8 too-large too-slow unreadable worker-died zero-byte
    """.split()
)
"""The codes of texts of which nothing is known: what others say of them cannot be judged."""

FORGIVABLE = frozenset({"colliding-alias", "missing-audio", "not-audio"})
"""Errors without which a site can be built right all the same: its owner may say that they are none."""

RULES = frozenset(
    """
    active-static author-spelling authors-key bad-waiver broken-menu date-from-git date-mismatch
    dead-url empty-post empty-topic image-in-other-topic large-image leaks.home-path
    leaks.internal-host leaks.internal-number leaks.location leaks.token missing-alt missing-handle
    missing-suffix moved-url no-base-url no-front-matter offline own-url placeholder
    placeholder-base-url
    placeholder-link repeated-title tag-drift topic-drift tracker-image two-handles
    two-names unasked-urls unknown-tag unpadded-date unpinned-link unused-image unused-waiver
    useless-key
    link-to-superseded no-successor
    changed-source stale-citation
    """.split()
)
"""The codes of what only a check says: severities may be changed at will, and comments may allow them."""


def _error(code: str, span: Span, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(code, "error", message, span, hint)


def _warning(code: str, span: Span, message: str, hint: str = "", fix: Fix | None = None) -> Diagnostic:
    return Diagnostic(code, "warning", message, span, hint, fix=fix)


def _info(code: str, span: Span, message: str, hint: str = "", fix: Fix | None = None) -> Diagnostic:
    return Diagnostic(code, "info", message, span, hint, fix=fix)


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that `word` was most likely meant to be; empty when none is near."""
    if len(word) < 3:  # “as” is as near to “ps” as to “sas”
        return ""
    return closest(word, tuple(known), 0.7)


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
    return _error("misplaced-config-key", span, f"“{key}” cannot be set here", f"it belongs {where}")


def missing_config_key(span: Span, keys: Iterable[str], table: str) -> Diagnostic:
    """A table lacks what it needs."""
    names = ", ".join(f"“{key}”" for key in keys)
    return _error("missing-config-key", span, f"“{table}” is missing {names}")


def wrong_config_type(span: Span, key: str, expected: str, reason: str) -> Diagnostic:
    """A value of the wrong type."""
    return _error("wrong-config-value", span, f"“{key}” must be {expected}", reason[:1].lower() + reason[1:])


def bad_base_url(span: Span, value: str) -> Diagnostic:
    """A base URL that is none."""
    return _error(
        "bad-base-url",
        span,
        f"“{value}” is not a base URL",
        "write an absolute URL, such as “https://docs.example.org/devlogs/”",
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


def bad_pattern(span: Span, pattern: str, reason: str) -> Diagnostic:
    """A regular expression that does not compile."""
    return _error("bad-pattern", span, f"“{pattern}” is not a regular expression: {reason}")


def bad_feed_name(span: Span, name: str) -> Diagnostic:
    """A name under which no feed can be written."""
    hint = "a plain name that ends in “.xml”, “.rss”, “.atom” or “.json”, another one for each format"
    return _error("bad-feed-name", span, f"“{name}” cannot be the name of a feed's file", hint)


def bad_redirect(span: Span, path: str, target: str) -> Diagnostic:
    """A redirect that does not begin or lead anywhere."""
    hint = "write “/old/path/” = “/new/path/”, or an absolute URL as the target"
    return _error("bad-redirect", span, f"“{path}” cannot redirect to “{target}”", hint)


def policy_in_page(span: Span, directive: str) -> Diagnostic:
    """A directive of a policy that browsers only heed when a server sends it."""
    message = f"“{directive}” has no effect in a <meta> element"
    return _warning("policy-in-page", span, message, "let the server send it as an HTTP header")


def bad_comments(span: Span, value: str, example: str) -> Diagnostic:
    """A place for comments that cannot be one."""
    return _error("bad-comments", span, f"“{value}” is not a place for comments", f"write something like “{example}”")


def comments_need_address(span: Span) -> Diagnostic:
    """Comments of a forum that has to find the site."""
    message = "comments on a forum need absolute URLs, and the site has no base_url"
    return _error("comments-need-address", span, message, "set “base_url” to the URL of the published site")


# -- adopting --------------------------------------------------------------------------------------------


def already_adopted(span: Span, differing: Iterable[str]) -> Diagnostic:
    """The site has a configuration of devlog; `differing` are the keys that adopting would set otherwise."""
    keys = ", ".join(f"“{key}”" for key in differing)
    message = "this site already has a devlog configuration" + (f"; adopting would change {keys}" if keys else "")
    return _error("already-adopted", span, message, "move it away to adopt the site again")


def foreign_config(span: Span, language: str, reason: str) -> Diagnostic:
    """The configuration of another generator cannot be read."""
    return _error("foreign-config", span, f"this is not valid {language}: {reason}")


def nothing_to_adopt(span: Span, inner: str) -> Diagnostic:
    """No site of another generator, and no text; `inner` is a folder that seems to hold a site."""
    message = "no Hugo, Jekyll or Zola site found here, and no Markdown files"
    hint = f"there seems to be a site in “{inner}”: use --root {inner}" if inner else ""
    if inner:
        message = "no Hugo, Jekyll or Zola site found in this folder"
    return _error("nothing-to-adopt", span, message, hint)


# -- text ------------------------------------------------------------------------------------------------


def control_character(span: Span, char: str) -> Diagnostic:
    """A character that XML cannot hold, which was left out."""
    hint = "delete it: it is invisible, but feed readers reject it"
    return _warning("control-character", span, f"removed control character U+{ord(char):04X}", hint)


def unknown_language(span: Span, language: str, near: str) -> Diagnostic:
    """A fence names a language that has no highlighting."""
    hint = f"did you mean “{near}”?" if near else "write “text” for plain text"
    return _info("unknown-language", span, f"no syntax highlighting for “{language}”", hint)


def bad_formula(span: Span, reason: str, *, dollar: bool) -> Diagnostic:
    """A formula that cannot be read: `dollar` says that it stands between single dollars, as prices might."""
    reason = re.sub(r'"([^"]*)"|`([^`]*)`', lambda quoted: f"“{quoted[1] or quoted[2] or ''}”", reason).rstrip(".")
    hint = "write “\\$” for a literal dollar sign" if dollar else ""
    if reason.endswith("already defined"):  # by those who know “\R” from one program and not from another
        hint = "use “\\renewcommand” to redefine it"
    message = f"formula shown as source: {reason[:1].lower()}{reason[1:]}"
    return _warning("bad-formula", span, message, hint)


def unknown_label(span: Span) -> Diagnostic:
    """A formula refers to an equation that does not stand before it: only those have a number already."""
    return _warning("bad-label", span, "no earlier equation has this label")


def repeated_label(span: Span) -> Diagnostic:
    """Two equations of a text have one label, which can lead to one of them only."""
    return _warning("bad-label", span, "an earlier equation has the same label, and links go to that one")


def diagrams_as_text(span: Span, language: str) -> Diagnostic:
    """A site has diagrams and nothing that draws them: told once for each language."""
    hint = f"set a “command” or a “script” in [diagrams.{language}]"
    return _info("diagrams-as-text", span, f"no renderer configured for “{language}” diagrams", hint)


def diagram_failed(span: Span, language: str, reason: str) -> Diagnostic:
    """A command of the configuration has drawn nothing that can be shown."""
    return _warning("diagram-failed", span, f"“{language}” diagram shown as text: {reason}")


def no_diagram_script(span: Span, script: str) -> Diagnostic:
    """A script of the site's own that draws diagrams is not there."""
    return _warning("bad-diagrams", span, f"file not found in the site: “{script}”", "put it in the static folder")


def bad_diagram_script(span: Span, script: str) -> Diagnostic:
    """The script that draws diagrams has no address."""
    hint = "write a path from the site's root, such as “/js/mermaid.min.js”"
    return _error("bad-diagrams", span, f"“{script}” is not the URL of a script", hint)


def bad_diagram_language(span: Span, language: str) -> Diagnostic:
    """A table of diagrams has a name that no fence can have."""
    hint = "write it in lower case, as code fences do"
    return _error("bad-diagrams", span, f"“{language}” is not the name of a language", hint)


def bad_diagram_command(span: Span, language: str) -> Diagnostic:
    """A command without a program."""
    return _error("bad-diagrams", span, f"the command for “{language}” has no program")


def unknown_shortcode(span: Span, name: str, known: Iterable[str], escaped: str, *, shown: str) -> Diagnostic:
    """A shortcode that devlog does not have: `shown` says what of it is; if nothing is, it stays as text."""
    hint = did_you_mean(name, known) or f"write {escaped} to show a shortcode as text"
    what = f"only {shown} is shown" if shown else "shown as text"
    return _warning("unknown-shortcode", span, f"unknown shortcode “{name}”, {what}", hint)


def unpaired_shortcode(span: Span, tag: str, *, closing: bool) -> Diagnostic:
    """An opening or closing tag of a shortcode without the other."""
    what = "has no opening tag" if closing else "is never closed"
    return _warning("unpaired-shortcode", span, f"“{tag[:80]}” {what}, and is shown as text")


def incomplete_shortcode(span: Span, name: str) -> Diagnostic:
    """A shortcode without the arguments that say what it shows."""
    message = f"the shortcode “{name}” is missing a required argument, and is shown as text"
    return _warning("incomplete-shortcode", span, message)


def liquid_tag(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A tag of Liquid that devlog does not have."""
    hint = did_you_mean(name, known) or "wrap a tag in {% raw %} … {% endraw %} to show it as text"
    return _warning("liquid-tag", span, f"unknown tag “{name}” was removed", hint)


def liquid_logic(span: Span, name: str) -> Diagnostic:
    """A tag of Liquid that computes, chooses or repeats."""
    hint = "write what should be shown, without the tag"
    shown = "shown once, without its values" if name in ("for", "tablerow") else "shown"
    return _warning("liquid-tag", span, f"the tag “{name}” is not evaluated; everything inside it is {shown}", hint)


def liquid_unclosed(span: Span, name: str) -> Diagnostic:
    """A tag of Liquid whose end is missing."""
    return _warning("liquid-unclosed", span, f"the tag “{name}” is never closed", f"add {{% end{name} %}} after it")


def liquid_include(span: Span, name: str, *, has_text: bool) -> Diagnostic:
    """An include, which is a template of another generator."""
    left = "only the text passed to it is shown" if has_text else "nothing is shown for it"
    return _warning("liquid-include", span, f"unknown include “{name}”; {left}")


def liquid_figure(span: Span, name: str) -> Diagnostic:
    """An include or a tag of another generator that names an image."""
    return _info("liquid-figure", span, f"“{name}” is shown as a figure")


def liquid_variable(span: Span, written: str) -> Diagnostic:
    """Something that Liquid would have replaced by a value."""
    hint = "define “site.…” values in [params], and “page.…” values in the front matter"
    return _warning("liquid-variable", span, f"“{written}” has no known value, and is shown as is", hint)


def liquid_in_code(span: Span, written: str) -> Diagnostic:
    """What looks like Liquid in code, where hardly anyone means it to be replaced."""
    return _info("liquid-in-code", span, f"“{written}” is shown as is, like all Liquid in the code of this post")


def kramdown_options(span: Span) -> Diagnostic:
    """Options of kramdown, which set up another program."""
    return _info("kramdown-options", span, "kramdown options have no effect")


def unsafe_url(span: Span, url: str, scheme: str) -> Diagnostic:
    """A link with a scheme that is not allowed."""
    message = f"the link “{url[:80]}” was removed: “{scheme}:” is not an allowed scheme"
    near = nearest(scheme, ("https", "http", "mailto"))
    hint = f"did you mean “{near}:”?" if near else "use https:, mailto: or a path inside the site"
    return _warning("unsafe-url", span, message, hint)


def unsafe_html(span: Span, tag: str) -> Diagnostic:
    """An element that the sanitiser removes."""
    hint = 'set html = "trusted" in the configuration to allow any HTML in every post'
    return _warning("unsafe-html", span, f"the element <{tag}> was removed: it is not allowed in posts", hint)


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


def tangled_html(span: Span) -> Diagnostic:
    """Raw HTML of which a page could become far larger than its source; `span` is the first of it."""
    message = "HTML shown as text: too many elements are unclosed or misplaced"
    return _warning("tangled-html", span, message, "close each element inside the one in which it was opened")


# -- site ------------------------------------------------------------------------------------------------


def missing_title(span: Span, title: str) -> Diagnostic:
    """A post without a title."""
    return _warning("missing-title", span, f"no title; using “{title}”", f"add “title: {title}” to the front matter")


def missing_date(span: Span) -> Diagnostic:
    """A post that says nowhere when it was written."""
    hint = "add “date: YYYY-MM-DD” to the front matter, or start the file name with the date"
    return _warning("missing-date", span, "no date; the post is last in lists and in no feed", hint)


def missing_index(span: Span, title: str) -> Diagnostic:
    """A topic without ``_index.md``."""
    hint = "its front matter sets the “title” and “description” of the topic"
    return _warning("missing-index", span, f"the topic has no _index.md; using the title “{title}”", hint)


def inside_bundle(span: Span, bundle: str) -> Diagnostic:
    """A text file beside the ``index.md`` of a bundle."""
    hint = "a folder with an index.md is one post; move the file out to publish it"
    return _warning("inside-bundle", span, f"not published: it is inside the post “{bundle}”", hint)


def replaced_page(span: Span, permalink: str) -> Diagnostic:
    """A page that a template makes of other pages, in the place of one that devlog makes."""
    message = f"skipped: it is a Jekyll template, and devlog generates its own page at “{permalink}”"
    return _info("replaced-page", span, message)


def template_file(file: str) -> Diagnostic:
    """A file with front matter that is no text: Jekyll would run it as a template."""
    hint = "add its output to the site, without front matter"
    return _info("template-file", Span(file), "skipped: it is a Jekyll template, which devlog does not run", hint)


def active_content(file: str, reason: str) -> Diagnostic:
    """A file beside a post that would run with the rights of the site."""
    message = f"not published: {reason}, so it could affect the whole site"
    hint = 'if you trust it, move it to the static folder, or set html = "trusted" in the configuration'
    return _warning("active-content", Span(file), message, hint)


def active_folder(span: Span, files: Sequence[tuple[str, str]]) -> Diagnostic:
    """Many files of one folder that would run with the rights of the site.

    Args:
        span: the folder.
        files: their paths below it, sorted, each with the reason.
    """
    reasons: dict[str, list[str]] = {}
    for file, reason in files:
        reasons.setdefault(reason, []).append(file)
    told = "; ".join(f"{_some_files(found)} ({reason})" for reason, found in islice(reasons.items(), 5))
    others = f"; and {len(reasons) - 5:,} other reasons" if len(reasons) > 5 else ""
    message = f"{len(files):,} files not published because they could affect the whole site: {told}{others}"
    hint = 'if you trust them, move them to the static folder, or set html = "trusted" in the configuration'
    return _warning("active-content", span, message, hint)


def _some_files(files: Sequence[str]) -> str:
    """The first of some files, and how many there are besides."""
    named = ", ".join(f"“{file}”" for file in files[:3])
    return f"{named} and {len(files) - 3:,} more" if len(files) > 3 else named


def active_static(span: Span, files: Sequence[str]) -> Diagnostic:
    """Files of the static folder that browsers or web servers run or obey, of which no template speaks."""
    are = (
        "is a file that browsers run or web servers obey"
        if len(files) == 1
        else ("are files that browsers run or web servers obey")
    )
    return _info(
        "active-static", span, f"{_some_files(files)} {are}", "make sure that only people you trust can change them"
    )


def bad_tag(span: Span, tag: str) -> Diagnostic:
    """A tag without a letter or digit."""
    return _warning("bad-tag", span, f"the tag “{tag}” was removed: it has no letter or digit for a URL")


def bad_url(span: Span, permalink: str, reason: str) -> Diagnostic:
    """A permalink that cannot be a file in the output folder."""
    return _error("bad-url", span, f"“{permalink}” cannot be published: {reason}")


def colliding_url(span: Span, path: str, other: str) -> Diagnostic:
    """Two sources for one URL."""
    hint = "give one of them a different “slug”, “url” or file name"
    return _error("colliding-url", span, f"“/{path}” is also published by {other}", hint)


def colliding_alias(span: Span, path: str, other: str) -> Diagnostic:
    """An alias where something else is published."""
    hint = "remove the alias, or change the URL of the other page"
    return _error("colliding-alias", span, f"“/{path}” is also published by {other}", hint)


def broken_link(span: Span, target: str, near: str, fix: Fix | None = None) -> Diagnostic:
    """A link inside the site that leads nowhere."""
    hint = f"did you mean “{near}”?" if near else _missing_scheme(target)
    return _warning("broken-link", span, f"link target not found: “{target}”", hint, fix)


_HOST = re.compile(r"(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|edu|gov|cern|ai|app|co|uk|de|fr|eu|ch|jp|cn)(?:[/?#:]|$)")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def _missing_scheme(target: str) -> str:
    """A hint for a link that looks like a host or an address without its scheme."""
    if _ADDRESS.fullmatch(target):
        return f"for an email address, write “mailto:{target}”"
    if _HOST.match(target.lower()):
        return f"for another site, write “https://{target}”"
    return ""


def broken_image(span: Span, target: str, near: str, fix: Fix | None = None) -> Diagnostic:
    """An image, or other media, that is not there."""
    hint = f"did you mean “{near}”?" if near else ""
    return _warning("broken-image", span, f"file not found: “{target}”", hint, fix)


def unfit_image(span: Span, file: str, reason: str) -> Diagnostic:
    """An image of which no smaller ones can be made."""
    return _warning("unfit-image", span, f"“{file}” is published only at its original size: {reason}")


def no_pillow(asked: Span | None, command: str) -> Diagnostic:
    """Images are published in one size; `asked` is where the configuration wants more, `command` installs Pillow."""
    message = "images are published in their original size only: Pillow is not installed"
    hint = f"run “{command}”"
    if asked:
        return _warning("no-pillow", asked, message, hint)
    return _info("one-size", Span("the images"), message, hint)


def no_cards(asked: Span, command: str) -> Diagnostic:
    """Posts have no social cards; `asked` is where the configuration wants some, `command` installs Pillow."""
    message, hint = "posts have no social cards: Pillow is not installed", f"run “{command}”"
    if asked.line:
        return _warning("no-cards", asked, message, hint)
    return _info("without-cards", Span("social cards"), message, hint)


def bad_card_file(span: Span, file: str, reason: str) -> Diagnostic:
    """A font or a picture of which no social card can be made."""
    return _error("bad-card-file", span, f"“{file}” cannot be used for social cards: {reason}")


def bad_card_layout(span: Span, reason: str) -> Diagnostic:
    """A layout of social cards that cannot be drawn."""
    return _error("bad-card-layout", span, f"social cards cannot be drawn: {reason}")


def missing_letters(span: Span, letters: str, *, own_font: bool, has_card: bool) -> Diagnostic:
    """A social card whose font lacks letters of its texts."""
    shown = f"“{letters[:20]}”" + (f" and {len(letters) - 20} more letters" if len(letters) > 20 else "")
    what = "they are left out of the card" if has_card else "there is no card"
    hint = "set “cards.font” to a font that has them" if own_font else "set “cards.font” to a font file that has them"
    return _warning("missing-letters", span, f"the font of social cards has no glyphs for {shown}: {what}", hint)


def broken_anchor(span: Span, target: str, fragment: str, near: str) -> Diagnostic:
    """A fragment that its page does not have."""
    hint = f"did you mean “#{near}”?" if near else ""
    return _warning("broken-anchor", span, f"“{target}”: no heading or anchor “#{fragment}” on the page", hint)


def case_mismatch(span: Span, target: str, right: str, fix: Fix | None = None) -> Diagnostic:
    """A reference that only works where letter case does not count."""
    message = f"“{target}” differs from the file name in letter case"
    return _warning("case-mismatch", span, message, f"write “{right}”", fix)


def link_to_unpublished(span: Span, target: str, reason: str) -> Diagnostic:
    """A link to a post that is left out."""
    return _warning("link-to-unpublished", span, f"link target is not published ({reason}): “{target}”")


def link_leaves_site(span: Span, target: str, *, in_repository: bool) -> Diagnostic:
    """A link to a file that is not published, in the site's own folder or outside of it."""
    hint = "set “source_repo” in the configuration to link to the file in the repository" if in_repository else ""
    return _warning("link-leaves-site", span, f"“{target}” is outside the site's content", hint)


def reserved_topic(span: Span, name: str) -> Diagnostic:
    """An ``_index.md`` for a list that devlog makes itself."""
    hint = "remove the file, or rename the folder to make it a topic"
    return _warning("reserved-topic", span, f"“{name}” is a list that devlog generates; this page is not shown", hint)


def no_posts(span: Span) -> Diagnostic:
    """Nothing to publish."""
    return _info("no-posts", span, "there are no posts yet", "create content/first-topic/YYYY-MM-DD-first-post.md")


def bad_registry(span: Span) -> Diagnostic:
    """A registry of authors that is not a mapping of mappings."""
    hint = "write each author as “handle:”, with “name:” and other keys indented below"
    return _warning("bad-registry", span, "not an author entry", hint)


def bad_author_link(span: Span, address: str) -> Diagnostic:
    """A link of an author that leads nowhere."""
    what = f"“{address}”" if address else "this"
    hint = "write a URL such as “https://ada.example.org/” after its title"
    return _warning("bad-author-link", span, f"{what} is not a web or email link; it is ignored", hint)


def several_series(span: Span, first: str) -> Diagnostic:
    """A post that names more than one series."""
    return _warning("several-series", span, f"a post belongs to one series; using “{first}”")


def supersedes_nothing(span: Span, target: str) -> Diagnostic:
    """What a text supersedes, or is superseded by, is no text of the site."""
    return _warning("supersedes-nothing", span, f"“{target}” is not a post on this site, so nothing is superseded")


def supersedes_itself(span: Span) -> Diagnostic:
    """A text that takes its own place."""
    return _error("superseding-circle", span, "a post cannot supersede itself")


def superseding_circle(span: Span, files: Iterable[str]) -> Diagnostic:
    """Texts that take each other's place, so that none of them is the newest."""
    names = [f"“{file}”" for file in files]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return _error("superseding-circle", span, f"these posts supersede each other: {shown}")


def contradicted_status(span: Span, file: str) -> Diagnostic:
    """A text that says it is current though another one has taken its place."""
    message = f"“status” is “current”, but “{file}” supersedes this post"
    return _warning("contradicted-status", span, message)


def same_part(span: Span, part: int, series: str, other: str) -> Diagnostic:
    """Two posts that are the same part of a series."""
    return _warning("same-part", span, f"“{other}” is already part {part} of “{series}”")


# -- check: what a build does not say --------------------------------------------------------------------


def no_successor(span: Span) -> Diagnostic:
    """A text that says it is superseded, and no text that supersedes it."""
    hint = "set “supersedes” in the post that replaces it, or use “historical” if there is none"
    return _info("no-successor", span, "this post is superseded, but no post supersedes it", hint)


def link_to_superseded(span: Span, target: str, newer: str) -> Diagnostic:
    """A link to a text whose place another one has taken."""
    return _info("link-to-superseded", span, f"“{target}” has been superseded", f"link to “{newer}” instead")


def no_front_matter(span: Span, title: str, fix: Fix) -> Diagnostic:
    """A post that begins with its text."""
    message = f"the post has no front matter; using the title “{title}”"
    return _warning("no-front-matter", span, message, "add it between two “---” lines, with “title” and “author”", fix)


def repeated_title(span: Span, title: str, fix: Fix) -> Diagnostic:
    """A first heading that says the title once more."""
    return _warning(
        "repeated-title", span, f"the heading repeats the title “{title}”", "remove it: it is not shown", fix
    )


def authors_key(span: Span, key: str, fix: Fix | None) -> Diagnostic:
    """``authors:`` with one text, where the site's posts write ``author:``."""
    return _warning(
        "authors-key", span, f"“{key}” is a single string", "use “author” for one string, “authors” for a list", fix
    )


def date_mismatch(span: Span, key: str, name: str, *, in_url: bool) -> Diagnostic:
    """The front matter and the name of the file tell different days; `in_url` says whether readers see the latter."""
    message = f"the date is {key} in the front matter, but {name} in the file name"
    hint = "the front matter is used" + ("; the URL keeps the file name" if in_url else "")
    return _warning("date-mismatch", span, message, hint)


def unpadded_date(span: Span, written: str, right: str, fix: Fix | None) -> Diagnostic:
    """A date such as ``2023-10-5``."""
    hint = (
        f"write “{right}”"
        if fix
        else f"write “{right}”; a renamed file gets a new URL, so keep the old one in “aliases”"
    )
    return _warning("unpadded-date", span, f"“{written}” has no leading zeros", hint, fix)


def date_from_git(span: Span, date: str, fix: Fix | None) -> Diagnostic:
    """A post whose date only the repository knows."""
    message = f"the date {date} is taken from the commit that added the file"
    return _warning("date-from-git", span, message, f"add “date: {date}” to the front matter", fix)


def missing_suffix(span: Span, fix: Fix) -> Diagnostic:
    """A text that is published as a file because its name does not end in ``.md``."""
    message = "looks like a post, but its name does not end in “.md”"
    return _warning("missing-suffix", span, message, f"rename it to “{fix.rename}”", fix)


def empty_post(span: Span) -> Diagnostic:
    """A post without a word."""
    return _warning("empty-post", span, "the post is empty", "set “draft: true” until it is written")


def placeholder(span: Span, word: str) -> Diagnostic:
    """A word that says that a text is not finished."""
    return _warning("placeholder", span, f"placeholder left in the text: “{word}”")


def missing_handle(span: Span, name: str, right: str, fix: Fix | None) -> Diagnostic:
    """An author without the handle that others have, or that the same author has elsewhere."""
    hint = f"write “{right}”" if right else f"write “{name} (@handle)”"
    return _warning("missing-handle", span, f"“{name}” has no handle", hint, fix)


def bare_handle(span: Span, written: str, right: str, fix: Fix | None) -> Diagnostic:
    """A handle without its ``@``."""
    return _warning("missing-handle", span, f"“{written}” has no @ before the handle", f"write “{right}”", fix)


def author_spelling(span: Span, written: str, right: str, fix: Fix) -> Diagnostic:
    """An author that is understood, though not as authors are written."""
    return _info("author-spelling", span, f"“{written}” is not the usual form of an author", f"write “{right}”", fix)


def two_names(span: Span, handle: str, name: str, other: str) -> Diagnostic:
    """One handle with two names."""
    hint = f"use one of them, or set “name” for “{handle}” in the authors file"
    return _warning("two-names", span, f"“@{handle}” is “{name}” here and “{other}” elsewhere", hint)


def two_handles(span: Span, name: str, handle: str, other: str) -> Diagnostic:
    """One name with two handles."""
    hint = f"if they are the same person, add “{handle}” to the “aliases” of “{other}” in the authors file"
    return _warning("two-handles", span, f"“{name}” is “@{handle}” here and “@{other}” elsewhere", hint)


def placeholder_link(span: Span, target: str) -> Diagnostic:
    """A link whose target was never filled in."""
    return _warning("placeholder-link", span, f"“({target})” links to the top of its own page", "fill in the target")


def unpinned_link(span: Span, ref: str) -> Diagnostic:
    """A link to lines of a file that will change."""
    hint = "press “y” on the file's page to get a URL with the commit"
    return _warning("unpinned-link", span, f"the linked lines will move: “{ref}” is not a commit", hint)


_FATES = {"moved": "has moved", "changed": "has changed", "gone": "has been removed"}


def stale_citation(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """A place in the source, cited without a commit, at which something else stands by now."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    message = f"“{place}” {_FATES[state]} since this was written"
    return _warning("stale-citation", span, message, hint)


def changed_source(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """A place in the source, cited as of a commit, which is no longer so."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    return _info("changed-source", span, f"“{place}” {_FATES[state]} since this commit", hint)


def own_url(span: Span, target: str, right: str, fix: Fix | None) -> Diagnostic:
    """A link to this site that names its host."""
    hint = f"write “{right}”, which also works in a preview, and when the site moves"
    return _info("own-url", span, f"“{target}” is on this site", hint, fix)


def missing_alt(span: Span) -> Diagnostic:
    """An image that says nothing to those who cannot see it."""
    hint = 'describe it: ![description](…); for decoration, write <img alt="">'
    return _warning("missing-alt", span, "image has no alt text", hint)


def image_in_other_topic(span: Span, file: str, topic: str) -> Diagnostic:
    """An image from the folder of another topic, which does not use it itself."""
    return _warning("image-in-other-topic", span, f"“{file}” is in the folder of another topic, “{topic}”")


def large_image(span: Span, file: str, size: int, budget: int) -> Diagnostic:
    """An image that is larger than the site's owner wants; sizes in kB."""
    hint = "make it smaller, or raise “image_budget” in [check]"
    return _warning("large-image", span, f"“{file}” is {size:,} kB (limit: {budget:,} kB)", hint)


def unused_image(span: Span) -> Diagnostic:
    """An image that nothing shows."""
    return _info("unused-image", span, "unused image")


def tracker_image(span: Span, host: str) -> Diagnostic:
    """An image that an issue tracker keeps."""
    hint = "download it and put it beside the post: such URLs expire, and the host can track readers"
    return _warning("tracker-image", span, f"the image is hosted by an issue tracker ({host})", hint)


def empty_topic(span: Span) -> Diagnostic:
    """A topic that has no posts."""
    return _info("empty-topic", span, "the topic has no posts")


def topic_drift(span: Span, name: str, other: str) -> Diagnostic:
    """Two topics whose names differ in letter case, ``-`` or ``_`` only."""
    return _warning("topic-drift", span, f"the topics “{name}” and “{other}” have nearly the same name", "merge them")


def tag_drift(span: Span, name: str, right: str, fix: Fix | None = None, *, twice: bool = False) -> Diagnostic:
    """A tag that is spelt in two ways, in one post even."""
    if twice:
        return _warning(
            "tag-drift", span, f"the tag “{name}” is “{right}”, which the post also has", "remove one of them"
        )
    return _warning("tag-drift", span, f"the tag “{name}” is written “{right}” elsewhere", f"write “{right}”", fix)


def unknown_tag(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A tag that the site's owner has not allowed."""
    hint = did_you_mean(name, known) or "add it to “allowed” in [tags] to allow it"
    return _warning("unknown-tag", span, f"“{name}” is not an allowed tag", hint)


def useless_key(span: Span, key: str, reason: str) -> Diagnostic:
    """A key of the configuration that changes nothing."""
    return _warning("useless-key", span, f"“{key}” has no effect: {reason}")


def broken_menu(span: Span, url: str) -> Diagnostic:
    """An entry of the menu that leads nowhere."""
    return _warning("broken-menu", span, f"menu link target not found: “{url}”")


def no_base_url(span: Span) -> Diagnostic:
    """Feeds without whole addresses, which readers cannot follow."""
    hint = "set “base_url” to the URL of the site, such as “https://docs.example.org/devlogs/”"
    return _warning("no-base-url", span, "feeds need an absolute base_url", hint)


def placeholder_base_url(span: Span, url: str, *, publishing: bool) -> Diagnostic:
    """A `base_url` as a new site has it; `publishing` is whether readers are about to get it."""
    message, hint = f"base_url is still the placeholder “{url}”", "set it to the URL where readers will find the site"
    if publishing:
        return _warning("placeholder-base-url", span, message, hint)
    return _info("placeholder-base-url", span, message, hint)


def home_path(span: Span, path: str) -> Diagnostic:
    """The folder of a person on their own machine."""
    hint = "write “~/…”, or a generic path such as /home/user"
    return _warning("leaks.home-path", span, f"“{path}” is a path in somebody's home folder", hint)


def token(span: Span, kind: str) -> Diagnostic:
    """A secret; it is not repeated in the message."""
    hint = "revoke it at once: it stays in the repository's history"
    return _error("leaks.token", span, f"this looks like {kind}", hint)


def internal_host(span: Span, host: str) -> Diagnostic:
    """A host that nobody outside reaches."""
    return _warning("leaks.internal-host", span, f"“{host}” cannot be reached from outside")


def internal_number(span: Span, number: str) -> Diagnostic:
    """The number of a change or task in a tool that nobody outside can look into."""
    return _warning("leaks.internal-number", span, f"“{number}” looks like the number of an internal change or task")


def location(span: Span, file: str) -> Diagnostic:
    """A picture that says where it was taken."""
    message = f"the metadata of “{file}” contain the location where it was taken"
    return _warning("leaks.location", span, message, "remove them, for example with “exiftool -gps:all= FILE”")


def own_leak(span: Span, code: str, text: str) -> Diagnostic:
    """Something that a pattern of the site's owner finds."""
    return _warning(code, span, f"“{text}” must not be published")


def bad_waiver(span: Span, code: str, known: Iterable[str], *, reasoned: bool) -> Diagnostic:
    """A waiver that allows nothing."""
    if not reasoned:
        return _warning("bad-waiver", span, f"this allows “{code}” without a reason", f"write “allow {code}: why”")
    message = f"“{code}” cannot be allowed by a comment"
    own = "every build reports it; change its severity in [severity] in the configuration" if code in CODES else ""
    return _warning("bad-waiver", span, message, own or did_you_mean(code, known))


def unused_waiver(span: Span, code: str) -> Diagnostic:
    """A waiver for something that is not there."""
    return _info("unused-waiver", span, f"no “{code}” in this file needs to be allowed", "remove the comment")


def uncommitted_changes(file: str, number: int) -> Diagnostic:
    """Mending is refused while there are changes that only the disk has."""
    others = f", and so do {number - 1:,} more" if number > 1 else ""
    message = f"has uncommitted changes{others}: nothing was fixed"
    return _error("uncommitted-changes", Span(file), message, "commit them first, or use --force")


_DEAD = {
    "status": "the server answered {}",
    "404": "page not found",
    "410": "the page is gone",
    "no-host": "the host does not exist",
    "lookup": "the host name cannot be resolved",
    "refused": "the host cannot be reached",
    "slow": "the host did not answer in time",
    "broken": "the host closed the connection without an answer",
    "certificate": "no secure connection: {}",
    "not-http": "the host is not a web server",
    "circles": "it redirects in circles",
    "proxy": "the proxy cannot reach the host and answered {}",
}


def git_is_silent() -> Diagnostic:
    """Mending is refused where nobody can say whether there are changes that only the disk has."""
    message = "cannot tell from git whether there are uncommitted changes: nothing was fixed"
    return _error("uncommitted-changes", Span(".git"), message, "see what “git status” says, or use --force")


def dead_url(span: Span, url: str, why: str, detail: str) -> Diagnostic:
    """A link to another site leads nowhere: its host or its page is not there.

    A site that only does not let programs in (401, 403, 429, 999), or is too busy to answer, counts as alive.
    """
    reason = _DEAD.get(detail if why == "status" else why, _DEAD[why]).format(detail)
    return _warning("dead-url", span, f"dead link “{url}”: {reason}")


def offline(span: Span, number: int) -> Diagnostic:
    """Not one of the other sites could be reached, so that nothing is known of the links to them."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    return _warning("offline", span, f"no host can be reached: {links} not checked")


def unasked_urls(span: Span, number: int) -> Diagnostic:
    """Links to other sites of which nothing is known, because their hosts want to be left alone or the time was up."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    message = f"{links} not checked: hosts were busy, or time ran out"
    return _info("unasked-urls", span, message, "check again later: answers are remembered")


def private_urls(span: Span, number: int, host: str) -> Diagnostic:
    """Links to hosts that have no public address here, which are never asked. Most readers cannot reach such hosts."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    message = f"{links} not checked: hosts such as “{host}” have no public address on this network"
    return _info("unasked-urls", span, message)


def moved_url(span: Span, url: str, now: str, fix: Fix | None) -> Diagnostic:
    """A link to another site whose page has moved for good, as that site says. `--fix` writes the new address."""
    return _info("moved-url", span, f"“{url}” has moved", f"write “{now}”", fix)


# -- new and init: what is to be written -----------------------------------------------------------------


def no_site(folder: str) -> Diagnostic:
    """A folder that is no site, nor in one."""
    hint = "go to the site's folder, or pass it with --root; “devlog init DIR” creates a new site"
    return _error("no-site", Span(folder), "no devlog site found here", hint)


def unknown_topic(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A topic that is not there."""
    is_plain = all(character.isalnum() or character in "-_/" for character in name)
    hint = did_you_mean(name, known) or (f"create it with “devlog new topic {name}”" if is_plain else "")
    return _error("unknown-topic", span, f"unknown topic “{name}”", hint)


def which_topic(span: Span, known: Iterable[str]) -> Diagnostic:
    """A post that could belong to any topic."""
    topics = [f"“{name}”" for name in known]
    if not topics:
        return _error("which-topic", span, "there are no topics yet", "create one with “devlog new topic NAME”")
    names = ", ".join(topics[:12]) + (", …" if len(topics) > 12 else "")
    return _error("which-topic", span, "missing --topic", f"choose one of {names}")


def already_there(file: str, other: str = "") -> Diagnostic:
    """A file that would be overwritten; `other` is its name if that differs."""
    if other and other != file:
        message = f"“{other}” already exists, and some systems do not tell these two names apart"
    else:
        message = "already exists; nothing was written"
    return _error("already-there", Span(file), message)


def no_slug(span: Span, text: str) -> Diagnostic:
    """A text of which no name of a file can be made."""
    return _error("no-slug", span, f"“{text}” has no letter or digit for a file name", "set one with --slug")


def bad_name(span: Span, name: str, reason: str) -> Diagnostic:
    """A name that no file, topic or author can have."""
    return _error("bad-name", span, f"invalid name “{name}”: {reason}")


def known_author(span: Span, handle: str) -> Diagnostic:
    """An author whom the registry has already."""
    return _error("known-author", span, f"“{handle}” is already in the authors file", "edit the entry there")


def cannot_append(file: str, entry: str) -> Diagnostic:
    """A registry that is written in a way to which nothing can be added safely."""
    hint = "add by hand: " + "; ".join(line.strip() for line in entry.splitlines() if line.strip())
    return _error("cannot-append", Span(file), "is in a form to which devlog cannot add an author", hint)


def no_author(span: Span) -> Diagnostic:
    """Nobody knows who writes."""
    hint = 'pass --author "Name (@handle)", or set your name with “git config user.name”'
    return _warning("no-author", span, "git has no user name, so the post has no author", hint)


def unused_option(span: Span, option: str, placeholder: str) -> Diagnostic:
    """Something was asked for that the template has no place for."""
    message = f"the template has no “{placeholder}”, so {option} has no effect"
    return _warning("unused-option", span, message, f"add “{placeholder}” to the template")


def workflows_below(folder: str, top: str) -> Diagnostic:
    """Workflows of a site that is only a part of its repository."""
    message = f"the site is not at the root of its repository, “{top}”, the only place where GitHub looks for workflows"
    hint = "move .github there, and add the site's folder to the commands and paths of its workflows"
    return _warning("workflows-below", Span(folder), message, hint)


def folder_not_empty(folder: str, names: Iterable[str]) -> Diagnostic:
    """A folder for a new site that holds something else."""
    found = [f"“{name}”" for name in names]
    listed = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
    hint = "choose a new folder; use “devlog adopt” for a site of another generator"
    return _error("folder-not-empty", Span(folder), f"the folder is not empty: it contains {listed}", hint)


# -- theme -----------------------------------------------------------------------------------------------


def template_error(span: Span, message: str, hint: str = "") -> Diagnostic:
    """A template that cannot be used."""
    return _error("template-error", span, message, hint)


def unknown_theme(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A theme that is not there."""
    hint = did_you_mean(name, known) or f"themes: {', '.join(known)}"
    return _error("unknown-theme", span, f"unknown theme “{name}”", hint)


def theme_too_new(span: Span, name: str, requires: int, version: int) -> Diagnostic:
    """A theme that needs more than this devlog gives to templates."""
    message = f"the theme “{name}” requires version {requires} of the theme interface, and this devlog has {version}"
    return _error("theme-too-new", span, message)


def unknown_template(span: Span, name: str, known: Iterable[str], *, several: bool) -> Diagnostic:
    """A template that the theme does not have, or a name that several have."""
    known = sorted(known)
    if several:
        return _error("unknown-template", span, f"“{name}” is ambiguous: it may be {', '.join(known)}")
    endings = [text for full in known for text in (full, full.rpartition("/")[2].removesuffix(".html"))]
    hint = did_you_mean(name, endings) or "“devlog theme list” shows all"
    return _error("unknown-template", span, f"the theme has no template “{name}”", hint)


def internal_error(span: Span, error: str) -> Diagnostic:
    """A fault of devlog that a text brought to light."""
    hint = "this is a bug in devlog: please report it with the file"
    return _error("internal-error", span, f"devlog failed on this file: {error[:200]}", hint)


def worker_died(span: Span) -> Diagnostic:
    """A post that ended the process that worked on it."""
    return _error("worker-died", span, "processing this file crashed a worker")


def too_slow(span: Span, seconds: float) -> Diagnostic:
    """A post that was not done in the time that it may take."""
    hint = "look for a very long line or a very long block of code"
    return _error("too-slow", span, f"processing this file took longer than {seconds:g} s", hint)


# -- search ----------------------------------------------------------------------------------------------


def no_search(span: Span, command: str, *, asked: bool) -> Diagnostic:
    """The package that indexes pages is not installed.

    Args:
        span: where the configuration speaks of the search.
        command: installs the package.
        asked: whether the configuration wants a search.
    """
    message = "the site has no search: pagefind-bin is not installed"
    if asked:
        return _warning("no-search", span, message, f"run “{command}”")
    return _info("no-search", span, message, f"run “{command}”, or set “enabled = false” in [search]")


def search_cannot_start(span: Span, reason: str) -> Diagnostic:
    """The indexer is installed, but does not run here."""
    return _warning("no-search", span, f"the site has no search because its indexer cannot be started: {reason}")


def search_failed(span: Span, reason: str) -> Diagnostic:
    """The indexer gave up: the pages that are ready by then offer a search."""
    hint = "use “--no-search” to build without search"
    return _error("search-failed", span, f"search indexing failed: {reason}", hint)


def search_folder_taken(span: Span, path: str) -> Diagnostic:
    """The site itself brings files where the index belongs."""
    hint = "move the file, or set “enabled = false” in [search]"
    return _error("search-folder-taken", span, f"“{path}” is in the folder of the search index", hint)


# -- speaking --------------------------------------------------------------------------------------------


def bad_refs(span: Span, repo: str) -> Diagnostic:
    """What is named as the repository that texts speak of is no address of one."""
    hint = "write it like “https://github.com/owner/name”"
    return _error("bad-refs", span, f"“{repo}” is not the URL of a repository", hint)


def bad_speak_command(span: Span, key: str, missing: str) -> Diagnostic:
    """A command that makes sound, and lacks something."""
    return _error("bad-speak", span, f"“{key}” names no {missing.removeprefix('a ')}")


def cannot_speak(span: Span) -> Diagnostic:
    """The configuration names no program that speaks."""
    hint = 'set one in [speak], such as command = ["espeak-ng", "-f", "{input}", "-w", "{output}"]'
    return _error("cannot-speak", span, "no text-to-speech program is configured", hint)


def not_a_text(file: str, folder: str) -> Diagnostic:
    """A file that is no post or page of the site."""
    return _error("not-a-text", Span(file), f"not a post or page in “{folder}”")


def nothing_to_speak(span: Span) -> Diagnostic:
    """A text without words."""
    return _error("nothing-to-speak", span, "nothing in this post can be spoken")


def already_spoken(span: Span, file: str, *, ours: bool) -> Diagnostic:
    """The post has sound: `ours` if it lies where it would be written."""
    hint = "use --force to speak it again" if ours else "remove the block from the front matter to have it spoken"
    return _error("already-spoken", span, f"the post already has audio, “{file}”", hint)


def not_spoken(span: Span, text: str, reason: str) -> Diagnostic:
    """A passage, or a whole post, that could not be spoken."""
    what = f"“{text}”" if text else "this post"
    return _error("not-spoken", span, f"could not speak {what}: {reason}")


def not_noted(span: Span, block: str) -> Diagnostic:
    """The front matter has a form into which nothing can be put."""
    message = "could not add the audio to the front matter"
    return _warning("not-noted", span, message, f"add: {block}")


# -- the source that posts write about -------------------------------------------------------------------


def no_checkout(span: Span, folder: str, reason: str) -> Diagnostic:
    """The clone that the configuration names cannot be asked."""
    hint = f"source references are not checked; clone the repository into “{folder}”, or remove “source_checkout”"
    return _warning("no-checkout", span, f"cannot read the repository checkout “{folder}”: {reason}", hint)


def many_citations(span: Span, most: int) -> Diagnostic:
    """A post cites very many places in the source: of the last ones nobody is told when they change."""
    return _info("unchecked-source", span, f"only the first {most:,} source references of a post are checked")


def long_source(span: Span, file: str, most: int) -> Diagnostic:
    """A cited file is very long: of places in it nobody is told when they change. `span` cites the first of them."""
    message = f"source references to “{file}” are not checked: it has more than {most:,} lines or 2 MB"
    return _info("unchecked-source", span, message)


# -- publishing ------------------------------------------------------------------------------------------


def unknown_deployment(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """No way of publishing is configured, or not this one, or it is not said which."""
    known = sorted(known)
    listed = ", ".join(f"“{other}”" for other in known)
    if not known:
        hint = 'add a table such as “[deploy.pages]” with a line “to = "branch"”'
        return _error("unknown-deployment", span, "no deployment is configured", hint)
    if not name:
        return _error("unknown-deployment", span, f"several deployments are configured: {listed}", "name one of them")
    hint = did_you_mean(name, known) or f"there is {listed}"
    return _error("unknown-deployment", span, f"unknown deployment “[deploy.{name}]”", hint)


def unknown_deployer(span: Span, name: str, to: str, known: Iterable[str]) -> Diagnostic:
    """A way of publishing that nobody knows."""
    listed = " or ".join(f"“{other}”" for other in sorted(known))
    what = f"unknown deployer “{to}”" if to else f"“deploy.{name}” is missing “to”"
    return _error("unknown-deployer", span, what, did_you_mean(to, known) or f"write {listed}")


def not_built(output: str) -> Diagnostic:
    """There is nothing to publish."""
    return _error("not-built", Span(output), "no built site found here", "run “devlog build”")


def not_as_built(file: str, number: int) -> Diagnostic:
    """An output that somebody has changed since it was built."""
    more = f", and {number - 1} more" if number > 1 else ""
    return _error("not-as-built", Span(file), f"changed since the last build{more}", "run “devlog build”")


def not_deployed(span: Span, name: str, reason: str, hint: str = "") -> Diagnostic:
    """A site that could not be published."""
    return _error("not-deployed", span, f"deployment “{name}” failed: {reason}", hint)


# -- plugins ---------------------------------------------------------------------------------------------


def bad_plugin(span: Span, name: str, reason: str) -> Diagnostic:
    """A plugin that cannot be loaded."""
    return _error("bad-plugin", span, f"the plugin “{name}” cannot be used: {reason}")


def unknown_recipe(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A plan wants a file of which nobody says how it is made."""
    return _error("unknown-recipe", span, f"unknown recipe “{name}”", did_you_mean(name, known))


def plugin_failed(span: Span, what: str, reason: str) -> Diagnostic:
    """A function of a plugin ended with an exception, or gave something that nobody can use."""
    return _error("plugin-failed", span, f"{what} failed: {reason}")


# -- executors -------------------------------------------------------------------------------------------


def unknown_executor(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A name that is no executor's."""
    known = [*known, "package.module:factory", "dask://HOST:PORT"]
    hint = did_you_mean(name, known) or f"executors: {', '.join(known)}"
    return _error("bad-executor", span, f"unknown executor “{name}”", hint)


def bad_executor(span: Span, name: str, reason: str, near: str = "") -> Diagnostic:
    """An executor that cannot be made."""
    hint = f"did you mean “{near}”?" if near else ""
    return _error("bad-executor", span, f"“{name}” cannot be used: {reason}", hint)


def missing_extra(span: Span, name: str, command: str) -> Diagnostic:
    """A part of devlog that must be installed for this, by `command`."""
    return _error("missing-extra", span, f"“{name}” needs packages that are not installed", f"run “{command}”")


def no_scheduler(span: Span, name: str, reason: str) -> Diagnostic:
    """A cluster that does not answer."""
    return _error("no-workers", span, f"no scheduler answers at “{name}”: {reason}")


def no_workers(span: Span, name: str, reason: str) -> Diagnostic:
    """An executor that does no work at all."""
    hint = "a scheduler and its workers need the same devlog, Python and libraries as this process"
    return _error("no-workers", span, f"the executor “{name}” cannot do any work: {reason}", hint)


def other_toolchain(span: Span, reason: str) -> Diagnostic:
    """A worker whose results could differ from ours."""
    hint = "give workers the same devlog, Python and libraries as this process"
    return _error("other-toolchain", span, f"a worker would produce different output: {reason}", hint)


# -- front matter ----------------------------------------------------------------------------------------


def unclosed_front_matter(span: Span, fence: str) -> Diagnostic:
    """The file begins with a fence that nothing closes."""
    return _error("unclosed-front-matter", span, "the front matter is never closed", f"end it with “{fence}”")


def not_front_matter(span: Span, fence: str) -> Diagnostic:
    """Two fences hold something else than keys and values."""
    message = f"the block between the “{fence}” lines has no keys, and is treated as text"
    return _warning("not-front-matter", span, message, "write front matter as “key: value” lines")


def front_matter_too_long(span: Span, limit: int) -> Diagnostic:
    """The block is larger than any front matter."""
    return _error("front-matter-too-long", span, f"the front matter is longer than {limit:,} characters")


_INSTEAD = {
    "authors": "name a team, and thank the others in the text",
    "tags": "each tag makes a page and feeds: keep those that readers will look for",
    "aliases": "each alias makes a page: the host can redirect whole folders",
}


def too_many(span: Span, key: str, count: int, limit: int) -> Diagnostic:
    """A list of the front matter with more values than a post may have; `span` is the first one too many."""
    return _error("too-many-values", span, f"“{key}” has {count:,} values (limit: {limit})", _INSTEAD.get(key, ""))


def too_long(span: Span, key: str, count: int, limit: int) -> Diagnostic:
    """A title or name that is longer than the pages and feeds of others should repeat."""
    return _error("too-long-value", span, f"“{key}” has {count:,} characters (limit: {limit:,})")


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


def unknown_key(span: Span, key: str, known: str, fix: Fix | None = None) -> Diagnostic:
    """A key that is nearly one that devlog knows."""
    message = f"unknown key “{key}” in the front matter"
    return _warning("unknown-key", span, message, f"did you mean “{known}”?", fix)


def unknown_part(span: Span, key: str, whole: str, known: Iterable[str]) -> Diagnostic:
    """A key without a meaning inside the value of another key."""
    hint = did_you_mean(key, known) or f"it may have {' and '.join(f'“{name}”' for name in known)}"
    return _warning("unknown-key", span, f"unknown key “{key}” in “{whole}”", hint)


def unknown_status(span: Span, written: str, near: str) -> Diagnostic:
    """A status that says nothing of how far a text can be relied on."""
    hint = f"did you mean “{near}”?" if near else "write “current”, “superseded” or “historical”"
    return _warning("unknown-status", span, f"“{written}” is not a status; this value is ignored", hint)


def bad_date(span: Span, key: str, text: str) -> Diagnostic:
    """A date that cannot be read or does not exist."""
    message = f"“{key}” is not a date: “{text}”" if text else f"“{key}” is not a date"
    return _error("bad-date", span, message, "write it as 2026-05-03")


def bad_value(span: Span, key: str, expected: str) -> Diagnostic:
    """A value of the wrong kind, which is ignored."""
    return _warning("bad-value", span, f"“{key}” must be {expected}; this value is ignored")


# -- episodes --------------------------------------------------------------------------------------------


def no_sound(span: Span) -> Diagnostic:
    """An episode without any sound."""
    message = "“audio” has neither a file nor a URL"
    return _warning("no-audio", span, message, "add “file: talk.mp3” for a file beside the post")


def two_sounds(span: Span, file: str) -> Diagnostic:
    """An episode with two sounds."""
    return _warning("two-sounds", span, f"“audio” has both a file and a URL; using “{file}”", "remove one of them")


def missing_audio(span: Span, target: str, hint: str = "") -> Diagnostic:
    """A file of an episode that is not there: its sound, its transcript, its chapters."""
    return _error("missing-audio", span, f"file not found: “{target}”", hint)


def not_audio(span: Span, file: str, media_type: str) -> Diagnostic:
    """A file that no player plays."""
    return _error("not-audio", span, f"“{file}” is not an audio file ({media_type})")


def unknown_audio_type(span: Span) -> Diagnostic:
    """A sound elsewhere whose address does not say what it is."""
    return _warning("no-type", span, "the type of the audio cannot be told from its URL", "add “type: audio/mpeg”")


def no_length(span: Span) -> Diagnostic:
    """A sound elsewhere of which the feed cannot say how long it is."""
    hint = "servers send it as Content-Length: add “length: 1234567”"
    return _warning("no-length", span, "“audio.length” is missing: feeds need the size of the audio in bytes", hint)


def no_tinytag(span: Span, command: str) -> Diagnostic:
    """Episodes without a duration. `span` is the first of them; `command` installs what measures audio files."""
    message = "audio durations are unknown: tinytag is not installed"
    hint = f"run “{command}”, or add “duration: 2:29”"
    return _info("no-tinytag", span, message, hint)


def unmeasured(span: Span, file: str, reason: str) -> Diagnostic:
    """A sound of which nobody knows how long it takes."""
    return _warning("unmeasured", span, f"cannot tell the duration of “{file}”: {reason}", "add “duration: 2:29”")


def wrong_duration(span: Span, written: str, measured: str) -> Diagnostic:
    """A duration that is not that of the file."""
    message = f"the duration is given as {written}, but the audio is {measured} long"
    return _warning("wrong-duration", span, message, "remove it: the duration is measured")


def same_audio(span: Span, url: str, other: str) -> Diagnostic:
    """Two episodes of a show with the same sound, which players take for one."""
    return _error("same-audio", span, f"“{other}” of the same show has the same audio, “{url}”")


def bad_chapters(span: Span, file: str, reason: str) -> Diagnostic:
    """A file of chapters that cannot be read."""
    return _warning("bad-chapters", span, f"the chapters in “{file}” cannot be read: {reason}")


def late_chapter(span: Span, title: str, start: str, end: str) -> Diagnostic:
    """A chapter behind the end of the sound."""
    return _warning("bad-chapters", span, f"the chapter “{title}” begins at {start}, but the audio ends at {end}")


def no_transcript(span: Span, target: str, endings: Iterable[str]) -> Diagnostic:
    """A file that is none of the kinds of transcripts."""
    hint = f"it may be “body” for the text of the post, or a file that ends in {', '.join(endings)}"
    return _warning("bad-transcript", span, f"“{target}” is not a transcript", hint)


def bad_transcript(span: Span, reason: str, hint: str = "") -> Diagnostic:
    """A place of a transcript that cannot be read."""
    return _warning("bad-transcript", span, reason, hint)


def late_transcript(span: Span, start: str, end: str) -> Diagnostic:
    """A transcript in which somebody speaks after the sound has ended: perhaps it belongs to another."""
    return _warning("bad-transcript", span, f"the transcript goes on at {start}, but the audio ends at {end}")


def incomplete_podcast(span: Span, missing: str, hint: str) -> Diagnostic:
    """A show that directories of podcasts would refuse."""
    return _warning("incomplete-podcast", span, f"podcast directories reject this show: {missing}", hint)


# -- disk ------------------------------------------------------------------------------------------------


def symlink(file: str) -> Diagnostic:
    """A symbolic link among the inputs."""
    hint = "replace it with a copy of the file"
    return _error("symlink", Span(file), "is a symbolic link, which devlog does not follow", hint)


def special_file(file: str) -> Diagnostic:
    """A pipe, device or socket among the inputs."""
    return _error("special-file", Span(file), "is not a regular file")


def unreadable(file: str, reason: str) -> Diagnostic:
    """The system refuses to open or read an input."""
    return _error("unreadable", Span(file), f"cannot be read: {reason}")


def too_large(file: str, limit: str) -> Diagnostic:
    """An input above the size limit of its kind."""
    return _error("too-large", Span(file), f"is larger than {limit}")


def shared_by_too_many(span: Span, file: str, limit: int) -> Diagnostic:
    """A transcript or a file of chapters that more episodes name than may share one; `span` is the first too many."""
    message = f"more than {limit} episodes name “{file}”"
    return _error("shared-by-too-many", span, message, "give each episode a transcript and chapters of its own")


def expands_too_much(span: Span, limit: int) -> Diagnostic:
    """References to one long definition make far more of a page than its source has, or rows of tables that leave out
    cells; `span` is the block too many."""
    message = f"link definitions, abbreviations, parameters and empty cells expand to more than {limit:,} characters"
    hint = "shorten the URL or the title that is used many times, or the table"
    return _error("expands-too-much", span, message, hint)


def too_deep(file: str, limit: int) -> Diagnostic:
    """Folders in folders without end."""
    return _error("too-deep", Span(file), f"is more than {limit} folders deep")


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
    message = "another file in this folder has the same name in a different Unicode form"
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
    message = f"invalid ignore pattern “{pattern}”: {reason}"
    return _error("bad-ignore-pattern", span, message)


def changed_while_building(file: str) -> Diagnostic:
    """An input that is not what it was when it was read."""
    message = "changed while the site was being built"
    return _error("changed-while-building", Span(file), message, "build again")


def unsafe_output(output: str, reason: str) -> Diagnostic:
    """An output folder that holds, or could come to hold, what is not devlog's."""
    message = f"the output folder {reason}; nothing was written"
    return _error("unsafe-output", Span(output), message, "choose a folder used for nothing else")


def foreign_output(file: str) -> Diagnostic:
    """Someone else's file in the place of one of ours."""
    message = "is in the way of the output, and was not written by devlog; nothing was written"
    hint = "move it away; to publish it, put it in the static folder"
    return _error("foreign-output", Span(file), message, hint)


def file_and_folder(file: str) -> Diagnostic:
    """Two outputs of which one needs a folder where the other is a file."""
    message = "would have to be both a file and a folder; nothing was written"
    return _error("file-and-folder", Span(file), message)


def edited_output(file: str) -> Diagnostic:
    """A stale file that is not removed, because it is not as devlog left it."""
    message = "is no longer part of the site, but was changed since devlog wrote it; it is left in place"
    return _warning("edited-output", Span(file), message, "delete it if it is not needed")


def kept_output(file: str, place: str) -> Diagnostic:
    """A file that a program put into the former output folder, and for which there is no place in the new one."""
    message = f"was added to the output of an earlier build; it is kept as “{place}”"
    hint = "restart the program that has this folder open; to publish the file, put it in the static folder"
    return _warning("kept-output", Span(file), message, hint)


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
    message = "is damaged: devlog cannot tell its own files from others, and removes none"
    return _warning("damaged-manifest", Span(file), message, "delete the output folder and build again")


def locked(file: str, holder: str) -> Diagnostic:
    """Another build holds the lock; `holder` says who, if known."""
    who = f" ({holder})" if holder else ""
    message = f"another build of this site is running{who}"
    return _error("locked", Span(file), message, "wait until it has finished")


# -- comparing -------------------------------------------------------------------------------------------


def no_output(folder: str) -> Diagnostic:
    """The site has not been built."""
    message = "no output of the new site found here"
    return _error("nothing-to-compare", Span(folder), message, "build the site first, or pass its folder with --new")


def no_pages(folder: str) -> Diagnostic:
    """A folder that is no output of a site."""
    return _error("nothing-to-compare", Span(folder), "no HTML pages found in this folder or below it")


def same_output(folder: str) -> Diagnostic:
    """An output that would be compared with itself."""
    hint = "keep the output of the old site in another folder, and pass it with --old"
    return _error("nothing-to-compare", Span(folder), "the old and the new output are the same folder", hint)


def not_a_site_map(file: str, reason: str) -> Diagnostic:
    """A file given as a site map that cannot be read as one."""
    return _error("nothing-to-compare", Span(file), f"cannot be read as a sitemap: {reason}")


def no_own_address(file: str, number: int, base: str, likely: str) -> Diagnostic:
    """A site map whose addresses are all of another site; `likely` is what they have in common."""
    message = f"none of the {number:,} URLs is below “{base}”" if number else "contains no URLs"
    hint = f"pass the URL of the old site; “--base-url {likely}” fits all URLs" if likely else ""
    return _error("nothing-to-compare", Span(file), message, hint)


def not_compared(file: str, reason: str) -> Diagnostic:
    """Part of an output that could not be looked at."""
    return _warning("not-compared", Span(file), f"was not compared: {reason}")


# -- catalogs --------------------------------------------------------------------------------------------


def bad_catalog(span: Span, reason: str) -> Diagnostic:
    """A catalog that is not TOML: none of its messages is known."""
    return _error("bad-message", span, f"this is not valid TOML: {reason}")


def bad_message(span: Span, key: str, reason: str, hint: str = "") -> Diagnostic:
    """A message of a catalog that cannot be used."""
    return _error("bad-message", span, f"invalid message “{key}”: {reason}", hint)


def unusable_message(span: Span, key: str, reason: str, hint: str = "") -> Diagnostic:
    """The same of one that the theme does not have: it may be there for another program."""
    return _warning("unknown-message", span, f"invalid message “{key}”, which the theme does not have: {reason}", hint)


def unknown_message(span: Span, key: str, known: Iterable[str]) -> Diagnostic:
    """A message of a catalog that no page shows."""
    return _warning("unknown-message", span, f"no template or script has a message “{key}”", did_you_mean(key, known))


def unknown_key_in_script(span: Span, key: str, known: Iterable[str]) -> Diagnostic:
    """A script that asks for a message that no catalog has; `key` is empty where it does not name one."""
    if not key:
        return _error("bad-message", span, "the key of a message is not a string", 'write __t("key")')
    return _error("bad-message", span, f"no catalog has a message “{key}”", did_you_mean(key, known))
