"""`consens methods`: list what is available for each stage."""

import inspect
from dataclasses import dataclass
from typing import Any, Literal

from consens.cli import console, stages
from consens.cli.configuration import Job, argument, flag


@dataclass(kw_only=True)
class MethodsJob(Job):
    """Options of `consens methods`."""

    stage: Literal["generator", "selector", "consensus"] | None = argument(
        "[STAGE]", "generator, selector or consensus. Default: all.", default=None
    )
    json: bool = flag("Print the list as JSON.", "--json")


def methods(job: MethodsJob) -> None:
    """List generators, selectors and consensus methods.

    Consensus methods are in the order of their average rank on 61 ensembles.
    """
    found = [
        _method(stage, name)
        for stage in stages.STAGES
        if job.stage is None or stage.role == job.stage
        for name in stage.names
    ]
    if job.json:
        console.echo_json(found)
        return
    rows = [[method["stage"], method["name"], method["idea"]] for method in found]
    console.table(["stage", "name", "idea"], rows, right=False)


def _method(stage: stages.Stage, name: str) -> dict[str, Any]:
    method = stage.find(name, "STAGE")
    first = (inspect.getdoc(method) or "").partition("\n\n")[0]
    return {
        "stage": stage.role,
        "name": name,
        "class": method.__name__,
        "idea": " ".join(first.split()),
        "parameters": stages.parameters(method),
    }
