"""Soft forms of CSPA, MCLA and HBGF: memberships instead of labels (Punera and Ghosh 2008)."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture

from consens import MISSING, NOISE, Ensemble
from consens._labels import cluster_overlap, unique_rows
from consens.consensus import CSPA, HBGF, MCLA
from consens.consensus._soft import SoftRows, extended_jaccard, mean_memberships, similarity_graph
from consens.evidence import coassociation_graph
from consens.evidence.link_analysis import jaccard
from consens.generate import MixtureEnsemble
from consens.measure import ari

METHODS = [
    CSPA(3, random_state=0),
    CSPA(3, partitioner="spectral", random_state=0),
    MCLA(3, random_state=0),
    MCLA(3, merge_equal=False, balance="objects", random_state=0),
    HBGF(3, random_state=0),
    HBGF(3, partitioner="metis", random_state=0),
]


def as_memberships(labels):
    """Ensemble whose members hold memberships of 0 and 1."""
    E = Ensemble.from_labels(labels)
    payload = [{"memberships": np.eye(k)[np.maximum(column, 0)]} for k, column in
               zip(E.n_clusters, E.labels.T, strict=True)]  # fmt: skip
    return Ensemble(E.labels, payload=payload)


def noisy_labels(seed, n=60, codes=False):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(3), n // 3)
    labels = np.where(rng.random((n, 8)) < 0.15, rng.integers(0, 4, (n, 8)), truth[:, None])
    if codes:
        labels[rng.random(labels.shape) < 0.1] = MISSING
        labels[rng.random(labels.shape) < 0.05] = NOISE
    return labels


@pytest.mark.parametrize("codes", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_graphs_of_memberships_0_and_1_are_those_of_labels(seed, codes):
    E = as_memberships(noisy_labels(seed, codes=codes))
    rows = SoftRows.of(E, at_least=len(E) + 1)
    np.testing.assert_allclose(
        similarity_graph(rows, None, diagonal=False).toarray(), coassociation_graph(E).toarray()
    )
    hard = jaccard(cluster_overlap(E.labels)).toarray()
    np.testing.assert_allclose(extended_jaccard(rows), hard)
    merged = SoftRows.of(E)
    assert len(merged.counts) == len(unique_rows(np.maximum(E.labels, MISSING)).rows)
    np.testing.assert_allclose(extended_jaccard(merged), hard)


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_memberships_0_and_1_give_the_hard_form(method, seed):
    E = as_memberships(noisy_labels(seed))
    hard, soft = method.fit(E), clone(method).set_params(soft=True).fit(E)
    if getattr(method, "partitioner", "") in ("metis", "pmetis"):  # a heuristic
        assert ari(soft.labels_, hard.labels_) > 0.9
    else:
        np.testing.assert_array_equal(soft.labels_, hard.labels_)
        np.testing.assert_allclose(soft.confidence_, hard.confidence_)


def test_similarities_by_hand():
    soft = [np.array([[0.9, 0.1], [0.6, 0.4], [0.0, 1.0]]), np.array([[1.0], [1.0], [0.0]])]
    labels = np.array([[0, 0], [0, 0], [1, MISSING]])
    E = Ensemble(labels.astype(np.int32), payload=[{"memberships": own} for own in soft])
    rows = SoftRows.of(E)
    rows = SoftRows(*(value[rows.inverse] if value is rows.memberships or value is rows.seen
                      else value for value in rows))._replace(counts=np.ones(3))  # fmt: skip
    graph = similarity_graph(rows, None, diagonal=False).toarray()
    # objects 0 and 1: (0.54 + 0.04) of the first member and 1 of the second
    assert graph[0, 1] == pytest.approx((0.58 + 1.0) / 2)
    assert graph[0, 2] == pytest.approx(0.1)  # the second member did not see object 2
    assert graph[1, 2] == pytest.approx(0.4)
    found = extended_jaccard(rows)
    # columns (0.9, 0.6, 0) and (0.1, 0.4, 1): 0.33 / (1.17 + 1.17 - 0.33)
    assert found[0, 1] == pytest.approx(0.33 / (1.17 + 1.17 - 0.33))
    # the second member saw objects 0 and 1 only: 1.5 / (1.17 + 2 - 1.5)
    assert found[0, 2] == pytest.approx(1.5 / (1.17 + 2 - 1.5))
    means = mean_memberships(rows, np.array([0, 1, 0]), 2)
    np.testing.assert_allclose(means, [[0.95, 0.1], [0.8, 0.4], [0.0, 1.0]])


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_memberships_say_more_than_labels(method):
    X, y = make_blobs(150, centers=3, cluster_std=1.2, random_state=3)
    mixtures = [GaussianMixture(3, random_state=seed).fit(X) for seed in range(6)]
    payload = [{"memberships": mixture.predict_proba(X)} for mixture in mixtures]
    labels = np.column_stack([own["memberships"].argmax(axis=1) for own in payload])
    E = Ensemble(labels.astype(np.int32), payload=payload)
    found = clone(method).set_params(soft=True).fit(E)
    assert ari(found.labels_, y) > 0.9
    assert ((found.confidence_ > 0) & (found.confidence_ <= 1)).all()
    assert found.memberships_.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_labels_alone_have_no_memberships(method):
    with pytest.raises(ValueError, match="soft 'memberships'"):
        clone(method).set_params(soft=True).fit(noisy_labels(0))


def test_mixtures_keep_their_memberships():
    X, y = make_blobs(150, centers=3, cluster_std=1.2, random_state=3)
    generator = MixtureEnsemble(8, n_clusters=(2, 4), soft=True, random_state=0)
    E = generator.fit_transform(X)
    for column, entries in zip(E.labels.T, E.payload, strict=True):
        assert entries["memberships"].sum(axis=1) == pytest.approx(1.0)
        np.testing.assert_array_equal(entries["memberships"].argmax(axis=1), column)
    assert len(generator.transform(X[:5]).payload[0]["memberships"]) == 5
    assert ari(MCLA(3, soft=True, random_state=0).fit_predict(E), y) > 0.9
    assert "memberships" not in MixtureEnsemble(2, random_state=0).fit_transform(X).payload[0]
