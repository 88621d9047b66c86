"""Content of a report as plain data, for the page and for JSON."""

import inspect
import platform
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from consens._labels import MISSING, NOISE
from consens._support.plain import package_versions
from consens._support.progress import announce
from consens._tabular import plain_columns
from consens.choose.splits import SplitTree
from consens.ensemble import Ensemble
from consens.measure import anmi, pairwise_nmi
from consens.partition import lifetimes
from consens.show._answer import alerts, answer, candidates, feature_shares
from consens.show._association import describe_annotations, profile_sheet, take_annotations
from consens.show._fitted import FENCE, Fitted, ShownPartition, colors_over_numbers, read_estimator
from consens.show._layout import lay_out
from consens.show._partition import describe_objects, describe_partition, mean_confidence
from consens.show._plain import cell, rounded, short
from consens.show.choice_display import ChoiceDisplay
from consens.show.map_display import named_features, points, shown_objects
from consens.show.reasons import describe_reasons
from consens.show.resampled_display import ResampledConsensusDisplay
from consens.show.tracking_display import TrackingDisplay

MAX_MEMBERS = 200  # most members that are compared and listed
MAX_FACT = 2000  # most characters of a fact, such as the notes on a table

#: Most clusters with a profile, and most cells of a sparse table that is profiled.
MAX_PROFILED = 30
MAX_DENSE = 20_000_000

#: Measures of each number of clusters, and the columns of `Choice.table` with them.
MEASURED = {
    "score": "score",
    "lifetime_single": "lifetime",
    "lifetime_average": "lifetime_average",
    "eigengap": "eigengap",
    "n_votes": "n_votes",
    "bootstrap": "bootstrap_mean",
    "spread": "bootstrap_std",
    "delta_area": "delta_area",
    "pac": "pac",
}


@dataclass
class Contents:
    """Content of a report: the data and the plots."""

    summary: dict[str, Any]
    displays: dict[str, Any] = field(default_factory=dict)


def gather(
    estimator: Any,
    X: Any = None,
    *,
    feature_names: Sequence[Any] | None = None,
    ids: Sequence[Any] | None = None,
    n_clusters: Iterable[int] | None = None,
    title: str | None = None,
    facts: Mapping[str, Any] | None = None,
    layout: Any = "auto",
    per_k: bool = False,
    annotate: Any = None,
    table: Any = None,
) -> Contents:
    """Compute the content of a report, for the page and for JSON."""
    fitted = read_estimator(estimator)
    n, n_members = fitted.ensemble.shape
    annotations, X = take_annotations(annotate, X, n)
    if X is None:
        X = fitted.ensemble.payload[0].get("features")
    table = X if table is None else table
    X, given = named_features(X, feature_names)
    if X is not None and X.shape[0] != n:
        raise ValueError(f"X has {X.shape[0]} rows, but {n} objects were clustered")
    names = _feature_names(fitted, X, given)
    name_of = _namer(fitted, X, ids)
    dates: Collection[str] = ()
    if isinstance(table, pd.DataFrame):
        others = table.select_dtypes(exclude=["number", "bool"])
        dates = plain_columns(others.rename(columns=str), ask=False)[2]
    numbers = fitted.numbers(n_clusters)
    steps = 2 * len(numbers) + 3
    partitions: dict[int, ShownPartition] = {}
    for done, k in enumerate(numbers):
        announce("report", done, steps)
        partitions |= fitted.partitions([k])
    announce("report", len(numbers), steps)
    labels = {k: partition.labels for k, partition in partitions.items()}
    colors = colors_over_numbers(labels, fitted.n_clusters)

    displays = _displays(fitted, partitions)
    if per_k:
        if X is None:
            raise ValueError("per_k=True resamples the objects, which needs the features: pass X")
        displays["per_k"] = ResampledConsensusDisplay.compute(fitted, X, random_state=0)
    rows = _rows_over_numbers(fitted, partitions, displays)
    described: list[dict[str, Any]] = []
    for k, partition in partitions.items():
        announce("report", len(numbers) + 1 + len(described), steps)
        finer = {more: partitions[more] for more in sorted(partitions) if k < more <= k + 5}
        described.append(
            describe_partition(fitted, partition, colors[k], X, names, name_of, finer, dates)
        )
    announce("report", steps - 2, steps)
    objects = shown_objects(n)
    chosen = next(d for d in described if d["n_clusters"] == fitted.n_clusters)
    for cluster, name in zip(
        chosen["clusters"], getattr(fitted.consensus, "names_", ()), strict=False
    ):
        cluster["name"] = cluster["name"] if name == str(cluster["label"]) else short(name)
    members = _summarise_members(fitted)
    sparse = hasattr(table, "toarray") and np.prod(table.shape) > MAX_DENSE
    if sparse or not 2 <= fitted.n_clusters <= MAX_PROFILED:
        table = None
    within = getattr(fitted.model, "within_", None)
    splits = _splits(fitted, objects)
    first = answer(fitted, chosen, rows, splits)
    shares = feature_shares(X, fitted.labels, names)
    cautions = alerts(first, chosen, members["agreement"]["mean"], shares, splits)
    summary = {
        "format": "consens report",
        "version": 1,
        "title": title or "Consensus clustering",
        "data": {
            "n_objects": n,
            "n_features": None if X is None else int(X.shape[1]),
            "n_members": n_members,
            "within": within and {"cluster": short(within.name), "of": within.n_objects},
            "share_noise": rounded(float(np.mean(fitted.ensemble.labels == NOISE))),
            "share_missing": rounded(float(np.mean(fitted.ensemble.labels == MISSING))),
        },
        "answer": first,
        "alerts": [{"section": section, "text": text} for section, text in cautions],
        "candidates": candidates(fitted, partitions, rows),
        "changes": [own._asdict() for own in getattr(fitted.model, "changes_", None) or ()],
        "numbers": rows,
        "per_k": displays["per_k"].summary() if per_k else None,
        "partitions": described,
        "map": points(lay_out(layout, fitted.ensemble, objects, X, names, fitted.labels)),
        "objects": describe_objects(fitted, partitions, objects, name_of),
        "reasons": describe_reasons(
            fitted, partitions[fitted.n_clusters].confidence, table, names, objects
        ),
        "splits": splits,
        "profile": None if table is None else profile_sheet(table, fitted.labels, names),
        "annotations": []
        if annotations is None
        else describe_annotations(annotations, fitted.labels, objects),
        "members": members,
        "done": {
            "facts": {
                str(key): short(value, MAX_FACT) if isinstance(value, str) else cell(value)
                for key, value in (facts or {}).items()
            },
            "stages": _stages(fitted),
            "fence": FENCE,
            "versions": {"python": platform.python_version()}
            | package_versions("numpy", "scipy", "scikit-learn"),
        },
    }
    return Contents(summary, displays)


