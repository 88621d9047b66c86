"""Twenty million objects from Parquet files, under 2 GB per process, here and on two workers.

    python -m benchmarks.scale [two_million twenty_million sizing] [--json FILE]

The data are a mixture of ten Gaussians in ten dimensions, written to a temporary folder first
(1.6 GB for twenty million).  Ten members of 10 to 30 clusters are combined by LWMC.  In this
process the address space for data is limited to 2 GB, on the workers Dask's memory limit is: a
process that needs more fails.  CPU seconds of the cluster are those of the client, the scheduler
and both workers, which are started and have imported the library before.

`sizing` prints the table of docs/guide/scale.md by the formulas `expected_mb` and `expected_cpu`,
which the runs check.
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
    return ConsensusClustering(10, generator=members, consensus=LWMC(), random_state=0)


def in_process(paths: list[str]) -> dict[str, Any]:
    """Cluster the files in this process, which may not take more than 2 GB."""
    from consens._blocks import Engine
    from consens.io import open_parquet

    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    labels = (
        model().fit(open_parquet(paths, block_bytes=8 * 10 * ROWS, engine=Engine(LIMIT))).labels_
    )
    return {"labels": _digest([labels]), "peak_mb": _peak_mb()}


def two_workers(paths: list[str]) -> dict[str, Any]:
    """Cluster the files on two worker processes of 2 GB each."""
    import dask
    from distributed import Client, LocalCluster

    from consens.io import open_parquet
    from consens.scale import WORKER_ENVIRONMENT
    from consens.scale.dask_engine import on_cluster

    with (
        dask.config.set({"distributed.nanny.pre-spawn-environ": WORKER_ENVIRONMENT}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            memory_limit=LIMIT,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(_warm)
        before = client.run(time.process_time)
        here = time.process_time()
        found = model().fit(on_cluster(open_parquet(paths, block_bytes=8 * 10 * ROWS)))
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
    from consens._blocks import Rows

    rows = np.random.default_rng(0).normal(size=(30_000, 10))
    model().fit(Rows.from_array(rows, [15_000, 15_000]))


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


#: Of a process that has imported and compiled what it needs.
BASE_MB = 250

#: CPU seconds of a product of feature, cluster, member and object, and of a pair of members.
PRODUCT, PAIR = 2.0e-9, 1.5e-9


def expected_mb(n: int, m: int, k: int, d: int, rows: int, workers: int = 1) -> float:
    """Peak memory of a process that holds its part of the labels and works on one block.

    A label takes one byte (two from 128 clusters on), what is kept of the result four.  A block
    is held as it is read and as an array, with its labels, and with what is computed of them.
    In one process the labels of all objects are an array besides.
    """
    label = 1 if k < 128 else 2
    held = n * (m * label + 4) / workers + (4 * n if workers == 1 else 0)
    return BASE_MB + (held + rows * (2 * 8 * d + 6 * m + 100)) / MB


def expected_cpu(n: int, m: int, k: int, d: int) -> float:
    """CPU seconds: members label all objects, and pairs of members are counted."""
    return n * (PRODUCT * m * k * d + PAIR * m * m)


def moved_mb(n: int, m: int, k: int, d: int, rows: int) -> float:
    """What goes over the network: samples, contingencies of blocks, and nothing per object."""
    samples = m * max(10_000, 256 * k) * d * 8 * 2
    contingency = min((m * k) ** 2, rows * m * m) * 12 * (n / rows)
    return (samples + contingency) / MB


def sizing(bench: Bench) -> None:
    """Ten members of k = 20 clusters, ten features."""
    print("| objects | blocks | CPU hours | labels held, GB | workers of 4 GB | moved, MB |")
    print("|---|---|---|---|---|---|")
    for n in (10**7, 10**8, 10**9):
        case = {"n": n, "m": 10, "k": 20, "d": 10}
        workers = next(
            w for w in range(1, 1000) if expected_mb(**case, rows=ROWS, workers=w) < 0.6 * 4000
        )
        print(
            f"| {n:,} | {n // ROWS:,} | {expected_cpu(**case) / 3600:.2f} | {n * 14 / 1e9:.2f} | "
            f"{workers} | {moved_mb(**case, rows=ROWS):.0f} |"
        )


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
    case = {"n": n, "m": 10, "k": 20, "d": 10}
    memory = expected_mb(**case, rows=ROWS) / here.figures["peak_mb"]
    bench.compare("memory by the formula / in this process", memory, at_least=0.7, at_most=1.3)
    seconds = expected_cpu(**case) / here.cpu_seconds
    bench.compare("CPU by the formula / in this process", seconds, at_least=0.7, at_most=1.3)
    ratio = there.figures["cluster_cpu"] / here.cpu_seconds
    bench.compare("CPU time of the cluster / in this process", ratio, at_most=at_most)


def two_million(bench: Bench) -> None:
    _compare(bench, 2_000_000, at_most=1.6)


def twenty_million(bench: Bench) -> None:
    _compare(bench, 20_000_000, at_most=1.6)


if __name__ == "__main__":
    main(__doc__, sizing, two_million, twenty_million)
