"""Agreement and reliability of annotators, who label objects by the same names."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from consens._blocks import Labels
from consens._labels import NOISE
from consens._naming import plain_name, shared_codes, vote_shares
from consens._numerics.latent_classes import LabelVectors, expectation_maximization
from consens._support.frames import to_frame
from consens._support.plain import rounded_values
from consens.ensemble import Ensemble

#: Limits of the EM of Dawid and Skene, as in `LatentEM`.
EM_ITERATIONS = 100
EM_TOLERANCE = 1e-5


@dataclass(frozen=True)
class AnnotatorAgreement:
    """Result of `annotator_agreement`.

    Attributes
    ----------
    annotators, names : list of str
        The M annotators and the K names that they use.
    n_labels : ndarray of shape (M,)
        Number of objects that each annotator labels.
    cohen : ndarray of shape (M, M)
        Cohen's kappa of each pair, on the objects that both label.
    fleiss : float
        Fleiss' kappa, on the objects with at least two labels.
    alpha : float
        Krippendorff's alpha for nominal labels.
    reliability : ndarray of shape (M,)
        Expected share of the labels of the annotator that are right, by the model of Dawid and
        Skene.
    confusion : ndarray of shape (M, K, K)
        Probability that the annotator gives a name (last axis) to an object of a class.

    Notes
    -----
    Coefficients are 1 for perfect agreement and 0 for that of chance.  They are NaN where they are
    not defined: for annotators without common objects, or if a single name is used.
    """

    annotators: list[str]
    names: list[str]
    n_labels: np.ndarray
    cohen: np.ndarray
    fleiss: float
    alpha: float
    reliability: np.ndarray
    confusion: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, rounded to 6 digits, as JSON can hold them: NaN is None."""
        of_each = ("n_labels", "reliability", "cohen", "confusion")
        found = {"fleiss": self.fleiss, "alpha": self.alpha, "names": self.names}
        annotators = [
            {"name": name} | {key: getattr(self, key)[m] for key in of_each}
            for m, name in enumerate(self.annotators)
        ]
        return dict(rounded_values(found | {"annotators": annotators}))


def annotator_agreement(labels: Labels) -> AnnotatorAgreement:
    """How far annotators agree who label objects by the same names, and how reliable each is.

    Cohen's kappa of two annotators, Fleiss' kappa and Krippendorff's alpha of all compare the
    observed agreement with the one expected by chance.  The model of Dawid and Skene estimates,
    together with the classes of the objects, how each annotator labels the objects of each class.

    Parameters
    ----------
    labels : data frame, label matrix of shape (n, M) or Ensemble
        One column per annotator.  A value means the same in all columns; None, NaN and -1 mean
        that the annotator gave no label.  The members of an `Ensemble` must share names.

    Returns
    -------
    AnnotatorAgreement

    Notes
    -----
    With counts n_ij of name j among the n_i labels of object i, P_i = Σ_j n_ij (n_ij − 1) / (n_i
    (n_i − 1)) is the share of pairs that agree.  Fleiss' kappa is (P − P_e) / (1 − P_e) with the
    mean P of P_i and P_e = Σ_j p_j² for the share p_j of name j.  Krippendorff's alpha weights P_i
    by n_i and draws the pairs of P_e without replacement.

    O(n·M²) time for Cohen's kappa, O(t·n·M·K) for t iterations of EM.

    References
    ----------
    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20(1), 1960. doi:10.1177/001316446002000104
    J. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76(5),
    1971. doi:10.1037/h0031619
    A. Hayes and K. Krippendorff, "Answering the call for a standard reliability measure for coding
    data", Communication Methods and Measures 1(1), 2007. doi:10.1080/19312450709336664
    A. Dawid and A. Skene, "Maximum likelihood estimation of observer error-rates using the EM
    algorithm", Applied Statistics 28(1), 1979. doi:10.2307/2346806

    Examples
    --------
    >>> import pandas as pd
    >>> from consens.measure import annotator_agreement
    >>> labels = pd.DataFrame(
    ...     {
    ...         "Ann": ["cat", "cat", "dog", "dog", "owl", "owl"],
    ...         "Ben": ["cat", "cat", "dog", "dog", "owl", None],
    ...         "Cem": ["cat", "dog", "dog", "dog", "owl", "owl"],
    ...     }
    ... )
    >>> found = annotator_agreement(labels)
    >>> found.cohen[0].round(2)
    array([1.  , 1.  , 0.75])
    >>> found.reliability.round(2)
    array([1.  , 1.  , 0.83])
    """
    annotators, names, codes = _coded(labels)
    n_names, n_annotators = len(names), codes.shape[1]
    counts = np.column_stack([(codes == j).sum(axis=1) for j in range(n_names)])
    confusion, reliability = _dawid_skene(codes, n_names)
    cohen = np.eye(n_annotators)
    for a in range(n_annotators):
        for b in range(a):
            cohen[a, b] = cohen[b, a] = _cohen(codes[:, a], codes[:, b], n_names)
    return AnnotatorAgreement(
        annotators,
        names,
        (codes >= 0).sum(axis=0),
        cohen,
        *_fleiss_and_alpha(counts),
        reliability,
        confusion,
    )


