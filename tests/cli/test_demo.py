"""`consens demo`: what `make demo` shows."""

import os


def test_demo(shell):
    done = shell("demo", "--out", "shown")
    assert done.code == 0
    assert sorted(os.listdir("shown")) == [
        "clusterings.csv",
        "config.toml",
        "labels.csv",
        "summary.json",
        "wine.csv",
    ]
    assert done.out.startswith("$ consens cluster shown/wine.csv -k 3")
    assert float(done.out.split()[-1]) > 0.8


def test_the_command_it_shows_gives_the_same(shell):
    command = shell("demo").out.splitlines()[0].split()[2:]
    with open("demo/labels.csv") as file:
        before = file.read()
    assert shell(*command).code == 0
    with open("demo/labels.csv") as file:
        assert file.read() == before
