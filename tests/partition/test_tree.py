"""The order of merges, and the passes over them."""

import heapq

import numpy as np
import pytest

from consens.partition.tree import first_objects, merge_tree, order_merges


def random_merges(n, seed):
    """Merges of first objects, children before parents, with many equal similarities."""
    rng = np.random.default_rng(seed)
    top = dict.fromkeys(range(n), 1.0)
    merges = []
    while len(top) > 1:
        a, b = sorted(rng.choice(list(top), 2, replace=False).tolist())
        value = min(top[a], top.pop(b), float(rng.integers(0, 5)) / 4)
        top[a] = value
        merges.append((a, b, value))
    first, second, value = np.array(merges).T
    return first.astype(np.int64), second.astype(np.int64), value


@pytest.mark.parametrize("seed", range(5))
def test_the_best_merge_that_can_be_made_is_the_next(seed):
    first, second, value = random_merges(40, seed)
    made_by = {}
    parents, open_parts = [[] for _ in value], [0] * len(value)
    for t, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        for part in (a, b):
            if part in made_by:
                parents[made_by[part]].append(t)
                open_parts[t] += 1
        made_by[a] = t
    ready = [(-value[t], first[t], second[t], t) for t, k in enumerate(open_parts) if k == 0]
    heapq.heapify(ready)
    expected = []
    while ready:
        t = heapq.heappop(ready)[-1]
        expected.append(t)
        for parent in parents[t]:
            open_parts[parent] -= 1
            if open_parts[parent] == 0:
                heapq.heappush(ready, (-value[parent], first[parent], second[parent], parent))
    np.testing.assert_array_equal(order_merges(first, second, value), expected)


def test_equal_objects_go_before_other_pairs_of_the_same_similarity():
    first, second, value = np.array([2, 0, 0]), np.array([3, 1, 2]), np.array([0.5, 0.5, 0.1])
    np.testing.assert_array_equal(order_merges(first, second, value), [1, 0, 2])
    np.testing.assert_array_equal(order_merges(first, second, value, equal=1), [0, 1, 2])


def test_similarities_within_the_slack_are_ties():
    first, second = np.array([1, 0, 0]), np.array([3, 2, 1])
    value = np.array([0.5 + 1e-15, 0.5, 0.1])
    np.testing.assert_array_equal(order_merges(first, second, value), [0, 1, 2])
    np.testing.assert_array_equal(order_merges(first, second, value, slack=1e-12), [1, 0, 2])


def test_hand_worked_tree():
    # {2, 3}, then {1, 2, 3}, then all
    edges = np.array([2, 1, 0]), np.array([3, 3, 2])
    groups = first_objects(*edges)
    np.testing.assert_array_equal(groups, [[2, 1, 0], [3, 2, 1]])
    np.testing.assert_array_equal(
        merge_tree(*groups, np.array([1, 0.5, 0.25])),
        [[2, 3, 0, 2], [1, 4, 0.5, 3], [0, 5, 0.75, 4]],
    )
