"""Numbers and dates in text, in the forms that people write."""

from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from consens._cells import is_number, parse_columns, parse_known


def parsed(cells, **options):
    """The values of one column; None if it stays text."""
    found = parse_columns(pd.DataFrame({"a": pd.Series(cells, dtype=object)}), **options)
    return found.columns["a"].tolist() if "a" in found.columns else None


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1.012,57", "3,5"], [1012.57, 3.5]),
        (["1,012.57", "3.5"], [1012.57, 3.5]),
        (["1 012,57", "3,5"], [1012.57, 3.5]),
        (["1\u00a0012,57", "1\u202f012,5"], [1012.57, 1012.5]),
        (["1'012.57", "1’012"], [1012.57, 1012]),
        (["1.234.567", "950"], [1234567, 950]),
        (["12,345,678.9", "-1"], [12345678.9, -1]),
        (["1.012,57 €", "€ 950,00", "0"], [1012.57, 950, 0]),
        (["$1,200.50", "-$5.00", "($7.00)", "$-3"], [1200.5, -5, -7, -3]),
        (["CHF 1'200.50", "CHF 3.00"], [1200.5, 3]),
        (["12,5 %", "3%", "0"], [12.5, 3, 0]),
        (["5,00-", "3,00"], [-5, 3]),
        (["–5,50", "3,00"], [-5.5, 3]),
        (["1.000,-", "12,–", "5,50"], [1000, 12, 5.5]),  # no cents, not a minus sign
        (["CHF 1'000.-", "CHF 5.50"], [1000, 5.5]),
        (["Fr. 5", "Fr. 1'200.50"], [5, 1200.5]),
        (["5,50 kr", "1.200,00 kr"], [5.5, 1200]),
        (["US$ 1,200.50", "-US$5"], [1200.5, -5]),
        (["Rp1.200,50", "-Rp 5"], [1200.5, -5]),
        (["1 200,50 руб.", "5 руб."], [1200.5, 5]),
        (["1,200円", "950円", "2,100,000円"], [1200, 950, 2100000]),
        (["$(1,200.50)", "$7"], [-1200.5, 7]),
        (["1,23,456.50", "12,34,567", "950"], [123456.5, 1234567, 950]),
        (["−5,5", "+3,5"], [-5.5, 3.5]),
        (["1,5e3", "2,0E-1"], [1500, 0.2]),
        ([" 7 ", ",5"], [7, 0.5]),
        (["0,500", "1,234"], [0.5, 1.234]),  # a group cannot start with 0
    ],
)
def test_numbers(cells, values):
    assert parsed(cells) == pytest.approx(values)
    assert parsed([*cells, None])[-1] is np.nan or np.isnan(parsed([*cells, None])[-1])
    assert all(map(is_number, cells))


