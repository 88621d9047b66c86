"""The report in a browser: no complaints, the control works, on a phone, in the dark, on paper."""

import io
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import consens
from consens import ConsensusClustering
from consens.consensus import LWEA
from consens.generate import KMeansEnsemble

from . import _browser

pytestmark = pytest.mark.skipif(
    _browser.installed() is None, reason="Chromium is not installed (Debian: chromium)"
)

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report on four overlapping groups, with names that are up to no good."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(4), 30)
    X = pd.DataFrame(
        np.array([[0, 0], [4, 0], [0, 4], [9, 9]])[y] + rng.normal(size=(120, 2)),
        columns=[EVIL, "a feature with quite a long name, such as people use"],
        index=[f"{EVIL} {i}" for i in range(120)],
    )
    members = KMeansEnsemble(20, n_clusters=(2, 7))
    model = ConsensusClustering(4, generator=members, consensus="lwea", random_state=0).fit(X)
    path = tmp_path_factory.mktemp("page") / "report.html"
    consens.report(model, path, X, title=EVIL)
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with _browser.Browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def opened(browser, page):
    browser.prefer("light")
    browser.resize(1280, 800)
    browser.open(page)
    yield browser
    assert browser.complaints == []
    elsewhere = [
        url for url in browser.requests if not url.startswith((f"file://{page}", "data:"))
    ]
    assert elsewhere == []


def count(browser, selector):
    return browser.evaluate(f"document.querySelectorAll({selector!r}).length")


def text(browser, selector):
    return browser.evaluate(f"document.querySelector({selector!r}).textContent")


def brightness(png):
    import matplotlib.image

    return matplotlib.image.imread(io.BytesIO(png))[..., :3].mean()


def test_loads_and_draws(opened):
    assert text(opened, ".number").split() == ["4", "clusters"]
    assert count(opened, ".clusters tbody tr") == 4
    assert count(opened, ".card") == 4
    squares = opened.evaluate(
        "[...document.querySelectorAll('.matrix path')].map(e => e.getAttribute('d')).join('')"
    )
    assert squares.count("z") > 100
    assert count(opened, ".plots svg") == 1  # tracking


def shown_tip(browser, i):
    """Point at an object and read what the map says about it."""
    # at once: a page that still scrolls has the point elsewhere when the pointer comes
    browser.evaluate("document.querySelector('.map').scrollIntoView({behavior: 'instant'})")
    x, y = browser.evaluate(
        f"(() => {{ const r = document.querySelector('.map svg circle:nth-of-type({i})');"
        " const b = r.getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    return browser.evaluate(
        "[...document.querySelectorAll('.tip:not([hidden]) > *')].map(e => e.textContent)"
    )


def search(browser, wanted):
    browser.evaluate(
        f"{{ const i = document.querySelector('.find input'); i.value = {wanted!r};"
        " i.dispatchEvent(new Event('input')); }"
    )


def painted(browser):
    """The points of the map."""
    return browser.evaluate("document.querySelector('.map canvas').toDataURL()")


def point_at(browser, selector):
    browser.evaluate(
        f"document.querySelector({selector!r})"
        ".dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
    )


