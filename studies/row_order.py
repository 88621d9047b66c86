"""Row order: why CELTA and GTLEC are not implemented.

    python -m studies.row_order [--runs 5] [--seed 0]

CELTA and GTLEC, two methods at the top of the survey of ensemble clustering of 2026, stack n × n
matrices of evidence to a tensor and approximate it by one of low tensor rank.  That rank is
defined by a Fourier transform along the rows of the table, as if the number of an object were a
time.  An object has no such time: the answer depends on the order of the rows, and where rows are
sorted by class, as they are in many published files, neighbouring rows belong together and the
transform passes the classes on to the answer.

The step is reproduced here in its simplest form, on 400 digits of scikit-learn: the co-association
and the matrix of its confident pairs (0.8 and more) are stacked, the singular values of the n
slices of size n × 2 after a Fourier transform along the rows are shrunk, in alternation with the
evidence, and the first matrix is partitioned by spectral clustering.  These are not the published
programs, but the step that they share, with a weight of the evidence at which the effect is large.
The same members are combined in the order of the classes and in random order.  Methods of the
library, which do not use the number of a row, run in the same way.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np
from sklearn.datasets import load_digits

from consens.consensus import EAC, LWGP
from consens.evidence import coassociation
from consens.generate import KMeansEnsemble
from consens.measure import nmi
from consens.partition import spectral_cut
from studies._table import markdown, measured

PER_DIGIT = 40
MEMBERS = 20
CONFIDENT = 0.8
ITERATIONS = 10
WEIGHT = 0.01  # of the evidence against the low rank


def shrink(tensor: np.ndarray, threshold: float) -> np.ndarray:
    """Shrink the singular values of the n × 2 slices of a Fourier transform along the rows."""
    slices = np.fft.fft(tensor.transpose(1, 2, 0), axis=0)
    left, singular, right = np.linalg.svd(slices, full_matrices=False)
    singular = np.maximum(singular - threshold, 0.0)
    return np.fft.ifft((left * singular[:, None]) @ right, axis=0).real.transpose(2, 0, 1)


def low_tensor_rank(labels: np.ndarray, k: int, seed: int) -> np.ndarray:
    """Spectral clustering of the co-association after an approximation of low tensor rank."""
    together = coassociation(labels)
    evidence = np.stack([together, together >= CONFIDENT]).astype(np.float64)
    tensor, dual, rho = evidence, np.zeros_like(evidence), 0.01
    for _ in range(ITERATIONS):
        low = shrink(tensor + dual / rho, 1 / rho)
        tensor = (WEIGHT * evidence + rho * low - dual) / (WEIGHT + rho)
        tensor = np.clip((tensor + tensor.transpose(0, 2, 1)) / 2, 0.0, 1.0)
        dual = dual + rho * (tensor - low)
        rho *= 1.1
    return spectral_cut(tensor[0], k, seed=seed)


METHODS: dict[str, Callable[[np.ndarray, int, int], np.ndarray]] = {
    "low tensor rank, then spectral": low_tensor_rank,
    "co-association, spectral": lambda labels, k, seed: spectral_cut(
        coassociation(labels), k, seed=seed
    ),
    "EAC": lambda labels, k, seed: EAC(k).fit_predict(labels),
    "LWGP": lambda labels, k, seed: LWGP(k, random_state=seed).fit_predict(labels),
}


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--seed", type=int, default=0, help="run r uses seed + r (0)")
    options.add_argument("--per-digit", type=int, default=PER_DIGIT)
    given = options.parse_args(arguments)
    images, digits = load_digits(return_X_y=True)
    rows = np.concatenate([np.flatnonzero(digits == d)[: given.per_digit] for d in range(10)])
    X, y = images[rows], digits[rows]
    scores: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in METHODS}
    for seed in range(given.seed, given.seed + given.runs):
        labels = np.asarray(KMeansEnsemble(MEMBERS, random_state=seed).fit_transform(X))
        order = np.random.default_rng(seed).permutation(len(y))
        for name, method in METHODS.items():
            for values, rows in zip(scores[name], (np.arange(len(y)), order), strict=True):
                values.append(nmi(method(labels[rows], 10, seed), y[rows]))
    print(
        f"NMI with the digits, mean and standard deviation of {given.runs} ensembles of {MEMBERS} "
        f"k-means members on {len(y)} images; seed {given.seed}.\n"
    )
    cells = [[name, *(measured(values, 3) for values in both)] for name, both in scores.items()]
    print(markdown(["method", "rows in the order of the classes", "rows in random order"], cells))


if __name__ == "__main__":
    main()