def _feature_names(fitted: Fitted, X: Any, names: Sequence[Any] | None) -> list[str] | None:
    """Names of the features: as given, as known to the model, or by number."""
    if names is None and fitted.preprocessing is None:
        names = getattr(fitted.model, "feature_names_in_", None)
    if names is not None and X is not None and len(names) != X.shape[1]:
        raise ValueError(f"{len(names)} feature names for {X.shape[1]} features")
    if names is None and X is not None:
        names = [f"feature {j}" for j in range(X.shape[1])]
    return None if names is None else [short(name) for name in names]


def _namer(fitted: Fitted, X: Any, ids: Sequence[Any] | None) -> Callable[[int], str]:
    """Return a function that names objects by id, by the index of a data frame, or by number."""
    n = len(fitted.ensemble)
    names: Any = fitted.ensemble.obs if ids is None else ids
    if names is None and hasattr(X, "iloc"):
        names = X.index
    if names is None:
        return str
    if len(names) != n:
        raise ValueError(f"{len(names)} ids for {n} objects")
    return lambda i: short(names[i])


def _displays(fitted: Fitted, partitions: Mapping[int, ShownPartition]) -> dict[str, Any]:
    """Compute the plots that do not depend on the k shown, without drawing them."""
    displays: dict[str, Any] = {}
    if fitted.choice is not None:
        displays["choice"] = ChoiceDisplay(fitted.choice)
    if len(partitions) > 1:
        displays["tracking"] = TrackingDisplay.of_partitions(partitions, fitted.n_clusters)
    return displays


