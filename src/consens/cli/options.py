"""Options that several verbs share, in groups that jobs are composed of.

The help lists the groups of a job from the last base class to the first.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli.configuration import Job, option
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


class Scale(StrEnum):
    """How features are made comparable before they are clustered."""

    standard = "standard"
    minmax = "minmax"
    none = "none"


class Impute(StrEnum):
    """What takes the place of missing values."""

    median = "median"
    mean = "mean"
    most_frequent = "most_frequent"


class Encode(StrEnum):
    """How columns of text become numbers."""

    onehot = "onehot"
    ordinal = "ordinal"


class Noise(StrEnum):
    """What becomes of objects that most clusterings call noise."""

    keep = "keep"
    assign = "assign"


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

    quiet: Annotated[
        bool, option("", "Print warnings and errors only, and no progress.", "--quiet", "-q")
    ] = False
    json: Annotated[bool, option("", "Print the summary as JSON.", "--json")] = False


@dataclass(kw_only=True)
class Reading(Job):
    """How a table is read."""

    file: Annotated[
        Path, typer.Argument(metavar="FILE", help=f"Features, one object per row: {TABLES}.")
    ]
    id: Annotated[
        Text,
        option(
            "NAME",
            "Column of ids. Left out: the first column, if it holds text or is called id, index "
            "or nothing.",
        ),
    ] = None
    no_id: Annotated[bool, option("", "The table has no column of ids.", "--no-id")] = False
    drop: Annotated[Texts, option("NAME", "Leave a column out; may be repeated.")] = None
    header: Annotated[
        bool | None,
        option("", "Whether the first line of a text file names the columns, if unclear."),
    ] = None
    sep: Annotated[
        Text,
        option("CHAR", "What separates cells of a text file, or tab, space, comma, semicolon."),
    ] = None
    decimal: Annotated[Text, option("CHAR", "Decimal point of a text file, if unclear.")] = None
    encoding: Annotated[Text, option("NAME", "Encoding of a text file, such as latin-1.")] = None
    use: Annotated[
        Text,
        option(
            "NAME",
            "Array of an .npz or .mat file, sheet of an .xlsx file, or X, a layer or X_pca of "
            "an .h5ad file.",
        ),
    ] = None
    transpose: Annotated[
        bool, option("", "Objects are columns, as samples of genes are.", "--transpose")
    ] = False

    def reader_options(self, *others: File) -> dict[str, Any]:
        """The options as readers of `consens.io` take them; `others` are read besides `file`."""
        if self.no_id and self.id is not None:
            raise typer.BadParameter("--id and --no-id exclude each other", param_hint="--id")
        text = any(is_text_file(path) for path in (self.file, *others) if path)
        for name in ("header", "sep", "decimal", "encoding"):
            if getattr(self, name) is not None and not text:
                raise typer.BadParameter(f"{self.file} is not a text file", param_hint=f"--{name}")
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

    seed: Annotated[
        int, option("S", "The same seed gives the same labels.", min=0, max=2**32 - 1)
    ] = 0


@dataclass(kw_only=True)
class Parallel(Job):
    """How many processes work."""

    n_jobs: Annotated[
        Number, option("N", "Processes to use; -1 is all processors.", min=-9999, max=9999)
    ] = None

    def check_jobs(self) -> None:
        """Refuse to use no process."""
        if self.n_jobs == 0:
            raise typer.BadParameter("0 processes can do nothing", param_hint="--n-jobs")


@dataclass(kw_only=True)
class Preparing(Job):
    """How columns become features."""

    keep: Annotated[
        Texts, option("NAME", "Use a column although it looks like ids; may be repeated.")
    ] = None
    impute: Annotated[
        Impute | None, option("", "Fill in missing values. Left out: they are refused.")
    ] = None
    encode: Annotated[
        Encode | None, option("", "Turn columns of text into numbers. Left out: they are refused.")
    ] = None

    scale: Annotated[
        Scale,
        option("", "Bring features to mean 0 and variance 1, to the range 0 to 1, or leave them."),
    ] = Scale.standard


@dataclass(kw_only=True)
class Generation(Job):
    """What makes the clusterings."""

    generator: Annotated[
        Text,
        option(
            "NAME",
            "What makes the clusterings, see consens methods. Left out: k-means, or what the "
            "method asks for.",
            autocompletion=GENERATOR.complete,
        ),
    ] = None
    library: Annotated[
        bool, option("", "Make clusterings of many kinds: --generator library.", "--library")
    ] = False
    members: Annotated[
        Number, option("M", "Number of clusterings. Left out: the generator's default.", min=1)
    ] = None
    store: Annotated[
        File,
        option(
            "DIR",
            "Folder that keeps finished clusterings for later runs with more of them. Left out: "
            "OUT.members, while the run lasts.",
        ),
    ] = None


@dataclass(kw_only=True)
class Selection(Job):
    """What selects among the clusterings."""

    selector: Annotated[
        Text,
        option(
            "NAME",
            "What selects among the clusterings, see consens methods. Left out: all are kept.",
            autocompletion=SELECTOR.complete,
        ),
    ] = None
    n_selected: Annotated[
        Text,
        option("N", "Clusterings to keep, or their share. Left out: the selector's default."),
    ] = None


@dataclass(kw_only=True)
class Combination(Job):
    """What combines the clusterings."""

    n_clusters: Annotated[
        Number,
        option("N", "Number of clusters. Left out: it is chosen.", "--n-clusters", "-k", min=1),
    ] = None
    method: Annotated[
        Text,
        option(
            "NAME",
            "Consensus method, see consens methods. Left out: DrawnConsensus, or LWEA for "
            "fewer than 20 clusterings of up to 50,000 objects.",
            autocompletion=CONSENSUS.complete,
        ),
    ] = None
    noise: Annotated[
        Noise,
        option(
            "",
            "Objects that more than half of the clusterings call noise (-1): keep them as noise, "
            "or assign each to the cluster that it is together with most.",
        ),
    ] = Noise.keep
    settle: Annotated[
        bool | None,
        option(
            "",
            "Whether objects that are more than twice as often together with another cluster as "
            "with their own move there. Left out: they do, unless a method is named.",
        ),
    ] = None
    param: Annotated[
        Texts,
        option(
            "NAME=VALUE",
            "A parameter of the consensus method, e.g. linkage=single, or with its name in front "
            "of another stage, e.g. generator__max_samples=0.5; may be repeated.",
        ),
    ] = None


@dataclass(kw_only=True)
class Parameters(Job):
    """Parameters of the one stage that a verb runs."""

    param: Annotated[
        Texts,
        option(
            "NAME=VALUE",
            "A parameter as consens methods --json lists it, e.g. max_samples=0.5 or "
            "n_clusters=5,20; may be repeated.",
        ),
    ] = None


@dataclass(kw_only=True)
class LabelColumns(Job):
    """What the table of labels holds."""

    memberships: Annotated[
        bool, option("", "Add the membership in every cluster to labels.csv.", "--memberships")
    ] = False
    safe_csv: Annotated[
        bool,
        option("", "Put ' before ids that a spreadsheet takes for formulas.", "--safe-csv"),
    ] = False


@dataclass(kw_only=True)
class ResultFolder(Job):
    """Where the labels go."""

    out: Annotated[
        File,
        option(
            "DIR",
            "Folder for labels.csv, summary.json and config.toml. Left out: name-consens for "
            "name.csv.",
            "--out",
            "-o",
        ),
    ] = None


@dataclass(kw_only=True)
class EnsembleFolder(Job):
    """Where an ensemble goes."""

    out: Annotated[
        Path,
        option("x.ens", "The ensemble to write, a folder that ends in .ens.", "--out", "-o"),
    ]
