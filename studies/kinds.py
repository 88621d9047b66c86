"""Pictures of the four kinds of members on one drawn set, for the guide.

python -m studies.kinds [--out docs/_static/kinds.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from consens.generate import MixedEnsemble
from consens.generate.mixed import MEMBER_KINDS

TITLES = {
    "kmeans": "kmeans: small round pieces",
    "spectral": "spectral: dense regions",
    "mixture": "mixture: different extent",
    "tree": "tree: gaps",
}


def draw(seed: int = 0) -> np.ndarray:
    """A wide and a narrow Gaussian group, and a bent one."""
    rng = np.random.default_rng(seed)
    wide, narrow = rng.normal(0, 1.0, (150, 2)), rng.normal([3.2, 0], 0.2, (100, 2))
    angle = rng.uniform(0, np.pi, 200)
    bent = np.column_stack([1.2 + 3 * np.cos(angle), 1.8 + 3 * np.sin(angle)])
    return np.vstack([wide, narrow, rng.normal(bent, 0.15)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/_static/kinds.png"))
    options = parser.parse_args()
    X = draw()
    figure = Figure(figsize=(9, 2.6), layout="constrained")
    for ax, kind in zip(figure.subplots(1, len(MEMBER_KINDS)), MEMBER_KINDS, strict=True):
        ensemble = MixedEnsemble(4, kinds=[kind], n_clusters=3, random_state=0).fit_transform(X)
        ax.scatter(
            *X.T,
            s=5,
            c=ensemble.labels[:, np.argmin(ensemble.n_clusters)],
            cmap="tab20",
            linewidths=0,
        )
        ax.set_title(TITLES[kind], fontsize=9)
        ax.set_aspect("equal")
        ax.set_axis_off()
    figure.savefig(options.out, dpi=150)


if __name__ == "__main__":
    main()
