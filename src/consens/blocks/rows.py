"""`Rows`: a collection of rows in blocks, which are made only when they are asked for.

Mapping makes longer chains of steps and computes nothing; an engine runs them (`engine.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from consens.blocks.engine import Engine, LocalEngine, Task, identity
from consens.memory import require_memory

#: Who reads collections of a package as `Rows`, by ``as_rows(X)``.  Named here and imported when
#: one arrives: nothing here depends on them.
READERS = {"dask": "consens.scale"}


class Rows:
    """n rows in blocks that are made when they are asked for.

    Parameters
    ----------
    blocks : sequence of Task
        Each gives an array of as many rows as `sizes` says, at least one.
    sizes : sequence of int
    width : int or None
        Columns; None for a vector.
    dtype : data type
    engine : Engine, optional
    names : list of str, optional
        Of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.blocks import Rows
    >>> rows = Rows.from_array(np.arange(6.0).reshape(3, 2), sizes=[2, 1])
    >>> rows.shape, rows.map(lambda block: block.sum(axis=1)).load()
    ((3, 2), array([1., 5., 9.]))
    >>> rows.sum(lambda block: block.sum(axis=0))
    array([6., 9.])
    """

    ndim: int

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
        self.dtype = np.dtype(dtype)
        self.engine: Engine = LocalEngine() if engine is None else engine
        self.names = names
        self.ndim = 1 if width is None else 2

    @classmethod
    def from_array(
        cls, array: np.ndarray, sizes: Sequence[int], engine: Engine | None = None
    ) -> Rows:
        """Cut an array into blocks."""
        blocks = [Task(identity, part) for part in _cut(array, sizes)]
        width = None if array.ndim == 1 else array.shape[1]
        return cls(blocks, sizes, width, array.dtype, engine)

    @classmethod
    def mapped(cls, function: Callable[..., Any], *arrays: Any, width: Any, dtype: Any) -> Rows:
        """`map` with any of the arrays in blocks."""
        first = next(rows for array in arrays if (rows := as_rows(array)) is not None)
        return first._apply(function, arrays, None, width, dtype, None)

    @classmethod
    def summed(cls, function: Callable[..., Any], *arrays: Any) -> Any:
        """`sum` with any of the arrays in blocks."""
        first = next(rows for array in arrays if (rows := as_rows(array)) is not None)
        return first.engine.total(first._steps(function, arrays, None), add)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, and columns if there are any."""
        n = sum(self.sizes)
        return (n,) if self.width is None else (n, self.width)

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def starts(self) -> list[int]:
        """Row at which each block begins."""
        return np.concatenate([[0], np.cumsum(self.sizes[:-1])]).astype(np.int64).tolist()

    @property
    def n_bytes(self) -> int:
        """Bytes of all rows."""
        return self.dtype.itemsize * len(self) * (self.width or 1)

    # ------------------------------------------------------------------ the two functions

    def map(
        self,
        function: Callable[..., Any],
        *others: Any,
        each: Sequence[Any] | None = None,
        width: int | None = None,
        dtype: Any = np.float64,
        sizes: Sequence[int] | None = None,
    ) -> Rows:
        """Rows that a function makes of the blocks, when they are asked for.

        Parameters
        ----------
        function : callable
            Of a block, those of `others`, and what `each` holds for the block.
        *others : Rows or arrays of as many rows
        each : sequence with an entry per block, optional
        width, dtype, sizes
            Of the result; without sizes those of these rows.
        """
        return self._apply(function, (self, *others), each, width, dtype, sizes)

    def collect(
        self, function: Callable[..., Any], *others: Any, each: Sequence[Any] | None = None
    ) -> Iterator[Any]:
        """What a function makes of each block, from first to last."""
        return self.engine.results(self._steps(function, (self, *others), each))

    def sum(
        self,
        function: Callable[..., Any],
        *others: Any,
        each: Sequence[Any] | None = None,
    ) -> Any:
        """Sum of what a function makes of the blocks, in no promised order; see `add`."""
        return self.engine.total(self._steps(function, (self, *others), each), add)

    def _apply(
        self, function: Any, arrays: Sequence[Any], each: Any, width: Any, dtype: Any, sizes: Any
    ) -> Rows:
        blocks = self._steps(function, arrays, each)
        return Rows(blocks, self.sizes if sizes is None else sizes, width, dtype, self.engine)

    def _steps(self, function: Any, arrays: Sequence[Any], each: Any) -> list[Task]:
        inputs = [self._blocks_of(array) for array in arrays]
        if each is not None:
            inputs.append(list(each))
        return [Task(function, *parts) for parts in zip(*inputs, strict=True)]

    def _blocks_of(self, array: Any) -> list[Any]:
        rows = as_rows(array)
        if rows is None:
            return _cut(np.asarray(array), self.sizes)
        if len(rows.sizes) != len(self.sizes):
            raise ValueError(
                f"collections with {len(self.sizes)} and {len(rows.sizes)} blocks do not go "
                "together; give both the same blocks"
            )
        return rows.blocks

    # ------------------------------------------------------------------ what comes of it

    def persist(self) -> Rows:
        """The same rows, made now and held where they can be had again at little cost."""
        blocks = self.engine.persist(self.blocks, self.n_bytes)
        return Rows(blocks, self.sizes, self.width, self.dtype, self.engine, self.names)

    def load(self) -> np.ndarray:
        """All rows in one array in memory."""
        n = len(self)
        require_memory(self.n_bytes, f"an array of {n} rows", "work on the blocks")
        result = np.empty(self.shape, dtype=self.dtype)
        for start, block in zip(self.starts, self.collect(identity), strict=True):
            result[start : start + len(block)] = block
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.load().astype(dtype or self.dtype, copy=False)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Some rows, by their numbers in ascending order, in memory."""
        parts = self.collect(_picked, each=self.local_indices(rows))
        return np.concatenate(list(parts))

    def train(
        self,
        function: Callable[..., Any],
        jobs: Sequence[Any],
        rows: np.ndarray,
        n_jobs: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Run ``function(job, sample)`` for jobs, where `sample` are the rows of some numbers.

        Gives (number of the job, result) as they are finished.
        """
        parts = self._steps(_picked, (self,), self.local_indices(rows))
        return self.engine.each(function, jobs, parts, n_jobs)

    def local_indices(self, rows: np.ndarray) -> list[np.ndarray]:
        """Numbers of rows, in ascending order, as numbers inside their blocks."""
        borders = np.searchsorted(rows, np.append(self.starts, len(self)))
        return [
            rows[a:b] - start
            for a, b, start in zip(borders, borders[1:], self.starts, strict=False)
        ]

    def head(self, n: int) -> np.ndarray:
        """The first rows, in memory."""
        return self.take(np.arange(min(n, len(self))))

    @property
    def numbers(self) -> Rows:
        """Number of each row."""
        return self.map(_numbers, each=self.starts, dtype=np.int64)

    def filter(self, mask: Rows, sizes: Sequence[int]) -> Rows:
        """The rows of a mask, in blocks of known sizes; blocks without any are left out."""
        chosen = self.map(_picked, mask, width=self.width, dtype=self.dtype, sizes=sizes)
        some = [number for number, size in enumerate(sizes) if size]
        blocks, sizes = [chosen.blocks[b] for b in some], [sizes[b] for b in some]
        return Rows(blocks, sizes, self.width, self.dtype, self.engine, self.names)

    def scatter(self, mask: Rows, sizes: Sequence[int], fill: Any) -> Rows:
        """A vector that is these values where a mask of `filter` is true, and else `fill`."""
        chosen = iter(self.blocks)
        blocks = [
            Task(_filled, one, next(chosen) if size else np.empty(0, self.dtype), fill)
            for one, size in zip(mask.blocks, sizes, strict=True)
        ]
        return Rows(blocks, mask.sizes, None, self.dtype, self.engine)

    def columns(self, picked: np.ndarray) -> Rows:
        """Some columns, by their numbers."""
        picked = np.asarray(picked)
        rows = self.map(lambda block: block[:, picked], width=len(picked), dtype=self.dtype)
        rows.names = None if self.names is None else [self.names[c] for c in picked]
        return rows

    def split_like(self, array: np.ndarray) -> Rows:
        """An array of as many rows, in blocks as these."""
        return Rows.from_array(array, self.sizes, self.engine)

    def collection(self) -> Any:
        """What a user takes for the rows: an array, or a collection of the engine's kind."""
        return self.engine.collection(self)

    # ------------------------------------------------------------------ label matrices

    @cached_property
    def facts(self) -> Any:
        """What is known of a label matrix; see `matrix.LabelStats`."""
        from consens.blocks.matrix import find_label_stats

        return find_label_stats(self)

    def label_function(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Answer a function of `consens.labels` about these labels."""
        from consens.blocks import matrix

        return getattr(matrix, name)(self, *args, **kwargs)

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.shape))
        return f"Rows: {shape} {self.dtype} in {len(self.sizes)} blocks"


def in_blocks(*arrays: Any) -> bool:
    """Whether one of them is a collection in blocks."""
    return any(isinstance(array, Rows) or _reader(array) is not None for array in arrays)


def as_rows(array: Any) -> Rows | None:
    """A collection in blocks as `Rows`; None for anything else."""
    if isinstance(array, Rows):
        return array
    reader = _reader(array)
    return None if reader is None else import_module(reader).as_rows(array)


def take_rows(array: Any, rows: np.ndarray) -> np.ndarray:
    """Some rows of an array or of `Rows`, by their numbers in ascending order."""
    return array.take(rows) if isinstance(array, Rows) else array[rows]


def row_numbers(array: Any) -> Any:
    """Number of each row of an array or of `Rows`."""
    return array.numbers if isinstance(array, Rows) else np.arange(len(array))


def to_user(values: Any) -> Any:
    """What a user gets: `Rows` as a collection of their engine, anything else as it is."""
    return values.collection() if isinstance(values, Rows) else values


def _reader(array: Any) -> str | None:
    package = type(array).__module__.partition(".")[0]
    return READERS.get(package)


def _cut(array: np.ndarray, sizes: Sequence[int]) -> list[np.ndarray]:
    if len(array) != sum(sizes):
        raise ValueError(f"{len(array)} rows for a collection of {sum(sizes)}")
    return np.split(array, np.cumsum(sizes)[:-1])


def add(a: Any, b: Any) -> Any:
    """Sum of two results; tuples are added entry by entry."""
    if isinstance(a, tuple):
        return tuple(add(x, y) for x, y in zip(a, b, strict=True))
    return a + b


def _picked(block: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return block[rows]


def _filled(mask: np.ndarray, values: np.ndarray, fill: Any) -> np.ndarray:
    result = np.full(len(mask), fill, dtype=values.dtype)
    result[mask] = values
    return result


def _numbers(block: np.ndarray, start: int) -> np.ndarray:
    return np.arange(start, start + len(block))
