"""Formatting of names and numbers for the report page and for JSON."""

from collections.abc import Sequence
from typing import Any

import numpy as np

MAX_NAME = 120


def short(name: Any, width: int = MAX_NAME) -> str:
    """Shorten a name to at most `width` characters."""
    text = str(name)
    return text if len(text) <= width else text[: width - 1] + "…"


def joined(words: Sequence[str]) -> str:
    """Join words as in "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def sentence(text: str) -> str:
    """Start a text with a capital letter and end it with a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def rounded(value: Any, digits: int = 4) -> float | None:
    """Round a number for JSON; None if it is not finite."""
    value = float(value)
    return round(value, digits) if np.isfinite(value) else None


def readable(value: float) -> str:
    """Format a number with three significant digits."""
    value = float(f"{value:.3g}")
    return f"{value:,.0f}" if 100 <= abs(value) < 1e9 else f"{value:.3g}"


def significant(value: float) -> float:
    """Round a number to four significant digits."""
    return float(f"{value:.4g}")


def cell(value: Any) -> Any:
    """Convert a value for JSON: numbers stay as they are, anything else becomes short text."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, bool | int | float | None) else short(value)
