"""Fred and Jain 2005, evidence accumulation: published beside measured.

    python -m studies.paper2 --data DIR [--runs 20] [--seed 0]

Table 3: every base clustering is k-means with k = the number of classes, 50 of them in an
ensemble; error rate in %, mean over the runs.  Features are used as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from consens import measure
from consens.consensus import EAC
from consens.generate import KMeansEnsemble
from studies._data import MissingData, first_of_each, load
from studies._table import markdown, measured

N_PARTITIONS = 50

Reader = Callable[[Path], tuple[np.ndarray, np.ndarray]]

DATA: dict[str, Reader] = {
    "Iris": lambda folder: load(folder, "iris"),
    "Breast Cancer": lambda folder: load(folder, "breast_w"),
    "Optical Digits": lambda folder: first_of_each(*load(folder, "optdigits_tra"), size=100),
}

# error %, as printed: k-means (mean), EAC with single link, with average link
TABLE_3 = {
    "Iris": (18.1, 11.1, 11.1),
    "Breast Cancer": (3.9, 4.0, 4.0),
    "Optical Digits": (27.4, 56.6, 23.2),
}


def table_3(folder: Path, runs: int, seed: int) -> str:
    """Combining partitions of k-means whose k is the number of classes."""
    rows = []
    for name, published in TABLE_3.items():
        try:
            X, y = DATA[name](folder)
        except MissingData as error:
            rows.append([name, "", *[f"{p:.1f} / –" for p in published]])
            sys.stderr.write(f"{error}\n")
            continue
        k = len(np.unique(y))
        errors = np.array([one_run(X, y, k, seed + run) for run in range(runs)]) * 100
        rows.append(
            [name, str(k)]
            + [f"{p:.1f} / {measured(e)}" for p, e in zip(published, errors.T, strict=True)]
        )
    header = ["data", "k", "k-means (mean)", "EAC single link", "EAC average link"]
    return markdown(header, rows)


def one_run(X: np.ndarray, y: np.ndarray, k: int, seed: int) -> list[float]:
    """Error of the members (mean), of EAC with single and with average link."""
    ensemble = KMeansEnsemble(N_PARTITIONS, n_clusters=k, random_state=seed).fit_transform(X)
    errors = [float(np.mean([measure.error_rate(y, member) for member in ensemble.labels.T]))]
    for linkage in ("single", "average"):
        errors.append(measure.error_rate(y, EAC(k, linkage=linkage).fit_predict(ensemble)))
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of <name>.parquet files")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(
        "Table 3 of Fred and Jain 2005: error rate in %, published / measured "
        f"(mean ± sd of {options.runs} runs, {N_PARTITIONS} partitions, "
        f"seeds from {options.seed})\n"
    )
    print(table_3(options.data, options.runs, options.seed))


if __name__ == "__main__":
    main()
