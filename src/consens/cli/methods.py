"""`consens methods`: what there is."""

import inspect
import json as json_format
from typing import Any

import typer

from consens.cli import console, options


def methods(json: options.Json = False) -> None:
    """List the consensus methods."""
    from consens import consensus

    found: list[dict[str, Any]] = []
    for name in consensus.__all__:
        method = getattr(consensus, name)
        first = (inspect.getdoc(method) or "").partition("\n\n")[0]
        parameters = inspect.signature(method).parameters.values()
        found.append(
            {
                "name": name.lower(),
                "idea": " ".join(first.split()),
                "parameters": {p.name: p.default for p in parameters},
            }
        )
    if json:
        typer.echo(json_format.dumps(found, indent=2, ensure_ascii=False, default=str))
        return
    console.table(["method", "idea"], [[m["name"], m["idea"]] for m in found], right=False)
