"""`consens profile`: clusters in original units."""

import json
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from consens._profile import profile

GROUP = np.repeat([0, 1], 10)


def test_profiles_by_hand():
    frame = pd.DataFrame(
        {
            "x": [1.0, 2, 3, np.nan, 10, 20],
            "city": ["Bern", "Bern", "Genf", None, "Genf", "Genf"],
            "day": pd.to_datetime(["2024-01-01"] * 4 + ["2024-03-01"] * 2),
        }
    )
    rows = profile(frame, ["a", "a", "a", "a", "b", "b"]).set_index(["cluster", "column"])
    x = rows.loc[("a", "x")]
    assert [x["size"], x["median"], x["quartile_1"], x["quartile_3"]] == [4, 2, 1.5, 2.5]
    assert (x["share_missing"], x["others"]) == (0.25, 15)
    deviation = np.std([1, 2, 3, 10, 20])
    assert x["difference"] == pytest.approx((2 - 15) / deviation)
    city = rows.loc[("a", "city")]
    assert (city["most_frequent"], city["others"]) == ("Bern", 0)
    assert city["share"] == pytest.approx(2 / 3)
    assert city["categories"] == "Bern 67 %, Genf 33 %"
    assert rows.loc[("b", "day")]["median"] == "2024-03-01"
    assert rows.loc[("b", "city")]["difference"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("dtype", [bool, "boolean", object])
def test_booleans_have_shares(dtype):
    frame = pd.DataFrame({"paid": pd.Series([True, False, False, True, True], dtype=dtype)})
    row = profile(frame, list("aaabb")).iloc[0]
    assert (row["most_frequent"].lower(), row["categories"].lower()) == (
        "false",
        "false 67 %, true 33 %",
    )
    assert (row["others"], row["difference"]) == (0, pytest.approx(2 / 3))
    gaps = pd.DataFrame({"paid": pd.array([True, None, False, True, True], dtype="boolean")})
    assert profile(gaps, list("aaabb"))["share_missing"].tolist() == [pytest.approx(1 / 3), 0]


def test_noise_is_left_out():
    rows = profile(pd.DataFrame({"x": [1, 2, 3]}), [0, -1, 1])
    assert rows["cluster"].tolist() == ["0", "1"]
    with pytest.raises(ValueError, match=r"a label for each of 3 rows, got .* \(2,\)"):
        profile(pd.DataFrame({"x": [1, 2, 3]}), [0, 1])


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_the_file_has_the_form_of_the_input(shell, tmp_path, suffix):
    rows = [
        f"{n * 7 + 1000};1.{g}{50 + n},50;{'Bern' if g else 'Genf'}" for n, g in enumerate(GROUP)
    ]
    (tmp_path / "a.csv").write_text("Kundennr;Umsatz;Ort\n" + "\n".join(rows))
    labels = [f"{n * 7 + 1000};{g};0,9" for n, g in enumerate(GROUP)]
    (tmp_path / "labels.csv").write_text("Kundennr;label;confidence\n" + "\n".join(labels))
    done = shell("profile", "a.csv", "labels.csv", "-o", f"p{suffix}")
    assert done.code == 0, done.err
    assert "distinguished by" in done.out
    if suffix == ".csv":
        text = Path("p.csv").read_text().splitlines()
        assert text[0].startswith("cluster;size;column;median;")
        found = pd.read_csv("p.csv", sep=";", decimal=",")
    else:
        assert openpyxl.load_workbook("p.xlsx").sheetnames == ["profile"]
        found = pd.read_excel("p.xlsx")
    sales = found[found["column"] == "Umsatz"].set_index("cluster")["median"]
    assert sales[0] == pytest.approx(np.median([1050.5 + n for n in range(10)]), rel=1e-5)
    done = shell("profile", "a.csv", "labels.csv", "--json")
    assert {row["cluster"] for row in json.loads(done.out)} == {"0", "1"}


def test_what_is_refused(shell, tmp_path):
    (tmp_path / "a.csv").write_text("id,x\na,1\nb,2\n")
    (tmp_path / "b.csv").write_text("id,label,confidence\nz,0,1\n")
    assert "is not a labels.csv" in shell("profile", "a.csv", "a.csv").err
    assert "none of the objects" in shell("profile", "a.csv", "b.csv").err
    assert shell("profile", "a.csv", "b.csv", "-o", "p.pdf").code == 2
