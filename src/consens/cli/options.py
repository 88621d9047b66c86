"""Groups of options that several verbs share; jobs inherit from them.

The help lists the groups of a job from the last base class to the first.
"""

import re
from contextlib import AbstractContextManager, nullcontext
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any, Literal, cast

import typer

from consens.cli.configuration import Job, argument, flag, option, usage_error
from consens.cli.stages import CONSENSUS, GENERATOR, SELECTOR

TABLES = (
    "text (.csv, .tsv or .txt, also .gz or .zst; - is standard input), .xlsx, .parquet, .npy, "
    ".npz, .mat or .h5ad"
)
TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx")

UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}

Text = str | None
Texts = list[str] | None
Number = int | None
File = Path | None


def parse_size(text: str | int) -> int:
    """Parse a number of bytes: 2GB is 2·10⁹, 512 MiB is 512·2²⁰."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", str(text).strip().lower())
    if found is None or float(found[1]) == 0:
        raise typer.BadParameter(f"{text!r} is not a size such as 2GB or 512MiB")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** UNITS[found[2]])


@dataclass(kw_only=True)
class Printing(Job):
    """Options for printing."""

    quiet: bool = flag("Print warnings and errors only, and no progress.", "--quiet", "-q")
    json: bool = flag("Print the summary as JSON.", "--json")


@dataclass(kw_only=True)
class Reading(Job):
    """Options for reading a table."""

    file: Path = argument("FILE", f"Features, one object per row: {TABLES}.")
    id: Text = option(
        "NAME",
        "Column of ids. Default: the first column, if it holds text, has no name, or is called "
        "id or index.",
    )
    no_id: bool = flag("The table has no column of ids.", "--no-id")
    drop: Texts = option("NAME", "Leave out a column; may be repeated.")
    header: bool | None = option(
        "", "Whether the first line of a text file names the columns, if unclear."
    )
    sep: Text = option(
        "CHAR", "Separator of a text file: a character, or tab, space, comma, semicolon."
    )
    decimal: Text = option("CHAR", "Decimal sign of a text file, if unclear.")
    day_first: bool | None = option(
        "", "Whether 03/04/2024 is 3 April or March 4, if unclear.", "--day-first/--month-first"
    )
    encoding: Text = option("NAME", "Encoding of a text file, such as cp1252, if not UTF-8.")
    na: Texts = option(
        "CODE", "A value that stands for a missing one, such as -999; may be repeated."
    )
    drop_duplicates: bool = flag(
        "Leave out rows that repeat an earlier one in all columns.", "--drop-duplicates"
    )
    use: Text = option(
        "NAME",
        "Array of an .npz or .mat file, sheet of an .xlsx file, or X, a layer or X_pca of "
        "an .h5ad file.",
    )
    transpose: bool = flag("Objects are columns, as in most gene tables.", "--transpose")

    def reader_options(self, *others: File) -> dict[str, Any]:
        """Return the options for readers of `consens.io`; `others` are read besides `file`."""
        if self.no_id and self.id is not None:
            raise usage_error("--id", "--id and --no-id exclude each other")
        suffixes = [s.lower() for path in (self.file, *others) if path for s in path.suffixes[-2:]]
        text = Path("-") in (self.file, *others) or not {*suffixes}.isdisjoint(TEXT_SUFFIXES)
        of_text = ("header", "sep", "decimal", "day_first", "encoding")
        for name in of_text if not text else ():
            if getattr(self, name) is not None:
                option = f"--{name.replace('_', '-')}"
                raise usage_error(option, f"{self.file} is not a text file")
        same = (*of_text, "drop_duplicates", "transpose")
        return {name: getattr(self, name) for name in same} | {
            "id_column": False if self.no_id else self.id,
            "drop": self.drop or (),
            "na": self.na or (),
            "array": self.use,
        }


@dataclass(kw_only=True)
class ReadingClusterings(Reading):
    """Options for reading a table of clusterings."""

    columns: Texts = option(
        "NAME",
        "A column that is a clustering, or a pattern such as 'leiden*'; may be repeated. "
        "Default: all; columns of an .h5ad file must be named.",
    )

    def reader_options(self, *others: File) -> dict[str, Any]:
        """Return the options for readers of `consens.io`."""
        return super().reader_options(*others) | {"columns": self.columns or ()}


@dataclass(kw_only=True)
class Seeded(Job):
    """Option for the random seed."""

    seed: int = option(
        "S", "The same seed gives the same labels.", min=0, max=2**32 - 1, default=0
    )


@dataclass(kw_only=True)
class Parallel(Job):
    """Option for the number of processes."""

    n_jobs: Number = option(
        "N",
        "Processes to use; -1 is all processors. Default: a thread for each processor.",
        min=-9999,
        max=9999,
    )

    def check_jobs(self) -> None:
        """Refuse --n-jobs 0."""
        if self.n_jobs == 0:
            raise usage_error("--n-jobs", "0 is not a number of processes; give 1 or more, or -1")

    def workers(self) -> AbstractContextManager[Any]:
        """Work with a thread for each processor, unless a number of processes is given."""
        if self.n_jobs is not None:
            return nullcontext()
        from joblib import parallel_config

        return cast(AbstractContextManager[Any], parallel_config("threading", n_jobs=-1))


@dataclass(kw_only=True)
class Preparing(Job):
    """Options for turning columns into features."""

    keep: Texts = option("NAME", "Use a column although it looks like ids; may be repeated.")
    impute: Literal["median", "mean", "most_frequent"] | None = option(
        "", "Impute missing values. Default: refuse them."
    )
    encode: Literal["onehot", "ordinal", "frequency"] | None = option(
        "",
        "Encode text columns as numbers. Default: refuse them. Those with more than 50 values are "
        "left out, or with frequency encoded by how frequent each value is.",
    )
    scale: Literal["standard", "robust", "minmax", "log", "auto", "none"] = option(
        "",
        "Scale features to mean 0 and variance 1, to median and quartiles, to the range 0 to 1, "
        "after log(1 + x) where possible (log) or where skewed (auto), or not at all.",
        default="standard",
    )


@dataclass(kw_only=True)
class Generation(Job):
    """Options for the generator of clusterings."""

    generator: Text = option(
        "NAME",
        "Generator of the clusterings, see consens methods. Default: the recipe that wins, or "
        "with --method k-means or what the method needs.",
        autocompletion=GENERATOR.complete,
    )
    members: Number = option("M", "Number of clusterings. Default: that of the generator.", min=1)
    store: File = option(
        "DIR",
        "Folder that keeps finished clusterings for later runs. Default: OUT.members, removed "
        "at the end of the run.",
    )


@dataclass(kw_only=True)
class Selection(Job):
    """Options for the selector."""

    selector: Text = option(
        "NAME",
        "Selector of clusterings, see consens methods. Default: keep all.",
        autocompletion=SELECTOR.complete,
    )
    n_selected: Text = option(
        "N", "Number or share of clusterings to keep. Default: that of the selector."
    )


@dataclass(kw_only=True)
class Combination(Job):
    """Options for the consensus."""

    n_clusters: Number = option(
        "N", "Number of clusters. Default: chosen from the data.", "--n-clusters", "-k", min=1
    )
    method: Text = option(
        "NAME",
        "Consensus method, see consens methods. Default: DrawnConsensus, or LWEA for "
        "fewer than 20 clusterings.",
        autocompletion=CONSENSUS.complete,
    )
    noise: Literal["keep", "assign"] | None = option(
        "",
        "Objects that more than half of the clusterings call noise (-1): keep them as noise, "
        "or assign each to the cluster that it is most often together with. Default: keep.",
    )
    settle: bool | None = option(
        "",
        "Whether to move objects that are more than twice as often together with another "
        "cluster as with their own. Default: no.",
    )
    param: Texts = option(
        "NAME=VALUE",
        "A parameter of the consensus method, e.g. linkage=single, or of another stage with "
        "the stage in front, e.g. generator__max_samples=0.5; may be repeated.",
    )


@dataclass(kw_only=True)
class Parameters(Job):
    """Option for parameters of a verb with one stage."""

    param: Texts = option(
        "NAME=VALUE",
        "A parameter listed by consens methods --json, e.g. max_samples=0.5 or "
        "n_clusters=5,20; may be repeated.",
    )


@dataclass(kw_only=True)
class LabelColumns(Job):
    """Options for the table of labels."""

    memberships: bool = flag("Add the membership in every cluster to labels.csv.", "--memberships")
    safe_csv: bool = flag("Put ' before ids that look like formulas.", "--safe-csv")


@dataclass(kw_only=True)
class ResultFolder(Job):
    """Option for the folder of results."""

    out: File = option(
        "DIR",
        "Folder for labels.csv, summary.json and config.toml. Default: name-consens for name.csv.",
        "--out",
        "-o",
    )


@dataclass(kw_only=True)
class EnsembleFolder(Job):
    """Option for the ensemble to write."""

    out: Path = option(
        "x.ens",
        "The ensemble to write, a folder that ends in .ens.",
        "--out",
        "-o",
        default=MISSING,
    )
