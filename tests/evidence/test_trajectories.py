"""Random walks against the powers of the transition matrix."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consens.evidence.trajectories import trajectory_similarity
from tests.consensus._plain import plain_walks


def random_graph(seed, share, n=12):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < share), 1)
    return W + W.T


@pytest.mark.parametrize("share", [0.05, 0.9])
@pytest.mark.parametrize("n_steps", [1, 3, 20])
def test_equal_to_the_plain_twin(share, n_steps):
    W = random_graph(0, share, n=20)
    assert (np.count_nonzero(W) < 0.1 * W.size) == (share < 0.5)  # few edges or many
    Z = trajectory_similarity(W, n_steps)
    np.testing.assert_allclose(Z, plain_walks(W, n_steps), atol=1e-12)
    np.testing.assert_array_equal(Z, Z.T)
    np.testing.assert_array_equal(trajectory_similarity(csr_array(W), n_steps), Z)


def test_loops_are_ignored():
    W = random_graph(1, 0.5)
    np.testing.assert_array_equal(
        trajectory_similarity(W + np.eye(len(W))), trajectory_similarity(W)
    )


def test_a_heavy_vertex_is_visited_more_often():
    """From the middle of a path with ends of weights 3 and 1 the walk goes there 3 : 1."""
    W = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    Z = trajectory_similarity(W, 2, vertex_weights=np.array([3, 1, 1, 1]))
    # after one step the ends are in the middle, after two at the ends, 3 : 1: equal trajectories
    np.testing.assert_allclose(Z[0, 2], 1)
    np.testing.assert_array_equal(Z[3], 0)  # no edges
    expected = trajectory_similarity(W * np.array([3, 1, 1, 1]) * [[3], [1], [1], [1]], 2)
    np.testing.assert_allclose(Z, expected)
