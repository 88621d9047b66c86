"""Tables as programs export them: what is around, between and below the cells."""

from datetime import datetime

import numpy as np
import openpyxl
import pandas as pd
import pytest

from consens.io import read_labels, read_table

ROWS = [f"{i};{i + 0.5};{'AB'[i % 2]}" for i in range(12)]
HEAD = "size;weight;kind"


def read(path, *lines, encoding="utf-8", **options):
    path.write_bytes(("\n".join(lines) + "\n").encode(encoding))
    return read_table(path, **options)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.csv"


@pytest.mark.parametrize(
    ("above", "note"),
    [
        (["Sales in May"], "the first line is not part of the table and left out: 'Sales in May'"),
        (["Report;;", "May 2024;;", ""], "the first 3 lines are not part of the table and left"),
        (["# made by a program; on Monday"], "the first line is not part of the table"),
        (["sep=;"], "left out: 'sep='"),
        (["", ""], ""),
    ],
)
def test_lines_above_the_header(path, above, note):
    table = read(path, *above, HEAD, *ROWS)
    assert table.frame.columns.tolist() == ["size", "weight", "kind"]
    assert len(table.frame) == 12
    assert len(table.notes) == bool(note)
    assert note in "".join(table.notes)
    assert read(path, HEAD, *ROWS, header=True).notes == []


def test_row_names_of_r_are_no_title(path):
    table = read(path, "x;y", *(f"r{i};{i};{i}" for i in range(12)))
    assert table.ids[0] == "r0"
    assert table.frame["x"].tolist() == list(range(12))


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (f"{HEAD};", [f"{row};" for row in ROWS]),
        (HEAD, [f"{row};" for row in ROWS]),
        (f";{HEAD}", [f";{row}" for row in ROWS]),
    ],
)
def test_separators_at_the_ends_of_lines(path, header, rows):
    """An empty column without a name is not data, and moves no other."""
    table = read(path, header, *rows)
    assert table.frame.columns.tolist() == ["size", "weight", "kind"]
    assert table.frame["weight"].tolist() == [i + 0.5 for i in range(12)]
    assert table.id_column is None


def test_rows_without_a_value(path):
    table = read(path, HEAD, *ROWS, ";;", " ; ;")
    assert len(table.frame) == 12
    assert table.notes == ["2 rows are empty and left out"]
    path.write_text("a;b\n1;2\n;\n1;3\n")
    assert len(read_labels(path).labels) == 3  # an object without labels is an object


def test_spaces_around_cells(path):
    table = read(path, "a, b, kind", *(f"{i}, {i}.5 , x{i % 2}" for i in range(12)), "12, , x0")
    assert table.frame["kind"].unique().tolist() == ["x0", "x1"]
    assert table.frame["b"].isna().sum() == 1


def test_bars_between_cells(path):
    assert read(
        path, HEAD.replace(";", "|"), *(r.replace(";", "|") for r in ROWS)
    ).frame.shape == (
        12,
        3,
    )


def test_bars_between_decimal_commas(path):
    table = read(path, "size|weight|kind", *(f"{i}|1.00{i % 10},5 €|x" for i in range(12)))
    assert table.frame["weight"][0] == 1000.5


@pytest.mark.parametrize("cell", ["Total", "7 %", "–", "3 $"])
def test_numbers_with_a_stray_are_no_ids(path, cell):
    table = read(path, "sales;x", *(f"{1000 + 37 * i} €;{i}" for i in range(12)), f"{cell};1")
    assert table.id_column is None
    assert "column 'sales' stays text: it holds numbers" in table.notes[0]


def test_ids_that_are_detected_are_named(path):
    table = read(path, "client;x", *(f"c{i};{i}" for i in range(12)))
    assert table.id_column == "client"
    assert "column 'client' comes first and hardly repeats" in table.notes[0]
    assert "(id_column=False uses it)" in table.notes[0]
    for known in ("id", ""):
        assert read(path, f"{known};x", *(f"c{i};{i}" for i in range(12))).notes == []


def test_columns_that_are_left_out_are_not_asked_about(path):
    rows = [f"{i};0{1 + i % 9}/0{1 + i % 7}/2024" for i in range(12)]
    with pytest.raises(ValueError, match="may be the day or the month"):
        read(path, "x;day", *rows)
    assert read(path, "x;day", *rows, drop=["day"]).notes == []


