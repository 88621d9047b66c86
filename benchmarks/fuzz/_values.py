"""Values to call with: mostly sensible, often at the edge, sometimes absurd."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, random_array

Draw = np.random.Generator
NAN, INF = float("nan"), float("inf")
TINY, HUGE = 5e-324, 1e308
ABSURD: list[Any] = [None, "x", "", b"x", 1j, NAN, -INF, -1, 0, 2.5, [], {}, (), object(), True]


def pick(rng: Draw, values: list[Any]) -> Any:
    return values[int(rng.integers(len(values)))]


def label_matrix(rng: Draw, n: int) -> Any:
    """Labels of n objects in a few members."""
    k, members = int(rng.integers(1, 6)), int(rng.integers(1, 7))
    labels = rng.integers(0, k, (n, members))
    kind = int(rng.integers(20))
    if kind < 7:
        return labels
    if kind < 9:
        labels[rng.random(labels.shape) < 0.2] = pick(rng, [-1, -2])
        return labels
    if kind == 9:
        return np.full_like(labels, pick(rng, [-2, -1, 0, 7, 2**40]))
    if kind == 10:
        return np.where(rng.random(labels.shape) < 0.1, NAN, labels)
    if kind == 11:
        return labels.astype(pick(rng, [str, object, bool, np.int8, np.uint64, np.float32]))
    if kind == 12:
        return labels.tolist()
    if kind == 13:
        import pandas as pd

        return pd.DataFrame(labels, columns=[f"m{m}" for m in range(members)])
    if kind == 14:
        return with_payload(rng, n)
    if kind == 15:
        return pick(rng, [labels[:0], labels[:, :0], labels[:, 0], labels[None], labels[:1]])
    if kind == 16:
        return rng.normal(size=labels.shape)
    if kind == 17:
        return np.arange(n)[:, None] + np.zeros((1, members), dtype=int)
    if kind == 18:
        from consens._blocks import Rows

        return Rows.from_array(labels.astype(np.int32), [n // 2, n - n // 2])
    return pick(rng, [*ABSURD, csr_array(labels), [[0, 1], [0]], {"a": [0, 1]}])


def with_payload(rng: Draw, n: int) -> Any:
    """An ensemble that keeps centres and features, or soft memberships."""
    from consens import Ensemble

    k, d = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    X = features(rng, n, kind=0)[:, :d] if n else np.zeros((0, d))
    payload: dict[str, Any] = {"features": X, "centers": rng.normal(size=(k, X.shape[1]))}
    if rng.random() < 0.5:
        payload["weights"] = rng.random((k, X.shape[1]))
    if rng.random() < 0.3:
        payload = {"memberships": rng.random((n, k))}
    labels = rng.integers(0, k, (n, 2))
    return Ensemble(labels.astype(np.int32), payload=[payload, payload])


def label_vector(rng: Draw, n: int) -> Any:
    labels = rng.integers(0, int(rng.integers(1, 6)), n)
    kind = int(rng.integers(14))
    if kind < 7:
        return labels
    if kind == 7:
        labels[rng.random(n) < 0.3] = pick(rng, [-1, -2])
        return labels
    if kind == 8:
        return np.full(n, pick(rng, [-2, -1, 0, 3]))
    if kind == 9:
        return [f"c{label}" for label in labels]
    if kind == 10:
        return np.where(rng.random(n) < 0.2, NAN, labels)
    if kind == 11:
        return np.arange(n)
    if kind == 12:
        return pick(rng, [labels[:-1], labels[:0], labels[:, None], labels.astype(complex)])
    return pick(rng, ABSURD)


def features(rng: Draw, n: int, kind: int | None = None) -> Any:
    X = rng.normal(size=(n, int(rng.integers(1, 5))))
    X[: n // 2] += 6
    if kind is None:
        kind = int(rng.integers(22))
    if kind < 8:
        return X
    if kind == 8:
        return X * pick(rng, [1e155, 1e-200, 1e300, 1e-320, 1e8, -1.0])
    if kind == 9:
        X[rng.random(X.shape) < 0.05] = pick(rng, [NAN, INF, -INF])
        return X
    if kind == 10:
        return np.full_like(X, pick(rng, [0.0, 1.0, 1e12]))
    if kind == 11:
        return X.astype(pick(rng, [np.float32, int, bool, object, str, complex, np.float16]))
    if kind == 12:
        return random_array((n, 5), density=0.3, rng=rng, format="csr")
    if kind == 13:
        import pandas as pd

        return pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    if kind == 14:
        return pick(rng, [X[:0], X[:1], X[:, :0], X[:, 0], X[None]])
    if kind == 15:
        return X.tolist()
    if kind == 16:
        return np.repeat(X[: max(1, n // 4)], 4, axis=0)[:n]
    if kind == 17:
        from consens._blocks import Rows

        return Rows.from_array(X, [n // 2, n - n // 2])
    return pick(rng, ABSURD)


def table(rng: Draw, n: int) -> Any:
    """A table with columns of any type, as `consens.check` takes."""
    import pandas as pd

    if rng.random() < 0.3:
        return features(rng, n)
    frame = {f"c{j}": column(rng, n) for j in range(int(rng.integers(0, 6)))}
    if rng.random() < 0.1:
        return frame
    found = pd.DataFrame(frame)
    if len(frame) > 1 and rng.random() < 0.1:
        found.columns = pick(rng, [range(len(frame)), ["a"] * len(frame)])
    return found


def column(rng: Draw, n: int) -> Any:
    """A column of a table: numbers, codes for missing values, names, dates, nested values."""
    import pandas as pd

    numbers = rng.normal(size=n)
    kind = int(rng.integers(16))
    if kind < 4:
        return numbers * pick(rng, [1, 1, 1e4, 1e-4, 1e300])
    if kind < 7:
        odd = pick(rng, [NAN, INF, -INF, -999, 9999, 1e9, 1e200])
        return np.where(rng.random(n) < pick(rng, [0.1, 0.9, 1.0]), odd, numbers)
    if kind == 7:
        return np.arange(n) + pick(rng, [0, 1, 1000])
    if kind == 8:
        return rng.integers(0, 3, n)
    names = [f"s{i}" for i in range(n)]
    if kind == 9:
        return pick(rng, [names, ["a"] * n, ["a", None] * (n // 2) + ["b"] * (n % 2), [""] * n])
    if kind == 10:
        return pd.to_datetime(np.arange(n), unit="D")
    if kind == 11:
        return rng.random(n) < 0.5
    if kind == 12:
        return pd.Categorical(names)
    if kind == 13:
        return pd.array([pick(rng, [1, 2, None]) for _ in range(n)], dtype="Int64")
    if kind == 14:
        return [pick(rng, [{"a": i}, [i], (i,), {i}, np.zeros(2)]) for i in range(n)]
    return [pick(rng, [1, 2.5, "x", None, NAN, b"x", 2**70, 1j]) for _ in range(n)]


def path(rng: Draw, n: int) -> Any:
    """A file of one of the formats, or none."""
    from benchmarks.fuzz.files import originals

    folder = originals()
    if rng.random() < 0.8:
        return pick(rng, sorted(folder.rglob("*")))
    return pick(rng, [folder, folder / "missing.csv", folder / "x.csv" / "y", "", "x.doc"])


def read_options(rng: Draw) -> dict[str, Any]:
    """Options of the functions that read tables."""
    options: dict[str, list[Any]] = {
        "id_column": [None, False, "id", "a", "x"],
        "drop": [(), ["a"], ["x"], "a"],
        "header": [None, True, False],
        "sep": [None, ",", "\t", "", "ab"],
        "decimal": [None, ".", ",", "x"],
        "encoding": [None, "utf-8", "latin-1", "x"],
        "array": [None, "X", "x"],
        "transpose": [True, False],
    }
    return {name: pick(rng, values) for name, values in options.items() if rng.random() < 0.15}


def graph(rng: Draw, n: int) -> Any:
    half = rng.random((n, n)) * (rng.random((n, n)) < rng.random())
    whole = half + half.T
    kind = int(rng.integers(18))
    if kind < 6:
        return whole
    if kind < 9:
        return csr_array(whole)
    if kind == 9:
        return half
    if kind == 10:
        return whole - pick(rng, [0.5, 3.0])
    if kind == 11:
        whole[:1, :] = whole[:, :1] = pick(rng, [NAN, INF, -1.0])
        return whole
    if kind == 12:
        return whole * pick(rng, [0.0, 1e300, 1e-300, HUGE / 4, TINY])
    if kind == 13:
        return (whole > 0.3).astype(pick(rng, [bool, np.int8, np.uint8, complex, object]))
    if kind == 14:
        return pick(rng, [whole[:0, :0], whole[:1, :1], whole[:, :-1], whole.ravel(), whole[None]])
    if kind == 15:
        return rng.random((n, 3))
    if kind == 16:
        return np.eye(n)
    return pick(rng, ABSURD)


def factor(rng: Draw, n: int) -> Any:
    if rng.random() < 0.3:
        return graph(rng, n)
    table = rng.random((n, int(rng.integers(1, 6)))) * (rng.random() < 0.8)
    return pick(rng, [table, csr_array(table), table > 0.5, table - 0.1])


def merges(rng: Draw, n: int) -> Any:
    from consens.partition import linkage

    half = rng.random((n, n))
    tree = linkage((half + half.T) / 2, "average") if n else np.empty((0, 4))
    if rng.random() < 0.6:
        return tree
    return pick(rng, [tree[:0], tree[:, :2], tree.ravel(), -tree, tree * NAN, tree[::-1], *ABSURD])


def weights(rng: Draw, n: int) -> Any:
    size = int(pick(rng, [n, n, n, 3, 5, 1, 0]))
    values = rng.random(size) + 0.1
    kind = int(rng.integers(10))
    if kind < 4:
        return None
    if kind < 7:
        return values
    if kind == 7:
        return values * pick(rng, [0.0, -1.0, NAN, INF, HUGE, TINY, 1e200])
    if kind == 8:
        return pick(rng, [values.tolist(), values[:, None], values.astype(int), ["a"] * n])
    return pick(rng, ABSURD)


def count(rng: Draw, n: int) -> Any:
    """A number of clusters, neighbours, starts and the like."""
    kind = int(rng.integers(12))
    if kind < 7:
        return int(rng.integers(1, 5))
    if kind == 7:
        return pick(rng, [1, n, n - 1, n + 1, 10**6])
    if kind == 8:
        return pick(rng, [np.int8(3), np.uint8(2), np.int64(2), np.float64(2.0), np.array(3)])
    if kind == 9:
        return pick(rng, [(1, 3), (3, 1), [2, 3], range(2, 4), (0, 2), (2,)])
    if kind == 10:
        return None
    return pick(rng, ABSURD)


def few(rng: Draw, n: int) -> Any:
    """A number that decides how long a call takes."""
    return pick(rng, [1, 1, 2, 2, 3, 3, 0, -1, None, 2.5, "2", NAN, np.int8(2), True])


def number(rng: Draw, n: int) -> Any:
    """A real parameter."""
    if rng.random() < 0.5:
        return float(rng.random())
    return pick(rng, [0, 1, 0.0, 1.0, 0.5, 2.0, 10, -0.5, NAN, INF, -INF, TINY, HUGE, "a", None])


def seed(rng: Draw, n: int) -> Any:
    if rng.random() < 0.7:
        return int(rng.integers(100))
    states = [None, -1, 2**40, 1.5, "0", np.int8(3), np.random.default_rng(0)]
    return pick(rng, [*states, np.random.RandomState(0)])


def index(rng: Draw, n: int) -> Any:
    """Numbers of objects."""
    if rng.random() < 0.6:
        return rng.integers(0, max(1, n), 3)
    rows = [np.array([n]), np.array([-1, 0]), np.array([0.5, 1, 2]), [], np.zeros((2, 2), int)]
    return pick(rng, [*rows, [0, 0, 1], np.array(["a", "b", "c"]), *ABSURD])


def neighbors(rng: Draw, n: int) -> Any:
    if rng.random() < 0.6:
        return int(rng.integers(1, 4))
    tables = [rng.integers(0, max(1, n), (n, 2)), rng.integers(-2, n + 2, (n, 2)), graph(rng, n)]
    return pick(rng, [*tables, 0, -1, n + 5, *ABSURD])


def boolean(rng: Draw, n: int) -> Any:
    return pick(rng, [True, False, True, False, None, 1, "yes"])


def word(*allowed: str) -> Callable[[Draw, int], Any]:
    def draw(rng: Draw, n: int) -> Any:
        return pick(rng, [*allowed, *allowed, *allowed, "none", "", 1, None, 0.5])

    return draw


def consensus(rng: Draw, n: int) -> Any:
    from consens import consensus as methods

    chosen = [getattr(methods, name) for name in methods.METHODS]
    if rng.random() < 0.7:
        return pick(rng, chosen)()
    mapping = {2: np.arange(n) % 2, 3: np.arange(n) % 3}
    return pick(rng, [mapping, lambda drawn, ks: [np.zeros(n)] * len(ks), chosen[0], *ABSURD])


def generator(rng: Draw, n: int) -> Any:
    from consens.generate import KMeansEnsemble, LACEnsemble, PrototypeEnsemble

    made = [KMeansEnsemble(3, random_state=0), LACEnsemble(2, inverse_h=[1.0], random_state=0)]
    return pick(rng, [None, *made, PrototypeEnsemble(made[0], n_prototypes=5), *ABSURD])


def selector(rng: Draw, n: int) -> Any:
    from consens.select import DropDegenerate, SelectQuality

    return pick(rng, [None, SelectQuality(2), DropDegenerate(), SelectQuality(0.5), *ABSURD])


def fitted(rng: Draw, n: int) -> Any:
    """An estimator, fitted or not."""
    from consens import ConsensusClustering
    from consens.consensus import EAC, LWMC, WSBPA
    from consens.generate import LAC, KMeansEnsemble, LACEnsemble

    X = features(rng, max(n, 6), kind=0)
    members = KMeansEnsemble(4, n_clusters=3, random_state=0)
    kind = int(rng.integers(9))
    if kind == 0:
        return LAC(2, random_state=0).fit(X)
    if kind == 1:
        return EAC(pick(rng, [None, 2])).fit(members.fit_transform(X))
    if kind == 2:
        return LWMC(2, random_state=0).fit(members.fit_transform(X))
    if kind == 3:
        return WSBPA(2, random_state=0).fit(LACEnsemble(2, inverse_h=[1.0]).fit_transform(X))
    if kind == 4:
        model = ConsensusClustering(pick(rng, [None, 2]), generator=members, random_state=0)
        return model.fit(X)
    if kind == 5:
        return pick(rng, [EAC(), LAC(), ConsensusClustering()])
    if kind == 6:
        table = rng.random((2, 3))
        return SimpleNamespace(feature_weights_=table, cluster_centers_=table)
    if kind == 7:
        return SimpleNamespace(feature_weights_=pick(rng, ABSURD), cluster_centers_=np.eye(2))
    return pick(rng, ABSURD)


def ensembles(rng: Draw, n: int) -> Any:
    if rng.random() < 0.5:
        return label_matrix(rng, n)
    several = {2: label_matrix(rng, n), 3: label_matrix(rng, n)}
    return pick(rng, [several, list(several.values()), [], {}])


def linkages(rng: Draw, n: int) -> Any:
    return pick(rng, ["average", "single", "complete"] * 3 + ["ward", None, 1])


def absurd(rng: Draw, n: int) -> Any:
    return pick(rng, [*ABSURD, 2, 3, 0.5, np.zeros(3), [1, 2, 3]])


starts = word("careful", "orthogonal", "random", "farthest", "objects", "shared")

#: By the name of a parameter.
BY_NAME: dict[str, Callable[[Draw, int], Any]] = {
    **dict.fromkeys(("ensemble", "partitions", "curves", "members"), label_matrix),
    **dict.fromkeys(("a", "b", "y", "groups", "reference", "inverse"), label_vector),
    **dict.fromkeys(("X", "features", "gram", "coordinates"), features),
    **dict.fromkeys(("graph", "similarity", "matrix", "nmi", "metric"), graph),
    **dict.fromkeys(("bipartite", "factor", "incidence"), factor),
    **dict.fromkeys(("weights", "vertex_weights", "object_weights", "counts", "offset"), weights),
    **dict.fromkeys(("n_clusters", "max_clusters", "n_selected", "n_samples"), count),
    **dict.fromkeys(("n_neighbors", "n", "n_features", "n_classes", "n_components"), count),
    **dict.fromkeys(("n_init", "max_iter", "n_resamples", "n_estimators", "n_candidates"), few),
    **dict.fromkeys(("n_prototypes", "n_widths", "size", "n_arms", "n_noise", "n_outer"), few),
    **dict.fromkeys(("seed", "random_state"), seed),
    **dict.fromkeys(("first", "second", "objects"), index),
    **dict.fromkeys(("normalize", "overwrite", "complete", "weighted", "extended"), boolean),
    **dict.fromkeys(("average",), word("geometric", "arithmetic", "max", "min")),
    **dict.fromkeys(("partitioner",), word("spectral", "metis", "pmetis")),
    **dict.fromkeys(("ensembles",), ensembles),
    **dict.fromkeys(("estimator", "choice"), fitted),
    **dict.fromkeys(("path", "paths"), path),
    **dict.fromkeys(("others", "drop"), lambda rng, n: ()),
    "references": lambda rng, n: pick(rng, [(), [label_matrix(rng, n)], [label_matrix(rng, 9)]]),
    "parameters": lambda rng, n: pick(rng, [None, {}, {"a": 1}, {"a": object()}, *ABSURD]),
    "labels": label_vector,
    "merges": merges,
    "linkage": linkages,
    "method": word("average", "single", "complete", "recursive", "kway", "eac", "lwea"),
    "neighbors": neighbors,
    "consensus": consensus,
    "generator": generator,
    "selector": selector,
    "drop_degenerate": boolean,
    "matching": word("one-to-one", "majority"),
    "by": word("weight", "frequency"),
    "init": lambda rng, n: pick(rng, [starts(rng, n), features(rng, n)]),
    "utility": word("category", "entropy"),
    "voting": word("plurality", "cumulative"),
    "outer": word("noise", "class"),
    "fill": word("nearest", "missing"),
    "n_jobs": lambda rng, n: pick(rng, [None, None, 1, 1, 0, "2", 2.5]),
    "store": lambda rng, n: None,
    "feature_names": lambda rng, n: pick(rng, [None, ["a", "b"], "abc"]),
    **dict.fromkeys(("records", "payload", "obs"), lambda rng, n: pick(rng, [(), [{}], [{}] * 3])),
    "max_samples": lambda rng, n: pick(rng, [None, None, 0.5, 1.0, 5, 0, n + 1, -1, NAN, "a"]),
    "max_features": lambda rng, n: pick(rng, [None, 0.5, 1.0, 1, 0, 99, NAN, "a"]),
    "inverse_h": lambda rng, n: pick(rng, [[1.0], [0.1, 5], 1.0, [], [0], [NAN], [-1], None]),
    "names": lambda rng, n: pick(rng, [None, None, ["a", "b"], ["a"] * 3, "abc", 3]),
    "ax": lambda rng, n: None,
    "top": lambda rng, n: pick(rng, [1, 3, 10, 0, -1, None, 2.5, NAN, "a"]),
}


def value(name: str, rng: Draw, n: int) -> Any:
    return BY_NAME.get(name, number)(rng, n)


def described(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, np.ndarray) or hasattr(value, "toarray"):
        return f"{type(value).__name__}{value.shape}:{value.dtype}"
    text = repr(value).replace("\n", " ")
    return text if len(text) < 60 else f"{text[:57]}..."
