"""Which errors were written for users."""

from __future__ import annotations

import traceback
from pathlib import Path

import joblib
import sklearn.utils

import consens

OURS = str(Path(consens.__file__).parent)
#: Checks of input and parameters in scikit-learn, and of n_jobs in joblib.
CHECKS = tuple(
    str(Path(package.__file__).parent / name)
    for package, name in (
        (sklearn.utils, "validation.py"),
        (sklearn.utils, "_param_validation.py"),
        (sklearn, "base.py"),
        (joblib, "parallel.py"),
    )
)


def is_for_users(error: BaseException) -> bool:
    """Whether a `raise` statement of consens, or a check of scikit-learn, made the message.

    The messages of Python and NumPy, such as "'int' object is not subscriptable", come from
    expressions or from other files.
    """
    frames = traceback.extract_tb(error.__traceback__)
    ours = max(i for i, frame in enumerate(frames) if i == 0 or frame.filename.startswith(OURS))
    if ours == len(frames) - 1:
        return (frames[ours].line or "").startswith("raise ")
    return any(frame.filename.startswith(CHECKS) for frame in frames[ours:])


def described(error: BaseException) -> str:
    """The error, and the innermost function of consens that it comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    where = ([f for f in frames if f.filename.startswith(OURS)] or frames)[-1]
    return f"{type(error).__name__}: {str(error)[:90]} ({where.name})"
