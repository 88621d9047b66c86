"""What the numbers say, in sentences: how many, how sure, why, and what speaks against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from consens.choose import MAX_CANDIDATES
from consens.evidence import group_coassociation
from consens.labels import contingency
from consens.show._fitted import Fitted, ShownPartition

#: What a method's `criterion` for the number of clusters is called.
CHOICES = {"lifetime": "longest lifetime", "bootstrap": "least bootstrap variance"}

#: What to do about a single cluster.
NEXT_STEP = (
    "If the map shows groups all the same, ask for a number (n_clusters=2), bring the features to "
    "comparable scales, leave out features that hold no groups, or let other clusterings vote: "
    "consens.generate.SpectralEnsemble for shapes, EstimatorEnsemble with HDBSCAN for groups in "
    "noise. Without groups, report the data as one."
)

#: Co-association across two groups, as a share of that inside the looser one.  Halves of a
#: cluster without structure have about 0.5 and more, clusters that touch 0.3 to 0.5.
APART = 0.3

#: Share of a cluster that a group inside it has at least.
GROUP = 0.1

MAX_HINTS = 4


def answer(
    fitted: Fitted, chosen: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """How many, how sure, why: for the first screen."""
    n = len(fitted.ensemble) - chosen["n_unclustered"]
    choice = how_chosen(fitted.consensus, fitted.choice)
    return {
        "n_clusters": chosen["n_clusters"],
        "choice": choice,
        "confidence": chosen["confidence"],
        "certainty": _certainty(chosen),
        "n_clustered": n,
        "n_fence": chosen["fence"]["n"],
        "hints": chosen["hints"],
        "next_step": NEXT_STEP if chosen["n_clusters"] == 1 else "",
        "why": why_sentences(fitted, choice, rows),
        "votes": {} if fitted.choice is None else fitted.choice.votes,
    }


def how_chosen(consensus: Any, choice: Any = None) -> str:
    """How a fitted consensus came to its number of clusters, in a word or two.

    `choice` is the `Choice` of the model, if it tried several numbers.
    """
    if choice is not None:
        return "chosen"
    parameters = consensus.get_params()
    if parameters.get("n_clusters") is not None:
        return "given"
    name = type(consensus).__name__
    return CHOICES.get(parameters.get("criterion", ""), f"chosen by {name}")


def _certainty(chosen: Mapping[str, Any]) -> str:
    """The mean confidence in words."""
    if chosen["n_clusters"] == 1:
        return "no structure"
    for least, word in ((0.84, "very clear"), (0.76, "clear"), (0.64, "fairly clear")):
        if chosen["confidence"] >= least and not (word == "very clear" and chosen["hints"]):
            return word
    return "unclear"


def why_sentences(fitted: Fitted, choice: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences that say why it is this number of clusters, the decisive one first."""
    k = fitted.n_clusters
    row = next(row for row in rows if row["n_clusters"] == k)
    sentences = []
    if fitted.choice is not None:
        rule = fitted.choice.rule
        sentences.append(f"{rule[0].upper()}{rule[1:]}.")
        sentences.append(_votes_in_words(fitted.choice.votes, k))
    elif choice == "given":
        sentences.append(f"{k} was asked for.")
    elif choice == CHOICES["lifetime"]:
        lives = fitted.consensus.lifetimes_
        text = (
            f"{_clusters(k)} last longest in the tree: over {lives[k - 1]:.2f} of the thresholds"
        )
        others = np.delete(lives, k - 1)
        if len(others):
            second = int(np.delete(np.arange(1, len(lives) + 1), k - 1)[others.argmax()])
            text += f", the next, {second}, over {others.max():.2f}"
        sentences.append(text + ".")
    elif choice == CHOICES["bootstrap"] and row["spread"] is not None:
        sentences.append(
            f"{_clusters(k)} change least when members are drawn anew: their agreement varies "
            f"by {row['spread']:.3f}."
        )
    else:
        sentences.append(f"The number was {choice}.")
    near = [r for r in rows if r["n_clusters"] > 1 and abs(r["n_clusters"] - k) <= 1]
    if len(near) > 1:
        each = [f"{r['confidence']:.2f} for {r['n_clusters']}" for r in near]
        sentences.append(f"Mean confidence is {', '.join(each[:-1])} and {each[-1]}.")
    if k > 1:
        sentences.append(
            f"The members agree with it by an NMI of {row['agreement']:.2f} on average."
        )
    return sentences


def _votes_in_words(votes: Mapping[str, int], k: int) -> str:
    """Which numbers the single criteria would choose."""
    counted = Counter(votes.values())
    rivals = [f"{n} would choose {other}" for other, n in counted.most_common() if other != k]
    text = f"Alone, {counted[k]} of {counted.total()} criteria would choose {k}"
    return ", ".join([text, *rivals]) + "."


def _clusters(k: int) -> str:
    return f"{k} clusters" if k > 1 else "One cluster"


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
            text = (
                f"Cluster {c} may be two groups, of {first:,} and {second:,} objects, as in "
                f"the partition into {number}: objects of different groups are together "
                f"{ratio:.0%} as often as objects of one."
            )
            found.append((ratio, text))
    between = group_coassociation(fitted.ensemble, partition.labels)
    for c, d in combinations(range(k), 2):
        ratio = _across(between, c, d)
        if ratio > APART:
            text = (
                f"Clusters {c} and {d} are hardly apart: their objects are together "
                f"{ratio:.0%} as often as objects of one cluster."
            )
            found.append((1 - ratio, text))
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
