"""Tables of numbers as arrays, for tests of readers."""

from types import SimpleNamespace

import numpy as np

from consens.io import read_table


def read_features(path, **options):
    """Read a table whose columns are all numbers."""
    table = read_table(path, **options)
    return SimpleNamespace(
        X=table.frame.to_numpy(dtype=np.float64),
        columns=list(table.frame),
        ids=table.ids,
        id_column=table.id_column,
        array=table.array,
    )
