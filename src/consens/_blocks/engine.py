"""Tasks that compute blocks, and the engines that run them, one block at a time."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consens._support.memory import available_memory
from consens._support.progress import Progress, notify

if TYPE_CHECKING:
    from consens._blocks.rows import Rows


class Task:
    """A function and its inputs, which are values or other tasks."""

    __slots__ = ("function", "inputs")

    def __init__(self, function: Callable[..., Any], *inputs: Any) -> None:
        self.function = function
        self.inputs = inputs

    def run(self, made: dict[Any, Any] | None = None) -> Any:
        """Return the result; a task that is an input of several others runs once."""
        made = {} if made is None else made
        if id(self) not in made:
            inputs = [i.run(made) if isinstance(i, Task) else i for i in self.inputs]
            made[id(self)] = self.function(*inputs)
        return made[id(self)]


class Engine:
    """Runs tasks in this process, out of core, one block at a time; others override all methods.

    Persisted blocks of more than a quarter of `memory_limit`, or of the free memory, go to files.
    """

    def __init__(self, memory_limit: int | None = None) -> None:
        self.memory_limit = memory_limit

    def results(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Yield the results in the order of the tasks, one at a time."""
        for number, task in enumerate(tasks, 1):
            yield task.run()
            notify(Progress("blocks", number, len(tasks)))

    def total(self, tasks: Sequence[Task], add: Callable[[Any, Any], Any]) -> Any:
        """Add up the results, in any order."""
        return reduce(add, self.results(tasks))

    def persist(self, tasks: Sequence[Task], n_bytes: int) -> list[Task]:
        """Run the tasks now and store the blocks where they can be read again cheaply."""
        room = self.memory_limit or available_memory()
        if n_bytes <= room / 4:
            return [Task(identity, block) for block in self.results(tasks)]
        files = Spill()
        return [Task(files.read, files.write(block)) for block in self.results(tasks)]

    def each(
        self,
        function: Callable[..., Any],
        jobs: Sequence[Any],
        parts: Sequence[Task],
        n_jobs: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Run ``function(job, whole)`` for jobs, with `whole` the concatenation of the parts."""
        from joblib import Parallel, delayed

        whole = np.concatenate(list(self.results(parts)))
        run = Parallel(n_jobs=n_jobs, return_as="generator")
        yield from enumerate(run(delayed(function)(job, whole) for job in jobs))

    def collection(self, rows: Rows) -> Any:
        """Convert rows to the collection type of the engine, here an array."""
        return rows.load()


class Spill:
    """Blocks in temporary files, which are deleted with the last reference to this object."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="consens-"))
        self.n_files = 0
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, block: np.ndarray) -> str:
        """Write a block to a file and return its name."""
        self.n_files += 1
        name = f"{self.n_files}.npy"
        np.save(self.folder / name, block, allow_pickle=False)
        return name

    def read(self, name: str) -> np.ndarray:
        """Read the block of a file."""
        block: np.ndarray = np.load(self.folder / name, allow_pickle=False)
        return block


def identity(block: Any) -> Any:
    """Return the block; for tasks that only store it."""
    return block