def test_points_that_may_separate_thousands_are_told(path):
    table = read(path, "x;y", *(f"{1 + i}.{100 + i};{i}" for i in range(12)))
    assert table.notes == ["column 'x' is read as numbers: '1.100' as 1.1, not 1100 (decimal=',')"]
    table = read(path, "x;y", *(f"{1 + i}.{100 + i};{i}" for i in range(12)), decimal=",")
    assert table.frame["x"][0] == 1100


def test_days_without_separators(path):
    days = pd.date_range("2021-01-05", periods=12, freq="17D")
    table = read(path, "x;day;size", *(f"{d.day};{d:%Y%m%d};{20210000 + d.day}" for d in days))
    assert table.frame["day"].tolist() == days.tolist()
    assert table.frame["size"].dtype == np.int64
    assert table.notes == ["column 'day' is read as dates: '20210105' as 2021-01-05"]
    times = days + pd.Timedelta(hours=15, minutes=7)
    table = read(path, "x;day", *(f"{d.day};{d:%Y%m%d%H%M%S}" for d in times))
    assert table.frame["day"].tolist() == times.tolist()
    assert table.notes == ["column 'day' is read as dates: '20210105150700' as 2021-01-05"]


@pytest.mark.parametrize("code", ["9999-12-31", "31.12.9999"])
def test_codes_of_missing_dates(path, code):
    rows = [f"{i};{f'2021-03-{i + 1:02d}' if i % 4 else code}" for i in range(12)]
    table = read(path, "x;day", *rows, na=["9999-12-31"])
    assert table.frame["day"].isna().sum() == 3
    table.frame.to_parquet(path.with_suffix(".parquet"))
    again = read_table(path.with_suffix(".parquet"), na=["2021-03-02"])
    assert again.frame["day"].isna().sum() == 4


def test_utf_16_without_a_mark(path):
    for encoding in ("utf-16-le", "utf-16-be"):
        assert read(path, HEAD, *ROWS, encoding=encoding).frame.shape == (12, 3)


def test_currency_signs_outside_of_ascii(path):
    """No word tells the language, and the amounts must not be lost."""
    rows = [f"k{i};1.{100 + i},50 €" for i in range(50)]
    table = read(path, "id;sales", *rows, encoding="cp1252")
    assert table.frame["sales"][0] == 1100.5


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", "où élève"),
        ("cp1252", "Año Dirección España"),
        ("cp1252", "São Região Município Informações"),
        ("cp1252", "Västerås Åre Malmö"),
        ("cp1252", "København Omsætning Ærø"),
        ("cp1252", "Città Età Libertà più"),
        ("cp1252", "Müller Peña Dupré Ångström"),
        ("cp1252", "Größe Österreich"),
        ("cp850", "Größe Überweisung Müller"),
        ("cp850", "Référence Orléans Nîmes"),
        ("mac_roman", "Größe Überweisung Müller"),
        ("mac_roman", "Västerås Göteborg Malmö Åre"),
        ("cp1250", "Wrocław Łódź Częstochowa"),
        ("iso8859_2", "Wrocław Wartość Częstochowa"),
        ("cp1250", "Győr Székesfehérvár Összeg"),
        ("cp1250", "Příjem Věk Plzeň Účet"),
        ("cp1254", "Müşteri Şehir Değer İzmir"),
        ("cp1257", "Šiauliai Klaipėda Panevėžys Žemaitija mėnuo ūkis"),
        ("koi8_r", "Москва Возраст Доход Город Казань"),
        ("cp1253", "Αθήνα Ηλικία Πόλη Θεσσαλονίκη"),
    ],
)
def test_words_of_a_language_tell_the_encoding(path, encoding, words):
    """With few words, the more frequent letters of other languages are more coherent."""
    known = words.split()
    rows = [f"{i};{known[i % len(known)]}" for i in range(24)]
    table = read(path, "x;word", *rows, encoding=encoding)
    assert table.frame["word"].tolist() == [known[i % len(known)] for i in range(24)]
    assert "encoding= names another" in table.notes[0]


