"""Graph partitioning by probability trajectories against the matrix."""

import numpy as np
import pytest

from consens.consensus import PTGP
from consens.measure import ari
from consens.partition.bipartite_cut import transfer_cut
from tests.consensus._plain import noisy_labels, numbers, plain_trajectories


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_cut_of_mean_similarities(seed, lowest):
    labels = noisy_labels(seed, lowest)
    ptgp = PTGP(3, n_neighbors=6, n_steps=6, random_state=0).fit(labels)
    rows, inverse, PTS = plain_trajectories(labels, 6, 6)
    own = numbers(rows)
    b = np.array(
        [
            [PTS[i, (own == C).any(axis=1)].mean() for C in range(own.max() + 1)]
            for i in range(len(rows))
        ]
    )
    cut = transfer_cut(b, 3)
    assert ari(ptgp.labels_, cut.objects[inverse]) == 1
    assert ari(ptgp.cluster_labels_, cut.clusters) == 1
