"""What `generate` and `select` leave behind: an ensemble, and beside it how to repeat it."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import configuration, console

Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", metavar="x.ens", help="The ensemble to write, a folder that ends in .ens."
    ),
]

#: Options that change where and how a stage runs, but nothing in its result.
NOT_IDENTITY = ("n-jobs", "out", "store")


@contextmanager
def output(out: Path, file: Path) -> Iterator[None]:
    """See that an ensemble can be written, before long work starts."""
    if out.suffix.lower() != ".ens":
        raise typer.BadParameter(f"{out} does not end in .ens", param_hint="--out")
    if out.exists() and file.exists() and out.samefile(file):
        raise typer.BadParameter(f"{out} is what is read", param_hint="--out")
    from consens.files import output_folder

    with output_folder(out.parent):
        from consens.io.ensembles import check_replaceable

        check_replaceable(out)
        yield


def save(
    ensemble: Any,
    out: Path,
    made: Mapping[str, Any],
    verb: str,
    stage_seed: int,
    *,
    seed: int,
    ids: Sequence[Any] | None,
) -> None:
    """Write an ensemble with the options of all stages that made it.

    ``stage-seed`` is what the one seed of a run is to this stage, see `consens.base.stage_seeds`.
    """
    import numpy as np

    from consens.files import write_files
    from consens.io import write_ensemble

    chosen = {k: v for k, v in configuration.resolved().items() if k not in NOT_IDENTITY}
    parameters = {**made, verb: chosen | {"stage-seed": stage_seed}}
    if ids is not None:
        ensemble = replace(ensemble, obs=np.asarray(ids))
    write_ensemble(ensemble, out, parameters=parameters, seed=seed)
    write_files(out.parent, {configuration.beside(out).name: configuration.resolved_text()})


def describe(ensemble: Any) -> dict[str, Any]:
    """What an ensemble is, in numbers."""
    import numpy as np

    from consens import MISSING, NOISE

    k = ensemble.n_clusters
    kinds = Counter(record.get("algorithm", "given") for record in ensemble.records)
    return {
        "n_objects": ensemble.shape[0],
        "n_members": ensemble.shape[1],
        "n_clusters": [int(k.min()), int(k.max())],
        "algorithms": dict(kinds),
        "noise": round(float(np.mean(ensemble.labels == NOISE)), 6),
        "missing": round(float(np.mean(ensemble.labels == MISSING)), 6),
    }


def show(ensemble: Any, out: Path, *, quiet: bool, as_json: bool) -> None:
    """Print what was made for people or, as JSON, for programs."""
    if as_json:
        typer.echo(json.dumps(describe(ensemble), indent=2, ensure_ascii=False))
    elif not quiet:
        typer.echo(repr(ensemble))
        console.note(f"written: {out}, {configuration.beside(out)}")
