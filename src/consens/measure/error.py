"""Error rate of a clustering with respect to known classes."""

from __future__ import annotations

from consens._blocks import Labels
from consens._labels import MISSING, compact, contingency


def error_rate(y: object, labels: Labels, matching: str = "one-to-one") -> float:
    """Share of objects whose cluster does not match their class.

    Parameters
    ----------
    y : label vector
        The classes.  Objects without a class (missing or noise) are left out.
    labels : label vector
        The clustering.  A noise object counts as an error; missing objects are left out.
    matching : {"one-to-one", "majority"}
        Which class a cluster represents.  "one-to-one": the best assignment with at most one
        cluster per class (Hungarian method); objects of unmatched clusters are errors.
        "majority": the most frequent class of the cluster, for partitions finer than the classes.

    Examples
    --------
    >>> from consens.measure import error_rate
    >>> error_rate(["a", "a", "b", "b"], [0, 1, 2, 2])
    0.25
    >>> error_rate(["a", "a", "b", "b"], [0, 1, 2, 2], matching="majority")
    0.0
    """
    from scipy.optimize import linear_sum_assignment

    y, labels = compact(y), compact(labels)
    if len(y) != len(labels):
        raise ValueError(
            f"got {len(y)} classes and {len(labels)} labels; expected one of each per object"
        )
    counted = (y >= 0) & (labels != MISSING)
    if not counted.any():
        raise ValueError("no object has both a class and a label")
    overlap = contingency(labels[counted], y[counted]).toarray()
    if matching == "one-to-one":
        right = overlap[linear_sum_assignment(overlap, maximize=True)].sum()
    elif matching == "majority":
        right = overlap.max(axis=1, initial=0).sum()
    else:
        raise ValueError(f"matching={matching!r}; allowed are 'one-to-one' and 'majority'")
    return float(1.0 - right / counted.sum())
