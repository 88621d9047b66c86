"""Ordinary tables: every dialect, compression, spreadsheets, standard input, wide files."""

import errno
import gzip
import io
import os
import subprocess
import sys
import zipfile
from datetime import date

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import consens
from consens import TableFeatures
from consens._support import memory
from consens.io import formats, read_labels, read_table, text
from consens.io.formats import STDIN, Request
from consens.io.tables import read_header

from ._features import read_features

X = [[5.1, 3.5], [4.9, 3.0], [6.2, 2.9]]
CSV = "length,width\n5.1,3.5\n4.9,3.0\n6.2,2.9\n"


def zstd(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.csv.gz", gzip.compress(CSV.encode(), mtime=0), {}),
        ("a.CSV.GZ", gzip.compress(CSV.encode(), mtime=0), {}),
        ("a.csv.zst", zstd(CSV.encode()), {}),
        ("a.tsv.gz", gzip.compress(CSV.replace(",", "\t").encode(), mtime=0), {}),
        ("a.txt", CSV.encode(), {}),
        ("a.txt", CSV.replace(",", "\t").encode(), {}),
        ("a.txt", CSV.replace(",", " ").encode(), {}),
        ("aligned.txt", b"length  width\n   5.1    3.5 \n   4.9    3.0\n   6.2    2.9\n", {}),
        ("a.txt", CSV.replace(",", "|").encode(), {}),
        ("a.csv", CSV.replace(",", "|").encode(), {"sep": "|"}),
        ("a.csv", CSV.replace(",", ":").encode(), {"sep": ":"}),
        ("a.tsv", CSV.encode(), {"sep": "comma"}),
        ("a.tsv", CSV.replace(",", ";").encode(), {"sep": ";"}),
        ("a.csv", CSV.replace(",", "\t").encode(), {"sep": "tab"}),
        ("a.csv", CSV.replace(",", ";").replace(".", ",").encode(), {"decimal": ","}),
        ("a.csv", CSV.replace(",", ";").replace(".", ",").encode(), {}),
        ("a.csv", CSV.encode("utf-16"), {}),
        ("a.txt", CSV.replace(",", "\t").encode("utf-16"), {}),
        ("a.csv", CSV.encode("utf-16-le"), {"encoding": "utf-16-le"}),
        ("a.csv", CSV.encode("cp037"), {"encoding": "cp037"}),
    ],
)
def test_dialects(tmp_path, name, content, options):
    (tmp_path / name).write_bytes(content)
    table = read_features(tmp_path / name, **options)
    np.testing.assert_array_equal(table.X, X)
    assert table.columns == ["length", "width"]


def test_other_encodings_by_name(tmp_path):
    (tmp_path / "a.csv").write_bytes("Stadt,höhe\nMünchen,519\nKöln,53\n".encode("latin-1"))
    table = read_features(tmp_path / "a.csv", encoding="latin-1")
    assert table.ids == ["München", "Köln"]
    assert table.columns == ["höhe"]
    with pytest.raises(ValueError, match="encoding='klingon' is unknown"):
        read_features(tmp_path / "a.csv", encoding="klingon")
    with pytest.raises(ValueError, match="line 1 is not ascii text"):
        read_features(tmp_path / "a.csv", encoding="ascii")


def test_a_separator_of_several_characters(tmp_path):
    (tmp_path / "a.csv").write_text(CSV)
    with pytest.raises(ValueError, match="sep='::' is not one character, nor one of tab, "):
        read_features(tmp_path / "a.csv", sep="::")


@pytest.mark.parametrize("sep", ["\t", " "])
def test_row_names_of_r_have_no_header(tmp_path, sep):
    rows = ["a b", "s1 1.5 2", "s2 2.5 4", "s3 0 1"]
    (tmp_path / "a.txt").write_text("\n".join(row.replace(" ", sep) for row in rows) + "\n")
    table = read_features(tmp_path / "a.txt")
    assert table.ids == ["s1", "s2", "s3"]
    assert table.columns == ["a", "b"]
    assert table.X.tolist() == [[1.5, 2], [2.5, 4], [0, 1]]


def test_standard_input(monkeypatch):
    for content in (CSV, CSV.replace(",", "\t")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        assert read_features("-").X.tolist() == X
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(ValueError, match="standard input is empty"):
        read_features("-")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ValueError, match="standard input is closed"):
        read_features("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX systems")
