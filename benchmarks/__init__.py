"""Speed and memory against references in one run: ``python -m benchmarks.linkage --help``."""
