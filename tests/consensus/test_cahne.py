"""Normalised edges: hand-worked merges, a naive twin under the tie rule, both ends of merging."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consens import Ensemble
from consens._labels import abstain
from consens._support import memory
from consens.consensus import CAHNE
from consens.consensus.cahne import threshold_graph
from consens.evidence import coassociation


def naive(edge, n_clusters, exponent):
    """All pairs of groups at every step; the largest value, then the smallest pair."""
    groups = {i: [i] for i in range(len(edge))}
    merges = []
    while len(groups) > n_clusters:
        best = None
        for a, b in combinations(sorted(groups), 2):
            edges = edge[np.ix_(groups[a], groups[b])].sum()
            size_a, size_b = len(groups[a]), len(groups[b])
            power = np.array([size_a, size_b, size_a + size_b], dtype=float) ** exponent
            value = edges / (power[2] - (power[0] + power[1]))
            if edges and (best is None or value > best[0]):
                best = value, a, b
        if best is None:
            break
        value, a, b = best
        groups[a] = groups[a] + groups.pop(b)
        merges.append((a, b, value))
    return merges, sorted(sorted(group) for group in groups.values())


def clusters(labels):
    return sorted(np.flatnonzero(labels == c).tolist() for c in np.unique(labels))


# chain 0-1-2-3 (co-association 2/3 each, 1/3 two apart), and 4, 5 together always
LABELS = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [2, 2, 2], [2, 2, 2]])


def test_hand_worked_merges_with_exponent_2():
    # θ = 0: f = 1, NE = edges / (2 n_a n_b); a pair is an edge from the first partition on
    # edges 01 02 12 13 23 45.  All pairs have 1/2; (0, 1) is the smallest.  {0,1} and 2 have
    # two edges of two: 1/2, so {0,1,2}; with 3 two edges of three: 2 / (2*3*1); 4 and 5 1/2.
    model = CAHNE(2, threshold=0).fit(LABELS)
    np.testing.assert_allclose(
        model.merges_,
        [[0, 1, 1 / 2, 2], [2, 6, 1 / 2, 3], [4, 5, 1 / 2, 2], [3, 7, 1 / 3, 4]],
    )
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 0, 1, 1])
    assert model.n_edges_ == 6


def test_nine_of_thirty_is_not_more_than_a_threshold_of_three_tenths():
    labels = np.zeros((2, 30), dtype=int)
    labels[1] = 1
    labels[1, :9] = 0
    assert threshold_graph(Ensemble(labels), 0.3).nnz == 0
    labels[1, 9] = 0
    assert threshold_graph(Ensemble(labels), 0.3).nnz == 2


label_matrices = hnp.arrays(
    np.int32, st.tuples(st.integers(7, 14), st.integers(1, 6)), elements=st.integers(-2, 3)
).map(lambda labels: np.column_stack([np.arange(len(labels)) % 4, *labels.T]))


@settings(deadline=None, max_examples=80)  # the first call compiles
@given(
    labels=label_matrices.map(abstain).filter(lambda labels: (labels != -2).any(axis=0).all()),
    threshold=st.sampled_from([0, 0.1, 0.3, 0.5]),
    n_clusters=st.integers(1, 3),
)
def test_equals_the_naive_twin(labels, threshold, n_clusters):
    matrix = coassociation(labels)
    edge = matrix > threshold + 1e-9
    np.fill_diagonal(edge, False)
    np.testing.assert_array_equal(threshold_graph(labels, threshold).toarray(), edge)
    merges, groups = naive(edge, n_clusters, 1 + (1 - threshold) / (1 + threshold))
    stopped = CAHNE(n_clusters, threshold=threshold, complete=False).fit(labels)
    assert clusters(stopped.labels_) == groups
    np.testing.assert_array_equal(stopped.merges_[:, 2], [value for *_, value in merges])
    completed = CAHNE(n_clusters, threshold=threshold).fit(labels)
    assert completed.n_clusters_ == n_clusters
    np.testing.assert_array_equal(completed.merges_[: len(merges)], stopped.merges_)
    assert (completed.merges_[len(merges) :, 2] == 0).all()


def test_without_edges_between_them_groups_are_left_or_joined_by_mean_coassociation():
    # 0-1 and 2-3 agree always; 0 and 2 are together once in four, 4 is with nobody
    labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 2], [2, 2, 2, 3]])
    assert CAHNE(2, complete=False).fit(labels).n_clusters_ == 3
    model = CAHNE(2).fit(labels)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 0, 1])
    np.testing.assert_array_equal(model.merges_[-1], [5, 6, 0, 4])


def test_a_graph_that_cannot_fit_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1e4)
    with pytest.raises(MemoryError, match=r"the graph of 10000 pairs .* > 0.3 needs .* KiB"):
        CAHNE(1).fit(np.zeros((100, 2), dtype=int))


@pytest.mark.parametrize("threshold", [-0.1, 1.0, "0.3"])
def test_impossible_thresholds_are_named(threshold):
    with pytest.raises(ValueError, match="'threshold' parameter of CAHNE"):
        CAHNE(2, threshold=threshold).fit(LABELS)
