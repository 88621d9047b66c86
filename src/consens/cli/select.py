"""`consens select`: keep some members of an ensemble."""

from dataclasses import dataclass
from pathlib import Path

from consens.cli import console, inputs, options, pipeline, result, stages
from consens.cli.configuration import argument, option
from consens.cli.stages import SELECTOR


@dataclass(kw_only=True)
class SelectJob(
    options.Printing,
    options.EnsembleFolder,
    options.ReadingClusterings,
    options.Seeded,
    options.Parameters,
    options.Selection,
):
    """Options of `consens select`."""

    file: Path = argument(
        "FILE", "An ensemble x.ens, or a table of labels as for consens combine."
    )
    selector: str = option(
        "NAME",
        "Selector, see consens methods.",
        autocompletion=SELECTOR.complete,
        default="clusterandselect",
    )


def select(job: SelectJob) -> None:
    """Keep good and diverse clusterings of an ensemble."""
    made = pipeline.make_selector(job, stages.read_params(job.param, SELECTOR)["selector"])
    reader_options = job.reader_options()
    with result.check_output(job.out, job.file):
        from consens._support.seeds import seeded, stage_seeds

        stage_seed = stage_seeds(job.seed)["selector"]
        found = inputs.read_clusterings(job.file, reader_options, quiet=job.quiet)
        m = found.ensemble.shape[1]
        with console.progress(f"{m} clusterings", "selection", quiet=job.quiet):
            ensemble = seeded(made, stage_seed).fit_transform(found.ensemble)
        ids = None if found.id_column is None else found.ids
        result.write_ensemble_of(ensemble, job, stage_seed, ids=ids, made=found.made)
    result.print_ensemble(ensemble, job)
