"""Read the inputs of verbs: tables of features, and clusterings."""

import csv
import json
import re
import shlex
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from consens.cli import console
from consens.cli.configuration import read_options, usage_error
from consens.cli.options import Preparing

ADVICE_ROWS = 10_000  # number of first rows of Parquet files that are checked before clustering
MIN_ROWS_TO_JUDGE = 10  # smallest number of rows at which a table is checked


class Features(NamedTuple):
    """Features of objects: an array with ids, or Rows of files without ids.

    `preparer` is the transformer that made X from a table; `notes` lists problems of the table.
    `frame` is the table, without ids; None for Rows, which are not scaled.  `within` says which
    cluster of an earlier result the objects are.
    """

    X: Any
    columns: list[str]
    ids: Sequence[Any] | None
    id_column: str | None
    preparer: Any = None
    notes: Sequence[str] = ()
    frame: Any = None
    dialect: Any = None
    within: Any = None


class EarlierResult(NamedTuple):
    """A folder of results: options and summary of the run, and the rows of labels.csv."""

    options: dict[str, Any]
    summary: dict[str, Any]
    ids: list[str]
    labels: list[str]
    confidence: list[float]

    def has_ids(self, ids: Sequence[Any]) -> bool:
        """Whether objects have the ids of labels.csv, in its order."""
        from consens.io.text import csv_text

        safe = bool(self.options.get("safe-csv"))
        written = csv.reader(StringIO(csv_text([[own] for own in ids], safe=safe), newline=""))
        return [row[0] if row else "" for row in written] == self.ids


@dataclass(frozen=True)
class Clusterings:
    """Clusterings of objects, with the ids and the column that these came from.

    `made` has the options of the verbs that made an ensemble folder; it is empty for a table.
    `dialect` is that of the text file with the clusterings, or of the one that they were made of.
    `labels` are those of a table, as they are in it.  `n_clusters` is what they
    suggest.
    """

    ensemble: Any
    ids: Sequence[Any]
    id_column: str | None
    made: Mapping[str, Any]
    dialect: Any = None
    labels: Any = None
    n_clusters: int | None = None


def is_folder(file: Path) -> bool:
    """Whether a path is a folder, or has the suffix of an ensemble folder."""
    return file.suffix.lower() == ".ens" or file.is_dir()


def refuse_columns(job: Any) -> None:
    """Refuse --columns of a job whose file has features."""
    if job.columns and not (job.labels or is_folder(job.file)):
        raise usage_error("--columns", "names clusterings, so it needs --labels")


def read_clusterings(
    file: Path, reader_options: Mapping[str, Any], *, quiet: bool = False
) -> Clusterings:
    """Read clusterings from an ensemble folder or from a table of label columns."""
    from consens import Ensemble, io
    from consens._check import odd_clusterings
    from consens.io.formats import Dialect

    with console.progress(file.name, "reading", quiet=quiet):
        if is_folder(file):
            ensemble = io.read_ensemble(file, **reader_options)
            made = io.read_meta(file).get("parameters") or {}
            source = made.get("generate", {})
            dialect = Dialect(**source["dialect"]) if "dialect" in source else None
            if ensemble.obs is None:
                return Clusterings(ensemble, range(len(ensemble)), None, made, dialect)
            name = source.get("id-column", "object")
            return Clusterings(ensemble, ensemble.obs.tolist(), name, made, dialect)
        table = io.read_labels(file, **reader_options)
        ensemble = Ensemble.from_labels(table.labels, obs=list(table.ids))
        asked = quiet or reader_options.get("columns")
        for name, why in () if asked else odd_clusterings(table.labels).items():
            console.note(f"note: column {name!r} {why}; --drop {name} leaves it out")
        return Clusterings(ensemble, table.ids, table.id_column, {}, table.dialect, table.labels)


