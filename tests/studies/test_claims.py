"""What the papers say in words: the tests by hand, and a page that says what the runs say."""

import numpy as np
import pytest

from studies import _claims, claims
from studies._claims import FAILS, HOLDS, IN_PART, UNTESTED


def test_all_right_holds_and_half_right_holds_in_part():
    assert [_claims.verdict(right, 4) for right in range(5)] == [
        *[FAILS, FAILS],
        *[IN_PART, IN_PART],
        HOLDS,
    ]
    assert _claims.verdict(0, 0) == UNTESTED


def test_few_of_a_kind_are_named():
    told = _claims.each({"a": True, "b": True, "c": False}, "by hand")
    assert told == ("2 of 3 (not c)", "by hand", IN_PART)
    told = _claims.each({"a": True, "b": False, "c": False}, "by hand")
    assert told == ("1 of 3 (only a)", "by hand", FAILS)
    assert _claims.each({"a": False}, "").figure == "0 of 1 (not a)"
    assert _claims.each({}, "").verdict == UNTESTED


def test_better_is_by_the_mean_and_tells_what_is_more_than_chance():
    low = [1.0, 1.2, 0.9, 1.1]
    high = [2.0, 2.1, 1.9, 2.2]
    noisy = [0.0, 3.0, 0.5, 1.5]  # mean 1.25
    told = _claims.better({"x": low, "y": low}, {"x": high, "y": noisy})
    assert told.figure == "2 of 2; significantly better on 1, worse on 0"
    assert told.verdict == HOLDS
    sure = _claims.better({"x": low, "y": low}, {"x": high, "y": noisy}, surely=True)
    assert sure.figure == "1 of 2 (not y); significantly better on 1, worse on 0"
    other = _claims.better({"x": low}, {"x": high}, larger=True)
    assert (other.figure, other.verdict) == (
        "0 of 1 (not x); significantly better on 0, worse on 1",
        FAILS,
    )
    assert _claims.better({"x": low}, {"x": high}, larger=True, margin=1.1).verdict == HOLDS
    assert _claims.better({"x": low}, {"y": high}).verdict == UNTESTED
    assert _claims.better({"x": [0.0]}, {"x": [0.0]}).verdict == FAILS  # equal is not better


def test_runs_differ_by_a_paired_test():
    rng = np.random.default_rng(0)
    base = 10 * rng.normal(size=8)
    assert _claims.differs(base, base + 0.5 + 0.1 * rng.normal(size=8))
    assert not _claims.differs(base, base + 0.5 * rng.normal(size=8))
    assert not _claims.differs(base, base)
    assert _claims.differs([1.0, 1.0], [2.0, 2.0])  # without any spread
    assert not _claims.differs([1.0], [2.0])


def test_averages_and_trends():
    first, second = {"x": [1.0, 3.0], "y": [4.0]}, {"x": [3.0], "y": [4.0], "z": [0.0]}
    assert _claims.on_average(first, second) == ("3.00 against 3.50", "means over 2 sets", HOLDS)
    assert _claims.on_average(first, second, larger=True).verdict == FAILS
    curves = {"up": ([1, 2, 3], [0.1, 0.2, 0.3]), "flat": ([1, 2, 3], [0.1, 0.1, 0.1])}
    told = _claims.trend(curves, 1)
    assert told == ("1 of 2: up +1.0, flat +0.0", "Spearman's correlation > +0.5", IN_PART)
    assert _claims.trend(curves, -1).verdict == FAILS


def test_without_runs_nothing_can_be_tested(tmp_path):
    page = claims.page(tmp_path)
    rows = [line for line in page.splitlines() if line.startswith("| Paper")]
    assert len(rows) == len(claims.PAPERS)
    for row in rows:
        every, *found = [int(cell) for cell in row.split("|")[2:-1]]
        assert found == [0, 0, 0, every]


def test_the_page_says_what_the_kept_runs_say():
    shown = (claims.PAGES / "claims.md").read_text(encoding="utf-8")
    assert shown.rstrip() == claims.page(claims.PAGES).rstrip()


@pytest.mark.parametrize(
    ("said", "figure", "verdict"),
    [
        ("more diversity gives more accuracy, for all data and methods (NMI)", "8 of 15", IN_PART),
        ("on each real data set one of the weighted methods has the least", "3 of 5", IN_PART),
        ("Random is never significantly better than Full", "not SEGMENTATION", IN_PART),
        ("LWMC is the fastest, MCLA the second", "MCLA 0.038, LWMC 0.058", FAILS),
    ],
)
def test_known_answers(said, figure, verdict):
    # found by an independent count of the kept runs
    lines = (claims.PAGES / "claims.md").read_text(encoding="utf-8").splitlines()
    [row] = [line.split("|") for line in lines if said in line]
    assert figure in row[4]
    assert row[6].strip() == verdict
