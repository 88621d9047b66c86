"""All printing: results to stdout, messages to stderr."""

import ast
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TextIO

import typer

from consens._support.printable import printable

#: Options with another name than the parameter of Python.
_OPTIONS = {
    "array=": "--use",
    "id_column=": "--id",
    "id_column=False": "--no-id",
    "header=False": "--no-header",
    "day_first=False": "--month-first",
}
_ADVICE = {
    "open it in pieces by consens.io.open_parquet": "cluster it in pieces by --memory-limit SIZE",
    "use consens.ConsensusClustering": "use consens cluster",
}
_PARAMETER = re.compile(
    r"(?<![\w.'\"])((?:array|columns|day_first|decimal|drop|drop_duplicates|encode"
    r"|encoding|header|id_column|impute|na|sep)=)"
    r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\[.*?\]|True|False)?"
)


def in_shell(text: str) -> str:
    """Replace parameters of Python in a message by options."""

    def option(found: re.Match[str]) -> str:
        name, value = found[1], found[2] or ""
        option = _OPTIONS.get(name, f"--{name.removesuffix('=').replace('_', '-')}")
        if value in ("", "True", "False"):
            return _OPTIONS.get(name + value, option)
        try:
            values = ast.literal_eval(value)
        except SyntaxError:  # a name with ]
            return found[0]
        each = [values] if isinstance(values, str) else values
        shown = " ".join(f"{option} {shlex.quote(str(value))}" for value in each[:8])
        return f"{shown} ..." if len(each) > 8 else shown

    for python, shell in _ADVICE.items():
        text = text.replace(python, shell)
    text = re.sub(r"table\.drop\(columns=(\[.*?\])\)", r"drop=\1", text)
    return _PARAMETER.sub(option, text)


def echo(text: str, *, nl: bool = True) -> None:
    """Print a result, with control characters escaped."""
    typer.echo(printable(text, keep="\n\t"), nl=nl)


def echo_json(value: Any) -> None:
    """Print a result as JSON."""
    echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def open_streams() -> None:
    """Replace closed standard streams, and let them escape what they cannot encode."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        getattr(sys, name).reconfigure(errors="backslashreplace")


def close_streams(code: int) -> int:
    """Flush standard output, and return the exit code of the process."""
    try:
        sys.stdout.flush()
    except OSError as failure:
        if not isinstance(failure, BrokenPipeError):  # the reader has stopped on purpose
            error(f"cannot write to standard output: {failure.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the interpreter fails again at exit
        return code or 1
    return code


def note(text: str) -> None:
    """Print a message to stderr."""
    from consens._support.progress import active_display

    shown = active_display()
    if shown is not None:
        shown.clear()
    typer.echo(printable(in_shell(text), keep="\n\t"), err=True)


def error(text: str) -> None:
    """Print an error message in one line."""
    note(f"error: {_one_line(in_shell(text))}")


def warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning in one line; replaces `warnings.showwarning`."""
    note(f"warning: {_one_line(in_shell(str(message)))}")


def notes(texts: Iterable[str], *, quiet: bool) -> None:
    """Print notes, unless nothing but warnings is to be printed."""
    for text in () if quiet else texts:
        note(f"note: {text}")


def written(paths: Sequence[Path]) -> None:
    """Print which files were written."""
    note("\nwritten: " + ", ".join(map(str, paths)))


@contextmanager
def progress(title: str, *names: str, quiet: bool) -> Iterator[None]:
    """Show the progress of the named stages on a terminal; a nested plan is only announced."""
    from consens._support.progress import ProgressDisplay, active_display, announce

    hidden = quiet or active_display() is not None or not sys.stderr.isatty()
    with nullcontext() if hidden else ProgressDisplay(names, title):
        announce(names[0])
        yield


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: bool) -> None:
    """Print a table to stdout: real numbers with three decimals, missing cells empty."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        grid.add_column(column, justify="right" if right else "left")
    for row in rows:
        grid.add_row(*(Text(printable(_shown(cell))) for cell in row))
    # lines in a pipe are not wrapped
    Console(highlight=False, width=None if sys.stdout.isatty() else 1000).print(grid)


def _shown(cell: Any) -> str:
    if cell is None or cell != cell:
        return ""
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def _one_line(text: str) -> str:
    return " ".join(text.split())
