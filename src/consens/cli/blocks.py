"""`consens cluster` for Parquet files that need not fit into memory, here or on a cluster."""

import re
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import typer

from consens.cli import configuration, console, result
from consens.cli.options import Scale

LABELS = "labels.parquet"

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def check_usage(files: Sequence[Path], refused: dict[str, Any]) -> None:
    """Refuse what does not go with files in blocks."""
    other = [file for file in files if file.suffix.lower() != ".parquet"]
    if other:
        raise typer.BadParameter(
            f"{other[0]} is no .parquet file; several files, --scheduler and --memory-limit are "
            "for Parquet files",
            param_hint="FILE",
        )
    for option, value in refused.items():
        if value:
            raise typer.BadParameter("needs all objects in memory", param_hint=option)


def n_bytes(text: str | None) -> int | None:
    """Read a size such as 2GB."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", text.strip().lower())
    if found is None or float(found[1]) == 0:
        raise typer.BadParameter(f"{text!r} is no size such as 2GB", param_hint="--memory-limit")
    return int(float(found[1]) * UNITS[found[2]])


def cluster_files(
    files: Sequence[Path],
    model: Any,
    folder: Path,
    *,
    scale: Scale,
    drop: Sequence[str],
    scheduler: str | None,
    memory_limit: int | None,
    seed: int,
    quiet: bool,
) -> dict[str, Any]:
    """Cluster the rows of files, write labels.parquet and summary.json; the summary."""
    from consens.blocks import LocalEngine, as_rows, in_blocks
    from consens.blocks.scaling import scaled
    from consens.files import write_files
    from consens.io import open_parquet, write_label_blocks
    from consens.io.parquet import BLOCK_BYTES

    block_bytes = BLOCK_BYTES if memory_limit is None else min(BLOCK_BYTES, memory_limit // 24)
    rows = open_parquet(
        files, drop=drop, block_bytes=block_bytes, engine=LocalEngine(memory_limit)
    )
    cluster: Any = nullcontext()
    if scheduler is not None:
        from consens import scale as on_dask

        cluster, rows = on_dask.connect(scheduler), on_dask.on_cluster(rows)
    n, d = rows.shape
    text = f"clustering {n} objects with {d} features"
    with cluster, console.progress_of_blocks(text, quiet=quiet):
        model.fit(rows if scale is Scale.none else scaled(rows, scale.value))
        labels, confidence = (
            as_rows(values) if in_blocks(values) else rows.split_like(values)
            for values in (model.labels_, model.confidence_)
        )
        assert labels is not None
        assert confidence is not None
        facts = {
            "files": [file.name for file in files],
            "n_features": d,
            "scale": scale.value,
            "seed": seed,
            "generator": type(model.generator_).__name__,
            "scheduler": scheduler,
        }
        summary = result.summarise_blocks(model, facts, labels)
        write_label_blocks(folder / LABELS, labels, confidence)
    texts = {
        result.SUMMARY: result.json_text(summary),
        result.CONFIG: configuration.resolved_text(),
    }
    write_files(folder, texts)
    return summary