def read_edges(file: Path, reader_options: Mapping[str, Any]) -> tuple[Any, list[Any], Any]:
    """Read edges as a symmetric matrix of weights, the names of its vertices, and the dialect."""
    import numpy as np
    import pandas as pd
    from scipy.sparse import csr_array

    from consens import io

    table = io.read_table(file, **(dict(reader_options) | {"id_column": False}))
    frame = table.frame
    if frame.shape[1] not in (2, 3):
        raise ValueError(
            f"{file} has {frame.shape[1]} columns; a list of edges has two, the vertices, or "
            "three with the weights; leave out others by --drop NAME"
        )
    ends = pd.concat([frame.iloc[:, 0], frame.iloc[:, 1]], ignore_index=True)
    if ends.isna().any():
        raise ValueError(f"{file} has edges without a vertex; leave these rows out")
    places, vertices = pd.factorize(ends, sort=True)
    weights = np.ones(len(frame))
    if frame.shape[1] == 3:
        weights = pd.to_numeric(frame.iloc[:, 2], errors="coerce").to_numpy(dtype=np.float64)
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ValueError(
                f"{file}: the third column, {frame.columns[2]!r}, must hold weights >= 0"
            )
    first, second = np.split(places, 2)
    half = csr_array((weights, (first, second)), shape=(len(vertices),) * 2)
    return half + half.T, vertices.tolist(), table.dialect


def read_feature_table(file: Path, job: Any, *, quiet: bool) -> Features:
    """Read a table and turn its columns into scaled features by the options of a job."""
    import pandas as pd

    from consens import TableFeatures, io

    within = None
    with console.progress(file.name, "reading", quiet=quiet):
        if getattr(job, "within", None) is None:
            table = io.read_table(file, **job.reader_options())
        else:
            table, within = read_within(job)
    has_ids = table.id_column is not None
    set_aside, notes = advise(table.frame, job, quiet=quiet, known=table.notes, has_ids=has_ids)
    if table.array == "X_pca" and job.use is None:
        notes.insert(0, "X_pca is used; --use X takes the matrix itself")
        console.notes(notes[:1], quiet=quiet)
    ids, id_column = table.ids, table.id_column
    if set_aside and id_column is None and not job.no_id:
        id_column = set_aside[0]
        ids = table.frame[id_column].astype(str).tolist()
    frame = table.frame.drop(columns=set_aside)
    if not isinstance(ids, range):
        frame.index = pd.Index(ids, dtype=object)
    preparer = TableFeatures(impute=job.impute, encode=job.encode, scale=job.scale, drop_ids=False)
    try:
        X = preparer.fit_transform(frame)
    except ValueError as error:
        message = str(error)
        text = [name for name in frame if frame[name].dtype.kind not in "iufbM"]
        few = all(frame[name].astype(str).nunique() <= len(frame) / 2 for name in frame)
        labels = "not numeric" in message and len(text) > 1 and few
        hint = f"; if every column is a clustering: consens combine {shlex.quote(str(file))}"
        raise ValueError(f"{file}: {message}{hint if labels else ''}") from None
    new = [note for note in map(console.in_shell, preparer.notes_) if note not in notes]
    console.notes(new, quiet=quiet)
    notes += new
    columns = [str(name) for name in preparer.get_feature_names_out()]
    return Features(X, columns, ids, id_column, preparer, notes, frame, table.dialect, within)


