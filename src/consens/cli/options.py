"""Options that several verbs share."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


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
        help="Consensus method, see consens methods. Left out: LWEA, for more than 50,000 "
        "objects LWGP.",
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
        metavar="DIR",
        help="Folder for labels.csv and summary.json. Left out: name-consens for name.csv.",
    ),
]
Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="A parameter of the consensus method, e.g. linkage=single; may be repeated.",
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


def method_class(name: str) -> Any:
    """The consensus class called `name`."""
    from consens.consensus import get_method

    try:
        return get_method(name)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--method") from None


def method_params(method: Any, given: Sequence[str] | None) -> dict[str, Any]:
    """Read --param NAME=VALUE for a method; -k and --seed are options of their own."""
    known = method().get_params().keys() - {"n_clusters", "random_state"}
    params = {}
    for pair in given or ():
        name, equals, value = pair.partition("=")
        if not equals or name not in known:
            names = ", ".join(sorted(known)) or "it has none"
            raise typer.BadParameter(
                f"{pair!r} is not NAME=VALUE with a parameter of {method.__name__}: {names}",
                param_hint="--param",
            )
        params[name] = _value(value)
    return params


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
