"""`consens report`: cluster a table or an ensemble, and write a page about the result."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from consens.cli import console, inputs, options, pipeline
from consens.cli.configuration import argument, flag, option, refuse, usage_error
from consens.cli.options import File, Text, Texts
from consens.cli.result import Outputs, print_summary

#: Positions of the objects on the map.
MapLayout = Literal["auto", "features", "pca", "ensemble"]


@dataclass(kw_only=True)
class ReportJob(pipeline.FeatureJob, options.ReadingClusterings):
    """Options of `consens report`."""

    file: Path = argument(
        "FILE",
        "Features, one object per row; with --labels, one clustering per column: "
        f"{options.TABLES}; or an ensemble x.ens.",
    )
    labels: bool = flag("FILE holds clusterings, as for consens combine.", "--labels")
    title: Text = option("TEXT", "Heading of the page. Default: the name of the file.")
    layout: MapLayout = option(
        "", "Positions of the objects on the map: by features or by clusterings.", default="auto"
    )
    annotate: Texts = option(
        "NAME",
        "Column of FILE, or of obs in an .h5ad file, with a known annotation, which is compared "
        "with the clusters and not used as feature; may be repeated.",
    )
    per_k: bool = flag(
        "Add the view of ConsensusClusterPlus for each number of clusters, with p-values.",
        "--per-k",
    )
    out: File = option("PAGE", "The page. Default: name-report.html for name.csv.", "--out", "-o")
    json: bool = flag("Print the content of the page as JSON.", "--json")

    def reader_options(self, *others: File) -> dict[str, Any]:
        """Return the options for readers, which leave out annotations."""
        options = super().reader_options(*others)
        if not self._is_anndata():  # whose columns are not among the features
            options["drop"] = [*options["drop"], *(self.annotate or [])]
        return options

    def view(self) -> dict[str, Any]:
        """Return further options of `consens.report`."""
        annotations = self._annotations(self.annotate) if self.annotate else None
        return {"per_k": self.per_k, "layout": self.layout, "annotate": annotations}

    def _annotations(self, names: list[str]) -> Any:
        if self.file == Path("-") or inputs.is_folder(self.file):
            raise usage_error("--annotate", "needs a FILE that is a table")
        import pandas as pd

        from consens import io

        options = super().reader_options()
        if self._is_anndata():
            read = [io.read_table(self.file, **(options | {"array": name})) for name in names]
            return pd.concat([table.frame for table in read], axis=1)
        frame = io.read_table(self.file, **options).frame
        missing = [name for name in names if name not in frame]
        if missing:
            raise usage_error("--annotate", f"{self.file} has no column {missing[0]!r}")
        return frame[names]

    def _is_anndata(self) -> bool:
        return self.file.suffix.lower() == ".h5ad"


def report(job: ReportJob) -> None:
    """Cluster a table and write a report.

    The report is one page with all clusters and their confidence, which opens in any browser
    without network.
    """
    inputs.refuse_columns(job)
    outputs = Outputs.as_page(job.out, job.file, title=job.title, view=job.view())
    if job.labels or inputs.is_folder(job.file):
        if job.per_k or job.layout in ("features", "pca"):
            option = "--per-k" if job.per_k else "--layout"
            raise usage_error(option, "needs features, FILE holds clusterings")
        names = "generator members selector n_selected store like"
        refuse(job, names, "FILE holds clusterings already")
        found = pipeline.combine_labels(job, outputs)
    else:
        found = pipeline.cluster_features(job, outputs)
    from consens.show.page import to_json

    assert found.page is not None
    if job.json:
        console.echo(to_json(found.page), nl=False)
    else:
        print_summary(found, job)
