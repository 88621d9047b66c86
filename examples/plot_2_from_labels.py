"""
From labels
===========

Combine existing clusterings with names, gaps, noise and missing values.
"""

# %%
# A table with one row per object and one column per clustering.  One column has names, one has
# noise (-1), one covers only a part of the objects, and none has four clusters, as the data do.

import numpy as np
import pandas as pd
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import make_blobs

import consens

X, y = make_blobs(400, centers=4, cluster_std=1.1, random_state=8)
labels = pd.DataFrame(
    {
        "k-means, 6": KMeans(6, n_init=1, random_state=0).fit_predict(X),
        "k-means, 9": KMeans(9, n_init=1, random_state=0).fit_predict(X),
        "ward": np.array(list("abcde"))[AgglomerativeClustering(5).fit_predict(X)],
        "density": DBSCAN(eps=0.6).fit_predict(X),
        "spectral": SpectralClustering(3, gamma=0.3, random_state=0).fit_predict(X),
    }
)
labels["survey"] = pd.Series(KMeans(5, n_init=1, random_state=1).fit_predict(X[:250]))
print(labels.iloc[[0, 1, 250, 399]])

# %%
# ``combine`` accepts this table.  A missing value or a noise label excludes a clustering for an
# object; objects that most clusterings call noise are noise in the consensus.

result = consens.combine(labels, "lwea", n_clusters=4)
print(result.ensemble_)
print(f"ARI with the truth: {consens.measure.ari(y, result.labels_):.2f}")
for name in labels:
    print(f"  {name}: {consens.measure.ari(y, labels[name]):.2f}")

# %%
# Objects with a low confidence are between clusters.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), sharex=True, sharey=True)
left.scatter(*X.T, c=result.labels_, cmap="tab10", vmax=9, s=12)
left.set_title("consensus")
points = right.scatter(*X.T, c=result.confidence_, cmap="viridis", s=12)
right.set_title("confidence")
figure.colorbar(points, ax=right)
plt.show()

# %%
# The agreement of the columns: NMI of all pairs.

names = list(labels)
print(pd.DataFrame(consens.measure.pairwise_nmi(labels), names, names).round(2))
