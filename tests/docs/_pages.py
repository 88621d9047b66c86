"""The pages that people write; those that follow from the code are Sphinx's business."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: Made when the site is built, or written by studies and benchmarks.
GENERATED = {"_build", "api", "benchmarks", "gallery", "methods", "results", "studies"}

PAGES = sorted(
    path for path in DOCS.rglob("*.md") if path.relative_to(DOCS).parts[0] not in GENERATED
)


def named(path):
    return str(path.relative_to(ROOT))


class Block(NamedTuple):
    """A fenced block: its language, its text and its first line in the file."""

    language: str
    text: str
    line: int


def blocks(text):
    """Fenced blocks of a Markdown text, in order."""
    for found in re.finditer(r"^(`{3,})(\w+)\n(.*?)^\1\s*$", text, flags=re.MULTILINE | re.DOTALL):
        yield Block(found[2], found[3], text[: found.start(3)].count("\n"))
