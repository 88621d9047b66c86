"""The architecture as a test: who may import whom, and what an import may cost."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import consens

ROOT = Path(consens.__file__).parent

#: Right may import left, never back; modules of one group do not import each other.
FLOW = [
    {"_kernels", "constraints", "docstrings", "files", "memory"},
    {"labels"},
    {"blocks"},
    {"distances"},
    {"ensemble"},
    {"base"},
    {"generate", "evidence", "partition", "measure", "datasets"},
    {"select", "consensus"},
    {"choose"},
    {"cluster"},
    {"show", "io", "scale"},
    {"cli"},
]
RANK = {part: rank for rank, parts in enumerate(FLOW) for part in parts}

#: Who alone may import these.
OWNER = {
    "anndata": "io",
    "h5py": "io",
    "matplotlib": "show",
    "dask": "scale",
    "distributed": "scale",
    "typer": "cli",
    "rich": "cli",
    "pyarrow": "io",
    "numba": "_kernels",
    "psutil": "memory",
}
HEAVY = ["numba", "sklearn", "pandas", "matplotlib", "scipy", "pyarrow"]


def part_of(path):
    """The part of the module map a file belongs to; the package's own file is the root."""
    first = path.relative_to(ROOT).parts[0]
    return "" if first == "__init__.py" else first.removesuffix(".py")


def imports(tree, package):
    """Modules that a file imports, anywhere in it, as dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: -(node.level - 1) or None] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            yield from (a.value for a in node.args if isinstance(a, ast.Constant))


def imported_parts(path):
    package = ".".join(["consens", *path.relative_to(ROOT).parent.parts])
    names = set(imports(ast.parse(path.read_text(encoding="utf-8")), package))
    inner = {name.split(".")[1] for name in names if name.startswith("consens.")}
    inner = {consens._HOME.get(name, name) for name in inner}  # lazy names of the package
    return inner & RANK.keys(), {name.split(".")[0] for name in names}


FILES = sorted(path for path in ROOT.rglob("*.py"))
INSIDE = [path for path in FILES if part_of(path)]


def named(path):
    return str(path.relative_to(ROOT))


def test_every_part_is_on_the_map():
    assert {part_of(path) for path in INSIDE} <= RANK.keys()


@pytest.mark.parametrize("path", INSIDE, ids=named)
def test_imports_point_to_the_left(path):
    own = part_of(path)
    inner, _ = imported_parts(path)
    wrong = [part for part in inner - {own} if RANK[part] >= RANK[own]]
    assert not wrong, f"{own} may not import {wrong}"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_dependencies_have_one_owner(path):
    _, outer = imported_parts(path)
    wrong = [name for name in outer & OWNER.keys() if OWNER[name] != part_of(path)]
    assert not wrong, f"only {[OWNER[name] for name in wrong]} may import {wrong}"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_nothing_imports_pickle(path):
    _, outer = imported_parts(path)
    assert not outer & {"pickle", "cloudpickle", "dill"}


def test_the_test_sees_wrong_imports():
    tree = ast.parse(
        "def f():\n    from consens.cli import run\n    from . import x\n    import numba.core\n"
    )
    assert set(imports(tree, "consens.labels")) == {
        "consens.cli",
        "consens.cli.run",
        "consens.labels",
        "consens.labels.x",
        "numba.core",
    }


def test_importing_the_package_is_cheap():
    code = f"import sys, consens; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
