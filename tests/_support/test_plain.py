"""Parameters and records as values that JSON can hold."""

import numpy as np

from consens._support.plain import plain_value


def test_numbers_ranges_and_functions_become_plain():
    values = {"k": np.int64(3), "range": (2, float("inf")), "f": np.median}
    assert plain_value(values) == {"k": 3, "range": [2, "Infinity"], "f": "numpy.median"}
