"""The shell: one file per verb, data on stdout, talk on stderr.

Exit codes: 0 done, 1 the data or the files are bad, 2 wrong usage, 130 interrupted. Verbs
import the library inside their functions, so that ``consens --help`` is quick.
"""

import signal
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from consens import __version__
from consens.cli import console
from consens.cli.cluster import cluster
from consens.cli.combine import combine
from consens.cli.demo import demo
from consens.cli.methods import methods
from consens.cli.report import report

__all__ = ["main", "run"]

# Newer typer carries its own click; the base of its public error is the usage error in both.
UsageError: Any = typer.BadParameter.__base__

app = typer.Typer(
    help="Many clusterings of the same objects into one, and how far it can be trusted.",
    epilog="Example: consens cluster iris.csv -k 3 --drop species",
    add_completion=False,
    rich_markup_mode=None,  # boxes leave the text a third of the line
    pretty_exceptions_enable=False,
)
app.command(epilog="Example: consens cluster iris.csv -k 3 --drop species")(cluster)
app.command(epilog="Example: consens combine labels.csv -k 4 --out result")(combine)
app.command(epilog="Example: consens report iris.csv -k 3 --drop species")(report)
app.command(epilog="Example: consens methods --json")(methods)
app.command(epilog="Example: consens demo --out demo")(demo)


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
    return run(sys.argv[1:])


def run(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code; errors become one line on stderr."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = console.warn
            code = app(list(arguments), prog_name="consens", standalone_mode=False)
    except UsageError as error:
        where = error.ctx.command_path if error.ctx else "consens"
        console.error(f"{error.format_message()} (see {where} --help)")
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except (ValueError, TypeError, OSError, MemoryError, ImportError) as error:
        console.error(str(error) or type(error).__name__)
        return 1
    if code == 130:
        console.error("interrupted")
    return code or 0
