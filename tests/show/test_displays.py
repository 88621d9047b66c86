"""Displays: the numbers that they show and how they are put on axes, not their pixels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consens import ConsensusClustering, Ensemble, show
from consens._labels import compact
from consens.consensus import EAC, HBGF
from consens.evidence import coassociation
from consens.generate import KMeansEnsemble
from consens.measure import object_confidence
from consens.show import (
    ChoiceDisplay,
    ConsensusMatrixDisplay,
    MapDisplay,
    TrackingDisplay,
)
from consens.show._display import PALETTE, QUIET, cluster_color, cluster_marker, whole_numbers
from consens.show._fitted import colors_over_numbers, read_estimator
from consens.show._layout import lay_out
from consens.show.matrix_display import consecutive_blocks, matrix_rows, object_order
from consens.show.tracking_display import WIDEST


def texts(ax):
    """All that is written on axes and on the panels inside."""
    from matplotlib.text import Text

    return [text.get_text() for text in ax.findobj(Text) if text.get_text()]


def make(display, model):
    """Any Display of a fitted model."""
    options = {"n_clusters": [2, 3, 4]} if display is TrackingDisplay else {}
    return display.from_estimator(model, **options)


def map_of(ensemble, labels):
    """Map of any partition of an ensemble."""
    ensemble, labels = Ensemble.from_labels(ensemble), compact(labels)
    placed = lay_out("ensemble", ensemble, np.arange(len(labels)), None, None, labels)
    return MapDisplay(placed.positions, labels, object_confidence(ensemble, labels)).plot()


DISPLAYS = [
    getattr(show, name)
    for name in show.__all__
    if name.endswith("Display")
    # the one has no use for a given number, the other needs the features
    and name not in ("ChoiceDisplay", "ResampledConsensusDisplay")
]


class TestAll:
    @pytest.mark.parametrize("display", DISPLAYS)
    def test_compute_once_and_plot_many_times(self, display, model):
        made = make(display, model)
        first = made.figure_
        _, ax = plt.subplots()
        assert made.plot(ax) is made
        assert made.ax_ is ax
        assert made.figure_ is ax.figure
        assert made.figure_ is not first
        made.figure_.canvas.draw()

    @pytest.mark.parametrize("display", DISPLAYS)
    def test_given_axes_are_used(self, display, model):
        _, ax = plt.subplots()
        before = plt.get_fignums()
        assert display.from_estimator(model, ax=ax).ax_ is ax
        assert plt.get_fignums() == before

    @pytest.mark.parametrize("display", DISPLAYS)
    def test_a_method_without_tree(self, display, model, blobs):
        consensus = HBGF(n_clusters=3, random_state=0).fit(model.ensemble_)
        make(display, consensus).figure_.canvas.draw()

    @pytest.mark.parametrize("display", [ConsensusMatrixDisplay, MapDisplay])
    def test_a_pipeline_is_read_by_its_end(self, display, blobs):
        pipeline = make_pipeline(StandardScaler(), ConsensusClustering(3, random_state=0))
        pipeline.fit(blobs[0])
        np.testing.assert_array_equal(read_estimator(pipeline).labels, pipeline[-1].labels_)
        display.from_estimator(pipeline)

    @pytest.mark.parametrize("display", DISPLAYS)
    def test_what_is_not_fitted_or_no_consensus(self, display):
        with pytest.raises((NotFittedError, TypeError)):
            display.from_estimator(EAC())
        with pytest.raises((NotFittedError, TypeError, AttributeError)):
            display.from_estimator(StandardScaler())

    @pytest.mark.parametrize("display", DISPLAYS)
    def test_names_are_in_the_package(self, display):
        assert display.__doc__
        assert {"from_estimator", "plot"} <= set(dir(display))


class TestMap:
    def test_two_features_are_drawn_as_they_are(self, model, blobs):
        display = MapDisplay.from_estimator(model, blobs[0], feature_names=["east", "north"])
        np.testing.assert_array_equal(display.positions, blobs[0])
        assert display.ax_.get_xlabel() == "east"
        drawn = np.vstack([points.get_offsets() for points in display.ax_.collections])
        assert len(drawn) == 120
        assert {"0", "1", "2"} <= set(texts(display.ax_))

    def test_the_ensemble_puts_clusters_apart_without_features(self, model):
        display = MapDisplay.from_estimator(model)
        middles = np.array([display.positions[model.labels_ == c].mean(axis=0) for c in range(3)])
        distances = np.linalg.norm(display.positions[:, None] - middles, axis=2)
        assert (distances.argmin(axis=1) == model.labels_).mean() > 0.97
        again = MapDisplay.from_estimator(model)
        np.testing.assert_array_equal(again.positions, display.positions)

    def test_objects_beyond_the_landmarks_stand_among_them(self, model, monkeypatch):
        monkeypatch.setattr("consens.show._layout.LANDMARKS", 50)
        found = MapDisplay.from_estimator(model).positions
        middles = np.array([found[model.labels_ == c].mean(axis=0) for c in range(3)])
        distances = np.linalg.norm(found[:, None] - middles, axis=2)
        assert (distances.argmin(axis=1) == model.labels_).mean() > 0.97

    def test_noise_stands_below_and_is_grey(self):
        labels = np.repeat([[0, 0], [1, 1], [-1, -1]], [20, 20, 5], axis=0)
        display = map_of(labels, [0] * 20 + [1] * 20 + [-1] * 5)
        assert display.positions[40:, 1].max() < display.positions[:40, 1].min()
        assert to_hex(display.ax_.collections[0].get_facecolor()[0]) == QUIET

    def test_principal_components_do_not_depend_on_units(self, model, blobs):
        X = blobs[0] * [1.0, 1000.0]
        found = [MapDisplay.from_estimator(model, Y, layout="pca") for Y in (X, blobs[0])]
        np.testing.assert_allclose(found[0].positions, found[1].positions, atol=1e-8)
        assert found[0].text == "Principal components: 100% of the variance."

    def test_coordinates_as_given(self, model, blobs):
        display = MapDisplay.from_estimator(model, layout=blobs[0] + 5)
        np.testing.assert_array_equal(display.positions, blobs[0] + 5)

    @pytest.mark.parametrize("flipped", [0.0, 0.02, 0.2])
    def test_neighbours_are_of_the_same_cluster(self, flipped, monkeypatch):
        # as with 20,000 objects and 400 landmarks: fifty objects for each landmark, and the
        # displacement of thousands of equal objects
        monkeypatch.setattr("consens.show._layout.LANDMARKS", 60)
        monkeypatch.setattr("consens.show._layout.JITTER", 0.02)
        rng = np.random.default_rng(0)
        y = rng.integers(0, 8, 3000)
        drawn = [np.where(rng.random(3000) < flipped, rng.integers(0, 8, 3000), y)
                 for _ in range(12)]  # fmt: skip
        display = map_of(drawn, y)
        near = NearestNeighbors(n_neighbors=10).fit(display.positions)
        near = near.kneighbors(return_distance=False)
        agreed = display.confidence >= 0.76
        assert agreed.mean() > 0.8
        assert (y[near] == y[:, None])[agreed].mean() >= 0.95

    def test_a_cluster_smaller_than_the_sample_step_has_landmarks(self, monkeypatch):
        monkeypatch.setattr("consens.show._layout.LANDMARKS", 50)
        y = np.repeat([0, 1, 2], [1000, 1000, 3])
        places = map_of([y] * 3, y).positions
        middles = np.array([np.median(places[y == c], axis=0) for c in range(3)])
        assert (np.linalg.norm(places[:, None] - middles, axis=2).argmin(axis=1) == y).all()

    @pytest.mark.parametrize(
        ("layout", "message"),
        [
            ("umap", "layout='umap' is not known"),
            ("pca", "needs the features"),
            (np.zeros((120, 3)), "two coordinates for each of the 120 objects"),
        ],
    )
    def test_layouts_that_cannot_be(self, model, layout, message):
        with pytest.raises(ValueError, match=message):
            MapDisplay.from_estimator(model, layout=layout)

    def test_a_sample_of_many_objects(self, model, monkeypatch):
        monkeypatch.setattr("consens.show.map_display.MAX_POINTS", 30)
        display = MapDisplay.from_estimator(model)
        assert len(display.positions) == 30
        assert "random sample of 30 of 120 objects" in texts(display.ax_)

    def test_low_confidence_is_pale(self):
        places, confidence = np.arange(10.0).reshape(5, 2), np.array([1.0, 0.3, 0.5, 0.7, 0.95])
        display = MapDisplay(places, np.array([1, 0, 0, 0, 0]), confidence).plot()
        alphas = display.ax_.collections[1].get_alpha()  # after the objects in no cluster
        assert (np.diff(alphas) >= 0).all()
        assert alphas[0] == pytest.approx(0.2)
        assert alphas[-1] == 1

    def test_sixty_clusters_differ_in_colour_or_mark(self):
        assert len({(cluster_color(c), cluster_marker(c)) for c in range(60)}) == 60

    @pytest.mark.parametrize("n", [2, 3, 8])
    def test_few_objects(self, n):
        display = map_of(np.arange(n)[:, None] % 2, np.arange(n) % 2)
        assert np.isfinite(display.positions).all()


class TestMatrix:
    def test_rows_are_the_co_association_in_the_order_of_the_tree(self, model):
        display = ConsensusMatrixDisplay.from_estimator(model)
        order = object_order(model.ensemble_, model.labels_, model.consensus_.linkage_)
        assert sorted(order) == list(range(120))
        expected = coassociation(model.ensemble_)[np.ix_(order, order)]
        np.testing.assert_allclose(display.matrix, expected)
        np.testing.assert_array_equal(display.labels, model.labels_[order])
        assert np.count_nonzero(np.diff(display.labels)) == 2
        np.testing.assert_array_equal(display.ax_.images[0].get_array(), display.matrix)

    def test_blocks_for_many_objects(self, model, monkeypatch):
        display = ConsensusMatrixDisplay.from_estimator(model, max_objects=20)
        assert 15 <= len(display.matrix) <= 25
        assert display.sizes.sum() == 120
        order = object_order(model.ensemble_, model.labels_, model.consensus_.linkage_)
        matrix = coassociation(model.ensemble_)[np.ix_(order, order)]
        edges = np.concatenate([[0], np.cumsum(display.sizes)])
        for a in range(len(display.sizes)):
            for b in range(a):
                block = matrix[edges[a] : edges[a + 1], edges[b] : edges[b + 1]]
                assert display.matrix[a, b] == pytest.approx(block.mean())
        monkeypatch.setattr(show.matrix_display, "coassociation", None)  # never n x n
        ConsensusMatrixDisplay.from_estimator(model, max_objects=20)

    def test_blocks_do_not_cross_clusters(self):
        labels = np.repeat([2, 0, 1, -1], [50, 3, 40, 7])
        blocks = consecutive_blocks(labels, 20)
        assert (np.diff(blocks) >= 0).all()
        assert blocks.max() + 1 == len(np.unique(blocks))
        for block in np.unique(blocks):
            assert len(set(labels[blocks == block])) == 1

    def test_clusters_from_elsewhere_are_kept_together(self, model):
        labels = np.arange(120) % 3
        labels[:5] = -1
        order = object_order(model.ensemble_, labels)
        rows = matrix_rows(model.ensemble_, labels, order, 200)
        display = ConsensusMatrixDisplay(*rows).plot()
        assert np.count_nonzero(np.diff(display.labels)) == 3
        assert display.labels[-5:].tolist() == [-1] * 5
        assert {"0", "1", "2", "none"} <= set(texts(display.ax_))

    def test_large_clusters_are_ordered_by_confidence(self, model):
        order = object_order(model.ensemble_, model.labels_, large=10)
        confidence = model.confidence_[order]
        for c in range(3):
            assert (np.diff(confidence[model.labels_[order] == c]) <= 1e-12).all()

    def test_noise_of_all_members(self):
        labels = np.array([[0, 0, 1, 1, -1], [0, 0, 1, 1, -1]]).T
        display = ConsensusMatrixDisplay.from_estimator(EAC(2).fit(Ensemble(labels)))
        assert display.labels.tolist() == [0, 0, 1, 1, -1]
        np.testing.assert_array_equal(display.matrix[4], [0, 0, 0, 0, 1])


class TestTracking:
    def test_by_hand(self):
        """Cluster 0 of two loses an object to a new cluster, 1 of two another one."""
        two, three = [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 2]
        display = TrackingDisplay({2: two, 3: three}, confidence={2: [0.5, 1.0]}).plot()
        assert display.numbers == [2, 3]
        assert [tuple(edge) for edge in display.edges] == [
            (2, 0, 0, 2, 1.0),
            (2, 0, 1, 1, 0.5),
            (2, 1, 1, 1, 0.5),
            (2, 1, 2, 3, 1.0),
        ]
        # a cluster keeps its colour; what splits off gets a new one
        assert [display.colors[k].tolist() for k in (2, 3)] == [[0, 1], [0, 2, 1]]
        np.testing.assert_allclose(display.places[3], [1 / 6, 1 / 2, 5 / 6])
        # above the mean place of where the objects go: (2/6 + 1/2) / 3 and (1/2 + 3 · 5/6) / 4
        np.testing.assert_allclose(display.places[2], [5 / 18, 3 / 4])
        lines = display.ax_.collections[0]
        widths = [max(0.8, WIDEST * count / 7) for count in (1, 1, 2, 3)]  # pale edges first
        np.testing.assert_allclose(lines.get_linewidths(), widths)
        areas = display.ax_.collections[2].get_sizes()  # of the nodes of two clusters
        np.testing.assert_allclose(areas[1] / areas[0], 4 / 3)

    def test_nodes_of_one_line_do_not_cover_each_other(self):
        rng = np.random.default_rng(0)
        labels = {k: np.concatenate([np.arange(k), rng.integers(0, k, 99 - k)]) for k in (2, 5, 9)}
        display = TrackingDisplay(labels)
        for places in display.places.values():
            assert np.diff(np.sort(places)).min() > 0.09
            assert 0 < places.min() < places.max() < 1

    def test_edges_of_a_tree_do_not_cross(self, model):
        display = TrackingDisplay.from_estimator(model, n_clusters=range(2, 7))
        for k in range(2, 6):
            ends = [
                (display.places[k][e.source], display.places[k + 1][e.target])
                for e in display.edges
                if e.n_clusters == k
            ]
            assert all((a - c) * (b - d) >= 0 for a, b in ends for c, d in ends), (
                f"edges from {k} cross"
            )

    def test_colours_go_from_the_chosen_number_to_both_sides(self):
        labels = {
            2: np.array([0, 0, 0, 1, 1, 1]),
            3: np.array([0, 0, 1, 2, 2, 2]),
            4: np.array([0, 0, 1, 2, 2, 3]),
        }
        colors = colors_over_numbers(labels, 3)
        assert {k: v.tolist() for k, v in colors.items()} == {
            2: [0, 2],
            3: [0, 1, 2],
            4: [0, 1, 2, 3],
        }

    def test_cuts_of_a_tree_are_nested(self, model):
        display = TrackingDisplay.from_estimator(model, n_clusters=range(2, 7))
        assert display.numbers == [2, 3, 4, 5, 6]
        assert len(display.edges) == 3 + 4 + 5 + 6  # each cluster comes from one
        assert {edge.share for edge in display.edges} == {1.0}
        assert all(sizes.sum() == 120 for sizes in display.sizes.values())

    def test_a_method_without_tree_is_fitted_anew(self, model):
        consensus = HBGF(n_clusters=3, random_state=0).fit(model.ensemble_)
        found = read_estimator(consensus).partitions([2, 3])
        again = HBGF(n_clusters=2, random_state=0).fit(model.ensemble_)
        np.testing.assert_array_equal(found[2].labels, again.labels_)
        np.testing.assert_array_equal(found[2].confidence, again.confidence_)
        display = TrackingDisplay.from_estimator(consensus, n_clusters=[2, 3])
        assert display.numbers == [2, 3]

    def test_numbers_that_are_looked_at(self, model, monkeypatch):
        fitted = read_estimator(model)
        assert fitted.numbers() == list(range(2, 9))
        assert fitted.numbers([2, 5]) == [2, 3, 5]
        assert max(fitted.numbers([1000])) == 3
        refitted = read_estimator(HBGF(n_clusters=3, random_state=0).fit(model.ensemble_))
        assert refitted.numbers() == list(range(2, 9))
        monkeypatch.setattr(show._fitted, "REFIT_UP_TO", 10)
        assert refitted.numbers() == [3]
        assert fitted.numbers() == list(range(2, 9))
        assert refitted.numbers([2]) == [2, 3]

    def test_noise_stays_noise(self):
        labels = np.array([[0, 0, 1, 1, 2, 2, -1], [0, 0, 1, 1, 1, 1, -1]]).T
        fitted = read_estimator(EAC(2).fit(Ensemble(labels)))
        found = fitted.partitions([2, 3])
        assert found[3].labels.tolist() == [0, 0, 1, 1, 2, 2, -1]
        display = TrackingDisplay.from_estimator(fitted.consensus)
        assert display.sizes[3].tolist() == [2, 2, 2]


class TestChoice:
    def test_bars_are_the_score(self, chosen):
        display = ChoiceDisplay.from_estimator(chosen)
        table = chosen.results_.table
        assert display.choice is chosen.results_
        bars = display.ax_.containers
        heights = np.array([[bar.get_height() for bar in part] for part in bars])
        np.testing.assert_allclose(heights.sum(axis=0), table["score"])
        assert [f"{votes}×" for votes in table["n_votes"] if votes] == [
            text for text in texts(display.ax_) if text.endswith("×")
        ]
        _, ax = plt.subplots()
        assert display.plot(ax).ax_ is ax

    def test_a_number_that_was_given(self, model):
        with pytest.raises(ValueError, match="results_ is empty"):
            ChoiceDisplay.from_estimator(model)

    def test_numbers_that_were_tried_are_shown(self, chosen):
        assert read_estimator(chosen).numbers() == [1, 2, 3, 4, 5, 6]
        found = read_estimator(chosen).partitions([2, 3, 7])
        np.testing.assert_array_equal(found[2].labels, chosen.results_.labels[2])
        np.testing.assert_array_equal(found[3].labels, chosen.labels_)
        assert found[7].n_clusters == 7
        assert TrackingDisplay.from_estimator(chosen).numbers == [1, 2, 3, 4, 5, 6]


def test_colours_can_be_seen_on_light_and_dark_pages():
    def luminance(color):
        parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    for color in PALETTE:
        light, dark = 1.05, luminance("#14171c") + 0.05
        assert light / (luminance(color) + 0.05) >= 3
        assert (luminance(color) + 0.05) / dark >= 3
    assert len(set(PALETTE)) == len(PALETTE)
    assert len({cluster_color(c) for c in range(30)}) == 30
    assert cluster_color(-1) not in PALETTE


def test_a_large_ensemble_is_shown_without_an_n_by_n_matrix(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    X[:3000] += 8
    ensemble = KMeansEnsemble(5, n_clusters=4, random_state=0).fit_transform(X)
    monkeypatch.setattr(show.matrix_display, "coassociation", None)
    consensus = HBGF(n_clusters=2, random_state=0).fit(ensemble)
    display = ConsensusMatrixDisplay.from_estimator(consensus)
    assert 350 <= len(display.matrix) <= 450
    assert TrackingDisplay.from_estimator(consensus).numbers == [2]


@pytest.mark.parametrize(
    ("numbers", "marked"),
    [
        (range(2, 9), list(range(2, 9))),
        (range(1, 16), [1, 3, 5, 7, 9, 11, 13, 15]),
        ([2, 3, 4, 22, 23, 24, 25], [2, 4, 22, 24]),  # neighbours beside a gap are as near
        ([4], [4]),
    ],
)
def test_marked_numbers_of_clusters_have_room(numbers, marked):
    _, ax = plt.subplots()
    whole_numbers(ax, numbers)
    assert ax.get_xticks().tolist() == marked
