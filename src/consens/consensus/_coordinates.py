"""What methods on relative coordinates P(C | x) share (Domeniconi and Al-Razgan 2009)."""

from __future__ import annotations

from numbers import Real

from consens.consensus._base import BaseConsensus
from consens.constraints import Interval, one_of, rules
from consens.generate import LACEnsemble


class CoordinateConsensus(BaseConsensus):
    """Base of methods that partition a graph of relative coordinates."""

    n_clusters: int

    _parameter_constraints = rules(
        partitioner=one_of("metis", "spectral"),
        smoothing=[Interval(Real, 0, None, closed="neither"), *one_of("auto")],
    )

    def default_generator(self) -> LACEnsemble:
        """Members that weigh features, of as many clusters as the consensus.

        Returns
        -------
        LACEnsemble
        """
        return LACEnsemble(self.n_clusters)
