"""`consens predict`: assign new rows to the clusters of a model."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console, inputs, options
from consens.cli.configuration import Job, argument, config_path, option
from consens.cli.options import File
from consens.cli.result import id_name, stem, write_table


@dataclass(kw_only=True)
class ModelFile(Job):
    """Argument for the model, which comes first."""

    model: Path = argument("MODEL", "A model that consens cluster --model wrote.")


@dataclass(kw_only=True)
class PredictJob(options.Printing, options.Reading, ModelFile):
    """Options of `consens predict`."""

    file: Path = argument("FILE", f"New rows with the same columns: {options.TABLES}.")
    out: File = option(
        "FILE.csv", "The labels. Default: name-predicted.csv for name.csv.", "--out", "-o"
    )


def predict(job: PredictJob) -> None:
    """Label new rows by a model.

    Each row gets the cluster with which the clusterings of the model associate it most, the share
    of that cluster as its confidence, and the next cluster as second choice.
    """
    reader_options = job.reader_options()
    out = job.out or Path(f"{stem(job.file)}-predicted.csv")
    from consens import io
    from consens._support.files import output_folder

    with output_folder(out.parent, (out.name,)):
        model, id_column = inputs.table_model(job.model)
        with console.progress(job.file.name, "predicting", quiet=job.quiet):
            table = io.read_table(job.file, **reader_options)
            frame, found = table.frame, table.id_column
            if found and job.id is None and found in model[0].feature_names_in_:
                frame, found = frame.assign(**{found: table.ids}), None
            taken = f"column {table.id_column!r} comes first"
            notes = [n for n in table.notes if not n.startswith(taken) or found != id_column]
            notes = list(map(console.in_shell, notes))
            notes += inputs.unusual(model, frame, job.file)
            rows = predicted(model, frame)
        console.notes(notes, quiet=job.quiet)
        ids, name = table.ids if found else range(len(frame)), found
        if name is None and id_column in table.frame and not job.no_id:
            ids, name = table.frame[id_column].astype(str).tolist(), id_column
        names = id_name(name), "label", "confidence", "second"
        cells = [(own, *row) for own, row in zip(ids, rows, strict=True)]
        write_table([names, *cells], out, job, table.dialect)
    sizes = Counter(label for label, _, _ in rows)
    summary: dict[str, Any] = {
        "command": job.verb,
        "n_objects": len(rows),
        "clusters": [{"label": label, "size": sizes[label]} for label in sorted(sizes)],
        "notes": notes,
    }
    if job.json:
        console.echo_json(summary)
    elif not job.quiet:
        console.table(["cluster", "size"], sorted(sizes.items()), right=True)
        console.written([out, config_path(out)])


def predicted(model: Any, frame: Any) -> list[tuple[str, float, str]]:
    """Return cluster, confidence and second choice of each row of a table."""
    import numpy as np

    shares = model.predict_proba(frame)
    labels = model.predict(frame)
    names = np.array([*model[-1].names_, "-1"], dtype=object)
    confidence = np.where(labels >= 0, shares.max(axis=1), 0.0)
    order = np.argsort(-shares, axis=1, kind="stable")
    second = names[order[:, min(1, shares.shape[1] - 1)]]
    second[(labels < 0) | (shares.shape[1] == 1)] = ""
    return list(zip(names[labels].tolist(), confidence.tolist(), second.tolist(), strict=True))
