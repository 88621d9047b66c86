"""Jobs on samples of the rows, which are gathered for many jobs in one pass."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from consens._blocks.rows import Rows

#: Bytes of rows that are gathered at a time; jobs whose samples do not fit together run in
#: batches, with a pass over the collection for each batch.
SAMPLE_BYTES = 2**28

#: Numbers of the rows that a job needs, in ascending order; None for all of them.
Draw = Callable[[], np.ndarray | None]


def run_on_samples(
    function: Callable[[Any, Any], Any],
    jobs: Sequence[Any],
    draws: Sequence[Draw],
    array: Any,
    n_jobs: int | None = None,
) -> Iterator[tuple[int, Any]]:
    """Run ``function(job, rows)`` for jobs, each on its own sample of an array or `Rows`.

    The function must be defined in a module, because it may run in other processes, `n_jobs` at a
    time.  Each of `draws` returns the row numbers of its job in ascending order, which may repeat,
    or None for all.
    Yields (number of the job, result) as jobs finish.
    """
    if isinstance(array, Rows):
        yield from _run_in_batches(function, jobs, draws, array, n_jobs)
        return
    from sklearn.utils.parallel import Parallel, delayed

    run = Parallel(n_jobs=n_jobs, return_as="generator")
    drawn = zip(jobs, draws, strict=True)
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
