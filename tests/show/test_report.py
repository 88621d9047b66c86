"""The report: what it says, that it stays small, and that names are shown and never run."""

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import consens
from consens import ConsensusClustering, Ensemble
from consens._labels import first_seen_order
from consens.consensus import EAC, HBGF
from consens.generate import LACEnsemble
from consens.measure import contrast, object_association, object_confidence
from consens.select import ClusterAndSelect
from consens.show import _partition as partition_module
from consens.show import _plain as plain_module
from consens.show import summary as summary_module
from consens.show._display import INK
from consens.show._fitted import FENCE
from consens.show.page import render, to_json
from consens.show.page import report as report_function
from consens.show.summary import Contents, gather


def summarise(*given, **options):
    return gather(*given, **options).summary


EVIL = "<script>alert(1)</script>"


class Page(HTMLParser):
    """Tags, the text outside of scripts and styles, and the embedded data of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.inside, self.scripts = [], [], [], {}
        self.feed(text)
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.inside.append((tag, dict(attrs).get("id")))

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1][0] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.words.append(data)
        elif self.inside[-1][0] == "script":
            self.scripts[self.inside[-1][1]] = data


@pytest.fixture(scope="module")
def summary(model, blobs):
    X = pd.DataFrame(blobs[0], columns=["width", "height"])
    return summarise(model, X, ids=[f"object {i}" for i in range(120)])


@pytest.fixture(scope="module")
def page(model, blobs, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    report_function(model, path, blobs[0], feature_names=["width", "height"], title="Blobs")
    return path.read_text(encoding="utf-8")


def partition(summary, k):
    return next(p for p in summary["partitions"] if p["n_clusters"] == k)


class TestSummary:
    def test_answer(self, summary, model):
        answer = summary["answer"]
        assert answer["n_clusters"] == 3
        assert answer["choice"] == "given"
        assert answer["confidence"] == pytest.approx(model.confidence_.mean(), abs=1e-4)
        assert answer["n_fence"] == (np.round(model.confidence_, 3) < FENCE).sum()
        assert answer["why"][0] == "The number of clusters was set to 3."
        assert summary["data"]["n_objects"] == 120
        assert summary["data"]["n_features"] == 2
        assert summary["data"]["n_members"] == 30

    def test_every_number_of_clusters(self, summary, model):
        assert [p["n_clusters"] for p in summary["partitions"]] == list(range(2, 9))
        assert [row["n_clusters"] for row in summary["numbers"]] == list(range(2, 9))
        lives = model.consensus_.lifetimes_
        for row in summary["numbers"]:
            assert row["lifetime"] == pytest.approx(lives[row["n_clusters"] - 1], abs=1e-4)
        for p in summary["partitions"]:
            assert sum(c["size"] for c in p["clusters"]) == 120
            assert len(p["clusters"]) == p["n_clusters"]

    def test_clusters(self, summary, model, blobs):
        clusters = partition(summary, 3)["clusters"]
        means, others, differences = contrast(blobs[0], model.labels_)
        for c, cluster in enumerate(clusters):
            own = model.confidence_[model.labels_ == c]
            assert cluster["label"] == cluster["color"] == c
            assert cluster["size"] == len(own)
            assert cluster["confidence"] == pytest.approx(own.mean(), abs=1e-4)
            assert cluster["profile"][0] == pytest.approx(own.max(), abs=1e-3)
            assert cluster["profile"][-1] == pytest.approx(own.min(), abs=1e-3)
            first = cluster["features"][0]
            j = np.abs(differences[c]).argmax()
            assert first["name"] == ["width", "height"][j]
            assert first["difference"] == pytest.approx(differences[c, j], abs=1e-3)
            assert first["mean"] == pytest.approx(means[c, j], rel=1e-3)
            assert first["others"] == pytest.approx(others[c, j], rel=1e-3)

    def test_fence(self, model, blobs):
        labels = np.arange(120) % 3  # a bad partition: everybody sits on the fence
        members = np.column_stack([model.ensemble_.labels, labels])
        consensus = EAC(3).fit(members)
        consensus.labels_ = labels.astype(np.int32)
        consensus.confidence_ = confidence = object_confidence(members, labels)
        fence = partition(summarise(consensus, n_clusters=[]), 3)["fence"]
        assert fence["n"] == (np.round(confidence, 3) < FENCE).sum() > 100
        assert len(fence["objects"]) == partition_module.MAX_FENCE
        assert fence["objects"][0]["confidence"] == pytest.approx(confidence.min(), abs=1e-3)
        shown = [o["confidence"] for o in fence["objects"]]
        assert shown == sorted(shown)
        one = fence["objects"][0]
        towards = object_association(members, labels, [int(one["id"])])[0]
        assert one["label"] == labels[int(one["id"])]
        towards[one["label"]] = -1
        assert one["other"] == towards.argmax()

    def test_matrix_in_blocks(self, summary):
        matrix = partition(summary, 3)["matrix"]
        assert len(matrix["labels"]) == len(matrix["sizes"]) == len(matrix["percent"])
        assert sum(matrix["sizes"]) == 120
        percent = np.array(matrix["percent"])
        assert (percent == percent.T).all()
        assert percent.min() >= 0
        assert percent.max() <= 100
        assert np.count_nonzero(np.diff(matrix["labels"])) == 2

    def test_objects_can_be_found(self, summary, model):
        objects = summary["objects"]
        assert objects["ids"][7] == "object 7"
        assert objects["labels"][1] == model.labels_.tolist()
        np.testing.assert_allclose(objects["confidence"][1], model.confidence_, atol=0.0051)

    def test_members(self, summary, model):
        members = summary["members"]
        assert members["n"] == 30
        assert (members["fewest"], members["most"]) == (2, 6)
        assert members["algorithms"] == ["KMeans"]
        agreement = [m["agreement"] for m in members["listed"]]
        assert agreement == sorted(agreement, reverse=True)
        assert members["agreement"]["highest"] == agreement[0]

    def test_is_json(self, summary):
        assert json.loads(to_json(summary)) == summary

    def test_of_a_pipeline_with_selection(self, blobs):
        pipeline = make_pipeline(
            StandardScaler(),
            ConsensusClustering(
                3, generator=None, selector=ClusterAndSelect(5), consensus=EAC(), random_state=0
            ),
        ).fit(blobs[0])
        found = summarise(pipeline, blobs[0])
        stages = [(s["role"], s["name"]) for s in found["done"]["stages"]]
        assert stages == [
            ("features", "StandardScaler"),
            ("members", "KMeansEnsemble"),
            ("selection", "ClusterAndSelect"),
            ("consensus", "EAC"),
        ]

    def test_reasons(self, model, blobs):
        by_lifetime = summarise(EAC(linkage="single").fit(model.ensemble_))["answer"]
        assert by_lifetime["choice"] == "longest lifetime"
        assert re.match(r"k = \d+ has the longest lifetime in the tree", by_lifetime["why"][0])

    def test_groups_inside_a_cluster(self):
        a, b, c = (np.repeat([part], 20, axis=0) for part in np.eye(3, dtype=int))
        apart = np.argmax(np.vstack([a, b, c]), axis=1)
        together = np.minimum(apart, 1) - (apart == 1)
        members = np.column_stack([apart] * 8 + [together] * 2)
        found = summarise(EAC(2).fit(members), n_clusters=[2, 3])
        assert found["answer"]["hints"] == [
            "Cluster 0 may be two groups of 20 and 20 objects, as in the partition into 3 "
            "clusters: objects of different groups are together 20% as often as objects of the "
            "same group."
        ]
        assert found["answer"]["confidence"] > 0.999
        assert found["answer"]["certainty"] == "clear"  # not very clear
        assert partition(found, 3)["hints"] == []

    def test_clusters_that_are_hardly_apart(self):
        halves = np.repeat([0, 1], 20)
        members = np.column_stack([halves] * 6 + [0 * halves] * 4)
        found = summarise(EAC(2).fit(members), n_clusters=[2])
        assert found["answer"]["hints"] == [
            "Clusters 0 and 1 are hardly separated: their objects are together 40% as often as "
            "objects of the same cluster."
        ]

    def test_numbers_that_compete(self, chosen):
        found = summarise(chosen)["candidates"]
        scores = chosen.results_.table["score"]
        assert found[0]["n_clusters"] == 3
        named = [candidate.n_clusters for candidate in chosen.results_.candidates]
        assert [c["n_clusters"] for c in found] == named
        assert found[0]["evidence"].startswith(f"Score {scores[3]:.2f}; chosen by ")
        assert found[0]["change"] == ""
        by_number = {c["n_clusters"]: c["change"] for c in found}
        assert by_number[2].startswith("Merges clusters ")

    def test_telling_features_in_words_and_units(self, summary, blobs, model):
        cluster = partition(summary, 3)["clusters"][0]
        own = blobs[0][model.labels_ == 0]
        assert cluster["words"].startswith("Low ")
        for feature in cluster["features"]:
            j = ["width", "height"].index(feature["name"])
            expected = np.quantile(own[:, j], [0.05, 0.25, 0.5, 0.75, 0.95])
            np.testing.assert_allclose(feature["own"], expected, rtol=1e-3)

    def test_clusters_have_the_names_that_voters_use(self):
        votes = pd.DataFrame(
            {"ann": list("xxyy"), "bob": list("xxyz"), "cy": list("uuyy"), "numbers": [1, 1, 2, 2]}
        )
        clusters = summarise(EAC(2).fit(Ensemble.from_labels(votes)), n_clusters=[])
        clusters = clusters["partitions"][0]["clusters"]
        assert [cluster["name"] for cluster in clusters] == ["x", "y"]
        assert clusters[0]["words"] == "67% of its labels are x."

    def test_annotators(self):
        model = consens.combine(
            pd.DataFrame({"Ann": list("xxyyx"), "Ben": list("xxyxx"), EVIL: list("xxyyx")})
        )
        contents = gather(model, n_clusters=[])
        found = contents.summary["members"]["annotators"]
        assert [one["name"] for one in found["annotators"]] == ["Ann", "Ben", EVIL]
        page = render(contents)
        assert f"{found['alpha']:.2f} by Krippendorff" in page
        assert EVIL not in page
        numbers = summarise(EAC(2).fit([[0, 0], [0, 0], [1, 1]]), n_clusters=[])
        assert numbers["members"]["annotators"] is None

    def test_one_cluster_has_a_next_step(self):
        found = summarise(EAC(1).fit(np.repeat([[0, 0], [0, 1]], 5, axis=0)), n_clusters=[])
        assert "set the number of clusters (n_clusters=2)" in found["answer"]["next_step"]

    def test_a_number_that_was_chosen(self, chosen):
        found = summarise(chosen)
        results, answer = chosen.results_, found["answer"]
        assert answer["n_clusters"] == chosen.n_clusters_ == 3
        assert answer["choice"] == "chosen"
        assert answer["why"][0].lower() == f"{results.rule.lower()}."
        assert answer["votes"] == results.votes
        assert [p["n_clusters"] for p in found["partitions"]] == [1, 2, 3, 4, 5, 6]
        for index, k in enumerate(range(1, 7)):
            assert found["objects"]["labels"][index] == results.labels[k].tolist()
        row, expected = found["numbers"][2], results.table.loc[3]
        for name in ("score", "eigengap", "n_votes", "pac", "delta_area", "lifetime_average"):
            assert row[name] == pytest.approx(expected[name], abs=1e-5)
        assert row["lifetime_single"] == pytest.approx(expected["lifetime"], abs=1e-5)
        assert row["bootstrap"] == pytest.approx(expected["bootstrap_mean"], abs=1e-5)
        assert row["spread"] == pytest.approx(expected["bootstrap_std"], abs=1e-5)
        assert row["lifetime"] is None
        assert found["numbers"][0]["confidence"] is None  # one cluster is compared with nothing


class TestShapes:
    """Everything that a consensus may be."""

    def write(self, estimator, tmp_path, X=None, **options):
        path = tmp_path / "r.html"
        consens.report(estimator, path, X, **options)
        return Page(path.read_text(encoding="utf-8"))

    def test_one_cluster(self, tmp_path):
        members = Ensemble.from_labels([[0, 0, 0, 0], [0, 0, 0, 1]])
        shown = self.write(EAC(1).fit(members), tmp_path)
        assert "1 cluster of 4 objects" in shown.text
        assert "do not agree on any groups" in shown.text
        assert "confidence" not in shown.text.partition("How certain")[2].partition("Why 1")[0]

    def test_one_member_two_objects(self, tmp_path):
        shown = self.write(EAC(2).fit(Ensemble.from_labels([[0, 1]])), tmp_path)
        assert "2 clusters of 2 objects, by the consensus of 1 clustering." in shown.text

    @pytest.mark.usefixtures("no_plots")
    def test_as_many_clusters_as_objects(self, tmp_path):
        labels = np.arange(300)
        made = EAC(300).fit(np.column_stack([labels, labels]))
        shown = self.write(made, tmp_path, n_clusters=[])
        data = json.loads(shown.scripts["data"])
        last = data["partitions"][-1]
        assert last["n_not_listed"] == 300 - partition_module.MAX_LISTED
        assert len(last["clusters"]) == partition_module.MAX_LISTED
        assert last["matrix"] is None

    def test_noise_and_missing(self, tmp_path):
        labels = np.array([[0, 0, 1, 1, -1, -2], [0, 0, 1, 1, -1, 1], [0, 0, 1, -2, -1, 1]]).T
        shown = self.write(EAC(2).fit(Ensemble(labels)), tmp_path)
        data = json.loads(shown.scripts["data"])
        assert data["partitions"][0]["n_unclustered"] == 1
        assert "16.7 % noise" in shown.text

    @pytest.mark.usefixtures("no_plots")
    def test_a_method_without_tree(self, model, blobs, tmp_path):
        made = HBGF(n_clusters=3, random_state=0).fit(model.ensemble_)
        shown = self.write(made, tmp_path, n_clusters=[2])
        assert "HBGF" in shown.text

    @pytest.mark.usefixtures("no_plots")
    def test_a_number_that_was_chosen(self, chosen, tmp_path):
        shown = self.write(chosen, tmp_path)
        assert "On their own, the criteria would choose: lifetime 3" in shown.text
        assert "sum of two lifetimes and the eigengap" in shown.text

    def test_sparse_features(self, model, blobs):
        X = np.maximum(blobs[0], 0)
        dense, sparse = (summarise(model, A)["partitions"] for A in (X, csr_array(X)))
        assert dense == sparse
        assert dense[0]["clusters"][0]["features"][0]["name"].startswith("feature ")

    @pytest.mark.usefixtures("no_plots")
    def test_features_of_the_members(self, blobs, tmp_path):
        generator = LACEnsemble(n_clusters=3, inverse_h=[1, 2, 3], random_state=0)
        model = ConsensusClustering(3, generator=generator).fit(blobs[0])
        shown = self.write(model, tmp_path, n_clusters=[])
        assert "with 2 features" in shown.text

    def test_recipes_and_boundaries(self, blobs, defaults_of_users):
        with defaults_of_users():
            model = ConsensusClustering(3, random_state=0).fit(blobs[0])
        contents = gather(model, blobs[0], n_clusters=[])
        page = render(contents)
        for own in model.recipes_:
            cells = (
                f"<td>{value:.2f}</td>" for value in (own.agreement, own.evenness, own.support)
            )
            assert f"{own.name}</th>" + "".join(cells) in page
        assert ("Gaussians, one for each cluster" in page) == (model.boundaries_ != "members")
        alone = summarise(EAC(2).fit([[0, 0], [0, 0], [1, 1]]), n_clusters=[])["members"]
        assert (alone["recipes"], alone["boundaries"]) == ([], None)

    def test_data_frames_name_features_and_objects(self, blobs):
        X = pd.DataFrame(blobs[0], columns=["a", "b"], index=[f"row{i}" for i in range(120)])
        model = ConsensusClustering(3, random_state=0).fit(X)
        data = summarise(model, X, n_clusters=[])
        assert data["objects"]["ids"][:2] == ["row0", "row1"]
        assert data["partitions"][0]["clusters"][0]["features"][0]["name"] in ("a", "b")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"X": np.zeros((3, 2))}, "X has 3 rows, but 120 objects"),
            ({"X": np.zeros((120, 2)), "feature_names": ["a"]}, "1 feature names for 2"),
            ({"ids": ["a", "b"]}, "2 ids for 120 objects"),
        ],
    )
    def test_what_does_not_fit(self, model, tmp_path, options, message):
        with pytest.raises(ValueError, match=message):
            self.write(model, tmp_path, **options)
        assert list(tmp_path.iterdir()) == []

    def test_path(self, model, tmp_path):
        with pytest.raises(ValueError, match="a page .* or of data"):
            consens.report(model, tmp_path / "report.pdf")
        consens.report(model, tmp_path / "report.json")
        found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert found["format"] == "consens report"


class TestPage:
    def test_same_model_same_text(self, page, model, blobs):
        again = gather(model, blobs[0], feature_names=["width", "height"], title="Blobs")
        assert render(again) == page

    def test_answers_are_in_the_text(self, page):
        text = Page(page).text
        assert "3 clusters of 120 objects with 2 features" in text
        assert (
            "How certain Very clear: mean confidence 1.00. Another sample would give 100 %" in text
        )
        assert "Why 3 The number of clusters was set to 3." in text

    def test_needs_nothing_from_elsewhere(self, page):
        for tag, attributes in Page(page).tags:
            assert tag not in ("link", "iframe", "object", "embed", "base")
            assert "src" not in attributes
            for name in ("href", "xlink:href"):
                assert attributes.get(name, "#").startswith(("#", "data:image/png"))
        assert "@import" not in page
        assert "url(http" not in page
        for address in re.findall(r"https?://[^\"' <)]*", page):
            assert address.startswith(("http://www.w3.org/",))

    def test_only_its_own_script_may_run(self, page):
        policy = next(a for _, a in Page(page).tags if "http-equiv" in a)["content"]
        assert "default-src 'none'" in policy
        assert re.search(r"script-src 'sha256-[\w+/=]+';", policy)

    def test_ids_are_distinct(self, page):
        ids = [attributes["id"] for _, attributes in Page(page).tags if "id" in attributes]
        assert len(ids) == len(set(ids))

    def test_plots_follow_the_colours_of_the_page(self, page):
        svgs = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
        assert len(svgs) == 1  # tracking
        for svg in svgs:
            assert "var(--ink)" in svg
            assert INK not in svg
            assert 'role="img"' in svg
            assert "aria-label" in svg
            assert "<text" in svg

    def test_each_number_can_be_chosen(self, page):
        radios = [a["value"] for tag, a in Page(page).tags if tag == "input" and "value" in a]
        assert radios == [str(k) for k in range(2, 9)]


NAMES = (EVIL, "</script><!--<script>", '$\\frac{x}$ & "it\'s"')


@pytest.fixture(scope="module")
def shown(blobs, tmp_path_factory):
    """A page about data whose names are up to no good."""
    X = pd.DataFrame(
        np.column_stack([blobs[0], np.random.default_rng(0).normal(size=120)]),
        columns=NAMES,
        index=[f"{EVIL}{i}" for i in range(120)],
    )
    weighted = LACEnsemble(n_clusters=3, inverse_h=[1, 2, 3], random_state=0)
    model = ConsensusClustering(3, generator=weighted, random_state=0).fit(X)
    path = tmp_path_factory.mktemp("evil") / "evil.html"
    facts = {EVIL: EVIL, "notes": 300 * "long, " + "end"}
    consens.report(model, path, X, title=EVIL, facts=facts, n_clusters=[2])
    return path.read_text(encoding="utf-8")


class TestNamesFromTheData:
    """A name is text, wherever it comes from."""

    def test_names_are_shown(self, shown):
        page = Page(shown)
        for name in [*NAMES, "long, long, end"]:
            assert name in page.text
        data = json.loads(page.scripts["data"])
        assert data["objects"]["ids"][3] == f"{EVIL}3"
        found = {f["name"] for f in data["partitions"][1]["clusters"][0]["features"]}
        assert found == set(NAMES)

    def test_names_are_not_markup(self, shown):
        scripts = [attributes for tag, attributes in Page(shown).tags if tag == "script"]
        assert scripts == [{"type": "application/json", "id": "data"}, {}]
        assert EVIL not in shown
        assert html.escape(EVIL, quote=False) in shown
        embedded = re.search(r'id="data">(.*?)</script>', shown, flags=re.DOTALL)[1]
        assert "<" not in embedded

    def test_names_of_members(self, tmp_path):
        labels = pd.DataFrame({EVIL: [0, 0, 1, 1], "b": [0, 1, 1, 1]})
        consens.report(EAC(2).fit(Ensemble.from_labels(labels)), tmp_path / "r.html")
        page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
        assert EVIL in page.text
        assert len([tag for tag, _ in page.tags if tag == "script"]) == 2

    def test_long_names_are_cut(self, model, blobs):
        found = summarise(model, blobs[0], feature_names=["x" * 10_000, "y"])
        names = {f["name"] for f in partition(found, 3)["clusters"][0]["features"]}
        assert max(map(len, names)) == plain_module.MAX_NAME


class Fixed(ClusterMixin, BaseEstimator):
    """A consensus that needs no time: the first member, with as many clusters as are wanted."""

    def __init__(self, n_clusters=4):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.ensemble_ = Ensemble.from_labels(X)
        self.labels_ = first_seen_order(self.ensemble_.labels[:, 0] % self.n_clusters)
        return self


def large_members(n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 12, n)
    columns = [np.where(rng.random(n) < 0.2, rng.integers(0, 12, n), y) for _ in range(6)]
    return Ensemble(np.column_stack([y, *columns])), rng.normal(size=(n, 3)) + y[:, None]


class TestSize:
    def test_does_not_grow_with_the_objects(self, monkeypatch):
        monkeypatch.setattr("consens.show.map_display.MAX_POINTS", 500)
        sizes = []
        for n in (1_000, 2_000):
            members, X = large_members(n)
            contents = gather(Fixed().fit(members), X, n_clusters=range(2, 6))
            assert len(contents.summary["objects"]["ids"]) == 500
            assert len(contents.summary["partitions"]) == 4
            sizes.append(len(render(contents)))
        assert sizes[1] < 1.05 * sizes[0]

    @pytest.mark.slow
    def test_of_twenty_thousand_objects(self):
        members, X = large_members(20_000)
        wide = np.hstack([X] * 7)[:, :20]
        page = render(gather(Fixed(12).fit(members), wide, n_clusters=range(2, 16)))
        assert len(page.encode()) < 5_000_000

    @pytest.mark.slow
    def test_of_a_hundred_thousand_objects_with_long_names(self):
        members, X = large_members(100_000)
        names = [f"{i:0>100}" for i in range(100_000)]
        consensus = Fixed(12).fit(members)
        page = render(gather(consensus, X, ids=names, n_clusters=range(2, 16)))
        assert len(page.encode()) < 5_000_000

    def test_many_members_are_thinned_out(self):
        rng = np.random.default_rng(0)
        labels = rng.integers(0, 3, (40, 500))
        labels[:, ::2] = np.repeat([0, 1], 20)[:, None]
        found = summarise(EAC(2).fit(Ensemble(labels)), n_clusters=[2])
        assert found["members"]["n"] == 500
        assert len(found["members"]["listed"]) == summary_module.MAX_MEMBERS


def test_writing_is_whole_or_not_at_all(model, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")

    def fails(contents):
        raise KeyboardInterrupt

    monkeypatch.setattr("consens.show.page.render", fails)
    with pytest.raises(KeyboardInterrupt):
        consens.report(model, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_contents_without_plots(summary):
    """The plots are beside the data, not in them."""
    assert "<svg" not in render(Contents(summary))


def test_the_place_is_checked_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr("consens.show.page.gather", lambda *_, **__: pytest.fail("worked first"))
    model = EAC(2).fit(np.array([[0], [0], [1]]))
    with pytest.raises(FileNotFoundError, match=r"missing.x\.html: there is no folder .*missing"):
        consens.report(model, tmp_path / "missing" / "x.html")
    (tmp_path / "x.html").mkdir()
    with pytest.raises(OSError, match=r"cannot write .*x\.html: it is a folder"):
        consens.report(model, tmp_path / "x.html")
    if Path("/proc").is_dir():  # where nobody can write
        with pytest.raises(OSError, match="cannot write into the folder /proc"):
            consens.report(model, "/proc/x.html")


def test_a_data_frame_with_text_dates_and_gaps(tmp_path):
    """The table as the user has it, not as it was clustered."""
    group = np.repeat([0, 1], 20)
    frame = pd.DataFrame(
        {
            "sales": [f"{1 + 3 * g}.{100 + i},50 €" for i, g in enumerate(group)],
            "city": np.array(["Bern", "Genf"])[group],
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(group * 100, "D"),
            "visits": np.where(np.arange(40) == 3, np.nan, group),
        },
        index=[f"c{i}" for i in range(40)],
    )
    model = EAC(2).fit(np.column_stack([group, group]))
    summary = summarise(model, frame, n_clusters=[])
    assert summary["data"]["n_features"] == 5
    first = summary["partitions"][0]["clusters"][0]
    kinds = {one["name"]: one["kind"] for one in first["features"]}
    shown = {"sales": "number", "city_Bern": "share", "day": "day", "visits": "share"}
    assert kinds == shown | {"city_Genf": "share"}
    assert "early day (2024-01-01, others 2024-04-10)" in first["words"].lower()
    assert "city_bern (100%, others 0%)" in first["words"].lower()
    consens.report(model, tmp_path / "p.html", frame)
    assert "c3" in (tmp_path / "p.html").read_text(encoding="utf-8")
