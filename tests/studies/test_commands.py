"""The studies run as commands, also where data are missing, and show published beside measured."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not (ROOT / "studies").exists(), reason="studies are not here")


def run(module, *arguments):
    command = [sys.executable, "-m", f"studies.{module}", *map(str, arguments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}  # many small matrices
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )


def cells(text, *start):
    """The cells of the table row that starts with the given ones."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    [row] = [row for row in rows if row[: len(start)] == list(start)]
    return row


@pytest.mark.slow
def test_paper_1_draws_what_the_folder_lacks(tmp_path):
    done = run("paper1", "--data", tmp_path, "--runs", 1, "--only", "spirals", "--out", tmp_path)
    assert cells(done.stdout, "2-spirals *", "SL")[-1] == "0.000 / 0.000"
    assert cells(done.stdout, "2-spirals *", "AL")[-1] == "0.480 / 0.480"
    assert "Breast" not in done.stdout
    [values] = json.loads((tmp_path / "paper1_table2.json").read_text()).values()
    assert values["EAC-SL"] == [0.0]


@pytest.mark.slow
def test_paper_2_names_the_data_that_are_missing(tmp_path):
    done = run("paper2", "--data", tmp_path, "--runs", 1, "--only", "table 3", "--only", "iris")
    assert cells(done.stdout, "Iris")[2:4] == ["18.1 / –", "11.1 / –"]
    assert "iris.parquet is not in" in done.stderr
    assert "Table 2" not in done.stdout.replace("as in Table 2", "")


@pytest.mark.slow
def test_paper_4_takes_the_best_k_of_a_pool(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 20)
    pool = {f"m{m:03}": np.where(rng.random(60) < 0.1, 3, truth) for m in range(1, 13)}
    pd.DataFrame(pool | {"label": truth}).to_parquet(tmp_path / "pool_semeion.parquet")
    only = ("--only", "best k", "--only", "semeion", "--source", "pools")
    done = run("paper4", "--data", tmp_path, "--runs", 1, *only, "--out", tmp_path)
    found = json.loads((tmp_path / "paper4.json").read_text())["best k"]["Semeion pools"]
    assert found["LWMC"][0] > 0.9
    assert cells(done.stdout, "LWMC", "pools")[2] == f"0.649 / {found['LWMC'][0]:.3f}"


@pytest.mark.slow
def test_choose_k_needs_no_data(tmp_path):
    done = run("choose_k", "--runs", 1, "--only", "normal 2-D", "--only", "two circles")
    assert cells(done.stdout, "normal 2-D")[1:3] == ["1", "100% (1)"]
    assert cells(done.stdout, "two circles")[1] == "2"


@pytest.mark.slow
def test_defaults_names_the_pools_that_are_missing(tmp_path):
    only = ("--only", "semeion", "--only", "two Gaussians")
    done = run("defaults", "--data", tmp_path, "--runs", 1, *only)
    assert "pool_semeion.parquet is not in" in done.stderr
    assert float(cells(done.stdout, "two Gaussians")[1]) > 0.9


@pytest.mark.slow
def test_paper_3_goes_on_where_it_was_stopped(tmp_path):
    wine = load_wine(as_frame=True)
    wine.data.assign(label=wine.target).to_parquet(tmp_path / "wine.parquet")
    only = ("--only", "table", "--only", "wine", "--only", "chart")
    command = ("paper3", "--data", tmp_path, *only)
    done = run(*command, "--libraries", 2, "--out", tmp_path)
    assert "chart.parquet is not in" in done.stderr
    published, measured = cells(done.stdout, "Full")[1].split(" / ")
    assert published == "0.447"
    assert 0.41 < float(measured.split()[0]) < 0.48
    kept = tmp_path / "paper3" / "WINE_1_cspa.json"
    figures = json.loads(kept.read_text())
    kept.write_text(json.dumps(dict.fromkeys(figures, 1.0)))
    again = run(*command, "--libraries", 2, "--out", tmp_path)
    assert "members by" not in again.stderr
    # what was kept is read: the mean of the first library and of 1
    mean = float(cells(again.stdout, "Full")[1].split(" / ")[1].split()[0])
    first = json.loads((tmp_path / "paper3" / "WINE_0_cspa.json").read_text())["S Full"]
    assert mean == pytest.approx((first + 1) / 2, abs=6e-4)
