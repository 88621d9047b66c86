"""`consens demo`: the whole way on a data set that comes with scikit-learn."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console, options, result
from consens.cli.cluster import ClusterJob, cluster
from consens.cli.configuration import option


@dataclass(kw_only=True)
class DemoJob(options.Seeded):
    """What `consens demo` is asked to do."""

    verb = "demo"

    out: Path = option("DIR", "Folder for the files.", default=Path("demo"))


def demo(job: DemoJob) -> None:
    """Cluster 178 wines by 13 measurements, and compare with their cultivars."""
    from sklearn.datasets import load_wine

    from consens.files import output_folder, write_files

    data = load_wine()
    names = ["wine", *(name.replace("/", "_") for name in data.feature_names)]
    rows = [[f"wine{i:03d}", *map(repr, map(float, x))] for i, x in enumerate(data.data, start=1)]
    text = "".join(",".join(row) + "\n" for row in [names, *rows])
    out, file = job.out, job.out / "wine.csv"
    with output_folder(out):
        write_files(out, {file.name: text, "clusterings.csv": _clusterings(data.data, job.seed)})
    console.echo(f"$ consens cluster {file} -k 3 --seed {job.seed} --out {out}\n")
    cluster(ClusterJob(file=file, n_clusters=3, seed=job.seed, out=out))

    from consens.io import read_labels
    from consens.measure import ari

    labels = read_labels(out / result.LABELS, drop=["confidence"]).labels["label"]
    console.echo(
        f"\nagreement with the three cultivars, which were not used: "
        f"adjusted Rand index {ari(data.target, labels.to_numpy()):.2f}"
    )


def _clusterings(X: Any, seed: int) -> str:
    """Three clusterings of the wines, as a table that `consens combine` reads."""
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.mixture import GaussianMixture
    from sklearn.preprocessing import StandardScaler

    Z = StandardScaler().fit_transform(X)
    columns = {
        "kmeans": KMeans(3, n_init=10, random_state=seed).fit_predict(Z),
        "ward": AgglomerativeClustering(4).fit_predict(Z),
        "mixture": GaussianMixture(3, random_state=seed).fit_predict(Z),
    }
    table = zip(*columns.values(), strict=True)
    rows = [f"wine{i:03d},{','.join(map(str, row))}" for i, row in enumerate(table, start=1)]
    return "\n".join([f"wine,{','.join(columns)}", *rows, ""])
