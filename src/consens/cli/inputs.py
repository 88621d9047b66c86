"""What verbs read: clusterings from an ensemble folder or a table, and scaled features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console
from consens.cli.options import Scale


@dataclass(frozen=True)
class Clusterings:
    """Clusterings of objects, wherever they were read from.

    Attributes
    ----------
    ensemble : Ensemble
    ids : sequence of str or int
    id_column : str or None
        Where the ids came from.
    made : mapping
        Verb to options of the stages that made an ensemble folder; empty for a table.
    """

    ensemble: Any
    ids: Sequence[Any]
    id_column: str | None
    made: Mapping[str, Any]


def is_folder(file: Path) -> bool:
    """Whether a path is that of an ensemble folder, be it there or not."""
    return file.suffix.lower() == ".ens" or file.is_dir()


def read_clusterings(
    file: Path, id_choice: Any, drop: Sequence[str] | None, header: bool | None, *, quiet: bool
) -> Clusterings:
    """Read clusterings from an ensemble folder or from a table of label columns."""
    from consens import Ensemble, io

    with console.progress(f"reading {file.name}", quiet=quiet):
        if is_folder(file):
            ensemble = io.read_ensemble(file, id_column=id_choice, drop=drop or ())
            made = io.read_meta(file).get("parameters") or {}
            if ensemble.obs is None:
                return Clusterings(ensemble, range(len(ensemble)), None, made)
            return Clusterings(ensemble, ensemble.obs.tolist(), "object", made)
        table = io.read_labels(file, id_column=id_choice, drop=drop or (), header=header)
        return Clusterings(Ensemble.from_labels(table.labels), table.ids, table.id_column, {})


def read_features(
    file: Path, id_choice: Any, drop: Sequence[str] | None, header: bool | None, *, quiet: bool
) -> Any:
    """Read a table of features."""
    from consens import io

    with console.progress(f"reading {file.name}", quiet=quiet):
        return io.read_features(file, id_column=id_choice, drop=drop or (), header=header)


def scaled(X: Any, scale: Scale, names: list[str]) -> Any:
    """Scale features; a constant feature becomes 0."""
    import numpy as np
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    huge = np.abs(X).max(axis=0) > 1e150
    if huge.any():
        name = names[int(np.argmax(huge))]
        raise ValueError(f"column {name!r} holds values beyond 1e150, whose squares overflow")
    if scale is Scale.none:
        return X
    return (StandardScaler() if scale is Scale.standard else MinMaxScaler()).fit_transform(X)
