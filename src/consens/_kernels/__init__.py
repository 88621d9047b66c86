"""Compiled inner loops: functions of arrays, without validation, random state or objects.

Import a kernel inside the function that calls it, so that importing the library never loads
numba.  Tests compare each kernel with a plain NumPy implementation.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Smallest amounts of work for which compiled code is used.  Below them NumPy does the same, so
#: that the first call on small data does not wait for a compiler.
COMPILED_FROM: dict[str, float] = {
    "comparisons": 2e8,  # of the labels of two objects
    "counts": 5e6,  # objects times pairs of members
    "objects": 20_000,  # of a label matrix that is counted or added up
    "rows": 1_001,  # distinct label rows that are linked
    "triples": 2e7,  # pairs of neighbours of clusters
}


_repeats: ContextVar[int] = ContextVar("repeats", default=1)


def worth_compiling(what: str, amount: float) -> bool:
    """Whether an amount of work is large enough for compiled code."""
    return bool(amount >= COMPILED_FROM[what])


@contextmanager
def repeated(times: int) -> Iterator[None]:
    """Announce that work inside a ``with`` block is repeated; nested numbers multiply."""
    token = _repeats.set(times * _repeats.get())
    try:
        yield
    finally:
        _repeats.reset(token)


def repeats() -> int:
    """Number of repetitions announced by `repeated`; 1 by default."""
    return _repeats.get()
