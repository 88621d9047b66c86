"""`consens cluster`: a table of features to a consensus clustering."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import console, options, result


class Scale(StrEnum):
    """How features are made comparable before they are clustered."""

    standard = "standard"
    minmax = "minmax"
    none = "none"


def cluster(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Features, one object per row: .csv, .tsv, .parquet or .npy."
        ),
    ],
    n_clusters: options.NClusters = None,
    seed: options.Seed = 0,
    scale: Annotated[
        Scale,
        typer.Option(
            help="Bring features to mean 0 and variance 1, to the range 0 to 1, or leave them."
        ),
    ] = Scale.standard,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Consensus method, see consens methods. Left out: LWEA, for more than 50,000 "
            "objects LWGP.",
        ),
    ] = None,
    param: options.Param = None,
    id_column: options.IdColumn = None,
    no_id: options.NoId = False,
    drop: options.Drop = None,
    header: options.Header = None,
    out: options.Out = None,
    n_jobs: Annotated[
        int | None,
        typer.Option("--n-jobs", metavar="N", help="Processes to use; -1 is all processors."),
    ] = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Cluster the rows of a table of features.

    Each row gets a label and a confidence, from the consensus of many clusterings.
    """
    id_choice = options.id_choice(id_column, no_id)
    if n_jobs == 0:
        raise typer.BadParameter("0 processes can do nothing", param_hint="--n-jobs")
    if param and method is None:
        raise typer.BadParameter("needs --method NAME", param_hint="--param")
    with result.result_folder(out, file) as folder:
        from consens import ConsensusClustering
        from consens.io import read_features

        consensus = None
        if method is not None:
            kind = options.method_class(method)
            consensus = kind(**options.method_params(kind, param))
        with console.progress(f"reading {file.name}", quiet=quiet):
            table = read_features(file, id_column=id_choice, drop=drop or (), header=header)
        n, d = table.X.shape
        with console.progress(f"clustering {n} objects with {d} features", quiet=quiet):
            model = ConsensusClustering(
                n_clusters, consensus=consensus, random_state=seed, n_jobs=n_jobs
            ).fit(scaled(table.X, scale, table.columns))
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
