"""Probability trajectories: merges against the definition."""

import numpy as np
import pytest

from consens.consensus import PTA
from consens.evidence.trajectories import probability_trajectories
from tests.consensus._plain import check_merges, noisy_labels, plain_trajectories

JOINS = {"average": np.mean, "single": np.max, "complete": np.min}


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize(("K", "T"), [(3, 3), (2, 5), (8, 1)])
def test_similarity_equals_the_plain_twin(K, T, lowest):
    labels = noisy_labels(0, lowest, n=40, n_members=5)
    found, similarity = probability_trajectories(labels, K, T)
    rows, inverse, PTS = plain_trajectories(labels, K, T)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_array_equal(found.inverse, inverse)
    np.testing.assert_allclose(similarity, PTS, atol=1e-12)


def test_default_numbers_of_neighbours_and_steps():
    labels = noisy_labels(1, n=200)
    u = len(np.unique(labels, axis=0))
    K = int(np.sqrt(u) / 2)
    assert K > 2
    _, expected = probability_trajectories(labels, K, K)
    np.testing.assert_array_equal(probability_trajectories(labels)[1], expected)


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("linkage", JOINS)
def test_every_merge_of_microclusters_is_the_best_available_pair(linkage, lowest):
    labels = noisy_labels(2, lowest, n=30, n_members=5)
    pta = PTA(3, linkage=linkage, n_neighbors=4, n_steps=4).fit(labels)
    rows, inverse, PTS = plain_trajectories(labels, 4, 4)
    equal = len(labels) - len(rows)
    np.testing.assert_allclose(pta.linkage_[:equal, 2], 0, atol=1e-12)
    tree = pta.linkage_[equal:]
    # renumber: the group of each microcluster is the node that its objects made
    nodes = {i: {i} for i in range(len(labels))}
    for step, (a, b, *_) in enumerate(pta.linkage_):
        nodes[len(labels) + step] = nodes[int(a)] | nodes[int(b)]
    groups = {row: np.flatnonzero(inverse == row) for row in range(len(rows))}
    number = {frozenset(own.tolist()): row for row, own in groups.items()}
    merges = []
    for step, (a, b, height, size) in enumerate(tree):
        ends = [number[frozenset(nodes[int(node)])] for node in (a, b)]
        number[frozenset(nodes[int(a)] | nodes[int(b)])] = len(rows) + step
        merges.append((*sorted(ends), height, size))
    check_merges(merges, PTS, JOINS[linkage])


def test_microclusters_count_once():
    """Copies of an object change where walks go, but not the weight of its similarity."""
    labels = noisy_labels(3, n=30)
    found, PTS = probability_trajectories(labels, 5, 3)
    tree = PTA(3, n_neighbors=5, n_steps=3).fit(labels).linkage_
    assert found.counts.max() > 1
    # the last merge is the mean over pairs of microclusters
    k2 = PTA(2, n_neighbors=5, n_steps=3).fit_predict(labels)
    first = np.unique(found.inverse, return_index=True)[1]
    parts = k2[first]
    mean = PTS[np.ix_(parts == 0, parts == 1)].mean()
    np.testing.assert_allclose(tree[-1, 2], 1 - mean)


@pytest.mark.parametrize("given", [{"n_neighbors": 0}, {"n_steps": 1.5}])
def test_bad_parameters(given):
    with pytest.raises(ValueError, match=f"'{next(iter(given))}' parameter of PTA"):
        PTA(2, **given).fit([[0, 0], [0, 1], [1, 1]])
