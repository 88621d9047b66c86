"""What the study of confidence calls an error and an inverted order."""

import numpy as np
import pytest

from studies.truth import N_DRAWN, _below_chance, _forecast, errors_by_chance


def test_an_order_is_inverted_beyond_its_standard_error():
    assert _below_chance(0.3, 30, 1000)
    assert not _below_chance(0.45, 30, 1000)  # the standard error is 0.05
    assert not _below_chance(0.2, 10, 1000)  # too few errors
    assert not _below_chance(float("nan"), 30, 1000)


def test_refits_as_forecast_for_other_refits():
    same = np.array([[1, 0, 1, 0], [1, 1, 1, np.nan]])
    # the first half says 1 for both, and 1 of 3 of the others agree; the second half is right
    # about the second object only
    assert _forecast(same, 0) == pytest.approx(2 / 3)
    assert _forecast(same, 1) == pytest.approx(0.5)


def test_errors_of_a_perfect_forecaster_by_chance():
    # of two refits, one agrees on both objects and the other on none: the forecast is 1/2, and two
    # draws are the same refit, with an error of 1/2, as often as not
    errors = errors_by_chance(np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert errors.shape == (N_DRAWN,)
    assert set(errors) == {0, 0.5}
    assert errors.mean() == pytest.approx(0.25, abs=0.05)
    # errors in opposite directions cancel within a bin of forecasts
    assert errors_by_chance(np.array([[1.0, 0.0], [0.0, 1.0]])).max() == 0
    assert errors_by_chance(np.array([[1.0, 1.0], [0.0, np.nan]])).max() == 0
