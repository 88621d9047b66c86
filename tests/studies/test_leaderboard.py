"""The leaderboard: ranks and tests worked out by hand, and a small run that goes on."""

import json

import numpy as np
import pandas as pd
import pytest

from consens.consensus import EAC
from studies import _leader_kept, leaderboard, row_order
from studies._leader_run import f_measure, make, members, names, read


class Own(EAC):
    """A method of a user."""


class Wrong(EAC):
    """A method with an error."""

    def _combine(self, ensemble):
        raise ValueError("a wrong method")


def test_critical_difference_of_demsar():
    """Demšar 2006, Section 3.2.2: 4 classifiers on 14 data sets."""
    assert leaderboard.critical_difference(4, 14) == pytest.approx(1.25, abs=0.01)
    assert leaderboard.critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.01)


def test_friedman_test_of_demsar():
    """Demšar 2006, Section 3.2.2: average ranks 3.143, 2.000, 2.893, 1.964 give F = 3.69."""
    ranks = np.repeat([[3.143], [2.000], [2.893], [1.964]], 14, axis=1)
    ratio, chance = leaderboard.friedman(ranks)
    assert ratio == pytest.approx(3.69, abs=0.02)
    assert 0.01 < chance < 0.05


def test_methods_that_cannot_be_distinguished():
    mean = np.array([1.0, 1.5, 2.2, 4.0])
    assert leaderboard.cliques(mean, 1.0) == [(0, 1), (1, 2)]
    assert leaderboard.cliques(mean, 0.1) == []


def test_a_dominated_method_is_worse_and_slower():
    mean, cpu = np.array([1.0, 2.0, 3.0]), np.array([5.0, 1.0, 2.0])
    assert [leaderboard.dominated_by(mean, cpu, i) for i in range(3)] == [None, None, 1]


def test_f_measure_by_hand():
    """{0, 1, 2}, {3} against {0, 1}, {2, 3}: one common pair of three and two."""
    assert f_measure(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])) == pytest.approx(2 / 5)


def test_every_name_makes_a_method():
    for name in names():
        make(name, 2, 0)


@pytest.fixture
def pool(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 20)
    labels = np.where(rng.random((40, 6)) < 0.1, 1 - truth[:, None], truth[:, None])
    table = pd.DataFrame(labels, columns=[f"m{i}" for i in range(6)]).assign(label=truth)
    table.to_parquet(tmp_path / "pool_small.parquet")
    return tmp_path


def test_a_run_goes_on_and_takes_methods_of_users(pool, monkeypatch, capsys):
    monkeypatch.setattr(leaderboard, "names", lambda: ["EAC", "LCE"])
    given = ["--data", str(pool), "--runs", "2", "--members", "3", "--out", str(pool)]
    leaderboard.main(given)
    first = (pool / "leaderboard.jsonl").read_text().splitlines()
    assert len(first) == 4
    own = [*given, "--method", "tests.studies.test_leaderboard:Own"]
    leaderboard.main(own)
    again = (pool / "leaderboard.jsonl").read_text().splitlines()
    assert again[:4] == first  # only the new method was run
    assert len(again) == 6
    assert "3 methods on 1 cases" in capsys.readouterr().out
    assert (pool / "leaderboard_ranks.png").exists()
    leaderboard.main([*own, "--from-store"])
    assert (pool / "leaderboard.jsonl").read_text().splitlines() == again
    (pool / "leaderboard.jsonl").write_text("\n".join(again[:-1]) + "\n")
    capsys.readouterr()
    leaderboard.main([*own, "--from-store"])
    out = capsys.readouterr().out
    assert "3 methods on 1 cases, 1 to 2 runs each of 3 members" in out
    assert "Fewer runs have `tests.studies.test_leaderboard:Own` 1 instead of 2 on 1 case." in out