@pytest.mark.parametrize(
    "cells",
    [
        ["12 %", "5"],  # a share and a percentage
        ["5 €", "5 $"],
        ["1.5", "1,6"],
        ["a1", "a2"],
        ["ABC123"],
        ["192.168.0.1"],
        ["12-34"],
        ["1,2,3"],
        ["(5"],
        ["12 34", "5 6"],
        ["10.20.30"],
        ["31.02.2024"],
        ["25/13/2024"],
        ["2024-01-05 or later"],
        ["01067", "80331"],  # postal codes
    ],
)
def test_what_stays_text(cells):
    assert parsed(cells) is None


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["31.12.2024", "1.2.2025"], ["2024-12-31", "2025-02-01"]),
        (["01.02.2024", "03.04.2024"], ["2024-02-01", "2024-04-03"]),
        (["31.12.24", "1.2.25"], ["2024-12-31", "2025-02-01"]),
        (["31.12.2024 10:30", "1.2.2025 09:00:01"], ["2024-12-31 10:30", "2025-02-01 09:00:01"]),
        (["31.12.2024, 10:30 Uhr", "1.2.2025"], ["2024-12-31 10:30", "2025-02-01"]),
        (["31.12.29", "1.2.30"], ["2029-12-31", "1930-02-01"]),
        (["31/12/2024", "01/02/2025"], ["2024-12-31", "2025-02-01"]),
        (["12/31/2024", "02/01/2025"], ["2024-12-31", "2025-02-01"]),
        (["12/31/2024 1:05 PM", "02/01/2025 3:00 AM"], ["2024-12-31 13:05", "2025-02-01 03:00"]),
        (["31-12-2024", "01-02-2025"], ["2024-12-31", "2025-02-01"]),
        (["2024-12-31", "2025-02-01 10:00"], ["2024-12-31", "2025-02-01 10:00"]),
        (["2024/12/31", "2025/2/1"], ["2024-12-31", "2025-02-01"]),
        (["2024-12-31T10:00:00Z", "2025-02-01T10:00+02:00"], ["2024-12-31 10", "2025-02-01 08"]),
        (["31 Dec 2024", "1 February 2025"], ["2024-12-31", "2025-02-01"]),
        (["Dec 31, 2024", "February 1, 2025"], ["2024-12-31", "2025-02-01"]),
        (["31.12.2024", "2025-02-01"], ["2024-12-31", "2025-02-01"]),
    ],
)
def test_dates(cells, values):
    assert parsed(cells) == [pd.Timestamp(value) for value in values]
    assert parsed([None, *cells])[0] is pd.NaT


def test_every_day_of_a_year_in_all_forms():
    days = pd.date_range("2024-01-01", "2024-12-31")
    for form in ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y-%m-%d", "%d %b %Y"):
        assert parsed(days.strftime(form).tolist()) == days.tolist()


def test_all_amounts_in_all_forms():
    values = np.random.default_rng(0).integers(-(10**8), 10**8, 500) / 100
    plain = [f"{value:,.2f}" for value in values]
    for groups, point in (",.", ".,", " ,", "'.", " .", "\u202f,"):
        cells = [c.replace(",", "g").replace(".", point).replace("g", groups) for c in plain]
        assert parsed(cells) == values.tolist()
        assert parsed([f"{cell} €" for cell in cells]) == values.tolist()


def test_questions():
    with pytest.raises(ValueError, match="'1.012 €', which may be 1012 or 1.012; .* decimal='.'"):
        parsed(["1.012 €", "950 €"])
    assert parsed(["1.012 €", "950 €"], decimal=",") == [1012, 950]
    assert parsed(["1.012 €", "950 €"], decimal=".") == [1.012, 950]
    assert parsed(["1.012 €", "950 €"], likely=","), [1012, 950]
    assert parsed(["1.012 €", "950 €"], ask=False) is None
    with pytest.raises(ValueError, match="'03/04/2024', .* day_first=True or day_first=False"):
        parsed(["03/04/2024", "05/06/2024"])
    assert parsed(["03/04/2024"], day_first=True) == [datetime(2024, 4, 3)]
    assert parsed(["03/04/2024"], day_first=False) == [datetime(2024, 3, 4)]
    assert parsed(["03/25/2024"], day_first=True) is None
    assert parsed(["03/04/2024"], ask=False) is None


def test_a_column_follows_the_others():
    frame = pd.DataFrame({"price": ["1.250", "2.400"], "share": ["0,5", "0,7"]})
    found = parse_columns(frame)
    assert found.columns["price"].tolist() == [1250, 2400]
    assert found.decimal == ","
    frame["share"] = ["0.5", "0.7"]
    assert parse_columns(frame).columns["price"].tolist() == [1.25, 2.4]


def test_columns_that_stay_text_tell_the_decimal_sign_if_no_other_does():
    text = pd.DataFrame({"sales": ["1.012,57", "3,5", "viel"], "share": ["0,5", "7 %", "8,1 %"]})
    found = parse_columns(text)
    assert (dict(found.columns), found.decimal) == ({}, ",")
    assert parse_columns(text.assign(size=["1.25", "2.5", "3.75"])).decimal == "."


