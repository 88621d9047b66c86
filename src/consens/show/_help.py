"""Explanations of the figures of the report, each in two sentences."""

#: What a figure shows and how to read it, by the name of the plot.
HELP = {
    "map": "Every point is an object, and objects that the clusterings often put together are "
    "close to each other. Compact, separate groups of one colour are clear clusters; distances "
    "between groups and the size of a group mean little; press a point to see why it is in its "
    "cluster.",
    "cards": "Each card describes one cluster: how certain its objects are, and in which features "
    "it differs most from the others. A coloured area that stays high to the right means that "
    "nearly all objects fit well.",
    "matrix": "Rows and columns are the objects, sorted by cluster, and colour is the share of "
    "clusterings that put two objects together. Solid squares on an empty background are clear "
    "clusters; colour outside of the squares shows clusters that are hard to separate.",
    "choice": "Each bar is the evidence for a number of clusters, measured in three ways and "
    "added up. A bar that stands out is a clear choice; several of similar height mean that the "
    "data do not decide.",
    "tree": "The tree joins the objects that are most often together first, and the dashed line "
    "cuts it into the clusters. The longer the vertical distance in which no branches join, the "
    "clearer this number of clusters.",
    "tracking": "Each row is a number of clusters, and lines show where the objects of a cluster "
    "go when there is one more. Clusters that stay whole over many rows are robust.",
    "splits": "The groups of a tree are tested from the top. A small p says that data without "
    "clusters are seldom split as clearly, and a stability near 1 that nine tenths of the objects "
    "are split in the same way.",
    "per-k": "Random subsets of the objects were clustered, and colour is the share of subsets "
    "that put two objects together. The best number of clusters has the cleanest squares.",
    "curves": "Left, how many pairs are together in at most the given share of subsets; middle, "
    "how much a further cluster adds; right, the share of ambiguous pairs. A good number of "
    "clusters has few ambiguous pairs, fewer than data without clusters.",
}
