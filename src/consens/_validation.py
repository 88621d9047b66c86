"""Input checks shared by generators, selectors and consensus methods."""

from collections.abc import Iterable, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from consens._blocks import Rows, as_rows, collect_rows, take_rows
from consens._blocks.scan import scan_rows
from consens._labels import check_labels
from consens._support.frames import to_frame
from consens.ensemble import Ensemble, read_only, records_of


def check_ensemble(estimator: Any, X: Any) -> Ensemble:
    """Check X of an estimator that takes a label matrix, and convert it to an `Ensemble`."""
    rows = as_rows(X)
    if rows is not None:
        ensemble = Ensemble.from_labels(rows)
    elif isinstance(X, Ensemble):
        ensemble = X
        if len(ensemble) < 2:
            raise ValueError(f"a consensus needs at least two objects, got {len(ensemble)}")
    else:
        X = to_frame(X)
        matrix = read_only(check_labels(X))
        ensemble = Ensemble(matrix, records_of(X, matrix))
    named = X if hasattr(X, "columns") and rows is None else ensemble.labels
    validate_data(estimator, named, skip_check_array=True)
    return ensemble


def check_features(
    estimator: Any, X: Any, *, reset: bool = True, accept_sparse: bool = False
) -> Any:
    """Check X of an estimator that takes features, and convert it to an array or `Rows`."""
    rows = as_rows(X)
    if rows is not None:
        return _check_rows(estimator, rows, reset)
    X = to_frame(X)
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    try:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if accept_sparse else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )
    except (TypeError, ValueError):
        _refuse_text(X)
        raise
    low, high = _range(X)
    if np.isfinite(low).all() and np.isfinite(high).all():
        too_far = X.dtype == np.float32 and not in_range(low, high, np.float32)
        check_magnitudes(low, high, names, spread=reset)
        return X.astype(np.float64) if too_far else X
    values = X.data if issparse(X) else X

    def count(mask: np.ndarray) -> np.ndarray:
        if issparse(X):
            return np.bincount(X.indices[mask], minlength=X.shape[1])
        return mask.sum(axis=0)

    raise _not_finite(count(~np.isfinite(values)), count(np.isnan(values)), X.shape[0], names)


def _refuse_text(X: Any) -> None:
    """Name the first column of a data frame that does not hold numbers."""
    for name in getattr(X, "columns", ()):
        try:
            np.asarray(X[name], dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"column {name!r} does not hold numbers; leave it out, or make features of text, "
                "dates and gaps by consens.TableFeatures"
            ) from None


def _range(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of each column."""
    if hasattr(X, "toarray"):
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    return X.min(axis=0), X.max(axis=0)


#: Sums of squares of larger values may overflow, those of smaller inverses underflow.
MAX_SIZE = {np.float64: 1e140, np.float32: 1e16}


def in_range(low: np.ndarray, high: np.ndarray, dtype: Any) -> bool:
    """Whether sums of squared differences neither overflow nor underflow in a type."""
    size, spread = float(np.maximum(-low, high).max()), float((high / 2 - low / 2).max())
    return size <= MAX_SIZE[dtype] and (spread == 0 or spread >= 1 / MAX_SIZE[dtype])


def check_magnitudes(
    low: np.ndarray, high: np.ndarray, names: Sequence[str] | None = None, *, spread: bool = True
) -> None:
    """Raise an error if distances overflow or, with `spread`, underflow for ranges of columns."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    if low.size == 0 or in_range(low, high, np.float64):
        return
    size = np.maximum(-low, high)
    if size.max() > MAX_SIZE[np.float64]:
        column = int(size.argmax())
        name = column if names is None else repr(names[column])
        raise ValueError(
            f"X holds values up to {size[column]:g} in column {name}, whose squares overflow; "
            "divide X by its largest value: clusters do not depend on the unit"
        )
    if spread:
        raise ValueError(
            f"X varies by at most {(high - low).max():g}, and squares of such differences "
            "underflow; multiply X by a large number: clusters do not depend on the unit"
        )


def _not_finite(
    n_bad: np.ndarray, n_nan: np.ndarray, n: int, names: list[str] | None
) -> ValueError:
    """Make the error for non-finite values, from the numbers of them and of NaN per column."""
    column = int(np.flatnonzero(n_bad)[0])
    kind = "NaN" if n_nan[column] else "inf"
    name = column if names is None else repr(names[column])
    more = int((n_bad > 0).sum()) - 1
    return ValueError(
        f"X contains {kind} in column {name} ({int(n_bad[column])} of {n} values)"
        + (f" and non-finite values in {more} more column(s)" if more else "")
        + "; drop these rows, or fill in values, for example with sklearn.impute.SimpleImputer"
    )


def _check_rows(estimator: Any, rows: Rows, reset: bool) -> Rows:
    """Check features in blocks, with one pass over them."""
    if rows.ndim != 2 or rows.dtype.kind not in "fiub":
        raise ValueError(
            f"expected rows and columns of numbers, got {rows.dtype} in {rows.ndim} dimension(s)"
        )
    if len(rows) < (2 if reset else 1):
        raise ValueError(f"clustering needs at least two objects, got {len(rows)}")
    known = rows.names is not None and (reset or hasattr(estimator, "feature_names_in_"))
    named = pd.DataFrame(columns=rows.names) if known else rows
    validate_data(estimator, named, reset=reset, skip_check_array=True)
    dtype = np.float32 if rows.dtype == np.float32 else np.float64
    if rows.dtype != dtype:
        names = rows.names
        rows = rows.map(partial(np.asarray, dtype=dtype), width=rows.width, dtype=dtype)
        rows.names = names
    scan = scan_rows(rows)
    if scan.n_bad.any():
        raise _not_finite(scan.n_bad, scan.n_nan, len(rows), rows.names)
    check_magnitudes(scan.low, scan.high, rows.names, spread=reset)
    if dtype == np.float32 and not in_range(scan.low, scan.high, dtype):
        return rows.map(partial(np.asarray, dtype=np.float64), width=rows.width, dtype=np.float64)
    return rows


def label_matrix_tags(tags: Tags) -> Tags:
    """Set the tags of estimators that take a label matrix: categories with missing entries."""
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.input_tags.allow_nan = True
    return tags


def check_matrix(matrix: Any, what: str) -> Any:
    """Check a matrix of real numbers, dense or sparse, and convert it to float64."""
    array = matrix if issparse(matrix) else np.asarray(matrix)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{what} must be a matrix of real numbers, got {array.dtype} of shape {array.shape}"
        )
    return array.astype(np.float64, copy=False)


