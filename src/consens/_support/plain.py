"""Conversion of parameters and records to values that JSON can hold."""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import numpy as np

from consens import __version__


def package_versions(*packages: str) -> dict[str, str]:
    """Return the versions of consens and of the given packages."""
    return {"consens": __version__} | {name: version(name) for name in packages}


def rounded_values(value: Any, digits: int = 6) -> Any:
    """Convert numbers, arrays and records for JSON, real numbers rounded; None if not finite."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return round(value, digits) if math.isfinite(value) else None
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: rounded_values(entry, digits) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [rounded_values(entry, digits) for entry in value]
    return value


def plain_value(value: Any, array: Callable[[np.ndarray], Any] = np.ndarray.tolist) -> Any:
    """Convert a value to numbers, strings, lists and dictionaries, the same in every process.

    Estimators and dataclasses become their class and parameters, functions their names; anything
    else is described by its `repr`.  JSON has no infinity and no NaN: they become strings.
    `array` converts arrays, by default to lists.
    """
    again = partial(plain_value, array=array)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, np.ndarray):
        found = array(value)
        return found if isinstance(found, str) else again(found)
    if isinstance(value, Mapping):
        return {str(name): again(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple | range):
        return [again(entry) for entry in value]
    if isinstance(value, Enum):
        return again(value.value)
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, partial):
        return [again(value.func), again(value.keywords)]
    if hasattr(value, "get_params") and not isinstance(value, type):
        parameters = value.get_params(deep=False)
        return [again(type(value)), again(dict(sorted(parameters.items())))]
    if isinstance(value, np.random.RandomState):
        return again(dict(sorted(value.get_state(legacy=False).items())))
    if isinstance(value, np.random.Generator):
        return again(value.bit_generator.state)
    if is_dataclass(value) and not isinstance(value, type):
        values = {own.name: again(getattr(value, own.name)) for own in fields(value)}
        return [again(type(value)), values]
    if callable(value):
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)
