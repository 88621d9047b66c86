"""Sphinx extension that generates the reference pages and the pages of studies and benchmarks.

The names in the ``__all__`` of a package get pages made from their docstrings, and the output of a
study or benchmark gets a page with the command that wrote it.  New methods, measures and studies
therefore appear in the documentation automatically.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from pydoc import locate
from types import ModuleType
from typing import Any

from docutils import nodes
from numpydoc.docscrape import NumpyDocString

PACKAGE = "consens"

#: Parts of the package in the order of the data flow, with the titles of their pages.
PARTS = {
    "generate": "Generate",
    "select": "Select",
    "evidence": "Evidence",
    "partition": "Partition",
    "measure": "Measure",
    "show": "Show and report",
    "choose": "Number of clusters",
    "datasets": "Data sets",
    "io": "Files",
    "anndata": "AnnData",
}
TOP = (
    *(
        "ConsensusClustering",
        "combine",
        "Ensemble",
        "TableFeatures",
        "check",
        "compare",
        "profile",
    ),
    *("report", "why", "save", "load"),
)

#: Start of the paragraph of the Notes that says when to use a method.
WHEN = "Use it "


def setup(app: Any) -> dict[str, Any]:
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-docstring", keep_parameters, priority=100)  # before numpydoc
    app.connect("missing-reference", find_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


# ---------------------------------------------------------------------------- pages


def write_pages(app: Any) -> None:
    """Write all pages, without touching unchanged ones, and delete obsolete ones."""
    docs = Path(app.srcdir)
    for folder, pages in (
        ("methods", method_pages()),
        ("api", api_pages()),
        ("results", result_pages(docs)),
    ):
        wanted = {docs / folder / name: text for name, text in pages}
        for path in sorted((docs / folder).rglob("*.*")):
            if path not in wanted:
                path.unlink()
        for path, text in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")


def method_pages() -> Iterator[tuple[str, str]]:
    module = importlib.import_module(f"{PACKAGE}.consensus")
    names = sorted(module.METHODS, key=str.lower)
    for name in names:
        yield f"{name}.rst", class_page(module, name, notes="Cost and behaviour")
    rows = []
    for name in names:
        parameters = inspect.signature(getattr(module, name)).parameters
        own_k = parameters["n_clusters"].default is None
        rows.append(
            [
                f":doc:`{name} <{name}>`",
                summary(getattr(module, name)),
                "yes" if own_k else "",
                "yes" if "random_state" in parameters else "",
                "yes" if getattr(getattr(module, name), "_in_blocks", False) else "",
            ]
        )
    text = [
        "Consensus methods",
        "=================",
        "",
        f".. py:module:: {module.__name__}",
        "",
        f"{len(names)} methods turn the label matrix of an ensemble into one partition. Each page",
        "explains the idea, the formula, when to use the method and its cost.",
        ":doc:`/guide/consensus` helps to choose. Methods marked *in blocks* also combine labels",
        "in blocks, such as Dask arrays; some support this only with certain parameters, which",
        "their pages list.",
        "",
        *table(
            ["method", "idea", "can choose k", "random part", "in blocks"],
            rows,
            [14, 53, 11, 11, 11],
        ),
        "",
        *toctree(names, hidden=True),
    ]
    yield "index.rst", "\n".join(text)


def api_pages() -> Iterator[tuple[str, str]]:
    """Pages of the API: one for each class, and one with the functions of each part."""
    root = importlib.import_module(PACKAGE)
    for name in TOP:
        yield f"{PACKAGE}/{name}.rst", name_page(root, name)
    parts = []
    for part, title in PARTS.items():
        try:
            module = importlib.import_module(f"{PACKAGE}.{part}")
        except ImportError:  # not in this version, or behind an extra that is not installed
            continue
        parts.append(f"{part}/index")
        names = [name for name in public_names(module) if name not in TOP]
        kinds = [name for name in names if inspect.isclass(getattr(module, name))]
        for name in kinds:
            yield f"{part}/{name}.rst", class_page(module, name)
        rows = [
            [
                f":doc:`{name} <{name}>`"
                if name in kinds
                else f":py:obj:`{name} <{module.__name__}.{name}>`",
                summary(getattr(module, name)),
            ]
            for name in names
        ]
        head = f"{title}: ``{module.__name__}``"
        text = [
            head,
            "=" * len(head),
            "",
            f".. py:module:: {module.__name__}",
            "",
            *rst(first_paragraph(inspect.getdoc(module) or "")),
            "",
            *table(["name", "what it is"], rows, [30, 70]),
            "",
            *toctree(kinds, hidden=True),
        ]
        for name in names:
            if name not in kinds:
                text += [name, "-" * len(name), "", f".. autofunction:: {name}", ""]
        yield f"{part}/index.rst", "\n".join(text)
    tops = [f"{PACKAGE}/{name}" for name in TOP]
    rows = [[f":doc:`{name} <{PACKAGE}/{name}>`", summary(getattr(root, name))] for name in TOP]
    text = [
        "API",
        "===",
        "",
        f".. py:module:: {PACKAGE}",
        "",
        "The main functions and classes, then the parts in the order of the data flow. For the",
        "consensus methods see :doc:`/methods/index`.",
        "",
        *table(["name", "what it is"], rows, [30, 70]),
        "",
        *toctree([*tops, *parts]),
    ]
    yield "index.rst", "\n".join(text)


def result_pages(docs: Path) -> Iterator[tuple[str, str]]:
    """Page of each study and benchmark, with its description, command and last output."""
    for kind, title, intro in (
        (
            "studies",
            "Studies",
            "The tables and figures of the papers, with published and measured values, and the "
            "studies behind the defaults. Every number was written by the command on its page.",
        ),
        (
            "benchmarks",
            "Benchmarks",
            "CPU time and memory, as ratios to a reference that was measured in the same run. "
            "Every number was written by the command on its page.",
        ),
    ):
        sources = {
            path.stem: path.read_text(encoding="utf-8")
            for path in sorted((docs.parent / kind).glob("[!_]*.py"))
        }
        modules = {
            name: ast.get_docstring(ast.parse(source)) or name
            for name, source in sources.items()
            if '__name__ == "__main__"' in source  # others are parts of a command
        }
        outputs = {path.stem: path for path in sorted((docs / kind).glob("*.md"))}
        if "index" in outputs:  # the output of the command that runs all
            outputs["all"] = outputs.pop("index")
        names = sorted(modules.keys() | outputs.keys())
        for name in names:
            yield f"{kind}/{name}.md", result_page(kind, name, modules.get(name), outputs)
        # the sidebar shows the part of a title before the colon
        short = {name: (modules.get(name) or name).split("\n")[0].split(":")[0] for name in names}
        listed = "\n".join(f"{short[name].rstrip('.')} <{kind}/{name}>" for name in names)
        yield (
            f"{kind}.md",
            f"# {title}\n\n{intro}\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n",
        )


def result_page(kind: str, name: str, doc: str | None, outputs: dict[str, Path]) -> str:
    title, _, rest = (doc or name).partition("\n")
    text = [f"# {title.rstrip('.')}", "", rest.strip("\n"), ""]
    if name in outputs:
        text += ["## Result", "", f"```{{include}} ../../{kind}/{outputs[name].name}"]
        text += [":relative-images:", "```", ""]
    else:
        text += [
            ":::{note}",
            "This version of the documentation does not contain the results. The command above",
            f"writes them; `> docs/{kind}/{name}.md` adds them to this page.",
            ":::",
            "",
        ]
    return "\n".join(text)


def name_page(module: ModuleType, name: str) -> str:
    thing = getattr(module, name)
    if inspect.isclass(thing):
        return class_page(module, name)
    text = [
        name,
        "=" * len(name),
        "",
        f".. py:currentmodule:: {module.__name__}",
        "",
        f".. autofunction:: {module.__name__}.{name}",
        "",
    ]
    return "\n".join(text)


def class_page(module: ModuleType, name: str, notes: str = "Notes") -> str:
    """Page of a class: idea, when to use it, cost and example, then parameters and methods."""
    kind = getattr(module, name)
    doc = NumpyDocString(inspect.getdoc(kind) or "")
    when, rest = when_to_use(doc["Notes"])
    text = [
        name,
        "=" * len(name),
        "",
        f".. py:currentmodule:: {module.__name__}",
        "",
        ".. rst-class:: lead",
        "",
        *rst(doc["Summary"]),
        "",
        *rst(doc["Extended Summary"]),
        "",
        *section("When to use it", when),
        *section(notes, rest),
        *section("Example", doc["Examples"]),
        *section("Parameters and methods", ["\n"]),
        f".. autoclass:: {module.__name__}.{name}",
        *([f"   :members: {', '.join(methods(kind))}"] if methods(kind) else []),
        "",
        *section("References", doc["References"]),
    ]
    return "\n".join(text)


# ---------------------------------------------------------------------------- docstrings


def keep_parameters(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Remove sections of a class that its page already has, and format formulas."""
    if what == "class":
        kept = ("Parameters", "Other Parameters", "Attributes", "See Also")
        lines[:] = [line for title, body in parts_of(lines) if title in kept for line in body]
    lines[:] = rst(lines)


