"""A page does not contradict itself: each quantity has one value, and the headline follows."""

import re
from functools import partial
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_wine, make_blobs
from sklearn.preprocessing import StandardScaler

from consens import ConsensusClustering, combine
from consens.consensus._refits import matched_share
from consens.generate import KMeansEnsemble
from consens.measure.confidence import object_margin
from consens.show import resampled_display
from consens.show._answer import WORDS, verdict
from consens.show.page import render
from consens.show.summary import gather


class Tables(HTMLParser):
    """Text of a page, and the rows of its tables."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.text, self.skipped, self.cell = [], "", False, None
        self.feed(page)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attrs):
        self.skipped = tag in ("script", "style")
        if tag == "table":
            self.rows.append([])  # an empty row ends the table before
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self.cell = True

    def handle_endtag(self, tag):
        self.skipped = False
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.skipped:
            return
        self.text = f"{self.text} {data}" if data.strip() else self.text
        if self.cell:
            self.rows[-1][-1] += data.strip()

    def tables_with(self, heading):
        """Column of a heading in every table that has it: label of the row to value."""
        found, at = [], None
        for row in self.rows:
            if heading in row:
                at = row.index(heading)
                found.append({})
            elif not row:
                at = None
            elif at is not None and len(row) > at:
                found[-1][row[0]] = row[at]
        return found


def wine():
    return StandardScaler().fit_transform(load_wine().data)


def model_of(kind):
    members = KMeansEnsemble(30)
    if kind == "chosen":
        return ConsensusClustering(generator=members, max_clusters=5, random_state=0).fit(wine())
    if kind == "tree":
        return ConsensusClustering(3, generator=members, consensus="eac", random_state=0).fit(
            wine()
        )
    if kind == "noise":
        X = np.random.default_rng(0).normal(size=(120, 3))
        return ConsensusClustering(5, generator=members, random_state=0).fit(X)
    X, _ = make_blobs(90, random_state=1)
    if kind == "default":
        return ConsensusClustering(3, random_state=0).fit(X)
    return combine(members.fit_transform(X), n_clusters=3)


@pytest.fixture(scope="module", params=["chosen", "tree", "noise", "combined", "default"])
def shown(request):
    numbers = None if request.param == "chosen" else [2, 3, 4]
    contents = gather(model_of(request.param), n_clusters=numbers)
    return contents, Tables(render(contents))


def test_each_measure_has_one_value_for_a_number(shown):
    contents, page = shown
    for heading in ("PAC", "Delta area", "Score"):
        assert len(page.tables_with(heading)) <= 1
    rows = {row["n_clusters"]: row for row in contents.summary["numbers"]}
    for k, text in re.findall(r"k = (\d+) has[^.]*?eigengap[^(]*\((\d\.\d+)\)", page.text):
        assert f"{rows[int(k)]['score']:.2f}" == text
        assert max(r["score"] or 0 for r in rows.values()) == rows[int(k)]["score"]


def test_one_consensus_cdf_also_with_resampling(monkeypatch):
    few = partial(resampled_display.resampled_consensus, n_resamples=5, n_references=2)
    monkeypatch.setattr(resampled_display, "resampled_consensus", few)
    model = ConsensusClustering(generator=KMeansEnsemble(20), max_clusters=4, random_state=0).fit(
        wine()
    )
    contents = gather(model, wine(), per_k=True)
    assert len(Tables(render(contents)).tables_with("PAC")) == 1


def test_mean_confidence_is_the_same_everywhere(shown):
    contents, page = shown
    answer = contents.summary["answer"]
    if answer["n_clusters"] == 1:
        return
    said = f"{answer['confidence']:.2f}"
    assert f"mean confidence {said}" in page.text
    assert f"Another sample would give {100 * answer['confidence']:.0f} % the same" in page.text
    [row] = [r for r in contents.summary["numbers"] if r["n_clusters"] == answer["n_clusters"]]
    assert row["confidence"] == answer["confidence"]
    assert row["n_fence"] == answer["n_fence"]
    for k, value in re.findall(r"(\d\.\d\d) for (\d+)", page.text):
        [row] = [r for r in contents.summary["numbers"] if r["n_clusters"] == int(value)]
        assert f"{row['confidence']:.2f}" == k


def test_other_numbers_are_judged_by_resampled_members():
    contents = gather(model_of("default"), n_clusters=[2, 4])
    said = Tables(render(contents)).text
    numbers = [r for r in contents.summary["numbers"] if r["n_clusters"] > 1]
    confidence = {r["n_clusters"]: f"{r['confidence']:.2f}" for r in numbers}
    assert f"The mean confidence is {confidence[3]} for 3; resampled members give " in said
    assert f"{confidence[2]} for 2 and {confidence[4]} for 4." in said


def test_agreement_with_the_members_has_one_value(shown):
    contents, _ = shown
    summary = contents.summary
    k = summary["answer"]["n_clusters"]
    [row] = [r for r in summary["numbers"] if r["n_clusters"] == k]
    assert row["agreement"] == pytest.approx(summary["members"]["agreement"]["mean"], abs=1e-4)


def test_the_headline_follows_from_stability_and_criteria(shown):
    contents, page = shown
    answer = contents.summary["answer"]
    k, word = answer["n_clusters"], answer["certainty"]
    splits = contents.summary["splits"]
    split = None if splits is None else splits["n_clusters"] > 1
    if k == 1:
        assert word == ("unclear" if split else "no structure")
        return
    votes = list(answer["votes"].values())
    support = votes.count(k) / len(votes) if votes else None
    assert word == verdict(
        k, answer["stability"]["ari"], support, hints=bool(answer["hints"]), split=split
    )
    if split is False:
        assert word in ("fairly clear", "unclear")
        assert any(alert["section"] == "splits" for alert in contents.summary["alerts"])
    assert f"How certain {word.capitalize()}" in page.text
    if support == 0:
        assert word == "unclear"
    for least, name in WORDS:
        if name == word:
            assert answer["stability"]["ari"] >= least


def test_borderline_objects_are_those_with_the_lowest_confidence(shown):
    contents, _ = shown
    summary = contents.summary
    for index, one in enumerate(summary["partitions"]):
        confidence = np.array(summary["objects"]["confidence"][index])
        labels = np.array(summary["objects"]["labels"][index])
        listed = [o["confidence"] for o in one["fence"]["objects"]]
        assert listed == sorted(listed)
        if one["n_clusters"] > 1:
            below = (confidence < summary["done"]["fence"]) & (labels >= 0)
            assert one["fence"]["n"] == below.sum()
            lowest = np.sort(confidence[labels >= 0])[: len(listed)]
            np.testing.assert_allclose(listed, lowest, atol=1e-3)


@pytest.mark.parametrize("kind", ["tree", "noise", "combined"])
def test_members_confidence_and_borderline_list_order_objects_alike(kind):
    model = model_of(kind)
    contents = gather(model)
    fitted = getattr(model, "consensus_", model)
    confidence = np.asarray(fitted.confidence_)
    margin = object_margin(fitted.ensemble_, fitted.labels_)
    assert spearmanr(confidence, margin).statistic > 0.6
    borderline = confidence < contents.summary["done"]["fence"]
    if borderline.any():
        assert margin[borderline].mean() < margin[~borderline].mean()
    shares = fitted._refits
    again = matched_share(shares.partitions, shares.answer, shares.weights)
    for share in np.unique(again):  # objects on which as many refits agree
        same = again == share
        order = np.argsort(margin[same], kind="stable")
        assert (np.diff(confidence[same][order]) >= -1e-12).all()


def leaves(node):
    return [node] if not node["children"] else [x for c in node["children"] for x in leaves(c)]


def test_the_tree_adds_up(shown):
    contents, page = shown
    splits = contents.summary["splits"]
    if splits is None:  # no features
        assert "Clusters inside clusters" not in page.text
        return
    sizes = [leaf["size"] for leaf in leaves(splits["root"])]
    assert len(sizes) == splits["n_clusters"]
    assert np.bincount(splits["leaves"]).tolist() == sizes
    assert sum(sizes) == splits["n_tested"] == splits["root"]["size"]
    assert (splits["root"]["p"] <= 0.05) == (splits["n_clusters"] > 1)
    assert f"alone, finds {splits['n_clusters']} cluster" in page.text
    for leaf in leaves(splits["root"]):
        assert leaf["p"] is None or leaf["p"] > 0.05


def test_reasons_name_the_cluster_and_runner_up_of_the_map(shown):
    contents, _ = shown
    summary = contents.summary
    [index] = [
        i
        for i, one in enumerate(summary["partitions"])
        if one["n_clusters"] == summary["answer"]["n_clusters"]
    ]
    second = summary["objects"]["runner_up"][index]
    for place, prefer, members, few, *_ in summary["reasons"]["objects"]:
        assert len(few) == min(prefer, 12)
        assert prefer <= members
        assert prefer == 0 or second[place] >= 0


def test_stability_of_clusters_is_that_of_the_summary(shown):
    contents, page = shown
    summary = contents.summary
    chosen = next(
        p for p in summary["partitions"] if p["n_clusters"] == summary["answer"]["n_clusters"]
    )
    [table] = page.tables_with("Stability")
    for cluster in chosen["clusters"]:
        words = f"{cluster['stability']:.2f} {cluster['verdict']}"
        assert table[str(cluster["label"])] == words
        limits = {"stable": (0.85, 1), "doubtful": (0.6, 0.85), "dissolved": (0, 0.6)}
        low, high = limits[cluster["verdict"]]
        assert low - 1e-4 <= cluster["stability"] <= high + 1e-4


class TestVerdict:
    def test_words_follow_from_the_index(self):
        given = [verdict(3, value, None, hints=False) for value in (0.96, 0.9, 0.7, 0.69)]
        assert given == ["very clear", "clear", "fairly clear", "unclear"]

    def test_criteria_limit_it(self):
        assert verdict(7, 0.99, 0.0, hints=False) == "unclear"
        assert verdict(7, 0.99, 0.3, hints=False) == "fairly clear"
        assert verdict(7, 0.99, 0.5, hints=False) == "very clear"
        assert verdict(7, 0.99, 0.5, hints=True) == "clear"
        assert verdict(1, 1.0, 1.0, hints=False) == "no structure"

    def test_the_test_of_splits_limits_it(self):
        assert verdict(3, 0.99, 1.0, hints=False, split=False) == "fairly clear"
        assert verdict(3, 0.99, 1.0, hints=False, split=True) == "very clear"
        assert verdict(1, 1.0, 1.0, hints=False, split=False) == "no structure"
        assert verdict(1, 1.0, 1.0, hints=False, split=True) == "unclear"
