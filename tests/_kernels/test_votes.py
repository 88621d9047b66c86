"""Sums of table rows and their winners against a loop."""

import numpy as np
import pytest

from consens._kernels import COMPILED_FROM
from consens._labels import check_labels, cluster_sums, cluster_votes, offsets


@pytest.fixture(params=["scipy", "compiled"], autouse=True)
def path(request, monkeypatch):
    monkeypatch.setitem(COMPILED_FROM, "objects", 0 if request.param == "compiled" else 1e9)


def case(seed, n=600, order="F"):
    rng = np.random.default_rng(seed)
    labels = rng.integers(-2, 4, (n, 5))
    labels[:, 0] = rng.integers(0, 3, n)
    labels = np.array(check_labels(labels), order=order)
    starts = offsets(labels)
    return labels, starts, rng.normal(size=(starts[-1], 3))


def plain_sums(labels, starts, table):
    sums = np.zeros((len(labels), table.shape[1]))
    for i, row in enumerate(labels):
        for m, label in enumerate(row):
            if label >= 0:
                sums[i] += table[starts[m] + label]
    return sums


@pytest.mark.parametrize("order", ["F", "C"])
def test_sums_equal_the_plain_twin(order):
    labels, starts, table = case(0, order=order)
    np.testing.assert_allclose(
        cluster_sums(labels, starts, table), plain_sums(labels, starts, table), atol=1e-12
    )


def test_votes_are_for_the_largest_sum():
    labels, starts, table = case(1)
    expected = plain_sums(labels, starts, table).argmax(axis=1)
    np.testing.assert_array_equal(cluster_votes(labels, starts, table), expected)


def test_rounding_does_not_decide_a_tie():
    # 0.1 + 0.2 > 0.3 in floating point; and the other way round for the members reversed
    labels = np.array([[0, 0], [0, 0]])
    table = np.array([[0.3, 0.1], [0.0, 0.2]])
    np.testing.assert_array_equal(cluster_votes(labels, offsets(labels), table), [0, 0])


def test_a_part_of_the_rows_gives_a_part_of_the_sums():
    labels, starts, table = case(2)
    part = slice(100, 333)
    np.testing.assert_array_equal(
        cluster_sums(labels[part], starts, table), cluster_sums(labels, starts, table)[part]
    )
