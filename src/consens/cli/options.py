"""Options that several verbs share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import configuration
from consens.cli.stages import CONSENSUS, GENERATOR, SELECTOR

#: What tables may be.
TABLES = ".csv, .tsv, .parquet, .npy, .npz, .mat or .h5ad"


class Scale(StrEnum):
    """How features are made comparable before they are clustered."""

    standard = "standard"
    minmax = "minmax"
    none = "none"


NClusters = Annotated[
    int | None,
    typer.Option(
        "--n-clusters",
        "-k",
        min=1,
        metavar="N",
        help="Number of clusters. Left out: the method decides.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", min=0, max=2**32 - 1, metavar="S", help="The same seed gives the same labels."
    ),
]
Scaling = Annotated[
    Scale,
    typer.Option(
        "--scale",
        help="Bring features to mean 0 and variance 1, to the range 0 to 1, or leave them.",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="NAME",
        autocompletion=CONSENSUS.complete,
        help="Consensus method, see consens methods. Left out: LWEA, for more than 50,000 "
        "objects LWGP.",
    ),
]
Generator = Annotated[
    str | None,
    typer.Option(
        "--generator",
        metavar="NAME",
        autocompletion=GENERATOR.complete,
        help="What makes the clusterings, see consens methods. Left out: k-means, or what the "
        "method asks for.",
    ),
]
Library = Annotated[
    bool,
    typer.Option("--library", help="Make clusterings of many kinds: --generator library."),
]
Members = Annotated[
    int | None,
    typer.Option(
        "--members",
        min=1,
        metavar="M",
        help="Number of clusterings. Left out: as the generator has it.",
    ),
]
MemberClusters = Annotated[
    str | None,
    typer.Option(
        "--member-clusters",
        metavar="LOW,HIGH",
        help="Clusters of each clustering: a number, or a range to draw from. Left out: as the "
        "generator has it.",
    ),
]
Selector = Annotated[
    str | None,
    typer.Option(
        "--selector",
        metavar="NAME",
        autocompletion=SELECTOR.complete,
        help="What selects among the clusterings, see consens methods. Left out: all are kept.",
    ),
]
NSelected = Annotated[
    str | None,
    typer.Option(
        "--n-selected",
        metavar="N",
        help="Clusterings to keep, or their share. Left out: as the selector has it.",
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Folder that keeps finished clusterings for later runs with more of them. Left "
        "out: OUT.members, while the run lasts.",
    ),
]
NJobs = Annotated[
    int | None,
    typer.Option("--n-jobs", metavar="N", help="Processes to use; -1 is all processors."),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="NAME",
        help="Column of ids. Left out: the first column, if it holds text or is called id, "
        "index or nothing.",
    ),
]
NoId = Annotated[bool, typer.Option("--no-id", help="The table has no column of ids.")]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="NAME", help="Leave a column out; may be repeated."),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line names the columns, if unclear.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Folder for labels.csv, summary.json and config.toml. Left out: name-consens for "
        "name.csv.",
    ),
]
Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="A parameter of the consensus method, e.g. linkage=single, or with its name in "
        "front of another stage, e.g. generator__max_samples=0.5; may be repeated.",
    ),
]
OwnParam = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="A parameter as consens methods --json lists it, e.g. max_samples=0.5 or "
        "n_clusters=5,20; may be repeated.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE.toml",
        callback=configuration.load,
        is_eager=True,
        help="Options from a file; those of the command line win.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print warnings and errors only, and no progress.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


def id_choice(name: str | None, none: bool) -> Any:
    """Join --id and --no-id into what the readers take."""
    if none and name is not None:
        raise typer.BadParameter("--id and --no-id exclude each other", param_hint="--id")
    return False if none else name
