"""Numbers and dates in columns of text, in the forms that people write."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from consens._support.printable import listed

#: Cells that stand for missing values in output of pandas, R and spreadsheets.
MISSING_CELLS = ["", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "null", "NULL", "None"]
MISSING_CELLS += ["<NA>", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?"]

#: Share of the distinct values of a column that must be numbers, or dates, to report the others.
MOSTLY = 0.8

_CURRENCIES = (  # longer names first: "Fr. 5" is not "Fr" and ".5"
    "EUR USD GBP CHF JPY CNY SEK NOK DKK PLN CZK HUF RON TRY INR CAD AUD NZD BRL ZAR AED ARS BGN "
    "CLP COP EGP HKD IDR ILS ISK KRW MXN MYR NGN PEN PHP RUB SAR SGD THB TWD UAH VND HK$ MX$ US$ "
    "руб. Fr. Rs. lei руб грн kr zł Kč Ft Fr Rp Rs A$ C$ R$"
)
_UNIT = rf"(?:[$€£¥₹₽₺₩₫₪₴₦₱₸฿¢%円元원]|{'|'.join(map(re.escape, _CURRENCIES.split()))})"
_SPACES = "\\s\u00a0\u2009\u202f"
_PARTS = re.compile(
    rf"(?:(?P<outer>{_UNIT})(?=\())?(?P<open>\()?(?P<before>{_UNIT})?(?P<sign>[-+−–])?(?P<between>{_UNIT})?"
    rf"(?P<digits>\d[\d.,'’]*|[.,]\d+)(?P<power>[eE][-+]?\d+)?"
    rf"(?P<whole>(?<=[.,])[-–—])?(?P<after>{_UNIT})?(?P<trailing>-)?(?P<closed>\))?"
)
_GAP = re.compile(rf"(?<=\d)[{_SPACES}](?=\d{{3}}(?!\d))")  # between groups of digits
_LOOSE = re.compile(r"(?<!\d) | (?!\d)")
_SPACE = re.compile(f"[{_SPACES}]+")

#: Digits of a number for each decimal sign: plain, or in groups of three.
_DIGITS = {
    ".": re.compile(r"(?:\d+|[1-9]\d{0,2}(?:(?:,\d{2,3})*,\d{3}|(?:['’]\d{3})+))?(?:\.\d*)?"),
    ",": re.compile(r"(?:\d+|[1-9]\d{0,2}(?:(?:\.\d{3})+|(?:['’]\d{3})+))?(?:,\d*)?"),
}
_CODE = re.compile(r"0\d{3,}")  # a postal code rather than a number
_ONE_GROUP = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")  # 1.012 may be 1012

_TIME = r"(?:,?[ T]+(?P<time>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp][Mm])?)(?: Uhr)?)?"
_NUMERIC_DATE = re.compile(rf"(\d{{1,2}})([./-])(\d{{1,2}})\2(\d{{4}}|\d{{2}})\.?{_TIME}")
_YEAR_FIRST = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}(?:[ T]\d{1,2}:\d{2}.*)?"  # pandas checks the rest
    r"|\d{4}-(?:0[1-9]|1[0-2])"
)

#: A number with a unit of any kind or other signs; A17 and #17 are ids.
_WITH_OTHERS = re.compile(r"([^\w\s#№+-]{0,3})([-+−–]?(?=[\d.,'’ ]*\d)[\d.,'’ ]+)(\D{0,12})")
_MAX_UNITS = 3  # most different units of numbers, or other signs around them

#: A month such as 01.2024, which is not the number 1.2024.
MONTH = re.compile(r"(0[1-9]|1[0-2])[./]((?:19|20)\d{2})")
_FAR_DATE = re.compile(r"(?:0\d|1[0-5]|2[3-9]|[3-9]\d)\d\d-\d\d-\d\d")
_NAMED_MONTH = re.compile(rf"\d{{1,2}}\.?[ -][A-Za-z]{{3,9}}\.?,?[ -]\d{{2,4}}{_TIME}")
_MONTH_FIRST = re.compile(rf"[A-Za-z]{{3,9}}\.? \d{{1,2}},? \d{{4}}{_TIME}")


class _Amount(NamedTuple):
    """Parts of a cell that holds a number."""

    sign: int
    digits: str
    power: str
    unit: str

    def value(self, decimal: str) -> float:
        digits = re.sub("['’,]" if decimal == "." else "['’.]", "", self.digits)
        return self.sign * float(digits.replace(",", ".") + self.power)


@dataclass(frozen=True)
class ParsedColumns:
    """Columns of numbers and dates found in text, and notes on them, by name.

    `mixed` are columns of text that hold mostly numbers or dates; `decimal` is the decimal sign of
    the columns that show one.
    """

    columns: dict[str, pd.Series]
    notes: dict[str, str]
    mixed: set[str]
    decimal: str | None


def parse_columns(
    frame: pd.DataFrame,
    *,
    decimal: str | None = None,
    day_first: bool | None = None,
    likely: Iterable[str] = (),
    units: bool = True,
    ask: bool = True,
) -> ParsedColumns:
    """Find numbers and dates among columns of text; None and NaN are missing.

    Numbers may have groups of three digits (``1.012,57``, ``1,012.57``, ``1 012,57``,
    ``1'012.57``), a currency or percent sign, and a minus sign in front, behind or as
    parentheses.  A percentage stays as written: ``12 %`` is 12.  Dates may be ISO dates, days and
    months in numbers with the year last, or with English names of months, all with or without a
    time.

    `decimal` and `day_first` are given or decided for each column; `likely` are decimal signs of
    other columns, which columns such as ``1.012`` follow.  Without `units`, dates and numbers with
    a currency or percent sign stay text.  A column that can be read in two ways raises ValueError,
    or stays text unless `ask`.
    """
    columns: dict[str, pd.Series] = {}
    notes: dict[str, str] = {}
    open_columns: dict[str, tuple[Any, dict[str, _Amount]]] = {}
    mixed: set[str] = set()
    seen = set(likely)
    shown: Counter[str] = Counter()  # decimal signs in columns that stay text
    for name in frame.columns:
        column = frame[name]
        codes, distinct = pd.factorize(column.astype(object).map(_stripped, na_action="ignore"))
        cells = [str(cell) for cell in distinct]
        if not cells:
            continue
        if units and any(map(_CODE.fullmatch, cells)):
            notes[name] = f"column {name!r} stays text: it holds codes with leading zeros"
            continue
        months = units and all(map(MONTH.fullmatch, cells))
        named = () if months else cells
        amounts = {cell: part for cell in named if (part := _amount(cell, units)) is not None}
        signs = [s for s in ((decimal,) if decimal else ".,") if _fit(amounts.values(), s)]
        if len(amounts) == len(cells) and signs and _one_unit(amounts.values()):
            if len(signs) == 2 and any(_ONE_GROUP.fullmatch(a.digits) for a in amounts.values()):
                open_columns[name] = codes, amounts
                continue
            if len(signs) == 1 and any(s in a.digits for a in amounts.values() for s in ".,"):
                seen.add(signs[0])
            columns[name] = _numbers(column, codes, amounts, signs[0])
            notes |= _about_numbers(name, amounts, signs[0])
            continue
        dates = _dates(name, cells, day_first, ask=ask) if units else None
        if dates is not None and not dates.hasnans:
            columns[name] = pd.Series(_taken(codes, dates), index=column.index, name=name)
            if not all(map(_YEAR_FIRST.fullmatch, cells)):
                notes[name] = _about_dates(name, cells, dates)
        elif units:
            for amount in amounts.values():
                fitting = [sign for sign in ".," if _fit([amount], sign)]
                shown.update(fitting if len(fitting) == 1 and fitting[0] in amount.digits else ())
            known = cells if dates is None else compress(cells, dates.notna())
            strays = _about_strays(name, cells, amounts, list(filter(_looks_like_date, known)))
            notes |= strays
            mixed |= strays.keys()
    for name, (codes, amounts) in open_columns.items():
        if len(seen) != 1:
            if not ask:
                continue
            cell = next(c for c, a in amounts.items() if _ONE_GROUP.fullmatch(a.digits))
            small, large = sorted(amounts[cell].value(sign) for sign in ".,")
            raise ValueError(
                f"column {name!r} holds numbers such as {cell!r}, which may be {large:g} or "
                f"{small:g}; convert it to numbers, or give decimal='.' or decimal=','"
            )
        columns[name] = _numbers(frame[name], codes, amounts, *seen)
        notes |= _about_numbers(name, amounts, *seen)
    most = shown.most_common(1)[0][0] if shown and not seen else None
    return ParsedColumns(columns, notes, mixed, seen.pop() if len(seen) == 1 else most)


def parse_known(column: pd.Series, *, dates: bool) -> pd.Series | None:
    """Convert cells of text that hold numbers, or dates, and make the others missing.

    Where cells contradict each other, the more frequent form counts.  None if the cells can be
    read in two ways.
    """
    cells = column.map(_stripped, na_action="ignore").astype(object)
    distinct = cells.dropna().unique()
    if dates:
        known = list(filter(_looks_like_date, distinct))
        days = _dates("", known, None, ask=False) if known else None
        return None if days is None else cells.map(dict(zip(known, days, strict=True)))
    amounts = {cell: part for cell in distinct if (part := _amount(cell, units=True)) is not None}
    units = Counter(part.unit for part in amounts.values() if part.digits.strip("0.,"))
    unit = max(units, key=lambda one: (units[one], one != ""), default="")
    numbers = {cell: part for cell, part in amounts.items() if _one_unit([part], unit)}
    forms = [[cell for cell, part in numbers.items() if _fit([part], sign)] for sign in ".,"]
    kept = cells.where(cells.isin(max(forms, key=len)), None)
    return parse_columns(pd.DataFrame({"cells": kept}), ask=False).columns.get("cells")


def is_number(cell: str) -> bool:
    """Whether a cell holds a number in any form."""
    return _amount(_stripped(cell), units=True) is not None


def not_numeric(
    names: Sequence[str], cells: Iterable[object] = (), cure: str = "drop={!r}"
) -> str:
    """Format a message about columns that are not numeric; `cells` are those of the first."""
    subject = f"columns {listed(names)} are" if len(names) > 1 else f"column {names[0]!r} is"
    odd = next((c for c in cells if c is not None and not is_number(str(c))), None)
    example = "" if odd is None else f" (e.g. {odd!r})"
    leave_out = f"leave out what is not a feature: {cure.format(list(names))}"
    return f"{subject} not numeric{example}; {leave_out}"


def _stripped(cell: object) -> str:
    return _SPACE.sub(" ", str(cell)).strip()


# ------------------------------------------------------------------------------------- numbers


def _amount(cell: str, units: bool) -> _Amount | None:
    """Split a cell into sign, digits and unit; None if it is not a number."""
    plain = _LOOSE.sub("", _GAP.sub("'", cell))
    found = _PARTS.fullmatch(plain)
    if found is None or bool(found["open"]) != bool(found["closed"]):
        return None
    signs = [found["sign"] in ("-", "−", "–"), found["open"], found["trailing"]]
    named = [found[place] for place in ("outer", "before", "between", "after") if found[place]]
    if len(named) > 1 or sum(map(bool, signs)) > 1 or ((named or found["open"]) and not units):
        return None
    if not any(digits.fullmatch(found["digits"]) for digits in _DIGITS.values()):
        return None
    sign = -1 if any(signs) else 1
    return _Amount(sign, found["digits"], found["power"] or "", "".join(named))


def _fit(amounts: Iterable[_Amount], decimal: str) -> bool:
    return all(_DIGITS[decimal].fullmatch(amount.digits) for amount in amounts)


def _one_unit(amounts: Iterable[_Amount], *others: str) -> bool:
    """Whether all numbers have the same unit; 0 needs none, and sums of money may lack it."""
    units = {*others, *(amount.unit for amount in amounts if amount.digits.strip("0.,"))}
    return len(units) < 2 or (len(units) == 2 and "" in units and "%" not in units)


def _numbers(column: pd.Series, codes: Any, amounts: dict[str, _Amount], sign: str) -> pd.Series:
    values = [amount.value(sign) for amount in amounts.values()]
    return pd.Series(_taken(codes, values), index=column.index, name=column.name, dtype="float64")


def _taken(codes: Any, values: Sequence[Any]) -> Any:
    return pd.Series([*values, None]).take(codes).array  # the code of missing cells is -1


def _about_numbers(name: str, amounts: dict[str, _Amount], sign: str) -> dict[str, str]:
    """Return a note unless the numbers are plain digits with their decimal sign."""
    plain = re.compile(rf"\d*\{sign}?\d*")
    odd = next((c for c, a in amounts.items() if a.unit or not plain.fullmatch(a.digits)), None)
    if odd is None:
        return {}
    shown = f"{odd!r} as {amounts[odd].value(sign):.15g}"
    return {name: f"column {name!r} is read as numbers: {shown}"}


def _about_strays(
    name: str, cells: list[str], amounts: dict[str, _Amount], dates: list[str]
) -> dict[str, str]:
    """Return a note if nearly all cells are numbers, or dates, and say how to treat the rest."""
    for kind, found in (("numbers", list(amounts)), ("dates", dates)):
        if not len(found) >= max(MOSTLY * len(cells), 5):
            continue
        known = set(found)
        others = [cell for cell in cells if cell not in known]
        if not others:
            units = sorted({a.unit for a in amounts.values()} - {""})
            what = f" in {' and '.join(units)}" if len(units) > 1 else " in different forms"
            return {name: f"column {name!r} stays text: it holds {kind}{what}"}
        some = "one value," if len(others) == 1 else f"{len(others)} values such as"
        return {
            name: f"column {name!r} stays text: it holds {kind} except {some} {others[0]!r} "
            f"(for missing values: na={others[:3]!r})"
        }
    parts = [_WITH_OTHERS.fullmatch(cell) for cell in cells]
    around = {(found[1], found[3]) for found in parts if found} - {("", "")}
    if len(cells) >= 5 and all(parts) and 0 < len(around) <= _MAX_UNITS:
        odd = next(cell for cell in cells if cell not in amounts)
        return {
            name: f"column {name!r} stays text: it holds numbers with a unit or other signs, such "
            f"as {odd!r}"
        }
    return {}


# --------------------------------------------------------------------------------------- dates


def _looks_like_date(cell: str) -> bool:
    forms = (_NUMERIC_DATE, _YEAR_FIRST, _NAMED_MONTH, _MONTH_FIRST, MONTH)
    return any(form.fullmatch(cell) for form in forms)


def _dates(name: str, cells: list[str], day_first: bool | None, *, ask: bool) -> Any:
    """Convert distinct cells to timestamps, NaT for others; None if few are dates."""
    if sum(map(_looks_like_date, cells)) < MOSTLY * len(cells):
        return None
    parts = [_NUMERIC_DATE.fullmatch(cell) for cell in cells]
    numeric = [found for found in parts if found]
    ask = ask and all(map(_looks_like_date, cells))
    orders = {
        sep: _day_first(name, [found for found in numeric if found[2] == sep], day_first, ask=ask)
        for sep in {found[2] for found in numeric}
    }
    if orders and all(order is None for order in orders.values()):
        return None
    paired = zip(cells, parts, strict=True)
    # day, month and year in the order of ISO, or else pandas would apply `dayfirst` to ISO dates
    plain = [
        _year_first(found, orders[found[2]])
        if found
        else MONTH.sub(r"\2-\1-01", cell)
        if _looks_like_date(cell)
        else None
        for cell, found in paired
    ]
    dates = pd.to_datetime(plain, format="mixed", utc=True, errors="coerce").tz_localize(None)
    days = dates.to_numpy(dtype="datetime64[us]", copy=True)
    for i in np.flatnonzero(np.isnat(days)):  # pandas before 3.0 knows the years 1678 to 2261
        found = _FAR_DATE.match(plain[i] or "")
        with suppress(ValueError):
            days[i] = np.datetime64(found[0]) if found else days[i]
    return pd.DatetimeIndex(days)


def _year_first(found: re.Match[str], day_first: bool | None) -> str | None:
    if day_first is None:
        return None
    day, month = (found[1], found[3]) if day_first else (found[3], found[1])
    year = int(found[4])
    if year < 100:
        year += 2000 if year < 30 else 1900  # as spreadsheets do
    return f"{year}-{month:0>2}-{day:0>2} {found['time'] or ''}".strip()


def _about_dates(name: str, cells: list[str], dates: Any) -> str:
    """Return a note on dates; two digits of a year may mean two years, so it shows the range."""
    short = any(found and len(found[4]) == 2 for found in map(_NUMERIC_DATE.fullmatch, cells))
    extent = f", from {dates.min():%Y-%m-%d} to {dates.max():%Y-%m-%d}" if short else ""
    return f"column {name!r} is read as dates: {cells[0]!r} as {dates[0]:%Y-%m-%d}{extent}"


def _day_first(
    name: str, cells: list[re.Match[str]], given: bool | None, *, ask: bool
) -> bool | None:
    """Whether the day comes before the month; None if the cells are not dates."""
    first, second = ([int(cell[group]) for cell in cells] for group in (1, 3))
    days = {True: sum(n > 12 for n in first), False: sum(n > 12 for n in second)}
    possible = {order: days[not order] <= (1 - MOSTLY) * sum(days.values()) for order in days}
    dots = any(cell[2] == "." for cell in cells)
    if dots and any(len(cell[4]) == 2 for cell in cells):
        possible[False] = False  # rather a version or a section number than a date
    if given is not None:
        return given if possible[given] else None
    if all(possible.values()) and not dots and first != second:
        if ask:
            raise ValueError(
                f"column {name!r} holds dates such as {cells[0][0]!r}, in which the first number "
                "may be the day or the month; convert it to dates, or give day_first=True or "
                "day_first=False"
            )
        return None
    return True if possible[True] else False if possible[False] else None
