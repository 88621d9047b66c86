"""Print the oldest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
for requirement in [*project["dependencies"], *extras["scale"], *extras["studies"]]:
    if bound := re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement):
        print("==".join(bound.groups()))
