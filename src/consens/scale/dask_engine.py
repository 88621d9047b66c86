"""Engine of `consens._blocks.Rows` that runs blocks as Dask tasks."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from consens._blocks import Engine, Rows, Task
from consens._support.progress import Progress, notify

try:
    import dask
    import dask.array as da
except ImportError as error:  # only from the command line: Dask collections need dask
    raise ImportError(
        "working on a cluster needs dask and distributed: pip install 'consens[scale]'"
    ) from error

try:
    import distributed
except ImportError:  # without it, dask computes in this process
    distributed = None  # type: ignore[assignment]

FAN_IN = 8  # number of partial sums that one task adds up

#: Recommended environment of worker processes.  Dask's default makes them return every freed
#: megabyte to the system, which then has to provide zeroed pages for each temporary array: twice
#: the CPU time.  Blocks run one at a time, so with a worker per core one thread of compiled code
#: per worker is enough.
WORKER_ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": 2**29,
    "MALLOC_MMAP_THRESHOLD_": 2**25,
    "NUMBA_NUM_THREADS": 1,
    "OMP_NUM_THREADS": 1,
    "OPENBLAS_NUM_THREADS": 1,
}

_one_at_a_time = threading.Lock()


class Remote(Task):
    """A block that is a delayed object of Dask; workers know only its key."""

    __slots__ = ("delayed", "key")

    def __init__(self, delayed: Any, key: str = "") -> None:
        super().__init__(Remote)
        self.delayed, self.key = delayed, key or delayed.key

    def __reduce__(self) -> Any:
        return Remote, (None, self.key)

    def run(self, made: dict[Any, Any] | None = None) -> Any:
        """Return the block, which Dask has passed to the task."""
        return (made or {})[self.key]


class DaskEngine(Engine):
    """Engine that runs all steps of a block as one Dask task.

    With a ``distributed.Client``, tasks run on its cluster, otherwise in this process.  A worker
    processes one block at a time, because the compiled code uses all of its threads.
    """

    def results(self, steps: Sequence[Task]) -> Iterator[Any]:
        """See `consens._blocks.Engine`."""
        yield from self._results_in_order([as_task(step) for step in steps])

    def total(self, steps: Sequence[Task], add: Callable[[Any, Any], Any]) -> Any:
        """See `consens._blocks.Engine`; partial sums are added up on the workers."""
        tasks = [as_task(step) for step in steps]
        while len(tasks) > 1:
            groups = [tasks[i : i + FAN_IN] for i in range(0, len(tasks), FAN_IN)]
            tasks = [dask.delayed(reduce, pure=False)(add, group) for group in groups]
        return next(self._results_in_order(tasks))

    def persist(self, steps: Sequence[Task], n_bytes: int) -> list[Task]:
        """See `consens._blocks.Engine`; the workers hold the blocks."""
        with translate_errors():
            kept = dask.persist(*[as_task(step) for step in steps])
        return [Remote(block) for block in kept]

    def each(
        self,
        function: Callable[..., Any],
        jobs: Sequence[Any],
        parts: Sequence[Task],
        n_jobs: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """See `consens._blocks.Engine`; every job is a task."""
        whole = dask.delayed(np.concatenate, pure=False)([as_task(part) for part in parts])
        if current_client() is None:  # jobs are computed one by one, each with its own graph
            (whole,) = dask.persist(whole)
        tasks = [dask.delayed(_alone, pure=False)(function, job, whole) for job in jobs]
        yield from self._as_completed(tasks)

    def collection(self, rows: Rows) -> Any:
        """See `consens._blocks.Engine`; the result is a Dask array with a chunk per block."""
        extra = () if rows.width is None else (rows.width,)
        parts = [
            da.from_delayed(as_task(step), (size, *extra), dtype=rows.dtype)
            for step, size in zip(rows.blocks, rows.sizes, strict=True)
        ]
        array = da.concatenate(parts)
        # lets `as_rows` return the same rows; operations on the array give it another name
        array._consens_rows = array.name, rows
        return array

    def _results_in_order(self, tasks: list[Any]) -> Iterator[Any]:
        """Yield the results in order, each as soon as it is available."""
        waiting: dict[int, Any] = {}
        wanted = 0
        for number, result in self._as_completed(tasks):
            waiting[number] = result
            while wanted in waiting:
                yield waiting.pop(wanted)
                wanted += 1

    def _as_completed(self, tasks: list[Any]) -> Iterator[tuple[int, Any]]:
        client = current_client()
        if client is None:
            for number, task in enumerate(tasks):
                yield number, task.compute()
                notify(Progress("blocks", number + 1, len(tasks)))
            return
        with translate_errors():
            futures = client.compute(tasks)
            numbers = {future.key: number for number, future in enumerate(futures)}
            done = distributed.as_completed(futures)
            del futures
        for n_done in range(1, len(tasks) + 1):
            with translate_errors():
                future = next(done)
                result = future.result()
            notify(Progress("blocks", n_done, len(tasks)))
            yield numbers[future.key], result
            future.release()


def as_rows(collection: Any) -> Rows:
    """Convert a Dask array or data frame to `Rows`, with a block per chunk that is not empty."""
    names = None
    name, rows = getattr(collection, "_consens_rows", (None, None))
    if rows is not None and name == collection.name:
        return rows
    if hasattr(collection, "to_dask_array"):
        names = [str(name) for name in collection.columns]
        numeric = all(map(pd.api.types.is_numeric_dtype, collection.dtypes))
        if numeric and collection.to_dask_array().dtype == object:  # booleans beside numbers
            collection = collection.astype(np.float64)
        with translate_errors():
            collection = collection.to_dask_array(lengths=True)
    if not isinstance(collection, da.Array):
        raise TypeError(
            f"expected a Dask array or data frame, got {type(collection).__name__}; "
            "make one by dask.array.from_delayed"
        )
    if np.isnan(collection.chunks[0]).any():
        with translate_errors():
            collection = collection.compute_chunk_sizes()
    if collection.ndim not in (1, 2):
        raise ValueError(f"expected rows and columns, got {collection.ndim} dimensions")
    if collection.ndim == 2 and len(collection.chunks[1]) > 1:
        collection = collection.rechunk({1: -1})
    blocks = collection.to_delayed().ravel()
    sized = [(b, size) for b, size in zip(blocks, collection.chunks[0], strict=True) if size]
    return Rows(
        [Remote(block) for block, _ in sized],
        [size for _, size in sized],
        None if collection.ndim == 1 else collection.shape[1],
        collection.dtype,
        DaskEngine(),
        names,
    )


def on_cluster(rows: Rows) -> Rows:
    """Return the same rows with Dask as their engine."""
    return Rows(rows.blocks, rows.sizes, rows.width, rows.dtype, DaskEngine(), rows.names)


def connect(address: str) -> Any:
    """Return a client of the scheduler at an address, to be used as a context manager."""
    if distributed is None:
        raise ImportError("a scheduler needs distributed: pip install 'consens[scale]'")
    try:
        return distributed.Client(address)
    except (OSError, TimeoutError, ValueError) as error:
        raise ConnectionError(f"no Dask scheduler responds at {address} ({error})") from error


def as_task(step: Task) -> Any:
    """Convert a step with all of its inputs to one Dask task."""
    if isinstance(step, Remote):
        return step.delayed
    return dask.delayed(_run, pure=False)(step, dict(_remote_blocks(step)))


def _remote_blocks(step: Task) -> Iterator[tuple[str, Any]]:
    """Yield the keys and blocks of Dask that a step needs."""
    if isinstance(step, Remote):
        yield step.key, step.delayed
    for inner in step.inputs:
        if isinstance(inner, Task):
            yield from _remote_blocks(inner)


def current_client() -> Any:
    """Return the current client of a cluster, if any."""
    if distributed is None:
        return None
    try:
        return distributed.get_client()
    except ValueError:
        return None


@contextmanager
def translate_errors() -> Iterator[None]:
    """Explain errors that mean that the scheduler was lost."""
    lost: tuple[type[BaseException], ...] = (CancelledError, TimeoutError)
    if distributed is not None:
        lost += (distributed.client.FutureCancelledError, distributed.comm.CommClosedError)
    client = current_client()
    try:
        yield
    except lost as error:
        address = "" if client is None else f" at {client.scheduler.addr}"
        raise ConnectionError(
            f"the Dask scheduler{address} was lost, or cancelled the work; restart it and fit "
            "again: a generator with store=FOLDER keeps the members that are finished "
            f"({error})"
        ) from error


# ---------------------------------------------------------------------------- on the workers


def _run(step: Task, blocks: dict[str, Any]) -> Any:
    with _one_at_a_time:
        return step.run(dict(blocks))


def _alone(function: Callable[..., Any], job: Any, whole: Any) -> Any:
    with _one_at_a_time:
        return function(job, whole)
