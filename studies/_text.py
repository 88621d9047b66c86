"""Counts of terms in documents, with stemming and selection by frequent itemsets."""

from __future__ import annotations

from importlib import import_module
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from consens._params import COUNT_RULE, Interval, complete_rules, one_of, rules

INSTALL = "pip install 'consens[studies]'"


@complete_rules
class TextFeatures(TransformerMixin, BaseEstimator):
    """Count the stems of words that frequently occur together.

    scikit-learn's `CountVectorizer` splits words and removes stop words, and a Snowball stemmer
    reduces words to stems.  The terms kept are those of a frequent itemset: a set of terms that
    occur together in many documents [1]_, [2]_.  This reduces thousands of words to a few
    hundred, without class labels.

    Parameters
    ----------
    min_support : float in (0, 1]
        Share of documents that must contain all terms of an itemset.
    max_df : float in (0, 1]
        Terms in a larger share of the documents are left out, because they are unspecific.
    itemset_size : int
        Number of terms that must occur together.  1 keeps all frequent terms.
    stop_words : "english", list of words or None
        As in `CountVectorizer`.
    language : str or None
        Language of the stemmer, such as "english" or "german"; None disables stemming.

    Attributes
    ----------
    terms_ : ndarray of str
        The selected stems, in alphabetical order.
    words_ : ndarray of str
        The most frequent word of each stem, for display.
    vocabulary_size_ : int
        Number of terms before the selection.

    Notes
    -----
    The result is a sparse matrix of counts.  For clustering, scale documents to length 1 with
    `sklearn.preprocessing.Normalizer` (long ones are outliers otherwise) and terms to variance 1
    with ``StandardScaler(with_mean=False)``, which keeps it sparse.

    Stemming needs snowballstemmer, itemsets need mlxtend: ``pip install 'consens[studies]'``.

    References
    ----------
    .. [1] N. Kang, C. Domeniconi and D. Barbará, "Categorization and keyword identification of
       unlabeled documents", IEEE International Conference on Data Mining, 2005.
    .. [2] C. Domeniconi and M. Al-Razgan, "Weighted cluster ensembles: methods and analysis",
       ACM TKDD 2(4), 2009, Section 7, doi:10.1145/1460797.1460800.

    Examples
    --------
    >>> from studies._text import TextFeatures
    >>> documents = [
    ...     "The circuits need more voltage",
    ...     "A circuit at high voltage",
    ...     "The patient needs treatment",
    ...     "Treatments for patients",
    ... ]
    >>> text = TextFeatures(min_support=0.5)
    >>> text.fit_transform(documents).toarray()
    array([[1, 0, 0, 1],
           [1, 0, 0, 1],
           [0, 1, 1, 0],
           [0, 1, 1, 0]])
    >>> text.terms_
    array(['circuit', 'patient', 'treatment', 'voltag'], dtype=object)
    """

    _parameter_constraints = rules(
        min_support=[Interval(Real, 0, 1, closed="right")],
        max_df=[Interval(Real, 0, 1, closed="right")],
        itemset_size=COUNT_RULE,
        stop_words=[*one_of("english"), list, None],
        language=[str, None],
    )

    def __init__(
        self,
        min_support: float = 0.03,
        *,
        max_df: float = 0.5,
        itemset_size: int = 2,
        stop_words: Any = "english",
        language: str | None = "english",
    ) -> None:
        self.min_support = min_support
        self.max_df = max_df
        self.itemset_size = itemset_size
        self.stop_words = stop_words
        self.language = language

    def fit(self, documents: Any, y: Any = None) -> Self:
        """Select the terms.

        Parameters
        ----------
        documents : iterable of str
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(documents)
        return self

    def fit_transform(self, documents: Any, y: Any = None) -> csr_matrix:
        """Select the terms, and count them.

        Parameters
        ----------
        documents : iterable of str
        y : ignored

        Returns
        -------
        CSR matrix of shape (number of documents, number of terms)
        """
        self._validate_params()
        self._vectorizer = CountVectorizer(stop_words=self.stop_words)
        counts = self._vectorizer.fit_transform(documents)
        words = self._vectorizer.get_feature_names_out()
        stems, term_of_word = np.unique(self._stems(words), return_inverse=True)
        by_term = _sum_columns(counts, term_of_word, len(stems))
        kept = self._frequent(by_term)
        if len(kept) == 0:
            raise ValueError(
                f"no {self.itemset_size} terms occur together in {self.min_support:.1%} of the "
                "documents; lower min_support or itemset_size"
            )
        self.vocabulary_size_ = len(stems)
        self.terms_ = stems[kept]
        self.words_ = _commonest_words(counts, words, term_of_word)[kept]
        number = np.full(len(stems), -1)
        number[kept] = np.arange(len(kept))
        self._term_of_word = number[term_of_word]
        return by_term[:, kept]

    def transform(self, documents: Any) -> csr_matrix:
        """Count the selected terms.

        Parameters
        ----------
        documents : iterable of str

        Returns
        -------
        CSR matrix of shape (number of documents, number of terms)
        """
        check_is_fitted(self)
        counts = self._vectorizer.transform(documents)
        known = self._term_of_word >= 0
        return _sum_columns(counts[:, known], self._term_of_word[known], len(self.terms_))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the selected terms.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return self.terms_

    def _stems(self, words: np.ndarray) -> np.ndarray:
        if self.language is None:
            return words
        snowballstemmer = _optional("snowballstemmer", "stemming")
        if self.language not in snowballstemmer.algorithms():
            raise ValueError(
                f"language={self.language!r}; allowed are "
                f"{', '.join(sorted(snowballstemmer.algorithms()))}"
            )
        stemmer = snowballstemmer.stemmer(self.language)
        return np.array(stemmer.stemWords(words.tolist()), dtype=object)

    def _frequent(self, counts: csr_matrix) -> np.ndarray:
        """Indices of the terms in frequent itemsets of size `itemset_size`."""
        n = counts.shape[0]
        occurs = counts > 0
        support = np.asarray(occurs.sum(axis=0)).ravel() / n
        # an itemset is at most as frequent as its terms, so rare terms can be skipped
        candidates = np.flatnonzero((support >= self.min_support) & (support <= self.max_df))
        if self.itemset_size == 1 or len(candidates) == 0:
            return candidates
        patterns = _optional("mlxtend.frequent_patterns", "frequent itemsets")
        import pandas as pd

        table = pd.DataFrame.sparse.from_spmatrix(csr_matrix(occurs[:, candidates]))
        sets = patterns.fpgrowth(table, min_support=self.min_support, max_len=self.itemset_size)[
            "itemsets"
        ]
        inside = [found for found in sets if len(found) == self.itemset_size]
        return candidates[np.array(sorted(set().union(*inside)), dtype=np.int64)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags


def _optional(module: str, what: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{what} needs {package}: {INSTALL}") from error


def _sum_columns(counts: Any, group: np.ndarray, n_groups: int) -> csr_matrix:
    n = len(group)
    merge = csr_array((np.ones(n, dtype=np.int64), group, np.arange(n + 1)), shape=(n, n_groups))
    return csr_matrix(counts @ merge)


def _commonest_words(counts: Any, words: np.ndarray, term_of_word: np.ndarray) -> np.ndarray:
    """Most frequent word of each term, the first among equals."""
    total = np.asarray(counts.sum(axis=0)).ravel()
    order = np.lexsort((-total, term_of_word))
    first = np.unique(term_of_word[order], return_index=True)[1]
    return words[order[first]]
