"""Consensus of a draw of members: locally weighted co-association, average link, and a cut.

Members are rows of codes from `contingency.encode` with noise: for a member of width w, code
w - 1 is noise, w is missing, and smaller codes are clusters.
"""

import numpy as np

from consens._kernels._njit import njit
from consens._kernels.information import _by_cluster, cluster_entropies


def weighted_merges(
    members: np.ndarray, widths: np.ndarray, theta: float
) -> tuple[np.ndarray, np.ndarray]:
    """Average-link merges of `LWEA`, best first: the objects that represent the two groups."""
    first, second, value = _average_merges(_coassociation(members, widths, theta))
    order = np.argsort(-value, kind="stable")
    return first[order], second[order]


@njit
def _coassociation(members: np.ndarray, widths: np.ndarray, theta: float) -> np.ndarray:
    """Above the diagonal, M times the locally weighted co-association of each pair of objects."""
    n_members, n = members.shape
    entropies = cluster_entropies(members, widths)
    scale = np.log(2.0) * theta * n_members
    shared = np.zeros((n, n), np.float32)
    seen = np.zeros((n, n), np.float32)
    n_missing = 0
    cluster = 0
    for p in range(n_members):
        order, starts = _by_cluster(members[p], widths[p] + 1)
        for c in range(widths[p] - 1):
            weight = np.float32(np.exp(-abs(entropies[cluster]) / scale))
            cluster += 1
            for s in range(starts[c], starts[c + 1]):
                row = shared[order[s]]
                for t in range(s + 1, starts[c + 1]):
                    row[order[t]] += weight
        unseen = order[starts[widths[p]] :]
        n_missing += len(unseen)
        for i in unseen:  # loops: for sums of slices numba compiles an error message, for seconds
            for j in range(n):
                seen[i, j] -= 1
                seen[j, i] -= 1
        for i in unseen:
            for j in unseen:
                seen[i, j] += 1
    if n_missing > 0:
        for i in range(n):
            for j in range(i + 1, n):
                both = seen[i, j] + n_members
                shared[i, j] = shared[i, j] * n_members / both if both > 0 else 0.0
    return shared


@njit
def _average_merges(similar: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merges by a nearest-neighbour chain, and their values.  Overwrites the similarities."""
    n = len(similar)
    for i in range(n):
        similar[i, i] = -1.0  # as for groups that are gone
        for j in range(i):
            similar[i, j] = similar[j, i]
    size = np.ones(n, np.float32)
    chain = np.empty(n + 1, np.int64)
    first, second = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64)
    value = np.empty(n - 1, np.float32)
    depth = lowest = 0
    for merged in range(n - 1):
        if depth == 0:
            while size[lowest] == 0:
                lowest += 1
            chain[0] = lowest
            depth = 1
        while True:
            a = chain[depth - 1]
            b = chain[depth - 2] if depth > 1 else a
            best = similar[a, b]
            row = similar[a]
            for j in range(n):
                if row[j] > best:
                    best, b = row[j], j
            if depth > 1 and b == chain[depth - 2]:
                break
            chain[depth] = b
            depth += 1
        depth -= 2
        first[merged], second[merged], value[merged] = min(a, b), max(a, b), best
        _merge(min(a, b), max(a, b), similar, size)
    return first, second, value


@njit
def _merge(keep: int, drop: int, similar: np.ndarray, size: np.ndarray) -> None:
    """Replace the similarities of two groups by those of their union."""
    total = size[keep] + size[drop]
    of_keep, of_drop = size[keep] / total, size[drop] / total
    kept, dropped = similar[keep], similar[drop]
    for j in range(len(size)):
        if size[j] > 0 and j != keep and j != drop:
            kept[j] = of_keep * kept[j] + of_drop * dropped[j]
            similar[j, keep] = kept[j]
        similar[j, drop] = -1.0
    dropped[:] = -1.0
    size[keep], size[drop] = total, 0.0


@njit
def cut_merges(first: np.ndarray, second: np.ndarray, k: int) -> np.ndarray:
    """Labels of the k groups that are left after the first merges."""
    n = len(first) + 1
    parent = np.arange(n)
    for e in range(n - k):
        a, b = first[e], second[e]
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        parent[max(a, b)] = min(a, b)
    labels = np.empty(n, np.int32)
    found = np.int32(0)
    for i in range(n):
        root = parent[i]
        while parent[root] != root:
            root = parent[root]
        parent[i] = root
        if root == i:  # the first object of its group
            labels[i] = found
            found += np.int32(1)
        else:
            labels[i] = labels[root]
    return labels


@njit
def assign(
    drawn: np.ndarray, partition: np.ndarray, k: int, members: np.ndarray, widths: np.ndarray
) -> np.ndarray:
    """Likeliest group of each object by its labels, as `cluster_shares`; -1 without any.

    `drawn` are the members of the objects whose groups `partition` has.
    """
    n_members, n = members.shape
    starts = np.cumsum(widths + 1) - widths - 1
    rates = np.zeros((starts[-1] + widths[-1] + 1, k))
    seen = np.zeros(k)
    for p in range(n_members):
        seen[:] = 0.0
        for i in range(len(partition)):
            rates[starts[p] + drawn[p, i], partition[i]] += 1
            seen[partition[i]] += drawn[p, i] < widths[p]
        for c in range(widths[p] - 1):
            row = rates[starts[p] + c]
            total = 0.0
            for g in range(k):
                row[g] /= max(seen[g], 1.0)
                total += row[g]
            for g in range(k):
                row[g] /= max(total, 1e-300)
    labels = np.full(n, -1, np.int32)
    shares = np.empty(k)
    for i in range(n):
        shares[:] = 0.0
        for p in range(n_members):
            if members[p, i] < widths[p] - 1:
                row = rates[starts[p] + members[p, i]]
                for g in range(k):
                    shares[g] += row[g]
        best = 0.0
        for g in range(k):
            if shares[g] > best * (1 + 1e-12):
                best = shares[g]
                labels[i] = g
    return labels


def mutual_ari(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Adjusted Rand index of each pair of partitions, which are rows of labels.

    Objects with a negative label in one of the two are left out of their comparison.
    """
    sizes = int(left.max()) + 1, int(right.max()) + 1
    return _mutual_ari(np.ascontiguousarray(left), np.ascontiguousarray(right), *sizes)


@njit
def _mutual_ari(left: np.ndarray, right: np.ndarray, n_left: int, n_right: int) -> np.ndarray:
    n = left.shape[1]
    found = np.ones((len(left), len(right)))
    cells = np.zeros((n_left, n_right), np.int64)
    columns = np.zeros(n_right, np.int64)
    for p in range(len(left)):
        for q in range(len(right)):
            cells[:] = 0
            columns[:] = 0
            total = 0
            for i in range(n):
                if left[p, i] >= 0 and right[q, i] >= 0:
                    cells[left[p, i], right[q, i]] += 1
                    total += 1
            together = in_rows = in_columns = 0.0
            for a in range(len(cells)):
                row = 0
                for b in range(len(columns)):
                    count = cells[a, b]
                    row += count
                    columns[b] += count
                    together += count * (count - 1)
                in_rows += row * (row - 1)
            for b in range(len(columns)):
                in_columns += columns[b] * (columns[b] - 1)
            if total > 1:
                expected = in_rows * in_columns / (total * (total - 1.0))
                most = (in_rows + in_columns) / 2
                if most > expected:
                    found[p, q] = (together - expected) / (most - expected)
    return found
