"""What a report says, as plain data: the page and the JSON are made of the same."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from consens.ensemble import Ensemble
from consens.evidence import group_coassociation
from consens.labels import MISSING, NOISE
from consens.measure import anmi, contrast, object_association, stability
from consens.partition import lifetimes
from consens.show._fitted import Fitted, Partition, colors_over_numbers, combiner, read
from consens.show.cdf import ConsensusCDFDisplay
from consens.show.choice import ChoiceDisplay
from consens.show.dendrogram import DendrogramDisplay
from consens.show.matrix import block_rows, object_order
from consens.show.members import MemberMapDisplay
from consens.show.quality import QualityDiversityDisplay
from consens.show.stability import StabilityDisplay
from consens.show.tracking import TrackingDisplay
from consens.show.weights import FeatureWeightsDisplay, weights_of

if TYPE_CHECKING:
    import pandas as pd

#: Below this confidence an object sits on the fence: its own cluster has less than one and a
#: half times the co-association of the next one, a / (a + b) < 0.6.
FENCE = 0.6

#: What a report lists at most, so that its size does not grow with the data.
MAX_FENCE = 40
MAX_CLUSTERS = 200
MAX_MEMBERS = 200
MAX_SEARCHABLE = 5_000
MAX_NAME = 120
N_FEATURES = 8
N_TYPICAL = 3
BLOCKS = 64

#: Objects up to which the stability of a tree is measured, which takes DRAWS trees.
STABILITY_UP_TO = 600
DRAWS = 20

#: Cells of a table of clusters by features up to which features are compared.
MAX_CONTRASTS = 50_000_000

#: What others have measured for each number of clusters, by the names of the report.
MEASURED = (
    "score",
    "lifetime_single",
    "lifetime_average",
    "eigengap",
    "n_votes",
    "stability",
    "spread",
    "delta_area",
    "pac",
)

#: What a method's `criterion` for the number of clusters is called.
CHOICES = {"lifetime": "longest lifetime", "bootstrap": "least bootstrap variance"}


@dataclass
class Contents:
    """What a report shows: the data of the page, and the plots that go with them."""

    summary: dict[str, Any]
    displays: dict[str, Any] = field(default_factory=dict)


def summarise(
    estimator: Any,
    X: Any = None,
    *,
    feature_names: Sequence[Any] | None = None,
    ids: Sequence[Any] | None = None,
    n_clusters: Iterable[int] | None = None,
    title: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything that a report says, as a dictionary that can be written as JSON.

    Parameters
    ----------
    estimator, X, feature_names, ids, n_clusters, title, facts
        As in `consens.report`.

    Returns
    -------
    dict
        Of strings, numbers, lists and dictionaries.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consens import ConsensusClustering
    >>> from consens.show import summarise
    >>> iris = load_iris()
    >>> model = ConsensusClustering(n_clusters=3, random_state=0).fit(iris.data)
    >>> summary = summarise(model, iris.data, feature_names=iris.feature_names)
    >>> summary["answer"]["n_clusters"]
    3
    >>> [cluster["size"] for cluster in summary["partitions"][1]["clusters"]]
    [50, 66, 34]
    >>> summary["partitions"][1]["clusters"][0]["features"][0]["name"]
    'petal length (cm)'
    """
    return gather(
        estimator,
        X,
        feature_names=feature_names,
        ids=ids,
        n_clusters=n_clusters,
        title=title,
        facts=facts,
    ).summary


