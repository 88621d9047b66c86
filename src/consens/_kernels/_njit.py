"""Configuration of numba."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

import numba
from numba import prange

__all__ = ["njit", "prange"]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


@overload
def njit(function: Kernel) -> Kernel: ...


@overload
def njit(function: None = None, **options: bool) -> Callable[[Kernel], Kernel]: ...


def njit(function: Kernel | None = None, **options: bool) -> Any:
    """Compile a function on its first call, and cache the machine code on disk.

    Do not add signatures, which would compile on import.
    """
    decorate: Any = numba.njit(cache=True, nogil=True, **options)  # type: ignore[call-overload]
    return decorate if function is None else decorate(function)
