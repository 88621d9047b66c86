"""
Clusters of any shape
=====================

k-means cannot find half-rings.  Many runs of k-means that cut them in small pieces can, if their
votes are combined in the right way.
"""

# %%
# Thirty members with 2 to 40 clusters each: round pieces, most of them of one ring only.

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
# Pieces of one ring overlap from member to member, pieces of different rings do not.  Single
# link and normalised edges follow such chains.  Average link wants compact clusters, and the
# members with few clusters mislead it; the local weights of LWEA distrust these members, whose
# clusters the others cut.

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
# With single link the number of clusters need not be known: two clusters live longest.

eac = EAC(linkage="single").fit(ensemble)
print(eac.n_clusters_, "clusters; lifetimes of 1 to 4:", eac.lifetimes_[:4].round(2))
