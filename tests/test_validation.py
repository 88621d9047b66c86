"""Features that cannot be clustered are refused, with the column and the way out."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from consens import ConsensusClustering
from consens._blocks import Rows
from consens._validation import check_magnitudes
from consens.generate import KMeansEnsemble, LACEnsemble, SubspaceEnsemble
from consens.measure import ari

Y = np.repeat([0, 1], 20)
X = np.random.default_rng(0).normal(size=(40, 2)) + 9 * Y[:, None]
GENERATORS = [KMeansEnsemble(3, random_state=0), LACEnsemble(2, inverse_h=[1], random_state=0)]


@pytest.mark.parametrize("generator", [*GENERATORS, SubspaceEnsemble(3, random_state=0)])
def test_values_whose_squares_overflow(generator):
    with pytest.raises(ValueError, match="in column [01], whose squares overflow; divide X"):
        generator.fit(X * 1e155)


@pytest.mark.parametrize("generator", GENERATORS)
def test_differences_whose_squares_vanish(generator):
    for data in (X * 1e-200, Rows.from_array(X * 1e-200, [15, 25])):
        with pytest.raises(ValueError, match="e-199, and squares of such differences underflow"):
            generator.fit(data)


def test_the_column_is_named():
    import pandas as pd

    table = pd.DataFrame(X * [1.0, 1e155], columns=["age", "mass"])
    with pytest.raises(ValueError, match="up to .* in column 'mass'"):
        KMeansEnsemble(3).fit(table)
    with pytest.raises(ValueError, match="in column 1, whose squares"):
        KMeansEnsemble(3).fit(Rows.from_array(table.to_numpy(), [15, 25]))
    with pytest.raises(ValueError, match="in column 1, whose squares"):
        LACEnsemble(2).fit(csr_array(table.to_numpy()))


@pytest.mark.parametrize("scale", [1e-130, 1e-20, 1.0, 1e20, 1e130])
def test_clusters_do_not_depend_on_the_unit(scale):
    labels = ConsensusClustering(2, generator=GENERATORS[0], random_state=0).fit_predict(X * scale)
    assert ari(labels, Y) == 1.0


@pytest.mark.parametrize("scale", [1e-30, 1e18])
def test_single_precision_is_widened_where_it_overflows(scale):
    single = (X * scale).astype(np.float32)
    for data in (single, Rows.from_array(single, [15, 25])):
        model = ConsensusClustering(2, generator=GENERATORS[0], random_state=0).fit(data)
        assert ari(np.asarray(model.labels_), Y) == 1.0


def test_new_objects_may_be_near_each_other():
    model = KMeansEnsemble(3, random_state=0).fit(X)
    assert model.transform([[0.0, 0.0], [0.0, 1e-200]]).shape == (2, 3)
    with pytest.raises(ValueError, match="overflow"):
        model.transform([[0.0, 1e200]])


def test_constant_features_have_no_spread_to_lose():
    check_magnitudes(np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("values", [["a", "b", "c"], [{"x": 1}] * 3, [[1, 2]] * 3])
def test_a_column_without_numbers_is_named(values):
    frame = pd.DataFrame({"size": [1.0, 2.0, 4.0], "kind": values})
    with pytest.raises(ValueError, match=r"column 'kind' does not hold numbers; .*TableFeatures"):
        KMeansEnsemble(2).fit(frame)
