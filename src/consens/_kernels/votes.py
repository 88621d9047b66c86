"""Sums of the rows of a table that belong to the clusters of each object."""

from __future__ import annotations

import numpy as np

from consens._kernels._njit import njit, prange

TILE_ROWS = 256


@njit
def _sums(
    members: np.ndarray, starts: np.ndarray, table: np.ndarray, begin: int, sums: np.ndarray
) -> None:
    """Sums of consecutive objects that start at `begin`, one per row of `sums`."""
    n_rows, width = sums.shape
    sums[:] = 0.0
    for m in range(members.shape[0]):  # the outer loop, so that members are read contiguously
        for i in range(n_rows):
            label = members[m, begin + i]
            if label >= 0:
                cluster = starts[m] + label
                for j in range(width):
                    sums[i, j] += table[cluster, j]


@njit(parallel=True)
def fill_sums(
    members: np.ndarray, starts: np.ndarray, table: np.ndarray, sums: np.ndarray
) -> None:
    n = members.shape[1]
    for tile in prange((n + TILE_ROWS - 1) // TILE_ROWS):
        begin = tile * TILE_ROWS
        _sums(members, starts, table, begin, sums[begin : min(begin + TILE_ROWS, n)])


@njit(parallel=True)
def fill_votes(
    members: np.ndarray,
    starts: np.ndarray,
    table: np.ndarray,
    tolerance: float,
    winners: np.ndarray,
) -> None:
    n, width = members.shape[1], table.shape[1]
    for tile in prange((n + TILE_ROWS - 1) // TILE_ROWS):
        begin = tile * TILE_ROWS
        end = min(begin + TILE_ROWS, n)
        sums = np.empty((end - begin, width))
        _sums(members, starts, table, begin, sums)
        for i in range(end - begin):
            highest = sums[i, 0]
            for j in range(1, width):
                highest = max(highest, sums[i, j])
            enough = highest - tolerance * abs(highest)
            winner = 0
            while sums[i, winner] < enough:
                winner += 1
            winners[begin + i] = winner
