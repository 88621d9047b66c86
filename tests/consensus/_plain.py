"""Plain versions of what several methods are made of, for comparison with the library."""

import numpy as np

from consens._labels import abstain, check_labels


def random_labels(seed, lowest=0, n=20, n_members=6, k=4):
    """Members without structure; with `lowest` -2, some labels are missing."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(lowest, k, (n, n_members))
    labels[:, 0] = rng.integers(0, k - 1, n)
    return abstain(check_labels(labels))


def noisy_labels(seed, lowest=0, n=60, n_members=7):
    """Members that agree with three true clusters on most objects."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    labels = np.repeat(truth[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < 0.25
    labels[wrong] = rng.integers(lowest, 5, wrong.sum())
    labels[:, 0] = truth
    return abstain(check_labels(labels))


def cluster_sets(labels):
    """Objects of each cluster, and its member, member after member."""
    return [
        (m, set(np.flatnonzero(column == c)))
        for m, column in enumerate(labels.T)
        for c in range(column.max() + 1)
    ]


def plain_jaccard(labels):
    """Jaccard coefficients of all clusters among the objects that both members saw, no loops."""
    clusters = cluster_sets(labels)
    seen = [set(np.flatnonzero(column != -2)) for column in labels.T]
    J = np.zeros((len(clusters), len(clusters)))
    for i, (p, a) in enumerate(clusters):
        for j, (q, b) in enumerate(clusters):
            if i != j and a & b:
                J[i, j] = len(a & b) / len((a | b) & seen[p] & seen[q])
    return J


def plain_walks(W, n_steps):
    """Cosine of the trajectories of random walks, one walk after the other."""
    degrees = W.sum(axis=1)
    P = W / np.where(degrees > 0, degrees, 1)[:, None]
    paths = np.array(
        [np.concatenate([np.linalg.matrix_power(P, s)[i] for s in range(1, n_steps + 1)])
         for i in range(len(P))]
    )  # fmt: skip
    lengths = np.linalg.norm(paths, axis=1)
    paths /= np.where(lengths > 0, lengths, 1)[:, None]
    return paths @ paths.T


def plain_trajectories(labels, K, T):
    """Distinct rows, the row of each object, and the similarity of probability trajectories."""
    rows, inverse, sizes = [], [], []
    for row in labels.tolist():
        if row not in rows:
            rows.append(row)
            sizes.append(0)
        inverse.append(rows.index(row))
        sizes[inverse[-1]] += 1
    u = len(rows)
    A = np.zeros((u, u))
    for i in range(u):
        for j in range(u):
            pairs = [(a, b) for a, b in zip(rows[i], rows[j], strict=True) if min(a, b) > -2]
            if i != j and pairs:
                A[i, j] = np.mean([a == b for a, b in pairs])
    for i in range(u):
        A[i, A[i] < sorted(A[i])[-K]] = 0
    W = np.maximum(A, A.T) * np.array(sizes)  # a step goes to a microcluster by its size
    PTS = plain_walks(W, T)
    np.fill_diagonal(PTS, 1.0)
    return np.array(rows), np.array(inverse), PTS


def numbers(labels):
    """Number of the cluster of each label among all clusters, -1 for none."""
    starts = np.concatenate([[0], np.cumsum(labels.max(axis=0) + 1)])[:-1]
    return np.where(labels >= 0, labels + starts, -1)


def plain_related(labels, Z):
    """Mean similarity of the clusters of two objects over the members that saw both."""
    n = len(labels)
    own = numbers(labels)
    S = np.eye(n)
    for i in range(n):
        for j in range(n):
            both = (own[i] >= 0) & (own[j] >= 0)
            if i != j and both.any():
                S[i, j] = np.mean(
                    [Z[a, b] for a, b in zip(own[i][both], own[j][both], strict=True)]
                )
    return S


def with_copies(matrix, inverse):
    """The n × n matrix of `consensus._copies`."""
    full = matrix[:-1][np.ix_(inverse, inverse)]
    np.fill_diagonal(full, matrix[-1][inverse])
    return full


def check_merges(tree, S, join=np.mean):
    """Every merge is the best available pair, and its height 1 - its similarity."""
    groups = {i: [i] for i in range(len(S))}
    for step, (a, b, height, _) in enumerate(tree):
        similarity = {
            (p, q): join(S[np.ix_(groups[p], groups[q])]) for p in groups for q in groups if p < q
        }
        assert abs(similarity[min(a, b), max(a, b)] - (1 - height)) < 1e-10
        assert abs(max(similarity.values()) - (1 - height)) < 1e-10
        groups[len(S) + step] = groups.pop(int(a)) + groups.pop(int(b))
