"""`consens combine`: an ensemble, or a table of label columns, to one clustering."""

from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import console, inputs, options, result, stages
from consens.cli.configuration import configured
from consens.cli.options import Scale
from consens.cli.stages import CONSENSUS


@configured
def combine(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="An ensemble x.ens, or labels, one object per row and one clustering per column: "
            f"{options.TABLES}. Empty cells and NA are missing, -1 is noise.",
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
    features: Annotated[
        Path | None,
        typer.Option(
            "--features",
            metavar="FILE",
            help="The table that consens generate made the ensemble of. With it the number of "
            "clusters is chosen as by consens cluster; methods that use features get them.",
        ),
    ] = None,
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
            X = None if features is None else made_of(features, found)
            choice = None
            if X is not None and n_clusters is None and given is None:
                choice = choose(X, found, seed, n_jobs)
                n_clusters = choice.n_clusters
            consensus = ready(given, found.ensemble, n_clusters, seed, n_jobs)
            uses_features = X is not None and "features" in signature(consensus.fit).parameters
            consensus.fit(found.ensemble, **({"features": X} if uses_features else {}))
            has_use = "random_state" in consensus.get_params()
            facts = {"id_column": found.id_column, "seed": seed if has_use else None}
            summary = result.summarise("combine", file, consensus, facts, chosen=choice)
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


def made_of(features: Path, found: inputs.Clusterings) -> Any:
    """The features that an ensemble was made of, read and scaled as they were for it."""
    made = found.made.get("generate")
    if made is None:
        raise typer.BadParameter(
            "goes with an ensemble that consens generate made", param_hint="--features"
        )
    id_choice = options.id_choice(made.get("id"), made.get("no-id", False))
    table = inputs.read_features(
        features, id_choice, made.get("drop"), made.get("header"), quiet=True
    )
    if list(table.ids) != list(found.ids):
        raise ValueError(f"{features} does not hold the objects of the ensemble in their order")
    return inputs.scaled(table.X, Scale(made["scale"]), table.columns)


def choose(X: Any, found: inputs.Clusterings, seed: int, n_jobs: int | None) -> Any:
    """Choose a number of clusters as `cluster` does, by what made the ensemble."""
    from consens.base import stage_seeds
    from consens.cluster import ConsensusClustering

    made, selected = found.made["generate"], found.made.get("select")
    generator = stages.make_generator(
        made.get("generator"),
        stages.read_params(made.get("param"), stages.GENERATOR)["generator"],
        library=made.get("library", False),
        members=made.get("members"),
        member_clusters=made.get("member-clusters"),
        default=stages.GENERATOR.find("kmeans", "--generator"),
    )
    selector = selected and stages.make_selector(
        selected["selector"],
        stages.read_params(selected.get("param"), stages.SELECTOR)["selector"],
        selected.get("n-selected"),
    )
    model = ConsensusClustering(generator=generator, selector=selector, n_jobs=n_jobs)
    return model.choose(X, found.ensemble, stage_seeds(seed)["choice"])
