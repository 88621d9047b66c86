"""Dask: the same estimators on collections that are distributed over a cluster.

Estimators work on `consens._blocks.Rows`.  This package converts Dask arrays and data frames to
`Rows`, and runs their blocks as Dask tasks.  It is imported when a Dask collection is passed.
"""

from consens.scale.dask_engine import WORKER_ENVIRONMENT

__all__ = ["WORKER_ENVIRONMENT"]
