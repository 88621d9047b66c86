"""A shell in the process: exit code, stdout and stderr of a command."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from consens import _engine
from consens.cli import run
from consens.generate import MixedEnsemble
from consens.show import _fitted


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _little_work(monkeypatch, no_plots):
    """Ten members by default, no plots, and reports of one number of clusters.

    Most tests look at files and messages.
    """
    monkeypatch.setattr(_engine, "MixedEnsemble", partial(MixedEnsemble, n_estimators=10))
    monkeypatch.setattr(_fitted, "REFIT_UP_TO", 0)


@pytest.fixture
def shell(tmp_path, monkeypatch, capsys):
    """Run ``consens`` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture
def blobs(tmp_path):
    """Twenty points in each of three corners, with ids and a column of text."""
    rng = np.random.default_rng(0)
    corners = np.repeat([[0, 0, 0], [9, 0, 0], [0, 9, 0]], 20, axis=0)
    X = corners + rng.normal(size=corners.shape)
    lines = [f"s{i},{x[0]:.3f},{x[1]:.3f},{x[2]:.3f},7,red" for i, x in enumerate(X)]
    path = tmp_path / "blobs.csv"
    path.write_text("\n".join(["name,x,y,z,constant,colour", *lines]) + "\n")
    return path


@pytest.fixture
def votes(tmp_path):
    """Four clusterings of six objects: names, numbers, a gap and noise."""
    path = tmp_path / "votes.csv"
    path.write_text(
        "id,p,q,r,t\na,u,1,5,0\nb,u,1,5,0\nc,u,1,,0\nd,v,2,6,1\ne,v,2,6,1\nf,v,2,6,-1\n"
    )
    return path
