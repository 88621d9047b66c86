"""File formats: each registers its suffixes, how to read its header, and how to read it all."""

from __future__ import annotations

import errno
import io
import os
import shlex
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, TypedDict

import pyarrow as pa
import pyarrow.compute as pc

from consens.printable import listed

#: Suffixes of compressed text, which Arrow decompresses while it reads.
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}

#: Names of a first column that is an id even when it holds numbers: pandas and R leave
#: the name of the row names empty.
ID_NAMES = ("", "id", "index")

STDIN = Path("-")

_HEAD_BYTES = 1 << 20  # of a compressed file, to estimate the rest from
_MOST_OF_HEAD = 1 << 27  # of text in these; a few bytes can stand for any number

#: Errors of the disk; libraries raise others for damaged bytes.
_DISK_ERRORS = (errno.EACCES, errno.EPERM, errno.EIO, getattr(errno, "ESTALE", errno.EIO))


class ReadOptions(TypedDict, total=False):
    """Options of all functions that read a table; `consens.io.read_table` explains them."""

    id_column: str | Literal[False] | None
    drop: Sequence[str]
    header: bool | None
    sep: str | None
    decimal: str | None
    encoding: str | None
    array: str | None
    transpose: bool
    content: bytes


@dataclass(frozen=True)
class Request:
    """A file to read, and how; the path ``-`` is standard input.

    `purpose` decides which table is read where a file holds more than one; `content` is given
    where it does not come from the file itself.
    """

    path: Path
    purpose: Literal["features", "labels", "truth"] = "features"
    options: ReadOptions = field(default_factory=ReadOptions)
    content: bytes | None = None

    def __str__(self) -> str:
        return "standard input" if self.path == STDIN else str(self.path)

    @property
    def suffix(self) -> str:
        """Suffix that tells the format, that of compression left out."""
        name = self.path.name.lower()
        inner = name.removesuffix(Path(name).suffix) if name.endswith(tuple(COMPRESSED)) else name
        return Path(inner).suffix

    @property
    def compressed(self) -> bool:
        """Whether the file is compressed as a whole."""
        return self.path.name.lower().endswith(tuple(COMPRESSED))

    def open(self) -> BinaryIO:
        """Open the file, decompressed."""
        if self.content is not None:
            return io.BytesIO(self.content)
        if self.compressed:
            codec = COMPRESSED[self.path.suffix.lower()]
            return io.BufferedReader(pa.input_stream(open(self.path, "rb"), compression=codec))
        return open(self.path, "rb")

    def open_for_arrow(self) -> pa.NativeFile:
        """Open the file, decompressed, without Python.

        Arrow reads ahead in threads of its own.  Of a Python file these need the interpreter,
        and abort the process if it is ending, as it does after an error in the first rows.
        """
        if self.content is not None:
            buffer = pa.allocate_buffer(len(self.content))
            pa.FixedSizeBufferWriter(buffer).write(self.content)
            return pa.BufferReader(buffer)
        file = pa.OSFile(str(self.path) if os.name == "nt" else os.fsencode(self.path))
        if not self.compressed:
            return file
        return pa.CompressedInputStream(file, COMPRESSED[self.path.suffix.lower()])

    def text_size(self) -> float:
        """Bytes of the file, decompressed; an estimate from the first MiB where it is."""
        size = self.path.stat().st_size
        if not self.compressed:
            return size
        with open(self.path, "rb") as raw:
            head = raw.read(_HEAD_BYTES)
        found = 0
        codec = COMPRESSED[self.path.suffix.lower()]
        with suppress(OSError), pa.CompressedInputStream(pa.BufferReader(head), codec) as stream:
            while found < _MOST_OF_HEAD and (part := stream.read(_HEAD_BYTES)):
                found += len(part)
        return max(size, found * size / len(head))

    def decompressed_sizes(self) -> Iterator[int]:
        """Read a compressed file piece by piece, and say how much text it has held so far."""
        found = 0
        with self.open_for_arrow() as file:
            while part := file.read(_HEAD_BYTES):
                found += len(part)
                yield found


class TableHeader(NamedTuple):
    """What a file tells about its table before the table is read.

    Attributes
    ----------
    columns : dict of str to str
        Names and types of the columns, ids among them.
    n_rows : int or None
        None where only reading could tell.
    n_bytes : float
        Memory that the table takes.
    """

    columns: dict[str, str]
    n_rows: int | None
    n_bytes: float


class Format(NamedTuple):
    """A format; `arrays` tells whether a file may hold several, of which one is chosen.

    What `read` gives is the table and its column of ids, given or found.
    """

    suffixes: tuple[str, ...]
    header: Callable[[Request], TableHeader]
    read: Callable[[Request], tuple[pa.Table, str | None]]
    arrays: bool = False


#: Suffix to format; modules of formats add their own by `register`.
FORMATS: dict[str, Format] = {}


def register(made: Format) -> None:
    """Make a format known."""
    FORMATS.update(dict.fromkeys(made.suffixes, made))


def format_of(request: Request) -> Format:
    """Find the format of a file by its suffix, and refuse what is no file at all."""
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
    if request.compressed and found is not FORMATS[".txt"]:
        raise ValueError(f"{path}: only text files may be compressed; decompress it first")
    array = request.options.get("array")
    if array is not None and not found.arrays:
        raise ValueError(f"{path} holds one table, so there is no array {array!r} to choose")
    return found


@contextmanager
def refuse_damaged(request: Request, kind: str) -> Iterator[None]:
    """Turn whatever a library raises for damaged bytes into one sentence.

    `kind` says what the file should be, with its article.
    """
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
    """Turn errors of decompression into one sentence."""
    try:
        yield
    except OSError as error:
        if not request.compressed:
            raise
        codec = request.path.suffix
        raise ValueError(f"{request} is not a {codec} file, or a damaged one") from error


def refuse_repeated(request: Request, names: Sequence[str], hint: str = "") -> None:
    """Raise when two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{request}: more than one column is called {listed(repeated, 3)}{hint}")


def not_numeric(names: Sequence[str], cell: object = None) -> str:
    """Say which columns are not numeric, such as for `cell`, and how to leave them out."""
    subject = f"columns {listed(names)} are" if len(names) > 1 else f"column {names[0]!r} is"
    example = "" if cell is None else f" (e.g. {cell!r})"
    shown = names[:8]
    options = " ".join(f"--drop {shlex.quote(name)}" for name in shown)
    more = " ..." if len(names) > len(shown) else ""
    return f"{subject} not numeric{example}; leave out what is no feature: {options}{more}"


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a column holds numbers, or nothing at all."""
    types = pa.types
    return (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    )


def may_be_ids(column: pa.ChunkedArray) -> bool:
    """Whether a first column looks like ids: text with few values that repeat, if any."""
    # most are distinct, but a repeated id is a mistake to tell, not a clustering
    return is_text(column.type) and pc.count_distinct(column, mode="all").as_py() > 0.8 * len(
        column
    )
