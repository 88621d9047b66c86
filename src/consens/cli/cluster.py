"""`consens cluster`: a table of features to a consensus clustering, all stages at once."""

from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import blocks, console, inputs, options, result, stages
from consens.cli.configuration import configured
from consens.cli.interruption import keeping_members
from consens.cli.options import Scale
from consens.cli.page import check_page, write_page


@configured
def cluster(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help=f"Features, one object per row: {options.TABLES}."),
    ],
    more: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Further Parquet files with the same columns."),
    ] = None,
    n_clusters: options.NClusters = None,
    seed: options.Seed = 0,
    scale: options.Scaling = Scale.standard,
    generator: options.Generator = None,
    library: options.Library = False,
    members: options.Members = None,
    selector: options.Selector = None,
    n_selected: options.NSelected = None,
    method: options.Method = None,
    param: options.Param = None,
    id_column: options.IdColumn = None,
    no_id: options.NoId = False,
    drop: options.Drop = None,
    header: options.Header = None,
    out: options.Out = None,
    page: Annotated[
        Path | None,
        typer.Option("--report", metavar="PAGE", help="Write a report as well, an .html file."),
    ] = None,
    store: options.Store = None,
    n_jobs: options.NJobs = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Dask scheduler whose workers read and cluster Parquet files.",
        ),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(
            "--memory-limit",
            metavar="SIZE",
            help="Memory to do with, e.g. 2GB: Parquet files are then read piece by piece.",
        ),
    ] = None,
    config: options.Config = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Cluster the rows of a table of features.

    Each row gets a label and a confidence, from the consensus of many clusterings.
    """
    id_choice = options.id_choice(id_column, no_id)
    model = estimator(
        n_clusters,
        stages.read_params(param, stages.CONSENSUS),
        generator=generator,
        library=library,
        members=members,
        selector=selector,
        n_selected=n_selected,
        method=method,
        seed=seed,
        n_jobs=n_jobs,
    )
    if page is not None:
        check_page(page, "--report")
    if more or scheduler is not None or memory_limit is not None:
        files = [file, *(more or [])]
        blocks.check_usage(files, {"--report": page, "--id": id_column})
        limit = blocks.n_bytes(memory_limit)
        with (
            result.result_folder(out, file) as folder,
            keeping_members(
                model.generator,
                store or folder.with_name(f"{folder.name}.members"),
                asked=store is not None,
            ),
        ):
            summary = blocks.cluster_files(
                files,
                model,
                folder,
                scale=scale,
                drop=drop or (),
                scheduler=scheduler,
                memory_limit=limit,
                seed=seed,
                quiet=quiet,
            )
        result.show(summary, folder, quiet=quiet, as_json=json, labels=blocks.LABELS)
        return
    with (
        result.result_folder(out, file) as folder,
        keeping_members(
            model.generator,
            store or folder.with_name(f"{folder.name}.members"),
            asked=store is not None,
        ),
    ):
        table = inputs.read_features(file, id_choice, drop, header, quiet=quiet)
        n, d = table.X.shape
        text = f"clustering {n} objects with {d} features"
        with console.progress_of_members(text, quiet=quiet):
            model.fit(inputs.scaled(table.X, scale, table.columns))
            facts = {
                "n_features": d,
                "id_column": table.id_column,
                "scale": scale.value,
                "seed": seed,
                "generator": type(model.generator_).__name__,
                "selector": None if selector is None else type(model.selector_).__name__,
            }
            summary = result.summarise(
                "cluster", file, model.consensus_, facts, chosen=model.results_
            )
            result.save(folder, table.ids, model.consensus_, summary)
        if page is not None:
            known = {"X": table.X, "feature_names": table.columns, "ids": table.ids}
            told = {"file": file.name, "id column": table.id_column, "seed": seed}
            write_page(page, model, known, file.name, told | {"scale": scale.value}, quiet=quiet)
    result.show(summary, folder, quiet=quiet, as_json=json)
    if page is not None and not quiet and not json:
        console.note(f"written: {page}")


def estimator(
    n_clusters: int | None,
    params: dict[str, dict[str, Any]],
    *,
    generator: str | None,
    library: bool,
    members: int | None,
    selector: str | None,
    n_selected: str | None,
    method: str | None,
    seed: int,
    n_jobs: int | None,
) -> Any:
    """The front door as the options ask for it."""
    if n_jobs == 0:
        raise typer.BadParameter("0 processes can do nothing", param_hint="--n-jobs")
    for role, option, name in (
        ("consensus", "--method", method),
        ("selector", "--selector", selector),
    ):
        if params[role] and name is None:
            raise typer.BadParameter(f"needs {option} NAME", param_hint="--param")
    if n_selected is not None and selector is None:
        raise typer.BadParameter("needs --selector NAME", param_hint="--n-selected")
    from consens.cluster import ConsensusClustering, default_generator

    consensus = None if method is None else stages.make_consensus(method, params["consensus"])
    return ConsensusClustering(
        n_clusters,
        generator=stages.make_generator(
            generator,
            params["generator"],
            library=library,
            members=members,
            default=default_generator(consensus, n_clusters),
        ),
        selector=(
            None
            if selector is None
            else stages.make_selector(selector, params["selector"], n_selected)
        ),
        consensus=consensus,
        random_state=seed,
        n_jobs=n_jobs,
    )
