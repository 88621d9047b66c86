"""Names and numbers as a page and JSON can hold them."""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_NAME = 120


def short(name: Any) -> str:
    text = str(name)
    return text if len(text) <= MAX_NAME else text[: MAX_NAME - 1] + "…"


def rounded(value: Any, digits: int = 4) -> float | None:
    """A number for JSON: short, and None where there is none."""
    value = float(value)
    return round(value, digits) if np.isfinite(value) else None


def readable(value: float) -> str:
    """A number in text, with three digits that count."""
    value = float(f"{value:.3g}")
    return f"{value:,.0f}" if 100 <= abs(value) < 1e9 else f"{value:.3g}"


def significant(value: float) -> float:
    return float(f"{value:.4g}")


def cell(value: Any) -> Any:
    """A number as it is, anything else as a short text."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, bool | int | float | None) else short(value)
