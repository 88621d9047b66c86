"""`consens predict`: assign new rows to the clusters of a model."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console, options
from consens.cli.configuration import Job, argument, config_path, option
from consens.cli.models import load_model
from consens.cli.options import File
from consens.cli.preparation import plain_columns
from consens.cli.result import stem


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

    Each row gets the cluster with the highest mean co-association in the clusterings of the model.
    """
    reader_options = job.reader_options()
    out = job.out or Path(f"{stem(job.file)}-predicted.csv")
    from consens import io
    from consens._support.files import output_folder, write_files
    from consens.io.text import csv_text

    with output_folder(out.parent, (out.name,)):
        model, id_column = load_model(job.model)
        with console.progress(job.file.name, "predicting", quiet=job.quiet):
            table = io.read_table(job.file, **reader_options)
            labels = predicted(model, plain_columns(table.frame), job.file)
        ids = table.ids
        if table.id_column is None and id_column in table.frame and not job.no_id:
            ids = table.frame[id_column].astype(str).tolist()
        text = csv_text([("id", "label"), *zip(ids, labels.tolist(), strict=True)])
        write_files(out.parent, {out.name: text, config_path(out).name: job.to_toml()})
    sizes = Counter(labels.tolist())
    summary: dict[str, Any] = {
        "command": job.verb,
        "n_objects": len(labels),
        "clusters": [{"label": label, "size": sizes[label]} for label in sorted(sizes)],
    }
    if job.json:
        console.echo_json(summary)
    elif not job.quiet:
        shown = [[str(label), str(sizes[label])] for label in sorted(sizes)]
        console.table(["cluster", "size"], shown, right=True)
        console.written([out, config_path(out)])


def predicted(model: Any, frame: Any, file: Path) -> Any:
    """Label the rows of a table by a model; refuse tables that lack columns."""
    from consens._support.printable import listed

    known = [str(name) for name in model.named_steps["prepare"].feature_names_in_]
    if missing := [name for name in known if name not in frame]:
        raise ValueError(
            f"{file} has no column {listed(missing)}, which the model needs; its columns "
            f"are {listed(list(frame))}"
        )
    return model.predict(frame[known])
