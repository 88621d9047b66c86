"""Exports as companies have them: what the shell reads from them, and what it says."""

import json
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from consens.io import read_table

N = np.arange(30)
RUN = ["-k", 2, "--members", 4]


def rows(*columns, sep=";"):
    return "".join(sep.join(map(str, cells)) + "\n" for cells in zip(*columns, strict=True))


def amounts():
    """Two groups of amounts, in German form."""
    values = np.where(N % 2, 12_000.0, 800.0) + N
    return [f"{v:,.2f}".replace(",", "g").replace(".", ",").replace("g", ".") for v in values]


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        ("1.012,57 1,50", 1012.57),
        ("1,012.57 1.50", 1012.57),
        ("1'012.57 1.50", 1012.57),
        ("€1.012,57 €1,50", 1012.57),
        ("12,5% 3%", 12.5),
    ],
)
@pytest.mark.parametrize("sep", [";", "\t"])
def test_forms_of_numbers(tmp_path, cells, value, sep):
    first, second = cells.split()
    (tmp_path / "a.csv").write_text(f"name{sep}v\nx{sep}{first}\ny{sep}{second}\n")
    table = read_table(tmp_path / "a.csv")
    assert table.frame["v"][0] == value
    assert f"column 'v' is read as numbers: {first!r} as {value:g}" in table.notes


def test_spaces_as_thousands_separators(tmp_path):
    (tmp_path / "a.csv").write_text("name;v\nx;1 012,57\ny;3,5\n")
    assert read_table(tmp_path / "a.csv").frame["v"].tolist() == [1012.57, 3.5]


def test_quoted_thousands_in_a_comma_separated_file(tmp_path):
    (tmp_path / "a.csv").write_text('name,v,w\nx,"1,012","$2,500"\ny,"3,456",$10\n')
    frame = read_table(tmp_path / "a.csv").frame
    assert frame["v"].tolist() == [1012, 3456]
    assert frame["w"].tolist() == [2500, 10]


def test_points_between_thousands_are_asked_about(tmp_path):
    whole = [f"{n}.250" if n % 3 else 250 + n for n in range(1, 31)]
    (tmp_path / "a.csv").write_text("sum;x\n" + rows(whole, N))
    with pytest.raises(ValueError, match=r"'sum' holds numbers such as '1.250', .* decimal="):
        read_table(tmp_path / "a.csv")
    assert read_table(tmp_path / "a.csv", decimal=",").frame["sum"][0] == 1250
    assert read_table(tmp_path / "a.csv", decimal=".").frame["sum"][0] == 1.25
    (tmp_path / "a.csv").write_text("sum;x\n" + rows(whole, [f"{n},5" for n in N]))
    table = read_table(tmp_path / "a.csv")
    assert table.frame["sum"][0] == 1250
    assert table.dialect == (";", ",")
    fixed = [f"{n}.250" for n in range(1, 31)]  # three digits everywhere: no thousands
    (tmp_path / "a.csv").write_text("sum;x\n" + rows(fixed, N))
    assert read_table(tmp_path / "a.csv").frame["sum"][0] == 1.25


def test_amounts_are_features_and_the_result_has_the_form_of_the_input(shell, tmp_path):
    (tmp_path / "a.csv").write_text("Kundennr;Umsatz\n" + rows(N * 7 + 4000, amounts()))
    done = shell("cluster", "a.csv", *RUN)
    assert done.code == 0, done.err
    assert "note: column 'Umsatz' is read as numbers: '12.001,00' as 12001" in done.err
    summary = json.loads(Path("a-consens/summary.json").read_text())
    assert summary["n_features"] == 1
    lines = Path("a-consens/labels.csv").read_text().splitlines()
    assert lines[0] == "Kundennr;label;confidence"
    assert lines[1].startswith("4000;")
    found = pd.read_csv("a-consens/labels.csv", sep=";", decimal=",")
    assert found["confidence"].between(0, 1).all()
    assert found["label"].tolist() == (N % 2 if found["label"][1] else 1 - N % 2).tolist()
    done = shell("measure", "a-consens/labels.csv", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["clusterings"][0]["clustering"] == "label"


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M"])
def test_dates_are_days(tmp_path, form):
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(N * 5, "D")
    (tmp_path / "a.csv").write_text("x;day\n" + rows(N / 7, days.strftime(form)))
    assert read_table(tmp_path / "a.csv").frame["day"].tolist() == days.tolist()


def test_ambiguous_dates_are_asked_about(shell, tmp_path):
    days = [f"0{1 + n % 4}/0{1 + n % 7}/2024" for n in N]
    (tmp_path / "a.csv").write_text("x;day\n" + rows(N / 7, days))
    done = shell("cluster", "a.csv", *RUN)
    assert done.code == 1
    assert "give --day-first or --month-first" in done.err
    for option in ("--day-first", "--month-first"):
        assert shell("cluster", "a.csv", *RUN, option).code == 0
    assert shell("cluster", "--config", "a-consens/config.toml", "-o", "b").code == 0
    first, second = (Path(name, "labels.csv").read_bytes() for name in ("a-consens", "b"))
    assert first == second


def test_dates_and_serial_numbers_in_spreadsheets(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["id", "day", "amount", "text"])
    book.active.append(["a", pd.Timestamp("2024-03-01"), 5.5, "1.012,57 €"])
    book.active.append(["b", 45352, 7, "3,50 €"])  # the same day, without its format
    book.active.append(["c", None, None, None])
    book.save(tmp_path / "a.xlsx")
    frame = read_table(tmp_path / "a.xlsx").frame
    assert frame["day"].tolist()[:2] == [pd.Timestamp("2024-03-01")] * 2
    assert frame["day"].isna().tolist() == [False, False, True]
    assert frame["amount"].tolist()[:2] == [5.5, 7]
    assert frame["text"].tolist()[:2] == [1012.57, 3.5]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-8", "utf-8-sig", "utf-16"])
def test_accents_in_the_header_alone(shell, tmp_path, encoding):
    text = "Rückgabequote;Größe\n" + rows(N % 2 * 9 + N / 50, N % 3)
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    done = shell("info", "a.csv", "--json")
    assert json.loads(done.out)["columns"] == ["Rückgabequote", "Größe"]
    notes = read_table(tmp_path / "a.csv").notes
    assert bool(notes) == (encoding in ("cp1252", "latin-1"))


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", "Straße Prénom naïve año Größe café"),
        ("cp1251", "Город Возраст Доход Клиент Москва Санкт-Петербург Имя Фамилия"),
        ("cp1250", "Województwo Łódź Kraków Gdańsk śląskie źródło"),
    ],
)
def test_encodings_are_detected(tmp_path, encoding, words):
    cells = words.split()
    text = "wort,x\n" + "".join(f"{word},{i}\n" for i, word in enumerate(cells))
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    table = read_table(tmp_path / "a.csv")
    assert table.ids == cells
    assert "encoding= names another" in table.notes[0]


