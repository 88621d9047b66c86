"""
Label vectors of cells
======================

Combine label vectors from several clusterings of single-cell data, and find the cells on which
they disagree.
"""

# %%
# Simulated counts of 1,500 cells and 300 genes: six kinds of cells of different abundance, and
# 5 % doublets.  In practice, they come from an AnnData object: ``adata.obs`` contains the label
# vectors, ``adata.obsm["X_pca"]`` the reduced matrix.

import numpy as np
import pandas as pd
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA

import consens

rng = np.random.default_rng(1)
n_cells, n_genes = 1500, 300
markers = rng.random((6, n_genes)) < 0.15
programs = rng.gamma(0.5, 1.5, n_genes) * np.exp(1.2 * markers * rng.normal(size=(6, n_genes)))
kinds = rng.choice(6, n_cells, p=[0.35, 0.25, 0.2, 0.1, 0.07, 0.03])
means = programs[kinds]
doublets = rng.random(n_cells) < 0.05
means[doublets] += programs[rng.choice(kinds, doublets.sum())]
counts = rng.poisson(means * rng.lognormal(0, 0.4, (n_cells, 1)))
logs = np.log1p(counts / counts.sum(axis=1, keepdims=True) * 1e4)
pca = PCA(15, random_state=0).fit_transform(logs)

# %%
# Label vectors of several resolutions and algorithms, and one from before some cells were added.

obs = pd.DataFrame(
    {f"kmeans_{k}": KMeans(k, n_init=1, random_state=k).fit_predict(pca) for k in range(5, 13)}
)
obs["ward"] = AgglomerativeClustering(7).fit_predict(pca)
obs["hdbscan"] = HDBSCAN(min_cluster_size=30, copy=True).fit_predict(pca)
obs["older"] = pd.Series(KMeans(6, n_init=3, random_state=0).fit_predict(pca[:1000]))
result = consens.combine(obs, "lwea", n_clusters=6)
print(result.ensemble_)

# %%
# ARI with the true kinds, without doublets.  The consensus is close to the best column, which
# would be unknown in practice, and the poor density clustering does no harm.

single = ~doublets
for name in obs:
    print(f"{name:10s} {consens.measure.ari(kinds[single], obs[name][single]):.2f}")
print(f"{'consensus':10s} {consens.measure.ari(kinds[single], result.labels_[single]):.2f}")

# %%
# Doublets tend to have a lower confidence than other cells, but so do cells between two similar
# kinds, so this is not a test for doublets.

from sklearn.metrics import roc_auc_score

print(f"AUC of low confidence: {roc_auc_score(doublets, -result.confidence_):.2f}")

# %%
# Two components, with the clusters and with the confidence.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), sharex=True, sharey=True)
left.scatter(*pca[:, :2].T, c=result.labels_, cmap="tab10", vmax=9, s=3)
left.set_title("consensus")
order = np.argsort(-result.confidence_)
points = right.scatter(*pca[order, :2].T, c=result.confidence_[order], cmap="viridis", s=3)
right.set_title("confidence")
figure.colorbar(points, ax=right)
figure.tight_layout()
plt.show()
