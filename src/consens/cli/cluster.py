"""`consens cluster`: cluster a table of features by all stages at once."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from consens.cli import inputs, options, pipeline, result
from consens.cli.configuration import argument, flag, option, usage_error
from consens.cli.options import File, Number, Text


@dataclass(kw_only=True)
class ClusterJob(options.ResultFolder, pipeline.FeatureJob):
    """Options of `consens cluster`."""

    more: list[Path] | None = argument(
        "[FILE]...", "Further Parquet files with the same columns.", default=None
    )
    graph: bool = flag(
        "FILE is a list of edges: two columns of vertices and, if there is a third, of weights.",
        "--graph",
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
        """Connect to the scheduler, if one is given."""
        if self.scheduler is None:
            return super().connect()
        from consens.scale.dask_engine import connect

        return connect(self.scheduler)


def cluster(job: ClusterJob) -> None:
    """Cluster the rows of a table of features.

    Each row gets a label and a confidence, from the consensus of many clusterings.
    """
    options = "report model like memberships impute encode transpose na drop_duplicates"
    for name in options.split():
        if job.in_blocks and getattr(job, name):
            raise usage_error(f"--{name.replace('_', '-')}", "needs all objects in memory")
    outputs = result.Outputs.in_folder(job.out, job.file, page=job.report, model=job.model)
    if job.graph:
        check_graph_options(job)
        read = partial(pipeline.make_communities, job, outputs)
        done = pipeline.combine_labels(job, outputs, read=read)
    else:
        done = pipeline.cluster_features(job, outputs)
    result.print_summary(done, job)


def check_graph_options(job: ClusterJob) -> None:
    """Refuse options that make no sense for the vertices of a graph."""
    if job.in_blocks:
        raise usage_error("--graph", "takes one file, which is read as a whole")
    names = "model like impute encode transpose generator library recipe selector n_selected id"
    for name in [*names.split(), "keep"]:
        if getattr(job, name):
            option = f"--{name.replace('_', '-')}"
            raise usage_error(option, "is for tables of features, not for a graph")
