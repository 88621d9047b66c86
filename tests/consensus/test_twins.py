"""Each method is worked out by hand on a small case, and equal to a plain and slow twin."""

import importlib
from itertools import combinations, product

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from consens import consensus
from consens.consensus import (
    CSPA,
    ECCMS,
    GPMGLA,
    HBGF,
    HGPA,
    KCC,
    LWEA,
    LWGP,
    PTA,
    PTGP,
    SDGCA,
    SEC,
    USENC,
    WEAC,
    WSBPA,
    CoassociationKMeans,
)
from consens.generate import LACEnsemble
from consens.measure import ari
from tests.consensus._plain import (
    check_merges,
    cluster_sets,
    noisy_labels,
    plain_jaccard,
    random_labels,
)
from tests.evidence.test_link_analysis import plain_triples

#: The plain twin of a method and a case worked out by hand, here or in its own test file, if their
#: names there do not say "twin" and "hand".
TESTS = {
    "CSPA": ("test_no_balanced_cut_is_lighter", "test_five_objects_by_hand"),
    "CTS": ("test_every_merge_is_the_best_available_pair", "test_worked_out_by_hand"),
    "CoassociationKMeans": (
        "test_no_partition_of_the_rows_is_closer",
        "test_squares_of_five_rows_by_hand",
    ),
    "CosineLWEA": ("test_every_merge_is_the_best_available_pair", "test_weights_by_hand"),
    "DrawnConsensus": (
        "test_each_draw_is_a_consensus_of_drawn_members",
        "test_objects_settle_where_they_are_together_most",
    ),
    "EAC": (
        "test_every_merge_is_the_best_available_pair",
        "test_hand_worked_height_of_average_link",
    ),
    "ECCMS": ("test_equal_to_the_dense_iteration", "TestFiveObjectsByHand"),
    "ECPCS": ("test_every_merge_is_the_best_available_pair", "test_worked_out_by_hand"),
    "GPMGLA": ("test_bipartite_cut_of_the_plain_twin", "test_five_objects_by_hand"),
    "HBGF": ("test_bipartite_cut_of_the_plain_twin", "test_five_objects_by_hand"),
    "HGPA": ("test_no_balanced_cut_is_lighter", "test_five_objects_by_hand"),
    "KCC": (
        "test_no_partition_of_a_small_ensemble_has_a_higher_utility",
        "test_utility_of_four_objects_by_hand",
    ),
    "LCE": ("test_it_is_the_spectral_cut_of_the_whole_graph", "test_links_worked_out_by_hand"),
    "LWEA": (
        "test_every_merge_is_the_best_available_pair",
        "test_weighted_heights_of_four_objects_by_hand",
    ),
    "LWGP": ("test_bipartite_cut_of_the_plain_twin", "test_five_objects_by_hand"),
    "MCLA": ("test_objects_go_to_their_largest_association", "test_strehl_and_ghosh_example"),
    "NMFConsensus": (
        "test_equal_to_dense_updates",
        "test_the_first_update_worked_out_by_hand",
    ),
    "PTA": ("test_similarity_equals_the_plain_twin", "test_trajectories_by_hand"),
    "PTGP": (
        "test_it_is_the_cut_of_mean_similarities",
        "test_eight_objects_worked_out_by_hand",
    ),
    "SDGCA": (
        "test_every_merge_is_that_of_the_definition",
        "test_eight_objects_worked_out_by_hand",
    ),
    "SEC": (
        "test_no_partition_of_a_small_ensemble_has_a_lighter_normalised_cut",
        "test_normalised_cut_of_four_objects_by_hand",
    ),
    "USENC": (
        "test_bipartite_cut_of_the_plain_twin",
        "test_eight_objects_worked_out_by_hand",
    ),
    "Voting": (
        "test_renaming_shares_as_many_objects_as_the_best_of_all_renamings",
        "test_hand_worked_plurality",
    ),
    "WBPA": (
        "test_joint_is_spectral_clustering_of_objects_and_clusters",
        "test_certain_memberships_are_the_graph_of_hbgf",
    ),
    "WEAC": ("test_every_weighted_merge_is_the_best_pair", "test_weights_of_members_by_hand"),
    "WSBPA": ("test_weighted_centers_of_the_plain_twin", "TestByHand"),
    "WSPA": ("test_it_is_evidence_and_partitioner", "test_certain_memberships_are_votes"),
}


