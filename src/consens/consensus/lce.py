"""Link-based cluster ensemble (Iam-On, Boongoen, Garrett and Price 2010)."""

from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._params import Interval, rules
from consens._support.seeds import Seed
from consens._support.threads import in_one_thread
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence.bipartite import Bipartite
from consens.evidence.link_analysis import linked_clusters


class LCE(BaseConsensus):
    """Link-based cluster ensemble: objects also belong, in part, to clusters similar to theirs.

    The entry of object x and cluster C of partition m in the refined association matrix is the
    similarity of C to the cluster that contains x,

        RM(x, C) = sim(c_m(x), C),    sim(C, C) = 1,

    where sim are weighted connected triples, scaled so that the most similar two clusters have the
    decay DC.  The graph of objects and clusters with the weights RM is cut spectrally.

    {n_clusters}
    decay : float, 0 to 1
        DC, how much similar clusters count relative to the own one, 0.9 as in the
        program of the authors; 0 is the plain graph of objects and clusters, as in `HBGF`.
    {transfer_cut}
    {combined}

    Notes
    -----
    Use it for members with more clusters than `n_clusters`, of about equal quality, without
    tuning.

    RM is a product with the indicator, which is not formed: O(n M²) time for the counts of shared
    objects, O(n M k) for the cut, and at most the cube of the total number of clusters.  A
    partition in which the label of an object is missing gives it no edges.

    References
    ----------
    N. Iam-On, T. Boongoen, S. Garrett and C. Price, "LCE: a link-based cluster ensemble method
    for improved gene expression data analysis", Bioinformatics 26(12), 2010.
    doi:10.1093/bioinformatics/btq226

    {five_objects}
    >>> from consens.consensus import LCE
    >>> LCE(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _in_blocks = True
    _slow = True

    _parameter_constraints = rules(decay=[Interval(Real, 0, 1, closed="both")])

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        decay: float = 0.9,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.decay = decay

    @in_one_thread
    def _combine(self, ensemble: Ensemble) -> Any:
        graph = RefinedAssociation(ensemble, linked_clusters(ensemble, self.decay))
        return self._transfer_cut(graph)


class RefinedAssociation:
    """The refined association matrix RM = B S of objects by clusters, which is not formed.

    B is the indicator of the clusters of each object, S the similarity of the clusters of the same
    partition.  Provides what `partition.transfer_cut` needs.
    """

    def __init__(self, ensemble: Ensemble, similarity: np.ndarray) -> None:
        self.similarity = similarity
        self.ensemble, self.objects = ensemble, Bipartite(ensemble)
        self.shape = self.objects.shape

    def __matmul__(self, columns: np.ndarray) -> Any:
        return self.objects @ (self.similarity @ columns)

    def gram(self) -> csr_array:
        """RM' D^-1 RM with D the row sums of RM.

        D is the same for the graph in which the edges of each cluster have the weight r, the row
        sum of S.  So RM' D^-1 RM = S R^-1 (R B' D^-1 B R) R^-1 S, where the matrix in the middle
        is the one of that graph, summed exactly.
        """
        totals = self.similarity.sum(axis=1)
        weighted = Bipartite(self.ensemble, totals).gram().toarray()
        table = self.similarity / totals
        gram = table @ weighted @ table.T
        return csr_array((gram + gram.T) / 2)
