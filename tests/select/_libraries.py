"""Libraries of members to select from, and their NMI pair by pair."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consens import measure

libraries = st.tuples(st.integers(7, 12), st.integers(1, 6)).flatmap(
    lambda shape: hnp.arrays(np.int32, shape, elements=st.integers(0, 3))
)


def pair_by_pair(labels):
    return np.array([[measure.nmi(a, b) for b in labels.T] for a in labels.T])


def three_kinds(copies=4, seed=0):
    """Three unlike partitions of 90 objects, each several times with a few labels changed."""
    rng = np.random.default_rng(seed)
    kinds = [np.arange(90) % 3, np.arange(90) // 30, np.arange(90) // 10 % 3]
    members = []
    for kind in kinds:
        for _ in range(copies):
            member = kind.copy()
            member[rng.choice(90, rng.integers(1, 10), replace=False)] = 0
            members.append(member)
    return np.stack(members, axis=1)
