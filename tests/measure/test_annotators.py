"""Agreement and reliability of annotators, against cases worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from consens import Ensemble
from consens.measure import annotator_agreement
from tests.measure._annotators import draw_annotators


def test_cohen_by_hand():
    # 3 of 6 agree; by chance 3/6 · 2/6 + 2/6 · 3/6 + 1/6 · 1/6 = 13/36
    first = ["a", "a", "a", "b", "b", "c"]
    second = ["a", "a", "b", "b", "c", "b"]
    found = annotator_agreement(pd.DataFrame({"x": first, "y": second}))
    observed, expected = 3 / 6, (3 * 2 + 2 * 3 + 1 * 1) / 36
    kappa = (observed - expected) / (1 - expected)
    assert found.cohen[0, 1] == found.cohen[1, 0] == pytest.approx(kappa)
    assert np.diag(found.cohen).tolist() == [1, 1]


def test_cohen_is_that_of_the_objects_that_both_label():
    _, frame, _ = draw_annotators(0, n=80)
    found = annotator_agreement(frame)
    for a, b in ((0, 1), (2, 4)):
        both = frame.iloc[:, [a, b]].dropna()
        expected = cohen_kappa_score(both.iloc[:, 0], both.iloc[:, 1])
        assert found.cohen[a, b] == pytest.approx(expected)


def test_fleiss_by_hand():
    # P = (1, 1/3, 1/3, 1) with mean 2/3; shares 6/12 and 6/12, so P_e = 1/2
    frame = pd.DataFrame({"x": list("aaab"), "y": list("aabb"), "z": list("abbb")})
    assert annotator_agreement(frame).fleiss == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))


def test_krippendorff_by_hand():
    # units with two labels or more: aa, ab, bb, bbb; the single label is not paired.
    # o_aa = 2, o_bb = 2 + 3, o_ab + o_ba = 2; n_a = 3, n_b = 6, n = 9
    frame = pd.DataFrame(
        {
            "x": ["a", "a", "b", "b", "a"],
            "y": ["a", "b", "b", "b", None],
            "z": [None, None, None, "b", None],
        }
    )
    observed = 2 / 9  # share of pairs that disagree
    expected = 2 * 3 * 6 / (9 * 8)
    assert annotator_agreement(frame).alpha == pytest.approx(1 - observed / expected)


def test_perfect_agreement_and_what_is_not_defined():
    same = annotator_agreement(pd.DataFrame({"x": [1, 2, 3, None], "y": [1, 2, 3, 1]}))
    assert (same.fleiss, same.alpha, same.reliability.tolist()) == (1, 1, [1, 1])
    assert same.names == ["1", "2", "3"]
    np.testing.assert_allclose(same.confusion, [np.eye(3)] * 2, atol=1e-12)
    apart = annotator_agreement(pd.DataFrame({"x": ["a", "b", None], "y": [None, None, "a"]}))
    assert np.isnan([apart.cohen[0, 1], apart.fleiss, apart.alpha]).all()
    one = annotator_agreement(pd.DataFrame({"x": ["a", "a"], "y": ["a", "a"]}))
    assert np.isnan([one.cohen[0, 1], one.fleiss, one.alpha]).all()
    assert one.to_dict()["alpha"] is None


def dawid_skene(codes, n_names, n_iter=100):
    """Plain twin: EM for confusion matrices from the shares of names."""
    n, n_annotators = codes.shape
    classes = np.zeros((n, n_names))
    for i, j in zip(*np.nonzero(codes >= 0), strict=True):
        classes[i, codes[i, j]] += 1
    classes /= classes.sum(axis=1, keepdims=True)
    for _ in range(n_iter):
        prior = classes.mean(axis=0)
        confusion = np.zeros((n_annotators, n_names, n_names))
        for i, j in zip(*np.nonzero(codes >= 0), strict=True):
            confusion[j, :, codes[i, j]] += classes[i]
        confusion /= np.maximum(confusion.sum(axis=2, keepdims=True), 1e-300)
        classes = np.tile(prior, (n, 1))
        for i, j in zip(*np.nonzero(codes >= 0), strict=True):
            classes[i] *= confusion[j, :, codes[i, j]]
        classes /= classes.sum(axis=1, keepdims=True)
    return classes, confusion


def test_reliability_is_that_of_dawid_and_skene():
    _, frame, right = draw_annotators(1, n=150)
    found = annotator_agreement(frame)
    codes = np.column_stack([pd.Categorical(frame[c], found.names).codes for c in frame])
    classes, confusion = dawid_skene(codes, len(found.names))
    np.testing.assert_allclose(found.confusion, confusion, atol=2e-3)
    for j in range(codes.shape[1]):
        seen = np.flatnonzero(codes[:, j] >= 0)
        expected = classes[seen, codes[seen, j]].mean()
        assert found.reliability[j] == pytest.approx(expected, abs=2e-3)
    np.testing.assert_allclose(found.reliability, right, atol=0.05)


def test_an_ensemble_needs_names():
    _, frame, _ = draw_annotators(2, n=60)
    by_frame, by_ensemble = map(annotator_agreement, (frame, Ensemble.from_labels(frame)))
    assert by_frame.to_dict() == by_ensemble.to_dict()
    with pytest.raises(ValueError, match="do not share names"):
        annotator_agreement(Ensemble.from_labels([[0, 0, 1, 1], [1, 1, 0, 0]]))
    with pytest.raises(ValueError, match="at least two annotators, got 1 columns"):
        annotator_agreement(pd.DataFrame({"x": ["a", "b"]}))
