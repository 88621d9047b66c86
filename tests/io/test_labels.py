"""Label tables: every column but the id is a clustering."""

import numpy as np
import pandas as pd
import pytest

from consens.io import read_labels


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def cells(table):
    """Columns as plain lists, missing cells as None."""
    return {
        name: [None if pd.isna(cell) else cell for cell in column]
        for name, column in table.labels.items()
    }


def test_integers_with_gaps_stay_integers(tmp_path):
    table = read_labels(written(tmp_path / "a.csv", "id,p,q\nx,1,2\ny,,2\nz,3,-1\n"))
    assert cells(table) == {"p": [1, None, 3], "q": [2, 2, -1]}
    assert list(map(str, table.labels.dtypes)) == ["Int64", "Int64"]
    assert table.ids == ["x", "y", "z"]


@pytest.mark.parametrize("cell", ["", "NA", "N/A", "#N/A", "NaN", "nan", "null", "None", "<NA>"])
def test_spellings_of_missing(tmp_path, cell):
    table = read_labels(written(tmp_path / "a.csv", f"id,p,q\nx,1,a\ny,{cell},{cell}\n"))
    assert cells(table) == {"p": [1, None], "q": ["a", None]}


def test_text_numbers_and_booleans(tmp_path):
    text = "id,p,q,r\nx,red,true,1\ny,blue,false,b\nz,red,true,1\n"
    assert cells(read_labels(written(tmp_path / "a.csv", text))) == {
        "p": ["red", "blue", "red"],
        "q": [True, False, True],
        "r": ["1", "b", "1"],
    }


def test_whole_numbers_written_as_reals(tmp_path):
    frame = pd.DataFrame({"p": [1, None, 2], "q": [0, 1, 1]})  # pandas makes p real
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    np.save(tmp_path / "a.npy", frame.to_numpy())
    for name in ("a.csv", "a.parquet", "a.npy"):
        table = read_labels(tmp_path / name)
        assert list(cells(table).values()) == [[1, None, 2], [0, 1, 1]]


def test_real_values_are_features(tmp_path):
    path = written(tmp_path / "a.csv", "a,b\n1,0.5\n2,1.5\n")
    with pytest.raises(ValueError, match=r"holds real values \(e.g. 0.5\).*ConsensusClustering"):
        read_labels(path)
    path = written(tmp_path / "b.csv", "a,b\n1,inf\n2,1\n")
    with pytest.raises(ValueError, match="'b' holds real values"):
        read_labels(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_text_that_repeats_in_front_is_a_clustering(tmp_path, suffix):
    frame = pd.DataFrame({"p": ["u", "v", "u"], "q": ["a", "a", "b"]})
    path = tmp_path / f"a{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    table = read_labels(path)
    assert cells(table) == {"p": ["u", "v", "u"], "q": ["a", "a", "b"]}
    assert list(table.ids) == [0, 1, 2]


def test_ids_of_which_one_is_repeated_are_refused(tmp_path):
    rows = "".join(f"x{i % 19},1\n" for i in range(20))
    with pytest.raises(ValueError, match="ids in column 'p' are not distinct.*id_column=False"):
        read_labels(written(tmp_path / "a.csv", f"p,q\n{rows}"))


def test_parquet_keeps_its_own_missing_cells(tmp_path):
    frame = pd.DataFrame(
        {
            "id": ["x", "y", "z"],
            "p": pd.Categorical(["NA", None, "b"]),
            "q": pd.array([1, None, 2], dtype="Int64"),
            "r": ["a", None, "a"],
        }
    )
    frame.to_parquet(tmp_path / "a.parquet")
    assert cells(read_labels(tmp_path / "a.parquet")) == {
        "p": ["NA", None, "b"],
        "q": [1, None, 2],
        "r": ["a", None, "a"],
    }


def test_npy_of_text(tmp_path):
    np.save(tmp_path / "a.npy", np.array([["u", "a"], ["v", "a"], ["u", "b"]]))
    table = read_labels(tmp_path / "a.npy")
    assert cells(table) == {"column1": ["u", "v", "u"], "column2": ["a", "a", "b"]}


def test_dates_are_names_like_any_other(tmp_path):
    path = written(tmp_path / "a.csv", "id,p\nx,2020-01-01\ny,2020-01-02\n")
    assert cells(read_labels(path)) == {"p": ["2020-01-01", "2020-01-02"]}


def test_drop(tmp_path):
    path = written(tmp_path / "a.csv", "id,p,age\nx,1,0.5\ny,2,1.5\n")
    assert cells(read_labels(path, drop=["age"])) == {"p": [1, 2]}


def test_a_column_without_any_label_stays(tmp_path):
    path = written(tmp_path / "a.csv", "id,p,q\nx,1,\ny,2,\n")
    assert cells(read_labels(path)) == {"p": [1, 2], "q": [None, None]}


def test_numbers_that_never_repeat_are_ids(tmp_path):
    """They say nothing as a clustering, and customers have numbers."""
    rows = [f"{100 + 7 * i};{'AB'[i % 2]};{'ab'[i % 2]}" for i in range(12)]
    path = written(tmp_path / "a.csv", "\n".join(["Kundennr;anna;ben", *rows]))
    table = read_labels(path)
    assert table.id_column == "Kundennr"
    assert table.ids[:2] == ["100", "107"]
    assert list(table.labels) == ["anna", "ben"]
    for options in ({"id_column": False}, {"columns": ["*"]}):
        assert list(read_labels(path, **options).labels) == ["Kundennr", "anna", "ben"]
    assert read_labels(path, drop=["Kundennr"]).id_column is None
    few = written(tmp_path / "b.csv", "\n".join(["one;two", *("1;1", "2;1", "3;2")]))
    assert list(read_labels(few).labels) == ["one", "two"]
