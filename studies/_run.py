"""What the studies' commands share: options, selection by name, results on disk."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def parser(
    description: str | None, runs: int | None = 20, *, data_required: bool = True
) -> argparse.ArgumentParser:
    """The options that every study takes."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument(
        "--data", type=Path, required=data_required, help="folder of <name>.parquet files"
    )
    usual = "as many as the pages show" if runs is None else runs
    options.add_argument("--runs", type=int, default=runs, help=f"repetitions ({usual})")
    options.add_argument("--seed", type=int, default=0, help="run r uses seed + r (0)")
    options.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="a table, figure or data set, by a part of its name; may be repeated",
    )
    options.add_argument("--out", type=Path, help="folder for results as files, and plots")
    return options


def chosen(names: Iterable[str], words: Iterable[str]) -> list[str]:
    """Names that contain one of the words; all of them if no word fits any."""
    names = list(names)
    squeezed = [word.lower().replace(" ", "").replace(".", "") for word in words]
    fitting = [
        name
        for name in names
        if any(word in name.lower().replace(" ", "").replace(".", "") for word in squeezed)
    ]
    return fitting or names


def say(text: str) -> None:
    """Progress and remarks: not part of the result."""
    sys.stderr.write(f"{text}\n")


def write_json(folder: Path | None, name: str, content: Any) -> None:
    """Keep what was measured, run by run."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
