"""`consens diff`: compare two clusterings of the same objects."""

from dataclasses import dataclass
from pathlib import Path

from consens.cli import console, inputs, options
from consens.cli.configuration import PICTURES, argument, check_suffix, config_path, option
from consens.cli.options import File
from consens.cli.result import id_name, write_table


@dataclass(kw_only=True)
class DiffJob(options.Printing):
    """Options of `consens diff`."""

    before: Path = argument(
        "A", "The first clustering: labels.csv of consens, or a table of ids and one clustering."
    )
    after: Path = argument("B", "The second clustering.")
    plot: File = option("FILE", "The flow diagram: .svg, .png or .pdf. Default: diff.svg.")
    out: File = option("FILE.csv", "The objects that moved. Default: diff.csv.", "--out", "-o")


def diff(job: DiffJob) -> None:
    """Compare two clusterings of the same objects.

    Objects are matched by their ids, and clusters so that as many objects as possible stay. Writes
    a flow diagram and the objects that moved: those whose cluster in B is not matched with their
    cluster in A. The column "matched" has the cluster of A with which that of B is matched, and is
    empty if that of B is new.
    """
    plot, out = job.plot or Path("diff.svg"), job.out or Path("diff.csv")
    check_suffix("--plot", plot, *PICTURES)
    (first, table), (second, _) = map(inputs.read_clustering, (job.before, job.after))
    both = [name for name in first if name in second]
    if not both:
        raise ValueError(f"{job.before} and {job.after} have no ids with a label in common")
    from consens._support.files import output_folder
    from consens.show.flow_display import FlowDisplay

    before, after = [first[name] for name in both], [second[name] for name in both]
    found = FlowDisplay.compute(before, after)
    rows = [
        [name, a, b, found.partners.get(b, "")]
        for name, a, b, moved in zip(both, before, after, found.moved, strict=True)
        if moved
    ]
    with output_folder(out.parent, (out.name,)):
        names = [id_name(table.id_column), "before", "after", "matched"]
        write_table([names, *rows], out, job, table.dialect)
    found.plot().figure_.savefig(plot)
    summary = {
        "n_objects": len(both),
        "only_before": len(first) - len(both),
        "only_after": len(second) - len(both),
        "ari": found.ari,
        "nmi": found.nmi,
        "n_moved": len(rows),
        "partners": found.partners,
        "flows": {str(name): row.to_dict() for name, row in found.table.iterrows()},
    }
    if job.json:
        console.echo_json(summary)
    elif not job.quiet:
        console.echo(
            f"{len(both)} objects, {len(rows)} moved; ARI {found.ari:.3f}, NMI {found.nmi:.3f}\n"
        )
        for name, own in ((job.before, first), (job.after, second)):
            if lost := len(own) - len(both):
                some = "1 object has" if lost == 1 else f"{lost} objects have"
                console.note(f"note: {some} a label only in {name}")
        others = [
            f"{b} {f'with {found.partners[b]}' if b in found.partners else 'is new'}"
            for b in found.table
            if found.partners.get(b) != b
        ]
        if others:
            console.note(f"note: clusters are matched by their objects: {', '.join(others)}")
        cells = found.table.reset_index().to_numpy()
        console.table(["before \\ after", *map(str, found.table)], cells, right=True)
        console.written([out, config_path(out), plot])
