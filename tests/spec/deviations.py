"""The examples that devlog writes differently, by the number that they have in the specification, and why."""

_NOWHERE = "a link to nothing is written as a link to the top of the page, which is where it leads"
_ENCODED = "URLs of raw HTML are resolved like those of Markdown, and percent-encoded like them"
_STRONG = "CommonMark 0.31 nests strong emphasis where GitHub writes it once, and the newer specification wins"
_LINKED = "the example is meant for readers without the autolink extension, which devlog has switched on here"
_TASKS = "task lists carry the classes that style sheets find them by, as on GitHub"

COMMONMARK: dict[int, str] = {
    21: _ENCODED,
    31: _ENCODED,
    200: _NOWHERE,
    344: _ENCODED,
    485: _NOWHERE,
    486: _NOWHERE,
    487: _NOWHERE,
    567: _NOWHERE,
    630: _ENCODED,
    631: _ENCODED,
    642: _ENCODED,
    643: _ENCODED,
}

GFM: dict[int, str] = {
    169: _NOWHERE,
    279: _TASKS,
    280: _TASKS,
    317: _ENCODED,
    327: _ENCODED,
    354: _ENCODED,
    398: _STRONG,
    426: _STRONG,
    434: _STRONG,
    435: _STRONG,
    436: _STRONG,
    473: _STRONG,
    474: _STRONG,
    475: _STRONG,
    477: _STRONG,
    495: _NOWHERE,
    496: _NOWHERE,
    575: _NOWHERE,
    616: _LINKED,
    619: _LINKED,
    620: _LINKED,
    628: "bare ftp:// addresses stay text: browsers no longer open them, and the autolink plugin leaves them alone",
    631: "the autolink plugin takes an underscore for the beginning of a bare address, not for a part of it",
    649: _ENCODED,
    650: _ENCODED,
    652: "the tag filter is not for sites that trust their posts; in safe mode the sanitiser does its work",
    662: _ENCODED,
    663: _ENCODED,
}