@pytest.mark.parametrize("method", consensus.METHODS)
def test_every_method_has_both(method):
    file = consensus.get_method(method).__module__.rpartition(".")[2]
    own = vars(importlib.import_module(f"tests.consensus.test_{file}"))
    if method in TESTS:
        assert set(TESTS[method]) <= {*own, *globals()}
    else:
        assert any("twin" in name for name in own)
        assert any("hand" in name for name in own)


# ------------------------------------------------------------------------------ plain twins


def plain_indicator(labels):
    return np.array(
        [[float(i in own) for _, own in cluster_sets(labels)] for i in range(len(labels))]
    )


def plain_coassociation(labels, weights):
    return np.array([[np.average(a == b, weights=weights) for a in labels] for b in labels])


def plain_reliability(labels, theta):
    """exp(-H / (θ M)) of each cluster, H the entropy of its objects in all members."""
    found = []
    for _, own in cluster_sets(labels):
        rows = labels[sorted(own)]
        shares = [np.unique(c, return_counts=True)[1] / len(own) for c in rows.T]
        entropy = -sum((p * np.log2(p)).sum() for p in shares)
        found.append(np.exp(-entropy / (theta * labels.shape[1])))
    return np.array(found)


def plain_agreement(labels):
    """Mean NMI of each member with the others, over the largest."""
    nmi = np.array(
        [
            [normalized_mutual_info_score(a, b, average_method="geometric") for a in labels.T]
            for b in labels.T
        ]
    )
    np.fill_diagonal(nmi, 0)
    return nmi.sum(axis=1) / nmi.sum(axis=1).max()


def plain_bipartite_cut(B, k):
    """Objects by the leading eigenvectors of the graph of all vertices, and k-means."""
    n, c = B.shape
    graph = np.block([[np.zeros((n, n)), B], [B.T, np.zeros((c, c))]])
    degrees = graph.sum(axis=1)
    vectors = np.linalg.eigh(graph / np.sqrt(np.outer(degrees, degrees)))[1][:, -k:]
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return KMeans(k, n_init=20, random_state=0).fit_predict(rows)[:n]


def plain_gpmgla(labels, alpha, beta):
    """Objects by clusters above clusters by clusters; rows weigh as much as their degree."""
    weights = np.repeat(plain_agreement(labels) ** beta, labels.max(axis=0) + 1)
    return np.vstack(
        [plain_indicator(labels) * alpha * weights, plain_triples(plain_jaccard(labels), weights)]
    )


BIPARTITE = {
    "HBGF": (HBGF, plain_indicator),
    "USENC": (USENC, plain_indicator),
    "LWGP": (LWGP, lambda labels: plain_indicator(labels) * plain_reliability(labels, 0.4)),
    "GPMGLA": (GPMGLA, lambda labels: plain_gpmgla(labels, 0.5, 2)),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", BIPARTITE)
def test_bipartite_cut_of_the_plain_twin(name, seed):
    method, weights = BIPARTITE[name]
    labels = noisy_labels(seed)
    given = {"LWGP": {"theta": 0.4}, "GPMGLA": {"alpha": 0.5, "beta": 2}}.get(name, {})
    found = method(3, random_state=0, **given).fit_predict(labels)
    expected = plain_bipartite_cut(weights(labels), 3)[: len(labels)]
    assert ari(found, expected) == 1


def similarity_cut(labels, parts):
    S = plain_coassociation(labels, None)
    return S[parts[:, None] != parts].sum() / 2


def torn_clusters(labels, parts):
    return sum(len({parts[i] for i in own}) - 1 for _, own in cluster_sets(labels))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("method", "cost"), [(CSPA, similarity_cut), (HGPA, torn_clusters)])
