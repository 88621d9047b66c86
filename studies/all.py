"""All tables and figures of the five papers: what is inside tolerance, measured, not attainable.

    python -m studies.all --data DIR --out STORE [--runs N] [--seed 0] [--pages docs/studies]
                          [--from-store]

Runs the study of every paper, keeps every run in STORE, and prints one line per table and figure.
A study that was stopped goes on; a longer one continues a shorter one.  With --pages the page of
each paper and ``index.md`` are written there.
"""

from __future__ import annotations

from studies import paper0, paper1, paper2, paper3, paper4
from studies._cells import index, run_study, study_options, write_pages

STUDIES = (paper0, paper1, paper2, paper3, paper4)


def main() -> None:
    options = study_options(__doc__, runs=10)
    given = options.parse_args()
    if given.out is None:
        options.error("--out is missing: the folder in which the runs are kept")
    reports = []
    for study in STUDIES:
        reports.append(run_study(study, given))
        if given.pages is not None:
            write_pages(given.pages, study.NAME, reports[-1])
    print(index(reports))


if __name__ == "__main__":
    main()
