"""How many, how sure, why: the sentences of the first screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from consens.show._fitted import Fitted

#: What a method's `criterion` for the number of clusters is called.
CHOICES = {"lifetime": "longest lifetime", "bootstrap": "least bootstrap variance"}

#: What to do about a single cluster.
NEXT_STEP = (
    "If the map shows groups all the same, ask for a number (n_clusters=2), bring the features to "
    "comparable scales, leave out features that hold no groups, or let other clusterings vote: "
    "consens.generate.SpectralEnsemble for shapes, EstimatorEnsemble with HDBSCAN for groups in "
    "noise. Without groups, report the data as one."
)


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
