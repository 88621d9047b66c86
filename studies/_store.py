"""What studies measured, kept line by line so that an interrupted study goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studies._run import say

Key = tuple[str | int, ...]
Values = dict[str, list[float]]


class Store:
    """Values by key, kept in ``<folder>/<name>.jsonl`` if a folder is given."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self.file = None if folder is None else folder / f"{name}.jsonl"
        self.known: dict[Key, Any] = {}
        self.torn = ""  # what ends a line that a killed run left without its end
        if self.file is not None and self.file.exists():
            text = self.file.read_text(encoding="utf-8")
            self.torn = "" if text.endswith("\n") else "\n"
            for line in text.splitlines():
                try:
                    key, value = json.loads(line)
                except ValueError:
                    continue
                self.known[tuple(key)] = value

    def get(self, key: Key, measure: Callable[[], Any]) -> Any:
        """The value of a key, measured if it is not known yet."""
        if key not in self.known:
            self.known[key] = measure()
            if self.file is not None:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                with self.file.open("a", encoding="utf-8") as out:
                    out.write(f"{self.torn}{json.dumps([key, self.known[key]])}\n")
                self.torn = ""
            say(" ".join(map(str, key)))
        return self.known[key]

    def values(self, *key: str) -> Values:
        """Values of each column over all known runs: keys that end with the number of a run."""
        known = sorted(k for k in self.known if k[:-1] == key and isinstance(k[-1], int))
        every = [self.known[k] for k in known]
        columns = dict.fromkeys(column for run in every for column in run)
        return {column: [run[column] for run in every if column in run] for column in columns}
