"""Findings, and how they are reported."""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass, field


@dataclass
class Report:
    """What was tried and what was found, by kind; each finding is told on stderr at once."""

    title: str
    n_trials: int = 0
    outcomes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    findings: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, outcome: str, finding: str | None = None, example: str = "") -> None:
        self.n_trials += 1
        self.outcomes[outcome] += 1
        if finding is not None:
            self.findings[finding].append(example)
            print(f"{finding}\n    {example}", file=sys.stderr, flush=True)

    def show(self) -> int:
        """Print the summary; the number of findings."""
        total = sum(map(len, self.findings.values()))
        print(f"{self.title}: {self.n_trials} trials, {total} findings")
        for outcome, count in sorted(self.outcomes.items(), key=lambda pair: -pair[1]):
            print(f"  {count:6d}  {outcome}")
        for finding, examples in sorted(self.findings.items(), key=lambda pair: -len(pair[1])):
            print(f"\n{len(examples)} x {finding}")
            for example in examples[:3]:
                print(f"    {example}")
        return total
