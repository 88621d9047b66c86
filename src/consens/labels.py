"""Label algebra: what a label matrix is, and the few operations every method shares.

A *label matrix* is n × M: rows are objects, columns are partitions (members).  Inside the
library its entries are ``0 .. k_m - 1`` for the clusters of member m and two codes:

``NOISE``
    the clusterer saw the object and put it in no cluster.  Seen, never together with anything.
``MISSING``
    the clusterer never saw the object.  Leaves the pair out of every denominator.

The clusters of all members together are numbered in one go, member after member, so that
``offsets(labels)[m] + labels[i, m]`` is a column of :func:`indicator`.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scipy.sparse import csr_array

NOISE = -1
MISSING = -2

#: Objects from which compiled kernels repay loading them.
_COMPILED_FROM = 20_000

#: Comparisons of labels up to which NumPy is as fast as loading compiled code.
PLAIN_COMPARISONS = 2e8

_PIECE = 2**16

FEATURES_HINT = "did you mean ConsensusClustering().fit(X)?"


# --------------------------------------------------------------------------- at the door


def check_labels(labels: Any, *, lists: str = "rows") -> np.ndarray:
    """Turn labels in any honest form into a compact n × M int32 matrix.

    Parameters
    ----------
    labels : array-like
        A matrix or data frame with one row per object and one column per partition, or a
        list of M label vectors (arrays or series).  Values may be integers with any gaps and
        start, strings, categories or booleans; NaN, None, ``pd.NA`` and masked entries mean
        `MISSING`, -1 means `NOISE`, -2 means `MISSING`.
    lists : {"rows", "vectors"}
        What a nested list of plain Python lists holds.  Estimators follow scikit-learn:
        one inner list per object.  Functions for people who hold label vectors say
        "vectors": one inner list per partition.

    Returns
    -------
    ndarray of shape (n, M), int32, column after column in memory
        Each column uses ``0 .. k_m - 1`` in the sort order of its original values.

    Examples
    --------
    >>> from consens.labels import check_labels
    >>> check_labels([["a", "b", "a"], [3, None, 7]], lists="vectors")
    array([[ 0,  0],
           [ 1, -2],
           [ 0,  1]], dtype=int32)
    """
    columns = _columns(labels, lists)
    matrix = np.empty((len(columns[0]), len(columns)), dtype=np.int32, order="F")
    for m, column in enumerate(columns):
        try:
            matrix[:, m] = compact(column)
        except ValueError as error:
            raise ValueError(f"label column {_name(labels, m)}: {error}") from None
        if (matrix[:, m] == MISSING).all():
            raise ValueError(
                f"label column {_name(labels, m)} is empty: every label is missing; "
                "leave this partition out"
            )
    check_rows_seen(matrix)
    n, n_members = matrix.shape
    if n < n_members and not isinstance(labels, list | tuple):
        warnings.warn(transposed_hint(n, n_members), UserWarning, stacklevel=3)
    return matrix


def transposed_hint(n: int, n_members: int) -> str:
    """Say how rows and columns are read; the second commonest mistake is the transpose."""
    return (
        f"got {n} rows and {n_members} columns, read as {n} objects in {n_members} partitions; "
        f"if these are {n} partitions of {n_members} objects, pass the transpose"
    )


def check_rows_seen(labels: np.ndarray) -> None:
    """Refuse objects that no partition has seen: there is no evidence about them."""
    unseen = ~_in_some_member(labels, above=MISSING)
    if unseen.any():
        where = np.flatnonzero(unseen)
        raise ValueError(
            f"{len(where)} object(s) have no label in any partition (row {where[0]} first); "
            "leave these rows out, or add partitions that saw them"
        )


def in_a_cluster(labels: np.ndarray) -> np.ndarray:
    """Objects that at least one member put in a cluster."""
    return _in_some_member(labels, above=NOISE)


def _in_some_member(labels: np.ndarray, *, above: int) -> np.ndarray:
    """Objects with a label above a code; reads no more members than it must."""
    found = labels[:, 0] > above
    for column in labels.T[1:]:
        if found.all():
            break
        found |= column > above
    return found


def compact(values: Any) -> np.ndarray:
    """Number the distinct values of one label vector 0, 1, ... and encode what is missing.

    Examples
    --------
    >>> from consens.labels import compact
    >>> compact([10, 30, 10, -1, float("nan")])
    array([ 0,  1,  0, -1, -2], dtype=int32)
    """
    values, missing = _values_and_missing(values)
    if not missing.any():
        return _compact_known(values)
    codes = np.full(len(values), MISSING, dtype=np.int32)
    codes[~missing] = _compact_known(values[~missing])
    return codes


def _columns(labels: Any, lists: str) -> list[Any]:
    """The label vectors of whatever was passed, all of one length."""
    if hasattr(labels, "iloc") and getattr(labels, "ndim", 0) == 2:  # a data frame
        columns = [labels.iloc[:, m] for m in range(labels.shape[1])]
    elif isinstance(labels, list | tuple) and _is_list_of_vectors(labels, lists):
        columns = list(labels)
    else:
        matrix = labels if isinstance(labels, np.ndarray) else _as_matrix(labels)
        if matrix.ndim != 2:
            raise ValueError(
                f"expected a label matrix with one row per object and one column per partition, "
                f"got {matrix.ndim}D data. Reshape your data: one label vector is "
                "labels.reshape(-1, 1), several are np.column_stack([...])"
            )
        columns = [matrix[:, m] for m in range(matrix.shape[1])]
        if not columns:
            raise ValueError(
                f"Found array with 0 feature(s) (shape={matrix.shape}) while a minimum of 1 "
                "is required: there is no partition to combine"
            )
    if not columns:
        raise ValueError("no label vectors were given: there is no partition to combine")
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        odd = next(m for m, length in enumerate(lengths) if length != lengths[0])
        raise ValueError(
            f"label vectors differ in length: the first holds {lengths[0]} labels, "
            f"number {odd} holds {lengths[odd]}; every partition needs one label per object "
            "(use None or NaN for objects it did not see)"
        )
    if lengths[0] < 2:
        raise ValueError(
            f"Found array with {lengths[0]} sample(s) (shape=({lengths[0]}, {len(columns)})) "
            "while a minimum of 2 is required: a clustering needs two objects at least"
        )
    return columns


def _is_list_of_vectors(labels: Sequence[Any], lists: str) -> bool:
    if not labels:
        raise ValueError("no label vectors were given: there is no partition to combine")
    if any(np.ndim(v) == 0 for v in labels if not isinstance(v, list | tuple)):
        return False
    return lists == "vectors" or all(hasattr(v, "__array__") for v in labels)


def _as_matrix(labels: Any) -> np.ndarray:
    if hasattr(labels, "toarray"):
        raise TypeError(
            "a sparse label matrix is not supported, because 0 is a label; pass a dense "
            "integer matrix (labels.toarray())"
        )
    try:
        matrix = np.asarray(labels)
    except ValueError:
        matrix = np.asarray(labels, dtype=object)
    if matrix.dtype.kind == "U" and not isinstance(labels, np.ndarray):
        matrix = np.asarray(labels, dtype=object)  # keeps None and numbers apart from strings
    if matrix.ndim == 1 and matrix.dtype == object and all(np.ndim(r) == 1 for r in matrix):
        raise ValueError(
            "rows differ in length: every object needs one label per partition "
            "(use None or NaN for partitions that did not see it)"
        )
    return matrix


def _values_and_missing(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Split one label vector into comparable values and the mask of what is missing."""
    masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    if masked is not None:
        values = values.data
    array = values.to_numpy() if hasattr(values, "to_numpy") else _vector(values)
    if array.ndim != 1:
        raise ValueError(f"expected one label per object, got an array of shape {array.shape}")
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: labels are integers or names")
    if array.dtype.kind == "O":
        array, missing = _from_objects(array)
    elif array.dtype.kind == "f":
        missing = np.isnan(array)
    else:
        missing = np.zeros(len(array), dtype=bool)
    if masked is not None:
        missing |= masked
    if array.dtype.kind == "f":
        array = _integers(array, missing)
    elif array.dtype.kind in "US":
        array = _numbers_in_strings(array)
    return array, missing


