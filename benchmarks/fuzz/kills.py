"""``kill -9`` in the middle of every verb that writes.

Of every two kills one meets a random call of the file system, half of these among the last ones,
where the results move into place; the other one meets a random moment.  Behind a kill each folder
holds the whole old result or the whole new one, or a part of the new one that the next run in it
completes before it does anything else.  The same command, run again, ends well with the result of
a run that nobody killed, and leaves nothing else behind but stages of the killed run.

Runs are forked from a process that has imported and compiled everything, since that takes longer
than the runs themselves.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"  # a process with threads cannot be forked safely

import numpy as np  # noqa: E402

from benchmarks.fuzz._report import Report  # noqa: E402

X = ["-k", "3", "--members", "12"]
ELSEWHERE = ["--report", "pages/page.html", "--model", "models/model.skops"]
RUNS = {
    "generate": ["generate", "x.npy", "--members", "12", "-o", "out/x.ens"],
    "cluster": ["cluster", "x.npy", *X, "-o", "out"],
    "cluster into three folders": ["cluster", "x.npy", *X, "-o", "out", *ELSEWHERE],
    "cluster in blocks": ["cluster", "x.parquet", *X, "--memory-limit", "1GB", "-o", "out"],
    "select": ["select", "given.ens", "--selector", "mediandiversity", "-o", "out/x.ens"],
    "combine": ["combine", "given.ens", "-k", "3", "--method", "kcc", "-o", "out"],
    "report": ["report", "x.npy", *X, "-o", "out/page.html"],
    "predict": ["predict", "given.skops", "x.npy", "-o", "out/predicted.csv"],
}
#: What gives another result of the same names.
OLDER = {
    "generate": [*RUNS["generate"], "--seed", "1"],
    "select": [*RUNS["select"], "--n-selected", "3"],
    "predict": ["predict", "given.skops", "y.npy", "-o", "out/predicted.csv"],
}
FOLDERS = ("out", "pages", "models")
SECONDS = 120
LAST = 60  # calls of the file system in which results move into place
CODE = 99  # exit code of a child that failed in Python


def child(folder: Path, arguments: list[str], step: int = -1) -> tuple[int, Any]:
    """Fork a run, killed before a call of the file system if `step` says so; its log."""
    reader, writer = os.pipe()
    process = os.fork()
    if process:
        os.close(writer)
        return process, os.fdopen(reader, "rb")
    code = CODE
    try:
        os.chdir(folder)
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        sys.stdout = sys.stderr = os.fdopen(os.dup(2), "w")
        count = [0]

        def hook(event: str, given: tuple[Any, ...]) -> None:
            inside = event == "open" and any(f"{name}/" in str(given[0]) for name in FOLDERS)
            if inside or event.partition(".")[0] in ("os", "shutil", "tempfile"):
                count[0] += 1
                if count[0] == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        from consens.cli import run

        sys.addaudithook(hook)
        code = run([*arguments, "-q"])
        print(f"calls {count[0]}", flush=True)
    finally:
        os._exit(code)


def wait(process: int, log: Any) -> tuple[int, str]:
    """Exit code (negative for a signal) and last line of a run."""
    with log:
        lines = log.read().decode(errors="replace").strip().splitlines()
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), lines[-1] if lines else ""


@contextlib.contextmanager
def alarm(process: int) -> Iterator[None]:
    """End a run that does not end by itself."""

    def stop(*_: Any) -> None:
        os.kill(process, signal.SIGKILL)

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def finish(folder: Path, arguments: list[str]) -> tuple[int, str]:
    process, log = child(folder, arguments)
    with alarm(process):
        return wait(process, log)


def visible(folder: Path) -> dict[str, bytes]:
    """Files of the result by their content; not what a run keeps for itself."""
    from consens import load

    found = {}
    for path in sorted(path for name in FOLDERS for path in (folder / name).rglob("*")):
        inner = path.relative_to(folder)
        hidden = any(part.startswith(".") or part.endswith(".members") for part in inner.parts)
        if path.is_file() and not hidden:
            content = path.read_bytes()
            if path.suffix == ".skops":  # names of objects in it are drawn anew each time
                content = str(load(path).named_steps["cluster"].n_clusters).encode()
            found[str(inner)] = content
    return found


def draw_once() -> None:
    """Keep the first picture of each kind: to draw takes longer than all the rest of a run."""
    from consens.show import page

    drawn: dict[str, str] = {}
    draw = page.to_svg

    def from_memory(display: Any, *arguments: Any, **options: Any) -> str:
        kind = type(display).__name__
        if kind not in drawn:
            drawn[kind] = draw(display, *arguments, **options)
        return drawn[kind]

    setattr(page, "to_svg", from_memory)  # noqa: B010 (a type checker minds)


class Kind:
    """A kind of run with its data, an older result, and the result of an undisturbed run."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.command = RUNS[name]
        for part in FOLDERS:
            (folder / part).mkdir(parents=True)
        prepare(folder)
        self.run_here(OLDER.get(name, [*self.command, "-k", "4"]))
        self.old = visible(folder)
        for part in FOLDERS:
            shutil.copytree(folder / part, folder / "before" / part)
        started = time.monotonic()
        code, said = finish(folder, self.command)
        self.seconds = time.monotonic() - started
        assert code == 0, said
        self.n_calls = int(said.removeprefix("calls "))
        self.new = visible(folder)
        assert self.old.keys() == self.new.keys(), (name, self.old.keys(), self.new.keys())
        same = [path for path in self.old if self.old[path] == self.new[path]]
        assert len(same) < len(self.old), (name, same)

    def run_here(self, arguments: list[str]) -> None:
        """Run in this process, so that all runs to come find everything imported and compiled."""
        from consens.cli import run

        with contextlib.chdir(self.folder):
            assert run([*arguments, "-q"]) == 0, arguments

    def trial(self, number: int, rng: np.random.Generator) -> tuple[str, ...]:
        for part in FOLDERS:
            shutil.rmtree(self.folder / part)
            shutil.copytree(self.folder / "before" / part, self.folder / part)
        if rng.random() < 0.5:
            last = max(0, self.n_calls - LAST) if rng.random() < 0.5 else 0
            step = int(rng.integers(last, self.n_calls)) + 1
            told = f"{number}: {self.name}, killed at call {step} of {self.n_calls}"
            process, log = child(self.folder, self.command, step)
        else:
            moment = rng.uniform(0, 1.05) * self.seconds
            told = f"{number}: {self.name}, killed after {moment:.2f} of {self.seconds:.2f} s"
            process, log = child(self.folder, self.command)
            time.sleep(moment)
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with alarm(process):
            wait(process, log)
        return self.judge(told)

    def judge(self, told: str) -> tuple[str, ...]:
        """What a kill left: a finding, or how far the run had come."""
        from consens._support.files import recover

        left = visible(self.folder)
        outcome = "old result" if left == self.old else "new result"
        if left not in (self.old, self.new):
            outcome = "new result in a folder, once the next run has completed it"
            for part in FOLDERS:  # the first thing that a run does
                recover(self.folder / part)
                files = {
                    path: text
                    for path, text in visible(self.folder).items()
                    if path.startswith(f"{part}/")
                }
                if not any(files.items() <= whole.items() for whole in (self.old, self.new)):
                    return "mixed", f"{self.name}: neither old nor new in {part}", told
        code, said = finish(self.folder, self.command)
        if code != 0:
            return "fails", f"{self.name}: the next run ends with {code}: {said}", told
        if visible(self.folder) != self.new:
            return "differs", f"{self.name}: the next run gives another result", told
        for part in FOLDERS:
            left_over = (path.name for path in (self.folder / part).glob(".*"))
            if hidden := [name for name in left_over if not name.endswith(".tmp")]:
                return "leaves", f"{self.name}: {hidden} stay", told
        if members := list(self.folder.glob("**/*.members")):
            return "leaves", f"{self.name}: {members} stay", told
        return (outcome,)


