"""Description of one partition for the report: clusters, features and borderline objects."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from consens._naming import shared_names, votes_by_name
from consens._tabular import day_text
from consens.ensemble import Ensemble
from consens.evidence.coassociation import group_coassociation
from consens.measure import contrast, object_association
from consens.show._answer import hints
from consens.show._fitted import Fitted, ShownPartition
from consens.show._plain import joined, readable, rounded, sentence, short, significant
from consens.show.matrix_display import block_rows, object_order

MAX_FENCE = 40
MAX_LISTED = 200
N_FEATURES = 8

#: Features in the sentence about a cluster, and the least difference that is worth mentioning.
N_WORDS = 3
TELLING = 0.3

#: How small and large values of each kind of feature are called.
ENDS = {"day": ("early", "late"), "share": ("low", "high"), "number": ("low", "high")}
N_TYPICAL = 3
REPORT_BLOCKS = 64

MAX_CONTRASTS = 50_000_000  # features are not compared if clusters times features exceed this


def describe_partition(
    fitted: Fitted,
    partition: ShownPartition,
    colors: np.ndarray,
    X: Any,
    names: list[str] | None,
    name_of: Callable[[int], str],
    finer: Mapping[int, ShownPartition],
    dates: Collection[str] = (),
) -> dict[str, Any]:
    """Describe a partition: its clusters, a coarse consensus matrix, and borderline objects."""
    k, sizes = partition.n_clusters, partition.sizes
    listed = sorted(np.argsort(-sizes, kind="stable")[:MAX_LISTED].tolist())
    between = group_coassociation(fitted.ensemble, partition.labels) if k <= MAX_LISTED else None
    features = _distinctive_features(X, partition, names, dates)
    means, stability = partition.cluster_confidence, partition.stability
    clusters = []
    for c in listed:
        own = np.flatnonzero(partition.labels == c)
        confidence = partition.confidence[own]
        clearest = own[np.argsort(-confidence, kind="stable")[:N_TYPICAL]]
        cluster: dict[str, Any] = {
            "label": c,
            "color": int(colors[c]),
            "size": int(sizes[c]),
            "confidence": rounded(means[c]) if k > 1 else None,
            "stability": rounded(stability.clusters[c]) if stability is not None else None,
            "verdict": stability.words[c] if stability is not None else "",
            "profile": [rounded(v, 3) for v in np.quantile(confidence, np.linspace(1, 0, 21))],
            "n_fence": int(partition.borderline[own].sum()),
            "typical": [name_of(int(i)) for i in clearest],
            "features": features(c),
        }
        cluster["name"], named = most_used_name(fitted.ensemble, own)
        cluster["words"] = " ".join(filter(None, [named, in_words(cluster["features"])]))
        if between is not None and k > 1:
            nearest = _nearest_other(between[c], c)
            cluster["cohesion"] = rounded(between[c, c], 3)
            cluster["nearest"] = {"label": nearest, "association": rounded(between[c, nearest], 3)}
        clusters.append(cluster)
    inside = partition.labels >= 0
    return {
        "n_clusters": k,
        "confidence": mean_confidence(partition),
        "stability": _stability(partition),
        "n_unclustered": int((~inside).sum()),
        "n_not_listed": k - len(listed),
        "clusters": clusters,
        "hints": hints(fitted, partition, finer),
        "fence": _fence(fitted, partition, name_of),
        "matrix": _matrix(fitted, partition),
    }


def _nearest_other(association: np.ndarray, own: int) -> int:
    """Cluster with the largest association, other than the object's or cluster's own."""
    others = association.copy()
    others[own] = -1.0
    return int(others.argmax())


def mean_confidence(partition: ShownPartition) -> float | None:
    """Mean confidence of the clustered objects; None for a single cluster."""
    if partition.n_clusters < 2:
        return None
    return rounded(partition.confidence[partition.labels >= 0].mean())


def _stability(partition: ShownPartition) -> dict[str, Any] | None:
    """Expected adjusted Rand index with a refit, and its range."""
    found = partition.stability
    if found is None or partition.n_clusters < 2:
        return None
    low, high = found.interval
    return {"ari": rounded(found.ari), "low": rounded(low), "high": rounded(high)}


def _distinctive_features(
    X: Any, partition: ShownPartition, names: list[str] | None, dates: Collection[str]
) -> Callable[[int], list[dict[str, Any]]]:
    """Return a function that lists the features in which a cluster differs most from the rest."""
    if X is None or names is None or partition.n_clusters * len(names) > MAX_CONTRASTS:
        return lambda c: []
    means, others, differences = contrast(X, partition.labels)

    def of(c: int) -> list[dict[str, Any]]:
        order = np.argsort(-np.abs(differences[c]), kind="stable")[:N_FEATURES]
        own = partition.labels == c
        # the mean of a feature that is 0 or 1 is a share
        binary = {j: np.isin(_column(X, j), (0, 1)).all() for j in order.tolist()}
        kinds = {j: "share" if binary[j] else "number" for j in binary}
        kinds |= {j: "day" for j in kinds if names[j] in dates}
        return [
            {
                "name": names[j],
                "kind": kinds[j],
                "difference": rounded(differences[c, j], 3),
                "mean": _in_brief(means[c, j], kinds[j]),
                "others": _in_brief(others[c, j], kinds[j]),
                "range": quantiles(X, j, kinds[j]),
                "own": quantiles(X, j, kinds[j], own),
            }
            for j in order.tolist()
            if differences[c, j] != 0
        ]

    return of


def _in_brief(value: float, kind: str) -> float:
    return round(float(value)) if kind == "day" else significant(value)


def quantiles(X: Any, j: int, kind: str, rows: np.ndarray | None = None) -> list[float]:
    """The 5, 25, 50, 75 and 95 % quantiles of a feature, over all or some rows."""
    column = _column(X, j) if rows is None else _column(X, j)[rows]
    found = np.nanquantile(column, (0.05, 0.25, 0.5, 0.75, 0.95))
    return [_in_brief(value, kind) for value in found]


def _column(X: Any, j: int) -> np.ndarray:
    column = X.iloc[:, j].to_numpy() if hasattr(X, "iloc") else X[:, [j]]
    column = column.toarray() if hasattr(column, "toarray") else np.asarray(column)
    return column.ravel()


def in_words(features: list[dict[str, Any]]) -> str:
    """Describe a cluster by its three most distinctive features."""
    formats = {"day": day_text, "share": "{:.0%}".format, "number": readable}
    parts = [
        f"{ENDS[f['kind']][f['difference'] > 0]} {f['name']} ({formats[f['kind']](f['mean'])}, "
        f"others {formats[f['kind']](f['others'])})"
        for f in features[:N_WORDS]
        if abs(f["difference"]) >= TELLING
    ]
    if not parts:
        return "Hardly differs from the rest." if features else ""
    return sentence(joined(parts))


def most_used_name(ensemble: Ensemble, own: np.ndarray) -> tuple[str, str]:
    """Most frequent label of a cluster's objects, if members share their names, and its share."""
    labels = np.full(len(ensemble), -1)
    labels[own] = 0
    votes = votes_by_name(ensemble, labels, 1)[0]
    if not votes.any():
        return "", ""
    name = short(shared_names(ensemble)[votes.argmax()])
    return name, f"{votes.max() / votes.sum():.0%} of its labels are {name}."


