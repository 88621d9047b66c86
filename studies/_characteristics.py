"""The tables of data sets in the papers: objects, features and classes, printed beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from studies._cells import Note, in_part, note
from studies._store import Store
from studies._table import markdown


class Printed(NamedTuple):
    """What a paper prints of a data set; `sizes` only if it prints the objects of each class."""

    n: int
    d: int
    k: int
    sizes: str = "–"


def keep(store: Store, name: str, read: Callable[[], tuple[np.ndarray, np.ndarray]]) -> None:
    """Keep the characteristics of a data set as the study uses it."""
    store.get(("data", name), lambda: described(*read()))


def described(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Number of objects and features, and the objects of each class; -1 is background."""
    sizes = dict(zip(*(part.tolist() for part in np.unique(y, return_counts=True)), strict=True))
    background = sizes.pop(-1, 0)
    return {
        "n": len(y),
        "d": X.shape[1],
        "sizes": list(sizes.values()),
        "background": background,
    }


def listed(store: Store, table: str, printed: Mapping[str, Printed], lost: int = 0) -> Note:
    """A row for each data set of the paper's table; `lost` ones cannot be had."""
    found = {name: ours for name in printed if (ours := store.known.get(("data", name)))}
    rows = []
    for name, own in printed.items():
        ours = found.get(name)
        pairs = [(str(theirs), "–") for theirs in own]
        if ours is not None:
            values = (ours["n"], ours["d"], len(ours["sizes"]), _sizes(ours))
            pairs = [(str(a), str(b)) for a, b in zip(own, values, strict=True)]
        rows.append([name, *(text for pair in pairs for text in pair)])
    header = ["data"]
    for column in ("n", "d", "k", "class sizes"):
        header += [f"{column}, published", f"{column}, ours"]
    shown = note(table, markdown(header, rows) if found else "")
    return in_part(shown, len(found), len(printed) - lost)


def _sizes(ours: dict[str, Any]) -> str:
    sizes, background = ours["sizes"], ours["background"]
    if len(sizes) > 3 and len(set(sizes)) == 1 and not background:
        return f"{len(sizes)} × {sizes[0]}"
    return "-".join(map(str, sizes)) + (f"-({background})" if background else "")
