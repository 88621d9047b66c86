"""Propagation of cluster-wise similarities (Huang, Wang, Peng, Lai and Kwoh 2021)."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._labels import cluster_overlap
from consens._params import Interval, one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.consensus._label_linkage import related_linkage
from consens.consensus._meta import MetaConsensus, largest_first
from consens.consensus.lwmc import OFFSET
from consens.ensemble import Ensemble
from consens.evidence.link_analysis import jaccard
from consens.evidence.trajectories import trajectory_similarity
from consens.partition import cut
from consens.partition.spectral import ncut

LEAST_SIMILARITY = 1e-6  # similarities up to this are no edges of the graph of clusters


class ECPCS(MetaConsensus):
    """Propagated cluster similarities: clusters are similar if random walks from them are.

    On the graph of all clusters, with the Jaccard coefficients as weights, a random walk starts
    from each cluster.  The similarity Z of two clusters is the cosine of their trajectories, that
    is, of the probabilities to be at each cluster after 1, 2, ..., t steps.  It relates clusters
    that share no object.

    In the hierarchical form (ECPCS-HC) 1/M Σ_m Z[c_m(x), c_m(y)] is agglomerated by average link.
    In the meta-clustering form (ECPCS-MC), a normalised cut of the graph with the weights Z gives
    meta-clusters, and each object goes to the one with the largest share of clusters that contain
    it.

    {n_clusters}
    form : {"hierarchical", "meta"}
    n_steps : int
        Length of the random walks t.
    {noise_and_settle}
    random_state : int, RandomState instance or None
        Start vector of the eigensolver in the meta-clustering form.

    {attributes}
    linkage_ : ndarray, as scipy.cluster.hierarchy.linkage
        Only in the hierarchical form: over the objects with a cluster in at least one partition,
        in their order; heights are 1 - similarity.
    meta_clusters_ : ndarray of shape (number of clusters,)
        Only in the meta-clustering form: consensus cluster of each cluster of the ensemble,
        partition after partition; -1 for a cluster without objects.
    {combined}

    Notes
    -----
    Use it for members with different numbers of clusters, many of them small; it needs no tuning.
    The meta-clustering form is for large n, the hierarchical one for up to 10,000 objects.

    O(n M²) time for the counts of shared objects and t times the cube of the number of clusters
    for the walks.  Then O(u² M) time and 8 u² bytes for u distinct rows of labels in the
    hierarchical form, O(n M k) time in the other.

    Missing labels, ties and meta-clusters that win no object as in `LWMC`.

    References
    ----------
    D. Huang, C.-D. Wang, H. Peng, J. Lai and C.-K. Kwoh, "Enhanced ensemble clustering via fast
    propagation of cluster-wise similarities", IEEE Transactions on Systems, Man, and Cybernetics:
    Systems 51(1), 2021. doi:10.1109/TSMC.2018.2876202

    {five_objects}
    >>> from consens.consensus import ECPCS
    >>> ecpcs = ECPCS(n_clusters=2).fit(labels)
    >>> ecpcs.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> ECPCS(n_clusters=2, form="meta").fit(labels).meta_clusters_
    array([0, 1, 0, 1, 1, 0])
    """

    _slow = True
    _instead_of_blocks = "use form='meta', "

    _parameter_constraints = rules(
        form=one_of("hierarchical", "meta"),
        n_steps=[Interval(Integral, 1, None, closed="left")],
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        form: str = "hierarchical",
        n_steps: int = 20,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.form = form
        self.n_steps = n_steps

    def _takes_blocks(self) -> bool:
        return self.form == "meta"

    def _combine(self, ensemble: Ensemble) -> Any:
        overlap = cluster_overlap(ensemble.labels)
        similarity = trajectory_similarity(jaccard(overlap), self.n_steps)
        if self.form == "hierarchical":
            np.fill_diagonal(similarity, 1.0)
            self.linkage_ = related_linkage(ensemble, similarity, "average")
            return cut(self.linkage_, self.n_clusters)
        return self._combine_clusters(ensemble.labels, similarity, overlap.shared.diagonal())

    def _combine_clusters(self, labels: Any, similarity: np.ndarray, sizes: np.ndarray) -> Any:
        """Cut the graph of clusters, then assign objects by a vote."""
        similarity[similarity <= LEAST_SIMILARITY] = 0.0
        k, held = int(self.n_clusters), np.flatnonzero(sizes)
        graph = csr_array(similarity[np.ix_(held, held)])
        meta = np.full(len(sizes), -1)
        meta[held] = ncut(
            graph,
            min(k, len(held)),
            offset=OFFSET,
            n_init=len(held),
            seed=spawn_seeds(self.random_state, 1)[0],
        )
        return self._elect(labels, largest_first(labels, meta, sizes, k), k)

    def _scores(self) -> Any:
        return super()._scores() if self.form == "meta" else BaseConsensus._scores(self)
