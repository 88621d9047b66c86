"""
Large data
==========

200,000 objects: members trained on samples, a consensus in linear time, and what it would have
cost otherwise.
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
# Methods whose time is linear in n.  The first call of a compiled function on a machine includes
# its compilation.

for method in (LWGP, LWMC, HBGF, MCLA):
    start = time.perf_counter()
    labels = method(n_clusters=k, random_state=0).fit_predict(ensemble)
    seconds = time.perf_counter() - start
    print(f"{method.__name__}: ARI {ari(y, labels):.3f}, {seconds:.1f} s")

# %%
# The confidence is computed in blocks of rows, and so is the picture of the co-association: each
# of its rows stands for hundreds of objects.

from consens.show import ConsensusMatrixDisplay

model = LWGP(n_clusters=k, random_state=0).fit(ensemble)
print(f"{np.mean(model.confidence_ < 0.6):.1%} of the objects are near the fence")
ConsensusMatrixDisplay.from_estimator(model)
