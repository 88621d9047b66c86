"""Figures of the authors' programs beside ours, on drawn pools."""

import numpy as np
import pandas as pd
import pytest

from consens.measure import ari
from studies import anchors


@pytest.fixture
def pools(tmp_path):
    """Two pools of 25 members that are nearly the classes."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    labels = np.where(rng.random((90, 25)) < 0.1, rng.integers(3, size=(90, 25)), truth[:, None])
    table = pd.DataFrame(labels + 1, columns=[f"m{i}" for i in range(25)]).assign(label=truth)
    for name in anchors.POOLS:
        table.to_parquet(tmp_path / f"pool_{name}.parquet")
    return tmp_path


@pytest.mark.parametrize("method", ["PTGP", "U-SENC, random rows"])
def test_cuts_with_k_means_from_random_rows(pools, method):
    table = pd.read_parquet(pools / "pool_mfeat.parquet")
    labels = table.drop(columns="label").to_numpy()
    assert ari(anchors.ANCHORS[method][0](labels, 3, 0), table["label"]) == 1


def test_the_page_counts_what_is_near(pools, monkeypatch, capsys):
    own = {"near": (anchors.ANCHORS["LWEA, θ = 0.25"][0], ((1.0, 1.0), (0.9, 1.0)))}
    monkeypatch.setattr(anchors, "ANCHORS", own)
    anchors.main(["--data", str(pools), "--runs", "6"])
    out = capsys.readouterr().out
    assert out.startswith("3 of 4 figures are at most 0.015 from the authors'")
    assert "| mfeat        | near   | NMI    | 1.000   | 1.000 ± 0.000 | +0.000" in out


def test_what_random_starts_leave_to_chance(pools, monkeypatch, capsys):
    monkeypatch.setattr(anchors, "STARTS", 3)
    anchors.main(["--data", str(pools), "--runs", "2", "--only", "U-SENC, random rows"])
    out = capsys.readouterr().out
    assert "over 3 seeds of its starts" in out
    assert "means over 3 seeds for each draw" in out
    # all members are nearly the classes: every start finds them, far from the figures printed
    [row] = [
        line for line in out.splitlines() if "| 0.656   | 1.000 ± 0.000 | +0.344     | 0% " in line
    ]
    assert row.startswith("| mfeat        | U-SENC, random rows | NMI    |")
    assert "Of 4 such means, 0 are at most 0.015" in out


def test_the_mean_over_draws_for_each_seed(pools, monkeypatch):
    monkeypatch.setattr(anchors, "STARTS", 2)
    asked = []

    def split(labels, k, seed):
        asked.append(seed)
        return labels[:, 0] if seed == 1000 else np.zeros(len(labels))

    table = pd.read_parquet(pools / "pool_mfeat.parquet")
    truth = table["label"].to_numpy()
    first, second = anchors.by_chance(split, truth[:, None].repeat(25, 1), truth, 0)
    assert asked == [1000] * anchors.DRAWS + [1001] * anchors.DRAWS
    assert first == pytest.approx([1, 1])
    assert second == pytest.approx([0, 0])


def test_starts_are_compared_by_their_squares(pools, monkeypatch):
    assert anchors.squares(np.array([[0.0, 0], [2, 0], [5, 1]]), np.array([0, 0, 1])) == 2
    monkeypatch.setattr(anchors, "STARTS", 4)
    table = pd.read_parquet(pools / "pool_mfeat.parquet")
    truth = table["label"].to_numpy()

    def split(rows, k, seed):  # the classes themselves, or chance
        return truth if seed % 2 else np.random.default_rng(seed).permutation(truth)

    rows = np.eye(3)[truth]
    monkeypatch.setitem(anchors.ROWS, "by hand", lambda labels, k: (rows, np.arange(90)))
    monkeypatch.setitem(anchors.CLASSES, "by hand", "USENC")
    monkeypatch.setattr(anchors, "random_start", split)
    noisy = np.where(np.arange(90) < 10, (truth + 1) % 3, truth)
    monkeypatch.setattr(anchors, "of_library", lambda *given: noisy)
    draws = anchors.starts_compared("by hand", table.drop(columns="label").to_numpy(), truth, 0)
    assert len(draws) == anchors.DRAWS
    for better, ratio, worth in draws:
        assert better == 0.5
        assert ratio > 1
        assert worth < -0.9
