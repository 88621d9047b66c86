"""Conversion of labels in any form to compact int32 codes."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from consens._blocks import Collection, Rows, as_rows, collect_rows, map_rows
from consens._labels.codes import MISSING, NOISE, LabelStats, keep_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PIECE = 2**16


def check_labels(labels: Any, *, vectors_expected: bool = False) -> np.ndarray:
    """Convert labels in any common form to a compact n × M int32 matrix, column after column.

    Label vectors in a list are at least as long as it, rows are shorter.  Values are numbered in
    their sort order; NaN, None, ``pd.NA``, masked entries and -2 mean `MISSING`, -1 means `NOISE`.
    With `vectors_expected` a list that is read as rows is warned of.
    """
    columns = _columns(labels, vectors_expected)
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
    n, n_members = matrix.shape
    if n < n_members and not isinstance(labels, list | tuple):
        warnings.warn(
            f"got {n} rows and {n_members} columns, read as {n} objects in {n_members} "
            f"partitions; if these are {n} partitions of {n_members} objects, pass the transpose",
            UserWarning,
            stacklevel=3,
        )
    return matrix


def compact(values: Any) -> np.ndarray:
    """Number the distinct values of a label vector 0, 1, ... and encode missing labels."""
    values, missing = _values_and_missing(values)
    if not missing.any():
        return _compact_known(values)
    codes = np.full(len(values), MISSING, dtype=np.int32)
    codes[~missing] = _compact_known(values[~missing])
    return codes


def label_vector(values: Any) -> Collection:
    """Compact a label vector; labels in blocks must be compact already."""
    rows = as_rows(values)
    return compact(values) if rows is None else rows


def distinct_labels(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Integer labels of a part of a member, and the distinct ones among them."""
    integers, missing = _values_and_missing(values)
    if integers.dtype.kind not in "iub":
        raise ValueError("labels in blocks must be integers, got names; number them first")
    integers = integers.astype(np.int64)
    integers[missing] = MISSING
    distinct = np.unique(integers)
    if len(distinct) and distinct[0] < MISSING:
        raise ValueError(
            f"got the label {distinct[0]}; labels are >= 0, {NOISE} means noise and {MISSING} "
            "missing"
        )
    return integers, distinct


def _columns(labels: Any, vectors_expected: bool) -> list[Any]:
    """Split labels in any form into label vectors of equal length."""
    if hasattr(labels, "iloc") and getattr(labels, "ndim", 0) == 2:  # a data frame
        columns = [labels.iloc[:, m] for m in range(labels.shape[1])]
    elif isinstance(labels, list | tuple) and _is_list_of_vectors(labels, vectors_expected):
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
            "while a minimum of 2 is required: a clustering needs at least two objects"
        )
    return columns


def _is_list_of_vectors(labels: Sequence[Any], vectors_expected: bool) -> bool:
    """Whether a list holds label vectors, which are longer than it, or rows of objects."""
    if not labels:
        raise ValueError("no label vectors were given: there is no partition to combine")
    if any(np.ndim(v) == 0 for v in labels if not isinstance(v, list | tuple)):
        return False
    n, length = len(labels), max(map(len, labels))
    vectors = n <= length
    if n == length > 1 or (vectors_expected and n > length > 1):
        n_objects, n_members = (length, n) if vectors else (n, length)
        warnings.warn(
            f"a list of {n} sequences of {length} labels is read as {n_objects} objects in "
            f"{n_members} partitions; pass an array to be sure: np.asarray(labels) for one "
            "sequence per object, np.column_stack(labels) for one per partition",
            UserWarning,
            stacklevel=5,
        )
    return vectors


def _as_matrix(labels: Any) -> np.ndarray:
    if hasattr(labels, "toarray"):
        raise TypeError(
            "a sparse label matrix is not supported, because 0 is a label; pass a dense "
            "integer matrix (labels.toarray())"
        )
    try:
        matrix = _as_array(labels)
    except ValueError:
        matrix = np.asarray(labels, dtype=object)
    if matrix.ndim == 1 and matrix.dtype == object and all(np.ndim(r) == 1 for r in matrix):
        raise ValueError(
            "rows differ in length: every object needs one label per partition "
            "(use None or NaN for partitions that did not see it)"
        )
    return matrix


