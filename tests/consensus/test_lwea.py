"""Locally weighted evidence accumulation: heights against the weighted matrix."""

import numpy as np
import pytest

from consens._labels import abstain, check_labels
from consens.consensus import EAC, LWEA
from consens.measure import cluster_reliability


def random_labels(seed, lowest, n=20):
    rng = np.random.default_rng(seed)
    labels = rng.integers(lowest, 4, (n, 6))
    labels[:, 0] = rng.integers(0, 3, n)
    return abstain(check_labels(labels))


def plain_similarity(labels, reliability):
    """Mean over the members that saw both of the reliability of the cluster they share."""
    n, n_members = labels.shape
    starts = np.concatenate([[0], np.cumsum(labels.max(axis=0) + 1)])
    result = np.ones((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                seen = [m for m in range(n_members) if labels[i, m] != -2 and labels[j, m] != -2]
                votes = [
                    reliability[starts[m] + labels[i, m]]
                    for m in seen
                    if labels[i, m] == labels[j, m] >= 0
                ]
                result[i, j] = sum(votes) / len(seen)
    return result


@pytest.mark.parametrize("lowest", [0, -2])
def test_every_merge_is_the_best_available_pair(lowest):
    labels = random_labels(0, lowest)
    lwea = LWEA(2, theta=0.5).fit(labels)
    similarity = plain_similarity(labels, cluster_reliability(labels, 0.5))
    groups = {i: [i] for i in range(len(labels))}
    for step, (a, b, height, _) in enumerate(lwea.linkage_):
        means = {
            (p, q): similarity[np.ix_(groups[p], groups[q])].mean()
            for p in groups
            for q in groups
            if p < q
        }
        assert means[min(a, b), max(a, b)] == pytest.approx(1 - height, abs=1e-12)
        assert 1 - height == pytest.approx(max(means.values()), abs=1e-12)
        groups[len(labels) + step] = groups.pop(int(a)) + groups.pop(int(b))


def test_equal_weights_are_evidence_accumulation():
    labels = random_labels(1, 0)
    lwea = LWEA(3, theta=float("inf")).fit(labels)
    np.testing.assert_allclose(lwea.linkage_[:, 2], EAC(3).fit(labels).linkage_[:, 2], atol=1e-12)


def test_one_object_beside_noise():
    lwea = LWEA(1).fit(np.array([[0, 0], [-1, -1], [-1, -2]]))
    np.testing.assert_array_equal(lwea.labels_, [0, -1, -1])
