"""Latent-class consensus: EM against a plain twin, its likelihood, missing labels, BIC."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consens import MISSING, NOISE, Ensemble
from consens._labels import check_labels
from consens._numerics.latent_classes import (
    LabelVectors,
    expect,
    expectation_maximization,
    maximize,
)
from consens.consensus import LatentEM
from consens.measure import ari, error_rate


def planted(k=3, n=200, n_members=8, flips=0.25, seed=0):
    """Members that err independently of each other, as the model assumes."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n) % k)
    labels = np.repeat(truth[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, k, wrong.sum())
    return labels, truth


def random_vectors(seed, n=12, n_members=4, k=3):
    labels = np.random.default_rng(seed).integers(MISSING, k, (n, n_members))
    labels[:, 0] = np.arange(n) % k  # so that every row and column holds a cluster
    return check_labels(labels)


def plain_m_step(labels, weights):
    """α_m and θ_jm(c) by loops over objects; θ[j][m][c]."""
    n, k = weights.shape
    alpha = weights.sum(axis=0) / n
    theta = []
    for column in labels.T:
        n_labels = column.max() + 1
        table = np.zeros((k, n_labels))
        for i, c in enumerate(column):
            if c >= 0:
                table[:, c] += weights[i]
        totals = table.sum(axis=1, keepdims=True)
        theta.append(np.where(totals > 0, table / np.where(totals > 0, totals, 1), 1 / n_labels))
    return alpha, theta


def plain_e_step(labels, alpha, theta):
    joint = np.array(
        [
            [
                alpha[m] * np.prod([theta[j][m][c] for j, c in enumerate(row) if c >= 0])
                for m in range(len(alpha))
            ]
            for row in labels
        ]
    )
    return joint / joint.sum(axis=1, keepdims=True), np.log(joint.sum(axis=1))


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 4))
def test_steps_equal_their_plain_twins(seed, k):
    labels = random_vectors(seed)
    weights = np.random.default_rng(seed).dirichlet(np.ones(k), len(labels))
    vectors = LabelVectors.of(labels, np.ones(len(labels)))
    alpha, theta = maximize(vectors, weights)
    plain_alpha, plain_theta = plain_m_step(labels, weights)
    np.testing.assert_allclose(alpha, plain_alpha, atol=1e-12)
    np.testing.assert_allclose(theta, np.concatenate([t.T for t in plain_theta]), atol=1e-12)
    probabilities, evidence = expect(vectors, alpha, theta)
    expected, plain_evidence = plain_e_step(labels, plain_alpha, plain_theta)
    np.testing.assert_allclose(probabilities, expected, atol=1e-9)
    np.testing.assert_allclose(evidence, plain_evidence, atol=1e-9)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 4))
def test_the_likelihood_never_falls(seed, k):
    labels = random_vectors(seed)
    vectors = LabelVectors.of(labels, np.ones(len(labels)))
    start = vectors.start(k, np.random.default_rng(seed))
    np.testing.assert_allclose(start.sum(axis=1), 1)
    steps = [
        expectation_maximization(vectors, start, max_iter, tol=0).log_likelihood
        for max_iter in (1, 2, 3, 5, 8, 13)
    ]
    assert (np.diff(steps) >= -1e-9).all()


def test_hand_worked_mixture():
    # members agree and are certain: α is the share of objects, every θ is 0 or 1
    em = LatentEM(2, random_state=0).fit(np.array([[0, 1], [0, 1], [0, 1], [1, 0]]))
    np.testing.assert_allclose(em.mixing_, [0.75, 0.25])
    np.testing.assert_array_equal(em.labels_, [0, 0, 0, 1])
    log_likelihood = 3 * np.log(0.75) + np.log(0.25)
    assert em.log_likelihood_ == pytest.approx(log_likelihood)
    # free: 1 proportion, and one probability for each of 2 components and 2 members
    assert em.bic_ == pytest.approx(5 * np.log(4) - 2 * log_likelihood)


def test_fitted_probabilities_form_a_distribution_over_label_vectors():
    labels = random_vectors(3, n=15, n_members=3)
    labels = np.where(labels < 0, 0, labels)
    vectors = LabelVectors.of(labels, np.ones(15))
    fit = expectation_maximization(vectors, vectors.start(2, np.random.default_rng(0)), 20, 1e-9)
    n_labels = labels.max(axis=0) + 1
    every = np.array(list(product(*map(range, n_labels))))
    _, evidence = expect(LabelVectors.of(every, np.ones(len(every))), fit.mixing, fit.theta)
    assert np.exp(evidence).sum() == pytest.approx(1)


def test_repeated_vectors_weigh_as_often_as_they_occur():
    labels, _ = planted(n=60)
    once = LatentEM(3, random_state=0).fit(labels)
    twice = LatentEM(3, random_state=0).fit(np.concatenate([labels, labels]))
    assert twice.log_likelihood_ == pytest.approx(2 * once.log_likelihood_)
    np.testing.assert_array_equal(twice.labels_[:60], once.labels_)


def test_what_is_not_in_a_cluster_is_left_out_of_the_likelihood():
    labels = np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [1, NOISE, MISSING]])
    em = LatentEM(2, tol=1e-12, random_state=0).fit(labels)
    np.testing.assert_array_equal(em.labels_, [0, 0, 1, 1, 1])
    assert em.log_likelihood_ == pytest.approx(2 * np.log(0.4) + 3 * np.log(0.6))


def test_recovers_components_better_than_the_best_member():
    labels, truth = planted(flips=0.4)
    members = [error_rate(truth, member) for member in labels.T]
    assert error_rate(truth, LatentEM(3, random_state=0).fit_predict(labels)) < min(members) / 2


@pytest.mark.parametrize("k", [1, 2, 4])
def test_bic_finds_the_number_of_components_of_independent_members(k):
    labels, _ = planted(k=k)
    em = LatentEM(max_clusters=6, random_state=0).fit(labels)
    assert em.n_clusters_ == k == min(em.bics_, key=em.bics_.get)
    assert em.bic_ == em.bics_[k]
    # one cluster in one member: no more than one component can be told apart
    assert list(em.bics_) == ([1] if k == 1 else list(range(1, 7)))


def test_more_starts_never_lower_the_likelihood():
    labels, _ = planted(k=5, n=120, flips=0.5)
    fits = [LatentEM(5, n_init=n, random_state=0).fit(labels).log_likelihood_ for n in (1, 3, 9)]
    assert fits == sorted(fits)


def test_probabilities_follow_the_numbers_of_the_clusters():
    labels, _ = planted()
    labels[7] = NOISE
    em = LatentEM(3, random_state=0).fit(labels)
    assert em.probabilities_.shape == (199, 3)
    np.testing.assert_allclose(em.probabilities_.sum(axis=1), 1)
    np.testing.assert_array_equal(em.probabilities_.argmax(axis=1), np.delete(em.labels_, 7))
    assert em.mixing_.sum() == pytest.approx(1)


def test_as_many_clusters_as_asked_although_the_mixture_needs_fewer():
    # members that are independent of each other: one component explains them
    labels = np.array(list(product(range(3), range(3), range(2))))
    for k in (2, 5, 18):
        assert LatentEM(k, random_state=0).fit(labels).n_clusters_ == k


def test_many_members_do_not_underflow():
    labels, truth = planted(n=40, n_members=3000, flips=0.5)
    em = LatentEM(3, random_state=0).fit(Ensemble(labels))
    assert np.isfinite(em.log_likelihood_)
    assert ari(em.labels_, truth) == 1
