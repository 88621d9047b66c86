"""An export as a company may have it: customers of four segments, in a messy table.

``python -m studies.export customers.csv`` writes the table that docs/guide/export.md walks
through: German numbers, amounts and dates, Windows encoding, a code for missing values, rows that
occur twice, postal codes, a target, and three categories that have nothing to do with segments.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

#: Mean sales, share of returns, days since the first purchase, and visits of each segment.
SEGMENTS = np.array(
    [[250, 4, 300, 3], [1800, 6, 1500, 12], [1500, 28, 700, 30], [6000, 10, 2500, 9]]
)
SPREAD = np.array([0.18, 1.5, 120, 1.5])


def messy_export(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw the table, with all cells as text, and the segment of each row."""
    rng = np.random.default_rng(seed)
    segment = rng.integers(0, len(SEGMENTS), n)
    sales, returns, days, visits = SEGMENTS[segment].T
    sales = sales * np.exp(SPREAD[0] * rng.normal(size=n))
    returns = np.maximum(0, returns + SPREAD[1] * rng.normal(size=n))
    days = days + SPREAD[2] * rng.normal(size=n)
    visits = np.maximum(0, np.round(visits + SPREAD[3] * rng.normal(size=n)))
    age = np.where(rng.random(n) < 0.03, -999, np.round(rng.normal(45, 12, n)))
    first = pd.Timestamp("2024-12-31") - pd.to_timedelta(np.round(days), "D")
    frame = pd.DataFrame(
        {
            "Kundennr": rng.permutation(n) * 7 + 10_000,
            "Umsatz": [f"{german(value)} €" for value in sales],
            "Rückgabequote": [f"{german(value, 1)} %" for value in returns],
            "Erstkauf": first.strftime("%d.%m.%Y"),
            "Besuche": visits.astype(int),
            "Alter": age.astype(int),
            "Region": rng.choice(["Nord", "Süd", "Ost", "West"], n),
            "Kanal": rng.choice(["Filiale", "Internet", "Telefon"], n),
            "Tarif": rng.choice([f"T{i}" for i in range(1, 7)], n),
            "PLZ": rng.integers(10_000, 99_999, n),
            "churn": (rng.random(n) < np.array([0.4, 0.1, 0.3, 0.05])[segment]).astype(int),
        }
    )
    twice = rng.choice(n, 8, replace=False)
    rows = np.concatenate([np.arange(n), twice])
    return frame.iloc[rows].astype(str), segment[rows]


def german(value: float, digits: int = 2) -> str:
    """Format a number with points between thousands and a decimal comma."""
    return f"{value:,.{digits}f}".replace(",", " ").replace(".", ",").replace(" ", ".")


def write_export(path: str | Path, seed: int = 0) -> None:
    """Write the table as a German spreadsheet program does."""
    messy_export(seed=seed)[0].to_csv(path, sep=";", index=False, encoding="cp1252")


if __name__ == "__main__":
    write_export(sys.argv[1])