def _rows_over_numbers(
    fitted: Fitted, partitions: Mapping[int, ShownPartition], displays: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Collect the measures of each number of clusters; None if not measured."""
    lives = None
    if fitted.linkage is not None and fitted.choice is None:
        lives = lifetimes(fitted.linkage)
    table = pd.DataFrame() if fitted.choice is None else fitted.choice.table
    rows = []
    for k, partition in partitions.items():
        row: dict[str, Any] = {
            "n_clusters": k,
            "confidence": mean_confidence(partition),
            "n_fence": int(partition.borderline.sum()),
            "smallest": int(partition.sizes.min()),
            "agreement": rounded(anmi(partition.labels, fitted.ensemble)),
            "lifetime": None if lives is None else rounded(lives[k - 1]),
        }
        for name, column in MEASURED.items():
            known = column in table and k in table.index
            row[name] = rounded(table.loc[k, column], 5) if known else None
        if k == 1:
            row["score"] = None  # the largest for k >= 2 decides
        if "per_k" in displays:  # its table has other values of these
            row["delta_area"] = row["pac"] = None
        rows.append(row)
    return rows


def _summarise_members(fitted: Fitted) -> dict[str, Any]:
    """Summarise the members and their agreement with the consensus."""
    ensemble = fitted.ensemble
    n_members = ensemble.shape[1]
    numbers = ensemble.n_clusters
    some = np.unique(np.linspace(0, n_members - 1, min(n_members, MAX_MEMBERS)).astype(int))
    nmi = pairwise_nmi(Ensemble(np.column_stack([ensemble.labels[:, some], fitted.labels])))
    agreement, between = nmi[:-1, -1], nmi[:-1, :-1][np.triu_indices(len(some), k=1)]
    records = [ensemble.records[m] for m in some]
    order = np.argsort(-agreement, kind="stable").tolist()
    listed = [
        {
            "member": int(some[i]),
            "named": bool(records[i].get("name")),
            "name": short(records[i].get("name") or records[i].get("algorithm") or ""),
            "n_clusters": int(numbers[some[i]]),
            "agreement": rounded(agreement[i], 3),
        }
        for i in order
    ]
    annotators = getattr(fitted.consensus, "annotators_", None)
    recipes = getattr(fitted.model or fitted.consensus, "recipes_", None)
    return {
        "n": n_members,
        "fewest": int(numbers.min()),
        "most": int(numbers.max()),
        "algorithms": sorted({short(r.get("algorithm", "")) for r in ensemble.records} - {""}),
        "mutual": rounded(between.mean(), 3) if len(between) else 1.0,
        "agreement": {
            "lowest": rounded(agreement.min(), 3),
            "mean": rounded(anmi(fitted.labels, ensemble)),
            "highest": rounded(agreement.max(), 3),
        },
        "listed": listed,
        "annotators": None if annotators is None else annotators.to_dict(),
        "recipes": [own._asdict() for own in recipes or ()],
        "boundaries": getattr(fitted.model, "boundaries_", None),
    }


def _stages(fitted: Fitted) -> list[dict[str, Any]]:
    """List the fitted estimators of all stages with their parameters."""
    model = fitted.model
    stages = [
        ("features", step)
        for _, step in getattr(fitted.preprocessing, "steps", [])
        if step is not None
    ]
    if model is not None:
        stages += [("members", model.generator_)]
        stages += [("selection", model.selector_)] if model.selector_ is not None else []
    stages += [("consensus", fitted.consensus)]
    return [
        {
            "role": role,
            "name": type(stage).__name__,
            "idea": (inspect.getdoc(type(stage)) or "").partition("\n\n")[0].replace("\n", " "),
            "parameters": {
                name: cell(value)
                for name, value in getattr(stage, "get_params", dict)().items()
                if not hasattr(value, "get_params")
            },
        }
        for role, stage in stages
    ]


def _splits(fitted: Fitted, objects: np.ndarray) -> dict[str, Any] | None:
    """Describe the tree of a model: its nodes, and the leaf of each object of the map."""
    tree: SplitTree | None = getattr(fitted.model, "tree_", None)
    if tree is None:
        return None
    leaf = np.full(len(fitted.labels), -1)
    for number, node in enumerate(tree.leaves):
        leaf[node.rows] = number
    return {
        "n_clusters": tree.n_clusters,
        "n_tested": tree.size,
        "root": _split_node(tree, fitted.labels, 0),
        "leaves": leaf[objects].tolist(),
    }


def _split_node(node: SplitTree, labels: np.ndarray, first: int) -> dict[str, Any]:
    inside = labels[node.rows]
    counts = np.bincount(inside[inside >= 0])
    children: list[dict[str, Any]] = []
    for child in node.children:
        children.append(_split_node(child, labels, children[-1]["end"] if children else first))
    return {
        "size": node.size,
        "first": first,
        "end": children[-1]["end"] if children else first + 1,
        "clusters": [[int(c), int(counts[c])] for c in np.flatnonzero(counts)],
        "split": bool(children),
        "p": None if node.p is None else rounded(node.p, 6),
        "connection": None if node.connection is None else rounded(node.connection),
        "stability": None if node.stability is None else rounded(node.stability),
        "reason": node.reason,
        "children": children,
    }
