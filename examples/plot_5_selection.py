"""
Select among many members
=========================

In the raw wine data, one feature has by far the largest values and dominates most members.  A
selection of diverse members reduces its influence.
"""

# %%
# A library of 150 members of three kinds: k-means on all features, on random subsets of them,
# and on random projections.

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from consens.consensus import CSPA
from consens.generate import library
from consens.measure import nmi
from consens.select import ClusterAndSelect, SelectJoint, SelectQuality, SelectRandom

X, y = load_wine(return_X_y=True)
members = library(n_classes=3, size=150, random_state=0).fit_transform(X)
print(members.members["algorithm"].value_counts(sort=False).to_string())

# %%
# Four ways to select thirty members, combined by the same method.

combine = CSPA(3, partitioner="spectral", random_state=0)
selectors = {
    "random": SelectRandom(30, random_state=0),
    "quality": SelectQuality(30),
    "joint criterion": SelectJoint(30),
    "cluster and select": ClusterAndSelect(30, random_state=0),
}


def compare(ensemble):
    scores = {"all 150": nmi(y, combine.fit_predict(ensemble))}
    for name, selector in selectors.items():
        scores[name] = nmi(y, combine.fit_predict(selector.fit_transform(ensemble)))
    return scores


raw = compare(members)
scaled = compare(
    library(n_classes=3, size=150, random_state=0).fit_transform(StandardScaler().fit_transform(X))
)

# %%
# With scaled features, a selection gains little over random members, because no feature dominates.

figure, ax = plt.subplots(figsize=(7, 3))
rows = range(len(raw))
ax.barh([row + 0.2 for row in rows], raw.values(), 0.4, label="raw features")
ax.barh([row - 0.2 for row in rows], scaled.values(), 0.4, label="scaled features")
ax.set_yticks(rows, raw)
ax.set_xlim(0, 1)
ax.set_xlabel("NMI with the cultivars")
ax.legend(loc="lower right")
figure.tight_layout()
plt.show()
