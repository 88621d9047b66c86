"""Networks: the consensus of many runs of Leiden against one run, and against others.

    python -m studies.graphs [--runs 5] [--seed 0] [--vertices 1000] [--members 50] [--out DIR]

Draws graphs with known communities (Lancichinetti, Fortunato and Radicchi, Physical Review E 78,
2008) by networkx: 1,000 vertices of degree 20 on average and 50 at most, exponents 3 and 1.5,
communities of 20 to 100 vertices.  The mixing is the share of its edges that a vertex has with
other communities.  Shows the NMI and ARI with the communities and the number of clusters, as means
of the runs, each on another graph.  NMI is not corrected for chance: where hardly anything can be
found, a method that leaves most vertices alone has a high NMI and an ARI of about 0.

The consensus is that of ``consens cluster --graph``: `GraphEnsemble`, whose members weigh edges by
quick runs if they agree more then, combined into as many clusters as the median member has.  The
weights, and how to choose between members with and without, were decided on other graphs, with
seeds from 1,000 on.

ECG (Poulin and Théberge 2019, `partition-igraph`), FastEnsemble (Tabatabaee et al. 2025,
`fast-ensemble-clustering`, Leiden for modularity and the other defaults) and the program of the
authors of Leiden (`leidenalg`) take part if they are installed; they need igraph, under the GPL,
and are no dependency of this project.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens import combine
from consens.generate import GraphEnsemble
from consens.measure import ari, nmi
from studies._run import parser, say
from studies._store import Store
from studies._table import markdown

MIXINGS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
FIGURES = {
    "nmi": ("NMI with the communities", 3),
    "ari": ("ARI with the communities", 3),
    "clusters": ("Number of clusters", 0),
}
FAST_MEMBERS = 10  # the default of FastEnsemble


@cache
def draw_graph(n: int, mixing: float, seed: int) -> tuple[csr_array, np.ndarray]:
    """An LFR graph without loops, and its communities."""
    import networkx as nx

    graph = nx.LFR_benchmark_graph(
        n,
        3,
        1.5,
        mixing,
        average_degree=20,
        max_degree=50,
        min_community=20,
        max_community=100,
        max_iters=5000,
        seed=seed,
    )
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    truth = np.empty(n, dtype=np.int64)
    for number, own in enumerate({frozenset(graph.nodes[v]["community"]) for v in graph}):
        truth[list(own)] = number
    return csr_array(nx.to_scipy_sparse_array(graph, nodelist=range(n), dtype=float)), truth


def single(method: str) -> Callable[..., Any]:
    """One run at resolution 1 with all edges."""

    def run(graph: csr_array, seed: int, members: int) -> np.ndarray:
        generator = GraphEnsemble(
            1,
            affinity="precomputed",
            resolution=1.0,
            max_edges=1.0,
            method=method,
            random_state=seed,
        )
        return np.asarray(generator.fit_transform(graph))[:, 0]

    return run


def consensus(graph: csr_array, seed: int, members: int) -> np.ndarray:
    """As many clusters as the median of many runs at several resolutions."""
    generator = GraphEnsemble(members, affinity="precomputed", random_state=seed)
    ensemble = generator.fit_transform(graph)
    k = int(np.median(ensemble.n_clusters))
    return np.asarray(combine(ensemble, n_clusters=k, random_state=seed).labels_)


def _igraph(graph: csr_array) -> Any:
    import igraph

    half = graph.tocoo()
    return igraph.Graph(
        n=graph.shape[0],
        edges=[(i, j) for i, j in zip(*half.coords, strict=True) if i < j],
    )


def leidenalg(graph: csr_array, seed: int, members: int) -> np.ndarray:
    """Leiden of its authors."""
    import leidenalg

    found = leidenalg.find_partition(
        _igraph(graph), leidenalg.ModularityVertexPartition, seed=seed
    )
    return np.array(found.membership)


def ecg(graph: csr_array, seed: int, members: int) -> np.ndarray:
    """Ensemble clustering for graphs: Louvain on edges weighted by an ensemble."""
    import random

    import partition_igraph  # noqa: F401 - adds the method to igraph

    random.seed(seed)
    return np.array(_igraph(graph).community_ecg(ens_size=members).membership)


def fast_ensemble(graph: csr_array, seed: int, members: int) -> np.ndarray:
    """Leiden on the edges that at least 80 % of 10 runs keep together."""
    import networkx as nx
    from fast_ensemble import fast_ensemble as run

    found = run(
        nx.from_scipy_sparse_array(graph),
        algorithm="leiden-mod",
        final_alg="leiden-mod",
        n_p=FAST_MEMBERS,
    )
    return np.array([found[v] for v in range(graph.shape[0])])


METHODS: dict[str, Any] = {
    "consensus": consensus,
    "Leiden, one run": single("leiden"),
    "Louvain, one run": single("louvain"),
    "leidenalg, one run": leidenalg,
    "ECG (partition-igraph)": ecg,
    "FastEnsemble": fast_ensemble,
}


def _measured(store: Store, given: Any, name: str, method: Any, mixing: float) -> dict[str, float]:
    """Means over the graphs of a mixing."""
    found = []
    for run in range(given.runs):

        def measure(seed: int = given.seed + run) -> dict[str, float]:
            graph, truth = draw_graph(given.vertices, mixing, seed)
            labels = method(graph, seed, given.members)
            clusters = float(len(np.unique(labels)))
            return {"nmi": nmi(labels, truth), "ari": ari(labels, truth), "clusters": clusters}

        found.append(store.get((name, str(mixing), given.vertices, run), measure))
    return {figure: float(np.mean([one[figure] for one in found])) for figure in FIGURES}


def draw(known: dict[str, list[dict[str, float]]], mixings: Sequence[float], path: Any) -> None:
    """NMI and ARI against the mixing, a line for each method."""
    from studies._pictures import plt, save

    figure, both = plt.subplots(1, 2, figsize=(11, 5), layout="constrained", sharey=True)
    for axes, measure in zip(both, ("nmi", "ari"), strict=True):
        for name, own in known.items():
            ours = name == "consensus"
            axes.plot(mixings, [one[measure] for one in own], marker=".",
                      linewidth=3 if ours else 1, label=name)  # fmt: skip
        axes.set_xlabel("mixing")
        axes.set_title(FIGURES[measure][0])
    both[0].legend()
    save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__, 5, data_required=False)
    options.add_argument("--vertices", type=int, default=1000, help="of a graph (1000)")
    options.add_argument("--members", type=int, default=50, help="of a consensus (50)")
    options.add_argument("--mixing", type=float, action="append", help="only this mixing")
    given = options.parse_args(arguments)
    store = Store(given.out, "graphs")
    mixings = given.mixing or MIXINGS
    known: dict[str, list[dict[str, float]]] = {}
    absent = []
    for name, method in METHODS.items():
        try:
            known[name] = [_measured(store, given, name, method, mixing) for mixing in mixings]
        except ImportError as error:
            say(f"{name}: {error}")
            absent.append(name)
    print(
        f"LFR graphs of {given.vertices} vertices, by the mixing; means of {given.runs} graphs, "
        f"{given.members} members (FastEnsemble {FAST_MEMBERS}); seed {given.seed}."
    )
    for figure, (title, digits) in FIGURES.items():
        rows = [[name, *(f"{v[figure]:.{digits}f}" for v in own)] for name, own in known.items()]
        if figure == "clusters":
            found = [
                len(np.unique(draw_graph(given.vertices, mixing, given.seed + run)[1]))
                for mixing in mixings
                for run in range(given.runs)
            ]
            means = np.reshape(found, (len(mixings), -1)).mean(axis=1)
            rows.append(["communities", *(f"{mean:.{digits}f}" for mean in means)])
        print(f"\n## {title}\n")
        print(markdown(["method", *map(str, mixings)], rows))
    if absent:
        print(f"\nNot installed: {', '.join(absent)}.")
    if given.out is not None:
        draw(known, mixings, given.out / "graphs.png")
        print("\n![NMI and ARI with the communities against the mixing](graphs.png)")


if __name__ == "__main__":
    main()