def check_finite(matrix: Any, what: str) -> Any:
    """Check a matrix of finite numbers whose squares do not overflow."""
    matrix = check_matrix(matrix, what)
    values = matrix.data if issparse(matrix) else matrix
    most = MAX_SIZE[np.float64]
    if values.size and not -most <= values.min() <= values.max() <= most:
        raise ValueError(f"{what} must be finite and at most {most:g} in size")
    return matrix


def check_integer(value: Any, name: str, least: int = 1) -> int:
    """Check an integer of any type, and convert it to int."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}={value!r}; expected an integer")
    if value < least:
        raise ValueError(f"{name}={value}; expected an integer >= {least}")
    return int(value)


def check_integers(values: Any, name: str, least: int = 1) -> list[int]:
    """Check one or several integers, and convert them to a list."""
    single = not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0
    return [check_integer(value, name, least) for value in ([values] if single else values)]


def check_number(value: Any, name: str, least: float = 0.0, most: float = 1e100) -> float:
    """Check a number within bounds, and convert it to float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}={value!r}; expected a number")
    if not least <= float(value) <= most:
        raise ValueError(f"{name}={value}; expected a number from {least:g} to {most:g}")
    return float(value)


def check_objects(objects: Any, n: int) -> np.ndarray:
    """Check an array of object numbers from 0 to n - 1."""
    objects = np.asarray(objects)
    if objects.ndim != 1 or (objects.size and objects.dtype.kind not in "iu"):
        raise ValueError(
            f"expected a vector of object numbers, got {objects.dtype} of shape {objects.shape}"
        )
    if objects.size and not 0 <= objects.min() <= objects.max() < n:
        raise ValueError(f"object numbers must be from 0 to {n - 1}")
    return objects.astype(np.int64)


def check_n_clusters(n_clusters: int, distinct: int, hint: str = "") -> None:
    """Raise an error if there are more clusters than distinct objects."""
    if n_clusters > distinct:
        raise ValueError(
            f"n_clusters={n_clusters} is more than the {distinct} distinct objects" + hint
        )


def count_distinct(X: Any, enough: int) -> int:
    """Count the distinct rows of X; the count may stop at `enough` or above."""
    head = _distinct_rows(take_rows(X, np.arange(min(4 * enough, X.shape[0]))))
    if len(head) >= enough:
        return len(head)
    found = collect_rows(lambda rows: _distinct_rows(rows)[:enough], X)
    return len(np.unique(np.concatenate(found), axis=0))


def _distinct_rows(rows: Any) -> np.ndarray:
    return np.unique(rows.toarray() if hasattr(rows, "toarray") else rows, axis=0)
