"""Options from a file, and the file that repeats a run to the bit."""

import inspect
import json
import shlex
import tomllib
from pathlib import Path

import pytest

from consens.cli import EXAMPLES
from consens.cli.configuration import command

READ = ("--drop", "colour")


def files_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("verb", "arguments", "config"),
    [
        (
            "cluster",
            shlex.split(
                "-k 3 --drop colour --seed 0 --members 9 --selector random --method eac -o out/r "
                "--param linkage=single --param generator__n_clusters=4,8"
            ),
            "out/r/config.toml",
        ),
        (
            "generate",
            [
                *READ,
                "--seed",
                3,
                "--scale",
                "minmax",
                "--generator",
                "library",
                "--members",
                6,
                "-o",
                "out/x.ens",
            ],
            "out/x.ens.config.toml",
        ),
        ("report", [*READ, "-k", 3, "--members", 9, "-o", "out/page.html"], None),
        (
            "cluster",
            shlex.split(
                "--id name --drop colour -k 3 --members 9 --report out/p.html -o out --header"
            ),
            "out/config.toml",
        ),
    ],
)
def test_a_run_is_repeated_to_the_bit(shell, blobs, verb, arguments, config):
    assert shell(verb, blobs, *arguments).code == 0
    config = config or "out/page.html.config.toml"
    first = files_of("out")
    assert config.removeprefix("out/") in first
    Path(config).rename("again.toml")
    for path in sorted(Path("out").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    done = shell(verb, "--config", "again.toml")
    assert done.code == 0, done.err
    assert files_of("out") == first


def test_select_combine_and_measure_are_repeated(shell, votes):
    for verb, arguments, config in (
        ("select", [votes, "--n-selected", 3, "-o", "out/v.ens"], "out/v.ens.config.toml"),
        ("combine", [votes, "-k", 2, "-o", "out"], "out/config.toml"),
        ("measure", [votes, "-o", "out/scores.csv"], "out/scores.csv.config.toml"),
    ):
        assert shell(verb, *arguments).code == 0
        first = files_of("out")
        done = shell(verb, "--config", config)
        assert done.code == 0, done.err
        assert files_of("out") == first


def test_everything_that_decides_is_written(shell, blobs):
    assert shell("cluster", blobs, *READ, "-k", 3, "--method", "eac", "-q").code == 0
    assert tomllib.loads(Path("blobs-consens/config.toml").read_text()) == {
        "file": str(blobs),
        "n-clusters": 3,
        "seed": 0,
        "scale": "standard",
        "method": "eac",
        "drop": ["colour"],
    }


def test_the_command_line_wins(shell, blobs, tmp_path):
    (tmp_path / "c.toml").write_text('n_clusters = 2\ndrop = ["colour"]\nseed = 9\njson = true\n')
    summary = json.loads(shell("cluster", blobs, "--config", "c.toml", "-k", 3).out)
    assert (summary["n_clusters"], summary["seed"]) == (3, 9)
    summary = json.loads(shell("cluster", blobs, "--config", "c.toml").out)
    assert summary["n_clusters"] == 2


def test_parameters_may_be_a_table(shell, votes, tmp_path):
    (tmp_path / "c.toml").write_text('method = "eac"\n[param]\nlinkage = "single"\n')
    done = shell("combine", votes, "--config", "c.toml", "--json")
    assert json.loads(done.out)["parameters"]["linkage"] == "single"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("n-cluster = 3", "no option 'n-cluster'; the nearest is 'n-clusters'"),
        ("sed = 3", "the nearest is 'seed'"),
        ("seed = 'many'", "--seed"),
        ("seed = -1", "--seed"),
        ("seed = true", "seed = True is not one value"),
        ("no-id = 3", "no-id = 3 is not true or false"),
        ("scale = 'loud'", "--scale"),
        ("seed = {a = 1}", "is not one value"),
        ("seed = [1, 2]", "--seed"),
        ("seed = ", "not TOML"),
        ("config = 'other.toml'", "no option 'config'"),
        ("n_clusters = 1979-05-27", "-k"),
    ],
)
def test_a_wrong_file(shell, votes, tmp_path, text, words):
    (tmp_path / "c.toml").write_text(text + "\n")
    done = shell("cluster", votes, "--config", "c.toml")
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert words in done.err


def test_no_file_and_no_text(shell, votes, tmp_path):
    assert "cannot read c.toml" in shell("cluster", votes, "--config", "c.toml").err
    (tmp_path / "c.toml").write_bytes(b"\xff\xfe\x00")
    done = shell("cluster", votes, "--config", "c.toml")
    assert done.code == 2
    assert "not TOML in UTF-8" in done.err


@pytest.mark.parametrize("verb", EXAMPLES, ids=lambda verb: verb.__name__)
def test_options_are_called_as_the_keys_of_a_configuration(verb):
    for parameter in inspect.signature(command(verb)).parameters.values():
        names = parameter.annotation.__metadata__[0]
        declared = [names.default, *(names.param_decls or ())]
        long = [name for name in declared if isinstance(name, str) and name.startswith("--")]
        assert [name.split("/")[0] for name in long] in (
            [],
            [f"--{parameter.name.replace('_', '-')}"],
        )


def test_a_file_that_is_nested_deeply(shell, votes, tmp_path):
    (tmp_path / "c.toml").write_text("a = " + "[" * 2000 + "]" * 2000)
    done = shell("cluster", votes, "--config", "c.toml")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
