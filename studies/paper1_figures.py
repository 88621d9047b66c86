"""Figures 1 and 2 of Li, Yu, Hao and Li 2007: similarities of the 2-spirals, maps of CA-HNE.

Numbers come from the store of `studies.paper1`, pictures go to its folder.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist, squareform

from consens.consensus import CAHNE
from consens.evidence import coassociation
from consens.generate import KMeansEnsemble
from consens.measure import error_rate
from studies._cells import Setting
from studies._pictures import plt, save
from studies.paper1 import DATA, THRESHOLD
from studies.paper1_thresholds import N_PARTITIONS_HNE, START

SCENES = {"a": "Complex image", "b": "3-paths"}
PICTURES = {"Fig. 1": "paper1_fig1.png", "Fig. 2": "paper1_fig2.png"}


def figure_1(given: Setting) -> dict[str, float]:
    """Mean similarity of pairs within and between the spirals, and the share above θ."""
    data = DATA["2-spirals"].read(given.data, given.seed)
    made = KMeansEnsemble(N_PARTITIONS_HNE, n_clusters=60, init=START, random_state=given.seed)
    distances = squareform(pdist(data.X))
    matrices = {
        "Euclidean": 1 - distances / distances.max(),
        "co-association": np.asarray(coassociation(made.fit_transform(data.X))),
    }
    rows, columns = np.triu_indices(len(data.y), 1)
    same = data.y[rows] == data.y[columns]
    found = {}
    for name, matrix in matrices.items():
        pairs = matrix[rows, columns]
        for kind, own in (("within", pairs[same]), ("between", pairs[~same])):
            found[f"{name}, {kind}, mean"] = float(own.mean())
            found[f"{name}, {kind}, share above {THRESHOLD}"] = float((own > THRESHOLD).mean())
    if given.store.file is not None:
        order = np.argsort(data.y, kind="stable")
        figure, axes = plt.subplots(1, 4, figsize=(13, 3.4), layout="constrained")
        axes[0].scatter(*data.X.T, c=data.y, s=8, cmap="coolwarm")
        axes[0].set(title="(a) 2-spirals", box_aspect=1, xticks=[], yticks=[])
        shown = {
            f"({panel}) {name}": matrix[np.ix_(order, order)]
            for panel, (name, matrix) in zip("bc", matrices.items(), strict=True)
        }
        shown["(d) first 40 objects of (c)"] = shown["(c) co-association"][:40, :40]
        for ax, (title, matrix) in zip(axes[1:], shown.items(), strict=True):
            image = ax.imshow(matrix, cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
            last = len(matrix)
            ax.set(title=title, xticks=[0, last // 2, last], yticks=[0, last // 2, last])
        figure.colorbar(image, ax=axes, label="similarity", pad=0.01, aspect=15)
        save(figure, given.store.file.parent / PICTURES["Fig. 1"])
    return found


def figure_2(given: Setting) -> dict[str, float]:
    """Errors of CA-HNE on the two scenes, and their maps."""
    errors = {}
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
    for ax, (panel, name) in zip(axes, SCENES.items(), strict=True):
        data, base = DATA[name].read(given.data, given.seed), DATA[name].k_hne[0]
        made = KMeansEnsemble(
            N_PARTITIONS_HNE, n_clusters=base, init=START, random_state=given.seed
        )
        labels = CAHNE(data.k, threshold=THRESHOLD).fit_predict(made.fit_transform(data.X))
        errors[f"{name}, base k {base}"] = found = error_rate(data.y, labels)
        background = data.y == -1
        colours = np.array(plt.get_cmap("tab10").colors)[labels]  # type: ignore[attr-defined]
        ax.scatter(*data.X[~background].T, c=colours[~background], s=10, linewidths=0)
        ax.scatter(*data.X[background].T, c=colours[background], s=18, marker="x", linewidths=0.8)
        ax.set(title=f"({panel}) {name}, error {found:.3f}", xticks=[], yticks=[], box_aspect=1)
        ax.set_aspect("equal", adjustable="datalim")
    figure.supxlabel("× background, which does not count as an error", fontsize="medium")
    if given.store.file is not None:
        save(figure, given.store.file.parent / PICTURES["Fig. 2"])
    plt.close(figure)
    return errors
