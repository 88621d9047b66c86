"""How a benchmark measures: CPU seconds and peak extra memory, each case in a fresh process.

A benchmark is a module with functions that take a `Bench`, measure cases with it and set the
figures against their targets::

    def inputs(n, seed=0): ...            # makes what the case works on; not measured
    def own(labels): ...                  # measured; a dict it returns is kept as extra figures
    def reference(labels): ...

    def my_method(bench):
        a = bench.measure("my method", inputs, own, n=20_000, warm={"n": 500})
        b = bench.measure("scipy", inputs, reference, n=20_000)
        bench.ratio(b, a, at_least=20)
        bench.memory(a, at_most=100)
        sizes = [bench.measure("my method", inputs, own, n=n) for n in (10_000, 20_000, 40_000)]
        bench.growth(sizes, at_most=2.1)

    if __name__ == "__main__":
        main(__doc__, my_method)

``inputs``, ``own`` and ``reference`` must be functions of a module: the process that measures
them imports them by name.  `warm` are parameters of a first, unmeasured call that compiles and
loads what the case needs; choose them so that it takes the same path.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import platform
import re
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

MB = 1e6


@dataclass(frozen=True)
class Measurement:
    """What one case cost: CPU seconds over all threads, and memory above its inputs."""

    name: str
    params: dict[str, Any]
    cpu_seconds: float = float("nan")
    extra_mb: float = float("nan")
    figures: dict[str, Any] = field(default_factory=dict)
    error: str = ""

    def __str__(self) -> str:
        # a folder is somewhere else in every run
        shown = [f"{name}={value}" for name, value in self.params.items() if name != "folder"]
        return f"{self.name} ({', '.join(shown)})"


@dataclass(frozen=True)
class Figure:
    """A ratio, an exponent or an amount, beside its target."""

    what: str
    value: float
    target: str
    reached: bool


class Bench:
    """Measures cases and keeps what came out."""

    def __init__(self) -> None:
        self.measurements: list[Measurement] = []
        self.figures: list[Figure] = []

    def measure(
        self,
        name: str,
        inputs: Callable[..., Any],
        function: Callable[[Any], Any],
        *,
        warm: dict[str, Any] | None = None,
        repeats: int = 1,
        **params: Any,
    ) -> Measurement:
        """Cost of ``function(inputs(**params))`` without the inputs, in a process of its own.

        Time is the least of `repeats` calls; memory is the peak of the first.  An exception is
        recorded, not raised: "does not fit" is a result.
        """
        spawn = multiprocessing.get_context("spawn")
        receive, send = spawn.Pipe(duplex=False)
        process = spawn.Process(
            target=_child, args=(send, inputs, function, params, warm, repeats)
        )
        process.start()
        send.close()
        try:
            result = receive.recv()
        except EOFError:
            result = {"error": "the process died; out of memory?"}
        process.join()
        measurement = Measurement(name, params, **result)
        self.measurements.append(measurement)
        print(
            f"  {measurement}: {measurement.cpu_seconds:.3f} s, +{measurement.extra_mb:.0f} MB "
            f"{measurement.figures or ''} {measurement.error}",
            file=sys.stderr,
        )
        return measurement

    def ratio(self, reference: Measurement, own: Measurement, *, at_least: float) -> None:
        """How many times more CPU time the reference takes."""
        value = reference.cpu_seconds / own.cpu_seconds
        self._keep(f"time of {reference} / {own}", value, at_least=at_least)

    def memory(self, own: Measurement, *, at_most: float) -> None:
        """Extra memory in MB."""
        self._keep(f"extra MB of {own}", own.extra_mb, at_most=at_most)

    def growth(self, sizes: Sequence[Measurement], *, at_most: float, by: str = "n") -> None:
        """Slope of log time over log size, by least squares."""
        x = np.log([m.params[by] for m in sizes])
        y = np.log([m.cpu_seconds for m in sizes])
        slope = float(np.polyfit(x, y, 1)[0]) if np.isfinite(y).all() else float("nan")
        span = f"{sizes[0].params[by]} to {sizes[-1].params[by]}"
        case = replace(sizes[0], params=sizes[0].params | {by: span})
        self._keep(f"growth exponent of {case}", slope, at_most=at_most)

    def compare(
        self, what: str, value: float, *, at_least: float = -np.inf, at_most: float = np.inf
    ) -> None:
        """Any other figure with a target."""
        self._keep(what, value, at_least=at_least, at_most=at_most)

    def _keep(
        self, what: str, value: float, *, at_least: float = -np.inf, at_most: float = np.inf
    ) -> None:
        bounds = [f"≥ {at_least:g}"] if at_least > -np.inf else []
        bounds += [f"≤ {at_most:g}"] if at_most < np.inf else []
        reached = bool(at_least <= value <= at_most)
        self.figures.append(Figure(what, float(value), " and ".join(bounds), reached))

    # -------------------------------------------------------------------- output

    def markdown(self) -> str:
        """Targets first, then everything that was measured."""
        targets = ["| figure | measured | target | |", "|---|---|---|---|"]
        targets += [
            f"| {f.what} | {f.value:.3g} | {f.target} | {'yes' if f.reached else 'NO'} |"
            for f in self.figures
        ]
        cases = ["| case | CPU s | extra MB | |", "|---|---|---|---|"]
        cases += [
            f"| {m} | {m.cpu_seconds:.3f} | {m.extra_mb:.0f} | {m.error or _inline(m.figures)} |"
            for m in self.measurements
        ]
        return "\n".join([*targets, "", *cases, "", _machine_line()])

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "machine": machine(),
            "figures": [_no_nan(asdict(figure)) for figure in self.figures],
            "measurements": [_no_nan(asdict(measured)) for measured in self.measurements],
        }


def main(description: str | None, *benchmarks: Callable[[Bench], None]) -> None:
    """Run benchmarks (all, or those named), print Markdown, write JSON if asked."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    by_name = {function.__name__: function for function in benchmarks}
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(by_name)}")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    if unknown := set(options.names) - by_name.keys():
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(by_name)}")
    bench = Bench()
    for name in options.names or by_name:
        print(f"{name}:", file=sys.stderr)
        by_name[name](bench)
    print(bench.markdown())
    if options.json:
        options.json.write_text(json.dumps(bench.as_dict(), indent=1) + "\n")


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    packages = ("numpy", "scipy", "scikit-learn", "numba")
    return {
        "cpus": multiprocessing.cpu_count(),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def _no_nan(record: dict[str, Any]) -> dict[str, Any]:
    """JSON knows no NaN."""
    return {name: None if value != value else value for name, value in record.items()}


def _machine_line() -> str:
    return ", ".join(f"{name} {value}" for name, value in machine().items())


def _inline(figures: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in figures.items()
    )


# ------------------------------------------------------------------- in the fresh process


def _child(
    send: Any,
    inputs: Callable[..., Any],
    function: Callable[[Any], Any],
    params: dict[str, Any],
    warm: dict[str, Any] | None,
    repeats: int,
) -> None:
    try:
        send.send(_measure(inputs, function, params, warm, repeats))
    except Exception as error:
        send.send({"error": f"{type(error).__name__}: {error}"})
    finally:
        send.close()


def _measure(
    inputs: Callable[..., Any],
    function: Callable[[Any], Any],
    params: dict[str, Any],
    warm: dict[str, Any] | None,
    repeats: int,
) -> dict[str, Any]:
    if warm is not None:
        function(inputs(**(params | warm)))
    given = inputs(**params)
    gc.collect()
    before = _peak_memory(reset=True)
    seconds, extra, figures = [], 0.0, {}
    for repeat in range(repeats):
        start = time.process_time()
        result = function(given)
        seconds.append(time.process_time() - start)
        if repeat == 0:
            extra = _peak_memory() - before
            figures = result if isinstance(result, dict) else {}
        del result
    return {"cpu_seconds": min(seconds), "extra_mb": extra / MB, "figures": figures}


def _peak_memory(reset: bool = False) -> float:
    """Most bytes this process has held, since the last reset where the system allows one."""
    try:
        if reset:  # Linux: 5 sets the high-water mark to what is held now
            Path("/proc/self/clear_refs").write_text("5")
        status = Path("/proc/self/status").read_text()
        return 1024.0 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])  # type: ignore[index]
    except (OSError, TypeError):
        unit = 1 if sys.platform == "darwin" else 1024
        return float(unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
