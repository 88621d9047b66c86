"""`consens cluster`: cluster a table of features by all stages at once."""

import re
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from consens.cli import inputs, options, pipeline, result
from consens.cli.configuration import argument, flag, option, refuse, usage_error
from consens.cli.options import File, Number, Text


@dataclass(kw_only=True)
class ClusterJob(options.ResultFolder, pipeline.FeatureJob):
    """Options of `consens cluster`."""

    more: list[Path] | None = argument(
        "[FILE]...", "Further Parquet files with the same columns.", default=None
    )
    graph: bool = flag(
        "FILE is a list of edges: two columns of vertices and, if there is a third, of weights. "
        "Without -k, there are as many clusters as the median member has.",
        "--graph",
    )
    within: Text = option(
        "NAME",
        "Split one cluster of an earlier result further: FILE is its folder, NAME the cluster. "
        "The table is read and prepared as before, unless options say otherwise.",
    )
    report: File = option("PAGE", "Also write a report, an .html file.")
    model: File = option("FILE", "Also write the model, for consens predict.")
    scheduler: Text = option(
        "ADDRESS", "Dask scheduler whose workers read and cluster Parquet files."
    )
    memory_limit: Number = option(
        "SIZE",
        "Memory to use, e.g. 2GB or 512MiB: Parquet files are read in blocks.",
        parser=options.parse_size,
    )

    @property
    def files(self) -> list[Path]:
        """All input files."""
        return [self.file, *(self.more or [])]

    @property
    def in_blocks(self) -> bool:
        """Whether the features are read in blocks."""
        return len(self.files) > 1 or self.scheduler is not None or self.memory_limit is not None

    def read(self) -> inputs.Features:
        """Read the features, or open them in blocks."""
        if not self.in_blocks:
            return super().read()
        return inputs.open_blocks(
            self.files,
            self,
            memory_limit=self.memory_limit,
            distributed=self.scheduler is not None,
        )

    def connect(self) -> AbstractContextManager[Any]:
        """Connect to the scheduler, if one is given, or use the processors here."""
        if self.scheduler is None:  # one block at a time where memory is limited
            return nullcontext() if self.in_blocks else super().connect()
        from consens.scale.dask_engine import connect

        return connect(self.scheduler)


def cluster(job: ClusterJob) -> None:
    """Cluster the rows of a table of features.

    Each row gets a label and a confidence, from the consensus of many clusterings.
    """
    no_blocks = "within report model like memberships impute encode transpose na drop_duplicates"
    if job.in_blocks:
        refuse(job, no_blocks, "needs all objects in memory")
    if job.within is not None:
        job = inside(job)
    outputs = result.Outputs.in_folder(job.out, job.file, page=job.report, model=job.model)
    if job.graph:
        if job.in_blocks:
            raise usage_error("--graph", "takes one file, which is read as a whole")
        names = "model like impute encode transpose generator recipe selector n_selected id keep"
        refuse(job, names, "is for tables of features, not for a graph")
        read = partial(pipeline.make_communities, job, outputs)
        done = pipeline.combine_labels(job, outputs, read=read)
    else:
        done = pipeline.cluster_features(job, outputs)
    result.print_summary(done, job)


def inside(job: ClusterJob) -> ClusterJob:
    """Complete a job on one cluster of an earlier result by how that read its table."""
    assert job.within is not None
    known = inputs.read_result(job.file)
    if known.summary["command"] != job.verb or known.options.get("graph") or job.graph:
        raise usage_error("--within", "needs a result of consens cluster for a table of features")
    if job.out is None:
        name = re.sub(r"[^\w.-]+", "-", f"{job.file.name}-{job.within}")
        job = replace(job, out=Path(name))
    how = [own.name for kind in (options.Reading, options.Preparing) for own in fields(kind)]
    before = ClusterJob.from_options(known.options)
    own = job.options()
    default = ClusterJob(file=job.file).options()
    return replace(
        job,
        **{
            name: getattr(before, name)
            for name in how
            if name not in ("file", "config")
            and own.get(name.replace("_", "-")) == default.get(name.replace("_", "-"))
        },
    )
