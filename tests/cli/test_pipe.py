"""Stages one by one give what `cluster` gives at once, to the bit."""

import json
from pathlib import Path

import numpy as np
import pytest

from consens._support.seeds import SEED_STAGES, spawn_seeds, stage_seeds
from consens.io import read_ensemble, read_meta

READ = ("--drop", "colour")


@pytest.mark.parametrize(
    ("generator", "selector", "method"),
    [
        (["--members", 60], None, []),
        (
            ["--generator", "kmeans", "--members", 12],
            ["--selector", "random", "--n-selected", 5],
            ["--method", "kcc"],
        ),
        (
            ["--generator", "library", "--members", 12],
            ["--selector", "clusterandselect", "--n-selected", 0.5],
            ["--method", "mcla"],
        ),
        (["--generator", "lac"], None, ["--method", "wspa"]),
    ],
)
def test_the_pipe_gives_the_same_labels(shell, blobs, generator, selector, method):
    seed, k = ["--seed", 7], ["-k", 3]
    own = ["--param", "generator__n_clusters=3"] if "lac" in generator else []
    parts = ["--param", "n_clusters=3"] if "lac" in generator else []
    whole = shell(
        "cluster", blobs, *READ, *seed, *k, *generator, *own, *(selector or []), *method, "-o", "a"
    )
    assert whole.code == 0, whole.err
    made = shell("generate", blobs, *READ, *seed, *generator, *parts, "-o", "x.ens")
    assert made.code == 0, made.err
    last = "x.ens"
    if selector is not None:
        last = "y.ens"
        assert shell("select", "x.ens", *seed, *selector, "-o", last).code == 0
    combined = shell("combine", last, *seed, *k, *method, "-o", "b")
    assert combined.code == 0, combined.err
    assert Path("a/labels.csv").read_bytes() == Path("b/labels.csv").read_bytes()
    summaries = [json.loads(Path(out, "summary.json").read_text()) for out in "ab"]
    for name in ("method", "parameters", "n_members", "clusters", "mean_confidence"):
        assert summaries[0][name] == summaries[1][name]


def test_the_rule_of_the_seeds_is_written_down(shell, blobs):
    """The seed of a stage is that of its place in the flow, among children of the one seed."""
    assert shell("generate", blobs, *READ, "--seed", 3, "--members", 4, "-o", "x.ens").code == 0
    assert shell("select", "x.ens", "--seed", 3, "--n-selected", 2, "-o", "y.ens").code == 0
    assert stage_seeds(3) == dict(zip(SEED_STAGES, spawn_seeds(3, 4), strict=True))
    meta = read_meta("y.ens")
    assert meta["seed"] == 3
    stages = meta["parameters"]
    assert stages["generate"]["stage-seed"] == spawn_seeds(3, 4)[0]
    assert stages["select"]["stage-seed"] == spawn_seeds(3, 4)[1]
    assert stages["generate"]["file"] == str(blobs)


def test_the_ensemble_is_the_same_whatever_the_jobs(shell, blobs):
    for out, jobs in (("one.ens", 1), ("two.ens", 2)):
        assert (
            shell("generate", blobs, *READ, "--members", 6, "--n-jobs", jobs, "-o", out).code == 0
        )
    files = sorted(path.name for path in Path("one.ens").iterdir())
    assert files == sorted(path.name for path in Path("two.ens").iterdir())
    for name in files:
        assert Path("one.ens", name).read_bytes() == Path("two.ens", name).read_bytes()


def test_ids_go_through_the_stages(shell, blobs):
    assert shell("generate", blobs, *READ, "--members", 4, "-o", "x.ens").code == 0
    assert read_ensemble("x.ens").obs.tolist() == [f"s{i}" for i in range(60)]
    assert shell("select", "x.ens", "--n-selected", 2, "-o", "y.ens").code == 0
    np.testing.assert_array_equal(read_ensemble("y.ens").obs, read_ensemble("x.ens").obs)


def test_range_of_clusters(shell, blobs):
    arguments = [
        "--generator",
        "kmeans",
        "--param",
        "n_clusters=4,6",
        "--members",
        8,
        "-o",
        "x.ens",
    ]
    assert shell("generate", blobs, *READ, *arguments).code == 0
    k = read_ensemble("x.ens").n_clusters
    assert ((k >= 4) & (k <= 6)).all()
    assert len(set(k.tolist())) > 1


def test_tables_of_labels_can_be_selected_from(shell, votes):
    done = shell("select", votes, "--n-selected", 2, "-o", "v.ens")
    assert done.code == 0
    assert "2 partitions" in done.out
    assert read_ensemble("v.ens").obs.tolist() == list("abcdef")


@pytest.mark.parametrize("verb", ["generate", "select"])
@pytest.mark.parametrize("kind", ["folder", "ensemble"])
def test_what_holds_other_files_is_not_replaced(
    shell, blobs, votes, tmp_path, monkeypatch, verb, kind
):
    if kind == "ensemble":
        assert shell("select", votes, "--n-selected", 2, "-o", "mine.ens").code == 0
    else:
        (tmp_path / "mine.ens").mkdir()

    def too_early(*_, **__):
        raise AssertionError("work began")

    monkeypatch.setattr("consens.io.read_table", too_early)
    monkeypatch.setattr("consens.io.read_labels", too_early)
    (tmp_path / "mine.ens" / "thesis.txt").write_text("years")
    done = shell(verb, blobs, *READ, "-o", "mine.ens")
    assert done.code == 1
    assert "is not replaced, because it is not an ensemble or holds other files" in done.err
    assert (tmp_path / "mine.ens" / "thesis.txt").read_text() == "years"


def test_report_of_an_ensemble(shell, blobs):
    assert shell("generate", blobs, *READ, "--members", 10, "-o", "x.ens").code == 0
    done = shell("report", "x.ens", "-k", 3)
    assert done.code == 0, done.err
    assert done.out.startswith("60 objects in 3 clusters")
    assert "s59" in Path("x-report.html").read_text(encoding="utf-8")
