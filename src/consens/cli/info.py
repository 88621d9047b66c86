"""`consens info`: describe a file."""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console, inputs, options, result
from consens.cli.configuration import argument, flag
from consens.cli.inputs import MIN_ROWS_TO_JUDGE

LARGE_FILE = 2**26  # bytes of a table or an ensemble above which only its header is read


@dataclass(kw_only=True)
class InfoJob(options.Reading):
    """Options of `consens info`."""

    file: Path = argument(
        "FILE",
        "An ensemble x.ens, a table, or a model of consens cluster.",
    )
    json: bool = flag("Print the description as JSON.", "--json")


def info(job: InfoJob) -> None:
    """Describe a table, an ensemble or a model.

    Lists objects, columns, clusterings, common mistakes, and the options that made the file.
    """
    reader_options = job.reader_options()
    if inputs.is_folder(job.file):
        found = _ensemble(job.file)
    elif zipfile.is_zipfile(job.file) and job.file.suffix.lower() not in (".npz", ".xlsx"):
        found = _model(job.file)
    else:
        found = _table(job.file, reader_options)
    found = {"file": job.file.name} | found
    if job.json:
        console.echo_json(found)
        return
    made = found.pop("parameters", None) or {}
    if isinstance(found.get("n_clusters"), list):  # smallest and largest of all clusterings
        found["n_clusters"] = " to ".join(map(str, dict.fromkeys(found["n_clusters"])))
    notes = found.pop("notes", [])
    rows = [(name.replace("_", " "), _as_text(value)) for name, value in found.items()]
    rows += [("" if i else "notes", note) for i, note in enumerate(notes)]
    rows += [(f"made by {verb}", _as_text(options)) for verb, options in made.items()]
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        if text:
            console.echo(f"{name:{width}}  {text}")


def _ensemble(file: Path) -> dict[str, Any]:
    from consens import io
    from consens.io.ensembles import ensemble_shape

    meta = io.read_meta(file)
    n, n_members = ensemble_shape(file)
    if 8 * n * n_members > LARGE_FILE:
        found = {"kind": "ensemble", "n_objects": n, "n_members": n_members}
        return found | {"seed": meta.get("seed"), "parameters": meta.get("parameters")}
    ensemble = io.read_ensemble(file)
    return {
        "kind": "ensemble",
        **result.ensemble_facts(ensemble),
        "ids": None if ensemble.obs is None else [str(ensemble.obs[0]), str(ensemble.obs[-1])],
        "payload": sorted({name for entries in ensemble.payload for name in entries}),
        "seed": meta.get("seed"),
        "parameters": meta.get("parameters"),
        "encoding": f"{meta['encoding-type']} {meta['encoding-version']}",
        "versions": meta.get("versions"),
    }


def _table(file: Path, reading: dict[str, Any]) -> dict[str, Any]:
    """Describe a table as features and as labels, since integers can be both."""
    from consens import Ensemble, TableFeatures, check, io
    from consens._support.memory import format_size
    from consens.io.tables import read_header, read_standard_input

    found: dict[str, Any] = {"kind": "table"}
    if file == Path("-"):
        reading["content"] = read_standard_input()
    header = read_header(file, **reading)
    if header.n_bytes > LARGE_FILE:
        known = {"n_objects": header.n_rows, "memory": format_size(header.n_bytes)}
        return found | known | {"columns": list(header.columns)}
    table = io.read_table(file, **reading)
    found |= {"id_column": table.id_column, "n_objects": len(table.frame)}
    found["columns"] = [str(name) for name in table.frame]
    found["notes"] = list(map(console.in_shell, table.notes))
    if len(table.frame) >= MIN_ROWS_TO_JUDGE:
        findings = {console.in_shell(one.text): one.option for one in check(table.frame).findings}
        found["notes"] += [
            f"{text}{option and f' ({option})'}"
            for text, option in findings.items()
            if text not in found["notes"]
        ]
    why = {}
    try:
        prepare = TableFeatures(scale="none").fit(table.frame)
        found["features"] = prepare.get_feature_names_out().tolist()
    except ValueError as error:
        why["not features because"] = console.in_shell(f"{file}: {error}")
    try:
        alike = any("look like clusterings" in note for note in found["notes"])
        if table.id_column is None and not alike:
            reading["id_column"] = False  # numbers that never repeat may be a feature
        labels = io.read_labels(file, **reading)
        ensemble = Ensemble.from_labels(labels.labels)
        many = ensemble.n_clusters > max(2, len(ensemble) / 2)
        if many.any():
            name = labels.labels.columns[many.argmax()]
            raise ValueError(f"column {name!r} has a label of its own for most objects")
        found |= {"id_column": labels.id_column, **result.ensemble_facts(ensemble)}
        found.pop("algorithms")
        found["clusterings"] = [str(name) for name in labels.labels.columns]
    except ValueError as error:
        why["not clusterings because"] = console.in_shell(str(error))
    return found | why


def _model(file: Path) -> dict[str, Any]:
    from consens.io.models import read_model_file

    found, meta = read_model_file(file)
    steps = [step for _, step in getattr(found, "steps", [("model", found)])]
    columns = getattr(steps[0], "feature_names_in_", ())
    return {
        "kind": "model",
        "id_column": meta.get("id_column"),
        "columns": [str(name) for name in columns],
        "n_clusters": int(steps[-1].n_clusters_),
        "n_features": int(steps[-1].n_features_in_),
        "scale": getattr(steps[0], "scale", None),
        "generator": type(getattr(steps[-1], "generator_", None)).__name__,
        "versions": meta["versions"],
    }


def _as_text(value: Any) -> str:
    if value is None or value == [] or value == {}:
        return ""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_as_text(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        shown = [str(entry) for entry in value]
        return ", ".join(shown if len(shown) <= 12 else [*shown[:10], "...", shown[-1]])
    return str(value)
