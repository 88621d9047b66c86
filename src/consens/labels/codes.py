"""The two codes beside cluster numbers, and who has one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

NOISE = -1
MISSING = -2

#: Objects from which compiled kernels repay loading them.
COMPILED_FROM = 20_000

#: Comparisons of labels up to which NumPy is as fast as loading compiled code.
PLAIN_COMPARISONS = 2e8


Function = TypeVar("Function", bound=Callable[..., Any])


def in_blocks_too(function: Function) -> Function:
    """Let labels that come in blocks answer for themselves: see `consens.blocks.matrix`."""

    @wraps(function)
    def answer(labels: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(labels, np.ndarray):
            return function(labels, *args, **kwargs)
        own = getattr(labels, "label_function", None)
        if own is None:
            return function(labels, *args, **kwargs)
        return own(function.__name__, *args, **kwargs)

    return answer  # type: ignore[return-value]


@in_blocks_too
def has_code(labels: np.ndarray, code: int) -> bool:
    """Whether a member has any `NOISE`, or any `MISSING`, label."""
    return any(bool((column == code).any()) for column in labels.T)


def in_a_cluster(labels: np.ndarray) -> np.ndarray:
    """Objects that at least one member put in a cluster."""
    return in_some_member(labels, above=NOISE)


def in_some_member(labels: np.ndarray, *, above: int) -> np.ndarray:
    """Objects with a label above a code; reads no more members than it must."""
    found = labels[:, 0] > above
    for column in labels.T[1:]:
        if found.all():
            break
        found |= column > above
    return found
