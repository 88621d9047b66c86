"""Escape untrusted text for terminals, SVG, HTML and csv."""

import re
from collections.abc import Sequence
from typing import Any

#: Control characters, bidirectional marks, lone surrogates, and characters that XML forbids.
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufffe\uffff]"
)


def printable(text: str, *, keep: str = "") -> str:
    r"""Replace control characters, except those in `keep`, by JSON escapes, such as ``\u001b``."""

    def escaped(match: re.Match[str]) -> str:
        return match[0] if match[0] in keep else f"\\u{ord(match[0]):04x}"

    return _CONTROL.sub(escaped, text)


def printable_values(value: Any) -> Any:
    """Make all strings of nested dictionaries, lists and tuples printable."""
    if type(value) is str:
        return printable(value, keep="\n\t")
    if isinstance(value, dict):
        return {printable_values(name): printable_values(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [printable_values(entry) for entry in value]
    return value


def listed(names: Sequence[str], most: int = 8) -> str:
    """Quote the first `most` names for a message, and count the others."""
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
