"""`consens demo`: the whole way on a data set that comes with scikit-learn."""

from pathlib import Path
from typing import Annotated

import typer

from consens.cli import options, result
from consens.cli.cluster import cluster
from consens.cli.configuration import configured


@configured
def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the files.")] = (
        Path("demo")
    ),
    seed: options.Seed = 0,
    config: options.Config = None,
) -> None:
    """Cluster 178 wines by 13 measurements, and compare with their cultivars."""
    from sklearn.datasets import load_wine

    from consens.files import output_folder, write_files

    data = load_wine()
    names = ["wine", *(name.replace("/", "_") for name in data.feature_names)]
    rows = [[f"wine{i:03d}", *map(repr, map(float, x))] for i, x in enumerate(data.data, start=1)]
    text = "".join(",".join(row) + "\n" for row in [names, *rows])
    with output_folder(out, result.FILES):
        write_files(out, {"wine.csv": text})
    typer.echo(f"$ consens cluster {out / 'wine.csv'} -k 3 --seed {seed} --out {out}\n")
    cluster(out / "wine.csv", n_clusters=3, seed=seed, out=out)

    from consens.io import read_labels
    from consens.measure import ari

    labels = read_labels(out / result.LABELS, drop=["confidence"]).labels["label"]
    typer.echo(
        f"\nagreement with the three cultivars, which were not used: "
        f"adjusted Rand index {ari(data.target, labels.to_numpy()):.2f}"
    )