def gather(
    estimator: Any,
    X: Any = None,
    *,
    feature_names: Sequence[Any] | None = None,
    ids: Sequence[Any] | None = None,
    n_clusters: Iterable[int] | None = None,
    title: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Contents:
    """Compute what a report shows, once for the page, the plots and the JSON."""
    fitted = read(estimator)
    n, n_members = fitted.ensemble.shape
    if X is None:
        X = fitted.ensemble.payload[0].get("features")
    if X is not None and X.shape[0] != n:
        raise ValueError(f"X has {X.shape[0]} rows, but {n} objects were clustered")
    names = _feature_names(fitted, X, feature_names)
    name_of = _namer(fitted, X, ids)
    partitions = fitted.partitions(fitted.numbers(n_clusters))
    labels = {k: partition.labels for k, partition in partitions.items()}
    colors = colors_over_numbers(labels, fitted.n_clusters)

    displays = _displays(fitted, labels, names)
    rows = _rows_over_numbers(fitted, partitions, displays)
    described = [
        _describe(fitted, partition, colors[k], X, names, name_of)
        for k, partition in partitions.items()
    ]
    chosen = next(d for d in described if d["n_clusters"] == fitted.n_clusters)
    summary = {
        "format": "consens report",
        "version": 1,
        "title": title or "Consensus clustering",
        "data": {
            "n_objects": n,
            "n_features": None if X is None else int(X.shape[1]),
            "n_members": n_members,
            "share_noise": _rounded(float(np.mean(fitted.ensemble.labels == NOISE))),
            "share_missing": _rounded(float(np.mean(fitted.ensemble.labels == MISSING))),
        },
        "answer": _answer(fitted, chosen, rows),
        "numbers": rows,
        "partitions": described,
        "objects": _searchable(partitions, name_of) if n <= MAX_SEARCHABLE else None,
        "members": _members(fitted, displays["members"]),
        "done": {
            "facts": {str(key): _plain(value) for key, value in (facts or {}).items()},
            "stages": _stages(fitted),
            "fence": FENCE,
            "versions": {
                "python": platform.python_version(),
                **{p: version(p) for p in ("consens", "numpy", "scipy", "scikit-learn")},
            },
        },
    }
    return Contents(summary, displays)


def how_chosen(consensus: Any, choice: Any = None) -> str:
    """How a fitted consensus came to its number of clusters, in a word or two.

    `choice` is what the front door has to say, if it tried several numbers.
    """
    if choice is not None:
        return "chosen"
    parameters = consensus.get_params()
    if parameters.get("n_clusters") is not None:
        return "given"
    name = type(consensus).__name__
    return CHOICES.get(parameters.get("criterion", ""), f"chosen by {name}")


# ------------------------------------------------------------------------ names and numbers


def _feature_names(
    fitted: Fitted, X: Any, feature_names: Sequence[Any] | None
) -> list[str] | None:
    if feature_names is None and hasattr(X, "columns"):
        feature_names = list(X.columns)
    if feature_names is None and fitted.before is None:
        feature_names = getattr(fitted.front, "feature_names_in_", None)
    if feature_names is not None and X is not None and len(feature_names) != X.shape[1]:
        raise ValueError(f"{len(feature_names)} feature names for {X.shape[1]} features")
    if feature_names is None and X is not None:
        feature_names = [f"feature {j}" for j in range(X.shape[1])]
    return None if feature_names is None else [_short(name) for name in feature_names]


def _namer(fitted: Fitted, X: Any, ids: Sequence[Any] | None) -> Callable[[int], str]:
    """What objects are called: by ids given, by the index of a data frame, or by row number."""
    n = len(fitted.ensemble)
    names: Any = ids
    if names is None:
        names = fitted.ensemble.obs
    if names is None and hasattr(X, "iloc"):
        names = X.index
    if names is None:
        return str
    if len(names) != n:
        raise ValueError(f"{len(names)} ids for {n} objects")
    return lambda i: _short(names[i])


def _short(name: Any) -> str:
    text = str(name)
    return text if len(text) <= MAX_NAME else text[: MAX_NAME - 1] + "…"


def _rounded(value: Any, digits: int = 4) -> float | None:
    """A number for JSON: short, and None where there is none."""
    value = float(value)
    return round(value, digits) if np.isfinite(value) else None


def _significant(value: float) -> float:
    return float(f"{value:.4g}")


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, bool | int | float | None) else _short(value)


# ------------------------------------------------------------------------- one partition


