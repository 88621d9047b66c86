"""`consens generate`: make an ensemble of clusterings of a table of features."""

from dataclasses import dataclass

from consens.cli import console, inputs, options, pipeline, result, stages
from consens.cli.configuration import option
from consens.cli.options import Text
from consens.cli.stages import GENERATOR


@dataclass(kw_only=True)
class GenerateJob(
    options.Printing,
    options.Parallel,
    options.EnsembleFolder,
    options.Reading,
    options.Preparing,
    options.Seeded,
    options.Parameters,
    options.Generation,
):
    """Options of `consens generate`."""

    generator: Text = option(
        "NAME",
        "Generator of the clusterings, see consens methods. Default: mixed, as in consens "
        "cluster without --method.",
        autocompletion=GENERATOR.complete,
    )


def generate(job: GenerateJob) -> None:
    """Make many clusterings of the rows of a table of features.

    They are written as an ensemble, a folder x.ens, for consens select and combine. The same
    command continues an interrupted run.
    """
    job.check_jobs()
    given = stages.read_params(job.param, GENERATOR)["generator"]
    made = pipeline.make_generator(job, given, default=GENERATOR.find("mixed", "--generator"))
    job.reader_options()  # report wrong usage before touching the output
    with result.check_output(job.out, job.file):
        from consens._support.seeds import stage_seeds

        stage_seed = stage_seeds(job.seed)["generator"]
        with pipeline.seeded_generator(job, made, job.out) as generator:
            data = inputs.read_feature_table(job.file, job, quiet=job.quiet)
            n, d = data.X.shape
            title = f"{n} objects, {d} features"
            with job.workers(), console.progress(title, "members", quiet=job.quiet):
                ensemble = generator.fit_transform(data.X)
            ids, source = None, {}
            if data.id_column is not None:
                ids, source = data.ids, {"id-column": data.id_column}
            if data.dialect is not None:
                source["dialect"] = data.dialect._asdict()
            result.write_ensemble_of(ensemble, job, stage_seed, ids=ids, source=source)
    result.print_ensemble(ensemble, job)
