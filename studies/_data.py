"""Data sets of the studies: read from a folder, or say what is missing and how to get it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

HOW_TO_GET = {
    "iris": "UCI 'Iris' (the UCI file, with its two known typos in rows 35 and 38)",
    "breast_w": "UCI 'Breast Cancer Wisconsin (Original)' without the 16 rows with missing values",
    "optdigits_tra": "UCI 'Optical Recognition of Handwritten Digits', optdigits.tra, in order",
}


class MissingData(Exception):
    """A data set is not in the folder; the message says how to get it."""


def load(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes of ``<folder>/<name>.parquet``: feature columns, then `label`."""
    path = folder / f"{name}.parquet"
    if not path.exists():
        source = HOW_TO_GET.get(name, "see the studies page of the documentation")
        raise MissingData(
            f"{path.name} is not in {folder}. Get {source}; save the features and, last, "
            f"a column 'label' as {path.name}"
        )
    table = pd.read_parquet(path)
    return table.drop(columns="label").to_numpy(dtype=np.float64), table["label"].to_numpy()


def first_of_each(X: np.ndarray, y: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The first `size` rows of every class, in file order."""
    rank = pd.Series(y).groupby(y).cumcount().to_numpy()
    return X[rank < size], y[rank < size]
