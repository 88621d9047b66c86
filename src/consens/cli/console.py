"""The one place that talks: results to stdout, everything else to stderr."""

import json
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


def echo_json(value: Any) -> None:
    """Print a result for programs."""
    echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


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
    from consens.progress import active_display

    shown = active_display()
    if shown is not None:
        shown.clear()
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
def progress(title: str, *names: str, quiet: bool) -> Iterator[None]:
    """Show on a terminal how far the named stages are; inside another plan, announce the first."""
    from consens.progress import ProgressDisplay, active_display, announce

    if active_display() is not None or quiet or not sys.stderr.isatty():
        announce(names[0])
        yield
        return
    with ProgressDisplay(names, title):
        announce(names[0])
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
