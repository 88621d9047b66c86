"""The one place that talks: results to stdout, everything else to stderr."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

import typer


def note(text: str) -> None:
    """Say something that is not a result."""
    typer.echo(text, err=True)


def error(text: str) -> None:
    """Say in one line what went wrong."""
    note(f"error: {_one_line(text)}")


def warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning of the library in one line; takes the place of `warnings.showwarning`."""
    note(f"warning: {_one_line(str(message))}")


@contextmanager
def progress(text: str, *, quiet: bool) -> Iterator[None]:
    """Show on a terminal that work goes on, and for how long."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task(text, total=None)
        yield


@contextmanager
def progress_of_members(text: str, *, quiet: bool) -> Iterator[None]:
    """Show on a terminal how many members are made, and for how long it may go on."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from consens import generate

    description = TextColumn("{task.description}")
    times = TextColumn("members,"), TimeRemainingColumn(), TextColumn("left,"), TimeElapsedColumn()
    columns = SpinnerColumn(), description, BarColumn(), MofNCompleteColumn(), *times
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)

        def tell(made: generate.Progress) -> None:
            if made.done == 0:  # another ensemble: its speed is its own
                bar.reset(task)
            bar.update(task, completed=made.done, total=made.total)

        with generate.watch(tell):
            yield


@contextmanager
def progress_of_blocks(text: str, *, quiet: bool) -> Iterator[None]:
    """Show on a terminal how far the members and the passes over a collection are.

    On a cluster it is the scheduler that tells which blocks are done.
    """
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    from consens import generate
    from consens.blocks import watch_blocks

    description = TextColumn("{task.description}")
    columns = SpinnerColumn(), description, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        members = bar.add_task(f"{text}: members", total=None)
        blocks = bar.add_task("blocks of this pass", total=None)
        with (
            generate.watch(
                lambda made: bar.update(members, completed=made.done, total=made.total)
            ),
            watch_blocks(lambda done: bar.update(blocks, completed=done.done, total=done.total)),
        ):
            yield


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: bool) -> None:
    """Print a table to stdout; the cells are plain text, whatever they hold."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        grid.add_column(column, justify="right" if right else "left")
    for row in rows:
        grid.add_row(*map(Text, row))
    # lines for a program are not broken at the width of a terminal
    Console(highlight=False, width=None if sys.stdout.isatty() else 1000).print(grid)


def _one_line(text: str) -> str:
    return " ".join(text.split())