def test_one_accent_in_a_long_file(path):
    table = read(path, "x;name", *(f"{i};word" for i in range(3000)), "7;ü", encoding="cp1252")
    assert table.frame["name"].iloc[-1] == "ü"


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp850", "cp437", "mac_roman"])
@pytest.mark.parametrize("names", ["Rückgabequote;Größe", "Numéro;Âge", "GRÖSSE;ÜBER"])
def test_accents_in_the_header_only(path, names, encoding):
    if (names, encoding) == ("Numéro;Âge", "cp437"):
        pytest.skip("cp437 has no Â")
    table = read(
        path, f"x;{names}", *(f"{i};{i + 0.5};{i % 2}" for i in range(12)), encoding=encoding
    )
    assert table.frame.columns.tolist() == ["x", *names.split(";")]
    assert names.split(";")[0] in table.notes[0]


def test_months(path):
    months = pd.date_range("2021-01-01", periods=12, freq="MS")
    for form in ("%Y-%m", "%m.%Y", "%m/%Y"):
        table = read(path, "x;month", *(f"{i};{m:{form}}" for i, m in enumerate(months)))
        assert table.frame["month"].tolist() == months.tolist()
    table = read(path, "x;y", *(f"{m};{m}.2021" for m in range(1, 13)))
    assert table.frame["y"][0] == 1.2021  # 1.2021 is a number, 01.2021 a month


# ------------------------------------------------------------------------------- spreadsheets


def spreadsheet(path, *sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, 1):
        sheet = book.create_sheet(f"Sheet{number}")
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


BODY = [["size", "weight", "day"]] + [[i, i / 2, datetime(2021, 1, 1 + i)] for i in range(12)]


def test_titles_and_empty_columns_in_a_spreadsheet(tmp_path):
    rows = [["Sales", None, None], [], *BODY]
    table = read_table(spreadsheet(tmp_path / "a.xlsx", [[None, *row] for row in rows]))
    assert table.frame.columns.tolist() == ["size", "weight", "day"]
    assert table.notes == ["the first line is not part of the table and left out: 'Sales'"]
    assert table.id_column is None


def test_sheets_that_are_not_read_are_named(tmp_path):
    path = spreadsheet(tmp_path / "a.xlsx", BODY, BODY)
    assert read_table(path).notes == ["the first sheet is read; there are also 'Sheet2' (array=)"]
    assert read_table(path, array="Sheet2").notes == []


def test_numbers_stored_as_text_beside_real_ones(tmp_path):
    cells = [i + 0.5 if i % 4 else f"1.{100 + i},50 €" for i in range(12)]
    rows = [["x", "y"], *([i, cell] for i, cell in enumerate(cells))]
    table = read_table(spreadsheet(tmp_path / "a.xlsx", rows))
    assert table.frame["y"].tolist()[:5] == [1100.5, 1.5, 2.5, 3.5, 1104.5]
    assert "'1.100,50 €' as 1100.5" in table.notes[0]
    rows[1][1] = rows[5][1] = rows[9][1] = "1.100"
    with pytest.raises(ValueError, match=r"a.xlsx: column 'y' .* may be 1100 or 1.1"):
        read_table(spreadsheet(tmp_path / "a.xlsx", rows))
    assert read_table(tmp_path / "a.xlsx", decimal=",").frame["y"][0] == 1100


def test_percentages_in_text_beside_real_ones(tmp_path):
    """A cell that is shown as 12 % holds 0.12, but one of text would be read as 12."""
    cells = [i / 100 if i % 2 else f"{i} %" for i in range(12)]
    table = read_table(spreadsheet(tmp_path / "a.xlsx", [["x", "y"], *enumerate(cells)]))
    assert table.frame["y"].iloc[4] == "4 %"
    assert table.notes == ["column 'y' stays text: it holds numbers in different forms"]


@pytest.mark.parametrize(
    ("encoding", "word"),
    [("cp437", "Straße"), ("cp850", "Überweisung"), ("cp437", "Città"), ("mac_roman", "Año")],
)
def test_one_word_that_is_guessed_wrongly_is_shown_and_can_be_fixed(path, encoding, word):
    """One letter cannot tell the encodings of old systems; the note shows what was read."""
    lines = f"x;{word}", *(f"{i};{i % 3}" for i in range(12))
    table = read(path, *lines, encoding=encoding)
    name = table.frame.columns[1]
    assert len(name) == len(word)
    assert f"with words such as {name!r} (encoding= names another)" in table.notes[0]
    path.write_bytes("\n".join(lines).encode(encoding))
    fixed = read_table(path, encoding=encoding)
    assert fixed.frame.columns[1] == word
    assert fixed.notes == []
