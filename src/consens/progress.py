"""Progress of long work: who watches it, and one line on a terminal that shows it."""

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

#: Seconds between two drawings while nothing is reported: the time goes on.
REFRESH = 0.25

BAR = 20


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


class StageProgress(NamedTuple):
    """A stage of a plan that is at work, and its units that are done, of all."""

    name: str
    done: int
    total: int


class StepProgress(NamedTuple):
    """A step inside a unit of a stage: what is done, of all, and where in the unit it lies."""

    name: str
    done: int
    total: int
    span: tuple[float, float]


class Channel(Generic[Report]):
    """Passes reports to all who watch in this context; costs nothing if nobody does."""

    def __init__(self, name: str) -> None:
        self._callbacks: ContextVar[tuple[Callable[[Report], object], ...]] = ContextVar(
            name, default=()
        )

    @contextmanager
    def watch(self, callback: Callable[[Report], object]) -> Iterator[None]:
        """Call `callback` with every report, in the thread that works; what it raises ends it."""
        token = self._callbacks.set((*self._callbacks.get(), callback))
        try:
            yield
        finally:
            self._callbacks.reset(token)

    def notify(self, report: Report) -> None:
        """Pass a report on."""
        for callback in self._callbacks.get():
            callback(report)


members: Channel[MemberProgress] = Channel("members")
blocks: Channel[BlockProgress] = Channel("blocks")
stages: Channel[StageProgress] = Channel("stages")
steps: Channel[StepProgress] = Channel("steps")


def announce(name: str, done: int = 0, total: int = 1) -> None:
    """Tell that a stage is at work, `done` of its `total` units behind it."""
    stages.notify(StageProgress(name, done, total))


def announce_step(
    name: str, done: int, total: int, span: tuple[float, float] = (0.0, 1.0)
) -> None:
    """Tell how far a step is that takes the unit at work from one share of it to another."""
    steps.notify(StepProgress(name, done, total, span))


class ProgressDisplay:
    """One line for a whole plan: how far it is, for how long, and what is being done.

    The share is that of the stages that are over and of the units of the one at work, each
    stage counting the same; it never falls.  It tells no time that is left: nobody knows it.

    Parameters
    ----------
    names : sequence of str
        The stages, in their order; those that are not announced are passed over.
    title : str
        Stands behind the rest where there is room.
    stream : text stream
        A terminal gets a line that is drawn again and again, anything else a line per stage.
    columns : int, optional
        Width of the terminal; by default that of the one at hand.
    clock : callable
        Seconds since some time.

    Examples
    --------
    >>> import io
    >>> from consens.progress import ProgressDisplay, announce
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
        """The line as it is now, no wider than the terminal."""
        seconds = self.clock() - self._start if seconds is None else seconds
        filled = int(BAR * self.share)
        bar = "#" * filled + "-" * (BAR - filled)
        parts = [f"[{bar}] {int(100 * self.share):3d}% {_clock(seconds)} {self._where()}"]
        if self._detail:
            parts[0] += f" {self._detail}"
        parts += [self.title] if self.title else []
        text = " · ".join(parts)
        # the last column stays free: a full line wraps on some terminals
        columns = self.columns or shutil.get_terminal_size((80, 24)).columns
        return text if len(text) < columns else text[: columns - 2] + "…"

    def clear(self) -> None:
        """Make room on the terminal for something else."""
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
        """Which unit of the stage is at work, if it has several."""
        return f"{self._stage.done + 1}/{self._stage.total}, " if self._stage.total > 1 else ""

    def _on_members(self, made: MemberProgress) -> None:
        self._detail = f"{self._unit()}{made.done}/{made.total} members"
        # the other half of the unit: the labels of all objects by the members
        self._move(made.done / max(made.total, 1) / 2)

    def _on_step(self, made: StepProgress) -> None:
        self._detail = f"{self._unit()}{made.name} {made.done}/{made.total}"
        start, end = made.span
        self._move(start + (end - start) * made.done / max(made.total, 1))

    def _on_blocks(self, made: BlockProgress) -> None:
        self._detail = f"{self._detail.partition(' · ')[0]} · {made.done}/{made.total} blocks"
        self._draw()

    def _move(self, inside: float) -> None:
        """Reach a share of the unit at work."""
        stage = self._stage
        if stage.name in self.names:
            units = min((stage.done + inside) / max(stage.total, 1), 1.0)
            reached = (self.names.index(stage.name) + units) / len(self.names)
            self.share = max(self.share, reached)
        self._draw()

    def _end_stage(self, *, failed: bool = False) -> None:
        """Where lines stay, tell of a stage when it is over."""
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
    """The display that shows the plan around, if there is one: a plan inside needs no other."""
    return _active.get()


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