def test_runs_are_kept_in_a_line_for_each_method(tmp_path):
    """Up to the first draw that is missing, with as many digits as the page needs."""
    one = {"nmi": 0.123456, "ari": -0.00004, "f": 1.0, "cpu": 0.0123456, "mb": 12.6}
    two = {"nmi": 0.5, "ari": 0.25, "f": 0.75, "cpu": 123.456, "mb": 0.0}
    slow = {"error": "more than 60 s of CPU time", "cpu": 60, "n": 9}
    known = {("b", "LCE", 1): two, ("b", "LCE", 0): one, ("b", "LCE", 3): two}
    known |= {("b", "EAC", "failed"): slow, ("a", "LCE", 0): two, ("other", "LCE", 0): two}
    file = tmp_path / "kept.jsonl"
    _leader_kept.save(file, known, {"b": 9, "a": 4})
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        ["b", 9],
        ["b", "EAC", {"failed": slow}],
        ["b", "LCE", {"nmi": [0.1235, 0.5], "ari": [0.0, 0.25], "f": [1.0, 0.75],
                      "cpu": [0.0123, 123.0], "mb": [13.0, 0.0]}],
        ["a", 4],
        ["a", "LCE", {"nmi": [0.5], "ari": [0.25], "f": [0.75], "cpu": [123.0], "mb": [0.0]}],
    ]  # fmt: skip
    again, sizes = _leader_kept.load(file)
    assert sizes == {"b": 9, "a": 4}
    assert again.keys() == known.keys() - {("b", "LCE", 3), ("other", "LCE", 0)}
    assert again["b", "EAC", "failed"] == slow
    assert again["b", "LCE", 1] == two | {"cpu": 123.0}
    before = file.read_text()
    _leader_kept.save(file, again, sizes)
    assert file.read_text() == before


@pytest.mark.slow
def test_kept_runs_are_not_run_again(pool, monkeypatch, capsys):
    monkeypatch.setattr(leaderboard, "names", lambda: ["EAC"])
    kept = pool / "kept.jsonl"
    given = ["--data", str(pool), "--members", "3", "--kept", str(kept)]
    leaderboard.main([*given, "--runs", "1"])
    first = _leader_kept.load(kept)[0]
    first["pool_small", "EAC", 0]["nmi"] = 0.4321  # as no run would find it
    _leader_kept.save(kept, first, {"pool_small": 40})
    monkeypatch.setattr(leaderboard, "names", lambda: ["EAC", "LCE"])
    leaderboard.main([*given, "--runs", "2"])
    known, sizes = _leader_kept.load(kept)
    assert sizes == {"pool_small": 40}
    assert set(known) == {("pool_small", name, draw) for name in ("EAC", "LCE") for draw in (0, 1)}
    assert known["pool_small", "EAC", 0] == first["pool_small", "EAC", 0]
    capsys.readouterr()
    leaderboard.main(["--members", "3", "--runs", "2", "--kept", str(kept), "--from-store"])
    assert "2 methods on 1 cases, 2 runs each of 3 members" in capsys.readouterr().out


@pytest.mark.slow
def test_members_from_pools_of_matlab_and_from_features(pool, monkeypatch, capsys):
    from scipy.io import savemat

    table, classes = read(pool / "pool_small.parquet")
    # the authors count from 1; MATLAB writes small numbers as bytes without a sign
    given = {
        "members": (table + 1).astype(np.uint8),
        "gt": (classes[:, None] + 1).astype(np.uint8),
    }
    savemat(pool / "authors.mat", given)
    monkeypatch.setattr(leaderboard, "names", lambda: ["EAC"])
    sizes = ["--runs", "1", "--members", "3"]
    found = []
    for option in (["--pool", str(pool / "authors.mat"), "--only", "authors"], []):
        leaderboard.main(["--data", str(pool), *sizes, *option])
        row = next(line for line in capsys.readouterr().out.splitlines() if "`EAC`" in line)
        found.append([cell.strip() for cell in row.split("|")[5:8]])
    assert found[0] == found[1]  # NMI, ARI and F
    assert float(found[0][0]) > 0.3
    savemat(pool / "authors.mat", {"members": table, "gt": classes[:, None]})
    from_matlab = read(pool / "authors.mat")
    np.testing.assert_array_equal(from_matlab[0], table)
    np.testing.assert_array_equal(from_matlab[1], classes)
    assert members(table, True, 3, 0).shape == (40, 3)
    assert members(np.random.default_rng(0).normal(size=(50, 2)), False, 4, 0).shape == (50, 4)


