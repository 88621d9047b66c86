"""The quality-diversity diagram: coordinates by hand, its hull that of SelectConvexHull."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from consens.generate import KMeansEnsemble
from consens.select import ClusterAndSelect, SelectConvexHull
from studies.quality_diversity import Pairs, draw


@pytest.fixture(scope="module")
def selector():
    members = KMeansEnsemble(30, random_state=0).fit_transform(load_iris().data)
    return ClusterAndSelect(6, random_state=0).fit(members), members


def test_points_hull_and_selection(selector):
    chosen, members = selector
    nmi = chosen.similarity_
    pairs = Pairs.of(nmi, chosen.get_support())
    i, j = np.triu_indices(30, 1)
    np.testing.assert_allclose(pairs.similarity, nmi[i, j])
    quality = nmi.mean(axis=1)
    np.testing.assert_allclose(pairs.quality, (quality[i] + quality[j]) / 2)
    assert pairs.selected.sum() == 15
    found = SelectConvexHull().fit(members).pairs_
    corners = {(round(nmi[a, b], 9), round((quality[a] + quality[b]) / 2, 9)) for a, b in found}
    assert {(round(x, 9), round(y, 9)) for x, y in pairs.hull} == corners


def test_the_hull_is_convex(selector):
    hull = Pairs.of(selector[0].similarity_, np.ones(30, dtype=bool)).hull
    sides = np.roll(hull, -1, axis=0) - hull
    following = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    assert (turns > 0).all()


def test_the_picture(selector, tmp_path):
    pairs = Pairs.of(selector[0].similarity_, selector[0].get_support())
    draw(pairs, tmp_path / "pairs.png")
    assert (tmp_path / "pairs.png").read_bytes().startswith(b"\x89PNG")
