"""Tables in, result files out.

Feature tables and label tables are read from csv, tsv, parquet or npy; results are
written so that an interruption never leaves half a file. Nothing is read by pickle.
"""

from consens.io.files import output_folder, write_files
from consens.io.tables import FeatureTable, LabelTable, read_features, read_labels

__all__ = [
    "FeatureTable",
    "LabelTable",
    "output_folder",
    "read_features",
    "read_labels",
    "write_files",
]
