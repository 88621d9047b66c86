"""Readers and writers of features, labels and ensembles, without pickle."""

from consens.io import arrays, excel, h5ad, parquet, text  # noqa: F401 - to register formats
from consens.io.annotated import from_anndata, to_anndata, write_anndata
from consens.io.ensembles import write_ensemble
from consens.io.features import FeatureTable, read_features
from consens.io.folders import is_ensemble_folder, read_meta
from consens.io.formats import TableHeader
from consens.io.labels import (
    LabelTable,
    read_ensemble,
    read_labels,
    read_truth,
    read_truth_table,
)
from consens.io.parquet import open_parquet, write_label_blocks
from consens.io.tables import Table, read_header, read_table
from consens.io.text import csv_text

__all__ = [
    "FeatureTable",
    "LabelTable",
    "Table",
    "TableHeader",
    "csv_text",
    "from_anndata",
    "is_ensemble_folder",
    "open_parquet",
    "read_ensemble",
    "read_features",
    "read_header",
    "read_labels",
    "read_meta",
    "read_table",
    "read_truth",
    "read_truth_table",
    "to_anndata",
    "write_anndata",
    "write_ensemble",
    "write_label_blocks",
]
