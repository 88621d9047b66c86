"""The Joint Criterion with sums, beside the means of the library."""

import numpy as np
import pytest

from consens import Ensemble
from consens.measure import nmi
from studies import paper3
from studies._store import Store
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


@pytest.mark.parametrize(
    ("method", "gap", "said"),
    [
        (
            paper3.BEST_FIRST,
            0.1,
            "with the best member, mean NMI of sizes 30 to 150: WINE 0.600 (the pair: 0.500)",
        ),
        (paper3.CAREFUL, 0.0, "5 of 5 cells inside by “means”; 0 in the study (WINE)"),
    ],
)
def test_effects_of_other_beginnings(method, gap, said):
    store = Store(None, "paper3")
    printed = paper3.PUBLISHED["WINE"]["Cluster and Select"][0]
    for size, p in zip(paper3.SIZES, printed, strict=True):
        for run in range(2):
            for how, value in (
                ("Diversity", 0.5),
                (paper3.BEST_FIRST, 0.5 + gap),
                ("Cluster and Select", p - 0.5),
                (paper3.CAREFUL, p),
            ):
                figure = paper3.Figure("S", how, size)
                store.known["CSPA", "WINE", str(figure), run] = {"NMI": value}
    effect = {paper3.BEST_FIRST: paper3._of_best_first, paper3.CAREFUL: paper3._of_careful}
    assert effect[method](store) == said
    assert effect[method](Store(None, "paper3")).startswith("not measured")