def test_codes_for_missing_values(shell, tmp_path):
    values = np.where(N % 10 == 3, -999, N % 2 * 9 + N / 50)
    second = np.where(N == 5, "unknown", N % 2)
    text = "x;y\n" + rows(values, second)
    (tmp_path / "a.csv").write_text(text)
    done = shell("cluster", "a.csv", *RUN)
    assert done.code == 1
    assert "holds numbers except" not in done.err  # two values are too few to judge
    done = shell("cluster", "a.csv", *RUN, "--drop", "y")
    assert "column 'x' holds -999 3 times, like a missing value (--na -999)" in done.err
    run = ["--na", "-999", "--na", "unknown", "--impute", "median"]
    done = shell("cluster", "a.csv", *RUN, *run)
    assert done.code == 0, done.err
    assert "-999" not in done.err
    frame = read_table(tmp_path / "a.csv", na=["-999", "unknown"]).frame
    assert frame.isna().sum().tolist() == [3, 1]
    frame.fillna({"x": -999}).to_parquet(tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet", na=["-999"]).frame["x"].isna().sum() == 3


def test_ids_stay_ids_when_rows_occur_twice(shell, tmp_path):
    text = rows(N * 7 + 4000, N % 2 * 9 + N / 50, N % 3 + 0.5)
    twice = "".join(text.splitlines(keepends=True)[:2])
    (tmp_path / "a.csv").write_text("Kunde;x;y\n" + text + twice)
    done = shell("cluster", "a.csv", *RUN, "--id", "Kunde")
    assert done.code == 0, done.err
    assert "2 rows repeat others in all columns (--drop-duplicates leaves" in done.err
    done = shell("cluster", "a.csv", *RUN, "--id", "Kunde", "--drop-duplicates", "--json")
    assert json.loads(done.out)["n_objects"] == 30


@pytest.mark.parametrize("name", ["customer_id", "Kundennr", "Account Number"])
def test_ids_are_found_by_their_names_when_rows_occur_twice(shell, tmp_path, name):
    text = rows(N * 7 + 4000, N % 2 * 9 + N / 50, N % 3 + 0.5)
    twice = "".join(text.splitlines(keepends=True)[:2])
    (tmp_path / "a.csv").write_text(f"{name};x;y\n" + text + twice)
    done = shell("cluster", "a.csv", *RUN, "--json")
    assert json.loads(done.out)["n_features"] == 2
    assert json.loads(done.out)["id_column"] == name
    assert "2 rows repeat others" in done.err


def test_text_with_many_values_is_left_out_with_a_note(shell, tmp_path):
    n = np.arange(120)
    text = "x;street\n" + rows(n % 2 * 9 + n / 99, [f"street {i // 2}" for i in n])
    (tmp_path / "a.csv").write_text(text)
    done = shell("cluster", "a.csv", *RUN, "--encode", "onehot", "--json")
    assert done.code == 0, done.err
    assert "column 'street' holds text with more than 50 values and is left out" in done.err
    assert json.loads(done.out)["n_features"] == 1
    done = shell("cluster", "a.csv", *RUN, "--encode", "frequency", "--json")
    assert json.loads(done.out)["n_features"] == 2


@pytest.mark.parametrize("scale", ["robust", "log", "auto"])
def test_scaling_choices(shell, tmp_path, scale):
    values = np.exp(N % 2 * 4 + (N % 10 == 1) * 2 + N / 60)
    (tmp_path / "a.csv").write_text("x;y\n" + rows(values, N % 2 * 5 + N / 60))
    done = shell("cluster", "a.csv", *RUN, "--scale", scale, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["scale"] == scale
    assert ("log(1 + x) is used for" in done.err) == (scale != "robust")
