"""The two codes beside cluster numbers, and who has one."""

from __future__ import annotations

import numpy as np

NOISE = -1
MISSING = -2

#: Objects from which compiled kernels repay loading them.
COMPILED_FROM = 20_000

#: Comparisons of labels up to which NumPy is as fast as loading compiled code.
PLAIN_COMPARISONS = 2e8


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
