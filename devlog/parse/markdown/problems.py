"""Diagnostics about Markdown: its code, formulas, links and raw HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.merge_conflict import RESOLVE
from devlog.model.problems import did_you_mean, error, info, nearest, warning
from devlog.model.secrets import shortened


def unknown_language(span: Span, language: str, near: str) -> Diagnostic:
    """A fence names a language without syntax highlighting."""
    hint = f"did you mean “{near}”?" if near else "write “text” for plain text"
    return info("unknown-language", span, f"no syntax highlighting for “{language}”", hint)


def directional_character(span: Span, character: str, where: str) -> Diagnostic:
    """A character that changes the direction of text is in code, where it can hide what the code does, or in raw HTML,
    where it also turns what follows it.

    Args:
        span: the character.
        character: itself.
        where: what contains it, as in “… contains”.
    """
    message = f"{where} contains U+{ord(character):04X}, which changes the order in which it is read"
    return warning("directional-character", span, message, "delete it, or write it as an escape of the language")


def huge_tables(span: Span, limit: int) -> Diagnostic:
    """Tables in raw HTML whose cells span so much that browsers could not show them."""
    message = f"“colspan” and “rowspan” were removed: with them, tables would have more than {limit:,} places for cells"
    return warning("unsafe-html", span, message)


def too_many_players(span: Span, count: int, limit: int) -> Diagnostic:
    """A post with more videos and audio files than browsers can show; `span` is the beginning of its body."""
    message = f"the post has {count:,} players (limit: {limit})"
    return error("too-many-players", span, message, "link to some of the files instead, or split the post")


def bad_formula(span: Span, reason: str, hint: str, *, dollar: bool) -> Diagnostic:
    """A formula that cannot be converted.

    Args:
        span: its place.
        reason: why not.
        hint: what its writer can do, if that is known.
        dollar: whether it is between single dollar signs, as prices may be.
    """
    reason = re.sub(r'"([^"]*)"|`([^`]*)`', lambda quoted: f"“{quoted[1] or quoted[2] or ''}”", reason).rstrip(".")
    hint = hint or ("write “\\$” for a literal dollar sign" if dollar else "")
    if reason.endswith("already defined"):  # for example “\R”, which some programs predefine and others do not
        hint = "use “\\renewcommand” to redefine it"
    message = f"formula shown as source: {reason[:1].lower()}{reason[1:]}"
    return warning("bad-formula", span, message, hint)


def unknown_label(span: Span) -> Diagnostic:
    """A formula refers to a label that no earlier equation has: only earlier equations already have a number."""
    return warning("bad-label", span, "no earlier equation has this label")


def repeated_label(span: Span) -> Diagnostic:
    """Two equations of a post have the same label, which can lead to only one of them."""
    return warning("bad-label", span, "an earlier equation has the same label, and links go to that one")


def kramdown_options(span: Span) -> Diagnostic:
    """Options of kramdown, which configure another program and have no effect in devlog."""
    return info("kramdown-options", span, "kramdown options have no effect")


def unsafe_url(span: Span, url: str, scheme: str) -> Diagnostic:
    """A link with a scheme that is not allowed."""
    message = f"the link “{shortened(url, 80)}” was removed: “{scheme}:” is not an allowed scheme"
    near = nearest(scheme, ("https", "http", "mailto"))
    hint = f"did you mean “{near}:”?" if near else "use https:, mailto: or a path inside the site"
    return warning("unsafe-url", span, message, hint)


def unsafe_html(span: Span, tag: str) -> Diagnostic:
    """An HTML element that the sanitizer removes."""
    hint = 'set html = "trusted" in the configuration to allow any HTML in every post'
    return warning("unsafe-html", span, f"the element <{tag}> was removed: it is not allowed in posts", hint)


def shown_anyway(span: Span, tag: str, hiding: str) -> Diagnostic:
    """An HTML element that is shown, although its author has hidden it with an attribute that the sanitizer removes.

    Args:
        span: the beginning of its tag.
        tag: the name of the element.
        hiding: what hides it.
    """
    message = f"the element <{tag}> is shown to readers: “{hiding}” has no effect in posts"
    return warning("unsafe-html", span, message, "remove what nobody should read, or put it between “<!--” and “-->”")


def not_html(span: Span, name: str) -> Diagnostic:
    """A name in angle brackets that is not an HTML element."""
    hint = f"write it as code: `<{name}>`"
    return info("not-html", span, f"<{name}> is not HTML, and is shown as text", hint)


def unclosed_html(span: Span, name: str) -> Diagnostic:
    """An HTML element that would hide what follows it, since it is never closed."""
    hint = f"write it as code: `<{name}>`"
    return info("unclosed-html", span, f"<{name}> is never closed, and is shown as text", hint)


def lone_end_tag(span: Span, name: str) -> Diagnostic:
    """The end tag, in a sentence, of an HTML element that nothing begins."""
    hint = f"write it as code: `</{name}>`"
    return info("unclosed-html", span, f"</{name}> closes nothing, and is shown as text", hint)


def misplaced(span: Span, name: str, around: str) -> Diagnostic:
    """An HTML element, in a sentence, outside of the element that it belongs to, such as a cell without a table.

    Args:
        span: the tag.
        name: its name, after a slash if it is an end tag.
        around: the element that it belongs to.
    """
    hint = f"write it as code: `<{name}>`"
    return info("misplaced-html", span, f"<{name}> is not inside a <{around}>, and is shown as text", hint)


def dropped(span: Span, name: str, around: str) -> Diagnostic:
    """A part of a table, in a block of HTML, outside of a table: browsers ignore it."""
    hint = f"write it as code: `<{name}>`, or begin the <{around}> before it"
    return warning("misplaced-html", span, f"<{name}> is not inside a <{around}>, and has no effect", hint)


def dividing(span: Span, name: str) -> Diagnostic:
    """The tag of a paragraph or of a line in the middle of a sentence, which may be meant as its name.

    Args:
        span: the tag.
        name: its name, after a slash if it is an end tag.
    """
    hint = f"write it as code: `<{name}>`, or on a line of its own"
    return info("misplaced-html", span, f"<{name}> divides the sentence that it is in", hint)


def crossed(span: Span, name: str) -> Diagnostic:
    """An HTML element that begins in one list item, quote, cell or heading, and ends in another one or outside."""
    message = f"<{name}> and </{name}> are not in the same list item, quote, cell or heading"
    return warning("misplaced-html", span, message, "put both into the same one, or both outside of it")


def unclosed_block(span: Span, name: str) -> Diagnostic:
    """An HTML element at the beginning of a block that contains all that follows, which is not read as Markdown."""
    message = f"<{name}> is never closed, and is shown as text; what follows is not read as Markdown"
    return warning("unclosed-html", span, message, f"write “</{name}>” where it ends, or write it as code: `<{name}>`")


def unterminated(span: Span, opening: str, *, whole: bool = True) -> Diagnostic:
    """A comment, a declaration or a tag that is never closed, so that browsers do not show what follows.

    Args:
        span: its beginning.
        opening: the text of that.
        whole: whether it hides all that follows, and not only the rest of its block of HTML.
    """
    closing = {"<!--": "-->", "<![CDATA[": "]]>"}.get(opening, "?>" if opening.startswith("<?") else ">")
    hidden = "what follows" if whole else "the rest of its block"
    message = f"“{opening}” is never closed, and hides {hidden}"
    return warning("unclosed-html", span, message, f"write “{closing}” where it ends, or write it as code: `{opening}`")


def unterminated_tag(span: Span, opening: str) -> Diagnostic:
    """A tag that a block of HTML in a list item or quote begins and does not end, so that it becomes text.

    Args:
        span: its beginning.
        opening: the text of that.
    """
    hint = f"write “>” where it ends, before a blank line, or write it as code: `{opening}`"
    return warning("unclosed-html", span, f"“{opening}” is never closed, and is shown as text", hint)


def html_too_deep(span: Span, limit: int) -> Diagnostic:
    """Raw HTML that is nested more deeply than is safe to process."""
    return warning("html-too-deep", span, f"HTML nested more than {limit} deep is shown as text")


def nested_too_deeply(span: Span, limit: int) -> Diagnostic:
    """Lists, quotes and other blocks that nest too deeply to be processed; `span` is where the first begins."""
    message = f"blocks inside {limit} others are shown as text (a list and its item are two blocks)"
    return warning("nested-too-deeply", span, message, "use fewer levels of lists and quotes")


def unknown_admonition(span: Span, word: str, known: Iterable[str]) -> Diagnostic:
    """An admonition of a kind that devlog does not know."""
    hint = did_you_mean(word, known) or "use note, tip, important, warning or caution"
    return warning("unknown-admonition", span, f"unknown admonition “{word}”, shown as a note", hint)


def unclosed_admonition(span: Span, mark: str) -> Diagnostic:
    """A container of colons that is never closed, so that everything after it is inside."""
    hint = f"end it with a line “{mark}”"
    return warning("unclosed-admonition", span, "this admonition is never closed, and contains all that follows", hint)


# -- probable mistakes: see `devlog.parse.markdown.mistakes`


def never_closed(span: Span, name: str) -> Diagnostic:
    """An HTML element that is never closed, and so contains the rest of the page."""
    message = f"<{name}> is never closed, and contains what follows"
    return warning("unclosed-html", span, message, f"write “</{name}>” where it ends, or write it as code: `<{name}>`")


def unclosed_fence(span: Span, fence: str, *, whole: bool) -> Diagnostic:
    """A code block without its closing fence. `whole`: whether it is not in a list or quote."""
    rest = "post" if whole else "list item or quote"
    message = f"the code block is never closed, and contains the rest of the {rest}"
    return warning("unclosed-fence", span, message, f"write “{fence}” on a line of its own where the code ends")


def unknown_alert(span: Span, kind: str, near: str, *, known: bool, more: bool) -> Diagnostic:
    """A quote that begins like an alert, such as `[!NOTE]`, but is shown as a plain quote.

    Args:
        span: the marker.
        kind: the kind of alert as written.
        near: the known kind that it is most similar to; empty if there is none.
        known: whether the kind is known.
        more: whether there is text after the marker.
    """
    message = f"“[!{kind}]” is shown as text"
    if known and more:
        return warning("unknown-alert", span, message, "begin the text of the alert on the next line")
    if known:
        return warning("unknown-alert", span, message, "an alert has text, and is not inside a list or another quote")
    hint = "an alert begins with [!NOTE], [!TIP], [!IMPORTANT], [!WARNING] or [!CAUTION]"
    return warning("unknown-alert", span, message, f"did you mean “[!{near.upper()}]”?" if near else hint)


def foreign_admonition(span: Span, marks: str, alert: str) -> Diagnostic:
    """An admonition in the syntax of another program, which devlog shows as text."""
    hint = f"write “> [!{alert}]” and its text in the next lines after “> ”, or set “markdown.admonitions = true”"
    return warning("foreign-admonition", span, f"the admonition is shown as text: “{marks}” has no meaning here", hint)


def undefined_footnote(span: Span, written: str) -> Diagnostic:
    """A reference to a footnote that does not exist, which is shown as text."""
    hint = f"add a line “{written}: …” with its text"
    return warning("undefined-footnote", span, f"“{written}” is shown as text: there is no such footnote", hint)


def footnote_as_text(span: Span, written: str) -> Diagnostic:
    """A footnote where none can be: in the alt text of an image, in a link, or in a line such as a caption."""
    message = (
        f"“{shortened(written, 80)}” is shown as text: alt texts, links and arguments of shortcodes have no footnotes"
    )
    return warning("undefined-footnote", span, message, "move it to the text around the image, link or shortcode")


def lost_footnote(span: Span, label: str, *, repeated: bool) -> Diagnostic:
    """A footnote that is not shown.

    Args:
        span: the label where the footnote is defined.
        label: the label.
        repeated: whether an earlier footnote has this label; else nothing refers to it.
    """
    if repeated:
        message = f"the footnote is not shown: an earlier one has the label “{label}”"
        return warning("lost-footnote", span, message, "give each footnote its own label")
    hint = f"write “[^{label}]” in the text that it is about"
    return warning("lost-footnote", span, "the footnote is not shown: nothing refers to it", hint)


def undefined_reference(span: Span, label: str) -> Diagnostic:
    """A link or image with a label that nothing defines, which is shown as text."""
    hint = f"add a line “[{label}]: …” with its URL"
    return warning("undefined-reference", span, f"the link is shown as text: “[{label}]” is not defined", hint)


def merge_conflict(span: Span) -> Diagnostic:
    """Two versions of a text, as git writes them if it cannot merge them."""
    hint = f"{RESOLVE}; show an example as code"
    return error("merge-conflict", span, "two versions of the text are not merged", hint)


def unspaced_heading(span: Span, marks: str) -> Diagnostic:
    """A line that begins like a heading, but lacks the space after the number signs."""
    return warning("unspaced-heading", span, "the heading is shown as text", f"write a space after “{marks}”")


def extra_cells(span: Span, cells: int, columns: int) -> Diagnostic:
    """A table row with more cells than the header. The last ones are not shown."""
    message = f"the row has {cells} cells, but the table has {columns} columns: the last ones are not shown"
    return warning("extra-cells", span, message, "write “\\|” for a vertical bar inside a cell, also in code")


def broken_table(span: Span) -> Diagnostic:
    """A table whose delimiter row has another number of cells than its header, so that it is shown as text."""
    message = "the table is shown as text: the line below its header has another number of cells"
    return warning("broken-table", span, message)


def duplicate_id(span: Span, fragment: str, own: str) -> Diagnostic:
    """A heading with an id that another heading already has, so devlog gives it another one."""
    message = f"an earlier heading has the id “{fragment}”: this one gets “{own}”"
    return warning("duplicate-id", span, message, "give each heading its own id")


def repeated_id(span: Span, fragment: str) -> Diagnostic:
    """An element of raw HTML with an id that devlog gives to a heading, a footnote or an equation of the post."""
    message = f"the post has the id “{fragment}” twice: links go to the first"
    return warning("duplicate-id", span, message, "give each element its own id")
