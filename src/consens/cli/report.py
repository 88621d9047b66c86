"""`consens report`: a table to one page that says what was found."""

from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import console, options
from consens.cli.cluster import check_usage, estimator, scaled
from consens.cli.combine import method_params
from consens.cli.options import Scale


def report(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Features, one object per row; with --labels, one clustering per column: .csv, "
            ".tsv, .parquet or .npy.",
        ),
    ],
    labels: Annotated[
        bool, typer.Option("--labels", help="FILE holds clusterings, as for consens combine.")
    ] = False,
    n_clusters: options.NClusters = None,
    seed: options.Seed = 0,
    scale: options.Scaling = Scale.standard,
    method: options.Method = None,
    param: options.Param = None,
    id_column: options.IdColumn = None,
    no_id: options.NoId = False,
    drop: options.Drop = None,
    header: options.Header = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Heading of the page. Left out: the name of the file."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="PAGE", help="The page. Left out: name-report.html for name.csv."
        ),
    ] = None,
    n_jobs: options.NJobs = None,
    quiet: options.Quiet = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print what the page says as JSON.")
    ] = False,
) -> None:
    """Cluster a table and write a page: how many clusters, which, how sure, and why.

    The page is one file that opens in any browser without network.
    """
    id_choice = options.id_choice(id_column, no_id)
    check_usage("eac" if labels else method, param, n_jobs)
    page = out or Path(f"{file.stem}-report.html")
    if page.suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"{page} does not end in .html", param_hint="--out")
    from consens.files import output_folder, write_files

    with output_folder(page.parent, (page.name,)):
        from consens import Ensemble, io
        from consens.show.page import render, to_json
        from consens.show.summary import gather

        if labels:
            name = method or "eac"
            model = options.method_class(name)(n_clusters, **method_params(name, param, seed))
        else:
            model = estimator(n_clusters, method, param, seed, n_jobs)
        read = io.read_labels if labels else io.read_features
        with console.progress(f"reading {file.name}", quiet=quiet):
            table: Any = read(file, id_column=id_choice, drop=drop or (), header=header)
        facts = {"file": file.name, "id column": table.id_column, "seed": seed}
        known: dict[str, Any] = {"ids": table.ids}
        if labels:
            n, m = table.labels.shape
            with console.progress(f"combining {m} clusterings of {n} objects", quiet=quiet):
                model.fit(Ensemble.from_labels(table.labels))
        else:
            n, d = table.X.shape
            facts["scale"] = scale.value
            known |= {"X": table.X, "feature_names": table.columns}  # in their own units
            with console.progress(f"clustering {n} objects with {d} features", quiet=quiet):
                model.fit(scaled(table.X, scale, table.columns))
        with console.progress("writing the report", quiet=quiet):
            contents = gather(model, **known, title=title or file.name, facts=facts)
            write_files(page.parent, {page.name: render(contents)})
    if json:
        typer.echo(to_json(contents.summary), nl=False)
    elif not quiet:
        _show(contents.summary)
        console.note(f"\nwritten: {page}")


def _show(summary: dict[str, Any]) -> None:
    """Print the answer: how many, how sure, why, and which."""
    answer, k = summary["answer"], summary["answer"]["n_clusters"]
    typer.echo(
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
