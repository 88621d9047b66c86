"""The Joint Criterion with sums, beside the means of the library."""

import numpy as np

from consens import Ensemble
from consens.measure import nmi
from studies.paper3 import JointSums


def test_members_are_added_by_the_sums_of_the_criterion():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 10)
    labels = np.where(rng.random((30, 8)) < 0.4, rng.integers(0, 3, (30, 8)), truth[:, None])

    def criterion(members):
        quality = sum(nmi(labels[:, i], labels[:, j]) for i in members for j in range(8))
        pairs = [(i, j) for i in members for j in members if i < j]
        return 0.5 * quality + 0.5 * sum(1 - nmi(labels[:, i], labels[:, j]) for i, j in pairs)

    chosen = []
    while len(chosen) < 4:
        rest = [i for i in range(8) if i not in chosen]
        chosen.append(max(rest, key=lambda i: criterion([*chosen, i])))
    kept = JointSums(4).fit_transform(Ensemble(labels))
    np.testing.assert_array_equal(kept.labels, Ensemble(labels).labels[:, sorted(chosen)])
