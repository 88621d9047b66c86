"""Cluster ensembles: many clusterings in, one better clustering out, and how far to trust it.

The public names, in the order of the flow::

    generate   X -> Ensemble            select     Ensemble -> fewer partitions
    evidence   Ensemble -> matrix       partition  matrix or graph -> labels
    consensus  Ensemble -> labels       measure    numbers about partitions
    check                               what looks wrong in a table, before it is clustered
    TableFeatures                       columns of any type -> X
    ConsensusClustering, combine        from X, or from labels, to one clustering
    compare                             several methods on the same clusterings
    profile, why                        clusters in original units; why an object is in its own
    show, report                        plots, and the HTML report
    save, load                          fitted models in files
    datasets   the papers' synthetic data
    io         features, labels and ensembles in files

Everything is imported on first use (``__init__.pyi`` lists what there is), so that
``import consens`` costs next to nothing.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