@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.npy", "a.h5ad"])
def test_a_pipe_is_refused_at_once(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match="is a pipe or a device; give - and redirect it: < "):
        read_features(tmp_path / name)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.npz"])
def test_errors_of_the_disk_name_the_file(tmp_path, monkeypatch, name):
    (tmp_path / name).write_text(CSV)

    def fails(self):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    for way in ("open", "open_for_arrow"):
        monkeypatch.setattr(formats.Request, way, fails)
    with pytest.raises(OSError, match=f"cannot read .*{name}: Input/output error"):
        read_features(tmp_path / name)


# ------------------------------------------------------------------------------- spreadsheets


@pytest.fixture
def book(tmp_path):
    made = openpyxl.Workbook()
    made.active.append(["id", "length", "kind", "seen", "alive"])
    made.active.append(["a", 5.1, "x", date(2024, 2, 1), True])
    made.active.append([None] * 5)
    made.active.append(["b", None, "y", date(2024, 2, 2), False])
    other = made.create_sheet("labels")
    other.append(["id", "p", None])
    other.append(["a", 1])
    other.append(["b", 2])
    made.save(tmp_path / "a.xlsx")
    return tmp_path / "a.xlsx"


def test_spreadsheets(book):
    table = read_table(book)
    assert table.ids == ["a", "b"]
    assert table.id_column == "id"
    assert table.frame.columns.tolist() == ["length", "kind", "seen", "alive"]
    assert table.frame["length"].isna().tolist() == [False, True]
    assert pd.api.types.is_datetime64_any_dtype(pd.to_datetime(table.frame["seen"]))
    assert table.frame["alive"].dtype == "boolean"
    assert read_labels(book, array="labels").labels["p"].tolist() == [1, 2]
    with pytest.raises(ValueError, match="no sheet 'z'; it has 'Sheet', 'labels'"):
        read_table(book, array="z")
    assert read_header(book).columns.keys() == {"id", "length", "kind", "seen", "alive"}


# -------------------------------------------------------------------- kinds, missing, transpose


def test_kinds_of_columns(tmp_path):
    rows = "id,n,b,d,t\na,1,true,2024-01-01,x\nb,,false,2024-01-02,NA\n"
    (tmp_path / "a.csv").write_text(rows)
    frame = read_table(tmp_path / "a.csv").frame
    assert pd.api.types.is_numeric_dtype(frame["n"])
    assert frame["b"].dtype == "boolean"
    assert frame["d"][0] == pd.Timestamp("2024-01-01")
    assert frame["t"].isna().tolist() == [False, True]
    assert frame["n"].isna().tolist() == [False, True]


def test_missing_values_are_counted_with_the_first_by_id(tmp_path):
    (tmp_path / "a.csv").write_text("id,a,b\nx,1,\ny,,\nz,3,1\n")
    table = read_table(tmp_path / "a.csv")
    message = r"'a' has 1 missing .* row 2 \('y'\); 3 values in all, also in 'b'"
    with pytest.raises(ValueError, match=message):
        TableFeatures().fit(table.frame.set_axis(table.ids))


def test_genes_by_samples(tmp_path):
    (tmp_path / "a.tsv").write_text("gene\ts1\ts2\ts3\nTP53\t1\t2\t3\nEGFR\t4\t5\t6\n")
    table = read_features(tmp_path / "a.tsv", transpose=True)
    assert table.X.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert table.columns == ["TP53", "EGFR"]
    assert table.ids == ["s1", "s2", "s3"]
    (tmp_path / "b.tsv").write_text("gene\tkind\ts1\nTP53\tx\t3\nEGFR\ty\t6\n")
    with pytest.raises(ValueError, match="column 'kind' is not numeric, so .* transposed"):
        read_features(tmp_path / "b.tsv", transpose=True)
    assert read_features(tmp_path / "b.tsv", transpose=True, drop=["kind"]).X.tolist() == [[3, 6]]


# ---------------------------------------------------------------------------------------- wide


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz"])
def test_lines_longer_than_the_sample(tmp_path, suffix):
    n, d = 3, 8001
    names = [f"gene_with_a_long_name_{i}" for i in range(d)]
    rows = np.arange(n * d).reshape(n, d)
    sep = "\t" if suffix == ".tsv" else ","
    lines = [sep.join(["sample", *names])]
    lines += [sep.join([f"s{i}", *map(str, row)]) for i, row in enumerate(rows)]
    content = "\n".join(lines).encode()
    path = tmp_path / f"a{suffix}"
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    table = read_features(path)
    np.testing.assert_array_equal(table.X, rows)
    assert table.columns == names
    assert table.ids == ["s0", "s1", "s2"]


