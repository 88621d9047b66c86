"""Columns of any type as features: filled, encoded and scaled."""

from string import ascii_letters

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

from consens import ConsensusClustering, TableFeatures
from consens.cli.console import in_shell
from consens.generate import KMeansEnsemble

CITY = np.array(["Bern", "Genf", "Bern", "Lugano"] * 10)


def table(**columns):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=40), "y": 100 * rng.normal(size=40)} | columns)


def test_numbers_have_mean_0_and_variance_1():
    X = TableFeatures().fit_transform(table(z=np.arange(40) % 3))
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.var(axis=0), 1)


def test_a_category_counts_as_one_feature_and_less_with_more_levels():
    prepare = TableFeatures(encode="onehot")
    X = prepare.fit_transform(table(city=CITY))
    assert prepare.get_feature_names_out().tolist()[2:] == [
        "city_Bern",
        "city_Genf",
        "city_Lugano",
    ]
    assert X[:, 2:].var(axis=0).sum() == pytest.approx(0.625 / 8)
    even = prepare.fit_transform(table(city=np.array(list("abcd") * 10)))
    assert even[:, 2:].var(axis=0).sum() == pytest.approx(1 / 16)
    distances = {round(float(np.ptp(X[[0, i], 2:], axis=0).sum()), 9) for i in (1, 3)}
    assert len(distances) == 1  # any two values are equally far apart