def test_the_map_says_who_a_point_is(opened):
    search(opened, "</script> 95")  # the only match: one ring on the map
    assert count(opened, ".map svg circle") == 1
    lines = shown_tip(opened, 1)
    assert lines[0] == f"{EVIL} 95"
    assert lines[1].startswith("cluster 3, confidence ")
    assert [line[:19] for line in lines[2:]] in ([], ["runner-up: cluster "])
    opened.call("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    assert count(opened, ".tip:not([hidden])") == 0


def press(browser, selector, which=0):
    browser.evaluate(f"document.querySelectorAll({selector!r})[{which}].click()")


def test_a_click_on_a_cluster_marks_its_objects(opened):
    before = painted(opened)
    point_at(opened, ".clusters tr[data-label='1']")
    lit = painted(opened)
    point_at(opened, "body")
    assert painted(opened) == before
    press(opened, ".clusters .pin", 1)
    point_at(opened, "body")
    assert painted(opened) == lit
    assert count(opened, "[data-pin=c1][aria-pressed=true]") == 2  # in the table and on its card
    press(opened, ".clusters .pin", 1)
    assert painted(opened) == before


def test_a_click_on_a_group_of_the_tree_marks_its_objects(opened):
    before = painted(opened)
    assert count(opened, ".splits > li > ul > li") == 2
    press(opened, ".splits .pin", 1)
    marked = painted(opened)
    assert marked != before
    press(opened, ".splits .pin", 0)
    assert painted(opened) == before  # all objects
    press(opened, ".splits .pin", 0)
    assert count(opened, ".pin[aria-pressed=true]") == 0


def test_a_click_on_an_object_says_why(opened):
    search(opened, "</script> 95")
    shown_tip(opened, 1)
    x, y = opened.evaluate(
        "(() => { const b = document.querySelector('.map svg circle').getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        opened.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    assert text(opened, ".plane > .reason").startswith(f"×{EVIL} 95 is in cluster 3, confidence ")
    press(opened, ".found .asked")
    assert text(opened, "tr.reason").startswith(f"{EVIL} 95 is in cluster 3, confidence ")
    assert count(opened, ".asked[aria-expanded=true]") == 1
    press(opened, ".found .asked")
    assert count(opened, "tr.reason") == 0
    press(opened, ".reason .close")
    assert count(opened, "div.reason:not([hidden])") == 0


def test_borderline_objects_say_why(opened):
    if count(opened, ".fence tbody tr") == 0:
        pytest.skip("no object is borderline")
    press(opened, ".fence .asked")
    lines = opened.evaluate(
        "[...document.querySelectorAll('tr.reason li')].map(e => e.textContent)"
    )
    assert any(" means " in line for line in lines)


def test_search_marks_objects_on_the_map(opened):
    search(opened, "</script> 11")
    assert count(opened, ".map svg circle") == 11
    search(opened, "")
    assert count(opened, ".map svg circle") == 0


def test_a_card_lights_up_its_cluster(opened):
    before = painted(opened)
    point_at(opened, ".card[data-label='1']")
    lit = painted(opened)
    assert lit != before
    point_at(opened, "body")
    assert painted(opened) == before
    point_at(opened, ".clusters tr[data-label='1']")
    assert painted(opened) == lit
    opened.evaluate("document.querySelectorAll('.card button')[1].click()")
    point_at(opened, "body")
    assert painted(opened) == lit  # stays, because it is pinned
    assert count(opened, ".card button[aria-pressed=true]") == 1


def test_the_map_follows_the_control_and_the_window(opened):
    numbers = "[...document.querySelectorAll('.map text')].map(e => e.textContent)"
    assert sorted(opened.evaluate(numbers)) == list("0123")
    opened.evaluate("document.querySelector('.k input[value=\"6\"]').click()")
    assert sorted(opened.evaluate(numbers)) == list("012345")
    opened.resize(390, 844, mobile=True)
    opened.evaluate("new Promise(done => setTimeout(done, 200))")
    width = opened.evaluate("document.querySelector('.map canvas').width")
    assert width == opened.evaluate("document.querySelector('.map').clientWidth") < 390
    assert len(painted(opened)) > 2000  # an empty canvas is shorter


def test_the_first_screen_of_a_laptop_answers(opened):
    bottoms = opened.evaluate(
        "[...document.querySelectorAll('.number, .gauge, .answer p, .clusters tbody tr, .k')]"
        ".map(e => e.getBoundingClientRect().bottom)"
    )
    assert len(bottoms) >= 9
    assert max(bottoms) <= 800


def test_the_control_shows_another_number(opened):
    before = opened.evaluate("document.querySelector('.matrix svg').innerHTML")
    opened.evaluate("document.querySelector('.k input[value=\"6\"]').click()")
    assert count(opened, ".clusters tbody tr") == 6
    assert count(opened, ".card") == 6
    assert "Shown: 6 clusters" in text(opened, ".state")
    assert opened.evaluate("document.querySelector('.matrix svg').innerHTML") != before
    assert text(opened, ".numbers tr.shown th").strip() == "6"
    sizes = opened.evaluate(
        "[...document.querySelectorAll('.clusters tbody td:nth-child(2)')]"
        ".map(e => parseInt(e.textContent))"
    )
    assert sum(sizes) == 120
    opened.evaluate("document.querySelector('.k input[value=\"4\"]').click()")
    assert opened.evaluate("document.querySelector('.matrix svg').innerHTML") == before


def test_the_control_works_by_keyboard(opened):
    opened.evaluate("document.querySelector('.k input:checked').focus()")
    opened.press("ArrowRight", 39)
    assert count(opened, ".clusters tbody tr") == 5
    opened.press("ArrowLeft", 37)
    opened.press("ArrowLeft", 37)
    assert count(opened, ".clusters tbody tr") == 3
    opened.evaluate("document.activeElement.blur()")
    opened.press("Tab", 9)
    outline = opened.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def test_objects_are_found_by_a_part_of_their_name(opened):
    search(opened, "</script> 11")
    names = opened.evaluate(
        "[...document.querySelectorAll('.found tbody td:first-child')].map(e => e.textContent)"
    )
    assert names == [f"{EVIL} {i}" for i in (11, *range(110, 120))]


def test_names_are_shown_and_never_run(opened):
    assert text(opened, "h1") == EVIL
    assert EVIL in text(opened, ".cards")
    assert count(opened, "script") == 2
    assert not any("dialog" in complaint for complaint in opened.complaints)


def test_on_a_phone_nothing_sticks_out(opened, page):
    opened.resize(390, 844, mobile=True)
    opened.open(page)
    assert opened.evaluate("document.documentElement.scrollWidth") == 390
    assert opened.evaluate("getComputedStyle(document.querySelector('.first')).display") == "grid"
    columns = opened.evaluate(
        "getComputedStyle(document.querySelector('.first')).gridTemplateColumns.split(' ').length"
    )
    assert columns == 1
    smallest = opened.evaluate(
        "Math.min(...[...document.querySelectorAll('.k label')]"
        ".map(e => e.getBoundingClientRect().height))"
    )
    assert smallest >= 32  # for a thumb


def test_in_the_dark(opened):
    light = brightness(opened.screenshot())
    opened.prefer("dark")
    dark = brightness(opened.screenshot())
    assert light > 0.8
    assert dark < 0.3
    ink = opened.evaluate("getComputedStyle(document.querySelector('.plots svg text')).fill")
    assert ink == opened.evaluate("getComputedStyle(document.body).color")


def test_candidates_switch_map_and_sizes_together(opened):
    numbers = "[...document.querySelectorAll('.candidate')].map(e => Number(e.dataset.k))"
    assert opened.evaluate(numbers)[0] == 4
    other = opened.evaluate(numbers)[1]
    parts = opened.evaluate(
        "document.querySelectorAll('.candidate')[1].querySelectorAll('i').length"
    )
    assert parts == other
    opened.evaluate("document.querySelectorAll('.candidate')[1].click()")
    assert count(opened, ".clusters tbody tr") == count(opened, ".map text") == other
    pressed = ".candidate[aria-pressed=true]"
    assert opened.evaluate(f"document.querySelector('{pressed}').dataset.k") == str(other)


def test_paper_is_wide_enough(opened, page):
    opened.resize(688, 1000)  # A4 without its margins
    opened.prefer("light", media="print")
    opened.open(page)
    assert opened.evaluate("document.documentElement.scrollWidth") == 688


def test_paper_holds_the_table_of_the_fence(browser, tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 3)) + 1.5 * (np.arange(80) % 2)[:, None]
    members = KMeansEnsemble(30, n_clusters=4, random_state=0).fit_transform(X)
    model = LWEA(4).fit(members)
    path = tmp_path / "fence.html"
    consens.report(model, path, X, ids=[f"an object, number {i}" for i in range(80)])
    browser.resize(688, 1000)
    browser.prefer("light", media="print")
    browser.open(path)
    assert count(browser, ".fence tbody tr") > 0
    assert browser.evaluate("document.documentElement.scrollWidth") == 688


@pytest.mark.slow
def test_many_clusters_with_long_names_fill_their_pages(browser, tmp_path):
    """Cards are two in a row, the tables are as wide as the page, and cells are not cut."""
    rng = np.random.default_rng(0)
    y = np.arange(240) % 20
    names = [f"net sales in thousands, of quarter {i} of the last year" for i in range(4)]
    ids = [f"Customer number {i} of the northern region" for i in range(240)]
    X = pd.DataFrame(9 * rng.normal(size=(20, 4))[y] + rng.normal(size=(240, 4)), ids, names)
    X["a known group with a long name"] = [f"group {g} of the second survey" for g in y]
    model = LWEA(20).fit(np.column_stack([y, y, rng.permutation(y)]))
    path = tmp_path / "many.html"
    consens.report(model, path, X, annotate=["a known group with a long name"])
    browser.prefer("light")
    browser.resize(1280, 800)
    browser.open(path)
    assert 0 < len(re.findall(rb"/Type /Page\b", browser.pdf())) <= 16
    browser.resize(688, 1000)
    browser.prefer("light", media="print")
    inside = "e.scrollWidth <= e.clientWidth + 1"
    cells = (
        f"[...document.querySelectorAll('.card, .clusters th, .fence th')].every(e => {inside})"
    )
    assert browser.evaluate(cells)
    side = "[...document.querySelectorAll('.cards')][0].querySelectorAll('.card')"
    tops = f"[...{side}].slice(0, 2).map(e => e.getBoundingClientRect().top)"
    assert len(set(browser.evaluate(tops))) == 1


def test_the_map_on_paper_is_as_wide_as_the_page_allows(browser, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(240) % 4
    X = pd.DataFrame(9 * np.eye(4)[y] + rng.normal(size=(240, 4)))
    X.columns = [f"a_name_of_many_words_{i}" for i in range(4)]
    path = tmp_path / "map.html"
    consens.report(LWEA(4).fit(np.column_stack([y, y, rng.permutation(y)])), path, X)
    browser.resize(688, 1000)
    browser.prefer("light", media="print")
    browser.open(path)
    box = "document.querySelector('.map canvas').getBoundingClientRect()"
    width, height = browser.evaluate(f"[{box}.width, {box}.height]")
    assert width > 600 or height > 350
    names = "[...document.querySelectorAll('.bars span:nth-child(3n+1)')]"
    assert browser.evaluate(f"{names}.every(e => e.querySelector('wbr'))")


def test_the_last_characters_of_long_names_on_the_map_are_an_ellipsis(browser, tmp_path):
    votes = pd.DataFrame({m: ["a name of more than 24 letters", "dog"] * 20 for m in "abc"})
    path = tmp_path / "names.html"
    consens.report(consens.combine(votes), path)
    browser.open(path)
    shown = browser.evaluate("[...document.querySelectorAll('.map text')].map(e => e.textContent)")
    assert sorted(shown) == ["0 a name of more than 2…", "1 dog"]


def test_on_paper(opened):
    opened.prefer("dark")
    assert opened.pdf().startswith(b"%PDF")
    opened.prefer("dark", media="print")
    assert opened.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    for hidden in ("nav", ".k", ".find"):
        shown = opened.evaluate(f"getComputedStyle(document.querySelector('{hidden}')).display")
        assert shown == "none"


#: Contrast of each text in a drawing with the page, and the text.
CONTRAST = """
(() => {
  const light = (color) => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const page = light(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll("svg text")].map((node) => {
    const own = light(getComputedStyle(node).fill);
    return [(Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05), node.textContent];
  });
})()
"""


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 400)])
def test_everybody_can_read_and_use_it(opened, page, scheme, width):
    """No serious finding of axe-core; and what it cannot judge, the contrast inside drawings."""
    opened.prefer(scheme)
    opened.resize(width, 800, mobile=width < 500)
    opened.open(page)
    faint = [(text, round(ratio, 2)) for ratio, text in opened.evaluate(CONTRAST) if ratio < 4.5]
    assert faint == []
    axe_core = pytest.importorskip("axe_core_python")
    script = Path(axe_core.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    opened.call("Runtime.evaluate", expression=script)
    found = opened.evaluate(
        "axe.run(document).then((done) => done.violations.map((one) =>"
        " [one.id, one.impact, one.nodes.map((node) => node.target.join(' '))]))"
    )
    assert [one for one in found if one[1] in ("serious", "critical")] == []


def test_everything_is_reached_by_keyboard(opened):
    """Tab visits every link, field and button once, and each has a name."""
    opened.evaluate("document.body.focus()")
    wanted = opened.evaluate(
        "[...document.querySelectorAll('a[href], button, summary, input, [tabindex]')]"
        ".filter((e) => e.type !== 'radio' || e.checked)"
        ".filter((e) => !e.closest('details:not([open]) > :not(summary)')).length"
    )
    opened.evaluate("window.visited = new Set(); window.nameless = []")
    for _ in range(wanted):
        opened.press("Tab", 9)
        opened.evaluate(
            "{ const e = document.activeElement; visited.add(e);"
            " if (!(e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent)"
            ".trim()) nameless.push(e.outerHTML); }"
        )
    assert opened.evaluate("visited.size") == wanted
    assert opened.evaluate("nameless") == []


def test_ids_and_headings(opened):
    ids = opened.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    levels = opened.evaluate(
        "[...document.querySelectorAll('h1, h2, h3')].map((e) => Number(e.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))


def test_a_report_without_features_or_other_numbers(browser, tmp_path):
    model = consens.combine([[0, 0, 0, 1], [0, 0, 1, 1]], n_clusters=2)
    path = tmp_path / "small.html"
    consens.report(model, path, n_clusters=[])
    browser.open(path)
    assert browser.complaints == []
    assert count(browser, ".clusters tbody tr") == 2
    assert browser.evaluate("document.querySelector('.k').hidden")
