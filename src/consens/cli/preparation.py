"""Turn columns of any type into features: set ids aside, impute, encode."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from consens.cli import console
from consens.cli.options import Preparing

#: Smallest number of rows at which a table is checked.
MIN_ROWS_TO_JUDGE = 10


def plain_columns(frame: Any) -> Any:
    """Convert numbers to float64, dates to days since 1970, and anything else to text."""
    import pandas as pd

    columns = {}
    for name, column in frame.items():
        kind = column.dtype
        inferred = pd.api.types.infer_dtype(column, skipna=True)
        if inferred in ("date", "empty"):
            column = pd.to_datetime(column)
            kind = column.dtype
        if pd.api.types.is_datetime64_any_dtype(kind):
            naive = column.dt.tz_localize(None) if column.dt.tz is not None else column
            columns[name] = (naive - pd.Timestamp(0)) / pd.Timedelta(days=1)
        elif pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind):
            columns[name] = column.astype("float64")
        else:
            columns[name] = column.astype(str).astype(object).where(column.notna())
    return pd.DataFrame(columns)


def advise(
    frame: Any,
    job: Preparing,
    *,
    quiet: bool,
    where: str = "",
    confirm_ids: Callable[[str], bool] = lambda name: True,
) -> tuple[list[str], list[str]]:
    """Print notes on common mistakes in a table; return the columns of ids, and the notes.

    If `frame` holds only some rows of a table, `where` says which ("in the first 10 rows "), and
    `confirm_ids` checks whether a column of ids in `frame` holds ids in all rows.
    """
    from consens import check

    if len(frame) < MIN_ROWS_TO_JUDGE:
        return [], []
    advice = check(frame)
    kept = set(job.keep or ())
    ids = [name for name in advice.ids if name not in kept and confirm_ids(name)]
    if len(ids) == frame.shape[1]:
        ids = []
    notes = []
    for found in advice.findings:
        if found.kind == "id":
            if found.columns[0] in ids:
                aside = f"and is set aside (--keep {found.columns[0]} uses it)"
                notes.append(f"{where}{found.text}, {aside}")
            elif found.columns[0] not in kept:
                notes.append(f"{where}{found.text} ({found.option})")
        elif found.kind == "missing" or (found.kind == "scale" and job.scale != "none"):
            continue  # missing values are refused or imputed later, scales are made equal
        else:
            notes.append(f"{where}{found.text}{found.option and f' ({found.option})'}")
    if not quiet:
        for text in notes:
            console.note(f"note: {text}")
    return ids, notes


def make_preparer(file: Path, frame: Any, ids: Sequence[Any], job: Preparing) -> Any:
    """Make the transformer, not fitted, that turns plain columns into features.

    Refuses text columns and missing values unless the job has options for them.
    """
    import numpy as np
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    from consens._support.printable import listed
    from consens.io.formats import not_numeric
    from consens.io.text import is_number

    text = [name for name in frame if frame[name].dtype == object]
    numbers = [name for name in frame if frame[name].dtype != object]
    if text and job.encode is None:
        cells = (cell for cell in frame[text[0]] if cell is not None)
        cell = next((cell for cell in cells if not is_number(cell)), "")
        labels = all(frame[name].nunique() <= len(frame) / 2 for name in frame)
        combine = f"; if every column is a clustering: consens combine {shlex.quote(str(file))}"
        raise ValueError(
            f"{file}: {not_numeric(text, cell)}, or encode it: --encode onehot"
            f"{combine if labels and len(text) > 1 else ''}"
        )
    missing = frame.isna()
    counts = missing.sum()
    bad = [name for name in frame if counts[name]]
    if empty := [name for name in bad if counts[name] == len(frame)]:
        options = " ".join(f"--drop {shlex.quote(name)}" for name in empty[:8])
        raise ValueError(f"{file}: no value in {listed(empty)}; leave it out: {options}")
    if bad and job.impute is None:
        row = int(missing[bad[0]].to_numpy().argmax())
        named = "" if isinstance(ids, range) else f" ({ids[row]!r})"
        more = f"; {counts.sum()} values in all, also in {listed(bad[1:])}" if bad[1:] else ""
        raise ValueError(
            f"{file}: column {bad[0]!r} has {counts[bad[0]]} missing values, the first in row "
            f"{row + 1}{named}{more}; fill them in by --impute median, or leave columns out by "
            "--drop"
        )
    for name in numbers:
        infinite = np.isinf(frame[name].to_numpy())
        if infinite.any():
            raise ValueError(
                f"{file}: infinite values in column {name!r} ({infinite.sum()} of {len(frame)}, "
                f"the first in row {infinite.argmax() + 1}); replace them in the file, or leave "
                f"the column out: --drop {shlex.quote(name)}"
            )
    steps: list[tuple[str, Any, list[str]]] = []
    if numbers:
        fill = "passthrough" if job.impute is None else SimpleImputer(strategy=job.impute)
        steps.append(("numbers", fill, numbers))
    if text:
        encoder: Any = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        if job.encode == "ordinal":
            encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        if job.impute is not None:
            filled = SimpleImputer(strategy="most_frequent")
            encoder = make_pipeline(filled, encoder)
        steps.append(("categories", encoder, text))
    return ColumnTransformer(steps, verbose_feature_names_out=False)
