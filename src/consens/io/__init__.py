"""Tables in: features and labels from csv, tsv, parquet or npy; nothing is read by pickle."""

from consens.io.tables import FeatureTable, LabelTable, read_features, read_labels

__all__ = [
    "FeatureTable",
    "LabelTable",
    "read_features",
    "read_labels",
]