def _describe(
    fitted: Fitted,
    partition: Partition,
    colors: np.ndarray,
    X: Any,
    names: list[str] | None,
    name_of: Callable[[int], str],
) -> dict[str, Any]:
    """One partition: its clusters, its matrix in small, and who sits on the fence."""
    k, sizes = partition.n_clusters, partition.sizes
    listed = sorted(np.argsort(-sizes, kind="stable")[:MAX_CLUSTERS].tolist())
    between = group_coassociation(fitted.ensemble, partition.labels) if k <= MAX_CLUSTERS else None
    features = _telling_features(X, partition, names)
    means = partition.cluster_confidence
    clusters = []
    for c in listed:
        own = np.flatnonzero(partition.labels == c)
        confidence = partition.confidence[own]
        clearest = own[np.argsort(-confidence, kind="stable")[:N_TYPICAL]]
        cluster: dict[str, Any] = {
            "label": c,
            "color": int(colors[c]),
            "size": int(sizes[c]),
            "confidence": _rounded(means[c]) if k > 1 else None,
            "profile": [_rounded(v, 3) for v in np.quantile(confidence, np.linspace(1, 0, 21))],
            "n_fence": int((confidence < FENCE).sum()) if k > 1 else 0,
            "typical": [name_of(int(i)) for i in clearest],
            "features": features(c),
        }
        if between is not None and k > 1:
            others = between[c].copy()
            others[c] = -1.0
            nearest = int(others.argmax())
            cluster["cohesion"] = _rounded(between[c, c], 3)
            cluster["nearest"] = {"label": nearest, "association": _rounded(others[nearest], 3)}
        clusters.append(cluster)
    inside = partition.labels >= 0
    return {
        "n_clusters": k,
        "confidence": _mean_confidence(partition),
        "n_unclustered": int((~inside).sum()),
        "n_not_listed": k - len(listed),
        "clusters": clusters,
        "fence": _fence(fitted, partition, name_of),
        "matrix": _matrix(fitted, partition),
    }


def _mean_confidence(partition: Partition) -> float | None:
    """Mean over the objects; None for a single cluster, which is compared with nothing."""
    if partition.n_clusters < 2:
        return None
    return _rounded(partition.confidence[partition.labels >= 0].mean())


def _telling_features(
    X: Any, partition: Partition, names: list[str] | None
) -> Callable[[int], list[dict[str, Any]]]:
    """For a cluster, the features by which it differs most from the rest."""
    if X is None or names is None or partition.n_clusters * len(names) > MAX_CONTRASTS:
        return lambda c: []
    means, others, differences = contrast(X, partition.labels)

    def of(c: int) -> list[dict[str, Any]]:
        order = np.argsort(-np.abs(differences[c]), kind="stable")[:N_FEATURES]
        return [
            {
                "name": names[j],
                "difference": _rounded(differences[c, j], 3),
                "mean": _significant(means[c, j]),
                "others": _significant(others[c, j]),
            }
            for j in order.tolist()
            if differences[c, j] != 0
        ]

    return of


def _fence(fitted: Fitted, partition: Partition, name_of: Callable[[int], str]) -> dict[str, Any]:
    """Objects that would fit another cluster nearly as well, the least clear first."""
    labels, confidence = partition.labels, partition.confidence
    if partition.n_clusters < 2:
        return {"n": 0, "objects": []}
    on_fence = np.flatnonzero((labels >= 0) & (confidence < FENCE))
    first = on_fence[np.argsort(confidence[on_fence], kind="stable")[:MAX_FENCE]]
    found = []
    if len(first):
        mean = object_association(fitted.ensemble, labels, first)
        for i, towards in zip(first.tolist(), mean, strict=True):
            own = int(labels[i])
            others = towards.copy()
            others[own] = -1.0
            other = int(others.argmax())
            found.append(
                {
                    "id": name_of(i),
                    "label": own,
                    "other": other,
                    "confidence": _rounded(confidence[i], 3),
                    "own": _rounded(towards[own], 3),
                    "towards": _rounded(towards[other], 3),
                }
            )
    return {"n": len(on_fence), "objects": found}


