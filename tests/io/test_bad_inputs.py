"""Thousands of bad and odd files: a clear error or a right result, never a traceback or a hang.

Every file is opened by the Python readers and by one verb of the shell.
"""

import contextlib
import io
import os
import signal
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from consens import Ensemble
from consens.cli import run
from consens.io import read_ensemble, read_labels, read_table

from ._features import read_truth

VERBS = [
    ["info", "FILE"],
    ["combine", "FILE", "-k", "2", "-o", "out"],
    ["select", "FILE", "-o", "out.ens"],
    ["measure", "FILE"],
    ["generate", "FILE", "--members", "2", "-o", "out.ens"],
    ["cluster", "FILE", "-k", "2", "--members", "3", "-o", "out"],
    ["report", "FILE", "--labels", "-k", "2", "-o", "page.html"],
    ["measure", "good.csv", "--truth", "FILE"],
    ["measure", "good.csv", "--ensemble", "FILE"],
    ["info", "good.csv", "--config", "FILE"],
]
KINDS = ["text", "npy", "npz", "mat", "parquet", "folders", "mislabelled", "broken", "noise"]


# ---------------------------------------------------------------------------------- verdicts


def put(folder, made):
    suffix, content = made
    path = Path(folder) / f"file{suffix}"
    if isinstance(content, bytes):
        path.write_bytes(content)
        return path
    path.mkdir()
    for name, part in content.items():
        (path / name).write_bytes(part)
    return path


@contextlib.contextmanager
def no_hang(seconds=60):
    def stop(*_):
        raise AssertionError(f"not finished after {seconds} s")

    former = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


def assert_readers_are_clear(path):
    for read in (read_table, read_labels, read_ensemble, read_truth):
        try:
            found = read(path)
        except (ValueError, OSError, ImportError) as error:
            refusal = str(error)
        else:
            refusal = None
            assert_sane(found)
        assert refusal is None or 10 < len(refusal) < 2000


def assert_sane(found):
    if isinstance(found, np.ndarray):
        assert found.dtype == np.int32
        assert found.min() >= -2
    elif isinstance(found, Ensemble):
        assert found.labels.min() >= -2
        assert found.labels.max() < 4 * len(found) + 1024
        assert found.obs is None or len(found.obs) == len(found)
    elif hasattr(found, "frame"):
        assert len(found.frame) == len(found.ids)
        assert found.frame.shape[1] > 0
    else:
        assert isinstance(found.labels, pd.DataFrame)
        assert len(found.labels) == len(found.ids)


def assert_shell_is_clear(path, verb):
    arguments = [str(path) if word == "FILE" else word for word in verb]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    lines = err.getvalue().splitlines()
    assert "Traceback" not in err.getvalue()
    if code:
        assert code in (1, 2)
        assert out.getvalue() == ""
        assert lines[-1].startswith("error: ")
        assert sum(line.startswith("error: ") for line in lines) == 1
        assert all(line.startswith(("error: ", "warning: ", "note: ")) for line in lines)


def try_many(files, number):
    """Let hypothesis make files of a kind, the same ones in every run; count them."""
    tried = 0

    @settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],  # the files are small as they are
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(made=files, verb=st.sampled_from(VERBS))
    def attempt(made, verb):
        nonlocal tried
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), no_hang():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)  # hints, which are meant
            os.chdir(folder)
            try:
                Path("good.csv").write_text("id,p,q\na,0,0\nb,0,1\nc,1,1\nd,1,1\n")
                path = put(folder, made)
                assert_readers_are_clear(path)
                assert_shell_is_clear(path, verb)
            finally:
                os.chdir(before)
        tried += 1

    attempt()
    return tried


@pytest.mark.parametrize("kind", KINDS)
def test_some_bad_inputs(bad_files, kind):
    assert try_many(bad_files[kind], 8) >= 7


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_two_thousand_bad_inputs(bad_files, kind):
    assert try_many(bad_files[kind], 250) >= 225