def read_within(job: Any) -> tuple[Any, Any]:
    """Read the rows of one cluster of an earlier result, which is the file of a job."""
    import numpy as np

    from consens import io
    from consens.cluster import Within

    known = read_result(job.file)
    before = replace(
        job, file=Path(known.options["file"]), within=known.options.get("within"), config=None
    )
    if before.within is None:
        table = io.read_table(before.file, **before.reader_options())
    else:
        table, _ = read_within(before)
    ids, name = table.ids, table.id_column
    if name is None and known.summary["id_column"] in table.frame:
        name = known.summary["id_column"]
        ids = table.frame[name].astype(str).tolist()
    if not known.has_ids(ids):
        raise ValueError(
            f"{before.file} does not hold the objects of {job.file}; it was changed since, or "
            "options of reading differ"
        )
    rows = [i for i, label in enumerate(known.labels) if label == job.within]
    if not rows:
        names = ", ".join(cluster["name"] for cluster in known.summary["clusters"])
        raise usage_error("--within", f"{job.file} has no cluster {job.within!r}, but {names}")
    frame = table.frame.iloc[rows].drop(columns=[name] if name in table.frame else [])
    found = replace(table, frame=frame, ids=[ids[i] for i in rows], id_column=name)
    return found, Within(job.within, len(ids), np.array(rows))


def read_result(folder: Path) -> EarlierResult:
    """Read a folder of results of `consens cluster` or `consens combine`."""
    from consens.cli.result import CONFIG, LABELS, SUMMARY

    for name in (LABELS, SUMMARY, CONFIG):
        if not (folder / name).is_file():
            raise ValueError(
                f"{folder} has no {name}; expected a folder of results of consens cluster or "
                "consens combine"
            )
    options = read_options(folder / CONFIG)
    damaged = f"{folder} is damaged; make the result again"
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        names = [cluster["name"] for cluster in summary["clusters"]]
        with open(folder / LABELS, encoding="utf-8", newline="") as lines:
            first = lines.readline()
            separator = re.search(r"([^\w\"])label\1confidence", first)[1]  # type: ignore[index]
            rows = [row[:3] for row in csv.reader(lines, delimiter=separator) if row]
        ids, labels, confidence = zip(*rows, strict=True)
        sure = [float(text.replace(",", ".")) for text in confidence]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(damaged) from error
    if not {*labels} <= {*names, "-1", ""} or len(labels) != summary["n_objects"]:
        raise ValueError(damaged)
    return EarlierResult(options, summary, list(ids), list(labels), sure)


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
    """Describe what in a table differs from the training data of a model."""
    try:
        notes: list[str] = model[0].unusual(frame)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    return notes


def read_earlier(file: Path, data: Features) -> tuple[Any, list[str]]:
    """Read earlier clusters of objects, from a model or a table of labels, and notes on them."""
    from consens._naming import Earlier, named_codes
    from consens.cluster import earlier_clusters

    if zipfile.is_zipfile(file):
        model, _ = table_model(file)
        notes = [f"{file.name}: {note}" for note in unusual(model, data.frame, file)]
        X = model[0].transform(data.frame)
        return earlier_clusters(model[-1], model[-1].predict(X), X), notes
    known, _ = read_clustering(file)
    labels = [known.get(str(name)) for name in data.ids or ()]
    missing = sum(label is None for label in labels)
    if missing == len(labels):
        raise ValueError(f"{file} has none of the objects; expected a model, or labels by id")
    some = "1 object has" if missing == 1 else f"{missing} objects have"
    notes = [f"{some} no label in {file.name}"] if missing else []
    return Earlier(*named_codes(labels, len(labels))), notes


def read_clustering(file: Path) -> tuple[dict[str, str], Any]:
    """Read one clustering: the label of each id that has one, and the table."""
    from consens import io

    ids = ids_of_result(file)
    table = io.read_labels(file, id_column=ids, columns=["label"] if ids is not None else ())
    if table.labels.shape[1] != 1:
        raise ValueError(
            f"{file} has {table.labels.shape[1]} clusterings; expected ids and one clustering"
        )
    column = table.labels.iloc[:, 0]
    known = zip(map(str, table.ids), column.astype(str), column.notna(), strict=True)
    return {own: label for own, label, labelled in known if labelled}, table


