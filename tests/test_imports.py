"""docs/architecture.md as a test: who may import whom, and what an import may cost."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions
from inspect import ismodule
from pathlib import Path

import consens

ROOT = Path(consens.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"

#: The groups of the map, in import order: each imports from those above it only.
MAP = (PROJECT.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
MAP = MAP.partition("## The map")[2].partition("```text\n")[2].partition("```")[0]
FLOW = [{line.split()[0] for line in group.splitlines()} for group in MAP.split("\n\n")]
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
    "openpyxl": "io",
    "charset_normalizer": "io",
    "psutil": "_support",
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


def imports_of(path):
    package = ".".join(["consens", *path.relative_to(ROOT).parent.parts])
    return set(imports(ast.parse(path.read_text(encoding="utf-8")), package))


def top_level(names):
    return {name.split(".")[0] for name in names}


#: Where the names live that the package itself offers.
STUB = ast.parse((ROOT / "__init__.pyi").read_text(encoding="utf-8"))
HOME = {
    alias.name: node.module or alias.name
    for node in ast.walk(STUB)
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}


@cache
def files():
    """For each file its path inside the package, its part, and what it imports."""
    return [
        (str(path.relative_to(ROOT)), part_of(path), imports_of(path))
        for path in sorted(ROOT.rglob("*.py"))
    ]


def test_the_map_lists_every_part():
    assert {part for _, part, _ in files() if part} == RANK.keys()


def test_imports_point_to_the_left():
    wrong = [
        f"{path} imports {name}"
        for path, own, names in files()
        for name in sorted(names - {"consens.__version__"})
        if own
        and name.startswith("consens.")
        and (part := HOME.get(name.split(".")[1], name.split(".")[1])) != own
        and RANK[part] >= RANK[own]
    ]
    assert not wrong, "\n".join(wrong)


def test_dependencies_have_one_owner():
    wrong = [
        f"{path} imports {name}, which only {OWNER[name]} may"
        for path, own, names in files()
        for name in sorted(top_level(names) & OWNER.keys())
        if OWNER[name] != own
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_imports_pickle():
    unsafe = {"pickle", "cloudpickle", "dill"}
    assert not [path for path, _, names in files() if top_level(names) & unsafe]


def test_what_is_imported_is_declared():
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    declared = [*project["dependencies"]]
    declared += [line for extra in extras.keys() - {"dev", "docs"} for line in extras[extra]]
    declared = {re.split(r"[^\w.-]", line)[0].lower() for line in declared}
    modules = set.union(*(top_level(names) for *_, names in files()))
    modules -= {"consens", "__future__", *sys.stdlib_module_names}
    distributions = packages_distributions()
    imported = {distributions.get(m, [m])[0].lower().replace("_", "-") for m in modules}
    assert imported <= declared


#: Names that stand in two modules: verbs of the shell are called as what they run.
SHARED_NAMES = {
    "as_rows",
    "cluster",
    "combine",
    "compare",
    "load",
    "main",
    "profile",
    "report",
    "why",
}


def top_level_names(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_a_public_name_is_defined_in_one_module():
    homes = defaultdict(set)
    for path in sorted(ROOT.rglob("*.py")):
        if path.name != "_h5ad_child.py":  # a program of its own, which cannot import the package
            for name in top_level_names(path):
                homes[name].add(str(path.relative_to(ROOT)))
    twice = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert {name for name in twice if not name.startswith("_")} <= SHARED_NAMES, twice


#: Files of one name in several packages: base classes of the stages, a kernel and what calls it,
#: and the command called as the front door.
SHARED_FILES = {"__init__", "_base", "kmeans", "landmarks", "cluster"}


def test_a_file_name_stands_for_one_thing():
    stems = [path.stem for path in ROOT.rglob("*.py")]
    assert {stem for stem in stems if stems.count(stem) > 1} <= SHARED_FILES


def test_the_test_sees_wrong_imports():
    tree = ast.parse(
        "def f():\n    from consens.cli import run\n    from . import x\n    import numba.core\n"
    )
    assert set(imports(tree, "consens._labels")) == {
        "consens.cli",
        "consens.cli.run",
        "consens._labels",
        "consens._labels.x",
        "numba.core",
    }


def test_users_meet_few_names():
    packages = [value for value in map(consens.__getattr__, consens.__all__) if ismodule(value)]
    names = {name for name in consens.__all__ if not ismodule(getattr(consens, name))}
    imported = [*packages, import_module("consens.scale")]
    names |= {f"{part.__name__}.{name}" for part in imported for name in part.__all__}
    assert len(names) <= 130, sorted(names)
    public = {path.stem for path in ROOT.iterdir() if not path.stem.startswith(("_", "py"))}
    private = {"cli", "cluster", "combination", "ensemble", "scale"}
    assert public - private == {part.__name__.removeprefix("consens.") for part in packages}


def test_importing_the_package_is_cheap():
    code = f"import sys, consens; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    code += "; import consens.show; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "False"]
