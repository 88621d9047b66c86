"""Speed and memory against references in one run: ``python -m benchmarks``, or one of them."""