def parts_of(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Split a docstring into sections with headings; the part above them has no title."""
    starts = [
        number
        for number, (line, below) in enumerate(pairwise(lines))
        if re.fullmatch(r"-{3,}", below) and line.strip()
    ]
    bounds = [0, *starts, len(lines)]
    for start, end in pairwise(bounds):
        yield lines[start].strip() if start in starts else "", lines[start:end]


def rst(lines: Iterable[str]) -> list[str]:
    """Convert a docstring to reStructuredText: format formulas, link dois, escape markup."""
    text = formulas(list(lines))
    verbatim = ""
    for number, line in enumerate(text):
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() and len(indent) <= len(verbatim):
            verbatim = ""
        if not verbatim and (line.startswith(".. code") or line.rstrip().endswith("::")):
            verbatim = indent + " "
        if line.lstrip().startswith((">>>", "...")) or (verbatim and len(indent) > 0):
            continue
        name, colon, kind = line.partition(" : ")  # numpydoc writes the names itself
        text[number] = name + colon + escaped(linked(kind)) if colon else escaped(linked(line))
    return text


DOI = re.compile(r"(?<![/\w`])doi:(10\.\d{4,}/[^\s;]*[^\s;.,)])")


def linked(line: str) -> str:
    return DOI.sub(r"`doi:\1 <https://doi.org/\1>`__", line)


def escaped(line: str) -> str:
    """Escape |x| and labels_, which are markup in reStructuredText."""
    parts = re.split(r"(``.*?``|`[^`]*`_{0,2})", line)
    for number in range(0, len(parts), 2):
        parts[number] = re.sub(r"(?<=\w)_(?![\w_])", r"\\_", parts[number].replace("|", r"\|"))
    return "".join(parts)


def formulas(lines: list[str]) -> list[str]:
    """Convert indented lines after a paragraph to code blocks.

    reStructuredText would interpret them as quotations with markup.  Field lists, definitions and
    list items have no blank line before their indented part, and directives are not changed.
    """
    text: list[str] = []
    inside = ""
    for number, line in enumerate(lines):
        indent = line[: len(line) - len(line.lstrip())]
        before = next((old for old in reversed(text) if old.strip()), "")
        if inside and line.strip() and len(indent) < len(inside):
            inside = ""
        elif (
            not inside
            and len(indent) >= 4
            and number
            and not lines[number - 1].strip()
            and not before.startswith(" ")
            and not before.lstrip().startswith(("..", "- ", "* ", ">>>"))
            and not re.match(r"^[-=]{3,}$", before)
        ):
            inside = indent
            last = max(place for place, old in enumerate(text) if old.strip())
            text[last] = re.sub("::$", ":", text[last].rstrip())
            text += [".. code-block:: none", "   :class: formula", ""]
        # move equation numbers, which are aligned to the right, close to the formula
        text.append(re.sub(r"(?<=\S) {5,}(?=\([^()]*\)$)", " " * 4, line) if inside else line)
    return text


def when_to_use(notes: list[str]) -> tuple[list[str], list[str]]:
    """Split the notes into the paragraphs that say when to use a method, and the others."""
    paragraphs = re.split(r"\n\s*\n", "\n".join(notes))
    chosen = [p for p in paragraphs if p.lstrip().startswith(WHEN)]
    others = [p for p in paragraphs if p not in chosen]
    return ["\n\n".join(chosen)], ["\n\n".join(others)]


def section(title: str, lines: list[str]) -> list[str]:
    body = "\n".join(lines)
    if not body:
        return []
    return [title, "-" * len(title), "", *rst(body.splitlines()), ""]


def summary(thing: Any) -> str:
    doc = first_paragraph(inspect.getdoc(thing) or "")
    return " ".join(escaped(linked(line.strip())) for line in doc)


def first_paragraph(doc: str) -> list[str]:
    return textwrap.dedent(doc).strip().split("\n\n")[0].splitlines()


# ---------------------------------------------------------------------------- names


def public_names(module: ModuleType) -> list[str]:
    """Functions and classes in ``__all__``, or else those that the module defines."""
    listed = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    things = {name: getattr(module, name) for name in listed}
    names = [
        name
        for name, thing in things.items()
        if (inspect.isclass(thing) or inspect.isroutine(thing)) and inspect.getdoc(thing)
    ]
    return sorted(names, key=str.lower)


def methods(kind: type) -> list[str]:
    """Public methods of a class and its bases that this package defines."""
    found = {}
    for owner in reversed(kind.__mro__):
        if owner.__module__.startswith(PACKAGE):
            for name, value in vars(owner).items():
                plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
                # learned properties (labels_) are listed as attributes
                wanted = inspect.isfunction(plain) or (
                    isinstance(plain, property) and not name.endswith("_")
                )
                if wanted and not name.startswith("_") and plain.__doc__:
                    found[name] = None
    return list(found)


LOOSE = ("attr", "class", "func", "meth", "obj")


def find_name(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Resolve a public name in a docstring, also without its module.

    Names without a page, such as parameters, private modules or scikit-learn classes, are shown as
    code.
    """
    if node.get("refdomain") != "py" or node.get("reftype") not in LOOSE:
        return None
    target = node["reftarget"].removeprefix(f"{PACKAGE}.").rstrip("()")
    domain = env.get_domain("py")
    near = node.get("py:module", "")
    candidates = [
        name
        for name in domain.objects
        if name in (f"{PACKAGE}.{target}", f"{near}.{target}") or name.endswith(f".{target}")
    ]
    candidates.sort(key=lambda name: (not name.startswith(f"{near}."), name.count("."), name))
    if candidates:
        entry = domain.objects[candidates[0]]
        here = node.get("refdoc", env.docname)
        uri = app.builder.get_relative_uri(here, entry.docname)
        link = nodes.reference("", "", internal=True, refuri=f"{uri}#{entry.node_id}")
        link += contnode
        return link
    if node["reftarget"].startswith(f"{PACKAGE}.") and locate(node["reftarget"]) is None:
        return None  # it does not exist: Sphinx reports it
    return contnode


# ---------------------------------------------------------------------------- building blocks


def table(header: list[str], rows: list[list[str]], widths: list[int]) -> list[str]:
    lines = [
        ".. list-table::",
        "   :class: catalogue",
        "   :header-rows: 1",
        f"   :widths: {' '.join(map(str, widths))}",
        "",
    ]
    for row in [header, *rows]:
        lines += [f"   {'*' if number == 0 else ' '} - {cell}" for number, cell in enumerate(row)]
    return lines


def toctree(names: list[str], *, hidden: bool = False) -> list[str]:
    if not names:
        return []
    options = ["   :hidden:"] if hidden else ["   :maxdepth: 1"]
    return [".. toctree::", *options, "", *(f"   {name}" for name in names), ""]
