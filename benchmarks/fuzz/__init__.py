"""Hostile trials: random calls, damaged files, kills, odd streams, and other orders of objects.

    python -m benchmarks.fuzz api --calls 20000 --seed 0
    python -m benchmarks.fuzz files --files 3000 --seed 0
    python -m benchmarks.fuzz kills --kills 300 --seed 0
    python -m benchmarks.fuzz streams
    python -m benchmarks.fuzz order --orders 10 --seed 0

Every trial is drawn from (seed, number), so that a finding can be repeated alone with
``--only NUMBER``.  The exit code is 1 if anything was found.  `docs/guarantees.md` says what is
promised.
"""
