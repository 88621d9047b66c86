"""The study of Fred and Jain: the best run of k-means, and the figures."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from studies import paper2, paper2_claims, paper2_curves, paper2_scenes
from studies._cells import Setting, index
from studies._claims import FAILS, HOLDS, IN_PART, UNTESTED
from studies._store import Store
from studies.paper2 import best_kmeans


def test_the_best_run_is_that_of_least_error_and_beside_it_that_of_least_squared_error():
    X = np.repeat([[0.0], [9.0], [18.5]], 10, axis=0)
    tight, loose = np.repeat([0, 0, 1], 10), np.repeat([0, 1, 1], 10)  # runs end at both
    for classes, error in ((tight, 0), (loose, 100 * 10 / 30)):
        found = best_kmeans(X, classes, 2, seed=0)
        assert found == {"KM": 0, "KM, least squared error": error}


@pytest.fixture
def given(tmp_path):
    return Setting(tmp_path / "no data", Store(tmp_path, "paper2"), runs=1, seed=0)


def test_the_index_has_a_line_for_every_table_and_figure(given):
    lines = index([paper2.report(given)]).splitlines()
    for number in range(1, 13):
        assert [line for line in lines if re.match(rf"\| paper 2 \| Fig\. {number}\b", line)]
    for number in range(1, 5):
        assert [line for line in lines if re.match(rf"\| paper 2 \| Table {number}\b", line)]
    rows = [line.split("|") for line in lines if line.startswith("| paper")]
    states = {row[2].strip(): row[3].strip() for row in rows}
    assert states["Table 1, the algorithm"] == "nothing to measure"
    assert states["Fig. 11, texture image"] == "not attainable"
    assert states["Fig. 1, Complex image"] == "not measured"


def test_pictures_that_the_folder_lacks_are_drawn_without_numbers(given, monkeypatch, capsys):
    pictures = pytest.importorskip("studies.paper2_pictures")
    few = {number: pictures.PICTURES[number] for number in (3, 4, 7, 8)}
    monkeypatch.setattr(pictures, "PICTURES", few)
    folder = given.store.file.parent
    (folder / "paper2_fig4.png").write_bytes(b"earlier")
    pictures.draw(given)
    assert (folder / "paper2_fig4.png").read_bytes() == b"earlier"
    assert sorted(p.name for p in folder.iterdir()) == ["paper2_fig3.png", "paper2_fig4.png"]
    assert (folder / "paper2_fig3.png").read_bytes().startswith(b"\x89PNG")
    assert "paper2_fig7.csv is not in" in capsys.readouterr().err
    report = paper2.report(given)
    shown = report.page().split("## Fig. 3, ")[1].split("## ")[0]
    assert shown.rstrip().endswith("](paper2_fig3.png)")
    assert "| ring, bar, Gaussian | lifetime of 2 clusters | 0.18 " in shown
    assert folder / "paper2_fig3.png" in report.pictures()


def test_curves_are_drawn_from_the_tables_that_the_measurement_left(given, monkeypatch):
    pictures = pytest.importorskip("studies.paper2_pictures")
    folder = given.store.file.parent
    rows = [
        {"setting": setting, "k": k, "mean": 0.5, "std": 0.1}
        | {"reference_mean": 0.6, "reference_std": 0.1, "ensemble_std": 0.2}
        for setting in ("(a) cigar, k = 15", "(d) iris, k in [10, 30]")
        for k in (2, 3)
    ]
    pd.DataFrame(rows).to_csv(folder / "paper2_fig7.csv", index=False)
    sizes = [{"k": k, "n_partitions": n, "n_clusters": 2} for k in (10, 20, 30) for n in (5, 5, 9)]
    pd.DataFrame(sizes).to_csv(folder / "paper2_fig8.csv", index=False)
    monkeypatch.setattr(pictures, "PICTURES", {n: pictures.PICTURES[n] for n in (7, 8)})
    pictures.draw(given)
    for number in (7, 8):
        assert (folder / f"paper2_fig{number}.png").read_bytes().startswith(b"\x89PNG")


def test_scaling_keeps_the_distances_of_points_in_the_plane():
    pictures = pytest.importorskip("studies.paper2_pictures")
    distances = squareform(pdist(np.random.default_rng(0).normal(size=(9, 2))))
    np.testing.assert_allclose(squareform(pdist(pictures.plane(distances))), distances, atol=1e-9)


def test_numbers_of_the_figures_that_show_data(given):
    clusters = {panel[:3]: found[0] for panel, found in paper2_scenes.figure_1(given).items()}
    assert clusters["(b)"] == clusters["(d)"] == clusters["(f)"] == 8
    assert paper2_scenes.figure_4(given)["4"] == [100, 100, 25, 25]
    assert {k: len(sizes) for k, sizes in paper2_scenes.figure_4(given).items()} == {
        **{"2": 2, "3": 3, "4": 4, "5": 5, "10": 10},
    }
    sizes = paper2_scenes.figure_6(given)  # the half-rings are drawn: there is no file
    assert {name: sorted(own) for name, own in sizes.items()} == {
        name: sorted(own) for name, own in paper2_scenes.FIGURE_6.items()
    }
    single, *_, whole = paper2_scenes.figure_2(given).values()
    assert whole[0] / whole[1] > single[0] / single[1]


def test_the_mean_agreement_is_said_to_grow_up_to_the_k_of_the_partitions():
    store = Store(None, "paper2")
    numbers = np.array(paper2_curves.NUMBERS)
    up_to_15 = np.where(numbers <= 15, numbers, 0.0)  # beyond it nothing is said
    store.known[("Fig. 7, means",)] = {
        "(a) cigar, k = 15": up_to_15.tolist(),
        "(d) random, k in [10, 30]": (-numbers).tolist(),  # nor of random data
    }
    assert paper2_claims.mean_grows(store).verdict == HOLDS
    store.known[("Fig. 7, means",)]["(c) half-rings, k in [20, 40]"] = up_to_15[::-1].tolist()
    store.known[("Fig. 7, means",)]["(d) iris, k in [10, 30]"] = (-numbers).tolist()
    told = paper2_claims.mean_grows(store)
    assert told.figure.startswith("1 of 3")
    assert told.verdict == FAILS


def test_claims_of_the_agreement_with_ensembles_by_hand():
    store = Store(None, "paper2")
    assert paper2_claims.like_the_mean_k(store).verdict == UNTESTED
    store.known["Fig. 5",] = {
        "k = 10": [0.1, 0.2, 0.3, 0.4, 0.9, 0.8, 0.7, 0.6],  # of 2, 3, 4, 5, 10, 15, 20, 50
        "k = 20": [0.1, 0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9],
        "k in [4, 20]": [0.1, 0.2, 0.3, 0.4, 0.9, 0.8, 0.7, 0.44],
    }
    told = paper2_claims.most_at_k(store)
    assert told.figure == "k = 10: 10, k = 20: 50"
    assert told.verdict == IN_PART
    assert paper2_claims.like_the_mean_k(store).figure.startswith("0.020 from k = 10")
    assert paper2_claims.not_the_natural_number(store).verdict == HOLDS


def test_claims_of_lifetimes_by_hand():
    store = Store(None, "paper2")
    store.known["Figs. 9 and 10",] = [
        "\nFig. 9: lifetimes\n",
        "- k = 5: longest 1 cluster 0.38, 2 clusters 0.17",
        "- k = 15: longest 2 clusters 0.12, 3 clusters 0.08",
        "- k in [2, 10]: longest 1 cluster 0.60, 2 clusters 0.15",
        "- k in [2, 80]: longest 2 clusters 0.26, 12 clusters 0.97",
    ]
    assert paper2_claims.clearest_at_15(store).figure == "k = 5: 0.17, k = 15: 0.12"
    assert paper2_claims.clearest_at_15(store).verdict == FAILS
    told = paper2_claims.clearest_in_wide(store)
    assert told.figure == "k in [2, 10]: 0.15, k in [2, 80]: 0.26"
    assert told.verdict == HOLDS


def test_neighbours_are_compared_with_all_pairs():
    store = Store(None, "paper2")
    for run, error in enumerate((10.0, 12.0)):
        store.known["Table 2", "Iris", run] = {"EAC-SL": error}
        store.known["N = 200", "Iris", run] = {"EAC-SL, N = 50": 9.0}
        store.known["Table 2", "Cigar", run] = {"EAC-SL": 0.0}
        store.known["N = 200", "Cigar", run] = {"EAC-SL, N = 50": 0.5}
    assert paper2_claims.enough_neighbors(store).figure == "1 of 2 (not Iris +2.0)"
