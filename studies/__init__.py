"""The papers' tables and figures, published beside measured.

Run one as ``python -m studies.paper2 --help``.
"""
