"""From options to a fitted consensus: code shared by `cluster`, `report` and `combine`."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from consens._support.memory import release_memory
from consens.cli import console, inputs, options, stages
from consens.cli.configuration import option, usage_error
from consens.cli.interruption import keeping_members
from consens.cli.options import File
from consens.cli.result import Outputs, Result, Solution
from consens.cli.stages import CONSENSUS, GENERATOR, SELECTOR


@dataclass(kw_only=True)
class FeatureJob(
    options.Printing,
    options.Parallel,
    options.LabelColumns,
    options.Reading,
    options.Selection,
    options.Generation,
    options.Preparing,
    options.Seeded,
    options.Combination,
):
    """Options of `cluster` and `report`."""

    recipe: Literal["mixed", "kmeans", "spectral", "mixture", "tree"] | None = option(
        "",
        "Kind of the clusterings. Default: the kind whose random draws agree most. Excludes "
        "generator, selector and method.",
    )
    like: File = option(
        "OLD",
        "Keep the numbers and names of earlier clusters: a model, or labels by id. Also list "
        "clusters that split, merged, appeared or vanished.",
    )

    @property
    def files(self) -> list[Path]:
        """All input files."""
        return [self.file]

    def read(self) -> inputs.Features:
        """Read the features."""
        return inputs.read_feature_table(self.file, self, quiet=self.quiet)

    def connect(self) -> AbstractContextManager[Any]:
        """Connect to a cluster, if the job runs on one, or use the processors here."""
        return self.workers()


# ------------------------------------------------------------------------- the two pipelines


def cluster_features(job: FeatureJob, outputs: Outputs) -> Result:
    """Cluster a table of features and write the outputs."""
    model = make_estimator(job)
    place = job.store or members_folder(outputs.main)
    with (
        outputs.ready(*job.files),
        keeping_members(model, place, keep=job.store is not None),
        job.connect(),
    ):
        plan = "reading", *model.stages(), *outputs.stages()
        with console.progress(job.files[0].name, *plan, quiet=job.quiet):
            solution = solve(model, job, with_table=outputs.page is not None)
            return outputs.write(solution, job)


def fit_model(
    model: Any, job: FeatureJob, *, with_table: bool = True
) -> tuple[inputs.Features, list[str]]:
    """Read the features of a job and fit its model to them; returns also all notes."""
    data = job.read()
    if data.preparer is not None:  # which has scaled the features
        model.set_params(scale="none")
    earlier: Any = None
    own: list[str] = []
    if job.like is not None:
        earlier, own = inputs.read_earlier(job.like, data)
    if not with_table:
        data = data._replace(frame=None)
        release_memory()
    model.fit(data.X, names_from=earlier)
    model.within_ = data.within
    if model.scaler_ is not None:
        own += model.scaler_.notes(data.columns)
    console.notes(own, quiet=job.quiet)
    return data, [*data.notes, *own]


def solve(model: Any, job: FeatureJob, *, with_table: bool = True) -> Solution:
    """Fit the model of a job and collect the content of its outputs."""
    data, notes = fit_model(model, job, with_table=with_table)
    facts = {
        "n_features": data.X.shape[1],
        "id_column": data.id_column,
        "scale": job.scale,
        "seed": job.seed,
        "generator": type(model.generator_).__name__,
        "selector": model.selector_ and type(model.selector_).__name__,
        "notes": notes,
    }
    return Solution(model, data, job.files, facts)


def combine_labels(
    job: Any,
    outputs: Outputs,
    reference: str | None = None,
    read: Callable[[], inputs.Clusterings] | None = None,
) -> Result:
    """Combine the clusterings of a table or an ensemble and write the outputs."""
    given = make_consensus(job)
    from consens._naming import names_like
    from consens._support.seeds import stage_seeds
    from consens.cluster import CHOICE
    from consens.combination import annotator_method, fit_consensus, reference_labels
    from consens.consensus import can_choose

    with outputs.ready(job.file):
        chooses = job.n_clusters is None and not can_choose(given)
        making = () if read is None else ("members",)
        plan = "reading", *making, *([CHOICE] if chooses else []), "consensus", *outputs.stages()
        with console.progress(job.file.name, *plan, quiet=job.quiet):
            if read is None:
                found = inputs.read_clusterings(job.file, job.reader_options(), quiet=job.quiet)
            else:
                found = read()
            named = None
            if reference is not None:
                named = reference_labels(found.labels, found.ensemble, reference)
            n_clusters = found.n_clusters if chooses else job.n_clusters
            if given is None:
                given = annotator_method(found.ensemble, n_clusters)
            model = fit_consensus(
                found.ensemble,
                given,
                n_clusters,
                stage_seeds(job.seed),
                {"noise": job.noise, "settle": job.settle},
                n_jobs=job.n_jobs,
            )
            model.from_members_ = chooses and found.n_clusters is not None
            if named is not None:
                model.names_ = names_like(named, model.labels_, model.n_clusters_)
            random = hasattr(model, "results_") or "random_state" in model.get_params()
            facts = {"id_column": found.id_column, "seed": job.seed if random else None}
            solution = Solution(model, found, [job.file], facts)
            return outputs.write(solution, job)


def make_communities(job: FeatureJob, outputs: Outputs) -> inputs.Clusterings:
    """Find communities of the graph whose edges are in the file of a job, many times."""
    import numpy as np

    from consens import Ensemble
    from consens._support.progress import announce
    from consens.generate import GraphEnsemble

    job.check_jobs()
    graph, vertices, dialect = inputs.read_edges(job.file, job.reader_options())
    given = stages.read_params(job.param, CONSENSUS)["generator"]
    made = make_generator(job, given, default=GraphEnsemble).set_params(affinity="precomputed")
    announce("members")
    with seeded_generator(job, made, outputs.main) as generator:
        found = generator.fit_transform(graph)
    obs = np.array(vertices, dtype=object)
    ensemble = Ensemble(found.labels, found.records, obs=obs)
    natural = int(np.median(found.n_clusters))
    return inputs.Clusterings(ensemble, vertices, "vertex", {}, dialect, n_clusters=natural)


# ------------------------------------------------------------------------------- the stages


def make_estimator(job: FeatureJob) -> Any:
    """Make the ConsensusClustering of a job."""
    job.check_jobs()
    consensus = make_consensus(job)
    params = stages.read_params(job.param, CONSENSUS)
    if params["selector"] and job.selector is None:
        raise usage_error("--param", "needs --selector NAME")
    if job.n_selected is not None and job.selector is None:
        raise usage_error("--n-selected", "needs --selector NAME")
    from consens._engine import default_generator
    from consens.cluster import ConsensusClustering

    asked = job.generator, job.members, job.selector, consensus
    generator = None
    if params["generator"] or any(one is not None for one in asked):
        default = default_generator(consensus, job.n_clusters)
        generator = make_generator(job, params["generator"], default=default)
        if job.recipe is not None:
            raise usage_error(
                "--recipe", "excludes --generator, --members, --selector and --method"
            )
    return ConsensusClustering(
        job.n_clusters,
        generator=generator,
        selector=make_selector(job, params["selector"]),
        consensus=consensus,
        recipe=job.recipe,
        scale=job.scale,
        noise=job.noise,
        settle=job.settle,
        random_state=job.seed,
        n_jobs=job.n_jobs,
    )


def make_generator(job: options.Generation, given: Mapping[str, Any], *, default: Any) -> Any:
    """Make the generator of a job; `default` is used if the job names none."""
    kind = default if job.generator is None else GENERATOR.find(job.generator, "--generator")
    given = dict(given)
    if job.members is not None:
        names = ("n_estimators", "size")
        given |= stages.own_parameter(kind, names, job.members, "--members")
    return stages.make(kind, given)


@contextmanager
def seeded_generator(job: Any, made: Any, out: Path) -> Iterator[Any]:
    """Yield a generator with the seed of a job, which keeps finished members next to `out`."""
    from consens._support.seeds import seeded, stage_seeds

    made = seeded(made, stage_seeds(job.seed)["generator"], job.n_jobs)
    place = job.store or members_folder(out)
    with keeping_members(made, place, keep=job.store is not None) as generator:
        yield generator


def members_folder(out: Path) -> Path:
    """Folder that keeps finished members during the run that writes `out`."""
    return out.with_name(f"{out.name}.members")


def make_selector(job: options.Selection, given: Mapping[str, Any]) -> Any:
    """Make the selector of a job, or None."""
    if job.selector is None:
        return None
    kind = SELECTOR.find(job.selector, "--selector")
    given = dict(given)
    if job.n_selected is not None:
        value = stages.parse_value(job.n_selected)
        given |= stages.own_parameter(kind, ("n_selected",), value, "--n-selected")
    return stages.make(kind, given)


def make_consensus(job: Any) -> Any:
    """Make the consensus method of a job, with an open number of clusters, or None."""
    given = stages.read_params(job.param, CONSENSUS)["consensus"]
    if job.method is not None:
        kind = CONSENSUS.find(job.method, "--method")
        return stages.make(kind, given, without=("n_clusters",)).set_params(n_clusters=None)
    if given:
        raise usage_error("--param", "needs --method NAME")
    return None
