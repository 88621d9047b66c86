"""The one place where numba is configured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import prange

__all__ = ["njit", "prange"]


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile on the first call and keep the machine code on disk.

    Never with a signature: that would compile on import.
    """
    decorate = numba.njit(cache=True, nogil=True, **options)
    return decorate if function is None else decorate(function)
