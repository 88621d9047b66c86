"""Quality against time: how runs become one line per method."""

import pytest

from studies.which import summary


def row(method, data, ari, seconds):
    return {"method": method, "data": data, "seed": 0, "ari": ari, "seconds": seconds}


def test_means_by_hand():
    rows = [
        row("A", "iris", 0.5, 0.01),
        row("A", "wine", 0.7, 0.04),
        row("A", "rings", 0.0, 0.02),
        row("B", "iris", 0.9, 1.0),
        row("C", "iris", None, None),  # a dependency was missing
    ]
    b, a = summary(rows)
    assert (b["method"], b["ari"], b["shapes"]) == ("B", 0.9, None)
    assert a["ari"] == pytest.approx(0.4)
    assert a["round"] == pytest.approx(0.6)
    assert a["shapes"] == 0
    assert a["seconds"] == pytest.approx(0.02)  # the third root of 0.01 · 0.04 · 0.02
