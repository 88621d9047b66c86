"""Leading eigenvectors of symmetric matrices."""

from contextlib import suppress
from typing import Any

import numpy as np

from consens._support.threads import in_one_thread

#: Smallest number of rows for which an iterative solver is faster; with crowded eigenvalues.
DENSE_BELOW = 150
DENSE_BELOW_CROWDED = 300


@in_one_thread
def leading_eigenvectors(
    matrix: Any, n_vectors: int, *, seed: Any = 0, crowded: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues of a symmetric matrix, in descending order, and their eigenvectors.

    With `crowded` eigenvalues the iterative solver, which starts from `seed`, gives up after ten
    restarts.  The entry of largest size of each column is positive.
    """
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    n = matrix.shape[0]
    options: dict[str, Any] = {}
    dense_below, most = DENSE_BELOW, n // 3
    if crowded:
        options = {"ncv": 3 * n_vectors + 10, "maxiter": 10, "tol": 1e-9}
        dense_below, most = DENSE_BELOW_CROWDED, (n - 11) // 3
    found = None
    if n >= dense_below and n_vectors <= most:
        start = np.random.default_rng(seed).uniform(0.5, 1.0, n)
        with suppress(ArpackNoConvergence):
            found = eigsh(matrix, n_vectors, which="LA", v0=start, **options)
    if found is None:
        dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        with suppress(np.linalg.LinAlgError):
            found = eigh(dense, subset_by_index=[n - n_vectors, n - 1])
        if found is None or len(found[0]) < n_vectors:
            # of many close eigenvalues LAPACK may miss some, or find none
            values, vectors = eigh(dense, driver="evd")
            found = values[n - n_vectors :], vectors[:, n - n_vectors :]
    values, vectors = found
    order = np.argsort(-values, kind="stable")
    vectors = vectors[:, order]
    size = np.abs(vectors)
    top = (size >= size.max(axis=0) * (1 - 1e-6)).argmax(axis=0)
    signs = np.sign(vectors[top, np.arange(vectors.shape[1])])
    return values[order], vectors * np.where(signs == 0, 1.0, signs)
