"""Parameters of estimators and their constraints.  Only here scikit-learn's private ones are used.

scikit-learn validates parameters by `_parameter_constraints`, but offers the classes that
describe them from a private module only.  If that module moves, this is the file to change.
A parameter that many estimators have is constrained alike in all of them: its rule stands here,
and a class gives rules for its other parameters only.
"""

from __future__ import annotations

from dataclasses import make_dataclass
from inspect import get_annotations, signature
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from sklearn.utils._param_validation import HasMethods as HasMethods
from sklearn.utils._param_validation import Interval as Interval
from sklearn.utils._param_validation import StrOptions as StrOptions

Estimator = TypeVar("Estimator")

#: What a parameter may be: any of these.
Rule = list[Any]


def one_of(*options: str) -> Rule:
    """Rule for a parameter that is one of some words."""
    return [StrOptions(set(options))]


BOOLEAN_RULE: Rule = ["boolean"]
COUNT_RULE: Rule = [Interval(Integral, 1, None, closed="left")]
#: A number, the bounds of one, or a choice of our own.
RANGE_RULE: Rule = [*COUNT_RULE, tuple, list, None]
#: How many objects or features, or which share of them.
SIZE_RULE: Rule = [*COUNT_RULE, Interval(Real, 0, 1, closed="right"), None]
#: How many members to keep, or which share of them.
SELECTION_RULE: Rule = [*COUNT_RULE, Interval(Real, 0, 1, closed="neither")]

_SHARED: dict[str, Rule] = {
    "n_clusters": COUNT_RULE,
    "n_estimators": COUNT_RULE,
    "n_init": COUNT_RULE,
    "max_iter": COUNT_RULE,
    "max_samples": SIZE_RULE,
    "linkage": one_of("average", "single", "complete"),
    "imbalance": [Interval(Real, 0, None, closed="left")],
    "beta": [Interval(Real, 0, None, closed="left")],
    "theta": [Interval(Real, 0, np.inf, closed="right")],
    "merge_equal": BOOLEAN_RULE,
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


def rules(**own: Rule | str) -> dict[str, Any]:
    """Constraints of the parameters that an estimator has a rule of its own for."""
    return own


def complete_rules(estimator: type[Estimator]) -> type[Estimator]:
    """Constrain the other parameters of a class: as its base does, or as all estimators do.

    Examples
    --------
    >>> from consens.constraints import complete_rules, rules
    >>> @complete_rules
    ... class Weighted:
    ...     _parameter_constraints = rules(weights=["array-like", None])
    ...     def __init__(self, merge_equal=True, weights=None):
    ...         self.merge_equal, self.weights = merge_equal, weights
    >>> Weighted._parameter_constraints
    {'merge_equal': ['boolean'], 'weights': ['array-like', None]}
    """
    known = dict(_SHARED)
    for kind in reversed(estimator.__mro__):
        known |= vars(kind).get("_parameter_constraints", {})
    # rules of its own are kept for an __init__ that `with_parameters` has yet to make
    own = vars(estimator).get("_parameter_constraints", {})
    names = [*signature(estimator.__init__).parameters, *own]
    estimator._parameter_constraints = {  # type: ignore[attr-defined]
        name: known[name] for name in names if name in known
    }
    return estimator


@dataclass_transform(eq_default=False)
def with_parameters(estimator: type[Estimator]) -> type[Estimator]:
    """Make ``__init__`` of the annotated attributes of a class; it only assigns them.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from consens.constraints import with_parameters
    >>> @with_parameters
    ... class Weighted(BaseEstimator):
    ...     n_clusters: int = 2
    ...     theta: float = 0.4
    >>> Weighted(theta=1)
    Weighted(theta=1)
    """
    values = vars(estimator)
    fields = [(name, kind, values[name]) for name, kind in get_annotations(estimator).items()]
    for name, _, _ in fields:  # parameters are attributes of objects only
        delattr(estimator, name)
    # a class of its own: the parameters of base classes would come first
    init = vars(make_dataclass(estimator.__name__, fields))["__init__"]
    init.__qualname__, init.__module__ = f"{estimator.__qualname__}.__init__", estimator.__module__
    type.__setattr__(estimator, "__init__", init)
    return complete_rules(estimator)
