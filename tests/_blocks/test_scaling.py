"""A table is scaled alike in memory and in blocks, columns of two values included."""

import numpy as np
import pandas as pd
import pytest

from consens import ConsensusClustering, TableFeatures
from consens._blocks import Rows
from consens._blocks.scaling import SCALES, Scaler

SIZES = [[200], [50, 50, 100], [1, 9, 190]]


@pytest.fixture
def messy():
    """Flags as booleans, 0/1 and 1/2, one of them rare, beside skewed and other numbers."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(4), 50)
    return pd.DataFrame(
        {
            "paid": rng.random(200) < 0.5,
            "sales": rng.lognormal(group, 0.3),
            "age": rng.normal(20 + 15 * (group % 2), 3),
            "sex": rng.integers(1, 3, 200),
            "late": (np.arange(200) == 60).astype(int),
            "visits": rng.integers(0, 9, 200),
            "unit": 1,
        }
    )


def rows_of(frame, sizes):
    return Rows.from_array(frame.to_numpy(dtype=np.float64), sizes)


@pytest.mark.parametrize("scale", [scale for scale in SCALES if scale != "none"])
def test_scalers_are_equal(messy, scale):
    expected = TableFeatures(scale=scale).fit(messy).scaler_
    for sizes in SIZES:
        found = Scaler.fit(rows_of(messy, sizes), scale)
        for name in ("center", "size", "log"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("scale", SCALES)
def test_labels_are_equal_in_memory_in_blocks_and_with_dask(messy, scale):
    dd = pytest.importorskip("dask.dataframe")
    model = ConsensusClustering(4, recipe="kmeans", scale=scale, random_state=0)
    features = TableFeatures(scale=scale).fit_transform(messy)
    plain = ConsensusClustering(4, recipe="kmeans", scale="none", random_state=0)
    expected = plain.fit(features).labels_
    for table in (messy, *(rows_of(messy, sizes) for sizes in SIZES)):
        np.testing.assert_array_equal(model.fit(table).labels_, expected)
    found = model.fit(dd.from_pandas(messy, npartitions=3)).labels_
    np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("scale", ["standard", "robust", "minmax"])
def test_flags_alone_are_numbers(messy, scale):
    flags = messy[["paid", "sex", "unit"]].to_numpy(dtype=np.float64)
    scaler = Scaler.fit(flags, scale)
    size = np.array([1, 1, 1]) if scale == "minmax" else [*flags.std(axis=0)[:2], 1]
    if scale == "robust":
        size = np.where(
            np.ptp(np.quantile(flags, [0.25, 0.75], axis=0), axis=0) > 0, 1 / 1.349, size
        )
    np.testing.assert_allclose(scaler.size, size)


def test_encoded_categories_take_no_logarithms():
    frame = pd.DataFrame({"x": np.arange(40) % 13, "grade": list("abcd") * 10})
    X = TableFeatures(encode="ordinal", scale="log").fit_transform(frame)
    np.testing.assert_allclose(X[:, 1].mean(), 0, atol=1e-12)
    np.testing.assert_allclose(X[:, 1].std(), 1)
