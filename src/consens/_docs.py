"""Paragraphs that many docstrings share.

A docstring line ``{name}`` is replaced by the paragraph of that name below.  Base classes fill in
the docstrings of their subclasses; others use the decorator `shared_paragraphs`.
"""

import re
from typing import TypeVar

_Documented = TypeVar("_Documented")
_PLACEHOLDER = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)

PARAGRAPHS = {
    # parameters of generators
    "n_estimators": """
n_estimators : int, default=50
    Number of members M.""",
    "n_clusters_range": """
n_clusters : int, (low, high) or None, default=None
    Clusters of each member; with a pair, each member draws its own number uniformly from
    low to high, both included.  None means (2, ⌈√n⌉).""",
    "n_jobs": """
n_jobs : int or None, default=None
    Number of members to fit in parallel, as in joblib.""",
    "jobs_and_store": """
{n_jobs}
store : path or None, default=None
    Folder in which each member is saved as soon as it is finished.  A fit with the same X,
    parameters and `random_state` reads them from there and fits only the rest, however the
    first fit ended; a folder of another X or of other parameters is refused.""",
    "sequence_of_members": """
random_state : int, RandomState or None, default=None
    An integer gives the same members for any `n_jobs` and number of threads; more members
    continue the same sequence.
{jobs_and_store}""",
    "kmeans_members": """
{kmeans_init}
max_samples : int, float, "bootstrap" or None, default=None
    Number, or share, of the objects that a member is trained on, as in `KMeansEnsemble`.
{sequence_of_members}""",
    "kmeans_init": """
init : {"objects", "box", "assignment"}, default="objects"
    Initial centres of k-means: k objects drawn at random, points drawn uniformly from the
    bounding box of the objects, or the means of a random assignment of the objects; all at
    random, because members must differ.""",
    "start_rows": """
init : {"far", "objects"}, default="far"
    Initial centres of k-means: objects that are likely far from each other (k-means++), for
    one good answer, or objects drawn at random, as in the published program of KCC.""",
    # parameters of selectors
    "n_selected": """
n_selected : int or float, default=0.2
    Members to keep, or their share of the library.""",
    # attributes of everything that is fitted to features
    "generator_attributes": """
Attributes
----------
members_ : list of Member
    The fitted members: model, record and payload.
{features_in}""",
    "features_in": """
n_features_in_ : int
feature_names_in_ : ndarray of str
    Only when X had string column names.""",
    # attributes of consensus methods
    "labels_": """
labels_ : ndarray of shape (n,)
    Clusters are numbered by their first object that is not noise; -1 for objects that more
    than half of the partitions that saw them call noise, -2 for those that none saw.
n_clusters_ : int
n_noise_ : int
    Number of objects that are noise.""",
    "attributes": """
Attributes
----------
{labels_}""",
    "unseeded": """
{noise_and_settle}
{unused_seed}

{attributes}""",
    "transfer_cut": """
{noise_and_settle}
random_state : int, RandomState or None
    Starts of k-means in the cut.

{attributes}
{cluster_labels_}""",
    "combined": """
confidence_ : ndarray of shape (n,)
    Probability that a refit to other members and another sample puts the object in the same
    cluster, in [0, 1]: the share of 20 refits to members drawn with replacement and 90 % of
    the objects, at most 500, that do.  0 for noise.
stability_ : Stability
    Expected adjusted Rand index with such a refit (``ari``) and its range (``interval``), and
    the expected Jaccard coefficient of each cluster with its best match (``clusters``).
memberships_ : ndarray of shape (n, n_clusters_)
    Degree to which each object belongs to each cluster: rows sum to 1, rows of noise to 0.
ensemble_ : Ensemble
    The combined ensemble.""",
    "linkage_": """
linkage_ : ndarray, as scipy.cluster.hierarchy.linkage
    Over the objects with a cluster in at least one partition, in their order; heights are
    1 - similarity.""",
    "merge_equal": """
merge_equal : bool, default=True
    Whether objects with equal labels (and clusters of equal objects) are one vertex, so
    that balancing cannot separate them.  False is the method as published.""",
    "noise_and_settle": """
noise : {"keep", "assign"}, default="keep"
    What becomes of objects that more than half of the partitions that saw them call noise.
    They are not combined; "keep" leaves them noise (-1), "assign" puts them in the cluster
    they are most associated with, if any partition clusters them.
settle : bool, default=False
    Whether to move objects that are more than twice as often together with the objects of
    another cluster as with those of their own, until none moves.  Other results, such as a
    tree, do not change.""",
    "n_clusters": """
Parameters
----------
n_clusters : int""",
    "seed": """
{noise_and_settle}
random_state : int, RandomState or None""",
    "seeded": """
{seed}

{attributes}""",
    "theta": """
theta : float, > 0
    How slowly weights fall with the uncertainty of a cluster; 0.25 to 1 work equally well,
    the default is that of the paper.  ``float("inf")`` gives all clusters the same weight.""",
    "soft": """
soft : bool, default=False
    Whether to use the memberships of the objects in the clusters of the members instead of
    their labels (Punera and Ghosh 2008); the ``payload`` of the members must hold them.""",
    "unused_seed": """
random_state : ignored
    Accepted by all methods; this one has no random element.""",
    "cluster_labels_": """
cluster_labels_ : ndarray of shape (number of clusters,)
    Consensus cluster of each cluster of the ensemble, partition after partition.""",
    # parameters and results of data sets
    "plane": """
random_state : int, RandomState, Generator or None

Returns
-------
X : ndarray of shape (n, 2)
y : ndarray of shape (n,)""",
    # parameters of displays
    "of_estimator": """
Parameters
----------
estimator : ConsensusClustering or consensus estimator, fitted""",
    "of_ensemble": """
Parameters
----------
ensemble : Ensemble, label matrix or list of label vectors""",
    # files that are read
    "read_errors": """
Raises
------
ValueError, OSError, MemoryError
    If the file cannot be read; the message says what is wrong and what to do.""",
    "ids_of_rows": """
ids : sequence of str or int
    One per object; row numbers from 0 when the file has no id.
id_column : str or None
    Where the ids came from.""",
    "array_of_file": """
array : str or None
    Name of the array, if the file holds several.""",
    "dialect_of_file": """
dialect : Dialect or None
    Separator and decimal sign of a text file.""",
    # beginnings of examples
    "five_objects": """
Examples
--------
>>> import numpy as np
>>> labels = np.array([[0, 0, 2], [0, 0, 2], [0, 1, 2], [1, 1, 0], [1, 1, 0]])""",
    "four_objects": """
Examples
--------
>>> import numpy as np
>>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])""",
    "lac_members": """
Examples
--------
>>> import numpy as np
>>> from consens.generate import LACEnsemble
>>> X = np.array([[0, 1], [0, 5], [0, 9], [9, 4], [12, 4], [15, 4]])
>>> E = LACEnsemble(n_clusters=2, inverse_h=[0.1, 0.5, 1], random_state=0).fit_transform(X)""",
    "iris_model": """
Examples
--------
>>> from sklearn.datasets import load_iris
>>> from consens import ConsensusClustering
>>> from consens.generate import KMeansEnsemble
>>> X = load_iris().data
>>> model = ConsensusClustering(3, generator=KMeansEnsemble(20), random_state=0).fit(X)""",
    # papers that several docstrings cite
    "fred_jain_2005": """
References
----------
A. Fred and A. Jain, "Combining multiple clusterings using evidence accumulation", IEEE
TPAMI 27(6), 2005. doi:10.1109/TPAMI.2005.113""",
    "li_2007": """
References
----------
Y. Li, J. Yu, P. Hao and Z. Li, "Clustering ensembles based on normalized edges", PAKDD
2007, LNAI 4426, 664-671. doi:10.1007/978-3-540-71701-0""",
    "domeniconi_2009": """
References
----------
C. Domeniconi and M. Al-Razgan, "Weighted cluster ensembles: methods and analysis", ACM
TKDD 2(4), 2009. doi:10.1145/1460797.1460800""",
    "strehl_ghosh_2002": """
References
----------
A. Strehl and J. Ghosh, "Cluster ensembles: a knowledge reuse framework for combining
multiple partitions", JMLR 3, 2002. doi:10.1162/153244303321897735""",
    "punera_ghosh_2008": """
K. Punera and J. Ghosh, "Consensus-based ensembles of soft clusterings", Applied Artificial
Intelligence 22, 2008. doi:10.1080/08839510802170546""",
    "usenc_2020": """
References
----------
D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai and C.-K. Kwoh, "Ultra-scalable spectral clustering
and ensemble clustering", IEEE TKDE 32(6), 2020. doi:10.1109/TKDE.2019.2903410""",
    "huang_2015": """
References
----------
D. Huang, J.-H. Lai and C.-D. Wang, "Combining multiple clusterings via crowd agreement
estimation and multi-granularity link analysis", Neurocomputing 170, 2015.
doi:10.1016/j.neucom.2014.05.094""",
    "huang_2017": """
References
----------
D. Huang, C.-D. Wang and J.-H. Lai, "LWMC: a locally weighted meta-clustering algorithm for
ensemble clustering", ICONIP 2017. doi:10.1007/978-3-319-70139-4_17""",
    "huang_2018": """
References
----------
D. Huang, C.-D. Wang and J.-H. Lai, "Locally weighted ensemble clustering", IEEE
Transactions on Cybernetics 48(5), 2018. doi:10.1109/TCYB.2017.2702343""",
    "huang_2016": """
References
----------
D. Huang, J.-H. Lai and C.-D. Wang, "Robust ensemble clustering using probability
trajectories", IEEE TKDE 28(5), 2016. doi:10.1109/TKDE.2015.2503753""",
    "gates_2019": """
References
----------
A. Gates, I. Wood, W. Hetrick and Y.-Y. Ahn, "Element-centric clustering comparison unifies
overlaps and hierarchy", Scientific Reports 9, 2019. doi:10.1038/s41598-019-44892-y""",
    "fern_lin_2008": """
References
----------
X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and Data Mining
1, 2008. doi:10.1002/sam.10008""",
}


def fill_paragraphs(text: str) -> str:
    """Replace every line ``{name}`` by the paragraph of that name, with the same indentation."""

    def paragraph(line: re.Match[str]) -> str:
        indent, name = line.groups()
        whole = fill_paragraphs(PARAGRAPHS[name].strip("\n"))
        return "\n".join((indent + own).rstrip() for own in whole.split("\n"))

    return _PLACEHOLDER.sub(paragraph, text)


def shared_paragraphs(documented: _Documented) -> _Documented:
    """Fill in the docstring of a class or function, unless ``python -OO`` removed it."""
    if documented.__doc__ is not None:
        documented.__doc__ = fill_paragraphs(documented.__doc__)
    return documented
