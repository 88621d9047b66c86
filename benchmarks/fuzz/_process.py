"""Trials in processes of their own, so that a crash is a finding and not the end."""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.fuzz._report import Report


class TooLong(BaseException):
    """A trial that does not end."""


Outcome = tuple[str, ...]
Trial = Callable[[int, int], Outcome]


def _work(trial: Trial, numbers: range, seed: int, seconds: int, at: Any, results: Any) -> None:
    def stop(*_: Any) -> None:
        raise TooLong

    os.environ["MPLBACKEND"] = "Agg"
    signal.signal(signal.SIGALRM, stop)
    faulthandler.enable()
    done: list[Outcome] = []
    for number in numbers:
        at.value = number
        signal.alarm(seconds)
        try:
            done.append(trial(number, seed))
        except TooLong:
            done.append(("no end", f"more than {seconds} s", str(number)))
        finally:
            signal.alarm(0)
    results.put(done)


def in_processes(
    report: Report, trial: Trial, numbers: range, seed: int, seconds: int, chunk: int
) -> None:
    """Try all numbers, some of them per process; a process that dies is a finding."""
    context = multiprocessing.get_context("spawn")
    starts = list(range(numbers.start, numbers.stop, chunk))
    while starts:
        start = starts.pop(0)
        part = range(start, min(start + chunk, numbers.stop))
        results, at = context.SimpleQueue(), context.Value("q", start)
        process = context.Process(target=_work, args=(trial, part, seed, seconds, at, results))
        process.start()
        while process.is_alive() and results.empty():
            process.join(0.1)
        if results.empty():
            report.add("crash", f"the process ended with {process.exitcode}", str(at.value))
            if at.value + 1 < part.stop:  # go on behind the trial that ended it
                in_processes(report, trial, range(at.value + 1, part.stop), seed, seconds, chunk)
            continue
        for outcome in results.get():
            report.add(*outcome)
        process.join()


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
