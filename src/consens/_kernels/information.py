"""Sums of x log x over the counts of pairs of members, with the counters of one pair at a time.

Members are rows of codes from `contingency.encode` with noise: for a member of width w, code
w - 1 is noise, w is missing, and smaller codes are clusters.
"""

import numpy as np

from consens._kernels._njit import njit, prange
from consens._kernels.contingency import count_pair

LOOKED_UP = 2**16  # largest x for which x log x is looked up in a table


def sums_of_pairs(
    left: np.ndarray,
    widths_l: np.ndarray,
    right: np.ndarray,
    widths_r: np.ndarray,
    mirrored: bool,
) -> np.ndarray:
    """Objects seen by both of each pair (p, q), and Σ x log x of its cells, rows and columns.

    Noise objects are clusters of one, and 1 log 1 = 0: they only add to the total.  With
    `mirrored`, `left` and `right` are the same and only pairs p <= q are computed.
    """
    joint = np.zeros((4, len(left), len(right)))
    table = _x_log_x(min(left.shape[1], LOOKED_UP))
    _fill_joint(left, widths_l, right, widths_r, mirrored, table, joint)
    return joint


# as short as can be: what stands in a parallel loop takes several times as long to compile
@njit(parallel=True)
def _fill_joint(
    left: np.ndarray,
    widths_l: np.ndarray,
    right: np.ndarray,
    widths_r: np.ndarray,
    mirrored: bool,
    table: np.ndarray,
    joint: np.ndarray,
) -> None:
    for turn in prange(len(left)):
        # alternate between both ends, so that threads with consecutive turns get equal work
        p = turn // 2 if turn % 2 == 0 else len(left) - 1 - turn // 2
        _fill_row(p, left, widths_l, right, widths_r, mirrored, table, joint)


@njit
def _fill_row(
    p: int,
    left: np.ndarray,
    widths_l: np.ndarray,
    right: np.ndarray,
    widths_r: np.ndarray,
    mirrored: bool,
    table: np.ndarray,
    joint: np.ndarray,
) -> None:
    cells = np.empty((widths_l.max() + 1) * (widths_r.max() + 1), np.uint32)
    for q in range(p if mirrored else 0, len(right)):
        terms = _count_cells(left[p], right[q], widths_l[p] - 1, widths_r[q] - 1, cells, table)
        joint[0, p, q], joint[1, p, q], joint[2, p, q], joint[3, p, q] = terms
        if mirrored:
            joint[0, q, p], joint[1, q, p], joint[3, q, p], joint[2, q, p] = terms


@njit
def cluster_entropies(members: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Σ_q H^q(C) in nats for the clusters C of all members, times M over the members that saw C.

    If member q has seen N objects of C, of which x_j are in its cluster j, then H^q(C) =
    log N - Σ_j x_j log x_j / N; noise objects are clusters of one, and 1 log 1 = 0.
    """
    n_members, n = members.shape
    table = _x_log_x(min(n, LOOKED_UP))
    cells = np.zeros(widths.max() + 1, np.int64)
    entropies = np.zeros((widths - 1).sum())
    cluster = 0
    for p in range(n_members):
        order, starts = _by_cluster(members[p], widths[p] + 1)
        for r in range(widths[p] - 1):
            own = order[starts[r] : starts[r + 1]]
            known = 0
            for q in range(n_members):
                k, seen, of_cells = widths[q] - 1, 0, 0.0
                for i in own:
                    cells[members[q, i]] += 1
                for i in own:
                    c = members[q, i]
                    if c <= k:
                        seen += 1
                        if c < k:
                            of_cells += _look_up(cells[c], table)
                    cells[c] = 0
                if seen > 0:
                    known += 1
                    entropies[cluster] += np.log(float(seen)) - of_cells / seen
            if known > 0:
                entropies[cluster] *= n_members / known
            cluster += 1
    return entropies


@njit
def _count_cells(
    a: np.ndarray, b: np.ndarray, k_a: int, k_b: int, cells: np.ndarray, table: np.ndarray
) -> tuple[float, float, float, float]:
    """`sums_of_pairs` of one pair, with a counter for each cell."""
    width = k_b + 2
    cells[: (k_a + 2) * width] = 0
    count_pair(a, b, width, cells)
    seen = 0
    of_cells = of_rows = of_columns = 0.0
    for r in range(k_a + 1):
        row = 0
        for c in range(width - 1):
            count = cells[r * width + c]
            row += count
            if r < k_a and c < k_b:
                of_cells += _look_up(count, table)
        seen += row
        if r < k_a:
            of_rows += _look_up(row, table)
    for c in range(k_b):
        column = 0
        for r in range(k_a + 1):
            column += cells[r * width + c]
        of_columns += _look_up(column, table)
    return float(seen), of_cells, of_rows, of_columns


@njit
def _by_cluster(codes: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Objects sorted by code, and the start of each code."""
    starts = np.zeros(width + 1, np.int64)
    for code in codes:
        starts[code + 1] += 1
    for code in range(width):
        starts[code + 1] += starts[code]
    order = np.empty(len(codes), np.int64)
    free = starts.copy()
    for i in range(len(codes)):
        order[free[codes[i]]] = i
        free[codes[i]] += 1
    return order, starts


@njit
def _x_log_x(largest: int) -> np.ndarray:
    table = np.zeros(largest + 1)
    for x in range(2, largest + 1):
        table[x] = x * np.log(x)
    return table


@njit
def _look_up(x: int, table: np.ndarray) -> float:
    if x < len(table):
        return table[x]
    return x * np.log(x)
