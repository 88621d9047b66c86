"""`consens cluster`: a table of features to a consensus clustering, all stages at once."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import inputs, options, pipeline, result
from consens.cli.configuration import option
from consens.cli.options import File, Number, Text


@dataclass(kw_only=True)
class ClusterJob(options.ResultFolder, pipeline.FeatureJob):
    """What `consens cluster` is asked to do."""

    verb = "cluster"

    more: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Further Parquet files with the same columns."),
    ] = None
    report: Annotated[File, option("PAGE", "Write a report as well, an .html file.")] = None
    model: Annotated[
        File, option("FILE", "Write the model as well, with which consens predict labels rows.")
    ] = None
    scheduler: Annotated[
        Text, option("ADDRESS", "Dask scheduler whose workers read and cluster Parquet files.")
    ] = None
    memory_limit: Annotated[
        Number,
        option(
            "SIZE",
            "Memory to use, e.g. 2GB or 512MiB: Parquet files are then read piece by piece.",
            parser=options.parse_size,
        ),
    ] = None

    @property
    def files(self) -> list[Path]:
        """Everything that is read."""
        return [self.file, *(self.more or [])]

    @property
    def in_blocks(self) -> bool:
        """Whether the features are read piece by piece."""
        return len(self.files) > 1 or self.scheduler is not None or self.memory_limit is not None

    def read(self) -> inputs.Features:
        """The table of features."""
        if not self.in_blocks:
            return super().read()
        return inputs.open_blocks(
            self.files,
            self,
            memory_limit=self.memory_limit,
            distributed=self.scheduler is not None,
        )

    def connect(self) -> AbstractContextManager[Any]:
        """A connection to the scheduler, if there is one."""
        if self.scheduler is None:
            return super().connect()
        from consens.scale import connect

        return connect(self.scheduler)


def cluster(job: ClusterJob) -> None:
    """Cluster the rows of a table of features.

    Each row gets a label and a confidence, from the consensus of many clusterings.
    """
    for name in ("report", "model", "memberships", "impute", "encode", "transpose"):
        if job.in_blocks and getattr(job, name):
            raise typer.BadParameter("needs all objects in memory", param_hint=f"--{name}")
    outputs = result.Outputs.in_folder(job.out, job.file, page=job.report, model=job.model)
    result.print_summary(pipeline.cluster_features(job, outputs), job)
