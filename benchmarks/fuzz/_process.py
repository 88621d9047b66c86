"""Trials in processes of their own, so that a crash is a finding and not the end."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.fuzz._report import Report


class TooLong(BaseException):
    """A trial that does not end."""


Outcome = tuple[str, ...]
Trial = Callable[[int, int], Outcome]
WarmUp = Callable[[], Any]


def _work(
    trial: Trial, warm_up: WarmUp, numbers: range, seed: int, seconds: int, at: Any, results: Any
) -> None:
    def stop(*_: Any) -> None:
        raise TooLong

    os.environ["MPLBACKEND"] = "Agg"
    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGPROF, stop)
    faulthandler.enable(os.dup(2))  # trials may send the stream elsewhere
    warm_up()
    done: list[Outcome] = []
    for number in numbers:
        at.value = number
        signal.setitimer(signal.ITIMER_PROF, seconds)  # of the processor: others may use it too
        signal.alarm(20 * seconds)  # for a trial that only waits
        try:
            done.append(trial(number, seed))
        except TooLong:
            done.append(("no end", f"more than {seconds} s", str(number)))
        finally:
            signal.alarm(0)
            signal.setitimer(signal.ITIMER_PROF, 0)
    results.put(done)


def in_processes(
    report: Report,
    trial: Trial,
    warm_up: WarmUp,
    numbers: range,
    seed: int,
    seconds: int,
    chunk: int,
) -> None:
    """Try all numbers, some of them per process; a process that dies is a finding.

    `warm_up` imports and prepares what the trials use: it does not count as their time.
    """
    context = multiprocessing.get_context("spawn")
    starts = list(range(numbers.start, numbers.stop, chunk))
    while starts:
        start = starts.pop(0)
        part = range(start, min(start + chunk, numbers.stop))
        results, at = context.SimpleQueue(), context.Value("q", start)
        given = (trial, warm_up, part, seed, seconds, at, results)
        process = context.Process(target=_work, args=given)
        process.start()
        while process.is_alive() and results.empty():
            process.join(0.1)
        if results.empty():
            report.add("crash", f"the process ended with {process.exitcode}", str(at.value))
            if at.value + 1 < part.stop:  # go on behind the trial that ended it
                rest = range(at.value + 1, part.stop)
                in_processes(report, trial, warm_up, rest, seed, seconds, chunk)
            continue
        for outcome in results.get():
            report.add(*outcome)
        process.join()
        if process.exitcode != 0:
            report.add("crash", f"at its end a process gives {process.exitcode}", str(part))
        print(f"{part.stop}/{numbers.stop} trials", file=sys.stderr, flush=True)


@contextlib.contextmanager
def silence() -> Any:
    """Send what is printed to nowhere."""
    with open(os.devnull, "w") as nowhere:
        kept = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = nowhere, nowhere
        try:
            yield
        finally:
            sys.stdout, sys.stderr = kept


@contextlib.contextmanager
def printed() -> Iterator[list[str]]:
    """Collect what is printed, by Python or by compiled code such as LAPACK, line by line."""
    lines: list[str] = []
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as file:
        try:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            yield lines
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            ctypes.CDLL(None).fflush(None)  # what C and Fortran still hold
            for stream, descriptor in enumerate(kept, start=1):
                os.dup2(descriptor, stream)
                os.close(descriptor)
            file.seek(0)
            lines += file.read().decode(errors="replace").splitlines()
