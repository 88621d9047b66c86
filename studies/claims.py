"""What the five papers say in words, beside what the kept runs say.

    python -m studies.claims [--out docs/studies] [--pages docs/studies]

Sentences that say that something is better, grows with something, is the fastest or is robust,
in our words, with our figure, a test and a verdict.  Reads the stores <out>/<paper>.jsonl and
writes ``claims.md`` to --pages; measures nothing.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from studies import paper0_claims, paper1_claims, paper2_claims, paper3_claims, paper4_claims
from studies._claims import VERDICTS, section
from studies._store import Store
from studies._table import markdown

PAGES = Path(__file__).parents[1] / "docs" / "studies"
PAPERS = {
    "paper0": ("Paper 0: Domeniconi and Al-Razgan 2009", paper0_claims.CLAIMS),
    "paper1": ("Paper 1: Li, Yu, Hao and Li 2007", paper1_claims.CLAIMS),
    "paper2": ("Paper 2: Fred and Jain 2005", paper2_claims.CLAIMS),
    "paper3": ("Paper 3: Fern and Lin 2008", paper3_claims.CLAIMS),
    "paper4": ("Paper 4: Huang, Wang and Lai 2017", paper4_claims.CLAIMS),
}


def page(folder: Path) -> str:
    """All claims, from the stores of a folder."""
    texts, rows = [], []
    for name, (title, claims) in PAPERS.items():
        store = Store(folder, name)
        outcomes = [(claim, claim.outcome(store)) for claim in claims]
        found = Counter(own.verdict for _, own in outcomes)
        rows.append([title, str(len(claims)), *[str(found[verdict]) for verdict in VERDICTS]])
        texts.append(section(title, outcomes))
    said = (
        "What the papers say in words, in ours, beside what our runs say. A sentence about "
        "several data sets holds if it is right on each that can be had, in part if on at least "
        "half of them, and fails otherwise. A comparison of means is right by its sign; the "
        "t-tests beside it tell how many differences are more than chance, and of twenty such "
        "tests one comes out by chance. How our data and settings differ from those of the papers "
        "is on their pages.\n\n"
    )
    table = markdown(["", "claims", *VERDICTS], rows)
    return f"{said}{table}\n\n" + "\n".join(texts)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--out", type=Path, default=PAGES, help="folder of the kept runs")
    options.add_argument("--pages", type=Path, default=PAGES, help="folder for claims.md")
    given = options.parse_args()
    write(given.out, given.pages)
    print(page(given.out))


def write(kept: Path, pages: Path) -> None:
    """Write ``claims.md``."""
    pages.mkdir(parents=True, exist_ok=True)
    (pages / "claims.md").write_text(page(kept).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
