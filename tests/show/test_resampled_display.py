"""The view per k: what the panels hold, and the section of the report."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import consens
from consens import ConsensusClustering
from consens.show import ResampledConsensusDisplay
from consens.show._display import cluster_color
from consens.show.page import render
from consens.show.summary import gather

QUICK = {"n_clusters": [2, 3, 4], "n_resamples": 10, "n_references": 4, "random_state": 0}


@pytest.fixture(scope="module")
def display(blobs):
    model = ConsensusClustering(3, scale="standard", random_state=0).fit(blobs[0])
    return ResampledConsensusDisplay.from_estimator(model, blobs[0], **QUICK)


def test_panels_show_the_matrix_in_the_order_of_its_tree(display):
    partition, panel = display.found.partitions[3], display.parts[3]
    runs = 1 + np.count_nonzero(np.diff(panel.labels))
    assert runs == 3  # clusters stand together
    assert sorted(panel.item_consensus) == sorted(
        partition.item_consensus[np.arange(len(panel.labels)), partition.labels]
    )
    n = len(panel.labels)
    assert panel.matrix.shape == (min(n, 120),) * 2
    # blocks of nearly equal size: the mean of all is that of the matrix
    assert panel.matrix.mean() == pytest.approx(partition.matrix.mean(), abs=0.02)
    square, bars = panel.axes_
    assert square.get_title().startswith("k = 3\nPAC 0.0")
    heights = [line.get_ydata()[0] for line in bars.lines]
    assert sorted(heights) == sorted(partition.cluster_consensus)
    colors = {to_hex(area.get_facecolor()[0]) for area in bars.collections}
    assert colors == {cluster_color(c) for c in range(3)}


def test_curves_are_those_of_the_table(display):
    cdf, growth, pac = display.axes_[-3:]
    assert len(cdf.lines) == 3
    np.testing.assert_array_equal(growth.lines[0].get_ydata(), display.table["delta_area"])
    np.testing.assert_array_equal(pac.lines[0].get_ydata(), display.table["pac"])
    mean = pac.lines[1].get_ydata()
    np.testing.assert_array_equal(mean, display.table["reference_pac"])


def test_features_are_scaled_as_for_the_clustering(blobs, display):
    X = blobs[0] * [1, 1000]
    scaled = ConsensusClustering(3, scale="standard", random_state=0).fit(X)
    piped = make_pipeline(StandardScaler(), ConsensusClustering(3, scale="none", random_state=0))
    for model in (scaled, piped.fit(X)):
        again = ResampledConsensusDisplay.from_estimator(model, X, **QUICK)
        np.testing.assert_allclose(again.table, display.table)


def test_many_objects_are_means_of_neighbours(blobs):
    X = np.random.default_rng(0).normal(size=(300, 2))
    model = ConsensusClustering(2, scale="none", random_state=0).fit(X)
    options = {"n_clusters": [2], "n_resamples": 4, "n_references": 0}
    found = ResampledConsensusDisplay.from_estimator(model, X, **options, random_state=0)
    panel = found.parts[2]
    assert panel.matrix.shape == (120, 120)
    assert 0 <= panel.matrix.min() <= panel.matrix.max() <= 1


@pytest.fixture
def quick(monkeypatch):
    from functools import partial

    from consens.show import resampled_display

    few = partial(resampled_display.resampled_consensus, n_resamples=8, n_references=3)
    monkeypatch.setattr(resampled_display, "resampled_consensus", few)


def test_the_report_has_it_when_asked(quick, blobs):
    model = ConsensusClustering(3, scale="none", random_state=0).fit(blobs[0])
    contents = gather(model, blobs[0], n_clusters=[], per_k=True)
    page = render(contents)
    assert page.count("Consensus matrix and item consensus for") == 7
    assert '<section id="per-k"' in page
    found = contents.summary["per_k"]
    assert found["n_resamples"] == 8
    assert [row["n_clusters"] for row in found["numbers"]] == list(range(2, 9))
    three = found["numbers"][1]
    assert three["p_value"] == 0.25
    assert len(three["cluster_consensus"]) == 3


def test_the_report_does_without(blobs, tmp_path, no_plots):
    model = ConsensusClustering(3, scale="none", random_state=0).fit(blobs[0])
    consens.report(model, tmp_path / "a.html", blobs[0], n_clusters=[])
    assert 'id="per-k"' not in (tmp_path / "a.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="needs the features: pass X"):
        consens.report(model, tmp_path / "a.html", per_k=True)
