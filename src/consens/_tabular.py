"""From the columns of a data frame to features: numbers, days and categories."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.utils.validation import check_is_fitted

from consens._blocks.scaling import SCALES, Scaler
from consens._cells import not_numeric, parse_columns, parse_known
from consens._check import as_frame, check
from consens._params import COUNT_RULE, one_of, rules
from consens._support.printable import listed

MIN_ROWS_FOR_IDS = 10  # smallest number of rows at which columns are taken for ids

#: Distance from the training range, in widths of that range, that makes a value far outside.
FAR_OUTSIDE = 1.0


DROP = "table.drop(columns={!r})"  # how to leave columns out


class TableFeatures(TransformerMixin, BaseEstimator):
    """Turn the columns of a table into features, as the command line does.

    Numbers and booleans become numbers, dates days since 1970, and text categories.  Text that
    holds numbers or dates is converted first, see `consens.io.read_table`.

    Parameters
    ----------
    impute : {"median", "mean", "most_frequent"}, optional
        How to fill missing values; those of categories are filled by the most frequent one.  None
        refuses missing values in ``fit``; in ``transform`` the median is used.
    encode : {"onehot", "ordinal", "frequency"}, optional
        How to encode text.  "frequency" encodes columns with more than `max_levels` values by
        the share of rows with the same value, and others as "onehot".  None refuses text.
    scale : {"standard", "robust", "minmax", "log", "auto", "none"}
        How to scale features.  "log" takes log(1 + x) of features without negative values before
        it scales to mean 0 and variance 1; "auto" only where they are skewed, see `notes_`.  The
        columns of a one-hot encoded category together count less than one numeric feature, as do
        booleans and other numbers of two values.
    max_levels : int
        Columns of text with more values are left out.
    drop_ids : bool
        Whether to leave out columns that certainly hold ids, see `consens.check`.

    Attributes
    ----------
    numbers_, categories_ : list of str
        Columns that are used; `dates_` are those of the numbers that are dates.
    left_out_ : dict of str to str
        Columns that are not used, and why.
    notes_ : list of str
        What happened to columns, in sentences.
    scaler_ : Scaler or None

    Notes
    -----
    O(n·d) time and memory.  The one-hot columns of a category with L values are divided by
    2√(L − 1).  Any two values are then equally far apart, whatever their shares, as in Gower's
    distance, and equally frequent values have 1/(4L) of the variance of one numeric feature.  With
    more, categories would dominate: between two values there is nothing, so that members separate
    them more easily than two halves of a bell curve of the same variance.  The two values of a
    boolean are as far apart as those of a category.

    .. versionadded:: 0.1

    Examples
    --------
    >>> import pandas as pd
    >>> from consens import TableFeatures
    >>> table = pd.DataFrame({"sales": ["1.200,50 €", "80,00 €"], "city": ["Bern", "Genf"]})
    >>> prepare = TableFeatures(encode="onehot").fit(table)
    >>> prepare.transform(table)
    array([[ 1.  ,  0.25, -0.25],
           [-1.  , -0.25,  0.25]])
    >>> prepare.get_feature_names_out().tolist()
    ['sales', 'city_Bern', 'city_Genf']
    """

    _parameter_constraints = rules(
        impute=[*one_of("median", "mean", "most_frequent"), None],
        encode=[*one_of("onehot", "ordinal", "frequency"), None],
        scale=one_of(*SCALES),
        max_levels=COUNT_RULE,
        drop_ids=["boolean"],
    )

    def __init__(
        self,
        *,
        impute: str | None = None,
        encode: str | None = None,
        scale: str = "standard",
        max_levels: int = 50,
        drop_ids: bool = True,
    ) -> None:
        self.impute = impute
        self.encode = encode
        self.scale = scale
        self.max_levels = max_levels
        self.drop_ids = drop_ids

    def fit(self, X: pd.DataFrame, y: object = None) -> Self:
        """Learn how to fill, encode and scale the columns.

        Parameters
        ----------
        X : data frame
            An index other than row numbers is used in messages.
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: pd.DataFrame, y: object = None, **unused: Any) -> np.ndarray:
        """Fit to a table and return its features; see `fit`."""
        self._validate_params()
        frame = as_frame(X)
        self.left_out_: dict[str, str] = {}
        frame, self.notes_, dates = plain_columns(frame)
        if empty := [name for name in frame if frame[name].isna().all()]:
            raise ValueError(f"no value in {listed(empty)}; leave it out: {_drop(empty)}")
        if self.drop_ids and len(frame) >= MIN_ROWS_FOR_IDS:
            ids = check(frame).ids
            self._leave_out(ids if len(ids) < frame.shape[1] else [], "holds ids")
        frame = frame.drop(columns=list(self.left_out_))
        text = [name for name in frame if frame[name].dtype == object]
        if text and self.encode is None:
            message = not_numeric(text, frame[text[0]].dropna(), DROP)
            raise ValueError(f"{message}, or encode it: encode='onehot'")
        levels = {name: frame[name].nunique() for name in text}
        self._leave_out([n for n in text if levels[n] == 1], "holds one value or none")
        many = [name for name in text if levels[name] > self.max_levels]
        if self.encode != "frequency":
            self._leave_out(many, f"holds text with more than {self.max_levels} values")
        frame = frame.drop(columns=list(self.left_out_), errors="ignore")
        if self.impute is None:
            _refuse_missing(frame)
        _refuse_infinite(frame)
        if frame.shape[1] == 0:
            raise ValueError(f"no column is left: {'; '.join(self.notes_)}")
        self.feature_names_in_ = np.array(frame.columns, dtype=object)
        self.categories_ = [name for name in text if name not in self.left_out_]
        self.numbers_ = [name for name in frame if name not in self.categories_]
        self.encoder_ = self._encoder(set(many)).fit(frame)
        self.dates_ = [name for name in self.numbers_ if name in dates]
        self.ranges_ = {name: _range(frame[name]) for name in self.numbers_}
        features = self._encoded(frame)
        self.scaler_ = None
        if self.scale == "none":
            return features
        numbers = slice(len(self.numbers_))
        self.scaler_ = Scaler.fit(features, self.scale, categories=self._blocks(), numbers=numbers)
        self.notes_ += self.scaler_.notes(self.get_feature_names_out())
        return self.scaler_(features)

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        """Return the features of a table.

        Parameters
        ----------
        X : data frame
            With the columns of the training data, in any order.  Missing values and missing
            columns are filled, and unknown categories have no 1 in their block; `unusual`
            counts them.

        Returns
        -------
        ndarray of shape (n, n_features)
        """
        features = self.unscaled(X)
        return features if self.scaler_ is None else self.scaler_(features)

    def unscaled(self, X: pd.DataFrame) -> np.ndarray:
        """Return the features of a table before they are scaled; see `transform`."""
        check_is_fitted(self)
        return self._encoded(self._known_columns(X))

    def unusual(self, X: pd.DataFrame) -> list[str]:
        """Describe what in a table is not as in the training data, by column and row count.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        list of str
            One sentence for each column that is missing, has unreadable or missing cells,
            categories that did not occur, or values far outside of the range that did.
        """
        check_is_fitted(self)
        frame, given = self._known_columns(X), as_frame(X)
        notes: list[str] = []
        known = dict(zip(self.categories_, self._levels(), strict=True))
        for name in self.feature_names_in_:
            if name not in given:
                notes.append(f"column {name!r} is missing and filled in for all rows")
                continue
            column = frame[name]
            empty = given[name].isna()
            odd = column.isna().to_numpy() & ~empty.to_numpy()
            if odd.any():
                cell = given[name].to_numpy()[odd.argmax()]
                notes.append(
                    f"column {name!r} has {_rows(odd)} with cells such as {cell!r} instead of "
                    "numbers or dates, which are filled in"
                )
            if empty.any():
                notes.append(f"column {name!r} has {_rows(empty)} without a value, filled in")
            if name in known:
                new = ~(column.isin(known[name]) | column.isna())
                if new.any():
                    value = column[new].iloc[0]
                    notes.append(f"column {name!r} has {_rows(new)} with new values: {value!r}")
            else:
                low, high = self.ranges_[name]
                margin = FAR_OUTSIDE * (high - low)
                far = (column < low - margin) | (column > high + margin)
                if far.any():
                    notes.append(
                        f"column {name!r} has {_rows(far)} far outside of the training range of "
                        f"{low:g} to {high:g}: {column[far].iloc[0]:g}"
                    )
        return notes

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Names of the features; that of a category is followed by the value."""
        check_is_fitted(self)
        return np.asarray(self.encoder_.get_feature_names_out(), dtype=object)

    # ---------------------------------------------------------------------------------- parts

    def _leave_out(self, names: Sequence[str], reason: str) -> None:
        for name in names:
            self.left_out_[name] = reason
            self.notes_.append(f"column {name!r} {reason} and is left out")

    def _encoder(self, many: set[str]) -> ColumnTransformer:
        steps: list[tuple[str, Any, list[str]]] = []
        if self.numbers_:
            strategy = self.impute or "median"
            fill = SimpleImputer(strategy=strategy, keep_empty_features=True)
            steps.append(("numbers", fill, self.numbers_))
        encoders: dict[str, Any] = {
            "onehot": OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            "ordinal": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
            "frequency": FrequencyEncoder(),
        }
        kinds = dict.fromkeys(self.categories_, self.encode)
        if self.encode == "frequency":
            kinds |= {name: "onehot" for name in kinds if name not in many}
        for kind, encoder in encoders.items():
            names = [name for name in self.categories_ if kinds[name] == kind]
            if names:
                filled = SimpleImputer(strategy="most_frequent")
                steps.append((kind, make_pipeline(filled, encoder), names))
        return ColumnTransformer(steps, verbose_feature_names_out=False)

    def _encoded(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.encoder_.transform(frame), dtype=np.float64)

    def _blocks(self) -> list[slice]:
        """Return the places of one-hot encoded categories among the features."""
        places = self.encoder_.output_indices_.get("onehot", slice(0, 0))
        if "onehot" not in self.encoder_.named_transformers_:
            return []
        sizes = [len(own) for own in self.encoder_.named_transformers_["onehot"][-1].categories_]
        ends = places.start + np.cumsum([0, *sizes])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]

    def _levels(self) -> list[list[Any]]:
        """Return the known values of each category, in the order of `categories_`."""
        known: dict[str, list[Any]] = {}
        for kind, step, names in self.encoder_.transformers_:
            if kind in ("onehot", "ordinal", "frequency"):
                known |= dict(zip(names, map(list, step[-1].categories_), strict=True))
        return [known[name] for name in self.categories_]

    def _known_columns(self, X: Any) -> pd.DataFrame:
        """Return the columns of the training data, with unreadable cells as missing."""
        given = as_frame(X)
        known = [name for name in self.feature_names_in_ if name in given]
        if not known:
            needed = listed(list(self.feature_names_in_))
            raise ValueError(
                f"the table has none of the columns {needed} of the training data; its columns "
                f"are {listed(list(given))}"
            )
        given = given[known]
        frame, _, _ = plain_columns(given, ask=False)
        columns = {}
        for name in self.feature_names_in_:
            column = frame[name] if name in frame else pd.Series(np.nan, index=frame.index)
            if name in self.categories_:
                text = column.map(lambda cell: f"{cell:g}") if column.dtype != object else column
                columns[name] = text.astype(object).where(column.notna())
                continue
            if column.dtype == object:
                found = parse_known(column, dates=name in self.dates_)
                column = pd.Series(np.nan, index=frame.index) if found is None else found
            columns[name] = (
                column.astype(np.float64) if column.dtype.kind != "M" else _days(column)
            )
        return pd.DataFrame(columns, index=given.index)


class FrequencyEncoder(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Encode each value of a column by the share of training rows with the same value."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the values of each column."""
        values = np.asarray(X, dtype=object)
        counts = [pd.Series(column).value_counts(normalize=True) for column in values.T]
        self.categories_ = [count.index.to_numpy(dtype=object) for count in counts]
        self.shares_ = [count.to_numpy() for count in counts]
        self.n_features_in_ = values.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Replace values by their shares; that of new values is 0."""
        values = np.asarray(X, dtype=object)
        known = zip(self.categories_, self.shares_, strict=True)
        shares = [dict(zip(names, counts, strict=True)) for names, counts in known]
        columns = [
            [own.get(value, 0.0) for value in column]
            for own, column in zip(shares, values.T, strict=True)
        ]
        return np.array(columns, dtype=np.float64).T


def plain_columns(
    frame: pd.DataFrame, *, ask: bool = True
) -> tuple[pd.DataFrame, list[str], set[str]]:
    """Convert numbers to float64, dates to days since 1970, and anything else to text."""
    dates: set[str] = set()
    columns: dict[str, Any] = {}
    text = {}
    for name, column in frame.items():
        kind = column.dtype
        inferred = pd.api.types.infer_dtype(column, skipna=True)
        if inferred in ("date", "datetime", "empty"):
            column = pd.to_datetime(column)
            kind = column.dtype
        if pd.api.types.is_timedelta64_dtype(kind):
            columns[name] = column / pd.Timedelta(days=1)
        elif pd.api.types.is_datetime64_any_dtype(kind):
            columns[name] = _days(column)
            dates.add(name)
        elif pd.api.types.is_bool_dtype(kind) or pd.api.types.is_numeric_dtype(kind):
            columns[name] = column.astype("float64")
        else:
            columns[name] = column.astype(str).astype(object).where(column.notna(), None)
            text[name] = columns[name]
    found = parse_columns(pd.DataFrame(text, index=frame.index), ask=ask)
    for name, column in found.columns.items():
        columns[name] = column
        if column.dtype.kind == "M":
            columns[name] = _days(column)
            dates.add(name)
    return pd.DataFrame(columns, index=frame.index), list(found.notes.values()), dates


def _days(column: pd.Series) -> pd.Series:
    naive = column.dt.tz_localize(None) if column.dt.tz is not None else column
    return (naive - pd.Timestamp("1970-01-01").as_unit("s")) / pd.Timedelta(days=1)


def day_text(days: float) -> str:
    """Format a number of days since 1970 as a date."""
    return f"{pd.Timestamp(0) + pd.Timedelta(days=days):%Y-%m-%d}"


def _range(column: pd.Series) -> tuple[float, float]:
    return float(column.min()), float(column.max())


def _rows(mask: Any) -> str:
    count = int(np.asarray(mask).sum())
    return "1 row" if count == 1 else f"{count} rows"


def _drop(names: Sequence[str]) -> str:
    return DROP.format(list(names))


def _refuse_infinite(frame: pd.DataFrame) -> None:
    for name in frame:
        infinite = frame[name].isin([np.inf, -np.inf]).to_numpy()
        if infinite.any():
            raise ValueError(
                f"infinite values in column {name!r} ({infinite.sum()} of {len(frame)}, the first "
                f"in row {infinite.argmax() + 1}); replace them, or leave the column out: "
                f"{_drop([name])}"
            )


def _refuse_missing(frame: pd.DataFrame) -> None:
    missing = frame.isna()
    counts = missing.sum()
    bad = [name for name in frame if counts[name]]
    if bad:
        row = int(missing[bad[0]].to_numpy().argmax())
        numbered = isinstance(frame.index, pd.RangeIndex)
        named = "" if numbered else f" ({frame.index[row]!r})"
        more = f"; {counts.sum()} values in all, also in {listed(bad[1:])}" if bad[1:] else ""
        raise ValueError(
            f"column {bad[0]!r} has {counts[bad[0]]} missing values, the first in row "
            f"{row + 1}{named}{more}; fill them in by impute='median', or leave columns out"
        )
