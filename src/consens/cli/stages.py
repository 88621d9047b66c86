"""Generators, selectors and consensus methods by name, as their packages list them.

The names are read from the source of the packages, not from the packages: completion and
``--help`` must not import the library.  What is listed in ``__all__`` there is known here.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

import typer

#: Parameters that options of their own set, or nobody sets from the shell.
SEPARATE = ("n_jobs", "random_state", "store")


@dataclass(frozen=True)
class Stage:
    """A role, the package that fills it, and what its classes are called alike."""

    role: str
    package: str
    plural: str
    prefix: str = ""
    suffix: str = ""

    @property
    def names(self) -> dict[str, str]:
        """Short name, in small letters, to public name."""
        return {self.short(name): name for name in _listed(self.package)}

    def complete(self, incomplete: str) -> list[str]:
        """Names that begin as given, for the completion of shells."""
        return [name for name in self.names if name.startswith(incomplete.lower())]

    def find(self, name: str, option: str) -> Any:
        """The class, or the function that makes an estimator, called `name`."""
        names = self.names
        public = names.get(self.short(name))
        if public is None:
            raise typer.BadParameter(
                f"{name!r} is not known; {self.plural} are {', '.join(names)}", param_hint=option
            )
        return getattr(import_module(f"consens.{self.package}"), public)

    def short(self, name: str) -> str:
        """A name without what the names of the stage share."""
        name = name.lower()
        return name.removeprefix(self.prefix).removesuffix(self.suffix) or name


GENERATOR = Stage("generator", "generate", "generators", suffix="ensemble")
SELECTOR = Stage("selector", "select", "selectors", prefix="select")
CONSENSUS = Stage("consensus", "consensus", "methods")
STAGES = (GENERATOR, SELECTOR, CONSENSUS)


def parameters(kind: Any, without: Sequence[str] = ()) -> dict[str, Any]:
    """Parameters of a class or function with their defaults, but those set otherwise."""
    return {
        name: parameter.default
        for name, parameter in signature(kind).parameters.items()
        if name not in (*SEPARATE, *without)
    }


def make(kind: Any, given: Mapping[str, Any], without: Sequence[str] = ()) -> Any:
    """An estimator with the given parameters: of a class, or one that is there with others."""
    known = parameters(kind if callable(kind) else type(kind), without)
    for name in given:
        if name not in known:
            raise typer.BadParameter(
                f"{name!r} is not a parameter of {_name(kind)}: "
                f"{', '.join(known) or 'it has none'}",
                param_hint="--param",
            )
    return kind(**given) if callable(kind) else kind.set_params(**given)


def make_generator(
    name: str | None,
    given: Mapping[str, Any],
    *,
    library: bool = False,
    members: int | None = None,
    member_clusters: str | None = None,
    default: Any = None,
) -> Any:
    """A generator as the options ask for it, or `default` with what they ask of it."""
    if library:
        if name is not None and GENERATOR.short(name) != "library":
            raise typer.BadParameter(f"excludes --generator {name}", param_hint="--library")
        name = "library"
    kind = default if name is None else GENERATOR.find(name, "--generator")
    given = dict(given)
    if members is not None:
        given |= _own_name(kind, ("n_estimators", "size"), members, "--members")
    if member_clusters is not None:
        given |= _own_name(kind, ("n_clusters",), value(member_clusters), "--member-clusters")
    return make(kind, given)


def make_selector(name: str, given: Mapping[str, Any], n_selected: str | None) -> Any:
    """A selector as the options ask for it."""
    kind = SELECTOR.find(name, "--selector")
    given = dict(given)
    if n_selected is not None:
        given |= _own_name(kind, ("n_selected",), value(n_selected), "--n-selected")
    return make(kind, given)


def make_consensus(name: str, given: Mapping[str, Any]) -> Any:
    """A consensus method as the options ask for it; the number of clusters comes later."""
    return make(CONSENSUS.find(name, "--method"), given, without=("n_clusters",))


def _own_name(kind: Any, names: Sequence[str], value: Any, option: str) -> dict[str, Any]:
    """What a class calls the parameter that an option sets."""
    known = parameters(kind if callable(kind) else type(kind))
    name = next((name for name in names if name in known), None)
    if name is None:
        raise typer.BadParameter(
            f"{_name(kind)} has no such parameter; its parameters, set by --param, are "
            f"{', '.join(known) or 'none'}",
            param_hint=option,
        )
    return {name: value}


def _name(kind: Any) -> str:
    return kind.__name__ if callable(kind) else type(kind).__name__


def read_params(given: Sequence[str] | None, default: Stage) -> dict[str, dict[str, Any]]:
    """Read NAME=VALUE, or STAGE__NAME=VALUE, into the parameters of each stage."""
    params: dict[str, dict[str, Any]] = {stage.role: {} for stage in STAGES}
    for pair in given or ():
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{pair!r} is not NAME=VALUE", param_hint="--param")
        role, separator, inner = name.partition("__")
        if separator and role in params:
            params[role][inner] = value(text)
        else:
            params[default.role][name] = value(text)
    return params


def value(text: str) -> Any:
    """A value as people write it: number, word, true, false, none, or several with commas."""
    if "," in text:
        return tuple(value(part) for part in text.split(",") if part)
    words = {"true": True, "false": False, "none": None}
    text = text.strip()
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


# ------------------------------------------------------------------ names without an import


@cache
def _listed(package: str) -> tuple[str, ...]:
    """Public names of a package that make estimators of its stage."""
    spec = find_spec(f"consens.{package}")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    home: dict[str, str] = {}
    public: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            file = node.module.rpartition(".")[2]
            home |= {alias.asname or alias.name: file for alias in node.names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            public = ast.literal_eval(node.value)
    files = {
        name: ast.parse((folder / f"{home[name]}.py").read_text(encoding="utf-8"))
        for name in public
        if name in home
    }
    return tuple(name for name, tree in files.items() if _makes_stage(name, tree, package))


def _makes_stage(name: str, tree: ast.Module, package: str) -> bool:
    """Whether a name is an estimator of its stage, or a function that makes one.

    Among generators that is what turns X into an `Ensemble`: their package lists clusterers and
    features of texts as well.
    """
    found = next(node for node in tree.body if getattr(node, "name", None) == name)
    if isinstance(found, ast.FunctionDef):
        return ast.unparse(found.returns or ast.Constant(None)) == "FeatureUnion"
    if package != "generate":
        return True
    assert isinstance(found, ast.ClassDef)
    return "Generator" in map(ast.unparse, found.bases) or any(
        isinstance(node, ast.FunctionDef)
        and node.name == "transform"
        and ast.unparse(node.returns or ast.Constant(None)) == "Ensemble"
        for node in found.body
    )
