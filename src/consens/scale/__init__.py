"""Dask: the same estimators on collections that are spread over a cluster.

Estimators know `consens.blocks.Rows`; here Dask arrays and data frames become such rows, and an
engine runs their blocks as tasks.  ``import consens.scale`` is never needed: a Dask collection
that arrives brings it along.
"""

from consens.scale.engine import (
    WORKER_ENVIRONMENT,
    DaskEngine,
    as_rows,
    connect,
    on_cluster,
)

__all__ = ["WORKER_ENVIRONMENT", "DaskEngine", "as_rows", "connect", "on_cluster"]
