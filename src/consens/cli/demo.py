"""`consens demo`: all steps on a data set of scikit-learn."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console, options, result
from consens.cli.cluster import ClusterJob, cluster
from consens.cli.configuration import option


@dataclass(kw_only=True)
class DemoJob(options.Seeded):
    """Options of `consens demo`."""

    out: Path = option("DIR", "Folder for the files.", default=Path("demo"))


def demo(job: DemoJob) -> None:
    """Cluster 178 wines, and compare the clusters with cultivars."""
    from sklearn.datasets import load_wine

    from consens._support.files import output_folder, write_files

    data = load_wine(as_frame=True)
    frame = data.data.rename(columns=lambda name: name.replace("/", "_"))
    frame.index = [f"wine{i:03d}" for i in range(1, len(frame) + 1)]
    tables = {"wine.csv": frame, "clusterings.csv": _clusterings(frame, job.seed)}
    out, file = job.out, job.out / "wine.csv"
    with output_folder(out):
        texts = {name: made.to_csv(index_label="wine") for name, made in tables.items()}
        write_files(out, texts)
    console.echo(f"$ consens cluster {file} -k 3 --seed {job.seed} --out {out}\n")
    cluster(ClusterJob(file=file, n_clusters=3, seed=job.seed, out=out))

    from consens.io import read_labels
    from consens.measure import ari

    labels = read_labels(out / result.LABELS, drop=["confidence"]).labels["label"]
    console.echo(
        f"\nagreement with the three cultivars, which were not used: "
        f"adjusted Rand index {ari(data.target, labels.to_numpy()):.2f}"
    )


def _clusterings(frame: Any, seed: int) -> Any:
    """Make three clusterings of the wines, as a table for `consens combine`."""
    import pandas as pd
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.mixture import GaussianMixture
    from sklearn.preprocessing import StandardScaler

    Z = StandardScaler().fit_transform(frame)
    columns = {
        "kmeans": KMeans(3, n_init=10, random_state=seed).fit_predict(Z),
        "ward": AgglomerativeClustering(4).fit_predict(Z),
        "mixture": GaussianMixture(3, random_state=seed).fit_predict(Z),
    }
    return pd.DataFrame(columns, frame.index)
