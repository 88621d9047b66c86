"""The shell: one file per verb, data on stdout, talk on stderr.

Exit codes: 0 done, 1 the data or the files are bad, 2 wrong usage, 130 interrupted. Verbs
import the library inside their functions, so that ``consens --help`` is quick.
"""

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
from consens.cli.configuration import command
from consens.cli.demo import demo
from consens.cli.generate import generate
from consens.cli.info import info
from consens.cli.measure import measure
from consens.cli.methods import methods
from consens.cli.report import report
from consens.cli.select import select

__all__ = ["main", "run"]

# Newer typer carries its own click; the base of its public error is the usage error in both.
UsageError: Any = typer.BadParameter.__base__

app = typer.Typer(
    help="Many clusterings of the same objects into one, and how far it can be trusted.",
    epilog="Example: consens cluster iris.csv -k 3 --drop species",
    rich_markup_mode=None,  # boxes leave the text a third of the line
    pretty_exceptions_enable=False,
)

#: The verbs in the order of ``--help``, each with a command that can be tried.
EXAMPLES: dict[Callable[[Any], None], str] = {
    cluster: "cluster iris.csv -k 3 --drop species",
    generate: "generate iris.csv --drop species --members 100 -o iris.ens",
    select: "select iris.ens --n-selected 20 -o few.ens",
    combine: "combine few.ens -k 3 -o iris-consens",
    measure: "measure few.ens --truth iris.csv --column species",
    report: "report iris.csv -k 3 --drop species",
    info: "info iris.ens",
    methods: "methods --json",
    demo: "demo --out demo",
}
for verb, example in EXAMPLES.items():
    app.command(epilog=f"Example: consens {example}")(command(verb))


def _show_version(asked: bool) -> None:
    if asked:
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
) -> None: ...


def main() -> int:
    """Run the command line of this process."""
    # as an exception, so that temporary files are removed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    interruption.end_at_once()
    return run(sys.argv[1:])


def run(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code; errors become one line on stderr."""
    under_way = interruption.begin(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = console.warn
            code = app(list(arguments), prog_name="consens", standalone_mode=False)
    except UsageError as error:
        where = error.ctx.command_path if error.ctx else "consens"
        console.error(f"{error.format_message()} (see {where} --help)")
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = interruption.CODE
    except (ValueError, TypeError, OSError, MemoryError, ImportError) as error:
        console.error(str(error) or type(error).__name__)
        return 1
    if code == interruption.CODE:
        under_way.notify()
    return code or 0
