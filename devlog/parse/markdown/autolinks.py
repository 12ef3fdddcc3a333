"""GitHub's extended autolinks: bare URLs that become links, in linear time.

The plugin's own rules scan to the next space from every position where a URL could begin, even if it ends earlier.
"""

from __future__ import annotations

import re
from unicodedata import category

from markdown_it.common.normalize_url import normalizeLinkText
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.gfm_autolink._match import check_prev
from mdit_py_plugins.gfm_autolink.index import _create_autolink, _protocol_rule

LONGEST_HOST = 300
"""The maximum length of a host name: valid ones have at most 253 characters."""
LONGEST_MAIL = 2_048

_WEB = ("http", "https")
_PROTOCOLS = (*_WEB, "mailto", "xmpp")
_END = re.compile(r"[ \t\r\n\0\x0b\x0c<]")
_NEVER_LAST = frozenset("?!.,:*_~'\"[]")


def www_rule(state: StateInline, silent: bool) -> bool:
    """The rule for ``www.``; `silent` has markdown-it's meaning."""
    start = state.pos
    if silent or state.linkLevel or not state.src.startswith("www.", start, state.posMax):
        return False
    before = state.pending[-1:] or state.src[max(0, start - 1) : start]
    if before and not check_prev(before):
        return False
    end = _end_of(state, start, start + 4, is_dotted=True)
    shown = state.src[start:end]
    return end > 0 and _create_autolink(state, 0, len(shown), f"http://{shown}", shown)


def protocol_rule(state: StateInline, silent: bool) -> bool:
    """The rule for ``http:``, ``https:``, ``mailto:`` and ``xmpp:``; `silent` has markdown-it's meaning."""
    colon = state.pos
    if silent or not state.src.endswith(_PROTOCOLS, max(0, colon - 6), colon):
        return False
    pending = state.pending
    if len(pending) > 6:  # the plugin's rule searches all of it, but can match only these
        state.pending = pending[:-6]
        state.pushPending()
        state.pending = pending[-6:]
    protocol = next((name for name in ("https", "http") if state.pending.endswith(name)), "")
    if protocol and state.src.endswith(protocol, 0, colon):
        return _web(state, colon - len(protocol), protocol)
    most = state.posMax
    state.posMax = min(most, colon + LONGEST_MAIL)
    try:
        return _protocol_rule(state, silent)
    finally:
        state.posMax = most


def shown_url(url: str) -> str:
    """A URL as the text of its link: decoded, unless that gives characters that nobody sees or no text."""
    text = normalizeLinkText(url)
    return text if text.isprintable() and "\ufffd" not in text else url


def _web(state: StateInline, start: int, protocol: str) -> bool:
    if state.linkLevel or not state.src.startswith("://", state.pos, state.posMax):
        return False
    if start > 0 and not check_prev(state.src[start - 1]):
        return False
    end = _end_of(state, start, state.pos + 3, is_dotted=False)
    url = state.src[start:end]
    return end > 0 and _create_autolink(state, len(protocol), len(url), url, url)


def _end_of(state: StateInline, start: int, host: int, *, is_dotted: bool) -> int:
    """The end of a URL whose host begins at offset `host`; 0 if it is not a valid URL."""
    source, most = state.src, state.posMax
    if host >= most:
        return 0
    limit = min(most, host + LONGEST_HOST)
    end = next((place for place in range(host, limit) if _ends_host(source[place])), limit)
    if end == limit < most:
        return 0
    labels = source[host:end].split(".")
    if any("_" in label for label in labels[-2:]) or (is_dotted and len(labels) < 2):
        return 0
    found = _END.search(source, end, most)
    return _without_last_signs(source, start, found.start() if found else most)


def _ends_host(character: str) -> bool:
    if character.isascii() and character.isalnum():
        return False
    return character == "<" or character.isspace() or (character not in "-_." and category(character)[0] == "P")


def _without_last_signs(source: str, start: int, end: int) -> int:
    """The end of a URL without trailing punctuation that belongs to the sentence."""
    excess = source.count(")", start, end) - source.count("(", start, end)
    while end > start:
        last = source[end - 1]
        if last in _NEVER_LAST:
            end -= 1
        elif last == ";":
            before = end - 2
            while before > start and source[before].isalpha():
                before -= 1
            end = before if before < end - 2 and source[before] == "&" else end - 1
        elif last == ")" and excess > 0:
            excess -= 1
            end -= 1
        else:
            break
    return end
