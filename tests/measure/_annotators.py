"""Drawn annotators, for tests."""

import numpy as np
import pandas as pd


def draw_annotators(seed, n=300, n_names=4, n_annotators=5, least=0.85):
    """Draw classes, and labels of annotators with errors and 10 to 50 % gaps.

    Objects without a label are left out; also returns the share of right labels of each."""
    rng = np.random.default_rng(seed)
    names = np.array(["low", "mid", "high", "none"])[:n_names]
    classes = rng.choice(n_names, n, p=rng.dirichlet(np.full(n_names, 5.0)))
    columns, right = {}, []
    for annotator in range(n_annotators):
        accuracy = rng.uniform(least, 0.99)
        wrong = (classes + rng.integers(1, n_names, n)) % n_names
        labels = np.where(rng.random(n) < accuracy, classes, wrong)
        cells = names[labels].astype(object)
        seen = rng.random(n) >= rng.uniform(0.1, 0.5)
        cells[~seen] = None
        columns[f"annotator {annotator}"] = cells
        right.append((labels == classes)[seen].mean())
    frame = pd.DataFrame(columns)
    seen = frame.notna().any(axis=1).to_numpy()
    return classes[seen], frame[seen].reset_index(drop=True), np.array(right)