def test_no_balanced_cut_is_lighter(method, cost, seed):
    """Single moves keep the balance of 4 to 6 of ten objects."""
    labels = np.repeat(np.repeat([0, 1], 5)[:, None], 5, axis=1)
    wrong = np.random.default_rng(seed).random(labels.shape) < 0.2
    labels = labels ^ wrong
    found = method(2, imbalance=0.25, merge_equal=False, random_state=0).fit_predict(labels)
    assert np.bincount(found).min() >= 4
    parts = (
        np.isin(np.arange(10), part) * 1
        for size in (4, 5)
        for part in combinations(range(10), size)
    )
    assert cost(labels, found) == pytest.approx(min(cost(labels, part) for part in parts))


def plain_squares(rows, parts):
    return sum(((rows[parts == c] - rows[parts == c].mean(axis=0)) ** 2).sum() for c in set(parts))


@pytest.mark.parametrize("seed", range(3))
def test_no_partition_of_the_rows_is_closer(seed):
    labels = random_labels(seed, n=9, n_members=5, k=3)
    rows = plain_coassociation(labels, None)
    every = (np.array(parts) for parts in product(range(2), repeat=9))
    best = min(plain_squares(rows, parts) for parts in every if len(set(parts)) == 2)
    found = CoassociationKMeans(2, n_init=20, random_state=0).fit(labels)
    assert plain_squares(rows, found.labels_) == pytest.approx(best)


@pytest.mark.parametrize("beta", [0.5, 2])
@pytest.mark.parametrize("linkage", ["average", "single", "complete"])
def test_every_weighted_merge_is_the_best_pair(linkage, beta):
    labels = noisy_labels(0, n=25)
    join = {"average": np.mean, "single": np.max, "complete": np.min}[linkage]
    similarity = plain_coassociation(labels, plain_agreement(labels) ** beta)
    check_merges(WEAC(3, linkage=linkage, beta=beta).fit(labels).linkage_, similarity, join)


