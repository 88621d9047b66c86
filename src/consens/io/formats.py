"""Registry of file formats: suffixes, and functions that read the header and the table."""

import errno
import io
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TypedDict, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from consens._support.printable import listed

#: Suffixes of compressed text, which Arrow decompresses while it reads.
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}

#: Names of a first column that holds ids even if they are numbers.  pandas and R write the row
#: names without a name.
ID_NAMES = ("", "id", "index")

STDIN = Path("-")

_HEAD_BYTES = 1 << 20  # of a compressed file, from which its size is estimated
_MAX_HEAD_TEXT = 1 << 27  # bytes to decompress from these

#: OSErrors of the disk; libraries raise others for damaged files.
_DISK_ERRORS = (errno.EACCES, errno.EPERM, errno.EIO, getattr(errno, "ESTALE", errno.EIO))


class ReadOptions(TypedDict, total=False):
    """Options of all functions that read a table; `consens.io.read_table` explains them."""

    id_column: str | Literal[False] | None
    drop: Sequence[str]
    columns: Sequence[str]
    na: Sequence[str]
    drop_duplicates: bool
    header: bool | None
    sep: str | None
    decimal: str | None
    day_first: bool | None
    encoding: str | None
    array: str | None
    transpose: bool
    content: bytes


#: Types of the options that are not sequences of text, and their names in errors.
_OPTION_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "content": ((bytes,), "bytes"),
    "id_column": ((str, bool), "a name, False or None"),
    **dict.fromkeys(("sep", "decimal", "encoding", "array"), ((str,), "text or None")),
    **dict.fromkeys(
        ("drop_duplicates", "transpose", "header", "day_first"),
        ((bool, np.bool_), "True or False"),
    ),
}


def checked_options(options: ReadOptions) -> ReadOptions:
    """Check the names and types of options, and leave out those that are None."""
    known = list(ReadOptions.__annotations__)
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        raise TypeError(f"unknown option {unknown!r}; the options are {listed(known, len(known))}")
    found: Any = {name: value for name, value in options.items() if value is not None}
    for name, value in found.items():
        kinds, expected = _OPTION_TYPES.get(name, ((), ""))
        if not kinds:
            found[name] = checked_names(value, name)
        elif not isinstance(value, kinds):
            raise TypeError(f"{name}={value!r}; expected {expected}")
    return cast(ReadOptions, found)


def checked_names(value: Any, option: str) -> list[str]:
    """Check and list the names or other texts of an option; one text stands for itself."""
    single = isinstance(value, str) or not isinstance(value, Iterable)
    names = [value] if single else list(value)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"{option}={value!r}; expected a sequence of text")
    return names


@dataclass(frozen=True)
class Request:
    """A file to read, and how; the path ``-`` is standard input.

    `purpose` decides which table is read from a file with several; `content`, if given, is read
    instead of the file.
    """

    path: Path
    purpose: Literal["features", "labels", "truth"] = "features"
    options: ReadOptions = field(default_factory=ReadOptions)
    content: bytes | None = None

    def __str__(self) -> str:
        return "standard input" if self.path == STDIN else str(self.path)

    @property
    def suffix(self) -> str:
        """Suffix of the format, without that of the compression."""
        return Path(self.path.stem if self.codec else self.path.name).suffix.lower()

    @property
    def codec(self) -> str | None:
        """Name of the compression of the whole file, if any."""
        return COMPRESSED.get(self.path.suffix.lower())

    def open(self) -> BinaryIO:
        """Open the file, decompressed."""
        if self.content is not None:
            return io.BytesIO(self.content)
        if not self.codec:
            return open(self.path, "rb")
        return io.BufferedReader(pa.input_stream(open(self.path, "rb"), compression=self.codec))

    def open_for_arrow(self) -> pa.NativeFile:
        """Open the file, decompressed, as a native file of Arrow.

        Arrow reads ahead in its own threads.  With a Python file these need the interpreter, and
        abort the process if it is shutting down, as it is after an error in the first rows.
        """
        if self.content is not None:
            buffer = pa.allocate_buffer(len(self.content))
            pa.FixedSizeBufferWriter(buffer).write(self.content)
            return pa.BufferReader(buffer)
        file = pa.OSFile(str(self.path) if os.name == "nt" else os.fsencode(self.path))
        return pa.CompressedInputStream(file, self.codec) if self.codec else file

    def text_size(self) -> float:
        """Return the size in bytes; that of compressed text is estimated from the first MiB."""
        size = self.path.stat().st_size
        if not self.codec:
            return size
        with open(self.path, "rb") as raw:
            head = raw.read(_HEAD_BYTES)
        found = 0
        source = pa.BufferReader(head)
        with suppress(OSError), pa.CompressedInputStream(source, self.codec) as stream:
            while found < _MAX_HEAD_TEXT and (part := stream.read(_HEAD_BYTES)):
                found += len(part)
        return max(size, found * size / len(head))

    def decompressed_sizes(self) -> Iterator[int]:
        """Read a compressed file in pieces, and yield the decompressed bytes so far."""
        found = 0
        with self.open_for_arrow() as file:
            while part := file.read(_HEAD_BYTES):
                found += len(part)
                yield found


