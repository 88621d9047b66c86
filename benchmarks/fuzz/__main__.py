"""Run one kind of trial: ``python -m benchmarks.fuzz {api,files,kills,streams,order}``."""

from __future__ import annotations

import argparse
import sys

import benchmarks.fuzz


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fuzz",
        description=benchmarks.fuzz.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind, count, default in (
        ("api", "calls", 20_000),
        ("files", "files", 3_000),
        ("kills", "kills", 300),
        ("streams", None, 0),
        ("order", "orders", 10),
    ):
        options = kinds.add_parser(kind)
        if count is not None:
            options.add_argument(f"--{count}", type=int, default=default, dest="number")
        options.add_argument("--seed", type=int, default=0)
        options.add_argument("--only", type=int, help="repeat one trial, with its traceback")
    given = parser.parse_args()
    if given.kind == "api":
        from benchmarks.fuzz.api import run
    elif given.kind == "files":
        from benchmarks.fuzz.files import run
    elif given.kind == "kills":
        from benchmarks.fuzz.kills import run
    elif given.kind == "streams":
        from benchmarks.fuzz.streams import run
    else:
        from benchmarks.fuzz.order import run
    numbers = range(getattr(given, "number", 0))
    if given.only is not None:
        numbers = range(given.only, given.only + 1)
    sys.exit(1 if run(numbers, given.seed, given.only is not None) else 0)


if __name__ == "__main__":
    main()
