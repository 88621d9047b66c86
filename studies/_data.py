"""Data sets of the studies: read from a folder, or say what is missing and how to get it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

HOW_TO_GET = {
    "wdbc_id": "UCI 'Breast Cancer Wisconsin (Diagnostic)' with the ID number as first column",
    "satimage": "UCI 'Statlog (Landsat Satellite)', sat.trn and then sat.tst",
    "iris": "UCI 'Iris' (the UCI file, with its two known typos in rows 35 and 38)",
    "breast_w": "UCI 'Breast Cancer Wisconsin (Original)' without the 16 rows with missing values",
    "optdigits_tra": "UCI 'Optical Recognition of Handwritten Digits', optdigits.tra, in order",
    "shape_halfrings": "L. Kuncheva's half-rings (100 and 300 points)",
    "shape_spirals_2x100": "the two spirals of Topchy, Jain and Punch (100 points each)",
    "semeion": "UCI 'Semeion Handwritten Digit'",
    "steel_plates": "UCI 'Steel Plates Faults', the seven 0/1 fault columns as one label",
    "mfeat": "UCI 'Multiple Features', all six files side by side, unscaled",
    "mnist5k": "the first 500 training images of each digit of MNIST",
    "texture": "KEEL / ELENA 'texture'",
    "isolet": "UCI 'ISOLET'",
    "usps11000": "S. Roweis' USPS digits (1100 of each)",
    "letter": "UCI 'Letter Recognition'",
    "wine": "UCI 'Wine'",
    "chart": "UCI 'Synthetic Control Chart Time Series', 100 rows per class in file order",
    "segmentation": "UCI 'Image Segmentation', segmentation.data and segmentation.test",
    "cbir": "the lung images of Dy et al. (1545 x 183, 8 classes); no public copy is known",
    "eos": "the land cover data of Friedl et al. (2398 x 20, 8 classes); no public copy is known",
    "yeast384_std": "Yeung and Ruzzo's standardised yeast cell cycle data, 384 genes x 17",
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


class DataSet(NamedTuple):
    """Features, classes, and where they come from if not from the paper's file."""

    X: np.ndarray
    y: np.ndarray
    remark: str = ""

    @property
    def k(self) -> int:
        """Number of classes; background has none."""
        return len(set(self.y.tolist()) - {-1})


def load_or_draw(folder: Path, name: str, draw: Callable[..., Any], seed: int) -> DataSet:
    """The published points where the folder holds them, otherwise points of the same kind."""
    try:
        return DataSet(*load(folder, name))
    except MissingData:
        return drawn(draw, seed)


def drawn(draw: Callable[..., Any], seed: int, **options: Any) -> DataSet:
    """Points of a maker of `studies._datasets`."""
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    remark = f"drawn by studies._datasets.{draw.__name__}(random_state={seed}{given})"
    return DataSet(*draw(random_state=seed, **options), remark)


def first_of_each(X: np.ndarray, y: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The first `size` rows of every class, in file order."""
    rank = pd.Series(y).groupby(y).cumcount().to_numpy()
    return X[rank < size], y[rank < size]
