"""Tables of numbers and known classes as arrays, for tests of readers."""

from types import SimpleNamespace

import numpy as np

from consens._labels import compact
from consens.io import read_table
from consens.io.labels import read_truth_table


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


def read_truth(path, **options):
    """Read known classes as numbers."""
    return compact(read_truth_table(path, **options).labels.iloc[:, 0])
