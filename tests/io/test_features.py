"""Feature tables: what is read, and what is refused with which words."""

import numpy as np
import pandas as pd
import pytest

from consens import TableFeatures
from consens.io import read_labels, read_table

from ._features import read_features

X = np.array([[5.1, 3.5], [4.9, 3.0], [6.2, 2.9]])


@pytest.fixture
def frame():
    return pd.DataFrame(X, columns=["length", "width"])


def written(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("commas.csv", "length,width\n5.1,3.5\n4.9,3.0\n6.2,2.9\n"),
        ("semicolons.csv", "length;width\n5.1;3.5\n4.9;3.0\n6.2;2.9\n"),
        ("decimal comma.csv", "length;width\n5,1;3,5\n4,9;3,0\n6,2;2,9\n"),
        ("tabs.csv", "length\twidth\n5.1\t3.5\n4.9\t3.0\n6.2\t2.9\n"),
        ("tabs.tsv", "length\twidth\n5.1\t3.5\n4.9\t3.0\n6.2\t2.9\n"),
        ("bom.csv", b"\xef\xbb\xbflength,width\n5.1,3.5\n4.9,3.0\n6.2,2.9\n"),
        ("windows.csv", "length,width\r\n5.1,3.5\r\n4.9,3.0\r\n6.2,2.9\r\n"),
        ("quotes.csv", '"length","width"\n"5.1","3.5"\n"4.9","3.0"\n"6.2","2.9"\n'),
        ("blanks.csv", "\nlength, width\n5.1, 3.5\n\n4.9, 3.0\n6.2, 2.9"),
        ("UPPER.CSV", "length,width\n5.1,3.5\n4.9,3.0\n6.2,2.9\n"),
    ],
)
def test_text_dialects(tmp_path, name, text):
    table = read_features(written(tmp_path / name, text))
    np.testing.assert_array_equal(table.X, X)
    assert table.columns == ["length", "width"]
    assert table.id_column is None
    assert list(table.ids) == [0, 1, 2]


def test_a_long_file_with_its_only_text_far_down(tmp_path):
    rows = [f"{i},{i}.5" for i in range(20_000)] + ["x,1"]
    table = read_features(written(tmp_path / "a.csv", "id,b\n" + "\n".join(rows)))
    assert table.id_column == "id"
    assert table.X.shape == (20_001, 1)
    assert table.ids[-1] == "x"


def test_parquet_and_npy(tmp_path, frame):
    frame.to_parquet(tmp_path / "a.parquet")
    np.save(tmp_path / "a.npy", X)
    for name in ("a.parquet", "a.npy"):
        table = read_features(tmp_path / name)
        np.testing.assert_array_equal(table.X, X)
        assert list(table.ids) == [0, 1, 2]


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", ">f8", "int8", "uint64", "bool"]
)
def test_npy_of_any_numbers(tmp_path, dtype):
    values = np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype)
    np.save(tmp_path / "a.npy", values)
    table = read_features(tmp_path / "a.npy")
    np.testing.assert_array_equal(table.X, [[1, 0], [0, 1], [1, 1]])
    assert table.X.dtype == np.float64


def test_npy_vector_is_one_feature(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(4.0))
    assert read_features(tmp_path / "a.npy").X.shape == (4, 1)


# ids


@pytest.mark.parametrize(
    ("text", "column", "ids"),
    [
        ("name,a\nx,1\ny,2\n", "name", ["x", "y"]),
        ("id,a\n007,1\n008,2\n", "id", ["007", "008"]),
        ("Index,a\n7,1\n8,2\n", "Index", ["7", "8"]),
        (",a\n7,1\n8,2\n", "column1", ["7", "8"]),
        (",0,1\n7,1,5\n8,2,5\n", "column1", ["7", "8"]),
        ("day,a\n2020-01-01,1\n2020-01-02,2\n", "day", ["2020-01-01", "2020-01-02"]),
        ("ion,a\nNA,1\nCl,2\n", "ion", ["NA", "Cl"]),
        ('name,a\n"x,1",1\n"y\nz",2\n', "name", ["x,1", "y\nz"]),
    ],
)
def test_first_column_as_id(tmp_path, text, column, ids):
    table = read_features(written(tmp_path / "a.csv", text))
    assert table.id_column == column
    assert table.ids == ids
    assert table.X.shape[0] == 2


