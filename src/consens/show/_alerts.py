"""Alerts at the top of the report: what a reader must know before trusting the clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from consens.show._association import share_between
from consens.show._plain import joined, short

#: Mean NMI of the members with the consensus below which they hardly support it.
LEAST_AGREEMENT = 0.3

#: Largest unremarkable shares of borderline objects, and of objects in no cluster.
MOST_BORDERLINE = 0.1
MOST_UNCLUSTERED = 0.2

#: Clusters with fewer objects than this are mentioned.
FEWEST_OBJECTS = 5

#: A feature dominates if this share of its variance is between clusters, and of no other feature
#: more than the second share.
DOMINANT = 0.8
SECOND = 0.25


def alerts(
    answer: Mapping[str, Any],
    chosen: Mapping[str, Any],
    agreement: float,
    shares: Mapping[str, float],
    splits: Mapping[str, Any] | None = None,
) -> list[dict[str, str]]:
    """List what speaks for caution, each with the section of the page that shows it.

    `answer` and `chosen` are parts of the summary; `agreement` is the mean NMI of the members with
    the consensus; `shares` is the share of the variance of each feature that is between clusters.
    """
    k = answer["n_clusters"]
    found = []
    if k > 1 and agreement < LEAST_AGREEMENT:
        found.append(
            (
                "members",
                f"Few clusterings agree with the result: their mean NMI with it is "
                f"{agreement:.2f} (below {LEAST_AGREEMENT}).",
            )
        )
    share = answer["n_fence"] / max(answer["n_clustered"], 1)
    if k > 1 and share > MOST_BORDERLINE:
        found.append(
            (
                "fence",
                f"{share:.0%} of the objects are borderline (more than {MOST_BORDERLINE:.0%}): "
                "the clusterings disagree about their cluster.",
            )
        )
    votes = Counter(answer.get("votes", {}).values())
    if votes and 2 * votes[k] < votes.total():
        rivals = [f"{n} choose {other}" for other, n in votes.most_common() if other != k]
        found.append(
            (
                "why",
                f"The number of clusters is unclear: {votes[k]} of {votes.total()} criteria "
                f"choose {k}, {joined(rivals)}.",
            )
        )
    if splits is not None and (k > 1) != (splits["n_clusters"] > 1):
        text = (
            "The test of splits finds no two parts that are less connected than those of data "
            "without clusters."
            if k > 1
            else f"The test of splits finds {splits['n_clusters']} clusters, the consensus one."
        )
        found.append(("splits", text))
    small = [c for c in chosen["clusters"] if c["size"] < FEWEST_OBJECTS]
    if small:
        names = joined([f"{c['label']} ({c['size']})" for c in small[:8]])
        more = f" and {len(small) - 8} more" if len(small) > 8 else ""
        found.append(
            (
                "clusters",
                f"Clusters with fewer than {FEWEST_OBJECTS} objects: {names}{more}. They may be "
                "outliers.",
            )
        )
    order = sorted(shares, key=lambda name: -shares[name])
    if k > 1 and len(order) > 1 and shares[order[0]] > DOMINANT and shares[order[1]] <= SECOND:
        found.append(
            (
                "details",
                f"One feature dominates: {shares[order[0]]:.0%} of the variance of "
                f"{short(order[0], 60)} is between the clusters, of every other feature at most "
                f"{shares[order[1]]:.0%}. Check its unit and scaling.",
            )
        )
    n = answer["n_clustered"] + chosen["n_unclustered"]
    if chosen["n_unclustered"] > MOST_UNCLUSTERED * n:
        found.append(
            (
                "clusters",
                f"{chosen['n_unclustered'] / n:.0%} of the objects are in no cluster (more than "
                f"{MOST_UNCLUSTERED:.0%}).",
            )
        )
    return [{"section": section, "text": text} for section, text in found]


def feature_shares(X: Any, labels: np.ndarray, names: list[str] | None) -> dict[str, float]:
    """Share of the variance of each feature that is between clusters; empty if X is sparse."""
    if X is None or names is None or hasattr(X, "toarray"):
        return {}
    values = np.asarray(X, dtype=np.float64)
    return {name: share_between(values[:, j], labels) for j, name in enumerate(names)}
