"""Libraries of clusterings to select from."""

from pathlib import Path
from typing import Any

from sklearn.pipeline import FeatureUnion

from consens._docs import shared_paragraphs
from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_integer
from consens.generate.kmeans_ensemble import KMeansEnsemble
from consens.generate.spectral_ensemble import SpectralEnsemble
from consens.generate.views import FeatureWeightEnsemble, ProjectionEnsemble, SubspaceEnsemble

SMALL = 600  # largest library that is not extended by default

KINDS: dict[str, Any] = {
    "kmeans": KMeansEnsemble,
    "subspace": SubspaceEnsemble,
    "projection": ProjectionEnsemble,
    "weighting": FeatureWeightEnsemble,
    "spectral": SpectralEnsemble,
}


@shared_paragraphs
def library(
    n_classes: int | None = None,
    size: int = SMALL,
    *,
    extended: bool | None = None,
    init: str = "objects",
    random_state: Seed = None,
    n_jobs: int | None = None,
    store: str | Path | None = None,
) -> FeatureUnion:
    """Make a library of many kinds of clusterings to select from, as Fern and Lin do.

    A library has equal parts of k-means on all features, on random subsets and on random linear
    projections; an extended one also has k-means on randomly weighted features and spectral
    clustering with random kernel widths (Sections 4.1 and 7.1).  Each member draws its k from 2 to
    twice the number of classes.  The paper has ``init="assignment"``.

    Parameters
    ----------
    n_classes : int or None, default=None
        Expected number of classes.  None lets k go up to ⌈√n⌉.
    size : int, default=600
        Total number of members, at least one of each kind.
    extended : bool or None, default=None
        Whether to make all five kinds or the first three.  None means all five for more than
        600 members: the papers' libraries have 600 and 1,000 members.
    {kmeans_init}
    random_state : int, RandomState or None, default=None
        Seeds the parts.
    {n_jobs}
    store : path or None, default=None
        Folder for finished members, with one subfolder per kind.

    Returns
    -------
    sklearn.pipeline.FeatureUnion
        A transformer from X to one `Ensemble`; its `members` name the algorithm of each member.

    {fern_lin_2008}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from consens.consensus import EAC
    >>> from consens.generate import library
    >>> from consens.select import ClusterAndSelect
    >>> X, y = load_wine(return_X_y=True)
    >>> members = library(n_classes=3, size=30, random_state=0)
    >>> members.fit_transform(X).members["algorithm"].value_counts(sort=False)
    algorithm
    KMeans                       10
    KMeans, feature subset       10
    KMeans, random projection    10
    Name: count, dtype: int64
    >>> pipeline = make_pipeline(members, ClusterAndSelect(6, random_state=0), EAC(3))
    >>> len(set(pipeline.fit_predict(X)))
    3
    """
    kinds, size = dict(KINDS), check_integer(size, "size")
    if not (size > SMALL if extended is None else extended):
        del kinds["weighting"], kinds["spectral"]
    if size < len(kinds):
        raise ValueError(f"size={size} is less than the {len(kinds)} kinds of members")
    n_clusters = None if n_classes is None else (2, 2 * check_integer(n_classes, "n_classes"))
    seeds: list[Any] = [None] * len(kinds)
    if random_state is not None:
        seeds = spawn_seeds(random_state, len(kinds))
    parts = []
    for part, (name, kind) in enumerate(kinds.items()):
        by_kmeans = {} if name == "spectral" else {"init": init}
        generator = kind(
            n_estimators=(size + len(kinds) - 1 - part) // len(kinds),
            n_clusters=n_clusters,
            random_state=seeds[part],
            n_jobs=n_jobs,
            store=None if store is None else Path(store) / name,
            **by_kmeans,
        )
        parts.append((name, generator))
    return FeatureUnion(parts)
