"""Bad and odd files of every kind, made by hypothesis."""

import io
import json
import struct
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.io import savemat

from consens import Ensemble
from consens.io import write_ensemble

SUFFIXES = [".csv", ".tsv", ".parquet", ".npy", ".npz", ".mat", ".h5ad", ".ens", ".xlsx", ""]

# ------------------------------------------------------------------------------------- text

ODD = (
    "NA nan inf -inf 1e999 1e-400 0x1F 1_000 1.5 -0.0 +3 9223372036854775808 TRUE 'a' é -2 -7 "
    '2024-02-30 \x00 \ufeff \x1a \\N #REF! =1+1 99999999999999999999999 " "" "a a"b ; , 1,5'
)
CELLS = st.one_of(
    st.integers(-3, 5).map(str),
    st.sampled_from([*ODD.split(" "), "", " ", "\n", "\r", "\t", "\u2028"]),
    st.text(max_size=4),
    st.floats(width=32).map(repr),
)
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037", "utf-7"]


@st.composite
def text_files(draw):
    """Nothing but odd cells, or a good table with a few of them."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", ", "]))
    n, width = draw(st.integers(0, 8)), draw(st.integers(1, 4))
    if draw(st.booleans()):
        rows = [[f"c{i}" for i in range(width)]]
        rows += [[str((i * (j + 1)) % 3) for j in range(width)] for i in range(n)]
        for _ in range(draw(st.integers(0, 2))):
            row = draw(st.integers(0, n))
            rows[row][draw(st.integers(0, width - 1)) :] = draw(st.lists(CELLS, max_size=2))
            rows[row] = rows[row] or [""]
    else:
        rows = draw(st.lists(st.lists(CELLS, max_size=5), max_size=8))
    ending = draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
    text = ending.join(delimiter.join(row) for row in rows) + draw(st.sampled_from(["", ending]))
    content = text.encode(draw(st.sampled_from(["utf-8", *ENCODINGS])), errors="replace")
    return draw(st.sampled_from([".csv", ".tsv"])), content


# ------------------------------------------------------------------------------------ arrays


NUMBERS = "i1 u1 i8 >i4 u8 f2 f4 f8 >f8 g b1 c16 U3 S3 M8[D] m8[s] V4 O record"


@st.composite
def arrays(draw):
    kind = draw(st.sampled_from(NUMBERS.split(" ")))
    dtype = np.dtype([("a", "i4"), ("b", "f8")]) if kind == "record" else np.dtype(kind)
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=7))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    if dtype.kind == "O":
        values = np.empty(shape, dtype)
        values[...] = draw(st.sampled_from([None, "x", 3, (1,)]))
        return values
    if dtype.kind in "iufbcg" and draw(st.booleans()):
        values = rng.integers(0, 3, shape)
        return np.asarray(values).astype(dtype)
    raw = rng.bytes(int(np.prod(shape)) * dtype.itemsize)
    if dtype.kind in "US":
        return np.array(rng.choice(["a", "1", "-1", "é", ""], shape)).astype("U3")
    values = np.frombuffer(raw, dtype).reshape(shape).copy()
    with np.errstate(all="ignore"):
        if dtype.kind == "f" and draw(st.booleans()):
            values = np.where(np.isfinite(values), values % 5, values).astype(dtype)
    return values


def saved(write):
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write(buffer)
    return buffer.getvalue()


@st.composite
def npy_files(draw):
    return ".npy", saved(lambda file: np.save(file, draw(arrays())))


@st.composite
def npz_files(draw):
    names = st.sampled_from(["labels", "members", "X", "gt", "a", "b", "arr_0", "x/y", "é"])
    content = draw(st.dictionaries(names, arrays(), max_size=3))
    return ".npz", saved(lambda file: np.savez(file, **content))


@st.composite
def mat_files(draw):
    names = st.sampled_from(["members", "gt", "fea", "X", "a", "b"])
    content = draw(st.dictionaries(names, arrays(), max_size=3))
    content = {k: v for k, v in content.items() if v.dtype.kind not in "MmV" and v.dtype != "g"}
    compressed = draw(st.booleans())
    try:
        return ".mat", saved(lambda file: savemat(file, content, do_compression=compressed))
    except (ValueError, TypeError):  # what a mat file cannot hold
        return ".mat", b""


# ----------------------------------------------------------------------------------- parquet

TYPES = st.sampled_from(
    [
        (pa.int8(), [0, 1, -1, None]),
        (pa.uint64(), [0, 2**64 - 1, 1]),
        (pa.int64(), [2**62, -5, 0]),
        (pa.float16(), [np.float16(0), np.float16("nan")]),
        (pa.float64(), [0.0, 1.0, float("nan"), float("inf"), 0.5, None]),
        (pa.bool_(), [True, False, None]),
        (pa.string(), ["a", "b", "1", "", None]),
        (pa.large_string(), ["x", "y"]),
        (pa.binary(), [b"\xff\x00", b"a", None]),
        (pa.decimal128(20, 2), [None]),
        (pa.timestamp("ns"), [0, 10**18, None]),
        (pa.date32(), [0, 19000]),
        (pa.duration("s"), [1, 2]),
        (pa.time64("us"), [1, 2]),
        (pa.list_(pa.int64()), [[1], [], None]),
        (pa.struct([("a", pa.int64())]), [{"a": 1}, None]),
        (pa.map_(pa.string(), pa.int64()), [[("k", 1)], None]),
        (pa.dictionary(pa.int8(), pa.string()), ["a", "b", None]),
        (pa.dictionary(pa.int8(), pa.int64()), [1, 2, None]),
        (pa.null(), [None]),
    ]
)


@st.composite
def parquet_files(draw):
    n, m = draw(st.integers(0, 7)), draw(st.integers(0, 4))
    columns = []
    for i in range(m):
        kind, values = draw(TYPES if draw(st.booleans()) else st.just((pa.int32(), [i % 3, 0, 1])))
        columns.append(pa.array([draw(st.sampled_from(values)) for _ in range(n)], kind))
    names = draw(st.sampled_from([["a", "b", "c", "d"], ["a"] * 4, ["id", "", "b", "é\n"]]))
    table = pa.table(columns, names=names[:m])
    return ".parquet", saved(lambda file: pq.write_table(table, file))


# ------------------------------------------------------------------------- ensemble folders


def good_folder():
    labels = np.array([[0, 0], [0, -1], [1, -2], [1, 1]])
    payload = [{"centers": np.eye(2), "features": np.eye(4)[:, :2]}] * 2
    with tempfile.TemporaryDirectory() as place:
        records = [{"algorithm": "a", "parameters": {"k": 2}}] * 2
        ensemble = Ensemble(labels, records, payload, obs=list("abcd"))
        write_ensemble(ensemble, f"{place}/a.ens", seed=0)
        return {path.name: path.read_bytes() for path in Path(place, "a.ens").iterdir()}


GOOD_FOLDER = good_folder()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@st.composite
def folders(draw):
    files = dict(GOOD_FOLDER)
    name = draw(st.sampled_from(sorted(files)))
    what = draw(st.sampled_from(["remove", "damage", "replace", "meta", "labels", "empty"]))
    if what == "remove":
        del files[name]
    elif what == "damage":
        files[name] = draw(damaged(files[name]))
    elif what == "replace":
        files[name] = draw(st.sampled_from([files[other] for other in sorted(files)]))
    elif what == "meta":
        meta = json.loads(files["meta.json"])
        meta[draw(st.sampled_from(sorted(meta)))] = draw(JSON)
        files["meta.json"] = json.dumps(meta).encode()
    elif what == "labels":
        files["labels.parquet"] = draw(parquet_files())[1]
    else:
        files = {}
    return ".ens", files


# ------------------------------------------------------------------------ damage and foreign


@st.composite
def damaged(draw, content):
    """Some bytes are changed, cut off, doubled or put in front."""
    content = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, max(len(content) - 1, 0)))
        what = draw(st.sampled_from(["flip", "cut", "insert", "front", "long"]))
        if what == "flip" and content:
            content[place] ^= draw(st.integers(1, 255))
        elif what == "cut":
            del content[place:]
        elif what == "insert":
            content[place:place] = draw(st.binary(min_size=1, max_size=5))
        elif what == "front":
            content[:0] = draw(st.sampled_from([b"\xef\xbb\xbf", b"\0", b"PK", b"\xff\xfe"]))
        elif what == "long":
            content[place : place + 4] = struct.pack("<I", 2**31 - draw(st.integers(0, 2)))
    return bytes(content)


MADE = {
    "text": text_files(),
    "npy": npy_files(),
    "npz": npz_files(),
    "mat": mat_files(),
    "parquet": parquet_files(),
    "folders": folders(),
}
FILES = st.one_of(*(MADE[name] for name in ("text", "npy", "npz", "mat", "parquet")))


@st.composite
def mislabelled(draw):
    return draw(st.sampled_from(SUFFIXES)), draw(FILES)[1]


@st.composite
def broken(draw):
    suffix, content = draw(FILES)
    return suffix, draw(damaged(content))


MAGIC = [
    *(b"", b"PAR1", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"MATLAB 5.0 MAT-file".ljust(124)),
    *(b"\x89HDF\r\n\x1a\n", b"\x1f\x8b", b"a,b\n1,2\n", b"\x00\x01IM"),
]


@st.composite
def noise(draw):
    magic = draw(st.sampled_from(MAGIC))
    return draw(st.sampled_from(SUFFIXES)), magic + draw(st.binary(max_size=60))


KINDS = MADE | {"mislabelled": mislabelled(), "broken": broken(), "noise": noise()}


@pytest.fixture(scope="session")
def bad_files():
    """Kind to strategy for (suffix, bytes) or (suffix, files of a folder)."""
    return KINDS
