"""`consens combine`: an ensemble, or a table of label columns, to one clustering."""

from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import console, inputs, options, result, stages
from consens.cli.configuration import configured
from consens.cli.stages import CONSENSUS


@configured
def combine(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="An ensemble x.ens, or labels, one object per row and one clustering per column: "
            ".csv, .tsv, .parquet or .npy. Empty cells and NA are missing, -1 is noise.",
        ),
    ],
    n_clusters: options.NClusters = None,
    seed: options.Seed = 0,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=CONSENSUS.complete,
            help="Consensus method, see consens methods. Left out: with -k that of consens "
            "cluster, without it EAC, which finds the number itself.",
        ),
    ] = None,
    param: options.OwnParam = None,
    id_column: options.IdColumn = None,
    no_id: options.NoId = False,
    drop: options.Drop = None,
    header: options.Header = None,
    out: options.Out = None,
    n_jobs: options.NJobs = None,
    config: options.Config = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Combine clusterings that you already have into one.

    Every column but the id is a clustering; columns may name their clusters as they like.
    """
    id_choice = options.id_choice(id_column, no_id)
    with result.result_folder(out, file) as folder:
        given = method_asked_for(method, param)
        found = inputs.read_clusterings(file, id_choice, drop, header, quiet=quiet)
        n, m = found.ensemble.shape
        with console.progress(f"combining {m} clusterings of {n} objects", quiet=quiet):
            consensus = ready(given, found.ensemble, n_clusters, seed, n_jobs)
            consensus.fit(found.ensemble)
            has_use = "random_state" in consensus.get_params()
            facts = {"id_column": found.id_column, "seed": seed if has_use else None}
            summary = result.summarise("combine", file, consensus, facts)
            result.save(folder, found.ids, consensus, summary)
    result.show(summary, folder, quiet=quiet, as_json=json)


def method_asked_for(method: str | None, param: list[str] | None) -> Any:
    """The method as the options ask for it, or None where they leave it open."""
    params = stages.read_params(param, CONSENSUS)["consensus"]
    if method is not None:
        return stages.make_consensus(method, params)
    if params:
        raise typer.BadParameter("needs --method NAME", param_hint="--param")
    return None


def ready(given: Any, ensemble: Any, n_clusters: int | None, seed: int, n_jobs: int | None) -> Any:
    """The method with its number of clusters, and the seed that `cluster` would give it."""
    from consens.base import seeded, stage_seeds
    from consens.cluster import default_consensus

    if given is None and n_clusters is None:
        given = stages.make_consensus("eac", {})
    elif given is None:
        given = default_consensus(ensemble)
    if n_clusters is not None:
        given.set_params(n_clusters=n_clusters)
    return seeded(given, stage_seeds(seed)["consensus"], n_jobs)
