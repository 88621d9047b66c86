"""Parameters of estimators and their constraints.

scikit-learn validates parameters by `_parameter_constraints`, but the classes that describe them
are in a private module, which only this file imports.  Parameters that many estimators share have
one rule, defined here; a class gives rules for its other parameters only.
"""

from inspect import signature
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from sklearn.utils._param_validation import HasMethods as HasMethods
from sklearn.utils._param_validation import Interval as Interval
from sklearn.utils._param_validation import StrOptions as StrOptions

Estimator = TypeVar("Estimator")

#: Allowed types and values of a parameter.
Rule = list[Any]


def one_of(*options: str) -> Rule:
    """Rule for a parameter that is one of several strings."""
    return [StrOptions(set(options))]


BOOLEAN_RULE: Rule = ["boolean"]
COUNT_RULE: Rule = [Interval(Integral, 1, 2**31 - 1, closed="both")]
#: A number, a pair of bounds, or None for a default.
RANGE_RULE: Rule = [*COUNT_RULE, tuple, list, None]
#: Number or share of objects or features, or None for a default.
SIZE_RULE: Rule = [*COUNT_RULE, Interval(Real, 0, 1, closed="right"), None]
#: Number or share of members to keep.
SELECTION_RULE: Rule = [*COUNT_RULE, Interval(Real, 0, 1, closed="neither")]

_SHARED: dict[str, Rule] = {
    "n_clusters": COUNT_RULE,
    "n_estimators": COUNT_RULE,
    "n_init": COUNT_RULE,
    "max_iter": COUNT_RULE,
    "max_samples": [*SIZE_RULE, *one_of("bootstrap")],
    "linkage": one_of("average", "single", "complete"),
    "imbalance": [Interval(Real, 0, None, closed="left")],
    "beta": [Interval(Real, 0, None, closed="left")],
    "smoothing": [Interval(Real, 0, None, closed="neither"), *one_of("auto")],
    "theta": [Interval(Real, 0, np.inf, closed="right")],
    "merge_equal": BOOLEAN_RULE,
    "noise": one_of("keep", "assign"),
    "settle": BOOLEAN_RULE,
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


def rules(**own: Rule | str) -> dict[str, Any]:
    """Rules of the parameters that an estimator does not share with others."""
    return own


def complete_rules(estimator: type[Estimator]) -> type[Estimator]:
    """Add the rules of inherited and shared parameters to a class."""
    known = dict(_SHARED)
    for kind in reversed(estimator.__mro__):
        known |= vars(kind).get("_parameter_constraints", {})
    # own rules stay even without a parameter of that name: those of a base class are inherited
    own = vars(estimator).get("_parameter_constraints", {})
    names = [*signature(estimator.__init__).parameters, *own]
    estimator._parameter_constraints = {  # type: ignore[attr-defined]
        name: known[name] for name in names if name in known
    }
    return estimator
