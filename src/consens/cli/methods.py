"""`consens methods`: what there is for every stage."""

import inspect
import json as json_format
from enum import StrEnum
from typing import Annotated, Any

import typer

from consens.cli import console, options, stages
from consens.cli.configuration import configured


class Role(StrEnum):
    """The stages that can be filled."""

    generator = "generator"
    selector = "selector"
    consensus = "consensus"


@configured
def methods(
    stage: Annotated[
        Role | None,
        typer.Argument(metavar="[STAGE]", help="generator, selector or consensus; or all."),
    ] = None,
    config: options.Config = None,
    json: options.Json = False,
) -> None:
    """List generators, selectors and consensus methods."""
    found = [
        _describe(one, name)
        for one in stages.STAGES
        if stage is None or one.role == stage
        for name in one.names
    ]
    if json:
        typer.echo(json_format.dumps(found, indent=2, ensure_ascii=False, default=str))
        return
    rows = [[method["stage"], method["name"], method["idea"]] for method in found]
    console.table(["stage", "name", "idea"], rows, right=False)


def _describe(stage: stages.Stage, name: str) -> dict[str, Any]:
    method = stage.find(name, "STAGE")
    first = (inspect.getdoc(method) or "").partition("\n\n")[0]
    return {
        "stage": stage.role,
        "name": name,
        "class": method.__name__,
        "idea": " ".join(first.split()),
        "parameters": stages.parameters(method),
    }
