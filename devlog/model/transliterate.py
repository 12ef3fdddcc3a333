"""Transliterates text to ASCII, as the generator Zola does."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from devlog.model.composed import composed


def transliterate(text: str) -> str:
    """A text in ASCII: letters without their marks, Greek and Cyrillic in Latin letters, and ``-`` for the rest."""
    return text if text.isascii() else "".join(_in_ascii(composed(text)))


def _in_ascii(text: str) -> Iterator[str]:
    for char in text:
        if char.isascii():
            yield char
        elif char in _LETTERS:
            yield _LETTERS[char]
        else:
            for part in unicodedata.normalize("NFKD", char):
                if part.isascii() or part in _LETTERS:
                    yield part if part.isascii() else _LETTERS[part]
                elif unicodedata.category(part) not in ("Mn", "Cf"):
                    yield "-"


def _table(pairs: str) -> dict[str, str]:
    """A table of transliterations: ``ßss`` means that ``ß`` becomes ``ss``; the same applies to capital letters."""
    table: dict[str, str] = {}
    for pair in pairs.split():
        table[pair[0]] = pair[1:]
        capital = pair[0].upper()
        if capital.lower() == pair[0]:  # not true of the micro sign, whose capital is a Greek letter
            table.setdefault(capital, pair[1:])
    return table


_LETTERS = {
    **_table(
        "ßss æae œoe øo đd ðd þth łl ħh ıi ĸk ŀl ŋng ŧt ƀb ɓb ƃb ɔo ƈc ɖd ɗd ƌd ǝ3 ɛe ƒf ɠg ɣg ɩi ɨi ƙk ɲn ŉ-n ɵo ẞss"
    ),
    **_table("αa βb γg δd εe ζz ηe θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υu φph χkh ψps ωo ϕph ϑth ϖp ϱr ϵe Ξks"),
    **_table("аa бb вv гg дd еe жzh зz иi йi кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ыy эe юiu яia"),
    **_table("ѐie ёio ђdj ѓgj єie ѕdz іi їyi јj љlj њnj ћtsh ќkj ѝi ўu џdzh ґg ғg қk ңn өo ұu үu һh әa Єe"),
    **_table("©(c) ®(r) °deg µu ×x ¢c- £ps ¥y- €eur §ss ¶p ₹rs ₽rb ₿btc №no ∞inf √sqrt ∂d ∑s ∏p ∇d ∫s ∈e ∀v ∃e"),
    **dict.fromkeys("ъЪ\u200b\u00ad\u200c\u200d", ""),
}
"""Characters that NFKD does not decompose, as Zola writes them. Zola knows far more scripts; their letters become ``-``
here."""
