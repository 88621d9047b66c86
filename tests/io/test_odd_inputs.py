"""The same labels in every format and dialect are the same ensemble."""

import json
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.io import savemat

from consens import MISSING, NOISE
from consens.io import read_ensemble


def slow_twin(columns):
    """Rank of each number among those of its column; codes as they are."""
    ranks = []
    for column in columns:
        known = sorted({label for label in column if label is not None and label >= 0})
        codes = {None: MISSING, NOISE: NOISE} | {label: i for i, label in enumerate(known)}
        ranks.append([codes[label] for label in column])
    return np.array(ranks, dtype=np.int32).T


@st.composite
def label_columns(draw):
    n, m = draw(st.integers(2, 6)), draw(st.integers(1, 2))
    label = st.one_of(st.integers(0, 4), st.sampled_from([NOISE, None, 99]))
    columns = [draw(st.lists(label, min_size=n, max_size=n)) for _ in range(m)]
    columns[0] = [0 if label is None else label for label in columns[0]]  # every object is seen
    columns[-1][0] = 7  # and no column is empty
    return columns


@st.composite
def as_text(draw, columns, path):
    delimiter = draw(st.sampled_from(",;\t")) if path.suffix == ".csv" else "\t"
    gap = draw(st.sampled_from(["", "NA", "nan", "<NA>", "NULL"]))
    quoted = draw(st.booleans())
    real = draw(st.booleans())
    ids = draw(st.booleans())

    def cell(value):
        word = gap if value is None else f"{value}.0" if real else str(value)
        return f'"{word}"' if quoted or (len(columns) == 1 and not word) else word

    rows = [[cell(value) for value in row] for row in zip(*columns, strict=True)]
    rows.insert(0, [f"c{i}" for i in range(len(columns))])
    if ids:
        rows = [["key" if i == 0 else f"o{i}", *row] for i, row in enumerate(rows)]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(delimiter.join(row) for row in rows) + draw(st.sampled_from(["", end]))
    path.write_bytes(text.encode(draw(st.sampled_from(["utf-8", "utf-8-sig"]))))


@st.composite
def as_parquet(draw, columns, path):
    kinds = [pa.int8(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(25, 2)]
    kinds += [pa.dictionary(pa.int8(), pa.int64()), pa.string()]
    arrays = []
    for i, column in enumerate(columns):
        kind = draw(st.sampled_from(kinds[: None if i else -1]))  # text in front is the id
        array = pa.array(column, pa.int64())
        if pa.types.is_dictionary(kind):
            arrays.append(array.dictionary_encode())
        else:
            arrays.append(array.cast(kind, safe=False))
    pq.write_table(pa.table(arrays, names=[f"c{i}" for i in range(len(arrays))]), path)


def matrix(columns, dtype=None):
    """Rows of objects; with gaps only reals will do."""
    gaps = any(value is None for column in columns for value in column)
    values = [[np.nan if v is None else v for v in column] for column in columns]
    return np.array(values, dtype=dtype if not gaps else np.float64).T


@st.composite
def as_array(draw, columns, path):
    kind = draw(st.sampled_from(["i1", "i4", ">i8", "f2", "f4", ">f8"]))
    array = np.array(matrix(columns, kind), order=draw(st.sampled_from("CF")))
    if path.suffix == ".npy":
        np.save(path, array)
    elif draw(st.booleans()):
        np.savez(path, labels=array, X=np.eye(3), gt=array[:, 0])
    else:
        np.savez_compressed(path, **{f"c{i}": column for i, column in enumerate(array.T)})


@st.composite
def as_mat(draw, columns, path):
    array = matrix(columns, draw(st.sampled_from(["i1", "f8", "i4"])))
    array = np.where(array >= 0, array + 1, array)
    savemat(path, {"members": array, "gt": array[:, :1]}, do_compression=draw(st.booleans()))


@st.composite
def as_folder(draw, columns, path):
    path.mkdir()
    names = draw(st.sampled_from([["m0", "m1"], ["a b", "é"], ["1", "0"]]))[: len(columns)]
    kind = draw(st.sampled_from([pa.int8(), pa.int32(), pa.int64()]))
    table = {name: pa.array(c, kind) for name, c in zip(names, columns, strict=True)}
    shuffled = dict(draw(st.permutations(list(table.items()))))
    if draw(st.booleans()):
        shuffled["object"] = pa.array(range(len(columns[0])))
    pq.write_table(pa.table(shuffled), path / "labels.parquet")
    pq.write_table(pa.table({"column": names}), path / "members.parquet")
    meta = {"encoding-type": "consens-ensemble", "encoding-version": "1"}
    (path / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


WRITERS = {
    "csv": as_text,
    "tsv": as_text,
    "parquet": as_parquet,
    "npy": as_array,
    "npz": as_array,
    "mat": as_mat,
    "ens": as_folder,
}


@pytest.mark.parametrize("suffix", WRITERS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_labels_are_read_right(suffix, data):
    columns = data.draw(label_columns())
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        path = Path(folder) / f"file.{suffix}"
        data.draw(WRITERS[suffix](columns, path))
        found = read_ensemble(path)
    np.testing.assert_array_equal(found.labels, slow_twin(columns))
