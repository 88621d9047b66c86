"""What looks wrong in a table: each kind of finding, and tables that are fine."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

import consens


def clean(n=60, **columns):
    """Three features of comparable scale, and what a test adds."""
    rng = np.random.default_rng(0)
    features = {name: rng.normal(size=n) for name in "abc"}
    return pd.DataFrame(features | columns)


def kinds(X):
    return {found.kind: found for found in consens.check(X).findings}


N = np.arange(60)
GROUPS = N % 3
ANSWERS = np.array(["Yes", "no", "yes", "no"])[N % 4]


@pytest.mark.parametrize(
    ("kind", "columns", "table"),
    [
        ("id", ("name",), clean(name=[f"p{i}" for i in N])),
        ("id", ("customer_id",), clean(customer_id=N[::-1] * 17 + 4000)),
        ("id", ("row",), clean(row=N)),
        ("id", ("number",), pd.DataFrame({"number": N + 1} | clean().to_dict("list"))),
        ("counter", ("day",), clean(day=np.random.default_rng(1).permutation(N) + 1)),
        ("class", ("species",), clean(species=np.array(["x", "y", "z"])[GROUPS])),
        ("class", ("target",), clean(target=GROUPS)),
        ("class", ("kind",), clean(kind=np.array(["x", "y", "z"])[GROUPS])),
        ("constant", ("unit",), clean(unit=7.0)),
        ("nearly constant", ("flag",), clean(flag=(N == 5).astype(float))),
        ("spelling", ("paid",), clean(paid=ANSWERS)[["paid", *"abc"]]),
        ("missing", ("d",), clean(d=np.where(N == 3, np.nan, np.sin(N)))),
        ("infinite", ("d",), clean(d=np.where(N < 3, [-np.inf, np.inf, np.inf] * 20, np.sin(N)))),
        ("nested", ("d",), clean(d=[{"x": i} for i in N])),
        ("nested", ("d",), clean(d=[[i] for i in N])),
        ("sentinel", ("d",), clean(d=np.where(N == 3, -999, np.sin(N)))),
        ("sentinel", ("d",), clean(d=np.where(N < 3, 1e9, np.sin(N)))),
        ("outlier", ("d",), clean(d=np.where(N == 3, 4e6, np.sin(N)))),
        ("scale", ("d", "a"), clean(d=1e4 * np.sin(N)).drop(columns=["b", "c"])),
        ("repeated", (), pd.concat([clean(), clean()[:2]])),
        ("transposed", (), clean().T.add_prefix("sample")),
        ("transposed", (), clean().T.add_prefix("Mouse")),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_findings(kind, columns, table):
    found = kinds(table)
    assert found.keys() - {"scale"} == {kind} - {"scale"}  # outliers spread a column
    assert found[kind].columns == columns
    assert found[kind].text
    assert found[kind].cure


@pytest.mark.parametrize(
    "labels",
    [
        np.column_stack([GROUPS, (GROUPS + 1) % 3, np.minimum(GROUPS, 1)]),
        pd.DataFrame({"Anna": GROUPS, "Ben": np.array(["x", "y", "z"])[GROUPS]}),
        np.column_stack([np.where(N < 5, -1, GROUPS), GROUPS + 1]),
    ],
)
def test_clusterings_are_recognised(labels):
    found = kinds(labels)
    assert found.keys() == {"labels"}
    assert "combine" in found["labels"].cure


def test_answers_to_questions_are_not_clusterings():
    """Small whole numbers that do not agree with each other."""
    answers = np.random.default_rng(0).integers(1, 6, size=(200, 8))
    assert "labels" not in kinds(answers)


@pytest.mark.parametrize("table", [clean(), clean().to_numpy(), clean().to_dict("list")])
def test_nothing_wrong(table):
    advice = consens.check(table)
    assert advice.findings == []
    assert len(advice.used) == 3
    assert str(advice).endswith("nothing looks wrong")


def test_columns_used_and_left_out():
    table = clean(
        name=[f"p{i}" for i in N], seen=N < 30, city=np.array(["x", "y", "z", "w"])[N % 4]
    )
    advice = consens.check(table)
    assert advice.used == ["a", "b", "c"]
    assert advice.left_out == ["name", "seen", "city"]
    assert advice.ids == ["name"]
    assert "left out: 'name', 'seen', 'city'" in str(advice)


def test_other_libraries_and_nothing_changes():
    iris = load_iris(as_frame=True).frame
    before = iris.copy()
    advice = consens.check(iris)
    pd.testing.assert_frame_equal(iris, before)
    assert consens.check(pa.Table.from_pandas(iris)) == advice


def test_few_rows_and_one_column_are_not_taken_for_ids():
    assert kinds(pd.DataFrame({"id": [1, 2, 3], "x": [0.5, 2.5, 9.0]})) == {}
    assert "id" not in kinds(pd.DataFrame({"x": N}))


def test_large_tables_are_sampled(monkeypatch):
    monkeypatch.setattr("consens._check.table.SAMPLED_VALUES", 100)
    table = pd.concat([clean(name=[f"p{i}" for i in N])] * 40, ignore_index=True)
    table["key"] = [f"k{i}" for i in range(len(table))]
    found = kinds(table)
    assert "key" in found["id"].columns
    assert "repeated" not in found


def test_codes_in_several_columns():
    table = clean(d=np.where(N == 3, -999, np.sin(N)), e=np.where(N < 2, -999, N % 7))
    found = [one for one in consens.check(table).findings if one.kind == "sentinel"]
    assert [one.columns for one in found] == [("d",), ("e",)]
    assert ["once" in found[0].text, "2 times" in found[1].text] == [True, True]


def test_many_columns_share_a_sentence():
    """Thousands of genes do not make thousands of lines."""
    wide = pd.DataFrame({f"g{j}": np.where(j == N, 4e6, np.sin(N + j)) for j in range(30)})
    (found,) = [one for one in consens.check(wide).findings if one.kind == "outlier"]
    assert found.columns == tuple(wide)
    assert found.text.endswith("and 24 more have 30 extreme values, up to 4e+06")
    (found,) = [one for one in consens.check(wide.replace(4e6, -999)).findings if one.option]
    assert found.text.endswith("and 24 more hold -999 30 times, like a missing value")
    assert found.option == "--na -999"


@pytest.mark.parametrize("table", [pd.DataFrame(), pd.DataFrame({"a": []}), np.empty((3, 0))])
def test_an_empty_table(table):
    with pytest.raises(ValueError, match=r"rows and columns, got \d rows and \d columns"):
        consens.check(table)


def test_columns_of_the_same_name():
    table = clean()
    table.columns = ["a", "b", "a"]
    with pytest.raises(ValueError, match="several columns have the name 'a'"):
        consens.check(table)


def test_one_dimension():
    with pytest.raises(ValueError, match="expected rows and columns, got 1"):
        consens.check([1, 2, 3])


def test_dates_are_neither_ids_nor_classes():
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(N, "D")
    assert kinds(clean(day=days)) == {}
    assert kinds(clean(day=days[GROUPS].date)) == {}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("churn", GROUPS % 2),
        ("churn", GROUPS % 2 == 1),
        ("segment", np.array(["gold", "tin", "tin"])[GROUPS]),
        ("Cluster", GROUPS),
        ("y", GROUPS),
    ],
)
def test_columns_named_like_targets(name, values):
    found = kinds(clean(**{name: values, "d": np.sin(N)}))
    assert found["class"].columns == (name,)
    assert found["class"].option == f"--drop {name}"


def test_columns_that_behave_like_targets():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(3 * np.eye(3)[GROUPS] + rng.normal(size=(60, 3)) / 2, columns=list("abc"))
    found = kinds(frame.assign(kind=GROUPS, noise=rng.integers(0, 3, 60), d=rng.normal(size=60)))
    assert found["class"].columns == ("kind",)
    assert "may be the class: it explains" in found["class"].text


@pytest.mark.parametrize(
    ("column", "what"),
    [
        ({"PLZ": 10_000 + 37 * (N % 20)}, "postal codes"),
        ({"zip_code": [f"0{1000 + n % 20}" for n in N]}, "postal codes"),
        ({"phone": [f"+41 31 {300 + n % 30} 22 11" for n in N]}, "telephone numbers"),
        ({"mobil": 1_500_000_000 + 37 * (N % 30)}, "telephone numbers"),
        ({"PLZ 2": 10_000 + 37 * (N % 20)}, "postal codes"),
        ({"contact": [f"031/{300 + n % 30} 22 11" for n in N]}, "telephone numbers"),
        ({"contact": 1_500_000_007 + 37 * N[::-1]}, "numbers of 10 digits"),
        ({"Kundennummer": 100_000 + 37 * (N % 30)}, "ids that repeat"),
        ({"patient": [f"P{n % 30}" for n in N]}, "ids that repeat"),
    ],
)
def test_numbers_that_are_not_quantities(column, what):
    found = kinds(clean(**column))
    assert what in found["code"].text
    assert found["code"].columns == tuple(column)


def test_dates_and_years_are_no_telephone_numbers():
    days = [f"{n % 28 + 1:02}.{n % 12 + 1:02}.2024" for n in N]
    frame = clean(
        day=["00.00.0000", *days[1:]], season=[f"20{n % 30 + 10}/{n % 30 + 11}" for n in N]
    )
    assert "code" not in kinds(frame)


def test_rows_without_a_value():
    frame = clean(
        kind=np.where(N == 3, None, np.array(["x", "y"])[N % 2]), id=[f"p{i}" for i in N]
    )
    frame.loc[3, ["a", "b", "c"]] = np.nan
    assert kinds(frame)["empty"].text == "row 4 has no value"
    assert "empty" not in kinds(frame.fillna({"c": 0}))


def test_totals():
    values = pd.DataFrame({"sales": N + 0.1, "visits": N % 7 + 3.0, "rate": np.sin(N)})
    total = values.sum().to_frame().T.assign(rate=0.5)
    found = kinds(pd.concat([values, total]))["total"]
    assert found.columns == ("sales", "visits")
    assert found.text == "the last row holds totals of columns 'sales', 'visits'"
    assert "the first row" in kinds(pd.concat([total, values]))["total"].text
    assert "total" not in kinds(values)
    assert "total" not in kinds(clean(rare=(N == 59) * 1, d=(N == 2) | (N == 59)))


def test_amounts_that_cannot_be_read_are_no_ids():
    """Amounts never repeat, either; leaving them out as ids would lose them."""
    rng = np.random.default_rng(0)
    amounts = np.exp(rng.normal(6, 2, 60)).round(2)
    for cells in (
        [f"{x} €" if i % 2 else f"${x}" for i, x in enumerate(amounts)],
        [f"{x} Mio. €" for x in amounts],
        [f'="{x}"' for x in amounts],
        [
            f"{x:,.2f}" if i % 2 else f"{x:,.2f}".translate({44: 46, 46: 44})
            for i, x in enumerate(amounts)
        ],
    ):
        found = kinds(clean(price=cells))
        assert "id" not in found
        assert "stays text: it holds numbers" in found["text"].text
    named = kinds(clean(Kundennr=[*map(str, 7 * N[:-1] + 1000), "10160A"]))
    assert named["id"].columns == ("Kundennr",)


def test_genes_in_rows():
    """3,000 genes × 40 samples: a gene is expressed to a similar degree in all samples."""
    rng = np.random.default_rng(0)
    level = rng.gamma(2, 3, size=(3000, 1))
    names = [f"{a}{b}" for a in "ABCDE" for b in "klmnopqr"]
    genes = pd.DataFrame(level + rng.normal(size=(3000, 40)) + 2, columns=names)
    assert kinds(genes)["transposed"].option == "--transpose"
    assert "transposed" not in kinds(genes.T)
    plain = pd.DataFrame(rng.normal(10, 1, size=(3000, 40)), columns=names)
    assert "transposed" not in kinds(plain)


def test_numbers_and_dates_in_text():
    frame = clean(sales=[f"1.{100 + n},50 €" for n in N], day=[f"{1 + n % 28}.5.2024" for n in N])
    advice = consens.check(frame)
    assert advice.used == ["a", "b", "c", "sales"]
    assert [found.columns for found in advice.findings if found.kind == "text"] == [
        ("sales",),
        ("day",),
    ]
    assert advice.ids == []


def test_ids_with_rows_that_occur_twice():
    frame = clean(customer_id=N * 17 + 4000, name=[f"p{n}" for n in N])
    advice = consens.check(pd.concat([frame, frame[:5]]))
    assert advice.ids == ["customer_id", "name"]
    some = frame.assign(customer_id=np.where(N < 4, 4000, frame["customer_id"]))
    assert "customer_id" in consens.check(some).ids
    assert "customer_id" not in consens.check(frame.assign(customer_id=N // 2)).ids


def test_the_option_for_codes_of_missing_values():
    found = kinds(clean(d=np.where(N % 20 == 3, -999, np.sin(N))))
    assert found["sentinel"].option == "--na -999"


def test_codes_of_several_kinds():
    frame = clean(d=np.select([N < 3, N < 6], [-999, 9999], N))
    found = [one.option for one in consens.check(frame).findings if one.kind == "sentinel"]
    assert found == ["--na -999", "--na 9999"]
    # far from each other, so that -999 does not stand out, but nothing else is negative
    wide = clean(d=np.where(N < 3, -999, 1000.0 * N))
    assert kinds(wide)["sentinel"].option == "--na -999"


def test_codes_of_statistics_packages():
    """SPSS codes refusals as 97 to 99, or by further digits."""
    income = np.select([N % 10 == 1, N % 15 == 2, N % 20 == 3], [99, 98, 997], 1 + N % 8)
    wealth = np.select([N % 10 == 1, N % 15 == 2], [-888, -98], 50.0 + N)
    found = consens.check(clean(income=income, wealth=wealth)).findings
    options = {one.option for one in found if one.kind == "sentinel"}
    assert options == {"--na 98", "--na 99", "--na 997", "--na -98", "--na -888"}
    scores = clean(percent=np.arange(40, 100), fever=np.where(N % 2, 98.6, 99.0))
    assert "sentinel" not in kinds(scores)


def test_a_last_column_of_text_is_not_called_the_class_without_a_reason():
    frame = clean(tariff=np.where(N % 2, "T1", "T2"))
    assert kinds(frame)["class"].text.endswith("may be the class: it is text and comes last")


def test_codes_of_one_digit():
    rng = np.random.default_rng(0)
    answers = {q: rng.choice([1, 2, 3, 4, 5, 8, 9], 60) for q in ("q1", "q2")}
    rich = np.where(N % 9, 1000 + N, -1)
    found = [
        (own.columns[0], own.text.split()[3], own.option)
        for own in consens.check(clean(**answers, rich=rich)).findings
        if own.kind == "sentinel"
    ]
    every = [("rich", "-1"), *((q, code) for code in "89" for q in ("q1", "q2"))]
    assert found == [(*own, f"--na {own[1]}") for own in every]
    beside = consens.check(clean(**answers, visits=N % 13)).findings  # --na is for all columns
    assert {own.option for own in beside} == {""}
    for values in (answers["q1"], N % 25 - 5, N % 3 - 1, N % 2 * 2 - 1, np.where(N, N % 7, -1)):
        assert "sentinel" not in kinds(clean(d=values))


def test_codes_of_missing_dates():
    days = pd.Series(pd.Timestamp("2021-01-01") + pd.to_timedelta(N, "D")).astype("datetime64[s]")
    frame = clean(day=days.where(N % 5 > 0, pd.Timestamp("9999-12-31")))
    assert kinds(frame)["sentinel"].option == "--na 9999-12-31"
    assert "sentinel" not in kinds(clean(day=days))


def test_times_and_gaps_among_few_values():
    frame = clean(duration=pd.to_timedelta(N, "h"), many=pd.array([1, 2, 3, None] * 15, "Int64"))
    assert set(kinds(frame)) <= {"missing", "scale"}


def test_ids_that_repeat_are_counted():
    frame = clean(customer=N * 17 + 4000)
    again = frame[:5].assign(a=9.0)
    assert kinds(frame)["id"].text.endswith("(numbers that never repeat)")
    assert kinds(pd.concat([frame, again]))["id"].text.endswith("(numbers, 5 of them repeated)")
