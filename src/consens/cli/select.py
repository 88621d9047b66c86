"""`consens select`: an ensemble to a smaller one."""

from pathlib import Path
from typing import Annotated

import typer

from consens.cli import console, ensembles, inputs, options, stages
from consens.cli.configuration import configured
from consens.cli.stages import SELECTOR


@configured
def select(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="An ensemble x.ens, or a table of labels as for consens combine.",
        ),
    ],
    out: ensembles.Out,
    selector: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=SELECTOR.complete,
            help="What selects, see consens methods.",
        ),
    ] = "clusterandselect",
    n_selected: options.NSelected = None,
    param: options.OwnParam = None,
    seed: options.Seed = 0,
    id_column: options.IdColumn = None,
    no_id: options.NoId = False,
    drop: options.Drop = None,
    header: options.Header = None,
    config: options.Config = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Keep the clusterings of an ensemble that are good and differ from each other."""
    id_choice = options.id_choice(id_column, no_id)
    params = stages.read_params(param, SELECTOR)["selector"]
    chosen = stages.make_selector(selector, params, n_selected)
    with ensembles.output(out, file):
        from consens.base import seeded, stage_seeds

        stage_seed = stage_seeds(seed)["selector"]
        found = inputs.read_clusterings(file, id_choice, drop, header, quiet=quiet)
        m = found.ensemble.shape[1]
        with console.progress(f"selecting among {m} clusterings", quiet=quiet):
            ensemble = seeded(chosen, stage_seed).fit_transform(found.ensemble)
        ids = None if found.id_column is None else found.ids
        ensembles.save(ensemble, out, found.made, "select", stage_seed, seed=seed, ids=ids)
    ensembles.show(ensemble, out, quiet=quiet, as_json=json)
