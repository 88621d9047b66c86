"""`consens report`: a table or an ensemble to one page that says what was found."""

from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import console, inputs, options, stages
from consens.cli.cluster import estimator
from consens.cli.combine import method_asked_for, ready
from consens.cli.configuration import beside, configured
from consens.cli.interruption import keeping_members
from consens.cli.options import Scale
from consens.cli.page import check_page, write_page


@configured
def report(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Features, one object per row; with --labels, one clustering per column: "
            f"{options.TABLES}; or an ensemble x.ens.",
        ),
    ],
    labels: Annotated[
        bool, typer.Option("--labels", help="FILE holds clusterings, as for consens combine.")
    ] = False,
    n_clusters: options.NClusters = None,
    seed: options.Seed = 0,
    scale: options.Scaling = Scale.standard,
    generator: options.Generator = None,
    library: options.Library = False,
    members: options.Members = None,
    selector: options.Selector = None,
    n_selected: options.NSelected = None,
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
            "--out",
            "-o",
            metavar="PAGE",
            help="The page. Left out: name-report.html for name.csv.",
        ),
    ] = None,
    store: options.Store = None,
    n_jobs: options.NJobs = None,
    config: options.Config = None,
    quiet: options.Quiet = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print what the page says as JSON.")
    ] = False,
) -> None:
    """Cluster a table and write a page: how many clusters, which, how sure, and why.

    The page is one file that opens in any browser without network.
    """
    id_choice = options.id_choice(id_column, no_id)
    labels = labels or inputs.is_folder(file)
    page = out or Path(f"{file.stem}-report.html")
    check_page(page, "--out")
    given: Any
    if labels:
        asked: dict[str, Any] = {
            "--generator": generator,
            "--library": library or None,
            "--members": members,
        }
        asked |= {"--selector": selector, "--n-selected": n_selected, "--store": store}
        for option, value in asked.items():
            if value is not None:
                raise typer.BadParameter("FILE holds clusterings already", param_hint=option)
        given = method_asked_for(method, param)
    else:
        given = estimator(
            n_clusters,
            stages.read_params(param, stages.CONSENSUS),
            generator=generator,
            library=library,
            members=members,
            selector=selector,
            n_selected=n_selected,
            method=method,
            seed=seed,
            n_jobs=n_jobs,
        )
    from consens.files import output_folder
    from consens.show.page import to_json

    place = store or page.with_name(f"{page.name}.members")
    facts: dict[str, Any] = {"file": file.name}
    with output_folder(page.parent, (page.name,)):
        if labels:
            found = inputs.read_clusterings(file, id_choice, drop, header, quiet=quiet)
            n, m = found.ensemble.shape
            facts |= {"id column": found.id_column, "seed": seed}
            known: dict[str, Any] = {"ids": found.ids}
            with console.progress(f"combining {m} clusterings of {n} objects", quiet=quiet):
                model = ready(given, found.ensemble, n_clusters, seed, n_jobs)
                model.fit(found.ensemble)
            contents = write_page(page, model, known, title or file.name, facts, quiet=quiet)
        else:
            with keeping_members(given.generator, place, asked=store is not None):
                table = inputs.read_features(file, id_choice, drop, header, quiet=quiet)
                n, d = table.X.shape
                facts |= {"id column": table.id_column, "seed": seed, "scale": scale.value}
                # the page tells of features in their own units
                known = {"ids": table.ids, "X": table.X, "feature_names": table.columns}
                text = f"clustering {n} objects with {d} features"
                with console.progress_of_members(text, quiet=quiet):
                    given.fit(inputs.scaled(table.X, scale, table.columns))
                contents = write_page(page, given, known, title or file.name, facts, quiet=quiet)
    if json:
        typer.echo(to_json(contents.summary), nl=False)
    elif not quiet:
        _show(contents.summary)
        console.note(f"\nwritten: {page}, {beside(page)}")


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
