"""Text from outside made safe to show: in a terminal, in SVG, HTML and csv."""

import re

#: Control characters (of terminals, of the direction of text), halves of surrogate pairs, and
#: what XML does not allow.
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufffe\uffff]"
)


def printable(text: str, *, keep: str = "") -> str:
    r"""Replace control characters by their escapes, such as ``\x1b``.

    Parameters
    ----------
    text : str
    keep : str
        Control characters that may stay.

    Examples
    --------
    >>> from consens.printable import printable
    >>> print(printable("red\x1b[31m\n"))
    red\x1b[31m\x0a
    """

    def escaped(match: re.Match[str]) -> str:
        character = match[0]
        if character in keep:
            return character
        code = ord(character)
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

    return _CONTROL.sub(escaped, text)