def test_id_by_name_keeps_its_text(tmp_path):
    path = written(tmp_path / "a.csv", "a,key,b\n1,01,2\n3,02,4\n")
    table = read_features(path, id_column="key")
    assert table.ids == ["01", "02"]
    assert table.columns == ["a", "b"]


def test_no_id(tmp_path):
    path = written(tmp_path / "a.csv", "id,a\n1,2\n1,4\n")
    table = read_features(path, id_column=False)
    assert table.columns == ["id", "a"]


def test_index_of_a_stored_frame_is_the_id(tmp_path, frame):
    frame.set_axis(pd.Index([10, 20, 30], name="key")).to_parquet(tmp_path / "a.parquet")
    table = read_features(tmp_path / "a.parquet")
    assert table.id_column == "key"
    assert table.ids == ["10", "20", "30"]
    assert table.columns == ["length", "width"]


def test_first_text_column_of_parquet_is_the_id(tmp_path, frame):
    frame.insert(0, "key", pd.Categorical(["a", "b", "c"]))
    frame.to_parquet(tmp_path / "a.parquet")
    assert read_features(tmp_path / "a.parquet").ids == ["a", "b", "c"]


@pytest.mark.parametrize("option", [None, "id"])
def test_repeated_ids(tmp_path, option):
    path = written(tmp_path / "a.csv", "id,a\nx,1\ny,2\nx,3\n")
    table = read_table(path, id_column=option)
    assert table.ids == ["x", "y", "x"]
    assert table.notes == ["1 id occurs more than once in column 'id', such as 'x'"]
    with pytest.raises(ValueError, match=r"ids in column 'id' are not distinct, 'x' occur") as e:
        read_labels(path, id_column=option)
    assert ("id_column=False" in str(e.value)) == (option is None)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_rows_that_occur_twice(tmp_path, suffix):
    frame = pd.DataFrame({"name": ["x", "y", "z", "u", "v", "x"], "a": [1, 2, 3, 4, 5, 1]})
    path = tmp_path / f"a{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    table = read_table(path)
    assert table.id_column == "name"
    assert table.notes[0] == (
        "column 'name' comes first and hardly repeats, so it is taken for ids "
        "(id_column=False uses it)"
    )
    assert table.notes[1] == (
        "1 row repeats another in all columns (drop_duplicates=True leaves it out)"
    )
    table = read_table(path, drop_duplicates=True)
    assert table.ids == ["x", "y", "z", "u", "v"]
    assert table.notes[1:] == ["1 row repeats another in all columns and is left out"]
    assert len(read_labels(path, drop_duplicates=True).labels) == 5


def test_missing_id(tmp_path):
    frame = pd.DataFrame({"key": ["a", None], "b": [1, 2]})
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="row 2 has no id in column 'key'"):
        read_features(tmp_path / "a.parquet")


# headers


def test_without_header(tmp_path):
    path = written(tmp_path / "a.csv", "5.1,3.5\n4.9,3.0\n6.2,2.9\n")
    with pytest.raises(ValueError, match=r"first line \(5.1, 3.5\) may be column names or data"):
        read_features(path)
    table = read_features(path, header=False)
    np.testing.assert_array_equal(table.X, X)
    assert table.columns == ["column1", "column2"]
    assert read_features(path, header=True).columns == ["5.1", "3.5"]


