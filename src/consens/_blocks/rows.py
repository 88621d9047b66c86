"""`Rows`: a collection of rows in lazily computed blocks.

Mapping only extends chains of tasks; an engine runs them (`engine.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from consens._blocks.engine import Engine, Task, identity
from consens._support.memory import require_memory

#: Modules whose ``as_rows(X)`` converts collections of a package to `Rows`.  They are imported
#: when such a collection arrives.
READERS = {"dask": "consens.scale.dask_engine"}

Function: TypeAlias = Callable[..., Any]


class Rows:
    """A collection of rows in lazily computed blocks.

    Each of `blocks` returns an array, with at least one row, as many as `sizes` says; `width` is
    the number of columns, None for a vector, and `names` are their names.
    """

    def __init__(
        self,
        blocks: Sequence[Task],
        sizes: Sequence[int],
        width: int | None,
        dtype: Any,
        engine: Engine | None = None,
        names: list[str] | None = None,
    ) -> None:
        self.blocks = list(blocks)
        self.sizes = tuple(int(size) for size in sizes)
        self.width = width
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.engine: Engine = Engine() if engine is None else engine
        self.names = names
        self.ndim = 1 if width is None else 2
        #: Results of functions of these rows; see `consens._blocks.cached`.
        self.cache: dict[Function, Any] = {}
        #: Numbers of rows that another pass has loaded, and these rows.
        self.loaded: tuple[np.ndarray, np.ndarray] | None = None

    @classmethod
    def from_array(
        cls, array: np.ndarray, sizes: Sequence[int], engine: Engine | None = None
    ) -> Rows:
        """Cut an array into blocks."""
        blocks = [Task(identity, part) for part in _cut(array, sizes)]
        width = None if array.ndim == 1 else array.shape[1]
        return cls(blocks, sizes, width, array.dtype, engine)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of rows and, unless it is a vector, of columns."""
        n = sum(self.sizes)
        return (n,) if self.width is None else (n, self.width)

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def starts(self) -> list[int]:
        """First row of each block."""
        return [0, *np.cumsum(self.sizes[:-1]).tolist()]

    @property
    def n_bytes(self) -> int:
        """Bytes of all rows."""
        return self.dtype.itemsize * len(self) * (self.width or 1)

    # ------------------------------------------------------------------ map

    def map(
        self,
        function: Function,
        *others: Any,
        width: int | None = None,
        dtype: Any = np.float64,
        sizes: Sequence[int] | None = None,
    ) -> Rows:
        """Apply a function to the blocks, and to the corresponding blocks of `others`, lazily."""
        blocks = self.tasks(function, self, *others)
        return Rows(blocks, self.sizes if sizes is None else sizes, width, dtype, self.engine)

    def collect(self, function: Function, *others: Any) -> Iterator[Any]:
        """Yield the results of a function for the blocks in order."""
        return self.engine.results(self.tasks(function, self, *others))

    def tasks(
        self, function: Function, *arrays: Any, each: Sequence[Any] | None = None
    ) -> list[Task]:
        """Tasks that apply a function to arrays, divided into the blocks of these rows."""
        inputs = [self._blocks_of(array) for array in arrays]
        if each is not None:
            inputs.append(list(each))
        return [Task(function, *parts) for parts in zip(*inputs, strict=True)]

    def _blocks_of(self, array: Any) -> Sequence[Any]:
        rows = as_rows(array)
        if rows is None:
            return _cut(np.asarray(array), self.sizes)
        if len(rows.sizes) != len(self.sizes):
            raise ValueError(
                f"collections with {len(self.sizes)} and {len(rows.sizes)} blocks cannot be "
                "combined; give both the same blocks"
            )
        return rows.blocks

    # ------------------------------------------------------------------ rows and columns

    def persist(self) -> Rows:
        """Compute the rows now and store them where they can be read again cheaply."""
        blocks = self.engine.persist(self.blocks, self.n_bytes)
        return Rows(blocks, self.sizes, self.width, self.dtype, self.engine, self.names)

    def load(self) -> np.ndarray:
        """Load all rows into one array."""
        n = len(self)
        require_memory(self.n_bytes, f"an array of {n} rows", "work on the blocks")
        result = np.empty(self.shape, dtype=self.dtype)
        for start, block in zip(self.starts, self.collect(identity), strict=True):
            result[start : start + len(block)] = block
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.load().astype(dtype or self.dtype, copy=False)

    def __getitem__(self, key: Any) -> Rows:
        """Return all rows, ``rows[:]``, or some columns, ``rows[..., columns]``."""
        if isinstance(key, slice) and key == slice(None):
            return self
        if not (isinstance(key, tuple) and len(key) == 2 and key[0] is Ellipsis):
            raise TypeError(
                "a collection in blocks has no single rows; E[:, members] picks columns, "
                "rows.take(numbers) loads rows into memory"
            )
        if self.width is None:
            raise IndexError("a vector has no columns")
        picked = np.arange(self.width)[key[1]]
        width = None if picked.ndim == 0 else len(picked)
        rows = self.map(lambda block: block[:, picked], width=width, dtype=self.dtype)
        if width is not None and self.names is not None:
            rows.names = [self.names[c] for c in picked]
        return rows

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Load rows into memory, by their numbers in ascending order."""
        if self.loaded is not None and np.array_equal(self.loaded[0], rows):
            return self.loaded[1]
        return np.concatenate(list(self.engine.results(self._picked(rows))))

    def train(
        self,
        function: Function,
        jobs: Sequence[Any],
        rows: np.ndarray,
        n_jobs: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Run ``function(job, sample)`` for jobs on a sample, given by its row numbers."""
        return self.engine.each(function, jobs, self._picked(rows), n_jobs)

    def _picked(self, rows: np.ndarray) -> list[Task]:
        """Tasks that pick rows from the blocks that contain any of them."""
        borders = np.searchsorted(rows, [*self.starts, len(self)])
        ends = zip(borders, borders[1:], self.starts, strict=False)
        indices = [rows[a:b] - start for a, b, start in ends]  # within each block
        tasks = self.tasks(_pick, self, each=indices)
        return [t for t, own in zip(tasks, indices, strict=True) if len(own)] or tasks[:1]

    def filter(self, mask: Rows, sizes: Sequence[int]) -> Rows:
        """Keep the rows of a mask; `sizes` counts them per block, and empty blocks are dropped."""
        chosen = self.map(_pick, mask, width=self.width, dtype=self.dtype, sizes=sizes)
        some = [number for number, size in enumerate(sizes) if size]
        blocks, sizes = [chosen.blocks[b] for b in some], [sizes[b] for b in some]
        return Rows(blocks, sizes, self.width, self.dtype, self.engine, self.names)

    def scatter(self, mask: Rows, sizes: Sequence[int], fill: Any) -> Rows:
        """Undo `filter`: put these rows where the mask is true, and `fill` elsewhere."""
        chosen = iter(self.blocks)
        nothing = np.empty((0, *self.shape[1:]), self.dtype)
        blocks = [
            Task(fill_mask, one, next(chosen) if size else nothing, fill)
            for one, size in zip(mask.blocks, sizes, strict=True)
        ]
        return Rows(blocks, mask.sizes, self.width, self.dtype, self.engine)

    def split_like(self, array: np.ndarray) -> Rows:
        """Cut an array of the same length into the blocks of these rows."""
        return Rows.from_array(array, self.sizes, self.engine)

    def collection(self) -> Any:
        """Convert to the collection type of the engine, for example an array."""
        return self.engine.collection(self)

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.shape))
        return f"Rows: {shape} {self.dtype} in {len(self.sizes)} blocks"


