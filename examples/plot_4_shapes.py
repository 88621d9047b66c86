"""
Clusters of any shape
=====================

k-means cannot find half-rings.  A consensus of many runs of k-means, which divide them into small
pieces, can.
"""

# %%
# Thirty members with 2 to 40 clusters each: most clusters are round pieces of one ring.

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans

from consens.consensus import CAHNE, EAC, LWEA
from consens.datasets import make_half_rings
from consens.generate import KMeansEnsemble
from consens.measure import ari

X, y = make_half_rings(random_state=0)
ensemble = KMeansEnsemble(30, n_clusters=(2, 40), random_state=0).fit_transform(X)
print(ensemble)

# %%
# Pieces of the same ring overlap between members, pieces of different rings do not.  Single link
# and normalised edges follow such chains.  Average link prefers compact clusters and is misled by
# the members with few clusters; LWEA gives these clusters small weights, because other members
# split them.

results = {
    "k-means, k = 2": KMeans(2, n_init=10, random_state=0).fit_predict(X),
    "one member": ensemble.labels[:, 0],
    "EAC, single link": EAC(2, linkage="single").fit_predict(ensemble),
    "EAC, average link": EAC(2, linkage="average").fit_predict(ensemble),
    "LWEA, θ = 0.25": LWEA(2, theta=0.25).fit_predict(ensemble),
    "CA-HNE": CAHNE(2).fit_predict(ensemble),
}
figure, axes = plt.subplots(2, 3, figsize=(10, 5), sharex=True, sharey=True)
for ax, (name, labels) in zip(axes.flat, results.items(), strict=True):
    ax.scatter(*X.T, c=labels % 10, cmap="tab10", vmin=0, vmax=9, s=6)
    ax.set_title(f"{name}: ARI {ari(y, labels):.2f}")
    ax.set_axis_off()
figure.tight_layout()
plt.show()

# %%
# With single link, the number of clusters need not be known: 2 has the longest lifetime.

eac = EAC(linkage="single").fit(ensemble)
print(eac.n_clusters_, "clusters; lifetimes of 1 to 4:", eac.lifetimes_[:4].round(2))
