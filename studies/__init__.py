"""The papers' tables and figures, published beside measured: ``python -m studies.paper2 --help``."""