def test_without_header_with_ids(tmp_path):
    path = written(tmp_path / "a.csv", "x,5.1,3.5\ny,4.9,3.0\nz,6.2,2.9\n")
    with pytest.raises(ValueError, match="give header=True if it names the columns"):
        read_features(path)
    table = read_features(path, header=False)
    assert table.ids == ["x", "y", "z"]
    np.testing.assert_array_equal(table.X, X)


def test_repeated_column_names(tmp_path):
    path = written(tmp_path / "a.csv", "a,b,a\n1,2,3\n4,5,6\n")
    with pytest.raises(ValueError, match="more than one column is called 'a'.*header=False"):
        read_features(path)


# columns that are no features


def test_text_columns_are_named_with_the_way_out(tmp_path):
    path = written(tmp_path / "a.csv", "id,a,site,my kind\nx,1,n,u\ny,2,s,v\n")
    with pytest.raises(ValueError, match="columns 'site', 'my kind' are not numeric") as e:
        TableFeatures().fit(read_table(path).frame)
    assert "table.drop(columns=['site', 'my kind'])" in str(e.value)
    assert read_features(path, drop=["site", "my kind"]).columns == ["a"]


def test_a_question_mark_among_numbers_is_shown(tmp_path):
    path = written(tmp_path / "a.csv", "a,b\n1,2\n3,?\n")
    with pytest.raises(ValueError, match=r"column 'b' is not numeric \(e.g. '\?'\)"):
        TableFeatures().fit(read_table(path).frame)


def test_drop_an_unknown_column(tmp_path):
    path = written(tmp_path / "a.csv", "a,b\n1,2\n3,4\n")
    with pytest.raises(ValueError, match="no column 'c'; its columns are 'a', 'b'"):
        read_features(path, drop=["c"])
    with pytest.raises(ValueError, match="no column 'c'"):
        read_features(path, id_column="c")
    with pytest.raises(ValueError, match="no columns other than"):
        read_features(path, drop=["a", "b"])


@pytest.mark.parametrize("cell", ["", "NA", "nan", "NaN"])
def test_missing_values_name_the_column(tmp_path, cell):
    path = written(tmp_path / "a.csv", f"a,b,c\n1,2,{cell}\n3,{cell},1\n")
    with pytest.raises(ValueError, match=r"column 'b' has 1 missing .* row 2; .* also in 'c'"):
        TableFeatures().fit(read_table(path).frame)


@pytest.mark.parametrize("cell", ["inf", "-inf", "1e999"])
def test_infinite_values_name_the_column(tmp_path, cell):
    path = written(tmp_path / "a.csv", f"a,b\n1,2\n3,{cell}\n")
    with pytest.raises(ValueError, match=r"infinite values in column 'b' .* the first in row 2"):
        TableFeatures().fit(read_table(path).frame)


def test_missing_values_in_npy(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1.0, np.nan], [2.0, 3.0]]))
    with pytest.raises(ValueError, match="column 'column2' has 1 missing"):
        TableFeatures().fit(read_table(tmp_path / "a.npy").frame)


# files that are not what they should be


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file: .*a.csv"):
        read_features(tmp_path / "a.csv")


def test_a_folder(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_features(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.xls", "a.pkl.gz", "a.pkl", "a"])
def test_unknown_suffix(tmp_path, name):
    with pytest.raises(ValueError, match=r"known are .*\.csv, \.tsv, \.txt"):
        read_features(written(tmp_path / name, "a,b\n1,2\n"))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".npy"])
def test_empty_file(tmp_path, suffix):
    with pytest.raises(ValueError, match="is empty"):
        read_features(written(tmp_path / f"a{suffix}", ""))


def test_nothing_but_blank_lines(tmp_path):
    with pytest.raises(ValueError, match="is empty"):
        read_features(written(tmp_path / "a.csv", " \n\n"))