def _coded(labels: Any) -> tuple[list[str], list[str], np.ndarray]:
    """Return annotators, names, and labels as indices of names, with -1 for gaps."""
    if isinstance(labels, Ensemble):
        shared = shared_codes(labels)
        if shared is None:
            raise ValueError(
                "the members of the ensemble do not share names of clusters; pass a data frame "
                "with one column per annotator, in which a value means the same in all columns"
            )
        return [str(r.get("name", m)) for m, r in enumerate(labels.records)], *shared
    import pandas as pd

    frame = to_frame(labels)
    if not isinstance(frame, pd.DataFrame):
        matrix = np.asarray(frame)
        if matrix.ndim != 2:
            raise ValueError(
                f"expected a table with one column per annotator, got {matrix.ndim}D data"
            )
        frame = pd.DataFrame(matrix)
    cells = frame.astype(object).to_numpy(copy=True)
    known = ~pd.isna(cells)
    cells[known] = list(map(plain_name, cells[known]))
    known &= cells != str(NOISE)
    if frame.shape[1] < 2 or not known.any():
        raise ValueError(
            f"expected labels of at least two annotators, got {frame.shape[1]} columns with "
            f"{int(known.sum())} labels"
        )
    names = sorted(set(cells[known]))
    codes = np.full(cells.shape, -1, dtype=np.int32)
    place = {name: j for j, name in enumerate(names)}
    codes[known] = [place[cell] for cell in cells[known]]
    return list(map(str, frame.columns)), names, codes


def _kappa(observed: float, expected: float) -> float:
    return (observed - expected) / (1 - expected) if expected < 1 else float("nan")


def _cohen(first: np.ndarray, second: np.ndarray, n_names: int) -> float:
    both = (first >= 0) & (second >= 0)
    if not both.any():
        return float("nan")
    shares = [np.bincount(own[both], minlength=n_names) / both.sum() for own in (first, second)]
    return _kappa(float((first == second)[both].mean()), float(shares[0] @ shares[1]))


def _fleiss_and_alpha(counts: np.ndarray) -> tuple[float, float]:
    total = counts.sum(axis=1)
    counts, total = counts[total > 1], total[total > 1]
    if not len(counts):
        return float("nan"), float("nan")
    by_name, n = counts.sum(axis=0), counts.sum()
    agreeing = (counts * (counts - 1)).sum(axis=1) / (total - 1)
    fleiss = _kappa(float((agreeing / total).mean()), float((by_name / n) @ (by_name / n)))
    expected = (by_name * (by_name - 1)).sum() / (n * (n - 1))
    return fleiss, _kappa(float(agreeing.sum() / n), float(expected))


def _dawid_skene(codes: np.ndarray, n_names: int) -> tuple[np.ndarray, np.ndarray]:
    """Return confusion (M, K, K) and reliability (M,); NaN for what nobody shows."""
    objects, active = (codes >= 0).any(axis=1), np.flatnonzero((codes >= 0).any(axis=0))
    labels = codes[objects][:, active]
    classes, start = vote_shares(labels, n_names)
    vectors = LabelVectors.of(labels, np.ones(len(labels)))
    found = expectation_maximization(vectors, start, EM_ITERATIONS, EM_TOLERANCE)
    confusion = np.full((codes.shape[1], n_names, n_names), np.nan)
    reliability = np.full(codes.shape[1], np.nan)
    probabilities = np.zeros((len(labels), n_names))
    probabilities[:, classes] = found.probabilities
    for j, m in enumerate(active):
        first, width = vectors.starts[j], vectors.n_clusters[j]
        confusion[m, classes] = 0.0
        confusion[m, classes, :width] = found.theta[first : first + width].T
        labelled = np.flatnonzero(labels[:, j] >= 0)
        reliability[m] = probabilities[labelled, labels[labelled, j]].mean()
    return confusion, reliability
