"""The tools of the report in a browser: downloads, names that are kept, annotations on the map."""

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import consens
from consens import ConsensusClustering
from consens.generate import KMeansEnsemble

from . import _browser

pytestmark = pytest.mark.skipif(
    _browser.installed() is None, reason="Chromium is not installed (Debian: chromium)"
)

EVIL = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Three clear groups, one of them of four objects, with two annotations."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(3), [40, 40, 4])
    X = pd.DataFrame(np.array([[0, 0], [9, 0], [0, 30]])[y] + rng.normal(size=(84, 2)))
    X.columns = ["width", "=height"]
    members = KMeansEnsemble(20, n_clusters=(3, 6))
    model = ConsensusClustering(3, generator=members, consensus="lwea", random_state=0).fit(X)
    path = tmp_path_factory.mktemp("page") / "report.html"
    known = {"kind": np.array(["u", "v", EVIL])[y], "age": rng.normal(size=84)}
    consens.report(model, path, X, title="Blobs & more", annotate=known)
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with _browser.Browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def opened(browser, page):
    browser.resize(1280, 800)
    browser.open(page)
    yield browser
    assert browser.complaints == []


def test_alerts_come_first(opened):
    assert "fewer than 5 objects: 2 (4)" in opened.evaluate(
        "document.querySelector('main > section').textContent"
    )


def test_every_figure_has_two_sentences_and_downloads(opened):
    lacking = opened.evaluate(
        "[...document.querySelectorAll('figure[data-file]')].filter(f => !f.querySelector('.ask') "
        "|| f.querySelectorAll('.tools button').length !== 2).map(f => f.dataset.file)"
    )
    assert lacking == []
    explained = opened.evaluate("[...document.querySelectorAll('.ask p')].map(p => p.textContent)")
    assert len(explained) >= 6
    assert all(len(re.findall(r"[.](?: |$)", text)) == 2 for text in explained), explained


def test_figures_are_saved_as_files_of_their_own(opened):
    for name in ("map", "consensus-matrix", "tracking"):
        figure = f"document.querySelector('figure[data-file={name}]')"
        text = opened.evaluate(f"figureText({figure})")
        assert text.startswith("<svg")
        assert "var(--" not in text
        parsed = opened.evaluate(
            f"new DOMParser().parseFromString(figureText({figure}), 'image/svg+xml')"
            ".querySelector('parsererror') === null"
        )
        assert parsed
        size = opened.evaluate(f"figureImage({figure}).then(blob => [blob.type, blob.size])")
        assert size[0] == "image/png"
        assert size[1] > 2000


def test_tables_are_saved_as_csv(opened):
    rows = list(csv.reader(io.StringIO(opened.evaluate(
        "tableText(document.querySelector('table[data-file=profile]'))"
    ))))  # fmt: skip
    assert rows[0][:3] == ["Cluster", "Objects", "Column"]
    assert len({len(row) for row in rows}) == 1
    assert {row[0] for row in rows[1:]} == {"0", "1", "2"}
    assert {row[2] for row in rows[1:]} == {"width", "'=height"}  # never a formula
    assert any(row[6].startswith("-") for row in rows[1:])  # but a number stays one


def test_names_are_shown_and_kept_in_a_saved_copy(opened, tmp_path):
    opened.evaluate(
        "(() => { const input = document.querySelectorAll('.naming input')[1];"
        f"input.value = 'tall {EVIL.replace('/', chr(92) + '/')}';"
        "input.dispatchEvent(new Event('input')); })()"
    )
    name = "1 tall " + EVIL
    shown = "[...document.querySelectorAll('.clusters tbody th')].map(e => e.textContent)"
    assert opened.evaluate(shown) == ["0", name, "2"]
    assert (
        opened.evaluate("document.querySelectorAll('.profile .cluster-name')[1].textContent")
        == name
    )
    opened.evaluate(
        "window.saved = null; URL.createObjectURL = (b) => { window.saved = b; return '#'; };"
        "document.querySelector('.save button').click()"
    )
    copy = tmp_path / "copy.html"
    copy.write_text(opened.evaluate("window.saved.text()"), encoding="utf-8")
    for _ in range(2):  # a copy of the copy is the same
        opened.open(copy)
        assert opened.complaints == []
        assert opened.evaluate(shown) == ["0", name, "2"]
        assert opened.evaluate("document.querySelectorAll('.map > svg').length") == 1
        assert opened.evaluate("document.querySelectorAll('.plane .tools').length") == 1
        opened.evaluate(
            "URL.createObjectURL = (b) => { window.saved = b; return '#'; };"
            "document.querySelector('.save button').click()"
        )
        copy.write_text(opened.evaluate("window.saved.text()"), encoding="utf-8")


def test_annotations_colour_the_map(opened):
    before = opened.evaluate("document.querySelector('.map canvas').toDataURL()")
    choose = (
        "(() => { const s = document.querySelector('.paint select'); s.value = '%s';"
        "s.dispatchEvent(new Event('change')); })()"
    )
    legend = "[...document.querySelectorAll('.legend > span')].map(e => e.textContent)"
    opened.evaluate(choose % 0)
    assert opened.evaluate(legend) == ["u", "v", EVIL]
    opened.evaluate(choose % 1)
    assert opened.evaluate("document.querySelectorAll('.legend i').length") == 10
    assert opened.evaluate("document.querySelector('.map canvas').toDataURL()") != before
    opened.evaluate(choose % "")
    assert opened.evaluate("document.querySelector('.map canvas').toDataURL()") == before


def test_small_clusters_are_named_in_the_heat_map(opened):
    texts = "[...document.querySelectorAll('.matrix svg text')].map(e => e.textContent)"
    assert {"0", "1", "2"} <= set(opened.evaluate(texts))


def test_the_profile_needs_no_scrolling_on_a_phone(browser, page):
    browser.resize(390, 800, mobile=True)
    browser.prefer("light")
    browser.open(page)
    cells = "[...document.querySelectorAll('.profile td')].filter(e => e.textContent)"
    ends = browser.evaluate(f"{cells}.map(e => e.getBoundingClientRect().right)")
    assert len(ends) > 10
    assert max(ends) <= 390


def test_dates_of_the_profile_do_not_overlap_on_a_phone(browser, tmp_path):
    """A range of two dates is longer than the column of its cell."""
    group = np.arange(40) % 2
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(300 * group + np.arange(40), "D")
    frame = pd.DataFrame({"first order": days, "sales": 9.0 * group + np.arange(40) / 40})
    model = make_pipeline(consens.TableFeatures(), consens.ConsensusClustering(2, scale="none"))
    consens.report(model.fit(frame), tmp_path / "a.html", frame)
    browser.resize(390, 800, mobile=True)
    browser.open(tmp_path / "a.html")
    cells = "[...document.querySelectorAll('.profile td')].filter(e => e.textContent)"
    assert browser.evaluate(f"{cells}.some(e => e.textContent.includes(' to 2020-'))")
    assert browser.evaluate(f"{cells}.every(e => e.scrollWidth <= e.clientWidth)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out_on_a_phone(browser, page, scheme):
    browser.prefer(scheme)
    browser.resize(390, 800, mobile=True)
    browser.open(page)
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
