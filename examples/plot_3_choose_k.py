"""
How many clusters
=================

Choose the number of clusters automatically, see why, and try data without clusters.
"""

# %%
# Five clouds, two of them close together.

import numpy as np

from consens import ConsensusClustering
from consens.show import ChoiceDisplay, TrackingDisplay

rng = np.random.default_rng(0)
centers = np.array([[0, 0], [6, 0], [0, 6], [6, 6], [8.5, 8]])
X = np.repeat(centers, 60, axis=0) + rng.normal(size=(300, 2)) * 0.7
model = ConsensusClustering(random_state=0).fit(X)
print(model.n_clusters_, "clusters:", model.results_.reason)

# %%
# The number with the largest sum of two lifetimes and the eigengap is chosen.  The number above a
# bar counts the criteria that would choose this k on their own.

ChoiceDisplay.from_estimator(model)

# %%
# How clusters split as their number grows.

TrackingDisplay.from_estimator(model, n_clusters=range(2, 8))

# %%
# All criteria for each number of clusters.

columns = ["lifetime", "lifetime_average", "eigengap", "score", "delta_area", "pac", "n_votes"]
print(model.results_.table[columns].round(2).head(7).to_string())

# %%
# Points from a single normal distribution have no clusters.  One cluster has the largest score,
# and the best split of the points is no better than that of data without clusters.

cloud = ConsensusClustering(random_state=0).fit(rng.normal(size=(300, 3)))
print(cloud.n_clusters_, "cluster:", cloud.results_.reason)