class TableHeader(NamedTuple):
    """Columns (name to type, ids included), rows if known, and memory of a table not yet read."""

    columns: dict[str, str]
    n_rows: int | None
    n_bytes: float


class Dialect(NamedTuple):
    """Separator of cells and decimal sign of a text file."""

    sep: str = ","
    decimal: str = "."


@dataclass(frozen=True)
class Content:
    """A table with its column of ids, given or detected, and notes on how it was read.

    `load_table` moves the ids from the table to `ids`; `array` is the one that was read.
    """

    table: pa.Table
    id_column: str | None
    notes: Sequence[str] = ()
    dialect: Dialect | None = None
    ids: Sequence[str | int] = ()
    array: str | None = None


class Format(NamedTuple):
    """A file format; `arrays` says whether a file may hold several tables to choose from."""

    suffixes: tuple[str, ...]
    header: Callable[[Request], TableHeader]
    read: Callable[[Request], Content]
    arrays: bool = False


FORMATS: dict[str, Format] = {}  # suffix to format; filled by `register`


def register(made: Format) -> None:
    """Add a format under its suffixes."""
    FORMATS.update(dict.fromkeys(made.suffixes, made))


def format_of(request: Request) -> Format:
    """Find the format of a file by its suffix, and refuse anything but a regular file."""
    path, suffix = request.path, request.suffix
    if path == STDIN:
        return FORMATS[".txt"]
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file")
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}")
    if suffix not in FORMATS:
        known = ", ".join(FORMATS)
        raise ValueError(f"{path}: unknown suffix {path.suffix!r}; known are {known}")
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path} is a pipe or a device; give - and redirect it: < {path}")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty")
    found = FORMATS[suffix]
    if request.codec and found is not FORMATS[".txt"]:
        raise ValueError(f"{path}: only text files may be compressed; decompress it first")
    array = request.options.get("array")
    if array is not None and not found.arrays:
        raise ValueError(f"{path} holds one table, so there is no array {array!r} to choose")
    return found


@contextmanager
def refuse_damaged(request: Request, kind: str) -> Iterator[None]:
    """Turn exceptions of a library about a damaged file into a one-line ValueError."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _DISK_ERRORS:
            raise
        if "Python objects" in str(error) or "Object arrays" in str(error):
            raise ValueError(
                f"{request} holds Python objects, which only pickle could read; "
                "save numbers or text instead"
            ) from None
        raise ValueError(f"{request} is not {kind}, or a damaged one") from None


@contextmanager
def refuse_damaged_codec(request: Request) -> Iterator[None]:
    """Turn errors of decompression into a one-line ValueError."""
    try:
        yield
    except OSError as error:
        if not request.codec:
            raise
        kind = request.path.suffix
        raise ValueError(f"{request} is not a {kind} file, or a damaged one") from error


def refuse_repeated(request: Request, names: Sequence[str], hint: str = "") -> None:
    """Raise if two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{request}: more than one column is called {listed(repeated, 3)}{hint}")


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a column holds numbers or booleans, or is empty."""
    types = pa.types
    return (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    )


def may_be_ids(column: pa.ChunkedArray) -> bool:
    """Whether a first column looks like ids: text that is mostly distinct."""
    # a few repeated ids are a mistake to report, not a sign of a clustering
    return is_text(column.type) and pc.count_distinct(column, mode="all").as_py() > 0.8 * len(
        column
    )
