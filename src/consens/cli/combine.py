"""`consens combine`: a table of label columns to one clustering."""

from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import console, options, result


def combine(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Labels, one object per row and one clustering per column: .csv, .tsv, .parquet "
            "or .npy. Empty cells and NA are missing, -1 is noise.",
        ),
    ],
    n_clusters: options.NClusters = None,
    seed: options.Seed = 0,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="Consensus method, see consens methods.")
    ] = "eac",
    param: options.Param = None,
    id_column: options.IdColumn = None,
    no_id: options.NoId = False,
    drop: options.Drop = None,
    header: options.Header = None,
    out: options.Out = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Combine clusterings that you already have into one.

    Every column but the id is a clustering; columns may name their clusters as they like.
    """
    id_choice = options.id_choice(id_column, no_id)
    with result.result_folder(out, file) as folder:
        import consens
        from consens.io import read_labels

        params = method_params(method, param, seed)
        with console.progress(f"reading {file.name}", quiet=quiet):
            table = read_labels(file, id_column=id_choice, drop=drop or (), header=header)
        n, m = table.labels.shape
        with console.progress(f"combining {m} clusterings of {n} objects", quiet=quiet):
            consensus = consens.combine(table.labels, method, n_clusters, **params)
            facts = {"id_column": table.id_column, "seed": params.get("random_state")}
            summary = result.summarise("combine", file, consensus, facts)
            result.save(folder, table.ids, consensus, summary)
    result.show(summary, folder, quiet=quiet, as_json=json)


def method_params(method: str, param: list[str] | None, seed: int) -> dict[str, Any]:
    """Parameters of a method as the options ask for them, with the seed if it has use for it."""
    kind = options.method_class(method)
    params = options.method_params(kind, param)
    if "random_state" in kind().get_params():
        params["random_state"] = seed
    return params
