"""Does the order of objects matter?

Members of k-means on the objects of a data set are combined as they are, and with their rows
permuted; and members are made anew from permuted objects.  Given is the adjusted Rand index of
the two answers, put back into the same order: its mean and its least value over the permutations.
`docs/guarantees.md` says why it cannot be 1 for all.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from consens import ConsensusClustering, consensus
from consens.generate import LAC, KMeansEnsemble
from consens.measure import ari

#: Methods that need more than labels, or draw members.
OTHERS = {"WSPA", "WBPA", "WSBPA", "DrawnConsensus"}


def data() -> dict[str, np.ndarray]:
    """Data sets of scikit-learn, standardised."""
    from sklearn.datasets import load_iris, load_wine
    from sklearn.preprocessing import StandardScaler

    return {
        "iris": StandardScaler().fit_transform(load_iris().data),
        "wine": StandardScaler().fit_transform(load_wine().data),
    }


def agreement(
    answer: Callable[[np.ndarray], Any], rows: np.ndarray, orders: int, seed: int
) -> np.ndarray:
    """ARI of the answers for rows in their order and in others."""
    rng = np.random.default_rng(seed)
    plain = answer(rows)
    found = []
    for _ in range(orders):
        order = rng.permutation(len(rows))
        labels = np.empty(len(rows), dtype=np.int64)
        labels[order] = answer(rows[order])
        found.append(ari(plain, labels))
    return np.array(found)


def answers(X: np.ndarray) -> Iterator[tuple[str, Callable[[np.ndarray], Any], np.ndarray]]:
    """What is asked, how it is answered, and of which rows."""
    members = KMeansEnsemble(30, n_clusters=(2, 12), random_state=0).fit_transform(X).labels
    for name in consensus.METHODS:
        method = getattr(consensus, name)
        if name not in OTHERS:
            given = {"random_state": 0} if "random_state" in method().get_params() else {}
            yield f"ensemble, {name}", method(n_clusters=3, **given).fit_predict, members
    yield "X, KMeansEnsemble, EAC", of_members, X
    yield "X, LAC", LAC(3, random_state=0).fit_predict, X
    yield "X, ConsensusClustering", ConsensusClustering(3, random_state=0).fit_predict, X


def of_members(X: np.ndarray) -> Any:
    members = KMeansEnsemble(30, n_clusters=(2, 12), random_state=0).fit_transform(X)
    return consensus.EAC(3).fit_predict(members)


def run(numbers: range, seed: int, alone: bool = False) -> int:
    """Print the table; there are no findings, since the order may matter."""
    found: dict[str, list[np.ndarray]] = {}
    sets = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for X in sets.values():
            for name, answer, rows in answers(X):
                found.setdefault(name, []).append(agreement(answer, rows, len(numbers), seed))
    print(f"| permuted | {' | '.join(sets)} |")
    print(f"|---|{'---|' * len(sets)}")
    for name, parts in found.items():
        cells = [f"{part.mean():.3f} ({part.min():.3f})" for part in parts]
        print(f"| {name} | {' | '.join(cells)} |")
    return 0