def test_weighted_centers_of_the_plain_twin():
    """Eq. 14 and 15: weights are means over the clusters of a part, centers over its objects."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[20:40, 0] += 8
    X[40:, 1] += 8
    E = LACEnsemble(3, inverse_h=[1, 3, 9], random_state=0).fit_transform(X)
    model = WSBPA(3, random_state=0).fit(E)
    own = np.vstack([entries["weights"] for entries in E.payload])
    centers = np.array([X[model.partition_ == part].mean(axis=0) for part in range(3)])
    weights = np.array([own[model.cluster_labels_ == part].mean(axis=0) for part in range(3)])
    np.testing.assert_allclose(model.cluster_centers_, centers)
    np.testing.assert_allclose(model.feature_weights_, weights)
    for i, x in enumerate(X):
        distances = [(w * (x - c) ** 2).sum() for c, w in zip(centers, weights, strict=True)]
        assert model.labels_[i] == np.argmin(distances)


# ------------------------------------------------------------------------------ by hand

#: Partitions {012, 34}, {01, 234} and {012, 34} again.
FIVE = np.array([[0, 0, 2], [0, 0, 2], [0, 1, 2], [1, 1, 0], [1, 1, 0]])
#: Partitions {012, 3} and {01, 23}.
FOUR = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])


@pytest.mark.parametrize("method", [CSPA, HGPA, HBGF, USENC, LWGP, GPMGLA])
def test_five_objects_by_hand(method):
    """Between 012 and 34 there is the second partition only, which puts 2 with 3 and 4.

    This cut leaves one cluster in two parts, one edge between objects and clusters, and similarity
    of 2/3; that of 01 and 234 two clusters, two edges, and 4/3.  All others cut more.
    """
    found = method(2, random_state=0).fit_predict(FIVE)
    np.testing.assert_array_equal(found, [0, 0, 0, 1, 1])


def test_squares_of_five_rows_by_hand():
    """Rows (1, 1, 1/2, 0, 0) twice, (1/2, 1/2, 1, 1/2, 1/2), (0, 0, 1/2, 1, 1) twice.

    In each of five columns the first three rows are 1/2 apart from 1, 1 or 0, 0: squares of 1/6.
    """
    labels = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    model = CoassociationKMeans(2, n_init=10, random_state=0).fit(labels)
    assert model.inertia_ == pytest.approx(5 / 6)


def test_utility_of_four_objects_by_hand():
    """With {01, 23}: 1 - 1/2 of its copy, and (1 + 1/2) / 2 - 10/16 of {012, 3}."""
    model = KCC(2, utility="category", n_init=10, random_state=0).fit(FOUR)
    np.testing.assert_array_equal(model.labels_, [0, 0, 1, 1])
    assert model.utility_ == pytest.approx((1 / 2 + 1 / 8) / 2)


def test_weighted_heights_of_four_objects_by_hand():
    """{012} is split 2 : 1 by the other partition, {23} 1 : 1; θ M is 1."""
    split = 2 / 3 * np.log2(3 / 2) + 1 / 3 * np.log2(3)
    a, b = np.exp(-split), np.exp(-1)
    model = LWEA(2, theta=0.5).fit(FOUR)
    # S(0, 1) = (a + 1) / 2; S(0, 2) = S(1, 2) = a / 2; S(2, 3) = b / 2, and nothing else
    np.testing.assert_allclose(model.linkage_[:, 2], [1 - (a + 1) / 2, 1 - a / 2, 1 - b / 6])
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1])


def test_normalised_cut_of_four_objects_by_hand():
    """Similarities, in clusters shared: 2 with itself and 01, 1 for 02, 12 and 23.

    Objects have 5, 5, 5 and 3.  {012, 3} keeps 14/15 + 2/3 = 1.6, {01, 23} 8/10 + 6/8.  The sum of
    squares is 2 (1/5 + 1/5 + 1/5 + 1/3) less this.
    """
    model = SEC(2, n_init=10, random_state=0).fit(FOUR)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1])
    assert model.inertia_ == pytest.approx(28 / 15 - 24 / 15)


@pytest.mark.parametrize("method", [PTA, PTGP])
def test_trajectories_by_hand(method):
    """Microclusters {01}, {2} and {3}; those at the ends go to {2} with certainty.

    So {01} and {3} have the same trajectory, at right angles to that of {2}.
    """
    found = method(2, n_neighbors=1, n_steps=1).fit_predict(FOUR)
    np.testing.assert_array_equal(found, [0, 0, 1, 0])


def test_weights_of_members_by_hand():
    """Two equal members, and one that knows nothing of them: weights 1, 1 and 0."""
    labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    model = WEAC(2).fit(labels)
    np.testing.assert_allclose(model.member_weights_, [1, 1, 0], atol=1e-12)
    np.testing.assert_allclose(model.linkage_[:, 2], [0, 0, 1], atol=1e-12)


@pytest.mark.parametrize("method", [ECCMS, SDGCA])
def test_members_that_agree_by_hand(method):
    """Then similarities are 1 or 0 from the beginning, and nothing is left to spread."""
    labels = np.repeat(np.repeat([0, 1, 2], [3, 2, 2])[:, None], 3, axis=1)
    model = method(3).fit(labels)
    np.testing.assert_allclose(model.linkage_[:, 2], [0, 0, 0, 0, 1, 1], atol=1e-6)
    np.testing.assert_array_equal(model.labels_, labels[:, 0])
