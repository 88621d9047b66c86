"""Published runs of the leaderboard: a line for each case, and one for each method on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studies._store import Key

#: Figures of a run, and how they are rounded: to digits after the point, or significant digits.
ROUNDED = {"nmi": ".4f", "ari": ".4f", "f": ".4f", "cpu": ".3g", "mb": ".0f"}


def load(path: Path) -> tuple[dict[Key, Any], dict[str, int]]:
    """Runs and failures by case, method and draw, and the number of objects of each case."""
    known: dict[Key, Any] = {}
    sizes: dict[str, int] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        case, *rest = json.loads(line)
        if len(rest) == 1:
            sizes[case] = rest[0]
            continue
        method, found = rest
        if "failed" in found:
            known[case, method, "failed"] = found.pop("failed")
        for draw, values in enumerate(zip(*found.values(), strict=True)):
            known[case, method, draw] = dict(zip(found, values, strict=True))
    return known, sizes


def save(path: Path, known: Mapping[Key, Any], sizes: Mapping[str, int]) -> None:
    """Write the runs of these cases, from the first draw to the last before one is missing."""
    methods = sorted({str(method) for _, method, _ in known}, key=str.lower)
    lines: list[list[Any]] = []
    for case, n in sizes.items():
        lines.append([case, n])
        for method in methods:
            runs: list[Any] = []
            while (case, method, len(runs)) in known:
                runs.append(known[case, method, len(runs)])
            found: dict[str, Any] = {
                figure: [float(format(run[figure], rule)) for run in runs]
                for figure, rule in ROUNDED.items()
                if runs
            }
            if (case, method, "failed") in known:
                found["failed"] = known[case, method, "failed"]
            if found:
                lines.append([case, method, found])
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
