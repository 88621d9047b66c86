"""Agreement, error and confidence: by hand, against scikit-learn, with noise and missing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from consens import Ensemble, measure
from consens import _blocks as blocks
from consens._labels import abstain
from consens.evidence import coassociation

vectors = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        hnp.arrays(np.int64, n, elements=st.integers(0, 4)),
        hnp.arrays(np.int64, n, elements=st.integers(0, 3)),
    )
)


class TestNMI:
    def test_four_forms_by_hand(self):
        # a: 2 + 2, b: 1 + 3 of four objects, b's single object inside a's first cluster
        a, b = [0, 0, 1, 1], [0, 1, 1, 1]
        h_a = math.log(2)
        h_b = 0.25 * math.log(4) + 0.75 * math.log(4 / 3)
        # joint cells 1, 1, 2 of 4
        mutual = (
            0.25 * math.log(0.25 / (0.5 * 0.25))
            + 0.25 * math.log(0.25 / (0.5 * 0.75))
            + 0.5 * math.log(0.5 / (0.5 * 0.75))
        )
        assert measure.nmi(a, b) == pytest.approx(mutual / math.sqrt(h_a * h_b), abs=1e-14)
        for average, h in {
            "arithmetic": (h_a + h_b) / 2,
            "max": max(h_a, h_b),
            "min": min(h_a, h_b),
        }.items():
            assert measure.nmi(a, b, average=average) == pytest.approx(mutual / h, abs=1e-14)

    @given(vectors, st.sampled_from(["geometric", "arithmetic", "max", "min"]))
    def test_equals_scikit_learn(self, pair, average):
        expected = normalized_mutual_info_score(*pair, average_method=average)
        assert measure.nmi(*pair, average=average) == pytest.approx(expected, abs=1e-9)

    @given(vectors)
    def test_noise_objects_are_clusters_of_their_own(self, pair):
        a, b = pair
        single = np.where(a == 0, 100 + np.arange(len(a)), a)
        noisy = np.where(a == 0, -1, a)
        expected = normalized_mutual_info_score(single, b, average_method="geometric")
        assert measure.nmi(noisy, b) == pytest.approx(expected, abs=1e-9)
        assert measure.ari(noisy, b) == pytest.approx(adjusted_rand_score(single, b), abs=1e-9)

    def test_missing_objects_are_left_out(self):
        assert measure.nmi([0, 0, 1, 1, None], [3, 3, 4, 4, 4]) == 1.0
        assert measure.ari([0, 0, 1, 1, None], [3, 3, 4, 4, 4]) == 1.0

    def test_trivial_partitions(self):
        assert measure.nmi([0, 0, 0], [1, 1, 1]) == 1.0
        assert measure.nmi([0, 0, 0], [0, 1, 1]) == 0.0
        assert measure.nmi([0, 0, 0], [0, 1, 1], average="min") == 0.0

    def test_pairs_come_out_as_one_by_one(self):
        labels = np.random.default_rng(3).integers(-2, 4, (40, 6))
        labels[0] = 0
        table = measure.pairwise_nmi(labels)
        for p in range(6):
            for q in range(6):
                assert table[p, q] == pytest.approx(measure.nmi(labels[:, p], labels[:, q]))
        np.testing.assert_allclose(np.diag(table), 1.0)

    def test_anmi_is_the_mean_over_the_members(self):
        labels = np.random.default_rng(4).integers(0, 3, (30, 4))
        own = labels[:, 0]
        expected = np.mean([measure.nmi(own, member) for member in labels.T])
        assert measure.anmi(own, labels) == pytest.approx(expected)

    def test_bad_input(self):
        with pytest.raises(ValueError, match="average='mean'; allowed are 'geometric'"):
            measure.nmi([0, 1], [0, 1], average="mean")
        with pytest.raises(ValueError, match="partitions of 2 and 3 objects"):
            measure.nmi([0, 1], [0, 1, 1])
        with pytest.raises(ValueError, match="no labelled object in common"):
            measure.nmi([0, None], [None, 1])


@given(vectors)
def test_ari_equals_scikit_learn(pair):
    assert measure.ari(*pair) == pytest.approx(adjusted_rand_score(*pair), abs=1e-12)


class TestErrorRate:
    def test_one_to_one_by_hand(self):
        # clusters 0 (a a b), 1 (b b), 2 (a): best is 0-a, 1-b, cluster 2 is left over
        y, labels = list("aabbba"), [0, 0, 0, 1, 1, 2]
        assert measure.error_rate(y, labels) == pytest.approx(2 / 6)

    def test_majority_by_hand(self):
        y, labels = list("aabbba"), [0, 0, 0, 1, 1, 2]
        assert measure.error_rate(y, labels, matching="majority") == pytest.approx(1 / 6)

    def test_majority_of_singletons_is_right_and_one_to_one_is_not(self):
        y = [0, 0, 1, 1]
        assert measure.error_rate(y, [0, 1, 2, 3], matching="majority") == 0
        assert measure.error_rate(y, [0, 1, 2, 3]) == 0.5

    def test_noise_is_an_error_and_missing_does_not_count(self):
        assert measure.error_rate([0, 0, 1, 1], [0, 0, 1, -1]) == 0.25
        assert measure.error_rate([0, 0, 1, 1], [0, 0, 1, -1], matching="majority") == 0.25
        assert measure.error_rate([0, 0, 1, None], [0, 0, 1, 1]) == 0
        assert measure.error_rate([0, 0, 1, 1], [0, 0, 1, None]) == 0

    def test_all_noise_is_all_wrong(self):
        assert measure.error_rate([0, 1], [-1, -1]) == 1

    def test_bad_input(self):
        with pytest.raises(ValueError, match="matching='hungarian'; allowed are"):
            measure.error_rate([0, 1], [0, 1], matching="hungarian")
        with pytest.raises(ValueError, match="2 classes and 3 labels"):
            measure.error_rate([0, 1], [0, 1, 1])


def pairs_seen(members):
    """Members that put both objects in a cluster: noise is an abstention."""
    inside = (members >= 0).astype(float)
    return inside @ inside.T


class TestConfidence:
    members = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    labels = np.array([0, 0, 0, 1, 1])

    def test_by_hand(self):
        # object 2: with 0 and 1 in one of two members: a = 1/2; with 3 and 4 likewise: b = 1/2
        # object 3: always with 4: a = 1; with 2 in one of six pairs of members: b = 1/6
        expected = [1, 1, 0.5, 6 / 7, 6 / 7]
        np.testing.assert_allclose(measure.object_confidence(self.members, self.labels), expected)
        np.testing.assert_allclose(
            measure.cluster_confidence(self.members, self.labels), [2.5 / 3, 6 / 7]
        )

    def test_equals_the_co_association_matrix(self):
        rng = np.random.default_rng(5)
        members, labels = rng.integers(-1, 4, (30, 6)), rng.integers(0, 3, 30)
        labels[:3] = [0, 1, 2]
        matrix, seen = coassociation(Ensemble(abstain(members))), pairs_seen(members)
        for i, confidence in enumerate(measure.object_confidence(Ensemble(members), labels)):
            others = [(labels == k) & (np.arange(30) != i) for k in range(3)]
            means = [np.average(matrix[i, own], weights=seen[i, own]) for own in others]
            own = means.pop(labels[i])
            expected = own / (own + max(means)) if own + max(means) else 0.0
            assert confidence == pytest.approx(expected)

    def test_does_not_depend_on_blocks(self, monkeypatch):
        members = np.random.default_rng(6).integers(-2, 4, (50, 6))
        members[:, 0] = 0
        labels = members[:, 1].clip(-1)
        whole = measure.object_confidence(Ensemble(members), labels)
        monkeypatch.setattr(blocks, "BLOCK_BYTES", 1000)
        np.testing.assert_array_equal(measure.object_confidence(Ensemble(members), labels), whole)

    def test_alone_one_cluster_and_noise(self):
        members = np.array([[0, 0], [0, 0], [1, 1]])
        np.testing.assert_array_equal(measure.object_confidence(members, [0, 0, 1]), [1, 1, 1])
        np.testing.assert_array_equal(measure.object_confidence(members, [0, 0, 0]), [0.5, 0.5, 0])
        np.testing.assert_array_equal(measure.object_confidence(members, [0, 0, -1]), [1, 1, 0])

    def test_lengths_must_agree(self):
        with pytest.raises(ValueError, match="3 labels for an ensemble of 5 objects"):
            measure.object_confidence(self.members, [0, 1, 1])

    def test_association_by_hand(self):
        # object 3 is with 4 in both members, with 2 in one of six
        np.testing.assert_allclose(
            measure.object_association(self.members, self.labels, [2, 3]), [[0.5, 0.5], [1 / 6, 1]]
        )

    def test_association_equals_the_co_association_matrix(self):
        rng = np.random.default_rng(5)
        members, labels = rng.integers(-1, 4, (30, 6)), rng.integers(-1, 3, 30)
        labels[:4] = [0, 1, 2, -1]
        matrix, seen = coassociation(Ensemble(abstain(members))), pairs_seen(members)
        for i, row in enumerate(measure.object_association(Ensemble(members), labels)):
            others = [(labels == k) & (np.arange(30) != i) for k in range(3)]
            means = [np.average(matrix[i, own], weights=seen[i, own]) for own in others]
            np.testing.assert_allclose(row, means)

    def test_association_of_an_object_alone(self):
        members = np.array([[0, 0], [0, 0], [1, 0]])
        np.testing.assert_allclose(
            measure.object_association(members, [0, 0, 1]), [[1, 0.5], [1, 0.5], [0.5, 1]]
        )


@pytest.mark.parametrize("theta", ["a", None, 0, -1])
def test_theta_must_be_positive(theta):
    with pytest.raises(ValueError, match="expected a number > 0"):
        measure.cluster_reliability([[0, 0, 1], [0, 1, 1]], theta)
