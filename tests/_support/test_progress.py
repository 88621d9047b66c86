"""One line for a whole plan: it never goes back, fits the terminal, and names what is done."""

import io
import re
from contextlib import redirect_stderr

import numpy as np
import pytest

from consens import ConsensusClustering, generate
from consens._support.progress import ProgressDisplay, active_display, announce, watch_progress
from consens.consensus import DrawnConsensus
from consens.generate import KMeansEnsemble
from consens.select import SelectRandom
from consens.show.summary import gather


class Terminal(io.StringIO):
    """A stream that claims to be a terminal, and keeps every line that was drawn."""

    def isatty(self):
        return True

    @property
    def lines(self):
        return [line for line in self.getvalue().split("\r\x1b[2K") if line]


def shares(terminal):
    return [int(re.search(r"\] +(\d+)%", line)[1]) for line in terminal.lines]


def names(terminal):
    """Stages in the order of their lines, each once."""
    found = [re.search(r"\d:\d\d:\d\d (\w[\w ]*) \(", line) for line in terminal.lines]
    return list(dict.fromkeys(match[1] for match in found if match))


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def terminal():
    return Terminal()


def three_groups(n=90):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)) + 9 * np.eye(3)[np.arange(n) % 3][:, :2]


def test_a_fit_from_members_to_consensus(terminal):
    model = ConsensusClustering(
        generator=KMeansEnsemble(8), selector=SelectRandom(0.5), random_state=0, verbose=True
    )
    with redirect_stderr(terminal):
        model.fit(three_groups())
    assert names(terminal) == model.stages()
    assert model.stages() == ["members", "selection", "choice of k", "consensus"]
    seen = shares(terminal)
    assert seen == sorted(seen)  # never back, and no start from 0 for another ensemble
    assert seen[-1] >= 75  # the last of four stages
    assert all(len(line) < 80 for line in terminal.lines)
    assert any("members (1 of 4) 8/8 members" in line for line in terminal.lines)
    assert any("choice of k (3 of 4)" in line for line in terminal.lines)
    assert terminal.getvalue().endswith("\r\x1b[2K")  # nothing stays


def test_labels_of_many_objects_move_the_line(terminal):
    """Where most time goes into the labels of all objects, the line must not stand still."""
    model = ConsensusClustering(
        3,
        generator=KMeansEnsemble(8, max_samples=30),
        consensus=DrawnConsensus(3, n_draws=4, max_members=4, max_objects=20),
        random_state=0,
        verbose=True,
    )
    with redirect_stderr(terminal):
        model.fit(three_groups())
    assert next(line for line in terminal.lines if "4/8 labels" in line).startswith("[#######---")
    for step in ("8/8 labels", "2/4 draws"):
        assert any(step in line for line in terminal.lines)
    seen = shares(terminal)
    assert seen == sorted(seen)
    assert seen[-1] >= 90


def test_a_given_number_is_not_chosen(terminal):
    model = ConsensusClustering(3, generator=KMeansEnsemble(4), random_state=0, verbose=True)
    with redirect_stderr(terminal):
        model.fit(three_groups())
    assert names(terminal) == ["members", "consensus"]


def test_silent_unless_asked(terminal):
    with redirect_stderr(terminal):
        ConsensusClustering(3, generator=KMeansEnsemble(4), random_state=0).fit(three_groups())
    assert terminal.getvalue() == ""


def test_elsewhere_a_line_per_stage():
    stream, time = io.StringIO(), iter(range(0, 1000, 5))
    with ProgressDisplay(["members", "consensus"], stream=stream, clock=lambda: next(time)):
        announce("members")
        KMeansEnsemble(2, random_state=0).fit([[0.0], [1.0], [5.0]])
        announce("consensus")
    lines = stream.getvalue().splitlines()
    assert re.fullmatch(r"members \(1 of 2\) done in 0:00:\d\d", lines[0])
    assert re.fullmatch(r"consensus \(2 of 2\) done in 0:00:\d\d", lines[1])
    with (
        pytest.raises(KeyError),
        ProgressDisplay(["members"], stream=stream, clock=lambda: next(time)),
    ):
        announce("members")
        raise KeyError
    assert "members (1 of 1) stopped after" in stream.getvalue()


def test_the_report_goes_on_from_the_consensus(terminal):
    X = three_groups()
    with ProgressDisplay(["members", "consensus", "report"], stream=terminal):
        model = ConsensusClustering(
            3, generator=KMeansEnsemble(6), random_state=0, verbose=True
        ).fit(X)
        gather(model, X, n_clusters=[2, 4])
    assert names(terminal) == ["members", "consensus", "report"]
    assert shares(terminal) == sorted(shares(terminal))
    done = [
        m[1] for line in terminal.lines if (m := re.search(r"report \(3 of 3\) (\d+)/9", line))
    ]
    assert sorted(set(map(int, done))) == list(range(8))


def test_an_inner_plan_needs_no_display_of_its_own():
    with ProgressDisplay(["a"], stream=Terminal()) as outer:
        assert active_display() is outer
    assert active_display() is None


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_lines_fit_the_terminal(columns):
    title = "a file with a rather long name that nobody shortened before.csv"
    display = ProgressDisplay(["choice of k"], title, Terminal(), columns=columns)
    with display:
        announce("choice of k", 3, 6)
        line = display.line(seconds=7265)
    assert len(line) < columns
    assert line.startswith("[##########----------]  50% 2:01:05 ch"[: columns - 2])
    assert (title in line) == (columns == 200)


def test_unknown_stages_do_not_move_the_share():
    display = ProgressDisplay(["a", "b"], stream=Terminal(), columns=80)
    with display:
        announce("b")
        announce("something else", 1, 2)
        assert display.share == 0.5
        assert "something else" in display.line()
        announce("a")  # out of order: does not fall back
        assert display.share == 0.5


def test_all_who_watch_are_told():
    first, second = [], []
    with generate.watch(first.append), generate.watch(second.append):
        KMeansEnsemble(2, random_state=0).fit([[0.0], [1.0], [5.0]])
    assert [report.done for report in first] == [0, 1, 2]
    assert first == second
    with generate.watch(first.append), watch_progress(second.append, "units"):
        announce("stage")
    assert len(first) == 3
    assert second[-1].name == "stage"
