"""Cluster ensembles: many clusterings in, one better clustering out, and how far to trust it.

The public names, in the order of the flow::

    generate   X -> Ensemble            select     Ensemble -> fewer partitions
    evidence   Ensemble -> matrix       partition  matrix or graph -> labels
    consensus  Ensemble -> labels       measure    numbers about partitions
    ConsensusClustering, combine        the front doors
    show, report                        plots, and the page that says it all
    datasets   the papers' synthetic data
    io         features, labels and ensembles in files

Everything is imported on first use, so that ``import consens`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "ConsensusClustering": "cluster",
    "combine": "cluster",
    "Ensemble": "ensemble",
    "NOISE": "labels",
    "MISSING": "labels",
    "report": "show",
}
_MODULES = (
    "generate",
    "select",
    "evidence",
    "partition",
    "consensus",
    "measure",
    "datasets",
    "show",
    "io",
)

__all__ = [
    "MISSING",
    "NOISE",
    "ConsensusClustering",
    "Ensemble",
    "combine",
    "consensus",
    "datasets",
    "evidence",
    "generate",
    "io",
    "measure",
    "partition",
    "report",
    "select",
    "show",
]

if TYPE_CHECKING:
    from consens import (
        consensus,
        datasets,
        evidence,
        generate,
        io,
        measure,
        partition,
        select,
        show,
    )
    from consens.cluster import ConsensusClustering, combine
    from consens.ensemble import Ensemble
    from consens.labels import MISSING, NOISE
    from consens.show import report


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"consens.{_HOME[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"consens.{name}")
    raise AttributeError(f"module 'consens' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
