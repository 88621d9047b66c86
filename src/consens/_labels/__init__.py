"""Label matrices and the operations on them that all methods share.

A *label matrix* is n × M: rows are objects, columns are partitions (members).  Inside the
library its entries are ``0 .. k_m - 1`` for the clusters of member m and two codes:

``NOISE``
    The clusterer saw the object and put it in no cluster: seen, but never together with others.
``MISSING``
    The clusterer never saw the object: its pairs are left out of every denominator.

The clusters of all members are numbered consecutively, member after member, so that
``offsets(labels)[m] + labels[i, m]`` is a column of :func:`indicator`.
"""

from consens._labels.codes import (
    MISSING,
    NOISE,
    abstain,
    clustered_rows,
    has_code,
    in_a_cluster,
    is_noise,
    keep_labels,
    label_stats,
    n_clusters_per_member,
    rename_clusters,
    rows_to_combine,
    take_members,
    unseen_rows,
)
from consens._labels.order import (
    UniqueRows,
    canonical_members,
    count_distinct_rows,
    few_unique_rows,
    fill_empty,
    first_seen,
    first_seen_order,
    unique_rows,
)
from consens._labels.overlap import (
    ClusterOverlap,
    PairCounts,
    cluster_overlap,
    cluster_sizes,
    contingency,
    indicator,
    label_weights,
    match,
    narrow,
    offsets,
    pair_seconds,
    partners,
    shared_members,
    sums_of_numbers,
)
from consens._labels.parse import check_label_rows, check_labels, compact, label_vector
from consens._labels.profiles import (
    Profiles,
    association,
    cluster_shares,
    cluster_sums,
    cluster_votes,
    likeliest_cluster,
    nearest_cluster,
    profiles,
)
