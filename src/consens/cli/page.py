"""Writing the page of a report, for the verbs that do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from consens.cli import configuration, console


def check_page(page: Path, option: str) -> None:
    """Refuse a name that is not that of a page."""
    if page.suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"{page} does not end in .html", param_hint=option)


def write_page(
    page: Path,
    model: Any,
    known: Mapping[str, Any],
    title: str,
    facts: Mapping[str, Any],
    *,
    quiet: bool,
) -> Any:
    """Write the report of a fitted model, and beside it the options that repeat it."""
    from consens.files import output_folder, write_files
    from consens.show.page import render
    from consens.show.summary import gather

    with console.progress("writing the report", quiet=quiet):
        contents = gather(model, **known, title=title, facts=facts)
        with output_folder(page.parent, (page.name,)):
            write_files(
                page.parent,
                {
                    page.name: render(contents),
                    configuration.beside(page).name: configuration.resolved_text(),
                },
            )
    return contents
