"""Starts of k-means: rows drawn far from each other (k-means++)."""

from collections.abc import Callable, Iterator

import numpy as np

START_ROWS = 20_000  # largest number of rows on which starts of k-means run; more rows are sampled


def start_sample(n: int, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of the rows on which starts of k-means run: all, or a sample."""
    if not n > START_ROWS > n_clusters:
        return np.arange(n)
    return np.sort(rng.choice(n, START_ROWS, replace=False))


def far_rows(
    distances_to: Callable[[np.ndarray], np.ndarray],
    weights: np.ndarray,
    n_rows: int,
    rng: np.random.Generator,
    *,
    first: int | None = None,
    n_trials: int = 1,
) -> Iterator[tuple[int, np.ndarray]]:
    """Draw rows one after the other, each likely to be far from the earlier ones (k-means++).

    A row is drawn in proportion to its weight times its distance to the nearest row drawn so far;
    of several trials the one with the least remaining sum is kept.  ``distances_to(rows)`` has a
    column for each row.  Yields each row and its distances.

    D. Arthur and S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
    """
    row = int(_draw_by_mass(weights, rng, 1)[0]) if first is None else first
    nearest = distances_to(np.array([row]))[:, 0]
    yield row, nearest
    drawn = np.zeros(len(weights), dtype=bool)
    for _ in range(1, n_rows):
        drawn[row] = True
        mass = np.where(drawn, 0.0, weights * nearest)
        trials = _draw_by_mass(mass, rng, n_trials)
        if trials[0] < 0:
            trials = np.flatnonzero(~drawn)[:1]
        tried = distances_to(trials)
        reach = np.minimum(nearest[:, None], tried)
        best = int((weights @ reach).argmin()) if len(trials) > 1 else 0
        row, nearest = int(trials[best]), reach[:, best]
        yield row, tried[:, best]


def _draw_by_mass(mass: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw rows with probability proportional to `mass`; -1 if all are 0."""
    total = np.cumsum(mass)
    places = rng.random(size) * total[-1]
    if total[-1] <= 0:
        return np.full(size, -1)
    return np.minimum(np.searchsorted(total, places, side="right"), len(mass) - 1)
