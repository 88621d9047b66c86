"""Annotations, profiles and alerts of the report, against hand-worked cases and plain twins."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from consens import ConsensusClustering
from consens.consensus import EAC
from consens.generate import KMeansEnsemble
from consens.show import _association as association
from consens.show._answer import alerts, feature_shares
from consens.show._association import (
    describe_annotations,
    profile_sheet,
    share_between,
    take_annotations,
)
from consens.show.summary import gather


def summarise(*given, **options):
    return gather(*given, **options).summary


LABELS = np.repeat([0, 1], 10)
ALL = np.arange(20)


def only(table, labels=LABELS, objects=ALL):
    [found] = describe_annotations(pd.DataFrame(table), labels, objects)
    return found


class TestAnnotations:
    def test_categories_by_hand(self):
        # 8 of 10 and 2 of 10: expected 5 in each cell, so χ² = 4·9/5 = 7.2 and V = √(7.2/20)
        kind = ["a"] * 8 + ["b"] * 2 + ["a"] * 2 + ["b"] * 8
        found = only({"kind": kind})
        assert found["statistic"] == pytest.approx(7.2)
        assert found["effect"] == pytest.approx(0.6)
        assert found["p"] == found["q"] == pytest.approx(stats.chi2.sf(7.2, 1))
        assert found["counts"] == [[8, 2], [2, 8]]
        assert found["levels"] == ["a", "b"]
        assert found["codes"] == [0] * 8 + [1] * 2 + [0] * 2 + [1] * 8
        assert not found["sparse"]

    def test_numbers_by_hand(self):
        # ranks 1 to 10 and 11 to 20: H = 12/(20·21)·(55² + 155²)/10 - 3·21 = 100/7
        found = only({"age": np.arange(20.0)})
        assert found["statistic"] == pytest.approx(100 / 7, abs=0.01)
        assert found["effect"] == pytest.approx(100 / 7 / 19, abs=1e-3)
        assert found["test"] == "Kruskal-Wallis"
        assert found["quartiles"] == [["2.25", "4.5", "6.75"], ["12.2", "14.5", "16.8"]]
        assert found["codes"] == np.repeat(range(10), 2).tolist()

    def test_p_values_are_corrected_for_the_number_of_annotations(self):
        rng = np.random.default_rng(0)
        table = pd.DataFrame({f"x{j}": rng.normal(size=20) for j in range(5)})
        found = describe_annotations(table, LABELS, ALL)
        p = np.array([one["p"] for one in found])
        rank = stats.rankdata(p)
        plain = [min((p * 5 / rank)[p >= own].min(), 1) for own in p]
        assert [one["q"] for one in found] == pytest.approx(plain)

    def test_gaps_and_noise_are_left_out(self):
        labels = np.r_[LABELS, -1]
        kind = [None, *["a"] * 9, *["b"] * 10, "b"]
        found = only({"kind": kind}, labels, np.arange(21))
        assert (found["n"], found["n_missing"]) == (19, 1)
        assert found["counts"] == [[0, 10], [9, 0]]
        assert found["codes"][0] == -1
        assert found["effect"] == 1

    def test_an_annotation_without_variation_has_no_p_value(self):
        assert only({"kind": ["a"] * 20})["p"] is None
        assert only({"age": [1.5] * 20})["q"] is None

    def test_many_categories_are_folded_and_ids_refused(self):
        found = only({"kind": [f"level {i}" for i in range(100)] * 2}, np.repeat([0, 1], 100),
                     np.arange(200))  # fmt: skip
        assert len(found["levels"]) == len(found["counts"]) == association.MAX_LEVELS
        assert found["levels"][-1] == "81 others"
        assert np.sum(found["counts"]) == 200
        assert found["sparse"]
        with pytest.raises(ValueError, match="'id' has 101 different values"):
            only({"id": [f"o{i}" for i in range(101)]}, np.arange(101) % 2, np.arange(101))

    def test_dates_are_shown_as_dates(self):
        found = only({"day": pd.date_range("2024-01-01", periods=20).astype(str)})
        assert found["quartiles"][0][1] == "2024-01-05"
        assert found["kind"] == "numbers"

    def test_columns_of_x_are_taken_out_of_the_features(self):
        X = pd.DataFrame({"a": [1.0, 2.0], "kind": ["u", "v"]})
        table, rest = take_annotations("kind", X, 2)
        assert list(table) == ["kind"]
        assert list(rest) == ["a"]
        with pytest.raises(ValueError, match="annotate='b' is not a column of X, which has the"):
            take_annotations(["b"], X, 2)
        with pytest.raises(ValueError, match="annotate has 2 rows, but 3 objects"):
            take_annotations(X["kind"], None, 3)


class TestProfile:
    def test_in_original_units_with_gaps_and_tests(self):
        rng = np.random.default_rng(0)
        table = pd.DataFrame(
            {
                "income": 1000 + 500 * LABELS + rng.normal(0, 10, 20),
                "town": ["north"] * 9 + ["south"] * 11,
                "noise": rng.normal(size=20),
            }
        )
        table.loc[0, "income"] = np.nan
        found = profile_sheet(table, LABELS, None)
        first = found["clusters"][0]
        assert (first["label"], first["size"]) == (0, 10)
        income = next(row for row in first["columns"] if row["name"] == "income")
        assert 990 < float(income["typical"].replace(",", "")) < 1010
        assert income["share_missing"] == 0.1
        assert float(income["others"].replace(",", "")) == pytest.approx(1500, abs=10)
        town = next(row for row in first["columns"] if row["name"] == "town")
        assert (town["typical"], town["others"]) == ("north (90%)", "0%")
        tests = [row for own in found["clusters"] for row in own["columns"]]
        p = [row["p"] for row in tests]
        assert [row["q"] for row in tests] == pytest.approx(stats.false_discovery_control(p))
        inside, outside = table["income"][1:10], table["income"][10:]
        twin = stats.mannwhitneyu(inside, outside, method="asymptotic").pvalue
        assert income["p"] == pytest.approx(twin)
        assert town["p"] == pytest.approx(
            stats.chi2_contingency([[9, 1], [0, 10]], correction=False).pvalue
        )

    def test_ranks_with_ties_are_those_of_scipy(self):
        rng = np.random.default_rng(1)
        values, labels = rng.integers(0, 5, 60).astype(float), rng.integers(0, 3, 60)
        for c, p in enumerate(association._rank_p(values, labels, 3)):
            twin = stats.mannwhitneyu(
                values[labels == c], values[labels != c], method="asymptotic"
            )
            assert p == pytest.approx(twin.pvalue)

    def test_of_many_columns_the_most_different_are_compared(self, monkeypatch):
        monkeypatch.setattr(association, "MAX_PROFILE_COLUMNS", 2)
        X = np.column_stack([np.zeros(20), LABELS, np.arange(20) % 2, LABELS * 2.0 + 1])
        found = profile_sheet(X, LABELS, ["zero", "one", "two", "one"])
        names = {row["name"] for own in found["clusters"] for row in own["columns"]}
        assert names == {"one", "one (3)"}
        assert (found["n_columns"], found["n_compared"]) == (4, 2)

    def test_the_report_has_a_profile(self):
        rng = np.random.default_rng(0)
        X = pd.DataFrame(rng.normal(size=(60, 2)) + 9 * np.repeat([[0], [1]], 30, axis=0))
        X.columns = ["a", "b"]
        members = KMeansEnsemble(8)
        model = ConsensusClustering(2, generator=members, consensus=EAC(), random_state=0).fit(X)
        kind = np.repeat(["u", "v"], 30)
        found = summarise(model, X.assign(kind=kind), annotate="kind", n_clusters=[])
        assert found["annotations"][0]["effect"] == 1
        assert found["data"]["n_features"] == 2
        assert [own["size"] for own in found["profile"]["clusters"]] == [30, 30]
        assert found["alerts"] == []


CLEAR = {"n_clusters": 3, "n_fence": 0, "n_clustered": 100, "votes": {}}
SIZES = {"clusters": [{"label": c, "size": 33} for c in range(3)], "n_unclustered": 0}


class TestAlerts:
    def test_none_for_a_clear_result(self):
        assert not list(alerts(CLEAR, SIZES, 0.8, {"a": 0.9, "b": 0.6}))

    @pytest.mark.parametrize(
        ("answer", "chosen", "agreement", "shares", "section", "text"),
        [
            ({}, {}, 0.29, {}, "members", "mean NMI with it is 0.29 (below 0.3)"),
            ({"n_fence": 11}, {}, 0.8, {}, "fence", "11% of the objects are borderline"),
            (
                {"votes": {"a": 3, "b": 3, "c": 2, "d": 2, "e": 4}},
                {},
                0.8,
                {},
                "why",
                "2 of 5 criteria choose 3, 2 choose 2 and 1 choose 4",
            ),
            (
                {},
                {"clusters": [{"label": 0, "size": 5}, {"label": 1, "size": 4}]},
                0.8,
                {},
                "clusters",
                "fewer than 5 objects: 1 (4).",
            ),
            ({}, {}, 0.8, {"a": 0.81, "b": 0.2}, "details", "81% of the variance of a is between"),
            ({}, {"n_unclustered": 30}, 0.8, {}, "clusters", "23% of the objects are in no"),
        ],
    )
    def test_each_threshold(self, answer, chosen, agreement, shares, section, text):
        [(where, said)] = alerts(CLEAR | answer, SIZES | chosen, agreement, shares)
        assert where == section
        assert text in said

    @pytest.mark.parametrize(
        ("answer", "chosen", "agreement", "shares"),
        [
            ({}, {}, 0.3, {}),
            ({"n_fence": 10}, {}, 0.8, {}),
            ({"votes": {"a": 3, "b": 2}}, {}, 0.8, {}),
            ({}, {}, 0.8, {"a": 0.81, "b": 0.26}),
            ({}, {}, 0.8, {"a": 0.81}),
            ({}, {"n_unclustered": 25}, 0.8, {}),
        ],
    )
    def test_none_at_the_threshold(self, answer, chosen, agreement, shares):
        assert not list(alerts(CLEAR | answer, SIZES | chosen, agreement, shares))

    def test_share_of_the_variance_between_clusters(self):
        # means 1 and 3 around 2: 4·1 of a total of 4·1 + 4·1
        values = np.array([0.0, 2.0, 2.0, 4.0, np.nan])
        labels = np.array([0, 0, 1, 1, 1])
        assert share_between(values, labels) == pytest.approx(0.5)
        X = np.column_stack([values[:4], np.ones(4)])
        assert feature_shares(X, labels[:4], ["a", "b"]) == {"a": pytest.approx(0.5), "b": 0.0}
