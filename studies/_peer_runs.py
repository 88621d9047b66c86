"""One method of one package on one ensemble, in the interpreter that has the package.

    python _peer_runs.py PACKAGE METHOD FOLDER

Reads ``labels.npy``, ``X.npy`` and ``case.json`` from the folder, writes ``out.npy``, and prints
CPU seconds and memory above the inputs as JSON.  A first call on 300 objects is not counted; of
two calls on all objects the quicker one counts, where the first takes less than 30 seconds.
Nothing of consens is imported here but by its own entries: the interpreters do not have it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

#: What a run is given: labels of shape (n, M), features, number of clusters, number of members.
Run = Callable[[np.ndarray, np.ndarray, int, int], np.ndarray]
RUNS: dict[tuple[str, str], Run] = {}
WARM = 300
QUICK = 30.0


def run(package: str, method: str) -> Callable[[Run], Run]:
    def register(function: Run) -> Run:
        RUNS[package, method] = function
        return function

    return register


# ------------------------------------------------------------------ without a package


@run("by hand", "co-association, SciPy average link")
def by_hand(labels: np.ndarray, X: np.ndarray, k: int, members: int) -> np.ndarray:
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import pdist

    # the share of members in which two label rows differ is 1 - co-association
    return fcluster(linkage(pdist(labels, "hamming"), "average"), k, "maxclust")


# ------------------------------------------------------------------ packages that take labels


def consens_method(name: str) -> Run:
    def combine(labels: np.ndarray, X: np.ndarray, k: int, members: int) -> np.ndarray:
        import consens

        known = consens.consensus.get_method(name)().get_params()
        seed = {"random_state": 0} if "random_state" in known else {}
        return consens.combine(labels, name, n_clusters=k, **seed).labels_

    return combine


for _name in ("EAC", "LWEA", "LWGP", "LWMC", "CSPA", "HGPA", "MCLA", "HBGF", "LatentEM", "Voting"):
    run("consens", _name)(consens_method(_name))


@run("Cluster_Ensembles", "best of CSPA, HGPA, MCLA")
def cluster_ensembles(labels: np.ndarray, X: np.ndarray, k: int, members: int) -> np.ndarray:
    import Cluster_Ensembles

    return Cluster_Ensembles.cluster_ensembles(labels.T, verbose=False, N_clusters_max=k)


def cluster_ensembles_2(method: str) -> Run:
    def combine(labels: np.ndarray, X: np.ndarray, k: int, members: int) -> np.ndarray:
        import ClusterEnsembles

        return ClusterEnsembles.cluster_ensembles(
            labels.T, nclass=k, solver=method, random_state=0
        )

    return combine


for _name in ("cspa", "hgpa", "mcla", "hbgf", "nmf"):
    run("ClusterEnsembles", _name.upper())(cluster_ensembles_2(_name))


def openensembles_method(finish: Callable[[Any, int], Any]) -> Run:
    def combine(labels: np.ndarray, X: np.ndarray, k: int, members: int) -> np.ndarray:
        import openensembles as oe
        import pandas as pd

        ensemble = oe.cluster(oe.data(pd.DataFrame(X), list(range(X.shape[1]))))
        for m, column in enumerate(labels.T):
            name = f"member{m}"
            ensemble.labels[name] = column
            ensemble.data_source[name] = "parent"
            ensemble.params[name] = {}
            ensemble.clusterNumbers[name] = np.unique(column)
        return finish(ensemble, k)

    return combine


run("openensembles", "mixture model")(
    openensembles_method(lambda ensemble, k: ensemble.mixture_model(k).labels["mixture_model"])
)
run("openensembles", "majority vote, threshold 0.5")(
    openensembles_method(
        lambda ensemble, k: ensemble.finish_majority_vote(0.5).labels["majority_vote"]
    )
)
run("openensembles", "average link, threshold 0.5")(
    openensembles_method(
        lambda ensemble, k: ensemble.finish_co_occ_linkage(0.5).labels["co_occ_linkage"]
    )
)

# ------------------------------------------------------------------ packages that make members


@run("pyckmeans", "consensus k-means")
def pyckmeans(labels: np.ndarray, X: np.ndarray, k: int, members: int) -> np.ndarray:
    from pyckmeans import CKmeans

    model = CKmeans(k, n_rep=members, metrics=())
    model.fit(X)
    return model.predict(X).cl


@run("consensusclustering", "resampling, then average link of its matrix")
def consensusclustering(labels: np.ndarray, X: np.ndarray, k: int, members: int) -> np.ndarray:
    from consensusclustering import ConsensusClustering
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform
    from sklearn.cluster import KMeans

    model = ConsensusClustering(KMeans(n_init=1), k, k, n_resamples=members, resample_frac=0.8)
    model.fit(X)
    distances = 1 - np.asarray(model.consensus_k(k), dtype=float)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "average")
    return fcluster(tree, k, "maxclust")


@run("kemlglearn", "coincidence matrix, k-means")
def kemlglearn(labels: np.ndarray, X: np.ndarray, k: int, members: int) -> np.ndarray:
    import joblib
    from kemlglearn.cluster.consensus import SimpleConsensusClustering

    model = SimpleConsensusClustering(k, n_clusters_base=4 * k, n_components=members)
    with joblib.parallel_config("sequential"):  # as the others, and so that all of it is counted
        model.fit(X)
    return model.labels_


@run("sc3s", "consensus of k-means on cells")
def sc3s(labels: np.ndarray, X: np.ndarray, k: int, members: int) -> np.ndarray:
    import anndata
    import sc3s
    from sklearn.decomposition import PCA

    cells = anndata.AnnData(X.astype(np.float32))
    cells.obsm["X_pca"] = PCA(25, random_state=0).fit_transform(X)  # it looks for components
    sc3s.tl.consensus(cells, n_clusters=[k], n_runs=members, random_state=0)
    return np.asarray(cells.obs[f"sc3s_{k}"].astype(int))


# ------------------------------------------------------------------ measuring


def peak() -> float:
    """Largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def cpu() -> float:
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime for who in both)


def once(function: Run, labels: np.ndarray, X: np.ndarray, case: dict[str, int]) -> Any:
    """Labels and CPU seconds of one call."""
    np.random.seed(0)  # noqa: NPY002  some packages draw from the global state only
    start = cpu()
    found = function(labels, X, case["k"], case["members"])
    return found, cpu() - start


def main() -> None:
    package, method, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    case = json.loads((folder / "case.json").read_text())
    labels, X = np.load(folder / "labels.npy"), np.load(folder / "X.npy")
    function = RUNS[package, method]
    rows = np.linspace(0, len(X) - 1, min(WARM, len(X))).astype(int)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        once(function, labels[rows], X[rows], case)
        before = peak()
        found, seconds = once(function, labels, X, case)
        memory = peak() - before
        if seconds < QUICK:
            seconds = min(seconds, once(function, labels, X, case)[1])
    np.save(folder / "out.npy", np.asarray(found).ravel())
    print(json.dumps({"cpu": seconds, "mb": memory}))


if __name__ == "__main__":
    main()
