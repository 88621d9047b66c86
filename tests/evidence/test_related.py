"""Co-association with similar clusters against the plain mean."""

import numpy as np
import pytest

from consens.evidence import coassociation
from consens.evidence.coassociation import related_coassociation
from tests.consensus._plain import plain_related, random_labels


@pytest.mark.parametrize("lowest", [0, -2])
def test_equal_to_the_plain_twin(lowest):
    labels = random_labels(0, lowest)
    n_clusters = int((labels.max(axis=0) + 1).sum())
    Z = np.random.default_rng(0).random((n_clusters, n_clusters))
    Z = (Z + Z.T) / 2
    np.testing.assert_allclose(related_coassociation(labels, Z), plain_related(labels, Z))


def test_clusters_like_themselves_only_give_the_coassociation():
    labels = np.random.default_rng(0).integers(-2, 3, (15, 5))  # noise is seen, but like nothing
    n_clusters = int((labels.max(axis=0) + 1).sum())
    np.testing.assert_allclose(
        related_coassociation(labels, np.eye(n_clusters)), coassociation(labels)
    )
