"""The tables of data sets in the papers: objects, features and classes, printed beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from studies._cells import Note, note
from studies._store import Store
from studies._table import markdown


class Printed(NamedTuple):
    """What a paper prints of a data set; None where it prints nothing."""

    n: int
    d: int | None
    k: int


def keep(store: Store, name: str, read: Callable[[], tuple[np.ndarray, np.ndarray]]) -> None:
    """Keep the characteristics of a data set as the study uses it."""

    def described() -> dict[str, Any]:
        X, y = read()
        sizes = np.unique(y, return_counts=True)[1].tolist()
        return {"n": len(y), "d": X.shape[1], "sizes": sizes}

    store.get(("data", name), described)


def listed(store: Store, table: str, printed: Mapping[str, Printed]) -> Note:
    """A row for each data set of the paper's table; those that cannot be had have no figures."""
    rows = []
    for name, own in printed.items():
        ours = store.known.get(("data", name))
        found = ["–"] * 4
        if ours is not None:
            sizes = ours["sizes"]
            equal = f"{len(sizes)} × {sizes[0]}" if len(set(sizes)) == 1 else None
            found = [str(ours["n"]), str(ours["d"]), str(len(sizes))]
            found.append(equal or ", ".join(map(str, sizes)))
        rows.append([name, str(own.n), "–" if own.d is None else str(own.d), str(own.k), *found])
    header = ["data", "n printed", "d printed", "k printed", "n", "d", "k", "class sizes"]
    measured = any(("data", name) in store.known for name in printed)
    return note(table, markdown(header, rows) if measured else "")