def test_notes_say_what_was_done_and_what_was_not():
    frame = pd.DataFrame(
        {
            "amount": [f"1.{i}00,50 €" for i in range(1, 7)],
            "plain": [f"{i},5" for i in range(6)],
            "day": [f"{i}.5.2024" for i in range(1, 7)],
            "stray": ["1", "2", "3", "4", "5", "k.A."],
            "born": [f"{i}.5.4{i}" for i in range(1, 7)],
            "never": [f"{i}.5.2024" for i in range(1, 6)] + ["31.02.2024"],
            "both": ["13/02/2024", "02/13/2024", *(f"{i}/5/2024" for i in range(1, 5))],
            "currencies": ["1 €", "2 €", "3 $", "4 $", "5 €", "6 €"],
            "code": ["01067", "1", "2", "3", "4", "5"],
            "unit": ["1,5 kg", "2 kg", "700 g", "3 kg", "4 kg", "5 kg"],
            "formula": [f'="{i}.5"' for i in range(6)],
            "plate": [f"A{i}" for i in range(6)],
            "order": [f"#{i}" for i in range(6)],
            "house": [f"{i}{letter}" for i, letter in enumerate("abcdef")],
            "word": list("abcdef"),
        }
    )
    assert parse_columns(frame).notes == {
        "amount": "column 'amount' is read as numbers: '1.100,50 €' as 1100.5",
        "day": "column 'day' is read as dates: '1.5.2024' as 2024-05-01",
        "stray": "column 'stray' stays text: it holds numbers except one value, 'k.A.' "
        "(for missing values: na=['k.A.'])",
        "born": "column 'born' is read as dates: '1.5.41' as 1941-05-01, from 1941-05-01 to "
        "1946-05-06",
        "never": "column 'never' stays text: it holds dates except one value, '31.02.2024' "
        "(for missing values: na=['31.02.2024'])",
        "both": "column 'both' stays text: it holds dates in different forms",
        "currencies": "column 'currencies' stays text: it holds numbers in $ and €",
        "code": "column 'code' stays text: it holds codes with leading zeros",
        "unit": "column 'unit' stays text: it holds numbers with a unit or other signs, such as "
        "'1,5 kg'",
        "formula": "column 'formula' stays text: it holds numbers with a unit or other signs, "
        "such as '=\"0.5\"'",
    }


def test_dates_with_another_separator_have_an_order_of_their_own():
    days = parsed(["20.03.2021", "04.05.2021", "05/13/2020", "2020-12-31"])
    assert [f"{day:%Y-%m-%d}" for day in days][1:] == ["2021-05-04", "2020-05-13", "2020-12-31"]
    with pytest.raises(ValueError, match="'05/06/2020', in which the first number may be"):
        parsed(["20.03.2021", "05/06/2020", "06/05/2020"])


@pytest.mark.parametrize(
    ("cells", "dates", "known"),
    [
        (["20.03.2021", "05/13/2020", "31.02.2021", "May", "1.2.2021"], True, "dd--d"),
        (
            ["20/03/2021", "25/04/2021", "28/1/2021", "16/2/2020", "17/2/20", "3/17/2020"],
            True,
            "ddddd-",
        ),
        (["1.200,50 €", "3,50 €", "7.5 €", "5 $", "12", "much"], False, "dd--d-"),
        (["12 %", "13,5 %", "0", "0,5"], False, "ddd-"),
    ],
)
def test_the_more_frequent_form_of_new_cells_counts(cells, dates, known):
    """A few strays in a new table must not empty the column."""
    found = parse_known(pd.Series([*cells, None], dtype=object), dates=dates)
    assert "".join("-" if gap else "d" for gap in found.isna()[:-1]) == known


def test_labels_are_read_without_units():
    assert parsed(["50 %", "20 %"], units=False) is None
    assert parsed(["01.02.2024"], units=False) is None
    assert parsed(["1,0", "2,0"], units=False) == [1, 2]
