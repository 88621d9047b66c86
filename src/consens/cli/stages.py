"""Generators, selectors and consensus methods by name.

The names are listed here instead of imported, so that completion and ``--help`` are fast; a test
compares them with the packages.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

from consens.cli.configuration import usage_error

#: Parameters that have their own options, or that cannot be set from the command line.
SEPARATE = ("n_jobs", "random_state", "store", "noise", "settle")


@dataclass(frozen=True)
class Stage:
    """A stage: its package, and the public names of the package, separated by spaces."""

    role: str
    package: str
    plural: str
    public: str
    prefix: str = ""
    suffix: str = ""

    @property
    def names(self) -> dict[str, str]:
        """Map short names in lower case to public names."""
        return {self.short(name): name for name in self.public.split()}

    def complete(self, incomplete: str) -> list[str]:
        """Return the names that start with `incomplete`, for shell completion."""
        return [name for name in self.names if name.startswith(incomplete.lower())]

    def find(self, name: str, option: str) -> Any:
        """Return the class, or the function that makes an estimator, called `name`."""
        names = self.names
        public = names.get(self.short(name))
        if public is None:
            raise usage_error(option, f"{name!r} is unknown; {self.plural} are {', '.join(names)}")
        return getattr(import_module(f"consens.{self.package}"), public)

    def short(self, name: str) -> str:
        """Return a name in lower case, without the prefix and suffix of the stage."""
        name = name.lower()
        return name.removeprefix(self.prefix).removesuffix(self.suffix) or name


GENERATOR = Stage(
    "generator",
    "generate",
    "generators",
    "BoostedKMeans EstimatorEnsemble FeatureWeightEnsemble GraphEnsemble KMeansEnsemble "
    "LACEnsemble LandmarkEnsemble MixedEnsemble MixtureEnsemble ProjectionEnsemble "
    "PrototypeEnsemble SpectralEnsemble SubspaceEnsemble TreeEnsemble library",
    suffix="ensemble",
)
SELECTOR = Stage(
    "selector",
    "select",
    "selectors",
    "ClusterAndSelect DropDegenerate SelectConvexHull SelectDiversity SelectJoint "
    "SelectMedianDiversity SelectQuadrant SelectQuality SelectRandom",
    prefix="select",
)
CONSENSUS = Stage(
    "consensus",
    "consensus",
    "methods",
    # by their ranks in docs/studies/leaderboard.md, then those that are not ranked there
    "CosineLWEA DrawnConsensus LWEA LWGP ECPCS CAHNE LWMC HGPA CTS PTGP LCE SDGCA PTA GPMGLA "
    "WEAC HBGF USENC ECCMS EAC MCLA Voting CoassociationKMeans NMFConsensus CSPA KCC LatentEM "
    "SEC WBPA WSBPA WSPA",
)
STAGES = (GENERATOR, SELECTOR, CONSENSUS)


def parameters(kind: Any, without: Sequence[str] = ()) -> dict[str, Any]:
    """Return the parameters of a class, function or estimator that --param sets, with defaults."""
    return {
        name: parameter.default
        for name, parameter in signature(kind if callable(kind) else type(kind)).parameters.items()
        if name not in (*SEPARATE, *without)
    }


def make(kind: Any, given: Mapping[str, Any], without: Sequence[str] = ()) -> Any:
    """Make an estimator from a class or function, or change the parameters of an estimator."""
    known = parameters(kind, without)
    for name in given:
        if name not in known:
            raise usage_error(
                "--param",
                f"{name!r} is not a parameter of {_name(kind)}: "
                f"{', '.join(known) or 'it has none'}",
            )
    return kind(**given) if callable(kind) else kind.set_params(**given)


def own_parameter(kind: Any, names: Sequence[str], value: Any, option: str) -> dict[str, Any]:
    """Return a dict from the first of `names` that is a parameter of `kind` to `value`."""
    known = parameters(kind)
    name = next((name for name in names if name in known), None)
    if name is None:
        raise usage_error(
            option,
            f"{_name(kind)} has no such parameter; its parameters, set by --param, are "
            f"{', '.join(known) or 'none'}",
        )
    return {name: value}


def _name(kind: Any) -> str:
    return kind.__name__ if callable(kind) else type(kind).__name__


def read_params(given: Sequence[str] | None, default: Stage) -> dict[str, dict[str, Any]]:
    """Parse NAME=VALUE or STAGE__NAME=VALUE into the parameters of each stage."""
    params: dict[str, dict[str, Any]] = {stage.role: {} for stage in STAGES}
    for pair in given or ():
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise usage_error("--param", f"{pair!r} is not NAME=VALUE")
        role, separator, inner = name.partition("__")
        if separator and role in params:
            params[role][inner] = parse_value(text)
        else:
            params[default.role][name] = parse_value(text)
    return params


def parse_value(text: str) -> Any:
    """Parse a number, a word, true, false or none, or several of them separated by commas."""
    if "," in text:
        return tuple(parse_value(part) for part in text.split(",") if part)
    text = text.strip()
    for kind in (int, float, {"true": True, "false": False, "none": None}.__getitem__):
        with suppress(ValueError, KeyError):
            return kind(text.lower())
    return text
