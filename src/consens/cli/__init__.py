"""Command line: one file per verb, results on stdout, messages on stderr.

Exit codes: 0 success, 1 bad data or files, 2 wrong usage, 130 interrupted.  Verbs import the
library inside their functions, so that ``consens --help`` is fast.
"""

import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from consens import __version__
from consens.cli import console, interruption
from consens.cli.cluster import cluster
from consens.cli.combine import combine
from consens.cli.compare import compare
from consens.cli.configuration import command
from consens.cli.demo import demo
from consens.cli.diff import diff
from consens.cli.generate import generate
from consens.cli.info import info
from consens.cli.measure import measure
from consens.cli.methods import methods
from consens.cli.predict import predict
from consens.cli.profile import profile
from consens.cli.report import report
from consens.cli.select import select
from consens.cli.why import why

__all__ = ["main", "run"]

# newer typer vendors click; the base class of BadParameter is the usage error in both
UsageError: Any = typer.BadParameter.__base__

#: Exceptions that the library raises for bad input; any other is a bug.
EXPECTED = (ValueError, TypeError, OSError, MemoryError, ImportError)

DEBUG = "--debug"

SIGNALLED = 128  # exit codes of runs that a signal ended are this and the number of the signal

app = typer.Typer(
    help="Combine many clusterings of the same objects into one, with a confidence per object.",
    epilog="Example: consens cluster iris.csv -k 3 --drop species",
    rich_markup_mode=None,  # boxes leave a third of the line to the text
    pretty_exceptions_enable=False,
)

#: The verbs in the order of ``--help``, each with an example.
EXAMPLES: dict[Callable[[Any], None], str] = {
    cluster: "cluster iris.csv -k 3 --drop species --model iris.model",
    predict: "predict iris.model iris.csv -o new.csv",
    generate: "generate iris.csv --drop species --members 100 -o iris.ens",
    select: "select iris.ens --n-selected 20 -o few.ens",
    combine: "combine few.ens -k 3 -o iris-consens",
    measure: "measure few.ens --truth iris.csv --column species",
    compare: "compare few.ens --labels --truth iris.csv --column species",
    profile: "profile iris.csv iris-consens/labels.csv -o profile.csv",
    why: "why iris-consens 71",
    report: "report iris.csv -k 3 --drop species",
    diff: "diff iris-consens/labels.csv iris-report.labels.csv",
    info: "info iris.ens",
    methods: "methods --json",
    demo: "demo --out demo",
}
for verb, example in EXAMPLES.items():
    app.command(epilog=f"Example: consens {example}")(command(verb))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"consens {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_show_version, is_eager=True
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG, help="Show the traceback of an error; works with every command.")
    ] = False,
) -> None: ...


def main() -> int:
    """Run the command in the arguments of this process, and return its exit code."""
    # raise an exception, so that temporary files are removed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(SIGNALLED + signal.SIGTERM))
    interruption.exit_on_interrupt()
    console.open_streams()
    try:
        code = run(sys.argv[1:])
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    code = console.close_streams(code)
    if code > SIGNALLED:  # threads may be at work, which must not lose their interpreter
        os._exit(code)
    return code


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; an error is one line on stderr."""
    current = interruption.begin(arguments)
    given = [argument for argument in arguments if argument != DEBUG] or ["--help"]
    try:
        with warnings.catch_warnings():
            warnings.showwarning = console.warn
            code = app(given, prog_name="consens", standalone_mode=False)
    except UsageError as error:
        where = error.ctx.command_path if error.ctx else "consens"
        console.error(f"{error.format_message()} (see {where} --help)")
        return int(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        code = interruption.CODE
    except Exception as error:
        if DEBUG in arguments:
            raise
        text, kind = str(error), type(error).__name__
        if not isinstance(error, EXPECTED):
            text = f"{kind}: {text}; this is a bug in consens, {DEBUG} shows the traceback"
        console.error(text or kind)
        return 1
    if code == interruption.CODE:
        current.notify()
    return code or 0
