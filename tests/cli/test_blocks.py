"""`consens cluster` of several Parquet files, with a memory limit or a scheduler."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consens import ConsensusClustering, _engine
from consens.cli.options import parse_size
from consens.io import parquet


@pytest.fixture
def parts(tmp_path):
    rng = np.random.default_rng(0)
    X = np.repeat([[0, 0], [9, 0], [0, 9]], 40, axis=0) + rng.normal(size=(120, 2))
    names = []
    for part in range(3):
        frame = pd.DataFrame(X[part::3], columns=["x", "y"])
        frame.to_parquet(tmp_path / f"{part}.parquet")
        names.append(f"{part}.parquet")
    return names, np.concatenate([X[part::3] for part in range(3)])


def test_several_files_and_a_memory_limit(shell, parts, tmp_path):
    names, X = parts
    done = shell("cluster", *names, "-k", 3, "--memory-limit", "1GB", "--out", "found", "--json")
    assert done.code == 0, done.err
    summary = json.loads(done.out)
    assert summary["n_objects"] == 120
    assert summary["files"] == names
    assert [cluster["size"] for cluster in summary["clusters"]] == [40, 40, 40]
    labels = pd.read_parquet(tmp_path / "found" / "labels.parquet")
    model = ConsensusClustering(3, random_state=0, scale="standard").fit(X)
    np.testing.assert_array_equal(labels["label"], model.labels_)
    np.testing.assert_allclose(labels["confidence"], model.confidence_)
    assert summary["mean_confidence"] == pytest.approx(labels["confidence"].mean(), abs=1e-6)
    assert json.loads((tmp_path / "found" / "summary.json").read_text()) == summary


def test_scaled_data_are_read_three_times(shell, parts, monkeypatch):
    # ranges; moments and a sample for the members; labels, those by Gaussians included
    names, _ = parts
    reads, read = [], parquet.read_block
    monkeypatch.setattr(parquet, "read_block", lambda *args: reads.append(args[2]) or read(*args))
    monkeypatch.setattr(_engine, "WORKING_OBJECTS", 60)
    done = shell("cluster", *names, "-k", 3, "--memory-limit", "1GB", "--out", "found", "--json")
    assert json.loads(done.out)["boundaries"] != "members"
    assert [Path(path).name for path in sorted(reads)] == sorted(names * 3)


@pytest.mark.parametrize("scale", ["robust", "auto"])
def test_scales_in_blocks(shell, tmp_path, scale):
    rng = np.random.default_rng(0)
    columns = {"sales": rng.lognormal(3, 1, 90), "age": rng.normal(40, 5, 90)}
    frame = pd.DataFrame(columns)
    frame.to_parquet(tmp_path / "a.parquet")
    options = "-k", 3, "--scale", scale, "--memory-limit", "1GB"
    done = shell("cluster", "a.parquet", *options, "--out", "found", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    logs = ["log(1 + x) is used for column 'sales'"]
    assert found["notes"] == (logs if scale == "auto" else [])
    model = ConsensusClustering(3, random_state=0, scale=scale).fit(frame)
    labels = pd.read_parquet(tmp_path / "found" / "labels.parquet")
    np.testing.assert_array_equal(labels["label"], model.labels_)


@pytest.mark.parametrize("rows", [13, 40, 120])
def test_flags_weigh_the_same_in_memory_and_in_blocks(shell, parts, tmp_path, rows):
    rng = np.random.default_rng(1)
    table = pd.DataFrame(parts[1], columns=["x", "y"])
    table = table.assign(paid=rng.random(120) < 0.5, kind=rng.integers(1, 3, 120))
    table.to_parquet(tmp_path / "a.parquet", row_group_size=rows)
    options = "-k", 3, "--recipe", "kmeans"
    assert shell("cluster", "a.parquet", *options, "--out", "memory").code == 0
    done = shell("cluster", "a.parquet", *options, "--memory-limit", "20kB", "--out", "blocks")
    assert done.code == 0, done.err
    expected = pd.read_csv("memory/labels.csv")["label"]
    assert expected.value_counts().tolist() == [40, 40, 40]
    assert written("blocks")["label"].tolist() == expected.tolist()


def test_a_scheduler_that_is_not_there(shell, parts, monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        done = shell("cluster", parts[0][0], "--scheduler", "tcp://127.0.0.1:9")
    assert done.code == 1
    assert "no Dask scheduler responds at tcp://127.0.0.1:9" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.csv", "b.csv"], "a.csv is not a .parquet file"),
        (["a.parquet", "--memory-limit", "much"], "'much' is not a size such as 2GB or 512MiB"),
        (["a.parquet", "b.parquet", "--report", "x.html"], "needs all objects in memory"),
        (["a.parquet", "b.parquet", "--header"], "--header: a.parquet is not a text file"),
        (["a.parquet", "b.parquet"], "no such file: a.parquet"),
    ],
)
def test_wrong_usage(shell, arguments, message):
    done = shell("cluster", *arguments)
    assert done.code in (1, 2)
    assert message in done.err


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2GB", 2e9), ("512 MiB", 2**29), ("1.5g", 1.5e9), ("1kB", 1e3), ("1KiB", 1024), (100, 100)],
)
def test_sizes(text, expected):
    assert parse_size(text) == expected


def test_a_memory_limit_is_repeated(shell, parts, tmp_path):
    names, _ = parts
    limit = ["--memory-limit", "512MiB", "--out", "found"]
    assert shell("cluster", *names, "-k", 3, *limit).code == 0
    config = tomllib.loads((tmp_path / "found/config.toml").read_text())
    assert config["memory-limit"] == 2**29


def test_the_summary_has_the_same_keys_as_in_memory(shell, parts, tmp_path):
    """One file, read at once and in blocks."""
    name = parts[0][0]
    keys = []
    for out, limit in (("a", []), ("b", ["--memory-limit", "1GB"])):
        done = shell("cluster", name, "-k", 2, *limit, "--out", out, "--json")
        assert done.code == 0, done.err
        summary = json.loads(done.out)
        keys.append((list(summary), list(summary["clusters"][0])))
    assert keys[0] == keys[1]


def test_what_was_written_is_named(shell, parts, tmp_path):
    done = shell("cluster", *parts[0], "-k", 3, "--out", "found")
    named = done.err.removeprefix("\nwritten: ").strip().split(", ")
    assert named == ["found/labels.parquet", "found/summary.json", "found/config.toml"]
    assert sorted(named) == sorted(f"found/{path.name}" for path in Path("found").iterdir())


def test_several_files_are_repeated_by_their_configuration(shell, parts, tmp_path):
    assert shell("cluster", *parts[0], "-k", 3, "--out", "found").code == 0
    first = (tmp_path / "found/labels.parquet").read_bytes()
    (tmp_path / "found/config.toml").rename("again.toml")
    done = shell("cluster", "--config", "again.toml")
    assert done.code == 0, done.err
    assert (tmp_path / "found/labels.parquet").read_bytes() == first


def written(folder):
    return pd.read_parquet(Path(folder) / "labels.parquet")


def test_ids_stay_with_their_labels(shell, parts, tmp_path):
    """Found in front, or named; the same answer and the same ids as in memory."""
    X = parts[1]
    table = pd.DataFrame(X, columns=["x", "y"])
    table.insert(0, "gene", [f"g{i}" for i in range(120)])
    table[:50].to_parquet("a.parquet", row_group_size=13)
    table[50:].to_parquet("b.parquet")
    table.to_parquet("whole.parquet")
    found = shell("cluster", "a.parquet", "b.parquet", "-k", 3, "--out", "found", "--json")
    assert found.code == 0, found.err
    assert json.loads(found.out)["id_column"] == "gene"
    assert shell("cluster", "whole.parquet", "-k", 3, "--out", "memory").code == 0
    named = ["--id", "gene", "--out", "named"]
    assert shell("cluster", "a.parquet", "b.parquet", "-k", 3, *named).code == 0
    expected = pd.read_csv("memory/labels.csv")
    for folder in ("found", "named"):
        pd.testing.assert_frame_equal(written(folder), expected, check_dtype=False, atol=1e-6)


def test_objects_without_ids_are_numbered(shell, parts):
    assert shell("cluster", *parts[0], "-k", 3, "--out", "found").code == 0
    assert written("found")["id"].tolist() == list(range(120))


def test_numbers_that_are_ids_are_set_aside_in_blocks(shell, parts):
    table = pd.DataFrame(parts[1], columns=["x", "y"]).assign(patient_id=range(1000, 1120))
    table[:50].to_parquet("a.parquet")
    table[50:].to_parquet("b.parquet")
    done = shell("cluster", "a.parquet", "b.parquet", "-k", 3, "--out", "found", "--json")
    assert "column 'patient_id' holds ids" in done.err
    summary = json.loads(done.out)
    assert (summary["n_features"], summary["id_column"]) == (2, "patient_id")
    assert written("found")["patient_id"].tolist() == [str(i) for i in range(1000, 1120)]


def test_ids_in_any_order_are_set_aside_in_blocks_as_in_memory(shell, parts, monkeypatch):
    ids = np.random.default_rng(0).permutation(120) + 5000
    table = pd.DataFrame(parts[1], columns=["x", "y"]).assign(patient_id=ids)
    table[:50].to_parquet("a.parquet")
    table[50:].to_parquet("b.parquet")
    done = shell("cluster", "a.parquet", "b.parquet", "-k", 3, "--out", "found", "--json")
    assert json.loads(done.out)["n_features"] == 2
    assert written("found")["patient_id"].tolist() == ids.astype(str).tolist()
    monkeypatch.setattr(parquet, "MAX_UNSORTED_IDS", 100)  # of more rows, only a note
    done = shell("cluster", "a.parquet", "b.parquet", "-k", 3, "--out", "found", "--json")
    assert json.loads(done.out)["n_features"] == 3
    assert "--drop patient_id" in done.err


def test_numbers_that_repeat_in_a_later_file_are_kept(shell, parts):
    """Ids of the first rows only: a note, but no column is lost."""
    table = pd.DataFrame(parts[1], columns=["x", "y"]).assign(visit_id=[*range(60), *range(60)])
    table[:60].to_parquet("a.parquet")
    table[60:].to_parquet("b.parquet")
    done = shell("cluster", "a.parquet", "b.parquet", "-k", 3, "--out", "found", "--json")
    assert "column 'visit_id' holds ids" in done.err
    assert "--drop visit_id" in done.err
    assert json.loads(done.out)["n_features"] == 3


def test_blocks_are_looked_at_before_they_are_clustered(shell, parts):
    table = pd.DataFrame(parts[1], columns=["x", "y"]).assign(z=1.0)
    table.to_parquet("a.parquet")
    done = shell("cluster", "a.parquet", "-k", 3, "--memory-limit", "1GB", "--out", "found")
    assert "'z'" in done.err
