"""Element-centric similarity: agreement of partitions, object by object."""

from itertools import combinations

import numpy as np

from consens._blocks import Labels
from consens._labels import MISSING
from consens.ensemble import Ensemble, EnsembleLike
from consens.measure.agreement import label_vectors


def element_similarity(a: Labels, b: Labels) -> float:
    """Element-centric similarity of two partitions: the mean of `object_similarity`.

    Without bias towards many or few clusters, it says where two partitions differ.

    Parameters
    ----------
    a, b : label vectors of equal length

    Returns
    -------
    float in [0, 1]

    Notes
    -----
    O(n) time and memory.

    {gates_2019}

    Examples
    --------
    >>> from consens.measure import element_similarity
    >>> element_similarity([0, 0, 0, 1], [0, 0, 1, 1]).__round__(3)
    0.542
    """
    return float(np.nanmean(object_similarity(a, b)))


def object_similarity(a: Labels, b: Labels) -> np.ndarray:
    """Element-centric similarity of two partitions for each object.

    A random walk from object i that stays in its cluster is everywhere in it with the same
    probability.  The similarity is 1 less half the sum of the absolute differences of these
    probabilities in the two partitions.  With A and B the clusters of i this is

        S_i = |A ∩ B| / max(|A|, |B|).

    It does not depend on the probability of a restart in the definition of Gates et al.

    Parameters
    ----------
    a, b : label vectors of equal length

    Returns
    -------
    ndarray of shape (n,), in [0, 1]
        Objects that are missing in one of the partitions are left out and have NaN; every noise
        object is a cluster of its own.

    Notes
    -----
    O(n) time and memory.

    {gates_2019}

    Examples
    --------
    >>> from consens.measure import object_similarity
    >>> object_similarity([0, 0, 0, 1], [0, 0, 1, 1]).round(3)
    array([0.667, 0.667, 0.333, 0.5  ])
    """
    return _similarity(*label_vectors(a, b))


def object_consistency(ensemble: EnsembleLike) -> np.ndarray:
    """Element-centric consistency: how similarly the members of an ensemble treat each object.

    The mean of `object_similarity` over all pairs of members that saw the object.  Its mean over
    the objects is the consistency of the ensemble.

    {of_ensemble}

    Returns
    -------
    ndarray of shape (n,), in [0, 1]
        NaN for objects that fewer than two members saw.

    Notes
    -----
    O(n M²) time, O(n M) memory.

    {gates_2019}

    Examples
    --------
    >>> from consens.measure import object_consistency
    >>> object_consistency([[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1]]).round(3)
    array([0.778, 0.778, 0.556, 0.667])
    """
    labels = Ensemble.from_labels(ensemble).matrix
    sums, counts = np.zeros(len(labels)), np.zeros(len(labels))
    for a, b in combinations(np.asfortranarray(labels).T, 2):
        similarity = _similarity(a, b)
        known = ~np.isnan(similarity)
        sums[known] += similarity[known]
        counts += known
    return np.divide(sums, counts, out=np.full(len(labels), np.nan), where=counts > 0)


def _similarity(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    result = np.full(len(a), np.nan)
    seen = (a != MISSING) & (b != MISSING)
    a, b = a[seen].astype(np.int64), b[seen].astype(np.int64)
    both = (a >= 0) & (b >= 0)
    pairs = np.where(both, a * (b.max(initial=0) + 1) + b, -1)
    result[seen] = _sizes(pairs) / np.maximum(_sizes(a), _sizes(b))
    return result


def _sizes(labels: np.ndarray) -> np.ndarray:
    """Size of the cluster of each object, 1 for those in no cluster."""
    _, number, counts = np.unique(labels, return_inverse=True, return_counts=True)
    return np.where(labels >= 0, counts[number], 1)
