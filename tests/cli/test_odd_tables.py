"""Odd tables, and what `consens cluster` says about each of them.

The first word of a case is the outcome: ``ok`` with what a note says, or ``refused`` with what the
error says.  Options follow the content.
"""

import gzip
import io

import numpy as np
import pandas as pd
import pytest

X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 10, axis=0)
X += np.random.default_rng(0).normal(size=X.shape).round(3)
N = np.arange(20)


def table(**columns):
    return pd.DataFrame({"x": X[:, 0], "y": X[:, 1]} | columns)


def text(frame=None, sep=",", encoding="utf-8", **style):
    frame = table() if frame is None else frame
    return frame.to_csv(index=False, sep=sep, **style).encode(encoding)


def excel(frame):
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False)
    return buffer.getvalue()


def parquet(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def array(values):
    buffer = io.BytesIO()
    np.save(buffer, values)
    return buffer.getvalue()


def holes(name="x", rows=(3, 7)):
    frame = table()
    frame.loc[list(rows), name] = np.nan
    return frame


CITY = np.array(["Bern", "Basel", "Genf", "Bern"])[N % 4]
GROUP = np.array(["one", "two"])[N // 10]
SAMPLES = pd.DataFrame(X.T, columns=[f"sample{i}" for i in N]).assign(gene=["g1", "g2"])
SAMPLES = SAMPLES[["gene", *SAMPLES.columns[:-1]]]
WIDE = pd.DataFrame(np.repeat(X, 1000, axis=1), columns=[f"gene{i}" for i in range(2000)])

CASES = {
    "clean": ("ok", "", "a.csv", text()),
    "tabs": ("ok", "", "a.tsv", text(sep="\t")),
    "tabs in txt": ("ok", "", "a.txt", text(sep="\t")),
    "semicolons": ("ok", "", "a.csv", text(sep=";")),
    "decimal commas": ("ok", "", "a.csv", text(sep=";", decimal=",")),
    "bars": ("ok", "", "a.txt", text(sep="|"), "--sep", "|"),
    "spaces": ("ok", "", "a.txt", text(sep=" "), "--sep", "space"),
    "byte order mark": ("ok", "", "a.csv", text(encoding="utf-8-sig")),
    "latin-1": (
        "ok",
        "",
        "a.csv",
        text(table().rename(columns={"x": "Größe"}), encoding="latin-1"),
        "--encoding",
        "latin-1",
    ),
    "latin-1, not said": (
        "ok",
        "a.csv is read as cp1252 text, with words such as 'Größe' (--encoding names another)",
        "a.csv",
        text(table().rename(columns={"x": "Größe"}), encoding="latin-1"),
    ),
    "carriage returns": ("ok", "", "a.csv", text().replace(b"\n", b"\r\n")),
    "compressed": ("ok", "", "a.csv.gz", gzip.compress(text())),
    "spreadsheet": ("ok", "", "a.xlsx", excel(table())),
    "array": ("ok", "", "a.npy", array(X)),
    "no header": ("ok", "", "a.csv", text(header=False), "--no-header"),
    "quoted names": ("ok", "", "a.csv", text(table().rename(columns={"x": "a, b"}))),
    "wide": ("ok", "", "a.csv", text(WIDE)),
    "ids of text": (
        "ok",
        "(text that never repeats), and is set aside (--keep name uses it)",
        "a.csv",
        text(table(name=[f"p{i}" for i in N])),
    ),
    "ids of numbers": (
        "ok",
        "column 'customer_id' holds ids (numbers that never repeat), and is set aside",
        "a.csv",
        text(table(customer_id=N[::-1] * 31 + 7)),
    ),
    "ids that are kept": (
        "ok",
        "",
        "a.csv",
        text(table(customer_id=N[::-1] * 31 + 7)),
        "--keep",
        "customer_id",
    ),
    "counter": (
        "ok",
        "counts from 1, like a row number",
        "a.csv",
        text(table(z=(N * 7) % 20 + 1)),
    ),
    "class of numbers": (
        "ok",
        "column 'target' looks like the class (--drop target)",
        "a.csv",
        text(table(target=N // 10)),
    ),
    "class of text": (
        "refused",
        "'species' is not numeric",
        "a.csv",
        text(table(species=GROUP)),
    ),
    "class dropped": (
        "ok",
        "",
        "a.csv",
        text(table(species=GROUP)),
        "--drop",
        "species",
    ),
    "constant": ("ok", "column 'z' is constant", "a.csv", text(table(z=5))),
    "two constants": ("ok", "columns 'z', 'w' are constant", "a.csv", text(table(z=5, w=6))),
    "sentinel": ("ok", "holds -999 once", "a.csv", text(table(z=np.where(N, X[:, 0], -999)))),
    "outlier": (
        "ok",
        "an extreme value, 1e+08",
        "a.csv",
        text(table(z=np.where(N, X[:, 0], 1e8))),
    ),
    "scales": ("ok", "", "a.csv", text(table(z=1e6 * X[:, 0]))),
    "scales kept": (
        "ok",
        "scales differ by a factor of",
        "a.csv",
        text(table(z=1e6 * X[:, 0])),
        "--scale",
        "none",
    ),
    "repeated rows": (
        "ok",
        "3 rows repeat others",
        "a.csv",
        text(pd.concat([table(), table()[:3]])),
    ),
    "missing": (
        "refused",
        "column 'x' has 2 missing values, the first in row 4; fill them in by --impute median",
        "a.csv",
        text(holes()),
    ),
    "missing, with ids": (
        "refused",
        "the first in row 4 ('p3')",
        "a.csv",
        text(holes().assign(id=[f"p{i}" for i in N])[["id", "x", "y"]]),
    ),
    "missing, imputed": ("ok", "", "a.csv", text(holes()), "--impute", "median"),
    "missing as a word": ("ok", "", "a.csv", text(holes(), na_rep="NA"), "--impute", "mean"),
    "missing in text": (
        "ok",
        "may be the class",
        "a.csv",
        text(table(city=np.where(N == 4, "", CITY))),
        "--encode",
        "onehot",
        "--impute",
        "most_frequent",
    ),
    "an empty column": ("refused", "no value in 'z'", "a.csv", text(table(z=np.nan))),
    "categories": (
        "refused",
        "'city' is not numeric (e.g. 'Bern'); leave out what is not a feature: --drop city",
        "a.csv",
        text(table(city=CITY)),
    ),
    "categories, one-hot": (
        "ok",
        "may be the class",
        "a.csv",
        text(table(city=CITY)),
        "--encode",
        "onehot",
    ),
    "categories, ordinal": (
        "ok",
        "may be the class",
        "a.csv",
        text(table(city=CITY)),
        "--encode",
        "ordinal",
    ),
    "booleans": ("ok", "", "a.csv", text(table(seen=N > 8))),
    "dates": (
        "ok",
        "",
        "a.csv",
        text(table(day=pd.Timestamp("2020-01-01") + pd.to_timedelta(N // 3, "D"))),
    ),
    "a stray word": ("refused", "(e.g. '?')", "a.csv", text(holes("y"), na_rep="?")),
    "samples as columns": ("ok", "", "a.csv", text(SAMPLES), "--transpose"),
    "clusterings": (
        "ok",
        "the 3 columns look like clusterings of the rows, not like features (consens combine)",
        "a.csv",
        text(pd.DataFrame({"a": N // 10, "b": 1 - N // 10, "c": N // 7})),
    ),
    "clusterings by name": (
        "refused",
        "not numeric",
        "a.csv",
        text(pd.DataFrame({"Anna": GROUP, "Ben": GROUP, "Cem": GROUP})),
    ),
    "infinite": (
        "refused",
        "infinite values in column 'z' (2 of 20, the first in row 3)",
        "a.csv",
        text(table(z=np.where(N // 2 == 1, np.inf, X[:, 0]))),
        "--impute",
        "median",
    ),
    "nested": ("refused", "column 'z'", "a.parquet", parquet(table(z=[{"u": 1}] * 20))),
    "huge": ("refused", "overflow", "a.csv", text(table(z=1e200 * X[:, 0])), "--scale", "none"),
    "empty": ("refused", "a.csv is empty", "a.csv", b""),
    "only a header": ("refused", "no rows", "a.csv", b"x,y\n"),
    "one row": ("refused", "minimum of 2", "a.csv", b"x,y\n1,2.5\n"),
    "ragged": ("refused", "line 3", "a.csv", b"x,y\n1,2.5\n1,2,3\n"),
    "the same name twice": ("refused", "more than one column", "a.csv", b"x,x\n1,2.5\n3,4.5\n"),
    "not what it says": ("refused", "not a parquet file", "a.parquet", text()),
    "unknown format": ("refused", "unknown suffix '.doc'", "a.doc", text()),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(shell, tmp_path, case):
    outcome, words, name, content, *options = CASES[case]
    (tmp_path / name).write_bytes(content)
    done = shell("cluster", name, "-k", 2, "--members", 4, *options)
    lines = done.err.splitlines()
    notes = [line for line in lines if line.startswith("note: ")]
    if outcome == "ok":
        assert done.code == 0, done.err
        assert (len(notes) == 1) == bool(words), notes
        assert words in "".join(notes)
        assert done.out.startswith(f"{23 if 'repeated' in case else 20} objects in 2 clusters")
    else:
        assert done.code == 1, done.err
        assert done.out == ""
        assert lines[-1].startswith("error: ")
        assert len(lines) == len(notes) + 1
        assert words in lines[-1]


def test_there_are_enough():
    assert len(CASES) >= 40


def test_nested_columns_are_named(shell, tmp_path):
    frame = pd.DataFrame({"size": range(6), "more": [{"x": 1}] * 3 + [{"x": 2}] * 3})
    frame.to_parquet("nested.parquet")
    done = shell("cluster", "nested.parquet", "-k", 2)
    assert done.err.splitlines()[-1].startswith(
        "error: nested.parquet: column 'more' is not numeric"
    )
