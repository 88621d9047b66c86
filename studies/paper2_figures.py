"""Numbers of the figures of Fred and Jain 2005; tables (CSV) go to the folder --out.

    python -m studies.paper2 --data DIR --only Figures --out OUT

Fig. 1   complex image by k-means, single link and complete link
Fig. 2   ring, bar and Gaussian: similarities within and between the classes
Fig. 3   ring, bar and Gaussian: lifetimes
Fig. 4   partitions of the cigars
Fig. 5   agreement of these partitions with ensembles, by number of clusters
Fig. 6   sizes of the test data
Fig. 7   agreement of the combined partition with drawn ensembles, and its spread, by k
Fig. 8   number of clusters with the longest lifetime by number of partitions
Fig. 9   half-rings, lifetimes for fixed k; single link of the points themselves
Fig. 10  half-rings, lifetimes for k drawn from intervals
Fig. 12  complex image, number of clusters by lifetime
Section 5.3  smallest k by a mixture of Gaussians

`studies.paper2_scenes` and `studies.paper2_curves` measure, and `studies.paper2_pictures` draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from studies._cells import (
    DATA_DIFFER,
    Cell,
    Note,
    Setting,
    Table,
    not_attainable,
    note,
    pictures_in,
)
from studies._data import MissingData
from studies._run import say
from studies._table import markdown
from studies.paper2_curves import (
    NUMBERS,
    figure_7,
    figure_8,
    figures_9_and_10,
    least_k,
    means_of_figure_7,
)
from studies.paper2_scenes import (
    FIGURE_1,
    FIGURE_1_KMEANS,
    FIGURE_3,
    FIGURE_3_K,
    FIGURE_3_PARTITIONS,
    FIGURE_5,
    FIGURE_6,
    figure_1,
    figure_2,
    figure_3,
    figure_4,
    figure_5,
    figure_6,
    figure_12,
)


def measure(given: Setting) -> None:
    """Measure what the store does not have."""
    out = None if given.store.file is None else given.store.file.parent
    for run in given.seeds():
        given.store.get(("Figs. 2 and 3", run), lambda run=run: figure_3(run))  # type: ignore[misc]
        given.store.get(("Fig. 12", run), lambda run=run: figure_12(given, run))  # type: ignore[misc]
    for name, make in (
        ("Fig. 1", figure_1),
        ("Fig. 2", figure_2),
        ("Fig. 4", figure_4),
        ("Fig. 5", figure_5),
        ("Fig. 6", figure_6),
        ("Section 5.3", least_k),
        ("Fig. 7", lambda given: list(figure_7(given.data, out, given.seed))),
        ("Fig. 7, means", means_of_figure_7),
        ("Figs. 9 and 10", lambda given: list(figures_9_and_10(given.data, out, given.seed))),
        ("Fig. 8", lambda given: list(figure_8(given.data, out, given.seed))),
    ):
        try:
            given.store.get((name,), lambda make=make: make(given))  # type: ignore[misc]
        except MissingData as missing:
            say(str(missing))


def report(given: Setting) -> list[Table | Note]:
    """Tables and figures of what the store has."""
    store = given.store
    known = {key[0]: value for key, value in store.known.items() if len(key) == 1}
    lives, scene = store.values("Figs. 2 and 3"), store.values("Fig. 12")
    half_rings = "\n".join(known.get("Figs. 9 and 10", [])).split("\nFig. 10: ")
    half_rings = [text.strip() for text in half_rings] if len(half_rings) == 2 else ["", ""]
    return [
        note("Fig. 1, Complex image", _figure_1(known.get("Fig. 1")), store, "paper2_fig1.png"),
        note(
            "Fig. 2, ring, bar and Gaussian",
            _figure_2(known.get("Fig. 2")),
            store,
            "paper2_fig2.png",
        ),
        Table(
            "Fig. 3, lifetimes of ring, bar and Gaussian",
            [
                Cell(
                    "ring, bar, Gaussian", f"lifetime of {k} clusters", p, found, None, DATA_DIFFER
                )
                for k, p in FIGURE_3.items()
                for found in [lives.get(f"lifetime of {k} clusters", ())]
            ],
            0.1,
            2,
            f"{FIGURE_3_PARTITIONS} partitions, k in {list(FIGURE_3_K)}, single link. Number of "
            f"clusters with the longest lifetime: {_clusters(lives.get('clusters', []))} "
            "(published: 3). Each run draws its own points; the picture shows the first run.",
            pictures_in(store, "paper2_fig3.png"),
        ),
        note("Fig. 4, cigars", _figure_4(known.get("Fig. 4")), store, "paper2_fig4.png"),
        note(
            "Fig. 5, agreement with ensembles",
            _figure_5(known.get("Fig. 5")),
            store,
            "paper2_fig5.png",
        ),
        note("Fig. 6, test data", _figure_6(known.get("Fig. 6")), store, "paper2_fig6.png"),
        note("Fig. 7", _figure_7(known), store, "paper2_fig7.png"),
        note("Fig. 8", "\n".join(known.get("Fig. 8", [])).strip(), store, "paper2_fig8.png"),
        note("Fig. 9", half_rings[0], store, "paper2_fig9.png"),
        note("Fig. 10", half_rings[1] and f"Fig. 10: {half_rings[1]}", store, "paper2_fig10.png"),
        not_attainable("Fig. 11, texture image", "No copy of the image is available."),
        Table(
            "Fig. 12, Complex image by lifetime",
            [
                Cell(
                    "Complex image", "clusters", 13, scene.get("clusters", ()), None, DATA_DIFFER
                ),
                Cell("Complex image", "error %", 1.2, scene.get("error", ()), None, DATA_DIFFER),
            ],
            1.0,
            remark="Majority matching, because there are more clusters than classes. The error of "
            "spectral clustering (SC) into eight clusters is in Table 2. The picture shows the "
            "first run.",
            pictures=pictures_in(store, "paper2_fig12.png"),
        ),
        note("Section 5.3, smallest k by a mixture", known.get("Section 5.3", "")),
    ]


def _clusters(numbers: list[float]) -> str:
    values, counts = np.unique(numbers, return_counts=True)
    listed = [f"{k:.0f} in {c}" for k, c in zip(values, counts, strict=True)]
    return f"{', '.join(listed)} of {len(numbers)} runs" if listed else "–"


def _figure_1(found: dict[str, list[float]] | None) -> str:
    if not found:
        return ""
    printed = {FIGURE_1_KMEANS: 8, **{panel: k for panel, (_, _, k) in FIGURE_1.items()}}
    rows = [
        [panel, str(printed[panel]), f"{clusters:.0f}", f"{error:.1f}"]
        for panel, (clusters, error) in found.items()
    ]
    return (
        "Drawn data: the paper's points are not available, and their scale, to which the "
        "thresholds refer, may differ. Errors: one-to-one matching, which counts the objects of "
        "surplus clusters as errors. One run of k-means.\n\n"
        + markdown(["panel", "clusters, published", "clusters, measured", "error %"], rows)
    )


def _figure_2(found: dict[str, list[float]] | None) -> str:
    if not found:
        return ""
    rows = [[name, *(f"{v:.3f}" for v in values)] for name, values in found.items()]
    return (
        "Drawn data: the paper's points are not available. Mean similarity of pairs of objects; "
        "(d) is scaled to [0, 1]. The matrices of the picture are ordered by class, and within a "
        "class by the dendrogram of Fig. 3.\n\n"
        + markdown(["similarity", "within classes", "between classes"], rows)
    )


def _figure_4(found: dict[str, list[int]] | None) -> str:
    if not found:
        return ""
    rows = [[k, ", ".join(map(str, sizes))] for k, sizes in found.items()]
    return (
        "Drawn data: the paper's points are not available. The two dense clusters, and partitions "
        "of the rest.\n\n" + markdown(["clusters", "sizes"], rows)
    )


def _figure_7(known: dict[str, Any]) -> str:
    said = "\n".join(known.get("Fig. 7", [])).strip()
    rows = [
        [setting, *(f"{value:.3f}" for value in own[::2])]
        for setting, own in known.get("Fig. 7, means", {}).items()
    ]
    header = ["mean NMI", *(f"k = {k}" for k in NUMBERS[::2])]
    return f"{said}\n\n{markdown(header, rows)}" if rows else said


def _figure_5(found: dict[str, list[float]] | None) -> str:
    if not found:
        return ""
    rows = [[name, *[f"{v:.3f}" for v in values]] for name, values in found.items()]
    return "Mean NMI, arithmetic, by the number of clusters of the partition.\n\n" + markdown(
        ["ensemble", *map(str, FIGURE_5)], rows
    )


def _figure_6(found: dict[str, list[int]] | None) -> str:
    if not found:
        return ""
    rows = [
        [
            name,
            *(text for own in (FIGURE_6[name], sizes) for text in (str(sum(own)), _listed(own))),
        ]
        for name, sizes in found.items()
    ]
    header = ["data", "n, published", "classes, published", "n, measured", "classes, measured"]
    return (
        "The random data and the 3-rings are drawn. The half-rings are most likely the paper's "
        "points if their file is available, and drawn otherwise.\n\n" + markdown(header, rows)
    )


def _listed(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes)) if len(sizes) > 1 else "–"
