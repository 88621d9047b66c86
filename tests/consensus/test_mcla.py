"""MCLA by hand: meta-clusters, associations and the vote."""

import numpy as np
import pytest

from consens import MISSING
from consens._kernels import COMPILED_FROM
from consens._labels import offsets
from consens.consensus import MCLA

TRUTH = np.repeat([0, 1, 2], [16, 12, 10])


def ensemble(seed, n_members=8, flips=0.25):
    rng = np.random.default_rng(seed)
    labels = np.repeat(TRUTH[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return labels


def plain_association(labels, groups, k):
    """Share of a meta-cluster's clusters, of members that saw the object, that hold it."""
    starts = offsets(labels)
    result = np.zeros((len(labels), k))
    for i, row in enumerate(labels):
        for g in range(k):
            held = there = 0
            for m, label in enumerate(row):
                if label == MISSING:
                    continue
                clusters = groups[starts[m] : starts[m + 1]]
                there += (clusters == g).sum()
                held += label >= 0 and clusters[label] == g
            result[i, g] = held / there if there else 0.0
    return result


# The example of Strehl and Ghosh (2002, Table 1): seven objects, four clusterings, the last of
# which did not see objects 3 and 5; the first two are equal but for the names
EXAMPLE = np.array(
    [
        [1, 2, 1, 1],
        [1, 2, 1, 2],
        [1, 2, 2, MISSING],
        [2, 3, 2, 1],
        [2, 3, 3, MISSING],
        [3, 1, 3, 2],
        [3, 1, 3, MISSING],
    ]
)


def test_strehl_and_ghosh_example():
    model = MCLA(3, random_state=0).fit(EXAMPLE)
    # their meta-clusters {h3, h4, h9}, {h7, h6, h8, h10}, {h2, h5, h1, h11} name the groups
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("codes", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_objects_go_to_their_largest_association(seed, codes):
    labels = ensemble(seed)
    if codes:
        where = np.random.default_rng(seed).random(labels.shape)
        labels[where < 0.15] = MISSING
        labels[where > 0.9] = MISSING
    model = MCLA(3, random_state=0).fit(labels)
    association = plain_association(labels, model.meta_clusters_, 3)
    own = association[np.arange(len(labels)), model.labels_]
    np.testing.assert_allclose(own, association.max(axis=1))
    shares = association / association.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.memberships_, shares)


def test_equal_clusters_are_in_one_meta_cluster():
    labels = ensemble(1, n_members=2, flips=0.4)
    model = MCLA(3, random_state=0).fit(np.hstack([labels, labels]))
    first, second = np.split(model.meta_clusters_, 2)
    np.testing.assert_array_equal(first, second)


def test_meta_clusters_are_balanced():
    labels = np.column_stack([ensemble(s, n_members=1)[:, 0] for s in range(9)])
    sizes = np.bincount(MCLA(3, random_state=0).fit(labels).meta_clusters_)
    np.testing.assert_array_equal(sizes, [9, 9, 9])


def test_more_clusters_than_the_members_have():
    bits = np.array([[(i >> m) & 1 for m in range(3)] for i in range(8)])
    for k in range(1, 9):
        model = MCLA(k, random_state=0).fit(bits)
        assert model.n_clusters_ == k
        assert ((model.confidence_ >= 0) & (model.confidence_ <= 1)).all()


def test_compiled_and_plain_votes_agree(monkeypatch):
    labels = ensemble(2)
    plain = MCLA(3, random_state=0).fit(labels)
    monkeypatch.setitem(COMPILED_FROM, "objects", 0)
    compiled = MCLA(3, random_state=0).fit(labels)
    np.testing.assert_array_equal(compiled.labels_, plain.labels_)
    np.testing.assert_array_equal(compiled.confidence_, plain.confidence_)


def test_as_published_equal_clusters_are_vertices_of_their_own():
    """Four copies of one cluster: together they are too heavy for one of two balanced groups."""
    column = np.repeat([0, 1, 2], [6, 5, 5])
    labels = np.column_stack([column, column, column, np.repeat([0, 1], [6, 10])])
    merged = MCLA(2, imbalance=0.05, random_state=0).fit(labels).meta_clusters_
    apart = MCLA(2, imbalance=0.05, merge_equal=False, random_state=0).fit(labels).meta_clusters_
    copies = [0, 3, 6, 9]  # of objects 0 to 5
    assert len(set(merged[copies])) == 1
    assert abs(np.bincount(apart)[0] - 5.5) <= 1


def test_meta_clusters_have_equally_many_clusters_or_equally_many_objects():
    # one partition: a cluster of six objects and six of one; nothing joins them
    labels = np.array([0] * 6 + [1, 2, 3, 4, 5, 6])[:, None]
    by_clusters = MCLA(2, random_state=0).fit(labels)
    assert sorted(np.bincount(by_clusters.meta_clusters_)) == [3, 4]
    by_objects = MCLA(2, balance="objects", random_state=0).fit(labels)
    assert by_objects.labels_.tolist() == [0] * 6 + [1] * 6


def test_unrefined_metis_finds_clear_meta_clusters():
    truth = np.repeat([0, 1, 2], 8)
    labels = np.column_stack([truth, (truth + 1) % 3, truth[::-1], truth])
    labels[3, 0] = 2
    found = MCLA(3, imbalance=0.001, balance="objects", partitioner="pmetis", random_state=0)
    np.testing.assert_array_equal(found.fit_predict(labels), truth)
