"""The quadrant of good and different pairs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from consens import Ensemble, select

from ._libraries import libraries, pair_by_pair, three_kinds


class TestQuadrant:
    @settings(deadline=None, max_examples=20)
    @given(libraries, st.data())
    def test_members_are_kept_by_their_pairs_in_the_quadrant(self, labels, data):
        size = data.draw(st.integers(1, labels.shape[1]))
        selector = select.SelectQuadrant(size).fit(Ensemble(labels))
        nmi, members = pair_by_pair(labels), range(labels.shape[1])
        quality = nmi.mean(axis=1)
        pairs = [(i, j) for i in members for j in members if i < j]
        good = {(i, j): (quality[i] + quality[j]) / 2 for i, j in pairs}
        apart = {(i, j): 1 - nmi[i, j] for i, j in pairs}
        inside = [
            pair
            for pair in pairs
            if good[pair] >= np.median(list(good.values())) - 1e-9
            and apart[pair] >= np.median(list(apart.values())) - 1e-9
        ]
        assert [tuple(pair) for pair in selector.pairs_] == inside
        number = [sum(m in pair for pair in inside) for m in members]
        rest = set(members) - set(selector.order_)
        kept = [number[m] for m in selector.order_]
        assert kept == sorted(kept, reverse=True)
        assert all(number[m] <= min(kept) for m in rest)

    def test_a_poor_outlier_has_no_part(self):
        rng = np.random.default_rng(0)
        labels = np.column_stack([three_kinds(), rng.integers(0, 3, 90)])
        assert 12 not in select.SelectQuadrant(6).fit(labels).order_