def _values_and_missing(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Convert a label vector to comparable values and a mask of missing labels."""
    masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    if masked is not None:
        values = values.data
    array = values.to_numpy() if hasattr(values, "to_numpy") else _as_array(values)
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


def _as_array(values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)  # numpy would turn None and numbers to strings
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
        raise TypeError("argument must be a string or a number: expected one label per object")
    strings = np.full(len(array), "", dtype=object)
    strings[~missing] = [str(v) for v in known]
    return strings.astype(str), missing


def _is_missing(value: Any) -> bool:
    # pd.NA supports neither == nor bool(); the name of its type avoids importing pandas
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and value != value


def _integers(array: np.ndarray, missing: np.ndarray) -> np.ndarray:
    known = np.where(missing, 0.0, array)
    fractional = ~np.isfinite(known) | (known != np.rint(known))
    if fractional.any():
        raise ValueError(
            "expected a label matrix of integers (or names), got real values, "
            f"for example {array[fractional][0]:.6g}; did you mean ConsensusClustering().fit(X)?"
        )
    return known.astype(np.int64)


def _numbers_in_strings(array: np.ndarray) -> np.ndarray:
    """Convert strings such as "0" and "-1" to numbers if all are, so that "-1" means noise."""
    try:
        return np.where(array == "", "0", array).astype(np.int64)
    except (ValueError, OverflowError):
        return array


def _compact_known(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind in "iub":
        return compact_integers(values)
    names, codes = np.unique(values, return_inverse=True)
    names = np.char.strip(names.astype(str))  # the codes also occur among names
    noise, missing = (np.isin(names, (str(code), f"{code}.0")) for code in (NOISE, MISSING))
    ranks = np.cumsum(~noise & ~missing) - 1
    ranks[noise], ranks[missing] = NOISE, MISSING
    return ranks[codes].astype(np.int32)


def compact_integers(values: np.ndarray) -> np.ndarray:
    """Number the distinct integers >= 0 in ascending order; the codes -1 and -2 stay."""
    if len(values) == 0:
        return np.empty(0, dtype=np.int32)
    values = values.astype(np.uint8) if values.dtype == bool else values
    low, high = int(values.min()), int(values.max())
    if low < MISSING:
        raise ValueError(
            f"got the label {low}; labels are >= 0, {NOISE} means noise and {MISSING} missing"
        )
    if high > 4 * len(values) + 1024:  # sorting needs less memory than a table
        distinct, codes = np.unique(values, return_inverse=True)
        codes = codes - np.searchsorted(distinct, 0)
        return np.where(values < 0, values, codes).astype(np.int32)
    # the codes -2 and -1 index the last two entries
    table = np.zeros(max(high, -1) + 3, dtype=np.int32)
    for part in pieces(values):
        table[part] = 1
    if table[:-2].all():
        return values.astype(np.int32)
    table = np.cumsum(table, dtype=np.int32) - 1
    table[-2:] = MISSING, NOISE
    return look_up(table, values)


def look_up(table: np.ndarray, values: np.ndarray) -> np.ndarray:
    """``table[values]``, without the temporary array of n indices that numpy would make."""
    result = np.empty(len(values), dtype=table.dtype)
    for source, target in zip(pieces(values), pieces(result), strict=True):
        target[:] = table[source]
    return result


def pieces(values: np.ndarray) -> Iterator[np.ndarray]:
    """Views of consecutive parts of a vector that fit in the cache."""
    return (values[i : i + _PIECE] for i in range(0, len(values), _PIECE))


def _name(labels: Any, m: int) -> str:
    names = getattr(labels, "columns", None)
    return str(m) if names is None else repr(names[m])


def check_label_rows(rows: Rows) -> Rows:
    """Number (integer) labels of each member from 0, as `check_labels` does, and persist them."""
    if rows.ndim != 2:
        raise ValueError(
            "expected a label matrix with one row per object and one column per partition, got "
            "a vector in blocks; one partition is a matrix of one column"
        )
    if len(rows) < 2:
        raise ValueError(f"a clustering needs at least two objects, got {len(rows)}")
    found = collect_rows(_read, rows)
    blocks, counts = zip(*found, strict=True)
    distinct = [np.unique(np.concatenate(values)) for values in zip(*blocks, strict=True)]
    for m, values in enumerate(distinct):
        if (values == MISSING).all():
            raise ValueError(
                f"label column {m} is empty: every label is missing; leave this partition out"
            )
    noise, missing, clustered = zip(*counts, strict=True)
    n_clusters = np.array([int((values >= 0).sum()) for values in distinct])
    stats = LabelStats(n_clusters, sum(noise), sum(missing), clustered)
    labels: Rows = map_rows(partial(_number, distinct), rows, width=rows.width, dtype=np.int32)
    return keep_labels(labels, int(n_clusters.max(initial=1)), stats)


def _read(block: np.ndarray) -> tuple[list[np.ndarray], tuple[int, int, int]]:
    """Distinct labels of each column; numbers of noise, missing labels and clustered objects."""
    distinct, clustered, n_noise, n_missing = [], np.zeros(len(block), bool), 0, 0
    for column in block.T:
        values, own = distinct_labels(column)
        distinct.append(own)
        clustered |= values >= 0
        n_missing += int((values == MISSING).sum())
        n_noise += int((values == NOISE).sum())
    return distinct, (n_noise, n_missing, int(clustered.sum()))


def _number(distinct: list[np.ndarray], block: np.ndarray) -> np.ndarray:
    """Number the labels of a part of each member by their rank in the distinct ones of all."""
    result = np.empty(block.shape, dtype=np.int32, order="F")
    for m, column in enumerate(block.T):
        labels, _ = distinct_labels(column)
        ranks = np.searchsorted(distinct[m], labels) - np.searchsorted(distinct[m], 0)
        result[:, m] = np.where(labels < 0, labels, ranks)
    return result
