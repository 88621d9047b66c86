"""Steps that make blocks, and the engines that run them.

A block is a `Task`: a function and what it is applied to, other steps among it.  An `Engine` runs
them, one block after the other, so that no more than a block is held (plus what is asked to be
kept).  All steps of one block run in one go: on a cluster they are one task.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from consens.memory import available_memory

if TYPE_CHECKING:
    from consens.blocks.rows import Rows


class Task:
    """A function and its inputs: steps whose results it takes, or values."""

    __slots__ = ("function", "inputs")

    def __init__(self, function: Callable[..., Any], *inputs: Any) -> None:
        self.function = function
        self.inputs = inputs

    def run(self, made: dict[int, Any] | None = None) -> Any:
        """The result; a step that several others need is made once."""
        made = {} if made is None else made
        if id(self) not in made:
            inputs = [i.run(made) if isinstance(i, Task) else i for i in self.inputs]
            made[id(self)] = self.function(*inputs)
        return made[id(self)]


class Engine(Protocol):
    """Where steps are run."""

    def results(self, steps: Sequence[Task]) -> Iterator[Any]:
        """Results of the steps, in their order, each no sooner than it is wanted."""

    def total(self, steps: Sequence[Task], add: Callable[[Any, Any], Any]) -> Any:
        """Sum of the results, where the order of addition does not matter."""

    def persist(self, steps: Sequence[Task], n_bytes: int) -> list[Task]:
        """Make the blocks now, and hold them where they can be had again at little cost."""

    def each(
        self,
        function: Callable[..., Any],
        jobs: Sequence[Any],
        parts: Sequence[Task],
        n_jobs: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Run ``function(job, whole)`` for jobs, with `whole` the concatenation of the parts.

        Gives (number of the job, result) as they are finished.
        """

    def collection(self, rows: Rows) -> Any:
        """What a user takes for the rows: an array, or the like."""


class Progress(NamedTuple):
    """Blocks that are done, of all, in one pass over a collection."""

    done: int
    total: int


_watcher: ContextVar[Callable[[Progress], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watch_blocks(callback: Callable[[Progress], None]) -> Iterator[None]:
    """Be told of every block that is done, in each pass over a collection."""
    token = _watcher.set(callback)
    try:
        yield
    finally:
        _watcher.reset(token)


def notify(done: int, total: int) -> None:
    """Tell who watches how far a pass is."""
    callback = _watcher.get()
    if callback is not None:
        callback(Progress(done, total))


class LocalEngine:
    """The engine of this process: out of core, one block at a time.

    Parameters
    ----------
    memory_limit : int, optional
        Bytes that the process should do with.  Blocks to keep that take more than a quarter of
        it go to temporary files; without a limit, more than a quarter of what is available.
    """

    def __init__(self, memory_limit: int | None = None) -> None:
        self.memory_limit = memory_limit

    def results(self, steps: Sequence[Task]) -> Iterator[Any]:
        """See `Engine`."""
        for number, step in enumerate(steps, 1):
            yield step.run()
            notify(number, len(steps))

    def total(self, steps: Sequence[Task], add: Callable[[Any, Any], Any]) -> Any:
        """See `Engine`."""
        results = self.results(steps)
        total = next(results)
        for part in results:
            total = add(total, part)
        return total

    def persist(self, steps: Sequence[Task], n_bytes: int) -> list[Task]:
        """See `Engine`."""
        room = self.memory_limit or available_memory()
        if n_bytes <= room / 4:
            return [Task(identity, block) for block in self.results(steps)]
        files = Spill()
        return [Task(files.read, files.write(block)) for block in self.results(steps)]

    def each(
        self,
        function: Callable[..., Any],
        jobs: Sequence[Any],
        parts: Sequence[Task],
        n_jobs: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """See `Engine`; jobs run through joblib."""
        from joblib import Parallel, delayed

        whole = np.concatenate(list(self.results(parts)))
        run = Parallel(n_jobs=n_jobs, return_as="generator")
        yield from enumerate(run(delayed(function)(job, whole) for job in jobs))

    def collection(self, rows: Rows) -> np.ndarray:
        """See `Engine`."""
        return rows.load()


class Spill:
    """Blocks in temporary files, which go when nobody refers to them."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="consens-"))
        self.n_files = 0
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, block: np.ndarray) -> str:
        """Put a block into a file; its name."""
        self.n_files += 1
        name = f"{self.n_files}.npy"
        np.save(self.folder / name, block, allow_pickle=False)
        return name

    def read(self, name: str) -> np.ndarray:
        """The block of a file."""
        return np.load(self.folder / name, allow_pickle=False)


def identity(block: Any) -> Any:
    """The block, for steps that only hold it."""
    return block