def _vector(values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)
    return array


def _from_objects(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    missing = np.fromiter((_is_missing(v) for v in array), dtype=bool, count=len(array))
    known = array[~missing]
    for kinds, dtype in (((int, np.integer, np.bool_), np.int64), ((float, np.floating), float)):
        if all(isinstance(v, (*kinds, int, np.integer)) for v in known):
            numbers = np.zeros(len(array), dtype)
            numbers[~missing] = known.astype(dtype)
            return numbers, missing
    if any(isinstance(v, complex | np.complexfloating) for v in known):
        raise ValueError("Complex data not supported: labels are integers or names")
    if any(np.ndim(v) or isinstance(v, dict | set) for v in known if not isinstance(v, str)):
        raise TypeError("argument must be a string or a number: a label is one value per object")
    strings = np.full(len(array), "", dtype=object)
    strings[~missing] = [str(v) for v in known]
    return strings.astype(str), missing


def _is_missing(value: Any) -> bool:
    # pd.NA answers neither == nor bool(); its type's name spares us importing pandas
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and value != value


def _integers(array: np.ndarray, missing: np.ndarray) -> np.ndarray:
    known = np.where(missing, 0.0, array)
    fractional = ~np.isfinite(known) | (known != np.rint(known))
    if fractional.any():
        raise ValueError(
            "expected a label matrix of integers (or names), got real values, "
            f"for example {array[fractional][0]:.6g}; {FEATURES_HINT}"
        )
    return known.astype(np.int64)


def _numbers_in_strings(array: np.ndarray) -> np.ndarray:
    """Read "0", "1", "-1" as numbers when all are, so that "-1" is noise here as well."""
    try:
        return np.where(array == "", "0", array).astype(np.int64)
    except (ValueError, OverflowError):
        return array


def _compact_known(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind in "iub":
        return _compact_integers(values)
    return np.unique(values, return_inverse=True)[1].astype(np.int32)


def _compact_integers(values: np.ndarray) -> np.ndarray:
    if len(values) == 0:
        return np.empty(0, dtype=np.int32)
    values = values.astype(np.uint8) if values.dtype == bool else values
    low, high = int(values.min()), int(values.max())
    if low < MISSING:
        raise ValueError(
            f"got the label {low}; labels are >= 0, {NOISE} means noise and {MISSING} missing"
        )
    if high > 4 * len(values) + 1024:  # a look-up table would be larger than a sort
        distinct, codes = np.unique(values, return_inverse=True)
        codes = codes - np.searchsorted(distinct, 0)
        return np.where(values < 0, values, codes).astype(np.int32)
    # the codes -2 and -1 index the last two entries
    table = np.zeros(max(high, -1) + 3, dtype=np.int32)
    for part in _pieces(values):
        table[part] = 1
    if table[:-2].all():
        return values.astype(np.int32)
    table = np.cumsum(table, dtype=np.int32) - 1
    table[-2:] = MISSING, NOISE
    return _look_up(table, values)


def _look_up(table: np.ndarray, values: np.ndarray) -> np.ndarray:
    """``table[values]``, without the n machine words that numpy would make of the indices."""
    result = np.empty(len(values), dtype=table.dtype)
    for source, target in zip(_pieces(values), _pieces(result), strict=True):
        target[:] = table[source]
    return result


def _pieces(values: np.ndarray) -> Iterator[np.ndarray]:
    """Views of runs of a vector that stay in the cache."""
    return (values[i : i + _PIECE] for i in range(0, len(values), _PIECE))


def _name(labels: Any, m: int) -> str:
    names = getattr(labels, "columns", None)
    return str(m) if names is None else repr(names[m])


# ------------------------------------------------------------------------------- algebra


def n_clusters_per_member(labels: np.ndarray) -> np.ndarray:
    """Number of clusters of each member (highest label + 1; codes do not count)."""
    return np.maximum(labels.max(axis=0, initial=-1), -1).astype(np.int64) + 1


def offsets(labels: np.ndarray) -> np.ndarray:
    """First cluster number of each member, and the number of all clusters at the end."""
    return np.concatenate([[0], np.cumsum(n_clusters_per_member(labels))])


def indicator(
    labels: np.ndarray,
    *,
    noise: bool = False,
    starts: np.ndarray | None = None,
    dtype: Any = np.float64,
) -> csr_array:
    """Sparse 0/1 matrix B of objects by clusters, all members side by side.

    With ``noise=True`` every member has one more column at its end that marks its noise.  Where
    `labels` are some rows of a label matrix, `starts` are the `offsets` of the whole.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.labels import indicator
    >>> indicator(np.array([[0, 1], [1, 0], [1, -1]])).toarray()
    array([[1., 0., 0., 1.],
           [0., 1., 1., 0.],
           [0., 1., 0., 0.]])
    """
    from scipy.sparse import csr_array

    codes = _as_columns(labels)
    if starts is None:
        starts = offsets(codes)
    if noise:
        codes = np.where(codes == NOISE, np.diff(starts), codes)
        starts = starts + np.arange(len(starts))
    marked = codes >= 0
    indptr = np.concatenate([[0], np.cumsum(marked.sum(axis=1))])
    indices = (codes + starts[:-1])[marked]
    shape = (len(labels), int(starts[-1]))
    return csr_array((np.ones(len(indices), dtype), indices, indptr), shape=shape)


def contingency(
    a: np.ndarray,
    b: np.ndarray | None = None,
    *,
    noise: bool = False,
    weights: np.ndarray | None = None,
) -> csr_array:
    """Sparse counts of objects shared by the clusters of `a` and those of `b`: B_a' B_b.

    A label vector is a matrix of one column; without `b`, `a` is crossed with itself.  With
    ``noise=True`` every member has one more row (or column) at its end for its noise.  `weights`
    say how much each object counts, > 0: then B_a' W B_b is meant, with real values.

    Notes
    -----
    O(n M²) time; memory of n·M bytes while members have fewer than 255 clusters each, and of
    the result.  Small problems are left to SciPy, which needs no compilation.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.labels import contingency
    >>> contingency(np.array([[0, 0], [0, 1], [1, 1]])).toarray()
    array([[2, 0, 1, 1],
           [0, 1, 0, 1],
           [1, 0, 1, 0],
           [1, 1, 0, 2]])
    """
    a = _as_columns(a)
    b = None if b is None else _as_columns(b)
    if len(a) < _COMPILED_FROM:
        left = indicator(a, noise=noise, dtype=np.int64)
        right = left if b is None else indicator(b, noise=noise, dtype=np.int64)
        return left.T.tocsr() @ (right if weights is None else right.multiply(weights[:, None]))
    from scipy.sparse import csr_array

    from consens._kernels.contingency import encode, shared_objects

    rows = encode(a, n_clusters_per_member(a), noise)
    columns = None if b is None else encode(b, n_clusters_per_member(b), noise)
    shape = rows.starts[-1], (rows if columns is None else columns).starts[-1]
    return csr_array(shared_objects(rows, columns, weights), shape=shape)


def label_weights(labels: np.ndarray, starts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight of the cluster of each label, 0 where there is none.

    `starts` are the `offsets` of the matrix that the labels are rows of, and `weights` those of
    its clusters, member after member.
    """
    numbers = np.where(labels >= 0, labels + starts[:-1], -1)
    return np.append(weights, 0.0)[numbers]


def narrow(labels: np.ndarray) -> np.ndarray:
    """The same labels in the smallest signed type: comparing them costs by the byte."""
    most = int(labels.max(initial=0))
    dtype = next(t for t in (np.int8, np.int16, np.int32) if most <= np.iinfo(t).max)
    return np.asfortranarray(labels, dtype=dtype)


def shared_members(
    rows: np.ndarray,
    labels: np.ndarray,
    row_weights: np.ndarray | None = None,
    *,
    compiled: bool | None = None,
) -> np.ndarray:
    """Count the members in which each of `rows` shares a cluster with each object.

    Parameters
    ----------
    rows : ndarray of shape (r, M)
        Label rows, in the numbers of `labels`.
    labels : ndarray of shape (n, M)
        See `narrow` for the fastest form.
    row_weights : ndarray of shape (r, M), optional
        What the cluster of a row counts for, instead of 1.
    compiled : bool, optional
        Whether compiled code counts (not with weights).  By default where there is much to
        count; a caller that comes back with many blocks of rows knows better.

    Returns
    -------
    ndarray of shape (r, n)
        Of the smallest signed type that holds M, or float64 with weights.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.labels import shared_members
    >>> labels = np.array([[0, 1], [0, 0], [-1, 1]])
    >>> shared_members(labels, labels)
    array([[2, 1, 1],
           [1, 2, 0],
           [1, 0, 1]], dtype=int8)
    """
    n, n_members = labels.shape
    dtype = np.dtype(np.float64)
    if row_weights is None:
        dtype = np.min_scalar_type(-n_members - 1)
    if compiled is None:
        compiled = len(rows) * n * n_members > PLAIN_COMPARISONS
    if compiled and row_weights is None:
        from consens._kernels.shared import shared_counts

        shared = np.empty((len(rows), n), dtype=dtype)
        shared_counts(rows, labels, shared)
        return shared
    shared = np.zeros((len(rows), n), dtype=dtype)
    rows = np.where(rows < 0, MISSING - 1, rows)  # noise is alike to nothing
    height = max(1, 2**18 // (n * dtype.itemsize))  # what is added to stays in the cache
    for start in range(0, len(rows), height):
        block = slice(start, start + height)
        for m, column in enumerate(labels.T):
            same = rows[block, m, None] == column
            if row_weights is None:
                shared[block] += same.view(np.int8)
            else:
                shared[block] += same * row_weights[block, m, None]
    return shared


class ClusterOverlap(NamedTuple):
    """What the clusters of all members share.

    ``shared[i, j]`` counts the objects in both cluster i and cluster j; ``seen[i, m]`` the
    objects of cluster i that member m has seen, ``noise[i, m]`` those that it calls noise.
    ``owner[i]`` is the member of cluster i.
    """

    shared: csr_array
    seen: np.ndarray
    noise: np.ndarray
    owner: np.ndarray


def cluster_overlap(labels: np.ndarray) -> ClusterOverlap:
    """Count what clusters share with clusters and with members, from one contingency matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.labels import cluster_overlap
    >>> overlap = cluster_overlap(np.array([[0, 0], [0, -1], [0, -2], [1, 0]]))
    >>> overlap.shared.toarray()
    array([[3, 0, 1],
           [0, 1, 1],
           [1, 1, 2]])
    >>> overlap.seen, overlap.noise
    (array([[3, 2],
           [1, 1],
           [2, 2]]), array([[0, 1],
           [0, 0],
           [0, 0]]))
    """
    n_members = labels.shape[1]
    widths = n_clusters_per_member(labels) + 1
    owner = np.repeat(np.arange(n_members), widths)
    noise_column = np.cumsum(widths) - 1
    cluster_column = np.setdiff1d(np.arange(len(owner)), noise_column)
    table = contingency(labels, noise=True)[cluster_column]
    members = table @ indicator(owner, dtype=np.int64)
    return ClusterOverlap(
        table[:, cluster_column],
        members.toarray(),
        table[:, noise_column].toarray(),
        owner[cluster_column],
    )


def _as_columns(labels: np.ndarray) -> np.ndarray:
    return labels[:, None] if labels.ndim == 1 else labels


def match(labels: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Rename the clusters of `labels` so that they agree with `reference` as far as possible.

    The one-to-one renaming that maximises the number of objects with equal labels
    (Hungarian method).  Clusters left without a partner get new numbers behind those of the
    reference; `NOISE` and `MISSING` stay.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.labels import match
    >>> match(np.array([1, 1, 0, 2]), np.array([0, 0, 1, 1]))
    array([0, 0, 1, 2], dtype=int32)
    """
    overlap = contingency(labels, reference).toarray()
    names = np.append(partners(overlap), [MISSING, NOISE]).astype(np.int32)
    alone = np.flatnonzero(names[:-2] < 0)
    names[alone] = overlap.shape[1] + np.arange(len(alone))
    return names[labels]  # the codes -2 and -1 point to the last two


def partners(overlap: np.ndarray) -> np.ndarray:
    """Column that each row is assigned to so that the sum over the pairs is largest, or -1.

    The one-to-one assignment of the clusters of two partitions by the objects they share
    (Hungarian method).

    Examples
    --------
    >>> import numpy as np
    >>> from consens.labels import partners
    >>> partners(np.array([[3, 4], [0, 4], [1, 0]]))
    array([ 0,  1, -1])
    """
    from scipy.optimize import linear_sum_assignment

    own, other = linear_sum_assignment(overlap, maximize=True)
    result = np.full(len(overlap), -1)
    result[own] = other
    return result


def first_seen_order(labels: np.ndarray) -> np.ndarray:
    """Renumber clusters by their first object, so that equal partitions get equal vectors.

    One pass of O(n) time; no memory beside the result.
    """
    if labels.max(initial=0) > 4 * len(labels) + 1024:
        labels = _compact_integers(labels)
    unnamed = MISSING - 1
    names = np.full(int(labels.max(initial=-1)) + 3, unnamed, dtype=np.int32)
    names[-2:] = MISSING, NOISE  # where the codes -2 and -1 point to
    result = np.empty(len(labels), dtype=np.int32)
    n_named = 0
    for source, target in zip(_pieces(labels), _pieces(result), strict=True):
        target[:] = names[source]
        fresh = source[target == unnamed]
        if len(fresh):
            distinct, first = np.unique(fresh, return_index=True)
            names[distinct[np.argsort(first)]] = np.arange(n_named, n_named + len(distinct))
            n_named += len(distinct)
            target[:] = names[source]
    return result


def canonical_members(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rename the clusters of each member by first object, and put the members in a fixed order.

    What is computed from the result, sums of floats included, depends neither on the names of
    the clusters nor on the order of the members.  The order is that of the members' hashes:
    arbitrary, but given by their contents.

    Returns
    -------
    labels : ndarray of shape (n, M)
        Renamed and reordered.
    order : ndarray of shape (M,)
        Column j of the result is member order[j].
    """
    from hashlib import blake2b

    columns = [first_seen_order(column) for column in labels.T]
    keys = [blake2b(column.data, digest_size=16).digest() for column in columns]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    result = np.empty(labels.shape, dtype=np.int32, order="F")
    for m, source in enumerate(order):
        result[:, m] = columns[source]
    return result, np.array(order)


class UniqueRows(NamedTuple):
    """Distinct rows of a label matrix, in order of first appearance."""

    rows: np.ndarray
    inverse: np.ndarray
    counts: np.ndarray


def unique_rows(labels: np.ndarray) -> UniqueRows:
    """Collapse objects with equal label rows to one row with a multiplicity.

    Rows are compared by a 64-bit hash first and label by label afterwards, so the answer is
    exact.  O(n·M + n log n) time, O(n) memory beside the result.
    """
    keys = _row_hashes(labels)
    _, first, inverse, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    if not all(np.array_equal(col[first][inverse], col) for col in labels.T):  # a collision
        _, first, inverse, counts = np.unique(
            labels, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return UniqueRows(labels[first[order]], rank[inverse.ravel()], counts[order])


def count_distinct_rows(labels: np.ndarray) -> int:
    """Number of objects that the members can tell apart: the most clusters there can be.

    Noise is alike to nothing, not even to noise, so an object with noise is distinct.
    """
    noisy = (labels == NOISE).any(axis=1)
    distinct = int(noisy.sum())
    return distinct if noisy.all() else distinct + len(unique_rows(labels[~noisy]).rows)


def _row_hashes(labels: np.ndarray) -> np.ndarray:
    keys = np.zeros(len(labels), dtype=np.uint64)
    for column in labels.T:
        keys ^= column.astype(np.uint64)
        keys *= np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: Fibonacci hashing
        keys ^= keys >> np.uint64(29)
    return keys


# -------------------------------------------------------------- objects against a partition


class Profiles(NamedTuple):
    """How the clusters of one partition are spread over the clusters of an ensemble.

    ``together[c, k]`` counts the objects of partition cluster k in ensemble cluster c,
    ``seen[m, k]`` those that member m has seen, ``sizes[k]`` all of them.
    """

    together: np.ndarray
    seen: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray


def profiles(labels: np.ndarray, partition: np.ndarray) -> Profiles:
    """Count the clusters of `partition` in every cluster of the label matrix `labels`."""
    together = contingency(labels, partition).toarray().astype(np.float64)
    sizes = np.bincount(partition[partition >= 0])
    seen = np.repeat(sizes[None].astype(np.float64), labels.shape[1], axis=0)
    for count, column in zip(seen, labels.T, strict=True):
        unseen = partition[(column == MISSING) & (partition >= 0)]
        if len(unseen):
            count -= np.bincount(unseen, minlength=len(sizes))
    return Profiles(together, seen, sizes, offsets(labels))


def association(labels: np.ndarray, spread: Profiles) -> tuple[np.ndarray, np.ndarray]:
    """Co-association of objects with whole clusters, as counts: (together, seen), each n × k.

    Entry (i, k) of the first sums, over the objects j of cluster k, the members in which i
    and j are together; of the second, the members that saw both.  Their quotient is the mean
    co-association of i with cluster k wherever nothing is missing (and weighs pairs by the
    number of members that saw them where something is).  Rows may be new objects: labels that
    the ensemble never used count as missing.  O(n·M·k) time, O(n·k) memory.
    """
    starts = spread.offsets
    known = labels < np.diff(starts)
    if not known.all():
        labels = np.where(known, labels, MISSING)
    seen = (labels != MISSING).astype(np.float64)
    return cluster_sums(labels, starts, spread.together), seen @ spread.seen


def cluster_sums(labels: np.ndarray, starts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Add up, for each object, the rows of a table that belong to its clusters: B @ table.

    Parameters
    ----------
    labels : ndarray of shape (n, M)
        Labels of the members whose clusters begin at ``starts[m]``; rows may be a part of them.
    starts : ndarray of shape (M + 1,)
        `offsets` of the whole label matrix.
    table : ndarray of shape (number of clusters, k)

    Returns
    -------
    ndarray of shape (n, k), float64

    Examples
    --------
    >>> import numpy as np
    >>> from consens.labels import cluster_sums, offsets
    >>> labels = np.array([[0, 0], [1, 0], [1, -1]])
    >>> cluster_sums(labels, offsets(labels), np.array([[1.0], [10.0], [100.0]]))
    array([[101.],
           [110.],
           [ 10.]])
    """
    if len(labels) < _COMPILED_FROM:
        return indicator(labels, starts=starts) @ table
    from consens._kernels import votes
    from consens._kernels.contingency import as_members

    sums = np.empty((len(labels), table.shape[1]))
    votes.cluster_sums(as_members(labels), starts, _contiguous(table), sums)
    return sums


def cluster_votes(labels: np.ndarray, starts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Column of the largest of `cluster_sums`, without keeping the sums; O(n) memory.

    Sums within 1e-10 of the largest are equal to it, and the first of them wins, so that the
    order of the members, in which rounding errors arise, cannot decide.
    """
    tolerance = 1e-10
    if len(labels) < _COMPILED_FROM:
        sums = cluster_sums(labels, starts, table)
        highest = sums.max(axis=1, keepdims=True)
        return (sums >= highest - tolerance * np.abs(highest)).argmax(axis=1).astype(np.int32)
    from consens._kernels import votes
    from consens._kernels.contingency import as_members

    winners = np.empty(len(labels), dtype=np.int32)
    votes.cluster_votes(as_members(labels), starts, _contiguous(table), tolerance, winners)
    return winners


def _contiguous(table: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(table, dtype=np.float64)
