"""Compiled inner loops: arrays in, arrays out; no validation, no random state, no objects.

Import a kernel inside the function that calls it, so that importing the library never loads
numba.  Each kernel has a plain NumPy twin in its test.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Amounts of work from which a kernel repays loading it.  Below, NumPy does the same: the first
#: call on small data must not wait for a compiler.
COMPILED_FROM: dict[str, float] = {
    "comparisons": 2e8,  # of the labels of two objects
    "counts": 2e7,  # objects times pairs of members
    "merges": 5_000,
    "objects": 20_000,  # of a label matrix that is counted or added up
    "products": 2**21,  # objects times centres times features
    "rows": 2_001,  # distinct label rows that are linked
    "triples": 2e7,  # pairs of neighbours of clusters
    "vertices": 501,  # of a graph that is agglomerated
}


_repeats: ContextVar[int] = ContextVar("repeats", default=1)


def worth_compiling(what: str, amount: float) -> bool:
    """Whether so much work repays loading compiled code."""
    return bool(amount >= COMPILED_FROM[what])


@contextmanager
def repeated(times: int) -> Iterator[None]:
    """Say that the work inside is done so many times in all."""
    token = _repeats.set(times)
    try:
        yield
    finally:
        _repeats.reset(token)


def repeats() -> int:
    """How many times the work at hand is done in all; 1 unless `repeated` says so."""
    return _repeats.get()
