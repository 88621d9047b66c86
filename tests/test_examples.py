"""The commands among the examples run; the gallery is run when the documentation is built."""

import re
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"

pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not here")


def test_topics_of_a_table_of_documents(tmp_path, monkeypatch, capsys):
    pytest.importorskip("mlxtend")
    pytest.importorskip("snowballstemmer")
    electronics = ["circuit voltage resistor", "voltage of a circuit", "resistor and circuit"]
    medicine = ["patient pain medicine", "medicine for a patient", "pain of the patient"]
    table = pd.DataFrame(
        {"text": 4 * electronics + 4 * medicine, "label": ["e"] * 12 + ["m"] * 12}
    )
    table.to_csv(tmp_path / "documents.csv", index=False)
    monkeypatch.setattr(sys, "argv", ["text_topics.py", str(tmp_path / "documents.csv")])
    runpy.run_path(str(EXAMPLES / "text_topics.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "24 documents, 6 terms" in said
    assert "error against the labels: 0.0 %" in said
    [words] = re.findall(r"^topic 0 .*anywhere: (.*)$", said, flags=re.MULTILINE)
    assert "voltage" in words
    assert "patient" not in words


def test_every_other_example_is_in_the_gallery():
    others = {path.name for path in EXAMPLES.glob("*.py") if not path.name.startswith("plot_")}
    assert others == {"text_topics.py"}
