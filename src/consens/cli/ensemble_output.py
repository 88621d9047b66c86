"""Outputs of `generate` and `select`: an ensemble, and the configuration next to it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from consens.cli import console
from consens.cli.configuration import check_suffix, config_path, usage_error

NOT_IDENTITY = ("n-jobs", "out", "store")  # options that do not affect the result of a stage


@contextmanager
def check_output(out: Path, file: Path) -> Iterator[None]:
    """Check that an ensemble can be written, before long work starts."""
    check_suffix("--out", out, ".ens")
    if out.exists() and file.exists() and out.samefile(file):
        raise usage_error("--out", f"{out} is the ensemble to read, and would be overwritten")
    from consens._support.files import output_folder

    with output_folder(out.parent):
        from consens.io.ensembles import check_replaceable

        check_replaceable(out)
        yield


def write(
    ensemble: Any,
    job: Any,
    stage_seed: int,
    *,
    ids: Sequence[Any] | None,
    made: Mapping[str, Any] | None = None,
    source: Mapping[str, Any] | None = None,
) -> None:
    """Write an ensemble with the options of all stages that made it, and its configuration."""
    import numpy as np

    from consens._support.files import file_set
    from consens.io import write_ensemble

    chosen = {k: v for k, v in job.options().items() if k not in NOT_IDENTITY}
    chosen |= {"stage-seed": stage_seed} | dict(source or {})
    parameters = {**(made or {}), job.verb: chosen}
    if ids is not None:
        ensemble = replace(ensemble, obs=np.asarray(ids))
    with file_set(job.out.parent) as stage:
        write_ensemble(ensemble, stage / job.out.name, parameters=parameters, seed=job.seed)
        (stage / config_path(job.out).name).write_text(job.to_toml(), encoding="utf-8", newline="")


def ensemble_facts(ensemble: Any) -> dict[str, Any]:
    """Return the size and content of an ensemble in numbers."""
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


def print_ensemble(ensemble: Any, job: Any) -> None:
    """Print a summary of an ensemble, as text or as JSON."""
    if job.json:
        console.echo_json(ensemble_facts(ensemble))
    elif not job.quiet:
        console.echo(repr(ensemble))
        console.written([job.out, config_path(job.out)])
