"""Progress of long work: whoever watches is told of finished members and blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, NamedTuple, TypeVar

Report = TypeVar("Report")


class MemberProgress(NamedTuple):
    """Members that a generator has made, of all, and how many of them a store gave."""

    generator: str
    done: int
    total: int
    resumed: int


class BlockProgress(NamedTuple):
    """Blocks that are done, of all, in one pass over a collection."""

    done: int
    total: int


class Channel(Generic[Report]):
    """Passes reports to whoever watches in this context; costs nothing if nobody does."""

    def __init__(self, name: str) -> None:
        self._callback: ContextVar[Callable[[Report], object] | None] = ContextVar(
            name, default=None
        )

    @contextmanager
    def watch(self, callback: Callable[[Report], object]) -> Iterator[None]:
        """Call `callback` with every report, in the thread that works; what it raises ends it."""
        token = self._callback.set(callback)
        try:
            yield
        finally:
            self._callback.reset(token)

    def notify(self, report: Report) -> None:
        """Pass a report on."""
        callback = self._callback.get()
        if callback is not None:
            callback(report)


members: Channel[MemberProgress] = Channel("members")
blocks: Channel[BlockProgress] = Channel("blocks")
