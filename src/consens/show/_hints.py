"""What else the numbers say: groups inside a cluster, clusters hardly apart, rivals for k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from consens.choose import MAX_CANDIDATES
from consens.evidence import group_coassociation
from consens.labels import contingency
from consens.show._fitted import Fitted, ShownPartition

#: Co-association across two groups, as a share of that inside the looser one.  Halves of a
#: cluster without structure have about 0.5 and more, clusters that touch 0.3 to 0.5.
APART = 0.3

#: Share of a cluster that a group inside it has at least.
GROUP = 0.1

MAX_HINTS = 4


def hints(
    fitted: Fitted, partition: ShownPartition, finer: Mapping[int, ShownPartition]
) -> list[str]:
    """Sentences about clusters that may be two groups, and about clusters hardly apart.

    `finer` are the partitions into more clusters; what splits there may be two groups.
    """
    k = partition.n_clusters
    found = []
    if k > 60:
        return []
    for c in range(k):
        groups, number = _two_groups(partition.labels == c, finer)
        if groups is None:
            continue
        ratio = _across(group_coassociation(fitted.ensemble, groups), 0, 1)
        if ratio < APART:
            first, second = np.bincount(groups[groups >= 0]).tolist()
            found.append(
                (
                    ratio,
                    f"Cluster {c} may be two groups, of {first:,} and {second:,} objects, as in "
                    f"the partition into {number}: objects of different groups are together "
                    f"{ratio:.0%} as often as objects of one.",
                )
            )
    between = group_coassociation(fitted.ensemble, partition.labels)
    for c in range(k):
        for d in range(c + 1, k):
            ratio = _across(between, c, d)
            if ratio > APART:
                found.append(
                    (
                        1 - ratio,
                        f"Clusters {c} and {d} are hardly apart: their objects are together "
                        f"{ratio:.0%} as often as objects of one cluster.",
                    )
                )
    return [text for _, text in sorted(found)[:MAX_HINTS]]


def _across(between: np.ndarray, c: int, d: int) -> float:
    inside = min(between[c, c], between[d, d])
    return float(between[c, d] / inside) if inside > 0 else 0.0


def _two_groups(
    own: np.ndarray, finer: Mapping[int, ShownPartition]
) -> tuple[np.ndarray | None, int]:
    """The two largest parts into which a cluster first splits, 0 and 1 in a label vector."""
    least = max(5, GROUP * own.sum())
    for k, partition in finer.items():
        sizes = np.bincount(np.maximum(partition.labels[own], 0), minlength=k)
        first, second = np.argsort(-sizes, kind="stable")[:2].tolist()
        if sizes[second] >= least:
            groups = np.full(len(own), -1, dtype=np.int32)
            groups[own & (partition.labels == first)] = 0
            groups[own & (partition.labels == second)] = 1
            return groups, k
    return None, 0


def candidates(
    fitted: Fitted, partitions: Mapping[int, ShownPartition], rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The numbers of clusters that compete, the chosen one first, and what each would change."""
    chosen = fitted.n_clusters
    name = "score" if fitted.choice is not None else "lifetime"
    measured = {row["n_clusters"]: row[name] for row in rows if row[name] is not None}
    rivals = sorted((k for k in measured if k not in (1, chosen)), key=lambda k: -measured[k])
    if fitted.choice is not None:
        rivals = [one.n_clusters for one in fitted.choice.candidates if one.n_clusters in rivals]
    found = []
    for k in [chosen, *rivals[: MAX_CANDIDATES - 1]]:
        facts = [] if k not in measured else [f"{name} {measured[k]:.2f}"]
        votes = [] if fitted.choice is None else list(fitted.choice.votes.values())
        if votes:
            facts.append(f"chosen by {votes.count(k)} of {len(votes)} criteria")
        text = "; ".join(facts)
        found.append(
            {
                "n_clusters": k,
                "evidence": text[:1].upper() + text[1:],
                "change": "" if k == chosen else _change(partitions[chosen], partitions[k]),
            }
        )
    return found if len(found) > 1 else []


def _change(chosen: ShownPartition, other: ShownPartition) -> str:
    """What would be merged or split, in words."""
    shared = contingency(chosen.labels, other.labels).toarray()
    parts = shared >= np.maximum(GROUP * shared.sum(axis=1), 1)[:, None]
    split = [
        f"splits cluster {c} into {_listed(sorted(shared[c][parts[c]].tolist(), reverse=True))}"
        for c in np.flatnonzero(parts.sum(axis=1) > 1).tolist()
    ]
    home = shared.argmax(axis=1)
    merged = [
        f"merges clusters {_listed(np.flatnonzero(home == d).tolist())}"
        for d in np.flatnonzero(np.bincount(home, minlength=1) > 1).tolist()
    ]
    said = (merged if other.n_clusters < chosen.n_clusters else split) or merged or split
    text = "; ".join(said[:3]) + ("; and more" if len(said) > 3 else "")
    return f"{text[:1].upper()}{text[1:]}." if text else "Only a few objects change sides."


def _listed(items: list[Any]) -> str:
    words = [f"{item:,}" for item in items]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
