"""Twenty million objects from Parquet files, under 2 GB per process, here and on two workers.

    python -m benchmarks.scale [twenty_million two_million] [--json FILE]

The data are a mixture of ten Gaussians in ten dimensions, written to a temporary folder first
(1.6 GB for twenty million).  Ten members of 10 to 30 clusters are combined by LWMC.  In this
process the address space for data is limited to 2 GB, on the workers Dask's memory limit is: a
process that needs more fails.  CPU seconds of the cluster are those of the client, the scheduler
and both workers, which are started and have imported the library before.
"""

from __future__ import annotations

import hashlib
import os
import re
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._harness import MB, Bench, main

LIMIT = 2_000_000_000
ROWS = 1_000_000  # of a file, and of a block


def data_files(folder: str, n: int) -> list[str]:
    """The files of n objects, written if they are not there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    centers = np.random.default_rng(0).normal(0, 3, (10, 10))
    paths = []
    for part in range(n // ROWS):
        path = Path(folder) / f"{part:03d}.parquet"
        paths.append(str(path))
        if path.exists():
            continue
        rng = np.random.default_rng([1, part])
        X = centers[rng.integers(0, 10, ROWS)] + rng.normal(size=(ROWS, 10))
        table = pa.table({f"x{i}": column for i, column in enumerate(X.T)})
        pq.write_table(table, path, row_group_size=ROWS // 4, compression="none")
    return paths


def model() -> Any:
    from consens import ConsensusClustering
    from consens.consensus import LWMC
    from consens.generate import KMeansEnsemble

    members = KMeansEnsemble(10, n_clusters=(10, 30))
    return ConsensusClustering(10, members, consensus=LWMC(), random_state=0)


def in_process(paths: list[str]) -> dict[str, Any]:
    """Cluster the files in this process, which may not take more than 2 GB."""
    from consens.blocks import Here
    from consens.io import open_parquet

    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    labels = (
        model().fit(open_parquet(paths, block_bytes=8 * 10 * ROWS, engine=Here(LIMIT))).labels_
    )
    return {"labels": _digest([labels]), "peak_mb": _peak_mb()}


def two_workers(paths: list[str]) -> dict[str, Any]:
    """Cluster the files on two worker processes of 2 GB each."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            memory_limit=LIMIT,
            host="127.0.0.1",
            dashboard_address=None,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(_warm)
        before = client.run(time.process_time)
        here = time.process_time()
        found = model().fit(dd.read_parquet(paths))
        digest = _digest(block.compute() for block in found.labels_.blocks)
        here = time.process_time() - here
        after = client.run(time.process_time)
        workers = sum(after[address] - before[address] for address in after)
        peaks = client.run(_peak_mb).values()
    return {
        "labels": digest,
        "cluster_cpu": here + workers,
        "client_mb": _peak_mb(),
        "worker_mb": max(peaks),
    }


def _warm() -> None:
    """Import and compile what the work needs, as a process that has worked before has."""
    from consens.blocks import Rows

    rows = np.random.default_rng(0).normal(size=(30_000, 10))
    model().fit(Rows.of(rows, [15_000, 15_000]))


def _digest(blocks: Any) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for block in blocks:
        digest.update(np.ascontiguousarray(block))
    return digest.hexdigest()


def _peak_mb() -> float:
    """Most memory that this process has held."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / MB  # type: ignore[index]


def warm_files(folder: str, n: int) -> list[str]:
    """The files; what is measured has then imported and compiled what it needs."""
    _warm()
    return data_files(folder, n)


def _compare(bench: Bench, n: int, *, at_most: float) -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("CONSENS_SCALE_FOLDER")) as folder:
        data_files(folder, n)
        here = bench.measure("in this process", warm_files, in_process, folder=folder, n=n)
        there = bench.measure("two workers", warm_files, two_workers, folder=folder, n=n)
    if here.error or there.error:
        raise SystemExit(f"{here.error} {there.error}")
    same = here.figures["labels"] == there.figures["labels"]
    bench.compare("labels of both are equal", float(same), at_least=1)
    bench.compare("peak MB in this process", here.figures["peak_mb"], at_most=LIMIT / MB)
    for name in ("client_mb", "worker_mb"):
        bench.compare(f"peak {name}", there.figures[name], at_most=LIMIT / MB)
    ratio = there.figures["cluster_cpu"] / here.cpu_seconds
    bench.compare("CPU time of the cluster / in this process", ratio, at_most=at_most)


def two_million(bench: Bench) -> None:
    _compare(bench, 2_000_000, at_most=1.6)


def twenty_million(bench: Bench) -> None:
    _compare(bench, 20_000_000, at_most=1.6)


if __name__ == "__main__":
    main(__doc__, two_million, twenty_million)
