"""The Joint Criterion with sums, beside the means of the library."""

import numpy as np
import pytest

from consens import Ensemble
from consens.measure import nmi
from studies import paper3, paper3_claims
from studies._claims import HOLDS, IN_PART, UNTESTED
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


def test_claims_of_the_joint_criterion_by_hand():
    store = Store(None, "paper3")
    assert paper3_claims.steadier_for_large(store).verdict == UNTESTED
    for size in paper3.ALL_SIZES:
        near = 0.01 if size > 100 else 0.05
        for alpha in paper3.ALPHAS:
            key = "CSPA", "CHART", f"LO Joint Criterion, α = {alpha} {size}", 0
            store.known[key] = {"NMI": 0.5 + near * (alpha == 0.6)}
        for name, gap in (("CHART", 0.01), ("WINE", 0.3)):
            store.known["CSPA", name, f"S Joint Criterion {size}", 0] = {"NMI": 0.5}
            store.known["CSPA", name, f"S Diversity {size}", 0] = {"NMI": 0.5 + gap}
    told = paper3_claims.steadier_for_large(store)
    assert told.verdict == HOLDS
    told = paper3_claims.joint_like_diversity(store)
    assert told.figure == "CHART 0.010, WINE 0.300"
    assert told.verdict == HOLDS


def test_gains_on_wine_by_hand():
    store = Store(None, "paper3")
    for run in range(4):
        store.known["CSPA", "WINE", "S Full", run] = {"NMI": 0.4 + 0.01 * run}
        for size in paper3.SIZES:
            gain = 0.05 if size == 30 else 0.2
            key = "CSPA", "WINE", f"S Cluster and Select {size}", run
            store.known[key] = {"NMI": 0.4 + 0.01 * run + gain}
    told = paper3_claims.drastic_on_wine(store)
    assert told.figure.startswith("30 +0.050, 60 +0.200")
    assert told.verdict == IN_PART
