"""Dask collections, with the scheduler of this process; see test_cluster.py for a real cluster."""

import dask.array as da
import numpy as np
import pytest

from consens._blocks import as_rows, in_blocks, sum_rows
from consens.consensus import LWMC, MCLA


def noisy(n=300, m=5, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    labels = np.repeat(truth[:, None], m, axis=1)
    wrong = rng.random(labels.shape) < 0.3
    labels[wrong] = rng.integers(0, 5, wrong.sum())
    return labels


@pytest.mark.parametrize("method", [LWMC, MCLA])
@pytest.mark.parametrize("chunks", [(300,), (100, 200), (1, 99, 100, 100)], ids=str)
def test_labels_come_back_with_the_same_blocks(method, chunks):
    labels = noisy()
    expected = method(3, random_state=0).fit(labels)
    found = method(3, random_state=0).fit(da.from_array(labels, chunks=(chunks, 2)))
    assert isinstance(found.labels_, da.Array)
    assert found.labels_.chunks == found.confidence_.chunks == (chunks,)
    assert found.labels_.dtype == np.int32
    np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
    np.testing.assert_array_equal(found.confidence_.compute(), expected.confidence_)


def test_blocks_of_unknown_length_are_counted_and_empty_ones_left_out():
    array = da.from_array(np.arange(12).reshape(6, 2), chunks=(2, 2))
    rows = as_rows(array[array[:, 0] >= 4])
    assert rows.sizes == (2, 2)
    np.testing.assert_array_equal(rows.load(), np.arange(4, 12).reshape(4, 2))


def test_many_blocks_are_added_up_by_a_tree():
    rows = as_rows(da.arange(100, chunks=1))
    assert sum_rows(np.sum, rows) == 4950


def test_what_is_no_array_is_refused():
    import dask.bag

    assert in_blocks(dask.bag.from_sequence([1]))
    with pytest.raises(TypeError, match="expected a Dask array or data frame, got Bag"):
        as_rows(dask.bag.from_sequence([1]))


def test_results_come_one_at_a_time():
    made = []

    def make(block):
        made.append(len(block))
        return block

    rows = as_rows(da.arange(6, chunks=2))
    results = rows.collect(make)
    assert made == []
    next(results)
    assert made == [2]


def test_labels_that_were_edited_in_place_are_honoured():
    labels = noisy()
    found = LWMC(3, random_state=0).fit(da.from_array(labels, chunks=(100, 5))).labels_
    assert as_rows(found) is as_rows(found)
    found[found == 0] = 7
    expected = LWMC(3, random_state=0).fit(labels).labels_
    np.testing.assert_array_equal(as_rows(found).load(), np.where(expected == 0, 7, expected))


def test_a_sample_is_gathered_once_for_all_jobs():
    read = []

    def spy(block):
        read.append(len(block))
        return block

    rows = as_rows(da.arange(6, chunks=2)).map(spy, dtype=int)
    found = dict(rows.train(lambda job, sample: job * sample.sum(), [1, 2], np.array([1, 4])))
    assert found == {0: 5, 1: 10}
    assert read == [2, 2]  # of three blocks, the two that hold rows of the sample
