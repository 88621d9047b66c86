"""Why an object is in its cluster."""

import numpy as np
import pandas as pd
import pytest

from consens import NOISE, why
from consens.consensus import EAC

# object 2 is with 0 and 1 in two members of three, with 3 and 4 in the other
LABELS = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]])
TABLE = pd.DataFrame(
    {
        "width": [1.0, 1.0, 1.0, 5.0, 5.0],
        "height": [2.0, 2.0, 8.0, 8.0, 8.0],
        "flat": [3.0] * 5,
        "colour": ["red", "red", "blue", "blue", "blue"],
        "gap": [1.0, 1.0, np.nan, 4.0, 4.0],
    }
)


@pytest.fixture(scope="module")
def model():
    return EAC(2).fit(LABELS)


def test_by_hand(model):
    found = why(model, TABLE, 2)
    assert (found.cluster, found.runner_up) == (0, 1)
    assert found.disagreeing == [2]
    assert found.n_members == 3
    assert found.confidence == model.confidence_[2]
    assert [pull.name for pull in found.towards_own] == ["width"]
    pull = found.towards_own[0]
    assert (pull.value, pull.own, pull.other) == (1, 1, 5)
    assert pull.strength == pytest.approx(4**2 / np.var(TABLE["width"]))
    # height: mean 4 of the own cluster, 8 of the other; blue: 1/3 and all
    assert [pull.name for pull in found.towards_other] == ["height", "colour"]
    assert found.towards_other[1].strength == pytest.approx(1 / 3 - 1)
    assert "runner-up 1, which 1 of 3 members prefer\ntowards 0: width 1" in str(found)


def test_an_object_that_no_member_puts_elsewhere():
    found = why(EAC(2).fit(LABELS[[0, 1, 3, 4]]), None, 0)
    assert found.runner_up is None
    assert str(found) == "cluster 0, confidence 1.00; no member associates it with another cluster"


def test_errors_say_what_to_do(model):
    with pytest.raises(ValueError, match="i=5, but 5 objects were clustered"):
        why(model, TABLE, 5)
    with pytest.raises(ValueError, match="X has 4 rows, but 5 objects"):
        why(model, TABLE[:4], 2)
    labels = np.vstack([LABELS, [[NOISE] * 3]])
    with pytest.raises(ValueError, match="object 5 is in no cluster"):
        why(EAC(2).fit(labels), None, 5)