def prepare(folder: Path) -> None:
    """Data of 120 objects, an ensemble of them, and a model."""
    import pandas as pd

    from consens.cli import run

    rng = np.random.default_rng(0)
    data = rng.normal(size=(120, 4)) + 7 * (np.arange(120) % 3)[:, None]
    np.save(folder / "x.npy", data)
    np.save(folder / "y.npy", data[::-1])
    pd.DataFrame(data, columns=list("abcd")).to_parquet(folder / "x.parquet", row_group_size=40)
    made = folder.parent / "made"
    if not made.exists():
        made.mkdir()
        np.save(made / "x.npy", data)
        with contextlib.chdir(made):
            generate = ["generate", "x.npy", "--members", "12", "-o", "given.ens", "-q"]
            assert run(generate) == 0
            model = ["--model", "given.skops", "-o", "out", "-q"]
            assert run(["cluster", "x.npy", *X, *model]) == 0
    shutil.copytree(made / "given.ens", folder / "given.ens")
    shutil.copy(made / "given.skops", folder)


def run(numbers: range, seed: int, alone: bool = False) -> int:
    """Kill all runs; the number of findings."""
    report = Report("kills")
    draw_once()
    with tempfile.TemporaryDirectory(prefix="consens-kills-") as folder:
        kinds = [Kind(name, Path(folder) / name.replace(" ", "-")) for name in RUNS]
        for number in numbers:
            rng = np.random.default_rng((seed, number))
            report.add(*kinds[number % len(kinds)].trial(number, rng))
            if number % 50 == 49:
                print(f"{number + 1}/{numbers.stop} kills", file=sys.stderr, flush=True)
    return report.show()
