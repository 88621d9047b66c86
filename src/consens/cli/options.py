"""Options that several verbs share, in groups that jobs are composed of.

The help lists the groups of a job from the last base class to the first.
"""

import re
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any, Literal

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


#: How features are made comparable before they are clustered.
Scale = Literal["standard", "minmax", "none"]
#: What takes the place of missing values.
Impute = Literal["median", "mean", "most_frequent"]
#: How columns of text become numbers.
Encode = Literal["onehot", "ordinal"]
#: What becomes of objects that most clusterings call noise.
Noise = Literal["keep", "assign"]


def parse_size(text: str | int) -> int:
    """Read a number of bytes: 2GB is 2·10⁹, 512 MiB is 512·2²⁰."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", str(text).strip().lower())
    if found is None or float(found[1]) == 0:
        raise typer.BadParameter(f"{text!r} is not a size such as 2GB or 512MiB")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** UNITS[found[2]])


def is_text_file(file: Path) -> bool:
    """Whether a file holds text, perhaps compressed, or is standard input."""
    return file == Path("-") or any(s.lower() in TEXT_SUFFIXES for s in file.suffixes[-2:])


@dataclass(kw_only=True)
class Printing(Job):
    """What is printed."""

    quiet: bool = flag("Print warnings and errors only, and no progress.", "--quiet", "-q")
    json: bool = flag("Print the summary as JSON.", "--json")


@dataclass(kw_only=True)
class Reading(Job):
    """How a table is read."""

    file: Path = argument("FILE", f"Features, one object per row: {TABLES}.")
    id: Text = option(
        "NAME",
        "Column of ids. Left out: the first column, if it holds text or is called id, index "
        "or nothing.",
    )
    no_id: bool = flag("The table has no column of ids.", "--no-id")
    drop: Texts = option("NAME", "Leave a column out; may be repeated.")
    header: bool | None = option(
        "", "Whether the first line of a text file names the columns, if unclear."
    )
    sep: Text = option(
        "CHAR", "What separates cells of a text file, or tab, space, comma, semicolon."
    )
    decimal: Text = option("CHAR", "Decimal point of a text file, if unclear.")
    encoding: Text = option("NAME", "Encoding of a text file, such as latin-1.")
    use: Text = option(
        "NAME",
        "Array of an .npz or .mat file, sheet of an .xlsx file, or X, a layer or X_pca of "
        "an .h5ad file.",
    )
    transpose: bool = flag("Objects are columns, as samples of genes are.", "--transpose")

    def reader_options(self, *others: File) -> dict[str, Any]:
        """The options as readers of `consens.io` take them; `others` are read besides `file`."""
        if self.no_id and self.id is not None:
            raise usage_error("--id", "--id and --no-id exclude each other")
        text = any(is_text_file(path) for path in (self.file, *others) if path)
        for name in ("header", "sep", "decimal", "encoding"):
            if getattr(self, name) is not None and not text:
                raise usage_error(f"--{name}", f"{self.file} is not a text file")
        return {
            "id_column": False if self.no_id else self.id,
            "drop": self.drop or (),
            "header": self.header,
            "sep": self.sep,
            "decimal": self.decimal,
            "encoding": self.encoding,
            "array": self.use,
            "transpose": self.transpose,
        }


@dataclass(kw_only=True)
class Seeded(Job):
    """Where chance comes from."""

    seed: int = option(
        "S", "The same seed gives the same labels.", min=0, max=2**32 - 1, default=0
    )


@dataclass(kw_only=True)
class Parallel(Job):
    """How many processes work."""

    n_jobs: Number = option("N", "Processes to use; -1 is all processors.", min=-9999, max=9999)

    def check_jobs(self) -> None:
        """Refuse to use no process."""
        if self.n_jobs == 0:
            raise usage_error("--n-jobs", "0 processes can do nothing")


@dataclass(kw_only=True)
class Preparing(Job):
    """How columns become features."""

    keep: Texts = option("NAME", "Use a column although it looks like ids; may be repeated.")
    impute: Impute | None = option("", "Fill in missing values. Left out: they are refused.")
    encode: Encode | None = option(
        "", "Turn columns of text into numbers. Left out: they are refused."
    )

    scale: Scale = option(
        "",
        "Bring features to mean 0 and variance 1, to the range 0 to 1, or leave them.",
        default="standard",
    )


@dataclass(kw_only=True)
class Generation(Job):
    """What makes the clusterings."""

    generator: Text = option(
        "NAME",
        "What makes the clusterings, see consens methods. Left out: k-means, or what the "
        "method asks for.",
        autocompletion=GENERATOR.complete,
    )
    library: bool = flag("Make clusterings of many kinds: --generator library.", "--library")
    members: Number = option(
        "M", "Number of clusterings. Left out: the generator's default.", min=1
    )
    store: File = option(
        "DIR",
        "Folder that keeps finished clusterings for later runs with more of them. Left out: "
        "OUT.members, while the run lasts.",
    )


@dataclass(kw_only=True)
class Selection(Job):
    """What selects among the clusterings."""

    selector: Text = option(
        "NAME",
        "What selects among the clusterings, see consens methods. Left out: all are kept.",
        autocompletion=SELECTOR.complete,
    )
    n_selected: Text = option(
        "N", "Clusterings to keep, or their share. Left out: the selector's default."
    )


@dataclass(kw_only=True)
class Combination(Job):
    """What combines the clusterings."""

    n_clusters: Number = option(
        "N", "Number of clusters. Left out: it is chosen.", "--n-clusters", "-k", min=1
    )
    method: Text = option(
        "NAME",
        "Consensus method, see consens methods. Left out: DrawnConsensus, or LWEA for "
        "fewer than 20 clusterings of up to 50,000 objects.",
        autocompletion=CONSENSUS.complete,
    )
    noise: Noise = option(
        "",
        "Objects that more than half of the clusterings call noise (-1): keep them as noise, "
        "or assign each to the cluster that it is together with most.",
        default="keep",
    )
    settle: bool | None = option(
        "",
        "Whether objects that are more than twice as often together with another cluster as "
        "with their own move there. Left out: they do, unless a method is named.",
    )
    param: Texts = option(
        "NAME=VALUE",
        "A parameter of the consensus method, e.g. linkage=single, or with its name in front "
        "of another stage, e.g. generator__max_samples=0.5; may be repeated.",
    )


@dataclass(kw_only=True)
class Parameters(Job):
    """Parameters of the one stage that a verb runs."""

    param: Texts = option(
        "NAME=VALUE",
        "A parameter as consens methods --json lists it, e.g. max_samples=0.5 or "
        "n_clusters=5,20; may be repeated.",
    )


@dataclass(kw_only=True)
class LabelColumns(Job):
    """What the table of labels holds."""

    memberships: bool = flag("Add the membership in every cluster to labels.csv.", "--memberships")
    safe_csv: bool = flag("Put ' before ids that a spreadsheet takes for formulas.", "--safe-csv")


@dataclass(kw_only=True)
class ResultFolder(Job):
    """Where the labels go."""

    out: File = option(
        "DIR",
        "Folder for labels.csv, summary.json and config.toml. Left out: name-consens for "
        "name.csv.",
        "--out",
        "-o",
    )


@dataclass(kw_only=True)
class EnsembleFolder(Job):
    """Where an ensemble goes."""

    out: Path = option(
        "x.ens",
        "The ensemble to write, a folder that ends in .ens.",
        "--out",
        "-o",
        default=MISSING,
    )
