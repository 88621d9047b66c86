"""Wrong usage is 2, bad data is 1, an interruption is 130; one line each, no traceback."""

import os

import numpy as np
import pytest

import consens


def assert_refused(done, code, words):
    assert done.code == code
    assert done.out == ""
    said = [line for line in done.err.splitlines() if not line.startswith("note: ")]
    assert len(said) == 1
    assert said[0].startswith("error: ")
    assert words in said[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["divide"], "divide"),
        (["cluster"], "Missing argument"),
        (["cluster", "a.csv", "b.csv"], "a.csv is not a .parquet file"),
        (["combine", "a.csv", "b.csv"], "b.csv"),
        (["cluster", "a.csv", "-k", "0"], "-k"),
        (["cluster", "a.csv", "-k", "-2"], "-k"),
        (["cluster", "a.csv", "-k", "many"], "-k"),
        (["cluster", "a.csv", "--seed", "-1"], "--seed"),
        (["cluster", "a.csv", "--scale", "loud"], "--scale"),
        (["cluster", "a.csv", "--n-jobs", "0"], "--n-jobs"),
        (["cluster", "a.csv", "--n-jobs", "99999999999999999999999"], "--n-jobs"),
        (["cluster", "a.npy", "--sep", ";"], "a.npy is not a text file"),
        (["cluster", "a.csv", "--impute", "zero"], "--impute"),
        (["cluster", "a.csv", "--colour"], "--colour"),
        (["cluster", "a.csv", "--id", "x", "--no-id"], "exclude each other"),
        (["cluster", "a.csv", "--param", "linkage=single"], "needs --method"),
        (["cluster", "a.csv", "--method", "magic"], "methods are "),
        (["combine", "a.csv", "--method", "magic"], "methods are "),
        (["cluster", "a.csv", "--generator", "magic"], "generators are "),
        (["cluster", "a.csv", "--selector", "magic"], "selectors are "),
        (["cluster", "a.csv", "--n-selected", "5"], "needs --selector"),
        (["cluster", "a.csv", "--report", "page.txt"], "does not end in .html"),
        (["cluster", "a.csv", "--generator", "lac", "--members", "9"], "LACEnsemble has no"),
        (["generate", "a.csv"], "--out"),
        (["generate", "a.csv", "-o", "a.csv"], "does not end in .ens"),
        (["generate", "a.csv", "-o", "x.ens", "--param", "colour=red"], "'colour' is not a"),
        (
            ["select", "a.csv", "-o", "x.ens", "--selector", "convexhull", "--n-selected", "2"],
            "no",
        ),
        (["measure", "a.csv", "--column", "x"], "needs --truth"),
        (["combine", "a.csv", "--param", "linkage=single"], "needs --method"),
        (["combine", "a.csv", "--method", "eac", "--param", "colour=red"], "parameter of EAC: "),
        (["combine", "a.csv", "--method", "eac", "--param", "linkage"], "is not NAME=VALUE"),
    ],
)
def test_wrong_usage(shell, tmp_path, arguments, words):
    (tmp_path / "a.csv").write_text("p,q\n1,2\n2,1\n")
    done = shell(*arguments)
    assert_refused(done, 2, words)
    assert "--help)" in done.err
    assert os.listdir() == ["a.csv"]


@pytest.mark.parametrize("verb", ["cluster", "combine"])
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.csv", None, "no such file: missing.csv"),
        ("a.csv", "", "a.csv is empty"),
        ("a.csv", "id,a\n", "a.csv has no rows"),
        ("a.csv", "id,a\nx,1\n", "a minimum of 2 is required"),
        ("a.parquet", "id,a\nx,1\n", "not a parquet file"),
        ("a.npy", "id,a\nx,1\n", "not an npy file"),
        ("a.xls", "id,a\nx,1\n", "unknown suffix '.xls'"),
        ("a.csv", "1,2\n2,1\n", "--no-header"),
    ],
)
def test_bad_files(shell, tmp_path, verb, name, content, words):
    if content is not None:
        (tmp_path / name).write_text(content)
    before = os.listdir(tmp_path)
    assert_refused(shell(verb, name), 1, words)
    assert os.listdir(tmp_path) == before


def test_repeated_ids_of_clusterings(shell, tmp_path):
    (tmp_path / "a.csv").write_text("id,a\nx,1\nx,2\n")
    assert_refused(shell("combine", "a.csv"), 1, "'x' occur more than once")


def test_text_column_among_features(shell, blobs):
    assert_refused(shell("cluster", blobs), 1, "leave out what is not a feature: --drop colour")


def test_missing_values_among_features(shell, tmp_path):
    (tmp_path / "a.csv").write_text("id,a,b\nx,1,1\ny,,2\nz,3,3\n")
    assert_refused(shell("cluster", "a.csv"), 1, "column 'a' has 1 missing")


def test_features_where_labels_are_due(shell, tmp_path):
    np.save("a.npy", np.random.default_rng(0).normal(size=(9, 2)))
    assert_refused(shell("combine", "a.npy"), 1, "use consens cluster")


@pytest.mark.parametrize("verb", ["cluster", "combine"])
def test_more_clusters_than_objects(shell, tmp_path, verb):
    (tmp_path / "a.csv").write_text("id,a\nx,1\ny,1\nz,2\n")
    assert_refused(shell(verb, "a.csv", "-k", 3), 1, "n_clusters=3")


def test_a_label_column_without_labels(shell, tmp_path):
    (tmp_path / "a.csv").write_text("id,p,q\nx,1,\ny,1,\nz,2,\n")
    assert_refused(shell("combine", "a.csv"), 1, "missing")


@pytest.mark.parametrize("verb", ["cluster", "combine"])
@pytest.mark.parametrize("out", ["file", "file/deeper"])
def test_folder_that_cannot_be_written_is_found_before_the_work(
    shell, votes, monkeypatch, tmp_path, verb, out
):
    (tmp_path / "file").touch()

    def too_early(*_, **__):
        raise AssertionError("work began")

    monkeypatch.setattr("consens.io.read_table", too_early)
    monkeypatch.setattr("consens.io.read_labels", too_early)
    assert_refused(shell(verb, votes, "--out", out), 1, f"cannot write into the folder {out}")


def test_the_file_to_read_is_not_overwritten(shell, votes, tmp_path):
    votes.rename(tmp_path / "labels.csv")
    done = shell("combine", "labels.csv", "--out", ".")
    assert_refused(done, 2, "would be overwritten")


def test_ctrl_c(shell, votes, monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(consens.consensus.EAC, "fit", interrupted)
    assert_refused(shell("combine", votes, "--method", "eac"), 130, "interrupted")
    assert os.listdir() == ["votes.csv"]


def test_faults_of_the_program_are_one_line_too(shell, votes, monkeypatch):
    monkeypatch.setattr(consens.consensus.EAC, "fit", lambda *_, **__: {}["fault"])
    command = ["combine", votes, "--method", "eac"]
    assert_refused(shell(*command), 1, "KeyError: 'fault'; this is a bug in consens")
    with pytest.raises(KeyError, match="fault"):
        shell(*command, "--debug")
