"""What tests of several folders share.

The library is imported inside fixtures: the process that hands out tests reads this file too, and
the others start only after it.
"""

import os
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from hypothesis import settings

# The same examples in every run: a change that breaks a test is the cause.  New ones are drawn
# with HYPOTHESIS_PROFILE=explore.  No clock decides: a busy machine is not a fault.
settings.register_profile("fixed", derandomize=True, max_examples=50, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.fixture(scope="session", autouse=True)
def _threads():
    """Threads for `n_jobs`: each process would import the library first, which takes seconds.

    Tests of what processes change ask for loky.
    """
    from joblib import parallel_config

    with parallel_config("threading"):
        yield


def take_few_members(patch):
    """Make the defaults cheap: members, draws and fits of samples."""
    from consens.generate import MixedEnsemble

    patch.setattr("consens._engine.MixedEnsemble", partial(MixedEnsemble, n_estimators=20))
    patch.setattr("consens._engine.FIRST_MEMBERS", 16)
    patch.setattr("consens._engine.MOST_MEMBERS", 16)
    patch.setattr("consens.consensus.drawn.MixedEnsemble", partial(MixedEnsemble, n_estimators=20))
    patch.setattr("consens.consensus.drawn.DRAWS", 10)
    patch.setattr("consens.consensus._refits.FITS", (2, 2, 2))
    patch.setattr("consens.consensus._refits.FITS_OF_MANY", (2, 2, 2))


@pytest.fixture(scope="module", autouse=True)
def _few_members():
    """Twenty members by default, the fewest that `DrawnConsensus` is taken for.

    Most tests are about what is done with members; others take `all_members`.
    """
    with pytest.MonkeyPatch.context() as patch:
        take_few_members(patch)
        yield patch


@pytest.fixture
def defaults_of_users(_few_members):
    """A context in which the defaults are as users have them."""

    @contextmanager
    def restored():
        _few_members.undo()
        try:
            yield
        finally:
            take_few_members(_few_members)

    return restored


@pytest.fixture
def all_members(defaults_of_users):
    """The default as users have it, for tests of how good it is."""
    with defaults_of_users():
        yield


@pytest.fixture
def few_refits(monkeypatch):
    """Confidence from four refits instead of twenty, for tests that do not judge its values."""
    for name in ("N_REFITS", "N_SLOW_REFITS"):
        monkeypatch.setattr(f"consens.consensus._refits.{name}", 4)


@pytest.fixture
def no_plots(monkeypatch):
    """Empty pictures in reports, whose drawing is most of the time; tests/show looks at them."""
    monkeypatch.setattr("consens.show.page.to_svg", lambda *_: "<svg></svg>")


def side_car(ensemble, m, features):
    """What a member that is certain of its labels would hold beside them."""
    column = ensemble.labels[:, m]
    k = max(int(column.max()) + 1, 1)
    memberships = np.where(column[:, None] >= 0, np.eye(k)[np.maximum(column, 0)], 0.0)
    sizes = np.maximum(memberships.sum(axis=0), 1.0)
    centers = memberships.T @ features / sizes[:, None]
    return {"memberships": memberships, "features": features, "centers": centers}


def provide_payload(monkeypatch, features):
    """Give members without centres and data the side car of `features(ensemble)`."""

    def require_payload(ensemble, m, *names):
        held = ensemble.payload[m]
        return held if set(names) <= held.keys() else side_car(ensemble, m, features(ensemble))

    for module in ("evidence.coordinates", "consensus.wsbpa"):
        monkeypatch.setattr(f"consens.{module}.require_payload", require_payload)


@pytest.fixture
def certain_labels(monkeypatch):
    """Let methods that are defined on weighted clusters read labels that have none.

    Without centres and data these methods refuse.  For tests of what all methods owe, the side
    car is made that labels imply when they are certain: memberships 1 and 0, and for the space
    of features the indicator of all clusters.
    """
    from consens._labels import indicator

    provide_payload(monkeypatch, lambda E: indicator(E.labels).toarray())


@pytest.fixture
def certain_labels_as_features(monkeypatch):
    """The same with the labels themselves as features, so that what is fitted can be predicted."""
    provide_payload(monkeypatch, lambda E: E.labels.astype(np.float64))
