"""`consens cluster`: a table of features to a consensus clustering."""

from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import console, options, result
from consens.cli.options import Scale


def cluster(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Features, one object per row: .csv, .tsv, .parquet or .npy."
        ),
    ],
    n_clusters: options.NClusters = None,
    seed: options.Seed = 0,
    scale: options.Scaling = Scale.standard,
    method: options.Method = None,
    param: options.Param = None,
    id_column: options.IdColumn = None,
    no_id: options.NoId = False,
    drop: options.Drop = None,
    header: options.Header = None,
    out: options.Out = None,
    n_jobs: options.NJobs = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Cluster the rows of a table of features.

    Each row gets a label and a confidence, from the consensus of many clusterings.
    """
    id_choice = options.id_choice(id_column, no_id)
    check_usage(method, param, n_jobs)
    with result.result_folder(out, file) as folder:
        from consens.io import read_features

        model = estimator(n_clusters, method, param, seed, n_jobs)
        with console.progress(f"reading {file.name}", quiet=quiet):
            table = read_features(file, id_column=id_choice, drop=drop or (), header=header)
        n, d = table.X.shape
        with console.progress(f"clustering {n} objects with {d} features", quiet=quiet):
            model.fit(scaled(table.X, scale, table.columns))
            facts = {
                "n_features": d,
                "id_column": table.id_column,
                "scale": scale.value,
                "seed": seed,
            }
            summary = result.summarise(
                "cluster", file, model.consensus_, facts, chosen=model.results_
            )
            result.save(folder, table.ids, model.consensus_, summary)
    result.show(summary, folder, quiet=quiet, as_json=json)


def check_usage(method: str | None, param: list[str] | None, n_jobs: int | None) -> None:
    """Refuse options that do not go together, before anything is touched."""
    if n_jobs == 0:
        raise typer.BadParameter("0 processes can do nothing", param_hint="--n-jobs")
    if param and method is None:
        raise typer.BadParameter("needs --method NAME", param_hint="--param")


def estimator(
    n_clusters: int | None,
    method: str | None,
    param: list[str] | None,
    seed: int,
    n_jobs: int | None,
) -> Any:
    """The front door as the options ask for it."""
    from consens import ConsensusClustering

    consensus = None
    if method is not None:
        kind = options.method_class(method)
        consensus = kind(**options.method_params(kind, param))
    return ConsensusClustering(n_clusters, consensus=consensus, random_state=seed, n_jobs=n_jobs)


def scaled(X: Any, scale: Scale, names: list[str]) -> Any:
    """Scale features; a constant feature becomes 0."""
    import numpy as np
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    huge = np.abs(X).max(axis=0) > 1e150
    if huge.any():
        name = names[int(np.argmax(huge))]
        raise ValueError(f"column {name!r} holds values beyond 1e150, whose squares overflow")
    if scale is Scale.none:
        return X
    return (StandardScaler() if scale is Scale.standard else MinMaxScaler()).fit_transform(X)