def in_blocks(*arrays: Any) -> bool:
    """Whether any of the arguments is a collection in blocks."""
    return any(isinstance(array, Rows) or _reader(array) is not None for array in arrays)


def as_rows(array: Any) -> Rows | None:
    """Convert a collection in blocks to `Rows`; return None for anything else."""
    if isinstance(array, Rows):
        return array
    reader = _reader(array)
    if reader is None:
        return None
    rows: Rows = import_module(reader).as_rows(array)
    return rows


def add(a: Any, b: Any) -> Any:
    """Add two results; tuples are added entry by entry."""
    if isinstance(a, tuple):
        return tuple(add(x, y) for x, y in zip(a, b, strict=True))
    return a + b


def fill_mask(mask: np.ndarray, values: np.ndarray, fill: Any) -> np.ndarray:
    """Put values where a mask is true, and `fill` elsewhere."""
    result = np.full((len(mask), *values.shape[1:]), fill, dtype=values.dtype)
    result[mask] = values
    return result


def _reader(array: Any) -> str | None:
    package = type(array).__module__.partition(".")[0]
    return READERS.get(package)


def _cut(array: np.ndarray, sizes: Sequence[int]) -> list[np.ndarray]:
    if len(array) != sum(sizes):
        raise ValueError(f"got {len(array)} rows for a collection of {sum(sizes)} rows")
    return np.split(array, np.cumsum(sizes)[:-1])


def _pick(block: np.ndarray, rows: np.ndarray) -> np.ndarray:
    picked: np.ndarray = block[rows]
    return picked
