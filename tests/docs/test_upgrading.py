"""The page of renamed names points to what exists."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import consens

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "upgrading.md").read_text(encoding="utf-8")


def rows(section):
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    found = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert found
    return found


def resolve(path):
    """The module or attribute of consens with a dotted name."""
    module, names = "consens", path.removeprefix("consens.").split(".")
    found = import_module(module)
    for name in names:
        if not hasattr(found, name):
            import_module(f"{found.__name__}.{name}")
        found = getattr(found, name)
    return found


@pytest.mark.parametrize(("old", "new"), [*rows("Packages"), *rows("Names")])
def test_the_new_place_exists(old, new):
    for name in re.findall(r"`([\w.]+)`", new.partition(";")[0]):
        if hasattr(consens, name.removeprefix("consens.").split(".")[0]):
            resolve(name)
    for path in re.findall(r"`(\w+/[\w/]+\.py)`", new):
        assert (ROOT / path).is_file() or (ROOT / "src" / path).is_file(), path


@pytest.mark.parametrize(("old", "new"), rows("Names"))
def test_the_module_defines_the_old_name(old, new):
    module = re.fullmatch(r"`([\w.]+)`", new)
    if module is None or not hasattr(resolve(module[1]), "__file__"):
        return
    names = [name.split(".")[-1] for name in re.findall(r"`([\w.]+)`", old)]
    for name in names:
        assert hasattr(resolve(module[1]), name), (module[1], name)
