"""``kill -9`` at random moments of every verb that writes.

Behind a kill the folder holds the whole old result or the whole new one (each file of a set), and
the same command, run again, ends well with the result of a run that nobody killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.fuzz._report import Report

VERBS = {
    "generate": ["generate", "x.npy", "--members", "30", "-o", "out/x.ens"],
    "cluster": ["cluster", "x.npy", "-k", "3", "--members", "20", "-o", "out"],
    "select": ["select", "given.ens", "--selector", "mediandiversity", "-o", "out/x.ens"],
    "combine": ["combine", "given.ens", "-k", "3", "--method", "kcc", "-o", "out"],
    "report": ["report", "x.npy", "-k", "3", "--members", "20", "-o", "out/page.html"],
}
SECONDS = 300


def begin(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "consens.cli", *arguments, "-q"]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ
    )


def finish(folder: Path, arguments: list[str]) -> tuple[int, float, str]:
    started = time.monotonic()
    process = begin(folder, arguments)
    try:
        _, error = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return -1, SECONDS, "no end"
    return process.returncode, time.monotonic() - started, error.decode(errors="replace")


def visible(folder: Path) -> dict[str, bytes]:
    """Files of the result by their content; not what a run keeps for itself."""
    found = {}
    for path in sorted((folder / "out").rglob("*")):
        inner = path.relative_to(folder / "out")
        hidden = any(part.startswith(".") or part.endswith(".members") for part in inner.parts)
        if path.is_file() and not hidden:
            found[str(inner)] = path.read_bytes()
    return found


class Verb:
    """A verb with its data, an older result, and the result of an undisturbed run."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        folder.mkdir(parents=True)
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 4)) + 7 * (np.arange(300) % 3)[:, None]
        np.save(folder / "x.npy", X)
        if name in ("select", "combine"):
            made = ["generate", "x.npy", "--members", "20", "-o", "given.ens"]
            assert finish(folder, made)[0] == 0
        assert finish(folder, [*VERBS[name], "--seed", "1"])[0] == 0
        self.old = visible(folder)
        shutil.copytree(folder / "out", folder / "before")
        code, self.seconds, error = finish(folder, [*VERBS[name], "--seed", "0"])
        assert code == 0, error
        self.new = visible(folder)

    def trial(self, number: int, rng: np.random.Generator) -> tuple[str, ...]:
        shutil.rmtree(self.folder / "out")
        shutil.copytree(self.folder / "before", self.folder / "out")
        command = [*VERBS[self.name], "--seed", "0"]
        process = begin(self.folder, command)
        moment = rng.uniform(0.1, 1.05) * self.seconds
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        told = f"{number}: {self.name} killed after {moment:.2f} of {self.seconds:.2f} s"
        left = visible(self.folder)
        if left not in (self.old, self.new):
            return "mixed", f"{self.name}: neither old nor new", told
        outcome = "old result" if left == self.old else "new result"
        code, _, error = finish(self.folder, command)
        if code != 0:
            last = error.strip().splitlines()[-1:] or [""]
            return "fails", f"{self.name}: the next run ends with {code}: {last[0]}", told
        if visible(self.folder) != self.new:
            return "differs", f"{self.name}: the next run gives another result", told
        return (outcome,)


def run(numbers: range, seed: int, alone: bool = False) -> int:
    """Kill all runs; the number of findings."""
    report = Report("kills")
    with tempfile.TemporaryDirectory(prefix="consens-kills-") as folder:
        verbs = [Verb(name, Path(folder) / name) for name in VERBS]
        for number in numbers:
            rng = np.random.default_rng((seed, number))
            report.add(*verbs[number % len(verbs)].trial(number, rng))
    return report.show()
