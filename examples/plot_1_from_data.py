"""
From data
=========

Cluster 178 wines by 13 measurements, find the uncertain ones, and write a report.
"""

# %%
# Features with different units must be scaled first, because the members depend on distances.

from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import consens

wine = load_wine(as_frame=True)
X = StandardScaler().fit_transform(wine.data)
model = consens.ConsensusClustering(n_clusters=3, random_state=0).fit(X)
print(model.ensemble_)
print(f"ARI with the cultivars: {consens.measure.ari(wine.target, model.labels_):.2f}")

# %%
# The share of the 400 members that put two wines together.  Clear clusters are dark squares.

from consens.show import ConsensusMatrixDisplay, MapDisplay

ConsensusMatrixDisplay.from_estimator(model)

# %%
# The wines on a map: those in which the model has little confidence are pale.

MapDisplay.from_estimator(model)

# %%
# The features that distinguish the clusters: difference from the rest, in standard deviations.

import pandas as pd

differences = consens.measure.contrast(wine.data, model.labels_).differences
table = pd.DataFrame(differences.T, index=wine.feature_names).round(1)
print(table.loc[table.abs().max(axis=1).sort_values(ascending=False).index[:6]])

# %%
# ``consens.report(model, "wine.html", wine.data)`` writes all of this and more to a single page.
