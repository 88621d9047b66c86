"""Trees by shared clusters: every merge against brute force, with exact numbers and ties."""

import importlib
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.cluster import hierarchy

from consens._kernels import COMPILED_FROM
from consens._labels import compact, label_weights, offsets
from consens._support import memory
from consens.consensus._label_linkage import label_linkage
from consens.partition import linkage

module = importlib.import_module("consens.consensus._label_linkage")

METHODS = ["average", "single", "complete"]

label_matrices = hnp.arrays(
    np.int32, st.tuples(st.integers(2, 12), st.integers(1, 5)), elements=st.integers(-2, 3)
).map(lambda labels: np.column_stack([compact(c) for c in labels.T]))

anyway = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50
)


@pytest.fixture(params=["plain", "compiled"])
def path(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setitem(COMPILED_FROM, "rows", 0)
    return request.param


def exact_similarities(labels, weights=None):
    """Sum of the weights of shared clusters over M, as fractions."""
    n, n_members = labels.shape
    starts = offsets(labels)

    def weight(m, label):
        return Fraction(1 if weights is None else float(weights[starts[m] + label]))

    return [
        [
            sum(
                (weight(m, a) for m, (a, b) in enumerate(zip(*rows, strict=True)) if a == b >= 0),
                Fraction(0),
            )
            / n_members
            for rows in ((labels[i].tolist(), labels[j].tolist()) for j in range(n))
        ]
        for i in range(n)
    ]


def naive_tree(similarity, alike, method):
    """Best pair by best pair, under the tie rule, in fractions: the definition itself."""
    n = len(similarity)
    groups = {i: [i] for i in range(n)}  # by first object
    nodes = {i: i for i in range(n)}
    merges = []
    for step in range(n - 1):
        candidates = []
        for a, b in combinations(sorted(groups), 2):
            pairs = [(min(i, j), max(i, j)) for i in groups[a] for j in groups[b]]
            values = [similarity[i][j] for i, j in pairs]
            unequal = not all(alike[i][j] for i, j in pairs)
            if method == "single":
                best = max(values)
                tie = min(
                    (not alike[i][j], i, j)
                    for (i, j), v in zip(pairs, values, strict=True)
                    if v == best
                )
            else:
                best = sum(values) / len(values) if method == "average" else min(values)
                tie = (unequal, a, b)
            candidates.append((-best, *tie, a, b))
        minus, *_, a, b = min(candidates)
        groups[a] += groups.pop(b)
        merges.append((*sorted((nodes[a], nodes.pop(b))), float(1 + minus), len(groups[a])))
        nodes[a] = n + step
    return np.array(merges)


@pytest.mark.parametrize("method", METHODS)
@anyway
@given(labels=label_matrices)
def test_every_merge_is_the_best_pair_under_the_tie_rule(path, method, labels):
    rows = np.maximum(labels, -1)
    alike = (rows[:, None] == rows).all(axis=2)
    expected = naive_tree(exact_similarities(labels), alike, method)
    tree = label_linkage(labels, method)
    np.testing.assert_array_equal(tree[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(tree[:, 2], expected[:, 2], rtol=0, atol=4e-16)


@pytest.mark.parametrize("method", METHODS)
@anyway
@given(labels=label_matrices, data=st.data())
def test_weighted_merges_are_best_pairs_too(path, method, labels, data):
    # multiples of 1/8 are exact in floating point, so that ties stay ties
    eighths = st.integers(0, 8).map(lambda k: k / 8)
    weights = data.draw(hnp.arrays(np.float64, int(offsets(labels)[-1]), elements=eighths))
    counted = np.where(label_weights(labels, offsets(labels), weights) > 0, labels, -1)
    alike = (counted[:, None] == counted).all(axis=2)
    expected = naive_tree(exact_similarities(labels, weights), alike, method)
    tree = label_linkage(labels, method, weights=weights)
    np.testing.assert_array_equal(tree[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(tree[:, 2], expected[:, 2], rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_normalized_similarities_have_the_tree_of_their_matrix(path, method, seed, weighted):
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1, 4, (40, 6))
    labels[rng.integers(0, 40, 15)] = labels[rng.integers(0, 40, 15)]
    weights = rng.random(offsets(labels)[-1]) if weighted else None
    matrix = np.array(exact_similarities(labels, weights), dtype=float)
    scale = np.sqrt(np.where(matrix.diagonal() > 0, matrix.diagonal(), 1))
    expected = linkage(matrix / scale[:, None] / scale, method)
    tree = label_linkage(labels, method, weights=weights, normalize=True)
    np.testing.assert_allclose(tree[:, 2], expected[:, 2], atol=1e-12)
    if weighted:  # no ties
        np.testing.assert_array_equal(tree[:, [0, 1, 3]], expected[:, [0, 1, 3]])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_compiled_and_plain_paths_give_one_tree(monkeypatch, method, weighted, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(400, 2))
    columns = []
    for k in (2, 3, 5, 8, 13, 21, 34, 300):  # one member has more labels than a byte
        centers = points[rng.choice(400, k, replace=False)]
        columns.append(((points[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1))
    labels = np.column_stack([compact(c) for c in columns])
    labels[rng.random(labels.shape) < 0.05] = -1
    weights = rng.choice([0.1, 0.3, 0.7], offsets(labels)[-1]) if weighted else None
    plain = label_linkage(labels, method, weights=weights)
    monkeypatch.setitem(COMPILED_FROM, "rows", 0)
    compiled = label_linkage(labels, method, weights=weights)
    np.testing.assert_array_equal(compiled[:, [0, 1, 3]], plain[:, [0, 1, 3]])
    np.testing.assert_allclose(compiled[:, 2], plain[:, 2], rtol=0, atol=1e-12)


def test_single_link_heights_are_scipys(path):
    labels = np.random.default_rng(0).integers(0, 5, (120, 9))
    shared = (labels[:, None] == labels).sum(axis=2)
    distance = 1 - shared[np.triu_indices(120, k=1)] / 9
    expected = hierarchy.linkage(distance, "single")[:, 2]
    np.testing.assert_allclose(label_linkage(labels, "single")[:, 2], expected, atol=1e-15)


def test_groups_that_share_nothing_are_joined_at_one_by_their_first_objects(path):
    labels = np.array([[0], [1], [2], [0], [1]])
    tree = label_linkage(labels)
    np.testing.assert_array_equal(tree, [[0, 3, 0, 2], [1, 4, 0, 2], [5, 6, 1, 4], [2, 7, 1, 5]])


def test_a_complete_tree_that_cannot_fit_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1e5)
    labels = np.arange(400)[:, None]
    with pytest.raises(MemoryError, match="complete link of 400 distinct label rows needs .* KiB"):
        label_linkage(labels, "complete")
    assert len(label_linkage(labels, "single")) == 399


def test_weights_of_another_number_of_clusters_are_named():
    with pytest.raises(
        ValueError, match=r"one weight per cluster \(3,\), got int64 of shape \(2,\)"
    ):
        label_linkage(np.array([[0], [1], [2]]), weights=[1, 2])
