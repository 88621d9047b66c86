"""The pages of the papers say what the runs that are kept beside them say, and nothing else."""

import pytest

from studies import all as every
from studies._cells import Setting, index
from studies._store import Store


def report(study):
    return study.report(Setting(every.PAGES / "no data", Store(every.PAGES, study.NAME), 1, 0))


@pytest.mark.parametrize("study", every.STUDIES, ids=lambda study: study.NAME)
def test_a_page_shows_the_kept_runs(study):
    page = (every.PAGES / f"{study.NAME}.md").read_text(encoding="utf-8")
    assert page.rstrip() == report(study).page().rstrip()


def test_the_index_counts_the_kept_runs():
    listed = (every.PAGES / "index.md").read_text(encoding="utf-8")
    assert listed.rstrip() == index([report(study) for study in every.STUDIES]).rstrip()
