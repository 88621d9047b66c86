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


def rows(text, *start):
    """The table rows that start with the given cells."""
    every = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    return [row for row in every if row[: len(start)] == list(start)]


def cells(text, *start):
    """The cells of the one table row that starts with the given ones."""
    [row] = rows(text, *start)
    return row


@pytest.mark.slow
def test_paper_1_draws_what_the_folder_lacks(tmp_path):
    done = run("paper1", "--data", tmp_path, "--runs", 1, "--only", "spirals", "--only", "table")
    assert cells(done.stdout, "2-spirals", "SL")[2:6] == ["0.000", "0.000", "1", "all"]
    assert cells(done.stdout, "2-spirals", "AL")[2:6] == ["0.480", "0.480", "1", "all"]
    assert cells(done.stdout, "2-spirals", "EAC-SL")[3:6] == ["0.000", "1", "all"]
    assert cells(done.stdout, "Breast-cancer", "KM")[3:6] == ["–", "0", "–"]


@pytest.mark.slow
def test_paper_2_names_the_data_that_are_missing(tmp_path):
    done = run("paper2", "--data", tmp_path, "--runs", 1, "--only", "table 3", "--only", "iris")
    assert cells(done.stdout, "Iris", "KM (mean)")[2:4] == ["18.1", "–"]
    assert "iris.parquet is not in" in done.stderr


@pytest.fixture
def pool(tmp_path):
    """A folder with a pool of twelve members, nearly the classes."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 20)
    members = {f"m{m:03}": np.where(rng.random(60) < 0.1, 3, truth) for m in range(1, 13)}
    pd.DataFrame(members | {"label": truth}).to_parquet(tmp_path / "pool_semeion.parquet")
    return tmp_path


@pytest.mark.slow
def test_paper_4_takes_the_best_k_of_a_pool_and_goes_on(pool):
    only = ("--only", "best k", "--only", "semeion", "--only", "pools", "--only", "LWMC")
    command = ("paper4", "--data", pool, *only, "--out", pool)
    done = run(*command, "--runs", 1)
    [line] = (pool / "paper4.jsonl").read_text().splitlines()
    key, found = json.loads(line)
    assert key == ["Best k", "pools", "Semeion", "LWMC", 0]
    assert list(found) == ["2", "3", "4", "5", "6", "7"]  # to √60
    assert max(found.values()) == found["3"] > 0.9
    of_features, of_pools, *_ = rows(done.stdout, "Semeion", "LWMC")
    assert of_features[3] == "–"
    assert float(of_pools[3]) > 0.9
    # what was kept is read, what is missing is measured
    (pool / "paper4.jsonl").write_text(json.dumps([key, {"2": 0.4, "3": 0.5}]) + "\n")
    again = run(*command, "--runs", 2)
    assert "Best k pools Semeion LWMC 1" in again.stderr
    assert "Best k pools Semeion LWMC 0" not in again.stderr
    assert rows(again.stdout, "Semeion", "LWMC")[1][4] == "2"
    pages = pool / "pages"
    shown = run("paper4", "--data", pool / "none", "--out", pool, "--from-store", "--pages", pages)
    assert shown.stdout == again.stdout
    assert (pages / "paper4.md").read_text().rstrip() == shown.stdout.rstrip()
    assert "- paper 4: " in (pages / "index.md").read_text()


@pytest.mark.slow
def test_all_writes_a_line_per_table_and_a_page_per_paper(pool):
    (pool / "paper4.jsonl").write_text(
        json.dumps([["Best k", "features", "Semeion", "LWMC", 0], {"10": 0.65}]) + "\n"
    )
    pages = pool / "pages"
    done = run("all", "--data", pool, "--out", pool, "--from-store", "--pages", pages)
    table = cells(done.stdout, "paper 4", "Table 2, from features")
    assert table[2:] == ["measured in part", "72", "1", "1", "1", "71", ""]
    beside = cells(done.stdout, "paper 4", "Table 2, from pools")
    assert beside[2:] == ["not measured", "(72)", "(0)", "(0)", "(0)", "(72)", ""]
    assert cells(done.stdout, "paper 0", "Tables X to XII, e-mails")[2] == "not attainable"
    said = "- paper 4: 1 of 72 cells inside by the rule “means”, 71 not measured."
    assert said in done.stdout
    assert done.stdout.rstrip() == (pages / "index.md").read_text().rstrip()
    assert sorted(page.name for page in pages.iterdir()) == [
        "claims.md",
        "index.md",
        *(f"paper{number}.md" for number in range(5)),
    ]


@pytest.mark.slow
def test_choose_k_needs_no_data(tmp_path):
    done = run(
        "choose_k", "--runs", 1, "--draws", 0, "--only", "normal 2-D", "--only", "two circles"
    )
    assert cells(done.stdout, "normal 2-D")[1:3] == ["1", "100% (1)"]
    assert cells(done.stdout, "two circles")[1] == "2"
    drawn, every = (rows(done.stdout, sets) for sets in ("drawn", "all"))
    assert [row[1] for row in drawn] == [row[1] for row in every] == ["2", "2"]  # right, near


@pytest.mark.slow
def test_defaults_names_the_pools_that_are_missing(tmp_path):
    done = run("defaults", "--data", tmp_path, "--runs", 1, "--only", "pools")
    assert "pool_semeion.parquet is not in" in done.stderr


@pytest.mark.slow
def test_paper_3_selects_from_a_library(tmp_path):
    wine = load_wine(as_frame=True)
    wine.data.assign(label=wine.target).to_parquet(tmp_path / "wine.parquet")
    only = ("--only", "table", "--only", "wine", "--only", "chart")
    done = run("paper3", "--data", tmp_path, *only, "--runs", 1, "--out", tmp_path)
    assert "chart.parquet is not in" in done.stderr
    _, _, published, measured, *_ = cells(done.stdout, "WINE", "Full")
    assert published == "0.447 ± 0.013"
    assert 0.40 < float(measured) < 0.49


@pytest.mark.slow
def test_which_draws_what_it_measured(tmp_path):
    picture = tmp_path / "which.png"
    done = run("which", "--runs", 1, "--only", "iris", "--out", tmp_path, "--picture", picture)
    assert float(cells(done.stdout, "EAC")[1]) > 0.5
    assert cells(done.stdout, "EAC")[3] == "–"  # iris alone has no rings
    assert picture.read_bytes().startswith(b"\x89PNG")
    again = run("which", "--numbers", tmp_path / "which.json")
    assert again.stdout == done.stdout
