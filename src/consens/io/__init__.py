"""Readers and writers of features, labels and ensembles, without pickle."""

from consens.io import arrays, excel, h5ad, parquet, text  # noqa: F401 - to register formats
from consens.io.annotated import from_anndata, to_anndata
from consens.io.ensembles import read_meta, write_ensemble
from consens.io.labels import read_ensemble, read_labels
from consens.io.parquet import open_parquet
from consens.io.tables import read_table

__all__ = [
    "from_anndata",
    "open_parquet",
    "read_ensemble",
    "read_labels",
    "read_meta",
    "read_table",
    "to_anndata",
    "write_ensemble",
]
