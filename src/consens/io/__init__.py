"""Files in and out: features, labels, ensembles; nothing is read by pickle."""

from consens.io.annotated import from_anndata, to_anndata, write_anndata
from consens.io.ensembles import write_ensemble
from consens.io.features import FeatureTable, read_features
from consens.io.folders import is_ensemble_folder, read_meta
from consens.io.labels import LabelTable, read_ensemble, read_labels, read_truth
from consens.io.parquet import open_parquet, write_label_blocks

__all__ = [
    "FeatureTable",
    "LabelTable",
    "from_anndata",
    "is_ensemble_folder",
    "open_parquet",
    "read_ensemble",
    "read_features",
    "read_labels",
    "read_meta",
    "read_truth",
    "to_anndata",
    "write_anndata",
    "write_ensemble",
    "write_label_blocks",
]
