"""All tables, figures and claims of the five papers: what is inside, measured, not attainable.

    python -m studies.all --data DIR [--runs N] [--seed 0] [--out docs/studies]
                          [--pages docs/studies] [--from-store]

Runs the study of every paper and keeps every run in ``<out>/<paper>.jsonl``; what is there is not
measured again, so that a study that was stopped goes on.  The runs behind the published pages are
in docs/studies: give another --out to measure everything anew.  Writes the page of each paper,
``index.md``, one line per table and figure, and ``claims.md``, what the papers say in words, to
--pages, and prints that index.
"""

from __future__ import annotations

from pathlib import Path

from studies import claims, paper0, paper1, paper2, paper3, paper4
from studies._cells import index, run_study, study_options, write_pages

STUDIES = (paper0, paper1, paper2, paper3, paper4)
PAGES = Path(__file__).parents[1] / "docs" / "studies"


def main() -> None:
    options = study_options(__doc__)
    options.set_defaults(out=PAGES, pages=PAGES)
    given = options.parse_args()
    reports = []
    for study in STUDIES:
        reports.append(run_study(study, given))
        write_pages(given.pages, study.NAME, reports[-1])
    claims.write(given.out, given.pages)
    print(index(reports))


if __name__ == "__main__":
    main()
