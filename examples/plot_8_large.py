"""
Large data
==========

Cluster 200,000 objects with members that are trained on samples and consensus methods that take
linear time.
"""

# %%
# Twelve clouds in ten dimensions.  float32 halves the memory.

import time

import numpy as np

from consens.consensus import HBGF, LWGP, LWMC, MCLA
from consens.generate import KMeansEnsemble
from consens.measure import ari

rng = np.random.default_rng(0)
n, k = 200_000, 12
y = rng.integers(0, k, n)
X = ((rng.normal(size=(k, 10)) * 2.2)[y] + rng.normal(size=(n, 10))).astype(np.float32)

# %%
# Ten members with 12 to 60 clusters.  Each is trained on a sample and then assigns all objects
# to their nearest centre.

start = time.perf_counter()
ensemble = KMeansEnsemble(10, n_clusters=(k, 5 * k), random_state=0).fit_transform(X)
print(f"{ensemble}: {time.perf_counter() - start:.1f} s")
print(f"memory of the labels: {ensemble.labels.nbytes / 1e6:.0f} MB")
print(f"memory of an n x n matrix: {8 * n * n / 1e9:.0f} GB")

# %%
# Methods with linear time in n.  The first call of a compiled function includes its compilation.

for method in (LWGP, LWMC, HBGF, MCLA):
    start = time.perf_counter()
    labels = method(n_clusters=k, random_state=0).fit_predict(ensemble)
    seconds = time.perf_counter() - start
    print(f"{method.__name__}: ARI {ari(y, labels):.3f}, {seconds:.1f} s")

# %%
# The confidence and the consensus matrix are computed in blocks, with hundreds of objects in each
# row of the matrix.

from consens.show import ConsensusMatrixDisplay

model = LWGP(n_clusters=k, random_state=0).fit(ensemble)
print(f"{np.mean(model.confidence_ < 0.6):.1%} of the objects are borderline")
ConsensusMatrixDisplay.from_estimator(model)
