"""Notes on common mistakes in a table, and columns of ids to set aside."""

from collections.abc import Callable, Sequence
from typing import Any

from consens.cli import console
from consens.cli.options import Preparing

#: Smallest number of rows at which a table is checked.
MIN_ROWS_TO_JUDGE = 10


def advise(
    frame: Any,
    job: Preparing,
    *,
    quiet: bool,
    where: str = "",
    known: Sequence[str] = (),
    has_ids: bool = False,
    confirm_ids: Callable[[str], bool] = lambda name: True,
) -> tuple[list[str], list[str]]:
    """Print notes on common mistakes in a table; return the columns of ids, and the notes.

    `known` are notes of the reader, which come first; `has_ids` says whether it found ids.  If
    `frame` holds only some rows of a table, `where` says which ("in the first 10 rows "), and
    `confirm_ids` checks whether a column of ids in `frame` holds ids in all rows.
    """
    from consens import check

    notes = list(known)
    counted = any("repeat" in note for note in known)
    advice = check(frame) if len(frame) >= MIN_ROWS_TO_JUDGE else None
    kept = set(job.keep or ())
    ids = [
        name for name in (advice.ids if advice else ()) if name not in kept and confirm_ids(name)
    ]
    if len(ids) == frame.shape[1]:
        ids = []
    for found in advice.findings if advice else ():
        if found.kind == "id":
            if found.columns[0] in ids:
                aside = f"and is set aside (--keep {found.columns[0]} uses it)"
                notes.append(f"{where}{found.text}, {aside}")
            elif found.columns[0] not in kept:
                notes.append(f"{where}{found.text} ({found.option})")
        elif found.kind == "missing" or (found.kind == "scale" and job.scale != "none"):
            continue  # missing values are refused or imputed later, scales are made equal
        elif found.kind == "repeated" and has_ids:
            if not counted:  # rows of different objects
                notes.append(f"{where}{found.text}, except for the ids")
        else:
            notes.append(f"{where}{found.text}{found.option and f' ({found.option})'}")
    if not quiet:
        for text in notes:
            console.note(f"note: {text}")
    return ids, notes
