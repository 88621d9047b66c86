"""Communities of LFR graphs: one run of Louvain or Leiden against the consensus of many.

    python -m studies.graphs [--runs 5] [--seed 0] [--vertices 1000] [--members 50] [--out DIR]

Draws graphs with known communities (Lancichinetti, Fortunato and Radicchi, Physical Review E 78,
2008) by networkx: 1,000 vertices of degree 20 on average and 50 at most, exponents 3 and 1.5,
communities of 20 to 100 vertices.  The mixing is the share of its edges that a vertex has with
other communities.  Shows the NMI with the communities, for the mean of the runs, each on another
graph.  The consensus has as many clusters as the median of its members has, or as many as
`consens.combine` chooses.

ECG (Poulin and Théberge 2019, `partition-igraph`) and the program of the authors of Leiden
(`leidenalg`) take part if they are installed; both need igraph, under the GPL, and are no
dependency of this project.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens import combine
from consens.generate import GraphEnsemble
from consens.measure import nmi
from studies._run import parser, say
from studies._store import Store
from studies._table import markdown

MIXINGS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


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


def consensus(method: str | None, bounds: tuple[float, float], choose: bool = False) -> Any:
    """Consensus of many runs at resolutions within bounds."""

    def run(graph: csr_array, seed: int, members: int) -> np.ndarray:
        generator = GraphEnsemble(
            members, affinity="precomputed", resolution=bounds, random_state=seed
        )
        ensemble = generator.fit_transform(graph)
        k = None if choose else int(np.median(ensemble.n_clusters))
        return np.asarray(combine(ensemble, method, k, random_state=seed).labels_)

    return run


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


METHODS: dict[str, Any] = {
    "Louvain, one run": single("louvain"),
    "Leiden, one run": single("leiden"),
    "leidenalg, one run": leidenalg,
    "ECG (partition-igraph)": ecg,
    "consensus (default), k chosen": consensus(None, (0.5, 2.0), choose=True),
    "consensus (default)": consensus(None, (0.5, 2.0)),
    "consensus (default), resolution 1 to 2": consensus(None, (1.0, 2.0)),
    "`EAC`, resolution 1 to 2": consensus("EAC", (1.0, 2.0)),
    "`HBGF`, resolution 1 to 2": consensus("HBGF", (1.0, 2.0)),
}


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__, 5, data_required=False)
    options.add_argument("--vertices", type=int, default=1000, help="of a graph (1000)")
    options.add_argument("--members", type=int, default=50, help="of a consensus (50)")
    options.add_argument("--mixing", type=float, action="append", help="only this mixing")
    given = options.parse_args(arguments)
    store = Store(given.out, "graphs")
    mixings = given.mixing or MIXINGS
    rows, absent = [], []
    for name, method in METHODS.items():
        cells = []
        try:
            for mixing in mixings:
                found = []
                for run in range(given.runs):
                    seed = given.seed + run

                    def measure(mixing: float = mixing, seed: int = seed, method: Any = method):
                        graph, truth = draw_graph(given.vertices, mixing, seed)
                        return nmi(method(graph, seed, given.members), truth)

                    found.append(store.get((name, str(mixing), given.vertices, run), measure))
                cells.append(f"{np.mean(found):.3f}")
        except ImportError as error:
            say(f"{name}: {error}")
            absent.append(name)
            continue
        rows.append([name, *cells])
    print(
        f"NMI with the communities of LFR graphs of {given.vertices} vertices, by the mixing; "
        f"means of {given.runs} graphs, {given.members} members; seed {given.seed}.\n"
    )
    print(markdown(["method", *map(str, mixings)], rows))
    if absent:
        print(f"\nNot installed: {', '.join(absent)}.")


if __name__ == "__main__":
    main()
