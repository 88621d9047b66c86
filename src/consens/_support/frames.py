"""Conversion of tables of other libraries to pandas data frames."""

from collections.abc import Mapping
from typing import Any


def to_frame(table: Any) -> Any:
    """Convert a Polars or PyArrow table, or a dictionary of columns, to a DataFrame."""
    if all(hasattr(table, name) for name in ("obs", "var", "obsm", "uns")):
        raise TypeError(
            "got an AnnData object, which holds more than one table; use "
            "consens.anndata.cluster(adata, use_rep='X_pca') or consens.anndata.combine(adata, "
            "keys=[...]), or pass one matrix, such as adata.obsm['X_pca']"
        )
    if isinstance(table, Mapping) and not hasattr(table, "toarray"):  # sparse matrices can be
        import pandas as pd

        try:
            return pd.DataFrame(table)
        except ValueError as error:
            raise ValueError(f"the columns of the table do not fit together: {error}") from None
    lazy = hasattr(table, "collect_schema") and hasattr(table, "collect")
    if hasattr(table, "iloc") or not (lazy or hasattr(table, "__arrow_c_stream__")):
        return table
    import narwhals

    frame = narwhals.from_native(table, pass_through=True)
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect()
    return frame.to_pandas() if isinstance(frame, narwhals.DataFrame) else table
