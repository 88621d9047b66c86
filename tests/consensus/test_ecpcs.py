"""Propagated cluster similarities: both forms against the definition."""

import numpy as np
import pytest

from consens._blocks import Rows
from consens.consensus import ECPCS
from consens.measure import ari
from consens.partition.spectral import ncut
from tests.consensus._plain import (
    check_merges,
    cluster_sets,
    noisy_labels,
    plain_jaccard,
    plain_related,
    plain_walks,
    random_labels,
)


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("n_steps", [1, 2, 20])
def test_every_merge_is_the_best_available_pair(n_steps, lowest):
    labels = random_labels(0, lowest)
    ecpcs = ECPCS(3, n_steps=n_steps).fit(labels)
    check_merges(
        ecpcs.linkage_, plain_related(labels, plain_walks(plain_jaccard(labels), n_steps))
    )


def test_worked_out_by_hand():
    """Partitions A = {012, 3} and B = {01, 23}, one step.

    From A1 the walk goes to B1 and B2 with probabilities 8/11 and 3/11, from A2 to B2; from B1 to
    A1, from B2 to A1 and A2 with probabilities 1/3 and 2/3.
    """
    ecpcs = ECPCS(2, n_steps=1).fit(np.array([[0, 0], [0, 0], [0, 1], [1, 1]]))
    a, b = 3 / np.sqrt(73), 1 / np.sqrt(5)  # cosines of the clusters of A, and of B
    last = (2 * (a + b) / 2 + (a + 1) / 2) / 3
    np.testing.assert_allclose(ecpcs.linkage_[:, 2], [0, 1 - (1 + b) / 2, 1 - last], atol=1e-12)


def plain_vote(labels, meta):
    """Meta-cluster with the largest share of clusters that hold the object."""
    clusters = cluster_sets(labels)
    scores = np.zeros((len(labels), meta.max() + 1))
    for x in range(len(labels)):
        for j in range(meta.max() + 1):
            own = [objects for (m, objects), part in zip(clusters, meta, strict=True)
                   if part == j and labels[x, m] != -2]  # fmt: skip
            scores[x, j] = np.mean([x in objects for objects in own]) if own else 0
    return scores.argmax(axis=1)


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("seed", range(3))
def test_meta_clusters_are_the_cut_of_the_propagated_graph(seed, lowest):
    labels = noisy_labels(seed, lowest)
    Z = plain_walks(plain_jaccard(labels), 20)
    Z[Z <= 1e-6] = 0
    meta = ncut(Z, 3, offset=0.5, n_init=len(Z))
    ecpcs = ECPCS(3, form="meta").fit(labels)
    assert ari(ecpcs.meta_clusters_, meta) == 1
    assert ari(ecpcs.labels_, plain_vote(labels, meta)) == 1
    assert not hasattr(ecpcs, "linkage_")


def test_the_seed_makes_no_difference():
    labels = noisy_labels(9)
    first = ECPCS(4, form="meta", random_state=0).fit_predict(labels)
    for seed in range(1, 4):
        again = ECPCS(4, form="meta", random_state=seed).fit_predict(labels)
        np.testing.assert_array_equal(again, first)


def test_a_cluster_apart_from_all_others_is_like_itself_only():
    """One partition: no cluster has an edge, and its members stay together all the same."""
    labels = np.array([[0], [0], [1], [2]])
    np.testing.assert_allclose(ECPCS(3).fit(labels).linkage_[:, 2], [0, 1, 1])
    np.testing.assert_array_equal(ECPCS(3, form="meta").fit_predict(labels), [0, 0, 1, 2])


@pytest.mark.parametrize("lowest", [0, -2])
def test_the_meta_form_works_in_blocks(lowest):
    labels = noisy_labels(2, lowest)
    whole = ECPCS(3, form="meta").fit(labels)
    parts = ECPCS(3, form="meta").fit(Rows.from_array(labels, [20, 1, 39]))
    np.testing.assert_array_equal(parts.labels_, whole.labels_)
    np.testing.assert_array_equal(parts.memberships_, whole.memberships_)
    with pytest.raises(TypeError, match="use form='meta'"):
        ECPCS(3).fit(Rows.from_array(labels, [30, 30]))
