"""Prototypes by shared nearest neighbours: link strength, core points, and who follows them."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs

from consens.consensus import EAC
from consens.generate import KMeansEnsemble, PrototypeEnsemble
from consens.generate.prototypes import link_strength


def plain_link_strength(points, q, mutual=True):
    """The definition: lists, shared neighbours, positions."""
    lists = []
    for i, point in enumerate(points):
        distance = ((points - point) ** 2).sum(axis=1)
        lists.append([j for j in np.argsort(distance, kind="stable").tolist() if j != i][:q])
    strength = np.zeros(len(points))
    for i, own in enumerate(lists):
        for j in own:
            if i in lists[j] or not mutual:
                strength[i] += sum(
                    (q - own.index(shared)) * (q - lists[j].index(shared))
                    for shared in set(own) & set(lists[j])
                )
    return strength


@pytest.mark.parametrize("mutual", [True, False])
@pytest.mark.parametrize("q", [1, 3, 20])
def test_link_strength_equals_its_definition(q, mutual):
    points = np.random.default_rng(q).normal(size=(60, 3))
    expected = plain_link_strength(points, q, mutual)
    np.testing.assert_array_equal(link_strength(points, q, mutual), expected)


def test_links_that_need_not_be_mutual_make_other_core_points(blobs):
    generator = PrototypeEnsemble(n_prototypes=80, n_neighbors=5, alpha=0.5, random_state=0)
    mutual = generator.fit(blobs[0]).core_
    assert (generator.set_params(mutual=False).fit(blobs[0]).core_ != mutual).any()


def test_hand_worked_link_strength():
    # lists of 2: 0 -> 1 2; 1 -> 0 2; 2 -> 1 0; 3 -> 2 1, which nobody returns.
    # 0-1 share 2 in places 2, 2: 1; 0-2 share 1 in 1, 1: 4; 1-2 share 0 in 1, 2: 2
    points = np.array([[0.0], [1.0], [2.1], [9.0]])
    np.testing.assert_array_equal(link_strength(points, 2), [1 + 4, 1 + 2, 4 + 2, 0])


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(300, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)


def test_core_points_are_those_above_the_printed_bound(blobs):
    generator = PrototypeEnsemble(n_prototypes=80, n_neighbors=10, alpha=0.5, random_state=0)
    generator.fit(blobs[0])
    strength = plain_link_strength(generator.prototypes_, 10)
    expected = strength >= strength.mean() - 0.5 * strength.std()
    np.testing.assert_array_equal(generator.core_, expected)
    assert 0 < generator.core_.sum() < len(generator.core_)
    np.testing.assert_array_equal(generator.core_points_, generator.prototypes_[expected])
    assert generator.core_ensemble_.shape == (expected.sum(), 50)


def test_objects_have_the_labels_of_their_nearest_core_point(blobs):
    X = blobs[0]
    generator = PrototypeEnsemble(n_prototypes=60, random_state=0)
    labels = generator.fit_transform(X).labels
    distance = ((X[:, None] - generator.core_points_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(labels, generator.core_ensemble_.labels[distance.argmin(axis=1)])
    np.testing.assert_array_equal(generator.transform(X[:7]).labels, labels[:7])


def test_single_link_of_the_objects_is_that_of_the_core_points(blobs):
    X = blobs[0]
    members = KMeansEnsemble(20, n_clusters=(5, 15))
    generator = PrototypeEnsemble(members, n_prototypes=60, alpha=0.8, random_state=0)
    objects = EAC(3, linkage="single").fit(generator.fit_transform(X)).linkage_
    cores = EAC(3, linkage="single").fit(generator.core_ensemble_).linkage_
    followed = len(np.unique(generator.nearest_core(X)))
    assert followed == len(cores) + 1
    # objects that follow one core point are joined at 0; ties depend on the order of objects
    np.testing.assert_array_equal(objects[: len(X) - followed, 2], 0)
    np.testing.assert_array_equal(objects[len(X) - followed :, 2], cores[:, 2])


def test_with_as_many_prototypes_as_objects_they_are_the_objects(blobs):
    X = blobs[0][:40]
    for number in (40, 100, None):
        generator = PrototypeEnsemble(n_prototypes=number, random_state=0).fit(X)
        np.testing.assert_array_equal(generator.prototypes_, X)


def test_same_seed_same_labels_and_sparse_as_dense(blobs):
    X = blobs[0]
    first = PrototypeEnsemble(n_prototypes=50, random_state=3).fit_transform(X).labels
    again = PrototypeEnsemble(n_prototypes=50, random_state=3).fit_transform(X).labels
    other = PrototypeEnsemble(n_prototypes=50, random_state=4).fit_transform(X).labels
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    sparse = PrototypeEnsemble(n_prototypes=50, random_state=3).fit_transform(csr_array(X))
    assert sparse.shape == first.shape


def test_row_names_are_kept(blobs):
    X = pd.DataFrame(blobs[0], index=[f"row {i}" for i in range(300)], columns=["x", "y"])
    ensemble = PrototypeEnsemble(n_prototypes=50, random_state=0).fit_transform(X)
    assert ensemble.obs[5] == "row 5"


def test_an_alpha_that_leaves_nothing_is_named(blobs):
    with pytest.raises(ValueError, match=r"alpha=-10 leaves 0 of 50 prototypes; increase alpha"):
        PrototypeEnsemble(n_prototypes=50, alpha=-10, random_state=0).fit(blobs[0])
