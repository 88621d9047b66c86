"""Parameter constraints of estimators; the only module that imports scikit-learn's private ones.

scikit-learn validates parameters by `_parameter_constraints`, but offers the classes that
describe them from a private module only.  If that module moves, this is the file to change.
A parameter that many estimators have is constrained alike in all of them: its rule stands here.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

__all__ = [
    "BOOLEAN_RULE",
    "COUNT_RULE",
    "RANGE_RULE",
    "SELECTION_RULE",
    "SIZE_RULE",
    "HasMethods",
    "Interval",
    "Rule",
    "StrOptions",
    "one_of",
    "rules",
]

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
    "n_selected": SELECTION_RULE,
    "similarity": [*one_of("nmi", "ari"), callable],
    "linkage": one_of("average", "single", "complete"),
    "imbalance": [Interval(Real, 0, None, closed="left")],
    "beta": [Interval(Real, 0, None, closed="left")],
    "theta": [Interval(Real, 0, np.inf, closed="right")],
    "smoothing": [Interval(Real, 0, None, closed="neither"), *one_of("auto")],
    "merge_equal": BOOLEAN_RULE,
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


def rules(*shared: str, **own: Rule | str) -> dict[str, Any]:
    """Constraints of an estimator: names of parameters with a common rule, and rules of its own.

    Examples
    --------
    >>> from consens.constraints import rules
    >>> rules("random_state", "merge_equal", weights=["array-like", None])
    {'random_state': ['random_state'], 'merge_equal': ['boolean'], 'weights': ['array-like', None]}
    """
    return {name: _SHARED[name] for name in shared} | own
