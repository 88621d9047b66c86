"""Seeds of members and stages, all from one `random_state`."""

from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

#: Source of random numbers, as in scikit-learn; a Generator is accepted as well.
Seed: TypeAlias = int | np.random.RandomState | np.random.Generator | None


def spawn_seeds(random_state: Seed, n: int) -> list[int]:
    """Derive n independent 32-bit seeds, one per member or stage, from one random state.

    An integer always gives the same seeds, and the first seeds do not depend on n, so a longer
    ensemble continues a shorter one.  None gives different seeds each time.
    """
    entropy: Any = random_state
    if isinstance(random_state, np.random.RandomState):
        entropy = random_state.randint(0, 2**31 - 1, size=4)
    elif isinstance(random_state, np.random.Generator):
        entropy = random_state.integers(0, 2**31 - 1, size=4)
    elif random_state is not None and (not isinstance(random_state, Integral) or random_state < 0):
        raise ValueError(f"random_state={random_state!r}; expected an integer >= 0 or None")
    sequence = np.random.SeedSequence(entropy)
    return [int(child.generate_state(1)[0]) for child in sequence.spawn(n)]


#: Stages that get a seed from the seed of a run, in this order; append new names at the end.
SEED_STAGES = ("generator", "selector", "consensus", "choice")


def stage_seeds(random_state: Seed) -> dict[str, int]:
    """Seed of each stage, so that stages run separately give the same result as together."""
    return dict(zip(SEED_STAGES, spawn_seeds(random_state, len(SEED_STAGES)), strict=True))


def forget_store(generator: Any) -> None:
    """Unset the `store` of a generator and of the generators inside it."""
    names = [name for name in generator.get_params(deep=True) if name.endswith("store")]
    generator.set_params(**dict.fromkeys(names))


def seeded(estimator: Any, seed: int, n_jobs: int | None = None) -> Any:
    """Clone a stage and fill in its unset `random_state` and `n_jobs` parameters."""
    stage = clone(estimator)
    unset = [name for name, value in stage.get_params(deep=True).items() if value is None]
    unseeded = sorted(name for name in unset if name.endswith("random_state"))
    # two parts with the same seed would make the same members
    given = dict(zip(unseeded, spawn_seeds(seed, len(unseeded)), strict=True))
    given |= {name: n_jobs for name in unset if name.endswith("n_jobs")}
    return stage.set_params(**given)