@pytest.mark.slow
def test_200_000_columns(tmp_path):
    d = 200_000
    header = ",".join(f"g{i}" for i in range(d))
    row = ",".join(map(str, range(d)))
    (tmp_path / "a.csv").write_text(f"{header}\n{row}\n{row}\n")
    table = read_features(tmp_path / "a.csv", header=True)
    assert table.X.shape == (2, d)
    assert table.X[1, -1] == d - 1


def test_a_line_far_down_that_is_longer_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "_BLOCK_BYTES", 1000)
    monkeypatch.setattr(text, "_SAMPLE_BYTES", 100)
    rows = [f"{i},x" for i in range(100)] + ["100," + "y" * 5000]
    (tmp_path / "a.csv").write_text("id,p\n" + "\n".join(rows))
    with pytest.raises(ValueError, match="a.csv: a line is longer than 256 MiB"):
        read_labels(tmp_path / "a.csv")


# ------------------------------------------------------------------------- memory, from headers


def large_parquet(path):
    table = pa.table({"a": pa.array(np.zeros(200_000)), "b": pa.array(np.zeros(200_000))})
    pq.write_table(table, path, use_dictionary=True)


def large_npy(path):
    with open(path, "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (200_000, 2)}
        np.lib.format.write_array_header_1_0(file, header)
        file.truncate(file.tell() + 200_000 * 16)  # holes take no room on the disk


def large_text(path):
    with pa.output_stream(str(path), compression="detect") as file:
        file.write(b"a,b\n" + b"0,0\n" * 200_000)


LARGE = {
    "a.parquet": large_parquet,
    "a.npy": large_npy,
    "a.npz": lambda path: np.savez_compressed(path, X=np.zeros((200_000, 2)), other=np.eye(2)),
    "a.csv": large_text,
    "a.csv.gz": large_text,
    "a.csv.bz2": large_text,
    "a.csv.zst": large_text,
}


@pytest.mark.parametrize("name", LARGE)
def test_what_cannot_fit_is_refused_before_it_is_read(tmp_path, monkeypatch, name):
    LARGE[name](tmp_path / name)
    assert read_header(tmp_path / name).n_bytes >= 0.9 * 200_000 * 16
    monkeypatch.setattr(memory, "available_memory", lambda: 2e6)
    stored = "" if name == "a.parquet" else "store it as Parquet and "
    message = f"a.* in memory needs .* MiB, 1.9 MiB are available; {stored}open it in pieces by"
    with pytest.raises(MemoryError, match=f"{message} consens.io.open_parquet"):
        read_features(tmp_path / name)


@pytest.mark.parametrize("suffix", ["gz", "bz2", "zst"])
def test_compressed_text_that_grows_late_is_refused(tmp_path, monkeypatch, suffix):
    """What looks small by its first part, because only the rest can be squeezed so much."""
    monkeypatch.setattr(formats, "_HEAD_BYTES", 1 << 14)
    noise = np.random.default_rng(0).integers(0, 10**9, (4_000, 2))
    first = "\n".join(f"{a},{b}" for a, b in noise)
    path = tmp_path / f"a.csv.{suffix}"
    with pa.output_stream(str(path), compression="detect") as file:
        file.write(f"a,b\n{first}\n".encode() + b"0,0\n" * 1_000_000)
    monkeypatch.setattr(memory, "available_memory", lambda: 6e6)
    assert 3 * read_header(path).n_bytes < 0.8 * 6e6
    with pytest.raises(MemoryError, match="a.csv.* in memory needs .*open_parquet"):
        read_features(path)


def test_an_array_with_more_columns_than_can_have_names(tmp_path):
    with open(tmp_path / "a.npy", "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (2, 4 * 10**9)}
        np.lib.format.write_array_header_1_0(file, header)
        file.truncate(file.tell() + 64 * 10**9)
    with pytest.raises(ValueError, match="2 rows and 4,000,000,000 columns; .* transposed"):
        read_header(tmp_path / "a.npy")


def test_arrow_reads_without_python(tmp_path):
    """Its threads would abort a process that ends before they have what they read ahead."""
    for name in ("a.csv", "a.csv.gz"):
        large_text(tmp_path / name)
        with Request(tmp_path / name).open_for_arrow() as file:
            assert not isinstance(file, pa.PythonFile)
            assert file.read(4) == b"a,b\n"
    with Request(STDIN, content=b"a,b").open_for_arrow() as file:
        assert file.read() == b"a,b"


def test_an_array_of_a_million_million_empty_strings(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive, archive.open("labels.npy", "w") as file:
        header = {"descr": "<U0", "fortran_order": False, "shape": (10**12, 1)}
        np.lib.format.write_array_header_1_0(file, header)
    with pytest.raises(MemoryError, match="TiB, .* are available"):
        read_labels(path)


def test_headers_tell_rows_and_columns(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    frame.to_parquet(tmp_path / "a.parquet")
    header = read_header(tmp_path / "a.parquet")
    assert header.columns == {"a": "int64", "b": str(pa.large_string())} or "b" in header.columns
    assert header.n_rows == 2
    np.save(tmp_path / "a.npy", np.eye(3))
    assert read_header(tmp_path / "a.npy")[:2] == (
        {"column1": "float64", "column2": "float64", "column3": "float64"},
        3,
    )
    (tmp_path / "a.csv").write_text(CSV)
    assert read_header(tmp_path / "a.csv")[:2] == ({"length": "text", "width": "text"}, 3)


# ----------------------------------------------------------------------------------- odd paths


def test_paths_that_are_not_ascii_in_the_c_locale(tmp_path):
    frame, stem = pd.DataFrame(X, columns=["a", "b"]), tmp_path / "größe"
    frame.to_csv(f"{stem}.csv", index=False)
    frame.to_csv(f"{stem}.csv.gz", index=False)
    frame.to_parquet(f"{stem}.parquet")
    frame.to_excel(f"{stem}.xlsx", index=False)
    np.save(f"{stem}.npy", X)
    np.savez(f"{stem}.npz", X=X)
    code = "import sys; from consens.io import read_table as read; "
    code += "print(*(len(read(path).frame) for path in sys.argv[1:]))"
    c = {"LC_ALL": "C"}
    for locale in (c, c | {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
        done = subprocess.run(
            [sys.executable, "-c", code, *sorted(tmp_path.iterdir())],
            env=os.environ | locale,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout.split()) == (0, [b"3"] * 6), done.stderr.decode()


class TestOptionsOfOtherTypes:
    @pytest.mark.parametrize("read", [read_table, read_labels])
    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("content", "a,b"),
            ("day_first", 3),
            ("decimal", 1.5),
            ("drop", 3),
            ("encoding", b"utf-8"),
            ("header", np.arange(2)),
            ("id_column", ["a"]),
            ("na", [-999]),
            ("sep", 3),
        ],
    )
    def test_an_option_is_named(self, tmp_path, read, option, value):
        path = tmp_path / "x.csv"
        path.write_text("a,b\n1,2\n2,3\n")
        with pytest.raises(TypeError, match=f"{option}=.*; expected"):
            read(path, **{option: value})

    def test_an_unknown_option_is_refused(self, tmp_path):
        with pytest.raises(TypeError, match="unknown option 'separator'; the options are"):
            read_table(tmp_path / "x.csv", separator=";")

    def test_one_name_is_a_sequence_of_one(self, tmp_path):
        path = tmp_path / "x.csv"
        path.write_text("id,age,b\nx,-9,2\ny,2,3\n")
        assert list(read_table(path, drop="age").frame) == ["b"]
        assert read_table(path, na="-9").frame["age"].isna().tolist() == [True, False]

    @pytest.mark.parametrize("path", [3, None, ["x.csv"], b"x.csv"])
    def test_a_path_is_named(self, path):
        for read in (read_table, consens.io.read_ensemble, consens.io.read_meta, consens.load):
            with pytest.raises(TypeError, match="path=.*; expected a str or a pathlib.Path"):
                read(path)
        with pytest.raises(TypeError, match="path=.*; expected a str or a pathlib.Path"):
            consens.io.write_ensemble([[0], [1]], path)

    @pytest.mark.parametrize("given", [3, None, [3]])
    def test_paths_of_blocks_are_named(self, given):
        with pytest.raises(TypeError, match="paths=.*; expected"):
            consens.io.open_parquet(given)
