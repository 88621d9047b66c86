"""Parameter constraints of estimators; the only module that imports scikit-learn's private ones.

scikit-learn validates parameters by `_parameter_constraints`, but offers the classes that
describe them from a private module only.  If that module moves, this is the file to change.
"""

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

__all__ = ["HasMethods", "Interval", "StrOptions"]
