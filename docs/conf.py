"""Sphinx configuration: ``python -m sphinx -W -b html docs docs/_build/html``."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "consens"
copyright = "the consens developers"
release = version = installed("consens")

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "catalogue",
]
exclude_patterns = ["_build", "studies/*", "benchmarks/*", "gallery/*.ipynb", "gallery/*.py"]
nitpicky = True
default_role = "py:obj"  # `EAC` in a docstring is a link, which the catalogue resolves
add_module_names = False
autodoc_typehints = "none"  # docstrings contain the types
autodoc_class_signature = "mixed"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
# generated files start at different heading levels
suppress_warnings = ["myst.header", "config.cache"]

smartquotes_action = "qe"  # does not change the two dashes of options

html_theme = "furo"
html_title = "consens"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b5c8a",
        "color-brand-content": "#0b5c8a",
        "font-stack--monospace": "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace",
    },
    "dark_css_variables": {
        "color-brand-primary": "#6cb8e6",
        "color-brand-content": "#6cb8e6",
    },
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_selector = "div:not(.formula) > div.highlight > pre"

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(^|/)(?!plot_)[^/]*\.py$",  # other examples are commands
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),  # show printed output and figures, not the value of the last line
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "plot_gallery": True,
    "remove_config_comments": True,
    "min_reported_time": 3,
    "reset_modules": ("matplotlib",),
    "write_computation_times": False,
}
