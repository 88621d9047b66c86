"""The one place that talks: results to stdout, everything else to stderr."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import typer

from consens.printable import printable


def echo(text: str, *, nl: bool = True) -> None:
    """Print a result; control characters of names in it are escaped."""
    typer.echo(printable(text, keep="\n\t"), nl=nl)


def open_streams() -> None:
    """Make sure that there are streams to print to, and that they take any character."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started this process
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        getattr(sys, name).reconfigure(errors="backslashreplace")


def close_streams(code: int) -> int:
    """Print what is left to be printed; the exit code of the process."""
    try:
        sys.stdout.flush()
    except OSError as failure:
        if not isinstance(failure, BrokenPipeError):  # who reads no more wants no more words
            error(f"cannot write to standard output: {failure.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the interpreter fails again at its end
        return code or 1
    return code


def note(text: str) -> None:
    """Say something that is not a result."""
    typer.echo(printable(text, keep="\n\t"), err=True)


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


def written(paths: Sequence[Path]) -> None:
    """Say which files were written."""
    note("\nwritten: " + ", ".join(map(str, paths)))


@contextmanager
def progress(text: str, *, quiet: bool) -> Iterator[None]:
    """Show on a terminal what is done, how long it has taken, and how far members are made.

    Of collections in blocks also how far the pass over them is.
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
        TimeRemainingColumn,
    )

    plain = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    counted = (
        *plain,
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]},"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*plain, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None, unit="members")
        from consens import generate
        from consens.blocks import watch_blocks

        passes: list[Any] = []

        def members(made: Any) -> None:
            bar.columns = counted
            if made.done == 0:  # another ensemble: its speed is its own
                bar.reset(task)
            bar.update(task, completed=made.done, total=made.total)

        def blocks(done: Any) -> None:
            bar.columns = counted
            if not passes:
                passes.append(bar.add_task("this pass over the data", total=None, unit="blocks"))
            bar.update(passes[0], completed=done.done, total=done.total)

        with generate.watch(members), watch_blocks(blocks):
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
        grid.add_row(*(Text(printable(cell)) for cell in row))
    # lines for a program are not broken at the width of a terminal
    Console(highlight=False, width=None if sys.stdout.isatty() else 1000).print(grid)


def _one_line(text: str) -> str:
    return " ".join(text.split())
