"""Progress of long computations: reports of it, and a line that shows it."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any, NamedTuple, TextIO

REFRESH = 0.25  # seconds between redraws while nothing is reported, to keep the clock running

BAR = 20


class Progress(NamedTuple):
    """Report that `done` of `total` units of some work are done.

    `what` is counted: ``"units"`` of a stage, ``"blocks"`` of a pass over a collection, or a step
    inside a unit, such as ``"members"``, which covers its part `span`.  `name` is that of the
    stage, or of the generator of members, of which `resumed` came from a store.
    """

    what: str
    done: int
    total: int
    name: str = ""
    resumed: int = 0
    span: tuple[float, float] = (0.0, 1.0)


_callbacks: ContextVar[tuple[Callable[[Progress], object], ...]] = ContextVar(
    "callbacks", default=()
)


def notify(progress: Progress) -> None:
    """Pass a report to all callbacks of this context."""
    for callback in _callbacks.get():
        callback(progress)


@contextmanager
def watch_progress(
    callback: Callable[[Progress], object], what: str | None = None
) -> Iterator[None]:
    """Call `callback` with every report, or those that count `what`, in the reporting thread."""

    def chosen(progress: Progress) -> None:
        if what in (None, progress.what):
            callback(progress)

    token = _callbacks.set((*_callbacks.get(), chosen))
    try:
        yield
    finally:
        _callbacks.reset(token)


def announce(name: str, done: int = 0, total: int = 1) -> None:
    """Report that a stage is running, with `done` of its `total` units finished."""
    notify(Progress("units", done, total, name))


class ProgressDisplay:
    """One line for a whole plan: the share that is done, the time elapsed, the current stage.

    All stages count the same, and the share never falls.  The remaining time is not estimated.
    Stages that are never announced are skipped.  A terminal gets one line that is redrawn, other
    streams get a line per stage.
    """

    def __init__(
        self,
        names: Sequence[str],
        title: str = "",
        stream: TextIO | None = None,
        *,
        columns: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.names = list(names)
        self.title = title
        self.stream = sys.stderr if stream is None else stream
        self.columns = columns
        self.clock = clock
        self.share = 0.0
        self._stage = Progress("units", 0, 1)
        self._detail = ""
        self._terminal = bool(getattr(self.stream, "isatty", lambda: False)())
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._drawer = threading.Thread(target=self._redraw, daemon=True)

    def __enter__(self) -> ProgressDisplay:
        self._start = self._stage_start = self.clock()
        self._watching = ExitStack()
        self._watching.enter_context(watch_progress(self._on_report))
        self._watching.callback(_active.reset, _active.set(self))
        if self._terminal:
            self._drawer.start()
        return self

    def __exit__(self, *failure: Any) -> None:
        self._watching.close()
        self._over.set()
        if self._terminal:
            self._drawer.join()
            self.clear()
        else:
            self._end_stage(failed=failure[0] is not None)

    def line(self, seconds: float | None = None) -> str:
        """Format the current line, no wider than the terminal."""
        seconds = self.clock() - self._start if seconds is None else seconds
        filled = int(BAR * self.share)
        bar = "#" * filled + "-" * (BAR - filled)
        text = f"[{bar}] {int(100 * self.share):3d}% {_clock(seconds)} {self._where()}"
        text += f" {self._detail}" if self._detail else ""
        text += f" · {self.title}" if self.title else ""
        # the last column stays free: a full line wraps on some terminals
        columns = self.columns or shutil.get_terminal_size((80, 24)).columns
        return text if len(text) < columns else text[: columns - 2] + "…"

    def clear(self) -> None:
        """Erase the line, so that something else can be printed."""
        if self._terminal:
            with self._lock:
                self._write("\r\x1b[2K")

    def _where(self) -> str:
        name = self._stage.name
        if name not in self.names:
            return name
        return f"{name} ({self.names.index(name) + 1} of {len(self.names)})"

    def _on_report(self, made: Progress) -> None:
        counted, stage = f"{made.done}/{made.total}", self._stage
        if made.what == "units":
            if made.name != stage.name:
                self._end_stage()
                self._stage_start = self.clock()
            self._stage = made
            self._detail = counted if made.total > 1 else ""
            self._move(0.0)
        elif made.what == "blocks":
            self._detail = f"{self._detail.partition(' · ')[0]} · {counted} blocks"
            self._draw()
        else:
            unit = f"{stage.done + 1}/{stage.total}, " if stage.total > 1 else ""
            self._detail = f"{unit}{counted} {made.what}"
            start, end = made.span
            self._move(start + (end - start) * made.done / max(made.total, 1))

    def _move(self, inside: float) -> None:
        """Advance to a share of the current unit."""
        stage = self._stage
        if stage.name in self.names:
            units = min((stage.done + inside) / max(stage.total, 1), 1.0)
            reached = (self.names.index(stage.name) + units) / len(self.names)
            self.share = max(self.share, reached)
        self._draw()

    def _end_stage(self, *, failed: bool = False) -> None:
        """Print a line about the stage that has ended, unless on a terminal."""
        if self._terminal or not self._stage.name:
            return
        seconds = _clock(self.clock() - self._stage_start)
        word = "stopped after" if failed else "done in"
        self._write(f"{self._where()} {word} {seconds}\n")

    def _draw(self) -> None:
        if self._terminal and not self._over.is_set():
            with self._lock:
                self._write(f"\r\x1b[2K{self.line()}")

    def _redraw(self) -> None:
        while not self._over.wait(REFRESH):
            self._draw()

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


_active: ContextVar[ProgressDisplay | None] = ContextVar("display", default=None)


def active_display() -> ProgressDisplay | None:
    """Return the display of the enclosing plan, if any: nested plans share it."""
    return _active.get()


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=int(seconds)))
