"""Control characters of names reach no terminal, page, plot or csv file."""

import io
import json
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from consens._support.printable import printable, printable_values
from consens.io.text import csv_text
from consens.show import MapDisplay

EVIL = "a\x1b[31m\x00\x9b\u202eb"
HARMLESS = r"a\u001b[31m\u0000\u009b\u202eb"


def test_control_characters_become_escapes_of_json():
    assert printable(EVIL) == HARMLESS
    assert printable("é µ 日本 \U0001f600") == "é µ 日本 \U0001f600"
    assert printable("a\nb\tc", keep="\n") == r"a" + "\n" + r"b\u0009c"
    assert printable("\ud800\ufffe") == r"\ud800\ufffe"


def test_json_stays_json():
    text = json.dumps({EVIL: [EVIL]}, ensure_ascii=False, indent=1)
    assert json.loads(printable(text, keep="\n")) == {EVIL: [EVIL]}


def test_nested_values():
    assert printable_values({EVIL: [1, (EVIL, None)]}) == {HARMLESS: [1, [HARMLESS, None]]}


def test_csv():
    rows = [["id", "label"], [EVIL, 0], ["a\nb", 1], ["=1+1", -1]]
    assert csv_text(rows) == f'id,label\n{HARMLESS},0\n"a\nb",1\n=1+1,-1\n'


@pytest.mark.parametrize("cell", ["=1+1", "+SUM(A1)", "-2+3", "@cmd", "\t=1", "\r=1"])
def test_formulas_are_kept_from_spreadsheets_on_request(cell):
    assert csv_text([[cell]], safe=True).strip('"\n').startswith("'")
    assert csv_text([["-5", "+1e3", "a=b", -5]], safe=True) == "-5,+1e3,a=b,-5\n"


def test_plots():
    X = np.random.default_rng(0).normal(size=(30, 2))
    figure, text = Figure(), io.StringIO()
    display = MapDisplay(X, np.arange(30) % 2, np.ones(30), EVIL, (EVIL, "ok"))
    display.plot(figure.subplots())
    figure.savefig(text, format="svg")
    ElementTree.fromstring(text.getvalue())
