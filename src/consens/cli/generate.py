"""`consens generate`: a table of features to an ensemble of clusterings."""

from pathlib import Path
from typing import Annotated

import typer

from consens.cli import console, ensembles, inputs, options, stages
from consens.cli.configuration import configured
from consens.cli.interruption import keeping_members
from consens.cli.options import Scale
from consens.cli.stages import GENERATOR


@configured
def generate(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help=f"Features, one object per row: {options.TABLES}."),
    ],
    out: ensembles.Out,
    generator: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=GENERATOR.complete,
            help="What makes the clusterings, see consens methods. Left out: k-means.",
        ),
    ] = None,
    library: options.Library = False,
    members: options.Members = None,
    member_clusters: options.MemberClusters = None,
    param: options.OwnParam = None,
    seed: options.Seed = 0,
    scale: options.Scaling = Scale.standard,
    id_column: options.IdColumn = None,
    no_id: options.NoId = False,
    drop: options.Drop = None,
    header: options.Header = None,
    store: options.Store = None,
    n_jobs: options.NJobs = None,
    config: options.Config = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Make many clusterings of the rows of a table of features.

    They are written as an ensemble, a folder x.ens, for consens select and combine. A run that
    was interrupted goes on where it ended when it is started again.
    """
    id_choice = options.id_choice(id_column, no_id)
    if n_jobs == 0:
        raise typer.BadParameter("0 processes can do nothing", param_hint="--n-jobs")
    made = stages.make_generator(
        generator,
        stages.read_params(param, GENERATOR)["generator"],
        library=library,
        members=members,
        member_clusters=member_clusters,
        default=GENERATOR.find("kmeans", "--generator"),
    )
    with ensembles.output(out, file):
        from consens.base import seeded, stage_seeds

        stage_seed = stage_seeds(seed)["generator"]
        place = store or out.with_name(f"{out.name}.members")
        with keeping_members(
            seeded(made, stage_seed, n_jobs), place, asked=store is not None
        ) as ready:
            table = inputs.read_features(file, id_choice, drop, header, quiet=quiet)
            n, d = table.X.shape
            text = f"clustering {n} objects with {d} features"
            with console.progress_of_members(text, quiet=quiet):
                ensemble = ready.fit_transform(inputs.scaled(table.X, scale, table.columns))
            ids = None if table.id_column is None else table.ids
            ensembles.save(ensemble, out, {}, "generate", stage_seed, seed=seed, ids=ids)
    ensembles.show(ensemble, out, quiet=quiet, as_json=json)
