"""Base classes of the selectors, and the scores they share."""

from math import ceil
from numbers import Integral
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from consens._blocks import in_blocks
from consens._docs import shared_paragraphs
from consens._labels import MISSING
from consens._params import SELECTION_RULE, complete_rules, rules
from consens._validation import check_ensemble, label_matrix_tags
from consens.ensemble import Ensemble, EnsembleLike
from consens.measure import pairwise_nmi

EQUAL = 1e-10  # scores that differ by less are equal: sums of NMI values carry rounding errors


class BaseSelector(SelectorMixin, BaseEstimator):
    """A feature selector whose X is a label matrix of shape (n, M).

    A subclass implements ``_select(ensemble)``, which returns the members to keep in the order of
    their selection and sets further fitted attributes.  This class reads labels in any form;
    `transform` of an `Ensemble` returns an `Ensemble` with the records and payloads of the
    selected members.
    """

    _parameter_constraints = rules(n_selected=SELECTION_RULE)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        shared_paragraphs(cls)
        complete_rules(cls)

    def fit(self, X: EnsembleLike, y: object = None) -> Self:
        """Select members.

        Parameters
        ----------
        X : Ensemble or label matrix of shape (n, M)
            One row per object, one column per partition.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        ensemble = check_ensemble(self, X)
        self.order_ = np.asarray(self._select(ensemble), dtype=np.intp)
        self.n_selected_ = len(self.order_)
        return self

    def _select(self, ensemble: Ensemble) -> Any:
        raise NotImplementedError

    def transform(self, X: EnsembleLike) -> Ensemble | np.ndarray:
        """Reduce X to the selected members.

        Parameters
        ----------
        X : Ensemble or label matrix of shape (n, M)

        Returns
        -------
        Ensemble or label matrix of shape (n, n_selected_)
            Of the same type as X.
        """
        check_is_fitted(self)
        if in_blocks(X):
            X = Ensemble.from_labels(X)
        if not isinstance(X, Ensemble):
            return super().transform(X)
        validate_data(self, X.labels, reset=False, skip_check_array=True)
        return X[:, self.get_support()]

    def inverse_transform(self, X: EnsembleLike) -> np.ndarray:
        """Return the selected members to their columns; all others are `MISSING`.

        Parameters
        ----------
        X : Ensemble or label matrix of shape (n, n_selected_)

        Returns
        -------
        ndarray of shape (n, M)
        """
        support = self.get_support()
        labels = np.asarray(X)
        if labels.ndim != 2 or labels.shape[1] != self.n_selected_:
            raise ValueError(
                f"got labels of shape {labels.shape}; expected {self.n_selected_} columns, one "
                "for each selected member"
            )
        full = np.full((len(labels), len(support)), MISSING, dtype=labels.dtype)
        full[:, support] = labels
        return full

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.order_] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        return label_matrix_tags(super().__sklearn_tags__())


class AgreementSelector(BaseSelector):
    """Base of selectors by the NMI of pairs of members, in ``_choose(nmi, quality)``."""

    def _select(self, ensemble: Ensemble) -> Any:
        self.similarity_ = library_nmi(ensemble)
        self.quality_ = self.similarity_.mean(axis=1)
        order = np.asarray(self._choose(self.similarity_, self.quality_), dtype=np.intp)
        self.diversity_ = pair_diversity(self.similarity_, order)
        return order

    def _choose(self, nmi: np.ndarray, quality: np.ndarray) -> Any:
        raise NotImplementedError


_NMI: WeakKeyDictionary[Ensemble, np.ndarray] = WeakKeyDictionary()


def library_nmi(ensemble: Ensemble) -> np.ndarray:
    """NMI of all pairs of members, cached per ensemble, on which users try several selectors."""
    nmi = _NMI.get(ensemble)
    if nmi is None:
        nmi = pairwise_nmi(ensemble)
        nmi.flags.writeable = False
        _NMI[ensemble] = nmi
    return nmi


def pair_diversity(nmi: np.ndarray, chosen: np.ndarray) -> float:
    """Mean of 1 - NMI over the pairs of chosen members; 0 for a single member."""
    pairs = 1.0 - nmi[np.ix_(chosen, chosen)][np.triu_indices(len(chosen), k=1)]
    return float(pairs.mean()) if len(pairs) else 0.0


def n_members(n_selected: float, n_available: int) -> int:
    """Number of members to select; a float is a share, rounded up."""
    if isinstance(n_selected, Integral):
        if n_selected > n_available:
            raise ValueError(
                f"n_selected={n_selected} is more than the {n_available} members of the "
                f"library; allowed are integers from 1 to {n_available}, and shares in (0, 1)"
            )
        return int(n_selected)
    return max(1, ceil(n_selected * n_available - EQUAL))


def best(score: np.ndarray) -> int:
    """Index of the largest score; the first one among equal scores."""
    return int(np.flatnonzero(score >= score.max() - EQUAL * max(1.0, abs(score.max())))[0])
