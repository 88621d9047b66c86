"""
From data
=========

Cluster 178 wines by 13 measurements, see which of them are in doubt, and write a report.
"""

# %%
# Features of different units are brought to one scale first: k-means, which makes the members,
# sees distances only.

from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import consens

wine = load_wine(as_frame=True)
X = StandardScaler().fit_transform(wine.data)
model = consens.ConsensusClustering(n_clusters=3, random_state=0).fit(X)
print(model.ensemble_)
print(f"ARI with the cultivars: {consens.measure.ari(wine.target, model.labels_):.2f}")

# %%
# How often two wines share a cluster, among the 400 members.  Clear clusters are dark squares.

from consens.show import ConfidenceDisplay, ConsensusMatrixDisplay, MemberMapDisplay

ConsensusMatrixDisplay.from_estimator(model)

# %%
# Each wine by its confidence: at ½ it is as near to another cluster as to its own.

ConfidenceDisplay.from_estimator(model)

# %%
# Members as points whose distances are 1 - NMI.  Members with many clusters lie on one side,
# those with few on the other, and the consensus among those that it speaks for.

MemberMapDisplay.from_estimator(model)

# %%
# What distinguishes the clusters: difference from the rest, in standard deviations.

import pandas as pd

differences = consens.measure.contrast(wine.data, model.labels_).differences
table = pd.DataFrame(differences.T, index=wine.feature_names).round(1)
print(table.loc[table.abs().max(axis=1).sort_values(ascending=False).index[:6]])

# %%
# All of this, and more, on one page that opens without network:
# ``consens.report(model, "wine.html", wine.data)``.
