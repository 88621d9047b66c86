"""One pass over features: non-finite values, ranges, and a checksum.

The checksum covers the bytes of all rows in order: checksums of blocks are combined to the
checksum of the whole, so it does not depend on where blocks end.  CRC-32 and Adler-32 together
detect accidental differences; they do not resist an adversary.
"""

from __future__ import annotations

import zlib
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from consens._blocks.functions import cached, collect_rows

POLYNOMIAL = 0xEDB88320  # of CRC-32, with the coefficient of x^31 in bit 0
ADLER_PRIME = 65521


class Checksum(NamedTuple):
    """CRC-32 and Adler-32 of some bytes."""

    crc: int
    adler: int
    n_bytes: int

    @classmethod
    def of(cls, rows: np.ndarray) -> Checksum:
        """Checksum of the bytes of an array."""
        data = np.ascontiguousarray(rows).data
        return cls(zlib.crc32(data), zlib.adler32(data), data.nbytes)

    def join(self, other: Checksum) -> Checksum:
        """Checksum of these bytes followed by the bytes of another checksum.

        Examples
        --------
        >>> import numpy as np
        >>> from consens._blocks.scan import Checksum
        >>> X = np.arange(9.0)
        >>> Checksum.of(X[:4]).join(Checksum.of(X[4:])) == Checksum.of(X)
        True
        """
        crc = _times(_power_of_x(8 * other.n_bytes), self.crc) ^ other.crc
        # Adler-32 is a = 1 + Σ byte and b = Σ a over the bytes, both modulo a prime
        a, b = self.adler & 0xFFFF, self.adler >> 16
        other_a, other_b = other.adler & 0xFFFF, other.adler >> 16
        b = (b + other_b + other.n_bytes * (a - 1)) % ADLER_PRIME
        a = (a + other_a - 1) % ADLER_PRIME
        return Checksum(crc, b << 16 | a, self.n_bytes + other.n_bytes)


def _times(a: int, b: int) -> int:
    """Product of two polynomials over GF(2) modulo the CRC-32 one; bit 31 is the constant."""
    product = 0
    for power in range(31, -1, -1):
        if a >> power & 1:
            product ^= b
        b = b >> 1 ^ (POLYNOMIAL if b & 1 else 0)
    return product


@lru_cache(maxsize=1024)
def _power_of_x(exponent: int) -> int:
    """x^exponent modulo the polynomial of CRC-32."""
    if exponent == 0:
        return 1 << 31
    half = _power_of_x(exponent // 2)
    square = _times(half, half)
    return _times(square, 1 << 30) if exponent % 2 else square


class Scan(NamedTuple):
    """Numbers of NaN and of non-finite values and the range per column, and the checksum."""

    n_nan: np.ndarray
    n_bad: np.ndarray
    low: np.ndarray
    high: np.ndarray
    checksum: Checksum

    def join(self, other: Scan) -> Scan:
        """Scan of these rows followed by the rows of another scan."""
        return Scan(
            self.n_nan + other.n_nan,
            self.n_bad + other.n_bad,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.checksum.join(other.checksum),
        )


def scan_rows(rows: Any) -> Scan:
    """Scan rows of features in one pass; cached for `Rows`."""
    return cached(_scan_rows, rows)


def _scan_rows(rows: Any) -> Scan:
    bytes_per_row = rows.dtype.itemsize * rows.shape[1]
    return reduce(Scan.join, collect_rows(_scan_block, rows, bytes_per_row=bytes_per_row))


def _scan_block(block: np.ndarray) -> Scan:
    n_nan = n_bad = np.zeros(block.shape[1], dtype=np.int64)
    low, high = block.min(axis=0), block.max(axis=0)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        n_nan, n_bad = np.isnan(block).sum(axis=0), (~np.isfinite(block)).sum(axis=0)
    return Scan(n_nan, n_bad, low, high, Checksum.of(block))
