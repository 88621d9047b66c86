"""The result in sentences: how many clusters, how certain, why, and what speaks against it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from consens._labels import contingency
from consens.choose.choice import MAX_CANDIDATES
from consens.consensus import EAC
from consens.evidence.coassociation import group_coassociation
from consens.show._association import share_between
from consens.show._fitted import Fitted, ShownPartition
from consens.show._plain import joined, sentence, short

#: How a tree can choose the number of clusters.
LIFETIME = "longest lifetime"

#: The number of clusters of the members, for communities of a graph.
MEDIAN = "median of the members"

#: Advice for a single cluster.
NEXT_STEP = (
    "If the map still shows groups, set the number of clusters (n_clusters=2), scale the "
    "features, drop features without structure, or combine other clusterings: "
    "consens.generate.SpectralEnsemble for shapes that are not round, EstimatorEnsemble with "
    "HDBSCAN for groups in noise. Otherwise, report that the data have no clusters."
)

#: Two groups are separate if the co-association between them, relative to that inside the looser
#: one, is below this.  Halves of a cluster without structure have 0.5 or more, clusters that
#: touch 0.3 to 0.5.
APART = 0.3

GROUP = 0.1  # smallest share of a cluster that counts as a group inside it

MAX_HINTS = 4

#: Mean NMI of the members with the consensus below which they hardly support it.
LEAST_AGREEMENT = 0.3

#: Largest unremarkable shares of borderline objects, and of objects in no cluster.
MOST_BORDERLINE = 0.1
MOST_UNCLUSTERED = 0.2

FEWEST_OBJECTS = 5  # clusters with fewer objects than this are mentioned

#: A feature dominates if this share of its variance is between clusters, and of no other feature
#: more than the second share.
DOMINANT = 0.8
SECOND = 0.25


def answer(
    fitted: Fitted,
    chosen: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    splits: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Collect the content of the first screen: how many clusters, how certain, and why."""
    n = len(fitted.ensemble) - chosen["n_unclustered"]
    choice = how_chosen(fitted.consensus, fitted.choice)
    stability = chosen["stability"]
    support = None if fitted.choice is None else fitted.choice.agreement
    return {
        "n_clusters": chosen["n_clusters"],
        "choice": choice,
        "confidence": chosen["confidence"],
        "stability": stability,
        "certainty": verdict(
            chosen["n_clusters"],
            None if stability is None else stability["ari"],
            support,
            hints=bool(chosen["hints"]),
            split=None if splits is None else splits["n_clusters"] > 1,
        ),
        "n_clustered": n,
        "n_fence": chosen["fence"]["n"],
        "hints": chosen["hints"],
        "next_step": NEXT_STEP if chosen["n_clusters"] == 1 else "",
        "why": why_sentences(fitted, choice, rows),
        "votes": {} if fitted.choice is None else fitted.choice.votes,
    }


def how_chosen(consensus: Any, choice: Any = None) -> str:
    """Say in a word or two how a fitted consensus got its number of clusters."""
    if choice is not None:
        return "chosen"
    if getattr(consensus, "from_members_", False):
        return MEDIAN
    if consensus.get_params().get("n_clusters") is not None:
        return "given"
    if type(consensus) is EAC:  # a class made from it may choose in another way
        return LIFETIME
    return f"chosen by {type(consensus).__name__}"


#: Expected adjusted Rand index with a refit that each word needs at least.
WORDS = ((0.95, "very clear"), (0.85, "clear"), (0.7, "fairly clear"))


def verdict(
    n_clusters: int,
    expected_ari: float | None,
    support: float | None,
    *,
    hints: bool,
    split: bool | None = None,
) -> str:
    """Headline of a result: a function of its stability and of the evidence for its number.

    `support` is the share of the criteria that would choose this number on their own, None if it
    was given; `split` is whether the test of splits finds more than one cluster.

    "no structure" for one cluster; otherwise `WORDS` by the expected ARI, and "unclear" below.  A
    number that no criterion chooses is "unclear", one that fewer than half of them choose at most
    "fairly clear", and a result with hints at most "clear".  Clusters between which the test finds
    no split are at most "fairly clear", and a single cluster that it splits is "unclear".
    """
    if n_clusters == 1:
        return "unclear" if split else "no structure"
    if expected_ari is None or support == 0:
        return "unclear"
    few = support is not None and support < 0.5
    best = 2 if few or split is False else 1 if hints else 0
    return next((word for least, word in WORDS[best:] if expected_ari >= least), "unclear")