def test_no_pools(tmp_path):
    with pytest.raises(SystemExit, match="no pool_"):
        leaderboard.main(["--data", str(tmp_path)])


def test_order_of_rows_passes_the_classes_on(capsys):
    row_order.main(["--runs", "1", "--per-digit", "20"])
    table = capsys.readouterr().out.splitlines()
    cells = {line.split("|")[1].strip(): line.split("|")[2:4] for line in table if "±" in line}
    found = {name: [float(cell.split()[0]) for cell in both] for name, both in cells.items()}
    for name in ("co-association, spectral", "EAC", "LWGP"):
        assert found[name][0] == pytest.approx(found[name][1], abs=0.03)
    in_order, random = found["low tensor rank, then spectral"]
    assert in_order > random + 0.05


def test_a_method_that_was_too_slow_is_not_tried_on_more_objects(pool, monkeypatch, capsys):
    monkeypatch.setattr(leaderboard, "names", lambda: ["EAC", "LCE"])
    slow = [["other", "LCE", "failed"], {"error": "slow", "cpu": 60, "n": 30}]
    (pool / "leaderboard.jsonl").write_text(json.dumps(slow) + "\n")
    given = ["--data", str(pool), "--runs", "2", "--members", "3", "--out", str(pool)]
    leaderboard.main(given)
    lines = (pool / "leaderboard.jsonl").read_text().splitlines()
    known = {tuple(key): value for key, value in map(json.loads, lines)}
    error = known["pool_small", "LCE", "failed"]["error"]
    assert error == "not tried: more than 60 s on 30 objects"
    assert {key[2] for key in known if key[1] == "EAC"} == {0, 1}
    assert "`LCE` on pool_small: not tried" in capsys.readouterr().out


@pytest.mark.slow
def test_a_method_that_fails_is_reported_and_the_others_go_on(pool, monkeypatch, capsys):
    monkeypatch.setattr(leaderboard, "names", lambda: ["EAC"])
    method = "tests.studies.test_leaderboard:Wrong"
    leaderboard.main(["--data", str(pool), "--runs", "1", "--members", "3", "--method", method])
    assert f"`{method}` on pool_small: ValueError: a wrong method" in capsys.readouterr().out


def test_kinds_with_other_numbers_of_runs_are_named():
    board = leaderboard.Board(
        leaderboard.Store(None, "x"), ["A"], ["pool_a", "b", "shape_c"], [9] * 3
    )
    board.runs = np.array([[9, 9, 4]])
    groups = leaderboard.grouped(board.cases)
    assert (
        leaderboard._kinds(board, groups) == "1 pools (9 runs), 1 sets (9 runs), 1 shapes (4 runs)"
    )
    board.runs[:] = 3
    assert leaderboard._kinds(board, groups) == "1 pools, 1 sets, 1 shapes"


def test_large_cases_may_have_fewer_runs(pool, monkeypatch, capsys):
    table = pd.read_parquet(pool / "pool_small.parquet")
    pd.concat([table, table]).to_parquet(pool / "pool_twice.parquet")
    monkeypatch.setattr(leaderboard, "names", lambda: ["EAC"])
    given = ["--data", str(pool), "--runs", "3", "--members", "3", "--out", str(pool)]
    leaderboard.main([*given, "--large", "50", "--large-runs", "1"])
    page = capsys.readouterr().out
    assert "1 methods on 2 cases, 1 to 3 runs each" in page
    assert "The 1 cases of more than 50 objects have 1 run, the others 3 runs." in page
    lines = (pool / "leaderboard.jsonl").read_text().splitlines()
    keys = sorted(tuple(json.loads(line)[0]) for line in lines)
    assert [(case, draw) for case, _, draw in keys] == [
        *[("pool_small", 0), ("pool_small", 1), ("pool_small", 2)],
        ("pool_twice", 0),
    ]
