"""Functions for rows in an array (one block in memory) or in `Rows`; only they tell the two apart.

The rounding of a sum of floats depends on the order of its terms, and one digit may decide a tie.
Integer multiples of a power of two add up without rounding as long as the sum fits: in int64, or
in float64 below 2^53, where even a matrix product is exact (`fixed`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np

from consens._blocks.rows import Function, Rows, add, as_rows, fill_mask

#: Bytes of rows that are gathered at a time; jobs whose samples do not fit together run in
#: batches, with a pass over the collection for each batch.
SAMPLE_BYTES = 2**28

#: Numbers of the rows that a job needs, in ascending order; None for all of them.
Draw = Callable[[], np.ndarray | None]

FINE = 44  # binary places of numbers whose rounding errors should be negligible

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from scipy.sparse import sparray, spmatrix

#: Rows in memory or in blocks.
Collection: TypeAlias = np.ndarray | Rows

#: Numbers with a row for each object, and a label or name for each object.
FeatureMatrix: TypeAlias = "ArrayLike | Rows | sparray | spmatrix"
Labels: TypeAlias = "ArrayLike | Rows | Sequence[Any]"

C = TypeVar("C", bound=Collection)
T = TypeVar("T")

BLOCK_BYTES = 16 * 2**20


def row_blocks(n: int, bytes_per_row: int) -> Iterator[slice]:
    """Cut n rows into slices of about 16 MB of work space."""
    size = max(1, BLOCK_BYTES // max(1, bytes_per_row))
    return (slice(start, min(start + size, n)) for start in range(0, max(n, 1), size))


def map_rows(
    function: Callable[..., np.ndarray],
    first: C,
    *others: Any,
    bytes_per_row: int = 0,
    width: int | None = None,
    dtype: Any = np.float64,
    with_start: bool = False,
) -> C:
    """Apply `function` to blocks of rows of all arrays and put the results in one array.

    The result has one row per row of the arguments and depends only on that row.  `bytes_per_row`
    is the work space; `with_start` passes the number of the first row of the block, too.  For
    `Rows` the result is computed lazily, with `width` columns (None for a vector) of type `dtype`.
    """
    arrays = (first, *others)
    rows = _first_in_blocks(arrays)
    if rows is None:
        return cast(C, _map_block(function, bytes_per_row, with_start, *arrays, 0))
    inner = partial(_map_block, function, bytes_per_row, with_start)
    tasks = rows.tasks(inner, *arrays, each=rows.starts)
    return cast(C, Rows(tasks, rows.sizes, width, dtype, rows.engine))


def sum_rows(
    function: Callable[..., T], *arrays: Any, bytes_per_row: int = 0, with_start: bool = False
) -> T:
    """Apply `function` to blocks of rows of all `arrays` and add up the (exact) results."""
    rows = _first_in_blocks(arrays)
    if rows is None:
        return cast(T, _sum_block(function, bytes_per_row, with_start, *arrays, 0))
    inner = partial(_sum_block, function, bytes_per_row, with_start)
    return cast(T, rows.engine.total(rows.tasks(inner, *arrays, each=rows.starts), add))


def collect_rows(
    function: Callable[..., T], *arrays: Any, bytes_per_row: int = 0, with_start: bool = False
) -> list[T]:
    """Apply `function` to blocks of rows of all `arrays` and list the results in order."""
    rows = _first_in_blocks(arrays)
    if rows is None:
        return list(_results(function, arrays, bytes_per_row, with_start))
    each = rows.starts if with_start else None
    return list(rows.engine.results(rows.tasks(function, *arrays, each=each)))


def take_rows(array: Any, rows: np.ndarray) -> Any:
    """Load rows into memory, by their numbers in ascending order."""
    return array.take(rows) if isinstance(array, Rows) else array[rows]


def take_columns(array: C, columns: Any) -> C:
    """Select columns by any index."""
    return cast(C, array[..., columns])


def persist(array: C) -> C:
    """Compute rows now and store them where they can be read again cheaply."""
    return cast(C, array.persist()) if isinstance(array, Rows) else array


def load(array: Any) -> Any:
    """Load all rows into one array; arrays are returned unchanged."""
    rows = as_rows(array)
    return array if rows is None else rows.load()


def split_like(array: Any, like: Any) -> Any:
    """Convert rows to the form of `like`: to its blocks, or to one array."""
    rows, own = as_rows(like), as_rows(array)
    if rows is None:
        return array if own is None else own.load()
    return rows.split_like(array) if own is None else own


def to_user(values: Any) -> Any:
    """Convert `Rows` to the collection type of their engine; return anything else unchanged."""
    return values.collection() if isinstance(values, Rows) else values


def cached(function: Callable[[Any], T], collection: Any) -> T:
    """Return ``function(collection)``; cached for `Rows`, but not for arrays, which may change."""
    if not isinstance(collection, Rows):
        return function(collection)
    if function not in collection.cache:
        collection.cache[function] = function(collection)
    return cast(T, collection.cache[function])


def recall(function: Callable[[Any], T], collection: Any) -> T | None:
    """Return the cached value of ``function(collection)``, or None."""
    return collection.cache.get(function) if isinstance(collection, Rows) else None


def preset(function: Callable[[Any], T], collection: C, value: T) -> C:
    """Store a known value of ``function(collection)`` for `cached`."""
    if isinstance(collection, Rows):
        collection.cache[function] = value
    return collection


@dataclass(frozen=True)
class RowMask:
    """A mask of rows, with the number of chosen rows in each block."""

    mask: Collection
    counts: Sequence[int]

    @classmethod
    def of(cls, mask: Collection) -> RowMask:
        """Count the chosen rows of a mask in one pass."""
        return cls(mask, [int(n) for n in collect_rows(np.count_nonzero, mask)])

    @property
    def complete(self) -> bool:
        """Whether all rows are chosen."""
        return sum(self.counts) == len(self.mask)

    def filter(self, array: Any) -> Any:
        """The chosen rows."""
        if self.complete:
            return array
        if isinstance(self.mask, Rows):
            return array.filter(self.mask, self.counts)
        return array[self.mask]

    def scatter(self, values: Any, fill: Any) -> Any:
        """Put values in the places of the chosen rows, and `fill` elsewhere."""
        if self.complete:
            return values
        if isinstance(self.mask, Rows):
            return values.scatter(self.mask, self.counts, fill)
        return fill_mask(self.mask, values, fill)


def _first_in_blocks(arrays: Sequence[Any]) -> Rows | None:
    if type(arrays[0]) is np.ndarray and len(arrays) == 1:
        return None
    return next((rows for array in arrays if (rows := as_rows(array)) is not None), None)


def _results(
    function: Function, arrays: Sequence[Any], bytes_per_row: int, with_start: bool, start: int = 0
) -> Iterator[Any]:
    for block in row_blocks(arrays[0].shape[0], bytes_per_row):
        parts = [a[block] for a in arrays]
        yield function(*parts, start + block.start) if with_start else function(*parts)


def _map_block(
    function: Function, bytes_per_row: int, with_start: bool, *parts_and_start: Any
) -> np.ndarray:
    *parts, start = parts_and_start
    results = list(_results(function, parts, bytes_per_row, with_start, start))
    return results[0] if len(results) == 1 else np.concatenate(results)


def _sum_block(
    function: Function, bytes_per_row: int, with_start: bool, *parts_and_start: Any
) -> Any:
    *parts, start = parts_and_start
    return reduce(add, _results(function, parts, bytes_per_row, with_start, start))


def bits_for(n: int) -> int:
    """Binary places such that n numbers of size up to 1 add up in int64."""
    return min(FINE, 62 - int(n).bit_length())


def fixed(values: Any, bits: int) -> np.ndarray:
    """Numbers in units of 2^-bits, rounded to integers (as floats)."""
    units = np.multiply(values, 2.0**bits)
    return np.rint(units, out=units) if isinstance(units, np.ndarray) else np.rint(units)


def fixed_total(values: np.ndarray, bits: int) -> int:
    """Exact sum of numbers up to 1 in units of 2^-bits."""
    return int(fixed(values, bits).astype(np.int64).sum())


def run_on_samples(
    function: Callable[[Any, Any], Any],
    jobs: Sequence[Any],
    draws: Sequence[Draw],
    array: Any,
    n_jobs: int | None = None,
) -> Iterator[tuple[int, Any]]:
    """Run ``function(job, rows)`` for jobs, each on its own sample of an array or `Rows`.

    The function may run in other processes, so it must be defined in a module.  Yields (number of
    the job, result) as jobs finish.
    """
    if isinstance(array, Rows):
        yield from _run_in_batches(function, jobs, draws, array, n_jobs)
        return
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.parallel import Parallel, delayed

    run = Parallel(n_jobs=n_jobs, return_as="generator")
    drawn = zip(jobs, draws, strict=True)
    with warnings.catch_warnings():
        # k-means ignores it, too, but in threads filters of one run replace those of another
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield from enumerate(run(delayed(_run_on_own)(function, *own, array) for own in drawn))


def _run_on_own(function: Callable[[Any, Any], Any], job: Any, draw: Draw, array: Any) -> Any:
    rows = draw()
    return function(job, array if rows is None else array[rows])


def _run_in_batches(
    function: Callable[[Any, Any], Any],
    jobs: Sequence[Any],
    draws: Sequence[Draw],
    array: Rows,
    n_jobs: int | None,
) -> Iterator[tuple[int, Any]]:
    bytes_per_row = array.n_bytes // len(array)
    for batch in _batches(draws, len(array), SAMPLE_BYTES // bytes_per_row):
        gathered = np.unique(np.concatenate(list(batch.values())))
        own = [(function, jobs[n], np.searchsorted(gathered, rows)) for n, rows in batch.items()]
        numbers = list(batch)
        for done, result in array.train(_run_on_gathered, own, gathered, n_jobs):
            yield numbers[done], result


def _batches(draws: Sequence[Draw], n: int, most: int) -> Iterator[dict[int, np.ndarray]]:
    """Dictionaries of job numbers and their rows, with at most `most` rows for several jobs."""
    batch: dict[int, np.ndarray] = {}
    held = 0
    for number, draw in enumerate(draws):
        rows = draw()
        rows = np.arange(n) if rows is None else rows
        if batch and held + len(rows) > most:
            yield batch
            batch, held = {}, 0
        batch[number] = rows
        held += len(rows)
    if batch:
        yield batch


def _run_on_gathered(
    own: tuple[Callable[[Any, Any], Any], Any, np.ndarray], gathered: np.ndarray
) -> Any:
    function, job, places = own
    whole = np.array_equal(places, np.arange(len(gathered)))
    return function(job, gathered if whole else gathered[places])
