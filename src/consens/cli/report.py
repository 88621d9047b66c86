"""`consens report`: a table or an ensemble to one page that says what was found."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import console, inputs, options, pipeline
from consens.cli.configuration import option
from consens.cli.options import File, Text
from consens.cli.result import Outputs


@dataclass(kw_only=True)
class ReportJob(pipeline.FeatureJob):
    """What `consens report` is asked to do."""

    verb = "report"

    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Features, one object per row; with --labels, one clustering per column: "
            f"{options.TABLES}; or an ensemble x.ens.",
        ),
    ]
    labels: Annotated[
        bool, option("", "FILE holds clusterings, as for consens combine.", "--labels")
    ] = False
    title: Annotated[
        Text, option("TEXT", "Heading of the page. Left out: the name of the file.")
    ] = None
    out: Annotated[
        File,
        option("PAGE", "The page. Left out: name-report.html for name.csv.", "--out", "-o"),
    ] = None
    json: Annotated[bool, option("", "Print what the page says as JSON.", "--json")] = False


def report(job: ReportJob) -> None:
    """Cluster a table and write a page: how many clusters, which, how sure, and why.

    The page is one file that opens in any browser without network.
    """
    outputs = Outputs.as_page(job.out, job.file, job.title)
    if job.labels or inputs.is_folder(job.file):
        for name in ("generator", "library", "members", "selector", "n_selected", "store"):
            if getattr(job, name):
                option = f"--{name.replace('_', '-')}"
                raise typer.BadParameter("FILE holds clusterings already", param_hint=option)
        found = pipeline.combine_labels(job, outputs)
    else:
        found = pipeline.cluster_features(job, outputs)
    from consens.show.page import to_json

    assert found.page is not None
    if job.json:
        console.echo(to_json(found.page), nl=False)
    elif not job.quiet:
        _show(found.page)
        console.written(found.written)


def _show(summary: dict[str, Any]) -> None:
    """Print the answer: how many, how sure, why, and which."""
    answer, k = summary["answer"], summary["answer"]["n_clusters"]
    console.echo(
        f"{summary['data']['n_objects']} objects in {k} cluster{'s' if k > 1 else ''}, "
        f"{answer['certainty']}"
        + (f": mean confidence {answer['confidence']:.2f}, " if k > 1 else "")
        + (f"{answer['n_fence']} on the fence" if k > 1 else "")
        + f"\n{' '.join(answer['why'])}\n"
    )
    chosen = next(p for p in summary["partitions"] if p["n_clusters"] == k)
    rows = [
        [
            str(cluster["label"]),
            str(cluster["size"]),
            f"{cluster['confidence']:.2f}" if k > 1 else "",
            ", ".join(f"{f['name']} {f['difference']:+.1f}" for f in cluster["features"][:3]),
        ]
        for cluster in chosen["clusters"]
    ]
    console.table(["cluster", "size", "confidence", "distinguished by"], rows, right=False)
