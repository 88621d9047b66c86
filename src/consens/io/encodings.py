"""The encoding of words with a few letters outside of ASCII, as in most of Europe."""

import re
from collections.abc import Iterable

#: Letters outside of ASCII of languages that share an encoding; `_BALTIC` includes Estonian.
_WESTERN = (
    "äöüßé",
    "àâæçèéêëîïôœùûü",
    "áéíóúüñçïàèò",
    "áàâãçéêíóôõú",
    "àèéìíòóùú",
    "åäöé",
    "æøåéèóò",
)
_CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž")
_TURKISH, _BALTIC = ("çğıİöşüâ",), ("ąčęėįšųūž", "āčēģīķļņšūž", "õäöüšž")
_ICELANDIC = ("áðéíóúýþæö",)

#: Encodings of Windows, Unix, DOS and old Macs, those that are most likely first.
_LIKELY = (
    ("cp1252", _WESTERN),
    ("cp1250", _CENTRAL),
    ("iso8859_2", _CENTRAL),
    ("cp1254", _TURKISH),
    ("cp1257", _BALTIC),
    ("cp1252", _ICELANDIC),
    ("cp850", _WESTERN),
    ("mac_roman", _WESTERN),
)

_SIGNS = "€£°²³§µ«»–—’‘“”„…·±×®™©\u00a0"
_BROKEN = re.compile(  # signs where none is
    r"[^\W\d_][^\w’·–-][^\W\d_]|[^\W\d_][‘‚„§°£—]|[£²³°™…—®·][^\W\d_]"
)
_CASES = re.compile("l[uU]|[uU]Ul")  # a capital letter within a word; U is one outside of ASCII

_MOST = 0.8  # share of the words that must be those of a language


def guess_encoding(words: Iterable[bytes]) -> str | None:
    """Return the encoding in which most words are of languages that use it, if there is one.

    Of several, it is the one in which most words are of the same language, or else the most
    frequent one.
    """
    distinct = list(dict.fromkeys(words))
    best, most = None, (_MOST * len(distinct), 0)
    for encoding, languages in _LIKELY:
        shown = [word.decode(encoding, "replace") for word in distinct]
        shares = [
            [_is_of(word, {*letters, *letters.upper()}) for word in shown] for letters in languages
        ]
        found = sum(map(any, zip(*shares, strict=True))), max(map(sum, shares))
        if found > most or (best is None and found >= most):
            best, most = encoding, found
    return best


def _is_of(word: str, letters: set[str]) -> bool:
    """Whether a word may be of a language with some letters, or consists of ASCII and signs."""
    own = [character for character in word if character.isalpha()]
    odd = [character for character in own if not character.isascii()]
    signs = {character for character in word if not (character.isascii() or character.isalpha())}
    cases = "".join(
        "l" if character.islower() else "u" if character.isascii() else "U" for character in own
    )
    wrong = _BROKEN.search(word) or _CASES.search(cases) or not letters.issuperset(odd)
    return not wrong and signs <= set(_SIGNS) and (len(own) > len(odd) or len(own) < 2)
