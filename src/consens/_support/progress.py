"""Progress of long computations: channels that report it, and a line that shows it."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, Generic, NamedTuple, TextIO, TypeVar

Report = TypeVar("Report")

#: Seconds between redraws while nothing is reported, to keep the clock running.
REFRESH = 0.25

BAR = 20


class MemberProgress(NamedTuple):
    """Number of members that a generator has made; `resumed` of them came from a store."""

    generator: str
    done: int
    total: int
    resumed: int


class BlockProgress(NamedTuple):
    """Number of blocks that are done in one pass over a collection."""

    done: int
    total: int


class StageProgress(NamedTuple):
    """The running stage of a plan, and how many of its units are done."""

    name: str
    done: int
    total: int


class StepProgress(NamedTuple):
    """A step inside a unit of a stage; `span` is the part of the unit that it covers."""

    name: str
    done: int
    total: int
    span: tuple[float, float]


class Channel(Generic[Report]):
    """Passes reports to the callbacks of this context."""

    def __init__(self, name: str) -> None:
        self._callbacks: ContextVar[tuple[Callable[[Report], object], ...]] = ContextVar(
            name, default=()
        )

    @contextmanager
    def watch(self, callback: Callable[[Report], object]) -> Iterator[None]:
        """Call `callback` with every report, in the reporting thread; its exceptions propagate."""
        token = self._callbacks.set((*self._callbacks.get(), callback))
        try:
            yield
        finally:
            self._callbacks.reset(token)

    def notify(self, report: Report) -> None:
        """Pass a report to all callbacks."""
        for callback in self._callbacks.get():
            callback(report)


members: Channel[MemberProgress] = Channel("members")
blocks: Channel[BlockProgress] = Channel("blocks")
stages: Channel[StageProgress] = Channel("stages")
steps: Channel[StepProgress] = Channel("steps")


def announce(name: str, done: int = 0, total: int = 1) -> None:
    """Report that a stage is running, with `done` of its `total` units finished."""
    stages.notify(StageProgress(name, done, total))


def announce_step(
    name: str, done: int, total: int, span: tuple[float, float] = (0.0, 1.0)
) -> None:
    """Report the progress of a step that covers `span` of the current unit."""
    steps.notify(StepProgress(name, done, total, span))


class ProgressDisplay:
    """One line for a whole plan: the share that is done, the time elapsed, the current stage.

    All stages count the same, and the share never falls.  The remaining time is not estimated.

    Parameters
    ----------
    names : sequence of str
        The stages in order; those that are never announced are skipped.
    title : str
        Shown at the end of the line, if there is room.
    stream : text stream
        A terminal gets one line that is redrawn, other streams get a line per stage.
    columns : int, optional
        Width of the line; by default that of the terminal.
    clock : callable
        Returns seconds, as `time.monotonic`.

    Examples
    --------
    >>> import io
    >>> from consens._support.progress import ProgressDisplay, announce
    >>> display = ProgressDisplay(["members", "consensus"], "wines", io.StringIO(), columns=80)
    >>> with display:
    ...     announce("members", 3, 6)
    ...     print(display.line(seconds=61))
    ...     announce("consensus")
    ...     print(display.line(seconds=62))
    [#####---------------]  25% 0:01:01 members (1 of 2) 3/6 · wines
    [##########----------]  50% 0:01:02 consensus (2 of 2) · wines
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
        self._stage = StageProgress("", 0, 1)
        self._detail = ""
        self._terminal = bool(getattr(self.stream, "isatty", lambda: False)())
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._drawer = threading.Thread(target=self._redraw, daemon=True)

    def __enter__(self) -> ProgressDisplay:
        self._start = self._stage_start = self.clock()
        self._watching = ExitStack()
        self._watching.enter_context(stages.watch(self._on_stage))
        self._watching.enter_context(members.watch(self._on_members))
        self._watching.enter_context(blocks.watch(self._on_blocks))
        self._watching.enter_context(steps.watch(self._on_step))
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

    def _on_stage(self, stage: StageProgress) -> None:
        if stage.name != self._stage.name:
            self._end_stage()
            self._stage_start = self.clock()
        self._stage = stage
        self._detail = f"{stage.done}/{stage.total}" if stage.total > 1 else ""
        self._move(0.0)

    def _unit(self) -> str:
        """Number of the current unit, if the stage has several."""
        return f"{self._stage.done + 1}/{self._stage.total}, " if self._stage.total > 1 else ""

    def _on_members(self, made: MemberProgress) -> None:
        self._detail = f"{self._unit()}{made.done}/{made.total} members"
        # labelling all objects by the members is the other half of the unit
        self._move(made.done / max(made.total, 1) / 2)

    def _on_step(self, made: StepProgress) -> None:
        self._detail = f"{self._unit()}{made.name} {made.done}/{made.total}"
        start, end = made.span
        self._move(start + (end - start) * made.done / max(made.total, 1))

    def _on_blocks(self, made: BlockProgress) -> None:
        self._detail = f"{self._detail.partition(' · ')[0]} · {made.done}/{made.total} blocks"
        self._draw()

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
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
