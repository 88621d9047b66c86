"""Closed, full and odd streams: the shell ends in time, with one line and a code, no traceback."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from benchmarks.fuzz._report import Report

SECONDS = 120
SHELL = f'"{sys.executable}" -m consens'

#: Shell command, and further environment.
TRIALS: dict[str, tuple[str, dict[str, str]]] = {
    "stdout closed": ("{c} info x.csv >&-", {}),
    "stderr closed": ("{c} cluster x.csv -k 2 --members 3 -o out1 2>&-", {}),
    "both closed": ("{c} cluster x.csv -k 2 --members 3 -o out2 >&- 2>&-", {}),
    "stdin closed": ("{c} cluster x.csv -k 2 --members 3 -o out3 <&-", {}),
    "all closed": ("{c} methods <&- >&- 2>&-", {}),
    "stdout full": ("{c} info x.csv --json > /dev/full", {}),
    "stderr full": ("{c} cluster missing.csv 2> /dev/full", {}),
    "help into a full disk": ("{c} --help > /dev/full", {}),
    "reader gone": ("{c} methods | true", {}),
    "head": ("{c} methods | head -n 1", {}),
    "fifo as input": ("{c} info fifo.csv", {}),
    "fifo in an ensemble": ("{c} info odd.ens", {}),
    "folder as a table": ("{c} info folder.csv", {}),
    "device as a table": ("{c} info /dev/null", {}),
    "C locale, path": ("{c} info données.csv", {"LC_ALL": "C", "PYTHONUTF8": "0"}),
    "C locale, report": (
        "{c} report données.csv -k 2 --members 3 -o é.html",
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
    ),
    "latin-1 output": ("{c} info données.csv", {"PYTHONIOENCODING": "latin-1"}),
    "ascii output": ("{c} info données.csv", {"PYTHONIOENCODING": "ascii"}),
    "40 columns": ("{c} methods", {"COLUMNS": "40"}),
    "1 column": ("{c} --help", {"COLUMNS": "1"}),
    "dumb terminal": ("{c} cluster x.csv -k 2 --members 3 -o out4", {"TERM": "dumb"}),
    "no home": ("{c} cluster x.csv -k 2 --members 3 -o out5", {"HOME": "/nonexistent"}),
    "no TMPDIR": ("{c} cluster x.csv -k 2 --members 3 -o out6", {"TMPDIR": "/nonexistent"}),
    "huge number": ("{c} cluster x.csv --n-jobs 99999999999999999999999", {}),
    "deep configuration": ("{c} cluster x.csv --config deep.toml", {}),
    "read-only folder": ("chmod a-w locked; {c} cluster x.csv -k 2 -o locked/out", {}),
}


def prepare(folder: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [f"s{i},{a:.3f},{b:.3f}" for i, (a, b) in enumerate(rng.normal(size=(24, 2)))]
    for name in ("x.csv", "données.csv"):
        (folder / name).write_text("\n".join(["id,a,b", *rows]) + "\n", encoding="utf-8")
    (folder / "folder.csv").mkdir()
    (folder / "locked").mkdir()
    (folder / "odd.ens").mkdir()
    os.mkfifo(folder / "odd.ens" / "manifest.json")
    os.mkfifo(folder / "fifo.csv")
    (folder / "deep.toml").write_text("a = " + "[" * 2000 + "]" * 2000 + "\n")


def feed(path: Path) -> None:
    """Write to a FIFO as soon as somebody reads it."""

    def write() -> None:
        with contextlib.suppress(OSError):
            path.write_text("id,a,b\nx,1,2\ny,3,4\n")

    threading.Thread(target=write, daemon=True).start()


def trial(name: str, folder: Path) -> tuple[str, ...]:
    command, more = TRIALS[name]
    if name == "fifo as input":
        feed(folder / "fifo.csv")
    try:
        done = subprocess.run(
            ["bash", "-c", "set -o pipefail; " + command.format(c=SHELL)],
            cwd=folder,
            env={**os.environ, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "no end", f"{name}: more than {SECONDS} s", command
    error = done.stderr.decode(errors="replace")
    if "Traceback" in error or "Exception ignored" in error:
        return "traceback", f"{name}: a traceback", error.strip().splitlines()[-1]
    if done.returncode not in (0, 1, 2, 120, 141):
        return "code", f"{name}: exit code {done.returncode}", error.strip()[-200:]
    return (f"exit code {done.returncode}",)


def run(numbers: range, seed: int, alone: bool = False) -> int:
    """Try all streams; the number of findings."""
    report = Report("odd streams")
    with tempfile.TemporaryDirectory(prefix="consens-streams-") as place:
        folder = Path(place)
        prepare(folder)
        for name in TRIALS:
            report.add(*trial(name, folder))
        (folder / "locked").chmod(0o700)
    return report.show()
