"""Co-association by hand, and against a plain twin."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consens import _blocks as blocks
from consens._labels import compact
from consens._support import memory
from consens.evidence import coassociation


def plain_coassociation(labels, weights=None):
    n, n_members = labels.shape
    weights = [1] * n_members if weights is None else weights
    result = np.eye(n)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            seen = together = Fraction(0)
            for m in range(n_members):
                if labels[i, m] == -2 or labels[j, m] == -2:
                    continue
                seen += Fraction(weights[m])
                if labels[i, m] == labels[j, m] >= 0:
                    together += Fraction(weights[m])
            result[i, j] = together / seen if seen else 0
    return result


def test_hand_worked_case_with_noise_and_missing_labels():
    labels = np.array(
        [
            [0, 0, 0],
            [0, 0, 1],
            [0, -1, -2],
            [1, -1, 1],
        ]
    )
    # objects 0, 1: together in 2 of 3.  0, 2: in 1 of the 2 that saw 2.  1, 3: in the third.
    # 2, 3: both noise in the second is seen, not together; the third did not see 2: 0 of 2.
    expected = np.array(
        [
            [1, 2 / 3, 1 / 2, 0],
            [2 / 3, 1, 1 / 2, 1 / 3],
            [1 / 2, 1 / 2, 1, 0],
            [0, 1 / 3, 0, 1],
        ]
    )
    np.testing.assert_allclose(coassociation(labels), expected, rtol=0, atol=1e-15)


def test_a_pair_that_nobody_saw_has_no_evidence():
    labels = np.array([[0, -2], [-2, 0], [0, 0]])
    assert coassociation(labels)[0, 1] == 0


label_matrices = hnp.arrays(
    np.int32, st.tuples(st.integers(2, 9), st.integers(1, 5)), elements=st.integers(-2, 3)
).filter(lambda a: (a != -2).any(axis=1).all() and (a != -2).any(axis=0).all())


@given(label_matrices, st.booleans())
def test_equals_the_plain_twin(labels, weighted):
    labels = np.column_stack([compact(c) for c in labels.T])
    weights = np.arange(1, labels.shape[1] + 1) if weighted else None
    expected = plain_coassociation(labels, None if weights is None else weights.tolist())
    if len(labels) < labels.shape[1]:
        labels = labels.astype(np.int32)
    from consens import Ensemble

    np.testing.assert_allclose(coassociation(Ensemble(labels), weights), expected, atol=1e-14)


def test_weights_per_cluster_weigh_the_sum_only():
    labels = np.array([[0, 0], [0, 0], [1, 0]])
    weights = [0.5, 0.0, 0.25]  # clusters 0 and 1 of the first member, 0 of the second
    matrix = coassociation(labels, weights)
    assert matrix[0, 1] == (0.5 + 0.25) / 2
    assert matrix[0, 2] == 0.25 / 2


def test_small_blocks_give_the_same_matrix(monkeypatch):
    labels = np.random.default_rng(0).integers(-2, 3, (40, 5))
    labels[:, 0] = 0
    whole = coassociation(labels)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 5000)
    np.testing.assert_array_equal(coassociation(labels), whole)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2, 3, 4, 5], r"weights has shape \(5,\); expected one per partition \(2,\)"),
        ([1, -1], "weights must be finite and >= 0"),
        ([0, 0], "weights are all 0"),
    ],
)
def test_wrong_weights_are_named(weights, message):
    with pytest.raises(ValueError, match=message):
        coassociation(np.array([[0, 0], [0, 1]]), weights)


def test_a_matrix_that_cannot_fit_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1e6)
    with pytest.raises(MemoryError, match=r"the 1000 x 1000 co-association matrix needs 7.6 MiB"):
        coassociation(np.zeros((1000, 2), dtype=int))