def _matrix(fitted: Fitted, partition: Partition) -> dict[str, Any] | None:
    """The consensus matrix in blocks of objects, in per cent."""
    if partition.n_clusters > BLOCKS:
        return None
    order = object_order(fitted.ensemble, partition.labels, fitted.linkage, large=500)
    values, labels, sizes = block_rows(fitted.ensemble, partition.labels, order, BLOCKS)
    return {
        "labels": labels.tolist(),
        "sizes": sizes.tolist(),
        "percent": np.rint(100 * values).astype(int).tolist(),
    }


def _searchable(
    partitions: Mapping[int, Partition], name_of: Callable[[int], str]
) -> dict[str, Any]:
    """Cluster and confidence of every object, for every number of clusters."""
    n = len(next(iter(partitions.values())).labels)
    return {
        "ids": [name_of(i) for i in range(n)],
        "labels": [p.labels.tolist() for p in partitions.values()],
        "confidence": [np.round(p.confidence, 2).tolist() for p in partitions.values()],
    }


# ------------------------------------------------------------------- numbers of clusters


def _displays(
    fitted: Fitted, labels: dict[int, np.ndarray], names: list[str] | None
) -> dict[str, Any]:
    """The plots that do not depend on the k that is looked at, computed but not drawn."""
    ensemble = fitted.ensemble
    some = ensemble[:, _some_members(ensemble)]
    displays: dict[str, Any] = {"members": MemberMapDisplay.compute(some, fitted.labels)}
    if fitted.choice is not None:
        displays["choice"] = ChoiceDisplay(fitted.choice)
    if fitted.linkage is not None:
        displays["tree"] = DendrogramDisplay(fitted.linkage, fitted.n_clusters)
    if len(labels) > 1:
        displays["tracking"] = TrackingDisplay(labels, fitted.n_clusters)
    displays["cdf"] = ConsensusCDFDisplay.compute(ensemble)
    table = _stability(fitted, [k for k in labels if k > 1])
    if table is not None:
        displays["stability"] = StabilityDisplay(table)
    selector: Any = getattr(fitted.front, "selector_", None)
    if hasattr(selector, "nmi_") and len(selector.nmi_) > 1:
        displays["selection"] = QualityDiversityDisplay(selector.nmi_, selector.get_support())
    weights = weights_of(fitted)
    if weights is not None and len(weights) <= 12:
        fits = names is not None and len(names) == weights.shape[1]
        displays["weights"] = FeatureWeightsDisplay(weights, names if fits else None)
    return displays


def _stability(fitted: Fitted, numbers: list[int]) -> pd.DataFrame | None:
    """Stability over k: what is held already, or measured where that is quick."""
    if fitted.choice is not None:
        drawn = fitted.choice.table.filter(regex="^bootstrap_").dropna()
        if not drawn.size:
            return None
        return drawn.rename(columns=lambda name: name.removeprefix("bootstrap_"))
    held = getattr(fitted.consensus, "stability_", None)
    quick = fitted.linkage is not None and len(fitted.ensemble) <= STABILITY_UP_TO
    if held is not None or not quick or not numbers or fitted.needs_features:
        return held
    return stability(fitted.ensemble, combiner(fitted), numbers, n_resamples=DRAWS, random_state=0)