def ids_of_result(file: Path) -> str | None:
    """Return the column of ids of a labels.csv of consens, None for other files."""
    if file.suffix.lower() != ".csv" or not file.is_file():
        return None
    with open(file, encoding="utf-8", errors="replace", newline="") as lines:
        first = lines.readline()
    found = re.fullmatch(r"(.+)([,;\t|])label\2confidence(\2.*)?\s*", first)
    return next(csv.reader([found[1]], delimiter=found[2]))[0] if found else None


def open_blocks(
    files: Sequence[Path], job: Any, *, memory_limit: int | None, distributed: bool
) -> Features:
    """Open Parquet files whose features need not fit into memory, here or on a cluster."""
    for file in files:
        if file.suffix.lower() != ".parquet":
            raise usage_error(
                "FILE",
                f"{file} is not a .parquet file; several files, --scheduler and --memory-limit "
                "are for Parquet files",
            )
    from consens._blocks import Engine
    from consens.io import open_parquet
    from consens.io.parquet import PARQUET_BLOCK_BYTES, never_repeats, parquet_head

    reading = job.reader_options()
    drop = list(reading["drop"])
    head, id_column = parquet_head(files[0], ADVICE_ROWS, reading["id_column"])
    if id_column in drop:
        id_column = None
    others = [name for name in head.column_names if name not in {*drop, id_column}]
    where = f"in the first {head.num_rows:,} rows " if head.num_rows == ADVICE_ROWS else ""
    set_aside, notes = advise(
        head.select(others).to_pandas(),
        job,
        quiet=job.quiet,
        where=where,
        confirm_ids=partial(never_repeats, files),
    )
    if id_column is None and set_aside and not job.no_id:
        id_column = set_aside[0]
    rows = open_parquet(
        files,
        drop=dict.fromkeys([*drop, *set_aside, *([id_column] if id_column else [])]),
        block_bytes=min(PARQUET_BLOCK_BYTES, (memory_limit or sys.maxsize) // 24),
        engine=Engine(memory_limit),
    )
    if distributed:
        from consens.scale.dask_engine import on_cluster

        rows = on_cluster(rows)
    return Features(rows, rows.names or [], None, id_column, notes=notes)


def advise(
    frame: Any,
    job: Preparing,
    *,
    quiet: bool,
    where: str = "",
    known: Sequence[str] = (),
    has_ids: bool = False,
    confirm_ids: Callable[[str], bool] = lambda name: True,
) -> tuple[list[str], list[str]]:
    """Print notes on common mistakes in a table; return the columns of ids, and the notes.

    `known` are notes of the reader, which come first; `has_ids` says whether it found ids.  If
    `frame` holds only some rows of a table, `where` says which ("in the first 10 rows "), and
    `confirm_ids` checks whether a column of ids in `frame` holds ids in all rows.
    """
    from consens import check

    notes = [console.in_shell(note) for note in known]
    counted = any("repeat" in note for note in known)
    advice = check(frame) if len(frame) >= MIN_ROWS_TO_JUDGE else None
    kept = set(job.keep or ())
    ids = [
        name for name in (advice.ids if advice else ()) if name not in kept and confirm_ids(name)
    ]
    if len(ids) == frame.shape[1]:
        ids = []
    for found in advice.findings if advice else ():
        if found.kind == "id":
            if found.columns[0] in ids:
                aside = f"and is set aside (--keep {found.columns[0]} uses it)"
                notes.append(f"{where}{found.text}, {aside}")
            elif found.columns[0] not in kept:
                notes.append(f"{where}{found.text} ({found.option})")
        elif found.kind == "missing" or (found.kind == "scale" and job.scale != "none"):
            continue  # missing values are refused or imputed later, scales are made equal
        elif found.kind == "repeated" and has_ids:
            if not counted:  # rows of different objects
                notes.append(f"{where}{found.text}, except for the ids")
        elif console.in_shell(found.text) not in notes:
            notes.append(f"{where}{found.text}{found.option and f' ({found.option})'}")
    console.notes(notes, quiet=quiet)
    return ids, notes