def test_names_but_no_rows(tmp_path, frame):
    with pytest.raises(ValueError, match="has no rows"):
        read_features(written(tmp_path / "a.csv", "a,b\n"))
    frame.iloc[:0].to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="has no rows"):
        read_features(tmp_path / "a.parquet")
    np.save(tmp_path / "a.npy", np.empty((0, 3)))
    with pytest.raises(ValueError, match="has no rows"):
        read_features(tmp_path / "a.npy")


def test_files_under_a_foreign_suffix(tmp_path, frame):
    frame.to_parquet(tmp_path / "p.parquet")
    np.save(tmp_path / "n.npy", X)
    parquet, npy = (tmp_path / "p.parquet").read_bytes(), (tmp_path / "n.npy").read_bytes()
    text = b"a,b\n1,2\n3,4\n"
    cases = [
        ("x.csv", parquet, "but is a parquet file"),
        ("x.tsv", npy, "but is an npy file"),
        ("x.csv", b"PK\x03\x04rest", "a zip archive or a spreadsheet"),
        ("x.csv", b"\x1f\x8brest", "compressed by gzip"),
        ("x.csv.gz", text, "not a .gz file, or a damaged one"),
        ("x.xlsx", text, "not an xlsx file, or a damaged one"),
        ("x.csv", b"a,b\n1\x00,2\n", "binary data"),
        ("x.tsv", text, "separated by ','; rename it to .csv"),
        ("x.parquet", text, "not a parquet file, or a damaged one"),
        ("x.parquet", parquet[:-20], "not a parquet file, or a damaged one"),
        ("x.npy", text, "not an npy file, or a damaged one"),
        ("x.npy", npy[:-8], "not an npy file, or a damaged one"),
        ("x.npy", npy[:20], "not an npy file, or a damaged one"),
    ]
    for name, content, words in cases:
        with pytest.raises(ValueError, match=words):
            read_features(written(tmp_path / name, content))


def test_pickles_are_never_opened(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1, "x"], [2, None]], dtype=object))
    with pytest.raises(ValueError, match="holds Python objects, which only pickle could read"):
        read_features(tmp_path / "a.npy")
    np.savez(tmp_path / "b.npz", X)
    (tmp_path / "b.npz").rename(tmp_path / "b.npy")
    with pytest.raises(ValueError, match="not an npy file"):
        read_features(tmp_path / "b.npy")


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((2, 2, 2)), "2 dimensions, got 3"),
        (np.array(1.0), "2 dimensions, got 0"),
        (np.ones((2, 2), dtype=complex), "numbers or text, got complex128"),
        (np.zeros(3, dtype=[("a", int)]), "numbers or text"),
    ],
)
def test_npy_of_another_form(tmp_path, array, words):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ValueError, match=words):
        read_features(tmp_path / "a.npy")


def test_ragged_lines_tell_where(tmp_path):
    path = written(tmp_path / "a.csv", "a,b\n1,2\n3,4,5\n6,7\n")
    with pytest.raises(ValueError, match="line 3 has 3 cells, the first line 2"):
        read_features(path)


def test_other_encodings(tmp_path):
    path = written(tmp_path / "a.csv", "name,a\nMünchen,1\nUlm,2\n".encode("latin-1"))
    assert read_features(path).ids == ["München", "Ulm"]
    rows = "".join(f"s{i},1\n" for i in range(20_000)) + "München,1\n"  # far below the sample
    path = written(tmp_path / "a.csv", ("name,a\n" + rows).encode("latin-1"))
    assert read_features(path).ids[-1] == "München"


def test_a_quote_that_is_never_closed(tmp_path):
    path = written(tmp_path / "a.csv", 'name,a\nx,1\ny,2\n"z,3\nu,4\n')
    with pytest.raises(ValueError, match="a quoted cell is never closed|line 4 has 1 cells"):
        read_features(path)
    path = written(tmp_path / "a.csv", 'a,name\n1,x\n2,"y\n3,z\n')
    with pytest.raises(ValueError, match="a quoted cell is never closed"):
        read_features(path, id_column="name")