def test_irrelevant_categories_cost_little():
    """Four groups in four features, found as well beside three columns of random text."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 50)
    X = 5 * np.eye(4)[truth] + rng.normal(size=(200, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    noisy = frame.assign(
        **{f"text{k}": rng.choice([f"v{i}" for i in range(k)], 200) for k in (3, 5, 8)}
    )

    def score(frame):
        features = TableFeatures(encode="onehot").fit_transform(frame)
        generator = KMeansEnsemble(40)
        model = ConsensusClustering(4, generator=generator, scale="none", random_state=0)
        return adjusted_rand_score(truth, model.fit_predict(features))

    assert score(frame) > 0.9
    assert score(noisy) > score(frame) - 0.05


@pytest.mark.parametrize("scale", ["standard", "robust", "minmax", "log", "auto"])
def test_the_values_of_flags_are_as_far_apart_as_those_of_categories(scale):
    flag = np.arange(40) % 9 == 0
    prepare = TableFeatures(encode="onehot", scale=scale)
    X = prepare.fit_transform(table(flag=flag, code=flag + 1, text=np.where(flag, "a", "b")))
    gaps = np.ptp(X[:, 2:], axis=0)
    np.testing.assert_allclose(gaps[:2], np.hypot(*gaps[2:]))


@pytest.mark.usefixtures("all_members")
def test_irrelevant_flags_cost_the_default_little():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 400)
    X = 5 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[truth] + rng.normal(size=(400, 2))
    plain = pd.DataFrame(X, columns=["a", "b"])
    flags = {f"flag{j}": rng.random(400) < p for j, p in enumerate([0.5, 0.5, 0.1])}
    model = make_pipeline(TableFeatures(), ConsensusClustering(4, scale="none"))
    scores = [
        adjusted_rand_score(truth, model.fit_predict(own))
        for own in (plain, plain.assign(**flags))
    ]
    assert scores[1] > scores[0] - 0.05


@pytest.mark.usefixtures("all_members")
@pytest.mark.parametrize(
    "n_clusters", [pytest.param(4, marks=pytest.mark.slow), None], ids=["given", "chosen"]
)
@pytest.mark.parametrize(
    "shares",
    [[[1 / k] * k for k in (2, 5, 20)], [[0.9, 0.1]] * 3],
    ids=["2, 5 and 20 values", "rare values"],
)
def test_irrelevant_categories_cost_the_default_little(n_clusters, shares):
    """All kinds of members see categories, and trees cut at the empty space between two values."""
    lost = []
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 4, 400)
        X = 4 * np.eye(4)[truth] + 1.1 * rng.normal(size=(400, 4))
        plain = pd.DataFrame(X, columns=list("abcd"))
        noisy = plain.assign(
            **{
                f"text{j}": rng.choice(list(ascii_letters)[: len(p)], 400, p=p)
                for j, p in enumerate(shares)
            }
        )
        prepare = TableFeatures(encode="onehot")
        model = make_pipeline(prepare, ConsensusClustering(n_clusters, scale="none"))
        scores = [adjusted_rand_score(truth, model.fit_predict(own)) for own in (plain, noisy)]
        lost.append(scores[0] - scores[1])
    assert max(lost) < 0.05


def test_text_with_many_values_is_named_and_left_out():
    many = [f"s{i // 2}" for i in range(120)]
    frame = pd.DataFrame({"x": np.arange(120) % 7, "street": many})
    prepare = TableFeatures(encode="onehot").fit(frame)
    assert prepare.left_out_ == {"street": "holds text with more than 50 values"}
    assert prepare.notes_ == [
        "column 'street' holds text with more than 50 values and is left out"
    ]
    assert prepare.transform(frame).shape == (120, 1)
    X = TableFeatures(encode="frequency", scale="none").fit_transform(frame)
    np.testing.assert_allclose(X[:, 1], 2 / 120)
    assert TableFeatures(encode="onehot", max_levels=60).fit_transform(frame).shape == (120, 61)


def test_frequencies_of_new_values_are_0():
    frame = pd.DataFrame({"t": ["a", "a", "b", "c"], "x": [1, 2, 3, 4]})
    prepare = TableFeatures(encode="frequency", max_levels=2, scale="none").fit(frame)
    new = pd.DataFrame({"t": ["a", "z"], "x": [1, 1]})
    assert prepare.transform(new)[:, 1].tolist() == [0.5, 0]


def test_dates_are_days_and_text_with_numbers_is_numbers():
    frame = pd.DataFrame({"day": ["31.12.1970", "01.01.1971"], "sum": ["1.200,50 €", "3,00 €"]})
    X = TableFeatures(scale="none").fit_transform(frame)
    assert X.tolist() == [[364, 1200.5], [365, 3]]


def test_ids_are_left_out():
    frame = table(customer_id=np.arange(40)[::-1] * 7)
    assert TableFeatures().fit(frame).left_out_ == {"customer_id": "holds ids"}
    assert TableFeatures(drop_ids=False).fit(frame).left_out_ == {}


@pytest.mark.parametrize(
    ("scale", "center", "spread"),
    [("standard", np.mean, np.std), ("robust", np.median, None), ("minmax", np.min, np.ptp)],
)
def test_scales(scale, center, spread):
    X = TableFeatures(scale=scale).fit_transform(table())
    np.testing.assert_allclose(center(X, axis=0), 0, atol=1e-12)
    if spread is None:
        low, high = np.quantile(X, (0.25, 0.75), axis=0)
        np.testing.assert_allclose(high - low, 1.349)
    else:
        np.testing.assert_allclose(spread(X, axis=0), 1)


def test_logarithms_where_skewed():
    rng = np.random.default_rng(0)
    skewed, even = rng.lognormal(3, 1, 300), rng.normal(10, 1, 300)
    frame = pd.DataFrame({"skewed": skewed, "even": even, "negative": even - 10})
    auto = TableFeatures(scale="auto").fit(frame)
    assert auto.notes_ == ["log(1 + x) is used for column 'skewed'"]
    none = TableFeatures(scale="auto").fit(frame[["even"]])
    assert none.notes_ == ["log(1 + x) is used for no column: none is skewed"]
    logs = np.log1p(skewed)
    np.testing.assert_allclose(auto.transform(frame)[:, 0], (logs - logs.mean()) / logs.std())
    plain = TableFeatures().fit_transform(frame)
    np.testing.assert_array_equal(auto.transform(frame)[:, 1:], plain[:, 1:])
    log = TableFeatures(scale="log").fit(frame)
    assert log.notes_ == ["log(1 + x) is used for columns 'skewed', 'even'"]
    assert np.isfinite(
        log.transform(pd.DataFrame({"skewed": [-5.0], "even": 1, "negative": 1}))
    ).all()


def test_what_is_refused():
    with pytest.raises(ValueError, match="column 'city' is not numeric .*; .*encode='onehot'"):
        TableFeatures().fit(table(city=CITY))
    frame = table()
    frame.loc[3, "x"] = np.nan
    with pytest.raises(
        ValueError, match="column 'x' has 1 missing values, the first in row 4; .* impute='median'"
    ):
        TableFeatures().fit(frame)
    with pytest.raises(ValueError, match=r"the first in row 4 \('p3'\)"):
        TableFeatures().fit(frame.set_axis([f"p{i}" for i in range(40)]))
    with pytest.raises(ValueError, match="no value in 'z'"):
        TableFeatures(impute="median").fit(table(z=np.nan))
    with pytest.raises(ValueError, match="scale"):
        TableFeatures(scale="loud").fit(frame)
    with pytest.raises(ValueError, match="no column is left"):
        TableFeatures(encode="onehot", max_levels=1).fit(pd.DataFrame({"a": ["x", "y"]}))


def test_new_rows_are_filled_and_described():
    prepare = TableFeatures(encode="onehot").fit(table(city=CITY))
    known = table(city=CITY)
    assert prepare.unusual(known) == []
    np.testing.assert_array_equal(
        prepare.transform(known[["city", "y", "x"]]), prepare.transform(known)
    )
    new = pd.DataFrame({"x": ["0,5", "unknown", None], "city": ["Bern", "Ulm", "Genf"]})
    assert prepare.unusual(new) == [
        "column 'x' has 1 row with cells such as 'unknown' instead of numbers or dates, which "
        "are filled in",
        "column 'x' has 1 row without a value, filled in",
        "column 'y' is missing and filled in for all rows",
        "column 'city' has 1 row with new values: 'Ulm'",
    ]
    X = prepare.unscaled(new)
    median = known["x"].median()
    assert X[:, 0].tolist() == [0.5, median, median]
    assert X[1, 2:].tolist() == [0, 0, 0]
    far = prepare.unusual(known.assign(x=np.where(np.arange(40) < 2, 1e6, known["x"])))
    assert len(far) == 1
    assert "column 'x' has 2 rows far outside of the training range" in far[0]


def test_parameters_are_those_of_scikit_learn():
    made = clone(TableFeatures(impute="mean", scale="log"))
    assert made.get_params() == {
        "impute": "mean",
        "encode": None,
        "scale": "log",
        "max_levels": 50,
        "drop_ids": True,
    }


@pytest.mark.parametrize(
    ("frame", "parameter", "option"),
    [
        (
            table(city=CITY),
            r"table.drop\(columns=\['city'\]\), or encode it: encode='onehot'",
            "--encode onehot",
        ),
        (table(z=np.nan), r"leave it out: table.drop\(columns=\['z'\]\)", "--drop z"),
        (table(z=[np.inf, *range(39)]), r"table.drop\(columns=\['z'\]\)", "--drop z"),
        (table(z=[np.nan, *range(39)]), "impute='median'", "--impute median"),
    ],
)
def test_errors_name_parameters_in_python_and_options_in_the_shell(frame, parameter, option):
    with pytest.raises(ValueError, match=parameter) as caught:
        TableFeatures().fit(frame)
    assert "--" not in str(caught.value)
    assert option in in_shell(str(caught.value))


def test_text_with_one_value_or_none_is_left_out():
    """Its gaps would be filled by that value."""
    prepare = TableFeatures(encode="onehot", impute="median")
    prepare.fit(table(mark=np.where(CITY == "Bern", "x", None)))
    assert prepare.notes_ == ["column 'mark' holds one value or none and is left out"]
    assert prepare.left_out_ == {"mark": "holds one value or none"}


def test_durations_are_days_and_far_dates_are_no_error():
    frame = table(
        span=pd.to_timedelta(np.arange(40) % 13, "h"),
        day=pd.Series(["9999-12-31", "2021-01-01"] * 20).astype("datetime64[s]"),
    )
    prepare = TableFeatures(scale="none").fit(frame)
    assert prepare.transform(frame)[:2, 2:].tolist() == [[0, 2932896], [1 / 24, 18628]]