def _fence(
    fitted: Fitted, partition: ShownPartition, name_of: Callable[[int], str]
) -> dict[str, Any]:
    """List the borderline objects, the least certain first."""
    labels, confidence = partition.labels, partition.confidence
    on_fence = np.flatnonzero(partition.borderline)
    first = on_fence[np.argsort(confidence[on_fence], kind="stable")[:MAX_FENCE]]
    towards: Any = object_association(fitted.ensemble, labels, first) if len(first) else []
    found = []
    for i, own, mean in zip(first.tolist(), labels[first].tolist(), towards, strict=True):
        sure = rounded(confidence[i], 3)
        other = _nearest_other(mean, own)
        found.append({"id": name_of(i), "label": own, "other": other, "confidence": sure})
    return {"n": len(on_fence), "objects": found}


def _matrix(fitted: Fitted, partition: ShownPartition) -> dict[str, Any] | None:
    """Consensus matrix in blocks of objects, in percent."""
    if partition.n_clusters > REPORT_BLOCKS:
        return None
    order = object_order(
        fitted.ensemble, partition.labels, fitted.linkage, partition.confidence, large=500
    )
    values, labels, sizes = block_rows(fitted.ensemble, partition.labels, order, REPORT_BLOCKS)
    return {
        "labels": labels.tolist(),
        "sizes": sizes.tolist(),
        "percent": np.rint(100 * values).astype(int).tolist(),
    }


def describe_objects(
    fitted: Fitted,
    partitions: Mapping[int, ShownPartition],
    objects: np.ndarray,
    name_of: Callable[[int], str],
) -> dict[str, Any]:
    """Cluster, confidence and runner-up of each object, for every number of clusters."""
    found: dict[str, Any] = {"ids": [name_of(i) for i in objects.tolist()]}
    for name in ("labels", "confidence", "runner_up"):
        found[name] = []
    for k, partition in partitions.items():
        labels = partition.labels[objects]
        found["labels"].append(labels.tolist())
        found["confidence"].append(np.round(partition.confidence[objects], 3).tolist())
        second = np.full(len(objects), -1)
        if k > 1:
            mean = object_association(fitted.ensemble, partition.labels, objects)
            inside = np.flatnonzero(labels >= 0)
            mean[inside, labels[inside]] = -1.0
            second = np.where(mean.max(axis=1) > 0, mean.argmax(axis=1), -1)
        found["runner_up"].append(second.tolist())
    return found