def why_sentences(fitted: Fitted, choice: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Explain the number of clusters in sentences, the decisive one first."""
    k = fitted.n_clusters
    row = next(row for row in rows if row["n_clusters"] == k)
    sentences = []
    if fitted.choice is not None:
        sentences.append(sentence(fitted.choice.rule))
        if fitted.choice.votes:
            counted = Counter(fitted.choice.votes.values())
            text = f"On their own, {counted[k]} of {counted.total()} criteria would choose {k}"
            rivals = [f"{n} would choose {other}" for other, n in counted.most_common()]
            own = f"{counted[k]} would choose {k}"
            sentences.append(", ".join([text, *(r for r in rivals if r != own)]) + ".")
    elif choice == "given":
        sentences.append(f"The number of clusters was set to {k}.")
    elif choice == MEDIAN:
        sentences.append(f"k = {k} is the median of the numbers of clusters of the members.")
    elif choice == LIFETIME:
        lives = fitted.consensus.lifetimes_
        text = f"k = {k} has the longest lifetime in the tree ({lives[k - 1]:.2f})"
        if len(lives) > 1:
            others = np.array(lives)
            others[k - 1] = -1.0
            text += f", followed by k = {others.argmax() + 1} ({others.max():.2f})"
        sentences.append(text + ".")
    else:
        sentences.append(f"The number was {choice}.")
    near = [r for r in rows if r["n_clusters"] > 1 and abs(r["n_clusters"] - k) <= 1]
    if len(near) > 1:
        each = {r["n_clusters"]: f"{r['confidence']:.2f} for {r['n_clusters']}" for r in near}
        refits = getattr(fitted.consensus, "_refits", None)
        if getattr(refits, "samples", None) is None:
            sentences.append(f"The mean confidence is {joined([*each.values()])}.")
        else:  # which no other number has
            text = f"The mean confidence is {each.pop(k)}; resampled members give "
            sentences.append(f"{text}{joined([*each.values()])}.")
    if k > 1:
        sentences.append(
            f"The mean NMI of the consensus with the members is {row['agreement']:.2f}."
        )
    return sentences


def hints(
    fitted: Fitted, partition: ShownPartition, finer: Mapping[int, ShownPartition]
) -> list[str]:
    """Point out clusters that may be two groups, and pairs of clusters that may be one."""
    k = partition.n_clusters
    if k > 60:
        return []
    found = []
    for c in range(k):
        groups, number = _two_groups(partition.labels == c, finer)
        if groups is None:
            continue
        ratio = _relative_association(group_coassociation(fitted.ensemble, groups), 0, 1)
        if ratio < APART:
            first, second = np.bincount(groups[groups >= 0]).tolist()
            text = (
                f"Cluster {c} may be two groups of {first:,} and {second:,} objects, as in the "
                f"partition into {number} clusters: objects of different groups are together "
                f"{ratio:.0%} as often as objects of the same group."
            )
            found.append((ratio, text))
    between = group_coassociation(fitted.ensemble, partition.labels)
    for c, d in combinations(range(k), 2):
        ratio = _relative_association(between, c, d)
        if ratio > APART:
            text = (
                f"Clusters {c} and {d} are hardly separated: their objects are together "
                f"{ratio:.0%} as often as objects of the same cluster."
            )
            found.append((1 - ratio, text))
    return [text for _, text in sorted(found)[:MAX_HINTS]]


def _relative_association(between: np.ndarray, c: int, d: int) -> float:
    """Co-association between two groups, relative to that inside the looser one."""
    inside = min(between[c, c], between[d, d])
    return float(between[c, d] / inside) if inside > 0 else 0.0


def _two_groups(
    own: np.ndarray, finer: Mapping[int, ShownPartition]
) -> tuple[np.ndarray | None, int]:
    """Label the two largest parts into which a cluster first splits with 0 and 1."""
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
    """List the chosen number of clusters and its rivals, and what each rival would change."""
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
    """Say which clusters another partition merges or splits."""
    shared = contingency(chosen.labels, other.labels).toarray()
    parts = shared >= np.maximum(GROUP * shared.sum(axis=1), 1)[:, None]
    split = []
    for c in np.flatnonzero(parts.sum(axis=1) > 1).tolist():
        sizes = sorted(shared[c][parts[c]].tolist(), reverse=True)
        split.append(f"splits cluster {c} into {joined([f'{size:,}' for size in sizes])}")
    home = shared.argmax(axis=1)
    merged = [
        f"merges clusters {joined([str(c) for c in np.flatnonzero(home == d)])}"
        for d in np.flatnonzero(np.bincount(home, minlength=1) > 1)
    ]
    said = (merged if other.n_clusters < chosen.n_clusters else split) or merged or split
    text = "; ".join(said[:3]) + ("; and more" if len(said) > 3 else "")
    return sentence(text or "only a few objects change cluster")


def alerts(
    answer: Mapping[str, Any],
    chosen: Mapping[str, Any],
    agreement: float,
    shares: Mapping[str, float],
    splits: Mapping[str, Any] | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield what speaks for caution, each with the section of the page that shows it first."""
    k = answer["n_clusters"]
    if k > 1 and agreement < LEAST_AGREEMENT:
        text = (
            f"Few clusterings agree with the result: their mean NMI with it is {agreement:.2f} "
            f"(below {LEAST_AGREEMENT})."
        )
        yield "members", text
    share = answer["n_fence"] / max(answer["n_clustered"], 1)
    if k > 1 and share > MOST_BORDERLINE:
        text = (
            f"{share:.0%} of the objects are borderline (more than {MOST_BORDERLINE:.0%}): the "
            "clusterings disagree about their cluster."
        )
        yield "fence", text
    votes = Counter(answer.get("votes", {}).values())
    if votes and 2 * votes[k] < votes.total():
        rivals = [f"{n} choose {other}" for other, n in votes.most_common() if other != k]
        text = (
            f"The number of clusters is unclear: {votes[k]} of {votes.total()} criteria choose "
            f"{k}, {joined(rivals)}."
        )
        yield "why", text
    if splits is not None and (k > 1) != (splits["n_clusters"] > 1):
        text = (
            "The test of splits finds no two parts that are less connected than those of data "
            "without clusters."
            if k > 1
            else f"The test of splits finds {splits['n_clusters']} clusters, the consensus one."
        )
        yield "splits", text
    small = [c for c in chosen["clusters"] if c["size"] < FEWEST_OBJECTS]
    if small:
        names = joined([f"{c['label']} ({c['size']})" for c in small[:8]])
        more = f" and {len(small) - 8} more" if len(small) > 8 else ""
        text = (
            f"Clusters with fewer than {FEWEST_OBJECTS} objects: {names}{more}. They may be "
            "outliers."
        )
        yield "clusters", text
    order = sorted(shares, key=lambda name: -shares[name])
    if k > 1 and len(order) > 1 and shares[order[0]] > DOMINANT and shares[order[1]] <= SECOND:
        text = (
            f"One feature dominates: {shares[order[0]]:.0%} of the variance of "
            f"{short(order[0], 60)} is between the clusters, of every other feature at most "
            f"{shares[order[1]]:.0%}. Check its unit and scaling."
        )
        yield "details", text
    n = answer["n_clustered"] + chosen["n_unclustered"]
    if chosen["n_unclustered"] > MOST_UNCLUSTERED * n:
        text = (
            f"{chosen['n_unclustered'] / n:.0%} of the objects are in no cluster (more than "
            f"{MOST_UNCLUSTERED:.0%})."
        )
        yield "clusters", text


def feature_shares(X: Any, labels: np.ndarray, names: list[str] | None) -> dict[str, float]:
    """Share of the variance of each feature that is between clusters; empty if X is sparse."""
    if X is None or names is None or hasattr(X, "toarray"):
        return {}
    values = np.asarray(X, dtype=np.float64)
    return {name: share_between(values[:, j], labels) for j, name in enumerate(names)}
