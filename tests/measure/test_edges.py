"""What measures and evidence are not made for ends in an error that says so."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consens import Ensemble, evidence, measure
from consens._blocks import Rows
from consens.consensus import EAC
from consens.evidence.neighbors import neighbor_pairs
from consens.select import SelectRandom

LABELS = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
X = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 6.0], [6.0, 5.0]])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: measure.contrast(X[:, 0], [0, 0, 1, 1]), "matrix of real numbers"),
        (lambda: measure.contrast(X * 1j, [0, 0, 1, 1]), "matrix of real numbers"),
        (lambda: measure.contrast(X * np.nan, [0, 0, 1, 1]), "finite"),
        (lambda: measure.contrast(X, [-1, -1, -1, -1]), "no object is in a cluster"),
        (lambda: measure.cluster_reliability(LABELS, theta=0), "theta=0; expected a number > 0"),
        (lambda: measure.cluster_reliability(LABELS, theta=-1), "theta=-1"),
        (lambda: measure.object_association(LABELS, [0, 0, 1, 1], [4]), "0 to 3"),
        (lambda: measure.object_association(LABELS, [0, 0, 1, 1], [0.5]), "object numbers"),
        (lambda: measure.consensus_cdf(LABELS, max_objects=0), "max_objects=0"),
        (lambda: measure.cdf_table({}), "ensembles is empty"),
        (lambda: measure.stability(LABELS, EAC(), [0], n_resamples=2), "n_clusters=0"),
        (lambda: neighbor_pairs(0, 4, X), "neighbors=0"),
        (lambda: Ensemble(np.array([[0.5], [np.nan]])), "labels must be integers"),
        (lambda: Ensemble(-np.inf), "labels must be integers"),
    ],
)
def test_refusals_name_what_is_wrong(call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call()


def test_noise_alone_has_no_confidence():
    np.testing.assert_array_equal(measure.object_confidence(LABELS, [-1] * 4), np.zeros(4))


def test_a_tiny_theta_leaves_only_clusters_that_nobody_splits():
    reliable = measure.cluster_reliability([[0, 0, 1, 1], [0, 1, 2, 2]], theta=5e-324)
    np.testing.assert_array_equal(reliable, [0, 1, 1, 1, 1])


def test_a_tiny_share_is_one_member():
    assert SelectRandom(5e-324, random_state=0).fit(LABELS).n_selected_ == 1


def test_nothing_is_known_before_a_fit():
    with pytest.raises((ValueError, AttributeError), match="EAC"):
        EAC().confidence_  # noqa: B018


def test_small_integers_count_like_others():
    many = np.repeat(LABELS, 50, axis=0)
    expected = EAC(3, linkage="single").fit_predict(many)
    np.testing.assert_array_equal(EAC(np.int8(3), linkage="single").fit_predict(many), expected)


def test_sparse_features_are_contrasted_like_dense_ones():
    labels = [0, -1, 1, 1]
    dense, sparse = measure.contrast(X, labels), measure.contrast(csr_array(X), labels)
    np.testing.assert_allclose(sparse.differences, dense.differences)


def test_labels_in_blocks_are_read_as_a_whole():
    blocks = Rows.from_array(LABELS.astype(np.int32), [1, 3])
    np.testing.assert_array_equal(evidence.coassociation(blocks), evidence.coassociation(LABELS))
