"""Random calls of the public functions and estimators.

A call may return, or raise ValueError or TypeError (for files also OSError, and for what does not
fit in memory or is not installed, MemoryError or ImportError) with a message of consens or of the
checks of scikit-learn.  Everything else is a finding: other exceptions, messages of Python or
NumPy, a warning of NumPy, a printed line (LAPACK complains that way), a call of more than 20
seconds of the processor, the end of the process.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fuzz import _values
from benchmarks.fuzz._errors import described, is_for_users
from benchmarks.fuzz._process import TooLong, in_processes, printed
from benchmarks.fuzz._report import Report
from benchmarks.fuzz.files import originals

SECONDS = 20
CHUNK = 2500  # calls per process, since starting one takes as long as some hundred calls
ALLOWED = (ValueError, TypeError, OSError, MemoryError, ImportError)
PACKAGES = (
    *("partition", "evidence", "measure", "select", "consensus", "generate", "datasets"),
    *("choose", "io"),
)
SKIPPED = {"watch", "BaseConsensus", "BaseGenerator", "BaseSelector"}
#: Records of results, and functions for checked ensembles or AnnData, which check nothing.
SKIPPED |= {"Candidate", "Choice", "Curves", "Resamples", "LabelTable", "Table"}
SKIPPED |= {"TableHeader", "curves", "draw_agreement", "largest_n_clusters", "spectrum"}
SKIPPED |= {"csv_text", "from_anndata", "to_anndata", "write_label_blocks"}
SKIPPED |= {"SoftBipartite"}
LABELS = {"consens.Ensemble", "consens.combine"}
#: Parameters that get values of their type: Python's own message names what it cannot iterate.
UNCHECKED = {"path", "paths", "references", "records", "payload", "obs", "overwrite"}
UNCHECKED |= {"ensembles"}
#: What estimators are asked for, before or after a fit.
ATTRIBUTES = ("confidence_", "scores_", "labels_", "linkage_", "results_", "members_")


@cache
def targets() -> list[tuple[str, Callable[..., Any]]]:
    """Names and objects to call."""
    import consens

    found = [(f"consens.{n}", getattr(consens, n)) for n in ("Ensemble", "check", "combine")]
    found.append(("consens.ConsensusClustering", consens.ConsensusClustering))
    for package in PACKAGES:
        module = importlib.import_module(f"consens.{package}")
        for name in sorted(module.__all__):
            if name not in SKIPPED and callable(getattr(module, name)):
                found.append((f"{package}.{name}", getattr(module, name)))
    show = importlib.import_module("consens.show")
    for name in sorted(show.__all__):
        display = getattr(show, name)
        for maker in sorted(vars(display)) if isinstance(display, type) else ():
            if maker.startswith("from_"):
                found.append((f"show.{name}.{maker}", getattr(display, maker)))
    return found


def warm_up() -> None:
    """Import, compile and draw once, so that no call is charged for it."""
    import matplotlib.pyplot as plt

    from consens import ConsensusClustering

    plt.close(plt.figure())
    originals()
    X = np.random.default_rng(0).normal(size=(600, 3))
    model = ConsensusClustering(2, random_state=0).fit(X)
    for name, method in targets():
        if name.startswith("consensus.") and isinstance(method, type):
            with warnings.catch_warnings(), contextlib.suppress(*ALLOWED):
                warnings.simplefilter("ignore")
                method().fit(model.ensemble_[:, :12])


def arguments(name: str, function: Callable[..., Any], rng: np.random.Generator) -> dict[str, Any]:
    """Values for its parameters; optional ones are often left out."""
    n = int(_values.pick(rng, [2, 3, 8, 8, 12, 12, 20, 20, 150, 0, 1]))
    given = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            given |= _values.read_options(rng) if name.startswith("io.read_") else {}
            continue
        if parameter.default is not parameter.empty and rng.random() < 0.6:
            continue
        drawn = _values.value(parameter.name, rng, n)
        if parameter.name == "labels" and name in LABELS:
            drawn = _values.label_matrix(rng, n)
        if name == "consens.check":
            drawn = _values.table(rng, n)
        if parameter.name == "similarity" and "partition" not in name:
            drawn = _values.word("cosine", "kl")(rng, n)
        if rng.random() < 0.03 and parameter.name not in UNCHECKED:
            drawn = _values.absurd(rng, n)
        given[parameter.name] = drawn
    return given


def call(
    name: str, function: Callable[..., Any], rng: np.random.Generator, told: list[str]
) -> None:
    """Call it, and use what comes out."""
    given = arguments(name, function, rng)
    shown = ", ".join(f"{key}={_values.described(value)}" for key, value in given.items())
    told.append(f"{name}({shown})")
    if name.startswith("io.write_"):
        with tempfile.TemporaryDirectory(prefix="consens-fuzz-") as folder:
            given["path"] = Path(folder) / Path(given["path"]).name
            function(**given)
        return
    made = function(**given)
    if name.startswith("show."):
        made.plot()
    elif isinstance(function, type) and hasattr(made, "fit"):
        use(name, made, rng, told)
    elif hasattr(made, "tocsr") and hasattr(made, "gram"):
        made.gram()
        made.tocsr()


def use(name: str, estimator: Any, rng: np.random.Generator, told: list[str]) -> None:
    """Fit an estimator and ask it for what it has learned."""
    n = int(_values.pick(rng, [2, 6, 12, 12, 20, 20, 40, 150]))
    of_labels = name.startswith(("consensus", "select"))
    draw = _values.label_matrix if of_labels else _values.features
    if rng.random() < 0.1:
        attribute = _values.pick(rng, list(ATTRIBUTES))
        told.append(f"getattr {attribute} before fit")
        getattr(estimator, attribute, None)
    X = draw(rng, n)
    if of_labels and ("WB" in name or "WS" in name) and rng.random() < 0.7:
        X = _values.with_payload(rng, n)
    told.append(f"fit({_values.described(X)})")
    estimator.fit(X)
    for attribute in ATTRIBUTES:
        told.append(attribute)
        getattr(estimator, attribute, None)
    other = draw(rng, n) if rng.random() < 0.5 else X
    for method in ("predict", "transform"):
        if hasattr(estimator, method):
            told.append(f"{method}({_values.described(other)})")
            getattr(estimator, method)(other)


def trial(number: int, seed: int) -> tuple[str, ...]:
    """Outcome, and for a finding what it is and the call."""
    name, _ = _drawn(number, seed)[1]
    with printed() as lines:
        outcome, told = attempt(number, seed)
    if lines and len(outcome) == 1:
        return "printed", f"{name}: prints {lines[0][:90]!r}", f"{number}: {'; '.join(told)}"
    return outcome


def _drawn(number: int, seed: int) -> tuple[np.random.Generator, tuple[str, Callable[..., Any]]]:
    rng = np.random.default_rng((seed, number))
    return rng, _values.pick(rng, targets())


def attempt(number: int, seed: int) -> tuple[tuple[str, ...], list[str]]:
    """Outcome of a call, and what was called."""
    rng, (name, function) = _drawn(number, seed)
    told: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            call(name, function, rng, told)
        except TooLong:
            found = f"{name}: more than {SECONDS} s"
            return ("no end", found, f"{number}: {'; '.join(told)}"), told
        except Exception as error:
            if isinstance(error, ALLOWED) and is_for_users(error):
                return (type(error).__name__,), told
            found = f"{name}: {described(error)}"
            return (type(error).__name__, found, f"{number}: {'; '.join(told)}"), told
        finally:
            if "matplotlib.pyplot" in sys.modules:
                sys.modules["matplotlib.pyplot"].close("all")
    return ("returned",), told


def run(numbers: range, seed: int, alone: bool = False) -> int:
    """Try all calls; the number of findings."""
    if alone:
        rng, (name, function) = _drawn(numbers.start, seed)
        told: list[str] = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                call(name, function, rng, told)
        finally:
            print("; ".join(told))
        return 0
    report = Report("random calls")
    in_processes(report, trial, warm_up, numbers, seed, SECONDS, CHUNK)
    return report.show()