def _rows_over_numbers(
    fitted: Fitted, partitions: Mapping[int, Partition], displays: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """What is known about each number of clusters; None where it was not measured."""
    lives = None
    if fitted.linkage is not None and fitted.choice is None:
        lives = lifetimes(fitted.linkage)
    tables = [displays["cdf"].table]
    if "stability" in displays:
        names = {"mean": "stability", "std": "spread"}
        tables.append(displays["stability"].table.rename(columns=names))
    if fitted.choice is not None:
        tables.append(fitted.choice.table.rename(columns={"lifetime": "lifetime_single"}))
    rows = []
    for k, partition in partitions.items():
        inside = partition.labels >= 0
        row: dict[str, Any] = {
            "n_clusters": k,
            "confidence": _mean_confidence(partition),
            "n_fence": int((partition.confidence[inside] < FENCE).sum()) if k > 1 else 0,
            "smallest": int(partition.sizes.min()),
            "agreement": _rounded(anmi(partition.labels, fitted.ensemble)),
            "lifetime": None if lives is None else _rounded(lives[k - 1]),
        }
        for name in MEASURED:
            known = [t.loc[k, name] for t in tables if name in t and k in t.index]
            row[name] = _rounded(known[-1], 5) if known else None
        rows.append(row)
    return rows


# --------------------------------------------------------------------------- the answer


def _answer(
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
        "why": _why(fitted, choice, rows),
        "votes": {} if fitted.choice is None else fitted.choice.votes,
    }


def _certainty(chosen: Mapping[str, Any]) -> str:
    """The mean confidence in words."""
    if chosen["n_clusters"] == 1:
        return "no structure"
    for least, word in ((0.9, "very clear"), (0.8, "clear"), (0.65, "fairly clear")):
        if chosen["confidence"] >= least:
            return word
    return "unclear"


def _why(fitted: Fitted, choice: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences that say why it is this number of clusters, the decisive one first."""
    k = fitted.n_clusters
    row = next(row for row in rows if row["n_clusters"] == k)
    sentences = []
    if fitted.choice is not None:
        reason = fitted.choice.reason
        sentences.append(f"{reason[0].upper()}{reason[1:]}.")
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


def _clusters(k: int) -> str:
    return f"{k} clusters" if k > 1 else "One cluster"


# ----------------------------------------------------------------- members, what was done


def _members(fitted: Fitted, shown: MemberMapDisplay) -> dict[str, Any]:
    """How many members there are, how they agree, and which stand apart."""
    ensemble = fitted.ensemble
    n_members = ensemble.shape[1]
    numbers = ensemble.n_clusters
    some = _some_members(ensemble)
    records = [ensemble.records[m] for m in some]
    order = np.argsort(-shown.agreement, kind="stable").tolist()
    listed = [
        {
            "member": int(some[i]),
            "name": _short(records[i].get("name") or records[i].get("algorithm") or ""),
            "n_clusters": int(numbers[some[i]]),
            "agreement": _rounded(shown.agreement[i], 3),
        }
        for i in order
    ]
    return {
        "n": n_members,
        "fewest": int(numbers.min()),
        "most": int(numbers.max()),
        "algorithms": sorted({_short(r.get("algorithm", "")) for r in ensemble.records} - {""}),
        "mutual": _rounded(shown.mutual, 3),
        "agreement": {
            "lowest": _rounded(shown.agreement.min(), 3),
            "mean": _rounded(shown.agreement.mean(), 3),
            "highest": _rounded(shown.agreement.max(), 3),
        },
        "listed": listed,
    }


def _some_members(ensemble: Ensemble) -> np.ndarray:
    """The members that are compared one by one: all, or as many at even distances."""
    n_members = ensemble.shape[1]
    return np.unique(np.linspace(0, n_members - 1, min(n_members, MAX_MEMBERS)).astype(int))


def _stages(fitted: Fitted) -> list[dict[str, Any]]:
    """The estimators that did the work, with their parameters."""
    front = fitted.front
    stages = [
        ("features", step) for _, step in getattr(fitted.before, "steps", []) if step is not None
    ]
    if front is not None:
        stages += [("members", front.generator_)]
        stages += [("selection", front.selector_)] if front.selector_ is not None else []
    stages += [("consensus", fitted.consensus)]
    return [
        {
            "role": role,
            "name": type(stage).__name__,
            "idea": (inspect.getdoc(type(stage)) or "").partition("\n\n")[0].replace("\n", " "),
            "parameters": {
                name: _plain(value)
                for name, value in getattr(stage, "get_params", dict)().items()
                if not hasattr(value, "get_params")
            },
        }
        for role, stage in stages
    ]
