"""`consens predict`: assign new rows to the clusters of a model."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console, options
from consens.cli.configuration import Job, argument, config_path, option
from consens.cli.options import File
from consens.cli.result import id_name, stem


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
    from consens._support.files import output_folder, write_files
    from consens.io.text import csv_text

    with output_folder(out.parent, (out.name,)):
        model, id_column = table_model(job.model)
        with console.progress(job.file.name, "predicting", quiet=job.quiet):
            table = io.read_table(job.file, **reader_options)
            notes = [*table.notes, *unusual(model, table.frame, job.file)]
            rows = predicted(model, table.frame)
        for note in () if job.quiet else notes:
            console.note(f"note: {note}")
        ids, name = table.ids, table.id_column
        if name is None and id_column in table.frame and not job.no_id:
            ids, name = table.frame[id_column].astype(str).tolist(), id_column
        names = id_name(name), "label", "confidence", "second"
        cells = [(own, *row) for own, row in zip(ids, rows, strict=True)]
        text = csv_text([names, *cells], dialect=table.dialect)
        write_files(out.parent, {out.name: text, config_path(out).name: job.to_toml()})
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
        shown = [[str(label), str(sizes[label])] for label in sorted(sizes)]
        console.table(["cluster", "size"], shown, right=True)
        console.written([out, config_path(out)])


def table_model(file: Path) -> tuple[Any, str | None]:
    """Read a model of a table, and the name of its column of ids."""
    from sklearn.pipeline import Pipeline

    from consens import ConsensusClustering, TableFeatures
    from consens.io.models import read_model_file

    model, meta = read_model_file(file)
    kinds = [type(step) for _, step in model.steps] if isinstance(model, Pipeline) else []
    if kinds != [TableFeatures, ConsensusClustering]:
        raise ValueError(
            f"{file} is a model of arrays, not of a table; use consens.load(path).predict(X) in "
            "Python, or save a pipeline of TableFeatures and ConsensusClustering"
        )
    return model, meta.get("id_column")


def unusual(model: Any, frame: Any, file: Path) -> list[str]:
    """Describe what in a table differs from the training data; refuse one without its columns."""
    from consens._support.printable import listed

    prepare = model[0]
    known = [str(name) for name in prepare.feature_names_in_]
    if not any(name in frame for name in known):
        raise ValueError(
            f"{file} has none of the columns that the model needs, {listed(known)}; its columns "
            f"are {listed(list(frame))}"
        )
    notes: list[str] = prepare.unusual(frame)
    return notes


def predicted(model: Any, frame: Any) -> list[tuple[int, float, int | str]]:
    """Return label, confidence and second choice of each row of a table.

    Noise has no second choice, nor has the only cluster.
    """
    import numpy as np

    shares = model.predict_proba(frame)
    labels = model.predict(frame)
    confidence = np.where(labels >= 0, shares.max(axis=1), 0.0)
    order = np.argsort(-shares, axis=1, kind="stable")
    second = order[:, 1].tolist() if shares.shape[1] > 1 else [""] * len(labels)
    choices = [other if label >= 0 else "" for label, other in zip(labels, second, strict=True)]
    return list(zip(labels.tolist(), confidence.tolist(), choices, strict=True))
