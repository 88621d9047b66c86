"""Options about how a table is read, from the shell."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consens._support import memory

CSV = "id,a,b\n" + "".join(f"o{i},{i % 2 * 9 + i / 50},{i % 2 * 7}\n" for i in range(30))


def labels(folder):
    lines = (Path(folder) / "labels.csv").read_text().splitlines()
    return [re.split(r"[,;|\t]", line)[1] for line in lines[1:]]


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("x.csv.gz", gzip.compress(CSV.encode()), []),
        ("x.txt", CSV.replace(",", "|").encode(), ["--sep", "|"]),
        ("x.csv", CSV.replace(",", ";").replace(".", ",").encode(), ["--decimal", ","]),
        ("x.csv", CSV.encode("utf-16"), ["--encoding", "utf-16"]),
    ],
)
def test_text_of_any_kind(shell, name, content, options):
    Path(name).write_bytes(content)
    Path("plain.csv").write_text(CSV)
    for file, more in (("plain.csv", []), (name, options)):
        done = shell("cluster", file, "-k", 2, "--members", 4, "-o", f"out-{file}", *more)
        assert done.code == 0, done.err
    assert labels(f"out-{name}") == labels("out-plain.csv")


def test_configurations_repeat_the_options(shell):
    Path("x.txt").write_text(CSV.replace(",", "|"))
    assert shell("cluster", "x.txt", "-k", 2, "--members", 4, "--sep", "|", "-o", "a").code == 0
    assert shell("cluster", "--config", "a/config.toml", "-o", "b").code == 0
    assert labels("a") == labels("b")


def test_transposed_tables_and_arrays_by_name(shell):
    X = np.repeat([[0.0, 1], [9, 5]], 6, axis=0)
    frame = pd.DataFrame(X.T, index=["g1", "g2"], columns=[f"s{i}" for i in range(12)])
    frame.to_csv("x.tsv", sep="\t", index_label="gene")
    np.savez("x.npz", other=np.eye(3), mine=X)
    options = ["-k", 2, "--members", 4]
    assert shell("cluster", "x.tsv", "--transpose", "-o", "a", *options).code == 0
    assert shell("cluster", "x.npz", "--use", "mine", "-o", "b", *options).code == 0
    assert labels("a") == labels("b")
    assert pd.read_csv("a/labels.csv", sep="\t")["id"].tolist()[:2] == ["s0", "s1"]


def test_options_of_text_for_other_files(shell):
    np.save("x.npy", np.eye(3))
    for option, value in (("--sep", ","), ("--decimal", ","), ("--encoding", "latin-1")):
        done = shell("cluster", "x.npy", option, value)
        assert done.code == 2
        assert "x.npy is not a text file" in done.err


def test_standard_input_in_a_pipe(shell, monkeypatch):
    reader, writer = os.pipe()
    os.write(writer, CSV.encode())
    os.close(writer)
    with open(reader) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        done = shell("cluster", "-", "-k", 2, "--members", 4)
    assert done.code == 0, done.err
    assert len(labels("stdin-consens")) == 30


def test_info_of_standard_input(shell, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    done = shell("info", "-", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["n_objects"] == 30
    assert found["features"]
    assert "real values" in found["not clusterings because"]


def test_a_table_of_names_given_to_cluster_is_pointed_to_combine(shell, tmp_path):
    (tmp_path / "v.csv").write_text("a,b\n" + "x,u\nx,v\ny,v\n" * 4)
    done = shell("cluster", "v.csv", "-k", 2)
    assert done.code == 1
    assert "if every column is a clustering: consens combine v.csv" in done.err


@pytest.mark.slow
def test_two_runs_on_one_ensemble(shell, tmp_path):
    """Either result may stay, but it is whole."""
    (tmp_path / "x.csv").write_text(CSV)
    generate = ["generate", "x.csv", "-o", "g.ens"]
    generate += ["--generator", "kmeans", "--members", "100", "--quiet"]
    command = [sys.executable, "-m", "consens", *generate]
    runs = [subprocess.Popen(command, cwd=tmp_path) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    assert shell("info", "g.ens").code == 0
    assert sorted(os.listdir(tmp_path)) == ["g.ens", "g.ens.config.toml", "x.csv"]


def test_a_control_character_in_a_column_name(shell):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)))
    frame.columns = ["a\x1b[31m\x01", "b"]
    frame.to_csv("x.csv", index=False)
    done = shell("report", "x.csv", "--method", "wsbpa", "-k", 2, "-o", "p.html")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out + done.err + Path("p.html").read_text(encoding="utf-8")
    done = shell("info", "x.csv")
    assert r"a\u001b[31m\u0001" in done.out
    done = shell("cluster", "x.csv", "--drop", "\x1b[31mnone")
    assert done.code == 1
    assert "\x1b" not in done.err


def test_safe_csv(shell):
    Path("x.csv").write_text(CSV.replace("o1,", "=1+1,").replace("o2,", "-2,"))
    options = ["-k", 2, "--members", 4]
    assert shell("cluster", "x.csv", "-o", "a", *options).code == 0
    assert shell("cluster", "x.csv", "-o", "b", "--safe-csv", *options).code == 0
    assert pd.read_csv("a/labels.csv")["id"].tolist()[:3] == ["o0", "=1+1", "-2"]
    assert pd.read_csv("b/labels.csv")["id"].tolist()[:3] == ["o0", "'=1+1", "-2"]


def test_info_of_large_files_reads_the_header_only(shell, monkeypatch):
    with open("x.npy", "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 8)}
        np.lib.format.write_array_header_1_0(file, header)
        file.truncate(file.tell() + 8 * 8 * 10**9)
    done = shell("info", "x.npy", "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert found["n_objects"] == 10**9
    assert found["columns"] == [f"column{i}" for i in range(1, 9)]
    assert found["memory"] == "59.6 GiB"
    monkeypatch.setattr(memory, "available_memory", lambda: 2.0**34)
    done = shell("cluster", "x.npy", "-k", 2)
    assert done.code == 1
    assert "needs 178.8 GiB, 16.0 GiB are available; store it as Parquet and cluster" in done.err


def test_info_of_large_ensembles_reads_the_header_only(shell, monkeypatch):
    assert shell("generate", make_csv(), "--members", 3, "-o", "x.ens", "-q").code == 0
    whole = json.loads(shell("info", "x.ens", "--json").out)
    monkeypatch.setattr(sys.modules["consens.cli.info"], "LARGE_FILE", 100)
    monkeypatch.setattr("consens.io.read_ensemble", None)
    found = json.loads(shell("info", "x.ens", "--json").out)
    assert found["parameters"] == whole["parameters"]
    assert [found[name] for name in ("n_objects", "n_members")] == [len(CSV.splitlines()) - 1, 3]


def make_csv():
    Path("x.csv").write_text(CSV)
    return "x.csv"
